"""Which annotator a sentence is scored against, when there are several.

A sentence has *candidates*: one for every annotator (and every version of the system's edits),
each with its counts of true positives, false positives and false negatives. A corpus score needs
one candidate for every sentence. There are three ways to choose:

``running``
    In file order, the candidate that makes the corpus F up to here highest. The published
    scorers do this. What is chosen depends on the order of the sentences.
``sentence``
    The candidate with the highest F of the sentence alone.
``optimal``
    The choice for all sentences together that makes the corpus F highest. F is a ratio of two
    linear functions of the counts, so that Dinkelbach's method finds the highest exactly, in a
    few passes: no other choice of annotators gives this system more.

Scorers break ties in their own ways; a :class:`Rule` holds one scorer's way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.scoring.choice_bounds import Bounds, Candidate, foresee

Selection = Literal["running", "sentence", "optimal"]
SELECTIONS: tuple[Selection, ...] = get_args(Selection)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Counts = tuple[int, int, int]
Key = tuple[float, ...]

# Bootstrap samples are worked on in blocks of so many numbers, to bound the memory.
_BLOCK = 4_000_000
# With a beta nearer to 0, or beyond its inverse, a count more or less may be lost in rounding.
_LEAST = 1 / 64


@dataclass(frozen=True)
class Rule:
    """What a scorer prefers: the greatest key, and of equal ones the first candidate.

    Attributes:
        key: the key of one candidate: counts ``(tp, fp, fn)`` of the corpus with it, its own
            counts, and beta in; a tuple out, of which the first is F.
        f: the first of the key for many corpora at once; three arrays and beta in.
        rank: the rest of the key; it orders candidates by their own counts alone.
        ratio: the same as ``f`` for whole counts, from the gains and costs whose ratio F is, or
            None where these do not tell it to the last bit.
        margin: by so much F may be higher, at most, without being preferred; None if counts are
            not whole, or nobody knows.
    """

    key: Callable[[Counts, Counts, float], Key]
    f: Callable[[FloatArray, FloatArray, FloatArray, float], FloatArray]
    rank: Callable[[Counts, float], Key]
    ratio: Callable[[FloatArray, FloatArray], FloatArray | None] = lambda _gain, _cost: None
    margin: float | None = None


def check_selection(selection: str) -> None:
    """Refuse what is not a way to choose."""
    if selection not in SELECTIONS:
        raise OptionError(
            f"there is no selection {selection!r}; there are: {', '.join(SELECTIONS)}"
        )


def choose(
    counts: NDArray[Any], present: NDArray[np.bool_], *, rule: Rule, selection: str, beta: float
) -> IntArray:
    """The number of the chosen candidate of every sentence.

    Args:
        counts: ``(sentences, candidates, 3)``: true positives, false positives, false negatives.
        present: ``(sentences, candidates)``: which candidates there are.
        rule: the scorer's preference.
        selection: ``running``, ``sentence`` or ``optimal``.
        beta: the weight of recall in F.
    """
    check_selection(selection)
    if selection == "optimal":
        weights = np.ones((1, len(counts)))
        chosen: IntArray = _optimal_usage(counts, present, weights, beta)[:, 0].argmax(axis=0)
        return chosen
    return _choose_one_by_one(counts, present, rule, beta, running=selection == "running")


def _choose_one_by_one(
    counts: NDArray[Any], present: NDArray[np.bool_], rule: Rule, beta: float, *, running: bool
) -> IntArray:
    """One sentence after the other, but for those that have no choice in any corpus."""
    chosen = np.full(len(counts), -1, dtype=np.int64)
    if np.issubdtype(counts.dtype, np.integer) and _LEAST <= beta <= 1 / _LEAST:
        chosen = settle(counts, present)
    is_open = np.flatnonzero(chosen < 0)
    taken = counts[np.arange(len(counts)), chosen]
    taken[is_open] = 0
    settled_so_far = taken.cumsum(axis=0)[is_open].tolist()
    tp = fp = fn = 0
    for number, so_far, these, there in zip(
        is_open.tolist(),
        settled_so_far,
        counts[is_open].tolist(),
        present[is_open].tolist(),
        strict=True,
    ):
        before = (tp + so_far[0], fp + so_far[1], fn + so_far[2]) if running else (0, 0, 0)
        best_key: Key | None = None
        best = 0
        for index, (own, is_there) in enumerate(zip(these, there, strict=True)):
            if not is_there:
                continue
            total = (before[0] + own[0], before[1] + own[1], before[2] + own[2])
            key = rule.key(total, own, beta)
            if best_key is None or key > best_key:
                best_key, best = key, index
        chosen[number] = best
        taken_here = these[best]
        tp, fp, fn = tp + taken_here[0], fp + taken_here[1], fn + taken_here[2]
    return chosen


def usage(
    counts: NDArray[Any],
    present: NDArray[np.bool_],
    weights: FloatArray,
    *,
    rule: Rule,
    selection: str,
    beta: float,
) -> FloatArray:
    """How often each candidate is used in each sample, the choice being made in the sample.

    Args:
        counts: as for :func:`choose`.
        present: as for :func:`choose`.
        weights: ``(samples, sentences)``: how often each sentence stands in the sample; copies
            of a sentence follow one another, in the order of the corpus.
        rule: the scorer's preference.
        selection: ``running``, ``sentence`` or ``optimal``.
        beta: the weight of recall in F.

    Returns:
        ``(candidates, samples, sentences)``.
    """
    check_selection(selection)
    if selection == "optimal":
        return _optimal_usage(counts, present, weights, beta)
    if selection == "running":
        used = np.zeros((counts.shape[1], *weights.shape))
        running_totals(counts, present, weights, rule=rule, beta=beta, used=used)
        return used
    chosen = choose(counts, present, rule=rule, selection=selection, beta=beta)
    return _one_hot(chosen, counts.shape[1])[:, None, :] * weights


def sample_blocks(samples: int, sentences: int, candidates: int) -> list[slice]:
    """Slices of the samples that keep :func:`usage` within bounds."""
    step = max(1, _BLOCK // max(1, sentences * candidates))
    return [slice(start, min(start + step, samples)) for start in range(0, samples, step)]


def _one_hot(chosen: IntArray, candidates: int) -> FloatArray:
    hot: FloatArray = (np.arange(candidates)[:, None] == chosen).astype(float)
    return hot


def settle(counts: NDArray[Any], present: NDArray[np.bool_]) -> IntArray:
    """The candidate of a sentence that no corpus would do without, or -1 if there is a choice.

    A candidate that has the most true positives and the fewest false ones gives the highest F
    whatever the other sentences are. Most sentences are settled in this way.
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
    settled: IntArray = np.where(best.any(axis=1), best.argmax(axis=1), -1)
    return settled


