"""Find the sentences of a source in a raw hypothesis with a monotone alignment of atoms.

Dynamic programming over atoms finds the cheapest alignment of source and hypothesis. A sentence may
end anywhere in the hypothesis, at a cost if the text there does not look like a sentence end. It
may be missing, and text between two sentences may belong to neither. Line breaks do not end a
sentence. Runs of atoms that occur once in each text divide the problem into small parts, so that
time and memory stay bounded. A part that is too large and has no such runs stays unaligned.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redink.raw_text.reply_cleaning import PARAGRAPH
from redink.raw_text.text_atoms import APOSTROPHES, QUOTES, SEAM, TERMINAL, Atoms, weight

Occurring = Literal["once", "in order"]
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def shared_runs(
    ours: Sequence[int], theirs: Sequence[int], size: int, occurring: Occurring = "once"
) -> list[tuple[int, int]]:
    """Return the positions of runs of ``size`` atoms that both texts have in the same order.

    Uses either only runs that occur once in each text, or all runs; then the n-th occurrence in one
    text is paired with the n-th occurrence in the other text.
    """
    counts, others = Counter(_runs(ours, size)), Counter(_runs(theirs, size))
    shared = {run: min(n, others[run]) for run, n in counts.items() if run in others}
    if occurring == "once":
        shared = {run: 1 for run in shared if counts[run] == others[run] == 1}
    places = [_places_of(_runs(side, size), shared) for side in (ours, theirs)]
    return _longest_increasing(sorted((place, places[1][run]) for run, place in places[0].items()))


def _runs(ids: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    return zip(*(islice(ids, shift, None) for shift in range(size)), strict=False)


def _places_of(
    runs: Iterable[tuple[int, ...]], shared: Mapping[tuple[int, ...], int]
) -> dict[tuple[tuple[int, ...], int], int]:
    seen = dict.fromkeys(shared, 0)
    places = {}
    for place, run in enumerate(runs):
        if run in shared and seen[run] < shared[run]:
            places[run, seen[run]] = place
            seen[run] += 1
    return places


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs whose second numbers increase too."""
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


# The costs of a sentence end: without any sign of an end, at a possible end of a clause, before a
# capital letter, after a comma, after a conjunction that joins two sentences; the additional cost
# after an opening mark. _LOOSE is the maximum if the source sentence has no final mark either.
_NO_END, _CLAUSE, _CAPITAL, _COMMA, _JOINT, _OPENING = 1.2, 0.9, 1.1, 1.1, 0.6, 0.5
_LOOSE = 0.2
_NEVER = 1e6
PARAGRAPH_WEIGHT = 10.0
"""The cost of a paragraph that begins inside a rewritten sentence."""

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
    """Search data for each position in a hypothesis, before each atom and after the last.

    Attributes:
        price: the cost of a sentence end here.
        loose: the cost of a sentence end here if the source sentence has no final mark.
        breaks: whether extra text (of no sentence) may begin or end here.
        edges: whether extra text before or after a document may begin or end here.
        paragraphs: whether a paragraph begins here.
        seams: whether a document ends here and the next begins after the next atom.
        inserted: the weight of all text before this position.
        extra: the weight of all text before this position without seams.
        apart: the weight of all text before this position plus that of paragraphs, including the
            one that begins here; text never crosses a seam.
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
        """Return the positions of a part of a hypothesis, given by atom numbers."""
        size = right - left + 1
        price, loose = np.zeros(size), np.zeros(size)
        breaks, edges, paragraphs = (np.zeros(size, dtype=np.bool_) for _ in range(3))
        for at in range(size):
            place = left + at
            if place in {0, len(atoms)}:
                breaks[at] = edges[at] = paragraphs[at] = True
                continue
            before = atoms.forms[place - 1]
            gap = text[atoms.ends[place - 1] : atoms.starts[place]]
            is_seam = SEAM in {before, atoms.forms[place]}
            paragraphs[at] = is_seam or is_paragraph(gap)
            breaks[at] = paragraphs[at] or (bool(gap) and before in TERMINAL)
            edges[at] = breaks[at] or (bool(gap) and before == ":")
            if not is_seam:
                price[at], loose[at] = _end_prices(atoms, place, text)
        seams = np.fromiter((form == SEAM for form in atoms.forms[left:right]), np.bool_)
        inserted, extra, apart = (
            np.concatenate(([0.0], np.cumsum(np.where(seams, seam, weights[left:right]))))
            for seam in (weights[left:right], 0.0, _NEVER)
        )
        last = right < len(atoms) and atoms.forms[right] == SEAM
        return cls(
            price,
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
        """Return the positions where a rewritten sentence may begin, and where it may end.

        A paragraph before the first or after the last sentence may be a comment.
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

    def over_seams(self, row: Floats, rate: float, price: float) -> tuple[Numbers, Floats]:
        """Return the cheapest path from a line across the end of a document to a line."""
        lowest, at = _lowest(np.where(self.edges, row - rate * self.extra, np.inf))
        places = np.arange(len(row))
        seam = np.full(len(row), -1, dtype=np.int64)
        seam[1:] = np.maximum.accumulate(np.where(self.seams, places, -1))[:-1]
        cost = lowest[seam] + rate * self.extra + price
        return at[seam], np.where(self.edges & (seam >= 0), cost, np.inf)

    def over_seam(self, row: Floats) -> tuple[Numbers, Floats]:
        """Move from the end of a document to the beginning of the next."""
        cost = np.full(len(row), np.inf)
        cost[1:][self.seams[:-1]] = row[:-1][self.seams[:-1]]
        return np.arange(-1, len(row) - 1), cost


