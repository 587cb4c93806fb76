"""Distribution functions and ranks, so that the core needs no library for them."""

from __future__ import annotations

from functools import cache
from math import erfc, exp, lgamma, log, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from redink.statistics.resampling import FloatArray

_STEP = 1 / 256
_END = 37.5  # beyond, the normal distribution function is 0 in double precision
_ORDER = 4
_MOST_STEPS = 10_000


def normal_density(x: FloatArray) -> FloatArray:
    """Return the density of the standard normal distribution."""
    density: FloatArray = np.exp(x * x * -0.5) / sqrt(2 * pi)
    return density


def normal_cdf(x: FloatArray, density: FloatArray | None = None) -> FloatArray:
    """Return the standard normal distribution function, with full relative precision in the tail.

    It is the density times Mills' ratio, whose Taylor series around the nearest point of a grid
    converges fast. ``density`` avoids computing it again.
    """
    *others, ratios = _mills_ratios()
    distance = np.minimum(np.abs(x), _END)
    nearest = (distance / _STEP + 0.5).astype(np.intp)
    offset = distance - nearest * _STEP
    tail = ratios.take(nearest)
    for derivative in reversed(others):
        tail *= offset
        tail += derivative.take(nearest)
    tail *= normal_density(x) if density is None else density
    return np.asarray(np.where(x > 0, 1 - tail, tail))


@cache
def _mills_ratios() -> FloatArray:
    """Return the Taylor coefficients of (1 - cdf) / density at the points of the grid, by order."""
    points = []
    for x in np.arange(0, _END + 2 * _STEP, _STEP).tolist():
        terms = [sqrt(pi / 2) * exp(x * x / 2) * erfc(x / sqrt(2))]
        terms.append(x * terms[0] - 1)
        for order in range(1, _ORDER):
            terms.append((x * terms[-1] + terms[-2]) / (order + 1))
        points.append(terms)
    return np.ascontiguousarray(np.transpose(points))


def normal_quantile(share: float) -> float:
    """Return the value below which a standard normal variable lies with this probability."""
    return NormalDist().inv_cdf(share)


def student_t_cdf(degrees: float, t: float) -> float:
    """Return the distribution function of Student's t distribution."""
    whole = degrees + t * t
    tail = incomplete_beta(degrees / 2, 0.5, degrees / whole, t * t / whole) / 2
    return 1 - tail if t > 0 else tail


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided p-value of a sign test: wins and losses are equally likely."""
    fewer, more = sorted((wins, losses))
    if fewer == more:
        return 1.0
    return min(1.0, 2 * incomplete_beta(more, fewer + 1, 0.5, 0.5))


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularized incomplete beta function of x, by its continued fraction.

    ``rest`` is 1 - x, which may be known more exactly.
    """
    if x <= 0 or rest <= 0:
        return float(rest <= 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, rest, x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) / a
    # the method of Lentz
    above, below = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = below
    for m in range(1, _MOST_STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            below, above = 1 / (1 + term * below), 1 + term / above
            value *= below * above
        if abs(below * above - 1) < 1e-16:
            break
    return front * value


def average_ranks(values: ArrayLike) -> FloatArray:
    """Return ranks from 1 along the last axis; equal values share their average rank.

    Ranks are NaN where a value along the axis is NaN.
    """
    array = np.asarray(values, dtype=np.float64)
    size = array.shape[-1]
    order = np.argsort(array, axis=-1, kind="stable")
    ordered = np.take_along_axis(array, order, axis=-1)
    place = np.broadcast_to(np.arange(size), array.shape)
    is_new = np.ones(array.shape, dtype=np.bool_)
    is_new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    is_last = np.ones(array.shape, dtype=np.bool_)
    is_last[..., :-1] = is_new[..., 1:]
    first = np.maximum.accumulate(np.where(is_new, place, 0), axis=-1)
    last = np.where(is_last, place, size)[..., ::-1]
    last = np.minimum.accumulate(last, axis=-1)[..., ::-1]
    ranks = np.empty(array.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    ranks[np.isnan(array).any(axis=-1)] = np.nan
    return ranks
