"""Whether a difference is significant: paired tests, many at once, and groups."""

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
    """The two-sided p-value of a paired bootstrap test.

    The bootstrap differences spread around the observed one; moved to spread around 0 they are
    what chance alone would give, and p is the share of them that are at least as far from 0 as
    the observed one (Efron and Tibshirani, 1993, section 16.4). The observation itself counts as
    one of them, so that p is never 0.
    """
    known = differences[~np.isnan(differences)]
    if not len(known):
        return None
    return randomization_p(observed, known - known.mean())


def normal_p(observed: float, differences: NDArray[Any]) -> float | None:
    """The two-sided p-value if the bootstrap differences are spread normally.

    Unlike a share of the samples it can be as small as the evidence is strong, so that few
    samples do for many comparisons.
    """
    known = differences[~np.isnan(differences)]
    if len(known) < 2:
        return None
    spread = float(known.std(ddof=1))
    if spread < 1e-12:
        return 1.0 if abs(observed) < 1e-12 else 0.0
    return erfc(abs(observed) / (spread * sqrt(2)))


def samples_for(tests: int, level: float = 0.05) -> int:
    """Samples enough for so many tests: with fewer, Holm's method could find no difference.

    The smallest p-value of N samples is 1 / (N + 1), and the smallest adjusted one is that times
    the number of tests; it should be no more than half of the level.
    """
    return max(1000, ceil(2 * tests / level / 1000) * 1000)


def randomization_p(observed: float, differences: NDArray[Any]) -> float | None:
    """The two-sided p-value of an approximate randomization test (Noreen, 1989).

    ``differences`` come from pairs of systems made by exchanging some sentences at random: what
    they would be if both systems were the same. The observation itself counts as one of them.
    """
    return share_reached(*count_reached(observed, differences).tolist())


def count_reached(observed: NDArray[Any] | float, differences: NDArray[Any]) -> IntArray:
    """How many differences are as far from 0 as the observed one, and how many are defined.

    With several columns of differences, ``observed`` has a number for each, and so has the result
    in both of its rows. Counts of some differences and of others add up.
    """
    # sums in another order differ in their last bits; equal differences are equal
    reached = np.abs(differences) >= np.abs(observed) - 1e-12
    undefined = np.isnan(differences).sum(axis=0)
    return np.array([reached.sum(axis=0), len(differences) - undefined])


def share_reached(reached: int, known: int) -> float | None:
    """The p-value that these counts give, the observation itself counted in."""
    return (reached + 1) / (known + 1) if known else None


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p-values adjusted for their number (Holm, 1979); an undefined one is not a test."""
    known = [(p, index) for index, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(sorted(known)):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[index] = highest
    return adjusted


def letter_groups(size: int, different: Collection[tuple[int, int]]) -> list[str]:
    """Letters such that two items share one exactly if no test separates them.

    The items are in order, best first; ``different`` holds the pairs that differ significantly.
    This is the compact letter display (Piepho, 2004): start with one group of all; where such a
    pair stands in one group, split the group into the two without either; drop what another
    contains.
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
    """Letters from a to z, then a1 to z1 and so on."""
    round_, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(round_) if round_ else "")
