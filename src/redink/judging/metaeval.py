"""Metrics held against the human ranking: correlations over systems and tests between metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from redink.errors import DataError
from redink.judging.rankers import ScoredSystems
from redink.judging.rankings import FloatArray
from redink.model.scores import SystemScore
from redink.statistics.correlation import (
    COEFFICIENTS,
    Coefficient,
    KendallTies,
    WilliamsTest,
    correlate,
    correlate_rows,
    williams_test,
)
from redink.statistics.resampling import draw_bootstrap, percentile_interval

Uncertainty = Literal["judgments", "systems"]
"""What an interval allows for: that other judgments were given, or other systems taken part."""


@dataclass(frozen=True)
class MetricScores:
    """The scores of systems under one metric; precision and recall where it is an F score."""

    metric: str
    systems: tuple[str, ...]
    scores: FloatArray
    precision: FloatArray | None = None
    recall: FloatArray | None = None


@dataclass(frozen=True)
class Paired:
    """Humans and a metric on the systems that both have scored.

    Attributes:
        systems: in the order of the names.
        human: the human scores.
        samples: bootstrap samples of the human scores, a row each.
        metric: the metric's scores.
    """

    systems: tuple[str, ...]
    human: FloatArray
    samples: FloatArray
    metric: FloatArray


@dataclass(frozen=True)
class Correlation:
    """A correlation with its interval; None where it is undefined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class MetricCorrelations:
    """How one metric's scores of systems go with the humans'."""

    metric: str
    systems: tuple[str, ...]
    by_coefficient: dict[Coefficient, Correlation]


@dataclass(frozen=True)
class MetricComparison:
    """Whether ``metric`` goes better with the humans than ``other`` (Williams test)."""

    metric: str
    other: str
    value: float | None
    other_value: float | None
    between: float | None
    systems: int
    test: WilliamsTest | None


@dataclass(frozen=True)
class Window:
    """Correlations among the systems from place ``first`` to ``last`` of the human ranking."""

    metric: str
    first: int
    last: int
    systems: tuple[str, ...]
    by_coefficient: dict[Coefficient, float | None]


def group_scores(scores: Iterable[SystemScore]) -> tuple[MetricScores, ...]:
    """The scores metric by metric, in the order in which the metrics come.

    Raises:
        DataError: one system has two scores under one metric.
    """
    by_metric: dict[str, dict[str, SystemScore]] = {}
    for score in scores:
        of_metric = by_metric.setdefault(score.metric, {})
        if score.system in of_metric:
            raise DataError(
                f"system {score.system!r} has two scores under the metric {score.metric!r}; "
                "give the files names of their own with NAME=PATH"
            )
        of_metric[score.system] = score
    return tuple(_gather(metric, members) for metric, members in by_metric.items())


def _gather(metric: str, members: dict[str, SystemScore]) -> MetricScores:
    systems = tuple(sorted(members))
    ordered = [members[system] for system in systems]
    precision = recall = None
    if all(score.precision is not None and score.recall is not None for score in ordered):
        precision = np.array([score.precision for score in ordered], dtype=np.float64)
        recall = np.array([score.recall for score in ordered], dtype=np.float64)
    values = np.array([score.score for score in ordered], dtype=np.float64)
    return MetricScores(metric, systems, values, precision, recall)


def pair_up(human: ScoredSystems, metric: MetricScores) -> Paired:
    """Humans and the metric on the systems that both have placed."""
    placed = {
        system: at for at, system in enumerate(human.systems) if not np.isnan(human.scores[at])
    }
    systems = tuple(system for system in metric.systems if system in placed)
    ours = np.array([placed[system] for system in systems], dtype=np.int64)
    theirs = np.array([metric.systems.index(system) for system in systems], dtype=np.int64)
    return Paired(systems, human.scores[ours], human.samples[:, ours], metric.scores[theirs])


