"""JSON objects, one a line, read with suspicion."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from redink.errors import DataError, FormatError
from redink.files import placed, read_lines

Object = dict[str, Any]


def read_objects(
    path: str | Path, *, numbers_as_text: bool = False
) -> Iterator[tuple[int, Object]]:
    """Every line's object with the number of the line; empty lines are skipped.

    Args:
        path: the file.
        numbers_as_text: whether numbers stay as they are written.
    """
    empty = True
    for number, line in read_lines(path):
        if not line.strip():
            continue
        with placed(path, number):
            yield number, parse_object(line, numbers_as_text=numbers_as_text)
        empty = False
    if empty:
        raise FormatError("is empty; JSON objects were expected, one a line", path=path)


def parse_object(line: str, *, numbers_as_text: bool = False) -> Object:
    """The object of one line.

    Raises:
        DataError: the line is none, in one sentence.
    """
    if line.lstrip().startswith("["):
        raise DataError(
            f"expected a JSON object, found {line[:40]!r}; JSON lines have an object in every line "
            "(jq -c '.[]' makes them of a list)"
        )
    kept: Callable[[str], Any] | None = str if numbers_as_text else None
    try:
        value = json.loads(
            line,
            parse_int=kept,
            parse_float=kept or _finite,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise DataError(f"is not JSON: {error.msg} ({where}column {error.colno})") from None
    except RecursionError:
        raise DataError("is not JSON for us: too deeply nested") from None
    except ValueError:
        raise DataError("is not JSON for us: a number has too many digits") from None
    if not isinstance(value, dict):
        raise DataError(f"expected a JSON object, found {line[:40]!r}")
    if "\\u" in line and _has_lone_surrogate(value):
        raise DataError("a string holds half of a surrogate pair, which is not a character")
    return value


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise DataError(f"the number {text[:40]} is too large")
    return value


def _refuse_constant(name: str) -> Any:
    raise DataError(f"{name} is not a JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> Object:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the key {twice!r} occurs twice in one object")
    return found


def _has_lone_surrogate(value: Object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def first_object(head: Sequence[str]) -> Object:
    """The object of the first line that is not empty, or an empty one: to tell formats by."""
    for line in head:
        if line.strip():
            if not line.lstrip().startswith("{"):
                return {}
            try:
                return parse_object(line)
            except DataError:
                return {}
    return {}


def write_object(value: Object, stream: TextIO) -> None:
    """One line."""
    stream.write(json.dumps(value, ensure_ascii=False, allow_nan=False))
    stream.write("\n")


# ---- typed access, with an error that names the key


def text_of(value: Object, key: str) -> str:
    """A string that must be there."""
    found = value.get(key)
    if not isinstance(found, str):
        raise DataError(f"expected a string for {key!r}, found {_shown(value, key)}")
    return found


def optional_text(value: Object, key: str) -> str | None:
    """A string, or None where there is none."""
    return None if value.get(key) is None else text_of(value, key)


def whole_number(value: Object, key: str) -> int:
    """An integer that must be there (true is none)."""
    found = value.get(key)
    if type(found) is not int:
        raise DataError(f"expected a whole number for {key!r}, found {_shown(value, key)}")
    return found


def optional_seconds(value: Object, key: str) -> float | None:
    """A number of seconds, or None where there is none."""
    found = value.get(key)
    if found is None:
        return None
    if type(found) not in {int, float} or not 0 <= found < 10**9:
        raise DataError(f"expected seconds for {key!r}, found {_shown(value, key)}")
    return float(found)


def list_of(value: Object, key: str, kind: type, *, required: bool = True) -> list[Any]:
    """A list whose members are all of one type (bool and int are kept apart)."""
    found = value.get(key)
    if found is None and not required and key not in value:
        return []
    if not isinstance(found, list) or any(type(member) is not kind for member in found):
        names = {str: "strings", bool: "true and false", dict: "objects", list: "lists"}
        raise DataError(
            f"expected a list of {names.get(kind, kind.__name__)} for {key!r}, "
            f"found {_shown(value, key)}"
        )
    return found


def text_pairs(value: Object, key: str) -> tuple[tuple[str, str], ...]:
    """An object of strings as pairs; nothing where there is none."""
    found = value.get(key, {})
    if not isinstance(found, dict) or any(not isinstance(x, str) for x in found.values()):
        raise DataError(f"expected an object of strings for {key!r}, found {_shown(value, key)}")
    return tuple(found.items())


def _shown(value: Object, key: str) -> str:
    if key not in value:
        return "nothing"
    try:
        return repr(value[key])[:60]
    except ValueError:  # a number too long for Python to print
        return "a very long number"
