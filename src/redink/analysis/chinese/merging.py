"""From the steps of an alignment to edits, as ChERRANT has it.

Steps between two matches are one edit; but insertions and deletions alone, both of them, stay
apart. Two edits with a match between them that swap their text, and a text that is deleted here
and inserted there, are one edit of word order. What a replacement leaves as it is at its ends is
taken off.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from itertools import groupby

from rapidfuzz.distance import Levenshtein

from redink.analysis.align import Step
from redink.analysis.analyzer import Tokens

_NEVER_MOVED = string.punctuation + (
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
    "–—‘'‛“”„‟…‧."
)
"""Marks, and runs of marks in this order, that are never taken for moved."""


def merge(alignment: Iterable[Step], source: Tokens, corrected: Tokens) -> tuple[Step, ...]:
    """The edits; their operation is ``D``, ``I``, ``S``, or ``T`` for word order."""
    parts = _join_touching(alignment)
    found = []
    place = 0
    while place < len(parts):
        moved = _moved(parts[place : place + 3], source, corrected)
        if moved:
            found.append(_joined(parts[place : place + 3], "T"))
            place += 3
            continue
        if parts[place].operation != "M":
            found.append(parts[place])
        place += 1
    return tuple(
        _trimmed(edit, source, corrected) if edit.operation == "S" else edit
        for edit in found
        if _text(source, edit.start, edit.end) != _text(corrected, edit.to_start, edit.to_end)
    )


def _join_touching(alignment: Iterable[Step]) -> list[Step]:
    """Runs of matches and of changes, each as one; transpositions stand alone."""
    parts: list[Step] = []
    for kind, group in groupby(alignment, lambda step: step.operation in "MT" and step.operation):
        steps = list(group)
        operations = {step.operation for step in steps}
        if kind == "T" or operations == {"D", "I"}:
            parts.extend(steps)
        else:
            parts.append(_joined(steps, operations.pop() if len(operations) == 1 else "S"))
    return parts


def _joined(steps: Sequence[Step], operation: str) -> Step:
    first, last = steps[0], steps[-1]
    return Step(operation, first.start, last.end, first.to_start, last.to_end)


def _text(tokens: Tokens, start: int, end: int) -> str:
    return "".join(tokens[start:end])


def _moved(parts: Sequence[Step], source: Tokens, corrected: Tokens) -> bool:
    """Whether three parts together are a change of order."""
    if len(parts) < 3:
        return False
    first, between, last = parts
    pattern = f"{first.operation}{between.operation}{last.operation}"
    if pattern == "SMS":
        return _are_swapped(
            _text(source, first.start, first.end),
            _text(corrected, first.to_start, first.to_end),
            _text(source, last.start, last.end),
            _text(corrected, last.to_start, last.to_end),
        )
    if pattern in {"DMI", "DTI"}:
        deleted, inserted = first, last
    elif pattern in {"IMD", "ITD"}:
        deleted, inserted = last, first
    else:
        return False
    return _is_same_text(
        _text(source, deleted.start, deleted.end),
        _text(corrected, inserted.to_start, inserted.to_end),
    )


def _are_swapped(first: str, becomes: str, last: str, turns_into: str) -> bool:
    if min(map(len, (first, becomes, last, turns_into))) == 1:
        return first == turns_into and becomes == last
    return _is_near(first, turns_into) and _is_near(becomes, last)


def _is_same_text(deleted: str, inserted: str) -> bool:
    if deleted in _NEVER_MOVED or inserted in _NEVER_MOVED:
        return False
    longer, shorter = sorted((deleted, inserted), key=len, reverse=True)
    if len(longer) - len(shorter) > 1:
        return False
    if len(shorter) == 1:
        return longer == shorter
    rotated = len(longer) == len(shorter) and shorter in longer * 2
    return rotated or _is_near(longer, shorter)


def _is_near(one: str, other: str) -> bool:
    return Levenshtein.distance(one, other, score_cutoff=1) <= 1


def _trimmed(edit: Step, source: Tokens, corrected: Tokens) -> Step:
    """The edit without the tokens at its ends whose characters stay; all or none at an end."""
    text = _text(corrected, edit.to_start, edit.to_end)
    same, begin = "", edit.start
    while begin < edit.end and text.startswith(same + source[begin]):
        same += source[begin]
        begin += 1
    to_begin = _reach(corrected[edit.to_start : edit.to_end], same)
    begin, to_begin = (begin, edit.to_start + to_begin) if to_begin else (edit.start, edit.to_start)
    same, end = "", edit.end
    while end > begin and text.endswith(source[end - 1] + same):
        end -= 1
        same = source[end] + same
    to_end = _reach(
        [token[::-1] for token in reversed(corrected[to_begin : edit.to_end])], same[::-1]
    )
    end, to_end = (end, edit.to_end - to_end) if to_end else (edit.end, edit.to_end)
    operation = "I" if begin == end else "D" if to_begin == to_end else "S"
    return Step(operation, begin, end, to_begin, to_end)


def _reach(tokens: Sequence[str], text: str) -> int:
    """How many tokens make up the text; 0 where no number of them does."""
    length = 0
    for count, token in enumerate(tokens, start=1):
        length += len(token)
        if length >= len(text):
            return count if text and length == len(text) else 0
    return 0
