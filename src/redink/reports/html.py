"""Tables as HTML, alone or as the leaderboard of a shared task; all that is put in is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from redink.model import Column, DisplayOptions, Table
from redink.reports.scores import TypeGrid, best_value
from redink.reports.tables import (
    UNDEFINED,
    best_cells,
    format_value,
    group_starts,
    read_blocks,
    signature_line,
    spans_of,
)

if TYPE_CHECKING:
    from jinja2 import Environment


def open_templates(package: str) -> Environment:
    """The templates of a package; everything put into them is escaped."""
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
    """The templates of tables, plots and the report."""
    templates = open_templates("redink.reports")
    templates.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return templates


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of a table.

    Attributes:
        text: what is read.
        kind: the class of the cell: the kind of its column.
        is_best: whether it deserves emphasis.
        is_heading: whether it names its row.
        marks: further attributes of the cell.
    """

    text: str
    kind: str = "text"
    is_best: bool = False
    is_heading: bool = False
    marks: Mapping[str, str] = field(default_factory=dict)


def make_cells(table: Table) -> list[list[Cell]]:
    """The cells of a table, row by row."""
    best = best_cells(table)
    return [
        [
            Cell(
                format_value(row.get(column.name), column),
                column.kind,
                (index, column.name) in best,
            )
            for column in table.columns
        ]
        for index, row in enumerate(table.rows)
    ]


def to_html(table: Table, *, styled: bool = False) -> str:
    """A fragment of HTML: the table with its notes and its signature.

    A table that carries grids of error types (``extra["grids"]``) is shown as heat maps.

    Args:
        table: any table.
        styled: with a style of its own, as in a notebook; it fits a light and a dark page.
    """
    blocks = read_blocks(table)
    grids: Sequence[TypeGrid] = blocks[0].extra.get("grids", ())
    if grids and len({row.get("system") for row in table.rows}) > 1:
        blocks = blocks[: len(blocks) - len(grids)]  # the heat maps take their place
    fragment = load_templates().get_template("fragment.html")
    text = fragment.render(
        blocks=[
            {
                "title": block.title,
                "columns": block.columns,
                "spans": spans_of(block.columns),
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
    return f"{text}\n"


def _make_heat_map(grid: TypeGrid, display: DisplayOptions) -> dict[str, object]:
    return {
        "title": f"{grid.metric}: {grid.measure} by error type",
        "columns": [
            Column("type"),
            Column("gold", "count"),
            *(Column(name, "rate", title=name) for name in grid.systems),
        ],
        "rows": [
            [
                Cell(kind, is_heading=True),
                Cell(str(gold), "count"),
                *(
                    _make_heat_cell(value, display, is_best=value == best_value(values))
                    for value in values
                ),
            ]
            for kind, gold, values in zip(grid.types, grid.gold, grid.values, strict=True)
        ],
    }


def _make_heat_cell(value: float | None, display: DisplayOptions, *, is_best: bool) -> Cell:
    if value is None:
        return Cell(UNDEFINED, "rate undefined")
    # Over a light or a dark page, the page's own ink can be read on it.
    share = value / 100 if display.percent else value
    style = f"background:rgb(59 130 196 / {0.6 * min(1.0, max(0.0, share)):.2f})"
    digits = display.digits if display.digits is not None else 0 if display.percent else 2
    marks = {"style": style, "title": f"{value:.4f}"}
    return Cell(f"{value:.{digits}f}", "rate", is_best, marks=marks)


@dataclass(frozen=True)
class Section:
    """A table of a leaderboard, with its heading.

    Attributes:
        title: the heading.
        table: the scores.
        link: where everything about them stands.
    """

    title: str
    table: Table
    link: str | None


def render_board(title: str, sections: Sequence[Section], notes: Sequence[str]) -> str:
    """The leaderboard page of a shared task: tables one below the other, and links to reports."""
    template = load_templates().get_template("board.html")
    parts = [
        {"title": each.title, "html": to_html(each.table, styled=True), "link": each.link}
        for each in sections
    ]
    return template.render(title=title, notes=notes, sections=parts)
