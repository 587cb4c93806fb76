"""Arithmetic on arrays in which some values are undefined."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.model.counts import Cells, ratio_of

# Below this a denominator is 0 but for rounding.
_NOTHING = 1e-12


def divide_or_nan(numerator: NDArray[Any], denominator: NDArray[Any]) -> NDArray[np.float64]:
    """The quotient, element by element; NaN, without a warning, where the denominator is 0."""
    undefined = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=undefined, where=np.abs(denominator) > _NOTHING)
    return undefined


def measure_counts(name: str, cells: Cells) -> NDArray[np.float64]:
    """A measure of many tables of counts, arrays of cells; NaN where it is undefined.

    The formulas are those of :mod:`redink.model.counts`.
    """
    above, *below = ratio_of(name, cells)
    return divide_or_nan(above, below[0] if len(below) == 1 else prod(map(np.sqrt, below)))


def f_of_rates(
    precision: NDArray[np.float64], recall: NDArray[np.float64], beta: float
) -> NDArray[np.float64]:
    """F where the counts behind precision and recall are not known; 0 where either is 0."""
    weight = beta**2
    score = divide_or_nan((1 + weight) * precision * recall, weight * precision + recall)
    return np.nan_to_num(score, nan=0.0)
