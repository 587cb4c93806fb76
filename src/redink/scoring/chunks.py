"""A sentence cut into chunks, the same for its source, hypothesis and all references (CLEME).

Edits of any version that touch or overlap become one chunk; what lies between is left as it is.
So every version has the same number of chunks, and an edit of one can be compared with what the
others did in the same place, however each of them cut its edits::

    source       | He | go   | to school | yesterday .
    hypothesis   | He | goes | to school | yesterday .
    reference    | He | went | to school | , yesterday .
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from redink.model import Edit, Sentence

Span = tuple[int, int]


class Chunk(NamedTuple):
    """What one version has in one place.

    Attributes:
        start: the first token of the source.
        end: one past the last; equal to ``start`` where something is inserted.
        tokens: what the version has there.
        edits: the edits that made it; none where it is left as it is.
    """

    start: int
    end: int
    tokens: tuple[str, ...]
    edits: tuple[Edit, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether the version has an edit here."""
        return bool(self.edits)

    @property
    def length(self) -> int:
        """The tokens of the longer side."""
        return max(self.end - self.start, len(self.tokens))

    def agrees(self, other: Chunk) -> bool:
        """Whether two versions have the same text here."""
        return self.tokens == other.tokens


def partition(source: Sentence, versions: Sequence[Sequence[Edit]]) -> list[list[Chunk]]:
    """The chunks of every version, ``[version][chunk]``.

    Args:
        source: the sentence.
        versions: the edits of each version.
    """
    tokens = source.tokens
    ordered = [sorted(edits, key=_start) for edits in versions]
    changed = _merge([edit for edits in ordered for edit in edits])
    spans = _fill(changed, len(tokens))
    return [_cut(tokens, edits, spans) for edits in ordered]


def _start(edit: Edit) -> int:
    return edit.start


def _merge(edits: list[Edit]) -> list[Span]:
    """The spans of the edits, those that touch or overlap as one."""
    merged: list[Span] = []
    for edit in sorted(edits, key=_start):
        if merged and edit.start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], edit.end))
        else:
            merged.append((edit.start, edit.end))
    return merged


def _fill(changed: list[Span], length: int) -> list[tuple[Span, bool]]:
    """All spans from left to right, and whether some version has edits there."""
    spans = []
    reached = 0
    for start, end in changed:
        if reached < start:
            spans.append(((reached, start), False))
        spans.append(((start, end), True))
        reached = end
    if reached < length:
        spans.append(((reached, length), False))
    return spans


def _cut(tokens: tuple[str, ...], edits: list[Edit], spans: list[tuple[Span, bool]]) -> list[Chunk]:
    chunks = []
    place = 0
    for (start, end), is_changed in spans:
        first = place
        if is_changed:
            while place < len(edits) and edits[place].end <= end:
                place += 1
        if place == first:
            chunks.append(Chunk(start, end, tokens[start:end]))
            continue
        own = tuple(edits[first:place])
        text: list[str] = []
        reached = start
        for edit in own:
            text += tokens[reached : edit.start]
            text += edit.correction.split()
            reached = max(reached, edit.end)
        text += tokens[reached:end]
        chunks.append(Chunk(start, end, tuple(text), own))
    return chunks
