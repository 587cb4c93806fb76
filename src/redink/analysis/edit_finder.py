"""Find and classify the edits of pairs of sentences, and classify existing edits again.

All sentences of a chunk are analyzed once, and the dependency parser runs only on the sentences for
which a rule needs it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from redink.analysis.analyzer import Analysis, AnalyzedBatch, Analyzer, Tokens
from redink.analysis.classify import DependenciesNeededError, Typed, classify
from redink.analysis.edit_extraction import AlignmentStep, Merging, Span, align
from redink.analysis.edit_extraction import merge as merge_steps
from redink.analysis.language import Language, PairFinder
from redink.errors import OptionError
from redink.model import UNCORRECTED, AnnotatedSentence, Annotation, Edit, annotator_order
from redink.options import Flag, Options


@dataclass(frozen=True, slots=True)
class EditFinder:
    """Everything that decides how edits are found and typed.

    Attributes:
        language: whose rules they are.
        analyser: gives tags, lemmas and dependencies.
        lexicon: known words, for the spelling rules.
        merge: how the steps of an alignment become edits.
        levenshtein: align by plain Levenshtein distance.
        fixed: mend what is wrong in the original (see the documentation).
        pairs: what finds edits instead, of a language that has its own way.
    """

    language: Language
    analyser: Analyzer
    lexicon: Container[str]
    merge: Merging = "rules"
    levenshtein: bool = False
    fixed: bool = False
    pairs: PairFinder | None = None

    def split(self, text: str) -> Tokens:
        """The tokens of a line."""
        return tuple(text.split()) if self.pairs is None else self.pairs.split(text)

    def align(self, source: Analysis, corrected: Analysis) -> list[AlignmentStep]:
        """The steps that turn one into the other, matches left out."""
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
        """Where the edits are."""
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
        """The type of one edit."""
        return classify(
            source,
            corrected,
            span,
            typing=self.language.typing,
            lexicon=self.lexicon,
            fixed=self.fixed,
        )


Versions = tuple[Tokens, tuple[Tokens, ...]]
"""A sentence, and what each system made of it."""


def annotate_chunk(chunk: Sequence[Versions], finder: EditFinder) -> list[tuple[Annotation, ...]]:
    """The edits of each sentence and each version (0, 1, 2 …), worked out together."""
    if finder.pairs is not None:
        return [
            tuple(
                finder.pairs.annotate(source, hypothesis, str(number))
                for number, hypothesis in enumerate(hypotheses)
            )
            for source, hypotheses in chunk
        ]
    # In the order of the sentences: a set's order differs from process to process, and with it how
    # the numbers of a batch are rounded.
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
    """A sentence and its correction; the edits' places where they are known already."""

    source: Tokens
    corrected: Tokens
    spans: tuple[Span, ...] | None = None


def untyped_edits(job: Job) -> tuple[Edit, ...]:
    """The edits of a job whose places are known, without types."""
    return tuple(
        Edit(start, end, " ".join(job.corrected[to_start:to_end]))
        for start, end, to_start, to_end in job.spans or ()
    )


def type_jobs(jobs: Iterable[Job], finder: EditFinder) -> dict[Job, tuple[Edit, ...]]:
    """The typed edits of every job, in the order of their places."""
    wanted = list(dict.fromkeys(jobs))
    if not wanted:
        return {}
    if finder.pairs is not None:
        return {job: _find_pair(job, finder.pairs) for job in wanted}
    places: dict[Tokens, int] = {}
    for job in wanted:
        places.setdefault(job.source, len(places))
        places.setdefault(job.corrected, len(places))
    with finder.analyser.analyze(list(places)) as batch:
        open_jobs = [
            _OpenJob(job, places[job.source], places[job.corrected], batch, finder)
            for job in wanted
        ]
        waiting = open_jobs
        while waiting:
            # The source is asked for first, since all systems share it; what it says often
            # settles the matter. So at most three rounds.
            asked: dict[int, set[int]] = {}
            waiting = [job for job in waiting if job.type_edits(batch, finder, asked)]
            if asked:
                batch.parse(asked)
    return {open_job.job: open_job.edits() for open_job in open_jobs}


def _find_pair(job: Job, pairs: PairFinder) -> tuple[Edit, ...]:
    if job.spans is None:
        return pairs.annotate(job.source, job.corrected, "0").edits
    typed = (pairs.type_span(job.source, job.corrected, span) for span in job.spans)
    return tuple(
        edit.retyped(kind, rule=rule)
        for edit, (kind, rule) in zip(untyped_edits(job), typed, strict=True)
    )


class _OpenJob:
    """A job on its way: the edits found, and those typed so far."""

    __slots__ = ("_corrected", "_source", "_spans", "_typed", "job")

    def __init__(
        self, job: Job, source: int, corrected: int, batch: AnalyzedBatch, finder: EditFinder
    ) -> None:
        self.job = job
        self._source = source
        self._corrected = corrected
        self._spans = job.spans
        if self._spans is None:
            self._spans = finder.find_spans(batch.analyses[source], batch.analyses[corrected])
        self._typed: list[Typed | None] = [None] * len(self._spans)

    def type_edits(
        self, batch: AnalyzedBatch, finder: EditFinder, asked: dict[int, set[int]]
    ) -> bool:
        """Type what can be typed; for the rest, ask for the tokens whose dependencies are needed.

        Returns:
            Whether there is a rest.
        """
        source, corrected = batch.analyses[self._source], batch.analyses[self._corrected]
        assert self._spans is not None
        rest = False
        for number, typed in enumerate(self._typed):
            if typed is None:
                try:
                    self._typed[number] = finder.type_edit(source, corrected, self._spans[number])
                except DependenciesNeededError as error:
                    sentence = self._source if error.in_source else self._corrected
                    asked.setdefault(sentence, set()).update(error.tokens)
                    rest = True
        return rest

    def edits(self) -> tuple[Edit, ...]:
        """The edits, once all are typed."""
        assert self._spans is not None
        corrected = self.job.corrected
        return tuple(
            Edit(
                span[0],
                span[1],
                " ".join(corrected[span[2] : span[3]]),
                typed.type,
                rule=typed.rule,
            )
            for span, typed in zip(self._spans, self._typed, strict=True)
            if typed is not None
        )


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
class _ReclassificationPlan:
    """What is to be worked out for one annotation, and the edits it had, in order."""

    job: Job
    edits: tuple[Edit, ...]


def _plan(
    tokens: Tokens,
    annotation: Annotation,
    reclassification: ReclassificationOptions,
    finder: EditFinder,
) -> _ReclassificationPlan:
    edits = tuple(sorted(annotation.edits, key=lambda edit: (edit.start, edit.end)))
    corrected, spans = apply_in_order(tokens, edits, skip_overlaps=finder.fixed)
    if reclassification.edits == "auto":
        return _ReclassificationPlan(Job(tokens, corrected), edits)
    if reclassification.minimise:
        spans = tuple(
            span if edit.type in UNCORRECTED else minimise(tokens, corrected, span)
            for edit, span in zip(edits, spans, strict=True)
        )
    return _ReclassificationPlan(Job(tokens, corrected, spans), edits)


def _finish(
    annotations: Iterable[Annotation],
    plans: Mapping[str, _ReclassificationPlan],
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
