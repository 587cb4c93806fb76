"""What a search must know about each place of a hypothesis, before an atom or after all of them.

What it costs to end a sentence there, whether text that belongs to no sentence may begin or end
there, where paragraphs begin and where documents meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redink.raw_text.atoms import APOSTROPHES, QUOTES, SEAM, TERMINAL, Atoms
from redink.raw_text.cleaning import PARAGRAPH

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# what it costs to end a sentence where nothing looks like an end, where a clause may end, before a
# capital letter, after a comma, after a conjunction that joins two sentences; how much more after a
# mark that opens what follows; and how much at most if there is no mark in the source either
_NO_END, _CLAUSE, _CAPITAL, _COMMA, _JOINT, _OPENING = 1.2, 0.9, 1.1, 1.1, 0.6, 0.5
_LOOSE = 0.2
_NEVER = 1e6
PARAGRAPH_WEIGHT = 10.0
"""What it costs that a sentence that was rewritten holds the beginning of a paragraph."""

_BEFORE_JOINT = frozenset(",;:-")
_CONJUNCTIONS = frozenset(
    {"and", "but", "or", "so", "und", "aber", "oder", "et", "mais", "ou", "ed", "ma", "y", "pero"}
    | {"i", "ale", "och", "men", "ja", "aga", "en", "maar", "ve"}
    | {"\u0456", "\u0439", "\u0442\u0430", "\u0430\u043b\u0435", "\u0438", "\u043d\u043e"}
)
_BEFORE_SPEECH = TERMINAL | {":", ","}
_OPENERS = frozenset("([{\u201c\u2018\u00ab\u201e")
_CLOSERS = frozenset(")]}\u201d\u2019\u00bb")
_MOST_CLOSERS = 8
_EITHER = frozenset(QUOTES + APOSTROPHES)


@dataclass(frozen=True, slots=True)
class Places:
    """What the search must know about each place of a hypothesis: before an atom or after all.

    Attributes:
        price: what it costs to end a sentence here.
        loose: the same for a sentence that has no mark at its end in the source.
        breaks: where text that belongs to no sentence may begin or end.
        edges: likewise around a document.
        paragraphs: where a paragraph begins.
        seams: whether a document ends here and the next begins after the next atom.
        inserted: what all text before this place weighs.
        extra: the same without seams.
        apart: the same where a paragraph has weight too, up to and with the one that begins here,
            and nothing crosses a seam.
    """

    price: Floats
    loose: Floats
    breaks: Bools
    edges: Bools
    paragraphs: Bools
    seams: Bools
    inserted: Floats
    extra: Floats
    apart: Floats

    @classmethod
    def between(cls, atoms: Atoms, text: str, weights: Floats, left: int, right: int) -> Places:
        """Those of a part of a hypothesis, by numbers of atoms.

        Args:
            atoms: of all of it.
            text: the hypothesis.
            weights: of its atoms.
            left: the first atom of the part.
            right: the one after its last.
        """
        seams = np.fromiter((form == SEAM for form in atoms.forms[left:right]), np.bool_)
        breaks, edges, paragraphs = _breaks(atoms, text, left, right)
        inserted, extra, apart = (
            np.concatenate(([0.0], np.cumsum(np.where(seams, seam, weights[left:right]))))
            for seam in (weights[left:right], 0.0, _NEVER)
        )
        prices, loose = _end_prices(atoms, text, left, right)
        last = right < len(atoms) and atoms.forms[right] == SEAM
        return cls(
            prices,
            loose,
            breaks,
            edges,
            paragraphs,
            np.append(seams, last),
            inserted,
            extra,
            apart + PARAGRAPH_WEIGHT * np.cumsum(paragraphs),
        )

    def may_be_new(self, *, first: bool, last: bool) -> Iterator[tuple[Bools, Bools]]:
        """Where a sentence that was rewritten may begin and where it may end.

        A paragraph before the first sentence or after the last may be a remark.
        """
        inside = self.breaks & ~self.paragraphs
        if first or last:
            if not first:
                yield inside, self.breaks
            elif not last:
                yield self.breaks, inside
            return
        if not self.seams.any():
            yield self.breaks, self.breaks
            return
        after = np.zeros_like(self.seams)
        after[1:] = self.seams[:-1]
        yield self.breaks & ~after, self.breaks & ~self.seams
        yield inside, self.seams
        yield after, inside

    def over_seams(
        self, row: Floats, rate: float, price: float
    ) -> tuple[NDArray[np.int64], Floats]:
        """The cheapest way from a line over the end of a document to a line."""
        base = np.where(self.edges, row - rate * self.extra, np.inf)
        lowest = np.minimum.accumulate(base)
        at = np.maximum.accumulate(np.where(base <= lowest, np.arange(len(row)), 0))
        places = np.arange(len(row))
        seam = np.full(len(row), -1, dtype=np.int64)
        seam[1:] = np.maximum.accumulate(np.where(self.seams, places, -1))[:-1]
        cost = lowest[seam] + rate * self.extra + price
        return at[seam], np.where(self.edges & (seam >= 0), cost, np.inf)

    def over_seam(self, row: Floats) -> tuple[NDArray[np.int64], Floats]:
        """From the end of a document to the beginning of the next."""
        cost = np.full(len(row), np.inf)
        cost[1:][self.seams[:-1]] = row[:-1][self.seams[:-1]]
        return np.arange(-1, len(row) - 1), cost


def between(
    row: Floats, weights: Floats, starts: Bools, stops: Bools, rate: float
) -> tuple[NDArray[np.int64], Floats]:
    """The cheapest way from an earlier start to each stop, and from where."""
    base = np.where(starts, row - rate * weights, np.inf)
    lowest = np.minimum.accumulate(base)
    at = np.maximum.accumulate(np.where(base <= lowest, np.arange(len(row)), 0))
    cost = np.full(len(row), np.inf)
    cost[1:] = np.where(stops[1:], lowest[:-1] + rate * weights[1:], np.inf)
    return np.concatenate(([0], at[:-1])), cost


def _end_prices(atoms: Atoms, text: str, left: int, right: int) -> tuple[Floats, Floats]:
    """What it costs to end a sentence at each place of a part; and one that has no mark anyway."""
    prices, loose = np.zeros(right - left + 1), np.zeros(right - left + 1)
    for j in range(max(left, 1), min(right + 1, len(atoms))):
        if SEAM in {atoms.forms[j - 1], atoms.forms[j]}:
            continue
        price, opening = _end_price(atoms, j, text), 0.0
        before = text[atoms.starts[j - 1]]
        glued = atoms.starts[j] == atoms.ends[j - 1]
        dash = atoms.forms[j - 1] == "-"
        if dash and j > 1 and atoms.forms[j - 2] in _BEFORE_SPEECH:
            price, opening = _NO_END, _OPENING  # the dash before direct speech belongs to it
        if glued and (
            before in _OPENERS
            or (before in _EITHER and (j < 2 or atoms.starts[j - 1] > atoms.ends[j - 2]))
        ):
            opening += _OPENING  # an opening mark belongs to what follows
        prices[j - left] = price + opening
        loose[j - left] = min(price, _LOOSE) + opening
        if dash and not glued and text[atoms.starts[j]].isupper():
            loose[j - left] += _OPENING
    return prices, loose


def _end_price(atoms: Atoms, j: int, text: str) -> float:
    """What it costs to end a sentence before an atom, for what stands before it and for itself."""
    start = atoms.starts[j]
    apart = start > atoms.ends[j - 1]
    last = j - 1
    while last >= max(0, j - _MOST_CLOSERS) and (
        atoms.forms[last] in {'"', "'"} or text[atoms.starts[last]] in _CLOSERS
    ):
        last -= 1
    form = atoms.forms[last] if last >= 0 else "."
    if form in TERMINAL:
        # inside 3.5 or example.com nothing ends
        return 0.0 if apart or last < j - 1 else _CAPITAL
    if form in {";", ":"} or (apart and "-" in {form, atoms.forms[j]}):
        return _CLAUSE
    if form == "," and apart:
        return _COMMA
    if form in _CONJUNCTIONS and last and atoms.forms[last - 1] in _BEFORE_JOINT:
        return _JOINT  # ``..., and`` belongs to the sentence before
    return _CAPITAL if text[start].isupper() else _NO_END


def is_paragraph(between: str) -> bool:
    """Whether there is an empty line in what stands between two words, or a title before it."""
    return between.count("\n") > 1 or PARAGRAPH in between


def _breaks(atoms: Atoms, text: str, left: int, right: int) -> tuple[Bools, Bools, Bools]:
    """Where text that belongs to no sentence may begin or end, inside and around; paragraphs.

    It may after the end of a sentence and at an empty line; around all of it also after a colon.
    """
    count = len(atoms)
    breaks, edges, paragraphs = (np.zeros(right - left + 1, dtype=np.bool_) for _ in range(3))
    for place in {0, count}.intersection(range(left, right + 1)):
        for places in (breaks, edges, paragraphs):
            places[place - left] = True
    for j in range(max(left, 1), min(right + 1, count)):
        between = text[atoms.ends[j - 1] : atoms.starts[j]]
        before, at = atoms.forms[j - 1], j - left
        paragraphs[at] = is_paragraph(between) or SEAM in {before, atoms.forms[j]}
        breaks[at] = paragraphs[at] or (bool(between) and before in TERMINAL)
        edges[at] = breaks[at] or (bool(between) and before == ":")
    return breaks, edges, paragraphs
