"""What everything that is given is called; and places that hold several systems.

A system has the name of a mapping, of ``NAME=PATH``, of a value, or of its file. A folder is a
system for every file in it, unless it is one system that wrote a file for each document: when its
files are called like the documents of the source, or when it has a name (``NAME=FOLDER``). A JSON
object of lists of strings is a system for every list.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from redink.errors import DataError, FormatError, OptionError
from redink.files import STANDARD_STREAM
from redink.formats.json_lines import read_named_lists
from redink.formats.registry import detect_format
from redink.inputs.alignment import is_text
from redink.model import SystemOutput

Value = TypeVar("Value")


def name_inputs(
    given: Mapping[str, Value] | Sequence[Value] | str | Path,
    documents: Iterable[str | None] = (),
) -> list[tuple[str, Value]]:
    """Everything with its name: of a mapping, as ``NAME=PATH``, of a value, or a file's stem."""
    if isinstance(given, Mapping):
        return list(given.items())
    found: dict[str, Any] = {}
    for name, inside in _spread(
        [given] if isinstance(given, str | Path | SystemOutput) else given, documents
    ):
        if name in found:
            raise DataError(
                f"two systems are called {name!r}: {name_of(found[name], 'a value')} and "
                f"{name_of(inside, 'a value')}; give one of them another name, with "
                "NAME=PATH or that of its file"
            )
        found[name] = inside
    return list(found.items())


def _spread(given: Iterable[Any], documents: Iterable[str | None]) -> Iterator[tuple[str, Any]]:
    """The values with their names, a folder of systems as its files, an object as its lists."""
    known: set[str] | None = None
    for value in given:
        if isinstance(value, str) and is_text(value):
            raise OptionError(
                f"{value[:40]!r} is not a file; what one system wrote is given with its name: "
                "systems={'mine': [...]}"
            )
        several: Iterable[tuple[str, Any]] = ()
        if isinstance(value, str | Path) and os.path.isdir(value):  # noqa: PTH112 (any string)
            known = {one for one in documents if one} if known is None else known
            several = _systems_in(Path(value), known)
        elif isinstance(value, str | Path) and _is_there(value):
            several = read_named_lists(value).items()
        yield from several or [name_input(value)]


def _is_there(path: str | Path) -> bool:
    return str(path) == STANDARD_STREAM or os.path.exists(path)  # noqa: PTH110 (any string)


def _systems_in(folder: Path, documents: Collection[str]) -> list[tuple[str, Path]]:
    """The files of a folder that are not hidden; none if they are documents of one system."""
    try:
        inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror})", path=folder) from error
    # UA-GEC has a file for each document
    if detect_format(folder).kind != "documents" or any(
        path.name.split(".")[0] in documents for path in inside
    ):
        return []
    files = [(_stem(path), path) for path in inside if path.is_file()]
    if not files:
        hint = ", or give each of its folders as NAME=FOLDER" if inside else ""
        raise FormatError(
            f"is a folder without files; put a file for each system there{hint}", path=folder
        )
    return files


def name_input(value: Any) -> tuple[str, Any]:
    """One value with its name."""
    name, inside = split_name(value)
    if isinstance(inside, str | Path):
        name = name or _stem(inside)
    if not name:
        raise OptionError("a system has no name; give systems as a mapping from their names")
    return name, inside


def split_name(value: Any) -> tuple[str | None, Any]:
    """The name that comes with a value, or that ``NAME=PATH`` gives to a file, and the rest."""
    if not isinstance(value, str | Path):
        return getattr(value, "name", None), value
    name, equals, path = str(value).partition("=")
    if name and equals and not path and not Path(value).exists():
        raise OptionError(f"{value} names no file; a system is given as NAME=PATH")
    return (name, path) if equals and name and not Path(value).exists() else (None, value)


def _stem(path: str | Path) -> str:
    """What a file is called: "careful.ged.tsv" and "careful.txt.gz" are "careful"."""
    name = Path(path).name
    for compression in (".gz", ".zst"):
        name = name.removesuffix(compression)
    return Path(name).stem.removesuffix(".ged")


def name_of(given: Any, otherwise: str) -> str:
    """What to call an input in a message: its path, or something else for a value."""
    return str(given) if isinstance(given, str | Path) else otherwise
