"""Comparisons for people: a matrix of differences with stars, or every system against one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from redink.model import Column, Table
from redink.reports.scores import with_intervals
from redink.reports.views import BY_NAME

Row = Mapping[str, Any]

STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
_STARS_LEGEND = "* p < .05, ** p < .01, *** p < .001 after Holm's adjustment, in every test made"
_LEGEND = (
    f"a cell: by how much the system beside it is better than the one above it; {_STARS_LEGEND}"
)


def stars(row: Row) -> str:
    """One to three stars for a significant difference, by its adjusted p-values."""
    found = [row.get(f"p_{test}_holm") for test in ("bootstrap", "randomisation")]
    known = [p for p in found if p is not None]
    if not known:
        return ""
    return next((mark for limit, mark in STARS if max(known) < limit), "")


def view_differences(table: Table) -> list[Table]:
    """A matrix for every metric; of two systems, or of all against one, the pairs as they are."""
    blocks: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
    for row in table.rows:
        blocks.setdefault((row["metric"], row.get("level")), []).append(row)
    made = []
    for (metric, level), rows in blocks.items():
        title = metric if level in {None, "correction"} else f"{metric}, {level}"
        baseline = table.extra.get("baseline")
        systems = {row[side] for row in rows for side in ("system", "other")}
        if baseline is not None:
            made.append(_against(table, title, rows, baseline))
        elif len(systems) > 2:
            made.append(_matrix(table, title, rows))
        else:
            made.append(_pairs(table, title, rows))
    names = {name for block in made for name in block.column_names}
    legend = [_LEGEND] if "\0number" in names else [_STARS_LEGEND] if "stars" in names else []
    return [replace(made[0], notes=(*table.notes, *legend)), *made[1:]]


def _digits(table: Table) -> int:
    found = next((c.digits for c in table.columns if c.name == "difference"), None)
    return 4 if found is None else found


def _matrix(table: Table, title: str, rows: list[dict[str, Any]]) -> Table:
    digits = _digits(table)
    scores: dict[str, float | None] = {}
    for row in rows:
        scores[row["system"]] = row["score"]
        scores[row["other"]] = row["other_score"]
    order = sorted(scores, key=lambda name: -(scores[name] or 0))
    found = {(row["system"], row["other"]): row for row in rows}
    numbered = len(order) > BY_NAME
    widest = max(len(stars(row)) for row in rows)  # behind the figures, which stand in line
    made = []
    for number, name in enumerate(order, start=1):
        line: dict[str, Any] = {"\0number": number, "\0system": name, "\0score": scores[name]}
        for other in order[number:]:
            pair = found.get((name, other)) or found.get((other, name))
            if pair is not None and pair["difference"] is not None:
                value = pair["difference"] if pair["system"] == name else -pair["difference"]
                line[other] = f"{value:.{digits}f}{stars(pair):{widest}}"
        made.append({other: line.get(other, "") for other in order} | line)
    columns = (
        Column("\0number", "count", title="#"),
        Column("\0system", title="system"),
        Column("\0score", "score", title="score", digits=digits),
        *(
            Column(other, "count", title=str(number) if numbered else other)
            for number, other in enumerate(order[1:], start=2)
        ),
    )
    return replace(table, columns=columns, rows=made, title=title, groups=None)


_PLAIN = (
    Column("difference", "score"),
    Column("stars", title=""),
    Column("interval", title="95 % interval"),
    Column("p_bootstrap_holm", "p", title="p boot."),
    Column("p_randomisation_holm", "p", title="p rand."),
)


def _against(table: Table, title: str, rows: list[dict[str, Any]], baseline: str) -> Table:
    """Every other system, and by how much it is better than the baseline."""
    own = {"system": f"{baseline} (baseline)", "score": rows[0]["other_score"]}
    made = [own, *sorted(rows, key=lambda row: -(row["score"] or 0))]
    columns = [Column("system"), Column("score", "score")]
    return _with_tests(table, title, made, columns)


def _pairs(table: Table, title: str, rows: list[dict[str, Any]]) -> Table:
    columns = [
        Column("system"),
        Column("other", title="against"),
        Column("score", "score"),
        Column("other_score", "score", title="against it"),
    ]
    return _with_tests(table, title, rows, columns)


def _with_tests(table: Table, title: str, rows: list[dict[str, Any]], lead: list[Column]) -> Table:
    digits = _digits(table)
    shown = with_intervals(rows, digits)
    for row in shown:
        is_tested = row.get("difference") is not None
        row["stars"] = (stars(row) or " ") if is_tested else " "
    columns = [*lead, *_PLAIN]
    columns = [replace(c, digits=digits) if c.kind == "score" else c for c in columns]
    columns = [c for c in columns if any(row.get(c.name) not in {None, " "} for row in shown)]
    return replace(table, columns=tuple(columns), rows=shown, title=title, groups=None)
