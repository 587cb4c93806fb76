"""What a report holds: sections of tables and charts, and the sentences with their edits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from redink.model import Table
from redink.reports.page.sentences import SentenceIndex


@dataclass(frozen=True)
class Section:
    """A heading, a sentence of introduction, and what follows it.

    ``chart`` draws the table besides: ``forest`` a score with its interval, ``pairs`` two scores
    of each system, ``heat`` the cells in colour. ``leads_to_sentences`` says that its counts
    are of the very edits that the sentences show; ``short`` is its name among the links.
    """

    id: str
    title: str
    about: str
    tables: tuple[Table, ...]
    chart: Literal["forest", "pairs", "heat", "none"] = "none"
    leads_to_sentences: bool = False
    short: str = ""


@dataclass(frozen=True)
class Report:
    """Everything on the page."""

    title: str
    facts: tuple[str, ...]
    sections: tuple[Section, ...]
    sentences: SentenceIndex
    signature: str = ""
