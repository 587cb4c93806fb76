"""Scores for people: a table that reads at a glance, and the grids of error types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from redink.model import Column, Table

Row = Mapping[str, Any]

_HEADLINES = ("f", "score")
_OVERALL = "all"


def headline(row: Row) -> float | None:
    """The measure by which a row is ranked; recall where a type has nothing else."""
    for name in (*_HEADLINES, "recall"):
        value = row.get(name)
        if value is not None:
            return float(value)
    return None


def has_types(table: Table) -> bool:
    """Whether there are rows of single error types."""
    return any(row.get("type") is not None for row in table.rows)


def view_scores(table: Table) -> Table:
    """The scores as a person reads them.

    One block for every metric, the best system first; low and high in one column; nothing that
    is empty everywhere. Of several systems by error type, a column for every system; and for
    HTML the grids from which heat maps are made.
    """
    if not has_types(table):
        return _view_rows(table)
    grids = type_grids(table)
    systems = {row["system"] for row in table.rows}
    view = _view_grids(table, grids) if len(systems) > 1 else _view_rows(table)
    return replace(view, extra={**table.extra, "grids": grids})


def _view_rows(table: Table) -> Table:
    rows = [_readable(row) for row in table.rows]
    f_titles = [c.heading for c in table.columns if c.name == "f"]
    only_f = all(row.get("f") is not None for row in table.rows if row.get("type") is None)
    columns = [
        Column("metric"),
        Column("level"),
        Column("reference_edits", title="references"),
        Column("rank", "count"),
        Column("system"),
        Column("type"),
        *(_shown(c) for c in table.columns if c.name not in _SPECIAL),
        Column(
            "headline",
            "rate",
            best="max",
            title=f_titles[0] if f_titles and only_f else " / ".join([*f_titles, "score"]),
        ),
        Column("interval", title="95 % interval"),
        Column("group"),
    ]
    columns = [c for c in columns if any(row.get(c.name) is not None for row in rows)]
    return replace(table, columns=tuple(columns), rows=rows)


_SPECIAL = frozenset(
    {"system", "metric", "level", "reference_edits", "type", "f", "score", "low", "high", "rank"}
    | {"group"}
)
_TITLES = {"tp": "TP", "fp": "FP", "fn": "FN", "tn": "TN", "fpn": "FPN", "precision": "P"} | {
    "recall": "R",
    "wacc": "WAcc",
    "wacc_baseline": "WAcc of source",
}


def _shown(column: Column) -> Column:
    return replace(column, title=_TITLES.get(column.name, column.title))


def _readable(row: Row) -> dict[str, Any]:
    new = dict(row)
    new["headline"] = headline({name: row.get(name) for name in _HEADLINES})
    if row.get("low") is not None and row.get("high") is not None:
        new["interval"] = f"{row['low']:.4f} \N{EN DASH} {row['high']:.4f}"
    return new


@dataclass(frozen=True)
class TypeGrid:
    """Error types by systems under one metric.

    Attributes:
        metric: the metric, and what of the references where that differs.
        measure: what the values are: ``F0.5`` or ``recall``.
        systems: best first.
        types: the most frequent in the references first, after a line for all together.
        gold: how many gold edits of each type there are (the most that any system is scored on).
        values: by type and system; None where undefined.
    """

    metric: str
    measure: str
    systems: tuple[str, ...]
    types: tuple[str, ...]
    gold: tuple[int, ...]
    values: tuple[tuple[float | None, ...], ...]


def type_grids(table: Table) -> list[TypeGrid]:
    """The rows of error types as grids, one for every metric that has them."""
    grids = []
    f_titles = [c.heading for c in table.columns if c.name == "f"]
    blocks: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
    for row in table.rows:
        blocks.setdefault((row["metric"], row.get("reference_edits")), []).append(row)
    for (metric, edits), rows in blocks.items():
        typed = [row for row in rows if row.get("type") is not None]
        if not typed:
            continue
        gold: dict[str, int] = {}
        for row in typed:
            gold[row["type"]] = max(gold.get(row["type"], 0), row["tp"] + row["fn"])
        types = sorted(gold, key=lambda t: (-gold[t], t))
        systems = tuple(dict.fromkeys(row["system"] for row in rows))
        cells = {(row["type"] or _OVERALL, row["system"]): row for row in rows}
        has_f = any(row.get("f") is not None for row in typed)
        whole = max(row["tp"] + row["fn"] for row in rows if row.get("type") is None)
        measure = "f" if has_f else "recall"
        grids.append(
            TypeGrid(
                metric if edits is None else f"{metric}, {edits} references",
                f_titles[0] if has_f and f_titles else measure,
                systems,
                (_OVERALL, *types),
                (whole, *(gold[t] for t in types)),
                tuple(
                    tuple(cells.get((t, s), {}).get(measure) for s in systems)
                    for t in (_OVERALL, *types)
                ),
            )
        )
    return grids


def _view_grids(table: Table, grids: Sequence[TypeGrid]) -> Table:
    systems = list(dict.fromkeys(name for grid in grids for name in grid.systems))
    rows: list[dict[str, Any]] = []
    for grid in grids:
        for error_type, gold, values in zip(grid.types, grid.gold, grid.values, strict=True):
            row: dict[str, Any] = dict(zip(grid.systems, values, strict=True))
            row |= {"\0metric": f"{grid.metric} {grid.measure}", "\0type": error_type}
            rows.append(row | {"\0gold": gold})
    columns = (
        Column("\0metric", title="metric"),
        Column("\0type", title="type"),
        Column("\0gold", "count", title="gold"),
        *(Column(name, "rate", title=name) for name in systems),
    )
    return replace(table, columns=columns, rows=rows, groups="\0metric")
