"""Explain the alignment of two sentences and the type of each edit."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.edit_extraction import AlignmentStep
from redink.analysis.edit_finder import EditFinder, Job, type_jobs
from redink.errors import OptionError
from redink.model import UNKNOWN, Edit, Sentence, Table, fingerprint, table_of
from redink.options import Flag, Needs, command
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


@dataclass(frozen=True)
class LearnerEdit:
    """An edit, and a sentence for a learner that says what is wrong."""

    start: int
    end: int
    source: str
    correction: str
    type: str
    explanation: str


InterfaceLanguage = Literal["en", "de", "es", "zh"]


@cache
def _learner_texts() -> dict[str, Any]:
    text = (resources.files("redink.analysis") / "learner-sentences.toml").read_text("utf-8")
    return tomllib.loads(text)


def explain_for_learner(edit: Edit, source: str, interface: InterfaceLanguage) -> str:
    """Return a sentence in a language that says what is wrong, and what to write."""
    texts = _learner_texts()[interface]
    kind = edit.type[2:] if edit.type[1:2] == ":" else edit.type
    named = texts["kinds"].get(kind)
    if edit.operation != "R":
        form = texts["UNK"] if edit.type == UNKNOWN else texts[edit.operation]
    else:
        form = texts.get(kind) or texts["R" if named else "OTHER"]
    if named is None:  # the type has no name in this language
        form = form.replace(" ({kind})", "").replace("（{kind}）", "")  # noqa: RUF001 (Chinese)
    return str(form.format(source=source, correction=edit.correction, kind=named))


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
    audience: Annotated[Literal["expert", "learner"], Flag(name="for")] = "expert",
    interface: Annotated[InterfaceLanguage, Needs(audience="learner")] = "en",
    annotation_options: AnnotationOptions = AnnotationOptions(),
) -> Table:
    """Show the edits that turn SOURCE into CORRECTED, and explain the type of each edit.

    SOURCE and CORRECTED are sentences whose words and punctuation marks are separated by spaces.
    The alignment is shown above the table: the source, the operations, and the correction.

    Args:
        source: the source sentence.
        corrected: the corrected sentence.
        audience: readers of the explanation: experts (types and rules), or learners (a sentence
            that says what is wrong).
        interface: language of the explanation (with --for learner).
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
    rows: list[Any] = []
    for edit in edits:
        words = " ".join(job.source[edit.start : edit.end])
        about = (edit.start, edit.end, words, edit.correction, edit.type)
        if audience == "learner":
            rows.append(LearnerEdit(*about, explain_for_learner(edit, words, interface)))
        else:
            rule = str(edit.rule)
            meaning, because = language.describe(edit.type), language.typing.explain(rule)
            rows.append(ExplainedEdit(*about, rule, meaning, because))
    data = fingerprint([" ".join(job.source), " ".join(job.corrected)])
    return table_of(
        rows,
        LearnerEdit if audience == "learner" else ExplainedEdit,
        notes=() if edits else ("The sentences are identical; there are no edits.",),
        signature=annotation_options.signature("explain", data=data),
        view=None if audience == "learner" else "explanation",
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
