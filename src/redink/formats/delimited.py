"""Read records of CSV, TSV and JSON lines with line numbers, write tables, parse durations.

CSV follows RFC 4180 (quotes, commas and line breaks inside quotes). The separator may be a
semicolon, which spreadsheets write where numbers have a decimal comma. TSV has no quoting: a tab
always separates columns, and a quotation mark is an ordinary character.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, TextIO, TypeVar

from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import placed, read_lines
from redink.formats.recognition import COMMA, TAB, Layout, read_head, separator_of, tell_layout
from redink.formats.strict_json import read_objects

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record:
    """One record: the number of its last line, and its cells by column name.

    Cells are strings exactly as in the file; only JSON lines may have other values (true, null,
    lists).
    """

    line: int
    cells: dict[str, Any]


def read_records(path: str | Path, layout: Layout | None = None) -> Iterator[Record]:
    """Yield the records of a file, with numbers as text. The format is detected by default."""
    layout = layout or tell_layout(read_head(path))
    if layout == "jsonl":
        for line, value in read_objects(path, numbers_as_text=True):
            yield Record(line, value)
    else:
        yield from _read_rows(path, TAB if layout == "tsv" else None)


def read_table(
    path: str | Path, layout: Layout, build: Callable[[dict[str, str]], Iterable[T]], what: str
) -> Iterator[T]:
    """Yield the values that ``build`` returns for each record."""
    empty = True
    for record in read_records(path, layout):
        with placed(path, record.line):
            values = build(record.cells)
        yield from values
        empty = False
    if empty:
        raise FormatError(f"contains no {what} below its header", path=path)


def required_cell(cells: Mapping[str, str], name: str) -> str:
    """Return the cell of a required column."""
    if not cells.get(name):
        missing = "is empty" if name in cells else "is missing from the header"
        raise DataError(f"the column {name!r} {missing}")
    return cells[name]


def _read_rows(path: str | Path, separator: str | None) -> Iterator[Record]:
    """Yield the rows below the header; all rows must have as many cells as the header."""
    lines = read_lines(path)
    first = list(islice(lines, 1))
    separator = separator or separator_of(first[0][1] if first else "")
    rows = _parse(chain(first, lines), separator, path)
    line, header = next(rows, (0, []))
    names = [name.strip() for name in header]
    if not any(names):
        raise FormatError("has no header with column names", path=path)
    with placed(path, line):
        for number, name in enumerate(names, start=1):
            if not name:
                raise DataError(f"column {number} has no name")
            if names.count(name) > 1:
                raise DataError(f"the column name {name!r} occurs twice")
    for line, cells in filter(itemgetter(1), rows):  # no empty lines
        if len(cells) != len(names):
            problem = f"expected {len(names)} columns as in the header, found {len(cells)}"
            raise FormatError(problem, path=path, line=line)
        yield Record(line, dict(zip(names, cells, strict=True)))


def _parse(
    lines: Iterable[tuple[int, str]], separator: str, path: str | Path | None
) -> Iterator[tuple[int, list[str]]]:
    if separator == TAB:
        for number, line in lines:
            yield number, line.split(TAB) if line else []
        return
    # a row may have several lines; line_num is the number of the last one
    reader = csv.reader((f"{line}\n" for _, line in lines), delimiter=separator, strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        problem = f"is not valid CSV: {error}"
        raise FormatError(problem, path=path, line=reader.line_num) from None


def reread(values: Iterable[T]) -> Iterable[T]:
    """Return values that can be iterated several times; an iterator becomes a list."""
    return list(values) if iter(values) is values else values


def write_rows(
    names: Sequence[str], rows: Iterable[Sequence[str]], stream: TextIO, separator: str
) -> None:
    """Write a header and rows."""
    if separator == COMMA:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(_checked(names, "\r\0"))
        writer.writerows(_checked(row, "\r\0") for row in rows)
        return
    for row in chain([names], rows):
        stream.write(TAB.join(_checked(row, "\t\r\n\0")))
        stream.write("\n")


def _checked(row: Sequence[str], forbidden: str) -> Sequence[str]:
    for value in row:
        if bad := [character for character in forbidden if character in value]:
            form = "TSV" if "\t" in forbidden else "CSV"
            raise DataError(f"{form} cannot represent the character {bad[0]!r} in {value!r}")
    return row


def extra_columns(
    extras: Iterable[tuple[tuple[str, str], ...]], reserved: Iterable[str]
) -> list[str]:
    """Return the names of all extra columns in order of appearance."""
    taken = {name.lower() for name in reserved}
    names: dict[str, None] = {}
    for extra in extras:
        own = [name for name, _ in extra]
        for name in own:
            if name != name.strip() or not name or name.lower() in taken or own.count(name) > 1:
                raise DataError(
                    f"a table already has a column {name!r}, the name of an extra value"
                )
            names[name] = None
    return list(names)


def write_rows_with_gaps(
    names: Sequence[str], rows: Iterable[Sequence[str | None]], stream: TextIO, separator: str
) -> None:
    """Write a header and rows; one warning counts empty strings, which look like missing values."""
    count = 0

    def cells() -> Iterator[list[str]]:
        nonlocal count
        for row in rows:
            count += sum(value == "" for value in row)
            yield [value or "" for value in row]

    write_rows(names, cells(), stream, separator)
    if count:
        message = f"{count} empty strings became empty cells, which will be read as missing values"
        warnings.warn(message, RedinkWarning, stacklevel=3)


# ---- durations: seconds, or hours:minutes:seconds

_LONGEST = 10**9  # about thirty years in seconds, an upper bound for the duration of a judgment

_PARTS = re.compile(r"(?:(?:(\d{1,9}):)?(\d{1,9}):)?(\d{1,10}(?:\.\d{0,400})?)", re.ASCII)
_SECONDS = re.compile(r"\d{1,10}(?:\.\d{0,400})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def parse_duration(text: str) -> float | None:
    """Parse ``67.524``, ``1:07.524`` or ``00:01:07.524`` to seconds; None for other text."""
    text = text.strip()
    if _SECONDS.fullmatch(text):
        seconds = Decimal(text)
    elif parts := _PARTS.fullmatch(text):
        hours, minutes, rest = parts.groups()
        # Decimal, so that a written float is read back unchanged
        seconds = 3600 * Decimal(hours or 0) + 60 * Decimal(minutes or 0) + Decimal(rest)
    else:
        return None
    return float(seconds) if seconds < _LONGEST else None


def parse_optional_duration(text: str | None) -> float | None:
    """Parse a duration to seconds; None if the text is empty."""
    if not text:
        return None
    seconds = parse_duration(text)
    if seconds is None:
        problem = f"expected a duration in seconds or as hours:minutes:seconds, found {text!r}"
        raise DataError(problem)
    return seconds


def format_seconds(seconds: float | None) -> str | None:
    """Format seconds as ``67.524``, exact to the last digit of the float; None stays None."""
    return None if seconds is None else repr(float(check_duration(seconds)))


def check_duration(seconds: float) -> float:
    """Return the duration if it can be written; otherwise raise an error."""
    if not 0 <= seconds < _LONGEST:
        raise DataError(f"a duration of {seconds} seconds cannot be written")
    return abs(seconds)  # no -0.0


def format_duration(seconds: float) -> str:
    """Format 67.524 as ``00:01:07.524000``, exact to the last digit of the float."""
    total = Decimal(repr(float(check_duration(seconds))))
    minutes, rest = divmod(total, 60)
    hours, minutes = divmod(minutes, 60)
    whole, _, fraction = f"{rest:f}".partition(".")
    return f"{int(hours):02d}:{int(minutes):02d}:{int(whole):02d}.{fraction:<06}"
