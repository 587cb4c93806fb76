"""The best path through the lattice of MaxMatch: three searches for lattices of different sizes.

The official search is the Bellman-Ford algorithm. It takes the first of several paths of equal
weight, and the last bits of sums of small fees depend on the order of addition: both affect which
edits are counted.

Few arcs
    :func:`_search_few`: the official search, with the same arcs, order and additions; only rounds
    without a change are skipped.
Many arcs
    :func:`_search_many`: a sentence in which a word repeats, or in which every word changed, has
    millions of arcs; the official scorer takes hours for it. The arcs into a node are one row of a
    matrix, and all of them are extended by a step at once. One pass in topological order computes
    the minimum weight of every node. Only arcs with that weight go through the official search.
Any number of nodes
    :func:`_search_linear`: long sentences that were completely rewritten. Arcs are never
    listed. A path is followed step by step; inside an edit, its unchanged tokens are counted.
    The path has the most gold edits, then the fewest steps outside them, then the fewest edits;
    the first path wins a tie. How often an edit pays its fee depends on the official list of arcs,
    so another path with equally many gold edits and steps may be taken: in 15,000 random cases with
    gold edits in order, the number of matched edits differed once from the other searches, and
    that of proposed edits 81 times.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from redink.scoring.m2.edit_lattice import FEE, Arc, EditLattice, Gold, Step, reward_gold

NODE_LIMIT = 1_600
"""A lattice with more nodes is searched in linear time."""
_ARC_LIMIT = 8_000  # with more arcs, processing whole rows of arcs is faster
_EXTRA_NODES = 250  # a lattice with this many more nodes than tokens has more arcs than that

_INFINITY = float("inf")
_SLACK = 1e-6  # less than any true difference of weights, more than accumulated rounding errors
_MOST_COPIES = 4  # an arc is listed at most three times: once for each kind of last step
_BITS = 12
_ONE, _UNCHANGED = 1 << _BITS, (1 << _BITS) - 1
_BITS_SET = np.array([number.bit_count() for number in range(8)], dtype=np.int8)

_Span = tuple[int, int]
_ArcData = tuple[int, int, int]
"""Data of an arc: number of merged steps, of unchanged tokens, and of copies in the list."""


def best_paths(
    lattice: EditLattice, annotators: Sequence[Sequence[Gold]], max_unchanged: int
) -> list[list[Arc]]:
    """Return the edits on the best path, first to last, for every annotator."""
    paths = _search_few(lattice, annotators, max_unchanged)
    if paths is None:
        search = _search_linear if len(lattice.nodes) > NODE_LIMIT else _search_many
        paths = search(lattice, annotators, max_unchanged)
    return paths


def _search_few(
    lattice: EditLattice, annotators: Sequence[Sequence[Gold]], max_unchanged: int
) -> list[list[Arc]] | None:
    """Search with the official algorithm; None if there are too many arcs."""
    listed = _list_arcs(lattice, max_unchanged)
    if listed is None:
        return None
    order, steps, entering, total = listed
    relaxations = [(tail, head, _weight(*entering[head][tail])) for tail, head in order]
    spans = {(gold.start, gold.end) for golds in annotators for gold in golds}
    by_span, places = _listed_by_span(lattice, order, entering, spans) if spans else ({}, {})
    paths = []
    plain: list[Arc] | None = None
    for golds in annotators:
        rewarded = reward_gold(lattice, golds, by_span, -float(total)) if by_span else {}
        if not rewarded and plain is not None:
            paths.append(plain)
            continue
        used = relaxations
        if rewarded:
            used = relaxations.copy()
            for arc, weight in rewarded.items():
                for place in places[arc]:
                    used[place] = (*arc, weight)
        path = []
        for tail, head in _bellman_ford(len(lattice.nodes), used, steps):
            length, unchanged, _ = entering[head][tail]
            if length != unchanged:
                path.append((tail, head))
        paths.append(path)
        if not rewarded:
            plain = path
    return paths


def _list_arcs(
    lattice: EditLattice, max_unchanged: int
) -> tuple[list[Arc], int, list[dict[int, _ArcData]], int] | None:
    """List all arcs in the official order: steps, then merged arcs; None if there are too many.

    Also returns the number of steps, the data of arcs by head and tail, and the number of all arcs,
    where a step with two copies counts twice.
    """
    steps = lattice.steps
    if len(steps) > max(len(lattice.source), len(lattice.hypothesis)) + _EXTRA_NODES:
        return None
    entering: list[dict[int, _ArcData]] = [{} for _ in steps]
    order: list[Arc] = []
    total = 0
    for tail, outgoing in enumerate(steps):
        for head, unchanged, copies in outgoing:
            entering[head][tail] = 1, unchanged, copies
            order.append((tail, head))
            total += copies
    merged: list[Arc] = []
    for arcs, outgoing in zip(entering, steps, strict=True):
        _merge_through(arcs, outgoing, entering, merged, max_unchanged)
        if len(merged) > _ARC_LIMIT:
            return None
    rest = _drop_unchanged(merged, entering)
    return order + rest, len(order), entering, total + len(rest)


def _merge_through(
    arcs: dict[int, _ArcData],
    outgoing: Sequence[Step],
    entering: list[dict[int, _ArcData]],
    merged: list[Arc],
    max_unchanged: int,
) -> None:
    """Extend the arcs into a node by one step out of it.

    Nodes come in order, so all arcs into this one are known. A shorter arc between the same nodes
    replaces a longer one and is listed again.
    """
    for tail in sorted(arcs) if len(arcs) > 1 else arcs:
        length, before, _ = arcs[tail]
        length += 1
        for head, unchanged, _ in outgoing:
            both = before + unchanged
            if both > max_unchanged:
                continue
            into = entering[head]
            if tail not in into:
                into[tail] = length, both, 1
            elif length < (known := into[tail])[0]:
                into[tail] = length, both, known[2] + 1
            else:
                continue
            merged.append((tail, head))


def _drop_unchanged(merged: list[Arc], entering: list[dict[int, _ArcData]]) -> list[Arc]:
    """Remove merged arcs that change nothing.

    The official scorer removes them from the list while it iterates over it, so it skips the arc
    after a removed one, which therefore stays.
    """
    rest = []
    looks = True
    for arc in merged:
        tail, head = arc
        length, unchanged, _ = entering[head][tail]
        if looks and length == unchanged:
            looks = False
        else:
            rest.append(arc)
            looks = True
    return rest


@cache
def _weight(length: int, unchanged: int, copies: int) -> float:
    """Return the weight of an arc, adding its fees one by one as the official scorer does.

    The last bits differ from those of a product.
    """
    weight = float(length)
    for _ in range(copies if length != unchanged else 0):
        weight += FEE
    return weight


def _listed_by_span(
    lattice: EditLattice,
    order: Sequence[Arc],
    entering: Sequence[dict[int, _ArcData]],
    spans: set[_Span],
) -> tuple[dict[_Span, list[tuple[Arc, int]]], dict[Arc, list[int]]]:
    rows = [i for i, _ in lattice.nodes]
    starts = {start for start, _ in spans}
    is_start = [i in starts for i in rows]
    found: dict[_Span, list[tuple[Arc, int]]] = {}
    places: dict[Arc, list[int]] = {}
    for place, (tail, head) in enumerate(order):
        if is_start[tail] and (span := (rows[tail], rows[head])) in spans:
            length, _, copies = entering[head][tail]
            times = copies if length == 1 else 1
            found.setdefault(span, []).extend([((tail, head), length)] * times)
            places.setdefault((tail, head), []).append(place)
    return found, places


def _bellman_ford(nodes: int, arcs: Sequence[tuple[int, int, float]], steps: int) -> list[Arc]:
    """Return the arcs of the lightest path from the first node to the last, by Bellman-Ford.

    An arc is relaxed again only if that may help. Steps are sorted by tail, and merged arcs come
    after all arcs into their tails: so a round uses the weights it has lowered, except that steps
    come before merged arcs. ``arcs`` has tail, head and weight of each arc in the order of
    relaxation; the first ``steps`` of them are steps.
    """
    weight = [0.0] + [_INFINITY] * (nodes - 1)
    before = [-1] * nodes
    first = 0
    merged = arcs[steps:]
    changed = True
    while first < nodes:
        for tail, head, new in arcs[bisect_left(arcs, (first,), 0, steps) : steps]:
            new += weight[tail]  # noqa: PLW2901 (the innermost loop of the search)
            if new < weight[head]:
                weight[head] = new
                before[head] = tail
                changed = True
        if not changed:
            break
        first, changed = nodes, False
        for tail, head, new in merged:
            new += weight[tail]  # noqa: PLW2901
            if new < weight[head]:
                weight[head] = new
                before[head] = tail
                first = min(first, head)
    path = []
    head = nodes - 1
    while (tail := before[head]) >= 0:
        path.append((tail, head))
        head = tail
    path.reverse()
    return path


@dataclass(frozen=True)
class _Arcs:
    """All arcs of a lattice, ``[head, tail]``.

    Attributes:
        length: number of merged steps; ``none`` if there is no arc.
        copies: how often the arc is listed; 0 for an arc that changes nothing.
        found: bit mask of the steps (in order of their tails) that made the arc.
        tails: for every node the tails of its steps, in order.
        total: the number of listed arcs.
        none: the length that represents a missing arc.
    """

    length: NDArray[np.int16]
    copies: NDArray[np.int8]
    found: NDArray[np.int8]
    tails: list[list[int]]
    total: int
    none: int


def _search_many(
    lattice: EditLattice, annotators: Sequence[Sequence[Gold]], max_unchanged: int
) -> list[list[Arc]]:
    arcs = _find_arcs(lattice, max_unchanged)
    spans = {(gold.start, gold.end) for golds in annotators for gold in golds}
    by_span = _rows_by_span(lattice, arcs, spans)
    rewarded = [reward_gold(lattice, golds, by_span, -float(arcs.total)) for golds in annotators]
    light = _light_arcs(arcs, rewarded)
    changing = arcs.copies > 0
    paths = []
    for near in light:
        path = _bellman_ford(len(lattice.nodes), *_in_official_order(arcs, near))
        paths.append([(tail, head) for tail, head in path if changing[head, tail]])
    return paths


def _find_arcs(lattice: EditLattice, max_unchanged: int) -> _Arcs:
    steps = lattice.steps
    size = len(steps)
    none = len(lattice.source) + len(lattice.hypothesis) + 1
    # length and unchanged tokens of an arc in one integer
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
        beyond = longer | _UNCHANGED  # less than any longer arc
        unchanged = longer & _UNCHANGED
        listed = []
        for head, same, _ in outgoing:
            row = arcs[head, :middle]
            grows = beyond < row
            grows &= unchanged <= max_unchanged - same
            np.copyto(row, longer + same, where=grows)
            by_this = found[head, :middle]
            np.bitwise_or(by_this, 1 << tails[head].index(middle), out=by_this, where=grows)
            listed.append(grows)
        # a step that changes nothing is diagonal, so it is the last step out of its node
        head, same, _ = outgoing[-1] if outgoing else (middle, 0, 0)
        if same:
            idle.look_at(listed, unchanged + 1 == longer >> _BITS, head)
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
    """Merged arcs that change nothing: see :func:`_drop_unchanged`."""

    def __init__(self) -> None:
        self.all: list[Arc] = []
        self.removed: list[Arc] = []
        self._last_was_removed = False

    def pass_by(self, listed: Sequence[NDArray[np.bool_]]) -> None:
        if self._last_was_removed and any(grows.any() for grows in listed):
            self._last_was_removed = False

    def look_at(
        self, listed: Sequence[NDArray[np.bool_]], unchanged: NDArray[np.bool_], head: int
    ) -> None:
        """Process arcs listed by tail and head, of which those of the last head may be idle."""
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


def _rows_by_span(
    lattice: EditLattice, arcs: _Arcs, spans: set[_Span]
) -> dict[_Span, list[tuple[Arc, int]]]:
    rows: dict[int, list[int]] = {}
    for number, (i, _) in enumerate(lattice.nodes):
        rows.setdefault(i, []).append(number)
    by_span: dict[_Span, list[tuple[Arc, int]]] = {}
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
    """Return, for every annotator, the arcs on paths of minimum weight, by their heads."""
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
    """Return the weights of arcs by length and copies, added up as in the official scorer."""
    prices = np.full((none + 1, _MOST_COPIES), np.inf)
    prices[:none, 0] = np.arange(none)
    for copies in range(1, _MOST_COPIES):
        prices[:none, copies] = prices[:none, copies - 1] + FEE
    return prices


def _in_official_order(
    arcs: _Arcs, near: dict[int, list[tuple[int, float]]]
) -> tuple[list[tuple[int, int, float]], int]:
    """Return the light arcs that lead to the end, in the order and number in which they are listed.

    Also returns how many of them are steps.
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


