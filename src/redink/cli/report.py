"""``redink report``: everything about a set of systems on one page."""

from __future__ import annotations

from pathlib import Path

import click

from redink.cli.judgment_options import split_list
from redink.cli.layout import Command
from redink.cli.metric_options import (
    analyser_option,
    files_argument,
    references_option,
    show_stages,
    source_option,
    split_files,
    title_option,
    workers_option,
)
from redink.cli.options import emit, is_quiet, quiet_option, seed_option


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink report gold.m2 careful.txt eager.txt speller.txt -o report\n"
    "  redink report gold.m2 careful.txt eager.txt -o report --title 'Two systems'\n"
    "  redink report --source source.txt --reference reference-a.txt careful.txt -o report",
)
@files_argument
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder for the report, made if it is not there.",
)
@source_option
@references_option
@click.option(
    "--metric",
    "metrics",
    callback=split_list,
    default="errant,m2,gleu,imeasure,bleu,meteor",
    show_default=True,
    metavar="NAME,...",
    help="What the table of metrics holds.",
)
@title_option
@click.option(
    "--bootstrap",
    type=click.IntRange(min=2),
    default=1000,
    show_default=True,
    metavar="N",
    help="Samples behind intervals and groups.",
)
@analyser_option
@workers_option
@quiet_option
@seed_option
def command(
    files: tuple[str, ...],
    output: Path,
    source: Path | None,
    references: tuple[Path, ...],
    metrics: list[str],
    title: str,
    bootstrap: int,
    analyser: str,
    workers: int,
    seed: int,
) -> None:
    """Write one HTML page with everything about the systems.

    The page stands alone: it opens from disk, loads nothing, prints, and works by keyboard and on
    a phone. Beside it, the folder holds every table as JSON.
    """
    from redink.reports.scores import view_scores
    from redink.workflows.report import report

    reference, systems = split_files(files, source, references)
    with show_stages(quiet=is_quiet()) as progress:
        table = report(
            reference,
            systems,
            output,
            source=source,
            metrics=metrics,
            title=title,
            bootstrap=bootstrap,
            analyser=analyser,
            workers=workers,
            seed=seed,
            progress=progress,
        )
    emit(view_scores(table), form="table", output=None)
