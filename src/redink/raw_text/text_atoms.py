"""Atoms: the smallest units of text for comparison, independent of any tokenizer.

Runs of letters, runs of digits, and single other characters are atoms: ``don't`` and ``do n't``
differ only in the position of the split. Variants of quotation marks, dashes and dots are equal.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

# Scripts without spaces: each character is an atom.
SINGLE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_WORDS = rf"[{SINGLE}]|(?:(?![{SINGLE}])[^\W\d_])+|\d+|''|``"
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
SEAM = "\n"
"""The form of an atom without characters between two documents."""
_SEAM_WEIGHT = 6.0
TERMINAL = frozenset(".!?\u2026\u3002\uff01\uff1f\u0964\u061f\u06d4")


def reshaped(before: str, after: str) -> set[str]:
    """Return the marks of a correction that replace variants, such as a curly quotation mark."""
    shapes = {fold(mark): mark for mark in _MARKS if mark in before}
    if "..." in before:
        shapes["\u2026"] = "..."
    return {
        mark for mark in after if mark in _MARKS and mark not in before and fold(mark) in shapes
    }


def fold(text: str) -> str:
    """Normalize text for comparison: case, quotation marks and dashes make no difference."""
    if text.isascii():
        if text.isalnum():
            return text.lower()
    else:
        text = unicodedata.normalize("NFKC", text)
    return _WHOLE.get(text, text).translate(_FOLD).casefold()


@dataclass(frozen=True, slots=True)
class Atoms:
    """The atoms of a text with their properties for the comparison."""

    forms: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]

    def __len__(self) -> int:
        return len(self.forms)


def cut_atoms(text: str) -> Atoms:
    """Split a text into atoms."""
    return join_atoms([text], 0)


def join_atoms(texts: Sequence[str], gap: int, *, dots_apart: bool = False) -> Atoms:
    """Return the atoms of texts joined with ``gap`` characters, with a seam between two texts.

    Three dots are one atom, unless they are separate in the source.
    """
    pattern = _ATOM_WITH_DOTS_APART if dots_apart else _ATOM
    forms: list[str] = []
    starts, ends = array("q"), array("q")
    known: dict[str, str] = {}
    begin = 0
    for number, text in enumerate(texts):
        if number:
            forms.append(SEAM)
            starts.append(begin)
            ends.append(begin)
        for match in pattern.finditer(text):
            body = match.group()
            form = known.get(body)
            if form is None:
                form = known[body] = fold(body)
            forms.append(form)
            starts.append(begin + match.start())
            ends.append(begin + match.end())
        begin += len(text) + gap
    return Atoms(forms, starts, ends)


def weight(form: str) -> float:
    """Return the weight of an atom in the alignment: low for a mark, highest for a long word.

    A seam has a high weight, because sentences rarely continue in the next document.
    """
    if form == SEAM:
        return _SEAM_WEIGHT
    if not form[0].isalnum():
        return 0.4
    return 0.7 if len(form) <= 3 else 1.0
