"""The best path through a lattice with few arcs: the official scorer's own search, step by step.

The search is Bellman and Ford's. Among paths of equal weight it keeps the one it finds first, and
sums of small fees differ in their last bits with the order of adding: both decide which edits are
counted. So arcs are listed in the official order and relaxed in that order with the same
additions; only the rounds in which nothing changes are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from redink.scoring.m2.lattice import FEE, Arc, Gold, Lattice, Step, reward_gold

INFINITY = float("inf")

ARC_LIMIT = 8_000
"""With more arcs than this, whole rows of arcs at once are quicker: see dense."""


_Data = list[int]
"""Of an arc: how many steps it merges, how many leave a token unchanged, how often it is listed."""
_Listed = tuple[int, int, _Data]
"""The tail and the head of an arc, and what is known about it."""


def best_paths(
    lattice: Lattice, annotators: Sequence[Sequence[Gold]], max_unchanged: int
) -> list[list[Arc]] | None:
    """For every annotator the edits on the best path, first to last; None with too many arcs."""
    start = _first_that_matters(lattice, annotators, max_unchanged)
    listed = _list_arcs(lattice, max_unchanged, start)
    if listed is None:
        return None
    order, entering, total = listed
    relaxations = [
        (tail, head, float(length) if length == unchanged else _weight(length, copies))
        for tail, head, (length, unchanged, copies) in order
    ]
    spans = {(gold.start, gold.end) for golds in annotators for gold in golds}
    by_span, places = _arcs_by_span(lattice, order, spans) if spans else ({}, {})
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
        for tail, head in search(len(lattice.nodes), used, start):
            length, unchanged, _ = entering[head][tail]
            if length != unchanged:
                path.append((tail, head))
        paths.append(path)
        if not rewarded:
            plain = path
    return paths


def _first_that_matters(
    lattice: Lattice, annotators: Sequence[Sequence[Gold]], max_unchanged: int
) -> int:
    """The node from which on the lattice is looked at.

    A sentence mostly begins with words that can only be left as they are. No edit can begin many of
    them before the first change, every step over them weighs 1, and arcs over several of them
    weigh as much as their steps: the nodes are reached in order, at the weight of their number.
    Unless, that is, an annotator has an edit that changes nothing, which would be rewarded.
    """
    certain = 0
    for number, outgoing in enumerate(lattice.steps):
        if len(outgoing) != 1 or not outgoing[0].unchanged or outgoing[0].head != number + 1:
            break
        certain += 1
    start = certain - 2 * max(max_unchanged, 1)
    if start <= 0:
        return 0
    for golds in annotators:
        for gold in golds:
            if gold.start < start:
                unchanged = " ".join(lattice.source[gold.start : gold.end])
                if unchanged in gold.corrections:
                    return 0
    return start


def _list_arcs(
    lattice: Lattice, max_unchanged: int, start: int = 0
) -> tuple[list[_Listed], list[dict[int, _Data]], int] | None:
    """All arcs from a node on in the official order: steps, then merged arcs as they are found.

    And the same by head and tail; and how many there are in all, a step that both prices have
    counted twice.
    """
    steps = lattice.steps
    entering: list[dict[int, _Data]] = [{} for _ in steps]
    order: list[_Listed] = []
    total = sum(outgoing[0].copies for outgoing in steps[:start])
    for tail in range(start, len(steps)):
        for head, unchanged, copies in steps[tail]:
            data = entering[head][tail] = [1, unchanged, copies]
            order.append((tail, head, data))
            total += copies
    merged: list[_Listed] = []
    # up to here the official scorer has merged so many unchanged steps, and only these
    longer = max(max_unchanged - 1, 0)
    border = start + longer if start else 0
    passed = sum(min(number, longer) for number in range(1, border + 1))
    for middle in range(start, len(steps)):
        arcs = entering[middle]
        if arcs:
            _merge_through(arcs, steps[middle], entering, merged, max_unchanged)
            if middle <= border:
                merged.clear()
            elif passed + len(merged) > ARC_LIMIT:
                return None
    kept = _drop_unchanged(merged, looks=passed % 2 == 0)
    return order + kept, entering, total + passed // 2 + len(kept)


def _merge_through(
    arcs: dict[int, _Data],
    outgoing: Sequence[Step],
    entering: list[dict[int, _Data]],
    merged: list[_Listed],
    max_unchanged: int,
) -> None:
    """Let the arcs into a node grow by one step out of it.

    Nodes are gone through in order, so that all arcs into this one are known. A shorter arc
    between the same nodes replaces a longer one and is listed again.
    """
    for tail in sorted(arcs) if len(arcs) > 1 else arcs:
        length, before, _ = arcs[tail]
        length += 1
        for head, unchanged, _ in outgoing:
            kept = before + unchanged
            if kept > max_unchanged:
                continue
            into = entering[head]
            data = into.get(tail)
            if data is None:
                data = into[tail] = [length, kept, 1]
            elif length < data[0]:
                data[0] = length
                data[1] = kept
                data[2] += 1
            else:
                continue
            merged.append((tail, head, data))


def _drop_unchanged(merged: list[_Listed], *, looks: bool) -> list[_Listed]:
    """Leave out merged arcs that change nothing.

    The official scorer removes them from the list while it walks through it, and so never looks
    at the arc after a removed one: that one stays. ``looks``: whether it looks at the first.
    """
    kept = []
    for arc in merged:
        data = arc[2]
        if looks and data[0] == data[1]:
            looks = False
        else:
            kept.append(arc)
            looks = True
    return kept


@cache
def _weight(length: int, copies: int) -> float:
    # added one by one, as the official scorer does: the last bits differ from a product
    weight = float(length)
    for _ in range(copies):
        weight += FEE
    return weight


def _arcs_by_span(
    lattice: Lattice, order: Sequence[_Listed], spans: set[tuple[int, int]]
) -> tuple[dict[tuple[int, int], list[tuple[Arc, int]]], dict[Arc, list[int]]]:
    """The arcs of these spans, with their lengths; and where they are listed."""
    rows = [i for i, _ in lattice.nodes]
    starts = {start for start, _ in spans}
    is_start = [i in starts for i in rows]
    found: dict[tuple[int, int], list[tuple[Arc, int]]] = {}
    places: dict[Arc, list[int]] = {}
    for place, (tail, head, data) in enumerate(order):
        if is_start[tail] and (span := (rows[tail], rows[head])) in spans:
            length, _, copies = data
            times = copies if length == 1 else 1
            found.setdefault(span, []).extend([((tail, head), length)] * times)
            places.setdefault((tail, head), []).append(place)
    return found, places


def search(nodes: int, arcs: Sequence[tuple[int, int, float]], start: int = 0) -> list[Arc]:
    """The arcs of the lightest path from a node to the last, as Bellman-Ford finds it.

    Args:
        nodes: how many there are.
        arcs: tail, head and weight of each, in the order in which they are tried.
        start: the node to start from, which weighs as much as its number.
    """
    weight = [INFINITY] * nodes
    weight[start] = float(start)
    before = [-1] * nodes
    changed = True
    while changed:
        changed = False
        for tail, head, new in arcs:
            new += weight[tail]  # noqa: PLW2901 (the innermost loop of the search)
            if new < weight[head]:
                weight[head] = new
                before[head] = tail
                changed = True
    path = []
    head = nodes - 1
    while (tail := before[head]) >= 0:
        path.append((tail, head))
        head = tail
    path.reverse()
    return path
