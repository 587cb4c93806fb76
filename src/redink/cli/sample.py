"""``redink sample``: evaluate a system without annotating everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from redink.cli.judgment_options import level_option, split_list, split_merges
from redink.cli.layout import Group
from redink.cli.options import emit, plot_size_option, seed_option, table_options
from redink.errors import OptionError
from redink.files import STANDARD_STREAM

if TYPE_CHECKING:
    from redink.model.tables import Size

Function = TypeVar("Function", bound=Callable[..., Any])


def _interval_options(function: Function) -> Function:
    for decorate in (
        click.option(
            "--bootstrap",
            type=click.IntRange(min=1),
            default=10_000,
            show_default=True,
            help="Samples, with --interval bootstrap.",
        ),
        level_option,
        click.option(
            "--target",
            type=click.Choice(["corpus", "population"]),
            help="What the intervals are about: what judging this whole corpus would give, or "
            "text like it. [default: corpus; with --interval normal, population]",
        ),
        click.option(
            "--interval",
            type=click.Choice(["wilson", "normal", "bootstrap"]),
            default="wilson",
            show_default=True,
            help="Wilson's (recall: MOVER on Wilson's limits), the paper's normal approximation, "
            "or a bootstrap.",
        ),
    ):
        function = decorate(function)
    return function


def _answer_options(function: Function) -> Function:
    for decorate in (
        click.option(
            "--merge",
            multiple=True,
            callback=split_merges,
            metavar="NEW=OLD,...",
            help="Count several answers as one.",
        ),
        click.option(
            "--missing",
            callback=split_list,
            metavar="LABEL,...",
            help="Answers that are none, such as Unknown.",
        ),
        click.option(
            "--ok",
            callback=split_list,
            metavar="LABEL,...",
            help="Answers that mean: no error here. [default: those whose word says "
            "so: ok, correct, fine ...]",
        ),
    ):
        function = decorate(function)
    return function


_HOURS = click.option(
    "--cases-per-hour",
    type=click.FloatRange(min=0, min_open=True),
    default=125.0,
    show_default=True,
    help="How fast a rater is, where the answers do not tell.",
)


@click.group(
    cls=Group,
    epilog="\b\nExamples:\n"
    "  redink sample plan careful.ged.tsv --blind rate.csv --key key.json "
    "--error-rate 0.75 --ok-rate 0.16\n"
    "  redink sample estimate key.json answers.csv\n"
    "  redink sample estimate --from-counts 600 150 450 1050 --cases 1000 9000 --interval normal\n"
    "  redink sample verify answers.csv\n"
    "  redink sample simulate --from-counts 800 200 2700 6300 --plot sizes.png",
)
def command() -> None:
    """Evaluate a system by judging a sample of its decisions.

    A system calls every case Error or OK. A rater who does not know which is which judges a
    sample of both kinds; from that come the system's precision and recall, with intervals, at a
    fraction of the cost of annotating everything.
    """


@command.command(
    epilog="\b\nExamples:\n"
    "  redink sample plan cases.csv --blind rate.csv --key key.json --errors 250 --oks 500\n"
    "  redink sample plan careful.ged.tsv --blind rate.jsonl --key key.json "
    "--precision-width 0.2 --recall-width 0.2 --expect-precision 0.8 --expect-misses 0.05"
)
@click.argument("cases", type=click.Path(path_type=Path))
@click.option(
    "--blind",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The file for the rater (.csv, .jsonl): shuffled, no decisions.",
)
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The file that tells which is which, for sample estimate.",
)
@click.option("--error-rate", type=click.FloatRange(0, 1), help="Share of Error cases to draw.")
@click.option("--errors", type=click.IntRange(min=0), help="Number of Error cases to draw.")
@click.option(
    "--precision-width",
    type=click.FloatRange(0, 1, min_open=True),
    help="As many Error cases as give precision an interval of this width.",
)
@click.option("--ok-rate", type=click.FloatRange(0, 1), help="Share of OK cases to draw.")
@click.option("--oks", type=click.IntRange(min=0), help="Number of OK cases to draw.")
@click.option(
    "--recall-width",
    type=click.FloatRange(0, 1, min_open=True),
    help="As many OK cases as give recall an interval of this width.",
)
@click.option(
    "--expect-precision",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="The precision to plan for; one half is the hardest case.",
)
@click.option(
    "--expect-misses",
    type=click.FloatRange(0, 1),
    help="The share of OK cases expected to be errors, to plan for recall.",
)
@click.option(
    "--ok",
    callback=split_list,
    metavar="LABEL,...",
    help="The system's labels that mean: no error.",
)
@click.option(
    "--only",
    callback=split_list,
    metavar="WORD,...",
    help="Only cases whose marked words are these, e.g. prepositions.",
)
@click.option(
    "--keep",
    callback=split_list,
    metavar="COLUMN,...",
    help="Further columns that the rater may see.",
)
@click.option(
    "--target",
    type=click.Choice(["corpus", "population"]),
    default="corpus",
    show_default=True,
    help="What the intervals will be about.",
)
@level_option
@_HOURS
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw how the intervals narrow with the number of cases.",
)
@plot_size_option
@seed_option
@table_options
def plan(
    cases: Path,
    only: list[str] | None,
    keep: list[str] | None,
    plot: Path | None,
    plot_size: Size,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Draw the cases that a rater shall judge.

    CASES is CSV, TSV or JSONL with the columns item and label (the system's decision) and
    perhaps text, start and end (the words to mark) and before (the sentence before); or flags
    for words (GED TSV). The rater's file holds just these, shuffled under new names; the key
    holds the rest.
    """
    from redink.options import check_plot_path
    from redink.workflows.sample_plan import plan_sample, plan_widths

    if plot is not None:
        check_plot_path(plot)
    printed = [name for name in ("blind", "key") if str(options[name]) == STANDARD_STREAM]
    table_printed = str(output or STANDARD_STREAM) == STANDARD_STREAM
    if len(printed) + table_printed > 1:
        raise OptionError(
            f"--{printed[0]} -: standard output can hold one thing only; give a file name"
        )
    table = plan_sample(cases, only=only or (), keep=keep or (), **options)
    if plot is not None:
        sizes, widths = plan_widths(
            table,
            expect_precision=options["expect_precision"],
            expect_misses=options["expect_misses"],
            target=options["target"],
            level=options["level"],
        )
        plan = replace(table, extra={"sizes": sizes, "widths": widths})
        plan.plot(plot, name="sample-widths", size=plot_size)
    emit(table, form=form, output=output)