def _lowest(costs: Floats) -> tuple[Floats, Numbers]:
    """Return the lowest cost up to each position, and the last position with this cost."""
    lowest = np.minimum.accumulate(costs)
    return lowest, np.maximum.accumulate(np.where(costs <= lowest, np.arange(len(costs)), 0))


def between(
    row: Floats, weights: Floats, starts: Bools, stops: Bools, rate: float
) -> tuple[Numbers, Floats]:
    """Return the cost of the cheapest path from an earlier start to each stop, and the start."""
    lowest, at = _lowest(np.where(starts, row - rate * weights, np.inf))
    cost = np.full(len(row), np.inf)
    cost[1:] = np.where(stops[1:], lowest[:-1] + rate * weights[1:], np.inf)
    return np.concatenate(([0], at[:-1])), cost


def _take_cheaper(costs: Floats, others: Floats, chosen: Numbers, at: Numbers) -> Floats:
    """Return the lower costs; if the other costs are lower, store their origins."""
    take = others < costs - 1e-9
    chosen[take] = at[take]
    return np.minimum(costs, others)


def _sweep(costs: Floats, inserted: Floats) -> tuple[Floats, Bools]:
    """Return the costs with insertions of text, and the insertions."""
    swept = np.minimum.accumulate(costs - inserted) + inserted
    late = swept < costs - 1e-9
    return np.where(late, swept, costs), late


def _end_prices(atoms: Atoms, j: int, text: str) -> tuple[float, float]:
    """Return the costs of a sentence end before an atom, with and without a final source mark."""
    price, opening = _end_price(atoms, j, text), 0.0
    mark = text[atoms.starts[j - 1]]
    glued = atoms.starts[j] == atoms.ends[j - 1]
    dash = atoms.forms[j - 1] == "-"
    if dash and j > 1 and atoms.forms[j - 2] in _BEFORE_SPEECH:
        price, opening = _NO_END, _OPENING  # a dash before direct speech belongs to the speech
    if glued and (
        mark in _OPENERS or (mark in _EITHER and (j < 2 or atoms.starts[j - 1] > atoms.ends[j - 2]))
    ):
        opening += _OPENING  # an opening mark belongs to the next sentence
    loose = min(price, _LOOSE) + opening
    if dash and not glued and text[atoms.starts[j]].isupper():
        loose += _OPENING
    return price + opening, loose


def _end_price(atoms: Atoms, j: int, text: str) -> float:
    """Return the cost of a sentence end before an atom, for the previous text and the atom."""
    start = atoms.starts[j]
    apart = start > atoms.ends[j - 1]
    last = j - 1
    while last >= max(0, j - _MOST_CLOSERS) and (
        atoms.forms[last] in {'"', "'"} or text[atoms.starts[last]] in _CLOSERS
    ):
        last -= 1
    form = atoms.forms[last] if last >= 0 else "."
    if form in TERMINAL:
        # no sentence ends inside 3.5 or example.com
        return 0.0 if apart or last < j - 1 else _CAPITAL
    if form in {";", ":"} or (apart and "-" in {form, atoms.forms[j]}):
        return _CLAUSE
    if form == "," and apart:
        return _COMMA
    if form in _CONJUNCTIONS and last and atoms.forms[last - 1] in _BEFORE_JOINT:
        return _JOINT  # ``..., and`` belongs to the previous sentence
    return _CAPITAL if text[start].isupper() else _NO_END