_STEP = 1 << 20
"""The cost of a step, in edits; and the cost of missing a gold edit, in steps."""
_GOLD = _STEP * _STEP
_NEVER = 1 << 62


def _search_linear(
    lattice: EditLattice, annotators: Sequence[Sequence[Gold]], max_unchanged: int
) -> list[list[Arc]]:
    max_unchanged = min(max_unchanged, len(lattice.source))  # the maximum possible
    return [
        _best_path(lattice, _gold_arcs(lattice, golds, max_unchanged), max_unchanged)
        for golds in annotators
    ]


def _gold_arcs(
    lattice: EditLattice, golds: Sequence[Gold], max_unchanged: int
) -> dict[int, list[tuple[int, bool]]]:
    """Return the heads of gold arcs by their tails, and whether each arc changes anything."""
    by_span: dict[_Span, list[tuple[Arc, int]]] = {}
    for gold in golds:
        span = gold.start, gold.end
        if span not in by_span:
            by_span[span] = _arcs_of_gold_span(lattice, *span, golds, max_unchanged)
    reward = -float(_STEP)
    found: dict[int, list[tuple[int, bool]]] = {}
    for (tail, head), weight in reward_gold(lattice, golds, by_span, reward).items():
        if weight < 0:  # an insertion listed twice can be rewarded and then pay a fee
            start, end, text = lattice.edit(tail, head)
            changes = text != " ".join(lattice.source[start:end])
            found.setdefault(tail, []).append((head, changes))
    return found


