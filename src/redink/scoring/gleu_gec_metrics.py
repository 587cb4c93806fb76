"""GLEU as the library gec-metrics counts it, in both of its forms.

``frequencies`` takes a penalty for every n-gram that stays and should go, as often as it stays too
often; the published program takes none where the reference has the n-gram at all. ``official``
follows the published program. Both draw references with the generator of Python 3, so that with
several references ``official`` differs from the published figures in the third digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from redink.model import Hypotheses, References, Sentence
from redink.options import Positive
from redink.scoring.gleu import OfDraws
from redink.scoring.metric import About, FloatArray, Statistics
from redink.scoring.ngrams import GramCounts, Unit, grams_of, units_of

_SEED_STEP = 101


@dataclass(frozen=True, kw_only=True)
class GleuGecMetrics(OfDraws):
    """GLEU and GLEUOfficial of gotutiyan/gec-metrics.

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

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Lengths, and n-grams gained and lost, against each reference."""
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
        often = self.draws if len(texts) > 1 else 1
        draws = references.remember(
            ("gleu-gec-metrics draws", often), lambda: _draw(size, len(texts), often)
        )
        return Statistics({"values": values, "draws": draws})

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
        kept = np.minimum(np.minimum(s, h), r)
        gained = np.minimum(h, r)
        extra = np.maximum(h - np.maximum(s, r), 0)
        stayed = np.maximum(np.minimum(s, h) - r, 0)
        if self.penalty == "official":
            # where some of them are rightly kept, those too many are only not gained
            stayed = np.where(kept > 0, 0, stayed)
            extra = h - gained - stayed
        plus = hypothesis.sum_up(gained - stayed, size)
        minus = hypothesis.sum_up(extra + 2 * stayed, size)
        if self.penalty == "official":
            return np.maximum(plus, 0.0), minus + np.minimum(plus, 0.0)
        return plus, minus

    def score_sums(self, sums: FloatArray) -> FloatArray:
        """The score of lengths and n-grams, or sums of them."""
        ours = np.maximum(sums[..., 0], 1)
        log = 1 - sums[..., 1] / ours
        gained, made = sums[..., 2 : 2 + self.order], sums[..., 2 + self.order :]
        shares = np.divide(gained, made, out=np.ones_like(made), where=made != 0)
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(shares, 0)).mean(axis=-1)
        score: FloatArray = np.exp(np.minimum(log, 0) + logs)
        return score


def _draw(sentences: int, references: int, draws: int) -> NDArray[np.uint8]:
    """The reference of every sentence in every repetition, as Python 3's randint draws it."""
    drawn = np.zeros((sentences, draws), dtype=np.uint8)
    if references > 1:
        unused = 32 - references.bit_length()
        for draw in range(draws):
            # Seeded by a list, numpy's Mersenne Twister is that of Python's random module. Of its
            # words, randint takes as many bits as the number has, until they are below it.
            rng = np.random.RandomState([draw * _SEED_STEP])
            found = np.zeros(0, dtype=np.uint32)
            while len(found) < sentences:
                words = rng.randint(0, 2**32, size=2 * sentences, dtype=np.uint32) >> unused
                found = np.concatenate((found, words[words < references]))
            drawn[:, draw] = found[:sentences]
    return drawn
