"""The running choice of annotators for permuted pairs of systems, in all permutations at once.

In a permutation, one text has the first system's sentence where the other has the second's. Both
texts are followed sentence by sentence, in all permutations at once: sentences without a choice are
summed by a matrix product; for others, F with each candidate decides, as in
:func:`redink.scoring.selection.running_totals`.

If gains and costs are exact sums with this beta (0.5, 1, 2), gain, cost and FN are summed instead
of TP, FP and FN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redink.scoring.metric import FloatArray
from redink.scoring.selection import (
    Bounds,
    GainAndCost,
    Preference,
    common_choice,
    find_dominating,
    gains_and_costs,
    ranked_candidates,
)

BoolArray = NDArray[np.bool_]

_FRACTION = 4096.0  # squares of beta that are multiples of 1/4096 add up without rounding
_EXACT = 1 << 24  # integers below this are exact in single precision
_AT_HAND = 1 << 16  # numbers that fit into the processor's cache


def is_exact(beta: float) -> bool:
    """Return whether gains and costs are exact sums."""
    return (beta * beta * _FRACTION).is_integer()


def shuffled_totals(
    systems: Sequence[tuple[NDArray[Any], BoolArray]],
    pairs: Sequence[tuple[int, int]],
    swaps: BoolArray,
    *,
    preference: Preference,
    beta: float,
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield, for every pair, the summed counts of both texts, ``(samples, 3)``.

    Args:
        systems: the counts of all candidates and a mask of those that exist, as for
            :func:`redink.scoring.selection.choose`.
        pairs: the systems to compare.
        swaps: ``(samples, sentences)``: the sentences that are exchanged.
        preference: the preference of the scorer.
        beta: the weight of recall in F.
    """
    prepared = [_prepare(counts, present, preference, beta) for counts, present in systems]
    columns = np.ascontiguousarray(swaps.T)
    for first, second in pairs:
        ours, theirs = _Shuffle(
            prepared[first], prepared[second], columns, preference, beta
        ).follow()
        yield _to_counts(ours, beta).T, _to_counts(theirs, beta).T


class _Sentences(NamedTuple):
    """A system's sentences as gain, cost and FN.

    Attributes:
        taken: ``(sentences, 3)``: counts of sentences without a choice, 0 for others.
        open: for the other sentences, ``(candidates, 3)``, in tie-breaking order.
        ratios: gains and costs of ``open``.
    """

    taken: FloatArray
    open: dict[int, FloatArray]
    ratios: dict[int, list[GainAndCost]]


def _prepare(
    counts: NDArray[Any], present: BoolArray, preference: Preference, beta: float
) -> _Sentences:
    dominating = find_dominating(counts, present)
    taken = counts[np.arange(len(counts)), dominating].astype(float)
    taken[dominating < 0] = 0
    is_open: dict[int, FloatArray] = {}
    for number in np.flatnonzero(dominating < 0).tolist():
        ranked = ranked_candidates(counts[number], present[number], preference, beta)
        is_open[number] = _from_counts(np.array([own for _, own in ranked], dtype=float), beta)
    ratios = {number: [(g, c) for g, c, _ in own.tolist()] for number, own in is_open.items()}
    return _Sentences(_from_counts(taken, beta), is_open, ratios)


def _from_counts(counts: FloatArray, beta: float) -> FloatArray:
    """Convert TP, FP and FN (last axis) to gain, cost and FN."""
    return np.stack([*gains_and_costs(counts, beta), counts[..., 2]], axis=-1)


def _to_counts(sums: FloatArray, beta: float) -> FloatArray:
    """Convert gain, cost and FN (first axis) to TP, FP and FN."""
    gain, cost, fn = sums
    square = beta * beta
    return np.stack([gain / (1 + square), cost - gain - square * fn, fn])


