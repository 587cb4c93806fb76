"""Metric scores of systems and of sentences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The score of one system under one metric; higher is better.

    ``precision`` and ``recall`` are those of an F score, if the file has them.
    """

    system: str
    metric: str
    score: float
    precision: float | None = None
    recall: float | None = None


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """The score of one system's output for one sentence under one metric."""

    sentence: str
    system: str
    metric: str
    score: float
