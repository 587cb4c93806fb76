"""``redink annotate``: parallel text to M2, or the edits of an M2 file found or typed anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from redink.cli.annotation_options import annotation_options
from redink.cli.layout import Command
from redink.cli.progress import Progress, show_progress
from redink.errors import OptionError, RedinkError
from redink.files import STANDARD_STREAM
from redink.model import Table

EXAMPLES = """\b
Examples:
  redink annotate source.txt corrected.txt -o out.m2
  redink annotate source.txt first.txt second.txt -o both.m2  # annotators 0 and 1
  redink annotate gold.m2 --auto -o auto.m2    # extract the edits anew
  redink annotate gold.m2 --gold -o typed.m2   # keep the edits, type them anew
  redink annotate source.txt corrected.txt --workers 4 -o out.m2
  redink annotate source.txt corrected.txt --analyser spacy:en_core_web_sm -o out.m2

\b
Large corpora, on all cores, able to continue:
  redink annotate 'source/*.txt.gz' 'corrected/*.txt.gz' -o out/
  redink annotate source.txt corrected.txt -o out/           # cut into pieces
  redink annotate pairs/ --source-column text --corrected-column fixed -o out/
  redink annotate source/ corrected/ --compress zst -o out/
  redink annotate source/ corrected/ --engine dask --scheduler tcp://head:8786 -o out/
"""


def _count_sentences(path: Path, *, is_m2: bool) -> int | None:
    """How many sentences a file has, where it can be read twice."""
    packed = path.suffix in {".gz", ".zst", ".parquet"}
    if packed or not sys.stderr.isatty() or not path.is_file():
        return None
    with path.open("rb") as stream:
        return sum(line.startswith(b"S ") or not is_m2 for line in stream)


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("corrected", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    default="-",
    help="The M2 file to write; or a folder (OUT/), for one file a shard. [default: stdout]",
)
@click.option("--auto", "edits", flag_value="auto", help="SOURCE is M2: extract the edits anew.")
@click.option(
    "--gold", "edits", flag_value="gold", help="SOURCE is M2: keep the edits, type them anew."
)
@click.option("--no-minimise", is_flag=True, help="With --gold: leave the spans of edits alone.")
@click.option("--keep-types", is_flag=True, help="With --gold: leave the types alone.")
@annotation_options
@click.option(
    "--source-column",
    default="source",
    show_default=True,
    metavar="NAME",
    help="SOURCE holds the corrections too (JSON lines, Parquet): the column of source sentences.",
)
@click.option(
    "--corrected-column",
    multiple=True,
    default=["corrected"],
    metavar="NAME",
    help="Likewise the column of corrected sentences; repeat it for annotators. "
    "[default: corrected]",
)
@click.option(
    "--shard-size",
    type=click.IntRange(min=1),
    help="Into a folder: how many pairs one file of the output has at most. [default: 20000]",
)
@click.option(
    "--compress", type=click.Choice(["gz", "zst"]), help="Into a folder: compress the output."
)
@click.option(
    "--engine",
    type=click.Choice(["local", "dask"]),
    help="Into a folder: work on this machine, or on a Dask cluster. [default: local]",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="With --engine dask: the cluster's scheduler, or its scheduler file; without it, a "
    "cluster of --workers processes is started here.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="How many processes share the work. [default: 1; into a folder, one a core]",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress and no summary on stderr.")
def command(
    source: Path,
    corrected: tuple[Path, ...],
    output: str,
    edits: str | None,
    no_minimise: bool,
    keep_types: bool,
    source_column: str,
    corrected_column: tuple[str, ...],
    workers: int | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Find and type the edits that turn SOURCE into each CORRECTED file, as M2.

    All files have one sentence a line, words separated by spaces. With --auto or --gold, SOURCE is
    an M2 file whose edits are extracted or typed anew. Files may be of any length, and compressed
    (gzip, zstd); the output appears when it is whole. SOURCE may hold the corrections too: JSON
    lines, Parquet, or text separated by tabs.

    Large corpora: SOURCE and CORRECTED may be folders or patterns (between quotes) whose files
    match one to one in sorted order, and the output a folder. A job that was stopped continues
    when the same command is given again.

    The edits and types are those of ERRANT 3.0.2, with a pipeline that comes with redink.
    """
    from redink.scale.job import is_large_job
    from redink.workflows.annotate import annotate_files, annotate_m2

    if edits is not None and corrected:
        raise OptionError(f"--{edits} takes one file that holds edits, and no corrected text")
    if edits != "gold" and (no_minimise or keep_types):
        raise OptionError("--no-minimise and --keep-types are for --gold")
    columns: dict[str, Any] = {"source_column": source_column, "corrected_column": corrected_column}
    large = {
        name: value
        for name in ("shard_size", "compress", "engine", "scheduler")
        if (value := options.pop(name)) is not None
    }
    if is_large_job(source, corrected, output):
        if edits is not None:
            raise OptionError(f"--{edits} takes one file and writes one file")
        table = _annotate_large(
            source, corrected, output, quiet=quiet, workers=workers, **columns, **large, **options
        )
    elif large:
        option = next(iter(large)).replace("_", "-")
        raise OptionError(f"--{option} is for output into a folder: -o OUT/")
    elif edits is None:
        with _show_sentences(source, is_m2=False, quiet=quiet) as progress:
            table = annotate_files(
                source,
                corrected,
                output,
                progress=progress,
                workers=workers or 1,
                **columns,
                **options,
            )
    else:
        with _show_sentences(source, is_m2=True, quiet=quiet) as progress:
            table = annotate_m2(
                source,
                output,
                edits="gold" if edits == "gold" else "auto",
                minimise=not no_minimise,
                keep_types=keep_types,
                progress=progress,
                workers=workers or 1,
                **options,
            )
    if not quiet:
        _tell(table)


def _annotate_large(
    source: Path, corrected: tuple[Path, ...], output: str, *, quiet: bool, **options: Any
) -> Table:
    from redink.scale.job import annotate_shards

    if output == STANDARD_STREAM:
        raise OptionError("many files become many files: give a folder, -o OUT/")
    begun = False
    try:
        with show_progress("pairs", quiet=quiet) as bar:

            def progress(done: int, total: int) -> None:
                nonlocal begun
                begun = True
                if bar is not None:
                    bar(done, total)

            return annotate_shards(source, corrected, output, progress=progress, **options)
    except (KeyboardInterrupt, RedinkError):
        if begun:
            click.echo(
                f"redink: what is done is kept in {output}; "
                "give the same command again to continue",
                err=True,
            )
        raise


@contextmanager
def _show_sentences(source: Path, *, is_m2: bool, quiet: bool) -> Iterator[Progress | None]:
    total = None if quiet else _count_sentences(source, is_m2=is_m2)
    with show_progress("sentences", total=total, quiet=quiet) as progress:
        yield progress


def _tell(table: Table) -> None:
    for row in table.rows:
        name = f" ({row['file']})" if row.get("file") else ""
        click.echo(
            f"annotator {row['annotator']}{name}: {row['edits']} edits in "
            f"{row['changed']} of {row['sentences']} sentences",
            err=True,
        )
    for note in table.notes:
        click.echo(note, err=True)
