"""Threshold curves: precision and recall, ROC, kappa, and P, R and F against bias."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redink.model.tables import Size, Table
from redink.reports.plots.style import (
    GREY,
    SIZES,
    in_style,
    line_style,
    new_figure,
    new_panels,
    write_legend,
    write_title,
)

Row = Mapping[str, Any]
_CHANCE = {"color": "#888888", "linewidth": 1.0, "linestyle": (0, (1, 2)), "zorder": 1}
_DASHES = {"precision": "-", "recall": "--", "f": ":"}
# With more systems than this the panels have no room for areas; the table has them.
_MOST_WITH_AREAS = 5


@dataclass(frozen=True)
class _Series:
    """One system's points and the point it is used at."""

    label: str
    points: list[Row]
    chosen: Row | None
    style: dict[str, Any]

    def values(self, x: str, y: str) -> tuple[list[float], list[float]]:
        """The points at which both are defined."""
        both = [(p[x], p[y]) for p in self.points if p[x] is not None and p[y] is not None]
        return [x for x, _ in both], [y for _, y in both]


@in_style
def draw_curves(table: Table, *, size: Size = "screen") -> Any:
    """Four panels with every system in each: P-R, ROC, kappa, and P, R and F against bias.

    Two tables belong together here: operating points (``redink detection --curve --show
    points``), where a system with a single point (one that gives no scores) is a mark without a
    line; and a row for each system (``redink detection --curve``) with its areas, and its point
    of use, which is marked. ``extra`` has both, as ``points`` and ``areas``, or one of them where
    the table is the other. Areas may be missing. In the column of a paper the panels are below
    one another.
    """
    extra = table.extra
    own_areas = table.rows if "points" in extra else ()
    series = _group(extra.get("points", table.rows), extra.get("areas", own_areas))
    beta = table.signature.get("beta")  # a table of units has no F to take the name from
    otherwise = "F" if beta is None else f"F{beta:g}"
    f_title = next((column.heading for column in table.columns if column.name == "f"), otherwise)
    if size == "column":
        figure, (pr, roc, kappa, bias) = new_panels(size, 4, height=2.3)
    else:
        figure, axes = new_figure(size=size, rows=2, columns=2, height=0.9 * SIZES[size][0])
        (pr, roc), (kappa, bias) = axes
    _draw_panel(pr, series, "recall", "precision", step=True)
    _finish(pr, "Precision and recall", "recall", "precision")
    _draw_panel(roc, series, "fpr", "recall")
    roc.plot([0, 1], [0, 1], **_CHANCE)
    _finish(roc, "ROC", "false-positive rate", "true-positive rate (recall)")
    _draw_panel(kappa, series, "fpr", "kappa")
    kappa.axhline(0, **_CHANCE)
    _finish(kappa, "Kappa", "false-positive rate", "kappa", low=_lowest(series, "kappa"))
    _draw_bias(bias, series, f_title)
    if len(series) <= _MOST_WITH_AREAS:
        _write_areas(pr, series, "average_precision", "AP", top=True)
        _write_areas(roc, series, "roc_area", "area")
        _write_areas(kappa, series, "kappa_area", "AUK", top=True)
    write_legend(figure, pr)
    return figure


def _group(points: Iterable[Row], areas: Iterable[Row]) -> list[_Series]:
    def key(row: Row) -> tuple[Any, ...]:
        return (row["system"], row.get("unit"), row.get("annotators"))

    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in points:
        groups.setdefault(key(row), []).append(row)
    chosen = {key(row): row for row in areas}
    varying = [place for place in (1, 2) if len({names[place] for names in groups}) > 1]
    series = []
    for index, (names, rows) in enumerate(groups.items()):
        label = ", ".join(str(names[place]) for place in (0, *varying))
        series.append(_Series(label, rows, chosen.get(names), line_style(index)))
    return series


def _draw_panel(
    axis: Any, series: Sequence[_Series], x: str, y: str, *, step: bool = False
) -> None:
    for one in series:
        xs, ys = one.values(x, y)
        line = {**one.style, "marker": ""}
        if len(one.points) == 1:
            axis.plot(xs, ys, label=one.label, **{**one.style, "linestyle": ""}, markersize=7)
            continue
        if step and xs:
            # the first precision holds from recall 0 on: the area under the steps is AP
            xs, ys = [0.0, *xs], [ys[0], *ys]
        axis.plot(xs, ys, label=one.label, drawstyle="steps-pre" if step else "default", **line)
        _mark(axis, one, x, y)


def _mark(axis: Any, one: _Series, x: str, y: str) -> None:
    point = one.chosen
    if point is not None and point.get(x) is not None and point.get(y) is not None:
        axis.plot(
            [point[x]],
            [point[y]],
            color=one.style["color"],
            marker=one.style["marker"],
            markersize=7,
            markeredgecolor="white",
            markeredgewidth=0.8,
            zorder=5,
        )


def _draw_bias(axis: Any, series: Sequence[_Series], f_title: str) -> None:
    for one in series:
        if len(one.points) == 1:
            # one mark, at its F: three would not say which is which
            axis.plot(*one.values("bias", "f"), **{**one.style, "linestyle": ""}, markersize=7)
            continue
        for measure, dash in _DASHES.items():
            xs, ys = one.values("bias", measure)
            axis.plot(xs, ys, color=one.style["color"], linestyle=dash)
        _mark(axis, one, "bias", "f")
    titles = {"precision": "precision", "recall": "recall", "f": f_title}
    handles = [
        axis.plot([], [], color=GREY, linestyle=dash, label=titles[measure])[0]
        for measure, dash in _DASHES.items()
    ]
    axis.legend(handles=handles, loc="best")
    _finish(axis, "Against bias", "bias (share of units flagged)", "P, R, F")


def _lowest(series: Sequence[_Series], column: str) -> float:
    values: list[float] = [p[column] for one in series for p in one.points if p[column] is not None]
    return min([0.0, *values])


def _finish(axis: Any, title: str, x: str, y: str, *, low: float = 0.0) -> None:
    write_title(axis, title, x, y)
    axis.set_xlim(-0.02, 1.02)
    axis.set_ylim(low - 0.02, 1.02)


def _write_areas(
    axis: Any, series: Sequence[_Series], column: str, short: str, *, top: bool = False
) -> None:
    """Name the area under every curve in a corner that curves leave empty."""
    lines = [
        (f"{one.label}: {short} {one.chosen[column]:.3f}", one.style["color"])
        for one in series
        if one.chosen is not None and one.chosen.get(column) is not None
    ]
    for place, (text, colour) in enumerate(lines if top else reversed(lines)):
        height = 0.97 - 0.07 * place if top else 0.03 + 0.07 * place
        axis.text(
            0.98,
            height,
            text,
            color=colour,
            ha="right",
            va="top" if top else "bottom",
            transform=axis.transAxes,
            fontsize="small",
        )