def is_paragraph(between: str) -> bool:
    """Return whether the text between two words has an empty line or follows a title."""
    return between.count("\n") > 1 or PARAGRAPH in between


_MOST_CELLS = 16_000_000
"""The maximum size of an aligned part: source atoms times hypothesis atoms."""
_ALL_CELLS = 16
"""The maximum total size of aligned parts, in parts of the maximum size."""

_RUNS: Sequence[tuple[int, Occurring]] = ((5, "once"), (8, "in order"), (3, "once"), (1, "once"))
"""Lengths of runs that divide the problem: the first always, the others for large parts."""
_UNLIKE, _ALIKE, _MARKS = 1.3, 0.4, 0.3
_AROUND_END = 2
"""The number of matching atoms before and after a sentence end that confirm it."""
_MISSING, _MISSING_RATE = 2.0, 0.5
_EXTRA, _AROUND, _EXTRA_RATE = 2.0, 0.5, 0.35
_REWRITTEN, _REWRITTEN_RATE, _UNEVEN_RATE = 2.0, 0.3, 0.2

_DIAGONAL, _DELETED, _INSERTED = 0, 1, 2
_KNOWN_WORDS = 1 << 15
"""The number of words that are cached from one text to the next."""


@dataclass(frozen=True, slots=True)
class AtomAlignment:
    """An alignment of all atoms."""

    pieces: tuple[tuple[int, int], ...]
    pairs: tuple[int, ...]
    given_up: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _TextArrays:
    ids: Numbers
    keys: Numbers
    weights: Floats
    words: Bools


