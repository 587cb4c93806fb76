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
    GAP,
    MISMATCH,
    MOVES,
    Tokens,
    count_column,
    remaining_costs,
)
from redink.scoring.imeasure.counting import ColumnCounts
from redink.scoring.imeasure.lattice import Lattice

Plane = NDArray[np.int64]
Cell = tuple[int, int]
Counts = tuple[int, ...]
State = tuple[tuple[Cell, int, Counts], ...]
"""The cells where the path may have entered a plane: their costs and counts, from the first's."""

_ALONE = 2 * GAP
_UNREACHED = 1 << 40
_NOTHING: Counts = (0,) * len(ColumnCounts._fields)
# Islands with fewer words between them are one, unless it would have more alternatives.
_APART = 2
_TOGETHER = 8


def possible_counts(
    source: Tokens, hypothesis: Tokens, lattice: Lattice
) -> frozenset[ColumnCounts]:
    """The counts of the published program's alignment for every reference of a lattice."""
    lattice = lattice.coarser(run=_APART, alternatives=_TOGETHER)
    runs, islands = lattice.runs, lattice.islands
    first = _Trail(_Pair(source, hypothesis))
    first.follow(runs[0])
    trails = [(first, {_NOTHING})]
    for number, island in enumerate(islands, start=1):
        ahead = _words(lattice, number)
        later = len(runs[number - 1]) // 2
        merged: dict[State, tuple[list[_Trail], set[Counts]]] = {}
        for trail, pasts in trails:
            branches = [trail.fork(alternative + runs[number]) for alternative in island]
            level = len(trail.words) - later
            cells = set[Cell]().union(
                *(b.cells_that_matter(level, ahead, lattice.left[number]) for b in branches)
            )
            state, added = trail.state_at(level, cells)
            if state not in merged:
                merged[state] = [branch.cut(level, state) for branch in branches], set()
            merged[state][1].update(_plus(past, added) for past in pasts)
        trails = [(branch, pasts) for branches, pasts in merged.values() for branch in branches]
    return frozenset(
        ColumnCounts(*_plus(past, counts))
        for trail, pasts in trails
        for counts in [trail.counts_to_end()]
        for past in pasts
    )


def _words(lattice: Lattice, number: int) -> frozenset[str]:
    """Every word that a reference may have after a run."""
    words = {w for island in lattice.islands[number:] for tokens in island for w in tokens}
    return frozenset(words.union(*lattice.runs[number + 1 :]))


def _plus(first: Sequence[int], second: Sequence[int]) -> Counts:
    return tuple([a + b for a, b in zip(first, second, strict=True)])


def _minus(first: Sequence[int], second: Sequence[int]) -> Counts:
    return tuple([a - b for a, b in zip(first, second, strict=True)])


class _Pair:
    """Source and hypothesis, and the cells in which they can be at the same time.

    A path that leaves the best alignment of the two far behind is not the cheapest, whatever the
    reference. Let the three pairs cost *sh*, *sr* and *hr* when aligned apart, and *sr* <= *hr*;
    the other case is alike. Aligning hypothesis and reference as their alignments with the source
    say costs at most *sh* + *sr* for that pair (costs obey the triangle inequality), so the three
    together cost at most *sh* + *sr* + (*sh* + *sr*) <= *sh* + *sr* + *hr* + *sh*. Hence a cell
    matters only if aligning source and hypothesis through it costs at most 2 *sh*. Such cells lie
    near a diagonal, and a plane is kept by diagonals: row ``d``, column ``i`` is the cell of
    ``i`` source words and ``i + d + lowest`` hypothesis words.
    """

    def __init__(self, source: Tokens, hypothesis: Tokens) -> None:
        self.source, self.hypothesis = source, hypothesis
        onwards = np.array(remaining_costs(source, hypothesis))
        so_far = np.array(remaining_costs(source[::-1], hypothesis[::-1]))[::-1, ::-1]
        through = onwards + so_far
        near = through <= 2 * onwards[0, 0]
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
        # the words that were used last to get into a cell
        last_source = np.array([-2, *self.source_words])[None, :]
        self.numbers = numbers
        self.last_hypothesis = of_hypothesis[self.places]
        self.last_source = last_source
        self.substitutions = np.where(last_source == self.last_hypothesis, 0, MISMATCH)
        self.along = np.cumsum(self.substitutions + _ALONE, axis=1)

    def against(self, word: str, start: int) -> tuple[Plane, Plane]:
        """What a word of the reference costs beside the last words of source and hypothesis."""
        number = self.numbers.get(word, -3)
        return (
            np.where(self.last_source[:, start:] == number, 0, MISMATCH),
            np.where(self.last_hypothesis[:, start:] == number, 0, MISMATCH),
        )

    def close(self, plane: Plane, start: int) -> Plane:
        """The plane after any further words of source and hypothesis that face gaps."""
        along = self.along[:, start:]
        plane -= along
        np.minimum.accumulate(plane, axis=1, out=plane)
        if len(plane) > 1:
            # passes to higher diagonals (hypothesis words alone), to lower ones (source words
            # alone) and so on, until a pass changes nothing
            higher = along[:-1] - along[1:] + _ALONE
            lower = along[1:, :-1] - along[:-1, 1:] + _ALONE
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
        plane[~self.open[:, start:]] = _UNREACHED
        return plane

    def change(self, cell: Cell, ahead: frozenset[str], start: int) -> Plane:
        """What it may cost at most to turn what follows any cell into what follows this one."""
        source, hypothesis = self.source, self.hypothesis
        costs = _taken(source, hypothesis, cell, ahead)
        costs += _taken(hypothesis, source, cell[::-1], ahead).T
        places = self.places[:, start:]
        return costs[np.arange(start, len(source) + 1)[None, :], places]


