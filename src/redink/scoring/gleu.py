"""GLEU (Napoles et al. 2015; 2016, without tuning): n-grams gained, less n-grams left uncorrected.

A hypothesis gains the n-grams it shares with the reference and loses those it shares with the
source but not with the reference. With several references, one is drawn for every sentence, five
hundred times over; the score is the mean of the five hundred corpus scores. The draws are those
of the original program: the same generator, seeded again for every repetition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from redink.model import Column, Hypotheses, References, Row, Sentence
from redink.options import Positive
from redink.scoring.metric import FloatArray, Metric, Needs, Statistics

ORDER = 4
_SEED_STEP = 101
_GRAM_BITS = 40
IntArray = NDArray[np.int64]


def number_grams(texts: Sequence[Sequence[Sentence]]) -> list[list[GramCounts]]:
    """The n-grams of several versions of a corpus, ``[version][n - 1]``, numbered alike in all.

    An n-gram is numbered by its first n-1 words' number and its last word, so that numbers stay
    small whatever the vocabulary.
    """
    words: dict[str, int] = {}
    tokens = [
        words.setdefault(token, len(words))
        for text in texts
        for sentence in text
        for token in sentence.tokens
    ]
    lengths = [len(sentence.tokens) for text in texts for sentence in text]
    last = np.array(tokens, dtype=np.int64)
    # The number of the sentence, counted over all versions, and how many words follow in it.
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(tokens))
    starts, grams = np.arange(len(tokens)), last
    size = len(texts[0])
    counted: list[list[GramCounts]] = [[] for _ in texts]
    for n in range(1, ORDER + 1):
        if n > 1:
            fits = left[starts] >= n
            starts, grams = starts[fits], grams[fits]
            pairs = grams * max(len(words), 1) + last[starts + n - 1]
            grams = np.unique(pairs, return_inverse=True)[1]
        for version, place in enumerate(counted):
            inside = sentence[starts] // max(size, 1) == version
            place.append(GramCounts.make(sentence[starts][inside] - version * size, grams[inside]))
    return counted


@dataclass(frozen=True)
class GramCounts:
    """How often each n-gram occurs in each sentence, in the order of sentence and n-gram."""

    keys: IntArray
    counts: IntArray

    @classmethod
    def make(cls, sentences: IntArray, grams: IntArray) -> GramCounts:
        """Count occurrences; sentence and n-gram share one number."""
        return cls(*np.unique((sentences << _GRAM_BITS) | grams, return_counts=True))

    @property
    def sentences(self) -> IntArray:
        """The sentence of every entry."""
        return self.keys >> _GRAM_BITS

    def look_up(self, keys: IntArray) -> IntArray:
        """How often these occur here."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.counts[at], 0)


def balance_grams(
    source: GramCounts, hypothesis: GramCounts, reference: GramCounts, *, size: int
) -> FloatArray:
    """For every sentence, the n-grams gained, less those kept that should be gone; at least 0."""
    wanted = reference.look_up(hypothesis.keys)
    kept = source.look_up(hypothesis.keys)
    value = np.where(
        wanted > 0, np.minimum(hypothesis.counts, wanted), -np.minimum(hypothesis.counts, kept)
    )
    sums = np.bincount(hypothesis.sentences, weights=value.astype(np.float64), minlength=size)
    return np.maximum(sums, 0.0)


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


@dataclass(frozen=True, kw_only=True)
class Gleu(Metric):
    """GLEU as the original program makes it.

    Attributes:
        draws: how often the reference of every sentence is drawn, where there are several.
    """

    draws: Positive = 500

    name: ClassVar[str] = "gleu"
    needs: ClassVar[Needs] = "text"
    headline: ClassVar[str] = "score"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The score alone."""
        return (Column("score", "score", best="max"),)

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Lengths and n-gram balances of every sentence against each of its references."""
        texts = references.filled_texts
        count = len(references)
        source, ours, *right = number_grams([references.sources, hypotheses.texts, *texts])
        length = np.array([len(text.tokens) for text in hypotheses.texts])
        values = np.zeros((count, len(texts), 2 + 2 * ORDER))
        values[:, :, 0] = length[:, None]
        for which, grams in enumerate(right):
            values[:, which, 1] = [len(text.tokens) for text in texts[which]]
            for n in range(ORDER):
                values[:, which, 2 + n] = balance_grams(source[n], ours[n], grams[n], size=count)
                values[:, which, 2 + ORDER + n] = np.maximum(length - n, 0)
        often = self.draws if len(texts) > 1 else 1
        draws = references.remember(
            ("gleu draws", often), lambda: draw_references(count, len(texts), often)
        )
        return Statistics({"values": values, "draws": draws})

    def rows(self, statistics: Statistics) -> list[Row]:
        """The mean over the draws."""
        weights = np.ones((1, len(statistics)))
        return [{"score": float(self.resample(statistics, weights)[0, 0])}]

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """The mean over the draws under each weighting."""
        values, draws = statistics["values"], statistics["draws"]
        sums = np.zeros((len(weights), draws.shape[1], values.shape[2]))
        for reference in range(values.shape[1]):
            chosen = (draws == reference).astype(np.float64)
            for place in range(values.shape[2]):
                sums[:, :, place] += (weights * values[:, reference, place]) @ chosen
        means: FloatArray = score_sums(sums).mean(axis=1, keepdims=True)
        return means

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Every sentence by itself: counts of 0 are taken for 1, and references averaged."""
        values = statistics["values"]
        scores = score_sums(np.where(values == 0, 1.0, values)).mean(axis=1)
        return [{"score": float(score)} for score in scores]
