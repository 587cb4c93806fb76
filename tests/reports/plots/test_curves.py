"""The picture of threshold curves shows what the tables say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from redink.model import Column, Table, make_table
from redink.reports.plots.sample_plots import draw_curves

NAMES = ("threshold", "precision", "recall", "f", "fpr", "kappa", "bias")
POINTS = [
    (None, None, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.9, 1.0, 0.5, 0.8, 0.0, 0.6, 0.1),
    (0.1, 0.2, 1.0, 0.2, 1.0, 0.0, 1.0),
]


def points_of(systems: list[str], *, unit: str = "token") -> list[dict[str, Any]]:
    return [
        {"system": system, "unit": unit, "annotators": "0", **dict(zip(NAMES, point, strict=True))}
        for system in systems
        for point in POINTS
    ]


def as_table(rows: list[dict[str, Any]]) -> Table:
    return make_table([Column(name) for name in rows[0]], rows)


def texts_of(figure: Any) -> list[str]:
    """All that is written in the panels and the legend."""
    panels = [text.get_text() for axes in figure.axes for text in axes.texts]
    return panels + [text.get_text() for text in figure.legends[0].get_texts()]


def test_every_system_is_in_every_panel() -> None:
    """Two systems are two lines in each of the first three panels; P, R and F double that."""
    figure = draw_curves(as_table(points_of(["one", "two"])))
    curves = [
        [line for line in axes.lines if line.get_color() != "#888888" and len(line.get_xdata()) > 1]
        for axes in figure.axes
    ]
    assert [len(found) for found in curves] == [2, 2, 2, 6]
    assert texts_of(figure) == ["one", "two"]
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["Precision and recall", "ROC", "Kappa", "Against bias"]


def test_undefined_points_are_left_out_and_the_first_step_begins_at_recall_0() -> None:
    """Where nothing is flagged there is no precision; its line begins with the first that is."""
    figure = draw_curves(as_table(points_of(["one"])))
    line = figure.axes[0].lines[0]
    assert list(line.get_xdata()) == [0.0, 0.5, 1.0]
    assert list(line.get_ydata()) == [1.0, 1.0, 0.2]


def test_areas_are_written_beside_the_curves() -> None:
    """The table of areas gives the numbers, and the point that is marked."""
    row = {
        **points_of(["one"])[1],
        "average_precision": 0.6125,
        "roc_area": 0.75,
        "kappa_area": 0.3,
    }
    figure = draw_curves(replace(as_table(points_of(["one"])), extra={"areas": [row]}))
    assert texts_of(figure) == ["one: AP 0.613", "one: area 0.750", "one: AUK 0.300", "one"]
    marks = [line for line in figure.axes[1].lines if list(line.get_xdata()) == [0.0]]
    assert [list(mark.get_ydata()) for mark in marks] == [[0.5]]
    other = draw_curves(replace(as_table([row]), extra={"points": points_of(["one"])}))
    assert texts_of(other) == texts_of(figure)


def test_a_system_with_one_point_is_a_mark() -> None:
    """A system without scores has no line, but it is in the picture and the legend."""
    rows = points_of(["one"]) + points_of(["dot"])[1:2]
    figure = draw_curves(as_table(rows))
    mark = figure.axes[0].lines[-1]
    assert (mark.get_linestyle(), list(mark.get_xdata())) == ("None", [0.5])
    assert texts_of(figure) == ["one", "dot"]


@pytest.mark.parametrize(("units", "labels"), [(["token"], ["one"]), (["token", "sentence"], None)])
def test_labels_say_what_differs(units: list[str], labels: list[str] | None) -> None:
    """The unit is in the legend only where there are several."""
    rows = [row for unit in units for row in points_of(["one"], unit=unit)]
    assert texts_of(draw_curves(as_table(rows))) == (labels or ["one, token", "one, sentence"])
