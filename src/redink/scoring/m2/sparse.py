"""The best path through a lattice with few arcs: the official scorer's own search, step by step.

The search is Bellman and Ford's. Among paths of equal weight it keeps the one it finds first, and
sums of small fees differ in their last bits with the order of adding: both decide which edits are
counted. So arcs are listed in the official order and relaxed in that order with the same
additions; only the rounds in which nothing changes are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from redink.scoring.m2.lattice import FEE, Arc, Gold, Lattice, Step, reward_gold

INFINITY = float("inf")

ARC_LIMIT = 8_000
"""With more arcs than this, whole rows of arcs at once are quicker: see dense."""


@dataclass(slots=True)
class _ArcData:
    """An arc: how many steps it merges, how many leave a token unchanged, how often listed."""

    length: int
    unchanged: int
    copies: int


def best_paths(
    lattice: Lattice, annotators: Sequence[Sequence[Gold]], max_unchanged: int
) -> list[list[Arc]] | None:
    """For every annotator the edits on the best path, first to last; None with too many arcs."""
    listed = _list_arcs(lattice, max_unchanged)
    if listed is None:
        return None
    order, entering, total = listed
    lengths = [entering[head][tail] for tail, head in order]
    weights = [
        float(data.length) if data.length == data.unchanged else _weight(data.length, data.copies)
        for data in lengths
    ]
    spans = {(gold.start, gold.end) for golds in annotators for gold in golds}
    by_span = _arcs_by_span(lattice, order, lengths, spans) if spans else {}
    paths = []
    plain: list[Arc] | None = None
    for golds in annotators:
        rewarded = reward_gold(lattice, golds, by_span, -float(total)) if by_span else {}
        if not rewarded and plain is not None:
            paths.append(plain)
            continue
        used = (
            [rewarded.get(arc, w) for arc, w in zip(order, weights, strict=True)]
            if rewarded
            else weights
        )
        path = [
            arc
            for arc in search(len(lattice.nodes), order, used)
            if (data := entering[arc[1]][arc[0]]).length != data.unchanged
        ]
        paths.append(path)
        if not rewarded:
            plain = path
    return paths


def _list_arcs(
    lattice: Lattice, max_unchanged: int
) -> tuple[list[Arc], list[dict[int, _ArcData]], int] | None:
    """All arcs in the official order (steps once, merged arcs as often as they were found).

    And how many they are, a step that both prices have counted twice.
    """
    steps = lattice.steps
    entering: list[dict[int, _ArcData]] = [{} for _ in steps]
    order: list[Arc] = []
    total = 0
    for tail, outgoing in enumerate(steps):
        for head, unchanged, copies in outgoing:
            entering[head][tail] = _ArcData(1, unchanged, copies)
            order.append((tail, head))
            total += copies
    merged: list[Arc] = []
    for middle, outgoing in enumerate(steps):
        _merge_through(middle, outgoing, entering, merged, max_unchanged)
        if len(merged) > ARC_LIMIT:
            return None
    kept = _drop_unchanged(merged, entering)
    return order + kept, entering, total + len(kept)


def _merge_through(
    middle: int,
    outgoing: Sequence[Step],
    entering: list[dict[int, _ArcData]],
    merged: list[Arc],
    max_unchanged: int,
) -> None:
    """Let the arcs into a node grow by one step out of it.

    Nodes are gone through in order, so that all arcs into this one are known. A shorter arc
    between the same nodes replaces a longer one and is listed again.
    """
    arcs = entering[middle]
    for tail in sorted(arcs) if len(arcs) > 1 else arcs:
        data = arcs[tail]
        length = data.length + 1
        before = data.unchanged
        for head, unchanged, _ in outgoing:
            kept = before + unchanged
            if kept > max_unchanged:
                continue
            into = entering[head]
            known = into.get(tail)
            if known is None:
                into[tail] = _ArcData(length, kept, 1)
            elif length < known.length:
                known.length, known.unchanged = length, kept
                known.copies += 1
            else:
                continue
            merged.append((tail, head))


def _drop_unchanged(merged: list[Arc], entering: list[dict[int, _ArcData]]) -> list[Arc]:
    """Leave out merged arcs that change nothing.

    The official scorer removes them from the list while it walks through it, and so never looks
    at the arc after a removed one: that one stays.
    """
    kept = []
    looks = True
    for tail, head in merged:
        data = entering[head][tail]
        if looks and data.length == data.unchanged:
            del entering[head][tail]
            looks = False
        else:
            kept.append((tail, head))
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
    lattice: Lattice,
    order: Sequence[Arc],
    data: Sequence[_ArcData],
    spans: set[tuple[int, int]],
) -> dict[tuple[int, int], list[tuple[Arc, int]]]:
    rows = [i for i, _ in lattice.nodes]
    found: dict[tuple[int, int], list[tuple[Arc, int]]] = {}
    for arc, its in zip(order, data, strict=True):
        span = rows[arc[0]], rows[arc[1]]
        if span in spans:
            times = its.copies if its.length == 1 else 1
            found.setdefault(span, []).extend([(arc, its.length)] * times)
    return found


def search(nodes: int, arcs: Sequence[Arc], weights: Sequence[float]) -> list[Arc]:
    """The arcs of the lightest path from the first node to the last, as Bellman-Ford finds it."""
    weight = [INFINITY] * nodes
    weight[0] = 0.0
    before = [-1] * nodes
    relaxations = [(tail, head, w) for (tail, head), w in zip(arcs, weights, strict=True)]
    changed = True
    while changed:
        changed = False
        for tail, head, new in relaxations:
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
