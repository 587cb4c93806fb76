"""Reference-free metrics that use a model: Scribendi, SOME, IMPARA."""

from __future__ import annotations

import importlib
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from rapidfuzz.distance import Indel

from redink.errors import OptionError
from redink.model import Column, Hypotheses, References, Row
from redink.options import Positive, Share
from redink.scoring.metric import About, FloatArray, Statistics, SummedMetric
from redink.scoring.model_runner import Model, ModelKind

_NOT_LETTERS = re.compile(r"\W")
_SOME_FOLDERS = {
    # first in the authors' spelling
    "grammar": ("grammer", "grammar"),
    "fluency": ("fluency",),
    "meaning": ("meaning",),
}
_SOME_LOW, _SOME_HIGH = 1, 4


@dataclass(frozen=True, kw_only=True)
class SentenceScores(SummedMetric):
    """A metric that computes parts and a score of every sentence, independent of other sentences.

    The statistics have ``counts`` (sentences, parts).
    """

    parts: ClassVar[tuple[Column, ...]]
    """The columns of a sentence besides its score; their numbers can be summed."""
    is_sum: ClassVar[bool] = False
    """Whether the corpus score is the sum of the sentence scores instead of their mean."""

    @abstractmethod
    def rate(self, references: References, hypotheses: Hypotheses) -> FloatArray:
        """Return the parts of every sentence, ``(sentences, parts)``."""

    @abstractmethod
    def score_parts(self, parts: FloatArray) -> FloatArray:
        """Return the score of every sentence from its parts."""

    @property
    def is_mean(self) -> bool:
        return not self.is_sum

    @property
    def columns(self) -> tuple[Column, ...]:
        return (*self.parts, Column("score", "score", best="max"))

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        return Statistics({"counts": self.rate(references, hypotheses)})

    def score(self, sums: FloatArray) -> dict[str, FloatArray]:
        parts = {column.name: sums[..., place] for place, column in enumerate(self.parts)}
        return parts | {"score": self.score_parts(sums)}

    def rows(self, statistics: Statistics) -> list[Row]:
        """Return sums of counts and means of all other values."""
        (row,) = super().rows(statistics)
        for place, column in enumerate(self.parts):
            if column.kind == "count":
                row[column.name] = int(statistics["counts"][:, place].sum())
        return [row]


@dataclass(frozen=True, kw_only=True)
class ModelScores(SentenceScores):
    """A metric that needs the user's own models.

    Attributes:
        device: where the model runs: ``auto`` (a GPU if there is one), ``cpu``, ``cuda`` ...
        batch: number of sentences per batch.
        max_length: maximum number of model tokens; longer sentences are truncated.
    """

    device: str = "auto"
    batch: Positive = 32
    max_length: Positive = 128

    needs_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.models()

    @abstractmethod
    def models(self) -> Mapping[str, Model]:
        """Return the models; an invalid folder is an error when the metric is created."""

    def find(self, option: str, folder: str, kind: ModelKind) -> Model:
        """Return the model in the folder given for an option."""
        if not folder:
            raise OptionError(
                f"{self.name} needs your own model: {self.name}({option}=FOLDER), a folder in "
                "the format of transformers"
            )
        return Model(folder, kind, self.device, self.batch, self.max_length)

    def signature(self) -> dict[str, Any]:
        return {name: model.fingerprint() for name, model in self.models().items()}


