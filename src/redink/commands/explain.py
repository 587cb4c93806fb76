"""Explain the alignment of two sentences and the type of each edit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.edit_extraction import AlignmentStep
from redink.analysis.edit_finder import EditFinder, Job, type_jobs
from redink.errors import OptionError
from redink.model import Sentence, Table, fingerprint, table_of
from redink.options import command
from redink.reports.sentence_diff import SentenceDiff

_OPERATIONS = {"S": "replace", "I": "insert", "D": "delete", "T": "reorder"}


@dataclass(frozen=True)
class ExplainedEdit:
    """An edit, its type in words, the rule that classified it, and why."""

    start: int
    end: int
    source: str
    correction: str
    type: str
    rule: str
    meaning: str
    because: str


def sentence_tokens(sentence: str | Sentence, finder: EditFinder) -> tuple[str, ...]:
    """Return the tokens of a sentence or text; raise an error for the name of a file."""
    if isinstance(sentence, Sentence):
        return sentence.tokens
    if len(sentence) < 256 and "\n" not in sentence and Path(sentence).is_file():
        raise OptionError(
            f"{sentence!r} is a file; expected a sentence. Use redink.annotate_files for files"
        )
    return finder.split(sentence)


@command
def explain(
    source: str | Sentence,
    corrected: str | Sentence,
    *,
    annotation_options: AnnotationOptions = AnnotationOptions(),
) -> Table:
    """Show the edits that turn SOURCE into CORRECTED, and explain the type of each edit.

    SOURCE and CORRECTED are sentences whose words and punctuation marks are separated by spaces.
    The alignment is shown above the table: the source, the operations, and the correction.

    Args:
        source: the source sentence.
        corrected: the corrected sentence.
        annotation_options: annotation of the sentences.

    Returns:
        One row per edit. ``extra["alignment"]`` has words of the source, the operation (empty for
        unchanged words) and words of the correction, from left to right. Notebooks show the
        corrected sentence with its edits above the table.
    """
    finder = annotation_options.load()
    job = Job(sentence_tokens(source, finder), sentence_tokens(corrected, finder))
    edits = type_jobs([job], finder)[job]
    language = finder.language
    rows = [
        ExplainedEdit(
            start=edit.start,
            end=edit.end,
            source=" ".join(job.source[edit.start : edit.end]),
            correction=edit.correction,
            type=edit.type,
            rule=str(edit.rule),
            meaning=language.describe(edit.type),
            because=language.typing.explain(str(edit.rule)),
        )
        for edit in edits
    ]
    data = fingerprint([" ".join(job.source), " ".join(job.corrected)])
    return table_of(
        rows,
        ExplainedEdit,
        notes=() if edits else ("The sentences are identical; there are no edits.",),
        signature=annotation_options.signature("explain", data=data),
        view="explanation",
        extra={
            "alignment": tuple(_align_fully(job, finder)),
            "diff": SentenceDiff(job.source, tuple(edits)),
        },
    )


@command
def mark_edits(
    source: str | Sentence,
    corrected: str | Sentence,
    *,
    annotation_options: AnnotationOptions = AnnotationOptions(),
) -> SentenceDiff:
    """Mark the edits that turn a sentence into its correction.

    Args:
        source: the source sentence, tokenized.
        corrected: the corrected sentence, tokenized.
        annotation_options: how edits are found.

    Returns:
        The sentence with its edits and their types: colored in a notebook and in an interactive
        session on a terminal, otherwise plain text.
    """
    found: SentenceDiff = explain(source, corrected, annotation_options=annotation_options).extra[
        "diff"
    ]
    return found


def _align_fully(job: Job, finder: EditFinder) -> Iterator[tuple[str, str, str]]:
    """Yield the steps of the alignment, including unchanged words."""
    with finder.analyzer.analyze([job.source, job.corrected]) as batch:
        steps = finder.align(*batch.analyses)
    position = 0
    end = AlignmentStep("", len(job.source), 0, 0, 0)
    for step in (*steps, end):
        for word in job.source[position : step.start]:
            yield word, "", word
        position = step.end
        if step is not end:
            yield (
                " ".join(job.source[step.start : step.end]),
                _OPERATIONS[step.operation],
                " ".join(job.corrected[step.to_start : step.to_end]),
            )
