"""GLEU and its variants: n-gram matches, minus n-grams that should have been corrected.

A hypothesis gains the n-grams it shares with the reference and loses those it shares with the
source but not with the reference. With several references, one is drawn at random for every
sentence, in 500 repetitions; the score is the mean of the 500 corpus scores.

:class:`Gleu` is the original (Napoles et al. 2015; 2016, without tuning) and uses the same random
generator, seeded again for every repetition. :class:`GleuKoyama` is the program that MultiGEC-2025
uses, and :class:`GleuGecMetrics` is GLEU in the library gec-metrics.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from redink.model import Column, Hypotheses, References, Row, Sentence
from redink.options import Positive
from redink.scoring.metric import (
    About,
    Average,
    FloatArray,
    Metric,
    Needs,
    Statistics,
    blocks_of_rows,
    mean_of_sentences,
)
from redink.scoring.ngrams import GramCounts, Unit, grams_of, units_of

ORDER = 4
_SEED_STEP = 101
_EXACT = 1 << 24  # integers below this are exact in single precision


def count_values(grams: Sequence[Sequence[GramCounts]], *, size: int) -> FloatArray:
    """Return the statistics of GLEU, ``(sentences, references, values)``.

    The values are the lengths of hypothesis and reference, then for every n the number of n-grams
    gained, then for every n the number of n-grams of the hypothesis.

    Args:
        grams: the n-grams of source, hypothesis and references, by n.
        size: number of sentences.
    """
    source, ours, *right = grams
    order = len(source)
    length = ours[0].sum_up(ours[0].counts, size)
    values = np.zeros((size, len(right), 2 + 2 * order))
    values[:, :, 0] = length[:, None]
    for which, theirs in enumerate(right):
        values[:, which, 1] = theirs[0].sum_up(theirs[0].counts, size)
        for n in range(order):
            values[:, which, 2 + n] = _gained(source[n], ours[n], theirs[n], size=size)
            values[:, which, 2 + order + n] = np.maximum(length - n, 0)
    return values


def _gained(
    source: GramCounts, hypothesis: GramCounts, reference: GramCounts, *, size: int
) -> FloatArray:
    """Return each sentence's n-grams gained minus those that should be gone; at least 0."""
    wanted = reference.look_up(hypothesis.keys)
    unchanged = source.look_up(hypothesis.keys)
    value = np.where(
        wanted > 0, np.minimum(hypothesis.counts, wanted), -np.minimum(hypothesis.counts, unchanged)
    )
    return np.maximum(hypothesis.sum_up(value, size), 0.0)


def draw_references(
    sentences: int, references: int, draws: int, *, python: Literal[2, 3] = 2
) -> NDArray[np.uint8]:
    """Draw the reference of every sentence in every repetition, ``(sentences, draws)``.

    Seeded with a list, NumPy's Mersenne Twister equals that of Python's random module. Python 2's
    randint is the integer part of random() times n. Python 3's takes as many bits of each word as n
    has, until the result is below n.
    """
    drawn = np.zeros((sentences, draws), dtype=np.uint8)
    for draw in range(draws if references > 1 else 0):
        rng = np.random.RandomState([draw * _SEED_STEP])
        if python == 2:
            drawn[:, draw] = rng.random_sample(sentences) * references
            continue
        found = np.zeros(0, dtype=np.uint32)
        while len(found) < sentences:
            words = rng.randint(0, 2**32, size=2 * sentences, dtype=np.uint32)
            words >>= np.uint32(32 - references.bit_length())
            found = np.concatenate((found, words[words < references]))
        drawn[:, draw] = found[:sentences]
    return drawn


def sum_draws(values: FloatArray, draws: NDArray[np.uint8], weights: FloatArray) -> FloatArray:
    """Sum the values of the references drawn over sentences: ``(values, samples, draws)``.

    Values and weights are integers, so sums are exact in any order. All sentences start with the
    first reference, and only the differences of other references are multiplied by the draws.
    """
    sums = np.empty((values.shape[2], len(weights), draws.shape[1]))
    sums[:] = (weights @ values[:, 0]).T[:, :, None]
    for reference in range(1, values.shape[1]):
        more = values[:, reference] - values[:, 0]
        here, places = more.any(axis=1), np.flatnonzero(more.any(axis=0))
        often, more = weights[:, here], more[np.ix_(here, places)]
        kind = np.float32 if (often @ np.abs(more)).max(initial=0) < _EXACT else np.float64
        often, chosen = often.astype(kind), (draws[here] == reference).astype(kind)
        for place, each in zip(places, more.T.astype(kind), strict=True):
            sums[place] += (often * each) @ chosen
    return sums


