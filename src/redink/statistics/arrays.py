"""Arithmetic on arrays that may contain undefined values."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.model.counts import Cells, f_terms, ratio_of

# Denominators below this are 0 apart from rounding errors.
_NOTHING = 1e-12


def divide_or_nan(numerator: NDArray[Any], denominator: NDArray[Any]) -> NDArray[np.float64]:
    """Divide element by element; NaN, without a warning, where the denominator is 0."""
    undefined = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=undefined, where=np.abs(denominator) > _NOTHING)
    return undefined


def sum_rows(values: NDArray[Any], places: NDArray[Any], size: int) -> NDArray[Any]:
    """Return, for each of ``size`` places, the sum of the rows of ``values`` with this place."""
    sums = np.zeros((size, values.shape[1]), dtype=values.dtype)
    if len(places):
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        sums[ordered[starts]] = np.add.reduceat(values[order], starts, axis=0)
    return sums


def measure_counts(name: str, cells: Cells) -> NDArray[np.float64]:
    """Compute a measure of many tables of counts (arrays of cells); NaN where undefined.

    The formulas are those of :mod:`redink.model.counts`.
    """
    above, *below = ratio_of(name, cells)
    return divide_or_nan(above, below[0] if len(below) == 1 else prod(map(np.sqrt, below)))


def divide_or(numerator: Any, denominator: Any, otherwise: Any) -> NDArray[np.float64]:
    """Divide element by element; ``otherwise`` where the denominator is exactly 0."""
    shape = np.broadcast(numerator, denominator).shape
    result = np.broadcast_to(np.asarray(otherwise, dtype=np.float64), shape).copy()
    np.divide(numerator, denominator, out=result, where=np.asarray(denominator) != 0)
    return result


def f_of_rates(
    precision: NDArray[np.float64], recall: NDArray[np.float64], beta: float
) -> NDArray[np.float64]:
    """Compute F of arrays of precision and recall; 0 where both are 0."""
    return divide_or(*f_terms(precision, recall, beta), 0.0)


def scorer_f(counts: NDArray[Any], beta: float) -> NDArray[np.float64]:
    """Compute F of counts ``(..., 3)``, as :func:`redink.model.counts.scorer_measures` does."""
    tp, fp, fn = (counts[..., place].astype(float) for place in range(3))
    precision = np.divide(tp, tp + fp, out=np.ones_like(tp), where=fp != 0)
    recall = np.divide(tp, tp + fn, out=np.ones_like(tp), where=fn != 0)
    return f_of_rates(precision, recall, beta)
