"""BLEU, chrF and TER, computed by sacrebleu on the tokenized text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from redink.model import Column, Hypotheses, References, Row, Sentence
from redink.options import Beta, NotNegative, Positive
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


def line_of(text: Sentence) -> str:
    """Return the line of a sentence, with its original whitespace."""
    return str(text) if text.spaced is None else text.spaced


def split_13a(line: str) -> str:
    """Tokenize a line by the rules of mteval-v13a."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenize: Any = Tokenizer13a
    return str(tokenize()(line))


@dataclass(frozen=True, kw_only=True)
class _SentenceStatistics(SummedMetric):
    """A metric of sacrebleu whose statistics sacrebleu computes; its fields are sacrebleu's."""

    @cached_property
    @abstractmethod
    def _program(self) -> Any:
        """Return the metric of sacrebleu."""

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        right = [list(map(line_of, texts)) for texts in references.filled_texts]

        def count(items: list[tuple[int, str]]) -> list[list[float]]:
            # sacrebleu has no public method for the statistics of a sentence
            extract = self._program._extract_corpus_statistics  # noqa: SLF001
            return [extract([ours], [[text[at]] for text in right])[0] for at, ours in items]

        lines = enumerate(map(line_of, hypotheses.texts))
        counts = references.remember_each(("sacrebleu", self), lines, count)
        return Statistics({"counts": np.array(counts, dtype=np.float64)})

    def signature(self) -> dict[str, Any]:
        return {"sacrebleu": version("sacrebleu")}


@dataclass(frozen=True, kw_only=True)
class Chrf(_SentenceStatistics):
    """F-score of character n-grams (chrF), and of word n-grams with ``word_order`` (chrF++: 2).

    Attributes:
        char_order: maximum n of character n-grams.
        word_order: maximum n of word n-grams.
        beta: weight of recall in F.
        lowercase: ignore case.
        whitespace: count whitespace in character n-grams.
        eps_smoothing: smooth as chrF++.py, NLTK and Moses do.
    """

    char_order: Positive = 6
    word_order: NotNegative = 0
    beta: Beta = 2.0
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    name: ClassVar[str] = "chrf"
    about: ClassVar[About | None] = About(
        rewards="characters and, with word_order=2 (chrF++), words of the references",
        fails="rewards an unchanged source: made for translation",
        cite="Popović 2015, 2017; Post 2018",
        people=(0.77, -0.76, 0.53),
        in_all=False,
    )
    is_divisible: ClassVar[bool] = True

    @cached_property
    def _program(self) -> Any:
        from sacrebleu.metrics.chrf import CHRF

        return CHRF(**asdict(self))

    def score(self, sums: FloatArray) -> FloatArray:
        f = self._program._compute_f_score  # noqa: SLF001  # as above
        return np.apply_along_axis(f, -1, sums) / 100


@dataclass(frozen=True, kw_only=True)
class Ter(_SentenceStatistics):
    """Translation edit rate: edits and shifts of words per word of the references; lower is better.

    Attributes:
        normalized: tokenize punctuation as Tercom does.
        no_punct: remove punctuation.
        asian_support: also tokenize or remove Chinese and Japanese characters and punctuation.
        case_sensitive: distinguish case.
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    name: ClassVar[str] = "ter"
    about: ClassVar[About | None] = About(
        rewards="few edits to the nearest reference; lower is better",
        fails="rewards an unchanged source: made for translation",
        cite="Snover et al. 2006; Post 2018",
        people=(0.44, -0.74, 0.55),
        in_all=False,
    )
    is_divisible: ClassVar[bool] = True
    is_heavy: ClassVar[bool] = True
    lower_is_better: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column("score", "score", best="min"),)

    @cached_property
    def _program(self) -> Any:
        from sacrebleu.metrics.ter import TER

        return TER(**asdict(self))

    def score(self, sums: FloatArray) -> FloatArray:
        edits, length = sums[..., 0], sums[..., 1]
        rate: FloatArray = np.array(edits > 0, dtype=np.float64)
        np.divide(edits, length, out=rate, where=length > 0)
        return rate
