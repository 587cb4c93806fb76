"""Judgments in tables: a row for every label that a judge gave to an item, or a row an item.

::

    item,judge,label,gold,confidence,duration,time      item,anna,bert
    s1,anna,3,,0.9,4.2,2024-03-01T10:00:00              s1,3,2

The long form needs ``item, judge, label``; ``gold, confidence, duration, time`` are optional; any
other column is kept. An empty cell in an optional column says nothing.

The wide form has ``item``, perhaps ``gold`` and a text (:data:`ABOUT`), and every other column is
a judge. An empty cell is a judgment that nobody gave. The long form is written.
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
    header_of,
    read_table,
    required_cell,
    tell_layout,
    warn_of_empty,
    write_rows,
)
from redink.formats.durations import format_seconds, parse_optional_duration
from redink.formats.jsonl import CORRECTED, SOURCE, stem_of
from redink.formats.registry import JUDGMENT_COLUMNS, Format
from redink.model import Judgment

REQUIRED = ("item", "judge", "label")
OPTIONAL = ("gold", "confidence", "duration", "time")


ABOUT = ("sentence", "text", "note", "comment", "set", "document")
"""What a wide table may say about an item beside its labels; kept as further columns are."""
_OTHER_TABLES = frozenset({"judge", "label", "confidence", "duration", "time", "system", "rating"})
_LONGEST_LABEL = 80


def read_judgments_table(path: str | Path, *, layout: Layout) -> Iterator[Judgment]:
    """The judgments of a CSV or TSV file, one at a time."""
    return read_table(path, layout, _judgments, "judgments")


def judges_of(names: Sequence[str]) -> list[str]:
    """The columns of a wide table that are judges; none if its header is not that of one.

    It has none of the columns of other tables: of single judgments, scores or sentences.
    """
    lower = [name.lower() for name in names]
    sentences = {stem_of(name) for name in lower} & {*SOURCE, *CORRECTED}
    if "item" not in lower or sentences or _OTHER_TABLES.intersection(lower):
        return []
    judges = [name for name in names if name and name.lower() not in {"item", "gold", *ABOUT}]
    return judges if len(judges) > 1 else []


def _judgments(cells: Mapping[str, str]) -> Iterable[Judgment]:
    if judges := judges_of(list(cells)):
        return list(_wide(cells, judges))
    own: dict[str, str] = {}
    extra = []
    for name, value in cells.items():
        if name.lower() in REQUIRED or name.lower() in OPTIONAL:
            own[name.lower()] = value
        elif value:
            extra.append((name, value))
    if missing := [name for name in REQUIRED if name not in own]:
        raise DataError(f"the column {missing[0]!r} is missing from the header; {JUDGMENT_COLUMNS}")
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


def _wide(cells: Mapping[str, str], judges: Sequence[str]) -> Iterator[Judgment]:
    lower = {name.lower(): cell for name, cell in cells.items()}
    extra = tuple((name, lower[name]) for name in ABOUT if lower.get(name))
    for judge in judges:
        label = cells[judge].strip()
        if len(label) > _LONGEST_LABEL:
            raise DataError(
                f"expected a label of the judge {judge!r}, found a text; in a table with a row an "
                f"item every column is a judge, but for item, gold, {', '.join(ABOUT)}"
            )
        if label:
            yield Judgment(
                required_cell(lower, "item"), judge, label, lower.get("gold") or None, extra=extra
            )


def judgments_of_columns(columns: Mapping[str, Sequence[str]]) -> tuple[Judgment, ...]:
    """The judgments of a table that is in memory, by column."""
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return tuple(judgment for row in rows for judgment in _judgments(row))


def write_judgments_table(judgments: Iterable[Judgment], stream: TextIO, *, layout: Layout) -> None:
    """The judgments as CSV or TSV, with the optional columns that any of them has."""
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
    if tell_layout(head, REQUIRED) == layout:
        return True
    return layout == tell_layout(head, ["item"]) and bool(judges_of(header_of(head, layout)))


def _make_format(layout: Layout, separated: str) -> Format:
    return Format(
        name=layout,
        kind="judgments",
        description=f"judgments: item, judge, label and more, or a column a judge, {separated}",
        suffixes=(f".{layout}",),
        recognise=partial(_recognise, layout=layout),
        read=partial(read_judgments_table, layout=layout),
        write=partial(write_judgments_table, layout=layout),
    )


CSV = _make_format("csv", "comma-separated")
TSV = _make_format("tsv", "tab-separated")
