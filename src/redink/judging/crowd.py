"""Crowds of judges on whether something is an error (Madnani et al. 2011).

A crowd does not say yes or no but how many say yes. A system's hits, misses and false positives
can be counted against the majority (plain) or against those shares (weighted), and its precision
and recall looked at apart where the crowd agrees and where it does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.judging.labels import LabelMatrix
from redink.model import Counts
from redink.model.counts import Cells
from redink.statistics.arrays import divide_or_nan, measure_counts
from redink.statistics.ratings import MISSING
from redink.statistics.resampling import FloatArray, IntArray, draw_bootstrap_weights

BoolArray = NDArray[np.bool_]
Ties = Literal["ok", "error", "skip"]
DEFAULT_BINS = (0.5, 0.75, 0.9, 1.0)
"""The bins of Madnani et al.: contentious, fairly clear, clear."""


def error_votes(matrix: LabelMatrix, fine: Iterable[str]) -> IntArray:
    """Items by judges: 1 for an error, 0 for fine, MISSING where nothing was said."""
    ok = np.isin(np.array(matrix.labels), list(fine))
    votes = np.where(ok[matrix.codes], 0, 1)
    return np.where(matrix.codes == MISSING, MISSING, votes)


def error_shares(votes: IntArray) -> FloatArray:
    """The share of the crowd that sees an error in each item; NaN where nobody judged it."""
    said = (votes != MISSING).sum(axis=1)
    errors = (votes == 1).sum(axis=1)
    return divide_or_nan(errors, said)


def majority(shares: FloatArray, ties: Ties = "ok") -> FloatArray:
    """1 where most see an error, 0 where most see none; what a tie is is the caller's choice.

    ``skip`` makes it NaN, and the item counts for nothing.
    """
    tie = {"ok": 0.0, "error": 1.0, "skip": np.nan}[ties]
    decided = np.where(shares > 0.5, 1.0, np.where(shares < 0.5, 0.0, tie))
    return np.where(np.isnan(shares), np.nan, decided)


def crowd_agreement(shares: FloatArray) -> FloatArray:
    """The share of the crowd that is with its majority: from one half to one."""
    return np.maximum(shares, 1 - shares)


def count_against(flagged: BoolArray, truth: FloatArray) -> Counts:
    """Hits, false positives, misses and the rest against shares, or against a majority.

    ``truth`` is the share of the crowd that sees an error; where it is 1 or 0 throughout these
    are the usual counts. Items whose truth is NaN count for nothing.
    """
    judged = ~np.isnan(truth)
    flags, share = flagged[judged].astype(np.float64), truth[judged]
    hits, misses = float(flags @ share), float((1 - flags) @ share)
    false, rest = float(flags @ (1 - share)), float((1 - flags) @ (1 - share))
    return Counts(hits, false, misses, rest)


@dataclass(frozen=True)
class CountSamples:
    """The four counts in every bootstrap sample of the items."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray

    def precision(self) -> FloatArray:
        """Precision in every sample, NaN where nothing is flagged."""
        return measure_counts("precision", Cells(self.tp, self.fp, self.fn))

    def recall(self) -> FloatArray:
        """Recall in every sample, NaN where there is no error."""
        return measure_counts("recall", Cells(self.tp, self.fp, self.fn))

    def f(self, beta: float) -> FloatArray:
        """F in every sample."""
        return measure_counts("f", Cells(self.tp, self.fp, self.fn, beta=beta))


def bootstrap_counts(
    flagged: BoolArray, truth: FloatArray, *, samples: int, rng: np.random.Generator
) -> CountSamples:
    """The counts of :func:`count_against` in bootstrap samples of the items."""
    # Items that count for nothing are drawn too: the same seed then draws the same items
    # whatever the truth is, and differences between two truths are paired.
    flags = flagged.astype(np.float64)
    share = truth
    parts = np.nan_to_num(
        np.column_stack([flags * share, flags * (1 - share), (1 - flags) * share])
    )
    blocks = []
    block = max(1, (1 << 22) // max(len(share), 1))
    for start in range(0, samples, block):
        weights = draw_bootstrap_weights(len(share), min(block, samples - start), rng)
        blocks.append(weights @ parts)
    tp, fp, fn = np.concatenate(blocks).T
    return CountSamples(tp, fp, fn)


@dataclass(frozen=True)
class Bin:
    """Items whose crowd agrees to a degree from ``low`` up to (without) ``high``.

    The last bin includes its upper end, so that every item is in one bin.
    """

    low: float
    high: float
    members: BoolArray

    @property
    def name(self) -> str:
        """What a person reads beside it: from 75 to 90 %."""
        return f"{100 * self.low:g}\N{EN DASH}{100 * self.high:g} %"


def bin_by_agreement(
    agreement: FloatArray, edges: Sequence[float] = DEFAULT_BINS
) -> tuple[Bin, ...]:
    """The items in bins of agreement."""
    if len(edges) < 2 or any(b <= a for a, b in itertools.pairwise(edges)):
        raise OptionError("bins are given by two or more rising limits, such as 0.5,0.75,0.9,1")
    if edges[0] < 0 or edges[-1] > 1:
        raise OptionError("limits of bins are shares between 0 and 1, such as 0.5,0.75,0.9,1")
    bins = []
    for low, high in itertools.pairwise(edges):
        # A share such as 18/20 must not fall out of the bin that begins at 0.9 by rounding.
        above = agreement > low - 1e-9
        below = agreement < high - 1e-9 if high != edges[-1] else agreement < high + 1e-9
        bins.append(Bin(low, high, above & below))
    return tuple(bins)
