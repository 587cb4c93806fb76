"""``redink detect``: the reference detectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from redink.cli.judgment_options import split_list
from redink.cli.layout import Group
from redink.cli.options import emit, seed_option, table_options
from redink.cli.progress import show_progress
from redink.files import STANDARD_STREAM
from redink.model.tables import FORMS

_FILE = click.Path(path_type=Path)
_ANALYSER = click.option(
    "--analyser",
    default="embedded",
    show_default=True,
    metavar="NAME",
    help="'embedded', or 'spacy:NAME': gives tags and lemmas.",
)
_RAW = click.option(
    "--raw/--tokenised",
    default=None,
    help="Raw paragraphs, or tokenised sentences; by default told by the first lines.",
)


@click.group(
    cls=Group,
    epilog="\b\nExamples:\n"
    "  redink detect run source.txt -o maxent.m2\n"
    "  redink detect train books.txt -o my.model\n"
    "  redink detect cloze source.txt --show prepositions\n"
    "  redink detect mine source.txt --counts-from books.txt",
)
def command() -> None:
    """Train and run the detectors of preposition errors of the literature.

    maxent chooses among 34 prepositions and none; perceptron tells extraneous ones; lm flags a
    preposition without which the sentence is likelier. A small maxent and lm come with redink.
    After Tetreault and Chodorow (2008) and Madnani et al. (2011).
    """


@command.command(
    epilog="\b\nExamples:\n"
    "  redink detect train books.txt.gz news.txt -o my.model\n"
    "  redink detect train books.txt --detector lm -o my-lm.model --arpa my-lm.arpa.gz\n"
    "  redink detect train books.txt --detector perceptron -o p.model --all"
)
@click.argument("texts", nargs=-1, required=True, type=_FILE, metavar="TEXT...")
@click.option("--model", "-o", "model", type=_FILE, required=True, help="The model's file.")
@click.option(
    "--detector",
    type=click.Choice(["maxent", "perceptron", "lm"]),
    default="maxent",
    show_default=True,
    help="What to train.",
)
@click.option(
    "--task",
    type=click.Choice(["choice", "extraneous"]),
    help="What a classifier learns. [default: choice; extraneous for the perceptron]",
)
@click.option(
    "--hold-out/--all",
    default=True,
    help="Measure on a tenth of the text that is not learnt from, or learn from all. "
    "[default: --hold-out]",
)
@click.option(
    "--max-events",
    type=click.IntRange(min=1),
    help="Learn from so many places only. [default: all]",
)
@click.option(
    "--max-features",
    type=click.IntRange(min=1),
    default=2_000_000,
    show_default=True,
    help="The most frequent features; fewer make a smaller model.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Features that occur less often are not learnt.",
)
@click.option(
    "--passes",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How often the events are gone through.",
)
@click.option(
    "--order",
    type=click.IntRange(1, 6),
    default=4,
    show_default=True,
    help="lm: the longest n-grams.",
)
@click.option(
    "--max-words",
    type=click.IntRange(min=1),
    help="lm: the most frequent words alone. [default: all]",
)
@click.option(
    "--prune",
    type=int,
    multiple=True,
    metavar="N",
    help="lm: drop n-grams that occur N times or less; once for each order from the first.",
)
@click.option("--arpa", type=_FILE, help="lm: write it here too, in the ARPA format.")
@_RAW
@_ANALYSER
@seed_option
@click.option("--quiet", "-q", is_flag=True, help="No progress on stderr.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS.names),
    default="table",
    show_default=True,
    help="The form of the result.",
)
def train(texts: tuple[Path, ...], model: Path, quiet: bool, form: str, **options: Any) -> None:
    """Train a detector on well-formed text.

    TEXT is one tokenised sentence or one raw paragraph a line; gzip is seen through. The table
    says how the model does on held-out text.
    """
    from redink.workflows.detect import train_detector

    with show_progress("done", quiet=quiet) as on_progress:
        table = train_detector(texts, model, on_progress=on_progress, **options)
    emit(table, form=form, output=None)


@command.command(
    epilog="\b\nExamples:\n"
    "  redink detect run source.txt -o maxent.ged.tsv\n"
    "  redink detect run source.txt --model lm -o lm.ged.tsv\n"
    "  redink detect run source.txt --confusion 0.99 --extraneous 1 -o strict.m2\n"
    "  redink detect run source.txt --tune gold.m2 --precision 0.5 -o tuned.m2"
)
@click.argument("text", type=_FILE)
@click.option(
    "--output",
    "-o",
    type=_FILE,
    default=Path(STANDARD_STREAM),
    help="Write the errors here, and a summary to stdout. [default: the errors to stdout]",
)
@click.option(
    "--to",
    type=click.Choice(["m2", "ged-tsv", "jsonl"]),
    help="M2 edits, or flags and probabilities for all tokens. [default: by the suffix of -o]",
)
@click.option(
    "--model",
    default="maxent",
    show_default=True,
    metavar="NAME|FILE",
    help="maxent or lm, which come with redink, or a trained model.",
)
@click.option(
    "--confusion",
    type=float,
    help="Mark wrong prepositions above this confidence. [default: the model's]",
)
@click.option(
    "--extraneous",
    type=float,
    help="Mark extraneous ones above this confidence. [default: the model's]",
)
@click.option("--tune", type=_FILE, metavar="M2", help="Choose the thresholds on this corpus.")
@click.option(
    "--precision",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.8,
    show_default=True,
    help="What tuning aims at.",
)
@click.option(
    "--types",
    callback=split_list,
    default="",
    metavar="TYPE,...",
    help="While tuning, only edits of these types are errors, as PREP. [default: all]",
)
@click.option("--raw", is_flag=True, help="TEXT is raw: split it into sentences and tokens.")
@_ANALYSER
@click.option("--quiet", "-q", is_flag=True, help="No table of what was marked.")
def run(text: Path, output: Path, quiet: bool, **options: Any) -> None:
    """Find preposition errors in TEXT and write them as M2, GED TSV or JSONL."""
    from redink.workflows.detect import run_detector

    table = run_detector(text, output, **options)
    if str(output) != STANDARD_STREAM and not quiet:
        emit(table, form="table", output=None)


@command.command(
    epilog="\b\nExamples:\n"
    "  redink detect cloze reference-a.txt --items 0 --show prepositions\n"
    "  redink detect cloze reference-a.txt --blanks blanks.csv --choice-test choices.csv\n"
    "  redink campaign create prepositions.db --task choice --from choices.csv\n"
    "  redink detect cloze reference-a.txt --answers answers.csv"
)
@click.argument("text", type=_FILE)
@click.option(
    "--model",
    default="maxent",
    show_default=True,
    metavar="NAME|FILE",
    help="maxent, which comes with redink, or a model trained for choice.",
)
@click.option(
    "--items",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    help="Blanks, one a sentence, drawn at random; 0 for every preposition.",
)
@click.option(
    "--show",
    type=click.Choice(["agreement", "prepositions", "confusion"]),
    default="agreement",
    show_default=True,
    help="Everyone with everyone; F of each preposition; or the matrix.",
)
@click.option("--fillers", type=_FILE, help="What people put into the blanks (item, judge, label).")
@click.option(
    "--answers", type=_FILE, help="Answers to the choice test: they give the adjusted accuracy."
)
@click.option("--blanks", type=_FILE, help="Write the blanks here, for people to fill.")
@click.option("--choice-test", type=_FILE, help="Write mismatches here, for a campaign.")
@_RAW
@_ANALYSER
@seed_option
@table_options
def cloze(text: Path, form: str, output: Path | None, **options: Any) -> None:
    """Blank prepositions of well-formed TEXT: who puts back what the writer wrote?

    The same TEXT, --items and --seed give the same blanks.
    """
    from redink.workflows.detect_cloze import cloze as run_cloze

    emit(run_cloze(text, **options), form=form, output=output)


@command.command(
    epilog="\b\nExamples:\n"
    "  redink detect mine source.txt --counts-from books.txt.gz\n"
    "  redink detect mine source.txt --counts web1t-2and3grams.gz --min-bigram 1000"
)
@click.argument("text", type=_FILE)
@click.option("--counts-from", type=_FILE, help="A large text of good English to count in.")
@click.option("--counts", type=_FILE, help="Counts: an n-gram, a tab and a number a line.")
@click.option(
    "--min-bigram",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="How often the words without the preposition must occur.",
)
@click.option(
    "--max-ratio",
    type=click.FloatRange(min=0),
    default=0.01,
    show_default=True,
    help="With the preposition they occur at most so often for each time without.",
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="How many candidates to show; 0 for all.",
)
@_RAW
@table_options
def mine(text: Path, form: str, output: Path | None, **options: Any) -> None:
    """Find trigrams in TEXT whose middle preposition may be extraneous, by counts."""
    from redink.workflows.detect_mine import mine as run_mine

    emit(run_mine(text, **options), form=form, output=output)


__all__ = ["command"]
