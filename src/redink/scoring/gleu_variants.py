"""GLEU and its variants: n-grams gained, less n-grams that should have been corrected.

A hypothesis gains the n-grams it shares with the reference and loses those it shares with the
source but not with the reference. With several references, one is drawn for every sentence, five
hundred times; the score is the mean of the five hundred corpus scores.

:class:`Gleu` is the original (Napoles et al. 2015; 2016, without tuning), with its draws: the same
generator, seeded again for every repetition. :class:`GleuKoyama` is the program that MultiGEC-2025
uses, :class:`GleuGecMetrics` the library gec-metrics.
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
from redink.scoring.ngrams import GramCounts, Unit, grams_of, number_grams, sides_of, units_of

ORDER = 4
_SEED_STEP = 101
_EXACT = 1 << 24  # whole numbers below this are exact in single precision


def count_values(sides: Sequence[Sequence[Sequence[str]]], *, order: int) -> FloatArray:
    """Return the statistics of GLEU, ``(sentences, references, values)``.

    The values are the lengths of hypothesis and reference, then for every n the n-grams gained,
    then for every n those of the hypothesis.

    Args:
        sides: source, hypothesis and references, each a list of sentences as words (or letters).
        order: the greatest n.
    """
    source, ours, *right = number_grams(sides, order=order)
    _, hypotheses, *references = sides
    length = np.array([len(text) for text in hypotheses], dtype=np.int64)
    values = np.zeros((len(length), len(right), 2 + 2 * order))
    values[:, :, 0] = length[:, None]
    for which, theirs in enumerate(right):
        values[:, which, 1] = [len(text) for text in references[which]]
        for n in range(order):
            values[:, which, 2 + n] = _gained(source[n], ours[n], theirs[n], size=len(length))
            values[:, which, 2 + order + n] = np.maximum(length - n, 0)
    return values


def _gained(
    source: GramCounts, hypothesis: GramCounts, reference: GramCounts, *, size: int
) -> FloatArray:
    """For every sentence, the n-grams gained less those that should be gone; at least 0."""
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

    Seeded by a list, NumPy's Mersenne Twister is that of Python's random module. Python 2's randint
    is the product of random() and n. Python 3's takes as many bits of each word as n has, until
    they are below n.
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

    Values and weights are whole numbers, whose sums are exact in any order. So all sentences have
    the first reference, and only the differences of the others are multiplied with the draws.
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
    """A GLEU: statistics against every reference, one of which is drawn for every sentence.

    Attributes:
        average: one score of the whole corpus, or the mean of sentences.
        draws: how often the reference of every sentence is drawn, where there are several.
    """

    average: Average = "corpus"
    draws: Positive = 500

    needs: ClassVar[Needs] = "text"
    headline: ClassVar[str] = "score"
    python: ClassVar[Literal[2, 3]] = 2
    """The version of Python whose draws the program makes."""

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column("score", "score", best="max"),)

    @abstractmethod
    def score_sums(self, sums: FloatArray) -> FloatArray:
        """The score of statistics, or of sums of them (last axis)."""

    def score_sentences(self, values: FloatArray) -> FloatArray:
        """Every sentence by itself, its references averaged."""
        means: FloatArray = self.score_sums(values).mean(axis=1)
        return means

    def draw(self, references: References) -> NDArray[np.uint8]:
        """The reference of every sentence in every repetition; one suffices for one reference."""
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
        # smaller blocks than memory asks for: making large arrays takes time by itself
        for some in blocks_of_rows(weights, 4 * draws.shape[1] * values.shape[2]):
            sums = np.ascontiguousarray(np.moveaxis(sum_draws(values, draws, some), 0, -1))
            means.append(self.score_sums(sums).mean(axis=1, keepdims=True))
        return np.concatenate(means)

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        scores = self.score_sentences(statistics["values"]).tolist()
        return [{"score": score} for score in scores]


@dataclass(frozen=True, kw_only=True)
class Gleu(DrawnReferences):
    """GLEU as the original program makes it.

    Attributes:
        average: one score of the whole corpus, or the mean of the scores that it prints for
            sentences.
        draws: how often the reference of every sentence is drawn, where there are several.
    """

    name: ClassVar[str] = "gleu"
    about: ClassVar[About | None] = About(
        rewards="n-grams of a reference that the source lacks",
        fails="0 for texts without four words in a row; does not tell why",
        cite="Napoles et al. 2015, 2016",
        people=(0.91, 0.11, 0.67),
    )

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        values = count_values(sides_of(references, hypotheses), order=ORDER)
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
        """Counts of 0 are taken for 1, and references averaged."""
        return super().score_sentences(np.where(values == 0, 1.0, values))

    def shuffle(
        self,
        statistics: Sequence[Statistics],
        pairs: Sequence[tuple[int, int]],
        swaps: NDArray[np.bool_],
    ) -> Iterator[tuple[int, FloatArray]]:
        """See :meth:`Metric.shuffle`; sums of whole numbers are exchanged by addition."""
        if self.average == "sentence":
            yield from super().shuffle(statistics, pairs, swaps)
            return
        draws = statistics[0]["draws"]
        every = np.ones((1, len(draws)))
        lengths = sum_draws(statistics[0]["values"][:, :, 1:2], draws, every)[0]
        # the length of the hypothesis and its n-grams, and the n-grams gained by reference
        made = [
            np.delete(each["values"][:, 0], np.s_[1 : 2 + ORDER], axis=1) for each in statistics
        ]
        gained = [each["values"][:, :, 2 : 2 + ORDER] for each in statistics]
        own = [
            (every @ ours, sum_draws(each, draws, every))
            for ours, each in zip(made, gained, strict=True)
        ]
        # most systems gain the same n-grams; only differences from these need be summed
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
    """The mean over the draws of :meth:`Gleu.score_sums`.

    Nearly all the time of a shuffle goes here, so one logarithm serves the n-grams of all lengths.

    Args:
        made: the lengths of the hypotheses and their numbers of n-grams, ``(samples, 5)``.
        gained: the n-grams gained, ``(4, samples, draws)``.
        lengths: of the references, by draw.
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
    """GLEU of shotakoyama/gleu.

    With words and drawn references it is the published GLEU wherever that is above 0. In sentences
    shorter than n, a share of nothing is 1. Sentences are not smoothed.

    Attributes:
        references: ``drawn`` for every sentence as in the published GLEU, or the ``best`` of each
            sentence; in sentences alone, the mean of references or the best.
        average: one score of the whole corpus, or the mean of sentences.
        order: the greatest n.
        unit: n-grams of words, or of characters.
        draws: how often the references are drawn.
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
        sides = sides_of(references, hypotheses, self.unit)
        values = count_values(sides, order=self.order)
        if self.references == "best":
            draws = self.best_references(values)[:, None].astype(np.uint8)
        else:
            draws = self.draw(references)
        return Statistics({"values": values, "draws": draws})

    def best_references(self, values: FloatArray) -> NDArray[np.int64]:
        """The reference of the highest score; of equal ones by the shares, last n first."""
        brevity, logs = self.log_parts(values)
        score = np.exp(brevity + logs.mean(axis=-1))
        single = np.exp(brevity[..., None] + logs)
        keys = [-score, *(-single[..., n] for n in reversed(range(self.order)))]
        return np.lexsort(tuple(reversed(keys)), axis=1)[:, 0]

    def log_parts(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Logarithms of the penalty of short hypotheses, and of the share of every n."""
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
        """Every sentence by itself: its references averaged, or the best of them."""
        if self.references == "drawn":
            return super().score_sentences(values)
        best: FloatArray = self.score_sums(values).max(axis=1)
        return best


@dataclass(frozen=True, kw_only=True)
class GleuGecMetrics(DrawnReferences):
    """GLEU and GLEUOfficial of gotutiyan/gec-metrics.

    ``frequencies`` penalizes every n-gram that stays and should go, as often as it stays too often;
    the published program does not if the reference has the n-gram at all. ``official`` follows the
    published program. Both draw references with the generator of Python 3, so with several
    references ``official`` differs from the published figures in the third digit.

    Attributes:
        penalty: ``frequencies`` (GLEU there) or ``official`` (GLEUOfficial there).
        average: one score of the whole corpus, or the mean of sentences.
        order: the greatest n.
        unit: n-grams of words, or of characters.
        draws: how often the references are drawn.
    """

    penalty: Literal["frequencies", "official"] = "frequencies"
    order: Positive = 4
    unit: Unit = "word"

    name: ClassVar[str] = "gleu-gec-metrics"
    about: ClassVar[About | None] = About(
        rewards="as gleu, by the frequency of n-grams",
        fails="not the published GLEU; draws differ",
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
        """Words, of which an empty sentence has one; only ``frequencies`` counts characters."""
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
            # where some of them are rightly unchanged, those too many are only not gained
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
