"""Correlations of score vectors (single or many at once), and tests of their differences.

Pearson's r, Spearman's rho and Kendall's tau are each the cosine of two vectors computed from the
scores (centered scores, centered ranks, signs of all differences), so thousands of correlations
(in a bootstrap, for example) are one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from redink.errors import DataError, OptionError, unknown_name
from redink.statistics.arrays import divide_or_nan
from redink.statistics.distributions import average_ranks, student_t_cdf
from redink.statistics.resampling import FloatArray

Coefficient = Literal["spearman", "pearson", "kendall"]
COEFFICIENTS: tuple[Coefficient, ...] = ("spearman", "pearson", "kendall")

KendallTies = Literal["b", "a", "gamma"]
"""How pairs that are tied in one of the rankings count:

``b``: tau-b; ties shorten the vectors, so a perfect order with the same ties gives 1.
``a``: tau-a; ties are neither concordant nor discordant, but count in the number of pairs.
``gamma``: Goodman and Kruskal's gamma; ties are ignored completely.
"""
KENDALL_TIES: tuple[KendallTies, ...] = ("b", "a", "gamma")

# A vector shorter than this fraction of its values' size is constant apart from rounding errors.
_CONSTANT = 1e-12


def correlate(
    first: ArrayLike,
    second: ArrayLike,
    coefficient: Coefficient,
    *,
    kendall_ties: KendallTies = "b",
) -> FloatArray:
    """Compute the correlations of each row of ``first`` with each row of ``second``.

    Two vectors give one number (an array without axes), a vector and a matrix give a vector, two
    matrices give a matrix. NaN if a row is constant or has an undefined value.
    """
    return _combine(first, second, coefficient, kendall_ties, lambda one, other: one @ other.T)


def correlate_rows(
    first: ArrayLike,
    second: ArrayLike,
    coefficient: Coefficient,
    *,
    kendall_ties: KendallTies = "b",
) -> FloatArray:
    """Compute the correlation of each row of ``first`` with the same row of ``second``."""

    def product(one: FloatArray, other: FloatArray) -> FloatArray:
        products: FloatArray = (one * other).sum(axis=-1)
        return products

    return _combine(first, second, coefficient, kendall_ties, product)


def correlate_all(
    first: FloatArray,
    second: FloatArray,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    *,
    kendall_ties: KendallTies = "b",
) -> dict[str, float | None]:
    """Return several coefficients of two vectors by name; None if one is undefined."""
    found: dict[str, float | None] = dict.fromkeys(coefficients)
    if len(first) > 1:
        for name in coefficients:
            value = float(correlate(first, second, name, kendall_ties=kendall_ties))
            found[name] = None if np.isnan(value) else value
    return found


def _combine(
    first: ArrayLike,
    second: ArrayLike,
    coefficient: Coefficient,
    ties: KendallTies,
    product: Callable[[FloatArray, FloatArray], FloatArray],
) -> FloatArray:
    one, other = _features(first, coefficient), _features(second, coefficient)
    if one.shape[-1] != other.shape[-1]:
        raise DataError("correlations need the same number of values on both sides")
    if ties not in KENDALL_TIES:
        raise OptionError(f"ties must be one of {', '.join(KENDALL_TIES)}, not {ties!r}")
    if coefficient != "kendall" or ties == "b":
        return np.clip(product(_unit(one), _unit(other)), -1.0, 1.0)
    pairs = np.asarray(one.shape[-1]) if ties == "a" else product(np.abs(one), np.abs(other))
    return divide_or_nan(product(one, other), pairs)


def _features(values: ArrayLike, coefficient: Coefficient) -> FloatArray:
    """Return the vectors whose cosine is the coefficient."""
    array = np.asarray(values, dtype=np.float64)
    if coefficient == "pearson":
        centred: FloatArray = array - array.mean(axis=-1, keepdims=True)
        size = np.abs(array).max(axis=-1, keepdims=True, initial=0.0)
        centred[np.abs(centred) <= _CONSTANT * size] = 0.0
        return centred
    if coefficient == "spearman":
        ranks = average_ranks(array)
        ranks -= (array.shape[-1] + 1) / 2
        return ranks
    if coefficient == "kendall":
        left, right = np.triu_indices(array.shape[-1], 1)
        return np.sign(array[..., left] - array[..., right])
    raise unknown_name("correlation", coefficient, COEFFICIENTS)


def _unit(vectors: FloatArray) -> FloatArray:
    lengths = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return divide_or_nan(vectors, lengths)


@dataclass(frozen=True)
class WilliamsTest:
    """Result of a Williams test: whether one correlation with a common variable is higher.

    Attributes:
        t: the test statistic; positive if the first correlation is higher.
        degrees: degrees of freedom.
        p: one-sided p-value, for the alternative that the first correlation is higher.
    """

    t: float
    degrees: int
    p: float


def williams_test(first: float, second: float, between: float, size: int) -> WilliamsTest | None:
    """Compare two dependent correlations by the Williams test (Williams 1959; Steiger 1980).

    Args:
        first: correlation of the first metric with human judgments.
        second: correlation of the second metric with human judgments.
        between: correlation of the two metrics.
        size: number of systems.

    Returns:
        None if undefined: fewer than four systems, an undefined correlation, or metrics that are
            the same up to scale.
    """
    values = (first, second, between)
    if size < 4 or not all(np.isfinite(values)) or abs(between) > 1 - 1e-12:
        return None
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean_square = (first + second) ** 2 / 4 * (1 - between) ** 3
    below = 2 * (size - 1) / (size - 3) * determinant + mean_square
    if below <= 0:
        return None
    t = (first - second) * np.sqrt((size - 1) * (1 + between) / below)
    degrees = size - 3
    return WilliamsTest(float(t), degrees, student_t_cdf(degrees, -float(t)))
