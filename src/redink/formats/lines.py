"""What a line of tokens can carry, and whether it looks as if nobody had tokenised it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from pathlib import Path

from redink.errors import DataError, RedinkWarning
from redink.formats.treebank import Tokenise
from redink.model import Sentence


def read_sentence(line: str, tokenise: Tokenise | None) -> Sentence:
    """A sentence from its line: tokens separated by white space, or raw text to tokenise."""
    return Sentence.from_text(line, tokenise(line)) if tokenise else Sentence.from_line(line)


def token_line(sentence: Sentence, format_name: str) -> str:
    """The tokens, separated by spaces.

    Raises:
        DataError: a token is empty or holds white space or NUL, so that it would be read as
            something else.
    """
    line = " ".join(sentence.tokens)
    if "\0" in line or tuple(line.split()) != sentence.tokens:
        bad = next(t for t in sentence.tokens if "\0" in t or t.split() != [t])
        raise DataError(
            f"{format_name} cannot carry the token {bad!r} (empty, or with a space or NUL in it)"
        )
    return line


_GLUED = re.compile(r"\w[,;:?!](?=\s|$)|[^\W\d_]{2}\.$")
_APART = re.compile(r"(?<!\S)[,;:?!.](?=\s|$)")
_SAMPLE = 200


class RawTextWatch:
    """Looks at the first lines of a text that should be tokenised, and says if it seems not."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._seen = self._glued = self._apart = 0

    def look(self, line: str) -> None:
        """Take one more line into account."""
        if self._seen < _SAMPLE:
            self._seen += 1
            self._glued += len(_GLUED.findall(line))
            self._apart += len(_APART.findall(line))

    def warn(self) -> None:
        """Warn if marks are glued to words more often than they stand apart."""
        if self._glued >= 3 and self._glued > self._apart:
            warnings.warn(
                f"{self._path}: is read as tokens separated by spaces, but looks like raw text: "
                f"in its first {self._seen} lines {self._glued} marks are glued to words and "
                f"{self._apart} stand apart; it is not tokenised for you unless you ask for it",
                RedinkWarning,
                stacklevel=3,
            )


def warn_of_loss(format_name: str, lost: Mapping[str, int]) -> None:
    """One warning that counts what the format cannot carry; none if nothing is lost."""
    told = [f"{what}: {count}" for what, count in lost.items() if count]
    if told:
        warnings.warn(
            f"left out, since {format_name} cannot carry it: {'; '.join(told)}",
            RedinkWarning,
            stacklevel=3,
        )
