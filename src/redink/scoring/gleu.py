"""GLEU (Napoles et al. 2015; 2016, without tuning): n-grams gained, less n-grams left uncorrected.

A hypothesis gains the n-grams it shares with the reference and loses those it shares with the
source but not with the reference. With several references, one is drawn for every sentence, five
hundred times over; the score is the mean of the five hundred corpus scores. The draws are those
of the original program: the same generator, seeded again for every repetition.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from redink.model import Column, Hypotheses, References, Row
from redink.options import Positive
from redink.scoring.metric import About, FloatArray, Metric, Needs, Statistics, blocks_of_rows
from redink.scoring.ngrams import GramCounts, grams_of, number_grams, sides_of

ORDER = 4
_SEED_STEP = 101


def balance_grams(
    source: GramCounts, hypothesis: GramCounts, reference: GramCounts, *, size: int
) -> FloatArray:
    """For every sentence, the n-grams gained, less those kept that should be gone; at least 0."""
    wanted = reference.look_up(hypothesis.keys)
    kept = source.look_up(hypothesis.keys)
    value = np.where(
        wanted > 0, np.minimum(hypothesis.counts, wanted), -np.minimum(hypothesis.counts, kept)
    )
    return np.maximum(hypothesis.sum_up(value, size), 0.0)


def count_values(
    sides: Sequence[Sequence[Sequence[str]]],
    *,
    order: int,
    grams: Sequence[Sequence[GramCounts]] | None = None,
) -> FloatArray:
    """What GLEU is made of, ``(sentences, references, values)``.

    Args:
        sides: source, hypothesis and references, each a list of sentences as words (or letters).
        order: the greatest n.
        grams: the n-grams of the sides, where they are known.

    Returns:
        The lengths of hypothesis and reference, then for every n the n-grams gained, then for
        every n those of the hypothesis.
    """
    source, ours, *right = number_grams(sides, order=order) if grams is None else grams
    _, hypotheses, *references = sides
    length = np.array([len(text) for text in hypotheses], dtype=np.int64)
    values = np.zeros((len(length), len(right), 2 + 2 * order))
    values[:, :, 0] = length[:, None]
    for which, theirs in enumerate(right):
        values[:, which, 1] = [len(text) for text in references[which]]
        for n in range(order):
            values[:, which, 2 + n] = balance_grams(source[n], ours[n], theirs[n], size=len(length))
            values[:, which, 2 + order + n] = np.maximum(length - n, 0)
    return values


def draw_references(sentences: int, references: int, draws: int) -> NDArray[np.uint8]:
    """The reference of every sentence in every repetition, ``(sentences, draws)``."""
    drawn = np.zeros((sentences, draws), dtype=np.uint8)
    if references > 1:
        for draw in range(draws):
            # Seeded by a list, numpy's Mersenne Twister is that of Python's random module. The
            # original runs on Python 2, whose randint is the product of random() and n.
            rng = np.random.RandomState([draw * _SEED_STEP])
            drawn[:, draw] = rng.random_sample(sentences) * references
    return drawn


def score_sums(sums: FloatArray) -> FloatArray:
    """GLEU from summed statistics (last axis): lengths of hypothesis and reference, and n-grams."""
    ours, reference = sums[..., 0], sums[..., 1]
    gained, possible = sums[..., 2 : 2 + ORDER], sums[..., 2 + ORDER :]
    defined = (sums > 0).all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.log(gained / possible).sum(axis=-1) / ORDER
        brevity = np.minimum(0, 1 - reference / ours)
        return np.where(defined, np.exp(brevity + precision), 0.0)


def sum_draws(values: FloatArray, draws: NDArray[np.uint8], weights: FloatArray) -> FloatArray:
    """The values of the references drawn, summed over sentences: ``(values, samples, draws)``.

    Values and weights are whole numbers, whose sums are exact in any order. So all sentences have
    the first reference, and only what another has more is multiplied with the draws.
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


_EXACT = 1 << 24  # whole numbers below this are exact in single precision


