"""Precision against recall, drawn."""

from __future__ import annotations

import pytest

from redink.model import Column, Table, make_table
from redink.reports.page.scatter import _curve, make_scatter


def board(*rows: tuple[str, float | None, float | None]) -> Table:
    columns = ["system", Column("precision", "rate"), Column("recall", "rate")]
    named = [dict(zip(("system", "precision", "recall"), row, strict=True)) for row in rows]
    return make_table([*columns, Column("f", "rate", title="F0.5")], named)


def test_f_is_the_same_along_a_curve() -> None:
    """Every point of a curve has its F, and lies in the picture."""
    points = _curve(0.4, 0.5, (0.1, 0.9), (0.0, 1.0))
    assert len(points) > 50
    for recall, precision in points:
        assert 1.25 * precision * recall / (0.25 * precision + recall) == pytest.approx(0.4)


def test_names_do_not_touch() -> None:
    """Systems that are close have names one below the other."""
    plot = make_scatter(board(("A", 0.5, 0.4), ("B", 0.501, 0.401), ("C", 0.7, 0.2)))
    assert plot is not None
    places = sorted(point["text_y"] for point in plot["points"] if point["name"] in "AB")
    assert places[1] - places[0] >= 15
    left, top, right, bottom = plot["frame"]
    assert all(left <= p["x"] <= right and top <= p["y"] <= bottom for p in plot["points"])


def test_one_system_has_no_picture() -> None:
    """There is nothing to compare."""
    assert make_scatter(board(("A", 0.5, 0.4), ("B", None, None))) is None
