"""Every measure from the four counts of a published table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from redink.detection.rows import (
    Outcome,
    explain_undefined,
    further_columns,
    make_rows,
    measure_columns,
)
from redink.errors import OptionError
from redink.model import Counts, Table, make_signature, make_table

Cells = Sequence[float | None]
"""TP, FP, FN and TN; TN is None where there is no negative class."""


def measure_counts(given: Cells | Sequence[Cells], *, beta: float = 0.5) -> Table:
    """The measures of one table of counts, or of several."""
    check_number("beta", beta)
    several = bool(given) and isinstance(given[0], Sequence)
    tables = cast("Sequence[Cells]", given if several else [given])
    outcomes = [
        Outcome("given" if len(tables) == 1 else f"given {number}", None, _check_cells(cells))
        for number, cells in enumerate(tables, start=1)
    ]
    columns = [*measure_columns(beta), *further_columns(outcomes, has_rule=False)]
    return make_table(
        columns,
        make_rows(outcomes, columns, beta=beta),
        notes=explain_undefined(outcomes, columns, beta=beta),
        signature=make_signature(
            "detection",
            counts=["/".join(map(_show, cells)) for cells in tables],
            beta=beta,
        ),
        title="Measures from counts",
    )


def check_number(name: str, value: float) -> None:
    """Refuse what is negative, infinite or not a number."""
    if not 0 <= value < float("inf"):
        raise OptionError(f"{name} is a number from 0 up, not {value}")


def _check_cells(cells: Cells) -> Counts:
    if len(cells) != 4:
        raise OptionError(f"counts are four: TP FP FN TN; {len(cells)} were given")
    tp, fp, fn, tn = cells
    if tp is None or fp is None or fn is None:
        raise OptionError("only TN may be missing among TP FP FN TN")
    for cell in (tp, fp, fn, 0 if tn is None else tn):
        check_number("a count", cell)
    return Counts(_whole(tp), _whole(fp), _whole(fn), None if tn is None else _whole(tn))


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def _show(value: float | None) -> str:
    return "-" if value is None else f"{_whole(value)}"
