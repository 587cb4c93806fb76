"""Which weight of recall makes an F score agree best with people (figure 3 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from redink.errors import DataError, OptionError
from redink.judging.metaeval import MetricScores, pair_up
from redink.judging.rankers import ScoredSystems
from redink.judging.rankings import FloatArray, IntArray
from redink.statistics.arrays import f_of_rates
from redink.statistics.correlation import COEFFICIENTS, Coefficient, KendallTies, correlate
from redink.statistics.resampling import percentile_interval

DEFAULT_BETAS = tuple(round(step / 100, 2) for step in range(1, 101))
"""0.01 to 1, as in the paper."""


@dataclass(frozen=True)
class BestBeta:
    """The beta with the highest correlation, and how far it can be trusted.

    Attributes:
        metric: the metric whose beta it is.
        coefficient: the correlation that is maximised.
        beta: the best; the largest of several equally good ones.
        value: its correlation.
        low: the lower end of the interval of the best beta over the bootstrap samples.
        high: the upper end.
    """

    metric: str
    coefficient: Coefficient
    beta: float | None
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class BetaSweep:
    """Correlations of F with the humans for every beta; NaN where undefined."""

    metric: str
    betas: FloatArray
    correlations: dict[Coefficient, FloatArray]
    best: tuple[BestBeta, ...]


def with_beta(metric: MetricScores, beta: float) -> MetricScores:
    """The metric's F score under another beta, called ``m2 F0.25``.

    Raises:
        DataError: the metric's precision and recall are not known.
    """
    if metric.precision is None or metric.recall is None:
        raise DataError(
            f"the scores of {metric.metric!r} come without precision and recall, "
            "so that no other F can be made from them"
        )
    if beta < 0:
        raise OptionError(f"beta cannot be negative ({beta:g})")
    scores = f_of_rates(metric.precision, metric.recall, beta)
    name = f"{metric.metric} F{beta:g}"
    return MetricScores(name, metric.systems, scores, metric.precision, metric.recall)


def sweep_betas(
    human: ScoredSystems,
    metric: MetricScores,
    *,
    betas: Sequence[float] = DEFAULT_BETAS,
    kendall_ties: KendallTies = "b",
    level: float = 0.95,
) -> BetaSweep:
    """Correlate F with the humans under every beta, and find the best one.

    The uncertainty of the best beta comes from the bootstrap samples of the human ranking: the
    best beta is sought anew in each of them.
    """
    if not betas:
        raise OptionError("a sweep needs at least one beta")
    grid = np.array(sorted(set(betas)), dtype=np.float64)
    pairs = [pair_up(human, with_beta(metric, float(beta))) for beta in grid]
    scores = np.stack([pair.metric for pair in pairs])
    people, samples = pairs[0].human, pairs[0].samples
    correlations: dict[Coefficient, FloatArray] = {}
    best = []
    for coefficient in COEFFICIENTS:
        if len(people) < 2:
            values, sampled = np.full(len(grid), np.nan), np.full((1, len(grid)), np.nan)
        else:
            values = correlate(people, scores, coefficient, kendall_ties=kendall_ties)
            sampled = correlate(samples, scores, coefficient, kendall_ties=kendall_ties)
        correlations[coefficient] = values
        best.append(_find_best(metric.metric, coefficient, grid, values, sampled, level))
    return BetaSweep(metric.metric, grid, correlations, tuple(best))


def _find_best(
    metric: str,
    coefficient: Coefficient,
    grid: FloatArray,
    values: FloatArray,
    sampled: FloatArray,
    level: float,
) -> BestBeta:
    if np.isnan(values).all():
        return BestBeta(metric, coefficient, None, None, None, None)
    at = _last_best(values[None, :])[0]
    defined = sampled[~np.isnan(sampled).all(axis=1)]
    low = high = None
    if len(defined):
        edges = percentile_interval(grid[_last_best(defined)], level=level)
        low, high = (float(edge) for edge in edges)
    return BestBeta(metric, coefficient, float(grid[at]), float(values[at]), low, high)


def _last_best(rows: FloatArray) -> IntArray:
    """The position of the highest value of each row, the last of equals."""
    # Correlations that differ by rounding alone are equal.
    rounded = np.round(np.nan_to_num(rows, nan=-np.inf), 12)
    last: IntArray = rounded.shape[1] - 1 - rounded[:, ::-1].argmax(axis=1)
    return last
