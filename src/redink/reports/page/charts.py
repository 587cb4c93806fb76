"""Small charts beside the tables of a report: a line for each system against a scale.

Only the places are worked out here; the page draws them in its own colours, light or dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, Literal

from redink.model import Table

ChartKind = Literal["forest", "pairs", "heat", "operations", "differences", "none"]
Row = Mapping[str, Any]
Scale = tuple[float, float, float]
"""Where a scale begins and ends, and the step between two marks."""


@dataclass(frozen=True)
class _Chart:
    """What a chart shows of each system; the last dot is full.

    Attributes:
        label: what stands below its scale.
        legend: what stands below it.
        dots: columns.
        span: the columns between which a bar stands behind the dots.
        is_written: whether the value of the dot stands beside it.
    """

    label: str
    legend: str
    dots: tuple[str, ...]
    span: tuple[str, str]
    is_written: bool = False


_PAIRS = _Chart(
    "F, in percent",
    "Open: correction. Full: detection.",
    ("correction", "detection"),
    ("correction", "detection"),
)
_TOP, _STEP, _RIGHT = 8, 22, 50
_WIDTH, _NARROW = 480, 400
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_MOST_STEPS = 8


def make_charts(table: Table, kind: ChartKind) -> list[dict[str, Any]]:
    """The charts of a section, where everything in them stands; several share their scale."""
    if kind == "pairs":
        return _draw([("", table.rows)], _PAIRS, has_span=True, width=_WIDTH)
    if kind not in {"forest", "operations"}:
        return []
    headline = "f" if "f" in table.column_names else "score"
    title = next(column.heading for column in table.columns if column.name == headline)
    has_span = "low" in table.column_names
    label = f"{title} with its 95 % interval, in percent" if has_span else f"{title}, in percent"
    chart = _Chart(label, "", (headline,), ("low", "high"), is_written=True)
    if kind == "forest":
        return _draw([("", table.rows)], chart, has_span=has_span, width=_WIDTH)
    parts = dict.fromkeys(str(row["type"]) for row in table.rows)
    panels = [(part, [row for row in table.rows if row["type"] == part]) for part in parts]
    return _draw(panels, chart, has_span=has_span, width=_NARROW)


def _draw(
    panels: Sequence[tuple[str, Sequence[Row]]], chart: _Chart, *, has_span: bool, width: int
) -> list[dict[str, Any]]:
    known = [
        (title, [row for row in rows if all(row.get(name) is not None for name in chart.dots)])
        for title, rows in panels
    ]
    everything = [row for _, rows in known for row in rows]
    if not everything:
        return []
    shown = {*chart.dots, *(chart.span if has_span else ())}
    values = [row[name] for row in everything for name in shown if row.get(name) is not None]
    # panels begin at 0, since their scores lie far apart; one chart begins where its scores do
    scale = make_scale(min([*values, *([0.0] if len(panels) > 1 else [])]), max(values))
    # as wide as the longest name needs, within reason
    left = min(300, max(70, 16 + 9 * max(len(str(row["system"])) for row in everything)))
    return [
        _draw_one(title, rows, chart, scale, (left, width), has_span=has_span)
        for title, rows in known
        if rows
    ]


def _draw_one(
    title: str,
    rows: Sequence[Row],
    chart: _Chart,
    scale: Scale,
    sides: tuple[int, int],
    *,
    has_span: bool,
) -> dict[str, Any]:
    start, end, step = scale
    left, width = sides
    bottom = _TOP + _STEP * len(rows)

    def place(value: float) -> float:
        return round(left + (value - start) / (end - start) * (width - left - _RIGHT), 1)

    def places(row: Row, names: Sequence[str]) -> list[float]:
        values = [row.get(name) for name in names]
        return [] if None in values else [place(value) for value in values if value is not None]

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
        "lines": [
            {
                "name": str(row["system"]),
                "text": write_percent(row[chart.dots[0]], 1) if chart.is_written else "",
                "said": _say(row, chart, has_span=has_span),
                "y": _TOP + _STEP * (number + 0.5),
                "dots": places(row, chart.dots),
                "span": places(row, chart.span) if has_span else [],
            }
            for number, row in enumerate(rows)
        ],
    }


def _say(row: Row, chart: _Chart, *, has_span: bool) -> str:
    """What a line shows, in words."""
    figures = {name: write_percent(row[name], 1) for name in chart.dots}
    if not chart.is_written:
        return f"{row['system']}: " + ", ".join(" ".join(pair) for pair in figures.items())
    said = f"{row['system']}: {figures[chart.dots[0]]}"
    ends = [row.get(name) for name in chart.span] if has_span else [None]
    if None in ends:
        return said
    return f"{said} ({' to '.join(write_percent(end, 1) for end in ends if end is not None)})"


def make_scale(low: float, high: float) -> Scale:
    """Whole steps around the values, few enough to be read."""
    for step in _STEPS:
        start, end = floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step
        if round((end - start) / step) <= _MOST_STEPS:
            break
    return start, end if end > start else start + step, step


def write_percent(value: float, digits: int) -> str:
    """A proportion in percent, with a minus that is as wide as a figure."""
    text = f"{100 * value:.{digits}f}"
    negative = text.startswith("-") and float(text) != 0
    return f"\N{MINUS SIGN}{text[1:]}" if negative else text.removeprefix("-")
