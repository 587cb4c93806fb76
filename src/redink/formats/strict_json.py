"""Read strict JSON: one object per line or a list of objects, with typed access to values.

A number that is too large, a duplicate key, or half of a surrogate pair is never changed silently.
Each raises an error with the file and line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from redink.errors import DataError, FormatError
from redink.files import placed, read_head, read_lines, read_text
from redink.formats.recognition import first_object

Object = dict[str, Any]
_SPACE = re.compile(r"[ \t\r\n]*")


def read_objects(
    path: str | Path, *, numbers_as_text: bool = False
) -> Iterator[tuple[int, Object]]:
    """Yield every object with its line number; empty lines are skipped.

    Objects of a list have the number of the line in which they begin, or their index if the list is
    in one line. With ``numbers_as_text``, numbers are returned as strings.
    """
    empty = True
    for number, line in read_lines(path):
        if not line.strip():
            continue
        if empty and line.lstrip().startswith("["):
            for at, value in read_list(path, numbers_as_text=numbers_as_text):
                if not isinstance(value, dict):
                    raise _not_expected("a JSON object", value, path, at)
                yield at, value
            return
        with placed(path, number):
            yield number, parse_object(line, numbers_as_text=numbers_as_text)
        empty = False
    if empty:
        raise FormatError("is empty; expected JSON objects, one per line", path=path)


def read_strings(path: str | Path, *, null: str | None = None) -> Iterator[tuple[int, str]]:
    """Yield the strings of a list, numbered as objects are; ``null`` replaces a JSON null."""
    for line, found in read_list(path):
        value = null if found is None else found
        if not isinstance(value, str):
            raise _not_expected("a string", value, path, line)
        yield line, value


def _not_expected(what: str, value: Any, path: str | Path, line: int) -> FormatError:
    written = json.dumps(value, ensure_ascii=False)[:40]
    return FormatError(f"expected {what} in the list, found {written}", path=path, line=line)


def read_named_lists(path: str | Path) -> dict[str, list[str]]:
    """Return the lists of strings in a file that is one object of them; nothing for other files."""
    head = [line for line in read_head(path) if line.strip()]
    first = first_object(head)
    # a file with several lines, the first an object, is JSON lines
    if not (head and head[0].lstrip().startswith("{")) or (first and len(head) > 1):
        return {}
    try:
        found = first or parse_object(read_text(path))
    except DataError:
        return {}
    lists = [value for value in found.values() if isinstance(value, list) and value]
    is_named = len(lists) == len(found) and not {"tokens", "source"} & found.keys()
    return found if is_named and all(isinstance(one, str) for v in lists for one in v) else {}


def read_list(path: str | Path, *, numbers_as_text: bool = False) -> Iterator[tuple[int, Any]]:
    """Yield the items of a JSON list with their numbers. The entire text is in memory."""
    text = read_text(path)
    in_one_line = "\n" not in text.strip()
    decode = _decoder(numbers_as_text=numbers_as_text).raw_decode
    at = _skip_space(text, 0)
    if text[at : at + 1] != "[":
        raise FormatError("is not a JSON list", path=path)
    at = _skip_space(text, at + 1)
    line = seen = count = 0
    more = text[at : at + 1] != "]"
    while more:
        line, seen, count = line + text.count("\n", seen, at), at, count + 1
        number = count if in_one_line else line + 1
        with placed(path, number), _as_data_error():
            value, end = decode(text, at)
            if "\\u" in text[at:end]:
                _refuse_lone_surrogates(value)
        yield number, value
        at = _skip_space(text, end)
        more = text[at : at + 1] == ","
        at = _skip_space(text, at + 1) if more else at
    ends = text[at : at + 1] == "]"
    if not ends or _skip_space(text, at + 1) < len(text):
        what = "there is text after its list" if ends else "expected a comma or the end of the list"
        raise FormatError(f"is not JSON: {what}", path=path, line=text.count("\n", 0, at) + 1)


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def parse_object(line: str, *, numbers_as_text: bool = False) -> Object:
    """Parse one JSON object."""
    with _as_data_error():
        value = _decoder(numbers_as_text=numbers_as_text).decode(line)
    if not isinstance(value, dict):
        hint = "; expected one object per line, or one list" if isinstance(value, list) else ""
        raise DataError(f"expected a JSON object, found {line[:40]!r}{hint}")
    if "\\u" in line:
        _refuse_lone_surrogates(value)
    return value


@cache
def _decoder(*, numbers_as_text: bool) -> json.JSONDecoder:
    kept = str if numbers_as_text else None
    return json.JSONDecoder(
        parse_int=kept,
        parse_float=kept or _finite,
        parse_constant=_refuse_constant,
        object_pairs_hook=_unique,
    )


@contextmanager
def _as_data_error() -> Iterator[None]:
    try:
        yield
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise DataError(f"is not JSON: {error.msg} ({where}column {error.colno})") from None
    except RecursionError:
        raise DataError("JSON is nested too deeply") from None
    except ValueError:
        raise DataError("a number in JSON has too many digits") from None


def _finite(text: str) -> float:
    if not math.isfinite(float(text)):
        raise DataError(f"the number {text[:40]} is too large")
    return float(text)


def _refuse_constant(name: str) -> Any:
    raise DataError(f"{name} is not a JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> Object:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the key {twice!r} occurs twice in one object")
    return found


def _refuse_lone_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        problem = "a string contains half of a surrogate pair, which is not a character"
        raise DataError(problem) from None


def write_object(value: Object, stream: TextIO) -> None:
    """Write one line."""
    stream.write(json.dumps(value, ensure_ascii=False, allow_nan=False))
    stream.write("\n")


# ---- typed access, with an error that names the key


def _unexpected(what: str, value: Object, key: str) -> DataError:
    try:
        found = repr(value[key])[:60] if key in value else "nothing"
    except ValueError:  # a number too long for Python to print
        found = "a very long number"
    return DataError(f"expected {what} for {key!r}, found {found}")


def text_of(value: Object, key: str) -> str:
    """Return a required string."""
    found = value.get(key)
    if not isinstance(found, str):
        raise _unexpected("a string", value, key)
    return found


def optional_text(value: Object, key: str) -> str | None:
    """Return an optional string."""
    return None if value.get(key) is None else text_of(value, key)


def whole_number(value: Object, key: str) -> int:
    """Return a required integer (true is not an integer)."""
    found = value.get(key)
    if type(found) is not int:
        raise _unexpected("a whole number", value, key)
    return found


def optional_seconds(value: Object, key: str) -> float | None:
    """Return an optional number of seconds."""
    found = value.get(key)
    if found is None:
        return None
    if type(found) not in {int, float} or not 0 <= found < 10**9:
        raise _unexpected("seconds", value, key)
    return float(found)


def list_of(value: Object, key: str, kind: type, *, required: bool = True) -> list[Any]:
    """Return a list whose items all have one type (bool is not int)."""
    found = value.get(key)
    if found is None and not required and key not in value:
        return []
    if not isinstance(found, list) or any(type(member) is not kind for member in found):
        names = {str: "strings", bool: "true and false", dict: "objects", list: "lists"}
        raise _unexpected(f"a list of {names.get(kind, kind.__name__)}", value, key)
    return found


def text_pairs(value: Object, key: str) -> tuple[tuple[str, str], ...]:
    """Return an optional object of strings as pairs."""
    found = value.get(key, {})
    if not isinstance(found, dict) or any(not isinstance(x, str) for x in found.values()):
        raise _unexpected("an object of strings", value, key)
    return tuple(found.items())
