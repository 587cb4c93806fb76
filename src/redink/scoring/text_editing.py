"""Metrics of text simplification and editing: SARI and exact match.

SARI compares the n-grams that a hypothesis adds, keeps and deletes with those of the references.
Two programs compute different scores under this name: EASSE (Alva-Manchego et al. 2019) sums counts
over the corpus, and the program of Xu et al. (2016) averages sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.model import Column, Hypotheses, References, Sentence
from redink.scoring.metric import About, FloatArray, Statistics, SummedMetric
from redink.scoring.ngrams import GramCounts, number_grams
from redink.scoring.sacrebleu_metrics import line_of, split_13a

ORDER = 4
_OPERATIONS = ("add", "keep", "delete")


@dataclass(frozen=True, kw_only=True)
class Sari(SummedMetric):
    """The mean of three F-scores: of the n-grams added, kept and deleted as in the references.

    Attributes:
        program: the defaults of EASSE, or the program of Xu et al. (2016): lower-cased, split at
            spaces, the mean of sentences. The other options are those of EASSE.
        lowercase: ignore case.
        tokenizer: mteval-v13a, as in EASSE, or whitespace (none).
        use_f1_for_deletion: use F1 for deletion; otherwise precision.
        use_paper_version: average precision and recall over n before F1, instead of F1 over n.
    """

    program: Literal["easse", "xu"] = "easse"
    lowercase: bool = True
    tokenizer: Literal["13a", "none"] = "13a"
    use_f1_for_deletion: bool = True
    use_paper_version: bool = False

    name: ClassVar[str] = "sari"
    about: ClassVar[About | None] = About(
        rewards="n-grams added, kept and deleted as in the references",
        fails="an unchanged source and a perfect copy of a correct sentence score 0.33",
        cite="Xu et al. 2016; Alva-Manchego et al. 2019",
        people=(0.91, 0.5, 0.74),
        in_all=False,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        others = [f.name for f in fields(self) if getattr(self, f.name) != f.default]
        if self.program == "xu" and others != ["program"]:
            raise OptionError(f"sari: program=xu cannot be combined with {others[1]}")

    @property
    def columns(self) -> tuple[Column, ...]:
        return (
            *(Column(name, "rate") for name in _OPERATIONS),
            Column("score", "score", best="max"),
        )

    @property
    def is_mean(self) -> bool:
        return self.program == "xu"

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        sides = (references.sources, hypotheses.texts, *references.filled_texts)
        grams = number_grams([list(map(self._words, side)) for side in sides], order=ORDER)
        counts = [self._count(*of_n, size=len(references)) for of_n in zip(*grams, strict=True)]
        return Statistics({"counts": np.stack(counts, axis=2)})

    def _words(self, text: Sentence) -> Sequence[str]:
        line = line_of(text)
        line = line.lower() if self.lowercase else line
        if self.program == "xu":
            return line.split(" ")
        return (split_13a(line) if self.tokenizer == "13a" else line).split()

    def _count(
        self, source: GramCounts, hypothesis: GramCounts, *references: GramCounts, size: int
    ) -> FloatArray:
        """Return ``(sentences, operations, 4)``: numerator and denominator of precision and recall.

        Counts of source and hypothesis are multiplied by the number of references, whose counts are
        added up. Xu's program divides the counts of every n-gram, and adds up the shares.
        """
        sides = (source, hypothesis, *references)
        every = GramCounts(
            np.unique(np.concatenate([side.keys for side in sides])), np.empty(0, int)
        )
        s, h, *each = (side.look_up(every.keys) for side in sides)
        r = np.sum(each, axis=0)
        s, h = s * len(each), h * len(each)
        added, wanted = ((h > 0) & (s == 0)).astype(int), ((r > 0) & (s == 0)).astype(int)
        values = [(added * wanted, added, added * wanted, wanted)]
        for made, wanted, found in (
            (np.minimum(s, h), np.minimum(s, r), np.minimum(np.minimum(s, h), r)),
            self._deleted(s, h, r),
        ):
            if self.program == "easse":
                values.append((found, made, found, wanted))
            else:
                shares = [found / np.maximum(whole, 1) for whole in (made, wanted)]
                values.append((shares[0], made > 0, shares[1], wanted > 0))
        return np.stack(
            [np.stack([every.sum_up(v, size) for v in four], axis=1) for four in values], axis=1
        )

    def _deleted(
        self, s: NDArray[Any], h: NDArray[Any], r: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        made, wanted = np.maximum(s - h, 0), np.maximum(s - r, 0)
        if self.program == "xu":
            return made, wanted, np.maximum(made - r, 0)
        return made, wanted, np.minimum(made, wanted)

    def score(self, sums: FloatArray) -> dict[str, FloatArray]:
        precision, recall = (_divide(sums[..., at], sums[..., at + 1]) for at in (0, 2))
        if self.use_paper_version:
            precision, recall = (
                rates.mean(axis=-1, keepdims=True) for rates in (precision, recall)
            )
        f = _divide(2 * precision * recall, precision + recall)
        if self.program == "xu" or not self.use_f1_for_deletion:
            f[..., 2, :] = precision[..., 2, :]
        means = f.mean(axis=-1)
        named = {name: means[..., at] for at, name in enumerate(_OPERATIONS)}
        return {**named, "score": means.mean(axis=-1)}


def _divide(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


@dataclass(frozen=True, kw_only=True)
class ExactMatch(SummedMetric):
    """The share of sentences that are equal to a reference.

    Attributes:
        whitespace: compare whitespace too, as in the file.
    """

    whitespace: bool = False

    name: ClassVar[str] = "exact-match"
    about: ClassVar[About | None] = About(
        rewards="sentences that are equal to a reference",
        fails="other valid corrections; no credit for a part of the corrections",
        cite="Rajpurkar et al. 2016",
        people=(0.6, -0.69, 0.51),
        in_all=False,
    )

    @property
    def is_mean(self) -> bool:
        return True

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        ours, *right = (
            list(map(self._text, side)) for side in (hypotheses.texts, *references.filled_texts)
        )
        equal = [text in texts for text, *texts in zip(ours, *right, strict=True)]
        return Statistics({"counts": np.array(equal, dtype=np.float64)})

    def _text(self, text: Sentence) -> str:
        return line_of(text) if self.whitespace else str(text)

    def score(self, sums: FloatArray) -> FloatArray:
        return sums
