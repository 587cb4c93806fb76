"""Read tables with named columns: metadata of sentences, and texts in columns.

Slices are the sentences with the same values in some columns of metadata (``--by``), or those for
which an expression is true (``--where``).
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from redink.errors import DataError, FormatError, OptionError, unknown_name
from redink.files import STANDARD_STREAM
from redink.formats.delimited import read_records
from redink.formats.format_registry import suffix_of
from redink.formats.parquet import column_names, is_arrow, is_parquet, read_arrow, read_cells
from redink.formats.recognition import SOURCE, first_object, header_of, read_head
from redink.value_types import Dataset, Frame, cells_of_frame


@dataclass(frozen=True)
class Columns:
    """The columns of a table: CSV, TSV, JSON lines, Parquet, a data frame, or lists by name."""

    cells: Mapping[str, Sequence[Any]]
    name: str

    @classmethod
    def read(cls, given: str | Path | Frame | Dataset | Mapping[str, Sequence[Any]]) -> Columns:
        """Read a table."""
        if not isinstance(given, str | Path):
            if isinstance(given, Frame | Dataset):
                return cls(cells_of_frame(given), "the data frame")
            return cls({str(name): list(given[name]) for name in given}, "metadata")
        if is_arrow(given):
            return cls(read_arrow(given), str(given))
        if suffix_of(given) == ".parquet" or (str(given) != STANDARD_STREAM and is_parquet(given)):
            names = column_names(given)
            rows = [dict(zip(names, row, strict=True)) for row in read_cells(given, names)]
        else:
            rows = [record.cells for record in read_records(given)]
        if not rows:
            raise FormatError("contains no rows below its header", path=given)
        known = dict.fromkeys(name for row in rows for name in row)
        return cls({name: [row.get(name) for row in rows] for name in known}, str(given))

    @classmethod
    def has_texts(cls, given: Any) -> bool:
        """Return whether the input is a frame, or a file with the columns source and reference."""
        if not isinstance(given, str | Path):
            return isinstance(given, Frame | Dataset)
        # another module runs only for these files
        if suffix_of(given) in {".arrow", ".feather", ".parquet"} or Path(given).is_dir():
            if is_arrow(given) or not is_parquet(given):
                return is_arrow(given)
            names = column_names(given)
        else:
            head = read_head(given)
            names = list(first_object(head)) or header_of(head)
        lower = {name.lower() for name in names}
        return not lower.isdisjoint(SOURCE) and any(one.startswith("reference") for one in lower)

    def is_text(self, name: str) -> bool:
        """Return whether all cells of a column are text."""
        return all(isinstance(cell, str) for cell in self[name])

    def __getitem__(self, name: str) -> Sequence[Any]:
        if name not in self.cells:
            raise OptionError(f"{self.name}: {unknown_name('column', name, self.cells)}")
        return self.cells[name]

    def texts(self, name: str) -> list[str]:
        """Return a column of texts."""
        found = self.versions(name)
        if len(found) != 1:
            raise DataError(f"{self.name}: {name!r} has {len(found)} texts per row; expected one")
        return found[0]

    def versions(self, name: str) -> list[list[str]]:
        """Return the texts of a column; a list in a cell has one item per annotator.

        A row with fewer items than others repeats its first one.
        """
        rows = [[cell] if isinstance(cell, str) else _items(cell) for cell in self[name]]
        for number, row in enumerate(rows, start=1):
            if not row or not all(isinstance(text, str) for text in row):
                raise DataError(
                    f"{self.name}: row {number} has {repr(self[name][number - 1])[:40]} in the "
                    f"column {name!r}; expected text, or a list of texts"
                )
        most = max(map(len, rows), default=0)
        return [[row[at] if at < len(row) else row[0] for row in rows] for at in range(most)]


def _items(cell: Any) -> list[Any]:
    """Return the items of a list in a cell; a missing text is empty."""
    if _as_text(cell) == "":
        return [""]
    return cell if isinstance(cell, list) else list(cell) if hasattr(cell, "tolist") else [cell]


def _as_text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    text = str(cell)
    return "" if text in {"None", "nan", "<NA>", "NaT"} else text.lower()


@dataclass(frozen=True)
class Metadata:
    """Columns with one value per sentence; a missing value is empty."""

    columns: Mapping[str, tuple[str, ...]]
    name: str = "metadata"

    @classmethod
    def load(cls, given: Any, sentences: int) -> Metadata:
        """Read the metadata of some sentences, one row per sentence; None means no columns."""
        if given is None:
            return NO_METADATA
        table = Columns.read(given)
        columns = {name: tuple(map(_as_text, cells)) for name, cells in table.cells.items()}
        for cells in columns.values():
            if len(cells) != sentences:
                raise DataError(
                    f"{table.name} has {len(cells)} rows, but there are {sentences} sentences; "
                    "expected one row per sentence"
                )
        return cls(columns, table.name)

    def take(self, places: Sequence[int]) -> Metadata:
        """Return the metadata of the sentences with these indices."""
        columns = {k: tuple(cells[at] for at in places) for k, cells in self.columns.items()}
        return replace(self, columns=columns)

    def __getitem__(self, name: str) -> tuple[str, ...]:
        if not self.columns:
            known = unknown_name("column or group", name, ("operation", "type", "full", "document"))
            raise OptionError(f"{known}; a column requires --metadata, one row per sentence")
        if name not in self.columns:
            raise OptionError(f"{self.name}: {unknown_name('column', name, self.columns)}")
        return self.columns[name]

    def divide(self, names: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
        """Return the sentences of every combination of values, in order of the values."""
        chosen = [self[name] for name in names]
        for name, cells in zip(names, chosen, strict=True):
            if "" in cells:
                raise DataError(
                    f"{self.name}: row {cells.index('') + 1} has no value in the column {name!r}. "
                    f"Try: --where \"{name} != ''\""
                )
        slices: dict[tuple[str, ...], list[int]] = {}
        for at, values in enumerate(zip(*chosen, strict=True)):
            slices.setdefault(values, []).append(at)
        return dict(sorted(slices.items(), key=lambda item: [*map(_place, item[0])]))

    def select(self, expression: str, kept: Sequence[int] | None = None) -> tuple[int, ...]:
        """Return the sentences (of ``kept``) with a true condition, such as ``level == 'B1'``.

        A condition has comparisons, ``and``, ``or``, ``not``, ``in`` and parentheses; a column
        whose name is not a word is in backquotes. A number is compared as a number, and a missing
        value equals only ''.
        """
        quoted: dict[str, str] = {}

        def keep(name: re.Match[str]) -> str:
            return quoted.setdefault(name[1], f"column_{len(quoted)}_")

        try:
            tree = ast.parse(re.sub("`([^`]+)`", keep, expression.strip()), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise _invalid(expression) from None
        names = {short: name for name, short in quoted.items()}
        matches = _Condition(self, names, expression).compile(tree)
        size = len(next(iter(self.columns.values()), ()))
        found = tuple(at for at in (range(size) if kept is None else kept) if matches(at))
        if not found:
            raise DataError(f"no sentence matches --where {expression}")
        return found


NO_METADATA = Metadata({})

# ---- conditions

_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True)
class _Condition:
    """A condition on the columns of metadata; ``quoted`` has the names in backquotes."""

    metadata: Metadata
    quoted: Mapping[str, str]
    expression: str

    def compile(self, node: ast.expr) -> Callable[[int], bool]:
        """Return the function that tests a sentence."""
        if isinstance(node, ast.BoolOp):
            parts = [self.compile(one) for one in node.values]
            join = all if isinstance(node.op, ast.And) else any
            return lambda at: join(part(at) for part in parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.compile(node.operand)
            return lambda at: not inner(at)
        if not isinstance(node, ast.Compare):
            raise _invalid(self.expression)
        tests = [self._test(kind) for kind in node.ops]
        sides = [self._side(one) for one in (node.left, *node.comparators)]
        steps = list(zip(tests, sides, sides[1:], strict=False))
        return lambda at: all(test(one(at), other(at)) for test, one, other in steps)

    def _test(self, kind: ast.cmpop) -> Callable[[Any, Any], bool]:
        if isinstance(kind, ast.In):
            return _is_in
        if isinstance(kind, ast.NotIn):
            return lambda value, several: not _is_in(value, several)
        if type(kind) not in _ORDERS:
            raise _invalid(self.expression)
        order = _ORDERS[type(kind)]
        return lambda value, other: _compare(order, value, other)

    def _side(self, node: ast.expr) -> Callable[[int], Any]:
        if isinstance(node, ast.Name):
            cells = self.metadata[self.quoted.get(node.id, node.id)]
            return lambda at: cells[at]
        try:
            value = ast.literal_eval(node)
        except ValueError:
            raise _invalid(self.expression) from None
        constants = value if isinstance(value, tuple | list | set) else [value]
        if not all(isinstance(one, str | int | float) for one in constants):
            raise _invalid(self.expression)
        if isinstance(value, tuple | list | set):
            several = [*map(_constant, value)]
            return lambda _: several
        return lambda _: _constant(value)


def _invalid(expression: str) -> OptionError:
    return OptionError(
        f"invalid condition {expression!r}; expected comparisons of columns with values, joined by "
        "and, or, not: level == 'B1' and year >= 2020"
    )


def _constant(value: Any) -> Any:
    return _as_text(value) if isinstance(value, bool) else value


def _is_in(value: Any, several: Any) -> bool:
    if isinstance(several, list):
        return any(_compare(operator.eq, value, one) for one in several)
    return str(value) in str(several)


def _compare(order: Callable[[Any, Any], bool], value: Any, other: Any) -> bool:
    """Compare two values: as numbers if one of them is a number, otherwise as texts."""
    if isinstance(value, str) and isinstance(other, str):
        return order(value, other)
    first, second = _number(value), _number(other)
    if first is None or second is None:  # a missing value, or a text
        return order is operator.ne
    return order(first, second)


def _place(value: str) -> tuple[bool, float, str]:
    """Sort numbers by size, before texts."""
    number = _number(value)
    return (True, 0, value) if number is None else (False, number, value)


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return None if math.isnan(number) else number
