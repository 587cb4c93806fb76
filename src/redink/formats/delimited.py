"""Records of CSV, TSV and JSON lines, with the line each came from; and tables written.

CSV follows RFC 4180 (quotes, commas and line breaks inside quotes), also with semicolons, as a
spreadsheet writes it where the comma is in numbers. In TSV nothing is quoted: a
tab always separates and a quotation mark is only itself, as in the data sets of this field.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, TextIO, TypeVar

from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import placed, read_lines
from redink.formats.json_lines import first_object, read_head, read_objects

COMMA, SEMICOLON, TAB = ",", ";", "\t"
Layout = Literal["csv", "tsv", "jsonl"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record:
    """One record: the number of its (last) line, and its cells by the name of their column.

    Cells are text, as they are written; only JSON lines may have others (true, null, lists).
    """

    line: int
    cells: dict[str, Any]


def tell_layout(head: Sequence[str], columns: Iterable[str] = ()) -> Layout | None:
    """Which of the three a file is, by its first lines; None if it lacks one of the columns.

    Upper and lower case are the same in the names of columns.
    """
    wanted = {name.lower() for name in columns}

    def has_all(names: Iterable[str]) -> bool:
        return wanted <= {name.lower() for name in names}

    first = next((line for line in head if line.strip()), "")
    if first.lstrip().startswith("{"):
        return "jsonl" if has_all(first_object(head)) else None
    if not head:
        return None
    if TAB in head[0] and has_all(_header(head[0], TAB)):
        return "tsv"
    return "csv" if has_all(_header(head[0], _separator(head[0]))) else None


def _separator(header: str) -> str:
    """What separates the cells of CSV: a comma, unless the header has none but semicolons."""
    return SEMICOLON if SEMICOLON in header and COMMA not in header else COMMA


def read_records(path: str | Path, layout: Layout | None = None) -> Iterator[Record]:
    """The records of a file, told by its content unless said. Numbers stay as they are written."""
    layout = layout or tell_layout(read_head(path))
    if layout == "jsonl":
        for line, value in read_objects(path, numbers_as_text=True):
            yield Record(line, value)
    else:
        yield from _read_rows(path, TAB if layout == "tsv" else None)


def read_table(
    path: str | Path, layout: Layout, build: Callable[[dict[str, str]], Iterable[T]], what: str
) -> Iterator[T]:
    """The values that ``build`` makes of every record."""
    empty = True
    for record in read_records(path, layout):
        with placed(path, record.line):
            values = build(record.cells)
        yield from values
        empty = False
    if empty:
        raise FormatError(f"holds no {what} below its header", path=path)


def required_cell(cells: Mapping[str, str], name: str) -> str:
    """What a column says that must say something."""
    if not cells.get(name):
        missing = "is empty" if name in cells else "is missing from the header"
        raise DataError(f"the column {name!r} {missing}")
    return cells[name]


def header_of(head: Sequence[str], layout: Layout | None = None) -> list[str]:
    """The names of the columns of a table that begins so."""
    first = head[0] if head else ""
    is_tsv = layout == "tsv" if layout else TAB in first
    return _header(first, TAB if is_tsv else _separator(first))


def _header(line: str, separator: str) -> list[str]:
    """The column names of a header line, or nothing if it cannot be one."""
    try:
        names = next(_parse([(1, line)], separator, None), (0, []))[1]
    except FormatError:
        return []
    return [name.strip() for name in names]


def _read_rows(path: str | Path, separator: str | None) -> Iterator[Record]:
    """The rows below the header; every row has as many cells as the header has names."""
    lines = read_lines(path)
    first = list(islice(lines, 1))
    separator = separator or _separator(first[0][1] if first else "")
    rows = _parse(chain(first, lines), separator, path)
    line, header = next(rows, (0, []))
    names = [name.strip() for name in header]
    if not any(names):
        raise FormatError("has no header with the names of its columns", path=path)
    for number, name in enumerate(names, start=1):
        if not name or names.count(name) > 1:
            raise FormatError(
                f"the column {name!r} is named twice" if name else f"column {number} has no name",
                path=path,
                line=line,
            )
    for line, cells in rows:
        if not cells:
            continue  # an empty line
        if len(cells) != len(names):
            raise FormatError(
                f"expected {len(names)} columns, as in the header, found {len(cells)}",
                path=path,
                line=line,
            )
        yield Record(line, dict(zip(names, cells, strict=True)))


def _parse(
    lines: Iterable[tuple[int, str]], separator: str, path: str | Path | None
) -> Iterator[tuple[int, list[str]]]:
    if separator == TAB:
        for number, line in lines:
            yield number, line.split(TAB) if line else []
        return
    last = 0

    def with_ends() -> Iterator[str]:
        nonlocal last
        for number, line in lines:
            last = number
            yield f"{line}\n"

    reader = csv.reader(with_ends(), delimiter=separator, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(f"is not well-formed CSV: {error}", path=path, line=last) from None
        yield last, row


def write_rows(
    names: Sequence[str], rows: Iterable[Sequence[str]], stream: TextIO, separator: str
) -> None:
    """A header and rows."""
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
        for character in forbidden:
            if character in value:
                form = "TSV" if "\t" in forbidden else "CSV"
                raise DataError(f"{form} cannot carry the character {character!r} in {value!r}")
    return row


def extra_columns(
    extras: Iterable[tuple[tuple[str, str], ...]], reserved: Iterable[str]
) -> list[str]:
    """The names of all extra columns in order of appearance."""
    taken = {name.lower() for name in reserved}
    names: dict[str, None] = {}
    for extra in extras:
        own = [name for name, _ in extra]
        for name in own:
            if name != name.strip() or not name or name.lower() in taken or own.count(name) > 1:
                raise DataError(f"a table cannot carry the extra value {name!r}: its name is taken")
            names[name] = None
    return list(names)


def warn_of_empty(count: int) -> None:
    """One warning for values that are empty: in a table, an empty cell says that there is none."""
    if count:
        warnings.warn(
            f"{count} empty values became empty cells, which are read as no value at all",
            RedinkWarning,
            stacklevel=3,
        )
