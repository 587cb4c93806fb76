"""Read pairs of sentences and corrections, row by row, from parallel files or tables.

The input is either parallel files with corresponding lines, or one file with columns: JSON lines,
Parquet, CSV, or tab-separated text. Rows are strings of tokens separated by spaces. Any range of
rows can be read separately, so that many processes can share a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from redink.errors import DataError, FormatError, OptionError
from redink.files import BEGINNING, STANDARD_STREAM, Place, mark_lines, placed, read_lines
from redink.formats.delimited import read_records
from redink.formats.format_registry import all_formats, detect_format, suffix_of
from redink.formats.parquet import column_names, count_rows, is_parquet, read_cells
from redink.formats.plain_text import mismatch, one_corrected
from redink.formats.recognition import (
    CORRECTED,
    SOURCE,
    first_object,
    header_of,
    is_list_of_strings,
    is_numbered,
    lists_objects,
    read_head,
    stem_of,
    tell_layout,
)
from redink.formats.strict_json import Object, parse_object, read_objects, read_strings
from redink.inputs.input_options import ColumnOptions

Row = tuple[str, ...]
"""A source sentence and its corrections."""

Layout = Literal["lines", "jsonl", "parquet", "table", "tsv", "numbered"]


@dataclass(frozen=True)
class ParallelFiles:
    """The files of pairs: the source and its corrections, or one file with columns."""

    files: tuple[str, ...]
    layout: Layout = "lines"
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowRange:
    """A range of rows: its first row, the position of this row in each file, and its size."""

    places: tuple[Place, ...]
    rows: int


def layout_of(path: str | Path, source_column: str | None = None) -> Layout | None:
    """Return the layout of pairs in a file; None if the file does not seem to contain pairs."""
    suffix = suffix_of(path)
    # the reader reports the problem of a damaged file with this suffix
    if suffix == ".parquet" or (str(path) != STANDARD_STREAM and is_parquet(path)):
        return "parquet"
    head = read_head(path)
    keys = first_object(head)
    sources = SOURCE if source_column is None else (source_column,)
    if not keys.keys().isdisjoint(sources) or (suffix == ".jsonl" and "tokens" not in keys):
        # an object with "tokens" is of a corpus, which may have edits
        return "table" if lists_objects(path) else "jsonl"
    if any(tell_layout(head, [name]) in {"csv", "tsv"} for name in sources):
        return "table"
    if is_numbered(head) or suffix == ".para":  # the reader reports the problem of a damaged file
        return "numbered"
    if head and all("\t" in line for line in head):
        return "tsv"
    return None


def find_pairs(
    source: str | Path, corrected: Sequence[str | Path], columns: ColumnOptions
) -> ParallelFiles:
    """Find the pairs in parallel files or, if there is no file of corrections, in one file."""
    if corrected:
        if columns != ColumnOptions():
            raise OptionError(
                "--source-column and --corrected-column cannot be combined with CORRECTED files; "
                "they require a SOURCE file that contains the corrections too"
            )
        head = [] if str(source) == STANDARD_STREAM else read_head(source)
        if head and detect_format(source, kind="corpus").name == "m2":
            raise OptionError(
                f"{source} already contains edits. Try: only this file, with --auto (extract the "
                "edits again) or --gold (keep the edits and classify them again)"
            )
        return ParallelFiles((str(source), *map(str, corrected)))
    layout = layout_of(source, columns.source_column)
    if columns.source_column is not None and layout in {None, "tsv", "numbered"}:
        with placed(source):
            raise _no_column(columns.source_column, header_of(read_head(source)))
    if layout is None:
        raise OptionError(
            f"{source} does not contain pairs of sentences. Try: add the corrected text, or use "
            "--auto or --gold with a file that contains edits"
        )
    if layout in {"tsv", "numbered"}:
        if columns.corrected_column:
            raise OptionError(
                f"--corrected-column cannot be used, because the columns of {source} have no names"
            )
        return ParallelFiles((str(source),), layout)
    if layout == "parquet":
        names = column_names(source)
    else:
        head = read_head(source)
        names = list(first_object(head)) or (header_of(head) if layout == "table" else [])
    with placed(source):
        return ParallelFiles((str(source),), layout, _choose_columns(names, columns))


def _choose_columns(names: Sequence[str], asked: ColumnOptions) -> Row:
    """Return the chosen columns, or by default those with a known name."""
    found = [name for wanted in SOURCE for name in names if name.lower() == wanted]
    source = asked.source_column or next(iter(found), SOURCE[0])
    others = asked.corrected_column
    if not others:
        stems = set(map(stem_of, names))
        wanted = CORRECTED[0]
        if wanted not in stems:
            wanted = one_corrected(stems, "Choose with --corrected-column")
        others = [name for name in names if stem_of(name) == wanted] or [wanted]
    return (source, *([others] if isinstance(others, str) else others))


def mark_rows(pairs: ParallelFiles, *, every: int) -> tuple[list[RowRange], int]:
    """Divide the rows into parts of a given size and count them; check the entire input."""
    if pairs.layout in {"parquet", "table"}:
        is_table = pairs.layout == "table"
        total = sum(1 for _ in read_rows(pairs)) if is_table else count_rows(pairs.files[0])
        marks = [[Place(0, line) for line in range(0, total, every)]]
    else:
        marked = [_mark(path, every) for path in pairs.files]
        total = marked[0][1]
        for path, (_, lines) in zip(pairs.files, marked, strict=True):
            if lines != total:
                raise mismatch(path, pairs.files[0], min(lines, total), ends=lines < total)
        marks = [places for places, _ in marked]
    if pairs.layout not in {"lines", "table"}:
        for _ in read_rows(pairs):
            pass
    starts = list(zip(*marks, strict=True)) or [(BEGINNING,) * len(pairs.files)]
    return [RowRange(places, min(every, total - places[0].line)) for places in starts], total


def _mark(path: str, every: int) -> tuple[list[Place], int]:
    if (members := _read_list(path)) is None:
        return mark_lines(path, every=every)
    total = sum(1 for _ in members)
    return [Place(0, number) for number in range(0, total, every)], total


def _read_list(path: str) -> Iterator[tuple[int, Any]] | None:
    """Return the items of a JSON list with their indices; None if the file is not a list."""
    if is_list_of_strings(read_head(path)):
        return read_strings(path)
    return read_objects(path) if lists_objects(path) else None


def read_rows(pairs: ParallelFiles, part: RowRange | None = None) -> Iterator[Row]:
    """Yield the rows of pairs, all of them or a part."""
    if pairs.layout == "lines":
        rows = _read_parallel(pairs.files, part)
    elif pairs.layout == "tsv":
        rows = _read_tabs(pairs.files[0], part)
    elif pairs.layout == "numbered":
        rows = (cells[1:] for cells in _read_tabs(pairs.files[0], part, least=3))
    else:
        rows = _read_columns(pairs, part)
    count = 0
    for row in rows:
        yield row
        count += 1
    if part is not None and count != part.rows:
        raise FormatError("has changed since its lines were counted", path=pairs.files[0])


def _lines(path: str, number: int, part: RowRange | None) -> Iterator[tuple[int, str]]:
    if part is None:
        return read_lines(path)
    return islice(read_lines(path, start=part.places[number]), part.rows)


def _texts(path: str, number: int, part: RowRange | None) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, as all commands read it: lines, or strings in JSON."""
    head = read_head(path)
    found = next((known for known in all_formats() if known.recognize(head)), None)
    if found is None or found.name == "text":
        yield from _lines(path, number, part)
        return
    if (found.name, found.kind) not in {("jsonl", "corpus"), ("json", "corpus")}:
        raise FormatError(f"contains {found.kind} ({found.name}); expected plain text", path=path)
    for count, (line, value) in enumerate(_values(path, number, part), start=1):
        with placed(path, line):
            text = " ".join(value.split()) if isinstance(value, str) else _text(value, "tokens")
        if not isinstance(value, str) and value.get("annotations"):
            raise FormatError("contains edits; expected plain text", path=path, line=line)
        yield count, text