def _arcs_of_gold_span(
    lattice: EditLattice, start: int, end: int, golds: Sequence[Gold], max_unchanged: int
) -> list[tuple[Arc, int]]:
    """Return the arcs between two rows; except for insertions, only gold corrections."""
    numbers = lattice.numbers
    width = len(lattice.hypothesis)
    arcs: list[tuple[Arc, int]] = []
    if start == end:
        for first in range(width):
            last = first
            while copies := _insertions(lattice, (start, last)):
                last += 1
                arc = numbers[start, first], numbers[start, last]
                arcs += [(arc, last - first)] * (copies if last - first == 1 else 1)
        return arcs
    lengths = {
        len(correction.split())
        for gold in golds
        if (gold.start, gold.end) == (start, end)
        for correction in gold.corrections
    }
    for length in sorted(lengths):
        for first in range(width - length + 1):
            tail, head = numbers.get((start, first)), numbers.get((end, first + length))
            if tail is not None and head is not None:
                steps = _steps_between(lattice, tail, head, max_unchanged)
                if steps is not None:
                    arcs.append(((tail, head), steps))
    return arcs


def _insertions(lattice: EditLattice, node: tuple[int, int]) -> int:
    number = lattice.numbers.get(node)
    if number is None:
        return 0
    head = lattice.numbers.get((node[0], node[1] + 1))
    return sum(copies for step, _, copies in lattice.steps[number] if step == head)


