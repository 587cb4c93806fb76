"""Chunks: one segmentation shared by source, hypothesis and all references (CLEME).

Edits of any version that touch or overlap become one chunk; the text between them is unchanged.
So every version has the same number of chunks, and each chunk can be compared with the same chunk
of the other versions, even if their edits have different boundaries::

    source       | He | go   | to school | yesterday .
    hypothesis   | He | goes | to school | yesterday .
    reference    | He | went | to school | , yesterday .
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from redink.model import Edit, Sentence

Span = tuple[int, int]


class Chunk(NamedTuple):
    """The tokens of one version that replace the source tokens ``start:end``, and its edits."""

    start: int
    end: int
    tokens: tuple[str, ...]
    edits: tuple[Edit, ...] = ()

    @property
    def length(self) -> int:
        """Return the number of tokens of the longer side."""
        return max(self.end - self.start, len(self.tokens))


def partition(source: Sentence, versions: Sequence[Sequence[Edit]]) -> list[list[Chunk]]:
    """Return the chunks of every version, ``[version][chunk]``, from the edits of each."""
    ordered = [sorted(edits, key=attrgetter("start")) for edits in versions]
    spans = _merge([edit for edits in ordered for edit in edits])
    as_it_is, changed = _cut(source.tokens, spans)
    return [_fill(source.tokens, edits, as_it_is, changed) for edits in ordered]


def _merge(edits: list[Edit]) -> list[Span]:
    """Merge edits that touch or overlap, and return their spans."""
    merged: list[Span] = []
    for edit in sorted(edits, key=attrgetter("start")):
        if merged and edit.start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], edit.end))
        else:
            merged.append((edit.start, edit.end))
    return merged


def _cut(tokens: tuple[str, ...], spans: list[Span]) -> tuple[list[Chunk], list[int]]:
    """Split the source into chunks; also return the indices of chunks that contain edits."""
    chunks: list[Chunk] = []
    changed = []
    reached = 0
    for start, end in spans:
        if reached < start:
            chunks.append(Chunk(reached, start, tokens[reached:start]))
        changed.append(len(chunks))
        chunks.append(Chunk(start, end, tokens[start:end]))
        reached = end
    if reached < len(tokens):
        chunks.append(Chunk(reached, len(tokens), tokens[reached:]))
    return chunks, changed


def _fill(
    tokens: tuple[str, ...], edits: list[Edit], as_it_is: list[Chunk], changed: list[int]
) -> list[Chunk]:
    """Return the chunks of one version: the source's chunks with the version's edits applied."""
    chunks = list(as_it_is)
    place = 0
    for index in changed:
        start, end, *_ = chunks[index]
        first = place
        while place < len(edits) and edits[place].end <= end:
            place += 1
        if place == first:
            continue
        own = tuple(edits[first:place])
        text: list[str] = []
        reached = start
        for edit in own:
            text += tokens[reached : edit.start]
            text += edit.correction.split()
            reached = max(reached, edit.end)
        text += tokens[reached:end]
        chunks[index] = Chunk(start, end, tuple(text), own)
    return chunks
