"""Find lines that do not belong to their source line: moved, swapped, or from another text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import Indel

FAR = 0.4
"""Two lines with a smaller share of common tokens may not belong together."""
_NEAR = 0.7
_SAME_LETTERS = 0.75
"""Two lines with a larger share of common letters belong together, however they are tokenized."""
_LEAST_TOKENS = 3
_NEIGHBORS = (-1, 1, -2, 2)
_RARE = 50
_LOOKED_UP = 500
"""The number of differing lines that are searched in the source; one is enough to warn."""
_NOT_LETTERS = re.compile(r"[\W_]+")

Tokens = Sequence[str]


@dataclass(frozen=True)
class Moved:
    """Lines that do not belong to their source line, by index."""

    far: list[int] = field(default_factory=list)
    homes: dict[int, int] = field(default_factory=dict)


def likeness(first: Tokens, second: Tokens) -> float:
    """Return the share of tokens that two lines have in common, in order."""
    if first == second:
        return 1.0
    return float(Indel.normalized_similarity(first, second))


def letters(tokens: Iterable[str]) -> str:
    """Return the letters and digits of a line, without case, marks and spaces."""
    text = unicodedata.normalize("NFKC", "".join(tokens)).casefold()
    return _NOT_LETTERS.sub("", text)


def is_far(source: Tokens, line: Tokens) -> bool:
    """Return whether a line has little in common with its source line."""
    if not source or not line or likeness(source, line) >= FAR:
        return False
    # a different tokenization (subwords, untokenized text) does not make a different sentence
    return float(Indel.normalized_similarity(letters(source), letters(line))) < _SAME_LETTERS


class _Finder:
    """Find the source line that is most similar to a line of an output."""

    def __init__(self, sources: Sequence[Tokens]) -> None:
        self._sources = sources
        self._lines_of: dict[str, list[int]] = {}
        for number, source in enumerate(sources):
            for token in set(source):
                self._lines_of.setdefault(token, []).append(number)

    def find(self, number: int, line: Tokens, *, everywhere: bool) -> int | None:
        """Return the number of another source line that is similar to the line, if any."""
        if len(line) < _LEAST_TOKENS:
            return None
        near = [number + step for step in _NEIGHBORS]
        if everywhere:
            votes: Counter[int] = Counter()
            for token in set(line):
                others = self._lines_of.get(token, [])
                votes.update(others if len(others) <= _RARE else ())
            del votes[number]
            near += [other for other, _ in votes.most_common(3)]
        for other in near:
            if 0 <= other < len(self._sources) and likeness(self._sources[other], line) > _NEAR:
                return other
        return None


def find_moved(sources: Sequence[Tokens], lines: Sequence[Tokens]) -> Moved:
    """Return the lines that do not belong to their source line; both may differ in length."""
    found = Moved()
    for number, line in enumerate(lines):
        if line and (number >= len(sources) or is_far(sources[number], line)):
            found.far.append(number)
    finder = _Finder(sources if found.far else ())
    for looked_up, number in enumerate(found.far):
        home = finder.find(number, lines[number], everywhere=looked_up < _LOOKED_UP)
        if home is not None:
            found.homes[number] = home
    return found