def _steps_between(lattice: EditLattice, tail: int, head: int, max_unchanged: int) -> int | None:
    """Return the minimum number of steps between nodes, or None if too many tokens are unchanged.

    A single unchanged step is not an edit itself but can be a gold edit, as in the official scorer.
    """
    end = lattice.nodes[head]
    least: dict[int, int] = {tail: 0}
    for number in range(tail, head):
        if number not in least:
            continue
        for reached, unchanged, _ in lattice.steps[number]:
            node = lattice.nodes[reached]
            if node[0] <= end[0] and node[1] <= end[1]:
                both = least[number] + unchanged
                if both < least.get(reached, _NEVER):
                    least[reached] = both
    if head not in least:
        return None
    start = lattice.nodes[tail]
    down, across = end[0] - start[0], end[1] - start[1]
    steps = max(down, across)
    if least[head] > max_unchanged or (least[head] == steps > 1):
        return 1 if steps == 1 else None
    return steps


def _best_path(  # noqa: C901 (a branch for every way to take a step)
    lattice: EditLattice, golds: dict[int, list[tuple[int, bool]]], max_unchanged: int
) -> list[Arc]:
    size = len(lattice.nodes)
    # minimum cost of a path to a node at which an edit may begin or has ended, with backpointers
    closed = [_NEVER] * size
    came: list[tuple[int, bool]] = [(-1, False)] * size
    # the same for paths inside an edit, by unchanged tokens; with the node where the edit began
    states = range(max_unchanged + 1)
    opened = [[_NEVER] * (max_unchanged + 1) for _ in range(size)]
    began = [[-1] * (max_unchanged + 1) for _ in range(size)]
    closed[0] = 0
    for node, steps in enumerate(lattice.steps):
        within, since = opened[node], began[node]
        for unchanged in states:
            if within[unchanged] < closed[node]:
                closed[node] = within[unchanged]
                came[node] = since[unchanged], True
        price = closed[node]
        for head, changes in golds.get(node, ()):
            if price - _GOLD < closed[head]:
                closed[head] = price - _GOLD
                came[head] = node, changes
        for head, same, _ in steps:
            if same and price + _STEP < closed[head]:
                closed[head] = price + _STEP
                came[head] = node, False
            there, from_there = opened[head], began[head]
            if same <= max_unchanged and price + _STEP + 1 < there[same]:
                there[same] = price + _STEP + 1
                from_there[same] = node
            for unchanged in range(max_unchanged + 1 - same):
                longer = within[unchanged] + _STEP
                if longer < there[unchanged + same]:
                    there[unchanged + same] = longer
                    from_there[unchanged + same] = since[unchanged]
    path = []
    head = size - 1
    while head > 0:
        tail, changes = came[head]
        if changes:
            path.append((tail, head))
        head = tail
    path.reverse()
    return path
