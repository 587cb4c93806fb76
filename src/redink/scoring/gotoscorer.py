"""GoToScorer (Gotou et al. 2020): errors that few systems correct weigh more.

A reference splits a sentence into chunks: each of its edits, each other token, and each gap between
tokens where a token could be inserted. At every chunk a system is right or wrong, and has made a
change or not. The weight of a chunk is the share of systems that are wrong there: a chunk that all
systems get right weighs 0, and one that no system gets right weighs 1.

The weights are computed from all systems that are scored together, so scores from different sets of
systems cannot be compared. Only the first reference is used, as in the original.

gec-metrics counts differently (``program=gec-metrics``): for the weights, a system is right if the
text of a chunk occurs anywhere in its sentence; an insertion inside an edit of the system counts as
right; and shares with a zero denominator are 1.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.model import UNCORRECTED, Column, Edit, Hypotheses, References, Row, Sentence
from redink.options import Beta, Limits, NotNegative
from redink.scoring.errant import first_edits
from redink.scoring.metric import (
    About,
    Average,
    Collect,
    EditMetric,
    FloatArray,
    Needs,
    Statistics,
    SummedMetric,
)
from redink.statistics.arrays import divide_or, f_of_rates, scorer_f

COUNTS = ("tp", "fp", "fn", "tn")
_ALL = 4
"""After the counts: the weight of all chunks, the denominator of accuracy."""
_ALONE = "gotoscorer: with one system, correct chunks weigh 0; the weights need several systems"


class _ScoredChunk(NamedTuple):
    """A chunk: its span, its text after the edit, and whether it is an edit."""

    start: int
    end: int
    text: str
    is_edit: bool


Judged = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""A system at every chunk: whether it makes a change there, and whether it is right."""


@dataclass(frozen=True)
class _ChunkedReference:
    """The chunks of a whole corpus, concatenated sentence by sentence.

    Attributes:
        parts: the chunks of every sentence.
        starts: the index of each sentence's first chunk.
        sentence: the sentence of every chunk.
        is_edit: for every chunk, whether the reference has an edit there.
    """

    parts: list[list[_ScoredChunk]]
    starts: list[int]
    sentence: NDArray[np.int64]
    is_edit: NDArray[np.bool_]

    @classmethod
    def make(cls, references: References, gold: Sequence[Sequence[Edit]]) -> _ChunkedReference:
        sources = references.sources
        parts = [_cut_sentence(source, edits) for source, edits in zip(sources, gold, strict=True)]
        lengths = [len(each) for each in parts]
        starts = [0, *np.cumsum(lengths).tolist()][: len(parts)]
        is_edit = np.array([part.is_edit for each in parts for part in each], dtype=bool)
        return cls(parts, starts, np.repeat(np.arange(len(parts)), lengths), is_edit)


