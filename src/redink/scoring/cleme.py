"""CLEME (Ye et al. 2023) and CLEME 2.0 (Ye et al. 2025): scoring of chunks with all references.

Source, hypothesis and references are split into the same chunks (:mod:`redink.scoring.chunks`).
Under the dependent assumption, a hypothesis is compared with one reference at a time; references
are chosen in file order so that the corpus score is highest. Under the independent assumption,
each chunk may match any reference, and an unchanged chunk counts as missed only if all references
change it.

A long correct change weighs more, and a long incorrect one less: weights depend on the length of a
chunk relative to the mean length of all chunks that references change.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.model import Annotation, Column, Edit, Hypotheses, References, Row, Sentence
from redink.options import Beta
from redink.scoring.chunks import Chunk, partition
from redink.scoring.count_metric import candidate_arrays
from redink.scoring.edit_weighting import dice
from redink.scoring.errant import first_edits
from redink.scoring.metric import (
    About,
    Average,
    EditMetric,
    FloatArray,
    Needs,
    Statistics,
    defined,
    mean_of_sentences,
)
from redink.statistics.arrays import divide_or, f_of_rates

Assumption = Literal["dependent", "independent"]
Weights = Literal["length", "length-sentence", "dice", "none"]

COUNTS = ("tp", "fp", "fn", "tn", "fp_necessary", "fp_unnecessary")
TP, FP, FN, TN, NECESSARY, UNNECESSARY = range(6)
_NOBODY = Annotation("0")
_NO_LENGTH = (
    "no reference changes anything, so length weights are undefined: as in the original, changed "
    "sentences do not count in sums, and means of sentences are undefined (weights=none counts "
    "chunks)"
)

Counts = NDArray[Any]
"""The six counts of a corpus, or of many (first axis)."""
Outcome = tuple[int, Chunk, Chunk]
"""TP, FN, NECESSARY or UNNECESSARY; the chunk of the hypothesis; that of the reference."""


def _length_weight(beyond: float, scale: float, low: float, high: float) -> float:
    """Return the weight of a chunk that is longer than the mean by ``beyond``."""
    weight = scale * (1 / (1 + (scale - 1) * np.exp(-beyond)))
    return float(min(max(weight, low), high))


_DEFAULT_CURVES = ((2, 0.75, 1.25),) * 3
_CURVES = {
    # for TP, FP and FN: the program's defaults, then its documented values for means of sentences
    ("length", "dependent"): _DEFAULT_CURVES,
    ("length", "independent"): _DEFAULT_CURVES,
    ("length-sentence", "dependent"): ((10, 1, 10), (10, 0.25, 1), (10, 1, 1)),
    ("length-sentence", "independent"): ((10, 2.5, 10), (10, 0.25, 1), (10, 1, 1)),
}


class ChunkedSentence(NamedTuple):
    """A hypothesis and the references of its sentence, in chunks.

    Attributes:
        source: the source sentence.
        annotators: the names of the references' annotators.
        references: the chunks of each reference.
        outcomes: for every reference, the outcomes of the chunks that it or the hypothesis changes,
            except chunks that are correctly unchanged.
        rest: for every reference, the number of all other chunks.
        lengths: the sum and the number of the lengths of the chunks that references change.
    """

    source: Sentence
    annotators: list[str]
    references: list[list[Chunk]]
    outcomes: list[list[Outcome]]
    rest: list[int]
    lengths: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class ChunkMetric(EditMetric):
    """Base class of CLEME and CLEME 2.0: chunks, their outcomes and weights.

    The statistics have ``counts`` (sentences, candidates, 6), ``present`` and ``annotator``. Length
    weights always use the mean length of the whole corpus, also in bootstrap samples.
    """

    assumption: Assumption = "dependent"
    weights: Weights = "length"
    average: Average = "corpus"

    needs: ClassVar[Needs] = "edits"

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        compared = self.compare(references, hypotheses)
        weigh, notes = self.weigher(compared)
        arrays = candidate_arrays([one.annotators for one in compared])
        arrays["counts"] = counts = np.zeros((*arrays["present"].shape, len(COUNTS)))
        for own, one in zip(counts, compared, strict=True):
            there = range(len(one.annotators))
            own[: len(there)] = [_sum(one, index, weigh) for index in there]
        return Statistics(arrays, notes=notes)

    def statistics_key(self) -> Hashable:
        """CLEME and CLEME 2.0 have the same counts."""
        return "chunks", self.assumption, self.weights, self._only_detects

    def compare(self, references: References, hypotheses: Hypotheses) -> list[ChunkedSentence]:
        """Split every sentence into chunks."""
        sentences = references.corpus.sentences
        return references.remember_each(
            ("chunks", self.assumption, self._only_detects),
            enumerate(first_edits(hypotheses)),
            lambda versions: [
                self._compare(
                    sentences[number].source, ours, sentences[number].annotations or (_NOBODY,)
                )
                for number, ours in versions
            ],
        )

    def _compare(
        self, source: Sentence, ours: Sequence[Edit], annotations: Sequence[Annotation]
    ) -> ChunkedSentence:
        chunks = partition(source, [ours, *(a.edits for a in annotations)])
        # A reference without any words is ignored, unless it is the only one.
        usable = [
            index
            for index, reference in enumerate(chunks[1:])
            if any(chunk.tokens for chunk in reference)
        ] or [0]
        if len(usable) < len(annotations):
            annotations = [annotations[index] for index in usable]
            chunks = partition(source, [ours, *(annotation.edits for annotation in annotations)])
        hypothesis, *references = chunks
        lengths = [chunk.length for each in references for chunk in each if chunk.edits]
        outcomes = self._outcomes(hypothesis, references)
        return ChunkedSentence(
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
        """Classify a chunk of the hypothesis by the same chunk of one reference, or of all."""
        changed = [bool(theirs.edits) for theirs in references]
        if ours.edits:
            if self._only_detects:
                is_right = any(changed)
            else:
                is_right = any(ours.tokens == theirs.tokens for theirs in references)
            if is_right:
                return TP
            return NECESSARY if any(changed) else UNNECESSARY
        if self.assumption == "dependent" and not self._only_detects:
            return TN if ours.tokens == references[0].tokens else FN
        return FN if all(changed) else TN

    @property
    def _only_detects(self) -> bool:
        return False

    def weigher(self, compared: Sequence[ChunkedSentence]) -> tuple[Weigher, tuple[str, ...]]:
        """Return the weight of an outcome as a function, and notes."""
        if self.weights == "none":
            return _weigh_alike, ()
        if self.weights == "dice":
            return _weigh_by_likeness, ()
        changed = sum(one.lengths[1] for one in compared)
        if not changed:
            return _weigh_by_nothing, (f"{self.name}: {_NO_LENGTH}",)
        mean = sum(one.lengths[0] for one in compared) / changed
        right, wrong, missed = _CURVES[self.weights, self.assumption]

        def weigh(outcome: Outcome, one: ChunkedSentence, index: int) -> float:  # noqa: ARG001
            verdict, ours, _ = outcome
            beyond = ours.length - mean
            if verdict in {TP, FN}:
                return _length_weight(beyond, *(right if verdict == TP else missed))
            return _length_weight(-beyond, *wrong)

        return weigh, ()

    @abstractmethod
    def evaluate(self, counts: Counts) -> dict[str, Any]:
        """Compute the measures, including the headline; each is a number or an array."""

    @abstractmethod
    def prefer(self, counts: Counts) -> list[Any]:
        """Return the keys by which a reference is chosen, most important first; highest wins."""

    @property
    @abstractmethod
    def measures(self) -> tuple[Column, ...]:
        """Return the columns after the counts."""

    @property
    def columns(self) -> tuple[Column, ...]:
        return (
            *(Column(name, "count", title=_TITLES.get(name)) for name in COUNTS),
            *self.measures,
        )

    def choices(self, statistics: Statistics) -> NDArray[np.int64]:
        """Return the reference chosen for every sentence."""
        return self._choose(statistics)[1]

    def _choose(self, statistics: Statistics) -> tuple[FloatArray, NDArray[np.int64]]:
        counts, present = statistics["counts"], statistics["present"]
        if self.average == "corpus":
            return self._run(statistics, np.ones((1, len(counts))))
        keys = [~present, *(-key for key in self.prefer(np.moveaxis(counts, -1, 0)))]
        chosen = np.lexsort(tuple(reversed(keys)), axis=1)[:, 0]
        return counts[np.arange(len(counts)), chosen].sum(axis=0)[None], chosen

    def _run(
        self, statistics: Statistics, weights: FloatArray
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        """Choose a candidate sentence by sentence in every sample.

        ``weights`` (samples, sentences) is how often each sentence occurs in the sample; copies are
        adjacent.

        Returns:
            The sums, ``(samples, counts)``, and the candidate chosen for every sentence in the
            first sample that contains it.
        """
        counts, present = statistics["counts"], statistics["present"]
        counts = np.where(np.isnan(counts[:, :, FP, None]), 0.0, counts)
        # tie-breaking among candidates: more TP, fewer FP, fewer FN, more TN
        keys = [-sign * counts[:, :, place] for place, sign in enumerate((1, -1, -1, 1))]
        order = np.lexsort(tuple(reversed(keys)), axis=1)
        first = present.argmax(axis=1)
        chosen = first.copy()
        like_first = counts == counts[np.arange(len(counts)), first][:, None]
        is_fixed = (like_first | ~present[:, :, None]).all(axis=(1, 2))
        totals = np.zeros((len(weights), counts.shape[2]))
        for number, weight in enumerate(weights.T):
            if is_fixed[number]:
                totals += weight[:, None] * counts[number, first[number]]
                continue
            indices = order[number][present[number, order[number]]]
            own = counts[number, indices]
            chosen[number] = indices[0]
            for copy in range(int(weight.max(initial=0))):
                active = np.flatnonzero(weight > copy)
                corpora = totals[active, None, :] + own
                best = self.prefer(np.moveaxis(corpora, -1, 0))[0].argmax(axis=1)
                totals[active] = corpora[np.arange(len(active)), best]
                if copy == 0:
                    chosen[number] = indices[best[0]]
        return totals, chosen

    def _sentence_values(self, statistics: Statistics) -> dict[str, FloatArray]:
        chosen = self.choices(statistics)
        return self.evaluate(statistics["counts"][np.arange(len(chosen)), chosen].T)

    def rows(self, statistics: Statistics) -> list[Row]:
        totals, _ = self._choose(statistics)
        row: Row = dict(zip(COUNTS, _plain(totals[0], self.weights), strict=True))
        if self.average == "corpus":
            values = self.evaluate(totals[0])
        else:
            values = {
                name: self._as_averaged(of_all).mean()
                for name, of_all in self._sentence_values(statistics).items()
            }
        return [row | {name: defined(float(value)) for name, value in values.items()}]

    def _as_averaged(self, values: FloatArray) -> FloatArray:
        """Return the values of sentences as a mean uses them."""
        return values

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """Compute the headline of every sample; for a sum, references are chosen in each sample."""
        if self.average == "corpus":
            totals, _ = self._run(statistics, weights)
            scores: FloatArray = self.evaluate(totals.T)[self.headline]
            return scores[:, None]
        values = self._as_averaged(self._sentence_values(statistics)[self.headline])
        return mean_of_sentences(values, weights)

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        chosen = self.choices(statistics)
        places = np.arange(len(chosen))
        counts = statistics["counts"][places, chosen]
        annotators = statistics["annotator"][places, chosen].tolist()
        values = {name: of_all.tolist() for name, of_all in self.evaluate(counts.T).items()}
        return [
            {"annotator": annotators[number]}
            | dict(zip(COUNTS, _plain(counts[number], self.weights), strict=True))
            | {name: defined(of_all[number]) for name, of_all in values.items()}
            for number in range(len(chosen))
        ]

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        """Return every chunk that the hypothesis or its reference changes, with its verdict."""
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

Weigher = Callable[[Outcome, ChunkedSentence, int], float]


def _weigh_alike(outcome: Outcome, one: ChunkedSentence, index: int) -> float:  # noqa: ARG001
    return 1.0


def _weigh_by_nothing(outcome: Outcome, one: ChunkedSentence, index: int) -> float:  # noqa: ARG001
    return np.nan


def _weigh_by_likeness(outcome: Outcome, one: ChunkedSentence, index: int) -> float:
    """Return how much the chunk by itself increases the source's similarity to the reference."""
    verdict, ours, theirs = outcome
    shown = theirs if verdict == FN else ours
    source = one.source.tokens
    reference = [token for chunk in one.references[index] for token in chunk.tokens]
    with_chunk = (*source[: shown.start], *shown.tokens, *source[shown.end :]) or source
    return abs(dice(source, reference) - dice(with_chunk, reference))


