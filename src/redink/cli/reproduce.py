"""``redink reproduce``: the published tables, ours beside theirs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from redink.cli.layout import Command
from redink.cli.metric_options import analyser_option, show_stages, workers_option
from redink.cli.options import emit, is_quiet, seed_option, table_options


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink reproduce --data data\n"
    "  redink reproduce bryant-2017 grundkiewicz-2015 --data data --differing\n"
    "  redink reproduce 'grundkiewicz-2015 table 3b' --data data --format markdown\n"
    "  redink reproduce --data data --check --quiet > figures.txt\n\n"
    "\b\nPapers:\n"
    "  bryant-2017              tables 4, 5, 6, 7, 8, 10, 11; figure 1    (conll14)\n"
    "  grundkiewicz-2015        tables 1, 2, 3a-3d, 4, 5, 6, 7; figures 1, 3\n"
    "                                                             (gjg15, conll14)\n"
    "  chodorow-2012            figures 5-10                      (needs no data)\n"
    "  tetreault-chodorow-2008  tables 3, 5                       (needs no data)\n"
    "  madnani-2011             section 3, table 1, figure 2                (gug)",
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The folder with conll14, gjg15 and gug; what is missing there is named and left out.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Exit with 1 if a figure is outside its tolerance and nothing accounts for it.",
)
@click.option("--quick", is_flag=True, help="Leave out what takes longest (TrueSkill).")
@click.option("--differing", is_flag=True, help="Only figures that are not the same as printed.")
@analyser_option
@workers_option
@seed_option
@table_options
def command(
    names: tuple[str, ...],
    data: Path,
    *,
    check: bool,
    quick: bool,
    differing: bool,
    analyser: str,
    workers: int,
    seed: int,
    form: str,
    output: Path | None,
) -> None:
    """Make the tables and figures of five papers anew, beside the printed figures.

    A NAME is a paper (bryant-2017) or one of its tables ('bryant-2017 table 4'); without any,
    everything is made. Each row has the published figure, ours, the difference, the tolerance,
    a verdict (same as printed, within tolerance, differs; or other data where the paper's own
    was never published) and the reason. The notes sum up every table.
    """
    from redink.reports.views import view_figures
    from redink.workflows.reproduce import reproduce

    with show_stages(quiet=is_quiet()) as progress:
        table = reproduce(
            names,
            data=data,
            quick=quick,
            differing=differing,
            analyser=analyser,
            workers=workers,
            seed=seed,
            progress=progress,
        )
    shown = table if form in {"json", "csv", "tsv"} else view_figures(table)
    emit(shown, form=form, output=output)
    if check and any(row["accounted"] is False for row in table.rows):
        sys.exit(1)
