"""Where the sentences of a source lie in a raw hypothesis: a monotone alignment of atoms.

The cheapest way from source to hypothesis is found by dynamic programming over atoms, in which
a sentence of the source may end anywhere in the hypothesis, at a price where nothing there looks
like an end; a sentence may be missing, and text between two sentences may belong to none. Line
breaks of the hypothesis say nothing about where a sentence ends.

Runs of atoms that occur once in either text divide the problem into small ones, so that time and
memory stay bounded; what has no such runs and is too large is left unaligned, never guessed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from redink.raw_text.atoms import TERMINAL, Atoms, weight
from redink.raw_text.places import PARAGRAPH_WEIGHT, Floats, Places, between
from redink.raw_text.shared_runs import Occurring, shared_runs

_MOST_CELLS = 16_000_000
"""The largest piece that is aligned: source atoms times hypothesis atoms."""
_ALL_CELLS = 16
"""How many pieces of the largest size are aligned at most, or smaller ones of the same size."""

_RUNS: Sequence[tuple[int, Occurring]] = ((5, "once"), (8, "in order"), (3, "once"), (1, "once"))
"""Runs that divide the problem: the first always, the others where a part is still too large."""
_UNLIKE, _ALIKE, _MARKS = 1.3, 0.4, 0.3
_AROUND_END = 2
"""How many atoms on either side of the end of a sentence show that a hypothesis has the same."""
_MISSING, _MISSING_RATE = 2.0, 0.5
_EXTRA, _AROUND, _EXTRA_RATE = 2.0, 0.5, 0.35
_REWRITTEN, _REWRITTEN_RATE, _UNEVEN_RATE = 2.0, 0.3, 0.2

_DIAGONAL, _DELETED, _INSERTED = 0, 1, 2
_KNOWN_WORDS = 1 << 15
"""How many words are remembered from one text to the next."""


@dataclass(frozen=True, slots=True)
class Found:
    """An alignment of all atoms.

    Attributes:
        pieces: for every sentence, the first atom of the hypothesis that belongs to it and the
            one after the last.
        pairs: for every atom of the source, the atom of the hypothesis it stands for, or -1.
        given_up: whether a sentence lies in a part that was too large to be aligned.
    """

    pieces: tuple[tuple[int, int], ...]
    pairs: tuple[int, ...]
    given_up: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Side:
    """One text, as numbers."""

    ids: NDArray[np.int64]
    keys: NDArray[np.int64]
    weights: Floats
    words: NDArray[np.bool_]


def align_atoms(source: Atoms, ends: Sequence[int], hypothesis: Atoms, text: str) -> Found:
    """Find every sentence of the source in the hypothesis.

    Args:
        source: the atoms of all sentences of the source, one after the other.
        ends: for every sentence, how many atoms there are up to its end.
        hypothesis: the atoms of the hypothesis.
        text: the hypothesis itself.
    """
    return _Aligner(source, ends, hypothesis, text).run()


class _Aligner:
    def __init__(self, source: Atoms, ends: Sequence[int], hypothesis: Atoms, text: str) -> None:
        self._left_cells = _ALL_CELLS * _MOST_CELLS
        self._ends = list(ends)
        self._places = [0, *ends]
        self._source_forms, self._forms = source.forms, hypothesis.forms
        numbers: dict[str, int] = {}
        ids = [_numbered(forms, numbers) for forms in (source.forms, hypothesis.forms)]
        self._ours, self._theirs = _sides(ids, list(numbers))
        self._similar = _similar_forms(source.forms, hypothesis.forms, numbers)
        self._hypothesis, self._text = hypothesis, text
        self._pairs = [-1] * len(source)
        self._of_sentence = np.repeat(
            np.arange(len(self._ends)), np.diff([0, *self._ends]).astype(np.int64)
        )
        self._given_up = [False] * len(self._ends)

    def run(self) -> Found:
        n, m = len(self._source_forms), len(self._forms)
        boundaries = self._places
        cuts: dict[int, tuple[int, int]] = {}
        for low, high, left, right in self._gaps(0, n, 0, m, _RUNS):
            # several sentences without atoms share a boundary: numbers, not places, are cut
            first = _first(boundaries, low)
            last = _first(boundaries, high + 1)
            if first < last:
                cuts.update(self._align_gap(low, high, left, right, range(first, last)))
            elif low < high and left < right:
                self._align_gap(low, high, left, right, range(0))
        pieces = tuple(
            (cuts[number][1], max(cuts[number][1], cuts[number + 1][0]))
            for number in range(len(self._ends))
        )
        return Found(pieces, tuple(self._pairs), tuple(self._given_up))

    def _gaps(
        self, low: int, high: int, left: int, right: int, runs: Sequence[tuple[int, Occurring]]
    ) -> Iterator[tuple[int, int, int, int]]:
        """The parts between atoms that are certain to stand for each other, in order.

        Where an atom and the next are both certain and adjacent, the part between them is empty.
        """
        small = (high - low) * (right - left) <= _MOST_CELLS
        if not runs or (small and runs is not _RUNS):
            yield low, high, left, right
            return
        size, occurring = runs[0]
        shared = shared_runs(
            self._ours.ids[low:high],
            self._theirs.ids[left:right],
            size,
            occurring,
        )
        certain: list[tuple[int, int]] = []
        for i, j in shared:
            if size > 1 and self._of_sentence[low + i] != self._of_sentence[low + i + size - 1]:
                continue  # the end of one sentence and the beginning of another: if one is missing
            for shift in range(size):
                pair = (low + i + shift, left + j + shift)
                if not certain or (pair[0] > certain[-1][0] and pair[1] > certain[-1][1]):
                    certain.append(pair)
        for i, j in certain:
            self._pairs[i] = j
        edges = [(low - 1, left - 1), *certain, (high, right)]
        for (i, j), (next_i, next_j) in pairwise(edges):
            if (i + 1, j + 1) == (next_i, next_j):
                yield next_i, next_i, next_j, next_j
            else:
                yield from self._gaps(i + 1, next_i, j + 1, next_j, runs[1:])

    def _align_gap(
        self, low: int, high: int, left: int, right: int, boundaries: range
    ) -> dict[int, tuple[int, int]]:
        """Align what lies between certain atoms; where the sentences that end or begin there do.

        ``boundaries`` are numbers of boundaries; boundary s stands before sentence s.
        """
        places = self._places
        if low == high and left == right:
            return dict.fromkeys(boundaries, (left, left))
        cells = (high - low + len(boundaries)) * (right - left + 1)
        self._left_cells -= cells
        if cells > _MOST_CELLS or self._left_cells < 0:
            for number in boundaries:
                if number < len(self._ends):
                    self._given_up[number] = True
                if number and places[number - 1] >= low:
                    self._given_up[number - 1] = True
            return dict.fromkeys(boundaries, (left, right))
        return self._search(low, high, left, right, list(boundaries))

    def _search(
        self, low: int, high: int, left: int, right: int, numbers: list[int]
    ) -> dict[int, tuple[int, int]]:
        places = self._places
        weights = self._theirs.weights
        window = Places.between(self._hypothesis, self._text, weights, left, right)
        inserted = window.inserted
        width = right - left
        row: Floats = inserted.copy()
        steps = np.full(width + 1, _INSERTED, dtype=np.int8)
        steps[0] = _DIAGONAL
        trail: list[tuple[str, int, tuple[NDArray[np.int64] | NDArray[np.int8], ...]]] = [
            ("start", low, (steps,))
        ]
        pending = iter(numbers)
        number = next(pending, None)
        passed: dict[int, Floats] = {}
        for i in range(low, high + 1):
            while number is not None and places[number] == i:
                row, record = self._pass_end(row, number, window, passed, left)
                trail.append(("end", number, record))
                number = next(pending, None)
            if i == high:
                break
            cost = self._substitution(i, slice(left, right))
            down = row + self._ours.weights[i]
            best = down.copy()
            diagonal = row[:-1] + cost
            better = diagonal <= best[1:]
            best[1:][better] = diagonal[better]
            step = np.full(width + 1, _DELETED, dtype=np.int8)
            step[1:][better] = _DIAGONAL
            swept = np.minimum.accumulate(best - inserted) + inserted
            late = swept < best - 1e-9
            step[late] = _INSERTED
            row = np.where(late, swept, best)
            trail.append(("atom", i, (step,)))
        return self._trace(trail, left, right)

    def _substitution(self, i: int, theirs: slice) -> Floats:
        ours = self._ours
        similar = self._theirs.keys[theirs] == ours.keys[i]
        most = np.maximum(self._theirs.weights[theirs], ours.weights[i])
        if ours.words[i]:
            cost = np.where(self._theirs.words[theirs], np.where(similar, _ALIKE, _UNLIKE), 2.5)
            for other in self._similar.get(int(ours.ids[i]), ()):
                cost[self._theirs.ids[theirs] == other] = _ALIKE
        else:
            cost = np.where(self._theirs.words[theirs], 2.5, _MARKS / 0.4)
        cost = cost * most
        cost[self._theirs.ids[theirs] == ours.ids[i]] = 0.0
        result: Floats = cost
        return result

    def _pass_end(
        self, row: Floats, number: int, window: Places, passed: dict[int, Floats], left: int
    ) -> tuple[Floats, tuple[NDArray[np.int64], ...]]:
        """Go past the end of a sentence: its price, a missing sentence, text that is extra."""
        price = window.price
        if 0 < number <= len(self._ends):
            end = self._ends[number - 1]
            first = self._ends[number - 2] if number > 1 else 0
            if TERMINAL.isdisjoint(self._source_forms[max(first, end - 3) : end]):
                price = window.loose
            price = np.where(self._is_boundary(end, left, len(row)), 0.0, price)
        if number == len(self._ends):
            price = np.zeros_like(price)
        ended = row + price
        if number == 0:
            ended[1:] = np.inf  # what comes first belongs to the first sentence, or to none
        # how the sentence before is passed over as a whole: -1 not at all, its own place for one
        # that is missing, an earlier place for one that was rewritten
        whole = np.full(len(row), -1, dtype=np.int64)
        if number - 1 in passed:
            before = passed[number - 1]
            first = 0 if number < 2 else self._ends[number - 2]
            lost = float(self._ours.weights[first : self._ends[number - 1]].sum())
            for starts, stops in window.may_be_new(
                first=number == 1, last=number == len(self._ends)
            ):
                at, rewritten = between(before, window.apart, starts, stops, _REWRITTEN_RATE)
                rewritten += _REWRITTEN + _REWRITTEN_RATE * (
                    lost - PARAGRAPH_WEIGHT * window.paragraphs
                )
                theirs = window.inserted - window.inserted[at]
                rewritten += _UNEVEN_RATE * np.abs(lost - theirs)
                take = rewritten < ended - 1e-9
                whole[take] = at[take]
                ended = np.minimum(ended, rewritten)
            left_out = before + _MISSING + _MISSING_RATE * lost
            take = left_out < ended - 1e-9
            whole[take] = np.flatnonzero(take)
            ended = np.minimum(ended, left_out)
        ended, extra = self._pass_extra(ended, window, around=number in {0, len(self._ends)})
        passed.clear()
        passed[number] = ended
        swept = np.minimum.accumulate(ended - window.inserted) + window.inserted
        late = (swept < ended - 1e-9).astype(np.int64)
        return np.where(late == 1, swept, ended), (whole, extra, late)

    def _is_boundary(self, end: int, left: int, width: int) -> NDArray[np.bool_]:
        """Return at which places the hypothesis has the atoms around the end of a sentence."""
        same = np.ones(width, dtype=np.bool_)
        ours, theirs = self._ours.ids, self._theirs.ids
        for shift in range(-_AROUND_END, _AROUND_END):
            if 0 <= end + shift < len(ours):
                low, high = left + shift, left + shift + width
                part = theirs[max(low, 0) : max(high, 0)] == ours[end + shift]
                same[: max(-low, 0)] = False
                same[max(-low, 0) : max(-low, 0) + len(part)] &= part
                same[max(-low, 0) + len(part) :] = False
        return same

    def _pass_extra(
        self, ended: Floats, window: Places, *, around: bool
    ) -> tuple[Floats, NDArray[np.int64]]:
        """Text that belongs to no sentence, from break to break; around a document it is cheap."""
        extra = np.arange(len(ended))
        edges = window.edges if around else window.breaks
        at, skipped = between(ended, window.extra, edges, edges, _EXTRA_RATE)
        ways = [(at, skipped + (_AROUND if around else _EXTRA))]
        if window.seams.any():
            ways.append(window.over_seams(ended, _EXTRA_RATE, _AROUND))
            ways.append(window.over_seam(ended))
        result = ended
        for at, skipped in ways:
            take = skipped < result - 1e-9
            extra[take] = at[take]
            result = np.minimum(result, skipped)
        return result, extra

    def _trace(
        self,
        trail: list[tuple[str, int, tuple[NDArray[np.int64] | NDArray[np.int8], ...]]],
        left: int,
        right: int,
    ) -> dict[int, tuple[int, int]]:
        cuts: dict[int, tuple[int, int]] = {}
        at = right - left
        over = False  # whether a sentence is passed over as a whole, up to where it begins
        for kind, number, record in reversed(trail):
            if kind == "end":
                whole, extra, late = record
                while late[at] and not over:
                    at -= 1
                after = at
                at = int(extra[at])
                cuts[number] = (left + at, left + after)
                over = whole[at] >= 0
                at = int(whole[at]) if over else at
            elif not over:
                (step,) = record
                while step[at] == _INSERTED:
                    at -= 1
                if kind == "atom" and step[at] == _DIAGONAL:
                    at -= 1
                    self._pairs[number] = left + at
        return cuts


def _first(boundaries: Sequence[int], place: int) -> int:
    return bisect_left(boundaries, place)


def _numbered(forms: Sequence[str], numbers: dict[str, int]) -> NDArray[np.int64]:
    return np.fromiter((numbers.setdefault(f, len(numbers)) for f in forms), np.int64, len(forms))


def _sides(texts: Sequence[NDArray[np.int64]], forms: Sequence[str]) -> Iterator[_Side]:
    """The texts, of whose atoms the numbers are known, and the form of each number."""
    keys: dict[str, int] = {}
    stems = _numbered([form[:4] for form in forms], keys)
    weights = np.fromiter(map(weight, forms), np.float64, len(forms))
    words = np.fromiter((form[0].isalnum() for form in forms), np.bool_, len(forms))
    for ids in texts:
        yield _Side(ids, stems[ids], weights[ids], words[ids])


def _similar_forms(
    ours: Sequence[str], theirs: Sequence[str], numbers: dict[str, int]
) -> dict[int, list[int]]:
    """Words of one text alone that look like words of the other alone: spelling corrected."""
    known_ours, known_theirs = set(ours), set(theirs)
    new = [f for f in known_theirs - known_ours if len(f) > 3 and f[0].isalnum()]
    by_pair: dict[str, list[str]] = {}
    for form in new:
        for pair in _pairs_of(form):
            by_pair.setdefault(pair, []).append(form)
    found: dict[int, list[int]] = {}
    for form in known_ours - known_theirs:
        if len(form) <= 3 or not form[0].isalnum():
            continue
        mine = _pairs_of(form)
        shared: dict[str, int] = {}
        for pair in mine:
            for other in by_pair.get(pair, ())[:200]:
                shared[other] = shared.get(other, 0) + 1
        alike = [
            other
            for other, count in shared.items()
            if 2 * count >= 0.55 * (len(mine) + len(_pairs_of(other)))
        ]
        if alike:
            found[numbers[form]] = sorted(numbers[other] for other in alike)
    return found


@lru_cache(_KNOWN_WORDS)
def _pairs_of(form: str) -> frozenset[str]:
    return frozenset(map("".join, pairwise(f" {form} ")))