def running_totals(
    counts: NDArray[Any],
    present: NDArray[np.bool_],
    weights: FloatArray,
    *,
    rule: Rule,
    beta: float,
    used: FloatArray | None = None,
) -> FloatArray:
    """The summed counts of every sample under the running choice.

    Args:
        counts: as for :func:`choose`.
        present: as for :func:`choose`.
        weights: as for :func:`usage`.
        rule: the scorer's preference.
        beta: the weight of recall in F.
        used: filled, where given, with how often each candidate is used.

    Returns:
        ``(samples, 3)``.
    """
    settled = settle(counts, present)
    sentences = np.arange(len(counts))
    taken = counts[sentences, settled].astype(float)
    is_open = np.flatnonzero(settled < 0)
    if used is not None:
        done = sentences[settled >= 0]
        used[settled[done], :, done] = weights.T[done]
    totals = np.zeros((3, len(weights)))
    columns = np.ascontiguousarray(weights.T)
    begin = 0
    for number in is_open.tolist():
        totals += taken[begin:number].T @ columns[begin:number]
        begin = number
        weight = columns[number]
        copies = int(weight.max())
        ranked = ranked_candidates(counts[number], present[number], rule, beta)
        indices = [index for index, _ in ranked]
        own = np.array([own for _, own in ranked])
        alike = _foresee_copies(totals, own, copies, rule, beta)
        if alike is not None:
            taken[number] = own[alike]
            if used is not None:
                used[indices[alike], :, number] = weight
            continue
        begin = number + 1
        for copy in range(copies):
            # every sample draws this sentence again while it has copies left
            active = np.flatnonzero(weight > copy)
            here = totals[:, active]
            best = _choose_many(here, own, rule, beta)
            totals[:, active] = here + own[best].T
            if used is not None:
                used[np.array(indices)[best], active, number] += 1
    totals += taken[begin:].T @ columns[begin:]
    return totals.T


