"""Explain: why two sentences align as they do, and why each edit has its type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from redink.analysis.align import Step
from redink.analysis.annotate import EditFinder, Job, type_jobs
from redink.analysis.annotating import Annotating
from redink.model import Sentence, Table, fingerprint, table_of
from redink.options import use_case
from redink.workflows.annotate import sentence_tokens

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


@use_case
def explain(
    source: str | Sentence, corrected: str | Sentence, *, how: Annotating = Annotating()
) -> Table:
    """Show the edits that turn SOURCE into CORRECTED, and why each has its type.

    Both are sentences whose words and punctuation marks are separated by spaces. The table is
    preceded by the alignment: the source above, the correction below, what was done between them.

    Args:
        source: the sentence as written.
        corrected: the sentence after correction.
        how: how edits are found.

    Returns:
        A row for each edit; ``extra["alignment"]`` has words of the source, what is done with them
        (empty where nothing) and words of the correction, from left to right.
    """
    job = Job(sentence_tokens(source), sentence_tokens(corrected))
    finder = how.load()
    edits = type_jobs([job], finder)[job]
    types, typing = finder.language.describe_types(), finder.language.typing
    rows = [
        ExplainedEdit(
            start=edit.start,
            end=edit.end,
            source=" ".join(job.source[edit.start : edit.end]),
            correction=edit.correction,
            type=edit.type,
            rule=str(edit.rule),
            meaning=types.get(edit.type, edit.type),
            because=typing.explain(str(edit.rule)),
        )
        for edit in edits
    ]
    data = fingerprint([" ".join(job.source), " ".join(job.corrected)])
    return table_of(
        rows,
        ExplainedEdit,
        notes=() if edits else ("The sentences are the same: there is no edit.",),
        signature=how.signature("explain", data=data),
        view="explanation",
        extra={"alignment": tuple(_align_fully(job, finder))},
    )


def _align_fully(job: Job, finder: EditFinder) -> Iterator[tuple[str, str, str]]:
    """The whole alignment, matches included."""
    with finder.analyser.analyse([job.source, job.corrected]) as batch:
        steps = finder.align(*batch.analyses)
    position = 0
    end = Step("", len(job.source), 0, 0, 0)
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
