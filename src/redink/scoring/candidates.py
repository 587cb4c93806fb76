"""Choosing a reference in file order, for scores of any counts, whole or weighted.

As :mod:`redink.scoring.selection` for true and false positives and false negatives; here a corpus
has any number of sums, and what is best is any function of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Counts = Sequence[float] | FloatArray
"""The counts of one corpus, or of many: each a number or an array."""
Score = Callable[[Counts], Any]
"""Sums of counts in, what is to be highest out."""


def rank_candidates(counts: FloatArray, signs: tuple[int, ...]) -> IntArray:
    """The candidates of every sentence, the one that wins a tie first.

    Args:
        counts: ``(sentences, candidates, counts)``.
        signs: for the first counts, in the order in which they decide: 1 where more is better, -1
            where less is.
    """
    keys = [-sign * counts[:, :, place] for place, sign in enumerate(signs)]
    return np.lexsort(tuple(reversed(keys)), axis=1)


def run_through(
    counts: FloatArray,
    present: NDArray[np.bool_],
    weights: FloatArray,
    *,
    score: Score,
    order: IntArray,
) -> tuple[FloatArray, IntArray]:
    """The sums of every sample, a candidate being chosen sentence by sentence.

    Args:
        counts: ``(sentences, candidates, counts)``.
        present: which candidates there are.
        weights: ``(samples, sentences)``: how often each sentence stands in the sample; copies
            follow one another.
        score: what the sums up to here, with a candidate, shall make highest.
        order: as from :func:`rank_candidates`.

    Returns:
        The sums, ``(samples, counts)``, and the candidate chosen for every sentence in the first
        sample that has it.
    """
    first = (present.argmax(axis=1)).tolist()
    like_first = counts == counts[np.arange(len(counts)), first][:, None]
    same: list[bool] = (like_first | ~present[:, :, None]).all(axis=(1, 2)).tolist()
    candidates = [
        [first[number]] if is_same else [index for index in ranked if is_there[index]]
        for number, (is_same, ranked, is_there) in enumerate(
            zip(same, order.tolist(), present.tolist(), strict=True)
        )
    ]
    run = _run_one if len(weights) == 1 else _run_many
    return run(counts, candidates, weights, score)


def _run_many(
    counts: FloatArray, candidates: list[list[int]], weights: FloatArray, score: Score
) -> tuple[FloatArray, IntArray]:
    totals = np.zeros((len(weights), counts.shape[2]))
    chosen = np.array([indices[0] for indices in candidates], dtype=np.int64)
    for number, indices in enumerate(candidates):
        weight = weights[:, number]
        if len(indices) == 1:
            totals += weight[:, None] * counts[number, indices[0]]
            continue
        own = counts[number, indices]
        for copy in range(int(weight.max(initial=0))):
            active = np.flatnonzero(weight > copy)
            corpora = totals[active, None, :] + own
            best = score(np.moveaxis(corpora, -1, 0)).argmax(axis=1)
            totals[active] = corpora[np.arange(len(active)), best]
            if copy == 0:
                chosen[number] = indices[best[0]]
    return totals, chosen


def _run_one(
    counts: FloatArray, candidates: list[list[int]], weights: FloatArray, score: Score
) -> tuple[FloatArray, IntArray]:
    """The same for a single sample, in which numbers are quicker than arrays."""
    totals = [0.0] * counts.shape[2]
    chosen = []
    for indices, rows, weight in zip(candidates, counts.tolist(), weights[0].tolist(), strict=True):
        own = [rows[index] for index in indices]
        chosen.append(indices[0])
        if len(own) == 1:
            totals = [total + weight * count for total, count in zip(totals, own[0], strict=True)]
            continue
        for copy in range(int(weight)):
            corpora = [
                [total + count for total, count in zip(totals, row, strict=True)] for row in own
            ]
            values = [score(sums) for sums in corpora]
            best = values.index(max(values))
            totals = corpora[best]
            if copy == 0:
                chosen[-1] = indices[best]
    return np.array([totals]), np.array(chosen, dtype=np.int64)


def round_to_four(values: Any) -> Any:
    """A value, or each of an array, to four decimals, as Python's own ``round`` has it."""
    if isinstance(values, float):
        return round(float(values), 4)
    scaled = values * 1e4
    whole = np.rint(scaled)
    rounded: FloatArray = whole / 1e4
    near_half = np.abs(np.abs(scaled - whole) - 0.5) < 1e-6
    if near_half.any():
        rounded[near_half] = [round(value, 4) for value in values[near_half].tolist()]
    return rounded


def share_of(part: Any, whole: Any, *, of_nothing: float) -> Any:
    """Part by whole, each a number or an array."""
    if isinstance(whole, float):
        return part / whole if whole else of_nothing
    out = np.full(np.shape(whole), of_nothing)
    return np.divide(part, whole, out=out, where=whole != 0)
