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

from redink.model import Hypotheses, References
from redink.options import Positive
from redink.scoring.gleu import OfDraws, count_values, draw_references
from redink.scoring.metric import About, FloatArray, Statistics
from redink.scoring.ngrams import Unit, grams_of, sides_of


@dataclass(frozen=True, kw_only=True)
class GleuKoyama(OfDraws):
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
        """Lengths and n-gram balances of every sentence against each of its references."""
        grams = grams_of(references, hypotheses, order=self.order, unit=self.unit)
        sides = sides_of(references, hypotheses, self.unit)
        values = count_values(sides, order=self.order, grams=grams)
        size, count = values.shape[:2]
        often = self.draws if count > 1 and self.references == "drawn" else 1
        draws = references.remember(
            ("gleu draws", often), lambda: draw_references(size, count, often)
        )
        if self.references == "best":
            draws = self.best_references(values)[:, None].astype(np.uint8)
        return Statistics({"values": values, "draws": draws})

    def best_references(self, values: FloatArray) -> NDArray[np.int64]:
        """The reference of the highest score; of equal ones by the shares, last n first."""
        brevity, logs = self.log_parts(values)
        score = np.exp(brevity + logs.mean(axis=-1))
        single = np.exp(brevity[..., None] + logs)
        keys = [-score, *(-single[..., n] for n in reversed(range(self.order)))]
        return np.lexsort(tuple(reversed(keys)), axis=1)[:, 0]

    def log_parts(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Logarithms: of the penalty of short hypotheses, and of the share of every n."""
        ours, theirs = values[..., 0], values[..., 1]
        log = 1 - np.divide(theirs, ours, out=np.full(ours.shape, np.inf), where=ours > 0)
        brevity = np.where((ours == 0) & (theirs == 0), 0.0, np.minimum(log, 0))
        gained, made = values[..., 2 : 2 + self.order], values[..., 2 + self.order :]
        shares = np.divide(gained, made, out=np.ones_like(made), where=made > 0)
        with np.errstate(divide="ignore"):
            return brevity, np.log(shares)

    def score_sums(self, sums: FloatArray) -> FloatArray:
        """A share of nothing is 1."""
        brevity, logs = self.log_parts(sums)
        scores: FloatArray = np.exp(brevity + logs.mean(axis=-1))
        return scores

    def score_sentences(self, values: FloatArray) -> FloatArray:
        """Every sentence by itself: its references averaged, or the best of them."""
        if self.references == "drawn":
            return super().score_sentences(values)
        best: FloatArray = self.score_sums(values).max(axis=1)
        return best
