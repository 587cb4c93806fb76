"""Precision against recall: a point for every system, and curves along which F is the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from redink.model import Table

_WIDTH, _HEIGHT = 640, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 12, 46
_CURVES = tuple(f / 10 for f in range(1, 10))
_LINE = 19
"""How far apart two labels are at least."""


def make_scatter(table: Table) -> dict[str, Any] | None:
    """Where everything in the picture stands; None where fewer than two systems have both."""
    rows = [
        row
        for row in table.rows
        if row.get("precision") is not None and row.get("recall") is not None
    ]
    if len(rows) < 2:
        return None
    title = next((column.heading for column in table.columns if column.name == "f"), "F")
    number = re.search(r"[0-9.]+$", title)
    beta = float(number[0]) if number else 0.5
    across = _scale([row["recall"] for row in rows])
    up = _scale([row["precision"] for row in rows])

    def x(value: float) -> float:
        return round(
            _LEFT + (value - across[0]) / (across[1] - across[0]) * (_WIDTH - _LEFT - _RIGHT), 1
        )

    def y(value: float) -> float:
        return round(
            _HEIGHT - _BOTTOM - (value - up[0]) / (up[1] - up[0]) * (_HEIGHT - _TOP - _BOTTOM), 1
        )

    return {
        "label": f"Precision against recall, in percent; along a curve {title} is the same",
        "width": _WIDTH,
        "height": _HEIGHT,
        "frame": (_LEFT, _TOP, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM),
        "across": [(x(value), f"{100 * value:.0f}") for value in _ticks(across)],
        "up": [(y(value), f"{100 * value:.0f}") for value in _ticks(up)],
        "curves": [
            (
                " ".join(f"{x(r)},{y(p)}" for r, p in points),
                f"{100 * f:.0f}",
                x(points[-1][0]),
                y(points[-1][1]),
            )
            for f in _CURVES
            if len(points := _curve(f, beta, across, up)) > 1
        ],
        "points": _label([(x(row["recall"]), y(row["precision"]), row) for row in rows]),
    }


Span = tuple[float, float]


def _scale(values: Sequence[float]) -> Span:
    """Whole tenths around the values, with room for labels."""
    low = max(0.0, int(min(values) * 10 - 0.3) / 10)
    high = min(1.0, int(max(values) * 10 + 1.6) / 10)
    return low, max(high, low + 0.1)


def _ticks(span: Span) -> list[float]:
    count = round((span[1] - span[0]) * 10)
    return [span[0] + step / 10 for step in range(count + 1)]


def _curve(f: float, beta: float, across: Span, up: Span) -> list[tuple[float, float]]:
    """Recall and precision that give this F, within the picture."""
    points = []
    for step in range(201):
        recall = across[0] + (across[1] - across[0]) * step / 200
        below = (1 + beta**2) * recall - beta**2 * f
        precision = f * recall / below if below > 0 else 2.0
        if up[0] <= precision <= up[1]:
            points.append((recall, precision))
    return points


def _label(points: Sequence[tuple[float, float, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The points with their names; names that would touch are moved apart, to the left or down."""
    made: list[dict[str, Any]] = []
    for x, y, row in sorted(points, key=lambda point: point[1]):
        name = str(row["system"])
        wide = 9 * len(name) + 12
        left = x + wide > _WIDTH - _RIGHT
        at = y + 4
        while any(
            abs(at - other["text_y"]) < _LINE and abs(x - other["x"]) < max(wide, other["wide"])
            for other in made
        ):
            at += _LINE
        made.append(
            {
                "name": name,
                "x": x,
                "y": y,
                "text_x": x - 9 if left else x + 9,
                "text_y": at,
                "anchor": "end" if left else "start",
                "wide": wide,
            }
        )
    return made