@dataclass(frozen=True, kw_only=True)
class OfDraws(Metric):
    """A GLEU: statistics against every reference, one of which is drawn for every sentence.

    Attributes:
        average: one score of the whole corpus, or the mean of sentences.
        draws: how often the reference of every sentence is drawn, where there are several.
    """

    average: Literal["corpus", "sentence"] = "corpus"
    draws: Positive = 500

    needs: ClassVar[Needs] = "text"
    headline: ClassVar[str] = "score"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The score alone."""
        return (Column("score", "score", best="max"),)

    @abstractmethod
    def score_sums(self, sums: FloatArray) -> FloatArray:
        """The score of statistics, or of sums of them (last axis)."""

    def score_sentences(self, values: FloatArray) -> FloatArray:
        """Every sentence by itself, its references averaged."""
        means: FloatArray = self.score_sums(values).mean(axis=1)
        return means

    def rows(self, statistics: Statistics) -> list[Row]:
        """The mean over the draws, or over the sentences."""
        weights = np.ones((1, len(statistics)))
        return [{"score": float(self.resample(statistics, weights)[0, 0])}]

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """The same under each weighting."""
        if self.average == "sentence":
            of_each = self.score_sentences(statistics["values"])
            scores: FloatArray = weights @ of_each / weights.sum(axis=1)
            return scores[:, None]
        values, draws = statistics["values"], statistics["draws"]
        means = []
        # smaller blocks than memory asks for: making large arrays takes time by itself
        for some in blocks_of_rows(weights, 4 * draws.shape[1] * values.shape[2]):
            sums = np.ascontiguousarray(np.moveaxis(sum_draws(values, draws, some), 0, -1))
            means.append(self.score_sums(sums).mean(axis=1, keepdims=True))
        return np.concatenate(means)

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Every sentence by itself."""
        scores = self.score_sentences(statistics["values"]).tolist()
        return [{"score": score} for score in scores]


@dataclass(frozen=True, kw_only=True)
class Gleu(OfDraws):
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
        """Lengths and n-gram balances of every sentence against each of its references."""
        texts = references.filled_texts
        grams = grams_of(references, hypotheses, order=ORDER)
        values = count_values(sides_of(references, hypotheses), order=ORDER, grams=grams)
        often = self.draws if len(texts) > 1 else 1
        draws = references.remember(
            ("gleu draws", often), lambda: draw_references(len(references), len(texts), often)
        )
        return Statistics({"values": values, "draws": draws})

    def score_sums(self, sums: FloatArray) -> FloatArray:
        """See :func:`score_sums`."""
        return score_sums(sums)

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
        texts = [_Exchangeable.of(each) for each in statistics]
        draws = statistics[0]["draws"]
        every = np.ones((1, len(draws)))
        lengths = sum_draws(statistics[0]["values"][:, :, 1:2], draws, every)[0]
        own = [each.sum_up(every, draws) for each in texts]
        # texts exchange what one has more than the other: what most have alike need not be summed
        alike = np.stack([each.gained.astype(np.int32) for each in texts])
        usual = np.sort(alike, axis=0)[len(texts) // 2]
        beside = [replace(each, gained=each.gained - usual) for each in texts]
        for some in blocks_of_rows(swaps, 2 * ORDER * draws.shape[1] * len(texts)):
            given = [each.sum_up(some.astype(float), draws) for each in beside]
            kept = [whole.less(gone) for whole, gone in zip(own, given, strict=True)]
            for place, (first, second) in enumerate(pairs):
                ours = kept[first].score_with(given[second], lengths)
                theirs = kept[second].score_with(given[first], lengths)
                yield place, (ours - theirs)[:, None]


@dataclass(frozen=True)
class _Exchangeable:
    """What of a system's statistics, or of sums of them, a shuffle changes.

    Attributes:
        made: the length of the hypothesis and the numbers of its n-grams.
        gained: the n-grams gained, which depend on the reference.
    """

    made: FloatArray
    gained: FloatArray

    @classmethod
    def of(cls, statistics: Statistics) -> Self:
        """Of every sentence: ``(sentences, 5)`` and ``(sentences, references, 4)``."""
        values = statistics["values"]
        made = np.delete(values[:, 0], np.s_[1 : 2 + ORDER], axis=1)
        return cls(made, values[:, :, 2 : 2 + ORDER])

    def sum_up(self, weights: FloatArray, draws: NDArray[np.uint8]) -> Self:
        """Sums over the sentences: ``(samples, 5)`` and ``(4, samples, draws)``."""
        return replace(
            self, made=weights @ self.made, gained=sum_draws(self.gained, draws, weights)
        )

    def less(self, other: Self) -> Self:
        """What is left of these sums without others."""
        return replace(self, made=self.made - other.made, gained=self.gained - other.gained)

    def score_with(self, other: Self, lengths: FloatArray) -> FloatArray:
        """Of both sums together, the mean over the draws of what :func:`score_sums` gives.

        One logarithm does for the n-grams of all lengths, since nearly all the time goes here.
        """
        made = self.made + other.made
        gained = self.gained[0] + other.gained[0]
        more = np.empty_like(gained)
        for ours, theirs in zip(self.gained[1:], other.gained[1:], strict=True):
            gained *= np.add(ours, theirs, out=more)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.log(gained, out=gained)
            scores *= 1 / ORDER
            level = -np.log(made[:, 1:]).sum(axis=1, keepdims=True) / ORDER
            brevity = np.multiply(lengths, -1 / made[:, :1], out=more)
            brevity += 1 + level
            scores += np.minimum(brevity, level, out=more)
            np.exp(scores, out=scores)
        scores[:, lengths[0] == 0] = 0
        means: FloatArray = np.where((made > 0).all(axis=1), scores.mean(axis=1), 0.0)
        return means