def _sum(one: ChunkedSentence, index: int, weigh: Weigher) -> list[float]:
    """Sum the counts against one reference; a correctly unchanged chunk weighs 1."""
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
    return [int(value) if weights == "none" else defined(value) for value in counts.tolist()]


def _round_to_four(values: FloatArray) -> FloatArray:
    """Round to four decimals as Python's own ``round`` does."""
    scaled = values * 1e4
    whole = np.rint(scaled)
    rounded: FloatArray = whole / 1e4
    near_half = np.abs(np.abs(scaled - whole) - 0.5) < 1e-6
    if near_half.any():
        rounded[near_half] = [round(value, 4) for value in values[near_half].tolist()]
    return rounded


@dataclass(frozen=True, kw_only=True)
class Cleme(ChunkMetric):
    """Precision, recall and F of chunks.

    Attributes:
        assumption: whether corrections of a sentence are ``dependent`` (one reference per
            sentence) or ``independent`` (any reference per chunk).
        weights: of chunks: by length (``length``; ``length-sentence`` uses the parameters that the
            original documents for means of sentences), by how much closer to the reference they
            bring the source (``dice``), or 1 (``none``).
        average: one F for the whole corpus, or the mean over sentences (SentCLEME), each rounded
            to four decimals as in the original.
        detection: count a changed chunk as correct if a reference changes it too, in any way.
        beta: the weight of recall in F.
    """

    detection: bool = False
    beta: Beta = 0.5

    name: ClassVar[str] = "cleme"
    about: ClassVar[About | None] = About(
        rewards="chunks corrected as in a reference, whatever the edit boundaries",
        fails="other valid corrections",
        cite="Ye et al. 2023",
        people=(0.73, -0.48, 0.61),
    )
    headline: ClassVar[str] = "f"

    @property
    def _only_detects(self) -> bool:
        return self.detection

    @property
    def measures(self) -> tuple[Column, ...]:
        return (
            Column("precision", "rate"),
            Column("recall", "rate"),
            Column("f", "rate", best="max", title=f"F{self.beta:g}"),
            Column("accuracy", "rate"),
        )

    def evaluate(self, counts: Counts) -> dict[str, Any]:
        """Precision is 1 if nothing is changed, recall is 1 if nothing needs a change."""
        tp, fp, fn, tn, *_ = counts
        precision = divide_or(tp, tp + fp, 1.0)
        recall = divide_or(tp, tp + fn, 1.0)
        f = f_of_rates(precision, recall, self.beta)
        accuracy = divide_or(tp + tn, tp + fp + fn + tn, 0.0)
        return {"precision": precision, "recall": recall, "f": f, "accuracy": accuracy}

    def prefer(self, counts: Counts) -> list[Any]:
        """Return F, precision, recall and accuracy, to four decimals."""
        values = self.evaluate(counts)
        if self.average == "corpus":
            return [_round_to_four(values["f"])]
        return [_round_to_four(values[name]) for name in ("f", "precision", "recall", "accuracy")]

    def _as_averaged(self, values: FloatArray) -> FloatArray:
        return _round_to_four(values)


