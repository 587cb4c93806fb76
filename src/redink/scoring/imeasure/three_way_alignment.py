"""The alignment of source, hypothesis and reference that the I-measure counts.

The alignment gives columns of three words (or gaps). A column says whether the reference changes
the source and whether the hypothesis does, so it is a true or false positive or negative. If both
change it, but differently, detection has a true positive; correction has a false positive and a
false negative at once (``fpn``).

The published program fills a table of all triples of prefixes, which costs the product of three
lengths, and follows it back from the end, preferring some moves to others where several are
equally cheap. Here only cells that can lie on a cheapest path are visited. The alignment of three
texts costs at least as much as the alignments of the three pairs, and nearly always exactly that:
then the path is followed back by the costs of the pairs. Otherwise a best-first search (A*)
estimates the remaining cost by the sum of the three pairwise costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

GAP = 2
MISMATCH = 3

Tokens = tuple[str, ...]
IntArray = NDArray[np.int64]
Table = list[list[int]]
Move = tuple[int, int, int]

# What a column takes from source, hypothesis and reference; in a tie the earlier one is taken,
# the path being followed from the end.
MOVES = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))


class ColumnCounts(NamedTuple):
    """How many columns of an alignment are of each kind, at the level of correction.

    Attributes:
        tp: the hypothesis made the change that the reference made.
        tn: neither changed anything.
        fp: the hypothesis made a change that the reference did not make.
        fn: the hypothesis did not make the change that the reference made.
        fpn: both made a change, not the same; such a column is in ``fp`` and in ``fn`` too.
    """

    tp: int
    tn: int
    fp: int
    fn: int
    fpn: int


class ThreeWayCounts(NamedTuple):
    """The counts of the hypothesis against one reference, and those of the source."""

    counts: ColumnCounts
    baseline: ColumnCounts


@lru_cache(maxsize=8192)
def remaining_costs(first: Tokens, second: Tokens) -> Table:
    """Return the cost of aligning the rest of two sentences from each pair of positions on."""
    length = len(second)
    ramp = np.arange(length + 1) * GAP
    row = ramp[::-1].copy()
    rows = [row]
    for substitutions in substitution_costs(first, second)[::-1]:
        best = row + GAP
        np.minimum(best[:-1], row[1:] + substitutions, out=best[:-1])
        # gaps in the first sentence: the least of everything to the right, each step a gap
        row = np.minimum.accumulate((best + ramp)[::-1])[::-1] - ramp
        rows.append(row)
    return [row.tolist() for row in reversed(rows)]


def substitution_costs(first: Sequence[str], second: Sequence[str]) -> IntArray:
    """Return the cost of aligning each word of one sentence with each of another."""
    numbers: dict[str, int] = {}
    rows = np.array([numbers.setdefault(word, len(numbers)) for word in first], dtype=np.int64)
    columns = np.array([numbers.setdefault(word, len(numbers)) for word in second], dtype=np.int64)
    costs: IntArray = (rows[:, None] != columns) * MISMATCH
    return costs


def compare(source: Tokens, hypothesis: Tokens, reference: Tokens) -> ThreeWayCounts:
    """Count the columns of the hypothesis and of the source against a reference."""
    counts = count_columns(source, hypothesis, reference)
    return ThreeWayCounts(counts, _count_unchanged(source, reference))


@lru_cache(maxsize=8192)
def _count_unchanged(source: Tokens, reference: Tokens) -> ColumnCounts:
    # the same for all systems
    return count_columns(source, source, reference)


def count_columns(source: Tokens, hypothesis: Tokens, reference: Tokens) -> ColumnCounts:
    """Align the three texts as the published program does, and return the counts."""
    moves: Iterable[Move] | None = _follow_pairs((source, hypothesis, reference))
    if moves is None:
        moves = _follow_costs(source, hypothesis, reference)
    counts = [0] * len(ColumnCounts._fields)
    i, j, k = len(source), len(hypothesis), len(reference)
    for di, dj, dk in moves:
        i, j, k = i - di, j - dj, k - dk
        x = source[i] if di else ""
        y = hypothesis[j] if dj else ""
        count_column(counts, x, y, reference[k] if dk else "")
    return ColumnCounts(*counts)


class _Reach(NamedTuple):
    """How far two sentences can be aligned at what cost.

    Attributes:
        rows: for every cost and diagonal ``i - j`` the last row ``i`` that can be reached; along a
            diagonal the cost never falls.
        zero: the place of diagonal 0.
    """

    rows: list[list[int]]
    zero: int


@lru_cache(maxsize=8192)
def _reach(first: Tokens, second: Tokens) -> _Reach:
    """Ukkonen (1985); only diagonals that a cheapest alignment can touch are followed."""
    cost: int = Levenshtein.distance(first, second, weights=(GAP, GAP, MISMATCH))
    length, width = len(first), len(second)
    slant = length - width
    aside = (cost // GAP - abs(slant)) // 2
    low, high = min(0, slant) - aside, max(0, slant) + aside
    zero = 1 - low
    nowhere = [-2] * (high - low + 3)
    reach: list[list[int]] = []
    for price in range(cost + 1):
        rows = nowhere.copy()
        by_gap = reach[price - GAP] if price >= GAP else nowhere
        by_mismatch = reach[price - MISMATCH] if price >= MISMATCH else nowhere
        lower = reach[price - 1] if price else nowhere
        steps, left = price // GAP, (cost - price) // GAP
        for diagonal in range(max(-steps, slant - left), min(steps, slant + left) + 1):
            place = zero + diagonal
            i = max(by_gap[place - 1] + 1, by_gap[place + 1], by_mismatch[place] + 1, lower[place])
            if i < 0:
                if price:
                    continue
                i = 0
            last = min(length, width + diagonal)
            i = min(i, last)
            j = i - diagonal
            while i < last and first[i] == second[j]:
                i += 1
                j += 1
            rows[place] = i
        reach.append(rows)
    return _Reach(reach, zero)


_State = tuple[int, int, int, int, int, int]
"""How many words of each text are left, and the costs of the three pairs of remaining texts."""


def _follow_pairs(texts: Sequence[Tokens]) -> list[Move] | None:
    """Return the moves from the end on, if they cost no more than the three pairs."""
    source, hypothesis, reference = texts
    pairs = _reach(source, hypothesis), _reach(source, reference), _reach(hypothesis, reference)
    i, j, k = map(len, texts)
    a, b, c = (len(pair.rows) - 1 for pair in pairs)
    moves: list[Move] = []
    ways: list[tuple[int, Iterator[tuple[Move, _State]]]] = []
    tried: set[_State] = set()
    while True:
        while i and j and k and source[i - 1] == hypothesis[j - 1] == reference[k - 1]:
            # where all three end in the same word, the last column always holds it
            moves.append(MOVES[0])
            i, j, k = i - 1, j - 1, k - 1
        if not (i or j or k):
            return moves
        ways.append((len(moves), _cheap_moves(texts, pairs, (i, j, k, a, b, c))))
        while ways:
            length, following = ways[-1]
            move, state = next(following, (None, None))
            if move is None or state is None:
                ways.pop()
            elif state not in tried:
                tried.add(state)
                i, j, k, a, b, c = state
                moves[length:] = [move]
                break
        else:
            return None


def _cheap_moves(
    texts: Sequence[Tokens], pairs: Sequence[_Reach], state: _State
) -> Iterator[tuple[Move, _State]]:
    """Yield the moves that each pair can take on a cheapest path, and the states they lead to."""
    source, hypothesis, reference = texts
    (to_hypothesis, zero_a), (to_reference, zero_b), (between, zero_c) = pairs
    i, j, k, a, b, c = state
    x = source[i - 1] if i else None
    y = hypothesis[j - 1] if j else None
    z = reference[k - 1] if k else None
    for move in MOVES:
        di, dj, dk = move
        i2, j2, k2 = i - di, j - dj, k - dk
        if i2 < 0 or j2 < 0 or k2 < 0:
            continue
        # a pair that takes no step, or a step over equal words, is on a cheapest way
        a2 = a - (GAP if di != dj else MISMATCH if di and x != y else 0)
        if a2 != a and (a2 < 0 or to_hypothesis[a2][zero_a + i2 - j2] < i2):
            continue
        b2 = b - (GAP if di != dk else MISMATCH if di and x != z else 0)
        if b2 != b and (b2 < 0 or to_reference[b2][zero_b + i2 - k2] < i2):
            continue
        c2 = c - (GAP if dj != dk else MISMATCH if dj and y != z else 0)
        if c2 != c and (c2 < 0 or between[c2][zero_c + j2 - k2] < j2):
            continue
        yield move, (i2, j2, k2, a2, b2, c2)


def _follow_costs(source: Tokens, hypothesis: Tokens, reference: Tokens) -> Iterator[Move]:
    costs = _search(source, hypothesis, reference)
    i, j, k = len(source), len(hypothesis), len(reference)
    while i or j or k:
        here = costs[i, j, k]
        for di, dj, dk in MOVES:
            before = costs.get((i - di, j - dj, k - dk))
            if before is None:
                continue
            words = (
                source[i - 1] if di else "",
                hypothesis[j - 1] if dj else "",
                reference[k - 1] if dk else "",
            )
            if before + _column_cost(*words) == here:
                yield di, dj, dk
                i, j, k = i - di, j - dj, k - dk
                break


def count_column(counts: list[int], source: str, hypothesis: str, reference: str) -> None:
    """Add an aligned column to counts in the order of :class:`ColumnCounts`; a gap is empty."""
    if source == reference:
        counts[1 if source == hypothesis else 2] += 1
    elif source == hypothesis:
        counts[3] += 1
    elif hypothesis == reference:
        counts[0] += 1
    else:
        counts[2] += 1
        counts[3] += 1
        counts[4] += 1


def _column_cost(source: str, hypothesis: str, reference: str) -> int:
    return (
        _pair_cost(source, hypothesis)
        + _pair_cost(source, reference)
        + _pair_cost(hypothesis, reference)
    )


def _pair_cost(first: str, second: str) -> int:
    if first == second:
        return 0
    return MISMATCH if first and second else GAP


def _search(
    source: Tokens, hypothesis: Tokens, reference: Tokens
) -> dict[tuple[int, int, int], int]:
    """Return the cost of every cell of a cheapest path (and of others, never too low)."""
    to_hypothesis = remaining_costs(source, hypothesis)
    to_reference = remaining_costs(source, reference)
    between = remaining_costs(hypothesis, reference)
    ends = len(source), len(hypothesis), len(reference)
    costs = {(0, 0, 0): 0}
    estimate = to_hypothesis[0][0] + to_reference[0][0] + between[0][0]
    open_cells: dict[int, list[tuple[int, int, int]]] = {estimate: [(0, 0, 0)]}
    done: set[tuple[int, int, int]] = set()
    goal_seen = False
    while not goal_seen:
        # the estimate never falls along a path, so that all cells of the least one come first
        while not open_cells.get(estimate):
            estimate += 1
        pending = open_cells[estimate]
        while pending:
            cell = pending.pop()
            if cell in done:
                continue
            done.add(cell)
            if cell == ends:
                goal_seen = True
                continue
            i, j, k = cell
            here = costs[cell]
            x = source[i] if i < ends[0] else ""
            y = hypothesis[j] if j < ends[1] else ""
            z = reference[k] if k < ends[2] else ""
            xy = 0 if x == y else MISMATCH
            xz = 0 if x == z else MISMATCH
            yz = 0 if y == z else MISMATCH
            for di, dj, dk, possible, cost in (
                (1, 1, 1, x and y and z, xy + xz + yz),
                (1, 1, 0, x and y, xy + 2 * GAP),
                (1, 0, 1, x and z, xz + 2 * GAP),
                (0, 1, 1, y and z, yz + 2 * GAP),
                (1, 0, 0, x, 2 * GAP),
                (0, 1, 0, y, 2 * GAP),
                (0, 0, 1, z, 2 * GAP),
            ):
                if not possible:
                    continue
                i2, j2, k2 = i + di, j + dj, k + dk
                reached = here + cost
                following = (i2, j2, k2)
                known = costs.get(following)
                if known is None or reached < known:
                    costs[following] = reached
                    total = reached + to_hypothesis[i2][j2] + to_reference[i2][k2] + between[j2][k2]
                    open_cells.setdefault(total, []).append(following)
    return costs
