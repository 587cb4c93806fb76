"""Formats by name, and which of them a file is.

A format is a value with two functions: ``read`` (a path to an iterator of values, so that large
files stream) and ``write`` (values to a text stream). What the values are is its ``kind``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

from redink.errors import FormatError, OptionError
from redink.files import read_head

Kind = Literal["corpus", "detections", "rankings", "judgments"]
"""What a file holds: AnnotatedSentence, Detection, Ranking or Judgment values."""


@dataclass(frozen=True)
class Format:
    """How one kind of file is recognised, read and written."""

    name: str
    kind: Kind
    description: str
    suffixes: tuple[str, ...]
    recognise: Callable[[Sequence[str]], bool]
    """Whether a file that begins with these lines is in this format."""
    read: Callable[[str | Path], Iterator[Any]]
    write: Callable[[Iterable[Any], TextIO], None]


_FORMATS: dict[str, Format] = {}


def register(new: Format) -> Format:
    """Make a format known under its name. The order of registering is the order of asking."""
    if new.name in _FORMATS:
        raise ValueError(f"format {new.name!r} is registered already")
    _FORMATS[new.name] = new
    return new


def all_formats() -> tuple[Format, ...]:
    """Every format, in the order in which they are asked whether a file is theirs."""
    return tuple(_FORMATS.values())


def get_format(name: str) -> Format:
    """The format of that name."""
    try:
        return _FORMATS[name]
    except KeyError:
        known = ", ".join(_FORMATS)
        raise OptionError(f"there is no format {name!r}; there are: {known}") from None


def detect_format(path: str | Path, *, kind: Kind | None = None) -> Format:
    """The format of a file, told by its first lines; its name is only asked where that fails."""
    head = read_head(path)
    candidates = [f for f in all_formats() if kind is None or f.kind == kind]
    for candidate in candidates:
        if candidate.recognise(head):
            return candidate
    expected = ", ".join(f.name for f in candidates)
    raise FormatError(f"is in none of the formats expected here ({expected})", path=path)
