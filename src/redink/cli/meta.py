"""``redink meta``: metrics held against human judgments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redink.cli.judgment_options import level_option, split_list, split_numbers
from redink.cli.layout import Command, FileName
from redink.cli.options import emit, plot_size_option, seed_option, table_options
from redink.errors import OptionError

if TYPE_CHECKING:
    from redink.model.tables import Size

_PLOTS = ("correlation", "betas", "windows")


def _parse_betas(
    ctx: click.Context,  # noqa: ARG001 (click passes it)
    param: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> list[float] | None:
    """``FROM:TO:STEP`` as all values from one to the other, both included."""
    if value is None:
        return None
    try:
        first, last, step = (float(part) for part in value.split(":"))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not FROM:TO:STEP") from None
    if not (0 <= first <= last and step > 0 and (last - first) / step < 100_000):
        raise click.BadParameter(f"{value!r} is no sweep from a smaller to a larger beta")
    return [round(first + at * step, 9) for at in range(int((last - first) / step + 1e-6) + 1)]


def _parse_scores(arguments: tuple[str, ...]) -> tuple[list[Path], dict[str, Path]]:
    """``PATH`` and ``NAME=PATH``."""
    plain: list[Path] = []
    named: dict[str, Path] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals or not name or Path(argument).exists():
            plain.append(Path(argument))
        elif name in named:
            raise OptionError(f"two files of scores are called {name!r}")
        else:
            named[name] = Path(path)
    return plain, named


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink score gold.m2 *.txt --format json -o scores.json\n"
    "  redink meta rankings.xml scores.json\n"
    "  redink meta rankings.xml scores.m2 scores.gleu BLEU=bleu.txt\n"
    "  redink meta rankings.xml scores.m2 --beta 1,0.5,0.25\n"
    "  redink meta rankings.xml scores.m2 --show betas --plot betas.png\n"
    "  redink meta rankings.xml scores.json --show williams\n"
    "  redink meta rankings.xml --sentences sentences.jsonl --show sentences",
)
@click.argument("judgments", type=click.Path(path_type=Path))
@click.argument("scores", nargs=-1, type=FileName())
@click.option(
    "--show",
    type=click.Choice(
        ["correlation", "williams", "betas", "best-beta", "windows", "sentences", "systems"]
    ),
    default="correlation",
    show_default=True,
    help="Correlations; the Williams test between metrics; F under every beta; the best beta; "
    "correlations among neighbours in the human ranking; agreement on pairs of sentences; the "
    "systems with all scores.",
)
@click.option(
    "--method",
    type=click.Choice(["expected-wins", "trueskill", "bradley-terry"]),
    default="expected-wins",
    show_default=True,
    help="How human judgments are aggregated.",
)
@click.option(
    "--sentences",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Scores of single sentences: JSONL with sentence, system, metric and score.",
)
@click.option(
    "--aggregate",
    type=click.Choice(["expected-wins", "trueskill", "bradley-terry"]),
    help="Rank systems by --sentences as if each metric were a judge, and correlate that.",
)
@click.option(
    "--shift",
    type=int,
    metavar="N",
    help="Add N to the sentence numbers of --sentences. [default: 0, -1 or 1, "
    "whichever gives systems with the same output the same score]",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Sentence scores that differ by no more are a tie.",
)
@click.option(
    "--beta",
    callback=split_numbers,
    metavar="B,...",
    help="Add F of these betas, made from precision and recall.",
)
@click.option(
    "--betas",
    callback=_parse_betas,
    metavar="FROM:TO:STEP",
    help="The sweep of --show betas and best-beta. [default: 0.01:1:0.01]",
)
@click.option(
    "--window",
    type=click.IntRange(min=2),
    metavar="N",
    help="Windows of N systems. Without it windows begin at the top.",
)
@click.option(
    "--kendall",
    type=click.Choice(["b", "a", "gamma"]),
    default="b",
    show_default=True,
    help="Ties in Kendall's tau: allowed for (b), neither right nor wrong (a), left out (gamma).",
)
@click.option(
    "--decimals",
    type=click.IntRange(0, 17),
    default=3,
    show_default=True,
    help="Round human scores first, as published ones were; 17 for all.",
)
@click.option(
    "--uncertainty",
    type=click.Choice(["judgments", "systems"]),
    default="judgments",
    show_default=True,
    help="What intervals allow for: other judgments, or other systems.",
)
@click.option(
    "--resample",
    type=click.Choice(["pairs", "rankings"]),
    default="pairs",
    show_default=True,
    help="Draw judgments pair by pair, or by whole rankings.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Samples for the intervals.",
)
@level_option
@click.option("--judges", callback=split_list, metavar="NAME,...", help="Only these judges.")
@click.option(
    "--without-judges", callback=split_list, metavar="NAME,...", help="All judges but these."
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the correlations, the sweep or the windows (PNG, SVG, PDF).",
)
@plot_size_option
@seed_option
@table_options
def command(
    judgments: Path,
    scores: tuple[str, ...],
    plot: Path | None,
    plot_size: Size,
    beta: list[float] | None,
    betas: list[float] | None,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Hold metrics against human judgments.

    JUDGMENTS holds rankings of outputs by judges (Appraise XML, WMT CSV), from which the human
    ranking of systems is made. SCORES are what metrics say of the same systems: the JSON, CSV or
    TSV of redink score, or files with a line for every system: its name and score, or its name,
    F, precision and recall. A file's metric is named by the file (scores.m2 is m2) or by
    NAME=PATH.
    """
    from redink.formats.metric_scores import read_system_scores
    from redink.workflows.meta import meta

    show = options["show"]
    if plot is not None:
        from redink.options import check_plot_path

        if show not in _PLOTS:
            raise click.UsageError(f"--plot goes with --show {', '.join(_PLOTS)}")
        check_plot_path(plot)
    plain, named = _parse_scores(scores)
    values = [score for path in plain for score in read_system_scores(path)]
    values += [s for name, path in named.items() for s in read_system_scores(path, name=name)]
    if betas is not None:
        options["betas"] = betas
    table = meta(judgments, values, beta=beta or (), **options)
    if plot is not None:
        table.plot(plot, name=show, size=plot_size)
    emit(table, form=form, output=output)
