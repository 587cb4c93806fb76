"""Judgments in long form: a row for every label that a judge gave to an item.

::

    item,judge,label,gold,confidence,duration,time
    s1,anna,3,,0.9,4.2,2024-03-01T10:00:00

``item, judge, label`` are required; ``gold, confidence, duration, time`` are optional; any other
column is kept. An empty cell in an optional column says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from redink.errors import DataError
from redink.formats.delimited import (
    COMMA,
    TAB,
    Layout,
    extra_columns,
    read_table,
    required_cell,
    tell_layout,
    warn_of_empty,
    write_rows,
)
from redink.formats.durations import format_seconds, parse_optional_duration
from redink.formats.registry import Format, register
from redink.model import Judgment

REQUIRED = ("item", "judge", "label")
OPTIONAL = ("gold", "confidence", "duration", "time")


def read_judgments_table(path: str | Path, *, layout: Layout) -> Iterator[Judgment]:
    """The judgments of a CSV or TSV file, one at a time."""
    return read_table(path, layout, _judgments, "judgments")


def _judgments(cells: Mapping[str, str]) -> Iterable[Judgment]:
    own: dict[str, str] = {}
    extra = []
    for name, value in cells.items():
        if name.lower() in REQUIRED or name.lower() in OPTIONAL:
            own[name.lower()] = value
        elif value:
            extra.append((name, value))
    return [
        Judgment(
            required_cell(own, "item"),
            required_cell(own, "judge"),
            required_cell(own, "label"),
            own.get("gold") or None,
            own.get("confidence") or None,
            parse_optional_duration(own.get("duration")),
            own.get("time") or None,
            tuple(extra),
        )
    ]


def write_judgments_table(judgments: Iterable[Judgment], stream: TextIO, *, layout: Layout) -> None:
    """The judgments as CSV or TSV, with the optional columns that any of them has.

    Raises:
        DataError: a judgment without item, judge or label, or a value no table can carry.
    """
    # The header comes first, so what columns there are must be known before the first row.
    rows = list(judgments)
    used = [name for name in OPTIONAL if any(getattr(j, name) is not None for j in rows)]
    extra = extra_columns((j.extra for j in rows), (*REQUIRED, *OPTIONAL))
    empty = 0

    def cells() -> Iterator[list[str]]:
        nonlocal empty
        for judgment in rows:
            if not (judgment.item and judgment.judge and judgment.label):
                told = ", ".join(f"{name} {getattr(judgment, name)!r}" for name in REQUIRED)
                raise DataError(f"a judgment needs item, judge and label; one has {told}")
            own = {name: getattr(judgment, name) for name in (*REQUIRED, *used)}
            if judgment.duration is not None:
                own["duration"] = format_seconds(judgment.duration)
            further = dict(judgment.extra)
            values = [*own.values(), *(further.get(name) for name in extra)]
            empty += sum(value == "" for value in values)
            yield [value or "" for value in values]

    separator = TAB if layout == "tsv" else COMMA
    write_rows([*REQUIRED, *used, *extra], cells(), stream, separator)
    warn_of_empty(empty)


def _recognise(head: Sequence[str], layout: Layout) -> bool:
    return tell_layout(head, REQUIRED) == layout


def _register(layout: Layout, separated: str) -> Format:
    return register(
        Format(
            name=layout,
            kind="judgments",
            description=f"judgments in long form: item, judge, label and more, {separated}",
            suffixes=(f".{layout}",),
            recognise=partial(_recognise, layout=layout),
            read=partial(read_judgments_table, layout=layout),
            write=partial(write_judgments_table, layout=layout),
        )
    )


CSV = _register("csv", "comma-separated")
TSV = _register("tsv", "tab-separated")