def _values(path: str, number: int, part: RowRange | None) -> Iterator[tuple[int, Any]]:
    """Yield the items of a JSON list, or one object per line; an empty line has no tokens."""
    if (members := _read_list(path)) is not None:
        first = part.places[number].line if part else 0
        yield from islice(members, first, first + part.rows if part else None)
        return
    for line, content in _lines(path, number, part):
        with placed(path, line):
            yield line, parse_object(content) if content.strip() else {"tokens": []}


def _read_parallel(files: tuple[str, ...], part: RowRange | None) -> Iterator[Row]:
    source, *corrected = files
    streams = [_texts(path, number, part) for number, path in enumerate(corrected, start=1)]
    length = 0
    for length, line in _texts(source, 0, part):
        row = [line]
        for path, stream in zip(corrected, streams, strict=True):
            following = next(stream, None)
            if following is None:
                raise mismatch(path, source, length - 1, ends=True)
            row.append(following[1])
        yield tuple(row)
    for path, stream in zip(corrected, streams, strict=True):
        if next(stream, None) is not None:
            raise mismatch(path, source, length, ends=False)


def _read_tabs(path: str, part: RowRange | None, *, least: int = 2) -> Iterator[Row]:
    for number, line in _lines(path, 0, part):
        cells = tuple(line.split("\t"))
        if len(cells) < least:
            what = {2: "a source and its correction", 3: "a number, a source, corrections"}[least]
            raise FormatError(f"expected {what}, separated by tabs", path=path, line=number)
        yield cells


