"""The leaderboard page of a shared task: tables one below the other, and links to the reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redink.model import Table
from redink.reports.html import load_templates, to_html


@dataclass(frozen=True)
class Section:
    """A table with a heading.

    Attributes:
        title: the heading.
        table: the scores.
        link: where everything about them stands.
    """

    title: str
    table: Table
    link: str | None


def render_board(title: str, sections: Sequence[Section], notes: Sequence[str]) -> str:
    """The page, which stands alone."""
    template = load_templates().get_template("board.html")
    parts = [
        {"title": each.title, "html": to_html(each.table, styled=True), "link": each.link}
        for each in sections
    ]
    return template.render(title=title, notes=notes, sections=parts)