@dataclass(frozen=True, kw_only=True)
class GoToScorer(SummedMetric, EditMetric):
    """Precision, recall and F of chunks, weighted by how many systems get them wrong.

    Attributes:
        weights: by ``difficulty``, or 1 (``none``).
        a: a chunk that n of N systems get right weighs a - (n + b) / (N + c).
        b: see ``a``.
        c: see ``a``.
        reference: index of the annotator, from 0.
        beta: the weight of recall in F.
        average: measures of the summed counts, or F as the mean of the sentences' F.
        program: whose counting rules to follow: the ``original``, or ``gec-metrics``.
    """

    weights: Literal["difficulty", "none"] = "difficulty"
    a: float = 1.0
    b: float = 0.0
    c: Annotated[float, Limits(0)] = 0.0
    reference: NotNegative = 0
    beta: Beta = 0.5
    average: Average = "corpus"
    program: Literal["original", "gec-metrics"] = "original"

    name: ClassVar[str] = "gotoscorer"
    about: ClassVar[About | None] = About(
        rewards="errors that few systems correct",
        fails="scores depend on the other systems; uses one reference",
        cite="Gotou et al. 2020",
        people=(0.8, 0.52, 0.59),
    )
    needs: ClassVar[Needs] = "edits"
    headline: ClassVar[str] = "f"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (
            *(Column(name, "count") for name in COUNTS),
            Column("precision", "rate"),
            Column("recall", "rate"),
            Column("f", "rate", best="max", title=f"F{self.beta:g}"),
            Column("accuracy", "rate"),
        )

    def collector(self, references: References, systems: Sequence[Hypotheses]) -> Collect:
        if self.weights == "none":
            return self.collect
        chunks = self._chunks(references)
        judged = {id(system): self._judge(chunks, references, system) for system in systems}
        if self.program == "original":
            rights = [is_right for _, is_right in judged.values()]
        else:
            rights = [_find_texts(chunks, references, system) for system in systems]
        right = np.sum(rights, axis=0, dtype=float)
        weights = self.a - (right + self.b) / (len(systems) + self.c)
        notes = (_ALONE,) if len(systems) == 1 and self.a == 1 else ()

        def collect(references: References, hypotheses: Hypotheses) -> Statistics:
            found = judged.get(id(hypotheses)) or self._judge(chunks, references, hypotheses)
            return Statistics({"counts": self._count(chunks, found, weights)}, notes=notes)

        return collect

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        # the other systems are unknown here: every chunk weighs 1
        chunks = self._chunks(references)
        found = self._judge(chunks, references, hypotheses)
        return Statistics({"counts": self._count(chunks, found, np.ones(len(chunks.is_edit)))})

    def _chunks(self, references: References) -> _ChunkedReference:
        return references.remember(
            ("gotoscorer", self.reference),
            lambda: _ChunkedReference.make(references, self._gold(references)),
        )

    def _gold(self, references: References) -> list[tuple[Edit, ...]]:
        annotators = references.corpus.annotators
        if self.reference and self.reference >= len(annotators):
            raise OptionError(
                f"gotoscorer: reference must be less than {len(annotators)}, the number of "
                f"annotators, not {self.reference}"
            )
        if not annotators:
            return [() for _ in references.corpus.sentences]
        who = annotators[self.reference]
        found = [sentence.by(who) for sentence in references.corpus.sentences]
        return [() if annotation is None else annotation.edits for annotation in found]

    def _judge(
        self, chunks: _ChunkedReference, references: References, hypotheses: Hypotheses
    ) -> Judged:
        """Return, for every chunk of the reference, whether a system changes it and is right."""

        def judge_all(
            versions: list[tuple[int, tuple[Edit, ...]]],
        ) -> Iterator[list[tuple[int, bool, bool]]]:
            for number, edits in versions:
                source = references.sources[number]
                yield self._judge_sentence(source, edits, chunks.parts[number])

        found = references.remember_each(
            ("gotoscorer chunks", self.reference, self.program),
            enumerate(first_edits(hypotheses)),
            judge_all,
        )
        changes = np.zeros(len(chunks.is_edit), dtype=bool)
        right = ~chunks.is_edit
        for start, judged in zip(chunks.starts, found, strict=True):
            for place, changes_it, is_right in judged:
                changes[start + place], right[start + place] = changes_it, is_right
        return changes, right

    def _judge_sentence(
        self, source: Sentence, edits: Sequence[Edit], parts: Sequence[_ScoredChunk]
    ) -> list[tuple[int, bool, bool]]:
        """Judge the chunks of the reference at edits of the system; all others are unchanged."""
        judge = _judge if self.program == "original" else _judge_apart
        ours = _cut_sentence(source, edits) if edits else []
        starts = [own.start for own in ours]
        spans = [(own.start, own.end) for own in ours if own.is_edit]
        judged = []
        for place, part in enumerate(parts if spans else ()):
            first, last, *_ = part
            for start, end in spans:
                if first <= end and start <= last:
                    near = ours[max(bisect_left(starts, first) - 1, 0) : bisect_right(starts, last)]
                    judged.append((place, *judge(part, near)))
                    break
        return judged

    @property
    def is_mean(self) -> bool:
        return self.average == "sentence"

    def score(self, sums: FloatArray) -> dict[str, FloatArray]:
        """Shares with a zero denominator are 0 as in the original, or 1 as in gec-metrics."""
        tp, fp, fn, tn = (sums[..., place] for place in range(len(COUNTS)))
        counts = dict(zip(COUNTS, (tp, fp, fn, tn), strict=True))
        if self.program == "gec-metrics":
            return counts | {
                "precision": divide_or(tp, tp + fp, fp == 0),
                "recall": divide_or(tp, tp + fn, fn == 0),
                "f": scorer_f(sums[..., :3], self.beta),
                "accuracy": divide_or(tp + tn, tp + fp + fn + tn, 0.0),
            }
        precision, recall = divide_or(tp, tp + fp, 0.0), divide_or(tp, tp + fn, 0.0)
        return counts | {
            "precision": precision,
            "recall": recall,
            "f": f_of_rates(precision, recall, self.beta),
            "accuracy": divide_or(tp + tn, sums[..., _ALL], 0.0),
        }

    def rows(self, statistics: Statistics) -> list[Row]:
        """Return the sums and their measures; only F can be a mean of sentences."""
        rows = super().rows(statistics)
        if self.is_mean:
            rows[0] = replace(self, average="corpus").rows(statistics)[0] | {"f": rows[0]["f"]}
        return rows

    def _count(self, chunks: _ChunkedReference, judged: Judged, weights: FloatArray) -> FloatArray:
        changes, right = judged
        is_original = self.program == "original"
        cells = (
            changes & right & (chunks.is_edit | (not is_original)),
            changes & ~right,
            ~right & (chunks.is_edit | (~changes & (not is_original))),
            ~changes & right & (~chunks.is_edit | (not is_original)),
            np.ones_like(right),
        )
        sums = [
            np.bincount(chunks.sentence, weights=weights * cell, minlength=len(chunks.parts))
            for cell in cells
        ]
        return np.stack(sums, axis=-1).astype(np.float64)