@dataclass(frozen=True, kw_only=True)
class DrawnReferences(Metric):
    """Base class of GLEU metrics: one reference is drawn at random for every sentence.

    Attributes:
        average: one score for the whole corpus, or the mean over sentences.
        draws: number of repetitions, in each of which one reference per sentence is drawn.
    """

    average: Average = "corpus"
    draws: Positive = 500

    needs: ClassVar[Needs] = "text"
    headline: ClassVar[str] = "score"
    python: ClassVar[Literal[2, 3]] = 2
    """The version of Python whose random draws the program uses."""

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column("score", "score", best="max"),)

    @abstractmethod
    def score_sums(self, sums: FloatArray) -> FloatArray:
        """Return the score of statistics, or of sums of them (last axis)."""

    def score_sentences(self, values: FloatArray) -> FloatArray:
        """Score every sentence separately, averaged over its references."""
        means: FloatArray = self.score_sums(values).mean(axis=1)
        return means

    def draw(self, references: References) -> NDArray[np.uint8]:
        """Draw the reference of every sentence; with one reference, one repetition is enough."""
        count = len(references.filled_texts)
        often = self.draws if count > 1 else 1
        return references.remember(
            ("gleu draws", self.python, often),
            lambda: draw_references(len(references), count, often, python=self.python),
        )

    def rows(self, statistics: Statistics) -> list[Row]:
        weights = np.ones((1, len(statistics)))
        return [{"score": float(self.resample(statistics, weights)[0, 0])}]

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        if self.average == "sentence":
            return mean_of_sentences(self.score_sentences(statistics["values"]), weights)
        values, draws = statistics["values"], statistics["draws"]
        means = []
        # blocks smaller than the memory allows: allocating large arrays takes time
        for some in blocks_of_rows(weights, 4 * draws.shape[1] * values.shape[2]):
            sums = np.ascontiguousarray(np.moveaxis(sum_draws(values, draws, some), 0, -1))
            means.append(self.score_sums(sums).mean(axis=1, keepdims=True))
        return np.concatenate(means)

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        scores = self.score_sentences(statistics["values"]).tolist()
        return [{"score": score} for score in scores]


