"""How likely a written preposition is an error, given what fits its place.

A classifier says how well every word fits a place, p(word | place). That alone is a poor judge of
writers: *since*, *without* or *through* are rarely the likeliest word anywhere, but who writes
them means them. So a slip is seen as a noisy channel. With a small chance a writer slips, and then
writes a word as often as it is written at all, whatever the place wants; else the word is the one
that the place wants. By Bayes' rule the odds of a slip are

    rate / (1 - rate) * frequency(written) * (1 - p(written | place)) / p(written | place)

A word is suspect not where another fits better, but where it fits its place worse than it fits
places in general.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redink.detectors.findings import Finding
from redink.detectors.prepositions import NOTHING, PREPOSITIONS

ERROR_RATE = 0.1
"""How many prepositions of learners are wrong: 6 to 10 % (Tetreault and Chodorow 2008)."""

_TINY = 1e-12


def count_frequencies(labels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The share of every preposition in a text; one that is not in it counts as seen once."""
    counts = np.bincount(labels[labels != NOTHING], minlength=NOTHING).clip(min=1)
    return np.asarray(counts / counts.sum(), np.float32)


def judge_place(
    at: int, written: int, fits: NDArray[np.float64], frequencies: NDArray[np.float32]
) -> Finding:
    """The error that a preposition most likely is, and how likely it is one of any kind.

    Args:
        at: the token.
        written: the number of the preposition that stands there.
        fits: the probability of each of the 34 prepositions, and of none, at this place.
        frequencies: of each preposition in general.
    """
    others = fits.copy()
    others[written] = -1.0
    best = int(others.argmax())
    own = float(fits[written]) + _TINY
    odds = ERROR_RATE / (1 - ERROR_RATE) * float(frequencies[written]) * max(1 - own, 0.0) / own
    confidence = odds / (1 + odds)
    if best == NOTHING:
        return Finding(at, "extraneous", "", confidence)
    return Finding(at, "confusion", PREPOSITIONS[best], confidence)


def judge_presence(at: int, written: int, fits: NDArray[np.float64]) -> Finding:
    """Whether a preposition is extraneous: none at all against the written one."""
    nothing = float(fits[NOTHING])
    return Finding(at, "extraneous", "", nothing / (nothing + float(fits[written]) + _TINY))