def _taken(words: Tokens, others: Tokens, cell: Cell, ahead: frozenset[str]) -> Plane:
    """The most it costs to make ``words`` begin where the cell says, from any cell.

    A word that is taken out parts at most a match with the reference and a match with the other
    text; that match is no loss where its other word is taken out too.
    """
    position, other_position = cell
    taken = words[:position]
    parted, spared = GAP, GAP - MISMATCH
    places = np.arange(len(others) + 1)
    last_place = {word: place for place, word in enumerate(others)}
    last_taken_place = {word: place for place, word in enumerate(others[:other_position])}
    last = np.array([last_place.get(word, -1) for word in taken], int)[:, None]
    last_taken = np.array([last_taken_place.get(word, -1) for word in taken], int)[:, None]
    costs = np.where(last_taken >= places, 0, spared)
    costs = np.where(last >= np.maximum(places, other_position), parted, costs)
    costs += np.array([parted if word in ahead else spared for word in taken], int)[:, None]
    result = np.empty((len(words) + 1, len(others) + 1), int)
    result[:position] = costs[::-1].cumsum(axis=0)[::-1]
    result[position:] = (np.arange(len(words) + 1 - position) * _ALONE)[:, None]
    return result


class _Trail:
    """The planes from a state onwards, while words of one reference are used.

    A plane begins at the source word ``start``: what lies before is behind all cells of the state.
    """

    def __init__(self, pair: _Pair) -> None:
        self.pair = pair
        self.start = 0
        self.entries: dict[Cell, Counts] = {(0, 0): _NOTHING}
        plane = np.full(pair.open.shape, _UNREACHED)
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
            plane = before + _ALONE
            both = substitutions + with_source + with_hypothesis
            _lower(plane[:, 1:], before[:, :-1] + both[:, 1:])
            _lower(plane[1:], before[:-1] + (with_hypothesis[1:] + _ALONE))
            _lower(plane[:-1, 1:], before[1:, :-1] + (with_source[:, 1:] + _ALONE))
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
            (cell, cost - first_cost, _minus(counts, first_counts))
            for cell, (cost, counts) in reached.items()
        )
        return state, first_counts

    def cells_that_matter(self, level: int, ahead: frozenset[str], left: int) -> set[Cell]:
        """Where a path that is cheapest in the end can have entered an earlier plane.

        ``ahead`` are the words that references may still have, ``left`` how many words the
        source still has where references and source go together.
        """
        plane = self.planes[-1]
        kept = plane < _UNREACHED
        promise = plane + self.pair.remaining[:, self.start :]
        best = np.unravel_index(np.argmin(promise), plane.shape)
        usual = max(0, plane.shape[1] - 1 - left)
        for d, i in {best, (np.argmin(promise[:, usual]), usual)}:
            if kept[d, i]:
                change = self.pair.change(self._cell(int(d), int(i)), ahead, self.start)
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
            return _UNREACHED
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
        both[:, 1:] = plane[:, 1:] == plane[:, :-1] + substitutions[:, 1:] + _ALONE
        of_source[:-1, 1:] = plane[:-1, 1:] == before[1:, :-1] + with_source[:, 1:] + _ALONE
        of_hypothesis[1:] = plane[1:] == before[:-1] + with_hypothesis[1:] + _ALONE
        source[:-1, 1:] = plane[:-1, 1:] == plane[1:, :-1] + _ALONE
        hypothesis[1:] = plane[1:] == plane[:-1] + _ALONE
        alone[:] = plane == before + _ALONE
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
        counts = [0] * len(_NOTHING)
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
        return _plus(self.entries[i, j], counts)

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
            cost = _ALONE if di + dj + dk < 3 else 0
            cost += MISMATCH * ((di & dj & (x != y)) + (di & dk & (x != z)) + (dj & dk & (y != z)))
            if here == self._cost(i - di, j - dj, level - dk) + cost:
                return di, dj, dk
        return None


def _climb(plane: Plane, steps: Plane) -> None:
    for row, below, step in zip(plane[1:], plane, steps, strict=False):
        np.minimum(row, below + step, out=row)
        np.minimum.accumulate(row, out=row)


def _descend(plane: Plane, steps: Plane) -> None:
    for row, above, step in zip(plane[-2::-1], plane[::-1], steps[::-1], strict=False):
        np.minimum(row[1:], above[:-1] + step, out=row[1:])
        np.minimum.accumulate(row, out=row)


def _lower(target: Plane, candidate: Plane) -> None:
    np.minimum(target, candidate, out=target)
