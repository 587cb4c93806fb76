"""Intervals for proportions of a sample, and for what is computed from two of them.

All functions take numbers or arrays. ``population`` is the size of the finite population from
which the sample was drawn without replacement: the closer the sample comes to all of it, the
narrower the interval. Without it the population is endless. ``design_effect`` is the variance of
the values in the sample over that of yes-or-no values with the same mean: 1 for these, less where
values lie between 0 and 1, such as shares of judges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from redink.errors import OptionError
from redink.statistics.arrays import divide_or_nan
from redink.statistics.resampling import FloatArray


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its interval: numbers, or arrays of one shape."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray

    def scaled(self, factor: ArrayLike) -> Interval:
        """The interval of a known multiple."""
        by = np.asarray(factor, dtype=np.float64)
        return Interval(self.estimate * by, self.low * by, self.high * by)

    def shifted(self, offset: ArrayLike) -> Interval:
        """The interval of a known amount more."""
        by = np.asarray(offset, dtype=np.float64)
        return Interval(self.estimate + by, self.low + by, self.high + by)

    def complement(self) -> Interval:
        """The interval of one less this proportion."""
        return Interval(1 - self.estimate, 1 - self.high, 1 - self.low)


def critical_value(confidence: float) -> float:
    """The standard normal's quantile that leaves half of 1 - confidence above it: 1.96 for .95."""
    if not 0 < confidence < 1:
        raise OptionError(f"confidence must be between 0 and 1, not {confidence:g}")
    from scipy.special import ndtri  # half a second to load

    below = (1 + confidence) / 2
    # so near 1 that it is rounded to 1: the other tail still knows
    return float(ndtri(below) if below < 1 else -ndtri((1 - confidence) / 2))


def _effective_size(
    size: FloatArray, population: ArrayLike | None, design_effect: float
) -> FloatArray:
    """The size of a sample of yes-or-no values that is worth as much in an endless population."""
    size_of_votes: FloatArray = size / design_effect
    if population is None:
        return size_of_votes
    whole = np.asarray(population, dtype=np.float64)
    left = whole - size
    endless = np.full(np.broadcast(size, whole).shape, np.inf)
    np.divide(size_of_votes * (whole - 1), left, out=endless, where=left > 0)
    return endless


def _proportion(successes: ArrayLike, size: ArrayLike) -> tuple[FloatArray, FloatArray]:
    n = np.asarray(size, dtype=np.float64)
    x = np.asarray(successes, dtype=np.float64)
    return divide_or_nan(x, n), n


def normal_interval(
    successes: ArrayLike,
    size: ArrayLike,
    *,
    confidence: float = 0.95,
    population: ArrayLike | None = None,
    design_effect: float = 1.0,
) -> Interval:
    """The textbook interval p ± z √(p(1-p)/n).

    It is too short for small counts, and has no width at all at 0 and 1.
    """
    share, n = _proportion(successes, size)
    effective = _effective_size(n, population, design_effect)
    reach = critical_value(confidence) * np.sqrt(divide_or_nan(share * (1 - share), effective))
    return Interval(share, np.clip(share - reach, 0, 1), np.clip(share + reach, 0, 1))


def wilson_interval(
    successes: ArrayLike,
    size: ArrayLike,
    *,
    confidence: float = 0.95,
    population: ArrayLike | None = None,
    design_effect: float = 1.0,
) -> Interval:
    """Wilson's score interval, which keeps its confidence for small counts, 0 and 1 included."""
    share, n = _proportion(successes, size)
    effective = _effective_size(n, population, design_effect)
    square = divide_or_nan(np.asarray(critical_value(confidence) ** 2), effective)
    centre = (share + square / 2) / (1 + square)
    reach = np.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    # At 0 and 1 the outer end is the estimate itself, but for rounding.
    low = np.clip(np.minimum(centre - reach, share), 0, 1)
    high = np.clip(np.maximum(centre + reach, share), 0, 1)
    return Interval(share, np.where(share == 0, 0, low), np.where(share == 1, 1, high))


def sum_interval(first: Interval, second: Interval) -> Interval:
    """The sum of two independent quantities, from their own intervals (Zou and Donner 2008).

    The method of variance estimates recovery (MOVER): each end is as far from the estimate as
    the distances of the parts' ends, added as squares. It inherits the parts' good coverage and
    their skewness, where a normal approximation would have neither.
    """
    estimate = first.estimate + second.estimate
    down = np.hypot(first.estimate - first.low, second.estimate - second.low)
    up = np.hypot(first.high - first.estimate, second.high - second.estimate)
    return Interval(estimate, estimate - down, estimate + up)


def ratio_interval(numerator: Interval, denominator: Interval) -> Interval:
    """The ratio of two independent quantities that are not negative, from their own intervals.

    MOVER for ratios (Li, Tang and Wong 2014), after Fieller's theorem: the ends are where the
    difference "numerator less r times denominator" has an interval that just touches 0. The
    upper end is infinite where the denominator may be 0; 0/0 has no estimate and may be anything.
    """
    a, al, au = numerator.estimate, numerator.low, numerator.high
    b, bl, bu = denominator.estimate, denominator.low, denominator.high
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = a / b
        product = a * b
        low_scale = bu * (2 * b - bu)
        high_scale = bl * (2 * b - bl)
        # Conjugate form: the usual one loses all digits when the scale is near 0.
        low_root = np.sqrt(np.maximum(product**2 - al * (2 * a - al) * low_scale, 0))
        low = al * (2 * a - al) / (product + low_root)
        high_root = np.sqrt(np.maximum(product**2 - au * (2 * a - au) * high_scale, 0))
        high = (product + high_root) / high_scale
    low = np.where(np.isfinite(low), np.maximum(low, 0), 0)
    high = np.where(np.isnan(high) | (bl <= 0), np.inf, high)
    unknown = np.isnan(a) | np.isnan(b)
    return Interval(estimate, np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))
