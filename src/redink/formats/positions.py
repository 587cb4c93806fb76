"""Files of positions in a text: sentence, start and end token, perhaps a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from redink.errors import DataError, FormatError
from redink.files import placed, read_lines
from redink.model import Sentence

Position = tuple[int, int]
"""Tokens ``start:end``; an empty span is the gap before the token ``start``."""
Place = tuple[int, Position]
"""The sentence (from 0) and the position in it."""

# no text has so many sentences or tokens that their number needs more digits
_NUMBER = re.compile(r"\d{1,15}")


@dataclass(frozen=True)
class Positions:
    """Positions by sentence, and by name where they have one."""

    of_sentences: tuple[tuple[Position, ...], ...]
    names: dict[str, Place]


def read_positions(path: str | Path, sources: Sequence[Sentence]) -> Positions:
    """A file of positions: sentence (from 1), start and end token (from 0), perhaps a name.

    Columns are separated by tabs or blanks; without an end the position is one token; an end that
    equals the start is the gap before that token. Empty lines, comments (``#``) and a first line
    of column names are passed over.
    """
    found: list[set[Position]] = [set() for _ in sources]
    names: dict[str, Place] = {}
    for line, content in read_lines(path):
        cells = content.split()
        if not cells or cells[0].startswith("#") or (line == 1 and not cells[0].isdecimal()):
            continue
        if not 2 <= len(cells) <= 4 or not all(map(_NUMBER.fullmatch, cells[:3])):
            raise FormatError(
                "expected a sentence (from 1), a start and perhaps an end token (from 0) and a "
                f"name, found {content[:60]!r}",
                path=path,
                line=line,
            )
        number, start = int(cells[0]) - 1, int(cells[1])
        end = int(cells[2]) if len(cells) > 2 else start + 1
        with placed(path, line):
            check_position(number, (start, end), sources)
        found[number].add((start, end))
        if len(cells) == 4:
            names[cells[3]] = (number, (start, end))
    return Positions(tuple(tuple(sorted(positions)) for positions in found), names)


def check_position(number: int, position: Position, sources: Sequence[Sentence]) -> None:
    """Refuse a position that is not in the text."""
    if not 0 <= number < len(sources):
        raise DataError(f"there is no sentence {number + 1}; the text has {len(sources)}")
    start, end = position
    length = len(sources[number])
    if not 0 <= start <= end <= length:
        raise DataError(f"{start}:{end} does not fit sentence {number + 1} of {length} tokens")
