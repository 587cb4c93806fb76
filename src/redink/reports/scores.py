"""Scores for people: a table that reads at a glance, and the grids of error types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
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


def attempted(row: Row) -> dict[str, Any]:
    """The row for people: no precision where nothing was proposed, and of an error type no F."""
    if row.get("tp") != 0 or row.get("fp") != 0:
        return dict(row)
    return {**row, "precision": None, **({} if row.get("type") is None else {"f": None})}


def has_types(table: Table) -> bool:
    """Whether there are rows of single error types."""
    return any(row.get("type") is not None for row in table.rows)


def view_scores(table: Table) -> list[Table]:
    """The scores as a person reads them.

    A block for every metric, with its own columns alone, the best system first; low and high in
    one column. Of several systems by error type, then a block for every metric that has types,
    with a column for every system; and for HTML the grids from which heat maps are made.
    """
    if not has_types(table):
        return _view_metrics(table, table.rows)
    grids = type_grids(table)
    if len({row["system"] for row in table.rows}) == 1:
        blocks = _view_metrics(table, table.rows)
    else:
        overall = [row for row in table.rows if row.get("type") is None]
        blocks = [*_view_metrics(table, overall), *(_view_grid(table, grid) for grid in grids)]
    notes = (*table.notes, *_about_gold(grids))
    extra = {**table.extra, "grids": grids}
    return [replace(blocks[0], extra=extra, notes=notes), *blocks[1:]]


def view_wide(table: Table) -> list[Table]:
    """Systems by metrics, as papers print scores: precision, recall and F, or the score."""
    known = {column.name: column for column in table.columns} | {
        column.name: column for column in _INTERVAL
    }
    digits = next((known[name].digits for name in _HEADLINES if name in known), None)
    overall = with_intervals(
        (attempted(row) for row in table.rows if row.get("type") is None), digits
    )
    rows: dict[str, dict[str, Any]] = {}
    columns: dict[str, Column] = {}
    titles = {"precision": "P", "recall": "R"}
    for row in overall:
        if row.get("level") == "detection":
            continue
        mine = rows.setdefault(row["system"], {"\0system": row["system"]})
        over = _name_block(row)
        for name in ("precision", "recall", *_HEADLINES, "interval", "group"):
            if row.get(name) is not None:
                key = f"{over}\0{name}"
                mine[key] = row[name]
                title = titles.get(name) or _measure_title(known, name)
                best = known[name].best if name in {"interval", "group"} else "max"
                columns[key] = replace(known[name], name=key, title=title, over=over, best=best)
    # all parts of a metric side by side, in the order of the metrics
    order = {over: place for place, over in enumerate(dict.fromkeys(map(_name_block, overall)))}
    shown = sorted(columns.values(), key=lambda column: order[str(column.over)])
    for column in shown:
        alone = sum(other.over == column.over for other in shown) == 1
        if alone:
            columns[column.name] = replace(column, title=column.over, over=None)
    grids = type_grids(table) if has_types(table) else []
    wide = replace(
        table,
        columns=(Column("\0system", title="system"), *(columns[c.name] for c in shown)),
        rows=list(rows.values()),
        notes=(*table.notes, *_about_gold(grids)),
        groups=None,
    )
    return [wide, *(_view_grid(table, grid) for grid in grids)]


def _name_block(row: Row) -> str:
    if row.get("level") in {None, "correction"}:
        return str(row["metric"])
    return f"{row['metric']}, {row['level']}"


def _view_metrics(table: Table, rows: Sequence[Row]) -> list[Table]:
    blocks: dict[str, list[Row]] = {}
    for row in rows:
        blocks.setdefault(_name_block(row), []).append(row)
    return [_view_block(table, name, members) for name, members in blocks.items()]


def _measure_title(known: Mapping[str, Column], measure: str) -> str:
    """``F0.5``; ``score``, whatever several metrics together make of that."""
    return known[measure].heading if measure != "score" and measure in known else measure


def _view_block(table: Table, title: str, given: Sequence[Row]) -> Table:
    known = {column.name: column for column in table.columns}
    measure = "f" if any(row.get("f") is not None for row in given) else "score"
    digits = known[measure].digits if measure in known else None
    rows = [
        dict(row) | {"headline": headline(_only_headlines(row))} for row in map(attempted, given)
    ]
    if has_types(table):
        rows = [row | {"type": row.get("type") or _OVERALL} for row in rows]
    elif all(row.get("rank") is not None for row in rows):  # each level has an order of its own
        rows.sort(key=lambda row: row["rank"])
    rows = with_intervals(rows, digits)
    order = [Column("rank", "count", title="#")]
    systems = {row["system"] for row in rows}
    columns = [
        *(order if len(systems) > 1 else ()),
        Column("system"),
        *([Column("type")] if any(row.get("type") != _OVERALL for row in rows) else ()),
        *(_shown(c) for c in table.columns if c.name not in _SPECIAL),
        Column(
            "headline",
            "rate",
            best=None if has_types(table) and len(systems) == 1 else "max",  # types are no rivals
            title=_measure_title(known, measure),
            digits=digits,
        ),
        *_INTERVAL,
    ]
    columns = [c for c in columns if any(row.get(c.name) is not None for row in rows)]
    return replace(table, columns=tuple(columns), rows=rows, title=title, groups=None)


_INTERVAL = (Column("interval", title="95 % interval"), Column("group"))
_SPECIAL = frozenset(
    {"system", "metric", "level", "reference_edits", "type", "f", "score", "low", "high", "rank"}
    | {"group", "nothing_proposed"}
)
_TITLES = {"tp": "TP", "fp": "FP", "fn": "FN", "tn": "TN", "fpn": "FPN", "precision": "P"} | {
    "recall": "R",
    "wacc": "output",
    "wacc_baseline": "source",
}
_OVER = {"wacc": "WAcc", "wacc_baseline": "WAcc"}


def _shown(column: Column) -> Column:
    title = _TITLES.get(column.name, column.title)
    return replace(column, title=title, over=_OVER.get(column.name, column.over))


def _only_headlines(row: Row) -> Row:
    return {name: row.get(name) for name in _HEADLINES}


def with_intervals(rows: Iterable[Row], digits: int | None) -> list[dict[str, Any]]:
    """The rows with low and high as one text, ``interval``, whose figures stand in line."""
    places = 4 if digits is None else digits
    made = [dict(row) for row in rows]
    known = [row for row in made if row.get("low") is not None and row.get("high") is not None]
    ends = [(f"{row['low']:.{places}f}", f"{row['high']:.{places}f}") for row in known]
    left, right = (max((len(pair[side]) for pair in ends), default=0) for side in (0, 1))
    for row, (low, high) in zip(known, ends, strict=True):
        row["interval"] = f"{low:>{left}} \N{EN DASH} {high:>{right}}"
    return made


@dataclass(frozen=True)
class TypeGrid:
    """Error types by systems under one metric.

    Attributes:
        metric: the metric.
        measure: what the values are: ``F0.5`` or ``recall``.
        systems: best first.
        types: the most frequent in the references first, after a line for all together.
        gold: how many gold edits of each type there are (the most that any system is scored on).
        values: by type and system; None where the system proposed nothing of the type.
        varies: whether systems are scored on different numbers of gold edits.
    """

    metric: str
    measure: str
    systems: tuple[str, ...]
    types: tuple[str, ...]
    gold: tuple[int, ...]
    values: tuple[tuple[float | None, ...], ...]
    varies: bool = False


def type_grids(table: Table) -> list[TypeGrid]:
    """The rows of error types as grids, one for every metric that has them."""
    grids = []
    f_titles = [c.heading for c in table.columns if c.name == "f"]
    blocks: dict[str, list[dict[str, Any]]] = {}
    for row in map(attempted, table.rows):
        blocks.setdefault(row["metric"], []).append(row)
    for metric, rows in blocks.items():
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
                metric,
                f_titles[0] if has_f and f_titles else measure,
                systems,
                (_OVERALL, *types),
                (whole, *(gold[t] for t in types)),
                tuple(
                    tuple(cells.get((t, s), {}).get(measure) for s in systems)
                    for t in (_OVERALL, *types)
                ),
                any(
                    row["tp"] + row["fn"] != gold.get(row["type"], whole)
                    for kind, system in product((_OVERALL, *types), systems)
                    for row in [cells.get((kind, system), {"type": kind, "tp": 0, "fn": 0})]
                ),
            )
        )
    return grids


def _about_gold(grids: Sequence[TypeGrid]) -> list[str]:
    """What the column of gold edits is, where the number depends on the system."""
    return [_ABOUT_GOLD] if any(grid.varies for grid in grids) else []


_ABOUT_GOLD = (
    "gold: the largest number of gold edits that a system is scored on; it differs by system, as "
    "the annotators chosen do"
)


def _view_grid(table: Table, grid: TypeGrid) -> Table:
    digits = next((c.digits for c in table.columns if c.name in {"f", "recall"}), None)
    rows: list[dict[str, Any]] = []
    for error_type, gold, values in zip(grid.types, grid.gold, grid.values, strict=True):
        row: dict[str, Any] = dict(zip(grid.systems, values, strict=True))
        rows.append(row | {"\0type": error_type, "\0gold": gold})
    columns = (
        Column("\0type", title="type"),
        Column("\0gold", "count", title="gold"),
        *(Column(name, "rate", title=name, digits=digits) for name in grid.systems),
    )
    title = f"{grid.metric}: {grid.measure} by error type"
    return replace(table, columns=columns, rows=rows, title=title, groups=None)


def best_value(values: Sequence[float | None]) -> float | None:
    """The value that deserves emphasis; None where none is better than another."""
    known = [value for value in values if value is not None]
    return max(known) if len(known) > 1 and max(known) > min(known) else None
