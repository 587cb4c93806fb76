"""All cheapest alignments of a sentence with its correction, in ChERRANT's order.

As for English: insertions and deletions cost 1, a replacement the less the more alike two tokens
are, a new order of touching tokens one less than their number, and equal tokens always match. Here
every way that costs the least counts, not the first alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from itertools import accumulate

from redink.analysis.align import Step
from redink.analysis.analyzer import Tokens
from redink.analysis.chinese.characters import Likeness

_ONE_SUFFICES = 10
"""Where the lengths differ by more, only the first alignment is looked at, as in the original."""
MOST_STEPS = 3_000_000
"""So many steps of alignments are looked at and no more; their number grows exponentially."""

_MATCH, _SUBSTITUTE, _INSERT, _DELETE = 1, 2, 4, 8
_TRANSPOSE = 16
"""An operation is a bit; a transposition of n tokens is n times this, beside the bits."""

Alignment = tuple[Step, ...]
"""Every step from left to right, matches (``M``) included."""


def cheapest_alignments(
    source: Tokens, corrected: Tokens, likeness: Likeness, *, first: bool = False
) -> Iterator[Alignment]:
    """The alignments that cost the least.

    Args:
        source: the sentence as written.
        corrected: the same after correction.
        likeness: what a replacement costs.
        first: the first of them alone.
    """
    alone = first or abs(len(source) - len(corrected)) > _ONE_SUFFICES
    height, width = len(source), len(corrected)
    path: _Path = None
    # equal tokens match, so that nothing depends on a common end
    while height and width and source[height - 1] == corrected[width - 1]:
        height, width = height - 1, width - 1
        path = (Step("M", height, height + 1, width, width + 1), path)
    operations = _work_out(source[:height], corrected[:width], likeness)
    # a place that is still to be left, and the steps that lead from it to the end
    waiting: list[tuple[int, int, _Path]] = [(height, width, path)]
    found, most = 0, MOST_STEPS // (len(source) + len(corrected) + 1) + 1
    while waiting and found < most:
        i, j, path = waiting.pop()
        while i or j:
            choices = _choices(operations[i][j], i, j)
            step = choices[0]
            if not alone:
                # the first of them is followed first
                waiting.extend(
                    (other.start, other.to_start, (other, path)) for other in choices[:0:-1]
                )
            i, j, path = step.start, step.to_start, (step, path)
        found += 1
        yield tuple(_unroll(path))
        if alone:
            return


_Path = tuple[Step, "_Path"] | None


def _unroll(path: _Path) -> Iterator[Step]:
    while path is not None:
        step, path = path
        yield step


def _choices(operations: int, i: int, j: int) -> list[Step]:
    """The steps that lead to a place at least cost, in the original's order."""
    if operations == _MATCH:
        return [Step("M", i - 1, i, j - 1, j)]
    steps = []
    tokens = operations // _TRANSPOSE
    if tokens:
        steps.append(Step("T", i - tokens, i, j - tokens, j))
    if operations & _SUBSTITUTE:
        steps.append(Step("S", i - 1, i, j - 1, j))
    if operations & _INSERT:
        steps.append(Step("I", i, i, j - 1, j))
    if operations & _DELETE:
        steps.append(Step("D", i - 1, i, j, j))
    return steps


def _work_out(source: Tokens, corrected: Tokens, likeness: Likeness) -> list[list[int]]:
    """The operations that lead to each place ``(i, j)`` at the least cost.

    A transposition has the same tokens on both sides. Let every token have a number, large and
    random, and a place the sum of the source's numbers before it less those of the correction:
    two places of a diagonal with one sum have the same tokens between them. ``starts`` has for
    each diagonal the last place of each sum. It forgets them where the cost stays as it is from
    one place of the diagonal to the next, for there the original stops looking.
    """
    height, width = len(source), len(corrected)
    cost_of = likeness.cost
    before, after = _sums(source), _sums(corrected)
    starts: list[dict[int, int]] = [{} for _ in range(height + width)]
    costs = [[float(j) for j in range(width + 1)]]
    operations = [[_INSERT] * (width + 1)]
    for i, token in enumerate(source):
        above = costs[i]
        row, done = [i + 1.0], [_DELETE]
        left, corner = row[0], above[0]
        for j, other in enumerate(corrected):
            upper = above[j + 1]
            known = starts[j - i + height - 1]
            if token == other:
                cost, operation = corner, _MATCH
            else:
                replaced, inserted, deleted = corner + cost_of(token, other), left + 1, upper + 1
                cost = min(replaced, inserted, deleted)
                start = known.get(before[i + 1] - after[j + 1])
                moved = cost + 1 if start is None else costs[start][j - i + start] + (i - start)
                cost = min(cost, moved)
                operation = (
                    (moved == cost and start is not None and (i + 1 - start) * _TRANSPOSE)
                    + (replaced == cost and _SUBSTITUTE)
                    + (inserted == cost and _INSERT)
                    + (deleted == cost and _DELETE)
                )
            if cost == corner:
                known.clear()
            else:
                known[before[i] - after[j]] = i
            row.append(cost)
            done.append(operation)
            left, corner = cost, upper
        costs.append(row)
        operations.append(done)
    return operations


def _sums(tokens: Tokens) -> list[int]:
    return [0, *accumulate(map(_number, tokens))]


@cache
def _number(token: str) -> int:
    return int.from_bytes(blake2b(token.encode(errors="surrogatepass"), digest_size=8).digest())
