"""Read TOML and YAML files with line numbers; in YAML ``yes`` and ``no`` are text (YAML 1.2)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

from redink.errors import FormatError, MissingExtraError
from redink.files import read_text

_TRUTHS = {"true": True, "false": False}
_WHOLE = re.compile(r"-?[0-9]{1,9}")
_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)$")

Lines = Callable[[str, int], int | None]
"""From the name of a list of tables and the number of a table (from 1) to its line."""


def read_toml(path: str) -> tuple[dict[str, Any], Lines]:
    """Read a TOML file."""
    text = read_text(path)
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found else None
        message = f"is not well-formed TOML: {_AT_LINE.sub('', str(error))}"
        raise FormatError(message, path=path, line=line) from None

    def line_of(key: str, number: int) -> int | None:
        heads = re.compile(rf"^[ \t]*\[\[[ \t]*{re.escape(key)}[ \t]*\]\]", re.MULTILINE)
        starts = [match.start() for match in heads.finditer(text)]
        return text.count("\n", 0, starts[number - 1]) + 1 if number <= len(starts) else None

    return said, line_of


def read_yaml(path: str) -> tuple[dict[str, Any], Lines]:
    """Read a YAML file."""
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("pyyaml", "campaign") from None
    try:
        root = yaml.compose(read_text(path), Loader=yaml.BaseLoader)
        said = _value_of(root, path) if root is not None else {}
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        text = f"is not well-formed YAML: {error.problem}"
        raise FormatError(text, path=path, line=line) from None
    except yaml.YAMLError as error:
        said = str(error).splitlines()[0]  # the next names a stream of the library
        raise FormatError(f"is not well-formed YAML: {said}", path=path) from None
    except RecursionError:
        raise FormatError("is not well-formed YAML: it contains itself", path=path) from None
    if not isinstance(said, dict):
        raise FormatError("is not a task: it should say its title and questions", path=path)

    def line_of(key: str, number: int) -> int | None:
        found = [value.value for name, value in root.value if name.value == key]
        return found[0][number - 1].start_mark.line + 1 if found else None

    return said, line_of


def _value_of(node: Any, path: str) -> Any:
    if node.id == "sequence":
        return [_value_of(one, path) for one in node.value]
    if node.id == "mapping":
        table: dict[str, Any] = {}
        for name, value in node.value:
            if name.id != "scalar" or name.value in table:
                what = (
                    "a key is a text" if name.id != "scalar" else f"{name.value!r} is there twice"
                )
                raise FormatError(what, path=path, line=name.start_mark.line + 1)
            table[name.value] = _value_of(value, path)
        return table
    if node.style is None and node.value in _TRUTHS:  # without quotes
        return _TRUTHS[node.value]
    if node.style is None and _WHOLE.fullmatch(node.value):
        return int(node.value)
    return node.value


READERS: dict[str, Callable[[str], tuple[dict[str, Any], Lines]]] = {
    ".toml": read_toml,
    ".yaml": read_yaml,
    ".yml": read_yaml,
}
"""Readers by suffix."""
