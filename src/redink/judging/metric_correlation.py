"""Correlation of metrics with human scores of systems: overall, in windows, and by beta."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.judging.rankers import Method, ScoredSystems, score_systems
from redink.judging.rankings import FloatArray, IntArray, expand
from redink.judging.sentence_pairs import ScoresBySentence, rankings_from_scores
from redink.model import Shown, SystemScore
from redink.statistics.arrays import f_of_rates
from redink.statistics.correlation import (
    COEFFICIENTS,
    Coefficient,
    KendallTies,
    correlate,
    correlate_all,
    correlate_rows,
    williams_test,
)
from redink.statistics.resampling import draw_bootstrap, interval_of

Uncertainty = Literal["judgments", "systems"]
"""The unit that confidence intervals resample."""

DEFAULT_BETAS = tuple(round(step / 100, 2) for step in range(1, 101))
"""0.01 to 1, as in figure 3 of Grundkiewicz et al. (2015)."""

Highest = Annotated[float | None, Shown(best="max")]
Low = Annotated[float | None, Shown(title="low")]
High = Annotated[float | None, Shown(title="high")]
Beta = Annotated[float | None, Shown("score")]


@dataclass(frozen=True)
class MetricScores:
    """The scores of systems under one metric; precision and recall if it is an F score."""

    metric: str
    systems: tuple[str, ...]
    scores: FloatArray
    precision: FloatArray | None = None
    recall: FloatArray | None = None

    def only(self, systems: Container[str]) -> MetricScores:
        """Return the scores of some of the systems."""
        kept = [at for at, system in enumerate(self.systems) if system in systems]
        return MetricScores(
            self.metric,
            tuple(self.systems[at] for at in kept),
            self.scores[kept],
            None if self.precision is None else self.precision[kept],
            None if self.recall is None else self.recall[kept],
        )


@dataclass(frozen=True)
class Paired:
    """Human scores, bootstrap samples of them, and metric scores of the systems with both."""

    systems: tuple[str, ...]
    human: FloatArray
    samples: FloatArray
    metric: FloatArray


def group_scores(scores: Iterable[SystemScore]) -> tuple[MetricScores, ...]:
    """Group the scores by metric, in order of appearance."""
    by_metric: dict[str, dict[str, SystemScore]] = {}
    for score in scores:
        of_metric = by_metric.setdefault(score.metric, {})
        if score.system in of_metric:
            raise DataError(
                f"system {score.system!r} has two scores under the metric {score.metric!r}; "
                "name the files differently with NAME=PATH"
            )
        of_metric[score.system] = score
    grouped = []
    for metric, members in by_metric.items():
        systems = tuple(sorted(members))
        rows = [(m.score, m.precision, m.recall) for m in (members[system] for system in systems)]
        values, precision, recall = np.array(rows, dtype=np.float64).T  # None becomes NaN
        if np.isnan([precision, recall]).any():
            precision = recall = None
        grouped.append(MetricScores(metric, systems, values, precision, recall))
    return tuple(grouped)


def pair_up(human: ScoredSystems, metric: MetricScores) -> Paired:
    """Pair human and metric scores of the systems that have both."""
    placed = {
        system: at for at, system in enumerate(human.systems) if not np.isnan(human.scores[at])
    }
    common = metric.only(placed)
    ours = np.array([placed[system] for system in common.systems], dtype=np.int64)
    return Paired(common.systems, human.scores[ours], human.samples[:, ours], common.scores)


def warn_about_systems(judged: Iterable[str], metrics: Sequence[MetricScores]) -> list[str]:
    """Warn if metrics lack judged systems that other metrics score; return the warning as note."""
    placed = set(judged)
    scored = {metric.metric: placed.intersection(metric.systems) for metric in metrics}
    every = set().union(*scored.values())
    lacks = {metric: ", ".join(sorted(every - own)) for metric, own in scored.items()}
    lacking = [f"{metric} lacks {names}" for metric, names in lacks.items() if names]
    if not lacking:
        return []
    message = (
        f"the metrics score different systems: {'; '.join(lacking)}. Correlations over "
        "different systems are not comparable (see the column systems)."
    )
    warnings.warn(message, RedinkWarning, stacklevel=3)
    return [message]


def _or_none(value: FloatArray | float) -> float | None:
    return None if np.isnan(value) else float(value)


def aggregate_metric(
    metric: str, scores: ScoresBySentence, method: Method, *, tolerance: float = 0.0, seed: int = 1
) -> MetricScores:
    """Rank systems by a metric's sentence scores with the method that ranks human judgments.

    This is the aggregation of Goto et al. (2025).
    """
    judgments = expand(rankings_from_scores(metric, scores, tolerance=tolerance))
    if not len(judgments):
        raise DataError(f"the sentence scores of {metric!r} do not compare any two systems")
    # 100 TrueSkill runs: the scores of a metric need no rank ranges
    rng = np.random.default_rng(seed)
    ranked = score_systems(judgments, method=method, samples=100, rng=rng)
    named = MetricScores(f"{metric} {method}", ranked.systems, ranked.scores)
    return named.only({ranked.systems[at] for at in ranked.order})


@dataclass(frozen=True)
class MetricCorrelations:
    """The correlations of one metric with human scores; None if undefined."""

    metric: str
    spearman: Highest
    spearman_low: Low
    spearman_high: High
    pearson: Highest
    pearson_low: Low
    pearson_high: High
    kendall: Highest
    kendall_low: Low
    kendall_high: High
    systems: int


def correlate_metric(
    human: ScoredSystems,
    metric: MetricScores,
    *,
    uncertainty: Uncertainty = "judgments",
    kendall_ties: KendallTies = "b",
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> MetricCorrelations:
    """Compute all three correlations with percentile intervals over bootstrap samples.

    The samples resample the human ``judgments``, or the ``systems``.
    """
    paired = pair_up(human, metric)
    size = len(paired.systems)
    people, scores = paired.samples, paired.metric
    if uncertainty == "systems" and size > 1:
        drawn = draw_bootstrap(size, len(paired.samples), rng)
        people, scores = paired.human[drawn], paired.metric[drawn]
    found = correlate_all(paired.human, paired.metric, kendall_ties=kendall_ties)
    for name in COEFFICIENTS:
        low = high = None
        if found[name] is not None:
            many = correlate if scores.ndim == 1 else correlate_rows
            samples = many(people, scores, name, kendall_ties=kendall_ties)
            low, high = interval_of(samples, confidence=confidence)
        found |= {f"{name}_low": low, f"{name}_high": high}
    return MetricCorrelations(metric=metric.metric, systems=size, **found)


@dataclass(frozen=True)
class MetricComparison:
    """The Williams test between two metrics, over the systems with all three scores.

    ``metric`` has the higher correlation; ``p`` is one-sided.
    """

    metric: str
    other: str
    pearson: float | None
    pearson_other: Annotated[float | None, Shown(title="of other")]
    pearson_between: Annotated[float | None, Shown(title="between")]
    t: Annotated[float | None, Shown("score")]
    p: Annotated[float | None, Shown("p")]
    systems: int


def compare_metrics(
    human: ScoredSystems, metrics: Sequence[MetricScores]
) -> tuple[MetricComparison, ...]:
    """Run the Williams test for every pair of metrics, the better correlated metric first."""
    compared = []
    for one, other in combinations(metrics, 2):
        first = pair_up(human, one.only(other.systems))
        second = pair_up(human, other.only(one.systems))
        size = len(first.systems)
        ours = theirs = between = np.nan
        if size > 1:
            ours = float(correlate(first.human, first.metric, "pearson"))
            theirs = float(correlate(second.human, second.metric, "pearson"))
            between = float(correlate(first.metric, second.metric, "pearson"))
        names = (one.metric, other.metric)
        if theirs > ours:
            names, ours, theirs = (other.metric, one.metric), theirs, ours
        test = williams_test(ours, theirs, between, size)
        t, p = (test.t, test.p) if test else (None, None)
        compared.append(
            MetricComparison(
                *names, _or_none(ours), _or_none(theirs), _or_none(between), t, p, size
            )
        )
    return tuple(compared)


@dataclass(frozen=True)
class Window:
    """Correlations among the systems from rank ``first`` to ``last`` of the human ranking."""

    metric: str
    first: int
    last: int
    spearman: float | None
    pearson: float | None
    kendall: float | None
    systems: str


def correlate_windows(
    human: ScoredSystems,
    metric: MetricScores,
    *,
    width: int | None = None,
    kendall_ties: KendallTies = "b",
) -> tuple[Window, ...]:
    """Correlate over neighbors in the human ranking.

    With a ``width``, a window of this number of systems moves from the top to the bottom. Without
    it, the window begins at the top and shrinks from all systems to the best three.
    """
    paired = pair_up(human, metric)
    # among equal scores the later name comes first, as in the windows published with SEEDA
    order = np.argsort(paired.human, kind="stable")[::-1]
    size = len(order)
    if width is None:
        bounds = [(0, last) for last in range(size, 2, -1)]
    else:
        bounds = [(first, first + width) for first in range(size - width + 1)]
    windows = []
    for first, last in bounds:
        members = order[first:last]
        found = correlate_all(
            paired.human[members], paired.metric[members], kendall_ties=kendall_ties
        )
        names = " ".join(paired.systems[at] for at in members)
        windows.append(Window(metric.metric, first + 1, last, **found, systems=names))
    return tuple(windows)


# ---- F scores under other betas


@dataclass(frozen=True)
class BetaCorrelations:
    """The correlations of F under one beta with human scores."""

    metric: str
    beta: Beta
    spearman: Highest
    pearson: Highest
    kendall: Highest
    systems: int


@dataclass(frozen=True)
class BestBeta:
    """The beta with the highest correlation (the largest of equally good ones).

    ``low`` and ``high`` are its confidence interval, and ``value`` is its correlation.
    """

    metric: str
    coefficient: Coefficient
    beta: Beta
    low: Beta
    high: Beta
    value: Annotated[float | None, Shown(title="correlation")]
    systems: int


@dataclass(frozen=True)
class BetaSweep:
    """The correlations of F with human scores for each beta, and the best betas."""

    betas: tuple[BetaCorrelations, ...]
    best: tuple[BestBeta, ...]


def with_beta(metric: MetricScores, beta: float) -> MetricScores:
    """Return the metric's F score under another beta, named ``m2 F0.25``."""
    if metric.precision is None or metric.recall is None:
        raise DataError(
            f"the scores of {metric.metric!r} have no precision and recall, "
            "so F cannot be computed for other betas"
        )
    scores = f_of_rates(metric.precision, metric.recall, beta)
    name = f"{metric.metric} F{beta:g}"
    return MetricScores(name, metric.systems, scores, metric.precision, metric.recall)


