"""Bootstrap samples and shuffles, and the intervals they give."""

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


_INTERVALS = (None, "measures", "statistics", "pairs", "judges", "repeated", "edits")
"""What has intervals, of that which ``agreement`` and ``crowd`` can show."""


@dataclass(frozen=True)
class ResamplingOptions(Options):
    """How intervals are made: what was seen is drawn again and again.

    Attributes:
        bootstrap: bootstrap samples behind the intervals; 0 for no intervals.
        confidence: how sure the intervals are: 0.95 for 19 times out of 20.
        seed: the start of the random numbers: same seed, same output.
    """

    bootstrap: Annotated[NotNegative, Needs(interval="bootstrap", show=_INTERVALS)] = 1000
    confidence: Confidence = 0.95
    seed: Seed = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_one_sample(self.bootstrap)

    def rng(self) -> np.random.Generator:
        """Always the same numbers: what is drawn twice is drawn alike."""
        return np.random.default_rng(self.seed)

    def signature(self) -> dict[str, Any]:
        """What decides about the intervals; nothing where there are none."""
        return dict(vars(self)) if self.bootstrap else {}


def refuse_one_sample(bootstrap: int) -> None:
    """Refuse a single bootstrap sample, whose interval has no width."""
    if bootstrap == 1:
        raise OptionError("bootstrap must be 0 (no intervals) or at least 2, not 1")


def draw_bootstrap(size: int, samples: int, rng: np.random.Generator) -> IntArray:
    """Indices of ``samples`` bootstrap samples of ``size`` items, a row each."""
    if size < 1 or samples < 1:
        raise OptionError("a bootstrap needs at least one item and one sample")
    return rng.integers(0, size, size=(samples, size), dtype=np.int64)


def draw_bootstrap_weights(size: int, samples: int, rng: np.random.Generator) -> FloatArray:
    """How often each item is drawn in each sample: sums over a sample become matrix products."""
    weights = np.zeros((samples, size))
    for number, drawn in enumerate(draw_bootstrap(size, samples, rng)):
        weights[number] = np.bincount(drawn, minlength=size)
    return weights


def percentile_interval(
    values: NDArray[Any], *, confidence: float = 0.95, axis: int = 0
) -> tuple[Any, Any]:
    """The percentile interval of bootstrap values, undefined ones (NaN) left out."""
    tail = (1 - confidence) / 2
    with warnings.catch_warnings():
        # where all values are undefined, so is the interval
        warnings.filterwarnings("ignore", "All-NaN", RuntimeWarning)
        low, high = np.nanquantile(values, [tail, 1 - tail], axis=axis)
    return low, high


def interval_of(
    values: FloatArray, *, confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """The percentile interval of bootstrap values, or None where none of them is defined."""
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
    """The rows of :func:`draw_bootstrap_weights` in blocks of at most so many numbers.

    The blocks together are the same, however large they are. With ``groups`` (a number from 0
    for every item) whole groups are drawn, each with all its items.
    """
    step = max(1, cells // max(1, size))
    drawn = size if groups is None else int(groups.max()) + 1
    for start in range(0, samples, step):
        weights = draw_bootstrap_weights(drawn, min(step, samples - start), rng)
        yield weights if groups is None else weights[:, groups]


def draw_swaps(
    size: int, samples: int, rng: np.random.Generator, *, groups: IntArray | None = None
) -> BoolArray:
    """Which items two systems exchange in each of ``samples`` shuffles, a row each.

    With ``groups`` (a number from 0 for every item) they exchange whole groups.
    """
    if groups is not None:
        return draw_swaps(int(groups.max()) + 1, samples, rng)[:, groups]
    if size < 1 or samples < 1:
        raise OptionError("a randomization test needs at least one item and one sample")
    return rng.integers(0, 2, size=(samples, size), dtype=np.int8).view(np.bool_)
