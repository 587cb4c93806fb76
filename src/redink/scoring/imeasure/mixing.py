"""The counts of every mixed reference, without making every mixed reference.

The published program aligns source, hypothesis and each of up to 2^34 references. Here the
alignment moves along the lattice of references, word by word: a *plane* holds the cheapest cost
of every pair of positions in source and hypothesis once so many words of a reference are used.
After an island, its alternatives have led to different planes. But only few cells of a plane can
still lie on the path that the program would follow, and in the words up to the next island they
soon are the same few, at the same distances, whatever the alternative. Such planes have the same
future, so they are one *state*; all that is remembered of the past is which counts were possible.
The work grows with the number of islands and alternatives, not with their combinations.

Which cells matter in a run of fixed words is decided one island later. (1) At the end of the
next run, an alignment of what follows one cell can be turned into an alignment of what follows
another by taking words out and putting words in, at a cost that is known beforehand: a pair of
equal words parted costs a gap, a pair that was no match saves at least the difference of mismatch
and gap. A cell that costs more than another cell and this change together cannot lie on a
cheapest path. (2) From each cell that is left, the path goes back through one cell of the earlier
run; no other cells of that run matter. Nothing else is forgotten, so that the result is exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from redink.scoring.imeasure.alignment import (
    MISMATCH,
    MOVES,
    Tokens,
    count_column,
)
from redink.scoring.imeasure.counting import ColumnCounts, IntArray
from redink.scoring.imeasure.lattice import Lattice
from redink.scoring.imeasure.planes import ALONE, UNREACHED, Cell, Future, Pair, lower

Counts = int
"""Counts of columns, packed; differences of counts as well."""
State = tuple[tuple[Cell, int, Counts], ...]
"""The cells where the path may have entered a plane: their costs and counts, from the first's."""

_FIELDS = len(ColumnCounts._fields)
_BITS = 32
_LARGEST = (1 << _BITS) - 1
# Islands with fewer words between them are one, unless it would have more alternatives.
_APART = 2
_TOGETHER = 8


def possible_outcomes(source: Tokens, hypothesis: Tokens, lattice: Lattice) -> IntArray:
    """What the published program finds for the references of a lattice, each outcome once.

    Returns:
        A row for every outcome: the counts of the hypothesis, then those of the source.
    """
    lattice = lattice.coarser(run=_APART, alternatives=_TOGETHER)
    runs, islands = lattice.runs, lattice.islands
    pairs = [Pair(source, hypothesis), Pair(source, source)]
    # two alignments go on side by side: that of all three, and that without the hypothesis
    trails = [([_Trail(pair).fork(runs[0]) for pair in pairs], {0})]
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


def _future(lattice: Lattice, number: int) -> Future:
    """What references may have after a run."""
    parts: list[tuple[Tokens, ...]] = []
    for island, run in zip(lattice.islands[number:], lattice.runs[number + 1 :], strict=True):
        parts += [island, (run,)]
    return tuple(parts)


def _pack(counts: Sequence[int]) -> Counts:
    """Counts as one number, which makes adding them and keeping many of them cheap."""
    return sum(count << place * _BITS for place, count in enumerate(counts))


def _unpack(packed: Counts, fields: int) -> list[int]:
    return [packed >> place * _BITS & _LARGEST for place in range(fields)]


class _Trail:
    """The planes from a state onwards, while words of one reference are used.

    A plane begins at the source word ``start``: what lies before is behind all cells of the state.
    """

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.start = 0
        self.entries: dict[Cell, Counts] = {(0, 0): 0}
        plane = np.full(pair.open.shape, UNREACHED)
        plane[-pair.lowest, 0] = 0
        self.planes = [pair.close(plane, 0)]
        self.words: list[str] = []

    def fork(self, words: Tokens) -> _Trail:
        """A trail that goes on from here with these words."""
        other = _Trail.__new__(_Trail)
        other.pair, other.start, other.entries = self.pair, self.start, self.entries
        other.planes, other.words = list(self.planes), list(self.words)
        other.follow(words)
        return other

    def settle(
        self, alternatives: Sequence[Tokens], later: int, future: Future, left: int
    ) -> tuple[State, Counts, list[_Trail]]:
        """Go on with every alternative, and begin again so many words before where this ends.

        Returns:
            The state there, what to add to the counts of its past, and a trail from it for every
            alternative.
        """
        level = len(self.words) - later
        branches = [self.fork(words) for words in alternatives]
        cells: set[Cell] = set()
        cells = cells.union(*(b.cells_that_matter(level, future, left) for b in branches))
        state, added = self.state_at(level, cells)
        return state, added, [branch.cut(level, state) for branch in branches]

    def cut(self, level: int, state: State) -> _Trail:
        """The same trail, beginning with a state so many words later."""
        other = _Trail.__new__(_Trail)
        other.pair = self.pair
        other.entries = {cell: counts for cell, _, counts in state}
        other.start = min(i for i, _ in other.entries)
        other.planes = [plane[:, other.start - self.start :] for plane in self.planes[level:]]
        other.words = self.words[level:]
        return other

    def follow(self, words: Tokens) -> None:
        """Use these words of the reference."""
        substitutions = self.pair.substitutions[:, self.start :]
        for word in words:
            before = self.planes[-1]
            with_source, with_hypothesis = self.pair.against(word, self.start)
            plane = before + ALONE
            both = substitutions + with_source + with_hypothesis
            lower(plane[:, 1:], before[:, :-1] + both[:, 1:])
            lower(plane[1:], before[:-1] + (with_hypothesis[1:] + ALONE))
            lower(plane[:-1, 1:], before[1:, :-1] + (with_source[:, 1:] + ALONE))
            self.planes.append(self.pair.close(plane, self.start))
            self.words.append(word)

    def counts_to_end(self) -> Counts:
        """The counts of the path that ends where source, hypothesis and reference end."""
        end = len(self.pair.source), len(self.pair.hypothesis)
        counts = self._counts_to(end, len(self.words))
        assert counts is not None
        return counts

    def state_at(self, level: int, cells: set[Cell]) -> tuple[State, Counts]:
        """The state of which these are the cells, and what to add to the counts of its past."""
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
        """Where a path that is cheapest in the end can have entered an earlier plane.

        ``left`` is how many words the source still has where references and source go together.
        """
        plane = self.planes[-1]
        kept = plane < UNREACHED
        promise = plane + self.pair.remaining[:, self.start :]
        best = np.unravel_index(np.argmin(promise), plane.shape)
        usual = max(0, plane.shape[1] - 1 - left)
        for d, i in {(int(best[0]), int(best[1])), (int(promise[:, usual].argmin()), usual)}:
            if kept[d, i]:
                change = self.pair.change(self._cell(d, i), future, self.start)
                kept &= plane <= plane[d, i] + change
        if self.words:
            kept &= self._entered_from_below()
            cells = {self._cell(d, i) for d, i in zip(*np.nonzero(kept), strict=True)}
        else:
            cells = {cell for cell in self.entries if kept[self._index(*cell)]}
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
        """Where the last word of the reference is in the last column of the path."""
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
        """The cell where the path to a cell entered its plane; None if that does not matter."""
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
        """The cell of the plane below from which the path entered."""
        move = self._move(*cell, level)
        return None if move is None else (cell[0] - move[0], cell[1] - move[1])

    def _counts_to(self, cell: Cell, level: int) -> Counts | None:
        """The counts of the path to a cell; None if it comes from where it does not matter."""
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
        """The last column of the path to a cell: the first in order that is cheapest.

        None where the path comes from a cell that does not matter.
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