FACTORS = {"corpus": (0.45, 0.35, 0.15, 0.05), "sentence": (0.35, 0.25, 0.20, 0.20)}
"""Factors of hit, wrong, under and over in the paper: for a corpus score, a mean of sentences."""


@dataclass(frozen=True, kw_only=True)
class Cleme2(ChunkMetric):
    """Hit, wrong, under and over, and the score made of them.

    Of the chunks that need a change, *hit* is the share corrected as in the reference, *wrong* the
    share changed in another way, and *under* the share left unchanged. *Over* is the share of all
    changes that were unnecessary. The score is a weighted sum of hit and 1 minus each other share.

    Attributes:
        assumption: as for cleme.
        weights: as for cleme.
        average: one score for the whole corpus, or the mean over sentences.
        factors: the weights of hit, wrong, under and over in the score, which add up to 1. By
            default the paper's weights for the kind of average.
    """

    factors: tuple[float, ...] | None = None

    name: ClassVar[str] = "cleme2"
    about: ClassVar[About | None] = About(
        rewards="correct changes, and few wrong, missed or unnecessary ones",
        fails="an unchanged source scores about 0.5",
        cite="Ye et al. 2025",
        people=(0.92, 0.38, 0.62),
    )
    headline: ClassVar[str] = "score"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.factors is not None and (
            len(self.factors) != 4 or abs(sum(self.factors) - 1) > 1e-5
        ):
            raise OptionError(
                "factors of cleme2 must be four numbers that add up to 1, for hit, wrong, under "
                "and over: 0.45+0.35+0.15+0.05"
            )

    @property
    def measures(self) -> tuple[Column, ...]:
        shares = tuple(Column(name, "rate") for name in ("hit", "wrong", "under", "over"))
        return (*shares, Column("score", "score", best="max"))

    def evaluate(self, counts: Counts) -> dict[str, Any]:
        """Shares with a zero denominator are 0, as in the original."""
        tp, fn, wrong, over = (counts[place] for place in (TP, FN, NECESSARY, UNNECESSARY))
        needed = tp + wrong + fn
        made = tp + (wrong + over)
        shares = {
            "hit": divide_or(tp, needed, 0.0),
            "wrong": divide_or(wrong, needed, 0.0),
            "under": divide_or(fn, needed, 0.0),
            "over": divide_or(over, made, 0.0),
        }
        of_hit, of_wrong, of_under, of_over = self.factors or FACTORS[self.average]
        score = (
            of_hit * shares["hit"]
            + of_wrong * (1 - shares["wrong"])
            + of_under * (1 - shares["under"])
            + of_over * (1 - shares["over"])
        )
        return {**shares, "score": score}

    def prefer(self, counts: Counts) -> list[Any]:
        """Return the score, then hit, then the other shares negated."""
        values = self.evaluate(counts)
        others = [-values[name] for name in ("wrong", "under", "over")]
        return [values["score"], values["hit"], *others]
