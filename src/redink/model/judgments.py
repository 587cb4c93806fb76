"""What people said: labels given to items, rankings and ratings of outputs, and comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field

from redink.errors import DataError


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judge's label for one item.

    Attributes:
        item: what was judged.
        judge: who judged it.
        label: what was said, as written in the file.
        gold: the known right answer, where the item is a gold question.
        confidence: how sure the judge was, as written.
        duration: seconds spent.
        time: when, as written (ISO 8601 where we write it).
        extra: further columns of the file, kept so that nothing is lost.
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
        """Whether it is marked as one of a judge who was excluded."""
        return ("excluded", "yes") in self.extra


@dataclass(frozen=True, slots=True)
class RankedOutput:
    """One distinct output and all systems that produced it, at one rank (1 is best)."""

    rank: int
    systems: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.systems:
            raise DataError("a ranked output needs the systems that produced it")


@dataclass(frozen=True, slots=True)
class Ranking:
    """One judge's ranking of the distinct outputs for one sentence.

    Attributes:
        sentence: the id of the source sentence (``src-id`` in Appraise).
        judge: who ranked.
        outputs: the distinct outputs in the order shown, equal ranks being ties.
        id: the id of the task item, where the file gives one.
        duration: seconds spent.
        extra: further attributes of the file, kept so that nothing is lost.
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
