"""The alignment of source, hypothesis and reference that the I-measure counts.

The published program fills a table of all triples of prefixes, which costs the product of three
lengths, and follows it back from the end, preferring some moves to others where several are
equally cheap. The same path is found here by visiting only what can lie on a cheapest path: a
best-first search (A*) whose estimate of the remaining cost is the sum of the three pairwise
costs. Between sentences that differ little, that is little more than the path itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from redink.scoring.imeasure.counting import ColumnCounts, Outcome

GAP = 2
MISMATCH = 3

Tokens = tuple[str, ...]
Table = list[list[int]]

# What a column takes from source, hypothesis and reference; in a tie the earlier one is taken,
# the path being followed from the end.
MOVES = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))


@lru_cache(maxsize=8192)
def remaining_costs(first: Tokens, second: Tokens) -> Table:
    """The cost of aligning what follows each pair of positions in two sentences."""
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


def substitution_costs(first: Sequence[str], second: Sequence[str]) -> NDArray[np.int64]:
    """What it costs to align each word of one sentence with each of another."""
    numbers: dict[str, int] = {}
    rows = np.array([numbers.setdefault(word, len(numbers)) for word in first], dtype=np.int64)
    columns = np.array([numbers.setdefault(word, len(numbers)) for word in second], dtype=np.int64)
    costs: NDArray[np.int64] = (rows[:, None] != columns) * MISMATCH
    return costs


def compare(source: Tokens, hypothesis: Tokens, reference: Tokens) -> Outcome:
    """What the hypothesis gives beside a reference, and what the source would."""
    counts = count_columns(source, hypothesis, reference)
    return Outcome(counts, _count_unchanged(source, reference))


@lru_cache(maxsize=8192)
def _count_unchanged(source: Tokens, reference: Tokens) -> ColumnCounts:
    # the same for all systems, so it is kept
    return count_columns(source, source, reference)


def count_columns(source: Tokens, hypothesis: Tokens, reference: Tokens) -> ColumnCounts:
    """The counts of the published program's alignment of the three."""
    # Where all three end in the same word, the last column always holds it.
    shortest = min(len(source), len(hypothesis), len(reference))
    same = 0
    while same < shortest and (source[-same - 1] == hypothesis[-same - 1] == reference[-same - 1]):
        same += 1
    if same:
        source, hypothesis, reference = source[:-same], hypothesis[:-same], reference[:-same]
    counts = ColumnCounts(*_count(source, hypothesis, reference))
    return counts._replace(tn=counts.tn + same)


def _count(source: Tokens, hypothesis: Tokens, reference: Tokens) -> list[int]:
    costs = _search(source, hypothesis, reference)
    counts = [0] * len(ColumnCounts._fields)
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
                count_column(counts, *words)
                i, j, k = i - di, j - dj, k - dk
                break
    return counts


def count_column(counts: list[int], source: str, hypothesis: str, reference: str) -> None:
    """Add a column, gaps being empty, to counts in the order of :class:`ColumnCounts`."""
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
    """The cost of reaching every cell of a cheapest path (and of some others, never too low)."""
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
