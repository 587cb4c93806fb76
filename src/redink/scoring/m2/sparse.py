"""The best path through a lattice with few arcs: the official scorer's own search, step by step.

The search is Bellman and Ford's. Among paths of equal weight it keeps the one it finds first, and
sums of small fees differ in their last bits with the order of adding: both decide which edits are
counted. So arcs are listed in the official order and relaxed in that order with the same
additions; only the rounds in which nothing changes are left out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from redink.scoring.m2.lattice import FEE, Arc, Gold, Lattice, Step, reward_gold

INFINITY = float("inf")

ARC_LIMIT = 8_000
"""With more arcs than this, whole rows of arcs at once are quicker: see dense."""
NODE_LIMIT = 250
"""With so many nodes more than tokens, there are more arcs than that: no need to list them."""


_Data = tuple[int, int, int]
"""Of an arc: how many steps it merges, how many leave a token unchanged, how often it is listed."""


def best_paths(
    lattice: Lattice, annotators: Sequence[Sequence[Gold]], max_unchanged: int
) -> list[list[Arc]] | None:
    """For every annotator the edits on the best path, first to last; None with too many arcs."""
    start = _first_that_matters(lattice, annotators, max_unchanged)
    listed = _list_arcs(lattice, max_unchanged, start)
    if listed is None:
        return None
    order, steps, entering, total = listed
    relaxations = [(tail, head, _WEIGHTS[entering[head][tail]]) for tail, head in order]
    spans = {(gold.start, gold.end) for golds in annotators for gold in golds}
    by_span, places = _arcs_by_span(lattice, order, entering, spans) if spans else ({}, {})
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
        for tail, head in search(len(lattice.nodes), used, steps, start):
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
        if len(outgoing) != 1 or outgoing[0][:2] != (number + 1, 1):
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
) -> tuple[list[Arc], int, list[dict[int, _Data]], int] | None:
    """All arcs from a node on in the official order: steps, then merged arcs as they are found.

    And how many of them are steps; what is known of an arc, by its head and tail; and how many arcs
    there are in all, a step that both prices have counted twice.
    """
    steps = lattice.steps
    if len(steps) > max(len(lattice.source), len(lattice.hypothesis)) + NODE_LIMIT:
        return None
    entering: list[dict[int, _Data]] = [{} for _ in steps]
    order: list[Arc] = []
    total = sum(copies for ((_, _, copies),) in steps[:start])
    for tail in range(start, len(steps)):
        for head, unchanged, copies in steps[tail]:
            entering[head][tail] = 1, unchanged, copies
            order.append((tail, head))
            total += copies
    merged: list[Arc] = []
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
    kept = _drop_unchanged(merged, entering, looks=passed % 2 == 0)
    return order + kept, len(order), entering, total + passed // 2 + len(kept)


def _merge_through(
    arcs: dict[int, _Data],
    outgoing: Sequence[Step],
    entering: list[dict[int, _Data]],
    merged: list[Arc],
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
            if tail not in into:
                into[tail] = length, kept, 1
            elif length < (known := into[tail])[0]:
                into[tail] = length, kept, known[2] + 1
            else:
                continue
            merged.append((tail, head))


def _drop_unchanged(
    merged: list[Arc], entering: list[dict[int, _Data]], *, looks: bool
) -> list[Arc]:
    """Leave out merged arcs that change nothing.

    The official scorer removes them from the list while it walks through it, and so never looks
    at the arc after a removed one: that one stays. ``looks``: whether it looks at the first.
    """
    kept = []
    for arc in merged:
        tail, head = arc
        length, unchanged, _ = entering[head][tail]
        if looks and length == unchanged:
            looks = False
        else:
            kept.append(arc)
            looks = True
    return kept


class _Weights(dict[_Data, float]):
    """What arcs weigh, by what is known of them; worked out once."""

    def __missing__(self, data: _Data) -> float:
        length, unchanged, copies = data
        weight = float(length)
        if length != unchanged:
            # added one by one, as the official scorer does: the last bits differ from a product
            for _ in range(copies):
                weight += FEE
        self[data] = weight
        return weight


_WEIGHTS = _Weights()


def _arcs_by_span(
    lattice: Lattice,
    order: Sequence[Arc],
    entering: Sequence[dict[int, _Data]],
    spans: set[tuple[int, int]],
) -> tuple[dict[tuple[int, int], list[tuple[Arc, int]]], dict[Arc, list[int]]]:
    """The arcs of these spans, with their lengths; and where they are listed."""
    rows = [i for i, _ in lattice.nodes]
    starts = {start for start, _ in spans}
    is_start = [i in starts for i in rows]
    found: dict[tuple[int, int], list[tuple[Arc, int]]] = {}
    places: dict[Arc, list[int]] = {}
    for place, (tail, head) in enumerate(order):
        if is_start[tail] and (span := (rows[tail], rows[head])) in spans:
            length, _, copies = entering[head][tail]
            times = copies if length == 1 else 1
            found.setdefault(span, []).extend([((tail, head), length)] * times)
            places.setdefault((tail, head), []).append(place)
    return found, places


def search(
    nodes: int, arcs: Sequence[tuple[int, int, float]], steps: int, start: int = 0
) -> list[Arc]:
    """The arcs of the lightest path from a node to the last, as Bellman-Ford finds it.

    An arc is tried again only where that may help. Steps stand in the order of their tails, and
    merged arcs after all arcs into their tails: so what a round makes lighter is known to all that
    follows in it, except that steps do not know of merged arcs.

    Args:
        nodes: how many there are.
        arcs: tail, head and weight of each, in the order in which they are tried.
        steps: so many of them are steps; the others are merged arcs.
        start: the node to start from, which weighs as much as its number.
    """
    weight = [INFINITY] * nodes
    weight[start] = float(start)
    before = [-1] * nodes
    first = start
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
