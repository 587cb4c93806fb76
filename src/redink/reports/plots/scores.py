"""Plots of scores: a forest plot of systems, and a heat map of error types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redink.errors import OptionError
from redink.model.tables import Size, Table
from redink.reports.plots.style import GREY, INK, PALETTE, in_style, new_panels, write_title
from redink.reports.scores import TypeGrid, has_types, headline, heat_colour, type_grids

Row = Mapping[str, Any]


def draw_scores(table: Table, *, size: Size = "screen") -> Any:
    """A heat map where there are error types, otherwise a forest plot."""
    return draw_types(table, size=size) if has_types(table) else draw_forest(table, size=size)


@in_style
def draw_forest(table: Table, *, size: Size = "screen") -> Any:
    """Systems from best to worst, a panel for every metric, with intervals where there are."""
    panels: dict[str, list[Row]] = {}
    for row in table.rows:
        if row.get("type") is None and headline(row) is not None:
            parts = (row["metric"], row.get("level"), row.get("reference_edits"))
            panels.setdefault(", ".join(p for p in parts if p), []).append(row)
    if not panels:
        raise OptionError("there is no score to draw")
    most = max(map(len, panels.values()))
    figure, axes = new_panels(size, len(panels), height=max(1.6, 0.9 + 0.26 * most))
    f_title = next((c.heading for c in table.columns if c.name == "f"), "F")
    for place, (title, rows) in enumerate(panels.items()):
        axis = axes[place]
        _draw_panel(axis, rows, PALETTE[place % len(PALETTE)])
        write_title(axis, title)
        axis.set_xlabel(f_title if rows[0].get("f") is not None else "score")
        axis.set_ylim(most - 0.5, -0.5)
    return figure


def _draw_panel(axis: Any, rows: list[Row], colour: str) -> None:
    ordered = sorted(rows, key=lambda row: -(headline(row) or 0.0))
    for place, row in enumerate(ordered):
        value = headline(row)
        if row.get("low") is not None:
            axis.plot([row["low"], row["high"]], [place, place], color=colour)
        axis.plot([value], [place], marker="o", color=colour, linestyle="none")
        if row.get("group"):
            axis.annotate(
                row["group"],
                (1.0, place),
                xycoords=axis.get_yaxis_transform(),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
                color=GREY,
            )
    axis.set_yticks(range(len(ordered)), [row["system"] for row in ordered])
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
    return figure


def _draw_grid(axis: Any, grid: TypeGrid) -> None:
    image = [
        [(255, 255, 255) if value is None else heat_colour(value) for value in values]
        for values in grid.values
    ]
    axis.imshow(image, aspect="auto", interpolation="nearest")
    small = "x-small" if len(grid.systems) > 8 else "small"
    for row, values in enumerate(grid.values):
        best = max((v for v in values if v is not None), default=None)
        for column, value in enumerate(values):
            dark = value is not None and value > 0.55
            axis.text(
                column,
                row,
                "\N{MIDDLE DOT}" if value is None else f"{value:.2f}".removeprefix("0"),
                ha="center",
                va="center",
                fontsize=small,
                color="white" if dark else INK,
                fontweight="bold" if value is not None and value == best else "normal",
            )
    axis.set_xticks(
        range(len(grid.systems)), grid.systems, rotation=45, ha="left", fontsize="small"
    )
    axis.xaxis.tick_top()
    labels = [f"{t}  {gold}" for t, gold in zip(grid.types, grid.gold, strict=True)]
    axis.set_yticks(range(len(grid.types)), labels, fontsize="small")
    axis.axhline(0.5, color=INK, linewidth=0.8)
    axis.tick_params(length=0)
    axis.grid(visible=False)
    for side in axis.spines.values():
        side.set_visible(False)
    write_title(axis, f"{grid.metric}: {grid.measure}")
