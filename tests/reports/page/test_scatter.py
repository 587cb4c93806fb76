"""Precision against recall, drawn."""

from __future__ import annotations

from itertools import combinations

import pytest

from redink.model import Column, Table, make_table
from redink.reports.page.charts import _curve, _overlap, make_scatter


def board(*rows: tuple[str, float | None, float | None]) -> Table:
    columns = ["system", Column("precision", "rate"), Column("recall", "rate")]
    named = [dict(zip(("system", "precision", "recall"), row, strict=True)) for row in rows]
    return make_table([*columns, Column("f", "rate", title="F0.5")], named)


def test_f_is_the_same_along_a_curve() -> None:
    points = _curve(0.4, 0.5, (0.1, 0.9), (0.0, 1.0))
    assert len(points) > 50
    for recall, precision in points:
        assert 1.25 * precision * recall / (0.25 * precision + recall) == pytest.approx(0.4)


def test_names_do_not_touch() -> None:
    """However close systems are, their names are apart; a name that had to go far has a line."""
    close = [(f"system {n}", 0.5 + n / 1000, 0.4 + n / 1000) for n in range(8)]
    plot = make_scatter(board(*close, ("C", 0.7, 0.2)))
    assert plot is not None
    boxes = [
        (start, p["text_y"] - 12, start + 9 * len(p["name"]), p["text_y"] + 4)
        for p in plot["points"]
        for start in [p["text_x"] - (9 * len(p["name"]) if p["anchor"] == "end" else 0)]
    ]
    for one, other in combinations(boxes, 2):
        assert not _overlap(one, other)
    assert any(point["line"] for point in plot["points"])
    left, top, right, bottom = plot["frame"]
    assert all(left <= p["x"] <= right and top <= p["y"] <= bottom for p in plot["points"])


def test_a_system_that_proposes_nothing_is_left_out() -> None:
    rows = [
        {"system": n, "precision": p, "recall": r, "tp": t, "fp": t}
        for n, p, r, t in [("A", 0.5, 0.4, 5), ("B", 0.6, 0.3, 4), ("INPUT", 1.0, 0.0, 0)]
    ]
    plot = make_scatter(make_table([*board().columns, "tp", "fp"], rows))
    assert plot is not None
    assert {point["name"] for point in plot["points"]} == {"A", "B"}
    assert plot["label"].endswith("Not shown (no edits proposed): INPUT")


def test_one_system_has_no_picture() -> None:
    assert make_scatter(board(("A", 0.5, 0.4), ("B", None, None))) is None
