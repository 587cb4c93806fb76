"""Human judgments (labels of items; rankings, ratings and comparisons of outputs) and scores."""

from __future__ import annotations

from dataclasses import dataclass, field

from redink.errors import DataError


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judge's label for one item.

    Attributes:
        item: the ID of the item.
        judge: the name or ID of the judge.
        label: the label, as in the file.
        gold: the known correct answer, if the item is a gold question.
        confidence: the judge's confidence, as in the file.
        duration: seconds spent.
        time: time of the judgment, as in the file (ISO 8601 in files that redink writes).
        extra: further columns of the file.
    """

    item: str
    judge: str
    label: str
    gold: str | None = None
    confidence: str | None = None
    duration: float | None = None
    time: str | None = None
    extra: tuple[tuple[str, str], ...] = ()

    @property
    def excluded(self) -> bool:
        """Whether the file marks the judgment as excluded."""
        return ("excluded", "yes") in self.extra


@dataclass(frozen=True, slots=True)
class RankedOutput:
    """One distinct output and all systems that produced it, at one rank (1 is best)."""

    rank: int
    systems: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.systems:
            raise DataError("a ranked output needs at least one system")


@dataclass(frozen=True, slots=True)
class Ranking:
    """One judge's ranking of the distinct outputs for one sentence.

    Attributes:
        sentence: the ID of the source sentence (``src-id`` in Appraise).
        judge: the name or ID of the judge.
        outputs: the distinct outputs in the order shown; equal ranks are ties.
        id: the ID of the task item, if the file has one.
        duration: seconds spent.
        extra: further attributes of the file.
    """

    sentence: str
    judge: str
    outputs: tuple[RankedOutput, ...]
    id: str | None = None
    duration: float | None = None
    extra: tuple[tuple[str, str], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Comparison:
    """One judge's comparison of two systems on one sentence.

    ``outcome`` is 1 when ``first`` is better, -1 when ``second`` is better, 0 for a tie.
    """

    sentence: str
    judge: str
    first: str
    second: str
    outcome: int


@dataclass(frozen=True, slots=True)
class Rating:
    """One judge's rating of one system's output for one sentence; higher is better."""

    sentence: str
    system: str
    judge: str
    value: float


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The score of one system under one metric; higher is better.

    If ``score`` is an F score, ``precision`` and ``recall`` are its parts, if the file has them.
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