@command.command(
    epilog="\b\nExamples:\n"
    "  redink sample estimate key.json answers.csv\n"
    "  redink sample estimate key.json answers.csv --by-judge --interval bootstrap\n"
    "  redink sample estimate --from-counts 600 150 450 1050 --cases 1000 9000 --interval normal"
)
@click.argument("key", type=click.Path(path_type=Path), required=False)
@click.argument("answers", type=click.Path(path_type=Path), required=False)
@click.option(
    "--from-counts",
    "numbers",
    type=click.IntRange(min=0),
    nargs=4,
    metavar="HITS FP MISSES REST",
    help="Instead of files, what the sample holds: hits and false positives among the "
    "Error cases, misses and the rest among the OK cases.",
)
@click.option(
    "--cases",
    type=click.IntRange(min=0),
    nargs=2,
    metavar="ERROR OK",
    help="With --from-counts, how many Error and OK cases the corpus has.",
)
@_interval_options
@click.option(
    "--beta",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    help="Weight of recall in F.",
)
@_answer_options
@click.option("--by-judge", is_flag=True, help="Estimates from each rater apart, too.")
@_HOURS
@seed_option
@table_options
def estimate(
    key: Path | None,
    answers: Path | None,
    numbers: tuple[int, int, int, int] | None,
    missing: list[str] | None,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Estimate rates, precision and recall from the raters' answers.

    KEY is what sample plan wrote; ANSWERS are judgments (item, judge, label) of the rater's
    file. Several raters of one case are counted by their majority. Rates are of all cases of the
    corpus: hits, false positives, misses, and errors in all.
    """
    from redink.model import Counts
    from redink.workflows.sample import estimate_sample

    counts = Counts(*numbers) if numbers else None
    table = estimate_sample(key, answers, counts=counts, missing=missing or (), **options)
    emit(table, form=form, output=output)


@command.command(
    epilog="\b\nExamples:\n"
    "  redink sample verify answers.csv\n"
    "  redink sample verify answers.csv --cases 1000 --ok writer,both"
)
@click.argument("answers", type=click.Path(path_type=Path))
@click.option(
    "--cases",
    type=click.IntRange(min=1),
    help="How many Error cases the system has, if these are a sample.",
)
@_interval_options
@_answer_options
@seed_option
@table_options
def verify(
    answers: Path,
    missing: list[str] | None,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Estimate precision alone, from judgments of a system's Error cases.

    The verification method looks only at what the system flags: it says nothing about recall.
    """
    from redink.workflows.sample import verify_sample

    table = verify_sample(answers, missing=missing or (), **options)
    emit(table, form=form, output=output)


def _split_sizes(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int] | None:
    parts = split_list(ctx, param, value)
    try:
        return None if parts is None else [int(part) for part in parts]
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is not whole numbers separated by commas") from error


@command.command(
    epilog="\b\nExamples:\n"
    "  redink sample simulate --from-counts 800 200 2700 6300\n"
    "  redink sample simulate cases.csv --sizes 100,300,1000 --plot sizes.png"
)
@click.argument("cases", type=click.Path(path_type=Path), required=False)
@click.option(
    "--from-counts",
    "numbers",
    type=click.IntRange(min=0),
    nargs=4,
    metavar="TP FP FN TN",
    help="Instead of a file, counts of the corpus.",
)
@click.option(
    "--sizes",
    callback=_split_sizes,
    metavar="N,...",
    help="Sizes of the sample.  [default: 100 to 5000]",
)
@click.option(
    "--error-share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=1 / 3,
    show_default="1/3",
    help="Share of Error cases in the sample.",
)
@click.option(
    "--quantities",
    callback=split_list,
    default="precision,recall",
    show_default=True,
    metavar="NAME,...",
    help="hit_rate, fp_rate, miss_rate, precision, recall, f, error_rate.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=2000,
    show_default=True,
    help="Samples of each size.",
)
@click.option(
    "--interval",
    type=click.Choice(["wilson", "normal", "bootstrap"]),
    default="wilson",
    show_default=True,
    help="The intervals to be tried.",
)
@click.option(
    "--target",
    type=click.Choice(["corpus", "population"]),
    help="What the intervals are about, as in sample estimate.",
)
@level_option
@click.option(
    "--beta",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    help="Weight of recall in F.",
)
@click.option("--ok", callback=split_list, metavar="LABEL,...", help="Labels that mean: no error.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the estimates by sample size.",
)
@plot_size_option
@seed_option
@table_options
def simulate(
    cases: Path | None,
    numbers: tuple[int, int, int, int] | None,
    plot: Path | None,
    plot_size: Size,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Show on known data how well samples match judging everything.

    CASES has the columns item, label (the system's decision) and gold (the truth). Many samples
    of each size are drawn; the table tells where their estimates lie and how often the interval
    holds the truth.
    """
    from redink.model import Counts
    from redink.options import check_plot_path
    from redink.workflows.sample_simulation import simulate_sample

    if plot is not None:
        check_plot_path(plot)
    counts = Counts(*numbers) if numbers else None
    table = simulate_sample(cases, counts=counts, **options)
    if plot is not None:
        table.plot(plot, name="simulated", size=plot_size)
    emit(table, form=form, output=output)
