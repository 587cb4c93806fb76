"""Dictionaries: a list of words in a text file, or a Hunspell dictionary.

A Hunspell dictionary (``.dic`` with its ``.aff``) accepts inflected words and compounds by rules.
Reading it requires the library spylls (``redink[hunspell]``).
"""

from __future__ import annotations

import gc
import hashlib
import warnings
from collections.abc import Container
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from redink.errors import FormatError, MissingExtraError
from redink.files import read_lines


@lru_cache(maxsize=4)
def load_lexicon(path: Path) -> Container[str]:
    """Load a Hunspell dictionary or a text file with one word per line."""
    if path.suffix == ".dic":
        return Dictionary(path)
    return frozenset(line.strip() for _, line in read_lines(path) if line.strip())


def describe_lexicon(path: Path) -> str:
    """Describe a lexicon in a signature; for a dictionary, also by its content."""
    if path.suffix != ".dic":
        return path.name
    digest = hashlib.sha256()
    for part in (path, path.with_suffix(".aff")):
        try:
            digest.update(part.read_bytes())
        except OSError as error:
            raise FormatError(f"cannot be read ({error.strerror})", path=part) from error
    return f"{path.name}+{digest.hexdigest()[:8]}"


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