def _foresee_copies(
    totals: FloatArray, candidates: IntArray, copies: int, rule: Rule, beta: float
) -> int | None:
    """The candidate that every corpus takes, for any number of copies of a sentence up to this."""
    if rule.margin is None or not _LEAST <= beta <= 1 / _LEAST:
        return None
    tp, fp, fn = totals
    gain = (1 + beta * beta) * tp
    bounds = Bounds.of(gain, gain + fp + beta * beta * fn)
    own = as_ratios(candidates, beta)
    most = max(gain for gain, _ in own) * copies, max(cost for _, cost in own) * copies
    return foresee(own, bounds.after((0.0, 0.0), most), rule.margin)


def as_ratios(counts: IntArray, beta: float) -> list[Candidate]:
    """The gain and the cost of every candidate."""
    square = beta * beta
    return [
        ((1 + square) * tp, (1 + square) * tp + fp + square * fn) for tp, fp, fn in counts.tolist()
    ]


def totals_in_orders(
    counts: NDArray[Any], present: NDArray[np.bool_], orders: IntArray, *, rule: Rule, beta: float
) -> FloatArray:
    """The summed counts under the running choice, the sentences standing in other orders.

    Args:
        counts: as for :func:`choose`.
        present: as for :func:`choose`.
        orders: ``(orders, sentences)``: the numbers of the sentences, as they stand.
        rule: the scorer's preference.
        beta: the weight of recall in F.

    Returns:
        ``(orders, 3)``.
    """
    settled = settle(counts, present)
    is_open = settled < 0
    taken = counts[np.arange(len(counts)), settled].astype(float)
    taken[is_open] = 0
    candidates = np.zeros((is_open.sum(), counts.shape[1], 3))
    is_candidate = np.zeros(candidates.shape[:2], dtype=bool)
    for place, number in enumerate(np.flatnonzero(is_open).tolist()):
        ranked = ranked_candidates(counts[number], present[number], rule, beta)
        candidates[place, : len(ranked)] = [own for _, own in ranked]
        is_candidate[place, : len(ranked)] = True
    place_of = np.cumsum(is_open) - 1
    totals = np.zeros((len(orders), 3))
    for block in sample_blocks(len(orders), len(counts), 3):
        sentences = orders[block]
        rows = np.arange(len(sentences))
        settled_so_far = taken[sentences].cumsum(axis=1)
        chosen = np.zeros((len(sentences), 3))
        # one step chooses for the next open sentence of every order
        for column in np.nonzero(is_open[sentences])[1].reshape(len(sentences), -1).T:
            places = place_of[sentences[rows, column]]
            own = candidates[places]
            corpora = (settled_so_far[rows, column] + chosen)[:, None] + own
            tp, fp, fn = corpora.reshape(-1, 3).T
            f = rule.f(tp, fp, fn, beta).reshape(own.shape[:2])
            best = np.where(is_candidate[places], f, -1).argmax(axis=1)
            chosen += own[rows, best]
        totals[block] = settled_so_far[:, -1] + chosen
    return totals