def align_atoms(source: Atoms, ends: Sequence[int], hypothesis: Atoms, text: str) -> AtomAlignment:
    """Find each sentence of the source in the hypothesis."""
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
        self._padded = np.pad(self._theirs.ids, _AROUND_END, constant_values=-1)
        self._similar = _similar_forms(source.forms, hypothesis.forms, numbers)
        self._hypothesis, self._text = hypothesis, text
        self._pairs = [-1] * len(source)
        self._of_sentence = np.repeat(
            np.arange(len(self._ends)), np.diff([0, *self._ends]).astype(np.int64)
        )
        self._given_up = [False] * len(self._ends)

    def run(self) -> AtomAlignment:
        n, m = len(self._source_forms), len(self._forms)
        boundaries = self._places
        cuts: dict[int, tuple[int, int]] = {}
        for low, high, left, right in self._gaps(0, n, 0, m, _RUNS):
            # sentences without atoms share a boundary, so divide boundary numbers, not positions
            first = bisect_left(boundaries, low)
            last = bisect_left(boundaries, high + 1)
            if first < last:
                cuts.update(self._align_gap(low, high, left, right, range(first, last)))
            elif low < high and left < right:
                self._align_gap(low, high, left, right, range(0))
        pieces = tuple(
            (cuts[number][1], max(cuts[number][1], cuts[number + 1][0]))
            for number in range(len(self._ends))
        )
        return AtomAlignment(pieces, tuple(self._pairs), tuple(self._given_up))

    def _gaps(
        self, low: int, high: int, left: int, right: int, runs: Sequence[tuple[int, Occurring]]
    ) -> Iterator[tuple[int, int, int, int]]:
        """Yield the parts between certainly corresponding atoms, in order.

        The part between two adjacent certain atoms is empty.
        """
        small = (high - low) * (right - left) <= _MOST_CELLS
        if not runs or (small and runs is not _RUNS):
            yield low, high, left, right
            return
        size, occurring = runs[0]
        shared = shared_runs(
            self._ours.ids[low:high].tolist(),
            self._theirs.ids[left:right].tolist(),
            size,
            occurring,
        )
        certain: list[tuple[int, int]] = []
        for i, j in shared:
            if size > 1 and self._of_sentence[low + i] != self._of_sentence[low + i + size - 1]:
                continue  # the end of one and the beginning of another sentence, if one is missing
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
        """Align a part between certain atoms; store the positions of its sentence boundaries.

        ``boundaries`` are boundary numbers; boundary s is before sentence s.
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
        trail: list[tuple[str, int, tuple[Numbers | NDArray[np.int8], ...]]] = [
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
            row, late = _sweep(best, inserted)
            step[late] = _INSERTED
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
    ) -> tuple[Floats, tuple[Numbers, ...]]:
        """Add the costs at a sentence end: its price, a missing sentence, extra text."""
        price = window.price
        first, end = self._places[max(number - 1, 0)], self._places[number]
        if number:
            if TERMINAL.isdisjoint(self._source_forms[max(first, end - 3) : end]):
                price = window.loose
            price = np.where(self._is_boundary(end, left, len(row)), 0.0, price)
        if number == len(self._ends):
            price = np.zeros_like(price)
        ended = row + price
        if number == 0:
            ended[1:] = np.inf  # initial text belongs to the first sentence or to none
        # how the previous sentence is skipped: -1 for not at all, its own position if it is
        # missing, an earlier position if it was rewritten
        whole = np.full(len(row), -1, dtype=np.int64)
        if number - 1 in passed:
            before = passed[number - 1]
            lost = float(self._ours.weights[first:end].sum())
            for starts, stops in window.may_be_new(
                first=number == 1, last=number == len(self._ends)
            ):
                at, rewritten = between(before, window.apart, starts, stops, _REWRITTEN_RATE)
                rewritten += _REWRITTEN + _REWRITTEN_RATE * (
                    lost - PARAGRAPH_WEIGHT * window.paragraphs
                )
                theirs = window.inserted - window.inserted[at]
                rewritten += _UNEVEN_RATE * np.abs(lost - theirs)
                ended = _take_cheaper(ended, rewritten, whole, at)
            left_out = before + _MISSING + _MISSING_RATE * lost
            ended = _take_cheaper(ended, left_out, whole, np.arange(len(row)))
        ended, extra = self._pass_extra(ended, window, around=number in {0, len(self._ends)})
        passed.clear()
        passed[number] = ended
        swept, late = _sweep(ended, window.inserted)
        return swept, (whole, extra, late.astype(np.int64))

    def _is_boundary(self, end: int, left: int, width: int) -> Bools:
        """Return the positions where the hypothesis has the atoms around a sentence end."""
        same = np.ones(width, dtype=np.bool_)
        for shift in range(-_AROUND_END, _AROUND_END):
            if 0 <= end + shift < len(self._ours.ids):
                start = left + shift + _AROUND_END
                same &= self._padded[start : start + width] == self._ours.ids[end + shift]
        return same

    def _pass_extra(self, ended: Floats, window: Places, *, around: bool) -> tuple[Floats, Numbers]:
        """Add text that belongs to no sentence, between breaks; it is cheap around a document."""
        extra = np.arange(len(ended))
        edges = window.edges if around else window.breaks
        at, skipped = between(ended, window.extra, edges, edges, _EXTRA_RATE)
        ways = [(at, skipped + (_AROUND if around else _EXTRA))]
        if window.seams.any():
            ways.append(window.over_seams(ended, _EXTRA_RATE, _AROUND))
            ways.append(window.over_seam(ended))
        for at, skipped in ways:
            ended = _take_cheaper(ended, skipped, extra, at)
        return ended, extra

    def _trace(
        self,
        trail: list[tuple[str, int, tuple[Numbers | NDArray[np.int8], ...]]],
        left: int,
        right: int,
    ) -> dict[int, tuple[int, int]]:
        cuts: dict[int, tuple[int, int]] = {}
        at = right - left
        over = False  # whether an entire sentence is skipped, up to its beginning
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


def _numbered(forms: Sequence[str], numbers: dict[str, int]) -> Numbers:
    return np.fromiter((numbers.setdefault(f, len(numbers)) for f in forms), np.int64, len(forms))


def _sides(texts: Sequence[Numbers], forms: Sequence[str]) -> Iterator[_TextArrays]:
    keys: dict[str, int] = {}
    stems = _numbered([form[:4] for form in forms], keys)
    weights = np.fromiter(map(weight, forms), np.float64, len(forms))
    words = np.fromiter((form[0].isalnum() for form in forms), np.bool_, len(forms))
    for ids in texts:
        yield _TextArrays(ids, stems[ids], weights[ids], words[ids])


def _similar_forms(
    ours: Sequence[str], theirs: Sequence[str], numbers: dict[str, int]
) -> dict[int, list[int]]:
    """Return similar words that occur in only one text each, such as corrected spelling."""
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
