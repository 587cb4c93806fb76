"""What metrics that ask a model about every sentence have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from redink.errors import OptionError
from redink.model import Column, Hypotheses, References, Row
from redink.options import Positive
from redink.scoring.metric import FloatArray, Metric, Needs, Statistics
from redink.scoring.models.loading import Kind, Model


@dataclass(frozen=True, kw_only=True)
class SentenceScores(Metric):
    """A metric that gives every sentence parts and a score, whatever the other sentences are.

    The statistics hold ``parts`` (sentences, parts). References are not used.
    """

    needs: ClassVar[Needs] = "text"
    headline: ClassVar[str] = "score"
    parts: ClassVar[tuple[Column, ...]]
    """What a sentence has besides its score, each a number that can be summed."""
    is_sum: ClassVar[bool] = False
    """Whether a corpus has the sum of the scores of its sentences, and not their mean."""

    @abstractmethod
    def rate(self, references: References, hypotheses: Hypotheses) -> FloatArray:
        """The parts of every sentence, ``(sentences, parts)``."""

    @abstractmethod
    def score(self, parts: FloatArray) -> FloatArray:
        """The score of every sentence from its parts."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The parts and the score."""
        return (*self.parts, Column("score", "score", best="max"))

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Ask about every sentence."""
        return Statistics({"parts": self.rate(references, hypotheses)})

    def rows(self, statistics: Statistics) -> list[Row]:
        """Sums of counts, means of everything else."""
        parts = statistics["parts"]
        row: Row = {}
        for place, column in enumerate(self.parts):
            total = parts[:, place].sum() if column.kind == "count" else parts[:, place].mean()
            row[column.name] = int(total) if column.kind == "count" else float(total)
        ones = np.ones((1, len(statistics)))
        return [row | {"score": float(self.resample(statistics, ones)[0, 0])}]

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """The mean, or the sum, under each weighting."""
        sums: FloatArray = weights @ self.score(statistics["parts"])
        return (sums if self.is_sum else sums / weights.sum(axis=1))[:, None]

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """The parts and the score of every sentence."""
        parts = statistics["parts"]
        names = [column.name for column in self.parts]
        scores = self.score(parts).tolist()
        return [
            dict(zip(names, own, strict=True)) | {"score": score}
            for own, score in zip(parts.tolist(), scores, strict=True)
        ]


@dataclass(frozen=True, kw_only=True)
class ModelScores(SentenceScores):
    """A metric that needs a user's own models.

    Attributes:
        device: where the model runs: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` ...
        batch: how many sentences go through it at once.
        max_length: sentences are cut after so many tokens of the model.
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
        """The models, whose folders are looked at as soon as the metric is made."""

    def find(self, option: str, folder: str, kind: Kind) -> Model:
        """The model in a folder that an option names."""
        if not folder:
            raise OptionError(
                f"{self.name} needs a model of yours: {self.name}({option}=FOLDER), a folder as "
                "transformers saves it"
            )
        return Model(folder, kind, self.device, self.batch, self.max_length)

    def signature(self) -> dict[str, Any]:
        """The fingerprints of the models."""
        return {name: model.fingerprint() for name, model in self.models().items()}


def lines(references: References, hypotheses: Hypotheses) -> tuple[list[str], list[str]]:
    """Sources and hypotheses as text."""
    return [str(text) for text in references.sources], [str(text) for text in hypotheses.texts]
