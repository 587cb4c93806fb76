"""Extraneous prepositions by a language model: is the sentence likelier without them?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from redink.detectors.findings import Finding, Thresholds
from redink.detectors.language_model import LanguageModel, deletion_log_odds
from redink.detectors.prepositions import preposition_at

_STEEPEST = 500.0


@dataclass(frozen=True)
class LanguageModelDetector:
    """Marks a preposition without which a sentence is likelier, word by word; a draw is OK."""

    model: LanguageModel

    @property
    def thresholds(self) -> Thresholds:
        """Even odds: the sentence without the preposition must be the likelier."""
        return {"extraneous": 0.5}

    def examine(self, sentences: Sequence[tuple[str, ...]]) -> list[list[Finding]]:
        """A finding for every preposition, its confidence made from the log odds."""
        found = []
        for tokens in sentences:
            lower = [token.lower() for token in tokens]
            places = [at for at in range(len(lower)) if preposition_at(lower, at) is not None]
            odds = deletion_log_odds(self.model, tokens, places) if places else []
            found.append(
                [
                    Finding(at, "extraneous", "", to_probability(value))
                    for at, value in zip(places, odds, strict=True)
                ]
            )
        return found


def to_probability(log_odds: float) -> float:
    """Natural log odds as a probability; 0 becomes one half."""
    return 1 / (1 + math.exp(-min(max(log_odds, -_STEEPEST), _STEEPEST)))
