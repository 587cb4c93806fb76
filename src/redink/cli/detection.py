"""``redink detection``: writer, annotator and system compared unit by unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from redink.cli.judgment_options import split_list
from redink.cli.layout import Command
from redink.cli.metric_options import files_argument, references_option, source_option
from redink.cli.options import emit, parse_systems, plot_size_option, table_options
from redink.errors import OptionError


class _Count(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic since 8.4
    """A count from 0 up, or ``-`` where there is none."""

    name = "count"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | None:
        if value == "-" or value is None:
            return None
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink detection gold.m2 careful.txt eager.txt\n"
    "  redink detection gold.m2 careful.txt --unit token,sentence --annotators each\n"
    "  redink detection gold.m2 careful.txt --targets slot:,\n"
    "  redink detection gold.m2 careful.txt --targets tag:IN,TO\n"
    "  redink detection gold.m2 careful.txt --negatives letters\n"
    "  redink detection gold.m2 one=a.ged.tsv two=b.ged.tsv --curve --plot curves.png\n"
    "  redink detection gold.m2 a.ged.tsv --curve --min-precision 0.8\n"
    "  redink detection --from-counts 12 18 28 142 --beta 1",
)
@files_argument
@click.option(
    "--from-counts",
    type=_Count(),
    nargs=4,
    multiple=True,
    metavar="TP FP FN TN",
    help="Measures of a published table; no files are needed. May be given again. TN may be -.",
)
@source_option
@references_option
@click.option(
    "--unit",
    callback=split_list,
    metavar="UNIT,...",
    help="What is compared: token, span, sentence, character, target. Spans have no true "
    "negatives, so no kappa. [default: token; target with --targets]",
)
@click.option(
    "--level",
    type=click.Choice(["detection", "correction"]),
    default="detection",
    show_default=True,
    help="A wrong correction of an error is a TP (detection), or an FP and an FN (correction).",
)
@click.option(
    "--targets",
    metavar="RULE",
    help="The units of --unit target: tag:IN,TO · pos:ADP · word:of,in · slot:, (every place "
    "where it may stand) · np or np:a,an,the (where noun phrases begin) · a file with "
    "sentence (from 1), start and end token (from 0).",
)
@click.option(
    "--negatives",
    default="all",
    show_default=True,
    metavar="RULE",
    help="The unchanged units that count as true negatives: all · none · tag: · pos: · word: · "
    "letters · np · not:RULE · a file. The others are trivial, and counted apart.",
)
@click.option(
    "--insertions",
    type=click.Choice(["right", "gap", "none"]),
    help="Of tokens: an insertion is an error of the token to its right, of the gap (gaps are "
    "units too), or left out. [default: right]",
)
@click.option(
    "--count",
    type=click.Choice(["units", "edits"]),
    default="units",
    show_default=True,
    help="Count every unit once, or once for each edit on it (as the ERRANT scorer).",
)
@click.option(
    "--annotators",
    type=click.Choice(["best", "any", "majority", "each", "graded"]),
    help="Several annotators: the one who favours the system; an error if any, or most, say so; "
    "a row for each; weighted by the share of them. [default: best; any for curves; graded "
    "with --judgments]",
)
@click.option("--annotator", callback=split_list, metavar="NAME,...", help="Only these.")
@click.option(
    "--selection",
    type=click.Choice(["running", "sentence", "optimal"]),
    default="running",
    show_default=True,
    help="How the best annotator of a sentence is chosen.",
)
@click.option(
    "--judgments",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Judges' labels of units (items s12, s12t3, s12t3-5, or names from the file of "
    "targets): the share that sees an error is the unit's weight.",
)
@click.option(
    "--ok",
    callback=split_list,
    metavar="LABEL,...",
    help="Labels in --judgments that mean: no error here. [default: those whose word says so]",
)
@click.option(
    "--missing",
    callback=split_list,
    metavar="LABEL,...",
    help="Labels in --judgments that are no answer.",
)
@click.option(
    "--beta",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    help="Weight of recall in F.",
)
@click.option(
    "--threshold",
    type=float,
    metavar="P",
    help="Flag tokens of this probability or more, not those the system flags.",
)
@click.option(
    "--curve",
    is_flag=True,
    help="Sweep the threshold: areas under the P-R, ROC and kappa curves, and the counts at the "
    "best threshold.",
)
@click.option(
    "--show",
    type=click.Choice(["systems", "points", "units"]),
    default="systems",
    show_default=True,
    help="A row for each system; for every threshold of its curve; or for every unit that "
    "somebody changes, with its three forms.",
)
@click.option(
    "--points",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="About how many thresholds --show points shows; 0 for all.",
)
@click.option(
    "--best",
    metavar="MEASURE",
    help="The measure that decides on the threshold. [default: f; recall with --min-precision]",
)
@click.option(
    "--min-precision",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Only thresholds with this precision or more.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the curves of all systems: .png, .svg, .pdf or .html.",
)
@plot_size_option
@click.option(
    "--analyser",
    default="embedded",
    show_default=True,
    metavar="NAME",
    help="'embedded', or 'spacy:NAME': finds the edits of texts, and tags.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many processes find the edits of texts.",
)
@table_options
def command(
    files: tuple[str, ...],
    from_counts: tuple[tuple[float | None, ...], ...],
    references: tuple[Path, ...],
    missing: list[str] | None,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Compare what writer, annotator and system have at every unit of a text.

    REFERENCE is an M2 file (or gold flags for tokens, GED TSV); a SYSTEM is NAME=PATH or PATH:
    corrected text, its own edits (M2), or flags for tokens, perhaps with probabilities (GED TSV).
    Always shown are the four counts TP, FP, FN, TN, and from them accuracy, precision, recall,
    true-negative rate, F, Cohen's kappa, prevalence, bias, Matthews correlation, informedness,
    markedness and Krippendorff's alpha; notes say what a unit and a negative is. After Chodorow,
    Dickinson, Israel and Tetreault (2012).
    """
    from redink.workflows.detection import detection

    if from_counts:
        if files:
            raise OptionError("--from-counts needs no files")
        table = detection(from_counts=list(from_counts), beta=options["beta"])
    else:
        if bool(references) != (options["source"] is not None):
            raise click.UsageError("--source and --reference belong together")
        if not files:
            raise click.UsageError("give REFERENCE and SYSTEM..., or --from-counts TP FP FN TN")
        systems = parse_systems(files if references else files[1:])
        table = detection(references or files[0], systems, missing=missing or (), **options)
    emit(table, form=form, output=output)


__all__ = ["command"]