def _find_texts(
    chunks: _ChunkedReference, references: References, hypotheses: Hypotheses
) -> NDArray[np.bool_]:
    """Return, for every chunk of the reference, whether a chunk of the system has its text."""
    found = []
    for number, edits in enumerate(first_edits(hypotheses)):
        texts = {part.text for part in _cut_sentence(references.sources[number], edits)}
        found += [part.text in texts for part in chunks.parts[number]]
    return np.array(found, dtype=bool)


def _cut_sentence(source: Sentence, edits: Sequence[Edit]) -> list[_ScoredChunk]:
    """Return edits, other tokens, and gaps without an insertion, from left to right."""
    basic: list[_ScoredChunk] = []
    reached = 0
    for edit in sorted(edits, key=lambda edit: (edit.end, edit.start)):
        if edit.type in UNCORRECTED:
            continue
        basic += _tokens(source, reached, edit.start)
        basic.append(_ScoredChunk(edit.start, edit.end, edit.correction, is_edit=True))
        reached = edit.end
    basic += _tokens(source, reached, len(source))
    parts: list[_ScoredChunk] = []
    after_insertion = False
    for part in basic:
        is_insertion = part.start == part.end
        if not is_insertion and not after_insertion:
            parts.append(_ScoredChunk(part.start, part.start, "", is_edit=False))
        parts.append(part)
        after_insertion = is_insertion
    if not after_insertion:
        parts.append(_ScoredChunk(len(source), len(source), "", is_edit=False))
    return parts


def _tokens(source: Sentence, start: int, end: int) -> list[_ScoredChunk]:
    return [_ScoredChunk(at, at + 1, source.tokens[at], is_edit=False) for at in range(start, end)]


def _judge_apart(part: _ScoredChunk, ours: Sequence[_ScoredChunk]) -> tuple[bool, bool]:
    """Judge one chunk of the reference by the rules of gec-metrics; see :func:`_judge`."""
    changes = False
    for own in ours:
        if (own.start, own.end) == (part.start, part.end):
            return own.is_edit, own.text == part.text
        if part.start <= own.start < part.end or own.start <= part.start < own.end:
            changes |= own.is_edit
    is_gap = part.start == part.end
    return changes and not is_gap, is_gap


def _judge(part: _ScoredChunk, ours: Sequence[_ScoredChunk]) -> tuple[bool, bool]:
    """Return whether a system changes a chunk of the reference, and whether it is right."""
    found: tuple[bool, bool] | None = None
    for own in ours:
        is_same = (own.start, own.end) == (part.start, part.end)
        if is_same and own.text == part.text:
            found = (own.is_edit, True)
            continue
        covers = part.start <= own.start < part.end or own.start <= part.start < own.end
        is_wrong = is_same or (part.start < part.end and covers)
        if is_wrong and not (found and found[0]):
            found = (own.is_edit, False)
    return (False, not part.is_edit) if found is None else found
