"""Edits that somebody else made: the corrected sentence they give, and typing them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from redink.analysis.analyzer import Tokens
from redink.analysis.annotate import EditFinder, Job, type_jobs, untyped_edits
from redink.analysis.merge import Span
from redink.errors import OptionError
from redink.model import UNCORRECTED, AnnotatedSentence, Annotation, Edit, annotator_order
from redink.options import Flag, Options


@dataclass(frozen=True)
class ReclassificationOptions(Options):
    """What is done with edits that are there already.

    Attributes:
        edits: ``auto``: extract the edits of an M2 file again, from the corrected sentences;
            ``gold``: keep the edits of an M2 file and type them again.
        minimise: with ``gold``, words that stay the same are dropped from the ends of edits;
            ``--no-minimise`` leaves the edits as long as they are.
        keep_types: with ``gold``, leave the types alone.
    """

    edits: Annotated[Literal["auto", "gold"] | None, Flag(each=True)] = "auto"
    minimise: bool = True
    keep_types: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.edits != "gold" and (self.keep_types or not self.minimise):
            raise OptionError("--no-minimise and --keep-types are for --gold")


def retype(
    sentences: Sequence[AnnotatedSentence],
    finder: EditFinder,
    reclassification: ReclassificationOptions,
) -> list[AnnotatedSentence]:
    """The sentences with edits found or typed again, worked out together.

    An edit that marks an error and corrects nothing (``UNK``, ``Um``) is kept as it is, under the
    type ``UNK``; an annotator who changed nothing stays so.
    """
    plans = [
        {
            a.annotator: _plan(sentence.source.tokens, a, reclassification, finder)
            for a in sentence.annotations
            if a.edits
        }
        for sentence in sentences
    ]
    jobs = (plan.job for by_annotator in plans for plan in by_annotator.values())
    if reclassification.keep_types:
        done = {job: untyped_edits(job) for job in jobs}
    else:
        done = type_jobs(jobs, finder)
    return [
        AnnotatedSentence(
            sentence.source,
            _finish(sentence.annotations, by_annotator, done, finder, reclassification),
        )
        for sentence, by_annotator in zip(sentences, plans, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be worked out for one annotation, and the edits it had, in order."""

    job: Job
    edits: tuple[Edit, ...]


def _plan(
    tokens: Tokens,
    annotation: Annotation,
    reclassification: ReclassificationOptions,
    finder: EditFinder,
) -> _Plan:
    edits = tuple(sorted(annotation.edits, key=lambda edit: (edit.start, edit.end)))
    corrected, spans = apply_in_order(tokens, edits, skip_overlaps=finder.fixed)
    if reclassification.edits == "auto":
        return _Plan(Job(tokens, corrected), edits)
    if reclassification.minimise:
        spans = tuple(
            span if edit.type in UNCORRECTED else minimise(tokens, corrected, span)
            for edit, span in zip(edits, spans, strict=True)
        )
    return _Plan(Job(tokens, corrected, spans), edits)


def _finish(
    annotations: Iterable[Annotation],
    plans: Mapping[str, _Plan],
    done: Mapping[Job, tuple[Edit, ...]],
    finder: EditFinder,
    reclassification: ReclassificationOptions,
) -> tuple[Annotation, ...]:
    finished = []
    for annotation in sorted(
        annotations,
        # The original sorts numbers as text.
        key=lambda a: annotator_order(a.annotator) if finder.fixed else a.annotator,
    ):
        plan = plans.get(annotation.annotator)
        if plan is None:
            finished.append(annotation)
            continue
        found = done[plan.job]
        if reclassification.edits == "gold":
            edits = [
                _restore(old, new, keep_type=reclassification.keep_types)
                for old, new in zip(plan.edits, found, strict=True)
            ]
        else:
            marks = [_mark(edit) for edit in plan.edits if edit.type in UNCORRECTED]
            edits = sorted([*marks, *found], key=lambda edit: (edit.start, edit.end))
        # Where edits cancel out, the original writes nothing, not even that nothing changed.
        if edits or finder.fixed:
            finished.append(Annotation(annotation.annotator, tuple(edits)))
    return tuple(finished)


def _mark(edit: Edit) -> Edit:
    return Edit(edit.start, edit.end, edit.correction, "UNK", rule="nothing-changed")


def _restore(old: Edit, new: Edit, *, keep_type: bool) -> Edit:
    """A kept edit under its new type, with what typing does not see."""
    kind, rule = (old.type, None) if keep_type else (new.type, new.rule)
    if old.type in UNCORRECTED:
        return Edit(old.start, old.end, old.correction, kind, old.alternatives, rule)
    return Edit(new.start, new.end, new.correction, kind, old.alternatives, rule)


def apply_in_order(
    tokens: Tokens, edits: Sequence[Edit], *, skip_overlaps: bool = False
) -> tuple[Tokens, tuple[Span, ...]]:
    """The corrected sentence, and where each edit is in both.

    Edits come in the order of their places. One that overlaps those before it is applied to what
    they left, as the original does; with ``skip_overlaps`` it changes nothing.
    """
    corrected = list(tokens)
    spans: list[Span] = []
    offset = 0
    reached = 0
    for edit in edits:
        words = edit.correction.split()
        overlaps = skip_overlaps and edit.start < reached
        if edit.type in UNCORRECTED or overlaps:
            words = list(tokens[edit.start : edit.end])
        start = edit.start + offset
        if not overlaps:
            corrected[start : edit.end + offset] = words
            offset += len(words) - (edit.end - edit.start)
            reached = max(reached, edit.end)
        spans.append((edit.start, edit.end, start, start + len(words)))
    size = len(corrected)
    inside = [slice(to_start, to_end).indices(size)[:2] for _, _, to_start, to_end in spans]
    return tuple(corrected), tuple(
        (start, end, to_start, max(to_start, to_end))
        for (start, end, _, _), (to_start, to_end) in zip(spans, inside, strict=True)
    )


def minimise(source: Tokens, corrected: Tokens, span: Span) -> Span:
    """The span without the words at its ends that stay the same [a b -> a c] = [b -> c]."""
    start, end, to_start, to_end = span
    while start < end and to_start < to_end and source[start] == corrected[to_start]:
        start += 1
        to_start += 1
    while start < end and to_start < to_end and source[end - 1] == corrected[to_end - 1]:
        end -= 1
        to_end -= 1
    return start, end, to_start, to_end
