"""Explain: why two sentences align as they do, and why each edit has its type."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from redink.analysis.align import Step, align
from redink.analysis.analyser import Analyser, Tokens
from redink.analysis.annotate import EditFinder, Job, type_jobs
from redink.analysis.annotating import Annotating
from redink.analysis.classify import explain_rule
from redink.analysis.error_types import describe_types
from redink.analysis.merge import Merging
from redink.analysis.spacy_analyser import EMBEDDED
from redink.formats.inputs import PathLike
from redink.model import Column, Edit, Sentence, Table, fingerprint, make_table
from redink.workflows.annotate import sentence_tokens

_OPERATIONS = {"S": "replace", "I": "insert", "D": "delete", "T": "reorder"}


@dataclass(frozen=True)
class Explanation:
    """The edits of one sentence as a table, and the alignment behind them."""

    table: Table
    alignment: tuple[tuple[str, str, str], ...]
    """Source words, what is done with them (empty where nothing), corrected words."""


def explain(
    source: str | Sentence,
    corrected: str | Sentence,
    *,
    analyser: str | Analyser = EMBEDDED,
    lexicon: PathLike | Container[str] | None = None,
    merge: Merging = "rules",
    levenshtein: bool = False,
    fixed: bool = False,
) -> Table:
    """Each edit between two sentences, its type in words, the rule that named it, and why.

    Args:
        source: the sentence as written, words separated by spaces.
        corrected: the sentence after correction.
        analyser: ``embedded``, ``spacy:NAME``, or an analyser.
        lexicon: known words: a file with one a line, or a set; by default redink's list.
        merge: how the steps of the alignment become edits.
        levenshtein: align by plain Levenshtein distance.
        fixed: mend what is wrong in the original ERRANT.
    """
    how = Annotating(merge, levenshtein, analyser, lexicon, fixed)
    return explain_fully(source, corrected, how).table


def explain_fully(
    source: str | Sentence, corrected: str | Sentence, how: Annotating
) -> Explanation:
    """The edits and the alignment behind them."""
    job = Job(sentence_tokens(source), sentence_tokens(corrected))
    finder = how.load()
    edits = type_jobs([job], finder)[job]
    names = describe_types()
    table = make_table(
        [
            Column("start", "count"),
            Column("end", "count"),
            *map(Column, ("source", "correction", "type", "rule", "meaning", "because")),
        ],
        [_row(edit, job.source, names) for edit in edits],
        notes=() if edits else ("The sentences are the same: there is no edit.",),
        signature=how.signature(
            "explain", data=fingerprint([" ".join(job.source), " ".join(job.corrected)])
        ),
    )
    return Explanation(table, tuple(_align_fully(job, finder)))


def _row(edit: Edit, source: Tokens, names: dict[str, str]) -> dict[str, object]:
    assert edit.rule is not None
    return {
        "start": edit.start,
        "end": edit.end,
        "source": " ".join(source[edit.start : edit.end]),
        "correction": edit.correction,
        "type": edit.type,
        "rule": edit.rule,
        "meaning": names.get(edit.type, edit.type),
        "because": explain_rule(edit.rule),
    }


def _align_fully(job: Job, finder: EditFinder) -> Iterator[tuple[str, str, str]]:
    """The whole alignment, matches included."""
    with finder.analyser.analyse([job.source, job.corrected]) as batch:
        steps = align(*batch.analyses, levenshtein=finder.levenshtein)
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