@dataclass(frozen=True, kw_only=True)
class Gleu(DrawnReferences):
    """GLEU of the original program.

    Attributes:
        average: one score for the whole corpus, or the mean of the sentence scores that the program
            prints.
        draws: number of repetitions, in each of which one reference per sentence is drawn.
    """

    name: ClassVar[str] = "gleu"
    about: ClassVar[About | None] = About(
        rewards="n-grams of a reference that the source lacks",
        fails="0 for texts without a 4-gram; no diagnosis of errors",
        cite="Napoles et al. 2015, 2016",
        people=(0.91, 0.11, 0.67),
    )

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        grams = grams_of(references, hypotheses, order=ORDER)
        values = count_values(grams, size=len(references))
        return Statistics({"values": values, "draws": self.draw(references)})

    def score_sums(self, sums: FloatArray) -> FloatArray:
        ours, reference = sums[..., 0], sums[..., 1]
        gained, possible = sums[..., 2 : 2 + ORDER], sums[..., 2 + ORDER :]
        defined = (sums > 0).all(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.log(gained / possible).sum(axis=-1) / ORDER
            brevity = np.minimum(0, 1 - reference / ours)
            return np.where(defined, np.exp(brevity + precision), 0.0)

    def score_sentences(self, values: FloatArray) -> FloatArray:
        """Replace counts of 0 by 1, and average over references."""
        return super().score_sentences(np.where(values == 0, 1.0, values))

    def shuffle(
        self,
        statistics: Sequence[Statistics],
        pairs: Sequence[tuple[int, int]],
        swaps: NDArray[np.bool_],
    ) -> Iterator[tuple[int, FloatArray]]:
        """See :meth:`Metric.shuffle`; sums of integers are exchanged by addition."""
        if self.average == "sentence":
            yield from super().shuffle(statistics, pairs, swaps)
            return
        draws = statistics[0]["draws"]
        every = np.ones((1, len(draws)))
        lengths = sum_draws(statistics[0]["values"][:, :, 1:2], draws, every)[0]
        # the hypothesis's length and n-gram counts, then the n-grams gained, by reference
        made = [
            np.delete(each["values"][:, 0], np.s_[1 : 2 + ORDER], axis=1) for each in statistics
        ]
        gained = [each["values"][:, :, 2 : 2 + ORDER] for each in statistics]
        own = [
            (every @ ours, sum_draws(each, draws, every))
            for ours, each in zip(made, gained, strict=True)
        ]
        # most systems gain the same n-grams, so only differences from these are summed
        usual = np.sort(np.stack(gained).astype(np.int32), axis=0)[len(gained) // 2]
        beside = [each - usual for each in gained]
        for some in blocks_of_rows(swaps, 2 * ORDER * draws.shape[1] * len(statistics)):
            weights = some.astype(float)
            given = [
                (weights @ ours, sum_draws(each, draws, weights))
                for ours, each in zip(made, beside, strict=True)
            ]
            for number, (first, second) in enumerate(pairs):
                made_more = given[second][0] - given[first][0]
                gained_more = given[second][1] - given[first][1]
                ours = _mean_score(own[first][0] + made_more, own[first][1] + gained_more, lengths)
                theirs = _mean_score(
                    own[second][0] - made_more, own[second][1] - gained_more, lengths
                )
                yield number, (ours - theirs)[:, None]


def _mean_score(made: FloatArray, gained: FloatArray, lengths: FloatArray) -> FloatArray:
    """Return the mean of :meth:`Gleu.score_sums` over the draws.

    A shuffle takes most of its time here, so one logarithm is computed for all n together.

    Args:
        made: the lengths of the hypotheses and their n-gram counts, ``(samples, 5)``.
        gained: the n-grams gained, ``(4, samples, draws)``.
        lengths: reference lengths, by draw.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        level = -np.log(made[:, 1:]).sum(axis=1, keepdims=True) / ORDER
        brevity = np.minimum(level, 1 + level - lengths / made[:, :1])
        scores = np.exp(np.log(gained.prod(axis=0)) / ORDER + brevity)
    scores[:, lengths[0] == 0] = 0
    means: FloatArray = np.where((made > 0).all(axis=1), scores.mean(axis=1), 0.0)
    return means


@dataclass(frozen=True, kw_only=True)
class GleuKoyama(DrawnReferences):
    """GLEU of the program shotakoyama/gleu.

    With words and drawn references, it equals the published GLEU wherever that is above 0. In
    sentences shorter than n, the n-gram precision is 1. Sentences are not smoothed.

    Attributes:
        references: ``drawn`` at random as in the published GLEU, or the ``best`` of each sentence;
            sentence scores use the mean of all references or the best one.
        average: one score for the whole corpus, or the mean over sentences.
        order: maximum n.
        unit: n-grams of words, or of characters.
        draws: number of repetitions, in each of which one reference per sentence is drawn.
    """

    references: Literal["drawn", "best"] = "drawn"
    order: Positive = 4
    unit: Unit = "word"

    name: ClassVar[str] = "gleu-koyama"
    about: ClassVar[About | None] = About(
        rewards="as gleu; also with the best reference",
        fails="texts shorter than n score high",
        cite="Koyama et al. 2024 (program)",
        people=(0.91, 0.11, 0.68),
    )

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        grams = grams_of(references, hypotheses, order=self.order, unit=self.unit)
        values = count_values(grams, size=len(references))
        if self.references == "best":
            draws = self.best_references(values)[:, None].astype(np.uint8)
        else:
            draws = self.draw(references)
        return Statistics({"values": values, "draws": draws})

    def best_references(self, values: FloatArray) -> NDArray[np.int64]:
        """Return the reference with the highest score; in ties by precision, highest n first."""
        brevity, logs = self.log_parts(values)
        score = np.exp(brevity + logs.mean(axis=-1))
        single = np.exp(brevity[..., None] + logs)
        keys = [-score, *(-single[..., n] for n in reversed(range(self.order)))]
        return np.lexsort(tuple(reversed(keys)), axis=1)[:, 0]

    def log_parts(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the logarithms of the brevity penalty, and of the n-gram precision for every n."""
        ours, theirs = values[..., 0], values[..., 1]
        log = 1 - np.divide(theirs, ours, out=np.full(ours.shape, np.inf), where=ours > 0)
        brevity = np.where((ours == 0) & (theirs == 0), 0.0, np.minimum(log, 0))
        gained, made = values[..., 2 : 2 + self.order], values[..., 2 + self.order :]
        shares = np.divide(gained, made, out=np.ones_like(made), where=made > 0)
        with np.errstate(divide="ignore"):
            return brevity, np.log(shares)

    def score_sums(self, sums: FloatArray) -> FloatArray:
        brevity, logs = self.log_parts(sums)
        scores: FloatArray = np.exp(brevity + logs.mean(axis=-1))
        return scores

    def score_sentences(self, values: FloatArray) -> FloatArray:
        """Score every sentence separately: the mean over its references, or the best one."""
        if self.references == "drawn":
            return super().score_sentences(values)
        best: FloatArray = self.score_sums(values).max(axis=1)
        return best


@dataclass(frozen=True, kw_only=True)
class GleuGecMetrics(DrawnReferences):
    """GLEU and GLEUOfficial of gotutiyan/gec-metrics.

    ``frequencies`` penalizes every n-gram that should have been removed, as often as it remains too
    often; the published program does not if the reference contains the n-gram at all. ``official``
    follows the published program. Both draw references with Python 3's random generator, so with
    several references ``official`` differs from the published scores in the third digit.

    Attributes:
        penalty: ``frequencies`` (GLEU of gec-metrics) or ``official`` (its GLEUOfficial).
        average: one score for the whole corpus, or the mean over sentences.
        order: maximum n.
        unit: n-grams of words, or of characters.
        draws: number of repetitions, in each of which one reference per sentence is drawn.
    """

    penalty: Literal["frequencies", "official"] = "frequencies"
    order: Positive = 4
    unit: Unit = "word"

    name: ClassVar[str] = "gleu-gec-metrics"
    about: ClassVar[About | None] = About(
        rewards="as gleu, by the frequency of n-grams",
        fails="differs from the published GLEU; other random draws",
        cite="Goto et al. 2025 (program)",
        people=(0.91, 0.27, 0.68),
    )
    python: ClassVar[Literal[2, 3]] = 3

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        texts = references.filled_texts
        source, ours, *right = grams_of(
            references, hypotheses, order=self.order, unit=self.unit, cutting="blanks"
        )
        size = len(references)
        values = np.zeros((size, len(texts), 2 + 2 * self.order))
        values[:, :, 0] = np.array([self._length(text) for text in hypotheses.texts])[:, None]
        for which, grams in enumerate(right):
            values[:, which, 1] = [self._length(text) for text in texts[which]]
            for n in range(self.order):
                gained, lost = self._compare(source[n], ours[n], grams[n], size=size)
                values[:, which, 2 + n] = gained
                values[:, which, 2 + self.order + n] = gained + lost
        return Statistics({"values": values, "draws": self.draw(references)})

    def _length(self, text: Sentence) -> int:
        """Count words, at least one per sentence; only ``frequencies`` counts characters."""
        if self.unit == "char" and self.penalty == "frequencies":
            return len(units_of(text, "char", "blanks"))
        return max(len(units_of(text, "word", "blanks")), 1)

    def _compare(
        self, source: GramCounts, hypothesis: GramCounts, reference: GramCounts, *, size: int
    ) -> tuple[FloatArray, FloatArray]:
        h = hypothesis.counts
        s, r = source.look_up(hypothesis.keys), reference.look_up(hypothesis.keys)
        in_all = np.minimum(np.minimum(s, h), r)
        gained = np.minimum(h, r)
        extra = np.maximum(h - np.maximum(s, r), 0)
        stayed = np.maximum(np.minimum(s, h) - r, 0)
        if self.penalty == "official":
            # if some occurrences are correctly unchanged, the surplus ones are only not gained
            stayed = np.where(in_all > 0, 0, stayed)
            extra = h - gained - stayed
        plus = hypothesis.sum_up(gained - stayed, size)
        minus = hypothesis.sum_up(extra + 2 * stayed, size)
        if self.penalty == "official":
            return np.maximum(plus, 0.0), minus + np.minimum(plus, 0.0)
        return plus, minus

    def score_sums(self, sums: FloatArray) -> FloatArray:
        ours = np.maximum(sums[..., 0], 1)
        log = 1 - sums[..., 1] / ours
        gained, made = sums[..., 2 : 2 + self.order], sums[..., 2 + self.order :]
        shares = np.divide(gained, made, out=np.ones_like(made), where=made != 0)
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(shares, 0)).mean(axis=-1)
        score: FloatArray = np.exp(np.minimum(log, 0) + logs)
        return score
