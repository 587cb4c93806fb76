"""The sections of a report about error types: a heat map, two systems compared, operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from redink.commands.report_evaluation import ReportData, without_columns
from redink.errors import RedinkError
from redink.model import Column, make_table
from redink.reports.page.rendering import ALL_TYPES, Interval, ReportSection
from redink.reports.views import TypeGrid, type_grids
from redink.scoring.engine import Scored, resample_all
from redink.statistics.resampling import percentile_interval

_HEAT_NOTE = (
    "F0.5 in percent, the counts on hovering; gold: the most edits of that type that a system is "
    "scored on; a dash where the system proposed no edit of that type"
)


def make_types(evaluation: ReportData) -> ReportSection:
    """A heat map of types and systems."""
    table = evaluation.typed.score("errant(by=type)")
    (grid,) = type_grids(table)
    counts = {
        (row["type"] or ALL_TYPES, row["system"]): f"TP {row['tp']}, FP {row['fp']}, FN {row['fn']}"
        for row in table.rows
    }
    heat = make_table(
        [Column("type"), Column("gold", "count"), *(Column(n, "rate") for n in grid.systems)],
        [
            {"type": kind, "gold": gold, **dict(zip(grid.systems, values, strict=True))}
            | {f"{n} counts": counts[kind, n] for n in grid.systems if (kind, n) in counts}
            for kind, gold, values in zip(grid.types, grid.gold, grid.values, strict=True)
        ],
        notes=[_HEAT_NOTE, *evaluation.typed.type_notes, *table.notes],
        signature=table.signature,
    )
    about = (
        "F0.5 of each system on each type of error, the most frequent first. A heading sorts; a "
        "cell shows its sentences."
    )
    return ReportSection(
        "types", "Error types", about, heat, "heat", leads_to_sentences=True, short="Types"
    )


_INTERVALS = (
    "The lines are 95 % intervals of each type by itself, from paired bootstrap samples; a bar is "
    "pale where its interval includes 0."
)


def make_differences(evaluation: ReportData) -> ReportSection:
    """The best two systems type by type; with the intervals of every pair, to be chosen from."""
    scored = evaluation.typed.collect("errant(by=type)")
    if len(scored) < 2:
        raise RedinkError("differences need at least two systems")
    table = evaluation.tabulate(scored)
    (grid,) = type_grids(table)
    intervals = _intervals(evaluation, scored, grid)
    first, second = grid.systems[:2]
    rows: list[dict[str, Any]] = []
    scores = {(row["type"] or ALL_TYPES, row["system"]): row["f"] for row in table.rows}
    for place, (kind, gold) in enumerate(zip(grid.types, grid.gold, strict=True)):
        one, other = (scores.get((kind, system)) for system in (first, second))
        gap = None if one is None or other is None else one - other
        row = {"type": kind, "gold": gold, first: one, second: other, "difference": gap}
        known = intervals.get((first, second), {place: None})[place]
        rows.append(row | ({} if known is None else {"low": known[0], "high": known[1]}))
    rates = (first, second, "difference", *(("low", "high") if evaluation.bootstrap else ()))
    shown = make_table(
        [Column("type"), Column("gold", "count"), *(Column(name, "rate") for name in rates)],
        rows,
        notes=[*evaluation.typed.type_notes, *([_INTERVALS] if evaluation.bootstrap else [])],
        signature=table.signature,
    )
    about = (
        "The difference in F0.5 between two systems on each type of error, in percentage points: "
        "where the first is better, and where the second."
    )
    return ReportSection(
        "differences",
        "Two systems, type by type",
        about,
        replace(shown, extra={"intervals": intervals}),
        "differences",
        short="Differences",
    )


def _intervals(
    evaluation: ReportData, scored: Sequence[Scored], grid: TypeGrid
) -> dict[tuple[str, str], list[Interval | None]]:
    """For every pair of systems the interval of the difference on each type of the grid."""
    if not evaluation.bootstrap:
        return {}
    rng = np.random.default_rng(evaluation.seed)
    samples = resample_all(scored, evaluation.bootstrap, rng, evaluation.given.groups)
    undefined = np.full(evaluation.bootstrap, np.nan)
    values = {}
    for each, found in zip(scored, samples, strict=True):
        kinds = [row.get("type") or ALL_TYPES for row in each.metric.rows(each.statistics)]
        by_type = dict(zip(kinds, found.T, strict=True))
        values[each.system.name] = np.stack([by_type.get(k, undefined) for k in grid.types])
    intervals: dict[tuple[str, str], list[Interval | None]] = {}
    for one, other in combinations(grid.systems, 2):
        ends = zip(*percentile_interval(values[one] - values[other], axis=1), strict=True)
        intervals[one, other] = [
            None if np.isnan(low) else (float(low), float(high)) for low, high in ends
        ]
    return intervals


_OPERATIONS = {"M": "missing", "R": "replacement", "U": "unnecessary"}


def make_operations(evaluation: ReportData) -> ReportSection:
    """A small chart for each kind of change."""
    scored = evaluation.collect("errant(by=operation)")
    table = evaluation.tabulate(scored, bootstrap=evaluation.bootstrap)
    rows = [
        {**row, "type": _OPERATIONS.get(row["type"], row["type"])}
        for row in table.rows
        if row.get("type")
    ]
    rows.sort(key=lambda row: str(row["type"]))
    only = replace(without_columns(table, "metric", "rank", "group"), rows=rows, groups="type")
    return ReportSection(
        "operations",
        "Missing, replacement, unnecessary",
        "What kind of change each system gets right.",
        only,
        "operations",
        leads_to_sentences=True,
        short="Operations",
    )
