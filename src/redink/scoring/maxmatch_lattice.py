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
from typing import NamedTuple

from rapidfuzz.distance import Indel, Levenshtein

Node = tuple[int, int]
Arc = tuple[int, int]
"""The numbers of its two nodes, tail and head."""

FEE = 0.001
"""What the official scorer adds to the length of an edit that is no gold edit."""

_FAR = 1 << 30


class Step(NamedTuple):
    """A step out of a node."""

    head: int
    unchanged: int
    copies: int


class Gold(NamedTuple):
    """A gold edit as MaxMatch sees it."""

    start: int
    end: int
    corrections: frozenset[str]


class Lattice:
    """Nodes in order, and the steps out of each in order; the order of nodes is topological."""

    __slots__ = ("hypothesis", "nodes", "numbers", "source", "steps")

    def __init__(self, source: Sequence[str], hypothesis: Sequence[str]) -> None:
        self.source = source
        self.hypothesis = hypothesis
        into: dict[Node, dict[Node, int]] = {}
        _add_cheapest(source, hypothesis, 1, Levenshtein.distance(source, hypothesis), into)
        _add_cheapest(source, hypothesis, 2, Indel.distance(source, hypothesis), into)
        self.nodes = sorted(into)
        self.numbers = {node: number for number, node in enumerate(self.nodes)}
        self.steps: list[list[Step]] = [[] for _ in self.nodes]
        numbers = self.numbers
        # heads ascend, so the steps out of every node come out in order
        for head, node in enumerate(self.nodes):
            for tail, copies in into[node].items():
                is_diagonal = tail[0] < node[0] and tail[1] < node[1]
                same = is_diagonal and source[tail[0]] == hypothesis[tail[1]]
                self.steps[numbers[tail]].append(Step(head, int(same), copies))

    def text(self, tail: int, head: int) -> str:
        """What stands in the hypothesis between two nodes."""
        return " ".join(self.hypothesis[self.nodes[tail][1] : self.nodes[head][1]])

    def edit(self, tail: int, head: int) -> tuple[int, int, str]:
        """The span of the source and the correction that an arc makes."""
        return self.nodes[tail][0], self.nodes[head][0], self.text(tail, head)


def _add_cheapest(
    source: Sequence[str],
    hypothesis: Sequence[str],
    substitution: int,
    cost: int,
    into: dict[Node, dict[Node, int]],
) -> None:
    """Add the steps of all ways of the least cost, as the tails of every node."""
    band = _Band(source, hypothesis, substitution, cost)
    end = len(source), len(hypothesis)
    stack = [end]
    seen = {end}
    while stack:
        node = stack.pop()
        tails = into.setdefault(node, {})
        for tail in band.cheapest_tails(*node):
            tails[tail] = tails.get(tail, 0) + 1
            if tail not in seen:
                seen.add(tail)
                stack.append(tail)


class _Band:
    """The part of the matrix of edit distances that ways of the least cost can touch.

    They keep near the diagonal: ``i - j`` lies between ``low`` and ``high``. And while both sides
    agree from their beginning, the distance is simply that from the diagonal, so the rows begin
    where they stop agreeing. The place of ``(i, j)`` in its row is ``j - i + high + 1``; the ends
    of a row are far away.
    """

    __slots__ = ("agree", "high", "hypothesis", "low", "rows", "source", "substitution")

    def __init__(
        self, source: Sequence[str], hypothesis: Sequence[str], substitution: int, cost: int
    ) -> None:
        self.source, self.hypothesis = source, hypothesis
        self.substitution = substitution
        slant = len(source) - len(hypothesis)
        self.low, self.high = -((cost - slant) // 2), (slant + cost) // 2
        self.agree = 0
        for ours, theirs in zip(source, hypothesis, strict=False):
            if ours != theirs:
                break
            self.agree += 1
        self.rows = self._fill()

    def _fill(self) -> list[list[int]]:
        hypothesis, substitution, high = self.hypothesis, self.substitution, self.high
        width = len(hypothesis)
        size = high - self.low + 1
        above = [_FAR] * (size + 2)
        for place in range(1, size + 1):
            if 0 <= place - 1 - high + self.agree <= width:
                above[place] = abs(place - 1 - high)
        rows = [above]
        for i in range(self.agree + 1, len(self.source) + 1):
            row = [_FAR] * (size + 2)
            token = self.source[i - 1]
            shift = i - high - 1
            for place in range(max(1, -shift), min(size, width - shift) + 1):
                j = place + shift
                if j == 0:
                    row[place] = i
                    continue
                best = above[place] if token == hypothesis[j - 1] else above[place] + substitution
                other = above[place + 1] + 1
                if other < best:  # noqa: PLR1730 (min() takes three times as long here)
                    best = other
                other = row[place - 1] + 1
                row[place] = other if other < best else best  # noqa: FURB136 (likewise)
            rows.append(row)
            above = row
        return rows

    def cheapest_tails(self, i: int, j: int) -> list[Node]:
        """From which nodes a way of the least cost can come."""
        if i <= self.agree:
            return self._tails_on_agreement(i, j)
        row, above = self.rows[i - self.agree], self.rows[i - self.agree - 1]
        # in the row above the same place stands for one token of the hypothesis fewer
        place = j - i + self.high + 1
        distance = row[place]
        found = []
        if j:
            same = self.source[i - 1] == self.hypothesis[j - 1]
            if above[place] + (0 if same else self.substitution) == distance:
                found.append((i - 1, j - 1))
        if above[place + 1] + 1 == distance:
            found.append((i - 1, j))
        if j and row[place - 1] + 1 == distance:
            found.append((i, j - 1))
        return found

    def _tails_on_agreement(self, i: int, j: int) -> list[Node]:
        found = []
        if i and j and self.source[i - 1] == self.hypothesis[j - 1]:
            found.append((i - 1, j - 1))
        if i > j:
            found.append((i - 1, j))
        elif j > i:
            found.append((i, j - 1))
        return found


def reward_gold(
    lattice: Lattice,
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
    lattice: Lattice,
    golds: Sequence[Gold],
    listed: Sequence[tuple[Arc, int]],
    reward: float,
    weights: dict[Arc, float],
) -> None:
    """Insertions at one place: each gold edit rewards one arc.

    The official scorer goes through the arcs from both ends in turns, and through the gold edits
    likewise; an arc that matches takes its gold edit away and its side goes on with the arcs
    that continue it. Every other arc it looks at or skips pays the fee.
    """
    current = {arc: float(length) for arc, length in listed}
    arcs = [arc for arc, _ in listed]
    left, right = 0, len(arcs) - 1
    first, last = 0, len(golds) - 1
    place = left
    while left <= right:
        arc = arcs[place]
        from_left = place == left
        text = lattice.text(*arc)
        order = range(first, last + 1) if from_left else range(last, first - 1, -1)
        match = next((g for g in order if text in golds[g].corrections), None)
        if match is None:
            current[arc] += FEE
            if from_left:
                left += 1
                place = right
            else:
                right -= 1
                place = left
            continue
        current[arc] = reward
        if from_left:
            first = match + 1
            left += 1
            while left < len(arcs) and arcs[left][0] != arc[1]:
                current[arcs[left]] += FEE
                left += 1
            place = left
        else:
            last = match - 1
            right -= 1
            while right >= 0 and arcs[right][1] != arc[0]:
                current[arcs[right]] += FEE
                right -= 1
            place = right
    weights |= current
