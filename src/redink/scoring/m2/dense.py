"""The best path through a lattice with many arcs, in time bounded by the square of its nodes.

A sentence in which a word repeats, or of which every word changed, has millions of arcs; the
official scorer takes hours for it. Here the arcs into a node are one row of a matrix, and all of
them grow by a step at once. The lattice has no cycles, so one pass in order gives every node its
least weight. Only where several arcs give that weight does the order of the official search
decide; so that search is then run on those arcs alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redink.scoring.m2.lattice import FEE, Arc, Gold, Lattice, reward_gold
from redink.scoring.m2.sparse import search

_SLACK = 1e-6
"""Less than any true difference of weights, more than sums of rounding errors."""

_MOST_COPIES = 4
"""An arc is listed at most three times: once for each kind of last step."""

_BITS = 12
_ONE, _KEPT = 1 << _BITS, (1 << _BITS) - 1
_BITS_SET = np.array([number.bit_count() for number in range(8)], dtype=np.int8)


@dataclass(frozen=True)
class _Arcs:
    """All arcs of a lattice, ``[head, tail]``.

    Attributes:
        length: merged steps; ``none`` where there is no arc.
        copies: how often the arc is listed, 0 for one that changes nothing.
        found: bits for the steps (in order of their tails) that made the arc.
        tails: for every node the tails of its steps, in order.
        total: how many arcs are listed.
        none: the length that stands for no arc.
    """

    length: NDArray[np.int16]
    copies: NDArray[np.int8]
    found: NDArray[np.int8]
    tails: list[list[int]]
    total: int
    none: int


def best_paths(
    lattice: Lattice, annotators: Sequence[Sequence[Gold]], max_unchanged: int
) -> list[list[Arc]]:
    """For every annotator the edits on the best path, first to last."""
    arcs = _find_arcs(lattice, max_unchanged)
    spans = {(gold.start, gold.end) for golds in annotators for gold in golds}
    by_span = _arcs_by_span(lattice, arcs, spans)
    rewarded = [reward_gold(lattice, golds, by_span, -float(arcs.total)) for golds in annotators]
    light = _light_arcs(arcs, rewarded)
    changing = arcs.copies > 0
    paths = []
    for near in light:
        path = search(len(lattice.nodes), *_in_official_order(arcs, near))
        paths.append([(tail, head) for tail, head in path if changing[head, tail]])
    return paths


def _find_arcs(lattice: Lattice, max_unchanged: int) -> _Arcs:
    steps = lattice.steps
    size = len(steps)
    none = len(lattice.source) + len(lattice.hypothesis) + 1
    # length and unchanged tokens of an arc in one number
    arcs = np.full((size, size), none << _BITS, dtype=np.int32)
    found = np.zeros((size, size), dtype=np.int8)
    tails: list[list[int]] = [[] for _ in steps]
    for tail, outgoing in enumerate(steps):
        for head, same, _ in outgoing:
            arcs[head, tail] = _ONE + same
            tails[head].append(tail)
    idle = _IdleArcs()
    for middle, outgoing in enumerate(steps):
        longer = arcs[middle, :middle] + _ONE
        beyond = longer | _KEPT  # less than any longer arc
        kept = longer & _KEPT
        listed = []
        for head, same, _ in outgoing:
            row = arcs[head, :middle]
            grows = beyond < row
            grows &= kept <= max_unchanged - same
            np.copyto(row, longer + same, where=grows)
            by_this = found[head, :middle]
            np.bitwise_or(by_this, 1 << tails[head].index(middle), out=by_this, where=grows)
            listed.append(grows)
        # a step that changes nothing is diagonal, and so the last of the steps out of its node
        head, same, _ = outgoing[-1] if outgoing else (middle, 0, 0)
        if same:
            idle.look_at(listed, kept + 1 == longer >> _BITS, head)
        else:
            idle.pass_by(listed)
    copies = _BITS_SET[found]
    total = int(copies.sum())
    for tail, outgoing in enumerate(steps):
        for head, same, times in outgoing:
            copies[head, tail] = 0 if same else times
            total += times
    length = (arcs >> _BITS).astype(np.int16)
    for tail, head in idle.all:
        copies[head, tail] = 0
    for tail, head in idle.removed:
        length[head, tail] = none
    return _Arcs(length, copies, found, tails, total - len(idle.removed), none)


class _IdleArcs:
    """Merged arcs that change nothing.

    The official scorer removes them from its list while it walks through the list, and so never
    looks at the arc after a removed one: if that one changes nothing either, it stays.
    """

    def __init__(self) -> None:
        self.all: list[Arc] = []
        self.removed: list[Arc] = []
        self._last_was_removed = False

    def pass_by(self, listed: Sequence[NDArray[np.bool_]]) -> None:
        """Arcs were listed that all change something."""
        if self._last_was_removed and any(grows.any() for grows in listed):
            self._last_was_removed = False

    def look_at(
        self, listed: Sequence[NDArray[np.bool_]], unchanged: NDArray[np.bool_], head: int
    ) -> None:
        """Arcs were listed, by tail and then by head, of which the last head's may be idle."""
        idle = np.flatnonzero(listed[-1] & unchanged).tolist()
        if not idle:
            self.pass_by(listed)
            return
        before = np.any(listed[:-1], axis=0) if len(listed) > 1 else np.zeros_like(unchanged)
        tails = np.flatnonzero(before | listed[-1])
        gone: set[int] = set()
        for tail in idle:
            self.all.append((tail, head))
            if not before[tail]:
                place = int(np.searchsorted(tails, tail)) - 1
                after_removed = self._last_was_removed if place < 0 else int(tails[place]) in gone
                if after_removed:
                    continue
            gone.add(tail)
            self.removed.append((tail, head))
        self._last_was_removed = int(tails[-1]) in gone


