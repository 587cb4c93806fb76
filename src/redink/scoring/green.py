"""GREEN (Koyama et al. 2024): an F score of n-grams, for insertions, deletions and what is kept.

Each n-gram of source, hypothesis and reference falls into the parts of a Venn diagram of the three.
Right are those that are kept, inserted or deleted as in the reference; wrong are those that the
hypothesis inserts or deletes and the reference does not; missed are those that only the reference
inserts or deletes. Precision and recall are geometric means over n; F weighs recall by beta.

Of several references the one with the highest score of the sentence counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from redink.model import Column, Hypotheses, References, Row
from redink.options import Beta, Positive
from redink.scoring.metric import About, FloatArray, Metric, Needs, Statistics
from redink.scoring.ngrams import GramCounts, Unit, grams_of

COUNTS = ("tp", "fp", "fn")


@dataclass(frozen=True, kw_only=True)
class Green(Metric):
    """Precision, recall and F of n-grams.

    Attributes:
        order: the greatest n.
        unit: n-grams of words, or of characters.
        beta: the weight of recall in F.
        average: one score of the whole corpus, or the mean of sentences.
        empty: what recall of nothing is, in sentences shorter than n: 0 as in the authors' program
            (``zero``), or 1 as in gec-metrics (``one``); precision of nothing is 1 in both.
    """

    order: Positive = 4
    unit: Unit = "word"
    beta: Beta = 2.0
    average: Literal["corpus", "sentence"] = "corpus"
    empty: Literal["zero", "one"] = "zero"

    name: ClassVar[str] = "green"
    about: ClassVar[About | None] = About(
        rewards="n-grams kept, inserted and deleted as in a reference",
        fails="texts shorter than n score 0; the source itself scores high",
        cite="Koyama et al. 2024",
        people=(0.93, 0.3, 0.59),
    )
    needs: ClassVar[Needs] = "text"
    headline: ClassVar[str] = "score"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The score and the precision and recall it is made of."""
        return (
            Column("precision", "rate"),
            Column("recall", "rate"),
            Column("score", "score", best="max"),
        )

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Right, wrong and missed n-grams of every sentence against its best reference."""
        texts = references.filled_texts
        source, ours, *right = grams_of(
            references,
            hypotheses,
            order=self.order,
            unit=self.unit,
            cutting="anywhere" if self.empty == "zero" else "stripped",
        )
        size = len(references)
        counts = np.zeros((size, len(texts), self.order, len(COUNTS)))
        for n in range(self.order):
            kept = source[n].look_up(ours[n].keys)
            for which, grams in enumerate(right):
                counts[:, which, n] = _compare(source[n], ours[n], grams[n], kept, size=size)
        chosen = self._choose(counts)
        arrays = {"counts": counts[np.arange(size), chosen], "reference": chosen}
        return Statistics(arrays)

    def _choose(self, counts: FloatArray) -> NDArray[np.int64]:
        """The reference of the highest score; of equal ones, that of the highest with a lower n."""
        orders = range(self.order, 0, -1) if self.empty == "zero" else (self.order,)
        keys = [-self._measure(counts[:, :, :order])[2] for order in orders]
        return np.lexsort(tuple(reversed(keys)), axis=1)[:, 0]

    def _measure(self, counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Precision, recall and F of counts ``(..., n, 3)``."""
        tp, fp, fn = (counts[..., place] for place in range(len(COUNTS)))
        precision = _mean_share(tp, tp + fp, of_nothing=1)
        recall = _mean_share(tp, tp + fn, of_nothing=0 if self.empty == "zero" else 1)
        square = self.beta**2
        # two ways to write F, for references that are equal but for the last bit
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.empty == "zero":
                share = 1 / (square + 1)
                f = 1 / (share / precision + (1 - share) / recall)
            else:
                f = (1 + square) * precision * recall / (square * precision + recall)
        f = np.where((precision > 0) & (recall > 0), f, 0.0)
        return precision, recall, f

    def rows(self, statistics: Statistics) -> list[Row]:
        """The score of the sums, or the means of sentences."""
        counts = statistics["counts"]
        if self.average == "corpus":
            values = self._measure(counts.sum(axis=0))
        else:
            values = tuple(of_all.mean() for of_all in self._measure(counts))
        names = ("precision", "recall", "score")
        return [{name: float(value) for name, value in zip(names, values, strict=True)}]

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """The score in every sample; the best reference of a sentence stays the best."""
        counts = statistics["counts"]
        if self.average == "corpus":
            flat = counts.reshape(len(counts), -1)
            sums = (weights @ flat).reshape(len(weights), *counts.shape[1:])
            return self._measure(sums)[2][:, None]
        means: FloatArray = weights @ self._measure(counts)[2] / weights.sum(axis=1)
        return means[:, None]

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Every sentence by itself, and the number of the reference that it is nearest to."""
        values = zip(
            *(of_all.tolist() for of_all in self._measure(statistics["counts"])), strict=True
        )
        return [
            {"reference": reference, "precision": precision, "recall": recall, "score": score}
            for reference, (precision, recall, score) in zip(
                statistics["reference"].tolist(), values, strict=True
            )
        ]


def _mean_share(part: FloatArray, whole: FloatArray, *, of_nothing: float) -> FloatArray:
    shares = np.divide(part, whole, out=np.full(whole.shape, float(of_nothing)), where=whole > 0)
    with np.errstate(divide="ignore"):
        means: FloatArray = np.exp(np.log(shares).mean(axis=-1))
    return means


def _compare(
    source: GramCounts,
    hypothesis: GramCounts,
    reference: GramCounts,
    kept: NDArray[np.int64],
    *,
    size: int,
) -> FloatArray:
    """For every sentence the n-grams that are right, wrong and missed, ``(sentences, 3)``.

    The parts of the Venn diagram follow from how much two or all three have in common.

    Args:
        source: the n-grams of the source.
        hypothesis: of the hypothesis.
        reference: of the reference.
        kept: how often the n-grams of the hypothesis occur in the source.
        size: the number of sentences.
    """
    ours = hypothesis.counts
    wanted = reference.look_up(hypothesis.keys)
    in_both = np.minimum(ours, kept)
    s, h, r = (side.sum_up(side.counts, size) for side in (source, hypothesis, reference))
    sh = hypothesis.sum_up(in_both, size)
    hr = hypothesis.sum_up(np.minimum(ours, wanted), size)
    shr = hypothesis.sum_up(np.minimum(in_both, wanted), size)
    sr = source.sum_up(np.minimum(source.counts, reference.look_up(source.keys)), size)
    right = hr + (s - sh - sr + shr)
    wrong = (sr - shr) + (h - sh - hr + shr)
    missed = (sh - shr) + (r - sr - hr + shr)
    return np.stack([right, wrong, missed], axis=-1)
