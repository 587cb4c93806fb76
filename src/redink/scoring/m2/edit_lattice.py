"""The lattice of MaxMatch: all minimum-cost ways to turn a source into a hypothesis.

A node ``(i, j)`` means that ``i`` tokens of the source have become ``j`` tokens of the
hypothesis. A step deletes a token, inserts one, substitutes one or leaves one unchanged. As in
the official scorer, there are two costs of a substitution: that of a deletion, or that of a
deletion and an insertion. The lattice contains the cheapest paths under either cost. A step on
cheapest paths under both costs occurs twice, and the official scorer charges its small fee for it
twice: ``copies`` counts the occurrences.

An arc merges consecutive steps into one edit with at most a few unchanged tokens. There is at most
one arc between two nodes, and its edit depends only on the two nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from rapidfuzz.distance import Indel, Levenshtein

Node = tuple[int, int]
Arc = tuple[int, int]
"""The indices of its two nodes, tail and head."""

FEE = 0.001
"""Fee that the official scorer adds to the length of an edit that is not a gold edit."""


Step = tuple[int, int, int]
"""A step out of a node: its head, 1 if it leaves a token unchanged, and its number of copies."""

# How often a node is entered, as one integer: by diagonal steps, deletions and insertions.
_DIAGONAL, _DELETION, _INSERTION = 1, 4, 16
_OFTEN = 3
_SAME = 64  # the tokens of the diagonal step are equal


class Gold(NamedTuple):
    """A gold edit in the form that MaxMatch uses."""

    start: int
    end: int
    corrections: frozenset[str]


class EditLattice:
    """Nodes in topological order, and the steps out of each node in order."""

    def __init__(self, source: Sequence[str], hypothesis: Sequence[str]) -> None:
        self.source = source
        self.hypothesis = hypothesis
        into: dict[int, int] = {0: 0}
        _add_cheapest(source, hypothesis, 1, Levenshtein.distance(source, hypothesis), into)
        _add_cheapest(source, hypothesis, 2, Indel.distance(source, hypothesis), into)
        width = len(hypothesis) + 1
        codes = sorted(into)
        self.nodes: list[Node] = [divmod(code, width) for code in codes]
        self.steps: list[list[Step]] = [[] for _ in codes]
        # sorted by the code of their node: heads ascend, so the steps out of a node are in order
        out = dict(zip(codes, self.steps, strict=True))
        for head, code in enumerate(codes):
            entered = into[code]
            if times := entered & _OFTEN:
                out[code - width - 1].append((head, 1 if entered >= _SAME else 0, times))
            if times := entered >> 2 & _OFTEN:
                out[code - width].append((head, 0, times))
            if times := entered >> 4 & _OFTEN:
                out[code - 1].append((head, 0, times))

    @cached_property
    def numbers(self) -> dict[Node, int]:
        """Map nodes to their indices."""
        return {node: number for number, node in enumerate(self.nodes)}

    def text(self, tail: int, head: int) -> str:
        """Return the hypothesis tokens between two nodes."""
        return " ".join(self.hypothesis[self.nodes[tail][1] : self.nodes[head][1]])

    def edit(self, tail: int, head: int) -> tuple[int, int, str]:
        """Return the source span and the correction of an arc."""
        return self.nodes[tail][0], self.nodes[head][0], self.text(tail, head)


def _add_cheapest(  # noqa: C901, PLR0912, PLR0915 (a branch for every way to take a step)
    source: Sequence[str],
    hypothesis: Sequence[str],
    substitution: int,
    cost: int,
    into: dict[int, int],
) -> None:
    """Add the steps of all minimum-cost paths to the counts of how often a node is entered.

    A node is coded as ``i * (width + 1) + j``. The search goes backwards from the end, with the
    cost of the path so far. If two tokens are equal, the diagonal step is always on a cheapest
    path; any other step is on one if its tail can be reached with the remaining cost.
    """
    reach, zero = _reach(source, hypothesis, substitution, cost)
    width = len(hypothesis) + 1
    i, j = len(source), len(hypothesis)
    stack = [(i, j, cost)]
    seen = {i * width + j}
    agreed = 0
    while stack:
        i, j, left = stack.pop()
        if not left:  # from here back to the beginning both sides are equal: there is one path
            for number in range(agreed + 1, i + 1):
                code = number * (width + 1)
                into[code] = into.get(code, _SAME) + _DIAGONAL
            agreed = max(agreed, i)
            continue
        code = i * width + j
        place = zero + i - j
        rows = reach[left - 1]
        # deletions and insertions enter a node only up to here; beyond, tokens are equal and
        # there is only one path
        last = max(rows[place - 1] + 1, rows[place + 1])
        was_seen = False
        while i > last and i and j and source[i - 1] == hypothesis[j - 1] and not was_seen:
            into[code] = into.get(code, _SAME) + _DIAGONAL
            i -= 1
            j -= 1
            code -= width + 1
            was_seen = code in seen
            seen.add(code)
        if was_seen:
            continue
        entered = into.get(code, 0)
        if i and j:
            remains = left
            if source[i - 1] == hypothesis[j - 1]:
                entered |= _SAME
            else:
                remains -= substitution
                if remains >= 0 and reach[remains][place] < i - 1:
                    remains = -1
            if remains >= 0:
                entered += _DIAGONAL
                tail = code - width - 1
                if tail not in seen:
                    seen.add(tail)
                    stack.append((i - 1, j - 1, remains))
        if i and rows[place - 1] >= i - 1:
            entered += _DELETION
            tail = code - width
            if tail not in seen:
                seen.add(tail)
                stack.append((i - 1, j, left - 1))
        if j and rows[place + 1] >= i:
            entered += _INSERTION
            tail = code - 1
            if tail not in seen:
                seen.add(tail)
                stack.append((i, j - 1, left - 1))
        into[code] = entered


def _reach(
    source: Sequence[str], hypothesis: Sequence[str], substitution: int, cost: int
) -> tuple[list[list[int]], int]:
    """Return, for every cost and diagonal ``i - j``, the last row reached (Ukkonen, 1985).

    Costs are non-decreasing along a diagonal, so the result determines the cost of every node. Only
    diagonals from which the end can be reached with the remaining cost are followed. The second
    value is the index of diagonal 0; a diagonal that cannot be reached has -2.
    """
    length, width = len(source), len(hypothesis)
    slant = length - width
    low, high = -((cost - slant) // 2), (slant + cost) // 2
    zero = 1 - low
    nowhere = [-2] * (high - low + 3)
    reach: list[list[int]] = []
    for price in range(cost + 1):
        rows = nowhere.copy()
        before = reach[price - 1] if price else nowhere
        far_before = reach[price - substitution] if price >= substitution else nowhere
        left = cost - price
        for diagonal in range(max(-price, slant - left), min(price, slant + left) + 1):
            place = zero + diagonal
            i = before[place - 1] + 1  # by a deletion
            i = max(i, before[place + 1], far_before[place] + 1)  # by an insertion or substitution
            if i < 0:
                if price:
                    continue
                i = 0
            last = min(length, width + diagonal)
            if i >= last:
                rows[place] = last
                continue
            j = i - diagonal
            while i < last and source[i] == hypothesis[j]:
                i += 1
                j += 1
            rows[place] = i
        reach.append(rows)
    return reach, zero


def reward_gold(
    lattice: EditLattice,
    golds: Sequence[Gold],
    arcs: dict[tuple[int, int], list[tuple[Arc, int]]],
    reward: float,
) -> dict[Arc, float]:
    """Return the weights of arcs that are changed by gold edits.

    Args:
        lattice: the lattice of the arcs.
        golds: one annotator's edits, in file order.
        arcs: for every span of a gold edit, its arcs with their lengths, as often as the
            official scorer lists them.
        reward: the weight of an arc that is a gold edit.
    """
    by_span: dict[tuple[int, int], list[Gold]] = {}
    for gold in golds:
        by_span.setdefault((gold.start, gold.end), []).append(gold)
    weights: dict[Arc, float] = {}
    for span, alike in by_span.items():
        listed = arcs.get(span)
        if not listed:
            continue
        if span[0] == span[1]:
            _reward_insertions(lattice, alike, sorted(listed), reward, weights)
            continue
        right = frozenset().union(*(gold.corrections for gold in alike))
        for arc, _ in listed:
            if lattice.text(*arc) in right:
                weights[arc] = reward
    return weights


def _reward_insertions(
    lattice: EditLattice,
    golds: Sequence[Gold],
    listed: Sequence[tuple[Arc, int]],
    reward: float,
    weights: dict[Arc, float],
) -> None:
    """Charge or reward the insertions at one position, in the official scorer's order.

    The official scorer iterates over the arcs from both ends alternately, and over the gold edits
    in the same way. An arc that matches uses up its gold edit, and its side continues with the arcs
    that follow it. Every other arc that is visited or skipped pays the fee.
    """
    weights |= {arc: float(length) for arc, length in listed}
    arcs = [arc for arc, _ in listed]
    left, right = 0, len(arcs) - 1
    first, last = 0, len(golds) - 1
    place = left
    while left <= right:
        arc = arcs[place]
        from_left = place == left
        order = range(first, last + 1) if from_left else range(last, first - 1, -1)
        text = lattice.text(*arc)
        match = next((number for number in order if text in golds[number].corrections), None)
        if match is None:
            weights[arc] += FEE
            left, right = (left + 1, right) if from_left else (left, right - 1)
            place = right if from_left else left
            continue
        weights[arc] = reward
        if from_left:
            first, left = match + 1, left + 1
            while left < len(arcs) and arcs[left][0] != arc[1]:
                weights[arcs[left]] += FEE
                left += 1
            place = left
        else:
            last, right = match - 1, right - 1
            while right >= 0 and arcs[right][1] != arc[0]:
                weights[arcs[right]] += FEE
                right -= 1
            place = right
