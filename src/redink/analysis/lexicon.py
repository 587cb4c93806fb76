"""The list of known words by which the spelling rules tell a slip from another word."""

from __future__ import annotations

import lzma
from collections.abc import Container
from functools import cache
from importlib import resources
from pathlib import Path

from redink.files import read_lines

LEXICON_VERSION = "en_GB"


@cache
def default_lexicon() -> Container[str]:
    """The word list that comes with redink: British English with -ise and -ize, loaded once."""
    packed = resources.files("redink.analysis").joinpath("resources/words/en_GB.txt.xz")
    return frozenset(lzma.decompress(packed.read_bytes()).decode("utf-8").splitlines())


def read_lexicon(path: str | Path) -> Container[str]:
    """A word list from a text file, one word a line, case kept."""
    return frozenset(line.strip() for _, line in read_lines(path) if line.strip())
