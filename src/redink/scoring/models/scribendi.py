"""The Scribendi score (Islam and Magnani 2021): a change is for the better or for the worse.

A hypothesis that a language model finds likelier than its source, and that is still close to it,
counts 1; one that it does not, or that has become another text, -1; and one that is the source, 0.
A corpus has the sum. No reference is used.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from rapidfuzz.distance import Indel

from redink.model import Column, Hypotheses, References
from redink.options import Share
from redink.registry import Registry
from redink.scoring.metric import About, FloatArray
from redink.scoring.models.loading import Model
from redink.scoring.models.reference_free import ModelScores, SentenceScores, lines


class _LanguageModel(Protocol):
    about: dict[str, Any]

    def log_probabilities(self, sentences: Sequence[Sequence[str]]) -> FloatArray: ...


_SHIPPED: Registry[Callable[[], _LanguageModel]] = Registry(
    "redink.language_models",
    "language model",
    {"redink": "redink.detectors.language_model:load_shipped"},
)
_NOT_LETTERS = re.compile(r"\W")


@dataclass(frozen=True, kw_only=True)
class _Changes(SentenceScores):
    """Sentences that a language model finds better or worse than their source."""

    threshold: Share = 0.8

    is_sum: ClassVar[bool] = True
    parts: ClassVar[tuple[Column, ...]] = (
        Column("better", "count"),
        Column("worse", "count"),
        Column("same", "count"),
    )

    @abstractmethod
    def perplexities(self, texts: Sequence[str]) -> FloatArray:
        """How unlikely each text is."""

    def rate(self, references: References, hypotheses: Hypotheses) -> FloatArray:
        """Whether each hypothesis is better than its source, worse, or the same."""
        sources, ours = lines(references, hypotheses)
        changed = [at for at, (a, b) in enumerate(zip(sources, ours, strict=True)) if a != b]
        # a source that many systems change is asked about once
        known: dict[str, float] = references.remember((self, "perplexities"), dict)
        texts = [*(sources[at] for at in changed), *(ours[at] for at in changed)]
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, self.perplexities(new).tolist(), strict=True))
        parts = np.zeros((len(sources), 3))
        parts[:, 2] = 1
        for at in changed:
            is_likelier = known[sources[at]] > known[ours[at]]
            is_better = is_likelier and is_close(sources[at], ours[at], self.threshold)
            parts[at] = (1, 0, 0) if is_better else (0, 1, 0)
        return parts

    def score(self, parts: FloatArray) -> FloatArray:
        """1, -1 or 0."""
        difference: FloatArray = parts[:, 0] - parts[:, 1]
        return difference


@dataclass(frozen=True, kw_only=True)
class Scribendi(_Changes, ModelScores):
    """The Scribendi score with a language model of the user's, such as GPT-2.

    Attributes:
        model: the folder of the language model.
        threshold: how close to its source a hypothesis must be, from 0 to 1.
    """

    model: str = ""

    name: ClassVar[str] = "scribendi"
    about: ClassVar[About | None] = About(
        rewards="sentences that become likelier",
        fails="does not see what stays wrong; ranks eager systems high",
        cite="Islam and Magnani 2021",
    )

    def models(self) -> Mapping[str, Model]:
        """The language model."""
        return {"model": self.find("model", self.model, "language-model")}

    def perplexities(self, texts: Sequence[str]) -> FloatArray:
        """By the user's model."""
        return self.models()["model"].perplexities(texts)


@dataclass(frozen=True, kw_only=True)
class ScribendiNgram(_Changes):
    """The same procedure with the 4-gram model that comes with redink, of English.

    Its scores are not those of the published metric.

    Attributes:
        threshold: how close to its source a hypothesis must be, from 0 to 1.
    """

    name: ClassVar[str] = "scribendi-ngram"
    about: ClassVar[About | None] = About(
        rewards="sentences that become likelier to a small 4-gram model",
        fails="does not see what stays wrong, nor words it does not know",
        cite="Islam and Magnani 2021 (another model)",
        people=(0.07, -0.53, 0.54),
        languages="en",
    )

    def perplexities(self, texts: Sequence[str]) -> FloatArray:
        """By the model that comes with redink; the end of a sentence is a word too."""
        tokens = [text.split() for text in texts]
        lengths = np.array([len(words) + 1 for words in tokens])
        logs = _SHIPPED.load("redink")().log_probabilities(tokens)
        perplexities: FloatArray = 10 ** (-logs / lengths)
        return perplexities


def is_close(source: str, hypothesis: str, threshold: float) -> bool:
    """Whether two texts are alike, letter by letter, in their order or with their words sorted."""
    as_they_are = Indel.normalized_similarity(source, hypothesis)
    first, second = _sorted(source), _sorted(hypothesis)
    # rounded to a hundredth, and 0 where nothing is left to compare, as in fuzzywuzzy
    by_words = Indel.normalized_similarity(first, second) if first and second else 0.0
    return max(as_they_are, round(100 * by_words) / 100) >= threshold


def _sorted(text: str) -> str:
    """The words in lower case and alphabetical order; of ASCII letters and digits alone."""
    ascii_only = text.encode("ascii", "ignore").decode()
    return " ".join(sorted(_NOT_LETTERS.sub(" ", ascii_only).lower().split()))
