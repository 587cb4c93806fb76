"""Bootstrap samples, permutations and confidence intervals."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.options import Confidence, Needs, NotNegative, Options, Seed

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


_INTERVALS = (
    None,
    "systems",
    "points",
    "tests",
    "measures",
    "bins",
    "statistics",
    "pairs",
    "judges",
    "repeated",
    "edits",
)
"""Measures that have confidence intervals in ``agreement``, ``crowd`` and ``detection``."""


@dataclass(frozen=True)
class ResamplingOptions(Options):
    """Bootstrap confidence intervals.

    Attributes:
        bootstrap: number of bootstrap samples; 0 for no intervals.
        confidence: confidence level of the intervals.
        seed: random seed.
    """

    bootstrap: Annotated[NotNegative, Needs(interval="bootstrap", show=_INTERVALS)] = 1000
    confidence: Confidence = 0.95
    seed: Seed = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_one_sample(self.bootstrap)

    def rng(self) -> np.random.Generator:
        """Return a new generator with the seed, so that equal draws are repeated exactly."""
        return np.random.default_rng(self.seed)

    def signature(self) -> dict[str, Any]:
        """Return the options that determine the intervals; empty without intervals."""
        return dict(vars(self)) if self.bootstrap else {}


def refuse_one_sample(bootstrap: int) -> None:
    """Reject a single bootstrap sample, whose interval has zero width."""
    if bootstrap == 1:
        raise OptionError("bootstrap must be 0 (no intervals) or at least 2, not 1")


def draw_bootstrap(size: int, samples: int, rng: np.random.Generator) -> IntArray:
    """Draw the indices of ``samples`` bootstrap samples of ``size`` items, one row per sample."""
    if size < 1 or samples < 1:
        raise OptionError("a bootstrap needs at least one item and one sample")
    return rng.integers(0, size, size=(samples, size), dtype=np.int64)


def draw_bootstrap_weights(size: int, samples: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each item occurs in each sample; sums become matrix products."""
    weights = np.zeros((samples, size))
    for number, drawn in enumerate(draw_bootstrap(size, samples, rng)):
        weights[number] = np.bincount(drawn, minlength=size)
    return weights


def percentile_interval(
    values: NDArray[Any], *, confidence: float = 0.95, axis: int = 0
) -> tuple[Any, Any]:
    """Return the percentile interval of bootstrap values, ignoring undefined ones (NaN)."""
    tail = (1 - confidence) / 2
    with warnings.catch_warnings():
        # if all values are undefined, the interval is undefined too
        warnings.filterwarnings("ignore", "All-NaN", RuntimeWarning)
        low, high = np.nanquantile(values, [tail, 1 - tail], axis=axis)
    return low, high


def interval_of(
    values: FloatArray, *, confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """Return the percentile interval of bootstrap values, or None if all are undefined."""
    if np.isnan(values).all():
        return None, None
    low, high = percentile_interval(values, confidence=confidence)
    return float(low), float(high)


def draw_bootstrap_blocks(
    size: int,
    samples: int,
    rng: np.random.Generator,
    *,
    cells: int = 4_000_000,
    groups: IntArray | None = None,
) -> Iterator[FloatArray]:
    """Yield the rows of :func:`draw_bootstrap_weights` in blocks of limited size.

    The rows do not depend on the block size. With ``groups`` (a number from 0 for every item),
    whole groups are drawn, each with all its items.
    """
    step = max(1, cells // max(1, size))
    drawn = size if groups is None else int(groups.max()) + 1
    for start in range(0, samples, step):
        weights = draw_bootstrap_weights(drawn, min(step, samples - start), rng)
        yield weights if groups is None else weights[:, groups]


def draw_swaps(
    size: int, samples: int, rng: np.random.Generator, *, groups: IntArray | None = None
) -> BoolArray:
    """Draw the items that two systems exchange, one row per permutation.

    With ``groups`` (a number from 0 for every item), whole groups are exchanged.
    """
    if groups is not None:
        return draw_swaps(int(groups.max()) + 1, samples, rng)[:, groups]
    if size < 1 or samples < 1:
        raise OptionError("a randomization test needs at least one item and one sample")
    return rng.integers(0, 2, size=(samples, size), dtype=np.int8).view(np.bool_)