@dataclass(frozen=True, kw_only=True)
class PerplexityScores(SentenceScores):
    """The Scribendi score (Islam and Magnani 2021): whether each change improves a sentence.

    A hypothesis that a language model finds more likely than its source, and that is similar to it,
    scores 1; any other change scores -1, and an unchanged sentence 0. The corpus score is the sum.
    """

    threshold: Share = 0.8

    is_sum: ClassVar[bool] = True
    parts: ClassVar[tuple[Column, ...]] = (
        Column("better", "count"),
        Column("worse", "count"),
        Column("same", "count"),
    )

    @abstractmethod
    def perplexities(self, texts: Sequence[str]) -> FloatArray:
        """Return the perplexity of each text."""

    def rate(self, references: References, hypotheses: Hypotheses) -> FloatArray:
        """Return 1, -1 or 0 for each hypothesis that is better, worse, or unchanged."""
        sources, ours = lines(references, hypotheses)
        changed = [at for at, (a, b) in enumerate(zip(sources, ours, strict=True)) if a != b]
        texts = list(dict.fromkeys(side[at] for side in (sources, ours) for at in changed))
        known = dict(zip(texts, self.perplexities(texts).tolist(), strict=True))
        parts = np.zeros((len(sources), 3))
        parts[:, 2] = 1
        for at in changed:
            is_likelier = known[sources[at]] > known[ours[at]]
            is_better = is_likelier and is_close(sources[at], ours[at], self.threshold)
            parts[at] = (1, 0, 0) if is_better else (0, 1, 0)
        return parts

    def score_parts(self, parts: FloatArray) -> FloatArray:
        difference: FloatArray = parts[..., 0] - parts[..., 1]
        return difference


@dataclass(frozen=True, kw_only=True)
class Scribendi(PerplexityScores, ModelScores):
    """The Scribendi score with the user's own language model, such as GPT-2.

    Attributes:
        model: folder of the language model.
        threshold: minimum similarity of hypothesis and source, from 0 to 1.
    """

    model: str = ""

    name: ClassVar[str] = "scribendi"
    about: ClassVar[About | None] = About(
        rewards="sentences that become more likely",
        fails="ignores errors that remain; ranks systems with many changes high",
        cite="Islam and Magnani 2021",
    )

    def models(self) -> Mapping[str, Model]:
        return {"model": self.find("model", self.model, "language-model")}

    def perplexities(self, texts: Sequence[str]) -> FloatArray:
        return self.models()["model"].perplexities(texts)


@dataclass(frozen=True, kw_only=True)
class ScribendiNgram(PerplexityScores):
    """The Scribendi score with redink's built-in 4-gram model of English.

    Its scores are not those of the published metric.

    Attributes:
        threshold: minimum similarity of hypothesis and source, from 0 to 1.
    """

    name: ClassVar[str] = "scribendi-ngram"
    about: ClassVar[About | None] = About(
        rewards="sentences that become more likely under a small 4-gram model",
        fails="ignores errors that remain and words outside its vocabulary",
        cite="Islam and Magnani 2021 (another model)",
        people=(0.07, -0.53, 0.54),
        languages="en",
    )

    def perplexities(self, texts: Sequence[str]) -> FloatArray:
        tokens = [text.split() for text in texts]
        lengths = np.array([len(words) + 1 for words in tokens])  # including the end
        # the model is in a higher layer; only this metric needs it
        language_model = importlib.import_module("redink.detectors.language_model")
        logs = language_model.load_shipped().log_probabilities(tokens)
        perplexities: FloatArray = 10 ** (-logs / lengths)
        return perplexities


