"""``redink convert``: any format to any other."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from redink.cli.layout import Command
from redink.cli.options import is_quiet, quiet_option
from redink.formats import all_formats, format_names
from redink.workflows.convert import Tokeniser, convert


def _list_formats(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    kinds: dict[str, list[str]] = {}
    described: dict[str, str] = {}
    suffixes: dict[str, str] = {}
    for known in all_formats():
        kinds.setdefault(known.name, []).append(known.kind)
        described[known.name] = known.description
        suffixes[known.name] = " ".join(known.suffixes)
    for name, description in described.items():
        holds = ", ".join(sorted(kinds[name]))
        click.echo(f"{name:10} {suffixes[name]:12} {description}")
        click.echo(f"{'':10} {'':12} holds {holds}")
    context.exit()


EXAMPLES = """\b
Examples:
  redink convert gold.m2 gold.jsonl
  redink convert gold.jsonl gold.m2
  redink convert rankings.xml rankings.csv
  redink convert gold.m2 - --to text              # the sources alone
  redink convert gold.m2 gold.tsv --to parallel   # what each annotator would write
  redink convert gold.m2 gold.tsv --to ged-tsv --annotator 0
  redink convert essays.sgml essays.m2
  redink convert raw.txt tokens.txt --tokeniser spacy
  redink convert source.txt pairs.tsv --corrected careful.txt --corrected eager.txt
"""


@click.command("convert", cls=Command, epilog=EXAMPLES)
@click.argument("source", metavar="IN", type=click.Path(path_type=Path, allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--from",
    "from_format",
    type=click.Choice(format_names()),
    help="The format of IN, if its content should not decide. [default: by content]",
)
@click.option(
    "--to",
    "to_format",
    type=click.Choice(format_names()),
    help="The format of OUT, if its suffix does not say. [default: by suffix]",
)
@click.option(
    "--corrected",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A corrected version of IN, line by line; once for each annotator. Together they are "
    "parallel text.",
)
@click.option("--annotator", metavar="NAME", help="Keep the edits of this annotator alone.")
@click.option(
    "--tokeniser",
    type=click.Choice(["spacy", "treebank"]),
    help="IN is raw text: split it by these rules. NUCLE is split by treebank and W&I by spacy "
    "unless this says otherwise; tokenised text is never tokenised again.",
)
@quiet_option
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_formats,
    help="List the formats and leave.",
)
def command(
    source: Path,
    target: Path,
    from_format: str | None,
    to_format: str | None,
    corrected: tuple[Path, ...],
    annotator: str | None,
    tokeniser: Tokeniser | None,
) -> None:
    """Write what IN holds to OUT, in another format.

    The format of IN is told by its content, that of OUT by its suffix. Compressed files (.gz) are
    seen through. JSONL carries everything without loss; what another format cannot carry is
    refused, or left out with a warning that counts it. OUT appears only when all of it is
    written. `-` is standard input or output.

    Finding the edits between two texts is `redink annotate`.
    """
    show = not is_quiet() and sys.stderr.isatty()
    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description} {task.completed:,}"),
        TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        transient=True,
        disable=not show,
    )

    def watch(values: Iterable[Any]) -> Iterator[Any]:
        task = progress.add_task("converted", total=None)
        for value in values:
            yield value
            progress.advance(task)

    # an idle bar of older versions of rich still ends its line
    with progress if show else nullcontext():
        table = convert(
            source,
            target,
            from_format=from_format,
            to_format=to_format,
            corrected=corrected,
            annotator=annotator,
            tokeniser=tokeniser,
            watch=watch if show else None,
        )
    if not is_quiet():
        row = table.rows[0]
        unit = {"corpus": "sentences", "parallel": "sentences", "detections": "sentences"}
        click.echo(
            f"{row['output']}: {row['values']} {unit.get(row['kind'], row['kind'])} "
            f"from {row['input']} ({row['from']} to {row['to']})",
            err=True,
        )
