"""``redink runs``: several runs of each system, their mean and spread, and tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from statistics import fmean, variance
from typing import Annotated, Literal

import numpy as np

from redink.errors import DataError, OptionError, unknown_name
from redink.evaluation import Evaluation, EvaluationOptions
from redink.inputs.input_checks import warn_about_documents
from redink.inputs.input_options import ReferenceLike, SystemsLike
from redink.model import Definition, Shown, Table, table_of
from redink.options import Flag, Limits, Needs, Seed, command
from redink.scoring.engine import SIGNIFICANT, ScoredSystem
from redink.scoring.metric import FloatArray
from redink.scoring.specs import DEFAULT_METRICS, MetricDefaults, Metrics, make_metrics
from redink.statistics.distributions import student_t_cdf
from redink.statistics.significance import holm

_Score = Annotated[float | None, Shown("score")]
_MANY = 1e6
"""Degrees of freedom of a normal distribution."""


@dataclass(frozen=True)
class RunScore:
    """The mean of the scores of a system's runs, with their standard deviation ``sd``.

    The confidence interval accounts for sentences and runs.
    """

    system: str
    metric: str
    runs: int
    score: _Score
    sd: _Score
    low: _Score
    high: _Score


@dataclass(frozen=True)
class RunDifference:
    """The difference of the means of two systems, tested for sentences and runs."""

    metric: str
    system: str
    other: Annotated[str, Shown(title="against")]
    runs: int
    other_runs: int
    score: _Score
    other_score: Annotated[float, Shown("score", title="against it")]
    difference: _Score
    low: _Score
    high: _Score
    p: Annotated[float, Shown("p")]
    p_holm: Annotated[float | None, Shown("p", title="p (Holm)")] = None
    significant: bool | None = None


@command
def runs(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    metrics: Metrics = DEFAULT_METRICS,
    metric_defaults: MetricDefaults = MetricDefaults(),
    show: Literal["scores", "tests"] = "scores",
    baseline: Annotated[str | None, Flag(value="SYSTEM"), Needs(show="tests")] = None,
    bootstrap: Annotated[int, Limits(100)] = 1000,
    seed: Seed = 1,
) -> Table:
    """Summarize several runs of each system, such as training runs with different seeds.

    Systems named NAME@1, NAME@2 and so on are runs of one system. Confidence intervals and tests
    account for the choice of the sentences (bootstrap) and of the runs (Student's t).

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: the runs of the systems, as for ``score``, with names such as ``mine@1``.
        evaluation_options: how references and systems are read, aligned and annotated.
        metrics: metrics, with options in parentheses.
        metric_defaults: options that apply to all metrics that have them.
        show: the mean and the spread of each system, or tests of all pairs of systems.
        baseline: compare every system only with this one.
        bootstrap: number of bootstrap samples.
        seed: random seed.

    Returns:
        One row per system and metric, or per pair of systems and metric.
    """
    chosen = make_metrics(metrics, metric_defaults)
    evaluation = Evaluation.load(reference, systems, evaluation_options)
    notes = [*evaluation.check(), *warn_about_documents(evaluation.groups)]
    scored, said = evaluation.collect(chosen)
    resampled = evaluation.resample(scored, bootstrap, np.random.default_rng(seed))
    groups = _group(scored, resampled)
    names = list(dict.fromkeys(one.system for one in groups))
    if baseline is not None and baseline not in names:
        raise unknown_name("system", baseline, names)
    single = list(dict.fromkeys(one.system for one in groups if len(one.scores) == 1))
    if single:
        said.append(f"only sentences vary, because there is a single run: {', '.join(single)}")
    notes += [*said, Definition(_ABOUT)]
    signature = evaluation.signature(
        "runs", chosen, bootstrap=bootstrap, seed=seed, **evaluation_options.resampling()
    )
    if show == "tests":
        tests = list(_compare(groups, baseline))
        return table_of(tests, RunDifference, notes=notes, signature=signature, groups="metric")
    rows = [_describe(one) for one in groups]
    return table_of(rows, RunScore, notes=notes, signature=signature, groups="metric")


_ABOUT = (
    "Variances of sentences (bootstrap) and of runs are added; intervals and p-values are those "
    "of Student's t with Welch's degrees of freedom, Holm-adjusted for the number of pairs"
)


@dataclass(frozen=True)
class _Group:
    """The scores of the runs of a system, and their mean in every bootstrap sample."""

    system: str
    metric: str
    scores: tuple[float, ...]
    means: FloatArray

    @property
    def run_variance(self) -> float:
        """The variance of the mean, from the differences between runs."""
        return variance(self.scores) / len(self.scores) if len(self.scores) > 1 else 0.0


def _group(scored: Sequence[ScoredSystem], resampled: Sequence[FloatArray]) -> list[_Group]:
    runs: dict[tuple[str, str], list[int]] = {}
    for index, each in enumerate(scored):
        name, at, number = each.system.name.rpartition("@")
        stem = name if at and number else each.system.name
        runs.setdefault((each.label, stem), []).append(index)
    if all(len(members) == 1 for members in runs.values()):
        raise OptionError("no system has several runs; name them SYSTEM@1, SYSTEM@2")
    groups = []
    for (metric, system), members in runs.items():
        scores = [score for i in members if (score := scored[i].score()) is not None]
        if len(scores) < len(members):
            raise DataError(f"{metric}: the score of a run of {system} is undefined")
        means = np.mean([resampled[index][:, 0] for index in members], axis=0)
        groups.append(_Group(system, metric, tuple(scores), means))
    return groups


def _test(
    value: float, sentences: FloatArray, groups: Iterable[_Group]
) -> tuple[float, float, float]:
    """Return the interval of a mean, or of a difference of means, and p for the value 0.

    The variances of sentences (bootstrap) and runs are added. The degrees of freedom are Welch's:
    few runs have wide intervals.
    """
    parts = [(one.run_variance, len(one.scores) - 1) for one in groups if one.run_variance > 0]
    total = float(np.nanvar(sentences, ddof=1)) + sum(part for part, _ in parts)
    error = sqrt(total)
    few = sum(part**2 / degrees for part, degrees in parts)
    degrees = min(total**2 / few, _MANY) if few else _MANY
    if error < 1e-12:
        return value, value, float(abs(value) < 1e-12)
    reach = _quantile(degrees) * error
    return value - reach, value + reach, 2 * student_t_cdf(degrees, -abs(value) / error)


def _quantile(degrees: float) -> float:
    """Return the 97.5% quantile of Student's t distribution."""
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_t_cdf(degrees, middle) < 0.975 else (low, middle)
    return low


def _describe(one: _Group) -> RunScore:
    mean, number = fmean(one.scores), len(one.scores)
    low, high, _ = _test(mean, one.means, [one])
    sd = sqrt(variance(one.scores)) if number > 1 else None
    return RunScore(one.system, one.metric, number, mean, sd, low, high)


def _compare(groups: Sequence[_Group], baseline: str | None) -> Iterator[RunDifference]:
    """Yield the tests of all pairs of systems, or of all systems with a baseline."""
    for metric in dict.fromkeys(one.metric for one in groups):
        family = []
        for pair in combinations([one for one in groups if one.metric == metric], 2):
            a, b = sorted(pair, key=lambda one: -fmean(one.scores))
            if baseline is not None:
                if baseline not in {a.system, b.system}:
                    continue
                a, b = (b, a) if a.system == baseline else (a, b)
            ours, theirs = fmean(a.scores), fmean(b.scores)
            low, high, p = _test(ours - theirs, a.means - b.means, (a, b))
            family.append(
                RunDifference(
                    *(metric, a.system, b.system, len(a.scores), len(b.scores)),
                    *(ours, theirs, ours - theirs, low, high, p),
                )
            )
        for row, adjusted in zip(family, holm([row.p for row in family]), strict=True):
            significant = adjusted is not None and adjusted < SIGNIFICANT
            yield replace(row, p_holm=adjusted, significant=significant)
