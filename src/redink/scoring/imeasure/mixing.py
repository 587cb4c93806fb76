"""Counts for all mixed references, without generating each of them.

The published program aligns source, hypothesis and each of up to 2^34 references. Here the
alignment follows the lattice of references word by word: a *plane* contains the lowest cost of
every pair of positions in source and hypothesis after a given number of reference words. After
an island, its alternatives have led to different planes. But only a few cells of a plane can still
be on the path that the program would follow, and before the next island these cells and their cost
differences usually become the same for all alternatives. Such planes have the same future, so they
are one *state*, with the counts that are possible up to it. The work grows with the number of
islands and alternatives, not with their combinations.

Which cells matter in a run of fixed words is decided one island later. (1) At the end of the next
run, an alignment of the rest after one cell can be turned into an alignment of the rest after
another by removing and inserting words, at a known cost (:meth:`TextPair.change`). A cell
that costs more than another cell and this change together cannot be on a cheapest path. (2) From
each remaining cell, the path goes back through one cell of the earlier run; no other cells of that
run matter. The result is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from redink.scoring.imeasure.gold_references import ReferenceLattice
from redink.scoring.imeasure.three_way_alignment import (
    GAP,
    MISMATCH,
    MOVES,
    ColumnCounts,
    IntArray,
    Tokens,
    count_column,
    remaining_costs,
)

Plane = NDArray[np.int64]
Cell = tuple[int, int]
Future = tuple[tuple[Tokens, ...], ...]
"""The remaining parts of the references, each with its alternatives."""

ALONE = 2 * GAP
"""The cost of a word that is aligned to a gap in both other texts."""
UNREACHED = 1 << 40


Counts = int
"""Counts of columns, or differences of counts, packed into one integer."""
State = tuple[tuple[Cell, int, Counts], ...]
"""Cells where the path may have entered a plane, with costs and counts relative to the first."""

_FIELDS = len(ColumnCounts._fields)
_BITS = 32
_LARGEST = (1 << _BITS) - 1


def possible_outcomes(source: Tokens, hypothesis: Tokens, lattice: ReferenceLattice) -> IntArray:
    """Return the distinct counts that the references of a lattice can give.

    A row has the counts of the hypothesis, then those of the source.
    """
    runs, islands = lattice.runs, lattice.islands
    pairs = [TextPair(source, hypothesis), TextPair(source, source)]
    # two alignments run in parallel: one of all three texts, one without the hypothesis
    trails = [([_Trail.begin(pair).fork(runs[0]) for pair in pairs], {0})]
    for number, island in enumerate(islands, start=1):
        alternatives = [words + runs[number] for words in island]
        future = _future(lattice, number)
        later = len(runs[number - 1]) // 2
        merged: dict[tuple[State, ...], tuple[list[list[_Trail]], set[Counts]]] = {}
        for both, pasts in trails:
            settled = [t.settle(alternatives, later, future, lattice.left[number]) for t in both]
            states = tuple(state for state, _, _ in settled)
            if states not in merged:
                branches = [list(side) for side in zip(*(b for _, _, b in settled), strict=True)]
                merged[states] = branches, set()
            added = _join(*(counts for _, counts, _ in settled))
            merged[states][1].update([past + added for past in pasts])
        trails = [(branch, pasts) for branches, pasts in merged.values() for branch in branches]
    found: set[Counts] = set()
    for both, pasts in trails:
        added = _join(*(trail.counts_to_end() for trail in both))
        found.update([past + added for past in pasts])
    return np.array([_unpack(counts, 2 * _FIELDS) for counts in found])


def _join(counts: Counts, baseline: Counts) -> Counts:
    return counts + (baseline << _FIELDS * _BITS)


def _future(lattice: ReferenceLattice, number: int) -> Future:
    parts: list[tuple[Tokens, ...]] = []
    for island, run in zip(lattice.islands[number:], lattice.runs[number + 1 :], strict=True):
        parts += [island, (run,)]
    return tuple(parts)


def _pack(counts: Sequence[int]) -> Counts:
    """Pack counts into one integer, which makes adding and storing them cheap."""
    return sum(count << place * _BITS for place, count in enumerate(counts))


def _unpack(packed: Counts, fields: int) -> list[int]:
    return [packed >> place * _BITS & _LARGEST for place in range(fields)]


def width(source: Tokens, hypothesis: Tokens) -> float:
    """Return the number of cells of a plane that matter, per word of the source."""
    return float(_near(source, hypothesis)[1].sum() / (len(source) + 1))


def _near(source: Tokens, hypothesis: Tokens) -> tuple[Plane, NDArray[np.bool_]]:
    """Return the remaining cost from each cell, and which cells can matter."""
    onwards = np.array(remaining_costs(source, hypothesis))
    so_far = np.array(remaining_costs(source[::-1], hypothesis[::-1]))[::-1, ::-1]
    return onwards, onwards + so_far <= 2 * onwards[0, 0]


class TextPair:
    """Source and hypothesis, and the pairs of positions that an alignment can go through.

    A path far from the best alignment of the two is not the cheapest, whatever the reference. Let
    the three pairs cost *sh*, *sr* and *hr* when aligned separately, and *sr* <= *hr* (the other
    case is symmetric). Aligning hypothesis and reference through their alignments with the source
    costs at most *sh* + *sr* for that pair (costs obey the triangle inequality), so the three
    together cost at most *sh* + *sr* + (*sh* + *sr*) <= *sh* + *sr* + *hr* + *sh*. Hence a cell
    matters only if aligning source and hypothesis through it costs at most 2 *sh*. Such cells are
    near a diagonal, so a plane is stored by diagonals: row ``d``, column ``i`` is the cell of
    ``i`` source words and ``i + d + lowest`` hypothesis words.
    """

    def __init__(self, source: Tokens, hypothesis: Tokens) -> None:
        self.source, self.hypothesis = source, hypothesis
        onwards, near = _near(source, hypothesis)
        rows, columns = np.nonzero(near)
        self.lowest = int((columns - rows).min())
        diagonals = np.arange(self.lowest, int((columns - rows).max()) + 1)
        i = np.arange(len(source) + 1)[None, :]
        j = i + diagonals[:, None]
        inside = (j >= 0) & (j <= len(hypothesis))
        self.places = np.where(inside, j, 0)
        """The hypothesis words used in each cell."""
        self.open = inside & near[i, self.places]
        self.remaining = onwards[i, self.places]
        numbers: dict[str, int] = {}
        self.source_words = np.array([numbers.setdefault(w, len(numbers)) for w in source], int)
        of_hypothesis = np.array([-1, *(numbers.setdefault(w, len(numbers)) for w in hypothesis)])
        # the last words used before each cell
        last_source = np.array([-2, *self.source_words])[None, :]
        self.numbers = numbers
        self.last_hypothesis = of_hypothesis[self.places]
        self.last_source = last_source
        self.substitutions = np.where(last_source == self.last_hypothesis, 0, MISMATCH)
        self.along = np.cumsum(self.substitutions + ALONE, axis=1)

    def against(self, word: str, start: int) -> tuple[Plane, Plane]:
        """Return the cost of a reference word next to the last words of source and hypothesis."""
        number = self.numbers.get(word, -3)
        return (
            np.where(self.last_source[:, start:] == number, 0, MISMATCH),
            np.where(self.last_hypothesis[:, start:] == number, 0, MISMATCH),
        )

    def close(self, plane: Plane, start: int) -> Plane:
        """Return the plane after further words of source and hypothesis aligned to gaps."""
        along = self.along[:, start:]
        plane -= along
        np.minimum.accumulate(plane, axis=1, out=plane)
        if len(plane) > 1:
            # passes alternate between higher diagonals (hypothesis words only) and lower ones
            # (source words only) until a pass changes nothing
            higher = along[:-1] - along[1:] + ALONE
            lower = along[1:, :-1] - along[:-1, 1:] + ALONE
            while True:
                _climb(plane, higher)
                before = plane.copy()
                _descend(plane, lower)
                if np.array_equal(plane, before):
                    break
                before = plane.copy()
                _climb(plane, higher)
                if np.array_equal(plane, before):
                    break
        plane += along
        plane[~self.open[:, start:]] = UNREACHED
        return plane

    def change(self, cell: Cell, future: Future, start: int) -> Plane:
        """Return the maximum cost of turning the rest after any cell into the rest after this one.

        Words that follow only the other cell are removed from the alignment: a match that is
        separated costs a gap, anything else saves at least a mismatch for a gap. The number of
        matches is at most the length of the longest common subsequence. Between source and
        hypothesis, a match costs nothing if both its words are removed; and words removed from one
        text cannot match the rest of the other while words removed from the other do the same.
        """
        i, j = cell
        source, hypothesis = self.source[:i], self.hypothesis[:j]
        rest_of_source, rest_of_hypothesis = self.source[i:], self.hypothesis[j:]
        with_source = _fit(_saved(longest_common(source, future)), len(self.source))
        with_hypothesis = _fit(_saved(longest_common(hypothesis, future)), len(self.hypothesis))
        to_hypothesis = longest_common(source, ((rest_of_hypothesis,),))
        to_source = longest_common(hypothesis, ((rest_of_source,),))
        places = self.places[:, start:]
        between = GAP * np.maximum(
            _stay(to_hypothesis, len(self.source))[None, start:],
            _stay(to_source, len(self.hypothesis))[places],
        )
        source_only = _fit(_saved(to_hypothesis), len(self.source))[None, start:]
        hypothesis_only = _fit(_saved(to_source), len(self.hypothesis))[places]
        rows = np.arange(start, len(self.source) + 1)[None, :]
        both_behind = (rows < i) & (places < j)
        costs = with_source[None, start:] + with_hypothesis[places]
        return costs + np.where(both_behind, between, source_only + hypothesis_only)


@lru_cache(maxsize=4096)
def longest_common(words: Tokens, future: Future) -> Plane:
    """Return the longest common subsequence of every suffix of ``words`` with any continuation.

    A continuation takes one of the alternatives of each part of ``future``.
    """
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    longest = np.zeros(len(words) + 1, int)
    for alternatives in reversed(future):
        results = []
        for alternative in alternatives:
            result = longest
            for word in reversed(alternative):
                if word in places:
                    at = np.array(places[word])
                    longer = result.copy()
                    longer[at] = result[at + 1] + 1
                    result = np.maximum.accumulate(longer[::-1])[::-1]
            results.append(result)
        longest = np.maximum.reduce(results)
    return longest


def _saved(matches: Plane) -> Plane:
    """Return the maximum cost of removing the words of each suffix from an alignment."""
    count = np.arange(len(matches) - 1, -1, -1)
    return matches * GAP + (count - matches) * (GAP - MISMATCH)


def _fit(costs: Plane, length: int) -> Plane:
    """Return the costs for words before a position, and of inserting words after it."""
    behind = len(costs) - 1
    return np.concatenate([costs[:-1], np.arange(length + 1 - behind) * GAP])


def _stay(matches: Plane, length: int) -> Plane:
    return np.concatenate([matches, np.zeros(length + 1 - len(matches), int)])


def _climb(plane: Plane, steps: Plane) -> None:
    for row, below, step in zip(plane[1:], plane, steps, strict=False):
        np.minimum(row, below + step, out=row)
        np.minimum.accumulate(row, out=row)


def _descend(plane: Plane, steps: Plane) -> None:
    for row, above, step in zip(plane[-2::-1], plane[::-1], steps[::-1], strict=False):
        np.minimum(row[1:], above[:-1] + step, out=row[1:])
        np.minimum.accumulate(row, out=row)


@dataclass(frozen=True)
class _Trail:
    """The planes that follow a state, while words of one reference are used.

    A plane begins at the source word ``start``, which no cell of the state is before.
    """

    pair: TextPair
    start: int
    entries: dict[Cell, Counts]
    planes: list[Plane]
    words: list[str]

    @classmethod
    def begin(cls, pair: TextPair) -> _Trail:
        plane = np.full(pair.open.shape, UNREACHED)
        plane[-pair.lowest, 0] = 0
        return cls(pair, 0, {(0, 0): 0}, [pair.close(plane, 0)], [])

    def fork(self, words: Tokens) -> _Trail:
        other = replace(self, planes=list(self.planes), words=list(self.words))
        other.follow(words)
        return other

    def settle(
        self, alternatives: Sequence[Tokens], later: int, future: Future, left: int
    ) -> tuple[State, Counts, list[_Trail]]:
        """Continue with every alternative, and begin again ``later`` words before this trail ends.

        Returns:
            The new state, the counts to add to its past, and a trail from it for every
            alternative.
        """
        level = len(self.words) - later
        branches = [self.fork(words) for words in alternatives]
        cells: set[Cell] = set()
        cells = cells.union(*(b.cells_that_matter(level, future, left) for b in branches))
        state, added = self.state_at(level, cells)
        return state, added, [branch.cut(level, state) for branch in branches]

    def cut(self, level: int, state: State) -> _Trail:
        """Return this trail, beginning with a state ``level`` words later."""
        entries = {cell: counts for cell, _, counts in state}
        start = min(i for i, _ in entries)
        planes = [plane[:, start - self.start :] for plane in self.planes[level:]]
        return _Trail(self.pair, start, entries, planes, self.words[level:])

    def follow(self, words: Tokens) -> None:
        substitutions = self.pair.substitutions[:, self.start :]
        for word in words:
            before = self.planes[-1]
            with_source, with_hypothesis = self.pair.against(word, self.start)
            plane = before + ALONE
            both = substitutions + with_source + with_hypothesis
            for target, candidate in (
                (plane[:, 1:], before[:, :-1] + both[:, 1:]),
                (plane[1:], before[:-1] + (with_hypothesis[1:] + ALONE)),
                (plane[:-1, 1:], before[1:, :-1] + (with_source[:, 1:] + ALONE)),
            ):
                np.minimum(target, candidate, out=target)
            self.planes.append(self.pair.close(plane, self.start))
            self.words.append(word)

    def counts_to_end(self) -> Counts:
        """Return the counts of the path that ends where source, hypothesis and reference end."""
        end = len(self.pair.source), len(self.pair.hypothesis)
        counts = self._counts_to(end, len(self.words))
        assert counts is not None
        return counts

    def state_at(self, level: int, cells: set[Cell]) -> tuple[State, Counts]:
        reached: dict[Cell, tuple[int, Counts]] = {}
        for cell in sorted(cells):
            counts = self._counts_to(cell, level)
            if counts is not None:
                reached[cell] = self._cost(*cell, level), counts
        first_cost, first_counts = next(iter(reached.values()))
        state = tuple(
            (cell, cost - first_cost, counts - first_counts)
            for cell, (cost, counts) in reached.items()
        )
        return state, first_counts

    def cells_that_matter(self, level: int, future: Future, left: int) -> set[Cell]:
        """Return the cells where a path that may be the cheapest can have entered an earlier plane.

        ``left`` is the number of source words left where references and source coincide.
        """
        plane = self.planes[-1]
        matters = plane < UNREACHED
        promise = plane + self.pair.remaining[:, self.start :]
        best = np.unravel_index(np.argmin(promise), plane.shape)
        usual = max(0, plane.shape[1] - 1 - left)
        for d, i in {(int(best[0]), int(best[1])), (int(promise[:, usual].argmin()), usual)}:
            if matters[d, i]:
                change = self.pair.change(self._cell(d, i), future, self.start)
                matters &= plane <= plane[d, i] + change
        if self.words:
            matters &= self._entered_from_below()
            cells = {self._cell(d, i) for d, i in zip(*np.nonzero(matters), strict=True)}
        else:
            cells = {cell for cell in self.entries if matters[self._index(*cell)]}
        for current in range(len(self.words), level, -1):
            below = (self._entry_of_path(cell, current) for cell in cells)
            stepped = (self._step_down(cell, current) for cell in below if cell is not None)
            cells = {cell for cell in stepped if cell is not None}
        entered = (self._entry_of_path(cell, level) for cell in cells)
        return {cell for cell in entered if cell is not None}

    def _cell(self, d: int, i: int) -> Cell:
        return int(i) + self.start, int(i + d) + self.start + self.pair.lowest

    def _index(self, i: int, j: int) -> Cell:
        return j - i - self.pair.lowest, i - self.start

    def _cost(self, i: int, j: int, level: int) -> int:
        d = j - i - self.pair.lowest
        plane = self.planes[level]
        if not (0 <= d < len(plane) and self.start <= i):
            return UNREACHED
        return int(plane[d, i - self.start])

    def _entered_from_below(self) -> NDArray[np.bool_]:
        """Return where the last word of the reference is in the last column of the path."""
        plane, before = self.planes[-1], self.planes[-2]
        with_source, with_hypothesis = self.pair.against(self.words[-1], self.start)
        substitutions = self.pair.substitutions[:, self.start :]
        equal = [np.zeros(plane.shape, bool) for _ in MOVES]
        all_three, both, of_source, of_hypothesis, source, hypothesis, alone = equal
        triple = substitutions + with_source + with_hypothesis
        all_three[:, 1:] = plane[:, 1:] == before[:, :-1] + triple[:, 1:]
        both[:, 1:] = plane[:, 1:] == plane[:, :-1] + substitutions[:, 1:] + ALONE
        of_source[:-1, 1:] = plane[:-1, 1:] == before[1:, :-1] + with_source[:, 1:] + ALONE
        of_hypothesis[1:] = plane[1:] == before[:-1] + with_hypothesis[1:] + ALONE
        source[:-1, 1:] = plane[:-1, 1:] == plane[1:, :-1] + ALONE
        hypothesis[1:] = plane[1:] == plane[:-1] + ALONE
        alone[:] = plane == before + ALONE
        unforced = of_source | of_hypothesis | (alone & ~source & ~hypothesis)
        entered: NDArray[np.bool_] = all_three | (unforced & ~both)
        return entered

    def _entry_of_path(self, cell: Cell, level: int) -> Cell | None:
        """Return the cell where the path to a cell entered its plane; None if irrelevant."""
        i, j = cell
        while not (level == 0 and (i, j) in self.entries):
            move = self._move(i, j, level)
            if move is None:
                return None
            if move[2]:
                break
            i, j = i - move[0], j - move[1]
        return i, j

    def _step_down(self, cell: Cell, level: int) -> Cell | None:
        move = self._move(*cell, level)
        return None if move is None else (cell[0] - move[0], cell[1] - move[1])

    def _counts_to(self, cell: Cell, level: int) -> Counts | None:
        """Return the counts of the path to a cell; None if it comes from an irrelevant cell."""
        source, hypothesis = self.pair.source, self.pair.hypothesis
        counts = [0] * _FIELDS
        i, j = cell
        while not (level == 0 and (i, j) in self.entries):
            move = self._move(i, j, level)
            if move is None:
                return None
            di, dj, dk = move
            count_column(
                counts,
                source[i - 1] if di else "",
                hypothesis[j - 1] if dj else "",
                self.words[level - 1] if dk else "",
            )
            i, j, level = i - di, j - dj, level - dk
        return self.entries[i, j] + _pack(counts)

    def _move(self, i: int, j: int, level: int) -> tuple[int, int, int] | None:
        """Return the last column of the path to a cell: the first that is cheapest.

        None if the path comes from a cell that does not matter.
        """
        x = self.pair.source[i - 1] if i else None
        y = self.pair.hypothesis[j - 1] if j else None
        z = self.words[level - 1] if level else None
        here = self._cost(i, j, level)
        for di, dj, dk in MOVES:
            if di > i or dj > j or dk > level:
                continue
            cost = ALONE if di + dj + dk < 3 else 0
            cost += MISMATCH * ((di & dj & (x != y)) + (di & dk & (x != z)) + (dj & dk & (y != z)))
            if here == self._cost(i - di, j - dj, level - dk) + cost:
                return di, dj, dk
        return None
