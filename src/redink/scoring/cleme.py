"""CLEME (Ye et al. 2023): precision, recall and F of chunks, so that references are not a burden.

Source, hypothesis and references are cut into the same chunks (:mod:`redink.scoring.chunks`). Under
the dependent assumption a hypothesis is compared with one reference after the other and one of them
is chosen, in file order, so that the corpus F is highest. Under the independent assumption each
chunk may agree with any reference, and a chunk left as it is counts as missed only where all
references change it.

A long correction that is right weighs more, and a long one that is wrong less: weights follow the
length of a chunk against the mean length of all chunks that references change.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redink.model import Annotation, Column, Edit, Hypotheses, References, Row, Sentence
from redink.options import Beta
from redink.scoring.candidates import (
    Counts,
    rank_candidates,
    round_to_four,
    run_through,
    share_of,
)
from redink.scoring.chunks import Chunk, partition
from redink.scoring.count_metric import Average
from redink.scoring.errant import first_edits
from redink.scoring.metric import About, EditMetric, FloatArray, Needs, Statistics
from redink.scoring.weights import dice

Assumption = Literal["dependent", "independent"]
Weights = Literal["length", "length-sentence", "dice", "none"]

COUNTS = ("tp", "fp", "fn", "tn", "fp_necessary", "fp_unnecessary")
TP, FP, FN, TN, NECESSARY, UNNECESSARY = range(6)
_NOBODY = Annotation("0")
_NO_LENGTH = (
    "no reference changes anything, so that there is no mean length of a change and weights are "
    "not numbers: as in the original, a sentence that is changed counts for nothing in a sum, and "
    "means of sentences are undefined (weights=none counts chunks)"
)

_KEPT = 50_000
"""So many sentences with the edits of a system are kept for the next system that makes the same."""

Outcome = tuple[int, Chunk, Chunk]
"""TP, FN, NECESSARY or UNNECESSARY; the hypothesis's chunk; the reference's."""


class _Curve(NamedTuple):
    """How the weight of a chunk follows its length: between ``low`` and ``high``."""

    scale: float
    low: float
    high: float

    def weigh(self, beyond: float) -> float:
        """The weight of a chunk that is so much longer than the mean."""
        weight = self.scale * (1 / (1 + (self.scale - 1) * np.exp(-beyond)))
        return float(np.clip(weight, self.low, self.high))


_CURVES: dict[tuple[str, str], tuple[_Curve, _Curve, _Curve]] = {
    # for TP, FP and FN: the program's defaults, and what it documents for means of sentences
    ("length", "dependent"): (_Curve(2, 0.75, 1.25),) * 3,
    ("length", "independent"): (_Curve(2, 0.75, 1.25),) * 3,
    ("length-sentence", "dependent"): (_Curve(10, 1, 10), _Curve(10, 0.25, 1), _Curve(10, 1, 1)),
    ("length-sentence", "independent"): (
        _Curve(10, 2.5, 10),
        _Curve(10, 0.25, 1),
        _Curve(10, 1, 1),
    ),
}


class Compared(NamedTuple):
    """A hypothesis beside the references of its sentence, in chunks.

    Attributes:
        source: the sentence.
        annotators: who made the references.
        references: the chunks of each.
        outcomes: for every reference, those of the chunks that it or the hypothesis changes, but
            for what is rightly left alone.
        rest: for every reference the number of the other chunks.
        lengths: the sum and the number of the lengths of what references change.
    """

    source: Sentence
    annotators: list[str]
    references: list[list[Chunk]]
    outcomes: list[list[Outcome]]
    rest: list[int]
    lengths: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class ChunkMetric(EditMetric):
    """What CLEME and CLEME 2.0 share: chunks, their outcomes and weights.

    The statistics hold ``counts`` (sentences, candidates, 6), ``present`` and ``annotator``. The
    mean length that weights are measured by is that of the whole corpus, also in its samples.
    """

    assumption: Assumption = "dependent"
    weights: Weights = "length"
    average: Average = "corpus"

    needs: ClassVar[Needs] = "edits"

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """The weighted counts of every sentence against each of its references."""
        compared = self.compare(references, hypotheses)
        weigh, notes = self._weigher(compared)
        most = max((len(one.references) for one in compared), default=1)
        counts = np.zeros((len(compared), most, len(COUNTS)))
        present = np.zeros(counts.shape[:2], dtype=bool)
        annotator = np.full(counts.shape[:2], "", dtype=object)
        for number, one in enumerate(compared):
            there = len(one.annotators)
            present[number, :there] = True
            annotator[number, :there] = one.annotators
            counts[number, :there] = [_sum(one, index, weigh) for index in range(there)]
        arrays = {"counts": counts, "present": present, "annotator": annotator}
        return Statistics(arrays, notes=notes)

    def kin(self) -> Hashable:
        """CLEME and CLEME 2.0 count alike."""
        return "chunks", self.assumption, self.weights, self._only_detects

    def compare(self, references: References, hypotheses: Hypotheses) -> list[Compared]:
        """Every sentence cut into chunks; what systems make alike is looked at once."""
        seen: dict[tuple[int, tuple[Edit, ...]], Compared] = references.remember(
            ("chunks", self.assumption, self._only_detects), dict
        )
        result = []
        pairs = zip(references.corpus.sentences, first_edits(hypotheses), strict=True)
        for number, (sentence, ours) in enumerate(pairs):
            one = seen.get((number, ours))
            if one is None:
                one = self._compare(sentence.source, ours, sentence.annotations or (_NOBODY,))
                if len(seen) < _KEPT:
                    seen[number, ours] = one
            result.append(one)
        return result

    def _compare(
        self, source: Sentence, ours: Sequence[Edit], annotations: Sequence[Annotation]
    ) -> Compared:
        chunks = partition(source, [ours, *(a.edits for a in annotations)])
        # A reference that leaves nothing is not a reference, unless there is no other.
        kept = [
            index
            for index, reference in enumerate(chunks[1:])
            if any(chunk.tokens for chunk in reference)
        ] or [0]
        if len(kept) < len(annotations):
            annotations = [annotations[index] for index in kept]
            chunks = partition(source, [ours, *(annotation.edits for annotation in annotations)])
        hypothesis, *references = chunks
        lengths = [chunk.length for each in references for chunk in each if chunk.edits]
        outcomes = self._outcomes(hypothesis, references)
        return Compared(
            source,
            [annotation.annotator for annotation in annotations],
            references,
            outcomes,
            [len(hypothesis) - len(each) for each in outcomes],
            (sum(lengths), len(lengths)),
        )

    def _outcomes(
        self, hypothesis: list[Chunk], references: list[list[Chunk]]
    ) -> list[list[Outcome]]:
        """For every reference the outcome of every chunk that is not rightly left alone."""
        result: list[list[Outcome]] = [[] for _ in references]
        for ours, *right in zip(hypothesis, *references, strict=True):
            if not (ours.edits or any(theirs.edits for theirs in right)):
                continue
            if self.assumption == "dependent":
                verdicts = [self._judge(ours, [theirs]) for theirs in right]
            else:
                verdicts = [self._judge(ours, right)] * len(right)
            for outcomes, verdict, theirs in zip(result, verdicts, right, strict=True):
                if verdict != TN:
                    outcomes.append((verdict, ours, theirs))
        return result

    def _judge(self, ours: Chunk, references: Sequence[Chunk]) -> int:
        """What a chunk is beside the same chunk of one reference, or of all."""
        changed = [theirs.is_changed for theirs in references]
        if ours.is_changed:
            if self._is_right(ours, references):
                return TP
            return NECESSARY if any(changed) else UNNECESSARY
        if self.assumption == "dependent" and not self._only_detects:
            return TN if ours.agrees(references[0]) else FN
        return FN if all(changed) else TN

    @property
    def _only_detects(self) -> bool:
        return False

    def _is_right(self, ours: Chunk, references: Sequence[Chunk]) -> bool:
        if self._only_detects:
            return any(theirs.is_changed for theirs in references)
        return any(ours.agrees(theirs) for theirs in references)

    def _weigher(self, compared: Sequence[Compared]) -> tuple[Weigher, tuple[str, ...]]:
        if self.weights == "none":
            return _weigh_alike, ()
        if self.weights == "dice":
            return _weigh_by_likeness, ()
        changed = sum(one.lengths[1] for one in compared)
        if not changed:
            return _weigh_by_nothing, (f"{self.name}: {_NO_LENGTH}",)
        mean = sum(one.lengths[0] for one in compared) / changed
        right, wrong, missed = _CURVES[self.weights, self.assumption]
        tables: dict[tuple[int, int], float] = {}

        def weigh(outcome: Outcome, one: Compared, index: int) -> float:  # noqa: ARG001
            verdict, ours, _ = outcome
            key = (min(verdict, NECESSARY), ours.length)
            if key not in tables:
                if verdict == TP:
                    tables[key] = right.weigh(ours.length - mean)
                elif verdict == FN:
                    tables[key] = missed.weigh(ours.length - mean)
                else:
                    tables[key] = wrong.weigh(mean - ours.length)
            return tables[key]

        return weigh, ()

    @abstractmethod
    def evaluate(self, counts: Counts) -> dict[str, Any]:
        """The measures of the six counts, each a number or an array; the headline among them."""

    @abstractmethod
    def prefer(self, counts: Counts) -> list[Any]:
        """What a sentence alone is chosen by, the most important first; more is better."""

    @property
    @abstractmethod
    def measures(self) -> tuple[Column, ...]:
        """The columns after the counts."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Counts (weighted, where chunks have weights) and measures."""
        return (
            *(Column(name, "count", title=_TITLES.get(name)) for name in COUNTS),
            *self.measures,
        )

    def choices(self, statistics: Statistics) -> NDArray[np.int64]:
        """The reference chosen for every sentence."""
        return self._choose(statistics)[1]

    def _choose(self, statistics: Statistics) -> tuple[FloatArray, NDArray[np.int64]]:
        """The sums of the corpus, and the references that made them."""
        counts, present = statistics["counts"], statistics["present"]
        if self.average == "corpus":
            return self._run(statistics, np.ones((1, len(counts))))
        keys = [~present, *(-key for key in self.prefer(np.moveaxis(counts, -1, 0)))]
        chosen = np.lexsort(tuple(reversed(keys)), axis=1)[:, 0]
        return counts[np.arange(len(counts)), chosen].sum(axis=0)[None], chosen

    def _run(
        self, statistics: Statistics, weights: FloatArray
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        counts = statistics["counts"]
        counts = np.where(np.isnan(counts[:, :, FP, None]), 0.0, counts)
        return run_through(
            counts,
            statistics["present"],
            weights,
            score=lambda sums: self.prefer(sums)[0],
            order=rank_candidates(counts, (1, -1, -1, 1)),
        )

    def _sentence_values(self, statistics: Statistics) -> dict[str, FloatArray]:
        """The measures of every sentence with the reference chosen for it."""
        chosen = self.choices(statistics)
        return self.evaluate(statistics["counts"][np.arange(len(chosen)), chosen].T)

    def rows(self, statistics: Statistics) -> list[Row]:
        """The counts of the chosen references and their measures, or the means of sentences."""
        totals, _ = self._choose(statistics)
        row: Row = dict(zip(COUNTS, _plain(totals[0], self.weights), strict=True))
        if self.average == "corpus":
            values = self.evaluate(totals[0])
        else:
            values = {
                name: self._as_averaged(of_all).mean()
                for name, of_all in self._sentence_values(statistics).items()
            }
        return [row | {name: _defined(float(value)) for name, value in values.items()}]

    def _as_averaged(self, values: FloatArray) -> FloatArray:
        """The values of sentences as they go into a mean."""
        return values

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """The headline in every sample; in a sum, references are chosen again in each."""
        if self.average == "corpus":
            totals, _ = self._run(statistics, weights)
            scores: FloatArray = self.evaluate(totals.T)[self.headline]
            return scores[:, None]
        values = self._as_averaged(self._sentence_values(statistics)[self.headline])
        means: FloatArray = (weights @ values / weights.sum(axis=1))[:, None]
        return means

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Counts and measures of every sentence against the reference chosen for it."""
        chosen = self.choices(statistics)
        places = np.arange(len(chosen))
        counts = statistics["counts"][places, chosen]
        annotators = statistics["annotator"][places, chosen].tolist()
        values = {name: of_all.tolist() for name, of_all in self.evaluate(counts.T).items()}
        return [
            {"annotator": annotators[number]}
            | dict(zip(COUNTS, _plain(counts[number], self.weights), strict=True))
            | {name: _defined(of_all[number]) for name, of_all in values.items()}
            for number in range(len(chosen))
        ]

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        """Every chunk that the hypothesis or its reference changes, with its verdict."""
        result = []
        chosen = self.choices(statistics).tolist()
        for one, index in zip(self.compare(references, hypotheses), chosen, strict=True):
            rows = []
            for verdict, ours, theirs in one.outcomes[index]:
                shown = theirs if verdict == FN else ours
                rows.append(
                    {
                        "verdict": {TP: "TP", FN: "FN"}.get(verdict, "FP"),
                        "start": shown.start,
                        "end": shown.end,
                        "correction": " ".join(shown.tokens),
                        "type": "+".join(edit.type for edit in shown.edits),
                    }
                )
            result.append(rows)
        return result


_TITLES = {"fp_necessary": "FP wrong", "fp_unnecessary": "FP over"}

Weigher = Callable[[Outcome, Compared, int], float]


def _weigh_alike(outcome: Outcome, one: Compared, index: int) -> float:  # noqa: ARG001
    return 1.0


def _weigh_by_nothing(outcome: Outcome, one: Compared, index: int) -> float:  # noqa: ARG001
    return np.nan


def _weigh_by_likeness(outcome: Outcome, one: Compared, index: int) -> float:
    """How much nearer to the reference, or further from it, the chunk alone brings the source."""
    verdict, ours, theirs = outcome
    shown = theirs if verdict == FN else ours
    source = one.source.tokens
    reference = [token for chunk in one.references[index] for token in chunk.tokens]
    with_chunk = (*source[: shown.start], *shown.tokens, *source[shown.end :]) or source
    return abs(dice(source, reference) - dice(with_chunk, reference))


def _sum(one: Compared, index: int, weigh: Weigher) -> list[float]:
    """The counts against one reference; what is rightly left alone weighs 1."""
    sums = [0.0] * len(COUNTS)
    for outcome in one.outcomes[index]:
        weight = weigh(outcome, one, index)
        sums[outcome[0]] += weight
        if outcome[0] >= NECESSARY:
            sums[FP] += weight
    if one.rest[index]:
        sums[TN] = one.rest[index] * (np.nan if weigh is _weigh_by_nothing else 1.0)
    return sums


def _plain(counts: FloatArray, weights: str) -> list[float | None]:
    return [int(value) if weights == "none" else _defined(value) for value in counts.tolist()]


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value


@dataclass(frozen=True, kw_only=True)
class Cleme(ChunkMetric):
    """Precision, recall and F of chunks.

    Attributes:
        assumption: whether corrections depend on one another (``dependent``: one reference for a
            sentence) or not (``independent``: any reference for a chunk).
        weights: of chunks: by their length (``length``; ``length-sentence`` has the parameters
            that the original documents for means of sentences), by how much nearer to the
            reference they bring the source (``dice``), or 1 (``none``).
        average: one F of the whole corpus, or the mean of sentences (SentCLEME), each to four
            decimals, as in the original.
        detection: whether a changed chunk counts as right wherever a reference changes it too.
        beta: the weight of recall in F.
    """

    detection: bool = False
    beta: Beta = 0.5

    name: ClassVar[str] = "cleme"
    about: ClassVar[About | None] = About(
        rewards="chunks corrected as in a reference, however edits are cut",
        fails="other good corrections",
        cite="Ye et al. 2023",
        people=(0.73, -0.48, 0.61),
    )
    headline: ClassVar[str] = "f"

    @property
    def _only_detects(self) -> bool:
        return self.detection

    @property
    def measures(self) -> tuple[Column, ...]:
        """Precision, recall, F and accuracy."""
        return (
            Column("precision", "rate"),
            Column("recall", "rate"),
            Column("f", "rate", best="max", title=f"F{self.beta:g}"),
            Column("accuracy", "rate"),
        )

    def evaluate(self, counts: Counts) -> dict[str, Any]:
        """Precision is 1 where nothing is changed, recall where there was nothing to change."""
        tp, fp, fn, tn, *_ = counts
        precision = share_of(tp, tp + fp, of_nothing=1.0)
        recall = share_of(tp, tp + fn, of_nothing=1.0)
        square = self.beta**2
        f = share_of((1 + square) * precision * recall, square * precision + recall, of_nothing=0.0)
        accuracy = share_of(tp + tn, tp + fp + fn + tn, of_nothing=0.0)
        return {"precision": precision, "recall": recall, "f": f, "accuracy": accuracy}

    def prefer(self, counts: Counts) -> list[Any]:
        """F, precision, recall and accuracy, to four decimals."""
        values = self.evaluate(counts)
        if self.average == "corpus":
            return [round_to_four(values["f"])]
        return [round_to_four(values[name]) for name in ("f", "precision", "recall", "accuracy")]

    def _as_averaged(self, values: FloatArray) -> FloatArray:
        rounded: FloatArray = round_to_four(values)
        return rounded
