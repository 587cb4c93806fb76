"""JSON objects, one a line or all in one list, read with suspicion."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from redink import files
from redink.errors import DataError, FormatError
from redink.files import placed, read_lines

Object = dict[str, Any]
_SHOWN = 50
"""How many members of a list tell what it holds."""
_SPACE = re.compile(r"[ \t\r\n]*")
_STRINGS_GO_ON = re.compile(r'\s*(,\s*("|null\b|\Z)|\]\s*\Z)')


def read_objects(
    path: str | Path, *, numbers_as_text: bool = False
) -> Iterator[tuple[int, Object]]:
    """Every object with the number of its line; empty lines are skipped.

    A file that is one list has its members, with the lines in which they begin; where the whole
    list stands in one line, they are counted instead.
    """
    empty = True
    lines = ((number, line) for number, line in read_lines(path) if line.strip())
    for number, line in lines:
        if empty and line.lstrip().startswith("["):
            yield from _listed_objects(path, _read_list(path, numbers_as_text=numbers_as_text))
            return
        with placed(path, number):
            yield number, parse_object(line, numbers_as_text=numbers_as_text)
        empty = False
    if empty:
        raise FormatError("is empty; JSON objects were expected, one a line", path=path)


def _listed_objects(
    path: str | Path, members: Iterable[tuple[int, Any]]
) -> Iterator[tuple[int, Object]]:
    for line, value in members:
        if not isinstance(value, dict):
            raise FormatError(
                f"expected a JSON object in the list, found {_written(value)}",
                path=path,
                line=line,
            )
        yield line, value


def read_strings(path: str | Path, *, null: str | None = None) -> Iterator[tuple[int, str]]:
    """The strings of a file that is a list of them, numbered as objects are."""
    for line, found in _read_list(path):
        value = null if found is None else found
        if not isinstance(value, str):
            raise FormatError(
                f"expected a string in the list, found {_written(value)}", path=path, line=line
            )
        yield line, value


def read_named_lists(path: str | Path) -> dict[str, list[str]]:
    """Lists of strings by their names, of a file that is one object of them; nothing of others."""
    head = [line for line in files.read_head(path) if line.strip()]
    first = first_object(head)
    # several lines of which the first is an object are JSON lines
    if not (head and head[0].lstrip().startswith("{")) or (first and len(head) > 1):
        return {}
    try:
        found = first or parse_object(files.read_text(path))
    except DataError:
        return {}
    lists = [value for value in found.values() if isinstance(value, list) and value]
    is_named = len(lists) == len(found) and not {"tokens", "source"} & found.keys()
    return found if is_named and all(isinstance(one, str) for v in lists for one in v) else {}


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:40]


def read_head(path: str | Path) -> list[str]:
    """The first lines of a file, to tell its format by; of a list of objects, these as lines."""
    head = files.read_head(path)
    if not _begins_with("{", head):
        return head
    first: list[str] = []
    with suppress(FormatError):  # the reader will say what is wrong
        for _, value in islice(_read_list(path), _SHOWN):
            first.append(json.dumps(value))
    return first or head  # which is of no JSON at all


def lists_objects(path: str | Path) -> bool:
    """Whether a file is a list of objects, and not an object a line."""
    return _begins_with("{", files.read_head(path))


def is_list_of_strings(head: Sequence[str]) -> bool:
    """Whether a file that begins so is a list of strings, or an empty list."""
    text = "\n".join(head)
    first = next((mark for mark in ('"', "null") if _begins_with(mark, head)), None)
    if first is None:
        return "".join(text.split()) == "[]"
    try:
        _, end = json.JSONDecoder().raw_decode(text, text.index(first))
    except ValueError:
        return False
    # a text may begin with a quotation in brackets; then no string follows
    return _STRINGS_GO_ON.match(text, end) is not None


def _begins_with(mark: str, head: Iterable[str]) -> bool:
    """Whether a list begins in the first lines, and its first member with this mark."""
    first = "".join(islice((line.strip() for line in head if line.strip()), 2))
    return first.startswith("[") and first[1:].lstrip().startswith(mark)


def _read_list(path: str | Path, *, numbers_as_text: bool = False) -> Iterator[tuple[int, Any]]:
    """The members of a list, all of which is in memory, each with its number."""
    text = files.read_text(path)
    in_one_line = "\n" not in text.strip()
    decode = _decoder(numbers_as_text=numbers_as_text).raw_decode
    at = _skip(text, 0)
    if text[at : at + 1] != "[":
        raise FormatError("is not a JSON list", path=path)
    at = _skip(text, at + 1)
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
        at = _skip(text, end)
        more = text[at : at + 1] == ","
        at = _skip(text, at + 1) if more else at
    ends = text[at : at + 1] == "]"
    if not ends or _skip(text, at + 1) < len(text):
        what = "it goes on after its list" if ends else "expected a comma or the end of the list"
        raise FormatError(f"is not JSON: {what}", path=path, line=text.count("\n", 0, at) + 1)


def _skip(text: str, at: int) -> int:
    """The place of the first character that is not white space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def parse_object(line: str, *, numbers_as_text: bool = False) -> Object:
    """The object of one line."""
    with _as_data_error():
        value = _decoder(numbers_as_text=numbers_as_text).decode(line)
    if not isinstance(value, dict):
        hint = "; JSON is an object in every line, or one list" if isinstance(value, list) else ""
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
        raise DataError("is not JSON for us: too deeply nested") from None
    except ValueError:
        raise DataError("is not JSON for us: a number has too many digits") from None


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


def _refuse_lone_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise DataError(
            "a string holds half of a surrogate pair, which is not a character"
        ) from None


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
