"""The list of known words by which the spelling rules tell a slip from another word."""

from __future__ import annotations

import lzma
from collections.abc import Container
from functools import cache
from importlib import resources
from pathlib import Path

from redink.files import read_lines

_WORDS = resources.files("redink.analysis").joinpath("resources/words")


@cache
def default_lexicon(*, american: bool = False) -> Container[str]:
    """The word list that comes with redink: British English with -ise and -ize, loaded once.

    Args:
        american: take American spellings (``color``) for words too.
    """
    words = _unpack("en_GB.txt.xz")
    return words | _unpack("en_US-additions.txt.xz") if american else words


def _unpack(name: str) -> frozenset[str]:
    packed = _WORDS.joinpath(name).read_bytes()
    return frozenset(lzma.decompress(packed).decode("utf-8").splitlines())


def read_lexicon(path: str | Path) -> Container[str]:
    """A word list from a text file, one word a line, case kept."""
    return frozenset(line.strip() for _, line in read_lines(path) if line.strip())
