"""Arithmetic on arrays in which some values are undefined."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Below this a denominator is 0 but for rounding.
_NOTHING = 1e-12


def divide_or_nan(numerator: NDArray[Any], denominator: NDArray[Any]) -> NDArray[np.float64]:
    """The quotient, element by element; NaN, without a warning, where the denominator is 0."""
    undefined = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=undefined, where=np.abs(denominator) > _NOTHING)
    return undefined