@dataclass(frozen=True, kw_only=True)
class Some(ModelScores):
    """SOME (Yoshimura et al. 2020): models trained on human ratings, without references.

    The ratings of grammar, fluency and meaning are from 0 (lowest) to 1 (highest).

    Attributes:
        model: folder with the authors' three folders ``grammer``, ``fluency``, ``meaning``.
        grammar: weight of grammar in the score.
        fluency: weight of fluency.
        meaning: weight of meaning.
    """

    model: str = ""
    grammar: Share = 0.55
    fluency: Share = 0.43
    meaning: Share = 0.02

    name: ClassVar[str] = "some"
    about: ClassVar[About | None] = About(
        rewards="high ratings by models trained on human ratings",
        fails="fluent text with another meaning",
        cite="Yoshimura et al. 2020",
        languages="en",
    )
    parts: ClassVar[tuple[Column, ...]] = tuple(Column(name, "score") for name in _SOME_FOLDERS)

    def models(self) -> Mapping[str, Model]:
        found = {}
        for rating, names in _SOME_FOLDERS.items():
            places = [Path(self.model) / name for name in names]
            place = next((place for place in places if place.is_dir()), places[0])
            found[rating] = self.find("model", self.model and str(place), "regression")
        return found

    def rate(self, references: References, hypotheses: Hypotheses) -> FloatArray:
        """Rate grammar and fluency of the hypothesis, and its meaning compared with the source."""
        sources, ours = lines(references, hypotheses)
        models = self.models()
        alone = [(text,) for text in ours]
        both = list(zip(sources, ours, strict=True))
        ratings = [
            models[rating].rate(both if rating == "meaning" else alone) for rating in _SOME_FOLDERS
        ]
        scaled: FloatArray = (np.stack(ratings, axis=-1) - _SOME_LOW) / (_SOME_HIGH - _SOME_LOW)
        return scaled

    def score_parts(self, parts: FloatArray) -> FloatArray:
        scores: FloatArray = parts @ np.array([self.grammar, self.fluency, self.meaning])
        return scores


@dataclass(frozen=True, kw_only=True)
class Impara(ModelScores):
    """IMPARA (Maeda et al. 2022): a model of the impact of corrections, without references.

    The quality of a hypothesis is the model's rating, or 0 if it differs too much from its source.

    Attributes:
        quality: folder of the quality model.
        similarity: folder of the encoder that measures the similarity of source and hypothesis.
        threshold: minimum similarity.
    """

    quality: str = ""
    similarity: str = ""
    threshold: Share = 0.9

    name: ClassVar[str] = "impara"
    about: ClassVar[About | None] = About(
        rewards="high ratings by a model of the impact of corrections",
        fails="ignores small changes of meaning",
        cite="Maeda et al. 2022",
        languages="en",
    )
    parts: ClassVar[tuple[Column, ...]] = (
        Column("quality", "score"),
        Column("similarity", "score"),
        Column("unlike", "count"),
    )

    def models(self) -> Mapping[str, Model]:
        return {
            "quality": self.find("quality", self.quality, "regression"),
            "similarity": self.find("similarity", self.similarity, "encoder"),
        }

    def rate(self, references: References, hypotheses: Hypotheses) -> FloatArray:
        """Return quality (0 to 1), similarity to the source, and whether that is too low."""
        sources, ours = lines(references, hypotheses)
        models = self.models()
        quality = 1 / (1 + np.exp(-models["quality"].rate([(text,) for text in ours])))
        vectors = models["similarity"].embed([*sources, *ours])
        left, right = vectors[: len(sources)], vectors[len(sources) :]
        lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        similarity = (left * right).sum(axis=1) / np.maximum(lengths, 1e-8)
        return np.stack([quality, similarity, similarity < self.threshold], axis=-1)

    def score_parts(self, parts: FloatArray) -> FloatArray:
        return np.where(parts[..., 2] > 0, 0.0, parts[..., 0])


def lines(references: References, hypotheses: Hypotheses) -> tuple[list[str], list[str]]:
    """Return sources and hypotheses as text."""
    return [str(text) for text in references.sources], [str(text) for text in hypotheses.texts]


def is_close(source: str, hypothesis: str, threshold: float) -> bool:
    """Return whether two texts are similar by characters, with words in order or sorted."""
    as_they_are = Indel.normalized_similarity(source, hypothesis)
    first, second = _sorted(source), _sorted(hypothesis)
    # rounded to a hundredth, and 0 if nothing is left to compare, as in fuzzywuzzy
    by_words = Indel.normalized_similarity(first, second) if first and second else 0.0
    return max(as_they_are, round(100 * by_words) / 100) >= threshold


def _sorted(text: str) -> str:
    """Return the words in lower case, sorted, with ASCII letters and digits only."""
    ascii_only = text.encode("ascii", "ignore").decode()
    return " ".join(sorted(_NOT_LETTERS.sub(" ", ascii_only).lower().split()))
