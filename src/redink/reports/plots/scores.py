"""Plots of scores: systems and differences with their intervals, and error types by colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from redink.errors import OptionError
from redink.model.tables import Size, Table
from redink.reports.plots.style import (
    GREY,
    INK,
    PALETTE,
    in_style,
    new_panels,
    write_cell,
    write_title,
)
from redink.reports.scores import TypeGrid, best_value, has_types, headline, type_grids

Row = Mapping[str, Any]


def draw_scores(table: Table, *, size: Size = "screen") -> Any:
    """A heat map where there are error types, otherwise a forest plot."""
    return draw_types(table, size=size) if has_types(table) else draw_forest(table, size=size)


@in_style
def draw_forest(table: Table, *, size: Size = "screen") -> Any:
    """Systems from best to worst, a panel for every metric, with intervals where there are."""
    f_title = next((c.heading for c in table.columns if c.name == "f"), "F")
    rows = [row for row in table.rows if row.get("type") is None and headline(row) is not None]
    order = {metric: place for place, metric in enumerate(table["metric"][::-1])}
    rows.sort(key=lambda row: (-order[row["metric"]], -(headline(row) or 0.0)))
    dots = [_Dot(row["system"], headline(row), row, remark=row.get("group") or "") for row in rows]
    figure, panels = _draw_panels(dots, size)
    for axis, title, members in panels:
        write_title(axis, title, f_title if members[0].row.get("f") is not None else "score")
    if any(dot.remark for dot in dots):
        figure.supxlabel(
            "systems that share a letter are not significantly different (p ≥ .05)", **_REMARK
        )
    return figure


_REMARK = {"fontsize": "small", "color": GREY}


@in_style
def draw_differences(table: Table, *, size: Size = "screen") -> Any:
    """Every pair of systems, a panel for every metric; the table of ``compare``.

    A difference that is not significant is an open dot.
    """
    rows = [row for row in table.rows if row["difference"] is not None]
    baseline = table.extra.get("baseline")
    if baseline is None:
        dots = [
            _Dot(f"{row['system']} \N{MINUS SIGN} {row['other']}", row["difference"], row)
            for row in rows
        ]
    else:
        rows.sort(key=lambda row: -row["difference"])
        dots = [_Dot(row["system"], row["difference"], row) for row in rows]
    label = "difference" if baseline is None else f"difference from {baseline}"
    figure, panels = _draw_panels(dots, size)
    for axis, title, _ in panels:
        axis.axvline(0, color=GREY, linewidth=0.8)
        write_title(axis, title, label)
    if any(row.get("significant") is False for row in rows):
        figure.supxlabel("open: not significant", **_REMARK)
    return figure


class _Dot(NamedTuple):
    """A value with its name; ``row`` has its interval and its panel."""

    name: str
    value: float | None
    row: Row
    remark: str = ""


def _draw_panels(dots: Sequence[_Dot], size: Size) -> tuple[Any, list[tuple[Any, str, list[_Dot]]]]:
    """A panel for every metric, with a line for every dot from top to bottom.

    Returns:
        The figure, and of every panel its axes, its title and its dots.
    """
    panels: dict[str, list[_Dot]] = {}
    for dot in dots:
        parts = (dot.row["metric"], dot.row.get("level"))
        panels.setdefault(", ".join(part for part in parts if part), []).append(dot)
    if not panels:
        raise OptionError("there is no score to draw")
    most = max(map(len, panels.values()))
    figure, axes = new_panels(size, len(panels), height=max(1.6, 0.9 + 0.26 * most))
    for place, (axis, members) in enumerate(zip(axes, panels.values(), strict=True)):
        _draw_dots(axis, members, PALETTE[place % len(PALETTE)])
        axis.set_ylim(most - 0.5, -0.5)
    return figure, list(zip(axes, panels.keys(), panels.values(), strict=True))


def _draw_dots(axis: Any, dots: Sequence[_Dot], colour: str) -> None:
    for place, dot in enumerate(dots):
        if dot.row.get("low") is not None:
            axis.plot([dot.row["low"], dot.row["high"]], [place, place], color=colour, zorder=1)
        inside = "white" if dot.row.get("significant") is False else colour
        axis.plot([dot.value], [place], "o", color=colour, markerfacecolor=inside)
        if dot.remark:
            axis.annotate(
                dot.remark,
                (1.0, place),
                xycoords=axis.get_yaxis_transform(),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
                color=GREY,
            )
    axis.set_yticks(range(len(dots)), [dot.name for dot in dots])
    axis.grid(visible=False, axis="y")


@in_style
def draw_types(table: Table, *, size: Size = "screen") -> Any:
    """Error types by systems, the more frequent types higher, the better the darker."""
    grids = type_grids(table)
    if not grids:
        raise OptionError("there are no error types to draw; ask for them with by")
    rows = max(len(grid.types) for grid in grids)
    figure, axes = new_panels(size, len(grids), height=max(2.0, 1.0 + 0.21 * rows))
    for axis, grid in zip(axes, grids, strict=True):
        _draw_grid(axis, grid)
    if any(grid.varies for grid in grids):
        figure.supxlabel("gold edits: the largest number of any system", **_REMARK)
    return figure


def _write_short(value: float | None) -> str:
    """A rate in three letters: ``.54``, ``1.0``; a dot where it is undefined."""
    return "\N{MIDDLE DOT}" if value is None else f"{value:.2f}".removeprefix("0")[:3]


def _draw_grid(axis: Any, grid: TypeGrid) -> None:
    known = [[float("nan") if v is None else v for v in values] for values in grid.values]
    image = axis.imshow(known, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    for row, values in enumerate(grid.values):
        best = best_value(values)
        for column, value in enumerate(values):
            write_cell(
                image,
                (column, row),
                value,
                _write_short(value),
                fontsize="x-small" if len(grid.systems) > 8 else "small",
                fontweight="bold" if value is not None and value == best else "normal",
            )
    # names lie flat where each has room above its column
    room = axis.figure.get_figwidth() * 72 / (5.5 * (len(grid.systems) + 1))
    flat = max(map(len, grid.systems)) < room / axis.get_subplotspec().get_gridspec().ncols
    turned = {} if flat else {"rotation": 45, "ha": "left"}
    axis.set_xticks(range(len(grid.systems)), grid.systems, fontsize="small", **turned)
    axis.xaxis.tick_top()
    labels = [f"{t}  {gold}" for t, gold in zip(grid.types, grid.gold, strict=True)]
    axis.set_yticks(range(len(grid.types)), labels, fontsize="small")
    axis.axhline(0.5, color=INK, linewidth=0.8)
    axis.tick_params(length=0)
    axis.grid(visible=False)
    for side in axis.spines.values():
        side.set_visible(False)
    write_title(axis, f"{grid.metric}: {grid.measure} by type, with gold edits")