def correlate_metric(
    human: ScoredSystems,
    metric: MetricScores,
    *,
    uncertainty: Uncertainty = "judgments",
    kendall_ties: KendallTies = "b",
    level: float = 0.95,
    rng: np.random.Generator,
) -> MetricCorrelations:
    """All three correlations, with percentile intervals over bootstrap samples.

    Over ``judgments`` the human ranking is drawn anew and the metric stays. Over ``systems`` the
    systems are: with a dozen of them the interval is wide, and rightly so.
    """
    paired = pair_up(human, metric)
    drawn = None
    if uncertainty == "systems" and len(paired.systems) > 1:
        drawn = draw_bootstrap(len(paired.systems), len(paired.samples), rng)
    found: dict[Coefficient, Correlation] = {}
    for coefficient in COEFFICIENTS:
        if len(paired.systems) < 2:
            found[coefficient] = Correlation(None, None, None)
            continue
        value = float(
            correlate(paired.human, paired.metric, coefficient, kendall_ties=kendall_ties)
        )
        if drawn is None:
            samples = correlate(
                paired.samples, paired.metric, coefficient, kendall_ties=kendall_ties
            )
        else:
            samples = correlate_rows(
                paired.human[drawn], paired.metric[drawn], coefficient, kendall_ties=kendall_ties
            )
        found[coefficient] = _with_interval(value, samples, level)
    return MetricCorrelations(metric.metric, paired.systems, found)


def _with_interval(value: float, samples: FloatArray, level: float) -> Correlation:
    if np.isnan(value):
        return Correlation(None, None, None)
    if np.isnan(samples).all():
        return Correlation(value, None, None)
    low, high = percentile_interval(samples, level=level)
    return Correlation(value, float(low), float(high))


def compare_metrics(
    human: ScoredSystems, metrics: Sequence[MetricScores], *, coefficient: Coefficient = "pearson"
) -> tuple[MetricComparison, ...]:
    """The Williams test for every pair of metrics, the better correlated one first.

    The test is made for Pearson's r; with another coefficient it is an approximation. Each pair
    is compared on the systems that the humans and both metrics have scored.
    """
    compared = []
    for one, other in combinations(metrics, 2):
        shared = set(one.systems) & set(other.systems)
        pair = [_only(metric, shared) for metric in (one, other)]
        first, second = (pair_up(human, metric) for metric in pair)
        ours = theirs = between = np.nan
        if len(first.systems) > 1:
            ours = float(correlate(first.human, first.metric, coefficient))
            theirs = float(correlate(second.human, second.metric, coefficient))
            between = float(correlate(first.metric, second.metric, coefficient))
        better, worse = one.metric, other.metric
        if theirs > ours:
            better, worse, ours, theirs = worse, better, theirs, ours
        size = len(first.systems)
        test = williams_test(ours, theirs, between, size)
        compared.append(
            MetricComparison(
                better, worse, _or_none(ours), _or_none(theirs), _or_none(between), size, test
            )
        )
    return tuple(compared)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def _only(metric: MetricScores, systems: set[str]) -> MetricScores:
    kept = [at for at, system in enumerate(metric.systems) if system in systems]
    return MetricScores(
        metric.metric, tuple(metric.systems[at] for at in kept), metric.scores[kept]
    )


def correlate_windows(
    human: ScoredSystems,
    metric: MetricScores,
    *,
    width: int | None = None,
    smallest: int = 3,
    kendall_ties: KendallTies = "b",
) -> tuple[Window, ...]:
    """Correlations among neighbours of the human ranking.

    With a ``width`` a window of so many systems slides from the top to the bottom. Without one
    the window begins at the top and shrinks: all systems, all but the last, down to the best
    ``smallest``. Metrics that only tell good systems from bad ones do badly among the best.
    """
    paired = pair_up(human, metric)
    order = np.argsort(-paired.human, kind="stable")
    size = len(order)
    if width is None:
        bounds = [(0, last) for last in range(size, smallest - 1, -1)]
    else:
        bounds = [(first, first + width) for first in range(size - width + 1)]
    windows = []
    for first, last in bounds:
        members = order[first:last]
        values = {
            coefficient: float(
                correlate(
                    paired.human[members],
                    paired.metric[members],
                    coefficient,
                    kendall_ties=kendall_ties,
                )
            )
            for coefficient in COEFFICIENTS
        }
        windows.append(
            Window(
                metric.metric,
                first + 1,
                last,
                tuple(paired.systems[at] for at in members),
                {name: _or_none(value) for name, value in values.items()},
            )
        )
    return tuple(windows)
