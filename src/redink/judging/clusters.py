"""Rank ranges and clusters from bootstrap samples, as Koehn (2012) proposed."""

from __future__ import annotations

from math import ceil

import numpy as np

from redink.errors import OptionError
from redink.judging.rankings import FloatArray, IntArray


def competition_ranks(scores: FloatArray) -> IntArray:
    """1 for the highest score; equal scores share the better rank; 0 where undefined (NaN)."""
    scores = np.asarray(scores, dtype=np.float64)
    better = (scores[None, :] > scores[:, None]).sum(axis=1)
    return np.where(np.isnan(scores), 0, better + 1).astype(np.int64)


def rank_ranges(samples: FloatArray, *, p: float = 0.05) -> tuple[FloatArray, FloatArray]:
    """The best and worst rank of each system once the extreme ranks are thrown away.

    ``samples`` has a row of scores for every bootstrap sample. Of the sorted ranks of a system a
    share of ``p / 2`` is discarded at each end: 25 of 1000 at p = 0.05. Where that is not a whole
    number (2.5 of 100) the edge lies between two ranks, so that the range is at p exactly, and
    not a little above or below as the samples happen to be round.

    Equal scores span all the ranks they could have; a system without a score in a sample could
    have any rank there.

    Raises:
        OptionError: there are too few samples for so small a p.
    """
    number, size = samples.shape
    if not 0 < p < 1:
        raise OptionError(f"p lies between 0 and 1, not at {p}")
    if number * p / 2 < 1:
        raise OptionError(f"rank ranges at p = {p:g} need at least {ceil(2 / p)} samples")
    best = np.ones((number, size), dtype=np.int64)
    worst = np.zeros((number, size), dtype=np.int64)
    for other in range(size):
        # NaN compares false on both sides: it neither pushes down nor is pushed.
        best += samples[:, other, None] > samples
        worst += samples[:, other, None] >= samples
    undefined = np.isnan(samples)
    best[undefined] = 1
    worst = np.where(undefined, (~undefined).sum(axis=1, keepdims=True) + 1, worst)
    low = _order_statistic(np.sort(best, axis=0), number * p / 2)
    # From the other end the worst ranks are sorted like the best from this one.
    high = _order_statistic(np.sort(worst, axis=0)[::-1], number * p / 2)
    return low, high


def _order_statistic(ordered: IntArray, discarded: float) -> FloatArray:
    """The first value after ``discarded`` ones, between its neighbours for a fraction."""
    # Rounded: 1000 * 0.05 / 2 must be 25, not 25.000000000000004.
    discarded = round(discarded, 6)
    whole = min(int(discarded), len(ordered) - 1)
    after = min(whole + 1, len(ordered) - 1)
    fraction = discarded - whole
    value: FloatArray = ordered[whole] * (1 - fraction) + ordered[after] * fraction
    return value


def group_clusters(low: FloatArray, high: FloatArray, order: IntArray) -> IntArray:
    """The cluster of every system, 1 being the best.

    ``order`` lists the systems from best to worst. A cluster ends where the worst rank reached
    so far is better than every best rank still to come: ranges overlap within clusters only.
    """
    cluster = np.zeros(len(low), dtype=np.int64)
    current = 1
    for position, system in enumerate(order):
        cluster[system] = current
        after = order[position + 1 :]
        if len(after) and high[order[: position + 1]].max() < low[after].min():
            current += 1
    return cluster
