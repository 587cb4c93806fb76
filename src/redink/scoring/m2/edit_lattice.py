"""The lattice of MaxMatch: every cheapest way to turn a source into a hypothesis.

A node ``(i, j)`` means that ``i`` tokens of the source have become ``j`` tokens of the
hypothesis. A step deletes a token, inserts one, substitutes one or leaves one unchanged. Two
prices are used, as in the official scorer: a substitution costs as much as a deletion, or as
much as a deletion and an insertion; the lattice holds the cheapest ways under either. A step
that both prices have is there twice, and the official scorer charges its small fee for it twice:
``copies`` remembers that.

An arc merges consecutive steps into one edit, of which at most a few tokens are unchanged. There
is at most one arc between two nodes, and what it does to the text depends on its ends alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from rapidfuzz.distance import Indel, Levenshtein

Node = tuple[int, int]
Arc = tuple[int, int]
"""The numbers of its two nodes, tail and head."""

FEE = 0.001
"""What the official scorer adds to the length of an edit that is not a gold edit."""


Step = tuple[int, int, int]
"""A step out of a node: its head, 1 if a token is left unchanged, and how often it is there."""

# How often a node is entered, in one number: by diagonal steps, deletions and insertions.
_DIAGONAL, _DELETION, _INSERTION = 1, 4, 16
_OFTEN = 3
_SAME = 64  # the tokens of the diagonal step are equal


class Gold(NamedTuple):
    """A gold edit as MaxMatch sees it."""

    start: int
    end: int
    corrections: frozenset[str]


class EditLattice:
    """Nodes in order, and the steps out of each in order; the order of nodes is topological."""

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
        # by the code of their node: heads ascend, so the steps out of every node come out in order
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
        """The numbers of the nodes."""
        return {node: number for number, node in enumerate(self.nodes)}

    def text(self, tail: int, head: int) -> str:
        """What stands in the hypothesis between two nodes."""
        return " ".join(self.hypothesis[self.nodes[tail][1] : self.nodes[head][1]])

    def edit(self, tail: int, head: int) -> tuple[int, int, str]:
        """The span of the source and the correction that an arc makes."""
        return self.nodes[tail][0], self.nodes[head][0], self.text(tail, head)


def _add_cheapest(  # noqa: C901, PLR0912, PLR0915 (a branch for every way to take a step)
    source: Sequence[str],
    hypothesis: Sequence[str],
    substitution: int,
    cost: int,
    into: dict[int, int],
) -> None:
    """Add the steps of all ways of the least cost to how often a node is entered.

    A node is known by ``i * (width + 1) + j``. From the end backwards, with the cost of the way so
    far. Where two tokens are equal the diagonal step is always on a cheapest way; any other step is
    if its tail can be reached at what remains of the cost.
    """
    reach, zero = _reach(source, hypothesis, substitution, cost)
    width = len(hypothesis) + 1
    i, j = len(source), len(hypothesis)
    stack = [(i, j, cost)]
    seen = {i * width + j}
    agreed = 0
    while stack:
        i, j, left = stack.pop()
        if not left:  # from here back to the beginning both sides agree: there is one way
            for number in range(agreed + 1, i + 1):
                code = number * (width + 1)
                into[code] = into.get(code, _SAME) + _DIAGONAL
            agreed = max(agreed, i)
            continue
        code = i * width + j
        place = zero + i - j
        rows = reach[left - 1]
        # by a deletion or an insertion a node is entered only up to here; beyond, where tokens are
        # equal, there is no way but one
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
    """For every cost and diagonal ``i - j`` the last row that can be reached (Ukkonen, 1985).

    Along a diagonal the cost never falls, so this says of every node what it costs. Only
    diagonals from which the end can be reached at what is left of the cost are followed. The
    second value is the place of diagonal 0; a diagonal that cannot be reached has -2.
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
    """The weights of arcs that the gold edits change.

    Args:
        lattice: where the arcs lie.
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
    """Charge or reward the insertions at one place, as the official scorer goes through them.

    It goes through the arcs from both ends in turns, and through the gold edits in the same way; an
    arc that matches takes its gold edit away and its side goes on with the arcs that continue it.
    Every other arc it looks at or skips pays the fee.
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
