"""IMPARA (Maeda et al. 2022): a model that learnt which of two corrections has more impact.

The quality of a hypothesis is what the model says of it, unless it has become too unlike its
source: then it is 0. No reference is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from redink.model import Column, Hypotheses, References
from redink.options import Share
from redink.scoring.metric import About, FloatArray
from redink.scoring.models.loading import Model
from redink.scoring.models.reference_free import ModelScores, lines


@dataclass(frozen=True, kw_only=True)
class Impara(ModelScores):
    """Quality, where the meaning is kept.

    Attributes:
        quality: the folder of the model of quality.
        similarity: the folder of the encoder that says how alike source and hypothesis are.
        threshold: the least similarity.
    """

    quality: str = ""
    similarity: str = ""
    threshold: Share = 0.9

    name: ClassVar[str] = "impara"
    about: ClassVar[About | None] = About(
        rewards="what a model of corrections' impact likes",
        fails="does not see small changes of meaning",
        cite="Maeda et al. 2022",
        languages="en",
    )
    parts: ClassVar[tuple[Column, ...]] = (
        Column("quality", "score"),
        Column("similarity", "score"),
        Column("unlike", "count"),
    )

    def models(self) -> Mapping[str, Model]:
        """Of quality and of similarity."""
        return {
            "quality": self.find("quality", self.quality, "regression"),
            "similarity": self.find("similarity", self.similarity, "encoder"),
        }

    def rate(self, references: References, hypotheses: Hypotheses) -> FloatArray:
        """Quality from 0 to 1, the cosine of source and hypothesis, and whether that is too low."""
        sources, ours = lines(references, hypotheses)
        models = self.models()
        quality = 1 / (1 + np.exp(-models["quality"].rate([(text,) for text in ours])))
        vectors = models["similarity"].embed([*sources, *ours])
        left, right = vectors[: len(sources)], vectors[len(sources) :]
        lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        similarity = (left * right).sum(axis=1) / np.maximum(lengths, 1e-8)
        return np.stack([quality, similarity, similarity < self.threshold], axis=-1)

    def score(self, parts: FloatArray) -> FloatArray:
        """The quality, or 0."""
        return np.where(parts[:, 2] > 0, 0.0, parts[:, 0])
