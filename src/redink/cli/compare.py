"""``redink compare``: system against system, by paired tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from redink.cli.judgment_options import split_list
from redink.cli.layout import Command, FileName
from redink.cli.metric_options import metric_options, show_stages, split_files
from redink.cli.options import emit, is_quiet, seed_option, table_options
from redink.errors import OptionError


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink compare gold.m2 careful.txt eager.txt\n"
    "  redink compare gold.m2 careful.txt eager.txt speller.txt --metric m2 --samples 10000\n"
    "  redink compare gold.m2 careful.txt eager.txt --metric errant --selection sentence\n"
    "  redink compare gold.m2 careful.txt eager.txt --test bootstrap --format latex",
)
@click.argument("files", nargs=-1, metavar="REFERENCE SYSTEM SYSTEM...", type=FileName())
@metric_options
@click.option(
    "--samples",
    type=click.IntRange(min=2),
    metavar="N",
    help="Bootstrap samples, and shuffles. [default: 1000, or more if there are many pairs]",
)
@click.option(
    "--test",
    "tests",
    callback=split_list,
    default="bootstrap,randomisation",
    show_default=True,
    metavar="NAME,...",
    help="Paired bootstrap, approximate randomisation, or both.",
)
@seed_option
@table_options
def command(
    files: tuple[str, ...],
    source: Path | None,
    references: tuple[Path, ...],
    reference_edits: list[str] | None,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Compare every pair of systems: is the difference more than chance?

    For every pair under every metric: the difference, its 95 % interval, and two-sided p-values
    of a paired bootstrap and of approximate randomisation, both also adjusted for the number of
    pairs by Holm's method. Where the choice of annotators depends on the sentences drawn, it is
    made anew in every sample.
    """
    from redink.workflows.compare import compare

    if reference_edits is not None and len(reference_edits) != 1:
        raise OptionError("a comparison is made on one kind of reference edits: gold or auto")
    reference, systems = split_files(files, source, references)
    with show_stages(quiet=is_quiet()) as progress:
        table = compare(
            reference,
            systems,
            source=source,
            reference_edits=reference_edits[0] if reference_edits else None,
            progress=progress,
            **options,
        )
    emit(table, form=form, output=output)
