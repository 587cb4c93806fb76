"""Find and classify the edits of pairs of sentences, and classify existing edits again.

All sentences of a chunk are analyzed once, and the dependency parser runs only on the sentences for
which a rule needs it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from redink.analysis.analyzer import Analysis, Analyzer, Tokens
from redink.analysis.annotation_options import Merging
from redink.analysis.classify import DependenciesNeededError, Typed, classify
from redink.analysis.edit_extraction import AlignmentStep, Span, align
from redink.analysis.edit_extraction import merge as merge_steps
from redink.analysis.language import Language, PairFinder
from redink.errors import OptionError
from redink.model import UNCORRECTED, AnnotatedSentence, Annotation, Edit, annotator_order
from redink.options import Flag, Options


@dataclass(frozen=True, slots=True)
class EditFinder:
    """The settings that determine how edits are extracted and classified."""

    language: Language
    analyzer: Analyzer
    lexicon: Container[str]
    merge: Merging = "rules"
    levenshtein: bool = False
    fixed: bool = False
    pairs: PairFinder | None = None

    def split(self, text: str) -> Tokens:
        """Tokenize a line."""
        return tuple(text.split()) if self.pairs is None else self.pairs.split(text)

    def align(self, source: Analysis, corrected: Analysis) -> list[AlignmentStep]:
        """Return the alignment steps from source to correction, without matches."""
        if self.pairs is not None:
            return self.pairs.align(source.tokens, corrected.tokens)
        language = self.language
        if language.as_aligned is not None:
            source, corrected = language.as_aligned(source, corrected)
        return align(
            source,
            corrected,
            open_pos=language.open_pos,
            distance=language.distance,
            levenshtein=self.levenshtein,
        )

    def find_spans(self, source: Analysis, corrected: Analysis) -> tuple[Span, ...]:
        """Return the spans of the edits."""
        return tuple(
            merge_steps(
                self.align(source, corrected),
                source,
                corrected,
                rules=self.language.merging,
                strategy=self.merge,
                fixed=self.fixed,
            )
        )

    def type_edit(self, source: Analysis, corrected: Analysis, span: Span) -> Typed:
        """Return the type of one edit."""
        return classify(
            source,
            corrected,
            span,
            typing=self.language.typing,
            lexicon=self.lexicon,
            fixed=self.fixed,
        )


Versions = tuple[Tokens, tuple[Tokens, ...]]
"""A sentence, and its correction by each system."""


def annotate_chunk(chunk: Sequence[Versions], finder: EditFinder) -> list[tuple[Annotation, ...]]:
    """Return the edits of each sentence and version (0, 1, 2 …), computed together."""
    if finder.pairs is not None:
        return [
            tuple(
                finder.pairs.annotate(source, hypothesis, str(number))
                for number, hypothesis in enumerate(hypotheses)
            )
            for source, hypotheses in chunk
        ]
    # In sentence order: the order of a set differs between processes and would change how the
    # numbers of a batch are rounded.
    jobs = dict.fromkeys(
        Job(source, hypothesis)
        for source, hypotheses in chunk
        for hypothesis in hypotheses
        if hypothesis != source
    )
    done = type_jobs(jobs, finder)
    return [
        tuple(
            Annotation(str(number), done[Job(source, version)] if version != source else ())
            for number, version in enumerate(versions)
        )
        for source, versions in chunk
    ]


class Job(NamedTuple):
    """A sentence and its correction, with the spans of the edits if they are known."""

    source: Tokens
    corrected: Tokens
    spans: tuple[Span, ...] | None = None


def untyped_edits(job: Job) -> tuple[Edit, ...]:
    """Return the edits of a job with known spans, without types."""
    return tuple(
        Edit(start, end, " ".join(job.corrected[to_start:to_end]))
        for start, end, to_start, to_end in job.spans or ()
    )


def type_jobs(jobs: Iterable[Job], finder: EditFinder) -> dict[Job, tuple[Edit, ...]]:
    """Return the classified edits of every job, from left to right."""
    wanted = list(dict.fromkeys(jobs))
    if not wanted:
        return {}
    if finder.pairs is not None:
        return {job: _find_pair(job, finder.pairs) for job in wanted}
    places: dict[Tokens, int] = {}
    for job in wanted:
        places.setdefault(job.source, len(places))
        places.setdefault(job.corrected, len(places))
    sides = [(places[job.source], places[job.corrected]) for job in wanted]
    with finder.analyzer.analyze(list(places)) as batch:
        analyses = batch.analyses
        spans = [
            finder.find_spans(analyses[ours], analyses[theirs]) if job.spans is None else job.spans
            for job, (ours, theirs) in zip(wanted, sides, strict=True)
        ]
        edits: list[list[Edit | None]] = [[None] * len(found) for found in spans]
        waiting = [(job, span) for job, found in enumerate(spans) for span in range(len(found))]
        while waiting:
            # Parse the source first, because all systems share it and its dependencies often
            # decide the type. So there are at most three rounds.
            unparsed: set[int] = set()
            rest = []
            for job_number, number in waiting:
                ours, theirs = sides[job_number]
                source, corrected = analyses[ours], analyses[theirs]
                start, end, to_start, to_end = span = spans[job_number][number]
                try:
                    kind, rule = finder.type_edit(source, corrected, span)
                except DependenciesNeededError as error:
                    unparsed.add(ours if error.analysis is source else theirs)
                    rest.append((job_number, number))
                else:
                    text = " ".join(corrected.tokens[to_start:to_end])
                    edits[job_number][number] = Edit(start, end, text, kind, rule=rule)
            waiting = rest
            if unparsed:
                batch.parse(sorted(unparsed))
                analyses = batch.analyses
    return {job: tuple(filter(None, found)) for job, found in zip(wanted, edits, strict=True)}


def _find_pair(job: Job, pairs: PairFinder) -> tuple[Edit, ...]:
    if job.spans is None:
        return pairs.annotate(job.source, job.corrected, "0").edits
    typed = (pairs.type_span(job.source, job.corrected, span) for span in job.spans)
    return tuple(
        edit.retyped(kind, rule=rule)
        for edit, (kind, rule) in zip(untyped_edits(job), typed, strict=True)
    )


@dataclass(frozen=True)
class ReclassificationOptions(Options):
    """How existing edits are reclassified or extracted again.

    Attributes:
        edits: ``auto``: extract the edits of an M2 file again, from the corrected sentences;
            ``gold``: keep the edits of an M2 file and classify them again.
        minimize: keep unchanged words at the edges of edits (with ``--gold``).
        keep_types: keep the error types (with ``--gold``).
    """

    edits: Annotated[Literal["auto", "gold"] | None, Flag(each=True)] = "auto"
    minimize: bool = True
    keep_types: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.edits != "gold" and (self.keep_types or not self.minimize):
            raise OptionError("--no-minimize and --keep-types require --gold")


def retype(
    sentences: Sequence[AnnotatedSentence],
    finder: EditFinder,
    reclassification: ReclassificationOptions,
) -> list[AnnotatedSentence]:
    """Find or classify the edits of sentences again.

    An edit that marks an error without a correction (``UNK``, ``Um``) gets the type ``UNK``. The
    annotation of an annotator who changed nothing is unchanged.
    """
    jobs = [
        {
            a.annotator: _plan(sentence.source.tokens, _ordered(a), reclassification, finder)
            for a in sentence.annotations
            if a.edits
        }
        for sentence in sentences
    ]
    every = (job for by_annotator in jobs for job in by_annotator.values())
    if reclassification.keep_types:
        done = {job: untyped_edits(job) for job in every}
    else:
        done = type_jobs(every, finder)
    finished = []
    for sentence, by_annotator in zip(sentences, jobs, strict=True):
        annotations = []
        for annotation in sorted(
            sentence.annotations,
            # ERRANT sorts numbers as text.
            key=lambda a: annotator_order(a.annotator) if finder.fixed else a.annotator,
        ):
            if not annotation.edits:
                annotations.append(annotation)
                continue
            edits = _finish(annotation, done[by_annotator[annotation.annotator]], reclassification)
            # If edits cancel out, ERRANT writes nothing, not even a noop line.
            if edits or finder.fixed:
                annotations.append(Annotation(annotation.annotator, tuple(edits)))
        finished.append(AnnotatedSentence(sentence.source, tuple(annotations)))
    return finished


def _ordered(annotation: Annotation) -> list[Edit]:
    return sorted(annotation.edits, key=lambda edit: (edit.start, edit.end))


def _plan(
    tokens: Tokens,
    edits: Sequence[Edit],
    reclassification: ReclassificationOptions,
    finder: EditFinder,
) -> Job:
    corrected, spans = apply_in_order(tokens, edits, skip_overlaps=finder.fixed)
    if reclassification.edits == "auto":
        return Job(tokens, corrected)
    if reclassification.minimize:
        spans = tuple(
            span if edit.type in UNCORRECTED else minimize(tokens, corrected, span)
            for edit, span in zip(edits, spans, strict=True)
        )
    return Job(tokens, corrected, spans)


def _finish(
    annotation: Annotation, found: Sequence[Edit], reclassification: ReclassificationOptions
) -> list[Edit]:
    old = _ordered(annotation)
    if reclassification.edits != "gold":
        marks = [
            Edit(edit.start, edit.end, edit.correction, "UNK", rule="nothing-changed")
            for edit in old
            if edit.type in UNCORRECTED
        ]
        return sorted([*marks, *found], key=lambda edit: (edit.start, edit.end))
    return [
        Edit(
            *(text.start, text.end, text.correction),
            before.type if reclassification.keep_types else after.type,
            before.alternatives,
            None if reclassification.keep_types else after.rule,
        )
        for before, after in zip(old, found, strict=True)
        for text in [before if before.type in UNCORRECTED else after]
    ]


def apply_in_order(
    tokens: Tokens, edits: Sequence[Edit], *, skip_overlaps: bool = False
) -> tuple[Tokens, tuple[Span, ...]]:
    """Return the corrected sentence, and the spans of each edit in both sentences.

    Edits are sorted by position. An edit that overlaps earlier ones is applied to the remaining
    text, as in ERRANT; with ``skip_overlaps`` it changes nothing.
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


def minimize(source: Tokens, corrected: Tokens, span: Span) -> Span:
    """Remove unchanged words at the edges of a span [a b -> a c] = [b -> c]."""
    start, end, to_start, to_end = span
    while start < end and to_start < to_end and source[start] == corrected[to_start]:
        start += 1
        to_start += 1
    while start < end and to_start < to_end and source[end - 1] == corrected[to_end - 1]:
        end -= 1
        to_end -= 1
    return start, end, to_start, to_end
