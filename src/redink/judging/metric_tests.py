"""Metrics held against each other and against chance, many at once.

- *Soft pairwise accuracy* (Thompson et al. 2024): how near a metric's confidence that one system
  is better than another comes to people's, over all pairs of systems.
- *Permutation tests*: whether one metric agrees better with people than another; with many
  metrics at once, p-values are adjusted (Holm), and metrics that are not significantly different
  share a letter.
- *Chance*: what a metric would reach that knows nothing, from shuffled scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np

from redink.errors import DataError
from redink.judging.rankings import FloatArray
from redink.model import Shown
from redink.statistics.correlation import Coefficient, correlate, correlate_rows
from redink.statistics.significance import holm, letter_groups, randomisation_p

SIGNIFICANT = 0.05
PERMUTATIONS = 1000


def permutation_p_values(scores: FloatArray, *, seed: int = 4) -> FloatArray:
    """For every two systems how likely so large a lead is by chance: a paired permutation test.

    The same signs serve all pairs, and sums are in single precision, as in mt-metrics-eval: with
    the same seed the numbers are the same.

    Args:
        scores: systems by sentences, without gaps.
        seed: of the signs; mt-metrics-eval takes 4.

    Returns:
        Systems by systems; above the diagonal the p-value that the first is better, otherwise NaN.
    """
    if np.isnan(scores).any():
        raise DataError("a permutation test needs a score of every system for every sentence")
    size, sentences = scores.shape
    rng = np.random.default_rng(seed)
    signs = rng.random(size=(PERMUTATIONS, sentences), dtype=np.float32)
    np.rint(signs, out=signs)
    signs *= 2.0
    signs -= 1.0
    single = scores.astype(np.float32)
    totals = np.sum(single, axis=1)
    shuffled = np.matmul(signs, single.T)
    p_values = np.full((size, size), np.nan)
    for one, other in combinations(range(size), 2):
        gaps = shuffled[:, one] - shuffled[:, other]
        p_values[one, other] = np.sum(gaps >= totals[one] - totals[other]) / PERMUTATIONS
    return p_values


def soft_pairwise_accuracy(human: FloatArray, metric: FloatArray) -> float | None:
    """One minus the mean distance of two sets of p-values, over all pairs of systems.

    Args:
        human: p-values as of :func:`permutation_p_values`, from people's ratings.
        metric: likewise, from the metric's scores.
    """
    above = np.triu_indices(len(human), 1)
    return float(1 - np.abs(human - metric)[above].mean()) if len(above[0]) else None


def shuffled_soft_accuracy(
    human: FloatArray, metric: FloatArray, *, shuffles: int = 200, seed: int = 1
) -> float | None:
    """The chance level of soft pairwise accuracy: the metric's systems under each other's names."""
    size = len(metric)
    if size < 2:
        return None
    both = np.where(np.isnan(metric), 1 - metric.T, metric)
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(size) for _ in range(shuffles)]
    values = [soft_pairwise_accuracy(human, both[np.ix_(order, order)]) for order in orders]
    return float(np.mean([value for value in values if value is not None]))


def bootstrap_p_values(samples: FloatArray) -> FloatArray:
    """The same from bootstrap samples (a row each) of systems' scores: the share against.

    Where people ranked outputs there are no ratings to shuffle; how often a system is not ahead
    when the judgments are drawn again says the same. A tie counts half.
    """
    size = samples.shape[1]
    p_values = np.full((size, size), np.nan)
    for one, other in combinations(range(size), 2):
        lead = samples[:, one] - samples[:, other]
        p_values[one, other] = (lead < 0).mean() + (lead == 0).mean() / 2
    return p_values


@dataclass(frozen=True)
class MetricTest:
    """Whether one metric agrees better with people than another.

    Attributes:
        metric: the better one.
        other: the other one.
        value: of the better one.
        other_value: of the other one.
        p: two-sided, by permutation.
        p_holm: adjusted for the number of tests.
    """

    metric: str
    other: str
    value: float
    other_value: Annotated[float, Shown(title="of other")]
    p: Annotated[float | None, Shown("p")]
    p_holm: Annotated[float | None, Shown("p", title="p (Holm)")]


@dataclass(frozen=True)
class TestedMetrics:
    """All tests between some metrics; metrics not significantly different share a letter."""

    tests: tuple[MetricTest, ...]
    letters: Mapping[str, str]


def _compare(
    values: Mapping[str, float], test: Callable[[str, str], float | None]
) -> TestedMetrics:
    """Test every two metrics, the better one first."""
    order = sorted(values, key=lambda name: -values[name])
    pairs = list(combinations(range(len(order)), 2))
    p_values = [test(order[one], order[other]) for one, other in pairs]
    adjusted = holm(p_values)
    different = [
        pair for pair, p in zip(pairs, adjusted, strict=True) if p is not None and p < SIGNIFICANT
    ]
    tests = tuple(
        MetricTest(order[one], order[other], values[order[one]], values[order[other]], p, p_holm)
        for (one, other), p, p_holm in zip(pairs, p_values, adjusted, strict=True)
    )
    return TestedMetrics(tests, dict(zip(order, letter_groups(len(order), different), strict=True)))


def compare_credits(
    credits_: Mapping[str, tuple[FloatArray, FloatArray]], permutations: int, seed: int
) -> TestedMetrics:
    """Tests at the level of sentences: two metrics exchange their credit sentence by sentence.

    Args:
        credits_: for every metric, the credit of each sentence and the pairs it comes from.
        permutations: how many.
        seed: of the exchanges; all tests see the same.
    """
    totals = {name: float(c.sum() / max(n.sum(), 1)) for name, (c, n) in credits_.items()}

    def test(one: str, other: str) -> float | None:
        (credit, number), (credit_other, number_other) = credits_[one], credits_[other]
        signs = _signs(len(credit), permutations, seed)
        both = (number + number_other) / 2
        if not both.sum():
            return None
        gap = credit - credit_other
        return randomisation_p(float(gap.sum() / both.sum()), (signs @ gap) / both.sum())

    return _compare(totals, test)


def compare_correlations(
    human: FloatArray,
    scores: Mapping[str, FloatArray],
    coefficient: Coefficient,
    permutations: int,
    seed: int,
) -> TestedMetrics:
    """Tests at the level of systems: two metrics exchange their standardised scores.

    This is the permutation test of Deutsch, Dror and Roth (2021) over systems.
    """
    values = {name: float(correlate(human, own, coefficient)) for name, own in scores.items()}
    values = {name: value for name, value in values.items() if not np.isnan(value)}
    standard = {name: _standardised(scores[name]) for name in values}

    def test(one: str, other: str) -> float | None:
        swap = _signs(len(human), permutations, seed) > 0
        first = np.where(swap, standard[other], standard[one])
        second = np.where(swap, standard[one], standard[other])
        people = np.broadcast_to(human, first.shape)
        gaps = correlate_rows(people, first, coefficient)
        gaps -= correlate_rows(people, second, coefficient)
        return randomisation_p(values[one] - values[other], gaps)

    return _compare(values, test)


def _standardised(values: FloatArray) -> FloatArray:
    spread = values.std()
    standard: FloatArray = (values - values.mean()) / (spread or 1.0)
    return standard


def _signs(size: int, permutations: int, seed: int) -> FloatArray:
    drawn = np.random.default_rng(seed).integers(0, 2, size=(permutations, size), dtype=np.int8)
    return (2.0 * drawn - 1.0).astype(np.float64)


def chance_level(
    measure: Callable[[FloatArray], float | None],
    metric: FloatArray,
    *,
    shuffles: int = 100,
    seed: int = 1,
) -> float | None:
    """The mean of a measure when the metric's scores are dealt to the systems at random.

    Args:
        measure: of a metric's scores, rows by systems.
        metric: the scores; gaps stay where they are.
        shuffles: how often.
        seed: of the shuffles.
    """
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(shuffles):
        keys = np.where(np.isnan(metric), np.inf, rng.random(metric.shape))
        # the known scores of a row in random order, put back into the known places of the row
        order = np.argsort(keys, axis=1)
        dealt = np.take_along_axis(metric, order, axis=1)
        places = np.argsort(np.isnan(metric), axis=1, kind="stable")
        mixed = np.empty_like(metric)
        np.put_along_axis(mixed, places, dealt, axis=1)
        values.append(measure(mixed))
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
