"""Precision against recall: a point for every system, and curves along which F is the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from redink.model import Table

_WIDTH, _HEIGHT = 520, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 12, 46
_CURVES = tuple(f / 10 for f in range(1, 10))
_STEPS, _SHORTEST = 200, 20
"""A curve is made of so many points; one with fewer than the shortest is only a corner."""
_LETTER, _LINE = 11, 16
"""About as wide and as high as a letter of a name is."""
_RADIUS = 6


def make_scatter(table: Table) -> dict[str, Any] | None:
    """Where everything in the picture stands; None where fewer than two systems have both.

    A system that proposes nothing has no precision to show, whatever a scorer calls it.
    """
    measured = [
        row
        for row in table.rows
        if row.get("precision") is not None and row.get("recall") is not None
    ]
    rows = [row for row in measured if row.get("tp") != 0 or row.get("fp") != 0]
    idle = [str(row["system"]) for row in measured if row not in rows]
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
        "label": f"Precision against recall, in percent; along a curve {title} is the same"
        + (f"; without {', '.join(idle)}, which proposes nothing" if idle else ""),
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
            if len(points := _curve(f, beta, across, up)) > _SHORTEST
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
    for step in range(_STEPS + 1):
        recall = across[0] + (across[1] - across[0]) * step / _STEPS
        below = (1 + beta**2) * recall - beta**2 * f
        precision = f * recall / below if below > 0 else 2.0
        if up[0] <= precision <= up[1]:
            points.append((recall, precision))
    return points


Box = tuple[float, float, float, float]
_SIDES = ((1, 0), (-1, 0), (0.7, -1), (0.7, 1), (-0.7, -1), (-0.7, 1), (0, -1), (0, 1))


def _label(points: Sequence[tuple[float, float, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The points with their names, each as near as it can be without touching another.

    A name that had to go further has a line to its point.
    """
    taken: list[Box] = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y, _ in points]
    made: list[dict[str, Any]] = []
    for x, y, row in sorted(points, key=lambda point: point[1]):
        name = str(row["system"])
        wide = _LETTER * min(len(name), 27) + 8
        far, box = _find_place(x, y, wide, taken)
        taken.append(box)
        made.append(
            {
                "name": name,
                "said": f"{name}: precision {100 * row['precision']:.1f}, "
                f"recall {100 * row['recall']:.1f}",
                "x": x,
                "y": y,
                "text_x": round(box[2] if box[2] < x else box[0], 1),
                "anchor": "end" if box[2] < x else "start",
                "text_y": round(box[3] - 4, 1),
                "line": (round(min(max(x, box[0]), box[2]), 1), round((box[1] + box[3]) / 2, 1))
                if far
                else None,
            }
        )
    return made


def _find_place(x: float, y: float, wide: float, taken: Sequence[Box]) -> tuple[bool, Box]:
    """Whether the name goes far from its point, and where it stands."""
    near: Box | None = None
    for distance in range(9, 120, 12):
        for across, down in _SIDES:
            middle = y + down * (distance + 2)
            before = wide * (1 - (across > 0) + (across < 0)) / 2  # what stands to the left
            start = x + across * distance - before
            box = (start, middle - _LINE / 2, start + wide, middle + _LINE / 2)
            near = near or box
            if box[0] < _LEFT or box[2] > _WIDTH - 2 or box[1] < 0 or box[3] > _HEIGHT - _BOTTOM:
                continue
            if not any(_overlap(box, other) for other in taken):
                return distance > 9, box
    assert near is not None
    return False, near  # no room anywhere


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
