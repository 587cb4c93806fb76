"""``redink agreement``: judges against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from redink.cli.judgment_options import judgment_options, level_option, split_list
from redink.cli.layout import Command
from redink.cli.options import emit, seed_option, table_options


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink agreement raters.csv\n"
    "  redink agreement raters.csv --merge ok=correct,equal --drop spelling --drop grammar\n"
    "  redink agreement raters.csv --show confusion\n"
    "  redink agreement scores.csv --scale ordinal --judges expert,crowd1\n"
    "  redink agreement raters.csv --as-gold system=decisions.csv",
)
@click.argument("judgments", type=click.Path(path_type=Path))
@click.option(
    "--show",
    type=click.Choice(["statistics", "pairs", "confusion", "judges", "repeated"]),
    default="statistics",
    show_default=True,
    help="All statistics; each pair of judges; confusion matrices; each judge against the "
    "others; each judge against their own repeats.",
)
@click.option(
    "--scale",
    type=click.Choice(["nominal", "ordinal", "interval"]),
    default="nominal",
    show_default=True,
    help="What the labels are: names, ranks or numbers.",
)
@click.option(
    "--labels",
    callback=split_list,
    metavar="LOW,...,HIGH",
    help="All labels that could be given, in order. [default: those that occur, numbers by value]",
)
@click.option(
    "--judges", callback=split_list, metavar="NAME,...", help="Only these judges. [default: all]"
)
@judgment_options
@click.option("--by", metavar="COLUMN", help="Statistics for each group of items apart.")
@click.option(
    "--as-gold",
    multiple=True,
    metavar="SYSTEM",
    help="Instead, precision and recall of this system with each judge in turn as the gold "
    "standard. A judge in the file, or NAME=PATH of a table with item and label.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Bootstrap samples of the items for the intervals; 0 for none.",
)
@level_option
@click.option(
    "--beta",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    help="Weight of recall in F, with --as-gold.",
)
@seed_option
@table_options
def command(
    judgments: Path,
    as_gold: tuple[str, ...],
    missing: list[str] | None,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Measure how far judges agree.

    JUDGMENTS is CSV, TSV or JSONL with the columns item, judge and label; not every judge need
    have judged every item. Reported are observed agreement, Cohen's kappa (the mean over pairs
    of judges; weighted for ordinal and interval labels), Scott's pi, Fleiss' and Randolph's
    kappa, Krippendorff's alpha and Gwet's AC1, with bootstrap intervals; for two or three
    judges also the share of one's errors that another calls fine.
    """
    from redink.workflows.agreement import agreement

    table = agreement(judgments, as_gold=as_gold or None, missing=missing or (), **options)
    emit(table, form=form, output=output)
