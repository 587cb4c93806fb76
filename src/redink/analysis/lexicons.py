"""Dictionaries: a list of words in a text file, or a Hunspell dictionary.

A Hunspell dictionary (``.dic`` with its ``.aff``) accepts inflected words and compounds by rules.
Reading it requires the library spylls (``redink[hunspell]``).
"""

from __future__ import annotations

import gc
import hashlib
import os
import warnings
from collections.abc import Container, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from redink.errors import FormatError, MissingExtraError, OptionError
from redink.files import read_lines

HUNSPELL = "hunspell"
"""The name of the installed dictionary of the language; ``hunspell:sv_SE`` names a specific one."""

_FOLDERS = (
    "/usr/share/hunspell",
    "/usr/share/myspell",
    "/usr/share/myspell/dicts",
    "/usr/local/share/hunspell",
    "/opt/homebrew/share/hunspell",
    "~/.local/share/hunspell",
    "~/Library/Spelling",
)


@lru_cache(maxsize=4)
def load_lexicon(name: str, language: str) -> Container[str]:
    """Load a Hunspell dictionary or a text file with one word per line."""
    path = lexicon_path(name, language)
    if path.suffix == ".dic":
        return Dictionary(path)
    return frozenset(line.strip() for _, line in read_lines(path) if line.strip())


def lexicon_path(name: str, language: str) -> Path:
    """Return the file of a lexicon name."""
    kind, _, which = name.partition(":")
    return find_dictionary(which or language) if kind == HUNSPELL else Path(name)


def describe_lexicon(name: str, language: str) -> str:
    """Describe a lexicon in a signature; for a dictionary, also by its content."""
    path = lexicon_path(name, language)
    if path.suffix != ".dic":
        return path.name
    digest = hashlib.sha256()
    for part in (path, path.with_suffix(".aff")):
        try:
            digest.update(part.read_bytes())
        except OSError as error:
            raise FormatError(f"cannot be read ({error.strerror})", path=part) from error
    return f"{path.name}+{digest.hexdigest()[:8]}"


def find_dictionary(name: str) -> Path:
    """Find the installed dictionary with this name (``sv_SE``) or language code."""
    found = sorted(_installed(name))
    if not found:
        raise OptionError(
            f"no Hunspell dictionary for {name!r} is installed. Try: install one (a package such "
            f"as hunspell-{name}), or pass its file (FILE.dic) or a list of words"
        )
    # sv_SE before sv_FI, de_DE before de_AT: prefer the country with the letters of the language.
    usual = f"{name}_{name.upper()}"
    return min(found, key=lambda path: (path.stem not in {name, usual}, path.stem))


def _installed(name: str) -> Iterator[Path]:
    folders = [*filter(None, os.environ.get("DICPATH", "").split(os.pathsep)), *_FOLDERS]
    for folder in map(Path, folders):
        for path in folder.expanduser().glob("*.dic"):
            stem = path.stem.replace("-", "_")
            same = stem == name or stem.partition("_")[0] == name
            if same and path.with_suffix(".aff").is_file():
                yield path


class Dictionary:
    """The words that a Hunspell dictionary accepts."""

    def __init__(self, path: Path) -> None:
        self._spells: Any = cache(_load_dictionary(path).lookup)

    def __contains__(self, word: object) -> bool:
        return bool(self._spells(str(word)))


def _load_dictionary(path: Path) -> Any:
    try:
        from spylls.hunspell import Dictionary as Hunspell
    except ImportError as error:
        raise MissingExtraError("spylls", "hunspell") from error
    for part in (path, path.with_suffix(".aff")):
        if not part.is_file():
            raise FormatError(
                "is missing; a Hunspell dictionary has a .dic and an .aff file", path=part
            )
    try:
        # The library does not close its files; close them here without a warning.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            found = Hunspell.from_files(str(path.with_suffix("")))
            gc.collect()
            return found
    except (ValueError, KeyError, IndexError, LookupError) as error:
        raise FormatError(
            f"cannot be read as a Hunspell dictionary ({error})", path=path
        ) from error
