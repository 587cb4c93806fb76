"""GLEU as the program of Koyama counts it, which MultiGEC-2025 uses.

With words and drawn references it is the published GLEU wherever that is above 0. It differs in
sentences that are shorter than n: a share of nothing is 1 here. It can also take the best reference
of every sentence, count characters, and average sentences, which it does not smooth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from redink.model import Column, Hypotheses, References, Row
from redink.options import Positive
from redink.scoring.gleu import count_values, draw_references, sum_draws
from redink.scoring.metric import About, FloatArray, Metric, Needs, Statistics
from redink.scoring.ngrams import Unit, units_of


@dataclass(frozen=True, kw_only=True)
class GleuKoyama(Metric):
    """GLEU of shotakoyama/gleu.

    Attributes:
        references: ``drawn`` for every sentence as in the published GLEU, or the ``best`` of each
            sentence; in sentences alone, the mean of references or the best.
        average: one score of the whole corpus, or the mean of sentences.
        order: the greatest n.
        unit: n-grams of words, or of characters.
        draws: how often the references are drawn.
    """

    references: Literal["drawn", "best"] = "drawn"
    average: Literal["corpus", "sentence"] = "corpus"
    order: Positive = 4
    unit: Unit = "word"
    draws: Positive = 500

    name: ClassVar[str] = "gleu-koyama"
    about: ClassVar[About | None] = About(
        rewards="as gleu; also with the best reference",
        fails="texts shorter than n score high",
        cite="Koyama et al. 2024 (program)",
        people=(0.91, 0.11, 0.68),
    )
    needs: ClassVar[Needs] = "text"
    headline: ClassVar[str] = "score"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The score alone."""
        return (Column("score", "score", best="max"),)

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Lengths and n-gram balances of every sentence against each of its references."""
        sides = [
            [units_of(text, self.unit) for text in side]
            for side in (references.sources, hypotheses.texts, *references.filled_texts)
        ]
        values = count_values(sides, order=self.order)
        size, count = values.shape[:2]
        often = self.draws if count > 1 and self.references == "drawn" else 1
        draws = references.remember(
            ("gleu draws", often), lambda: draw_references(size, count, often)
        )
        if self.references == "best":
            draws = self._best(values)[:, None].astype(np.uint8)
        return Statistics({"values": values, "draws": draws})

    def _best(self, values: FloatArray) -> NDArray[np.int64]:
        """The reference of the highest score; of equal ones by the shares, last n first."""
        penalty, shares = self._parts(values)
        score = penalty * np.exp(_log(shares).mean(axis=-1))
        single = penalty[..., None] * shares
        keys = [-score, *(-single[..., n] for n in reversed(range(self.order)))]
        return np.lexsort(tuple(reversed(keys)), axis=1)[:, 0]

    def _parts(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The penalty of short hypotheses, and the share of every n."""
        ours, theirs = values[..., 0], values[..., 1]
        log = 1 - np.divide(theirs, ours, out=np.full(ours.shape, np.inf), where=ours > 0)
        penalty = np.exp(np.minimum(log, 0))
        penalty = np.where((ours == 0) & (theirs == 0), 1.0, penalty)
        gained, made = values[..., 2 : 2 + self.order], values[..., 2 + self.order :]
        return penalty, np.divide(gained, made, out=np.ones_like(made), where=made > 0)

    def _score(self, values: FloatArray) -> FloatArray:
        penalty, shares = self._parts(values)
        score: FloatArray = penalty * np.exp(_log(shares).mean(axis=-1))
        return score

    def _sentences(self, statistics: Statistics) -> FloatArray:
        scores = self._score(statistics["values"])
        of_each: FloatArray = (
            scores.max(axis=1) if self.references == "best" else scores.mean(axis=1)
        )
        return of_each

    def rows(self, statistics: Statistics) -> list[Row]:
        """The mean over the draws, or over the sentences."""
        weights = np.ones((1, len(statistics)))
        return [{"score": float(self.resample(statistics, weights)[0, 0])}]

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """The same under each weighting."""
        if self.average == "sentence":
            means: FloatArray = weights @ self._sentences(statistics) / weights.sum(axis=1)
            return means[:, None]
        sums = sum_draws(statistics["values"], statistics["draws"], weights)
        scores: FloatArray = self._score(sums).mean(axis=1, keepdims=True)
        return scores

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Every sentence by itself: its references averaged, or the best of them."""
        return [{"score": score} for score in self._sentences(statistics).tolist()]


def _log(values: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(values)
    return logs