def _read_columns(pairs: ParallelFiles, part: RowRange | None) -> Iterator[Row]:
    path = pairs.files[0]
    first = part.places[0].line if part else 0
    if pairs.layout == "parquet":
        cells = read_cells(path, pairs.columns, first=first, rows=part.rows if part else None)
        for number, values in enumerate(cells, start=first + 1):
            try:
                yield _row(dict(zip(pairs.columns, values, strict=True)), pairs.columns)
            except DataError as error:
                raise FormatError(f"row {number}: {error}", path=path) from None
        return
    if pairs.layout == "table":
        for record in islice(read_records(path), first, first + part.rows if part else None):
            with placed(path, record.line):
                yield _row(record.cells, pairs.columns)
        return
    for number, line in _lines(path, 0, part):
        with placed(path, number):
            # an empty line is a row without a sentence, as in plain text
            found = parse_object(line) if line.strip() else dict.fromkeys(pairs.columns, "")
            yield _row(found, pairs.columns)


def _no_column(name: str, names: Iterable[str]) -> DataError:
    known = ", ".join(map(repr, names)) or "none"
    return DataError(
        f"has no column {name!r}; its columns are: {known} (choose them with --source-column "
        "and --corrected-column)"
    )


def _row(found: Object, columns: tuple[str, ...]) -> Row:
    row: list[str] = []
    for name in columns:
        if name not in found:
            raise _no_column(name, found)
        value = found[name]
        # a list of corrections has one item per annotator
        several = value if row and isinstance(value, list) else [value]
        row.extend(_text(one, name) for one in several)
    return tuple(row)


def _text(value: Any, name: str) -> str:
    if isinstance(value, dict):  # a sentence in redink's own JSON lines
        value = value.get("tokens", value)
        if isinstance(value, list) and all(isinstance(token, str) for token in value):
            value = " ".join(value)
    if not isinstance(value, str):
        shown = "null" if value is None else repr(value)[:40]
        raise DataError(f"expected text for {name!r}, found {shown}")
    if "\0" in value:
        raise DataError(f"the text of {name!r} contains a NUL")
    return value