def _arcs_by_span(
    lattice: Lattice, arcs: _Arcs, spans: set[tuple[int, int]]
) -> dict[tuple[int, int], list[tuple[Arc, int]]]:
    rows: dict[int, list[int]] = {}
    for number, (i, _) in enumerate(lattice.nodes):
        rows.setdefault(i, []).append(number)
    by_span: dict[tuple[int, int], list[tuple[Arc, int]]] = {}
    for start, end in spans:
        listed = []
        for tail in rows.get(start, ()):
            for head in rows.get(end, ()):
                length = int(arcs.length[head, tail])
                if tail < head and length < arcs.none:
                    times = max(1, int(arcs.copies[head, tail]))
                    listed += [((tail, head), length)] * times
        by_span[start, end] = listed
    return by_span


def _light_arcs(
    arcs: _Arcs, rewarded: Sequence[dict[Arc, float]]
) -> list[dict[int, list[tuple[int, float]]]]:
    """For every annotator the arcs that lie on paths of least weight, by their heads."""
    prices = _price_list(arcs.none)
    size = len(arcs.length)
    least = np.zeros((len(rewarded), size))
    changes: list[dict[int, list[tuple[int, float]]]] = [{} for _ in rewarded]
    for which, weights in enumerate(rewarded):
        for (tail, head), weight in weights.items():
            changes[which].setdefault(head, []).append((tail, weight))
    near: list[dict[int, list[tuple[int, float]]]] = [{} for _ in rewarded]
    for head in range(1, size):
        price = prices[arcs.length[head, :head], arcs.copies[head, :head]]
        for which, changed in enumerate(changes):
            mine = price
            if head in changed:
                mine = price.copy()
                for tail, weight in changed[head]:
                    mine[tail] = weight
            reached = least[which, :head] + mine
            least[which, head] = best = reached.min()
            close = np.flatnonzero(reached < best + _SLACK).tolist()
            near[which][head] = [(tail, float(mine[tail])) for tail in close]
    return near


def _price_list(none: int) -> NDArray[np.float64]:
    """The weight of an arc by its length and copies, added up as the official scorer does."""
    prices = np.full((none + 1, _MOST_COPIES), np.inf)
    prices[:none, 0] = np.arange(none)
    for copies in range(1, _MOST_COPIES):
        prices[:none, copies] = prices[:none, copies - 1] + FEE
    return prices


def _in_official_order(
    arcs: _Arcs, near: dict[int, list[tuple[int, float]]]
) -> tuple[list[tuple[int, int, float]], int]:
    """The light arcs that lead to the end, as often and in the order as they are listed.

    And how many of them are steps.
    """
    wanted = {len(arcs.length) - 1}
    keyed: list[tuple[tuple[int, int, int], Arc, float]] = []
    for head in sorted(near, reverse=True):
        if head not in wanted:
            continue
        for tail, weight in near[head]:
            wanted.add(tail)
            if arcs.length[head, tail] == 1:
                keyed.append(((-1, tail, head), (tail, head), weight))
                continue
            bits = int(arcs.found[head, tail])
            keyed.extend(
                ((middle, tail, head), (tail, head), weight)
                for place, middle in enumerate(arcs.tails[head])
                if bits >> place & 1
            )
    keyed.sort()
    steps = sum(middle < 0 for (middle, _, _), _, _ in keyed)
    return [(*arc, weight) for _, arc, weight in keyed], steps
