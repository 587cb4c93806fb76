"""Error types of any two systems side by side, packed for the script that draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redink.model import Table

Interval = tuple[float, float]
Intervals = Mapping[tuple[str, str], Sequence[Interval | None]]
"""For two systems, the interval of their difference on each type, in the order of the types."""


def pack_differences(types: Table, intervals: Intervals) -> dict[str, Any]:
    """What the script needs to compare any two systems, type by type.

    Args:
        types: a row for each error type with ``gold``, a column of scores for each system, and
            its counts.
        intervals: of the differences.
    """
    systems = [column.name for column in types.columns if column.kind == "rate"]
    return {
        "systems": systems,
        "rows": [
            {
                "type": row["type"],
                "gold": row["gold"],
                "f": [row.get(name) for name in systems],
                "counts": [row.get(f"{name} counts", "") for name in systems],
            }
            for row in types.rows
        ],
        "intervals": {
            f"{systems.index(one)},{systems.index(other)}": [
                each and [round(end, 3) for end in each] for each in known
            ]
            for (one, other), known in intervals.items()
        },
    }
