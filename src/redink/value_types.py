"""Check whether a value has the type that a parameter declares, and describe expected types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Protocol, Union, get_args, get_origin, runtime_checkable

from redink.errors import OptionError


@runtime_checkable
class Frame(Protocol):
    """A data frame of pandas or polars."""

    @property
    def columns(self) -> Iterable[Any]:
        """The names of its columns."""

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""

    def __getitem__(self, name: Any, /) -> Any:
        """Return a column."""

    def to_dict(self) -> Any:
        """Return the columns by name."""


@runtime_checkable
class Dataset(Protocol):
    """A dataset of Hugging Face, or a table of Arrow."""

    @property
    def column_names(self) -> Any:
        """The names of its columns."""

    def __getitem__(self, name: Any, /) -> Any:
        """Return a column."""


def cells_of_frame(frame: Frame | Dataset) -> dict[str, list[Any]]:
    """Return the cells of every column, as Python values."""
    if isinstance(frame, Dataset) and isinstance(frame, Mapping):  # several splits
        if len(frame) != 1:
            raise OptionError(f"the dataset has the splits {', '.join(frame)}; pass one of them")
        return cells_of_frame(next(iter(frame.values())))
    cells: dict[str, list[Any]] = {}
    for name in frame.column_names if isinstance(frame, Dataset) else frame.columns:
        column = frame[name]
        convert = getattr(column, "to_pylist", None) or getattr(column, "to_list", None)
        cells[str(name)] = list(column if convert is None else convert())
    return cells


def columns_of_frame(frame: Frame | Dataset) -> dict[str, list[str]]:
    """Return the cells of every column as text; a missing value is empty."""
    return {
        name: ["" if cell is None or cell != cell else str(cell) for cell in cells]  # noqa: PLR0124 (NaN)
        for name, cells in cells_of_frame(frame).items()
    }


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of a type.

    Integers and fractions count as numbers, and iterables as lists, except bytes, mappings and data
    frames. The items of lists, tuples and mappings are checked too.
    """
    origin, members = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return fits(value, members[0])
    if origin in {Union, UnionType}:
        return any(fits(value, member) for member in members)
    if origin is Literal:
        return any(isinstance(value, type(member)) for member in members)
    if origin is tuple and Ellipsis not in members:
        fitting = isinstance(value, list | tuple) and len(value) == len(members)
        return fitting and all(map(fits, value, members))
    if _is_list(hint):
        return _fits_list(value, members[0] if members else Any)
    fitting = _is_instance(value, origin or hint)
    if fitting and isinstance(value, Mapping) and len(members) == 2:
        key, member = members
        fitting = all(fits(name, key) and fits(one, member) for name, one in value.items())
    return fitting


def _is_list(hint: Any) -> bool:
    origin = get_origin(hint)
    return (
        isinstance(origin, type)
        and issubclass(origin, Iterable)
        and not issubclass(origin, Mapping)
        and origin.__module__ in {"builtins", "collections.abc"}
    )


def _fits_list(value: Any, member: Any) -> bool:
    if not isinstance(value, Iterable) or isinstance(value, Mapping | bytes | Frame | Dataset):
        return False
    if isinstance(value, str):
        return fits(value, member)
    is_checked = isinstance(value, list | tuple) or type(value).__name__ == "ndarray"
    if is_checked and {*map(type, value)} == {str}:  # many sentences, usually
        return fits("", member)
    return all(fits(one, member) for one in value) if is_checked else True


def _is_instance(value: Any, kind: Any) -> bool:
    if kind is bool:
        return type(value).__name__ in {"bool", "bool_"}
    if kind in {int, float}:
        return isinstance(value, Real)
    try:
        return not isinstance(kind, type) or isinstance(value, kind)
    except TypeError:  # a protocol that isinstance does not support
        return True


_NAMES: dict[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "True or False",
    str: "text",
    Path: "a path",
    Frame: "a data frame",
    Dataset: "a dataset",
}


def describe(hint: Any) -> str:
    """Describe the expected type, for a message."""
    *others, last = dict.fromkeys(_names(hint))
    return f"{', '.join(others)} or {last}" if others else last


def _names(hint: Any) -> list[str]:
    origin, members = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _names(members[0])
    if origin in {Union, UnionType}:
        return [name for one in members if one is not type(None) for name in _names(one)]
    if origin is Literal:
        return [repr(member) for member in members]
    if _is_list(hint):
        return [f"a list of {name}" for name in _names(members[0] if members else str)]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return ["a mapping"]
    return [_NAMES.get(hint, getattr(hint, "__name__", "a value"))]


def quote(value: Any) -> str:
    """Format a value for a message, shortened, with its type."""
    text = "a data frame" if isinstance(value, Frame | Dataset) else repr(value)
    return f"{text if len(text) <= 60 else text[:59] + '…'} ({type(value).__name__})"
