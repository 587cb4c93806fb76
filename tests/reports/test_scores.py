"""Scores for people: the view, the grids of types, the pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from redink.errors import OptionError
from redink.model import Column, Table, make_table
from redink.reports.html import to_html
from redink.reports.plots.scores import draw_forest, draw_scores, draw_types
from redink.reports.plots.style import save_figure
from redink.reports.scores import type_grids, view_scores

COLUMNS = [
    Column("system"),
    Column("metric"),
    Column("type"),
    Column("level"),
    Column("tp", "count"),
    Column("fp", "count"),
    Column("fn", "count"),
    Column("precision", "rate"),
    Column("recall", "rate"),
    Column("f", "rate", title="F0.5"),
    Column("score", "score"),
    Column("low", "rate"),
    Column("high", "rate"),
    Column("rank", "count"),
    Column("group"),
]


def counted(system: str, tp: int, fn: int, **more: Any) -> dict[str, Any]:
    return {
        "system": system,
        "metric": "errant",
        "type": None,
        "tp": tp,
        "fp": 1,
        "fn": fn,
        "precision": tp / (tp + 1),
        "recall": tp / (tp + fn),
        "f": tp / (tp + 1),
        **more,
    }


def table_of(*rows: dict[str, Any]) -> Table:
    return make_table(COLUMNS, rows, signature={"redink": "test"}, groups="metric")


OVERALL = table_of(
    counted("A", 3, 1, low=0.5, high=0.8, rank=1, group="a"),
    counted("B", 2, 2, low=0.4, high=0.7, rank=2, group="a"),
    {"system": "A", "metric": "gleu", "score": 0.5, "low": 0.4, "high": 0.6, "rank": 1},
)
TYPED = table_of(
    counted("A", 3, 1),
    counted("A", 1, 0, type="NOUN"),
    counted("A", 2, 1, type="VERB"),
    counted("B", 2, 2),
    counted("B", 2, 1, type="VERB"),
)


def test_low_and_high_are_one_column() -> None:
    """The interval is text, F and score share a column, what is empty is left out."""
    view = view_scores(OVERALL)
    names = [column.name for column in view.columns]
    assert "type" not in names
    assert "level" not in names
    assert names[-3:] == ["headline", "interval", "group"]
    assert view.rows[0]["interval"] == "0.5000 – 0.8000"
    assert [row["headline"] for row in view.rows] == [0.75, 2 / 3, 0.5]
    headings = {column.name: column.heading for column in view.columns}
    assert headings["headline"] == "F0.5 / score"
    assert view_scores(table_of(*OVERALL.rows[:2])).columns[-3].heading == "F0.5"


def test_the_json_is_not_touched() -> None:
    """A view is another table: the rows of the result stay as they are."""
    before = OVERALL.to_dict()
    view_scores(OVERALL)
    assert OVERALL.to_dict() == before


def test_types_become_a_grid() -> None:
    """All types first, then by their number of gold edits; a type a system lacks is empty."""
    (grid,) = type_grids(TYPED)
    assert grid.systems == ("A", "B")
    assert grid.types == ("all", "VERB", "NOUN")
    assert grid.gold == (4, 3, 1)
    assert grid.values[2] == (0.5, None)
    view = view_scores(TYPED)
    assert [column.heading for column in view.columns] == ["metric", "type", "gold", "A", "B"]


def test_types_of_one_system_keep_their_counts() -> None:
    """With one system there is room for counts and measures of every type."""
    view = view_scores(table_of(*(row for row in TYPED.rows if row["system"] == "A")))
    assert [row["type"] for row in view.rows] == [None, "NOUN", "VERB"]
    assert {"tp", "fp", "fn", "precision", "recall"} <= {column.name for column in view.columns}


def test_names_are_escaped_in_html() -> None:
    """A system called <b> is shown, not obeyed."""
    rows = [dict(row, system="<b>") if row["system"] == "A" else row for row in TYPED.rows]
    text = to_html(view_scores(table_of(*rows)))
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert "redink-heatmap" in text


def test_darker_is_better() -> None:
    """The colours of a heat map get darker from 0 to 1, and stay within it."""
    (image,) = draw_types(TYPED).axes[0].images
    colours = image.to_rgba([value / 20 for value in range(21)])
    light = [float(sum(colour[:3])) for colour in colours]
    assert light == sorted(light, reverse=True)
    assert light[0] > 2.8
    beyond = image.to_rgba([-1.0, 2.0])
    assert beyond.tolist() == [colours[0].tolist(), colours[-1].tolist()]


def test_pictures_are_drawn_twice_the_same(tmp_path: Path) -> None:
    """The same scores give the same bytes: a panel for every metric, a cell for every type."""
    for number, table in enumerate((OVERALL, TYPED)):
        bytes_of = []
        for again in range(2):
            path = tmp_path / f"{number}-{again}.svg"
            save_figure(draw_scores(table), path)
            bytes_of.append(path.read_bytes())
        assert bytes_of[0] == bytes_of[1]
    assert len(draw_forest(OVERALL).axes) == 2
    assert len(draw_types(TYPED).axes[0].texts) == 6


def test_nothing_to_draw_is_an_error() -> None:
    """A table without scores, or without types, is refused in one sentence."""
    with pytest.raises(OptionError, match="no score"):
        draw_forest(table_of())
    with pytest.raises(OptionError, match="no error types"):
        draw_types(OVERALL)
