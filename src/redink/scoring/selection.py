"""Choice of the annotator that each sentence is scored against.

A sentence has *candidates*: one for every annotator (and every version of the system's edits), each
with its counts of true positives, false positives and false negatives. A corpus score needs one
candidate for every sentence. There are three ways to choose:

``running``
    In file order, choose the candidate with the highest corpus F so far, as the published scorers
    do. The choice depends on the order of the sentences.
``sentence``
    Choose the candidate with the highest F of the sentence by itself.
``optimal``
    Choose for all sentences together so that the corpus F is highest. F is a ratio of two linear
    functions of the counts, so Dinkelbach's method finds the maximum in a few passes.

F is the ratio of a gain, ``(1 + beta²) TP``, and a cost, ``gain + FP + beta² FN``. Many bootstrap
samples choose the same candidate, because their F are similar: with bounds on gain and cost, one
decision is often valid for all samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from redink.scoring.metric import FloatArray, Selection, blocks_of_rows

SELECTIONS: tuple[Selection, ...] = get_args(Selection)

IntArray = NDArray[np.int64]
Counts = tuple[int, int, int]
Key = tuple[float, ...]

_LEAST = 1 / 64  # for beta below this, or above its inverse, rounding may lose a count
_SLACK = 1e-9  # more than rounding errors of F; closer decisions are made sample by sample
_SMALL_COST = 16.0  # the F of a smaller corpus changes too much with the next sentence


@dataclass(frozen=True)
class Preference:
    """How a scorer chooses: the highest key wins, and the first candidate in a tie.

    Attributes:
        key: returns the key of one candidate, a tuple that starts with F; its arguments are the
            counts ``(tp, fp, fn)`` of the corpus with the candidate, its own counts, and beta.
        f: returns F for many corpora at once, from counts ``(3, corpora)`` and beta.
        rank: returns the rest of the key; it orders candidates by their own counts only.
        margin: maximum amount by which a higher F may be ignored; None if unknown or if counts are
            not integers.
    """

    key: Callable[[Counts, Counts, float], Key]
    f: Callable[[FloatArray, float], FloatArray]
    rank: Callable[[Counts, float], Key]
    margin: float | None = None


def choose(
    counts: NDArray[Any],
    present: NDArray[np.bool_],
    *,
    preference: Preference,
    selection: Selection,
    beta: float,
) -> IntArray:
    """Return the index of the chosen candidate of every sentence.

    Args:
        counts: ``(sentences, candidates, 3)``: true positives, false positives, false negatives.
        present: ``(sentences, candidates)``: which candidates exist.
        preference: the preference of the scorer.
        selection: ``running``, ``sentence`` or ``optimal``.
        beta: the weight of recall in F.
    """
    if selection == "optimal":
        weights = np.ones((1, len(counts)))
        chosen: IntArray = _optimal_usage(counts, present, weights, beta)[:, 0].argmax(axis=0)
        return chosen
    return _choose_one_by_one(counts, present, preference, beta, running=selection == "running")


def _choose_one_by_one(
    counts: NDArray[Any],
    present: NDArray[np.bool_],
    preference: Preference,
    beta: float,
    *,
    running: bool,
) -> IntArray:
    chosen = np.full(len(counts), -1, dtype=np.int64)
    if np.issubdtype(counts.dtype, np.integer) and _LEAST <= beta <= 1 / _LEAST:
        chosen = find_dominating(counts, present)
    is_open = np.flatnonzero(chosen < 0)
    taken = counts[np.arange(len(counts)), chosen]
    taken[is_open] = 0
    fixed_so_far = taken.cumsum(axis=0)[is_open].tolist()
    tp = fp = fn = 0
    columns = is_open.tolist(), fixed_so_far, counts[is_open].tolist(), present[is_open].tolist()
    for number, so_far, candidates, there in zip(*columns, strict=True):
        before = (tp + so_far[0], fp + so_far[1], fn + so_far[2]) if running else (0, 0, 0)
        best_key: Key | None = None
        best = 0
        for index, (own, is_there) in enumerate(zip(candidates, there, strict=True)):
            if not is_there:
                continue
            total = (before[0] + own[0], before[1] + own[1], before[2] + own[2])
            key = preference.key(total, own, beta)
            if best_key is None or key > best_key:
                best_key, best = key, index
        chosen[number] = best
        tp, fp, fn = (a + b for a, b in zip((tp, fp, fn), candidates[best], strict=True))
    return chosen


def usage(
    counts: NDArray[Any],
    present: NDArray[np.bool_],
    weights: FloatArray,
    *,
    preference: Preference,
    selection: Selection,
    beta: float,
) -> FloatArray:
    """Return how often each sample uses each candidate, ``(candidates, samples, sentences)``.

    The choice is made in every sample. ``weights`` (samples, sentences) is how often each sentence
    occurs in the sample; copies of a sentence are adjacent, in corpus order.
    """
    if selection == "optimal":
        return _optimal_usage(counts, present, weights, beta)
    used: FloatArray
    if selection == "running":
        used = np.zeros((counts.shape[1], *weights.shape))
        running_totals(counts, present, weights, preference=preference, beta=beta, used=used)
        return used
    chosen = choose(counts, present, preference=preference, selection=selection, beta=beta)
    used = (np.arange(counts.shape[1])[:, None] == chosen)[:, None, :] * weights
    return used


def find_dominating(counts: NDArray[Any], present: NDArray[np.bool_]) -> IntArray:
    """Return the dominating candidate of every sentence, or -1 if there is none.

    A candidate with the most true positives and the fewest false ones gives the highest F for any
    other sentences. Most sentences have one.
    """
    tp = np.where(present, counts[..., 0], -np.inf)
    fp = np.where(present, counts[..., 1], np.inf)
    fn = np.where(present, counts[..., 2], np.inf)
    best = (
        (tp == tp.max(axis=1, keepdims=True))
        & (fp == fp.min(axis=1, keepdims=True))
        & (fn == fn.min(axis=1, keepdims=True))
        & present
    )
    dominating: IntArray = np.where(best.any(axis=1), best.argmax(axis=1), -1)
    return dominating


def running_totals(
    counts: NDArray[Any],
    present: NDArray[np.bool_],
    weights: FloatArray,
    *,
    preference: Preference,
    beta: float,
    used: FloatArray | None = None,
) -> FloatArray:
    """Return the summed counts of every sample under the running choice, ``(samples, 3)``.

    ``used``, if given, is filled with the result of :func:`usage`.
    """
    dominating = find_dominating(counts, present)
    sentences = np.arange(len(counts))
    taken = counts[sentences, dominating].astype(float)
    if used is not None:
        done = sentences[dominating >= 0]
        used[dominating[done], :, done] = weights.T[done]
    totals = np.zeros((3, len(weights)))
    columns = np.ascontiguousarray(weights.T)
    copies = columns.max(axis=1, initial=0)
    is_open = dominating < 0
    taken[is_open] = 0
    # The most that the sentences before each one can add to gain and cost.
    most = np.transpose(gains_and_costs(taken, beta)) * copies[:, None]
    added = np.concatenate([np.zeros((1, 2)), most]).cumsum(axis=0).tolist()
    bounded = preference.margin is not None and _LEAST <= beta <= 1 / _LEAST
    begin, bounds, gain, cost = 0, None, 0.0, 0.0
    for number in np.flatnonzero(is_open).tolist():
        candidates = ranked_candidates(counts[number], present[number], preference, beta)
        times = int(copies[number])
        common = None
        if bounds is not None:
            (more_gain, more_cost), (past_gain, past_cost) = added[number], added[begin]
            later = bounds.after(gain + more_gain - past_gain, cost + more_cost - past_cost)
            common = common_choice(later, candidates, times, preference)
        if common is None:
            totals += taken[begin:number].T @ columns[begin:number]
            begin, bounds, gain, cost = number, None, 0.0, 0.0
            if bounded:
                bounds = Bounds.of(totals, beta)
                common = bounds and common_choice(bounds, candidates, times, preference)
        own = np.array(candidates.counts)
        if common is not None:
            taken[number] = own[common]
            gain += candidates.parts[common][0] * times
            cost += candidates.parts[common][1] * times
            if used is not None:
                used[candidates.indices[common], :, number] = columns[number]
            continue
        begin, bounds = number + 1, None
        for copy in range(times):
            # every sample processes this sentence again while it has copies left
            active = np.flatnonzero(columns[number] > copy)
            here = totals[:, active]
            f = [preference.f(here + candidate[:, None], beta) for candidate in own]
            best = np.argmax(f, axis=0)
            totals[:, active] = here + own[best].T
            if used is not None:
                used[np.array(candidates.indices)[best], active, number] += 1
    totals += taken[begin:].T @ columns[begin:]
    return totals.T


class Candidates(NamedTuple):
    """The distinct candidates of a sentence in tie-breaking order.

    ``parts`` contains the gain and the cost of each.
    """

    indices: list[int]
    counts: list[Counts]
    parts: list[tuple[float, float]]


def ranked_candidates(
    counts: NDArray[Any], present: NDArray[np.bool_], preference: Preference, beta: float
) -> Candidates:
    """Return the distinct candidates of a sentence in tie-breaking order."""
    return _rank(tuple(map(tuple, counts.tolist())), present.tobytes(), preference, beta)


@lru_cache(maxsize=20_000)  # pairs of systems share their sentences
def _rank(
    candidates: tuple[Counts, ...], present: bytes, preference: Preference, beta: float
) -> Candidates:
    different: dict[Counts, int] = {}
    for index, own in enumerate(candidates):
        if present[index]:
            different.setdefault(own, index)
    # sorting is stable
    ranked = sorted(different, key=lambda own: preference.rank(own, beta), reverse=True)
    gains, costs = gains_and_costs(np.array(ranked), beta)
    parts = list(zip(gains.tolist(), costs.tolist(), strict=True))
    return Candidates([different[own] for own in ranked], ranked, parts)


def gains_and_costs(counts: Any, beta: float) -> tuple[Any, Any]:
    """Return gain and cost of counts ``(..., 3)``."""
    tp, fp, fn = (counts[..., place] for place in range(3))
    square = beta * beta
    gain = (1 + square) * tp
    return gain, gain + fp + square * fn


class Bounds(NamedTuple):
    """Bounds of F and cost over many corpora."""

    least_f: float
    most_f: float
    least_cost: float
    most_cost: float

    @classmethod
    def of(cls, totals: FloatArray, beta: float) -> Bounds | None:
        """Return the bounds of the corpora ``(3, corpora)``; None if one is too small."""
        gain, cost = gains_and_costs(totals.T, beta)
        least, most = float(cost.min()), float(cost.max())
        if least < _SMALL_COST:
            return None
        f = gain / cost
        return cls(float(f.min()), float(f.max()), least, most)

    def after(self, gain: float, cost: float) -> Bounds:
        """Return the bounds if each corpus may have grown by up to this gain and cost."""
        least = self.least_cost
        return Bounds(
            self.least_f * least / (least + cost),
            self.most_f + gain / least,
            least,
            self.most_cost + cost,
        )


def common_choice(
    corpora: Bounds, candidates: Candidates, copies: int, preference: Preference
) -> int | None:
    """Return the candidate that all corpora choose for every copy; None if they may differ."""
    if preference.margin is None:
        return None
    own = candidates.parts
    bounds = corpora.after(*(max(part) * copies for part in zip(*own, strict=True)))
    best = 0
    for place in range(1, len(own)):
        if _lead(own[place], own[best], *bounds) > 0:
            best = place
    for place, other in enumerate(own):
        if place == best or (other == own[best] and not preference.margin):
            continue  # in a tie of rounded F the last bit may decide
        needed = _SLACK + (preference.margin if place < best else 0.0)
        if _lead(own[best], other, *bounds) <= needed:
            return None
    return best


def _lead(
    one: tuple[float, float],
    other: tuple[float, float],
    least_f: float,
    most_f: float,
    least_cost: float,
    most_cost: float,
) -> float:
    """Return the minimum lead in F of one candidate (gain and cost) over the other.

    For a corpus of gain *G* and cost *C*, candidates of gains *g*, *h* and costs *c*, *d* have the
    F ``(G + g) / (C + c)`` and ``(G + h) / (C + d)``; the difference of the two is ::

        F (d - c) + (g - h) + (g d - h c) / C
        -------------------------------------
                (C + c) (C + d) / C

    The numerator is linear in F and in 1 / C, so its minimum is at a bound of both.
    """
    (gain, cost), (other_gain, other_cost) = one, other
    dearer = other_cost - cost
    crossed = gain * other_cost - other_gain * cost
    least = (
        gain
        - other_gain
        + dearer * (least_f if dearer > 0 else most_f)
        + crossed / (most_cost if crossed > 0 else least_cost)
    )
    if least <= 0:
        return least
    # the divisor is convex in C, so its maximum is at one of the bounds
    return least / max((at + cost) * (at + other_cost) / at for at in (least_cost, most_cost))


def totals_in_orders(
    counts: NDArray[Any],
    present: NDArray[np.bool_],
    orders: IntArray,
    *,
    preference: Preference,
    beta: float,
) -> FloatArray:
    """Return the summed counts under the running choice in other orders of the sentences.

    ``orders`` (orders, sentences) contains sentence indices; the result is ``(orders, 3)``.
    """
    dominating = find_dominating(counts, present)
    is_open = dominating < 0
    taken = counts[np.arange(len(counts)), dominating].astype(float)
    taken[is_open] = 0
    candidates = np.zeros((is_open.sum(), counts.shape[1], 3))
    is_candidate = np.zeros(candidates.shape[:2], dtype=bool)
    for place, number in enumerate(np.flatnonzero(is_open).tolist()):
        ranked = ranked_candidates(counts[number], present[number], preference, beta)
        candidates[place, : len(ranked.counts)] = ranked.counts
        is_candidate[place, : len(ranked.counts)] = True
    place_of = np.cumsum(is_open) - 1
    totals = []
    for sentences in blocks_of_rows(orders, 3 * len(counts)):
        rows = np.arange(len(sentences))
        fixed_so_far = taken[sentences].cumsum(axis=1)
        chosen = np.zeros((len(sentences), 3))
        # each step chooses for the next undecided sentence of every order
        for column in np.nonzero(is_open[sentences])[1].reshape(len(sentences), -1).T:
            places = place_of[sentences[rows, column]]
            own = candidates[places]
            corpora = (fixed_so_far[rows, column] + chosen)[:, None] + own
            f = preference.f(corpora.reshape(-1, 3).T, beta).reshape(own.shape[:2])
            best = np.where(is_candidate[places], f, -1).argmax(axis=1)
            chosen += own[rows, best]
        totals.append(fixed_so_far[:, -1] + chosen)
    return np.concatenate(totals)


def _optimal_usage(
    counts: NDArray[Any], present: NDArray[np.bool_], weights: FloatArray, beta: float
) -> FloatArray:
    dominating = find_dominating(counts, present)
    gain, cost = gains_and_costs(counts.astype(float), beta)
    is_open = np.flatnonzero(dominating < 0)
    fixed = np.flatnonzero(dominating >= 0)
    chosen = np.tile(dominating, (len(weights), 1))
    chosen[:, is_open] = _maximize_ratio(
        np.where(present, gain, 0.0)[is_open],
        np.where(present, cost, np.inf)[is_open],
        weights[:, is_open],
        weights[:, fixed] @ gain[fixed, dominating[fixed]],
        weights[:, fixed] @ cost[fixed, dominating[fixed]],
    )
    used: FloatArray = (np.arange(counts.shape[1])[:, None, None] == chosen) * weights
    return used


def _maximize_ratio(
    gain: FloatArray,
    cost: FloatArray,
    weights: FloatArray,
    fixed_gain: FloatArray,
    fixed_cost: FloatArray,
) -> IntArray:
    """Find the candidates that maximize all gains over all costs, by Dinkelbach's method.

    For a trial ratio, each sentence takes the candidate with the highest ``gain - ratio * cost``;
    the ratio of the sums is the next trial. It never decreases, and when it stops increasing, it is
    the maximum.

    Args:
        gain: ``(sentences, candidates)``.
        cost: the same shape; infinite where there is no candidate.
        weights: ``(samples, sentences)``.
        fixed_gain: for each sample, the gain of sentences without a choice.
        fixed_cost: for each sample, their cost.
    """
    sentences, candidates = gain.shape
    rows = np.arange(sentences)
    # the cheaper candidate first, so that it wins a tie
    order = np.argsort(cost, axis=1, kind="stable")
    gain = np.take_along_axis(gain, order, axis=1)
    cost = np.take_along_axis(cost, order, axis=1)
    best = np.zeros(weights.shape, dtype=np.int64)
    ratio = np.full(len(weights), -1.0)
    trial = np.zeros(len(weights))
    while len(rising := np.flatnonzero(trial > ratio)):
        ratio[rising] = trial[rising]
        worth = np.full((len(rising), sentences), -np.inf)
        choice = np.zeros(worth.shape, dtype=np.int64)
        for place in range(candidates):
            there = np.isfinite(cost[:, place])
            price = np.where(there, cost[:, place], 0.0)
            value = np.where(there, gain[:, place] - ratio[rising, None] * price, -np.inf)
            better = value > worth
            worth[better] = value[better]
            choice[better] = place
        gains = fixed_gain[rising] + (weights[rising] * gain[rows, choice]).sum(axis=1)
        costs = fixed_cost[rising] + (weights[rising] * cost[rows, choice]).sum(axis=1)
        trial[rising] = np.divide(gains, costs, out=np.ones_like(gains), where=costs > 0)
        improved = trial[rising] >= ratio[rising]
        best[rising[improved]] = choice[improved]
    # no edits on either side mean F = 1, which no ratio above 0 / 0 can express
    best[(fixed_cost == 0) & ~(weights[:, cost[:, 0] > 0] > 0).any(axis=1)] = 0
    chosen: IntArray = order[rows, best]
    return chosen
