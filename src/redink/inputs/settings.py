"""Read settings from TOML files: tasks, gates and descriptions of benchmarks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar, get_args

from redink.errors import FormatError, OptionError, unknown_name
from redink.files import read_text
from redink.options import Options, find_spelling, kinds_of

Settings = TypeVar("Settings", bound=Options)


def read_settings(path: str | Path, kind: type[Settings]) -> Settings:
    """Read a TOML file as a value of this kind."""
    try:
        found = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"is not valid TOML ({error})", path=path) from None
    try:
        return make_settings(kind, found)
    except OptionError as error:
        raise FormatError(str(error), path=path) from None


def make_settings(kind: type[Settings], given: Any, name: str = "the file") -> Settings:
    """Make a value from a table; the types of its fields decide how values and tables are read."""
    if not isinstance(given, Mapping):
        raise OptionError(f"{name} must be a table of keys and values, not {given!r}")
    kinds = kinds_of(kind)
    values: dict[str, Any] = {}
    for key, value in given.items():
        spelled = find_spelling(key, kinds)
        if spelled not in kinds:
            raise unknown_name("key", key, sorted(kinds))
        inner = kinds[spelled].hint
        members = get_args(inner)
        if _is_settings(inner):
            values[spelled] = make_settings(inner, value, f"[{key}]")
        elif members and _is_settings(members[0]):
            if not isinstance(value, list):
                raise OptionError(f"{key} must be one or more tables, each below [[{key}]]")
            values[spelled] = [make_settings(members[0], one, f"[[{key}]]") for one in value]
        else:
            values[spelled] = value
    for field in fields(kind):
        if field.default is MISSING and field.name not in values:
            raise OptionError(f"{name} needs {field.name}")
    return kind(**values)


def _is_settings(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Options)