def is_plain_f(metric: MetricScores) -> bool:
    """Return whether the metric has precision and recall and :func:`with_beta` did not make it."""
    if metric.precision is None:
        return False
    name, _, made = metric.metric.rpartition(" F")
    return not (name and made.replace(".", "", 1).isdecimal())


def sweep_betas(
    human: ScoredSystems,
    metric: MetricScores,
    *,
    betas: Sequence[float] = DEFAULT_BETAS,
    kendall_ties: KendallTies = "b",
    confidence: float = 0.95,
) -> BetaSweep:
    """Correlate F with human scores under each beta, and find the best beta.

    The interval of the best beta comes from the bootstrap samples of the human scores.
    """
    if not betas:
        raise OptionError("--betas needs at least one beta")
    grid = np.array(sorted(set(betas)), dtype=np.float64)
    pairs = [pair_up(human, with_beta(metric, float(beta))) for beta in grid]
    scores = np.stack([pair.metric for pair in pairs])
    people, samples = pairs[0].human, pairs[0].samples
    columns: dict[str, list[float | None]] = {}
    best = []
    for name in COEFFICIENTS:
        values = np.full(len(grid), np.nan)
        if len(people) > 1:
            values = correlate(people, scores, name, kendall_ties=kendall_ties)
        columns[name] = [_or_none(value) for value in values]
        beta = low = high = value = None
        if not np.isnan(values).all():
            at = _last_best(values[None, :])[0]
            beta, value = float(grid[at]), float(values[at])
            sampled = correlate(samples, scores, name, kendall_ties=kendall_ties)
            defined = sampled[~np.isnan(sampled).all(axis=1)]
            low, high = interval_of(grid[_last_best(defined)], confidence=confidence)
        best.append(BestBeta(metric.metric, name, beta, low, high, value, systems=len(people)))
    rows = (
        BetaCorrelations(metric.metric, float(beta), spearman, pearson, kendall, len(people))
        for beta, spearman, pearson, kendall in zip(grid, *columns.values(), strict=True)
    )
    return BetaSweep(tuple(rows), tuple(best))


def _last_best(rows: FloatArray) -> IntArray:
    """Return the position of the highest value of each row, the last of equals."""
    # Correlations that differ only by rounding are equal.
    rounded = np.round(np.nan_to_num(rows, nan=-np.inf), 12)
    last: IntArray = rounded.shape[1] - 1 - rounded[:, ::-1].argmax(axis=1)
    return last
