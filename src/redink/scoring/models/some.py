"""SOME (Yoshimura et al. 2020): models that learnt people's ratings.

Three models say how grammatical and how fluent a hypothesis is, and how well it keeps the meaning
of the source, each on a scale from 1 to 4. No reference is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from redink.model import Column, Hypotheses, References
from redink.options import Share
from redink.scoring.metric import About, FloatArray
from redink.scoring.models.loading import Model
from redink.scoring.models.reference_free import ModelScores, lines

_FOLDERS = {"grammar": ("grammer", "grammar"), "fluency": ("fluency",), "meaning": ("meaning",)}
"""What the folders are called; the first in the authors' spelling."""
_LOW, _HIGH = 1, 4


@dataclass(frozen=True, kw_only=True)
class Some(ModelScores):
    """Ratings of grammar, fluency and meaning, 0 for the lowest and 1 for the highest.

    Attributes:
        model: the folder with the authors' three folders ``grammer``, ``fluency``, ``meaning``.
        grammar: the weight of grammar in the score.
        fluency: of fluency.
        meaning: of meaning.
    """

    model: str = ""
    grammar: Share = 0.55
    fluency: Share = 0.43
    meaning: Share = 0.02

    name: ClassVar[str] = "some"
    about: ClassVar[About | None] = About(
        rewards="what models of people's ratings like",
        fails="fluent text with another meaning",
        cite="Yoshimura et al. 2020",
        languages="en",
    )
    parts: ClassVar[tuple[Column, ...]] = tuple(Column(name, "score") for name in _FOLDERS)

    def models(self) -> Mapping[str, Model]:
        """One for each rating."""
        found = {}
        for rating, names in _FOLDERS.items():
            places = [Path(self.model) / name for name in names]
            place = next((place for place in places if place.is_dir()), places[0])
            found[rating] = self.find("model", self.model and str(place), "regression")
        return found

    def rate(self, references: References, hypotheses: Hypotheses) -> FloatArray:
        """Grammar and fluency of the hypothesis alone, meaning beside the source."""
        sources, ours = lines(references, hypotheses)
        models = self.models()
        alone = [(text,) for text in ours]
        both = list(zip(sources, ours, strict=True))
        ratings = [
            models[rating].rate(both if rating == "meaning" else alone) for rating in _FOLDERS
        ]
        scaled: FloatArray = (np.stack(ratings, axis=-1) - _LOW) / (_HIGH - _LOW)
        return scaled

    def score(self, parts: FloatArray) -> FloatArray:
        """The weighted sum."""
        scores: FloatArray = parts @ np.array([self.grammar, self.fluency, self.meaning])
        return scores
