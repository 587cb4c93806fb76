"""Which candidate many corpora choose alike: told from the bounds between which they lie.

Samples of a corpus differ little from one another once some hundred sentences have been gone
through: they have about the same F. Where a sentence has a choice, one candidate is then often the
best for all of them, and nothing has to be worked out for each.

F is the ratio of a gain *G* and a cost *C*. With candidates of gains *g*, *h* and costs *c*, *d* it
becomes ``(G + g) / (C + c)`` or ``(G + h) / (C + d)``; the difference of the two is ::

    F (d - c) + (g - h) + (g d - h c) / C
    -------------------------------------
            (C + c) (C + d) / C

The numerator is linear in F and in 1 / C, so that it is least where both are at a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_SLACK = 1e-9
"""More than rounding errors of F; what is nearer is not decided here."""
_FEW = 16.0
"""Corpora that cost less are not foreseen: their F is whatever the next sentence makes it."""

Candidate = tuple[float, float]
"""Its gain and its cost."""


class Bounds(NamedTuple):
    """Between what the F of some corpora lie, and their costs."""

    least_f: float
    most_f: float
    least_cost: float
    most_cost: float

    @classmethod
    def of(cls, gain: NDArray[np.float64], cost: NDArray[np.float64]) -> Bounds:
        """The bounds of these corpora."""
        least = float(cost.min())
        if least < _FEW:
            return NOTHING_KNOWN
        f = gain / cost
        return cls(float(f.min()), float(f.max()), least, float(cost.max()))

    def after(self, least: Candidate, most: Candidate) -> Bounds:
        """The bounds when each corpus has become larger, by something between these two."""
        if not self.least_cost:
            return self
        costs = (self.least_cost, self.most_cost)
        return Bounds(
            min((self.least_f * cost + least[0]) / (cost + most[1]) for cost in costs),
            max((self.most_f * cost + most[0]) / (cost + least[1]) for cost in costs),
            self.least_cost + least[1],
            self.most_cost + most[1],
        )


NOTHING_KNOWN = Bounds(0.0, 1.0, 0.0, 0.0)


def foresee(candidates: Sequence[Candidate], bounds: Bounds, margin: float | None) -> int | None:
    """The candidate that all corpora within the bounds choose; None if they may differ.

    Args:
        candidates: those that differ, the one that wins a tie first.
        bounds: of the corpora.
        margin: how much higher F has to be for a later candidate to be preferred, at most; None
            where nobody knows.
    """
    if margin is None or not bounds.least_cost:
        return None
    best = 0
    for place in range(1, len(candidates)):
        if _lead(candidates[place], candidates[best], bounds) > 0:
            best = place
    for place, other in enumerate(candidates):
        if place == best:
            continue
        if other == candidates[best] and not margin:
            continue  # a tie; where F is rounded, the last bit of the same F may decide
        needed = _SLACK + (margin if place < best else 0.0)
        if _lead(candidates[best], other, bounds) <= needed:
            return None
    return best


def _lead(one: Candidate, other: Candidate, bounds: Bounds) -> float:
    """By how much the one gives a higher F than the other, at least."""
    least_f, most_f, least_cost, most_cost = bounds
    (gain, cost), (other_gain, other_cost) = one, other
    dearer = other_cost - cost
    crossed = gain * other_cost - other_gain * cost
    least = (
        gain
        - other_gain
        + dearer * (least_f if dearer > 0 else most_f)
        + crossed / (most_cost if crossed > 0 else least_cost)
    )
    if least <= 0:
        return least
    # the divisor is convex in C, and so greatest at one of the bounds
    return least / max((at + cost) * (at + other_cost) / at for at in (least_cost, most_cost))
