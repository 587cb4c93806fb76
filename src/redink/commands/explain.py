"""Explain: why two sentences align as they do, and why each edit has its type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.edit_extraction import AlignmentStep
from redink.analysis.edit_finder import EditFinder, Job, type_jobs
from redink.errors import OptionError
from redink.model import Column, Sentence, Table, fingerprint, make_table, table_of
from redink.options import Flag, command
from redink.scoring.chunks import partition

_CHUNKS = (
    "verdict: of each chunk beside all references (cleme(assumption=independent)): what any of "
    "them has is a TP, and what all of them change and the correction leaves is an FN"
)
_OPERATIONS = {"S": "replace", "I": "insert", "D": "delete", "T": "reorder"}


@dataclass(frozen=True)
class ExplainedEdit:
    """An edit, its type in words, the rule that named it, and why."""

    start: int
    end: int
    source: str
    correction: str
    type: str
    rule: str
    meaning: str
    because: str


def sentence_tokens(sentence: str | Sentence, finder: EditFinder) -> tuple[str, ...]:
    """The tokens of a sentence given as such or as text; a file name is taken for a mistake."""
    if isinstance(sentence, Sentence):
        return sentence.tokens
    if len(sentence) < 256 and "\n" not in sentence and Path(sentence).is_file():
        raise OptionError(
            f"{sentence!r} is a file and a sentence was expected; "
            "for files there is redink.annotate_files"
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
    """Show the edits that turn SOURCE into CORRECTED, and why each has its type.

    Both are sentences whose words and punctuation marks are separated by spaces. The alignment
    stands before the table: the source above, the correction below, what was done between them.

    Args:
        source: the sentence as written.
        corrected: the sentence after correction.
        chunks: instead of the edits, the chunks into which the metric cleme cuts the sentences
            together with this reference; repeat it for others.
        annotation_options: how edits are found.

    Returns:
        A row for each edit, or for each chunk; with edits, ``extra["alignment"]`` has words of the
        source, what is done with them (empty where nothing) and words of the correction, from left
        to right.
    """
    finder = annotation_options.load()
    job = Job(sentence_tokens(source, finder), sentence_tokens(corrected, finder))
    if chunks:
        given = [chunks] if isinstance(chunks, str | Sentence) else chunks
        return _explain_chunks(
            job, [sentence_tokens(text, finder) for text in given], finder, annotation_options
        )
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
        notes=() if edits else ("The sentences are the same: there is no edit.",),
        signature=annotation_options.signature("explain", data=data),
        view="explanation",
        extra={"alignment": tuple(_align_fully(job, finder))},
    )


def _explain_chunks(
    job: Job,
    references: Sequence[tuple[str, ...]],
    finder: EditFinder,
    annotation_options: AnnotationOptions,
) -> Table:
    """What every version has in every chunk, and whether some reference has the same."""
    jobs = [job, *(Job(job.source, reference) for reference in references)]
    found = type_jobs(jobs, finder)
    ours, *theirs = partition(Sentence(job.source), [found[each] for each in jobs])
    names = [f"reference {number}" for number in range(1, len(theirs) + 1)]
    rows = []
    for place, chunk in enumerate(ours):
        right = [reference[place] for reference in theirs]
        row = {
            "start": chunk.start,
            "end": chunk.end,
            "source": " ".join(job.source[chunk.start : chunk.end]),
            "corrected": " ".join(chunk.tokens),
        }
        row |= {name: " ".join(one.tokens) for name, one in zip(names, right, strict=True)}
        if not chunk.edits:
            missed = all(one.edits for one in right)
            row["verdict"] = "FN" if missed else "TN"
        else:
            row["verdict"] = "TP" if any(chunk.tokens == one.tokens for one in right) else "FP"
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
    """The whole alignment, matches included."""
    with finder.analyser.analyze([job.source, job.corrected]) as batch:
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
