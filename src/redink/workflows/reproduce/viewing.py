"""The table of reproduced figures as people like to read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product
from string import ascii_lowercase

from redink.model import Table


def view_figures(table: Table) -> Table:
    """The reasons as letters that the notes explain, and no column that says nothing."""
    reasons = dict.fromkeys(row["reason"] for row in table.rows if row["reason"] is not None)
    letters = dict(zip(reasons, _letters(), strict=False))
    answers = {None: "", True: "yes", False: "NO"}
    rows = [
        row | {"reason": letters.get(row["reason"], ""), "accounted": answers[row["accounted"]]}
        for row in table.rows
    ]
    empty = {name for name in ("reason", "accounted") if not any(row[name] for row in rows)}
    explained = [f"{letter}: {reason}." for reason, letter in letters.items()]
    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name not in empty),
        rows=rows,
        notes=(*explained, *table.notes),
    )


def _letters() -> Iterator[str]:
    """a, b ... z, aa, ab ..."""
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