def ranked_candidates(
    counts: NDArray[Any], present: NDArray[np.bool_], rule: Rule, beta: float
) -> list[tuple[int, Counts]]:
    """The candidates of a sentence that differ, the one that wins a tie of F first."""
    different: dict[Counts, int] = {}
    candidates = counts.tolist()
    for index in np.flatnonzero(present).tolist():
        tp, fp, fn = candidates[index]
        different.setdefault((tp, fp, fn), index)
    # sorting keeps the order of equals
    ranked = sorted(different.items(), key=lambda item: rule.rank(item[0], beta), reverse=True)
    return [(index, own) for own, index in ranked]


def _choose_many(totals: FloatArray, candidates: IntArray, rule: Rule, beta: float) -> IntArray:
    """For every corpus the candidate that gives it the highest F, the first of equal ones."""
    tp, fp, fn = totals
    best = np.zeros(totals.shape[1], dtype=np.int64)
    highest = np.full(totals.shape[1], -1.0)
    for place, own in enumerate(candidates):
        f = rule.f(tp + own[0], fp + own[1], fn + own[2], beta)
        better = f > highest
        highest[better] = f[better]
        best[better] = place
    return best


def _optimal_usage(
    counts: NDArray[Any], present: NDArray[np.bool_], weights: FloatArray, beta: float
) -> FloatArray:
    settled = settle(counts, present)
    sentences = np.arange(len(counts))
    square = beta * beta
    # F = gain / cost, both linear in the counts of the candidates chosen
    tp, fp, fn = (counts[..., i].astype(float) for i in range(3))
    gain = (1 + square) * tp
    cost = gain + fp + square * fn
    is_open = np.flatnonzero(settled < 0)
    sure = sentences[settled >= 0]
    chosen = np.tile(settled, (len(weights), 1))
    chosen[:, is_open] = _solve(
        np.where(present, gain, 0.0)[is_open],
        np.where(present, cost, np.inf)[is_open],
        weights[:, is_open],
        weights[:, sure] @ gain[sure, settled[sure]],
        weights[:, sure] @ cost[sure, settled[sure]],
    )
    used: FloatArray = (np.arange(counts.shape[1])[:, None, None] == chosen) * weights
    return used


def _solve(
    gain: FloatArray,
    cost: FloatArray,
    weights: FloatArray,
    sure_gain: FloatArray,
    sure_cost: FloatArray,
) -> IntArray:
    """Dinkelbach's method: the candidates that make the ratio of all gains to all costs highest.

    For a trial ratio each sentence takes the candidate of the greatest ``gain - ratio * cost``;
    the ratio of what was taken is the next trial. It never falls, and when it no longer rises it
    is the highest.

    Args:
        gain: ``(sentences, candidates)``.
        cost: likewise; infinite where there is no candidate.
        weights: ``(samples, sentences)``.
        sure_gain: by sample, of the sentences that have no choice.
        sure_cost: likewise.

    Returns:
        The candidates, ``(samples, sentences)``.
    """
    sentences, candidates = gain.shape
    rows = np.arange(sentences)
    # the cheaper candidate first, so that it wins where two are equally good
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
        gains = sure_gain[rising] + (weights[rising] * gain[rows, choice]).sum(axis=1)
        costs = sure_cost[rising] + (weights[rising] * cost[rows, choice]).sum(axis=1)
        trial[rising] = np.divide(gains, costs, out=np.ones_like(gains), where=costs > 0)
        kept = trial[rising] >= ratio[rising]
        best[rising[kept]] = choice[kept]
    # no edits on either side are perfect, which no ratio above 0 / 0 can say
    best[(sure_cost == 0) & ~(weights[:, cost[:, 0] > 0] > 0).any(axis=1)] = 0
    chosen: IntArray = order[rows, best]
    return chosen
