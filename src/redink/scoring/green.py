"""GREEN (Koyama et al. 2024): F score of n-grams that are inserted, deleted and kept.

Each n-gram of source, hypothesis and reference belongs to a part of a Venn diagram of the three.
N-grams that are kept, inserted or deleted as in the reference are true positives. N-grams that only
the hypothesis inserts or deletes are false positives, and those that only the reference inserts or
deletes are false negatives. Precision and recall are geometric means over n; beta weights recall in
F. With several references, the one with the highest sentence score is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from redink.model import Column, Hypotheses, References
from redink.options import Beta, Positive
from redink.scoring.metric import About, Average, FloatArray, Statistics, SummedMetric
from redink.scoring.ngrams import GramCounts, Unit, grams_of
from redink.statistics.arrays import f_of_rates


@dataclass(frozen=True, kw_only=True)
class Green(SummedMetric):
    """Precision, recall and F of n-grams.

    Attributes:
        order: maximum n.
        unit: n-grams of words, or of characters.
        beta: the weight of recall in F.
        average: one score for the whole corpus, or the mean over sentences.
        empty: recall with a zero denominator, in sentences shorter than n: 0 as in the authors'
            program (``zero``), or 1 as in gec-metrics (``one``); precision is then 1 in both.
    """

    order: Positive = 4
    unit: Unit = "word"
    beta: Beta = 2.0
    average: Average = "corpus"
    empty: Literal["zero", "one"] = "zero"

    name: ClassVar[str] = "green"
    about: ClassVar[About | None] = About(
        rewards="n-grams kept, inserted and deleted as in a reference",
        fails="texts shorter than n score 0; an unchanged source scores high",
        cite="Koyama et al. 2024",
        people=(0.93, 0.3, 0.59),
    )

    @property
    def columns(self) -> tuple[Column, ...]:
        return (
            Column("precision", "rate"),
            Column("recall", "rate"),
            Column("score", "score", best="max"),
        )

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        texts = references.filled_texts
        source, ours, *right = grams_of(
            references,
            hypotheses,
            order=self.order,
            unit=self.unit,
            cutting="anywhere" if self.empty == "zero" else "stripped",
        )
        size = len(references)
        counts = np.zeros((size, len(texts), self.order, 3))
        for n in range(self.order):
            in_source = source[n].look_up(ours[n].keys)
            for which, grams in enumerate(right):
                counts[:, which, n] = _compare(source[n], ours[n], grams[n], in_source, size=size)
        chosen = self._choose(counts)
        arrays = {"counts": counts[np.arange(size), chosen], "reference": chosen}
        return Statistics(arrays)

    def _choose(self, counts: FloatArray) -> NDArray[np.int64]:
        """Return the reference with the highest score; in ties, lower n decide."""
        orders = range(self.order, 0, -1) if self.empty == "zero" else (self.order,)
        keys = [-self.score(counts[:, :, :order])["score"] for order in orders]
        return np.lexsort(tuple(reversed(keys)), axis=1)[:, 0]

    @property
    def is_mean(self) -> bool:
        return self.average == "sentence"

    def score(self, sums: FloatArray) -> dict[str, FloatArray]:
        tp, fp, fn = (sums[..., place] for place in range(3))
        precision = _mean_share(tp, tp + fp, of_nothing=1)
        recall = _mean_share(tp, tp + fn, of_nothing=0 if self.empty == "zero" else 1)
        f = f_of_rates(precision, recall, self.beta)
        if self.empty == "zero":  # another formula: the last bit can decide between references
            share = 1 / (self.beta**2 + 1)
            with np.errstate(divide="ignore", invalid="ignore"):
                f = 1 / (share / precision + (1 - share) / recall)
            f = np.where((precision > 0) & (recall > 0), f, 0.0)
        return {"precision": precision, "recall": recall, "score": np.asarray(f)}

    def _of_sentences(self, statistics: Statistics) -> dict[str, NDArray[Any]]:
        measures = self.score(statistics["counts"])
        return {"reference": statistics["reference"], **measures}


def _mean_share(part: FloatArray, whole: FloatArray, *, of_nothing: float) -> FloatArray:
    shares = np.divide(part, whole, out=np.full(whole.shape, float(of_nothing)), where=whole > 0)
    with np.errstate(divide="ignore"):
        means: FloatArray = np.exp(np.log(shares).mean(axis=-1))
    return means


def _compare(
    source: GramCounts,
    hypothesis: GramCounts,
    reference: GramCounts,
    in_source: NDArray[np.int64],
    *,
    size: int,
) -> FloatArray:
    """Return true positives, false positives and false negatives, ``(sentences, 3)``.

    The parts of the Venn diagram follow from how many n-grams two or all three texts share.
    ``in_source`` is how often the n-grams of the hypothesis occur in the source.
    """
    ours = hypothesis.counts
    wanted = reference.look_up(hypothesis.keys)
    in_both = np.minimum(ours, in_source)
    s, h, r = (side.sum_up(side.counts, size) for side in (source, hypothesis, reference))
    sh = hypothesis.sum_up(in_both, size)
    hr = hypothesis.sum_up(np.minimum(ours, wanted), size)
    shr = hypothesis.sum_up(np.minimum(in_both, wanted), size)
    sr = source.sum_up(np.minimum(source.counts, reference.look_up(source.keys)), size)
    right = hr + (s - sh - sr + shr)
    wrong = (sr - shr) + (h - sh - hr + shr)
    missed = (sh - shr) + (r - sr - hr + shr)
    return np.stack([right, wrong, missed], axis=-1)
