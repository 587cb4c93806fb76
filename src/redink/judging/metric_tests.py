"""Permutation tests between metrics, soft pairwise accuracy, and chance levels.

Soft pairwise accuracy (Thompson et al. 2024) compares a metric's p-values between systems with
those of human judgments.
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
from redink.statistics.significance import holm, letter_groups, randomization_p

SIGNIFICANT = 0.05
PERMUTATIONS = 1000


def permutation_p_values(scores: FloatArray, *, seed: int = 4) -> FloatArray:
    """Run a paired permutation test for each pair of systems; ``scores`` is systems by sentences.

    All pairs use the same signs, and sums are in single precision, as in mt-metrics-eval (whose
    seed is 4): with the same seed, both give the same numbers. The result is systems by systems:
    above the diagonal, the p-value that the first system is better; NaN elsewhere.
    """
    if np.isnan(scores).any():
        raise DataError("the permutation test needs a score of every system for every sentence")
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
    """Return one minus the mean distance of the p-values of humans and of the metric."""
    above = np.triu_indices(len(human), 1)
    return float(1 - np.abs(human - metric)[above].mean()) if len(above[0]) else None


def shuffled_soft_accuracy(
    human: FloatArray, metric: FloatArray, *, shuffles: int = 200, seed: int = 1
) -> float | None:
    """Return the chance level of soft pairwise accuracy, from shuffled systems."""
    size = len(metric)
    if size < 2:
        return None
    both = np.where(np.isnan(metric), 1 - metric.T, metric)
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(size) for _ in range(shuffles)]
    values = [soft_pairwise_accuracy(human, both[np.ix_(order, order)]) for order in orders]
    return float(np.mean([value for value in values if value is not None]))


def bootstrap_p_values(samples: FloatArray) -> FloatArray:
    """Return p-values like :func:`permutation_p_values` from bootstrap samples of human scores.

    Rankings have no ratings to permute, so the p-value is the share of samples in which the first
    system is not better. A tie counts half.
    """
    size = samples.shape[1]
    p_values = np.full((size, size), np.nan)
    for one, other in combinations(range(size), 2):
        lead = samples[:, one] - samples[:, other]
        p_values[one, other] = (lead < 0).mean() + (lead == 0).mean() / 2
    return p_values


@dataclass(frozen=True)
class MetricTest:
    """A two-sided permutation test between two metrics, the better one first."""

    metric: str
    other: str
    value: float
    other_value: Annotated[float, Shown(title="of other")]
    p: Annotated[float | None, Shown("p")]
    p_holm: Annotated[float | None, Shown("p", title="p (Holm)")]


@dataclass(frozen=True)
class TestedMetrics:
    """All tests between metrics; metrics that are not significantly different share a letter."""

    tests: tuple[MetricTest, ...]
    letters: Mapping[str, str]


def _compare(
    values: Mapping[str, float], test: Callable[[str, str], float | None]
) -> TestedMetrics:
    """Test each pair of metrics, the better one first."""
    order = sorted(values, key=lambda name: -values[name])
    pairs = list(combinations(range(len(order)), 2))
    p_values = [test(order[one], order[other]) for one, other in pairs]
    tests, different = [], []
    for (one, other), p, p_holm in zip(pairs, p_values, holm(p_values), strict=True):
        names = order[one], order[other]
        tests.append(MetricTest(*names, values[names[0]], values[names[1]], p, p_holm))
        if p_holm is not None and p_holm < SIGNIFICANT:
            different.append((one, other))
    letters = letter_groups(len(order), different)
    return TestedMetrics(tuple(tests), dict(zip(order, letters, strict=True)))


def compare_credits(
    credits_: Mapping[str, tuple[FloatArray, FloatArray]], permutations: int, seed: int
) -> TestedMetrics:
    """Test metrics on sentences: two metrics exchange their credits sentence by sentence.

    ``credits_`` contains the credit of each sentence and its number of pairs for each metric.
    """
    totals = {name: float(c.sum() / max(n.sum(), 1)) for name, (c, n) in credits_.items()}

    def test(one: str, other: str) -> float | None:
        (credit, number), (credit_other, number_other) = credits_[one], credits_[other]
        signs = _signs(len(credit), permutations, seed)
        both = (number + number_other) / 2
        if not both.sum():
            return None
        gap = credit - credit_other
        return randomization_p(float(gap.sum() / both.sum()), (signs @ gap) / both.sum())

    return _compare(totals, test)


def compare_correlations(
    human: FloatArray,
    scores: Mapping[str, FloatArray],
    coefficient: Coefficient,
    permutations: int,
    seed: int,
) -> TestedMetrics:
    """Test metrics on systems: two metrics exchange their standardized scores.

    This is the permutation test of Deutsch, Dror and Roth (2021) over systems.
    """
    values = {name: float(correlate(human, own, coefficient)) for name, own in scores.items()}
    values = {name: value for name, value in values.items() if not np.isnan(value)}
    standard = {
        name: (scores[name] - scores[name].mean()) / (scores[name].std() or 1.0) for name in values
    }

    def test(one: str, other: str) -> float | None:
        swap = _signs(len(human), permutations, seed) > 0
        first = np.where(swap, standard[other], standard[one])
        second = np.where(swap, standard[one], standard[other])
        people = np.broadcast_to(human, first.shape)
        gaps = correlate_rows(people, first, coefficient)
        gaps -= correlate_rows(people, second, coefficient)
        return randomization_p(values[one] - values[other], gaps)

    return _compare(values, test)


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
    """Return the mean of a measure over shuffles of the metric's scores within each row.

    ``metric`` is rows by systems; missing scores stay missing.
    """
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(shuffles):
        keys = np.where(np.isnan(metric), np.inf, rng.random(metric.shape))
        # the known scores of a row in random order, put back at the known positions of the row
        shuffled = np.take_along_axis(metric, np.argsort(keys, axis=1), axis=1)
        positions = np.argsort(np.isnan(metric), axis=1, kind="stable")
        mixed = np.empty_like(metric)
        np.put_along_axis(mixed, positions, shuffled, axis=1)
        values.append(measure(mixed))
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
