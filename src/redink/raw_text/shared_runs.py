"""Find runs of atoms that two texts share, in an order that both share."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Occurring = Literal["once", "in order"]
Numbers = NDArray[np.int64]

_MOST_TIMES = 31
"""A run occurs less than two to the power of this many times."""


def shared_runs(
    ours: Numbers, theirs: Numbers, size: int, occurring: Occurring = "once"
) -> list[tuple[int, int]]:
    """Places of runs of ``size`` atoms that both texts have, in an order both share.

    Either of runs that occur once in each text, or of all runs, the first of one text with the
    first of the other, the second with the second.
    """
    runs, cut = _numbered_runs(ours, theirs, size)
    known = [_known_runs(part, occurring) for part in (runs[:cut], runs[cut:])]
    _, first, second = np.intersect1d(
        known[0][0], known[1][0], assume_unique=True, return_indices=True
    )
    pairs = sorted(zip(known[0][1][first].tolist(), known[1][1][second].tolist(), strict=True))
    return _longest_increasing(pairs)


def _numbered_runs(ours: Numbers, theirs: Numbers, size: int) -> tuple[Numbers, int]:
    """A number for every run of both texts, and how many are of the first; the same for equal ones.

    Longer by an atom again and again, runs are numbered again, so that numbers stay small.
    """
    sides = [ours, theirs]
    runs = np.concatenate(sides)
    for shift in range(1, size):
        cut = max(len(ours) - shift + 1, 0)
        before = [part[:-1] for part in (runs[:cut], runs[cut:])]
        after = [side[shift:] for side in sides]
        longer = np.concatenate(before) * (max(int(s.max(initial=0)) for s in sides) + 1)
        runs = np.unique(longer + np.concatenate(after), return_inverse=True)[1]
    return runs, max(len(ours) - size + 1, 0)


def _known_runs(runs: Numbers, occurring: Occurring) -> tuple[Numbers, Numbers]:
    """Runs to look for in the other text, as numbers that occur once, and their places."""
    places = np.argsort(runs, kind="stable")
    found = runs[places]
    first = np.searchsorted(found, found)
    if occurring == "in order":
        return (found << _MOST_TIMES) + np.arange(len(found)) - first, places
    once = first == np.searchsorted(found, found, side="right") - 1
    return found[once], places[once]


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs (in order of the first) in which the second goes up too."""
    tails: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        at = bisect_left(tails, second)
        before.append(places[at - 1] if at else -1)
        if at == len(tails):
            tails.append(second)
            places.append(index)
        else:
            tails[at] = second
            places[at] = index
    chain = []
    at = places[-1] if places else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]
