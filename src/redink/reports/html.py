"""Render tables as HTML, or as the leaderboard page of a shared task; all values are escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from redink.model import Column, DisplayOptions, Table
from redink.reports.table_formats import (
    UNDEFINED,
    best_cells,
    column_spans,
    format_value,
    group_starts,
    read_blocks,
    signature_line,
)
from redink.reports.views import TypeGrid, best_value

if TYPE_CHECKING:
    from jinja2 import Environment


def open_templates(package: str) -> Environment:
    """Return the templates of a package; all values in them are escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def load_templates() -> Environment:
    """Return the templates of tables, plots and the report."""
    templates = open_templates("redink.reports")
    templates.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return templates


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table; ``kind`` is its CSS class, ``marks`` are further attributes."""

    text: str
    kind: str = "text"
    is_best: bool = False
    is_heading: bool = False
    marks: Mapping[str, str] = field(default_factory=dict)


def make_cells(table: Table) -> list[list[Cell]]:
    """Return the cells of a table, row by row."""
    best = best_cells(table)
    return [
        [
            Cell(format_value(row.get(c.name), c), c.kind, (index, c.name) in best)
            for c in table.columns
        ]
        for index, row in enumerate(table.rows)
    ]


def to_html(table: Table, *, styled: bool = False) -> str:
    """Return a fragment of HTML: the table with its notes and its signature.

    Grids of error types (``extra["grids"]``) become heat maps. With ``styled``, the fragment
    contains a style sheet for light and dark pages, as in a notebook.
    """
    blocks = read_blocks(table)
    grids: Sequence[TypeGrid] = blocks[0].extra.get("grids", ())
    if grids and len({row.get("system") for row in table.rows}) > 1:
        blocks = blocks[: len(blocks) - len(grids)]  # replaced by the heat maps
    fragment = load_templates().get_template("fragment.html")
    text = fragment.render(
        blocks=[
            {
                "title": block.title,
                "columns": block.columns,
                "spans": column_spans(block.columns),
                "rows": make_cells(block),
                "starts": group_starts(block),
            }
            for block in blocks
        ],
        notes=blocks[0].notes,
        maps=[_make_heat_map(grid, table.display) for grid in grids],
        signature=signature_line(table),
        styled=styled,
    )
    if styled and "diff" in table.extra:
        text = f"{table.extra['diff']._repr_html_()}\n{text}"
    return f"{text}\n"


def _make_heat_map(grid: TypeGrid, display: DisplayOptions) -> dict[str, object]:
    columns = [Column(name, "rate", title=name) for name in grid.systems]
    rows = []
    for kind, gold, values in zip(grid.types, grid.totals, grid.values, strict=True):
        best = best_value(values)
        heat = [_make_heat_cell(value, display, is_best=value == best) for value in values]
        rows.append([Cell(kind, is_heading=True), Cell(str(gold), "count"), *heat])
    return {
        "title": f"{grid.metric}: {grid.measure} by error type",
        "columns": [Column("type"), Column("gold", "count"), *columns],
        "rows": rows,
    }


def _make_heat_cell(value: float | None, display: DisplayOptions, *, is_best: bool) -> Cell:
    if value is None:
        return Cell(UNDEFINED, "rate undefined")
    # the text color of light and dark pages is legible on it
    share = value / 100 if display.percent else value
    style = f"background:rgb(59 130 196 / {0.6 * min(1.0, max(0.0, share)):.2f})"
    digits = display.digits if display.digits is not None else 0 if display.percent else 2
    marks = {"style": style, "title": f"{value:.4f}"}
    return Cell(f"{value:.{digits}f}", "rate", is_best, marks=marks)


def render_board(
    title: str, sections: Sequence[tuple[str, Table, str | None]], notes: Sequence[str]
) -> str:
    """Return the leaderboard page of a shared task; a section has a title, a table and a link."""
    template = load_templates().get_template("board.html")
    parts = [
        {"title": name, "html": to_html(table, styled=True), "link": link}
        for name, table, link in sections
    ]
    return template.render(title=title, notes=notes, sections=parts)
