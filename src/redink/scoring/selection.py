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

Selection = Literal["running", "sentence", "optimal"]
SELECTIONS: tuple[Selection, ...] = get_args(Selection)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Key = tuple[float, ...]

# Bootstrap samples are worked on in blocks of so many numbers, to bound the memory.
_BLOCK = 4_000_000


@dataclass(frozen=True)
class Rule:
    """What a scorer prefers: the candidate with the greatest key, the first of equal ones.

    Both functions take the counts of the corpus up to and including the candidate, and the
    candidate's own.

    Attributes:
        key: for one candidate, ``((tp, fp, fn), (tp, fp, fn), beta)`` in, a tuple out.
        keys: the same for arrays ``(..., 3)``; a tuple of arrays out.
    """

    key: Callable[[tuple[int, int, int], tuple[int, int, int], float], Key]
    keys: Callable[[FloatArray, FloatArray, float], tuple[FloatArray, ...]]


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
    chosen = np.zeros(len(counts), dtype=np.int64)
    tp = fp = fn = 0
    candidates = counts.tolist()
    for number, (these, there) in enumerate(zip(candidates, present.tolist(), strict=True)):
        best_key: Key | None = None
        best = 0
        for index, (own, is_there) in enumerate(zip(these, there, strict=True)):
            if not is_there:
                continue
            key = rule.key((tp + own[0], fp + own[1], fn + own[2]), own, beta)
            if best_key is None or key > best_key:
                best_key, best = key, index
        chosen[number] = best
        if running:
            taken = these[best]
            tp, fp, fn = tp + taken[0], fp + taken[1], fn + taken[2]
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
        return _running_usage(counts, present, weights, rule, beta)
    chosen = choose(counts, present, rule=rule, selection=selection, beta=beta)
    return _one_hot(chosen, counts.shape[1])[:, None, :] * weights


def sample_blocks(samples: int, sentences: int, candidates: int) -> list[slice]:
    """Slices of the samples that keep :func:`usage` within bounds."""
    step = max(1, _BLOCK // max(1, sentences * candidates))
    return [slice(start, min(start + step, samples)) for start in range(0, samples, step)]


def _one_hot(chosen: IntArray, candidates: int) -> FloatArray:
    hot: FloatArray = (np.arange(candidates)[:, None] == chosen).astype(float)
    return hot


def is_ambiguous(counts: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which sentences have candidates that differ, so that there is something to choose."""
    first = counts[np.arange(len(counts)), present.argmax(axis=1)][:, None, :]
    differs: NDArray[np.bool_] = ((counts != first).any(axis=2) & present).any(axis=1)
    return differs


def _running_usage(
    counts: NDArray[Any],
    present: NDArray[np.bool_],
    weights: FloatArray,
    rule: Rule,
    beta: float,
) -> FloatArray:
    samples, sentences = weights.shape
    used = np.zeros((counts.shape[1], samples, sentences))
    totals = np.zeros((samples, 3))
    ambiguous = is_ambiguous(counts, present).tolist()
    first = present.argmax(axis=1)
    values = counts.astype(float)
    for number in range(sentences):
        weight = weights[:, number]
        if not ambiguous[number]:
            used[first[number], :, number] = weight
            totals += weight[:, None] * values[number, first[number]]
            continue
        indices = np.flatnonzero(present[number])
        own = values[number, indices]
        for copy in range(int(weight.max())):
            # every sample draws this sentence anew while it has copies left
            active = np.flatnonzero(weight > copy)
            keys = rule.keys(totals[active, None, :] + own, own, beta)
            best = indices[_argmax_by_keys(keys)]
            used[best, active, number] += 1
            totals[active] += values[number, best]
    return used


def _argmax_by_keys(keys: tuple[FloatArray, ...]) -> IntArray:
    """Along the last axis, the first position whose keys are the greatest in order."""
    shape = np.broadcast_shapes(*(key.shape for key in keys))
    remaining = np.ones(shape, dtype=bool)
    for key in keys:
        values = np.where(remaining, key, -np.inf)
        remaining &= values == values.max(axis=-1, keepdims=True)
    best: IntArray = remaining.argmax(axis=-1)
    return best


def _optimal_usage(
    counts: NDArray[Any], present: NDArray[np.bool_], weights: FloatArray, beta: float
) -> FloatArray:
    samples, sentences = weights.shape
    candidates = counts.shape[1]
    square = beta * beta
    tp, fp, fn = (counts[..., i].astype(float) for i in range(3))
    # F = gain / cost, both linear in the counts of the candidates chosen
    gain = np.where(present, (1 + square) * tp, 0.0)
    cost = np.where(present, (1 + square) * tp + fp + square * fn, np.inf)
    # the cheaper candidate first, so that it wins where two are equally good
    order = np.argsort(cost, axis=1, kind="stable")
    gain = np.take_along_axis(gain, order, axis=1)
    cost = np.take_along_axis(cost, order, axis=1)
    best = np.zeros((samples, sentences), dtype=np.int64)
    ratio = np.full(samples, -1.0)
    trial = np.zeros(samples)
    rows = np.arange(sentences)
    while True:
        improved = np.flatnonzero(trial > ratio)
        if not len(improved):
            break
        ratio[improved] = trial[improved]
        values = np.full((len(improved), sentences), -np.inf)
        choice = np.zeros((len(improved), sentences), dtype=np.int64)
        for index in range(candidates):
            worth = gain[:, index] - ratio[improved, None] * cost[:, index]
            worth[:, np.isinf(cost[:, index])] = -np.inf
            better = worth > values
            values[better] = worth[better]
            choice[better] = index
        gains = (weights[improved] * gain[rows, choice]).sum(axis=1)
        costs = (weights[improved] * cost[rows, choice]).sum(axis=1)
        trial[improved] = np.divide(gains, costs, out=np.ones_like(gains), where=costs > 0)
        kept = trial[improved] >= ratio[improved]
        best[improved[kept]] = choice[kept]
    original = order[rows, best]
    used: FloatArray = (np.arange(candidates)[:, None, None] == original) * weights
    return used
