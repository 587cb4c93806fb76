"""From pairs of sentences to typed edits, many at a time.

Work is done in chunks: what a chunk needs analysed is analysed once, however many systems share
it, and the dependency parser runs only on the sentences for which a rule asks for it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from redink.analysis.align import Step, align
from redink.analysis.analyzer import Analysis, Analyzer, Batch, Tokens
from redink.analysis.classify import DependenciesNeededError, Typed, classify
from redink.analysis.language import Language, PairFinder
from redink.analysis.merge import Merging, Span
from redink.analysis.merge import merge as merge_steps
from redink.model import Annotation, Edit


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

    def align(self, source: Analysis, corrected: Analysis) -> list[Step]:
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
        self, job: Job, source: int, corrected: int, batch: Batch, finder: EditFinder
    ) -> None:
        self.job = job
        self._source = source
        self._corrected = corrected
        self._spans = job.spans
        if self._spans is None:
            self._spans = finder.find_spans(batch.analyses[source], batch.analyses[corrected])
        self._typed: list[Typed | None] = [None] * len(self._spans)

    def type_edits(self, batch: Batch, finder: EditFinder, asked: dict[int, set[int]]) -> bool:
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
