"""``redink rank``: from human rankings to an order of systems with its uncertainty."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redink.cli.judgment_options import split_list
from redink.cli.layout import Command
from redink.cli.options import emit, is_quiet, plot_size_option, seed_option, table_options
from redink.cli.progress import show_progress

if TYPE_CHECKING:
    from redink.reports.plots.style import Size

_FOR_PEOPLE = {"table", "markdown", "latex", "html"}


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink rank rankings.xml\n"
    "  redink rank rankings.xml --method trueskill --plot ranking.png\n"
    "  redink rank rankings.xml --resample rankings --p 0.1\n"
    "  redink rank rankings.xml --show agreement\n"
    "  redink rank rankings.xml --show head-to-head --format latex\n"
    "  redink rank rankings.xml --show accuracy --folds 10",
)
@click.argument("judgments", type=click.Path(path_type=Path))
@click.option(
    "--method",
    type=click.Choice(["expected-wins", "trueskill", "bradley-terry"]),
    help="How judgments are aggregated. [default: expected-wins; all with --show accuracy]",
)
@click.option(
    "--show",
    type=click.Choice(
        ["ranking", "pairs", "agreement", "head-to-head", "accuracy", "judges", "correlation"]
    ),
    default="ranking",
    show_default=True,
    help="The ranking; how many pairs each judge judged; agreement of judges with each other and "
    "themselves; each system against each other; how well the methods predict judgments; the "
    "ranking of each judge; the correlation of judges' rankings.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(min=1),
    metavar="N",
    help="Samples (TrueSkill: runs) behind ranges and clusters. [default: 1000; 100 for each "
    "fold of --show accuracy]",
)
@click.option(
    "--p",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Of rank ranges and clusters.",
)
@click.option(
    "--resample",
    type=click.Choice(["pairs", "rankings"]),
    default="pairs",
    show_default=True,
    help="What a sample draws: pairwise judgments, as published, or whole rankings, whose pairs "
    "hang together (wider ranges).",
)
@click.option(
    "--opponents",
    type=click.Choice(["all", "beaten"]),
    default="all",
    show_default=True,
    help="Expected Wins as the mean over all opponents, or over those beaten at least once, as "
    "in the published rankings of single judges.",
)
@click.option("--judges", callback=split_list, metavar="NAME,...", help="Only these judges.")
@click.option(
    "--without-judges", callback=split_list, metavar="NAME,...", help="All judges but these."
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=100,
    show_default=True,
    help="Of the cross-validation, with --show accuracy.",
)
@click.option(
    "--min-overlap",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Comparisons that two judges need for a kappa.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the ranking, or the head-to-head matrix (PNG, SVG, PDF).",
)
@plot_size_option
@seed_option
@table_options
def command(
    judgments: Path,
    plot: Path | None,
    plot_size: Size,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Rank systems by human judgments.

    JUDGMENTS holds rankings of outputs by judges, in Appraise XML or WMT CSV. Systems with the
    same output share a place in a ranking and are expanded into pairwise judgments. Every
    system gets a score, a rank, the range of ranks that the judgments allow at --p, and a
    cluster: systems of different clusters differ, systems of one cluster may not.
    """
    from redink.workflows.rank import rank
    from redink.workflows.rank_tables import head_to_head_matrix

    show = options["show"]
    if plot is not None:
        _check_plot(plot, show)
    plays = options["show"] == "accuracy" or options["method"] == "trueskill"
    with show_progress("TrueSkill", total=1000, quiet=is_quiet() or not plays) as progress:
        table = rank(judgments, progress=progress, **options)
    if plot is not None:
        from redink.reports.plots.ranks import plot_head_to_head, plot_ranking
        from redink.reports.plots.style import save_figure

        draw = plot_ranking if show == "ranking" else plot_head_to_head
        save_figure(draw(table, size=plot_size), plot)
    if show == "head-to-head" and form in _FOR_PEOPLE:
        table = head_to_head_matrix(table)
    emit(table, form=form, output=output)


def _check_plot(plot: Path, show: str) -> None:
    from redink.reports.plots.style import check_plot_path

    if show not in {"ranking", "head-to-head"}:
        raise click.UsageError("--plot goes with --show ranking and --show head-to-head")
    check_plot_path(plot)
