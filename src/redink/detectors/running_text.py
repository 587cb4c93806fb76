"""Running text into tokenised sentences, one at a time, whatever the size of the file.

A file holds either one tokenised sentence a line, or raw paragraphs, one a line. Which of them
is told by how its lines end: tokenised text leaves a space before the full stop.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from redink.files import read_lines

_LOOK_AT = 200
_ENDS_RAW = re.compile(r"\w[.!?][\"'\u201d\u2019)]*\s*$")
_ENDS_TOKENISED = re.compile(r"\s[.!?](?:\s[\"'\u201d\u2019)]+)*\s*$")
# A sentence ends at a full stop (and closing quotes) before a space and a capital or a quote.
_BOUNDARY = re.compile(r"(?<=[.!?])([\"'\u201d\u2019)]*)\s+(?=[\"'\u201c\u2018(]*[A-Z])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:Mr|Mrs|Ms|Dr|St|Prof|Rev|Hon|Capt|Col|Gen|Lt|Sgt|Messrs|Mme|Mlle|Jr|Sr|vs|"
    r"No|Vol|Fig|etc|e\.g|i\.e|[A-Z])\.$"
)


def looks_raw(lines: Iterable[str]) -> bool:
    """Whether lines are raw paragraphs rather than tokenised sentences."""
    lines = list(lines)
    raw = sum(_ENDS_RAW.search(line) is not None for line in lines)
    return raw > sum(_ENDS_TOKENISED.search(line) is not None for line in lines)


def split_sentences(paragraph: str) -> list[str]:
    """The sentences of a raw paragraph, by full stops and capitals."""
    sentences: list[str] = []
    begin = 0
    for boundary in _BOUNDARY.finditer(paragraph):
        candidate = paragraph[begin : boundary.end(1)]
        if not _ABBREVIATION.search(candidate):
            sentences.append(candidate.strip())
            begin = boundary.end()
    rest = paragraph[begin:].strip()
    return [*sentences, rest] if rest else sentences


def read_sentences(
    path: str | Path, *, raw: bool | None = None
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line number and tokens of every sentence of a file (gzip is seen through).

    Args:
        path: the file.
        raw: raw paragraphs (True), tokenised sentences (False), or told by its first lines.
    """
    lines = read_lines(path)
    if raw is None:
        head = list(islice(lines, _LOOK_AT))
        raw = looks_raw(line for _, line in head)
        lines = chain(head, lines)
    if not raw:
        for number, line in lines:
            tokens = tuple(line.split())
            if tokens:
                yield number, tokens
        return
    from redink.analysis.english.embedded import english_tokens

    for number, line in lines:
        for sentence in split_sentences(line):
            yield number, tuple(sentence[start:end] for start, end in english_tokens(sentence))
