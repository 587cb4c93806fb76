"""Small charts as inline SVG: they take the colours of the page, light or dark, and print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from redink.model import Table

_ROW = 26
_WIDTH = 640
_LONGEST = 27  # letters of a name
_TOP = 8


# Where a scale may end, and in how many parts it is divided so that two decimals tell each.
_SCALES = {0.1: 5, 0.2: 4, 0.25: 5, 0.3: 3, 0.4: 4, 0.5: 5, 0.6: 6, 0.7: 7, 0.8: 4, 0.9: 3, 1.0: 5}


def _nice_ceiling(value: float) -> float:
    return next((end for end in _SCALES if value <= end), 1.0)


class _Canvas:
    """A plot of rows against a scale from 0."""

    def __init__(self, names: Sequence[str], highest: float, label: str) -> None:
        self._top = _nice_ceiling(highest)
        self._names = names
        self._parts: list[str] = []
        self._label = label
        # as wide as the longest name needs, within reason
        self._left = min(260, max(70, 16 + 9 * max(map(len, names), default=0)))
        self.height = _TOP + _ROW * len(names)
        self._draw_grid()

    def x(self, value: float) -> float:
        return self._left + (value / self._top) * (_WIDTH - self._left - 60)

    def y(self, row: int) -> float:
        return _TOP + _ROW * (row + 0.5)

    def add(self, part: str) -> None:
        self._parts.append(part)

    def _draw_grid(self) -> None:
        parts = _SCALES[self._top]
        for step in range(parts + 1):
            value = self._top * step / parts
            x = self.x(value)
            self.add(
                f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{self.height}"/>'
            )
            self.add(
                f'<text class="tick" x="{x:.1f}" y="{self.height + 15}" '
                f'text-anchor="middle">{value:.2f}</text>'
            )
        for row, name in enumerate(self._names):
            self.add(
                f'<text x="{self._left - 10}" y="{self.y(row) + 4:.1f}" text-anchor="end">'
                f"{escape(name if len(name) <= _LONGEST else name[: _LONGEST - 1] + '…')}</text>"
            )

    def svg(self) -> str:
        height = self.height + 36
        middle = (self._left + _WIDTH - 60) / 2
        return (
            f'<svg class="chart" viewBox="0 0 {_WIDTH} {height}" role="img" '
            f'aria-label="{escape(self._label)}">{"".join(self._parts)}'
            f'<text class="tick" x="{middle}" y="{height - 4}" text-anchor="middle">'
            f"{escape(self._label)}</text></svg>"
        )


def draw_forest(table: Table, *, value: str = "f", label: str = "F") -> str:
    """A dot for each score and a line for its interval."""
    rows = [row for row in table.rows if row.get(value) is not None]
    if not rows:
        return ""
    highest = max(max(row[value], row.get("high") or 0) for row in rows)
    canvas = _Canvas([str(row["system"]) for row in rows], highest, label)
    for number, row in enumerate(rows):
        y = canvas.y(number)
        if row.get("low") is not None and row.get("high") is not None:
            canvas.add(
                f'<line class="interval" x1="{canvas.x(row["low"]):.1f}" '
                f'x2="{canvas.x(row["high"]):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
            )
        canvas.add(f'<circle class="dot" cx="{canvas.x(row[value]):.1f}" cy="{y:.1f}" r="4.5"/>')
        canvas.add(
            f'<text class="value" x="{_WIDTH - 4}" y="{y + 4:.1f}" text-anchor="end">'
            f"{row[value]:.4f}</text>"
        )
    return canvas.svg()


def draw_pairs(table: Table, *, first: str, second: str, label: str) -> str:
    """Two scores of each system on one line: an open and a full dot."""
    rows = [r for r in table.rows if r.get(first) is not None and r.get(second) is not None]
    if not rows:
        return ""
    highest = max(max(row[first], row[second]) for row in rows)
    canvas = _Canvas([str(row["system"]) for row in rows], highest, label)
    for number, row in enumerate(rows):
        y, one, two = canvas.y(number), canvas.x(row[first]), canvas.x(row[second])
        canvas.add(
            f'<line class="interval" x1="{one:.1f}" x2="{two:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        canvas.add(f'<circle class="dot open" cx="{one:.1f}" cy="{y:.1f}" r="4.5"/>')
        canvas.add(f'<circle class="dot" cx="{two:.1f}" cy="{y:.1f}" r="4.5"/>')
    return canvas.svg()
