"""The running choice for pairs of systems that exchange sentences, all shuffles at a time.

In a shuffle one text has the first system's sentence where the other has the second's. Both are
gone through together, sentence by sentence, for all shuffles at once: most sentences have no choice
and are summed by a matrix product; where a sentence has one, F with each candidate decides, as in
:func:`redink.scoring.selection.running_totals`.

F is the ratio of a gain, ``(1 + beta²) TP``, and a cost, ``gain + FP + beta² FN``. Where beta is
such that both are exact sums (0.5, 1, 2), gain, cost and FN are added up instead of TP, FP and FN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from redink.scoring.choice_bounds import NOTHING_KNOWN, Bounds, Candidate, foresee
from redink.scoring.selection import FloatArray, Rule, ranked_candidates, settle

BoolArray = NDArray[np.bool_]

_FRACTION = 4096.0  # squares of beta that are multiples of 1/4096 add up without rounding
_EXACT = 1 << 24  # whole numbers below this are exact in single precision
_AT_HAND = 1 << 16  # numbers that the processor's cache holds


def is_exact(beta: float) -> bool:
    """Whether gains and costs are exact sums."""
    return (beta * beta * _FRACTION).is_integer()


@dataclass(frozen=True)
class Prepared:
    """A system's sentences as gain, cost and FN.

    Attributes:
        taken: ``(sentences, 3)``: of those that have no choice, 0 for others.
        open: for those that have one, ``(candidates, 3)``, the one that wins a tie first.
        ratios: their gains and costs.
    """

    taken: FloatArray
    open: dict[int, FloatArray]
    ratios: dict[int, list[Candidate]]

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
        own = {number: np.array(these) @ ratio for number, these in candidates.items()}
        pairs = {number: [(g, c) for g, c, _ in these.tolist()] for number, these in own.items()}
        return cls(taken @ ratio, own, pairs)


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
    first: Prepared, second: Prepared, swaps: NDArray[Any], *, rule: Rule, beta: float
) -> tuple[FloatArray, FloatArray]:
    """The summed counts of both texts in every shuffle, ``(samples, 3)`` each.

    Args:
        first: one system.
        second: the other.
        swaps: ``(sentences, samples)``: where they exchange the sentence.
        rule: the scorer's preference.
        beta: the weight of recall in F.
    """
    shuffle = _Shuffle(first, second, swaps, rule, beta)
    for number in sorted({*first.open, *second.open}):
        if shuffle.take(number):
            continue
        shuffle.catch_up(number)  # which tells more precisely where the shuffles are
        if not shuffle.take(number):
            shuffle.choose(number)
    shuffle.catch_up(len(swaps))
    ours, theirs = shuffle.sums
    return _to_counts(ours, beta).T, _to_counts(theirs, beta).T


class _Shuffle:
    """Two systems that exchange sentences, while their sentences are gone through.

    Sentences that have no choice, or of which it is foreseen for all shuffles, are summed up when
    one comes of which it is not.

    Attributes:
        sums: ``(2, 3, samples)``: gain, cost and FN of both texts, up to some sentence.
    """

    def __init__(
        self, first: Prepared, second: Prepared, swaps: NDArray[Any], rule: Rule, beta: float
    ) -> None:
        self.sums = np.zeros((2, 3, swaps.shape[1]))
        self._systems = first, second
        self._swaps = swaps
        self._rule, self._beta = rule, beta
        self._taken = np.stack([first.taken, second.taken])
        settled = self._taken[:, :, :2].copy()
        settled[:, [*first.open, *second.open]] = 0
        # what the sentences before each that have no choice give a text, at least and at most
        self._least, self._most = (
            [(0.0, 0.0), *map(tuple, pick(settled, axis=0).cumsum(axis=0).tolist())]
            for pick in (np.min, np.max)
        )
        self._begin = self._known = 0
        self._bounds = NOTHING_KNOWN

    def take(self, number: int) -> bool:
        """Let each system have what it has in all shuffles; false if one may differ."""
        found = self._foresee(number)
        for taken, one in zip(self._taken, found, strict=True):
            if one is None:
                return False
            taken[number] = one
        self._grow([(one[0], one[1]) for one in found if one is not None])
        return True

    def _foresee(self, number: int) -> list[FloatArray | None]:
        """What each system has in all shuffles: gain, cost and FN; None if they may differ."""
        known = self._known
        least, most = (
            (upto[number][0] - upto[known][0], upto[number][1] - upto[known][1])
            for upto in (self._least, self._most)
        )
        bounds = self._bounds.after(least, most)
        found: list[FloatArray | None] = []
        for system in self._systems:
            if number not in system.open:
                found.append(system.taken[number])
                continue
            place = foresee(system.ratios[number], bounds, self._rule.margin)
            found.append(None if place is None else system.open[number][place])
        return found

    def catch_up(self, number: int) -> None:
        """Sum up the sentences before this one."""
        block = slice(self._begin, number)
        first, second = self._taken[:, block]
        moved = _product(second - first, self._swaps[block], self._beta)
        self.sums[0] += first.sum(axis=0)[:, None] + moved
        self.sums[1] += second.sum(axis=0)[:, None] - moved
        self._begin = self._known = number
        self._bounds = Bounds.of(self.sums[:, 0], self.sums[:, 1])

    def choose(self, number: int) -> None:
        """Let each shuffle have what gives its texts the highest F; all before is summed up."""
        found = self._foresee(number)
        sums, swapped = self.sums, self._swaps[number] > 0
        grown: list[FloatArray] = []
        grows: list[Candidate] = []
        for side, (system, one) in enumerate(zip(self._systems, found, strict=True)):
            if one is not None:
                grown.append(one[:, None])
                grows.append((one[0], one[1]))
                continue
            here = np.where(swapped, sums[1 - side, :2], sums[side, :2])
            own = system.open[number]
            grown.append(_best(here, sums, swapped, side, own, self._rule, self._beta))
            grows += system.ratios[number]
        sums[0] += np.where(swapped, grown[1], grown[0])
        sums[1] += np.where(swapped, grown[0], grown[1])
        self._begin = number + 1
        self._grow(grows)

    def _grow(self, by: Sequence[Candidate]) -> None:
        """A text has grown by something between these since the bounds were known."""
        gains, costs = zip(*by, strict=True)
        self._bounds = self._bounds.after((min(gains), min(costs)), (max(gains), max(costs)))


def _product(fixed: FloatArray, swaps: BoolArray, beta: float) -> FloatArray:
    """``fixed.T @ swaps``, in single precision where that is exact.

    Sentences in which both systems have the same are left out: nothing is exchanged there. Samples
    are taken so many at a time that the processor has them at hand.
    """
    differ = np.flatnonzero(fixed.any(axis=1))
    units = np.abs(fixed).sum() * _denominator(beta)
    kind = np.float32 if units < _EXACT else np.float64
    factors = fixed[differ].T.astype(kind)
    product = np.zeros((fixed.shape[1], swaps.shape[1]))
    step = max(64, _AT_HAND // max(1, len(differ)))
    for start in range(0, swaps.shape[1] if len(differ) else 0, step):
        some = slice(start, start + step)
        product[:, some] = factors @ swaps[differ, some].astype(kind)
    return product


def _denominator(beta: float) -> float:
    """Of what gains and costs are multiples."""
    return float((beta * beta).as_integer_ratio()[1])


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
