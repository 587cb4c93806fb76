"""GED TSV: one token per line, ``c`` (correct) or ``i`` (incorrect), empty lines after sentences.

::

    This	c
    are	i	0.93

The optional third column is the probability that the token is incorrect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TextIO

from redink.errors import DataError, FormatError
from redink.files import placed, read_lines
from redink.formats.recognition import GED_FLAGS
from redink.model import Detection, Sentence

_PROBABILITY = re.compile(
    r"(?:\d{1,30}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?", re.ASCII
)


def read_ged_tsv(path: str | Path) -> Iterator[Detection]:
    """Yield the sentences of a GED file."""
    rows: list[tuple[str, bool, float | None]] = []
    is_empty = True
    for number, line in chain(read_lines(path), [(0, "")]):
        if line.strip():
            with placed(path, number):
                rows.append(_parse(line))
                if (rows[0][2] is None) != (rows[-1][2] is None):
                    raise DataError("either all tokens of a sentence need a probability, or none")
        elif rows:
            tokens, flags, given = zip(*rows, strict=True)
            yield Detection(tokens, flags, None if None in given else given)
            rows, is_empty = [], False
    if is_empty:
        raise FormatError("contains no tokens", path=path)


def _parse(line: str) -> tuple[str, bool, float | None]:
    cells = line.split("\t")
    if not 2 <= len(cells) <= 3:
        raise DataError(
            f"expected a token, c or i, and optionally a probability, separated by tabs; "
            f"found {len(cells)} columns"
        )
    token, flag = cells[0], cells[1].strip()
    if not token.strip():
        raise DataError("the token is missing")
    if flag not in GED_FLAGS:
        raise DataError(f"expected c (correct) or i (incorrect), found {flag[:40]!r}")
    if len(cells) == 2:
        return token, GED_FLAGS[flag], None
    given = cells[2].strip()
    if not _PROBABILITY.fullmatch(given) or not float(given) <= 1:
        raise DataError(f"expected a probability between 0 and 1, found {given[:40]!r}")
    return token, GED_FLAGS[flag], float(given)


def write_ged_tsv(detections: Iterable[Detection], stream: TextIO) -> None:
    """Write the sentences, each followed by an empty line."""
    for detection in detections:
        if not detection.tokens:
            raise DataError("GED TSV cannot represent a sentence without tokens")
        for index, (token, flag) in enumerate(zip(detection.tokens, detection.flags, strict=True)):
            if not token.strip() or any(c in token for c in "\t\n\r\0"):
                raise DataError(f"GED TSV cannot represent the token {token!r}")
            stream.write(f"{token}\t{'i' if flag else 'c'}")
            if detection.probabilities is not None:
                probability = detection.probabilities[index]
                if not 0 <= probability <= 1:
                    raise DataError(f"GED TSV cannot represent the probability {probability}")
                stream.write(f"\t{probability!r}")
            stream.write("\n")
        stream.write("\n")


# ---- positions

Position = tuple[int, int]
"""The token span ``start:end``; an empty span is the gap before the token ``start``."""
Place = tuple[int, Position]
"""A sentence number (from 0) and a position in this sentence."""

# larger numbers of sentences or tokens do not occur
_NUMBER = re.compile(r"\d{1,15}")


@dataclass(frozen=True)
class Positions:
    """Positions by sentence, and by name if they have one."""

    of_sentences: tuple[tuple[Position, ...], ...]
    names: dict[str, Place]


def read_positions(path: str | Path, sources: Sequence[Sentence]) -> Positions:
    """Read a file of positions: sentence (from 1), start and end token (from 0), optional name.

    Columns are separated by tabs or spaces. A position without an end is one token; if the end
    equals the start, the position is the gap before that token. Empty lines, comments (``#``) and
    a first line of column names are skipped.
    """
    found: list[set[Position]] = [set() for _ in sources]
    names: dict[str, Place] = {}
    for line, content in read_lines(path):
        cells = content.split()
        if not cells or cells[0].startswith("#") or (line == 1 and not cells[0].isdecimal()):
            continue
        if not 2 <= len(cells) <= 4 or not all(map(_NUMBER.fullmatch, cells[:3])):
            problem = (
                "expected a sentence (from 1), a start token, and optionally an end token (from 0) "
                f"and a name; found {content[:60]!r}"
            )
            raise FormatError(problem, path=path, line=line)
        number, start = int(cells[0]) - 1, int(cells[1])
        end = int(cells[2]) if len(cells) > 2 else start + 1
        with placed(path, line):
            check_position(number, (start, end), sources)
        found[number].add((start, end))
        if len(cells) == 4:
            names[cells[3]] = (number, (start, end))
    return Positions(tuple(tuple(sorted(positions)) for positions in found), names)


def check_position(number: int, position: Position, sources: Sequence[Sentence]) -> None:
    """Raise an error if a position is not in the text."""
    if not 0 <= number < len(sources):
        raise DataError(f"there is no sentence {number + 1}; the text has {len(sources)}")
    start, end = position
    length = len(sources[number])
    if not 0 <= start <= end <= length:
        raise DataError(
            f"{start}:{end} is outside sentence {number + 1}, which has {length} tokens"
        )
