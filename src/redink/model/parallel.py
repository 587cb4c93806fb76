"""Parallel text: a sentence and what others would have written instead."""

from __future__ import annotations

from dataclasses import dataclass

from redink.model.text import Sentence


@dataclass(frozen=True, slots=True)
class ParallelSentence:
    """A source sentence and its corrected texts, one for every column or file, in order."""

    source: Sentence
    corrected: tuple[Sentence, ...]
