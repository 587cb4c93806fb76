"""Significance of differences: paired tests, multiple comparisons, and groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import ceil, erfc, sqrt
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError

IntArray = NDArray[np.int64]


def bootstrap_p(observed: float, differences: NDArray[Any]) -> float | None:
    """Return the two-sided p-value of a paired bootstrap test.

    The bootstrap differences are distributed around the observed difference. Shifted to a mean of
    0, they show the differences expected by chance, and p is the share of them that are at least as
    far from 0 as the observed one (Efron and Tibshirani, 1993, section 16.4). The observed
    difference itself is included, so p is never 0.
    """
    known = differences[~np.isnan(differences)]
    if not len(known):
        return None
    return randomization_p(observed, known - known.mean())


def normal_p(observed: float, differences: NDArray[Any]) -> float | None:
    """Return the two-sided p-value, assuming normally distributed bootstrap differences.

    Unlike a share of the samples, this p-value can be arbitrarily small, so fewer samples are
    enough for many comparisons.
    """
    known = differences[~np.isnan(differences)]
    if len(known) < 2:
        return None
    spread = float(known.std(ddof=1))
    if spread < 1e-12:
        return 1.0 if abs(observed) < 1e-12 else 0.0
    return erfc(abs(observed) / (spread * sqrt(2)))


def samples_for(tests: int, level: float = 0.05) -> int:
    """Return the number of samples with which Holm's method can find a difference in N tests.

    The smallest p-value of N samples is 1 / (N + 1), and the smallest adjusted p-value is that
    times the number of tests; it should be at most half of the level.
    """
    return max(1000, ceil(2 * tests / level / 1000) * 1000)


def randomization_p(observed: float, differences: NDArray[Any]) -> float | None:
    """Return the two-sided p-value of an approximate randomization test (Noreen, 1989).

    ``differences`` come from pairs of systems that exchanged random sentences, which would not
    matter if both systems were equally good. The observed difference itself is included.
    """
    return share_reached(*count_reached(observed, differences).tolist())


def count_reached(observed: NDArray[Any] | float, differences: NDArray[Any]) -> IntArray:
    """Count the differences as far from 0 as the observed one, and the defined differences.

    With several columns of differences, ``observed`` has one number per column, and so has each
    row of the result. Counts of separate sets of differences can be added.
    """
    # sums in another order differ in their last bits; treat such differences as equal
    reached = np.abs(differences) >= np.abs(observed) - 1e-12
    undefined = np.isnan(differences).sum(axis=0)
    return np.array([reached.sum(axis=0), len(differences) - undefined])


def share_reached(reached: int, known: int) -> float | None:
    """Return the p-value of these counts, including the observed difference."""
    return (reached + 1) / (known + 1) if known else None


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p-values for multiple tests (Holm, 1979); undefined ones are not counted as tests."""
    known = [(p, index) for index, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(sorted(known)):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[index] = highest
    return adjusted


def letter_groups(size: int, different: Collection[tuple[int, int]]) -> list[str]:
    """Assign letters so that two items share one exactly if no test separates them.

    The items are in order, best first; ``different`` contains the pairs that differ significantly.
    This is the compact letter display (Piepho, 2004): start with one group of all items; if a
    group contains such a pair, split it into two groups, each without one of the two items; remove
    groups that are contained in others.
    """
    groups: list[frozenset[int]] = [frozenset(range(size))]
    for first, second in different:
        if first == second:
            raise OptionError("an item cannot differ from itself")
        split = []
        for group in groups:
            if first in group and second in group:
                split += [group - {first}, group - {second}]
            else:
                split.append(group)
        unique = list(dict.fromkeys(split))
        groups = [g for g in unique if not any(g < other for other in unique)]
    groups.sort(key=sorted)
    letters = [""] * size
    for number, group in enumerate(groups):
        for item in group:
            letters[item] += _letter(number)
    return letters


def _letter(number: int) -> str:
    """Return letters from a to z, then a1 to z1 and so on."""
    round_, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(round_) if round_ else "")
