"""The running choice for pairs of systems that exchange sentences, all shuffles at a time.

In a shuffle one text has the first system's sentence where the other has the second's. Both are
gone through together, sentence by sentence, for all shuffles at once: most sentences have no choice
and are summed by a matrix product; where a sentence has one, F with each candidate decides, as in
:func:`redink.scoring.selection.running_totals`.

F is the ratio of a gain, ``(1 + beta²) TP``, and a cost, ``gain + FP + beta² FN``. Where beta is
such that both are exact sums (0.5, 1, 2), gain, cost and FN are added up instead of TP, FP and FN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from redink.scoring.selection import FloatArray, Rule, ranked_candidates, settle

BoolArray = NDArray[np.bool_]

_FRACTION = 4096.0  # squares of beta that are multiples of 1/4096 add up without rounding


def is_exact(beta: float) -> bool:
    """Whether gains and costs are exact sums."""
    return (beta * beta * _FRACTION).is_integer()


@dataclass(frozen=True)
class Prepared:
    """A system's sentences as gain, cost and FN.

    Attributes:
        taken: ``(sentences, 3)``: of those that have no choice, 0 for others.
        open: for those that have one, ``(candidates, 3)``, the one that wins a tie first.
    """

    taken: FloatArray
    open: dict[int, FloatArray]

    @classmethod
    def of(
        cls, counts: NDArray[Any], present: NDArray[np.bool_], *, rule: Rule, beta: float
    ) -> Self:
        """From the counts of all candidates; see :func:`redink.scoring.selection.choose`."""
        settled = settle(counts, present)
        taken = counts[np.arange(len(counts)), settled].astype(float)
        taken[settled < 0] = 0
        is_open = np.flatnonzero(settled < 0).tolist()
        candidates = {
            number: [
                own for _, own in ranked_candidates(counts[number], present[number], rule, beta)
            ]
            for number in is_open
        }
        ratio = _to_ratio(beta)
        return cls(
            taken @ ratio, {number: np.array(own) @ ratio for number, own in candidates.items()}
        )


def _to_ratio(beta: float) -> FloatArray:
    """What makes gain, cost and FN of TP, FP and FN."""
    square = beta * beta
    return np.array([[1 + square, 1 + square, 0.0], [0.0, 1.0, 0.0], [0.0, square, 1.0]])


def _to_counts(sums: FloatArray, beta: float) -> FloatArray:
    """TP, FP and FN of gain, cost and FN."""
    gain, cost, fn = sums
    square = beta * beta
    return np.stack([gain / (1 + square), cost - gain - square * fn, fn])


def swapped_totals(
    first: Prepared, second: Prepared, swaps: BoolArray, *, rule: Rule, beta: float
) -> tuple[FloatArray, FloatArray]:
    """The summed counts of both texts in every shuffle, ``(samples, 3)`` each.

    Args:
        first: one system.
        second: the other.
        swaps: ``(sentences, samples)``: where they exchange the sentence.
        rule: the scorer's preference.
        beta: the weight of recall in F.
    """
    size, samples = swaps.shape
    sums = np.zeros((2, 3, samples))
    fixed = second.taken - first.taken
    # Each sentence that both have settled counts where it was not exchanged, and if it was, there.
    base = first.taken, second.taken
    begin = 0
    for number in sorted({*first.open, *second.open, size}):
        if number > begin:
            moved = fixed[begin:number].T.astype(np.float32) @ swaps[begin:number].astype(
                np.float32
            )
            for side, sign in ((0, 1), (1, -1)):
                sums[side] += base[side][begin:number].sum(axis=0)[:, None]
                sums[side] += sign * moved
        begin = number + 1
        if number == size:
            break
        swapped = swaps[number]
        grown = []
        for side, system in enumerate((first, second)):
            candidates = system.open.get(number)
            if candidates is None:
                grown.append(system.taken[number][:, None])
            else:
                here = np.where(swapped, sums[1 - side, :2], sums[side, :2])
                grown.append(_best(here, sums, swapped, side, candidates, rule, beta))
        sums[0] += np.where(swapped, grown[1], grown[0])
        sums[1] += np.where(swapped, grown[0], grown[1])
    return _to_counts(sums[0], beta).T, _to_counts(sums[1], beta).T


def _best(
    here: FloatArray,
    sums: FloatArray,
    swapped: BoolArray,
    side: int,
    candidates: FloatArray,
    rule: Rule,
    beta: float,
) -> FloatArray:
    """What the candidate adds that gives each text the highest F, the first of equal ones."""
    scores = []
    for own in candidates:
        gain = here[0] + own[0]
        cost = here[1] + own[1]
        f = rule.ratio(gain, cost)
        if f is None:  # the last bit decides: see the rule
            fn = np.where(swapped, sums[1 - side, 2], sums[side, 2]) + own[2]
            tp, fp, fn = _to_counts(np.stack([gain, cost, fn]), beta)
            f = rule.f(tp, fp, fn, beta)
        scores.append(f)
    chosen: FloatArray
    if len(candidates) == 2:
        second = scores[1] > scores[0]
        chosen = np.where(second, candidates[1][:, None], candidates[0][:, None])
    else:
        chosen = candidates[np.argmax(np.stack(scores), axis=0)].T
    return chosen
