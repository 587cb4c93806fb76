"""Atoms: the smallest pieces of text that are compared, whatever tokeniser came before.

A run of letters is an atom, a run of digits, and every other character by itself, so that
``don't`` and ``do n't`` differ in where a word is cut and in nothing else. Characters that a
word processor or a tokeniser writes in another way (quotation marks, dashes, dots) are one.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Occurring = Literal["once", "in order"]

# Scripts without blanks: every character is an atom.
_SINGLE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_WORDS = rf"[{_SINGLE}]|(?:(?![{_SINGLE}])[^\W\d_])+|\d+|''|``"
_ATOM = re.compile(rf"{_WORDS}|\.\.\.|\S")
_ATOM_WITH_DOTS_APART = re.compile(rf"{_WORDS}|\S")

QUOTES = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033'
APOSTROPHES = "'\u2018\u2019\u201a\u201b\u02bc\u2032`\u00b4"
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_FOLD = {
    **dict.fromkeys(map(ord, QUOTES), '"'),
    **dict.fromkeys(map(ord, APOSTROPHES), "'"),
    **dict.fromkeys(map(ord, DASHES), "-"),
}
_MARKS = frozenset({*QUOTES, *APOSTROPHES, *DASHES, "\u2026"})
_WHOLE = {"''": '"', "``": '"', "...": "\u2026"}
SEAM = "\u241e"
"""The form of an atom without characters: here one document ends and the next begins."""
_SEAM_WEIGHT = 6.0
TERMINAL = frozenset(".!?\u2026\u3002\uff01\uff1f\u0964\u061f\u06d4")


def reshaped(before: str, after: str) -> set[str]:
    """The marks of a correction that stand for marks of another shape: a curly quotation mark."""
    shapes = {fold(mark): mark for mark in _MARKS if mark in before}
    if "..." in before:
        shapes["\u2026"] = "..."
    return {
        mark for mark in after if mark in _MARKS and mark not in before and fold(mark) in shapes
    }


def fold(text: str) -> str:
    """What is compared of a piece of text: case, quotation marks and dashes make no difference."""
    if text.isascii():
        if text.isalnum():
            return text.lower()
    else:
        text = unicodedata.normalize("NFKC", text)
    return _WHOLE.get(text, text).translate(_FOLD).casefold()


@dataclass(frozen=True, slots=True)
class Atoms:
    """The atoms of a text and what the comparison needs to know about each.

    Attributes:
        forms: the folded form of each atom.
        starts: where each begins in the text.
        ends: where each ends.
    """

    forms: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.forms)


def cut_atoms(text: str, *, dots_apart: bool = False) -> Atoms:
    """The atoms of a text; three dots are one, unless they stand apart in the source."""
    forms, starts, ends = [], [], []
    known: dict[str, str] = {}
    for match in (_ATOM_WITH_DOTS_APART if dots_apart else _ATOM).finditer(text):
        body = match.group()
        form = known.get(body)
        if form is None:
            form = known[body] = fold(body)
        forms.append(form)
        starts.append(match.start())
        ends.append(match.end())
    return Atoms(tuple(forms), tuple(starts), tuple(ends))


def join_atoms(texts: Sequence[str], gap: int, *, dots_apart: bool = False) -> Atoms:
    """The atoms of texts that are joined with ``gap`` characters, and a seam between any two."""
    forms: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    begin = 0
    for number, text in enumerate(texts):
        if number:
            forms.append(SEAM)
            starts.append(begin)
            ends.append(begin)
        atoms = cut_atoms(text, dots_apart=dots_apart)
        forms += atoms.forms
        starts += (begin + start for start in atoms.starts)
        ends += (begin + end for end in atoms.ends)
        begin += len(text) + gap
    return Atoms(tuple(forms), tuple(starts), tuple(ends))


def weight(form: str) -> float:
    """How much an atom says about where it belongs: little for a mark, most for a long word.

    A sentence hardly ever goes on in the next document.
    """
    if form == SEAM:
        return _SEAM_WEIGHT
    if not form[0].isalnum():
        return 0.4
    return 0.7 if len(form) <= 3 else 1.0


def shared_runs(
    ours: Sequence[int], theirs: Sequence[int], size: int, occurring: Occurring = "once"
) -> list[tuple[int, int]]:
    """Places of runs of ``size`` atoms that both texts have, in an order both share.

    Either of runs that occur once in each text, or of all runs, the first of one text with the
    first of the other, the second with the second.
    """
    at = _places_of_runs(theirs, size, occurring)
    pairs = [
        pair
        for run, places in _places_of_runs(ours, size, occurring).items()
        if run in at
        for pair in zip(places, at[run], strict=False)
    ]
    pairs.sort()
    return _longest_increasing(pairs)


def _places_of_runs(
    ids: Sequence[int], size: int, occurring: Occurring
) -> dict[tuple[int, ...], list[int]]:
    found: dict[tuple[int, ...], list[int]] = {}
    for place, run in enumerate(zip(*(ids[shift:] for shift in range(size)), strict=False)):
        found.setdefault(run, []).append(place)
    if occurring == "in order":
        return found
    return {run: places for run, places in found.items() if len(places) == 1}


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs (in order of the first) in which the second goes up too."""
    tails: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        at = bisect_left(tails, second)
        before.append(places[at - 1] if at else -1)
        if at == len(tails):
            tails.append(second)
            places.append(index)
        else:
            tails[at] = second
            places[at] = index
    chain = []
    at = places[-1] if places else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]
