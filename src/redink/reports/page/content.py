"""What a report holds: sections of tables and charts, and the sentences with their edits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from redink.model import Table

Verdict = Literal["TP", "FP", "FN"]


@dataclass(frozen=True, slots=True)
class JudgedEdit:
    """An edit of a system, or one that it missed, and what the metric says of it."""

    start: int
    end: int
    correction: str
    type: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class ReferenceEdit:
    """An edit of an annotator."""

    start: int
    end: int
    correction: str
    type: str


@dataclass(frozen=True)
class SentenceView:
    """One sentence: the source, each annotator's edits, each system's edits with verdicts."""

    source: str
    references: dict[str, tuple[ReferenceEdit, ...]]
    systems: dict[str, tuple[JudgedEdit, ...]]


@dataclass(frozen=True)
class Section:
    """A heading, a sentence of introduction, and what follows it.

    ``chart`` draws the table besides: ``forest`` a score with its interval, ``pairs`` two scores
    of each system, ``heat`` the cells in colour.
    """

    id: str
    title: str
    about: str
    tables: tuple[Table, ...]
    chart: Literal["forest", "pairs", "heat", "none"] = "none"


@dataclass(frozen=True)
class Report:
    """Everything on the page."""

    title: str
    facts: tuple[str, ...]
    sections: tuple[Section, ...]
    sentences: tuple[SentenceView, ...] = field(default=())
    systems: tuple[str, ...] = ()
    signature: str = ""
