"""Confidence intervals for proportions of a sample, and for their sums and ratios.

All functions take numbers or arrays. ``population`` is the size of the finite population from
which the sample was drawn without replacement: the larger the sampled fraction, the narrower the
interval. By default the population is infinite. ``design_effect`` is the variance of the values in
the sample divided by that of binary values with the same mean: 1 for binary values, less if values
are between 0 and 1, such as shares of judges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from redink.errors import OptionError
from redink.statistics.arrays import divide_or_nan
from redink.statistics.distributions import normal_quantile
from redink.statistics.resampling import FloatArray


@dataclass(frozen=True)
class Interval:
    """An estimate and the bounds of its interval: numbers, or arrays of one shape."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray

    def scaled(self, factor: ArrayLike) -> Interval:
        """Return the interval of this quantity times a known factor."""
        by = np.asarray(factor, dtype=np.float64)
        return Interval(self.estimate * by, self.low * by, self.high * by)

    def shifted(self, offset: ArrayLike) -> Interval:
        """Return the interval of this quantity plus a known amount."""
        by = np.asarray(offset, dtype=np.float64)
        return Interval(self.estimate + by, self.low + by, self.high + by)

    def complement(self) -> Interval:
        """Return the interval of 1 minus this proportion."""
        return Interval(1 - self.estimate, 1 - self.high, 1 - self.low)


def critical_value(confidence: float) -> float:
    """Return the standard normal quantile with (1 - confidence)/2 above it: 1.96 for .95."""
    if not 0 < confidence < 1:
        raise OptionError(f"confidence must be between 0 and 1, not {confidence:g}")
    below = (1 + confidence) / 2
    # the quantile is rounded to 1 here: use the other tail
    return normal_quantile(below) if below < 1 else -normal_quantile((1 - confidence) / 2)


def _effective_size(
    size: FloatArray, population: ArrayLike | None, design_effect: float
) -> FloatArray:
    """Return the size of a binary sample from an infinite population with the same variance."""
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
    """Return the normal (Wald) interval p ± z √(p(1-p)/n).

    Its coverage is too low for small counts, and its width is 0 at 0 and 1.
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
    """Return Wilson's score interval, which is valid for small counts and for 0 and 1."""
    share, n = _proportion(successes, size)
    effective = _effective_size(n, population, design_effect)
    square = divide_or_nan(np.asarray(critical_value(confidence) ** 2), effective)
    centre = (share + square / 2) / (1 + square)
    reach = np.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    # At 0 and 1 the outer bound equals the estimate, apart from rounding errors.
    low = np.clip(np.minimum(centre - reach, share), 0, 1)
    high = np.clip(np.maximum(centre + reach, share), 0, 1)
    return Interval(share, np.where(share == 0, 0, low), np.where(share == 1, 1, high))


def sum_interval(first: Interval, second: Interval) -> Interval:
    """Return the sum of two independent quantities with its interval (Zou and Donner 2008).

    This is the method of variance estimates recovery (MOVER): the squared distance of each bound
    from the estimate is the sum of the squared distances for the two quantities. It preserves their
    coverage and skewness, unlike a normal approximation.
    """
    estimate = first.estimate + second.estimate
    down = np.hypot(first.estimate - first.low, second.estimate - second.low)
    up = np.hypot(first.high - first.estimate, second.high - second.estimate)
    return Interval(estimate, estimate - down, estimate + up)


def ratio_interval(numerator: Interval, denominator: Interval) -> Interval:
    """Return the ratio of two independent non-negative quantities with its interval.

    This is MOVER for ratios (Li, Tang and Wong 2014), based on Fieller's theorem: at the bounds r,
    the interval of "numerator minus r times denominator" just touches 0. The upper bound is
    infinite if the denominator may be 0; 0/0 has no estimate and an unbounded interval.
    """
    a, al, au = numerator.estimate, numerator.low, numerator.high
    b, bl, bu = denominator.estimate, denominator.low, denominator.high
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = a / b
        product = a * b
        low_scale = bu * (2 * b - bu)
        high_scale = bl * (2 * b - bl)
        # Conjugate form: the usual form loses all digits when the scale is near 0.
        low_root = np.sqrt(np.maximum(product**2 - al * (2 * a - al) * low_scale, 0))
        low = al * (2 * a - al) / (product + low_root)
        high_root = np.sqrt(np.maximum(product**2 - au * (2 * a - au) * high_scale, 0))
        high = (product + high_root) / high_scale
    low = np.where(np.isfinite(low), np.maximum(low, 0), 0)
    high = np.where(np.isnan(high) | (bl <= 0), np.inf, high)
    unknown = np.isnan(a) | np.isnan(b)
    return Interval(estimate, np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))
