"""BLEU, through sacrebleu: the text is scored as it is tokenised, with case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np

from redink.model import Column, Hypotheses, References, Row
from redink.scoring.metric import About, FloatArray, Metric, Needs, Statistics

ORDER = 4


@dataclass(frozen=True, kw_only=True)
class Bleu(Metric):
    """Corpus BLEU with all references, as a proportion."""

    name: ClassVar[str] = "bleu"
    about: ClassVar[About | None] = About(
        rewards="n-grams of the references",
        fails="rewards doing nothing: made for translation",
        cite="Papineni et al. 2002; Post 2018",
        people=(0.65, -0.7, 0.57),
    )
    needs: ClassVar[Needs] = "text"
    headline: ClassVar[str] = "score"

    @cached_property
    def _bleu(self) -> Any:
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(tokenize="none", lowercase=False, force=True)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The score alone."""
        return (Column("score", "score", best="max"),)

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """The counts of sacrebleu: lengths, then n-grams matched and n-grams made."""
        texts = [str(text) for text in hypotheses.texts]
        streams = [[str(text) for text in stream] for stream in references.filled_texts]
        # The public methods keep no counts of sentences; a test holds these to corpus_score.
        counts = self._bleu._extract_corpus_statistics(texts, streams)  # noqa: SLF001
        return Statistics({"counts": np.array(counts, dtype=np.float64)})

    def rows(self, statistics: Statistics) -> list[Row]:
        """The corpus score."""
        return [{"score": self._score(statistics["counts"].sum(axis=0))}]

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """The corpus score under each weighting."""
        return np.array([[self._score(sums)] for sums in weights @ statistics["counts"]])

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Every sentence by itself, over the orders it is long enough for."""
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
        """The version of sacrebleu and how it is called."""
        return {"sacrebleu": version("sacrebleu"), "tok": "none", "case": "mixed", "smooth": "exp"}
