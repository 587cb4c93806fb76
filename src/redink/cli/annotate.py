"""``redink annotate``: parallel text to M2, or the edits of an M2 file found or typed anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from redink.cli.layout import Command
from redink.cli.progress import show_progress
from redink.errors import OptionError

EXAMPLES = """\b
Examples:
  redink annotate source.txt corrected.txt -o out.m2
  redink annotate source.txt first.txt second.txt -o both.m2  # annotators 0 and 1
  redink annotate gold.m2 --auto -o auto.m2    # extract the edits anew
  redink annotate gold.m2 --gold -o typed.m2   # keep the edits, type them anew
  redink annotate source.txt corrected.txt --workers 4 -o out.m2
  redink annotate source.txt corrected.txt --analyser spacy:en_core_web_sm -o out.m2
"""


def _count_sentences(path: Path, *, is_m2: bool) -> int | None:
    """How many sentences a file has, where it can be read twice."""
    if not sys.stderr.isatty() or not path.is_file():
        return None
    with path.open("rb") as stream:
        return sum(line.startswith(b"S ") or not is_m2 for line in stream)


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("corrected", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), default="-",
    help="The M2 file to write. [default: stdout]",
)  # fmt: skip
@click.option("--auto", "edits", flag_value="auto", help="SOURCE is M2: extract the edits anew.")
@click.option(
    "--gold", "edits", flag_value="gold", help="SOURCE is M2: keep the edits, type them anew."
)
@click.option("--no-minimise", is_flag=True, help="With --gold: leave the spans of edits alone.")
@click.option("--keep-types", is_flag=True, help="With --gold: leave the types alone.")
@click.option(
    "--merge",
    type=click.Choice(["rules", "all-split", "all-merge", "all-equal"]),
    default="rules",
    show_default=True,
    help="What becomes one edit: what the rules say; nothing; all that touches; all that touches "
    "and is the same operation.",
)
@click.option("--levenshtein", is_flag=True, help="Align by plain Levenshtein distance.")
@click.option(
    "--analyser", default="embedded", show_default=True, metavar="NAME",
    help="'embedded', or 'spacy:NAME' for an installed spaCy pipeline.",
)  # fmt: skip
@click.option(
    "--lexicon", type=click.Path(path_type=Path), metavar="FILE",
    help="Known words, one a line, for the spelling rules.",
)  # fmt: skip
@click.option("--fixed", is_flag=True, help="Mend what is wrong in the original ERRANT.")
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, show_default=True,
    help="How many processes share the work.",
)  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="No progress and no summary on stderr.")
def command(
    source: Path,
    corrected: tuple[Path, ...],
    output: Path,
    edits: str | None,
    no_minimise: bool,
    keep_types: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Find and type the edits that turn SOURCE into each CORRECTED file, as M2.

    All files have one sentence a line, words separated by spaces. With --auto or --gold, SOURCE is
    an M2 file whose edits are extracted or typed anew. Files may be of any length; the output
    appears when it is whole.

    The edits and types are those of ERRANT 3.0.2, with a pipeline that comes with redink.
    """
    from redink.workflows.annotate import annotate_files, annotate_m2

    if edits is None and not corrected:
        raise OptionError(
            "give the corrected text too, or --auto or --gold for a file that holds edits"
        )
    if edits is not None and corrected:
        raise OptionError(f"--{edits} takes one file that holds edits, and no corrected text")
    if edits != "gold" and (no_minimise or keep_types):
        raise OptionError("--no-minimise and --keep-types are for --gold")
    total = None if quiet else _count_sentences(source, is_m2=edits is not None)
    with show_progress("sentences", total=total, quiet=quiet) as progress:
        if edits is None:
            table = annotate_files(source, corrected, output, progress=progress, **options)
        else:
            table = annotate_m2(
                source,
                output,
                edits="gold" if edits == "gold" else "auto",
                minimise=not no_minimise,
                keep_types=keep_types,
                progress=progress,
                **options,
            )
    if not quiet:
        for row in table.rows:
            name = f" ({row['file']})" if row["file"] else ""
            click.echo(
                f"annotator {row['annotator']}{name}: {row['edits']} edits in "
                f"{row['changed']} of {row['sentences']} sentences",
                err=True,
            )
