"""Explain the alignment of two sentences and the type of each edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.edit_extraction import AlignmentStep
from redink.analysis.edit_finder import EditFinder, Job, type_jobs
from redink.errors import OptionError
from redink.model import Column, Row, Sentence, Table, fingerprint, make_table, table_of
from redink.options import Flag, command
from redink.reports.sentence_diff import SentenceDiff

_CHUNKS = (
    "verdict: for cleme(assumption=independent), the chunk against all references: TP if any has "
    "it; FN if all change it and the correction does not"
)
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
    chunks: Annotated[Sequence[str | Sentence], Flag(repeat=True, value="REFERENCE")] = (),
    annotation_options: AnnotationOptions = AnnotationOptions(),
) -> Table:
    """Show the edits that turn SOURCE into CORRECTED, and explain the type of each edit.

    SOURCE and CORRECTED are sentences whose words and punctuation marks are separated by spaces.
    The alignment is shown above the table: the source, the operations, and the correction.

    Args:
        source: the source sentence.
        corrected: the corrected sentence.
        chunks: show the chunks of the metric cleme instead of edits, for this reference
            sentence. Repeatable.
        annotation_options: annotation of the sentences.

    Returns:
        One row per edit, or per chunk. With edits, ``extra["alignment"]`` has words of the source,
        the operation (empty for unchanged words) and words of the correction, from left to right.
        Notebooks show the corrected sentence with its edits above the table.
    """
    finder = annotation_options.load()
    job = Job(sentence_tokens(source, finder), sentence_tokens(corrected, finder))
    if chunks:
        given = [chunks] if isinstance(chunks, str | Sentence) else chunks
        references = (Job(job.source, sentence_tokens(text, finder)) for text in given)
        return _explain_chunks([job, *references], finder, annotation_options)
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
def diff(
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


def _explain_chunks(
    jobs: Sequence[Job], finder: EditFinder, annotation_options: AnnotationOptions
) -> Table:
    """Show each chunk of the correction and of all references, with its verdict."""
    from redink.scoring.chunks import partition  # loads the metrics

    found = type_jobs(jobs, finder)
    source = jobs[0].source
    ours, *theirs = partition(Sentence(source), [found[each] for each in jobs])
    names = [f"reference {number}" for number in range(1, len(theirs) + 1)]
    rows = []
    for place, chunk in enumerate(ours):
        right = [reference[place] for reference in theirs]
        row: Row = {"start": chunk.start, "end": chunk.end}
        row["source"] = " ".join(source[chunk.start : chunk.end])
        versions = zip(("corrected", *names), (chunk, *right), strict=True)
        row |= {name: " ".join(one.tokens) for name, one in versions}
        if chunk.edits:
            row["verdict"] = "TP" if any(chunk.tokens == one.tokens for one in right) else "FP"
        else:
            row["verdict"] = "FN" if all(one.edits for one in right) else "TN"
        rows.append(row)
    data = fingerprint([" ".join(each) for one in jobs for each in (one.source, one.corrected)])
    return make_table(
        [
            Column("start", "count"),
            Column("end", "count"),
            *(Column(name) for name in ("source", "corrected", *names, "verdict")),
        ],
        rows,
        notes=(_CHUNKS,),
        signature=annotation_options.signature("explain", data=data),
    )


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
