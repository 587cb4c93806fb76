"""Charts of a report: a line for each system against a scale, and precision against recall.

This module computes only positions; the page draws in its own colors, light or dark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, Literal

from redink.model import Table
from redink.reports.table_formats import group_by

ChartKind = Literal["forest", "pairs", "heat", "operations", "differences", "none", "text"]
Row = Mapping[str, Any]
Scale = tuple[float, float, float]
"""Start, end and step of a scale."""

# ---- lines


@dataclass(frozen=True)
class _Chart:
    """What a chart shows of each system: a dot per column (the last is full) on a bar.

    Attributes:
        label: the text below its scale.
        dots: the columns of the dots.
        span: the two columns between which the bar is; none for no bar.
        legend: the text below the chart; without it, the value of the dot is next to it.
    """

    label: str
    dots: tuple[str, ...]
    span: tuple[str, ...]
    legend: str = ""


_TOP, _STEP, _RIGHT = 8, 22, 50
_WIDTH, _NARROW = 480, 400
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_MOST_STEPS = 8


def make_charts(table: Table, kind: ChartKind) -> list[dict[str, Any]]:
    """Return the charts of a section with all positions; several charts share their scale."""
    if kind == "pairs":
        levels = ("correction", "detection")
        legend = "Open circles: correction. Filled circles: detection."
        return _draw({"": table.rows}, _Chart("F, in percent", levels, levels, legend), _WIDTH)
    if kind not in {"forest", "operations"}:
        return []
    headline = "f" if "f" in table.column_names else "score"
    title = next(column.heading for column in table.columns if column.name == headline)
    span = ("low", "high") if "low" in table.column_names else ()
    label = f"{title} with 95% interval, in percent" if span else f"{title}, in percent"
    chart = _Chart(label, (headline,), span)
    if kind == "forest":
        rows, idle = _split_idle(table.rows)
        drawn = _draw({"": rows or table.rows}, chart, _WIDTH)
        return [each | {"legend": f"{idle}."} if rows and idle else each for each in drawn]
    return _draw(group_by(table.rows, lambda row: str(row["type"])), chart, _NARROW)


def _split_idle(rows: Sequence[Row]) -> tuple[list[Row], str]:
    """Return the rows of systems that propose edits, and a note about the other systems."""
    active = [row for row in rows if row.get("tp") != 0 or row.get("fp") != 0]
    idle = [str(row["system"]) for row in rows if row not in active]
    return active, f"Not shown (no edits proposed): {', '.join(idle)}" if idle else ""


def _draw(panels: Mapping[str, Sequence[Row]], chart: _Chart, width: int) -> list[dict[str, Any]]:
    known = {
        title: [row for row in rows if all(row.get(name) is not None for name in chart.dots)]
        for title, rows in panels.items()
    }
    everything = [row for rows in known.values() for row in rows]
    if not everything:
        return []
    shown = {*chart.dots, *chart.span}
    values = [row[name] for row in everything for name in shown if row.get(name) is not None]
    # several panels begin at 0, since their scores differ much; one chart begins at its scores
    scale = make_scale(min([*values, *([0.0] if len(panels) > 1 else [])]), max(values))
    # room for the longest name, within limits
    left = min(300, max(70, 16 + 9 * max(len(str(row["system"])) for row in everything)))
    return [
        _draw_chart(title, rows, chart, scale, left, width) for title, rows in known.items() if rows
    ]


def _draw_chart(
    title: str, rows: Sequence[Row], chart: _Chart, scale: Scale, left: int, width: int
) -> dict[str, Any]:
    start, end, step = scale
    bottom = _TOP + _STEP * len(rows)

    def place(value: float) -> float:
        return round(left + (value - start) / (end - start) * (width - left - _RIGHT), 1)

    lines = []
    for number, row in enumerate(rows):
        dots = [row[name] for name in chart.dots]
        span = [row.get(name) for name in chart.span]
        ends = [] if None in span else [value for value in span if value is not None]
        written = [write_percent(value, 1) for value in dots]
        if chart.legend:
            said = ", ".join(map(" ".join, zip(chart.dots, written, strict=True)))
        else:
            interval = " to ".join(write_percent(value, 1) for value in ends)
            said = f"{written[0]} ({interval})" if ends else written[0]
        lines.append(
            {
                "name": str(row["system"]),
                "text": "" if chart.legend else written[0],
                "said": f"{row['system']}: {said}",
                "y": _TOP + _STEP * (number + 0.5),
                "dots": list(map(place, dots)),
                "span": list(map(place, ends)),
            }
        )
    marks = [start + step * number for number in range(round((end - start) / step) + 1)]
    return {
        "title": title,
        "label": chart.label,
        "legend": chart.legend,
        "ends": (start, end),
        "width": width,
        "height": bottom + 36,
        "left": left,
        "top": _TOP,
        "bottom": bottom,
        "middle": (left + width - _RIGHT) / 2,
        "ticks": [(place(value), write_percent(value, 0)) for value in marks],
        "lines": lines,
    }


def make_scale(low: float, high: float) -> Scale:
    """Return whole steps around the values, few enough to be read."""
    for step in _STEPS:
        start, end = floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step
        if round((end - start) / step) <= _MOST_STEPS:
            break
    return start, end if end > start else start + step, step


def write_percent(value: float, digits: int) -> str:
    """Return a proportion in percent; zero has no sign."""
    text = f"{100 * value:.{digits}f}"
    return set_minus(text if float(text) else text.removeprefix("-"))


def set_minus(text: str) -> str:
    """Return a number with a minus sign that is as wide as a digit."""
    return f"\N{MINUS SIGN}{text[1:]}" if text.startswith("-") else text


# ---- precision against recall

_SCATTER_WIDTH, _SCATTER_HEIGHT = 520, 330
_LEFT, _ABOVE, _BESIDE, _BOTTOM = 52, 12, 16, 46
_CURVES = tuple(f / 10 for f in range(1, 10))
_POINTS, _SHORTEST = 200, 20
"""Points of a curve, and the fewest with which it is drawn."""
_LETTER, _LINE = 11, 16
"""Approximate width and height of a letter of a name."""
_RADIUS = 6

Span = tuple[float, float]
Box = tuple[float, float, float, float]
_SIDES = ((1, 0), (-1, 0), (0.7, -1), (0.7, 1), (-0.7, -1), (-0.7, 1), (0, -1), (0, 1))


def make_scatter(table: Table) -> dict[str, Any] | None:
    """Return a point for every system and curves of equal F; None for fewer than two systems.

    A system that proposes nothing has no precision.
    """
    measured = [
        row
        for row in table.rows
        if row.get("precision") is not None and row.get("recall") is not None
    ]
    rows, idle = _split_idle(measured)
    if len(rows) < 2:
        return None
    title = next((column.heading for column in table.columns if column.name == "f"), "F")
    number = re.search(r"[0-9.]+$", title)
    beta = float(number[0]) if number else 0.5
    across = _scale([row["recall"] for row in rows])
    up = _scale([row["precision"] for row in rows])

    right, bottom = _SCATTER_WIDTH - _BESIDE, _SCATTER_HEIGHT - _BOTTOM

    def x(value: float) -> float:
        return round(_LEFT + (value - across[0]) / (across[1] - across[0]) * (right - _LEFT), 1)

    def y(value: float) -> float:
        return round(bottom - (value - up[0]) / (up[1] - up[0]) * (bottom - _ABOVE), 1)

    return {
        "label": f"Precision and recall, in percent. Dashed curves: equal {title}"
        + (f". {idle}" if idle else ""),
        "width": _SCATTER_WIDTH,
        "height": _SCATTER_HEIGHT,
        "frame": (_LEFT, _ABOVE, right, bottom),
        "across": [(x(value), f"{100 * value:.0f}") for value in _ticks(across)],
        "up": [(y(value), f"{100 * value:.0f}") for value in _ticks(up)],
        "curves": [
            (" ".join(f"{a},{b}" for a, b in points), f"{100 * f:.0f}", *points[-1])
            for f in _CURVES
            if len(points := [(x(r), y(p)) for r, p in _curve(f, beta, across, up)]) > _SHORTEST
        ],
        "points": _label([(x(row["recall"]), y(row["precision"]), row) for row in rows]),
    }


def _scale(values: Sequence[float]) -> Span:
    """Return whole tenths around the values, with room for labels."""
    low = max(0.0, int(min(values) * 10 - 0.3) / 10)
    high = min(1.0, int(max(values) * 10 + 1.6) / 10)
    return low, max(high, low + 0.1)


def _ticks(span: Span) -> list[float]:
    count = round((span[1] - span[0]) * 10)
    return [span[0] + step / 10 for step in range(count + 1)]


def _curve(f: float, beta: float, across: Span, up: Span) -> list[tuple[float, float]]:
    """Return recall and precision that give this F, inside the picture."""
    points = []
    for step in range(_POINTS + 1):
        recall = across[0] + (across[1] - across[0]) * step / _POINTS
        below = (1 + beta**2) * recall - beta**2 * f
        precision = f * recall / below if below > 0 else 2.0
        if up[0] <= precision <= up[1]:
            points.append((recall, precision))
    return points


def _label(points: Sequence[tuple[float, float, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return the points with their names, each as near as possible without touching another.

    A name that is further away has a line to its point.
    """
    taken: list[Box] = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y, _ in points]
    made = []
    for x, y, row in sorted(points, key=lambda point: point[1]):
        name = str(row["system"])
        wide = _LETTER * min(len(name), 27) + 8
        is_far, box = _find_place(x, y, wide, taken)
        taken.append(box)
        line = (round(min(max(x, box[0]), box[2]), 1), round((box[1] + box[3]) / 2, 1))
        precision, recall = (100 * row[measure] for measure in ("precision", "recall"))
        made.append(
            {
                "name": name,
                "said": f"{name}: precision {precision:.1f}, recall {recall:.1f}",
                "x": x,
                "y": y,
                "text_x": round(box[2] if box[2] < x else box[0], 1),
                "anchor": "end" if box[2] < x else "start",
                "text_y": round(box[3] - 4, 1),
                "line": line if is_far else None,
            }
        )
    return made


def _find_place(x: float, y: float, wide: float, taken: Sequence[Box]) -> tuple[bool, Box]:
    """Return whether a name is far from its point, and the box of the name."""
    boxes = []
    for distance in range(9, 120, 12):
        for across, down in _SIDES:
            middle = y + down * (distance + 2)
            before = wide * (1 - (across > 0) + (across < 0)) / 2  # the part left of the anchor
            start = x + across * distance - before
            box = (start, middle - _LINE / 2, start + wide, middle + _LINE / 2)
            boxes.append(box)
            is_inside = (
                box[0] >= _LEFT
                and box[2] <= _SCATTER_WIDTH - 2
                and box[1] >= 0
                and box[3] <= _SCATTER_HEIGHT - _BOTTOM
            )
            if is_inside and not any(_overlap(box, other) for other in taken):
                return distance > 9, box
    return False, boxes[0]  # no room anywhere


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
