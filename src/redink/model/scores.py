"""What metrics said: scores of systems, and scores of single sentences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The score of one system under one metric.

    Attributes:
        system: the system.
        metric: the metric.
        score: higher is better.
        precision: where the metric is an F score and the file says so.
        recall: likewise.
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
