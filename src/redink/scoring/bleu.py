"""BLEU, computed by sacrebleu on the tokenized, cased text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from redink.model import Hypotheses, References, Row, Sentence
from redink.scoring.metric import About, FloatArray, Statistics, SummedMetric
from redink.scoring.ngrams import grams_of

ORDER = 4


@dataclass(frozen=True, kw_only=True)
class Bleu(SummedMetric):
    """Corpus BLEU with all references, as a proportion."""

    name: ClassVar[str] = "bleu"
    about: ClassVar[About | None] = About(
        rewards="n-grams of the references",
        fails="rewards an unchanged source: made for translation",
        cite="Papineni et al. 2002; Post 2018",
        people=(0.65, -0.7, 0.57),
    )

    @cached_property
    def _bleu(self) -> Any:
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(tokenize="none", lowercase=False, force=True)

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        # the counts of sacrebleu: lengths, then matching n-grams and all n-grams of the hypothesis
        _, ours, *theirs = grams_of(references, hypotheses, order=ORDER)
        size = len(hypotheses)
        counts = np.zeros((size, 2 + 2 * ORDER))
        counts[:, 0] = length = _lengths(hypotheses.texts)
        lengths = np.array([_lengths(texts) for texts in references.filled_texts])
        # the closest reference length; in a tie the shorter one
        closest = np.lexsort((lengths, abs(lengths - length)), axis=0)[:1]
        counts[:, 1] = np.take_along_axis(lengths, closest, axis=0)[0]
        for n, grams in enumerate(ours):
            allowed = np.max([each[n].look_up(grams.keys) for each in theirs], axis=0)
            matched = np.minimum(grams.counts, allowed)
            counts[:, 2 + n] = grams.sum_up(matched, size)
            counts[:, 2 + ORDER + n] = grams.sum_up(grams.counts, size)
        return Statistics({"counts": counts})

    def score(self, sums: FloatArray) -> FloatArray:
        return np.apply_along_axis(self._score, -1, sums)

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Score each sentence separately, with n-grams up to its length."""
        return [{"score": self._score(sums, single=True)} for sums in statistics["counts"]]

    def _score(self, sums: FloatArray, *, single: bool = False) -> float:
        whole = [int(value) for value in sums]
        result = self._bleu.compute_bleu(
            correct=whole[2 : 2 + ORDER],
            total=whole[2 + ORDER :],
            sys_len=whole[0],
            ref_len=whole[1],
            smooth_method="exp",
            effective_order=single,
        )
        return float(result.score) / 100

    def signature(self) -> dict[str, Any]:
        return {"sacrebleu": version("sacrebleu"), "tok": "none", "case": "mixed", "smooth": "exp"}


def _lengths(texts: Sequence[Sentence]) -> NDArray[np.int64]:
    return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