class _Shuffle:
    """Two systems that exchange sentences, followed from the first sentence to the last.

    Sentences without a choice, or with the same choice in all permutations, are summed when the
    next sentence is reached whose choice may differ.
    """

    def __init__(
        self,
        first: _Sentences,
        second: _Sentences,
        swaps: BoolArray,
        preference: Preference,
        beta: float,
    ) -> None:
        self._sums = np.zeros((2, 3, swaps.shape[1]))  # gain, cost and FN of both texts
        self._systems = first, second
        self._swaps = swaps
        self._preference, self._beta = preference, beta
        self._taken = np.stack([first.taken, second.taken])
        fixed = self._taken[:, :, :2].copy()
        fixed[:, [*first.open, *second.open]] = 0
        # for each sentence: minimum and maximum sums of the preceding sentences without a choice
        self._least, self._most = (
            np.concatenate([np.zeros((1, 2)), pick(fixed, axis=0).cumsum(axis=0)]).tolist()
            for pick in (np.min, np.max)
        )
        self._begin = self._known = 0
        self._bounds = Bounds()

    def follow(self) -> FloatArray:
        """Return gain, cost and FN of both texts: ``(2, 3, samples)``."""
        first, second = self._systems
        for number in sorted({*first.open, *second.open}):
            if self._take_common(number):
                continue
            self._catch_up(number)  # which gives tighter bounds
            if not self._take_common(number):
                self._choose(number)
        self._catch_up(len(self._swaps))
        return self._sums

    def _take_common(self, number: int) -> bool:
        """Apply the choice that all permutations share; return False if they may differ."""
        found = self._common(number)
        for taken, one in zip(self._taken, found, strict=True):
            if one is None:
                return False
            taken[number] = one
        self._grow([(one[0], one[1]) for one in found if one is not None])
        return True

    def _common(self, number: int) -> list[FloatArray | None]:
        """Return gain, cost and FN of each system in all permutations; None if they may differ."""
        least, most = (
            (upto[number][0] - upto[self._known][0], upto[number][1] - upto[self._known][1])
            for upto in (self._least, self._most)
        )
        bounds = self._bounds.after(least, most)
        found: list[FloatArray | None] = []
        for system in self._systems:
            if number not in system.open:
                found.append(system.taken[number])
                continue
            place = common_choice(system.ratios[number], bounds, self._preference.margin)
            found.append(None if place is None else system.open[number][place])
        return found

    def _catch_up(self, number: int) -> None:
        block = slice(self._begin, number)
        first, second = self._taken[:, block]
        moved = self._product(second - first, self._swaps[block])
        self._sums[0] += first.sum(axis=0)[:, None] + moved
        self._sums[1] += second.sum(axis=0)[:, None] - moved
        self._begin = self._known = number
        self._bounds = Bounds.of(self._sums[:, 0], self._sums[:, 1])

    def _choose(self, number: int) -> None:
        """Apply the candidates with the highest F in each permutation, after all pending sums."""
        sums, swapped = self._sums, self._swaps[number] > 0
        grown: list[FloatArray] = []
        grows: list[GainAndCost] = []
        systems = zip(self._systems, self._common(number), strict=True)
        for side, (system, one) in enumerate(systems):
            if one is not None:
                grown.append(one[:, None])
                grows.append((one[0], one[1]))
                continue
            here = np.where(swapped, sums[1 - side], sums[side])
            grown.append(self._best(here, system.open[number]))
            grows += system.ratios[number]
        sums[0] += np.where(swapped, grown[1], grown[0])
        sums[1] += np.where(swapped, grown[0], grown[1])
        self._begin = number + 1
        self._grow(grows)

    def _grow(self, by: Sequence[GainAndCost]) -> None:
        """Widen the bounds by an amount between the two given ones."""
        gains, costs = zip(*by, strict=True)
        self._bounds = self._bounds.after((min(gains), min(costs)), (max(gains), max(costs)))

    def _product(self, fixed: FloatArray, swaps: BoolArray) -> FloatArray:
        """Compute ``fixed.T @ swaps``, in single precision if that is exact.

        Sentences for which both systems have equal counts are skipped. Blocks of samples fit into
        the processor's cache.
        """
        differ = np.flatnonzero(fixed.any(axis=1))
        units = np.abs(fixed).sum() * (self._beta * self._beta).as_integer_ratio()[1]
        kind = np.float32 if units < _EXACT else np.float64
        factors = fixed[differ].T.astype(kind)
        product = np.zeros((fixed.shape[1], swaps.shape[1]))
        step = max(64, _AT_HAND // max(1, len(differ)))
        for start in range(0, swaps.shape[1] if len(differ) else 0, step):
            some = slice(start, start + step)
            product[:, some] = factors @ swaps[differ, some].astype(kind)
        return product

    def _best(self, here: FloatArray, candidates: FloatArray) -> FloatArray:
        scores = []
        for own in candidates:
            sums = here + own[:, None]
            f = self._preference.ratio(sums[0], sums[1])
            if f is None:  # the last bit decides: see Preference
                f = self._preference.f(_to_counts(sums, self._beta), self._beta)
            scores.append(f)
        chosen: FloatArray = candidates[np.argmax(scores, axis=0)].T
        return chosen
