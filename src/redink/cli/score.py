"""``redink score``: every system under every metric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from redink.cli.layout import Command
from redink.cli.metric_options import files_argument, metric_options, show_stages, split_files
from redink.cli.options import emit, is_quiet, plot_size_option, seed_option, table_options


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink score gold.m2 careful.txt eager.txt\n"
    "  redink score gold.m2 careful.txt eager.txt --metric errant,m2 --bootstrap 1000\n"
    "  redink score gold.m2 Careful=careful.txt Eager=eager.txt --by type --plot types.png\n"
    "  redink score gold.m2 careful.txt --metric m2 --by full\n"
    "  redink score gold.m2 careful.txt --metric errant --level detection-token\n"
    "  redink score gold.m2 careful.txt eager.txt --metric errant,m2 --sensitivity\n"
    "  redink score gold.m2 careful.txt --metric errant --reference-edits gold,auto\n"
    "  redink score gold.m2 careful.txt --sentences sentences.jsonl --format json\n"
    "  redink score --source source.txt --reference reference-a.txt careful.txt",
)
@files_argument
@metric_options
@click.option(
    "--by",
    type=click.Choice(["operation", "type", "full"]),
    help="errant, m2: also a row for every operation, main type or full type.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(min=2),
    metavar="N",
    help="95 % intervals from N bootstrap samples, and groups of systems that do not differ.",
)
@click.option(
    "--sensitivity",
    is_flag=True,
    help="errant, m2: instead of the scores, how much the choice of annotators moves them.",
)
@click.option(
    "--sentences",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write every sentence's scores, and its edits with verdicts (TP, FP, FN), as JSON lines.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the scores (.png, .svg, .pdf): a heat map with --by, otherwise a forest plot.",
)
@plot_size_option
@seed_option
@table_options
def command(
    files: tuple[str, ...],
    source: Path | None,
    references: tuple[Path, ...],
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Score every SYSTEM against the REFERENCE under every metric.

    REFERENCE is an M2 file; or give --source and --reference. SYSTEM is NAME=PATH or PATH: text
    with one tokenised sentence a line, which is annotated where a metric needs edits, or M2,
    which is scored by its own edits.

    The metrics errant, m2, gleu and imeasure give the figures of the programs published under
    these names, to the last digit.
    """
    from redink.reports.scores import view_scores
    from redink.workflows.score import score

    reference, systems = split_files(files, source, references)
    with show_stages(quiet=is_quiet()) as progress:
        table = score(reference, systems, source=source, progress=progress, **options)
    is_plain = options["sensitivity"] or form in {"json", "csv", "tsv"}
    emit(table if is_plain else view_scores(table), form=form, output=output)
