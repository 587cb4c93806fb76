"""Ratings as an array of items by judges, with missing values, and their scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redink.errors import DataError, OptionError
from redink.statistics.resampling import FloatArray, IntArray

Scale = Literal["nominal", "ordinal", "interval"]
Weighting = Literal["identity", "linear", "quadratic"]

MISSING = -1
"""The code of a missing judgment."""


@dataclass(frozen=True)
class Ratings:
    """The ratings of all items by all judges.

    Attributes:
        codes: items by judges; the number of the category, or :data:`MISSING`.
        values: position of each category on its scale: its rank, or its number.
    """

    codes: IntArray
    values: FloatArray

    @property
    def categories(self) -> int:
        """The number of categories, used or not."""
        return len(self.values)

    @property
    def judges(self) -> int:
        """The number of judges."""
        return int(self.codes.shape[1])

    @cached_property
    def counts(self) -> FloatArray:
        """Items by categories: how many judges chose each category."""
        items, _ = self.codes.shape
        item, judge = np.nonzero(self.codes != MISSING)
        flat = item * self.categories + self.codes[item, judge]
        counts = np.bincount(flat, minlength=items * self.categories)
        return counts.reshape(items, self.categories).astype(np.float64)

    @cached_property
    def sizes(self) -> FloatArray:
        """The number of judges who rated each item."""
        sizes: FloatArray = self.counts.sum(axis=1)
        return sizes

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of judges who rated at least one item in common."""
        seen = (self.codes != MISSING).astype(np.float64)
        shared = seen.T @ seen
        return tuple((a, b) for a, b in combinations(range(self.judges), 2) if shared[a, b])

    @cached_property
    def used(self) -> IntArray:
        """The categories that occur."""
        return np.flatnonzero(self.counts.sum(axis=0))


def make_ratings(
    codes: ArrayLike, *, categories: int | None = None, values: Sequence[float] | None = None
) -> Ratings:
    """Make ratings from an array of items by judges.

    Args:
        codes: numbers of categories from 0; :data:`MISSING` (or NaN) for a missing judgment.
        categories: number of categories, if some do not occur.
        values: position of each category on its scale; by default its own number.
    """
    array = np.asarray(codes)
    if array.ndim != 2:
        raise DataError("ratings must be a two-dimensional array of items by judges")
    if np.issubdtype(array.dtype, np.floating):
        array = np.where(np.isnan(array), MISSING, array)
    array = array.astype(np.int64)
    known = len(values) if values is not None else categories
    if array.size and array.min() < MISSING:
        raise DataError(f"invalid category {array.min()}; categories are numbered from 0")
    top = int(array.max()) if array.size else MISSING
    if known is None:
        known = top + 1
    if top >= known:
        raise DataError(f"category {top} is outside the {known} categories, numbered from 0")
    positions = np.arange(known) if values is None else np.asarray(values)
    return Ratings(array, positions.astype(np.float64))


def agreement_weights(values: FloatArray, weighting: Weighting) -> FloatArray:
    """Return how much any two categories agree: 1 if equal, less for larger distances."""
    if weighting == "identity":
        return np.eye(len(values))
    if weighting not in get_args(Weighting):
        raise OptionError(f"unknown weighting {weighting!r}")
    span = np.ptp(values) if len(values) > 1 else 1.0
    distance = np.abs(values[:, None] - values[None, :]) / (span or 1.0)
    weights: FloatArray = 1 - (distance if weighting == "linear" else distance**2)
    return weights


def confusion_matrix(first: NDArray[Any], second: NDArray[Any], categories: int) -> IntArray:
    """Count one judge's categories (rows) by another's (columns), on items rated by both."""
    both = (first != MISSING) & (second != MISSING)
    flat = first[both] * categories + second[both]
    return np.bincount(flat, minlength=categories * categories).reshape(categories, categories)
