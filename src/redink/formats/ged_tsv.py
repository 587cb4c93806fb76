"""GED TSV: a token a line, ``c`` (correct) or ``i`` (incorrect), a blank line after a sentence.

::

    This	c
    are	i	0.93

The third column, where a system gives it, is the probability that the token is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from redink.errors import DataError, FormatError
from redink.files import placed, read_lines
from redink.formats.registry import Format
from redink.model import Detection

_FLAGS = {"c": False, "i": True}
_PROBABILITY = re.compile(
    r"(?:\d{1,30}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?", re.ASCII
)


def read_ged_tsv(path: str | Path) -> Iterator[Detection]:
    """The sentences of a GED file, one at a time."""
    tokens: list[str] = []
    flags: list[bool] = []
    probabilities: list[float] = []
    empty = True

    def finished() -> Detection:
        nonlocal empty
        empty = False
        return Detection(tuple(tokens), tuple(flags), tuple(probabilities) or None)

    for number, line in read_lines(path):
        if not line.strip():
            if tokens:
                yield finished()
                tokens, flags, probabilities = [], [], []
            continue
        with placed(path, number):
            token, flag, probability = _parse(line)
        if tokens and (probability is None) == bool(probabilities):
            raise FormatError(
                "every token of a sentence needs a probability, or none", path=path, line=number
            )
        tokens.append(token)
        flags.append(flag)
        if probability is not None:
            probabilities.append(probability)
    if tokens:
        yield finished()
    if empty:
        raise FormatError("holds no tokens", path=path)


def _parse(line: str) -> tuple[str, bool, float | None]:
    cells = line.split("\t")
    if not 2 <= len(cells) <= 3:
        raise DataError(
            f"expected a token, c or i, and perhaps a probability, separated by tabs; "
            f"found {len(cells)} columns"
        )
    token, flag = cells[0], cells[1].strip()
    if not token.strip():
        raise DataError("the token is missing")
    if flag not in _FLAGS:
        raise DataError(f"expected c (correct) or i (incorrect), found {flag[:40]!r}")
    if len(cells) == 2:
        return token, _FLAGS[flag], None
    given = cells[2].strip()
    if not _PROBABILITY.fullmatch(given) or not float(given) <= 1:
        raise DataError(f"expected a probability between 0 and 1, found {given[:40]!r}")
    return token, _FLAGS[flag], float(given)


def write_ged_tsv(detections: Iterable[Detection], stream: TextIO) -> None:
    """The sentences, a blank line after each."""
    for detection in detections:
        if not detection.tokens:
            raise DataError("GED TSV cannot carry a sentence without tokens")
        for index, (token, flag) in enumerate(zip(detection.tokens, detection.flags, strict=True)):
            if not token.strip() or any(c in token for c in "\t\n\r\0"):
                raise DataError(f"GED TSV cannot carry the token {token!r}")
            stream.write(f"{token}\t{'i' if flag else 'c'}")
            if detection.probabilities is not None:
                probability = detection.probabilities[index]
                if not 0 <= probability <= 1:
                    raise DataError(f"GED TSV cannot carry the probability {probability}")
                stream.write(f"\t{probability!r}")
            stream.write("\n")
        stream.write("\n")


def _recognise(head: Sequence[str]) -> bool:
    rows = [line.split("\t") for line in head if line.strip()]
    return bool(rows) and all(2 <= len(cells) <= 3 and cells[1].strip() in _FLAGS for cells in rows)


GED_TSV = Format(
    name="ged-tsv",
    kind="detections",
    description="a token a line with c or i, and perhaps a probability of error",
    suffixes=(".tsv",),
    recognise=_recognise,
    read=read_ged_tsv,
    write=write_ged_tsv,
)
