"""The list of known words by which the spelling rules tell a slip from another word."""

from __future__ import annotations

import gzip
from collections.abc import Container
from functools import cache
from importlib import resources
from pathlib import Path

from redink.files import read_lines

_WORDS = "words/en.txt.gz"


@cache
def default_lexicon() -> Container[str]:
    """The word list that comes with redink, loaded once."""
    packed = resources.files("redink.analysis").joinpath("resources").joinpath(_WORDS).read_bytes()
    return frozenset(gzip.decompress(packed).decode("utf-8").split("\n"))


def read_lexicon(path: str | Path) -> Container[str]:
    """A word list from a text file, one word a line, case kept."""
    return frozenset(line.strip() for _, line in read_lines(path) if line.strip())
