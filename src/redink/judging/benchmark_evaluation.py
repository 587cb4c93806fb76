"""Agreement of metrics with human judgments: over systems, in windows of them, over sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from redink.errors import DataError, OptionError
from redink.inputs.benchmarks import SystemSet, Windows
from redink.judging.metric_correlation import (
    MetricCorrelations,
    MetricScores,
    Uncertainty,
    correlate_metric,
    correlate_windows,
    pair_up,
)
from redink.judging.rankers import JudgmentGrid, Method, ScoredSystems, score_systems
from redink.judging.rankings import FloatArray, PairwiseJudgments, Resample, choose_systems
from redink.judging.sentence_pairs import (
    ScoresBySentence,
    align_scores,
    calibrate_ties,
    credit_by_sentence,
    measure_pairs,
    pair_columns,
    resample_accuracy,
)
from redink.model import Definition, Shown
from redink.options import Confidence, Limits, Options, Positive, Seed
from redink.statistics.correlation import (
    Coefficient,
    KendallTies,
    correlate,
    correlate_all,
    correlate_rows,
)
from redink.statistics.distributions import average_ranks
from redink.statistics.resampling import interval_of
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

    ``metric`` is a matrix with one column per system; missing scores stay missing.
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


_SHUFFLES = 20
"""Shuffles behind the chance level, which is a mean over hundreds of sentences."""

Best = Annotated[float | None, Shown(best="max", optional=True)]
Low = Annotated[float | None, Shown(title="low", optional=True)]
High = Annotated[float | None, Shown(title="high", optional=True)]


@dataclass(frozen=True)
class MetaEvaluationOptions(Options):
    """The options of every table of a meta-evaluation.

    Attributes:
        systems: correlate over only these systems; human scores still use all judgments.
        without: correlate over all systems except these.
        kendall: Kendall's tau: adjusted for ties (b), with ties counted as neither concordant nor
            discordant (a), or without ties (gamma).
        decimals: round human scores first, as published scores were; 17 keeps all decimals.
        uncertainty: unit that confidence intervals resample: judgments or systems.
        resample: unit of resampled judgments: pairs or rankings.
        bootstrap: number of bootstrap samples for the confidence intervals.
        confidence: confidence level of the intervals.
        seed: random seed.
    """

    systems: Sequence[str] = ()
    without: Sequence[str] = ()
    kendall: KendallTies = "b"
    decimals: Annotated[int, Limits(0, 17)] | None = 3
    uncertainty: Uncertainty = "judgments"
    resample: Resample = "pairs"
    bootstrap: Positive = 1000
    confidence: Confidence = 0.95
    seed: Seed = 1

    def rng(self) -> np.random.Generator:
        """Return a new generator with this seed."""
        return np.random.default_rng(self.seed)

    def score(self, judgments: PairwiseJudgments, method: Method) -> ScoredSystems:
        """Score systems by human judgments, with bootstrap samples."""
        return score_systems(
            judgments,
            method=method,
            samples=self.bootstrap,
            resample=self.resample,
            rng=self.rng(),
        )

    def round_scores(self, human: ScoredSystems) -> tuple[ScoredSystems, list[str]]:
        """Round human scores like published ones; return them with a note."""
        if self.decimals is None:
            return human, []
        rounded = replace(human, scores=np.round(human.scores, self.decimals))
        note = f"Human scores are rounded to {self.decimals} decimals, as published ones were."
        return rounded, [Definition(note)]

    def correlate(self, human: ScoredSystems, metric: MetricScores) -> MetricCorrelations:
        """Correlate the scores of a metric with those of humans."""
        return correlate_metric(
            human,
            metric,
            uncertainty=self.uncertainty,
            kendall_ties=self.kendall,
            confidence=self.confidence,
            rng=self.rng(),
        )

    def test_metrics(
        self, human: ScoredSystems, metrics: Sequence[MetricScores]
    ) -> tuple[TestedMetrics, int]:
        """Test metrics over the systems that all score; also return the number of systems.

        There are no tests of a single metric, or over fewer than four systems.
        """
        ranked = {human.systems[at] for at in human.order}
        shared = ranked.intersection(*(metric.systems for metric in metrics))
        if len(metrics) < 2 or len(shared) < 4:
            return TestedMetrics((), {}), len(shared)
        paired = {metric.metric: pair_up(human, metric.only(shared)) for metric in metrics}
        people = next(iter(paired.values())).human
        scores = {name: pair.metric for name, pair in paired.items()}
        tested = compare_correlations(people, scores, "pearson", self.bootstrap, self.seed)
        return tested, len(shared)

    def signature(self, **more: Any) -> dict[str, Any]:
        """Return the entries of a signature, those of the caller between systems and ties."""
        return {
            "systems": list(self.systems) or None,
            "without": list(self.without) or None,
            **more,
            "kendall": self.kendall,
            "decimals": self.decimals,
            "uncertainty": self.uncertainty,
            "bootstrap": self.bootstrap,
            "resample": self.resample,
            "confidence": self.confidence,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class BenchmarkRow:
    """Agreement of one metric with human judgments over systems, in a window, or over sentences.

    Attributes:
        human: how the judgments are aggregated.
        first, last: the first and last rank of a window in the human ranking.
        seeda_accuracy, seeda_kendall: as in SEEDA's script, a tie of the metric prefers the second.
        with_ties: the accuracy over all pairs: better, worse or equal.
        calibrated: ``with_ties`` with the best ``threshold`` for ties.
        soft_accuracy: soft pairwise accuracy over systems.
        chance: the chance level of ``calibrated`` or ``soft_accuracy``.
        group: metrics that share a letter are not significantly different in this block
            (permutation test, p ≥ .05).
        pairs: the pairs that humans decide.
    """

    level: str
    judgments: str
    human: Annotated[str | None, Shown(optional=True)]
    set: str
    metric: str
    first: Annotated[int | None, Shown(optional=True)] = None
    last: Annotated[int | None, Shown(optional=True)] = None
    pearson: Best = None
    pearson_low: Low = None
    pearson_high: High = None
    spearman: Best = None
    spearman_low: Low = None
    spearman_high: High = None
    kendall: Best = None
    kendall_low: Low = None
    kendall_high: High = None
    accuracy: Best = None
    accuracy_low: Low = None
    accuracy_high: High = None
    seeda_accuracy: Annotated[float | None, Shown(title="SEEDA acc.", optional=True)] = None
    seeda_kendall: Annotated[float | None, Shown(title="SEEDA tau", optional=True)] = None
    with_ties: Annotated[float | None, Shown(title="with ties", optional=True)] = None
    calibrated: Best = None
    threshold: Annotated[float | None, Shown("score", optional=True)] = None
    soft_accuracy: Annotated[float | None, Shown(title="soft acc.", best="max", optional=True)] = (
        None
    )
    chance: Annotated[float | None, Shown(optional=True)] = None
    group: Annotated[str | None, Shown(optional=True)] = None
    systems: int | None = None
    pairs: Annotated[int | None, Shown(optional=True)] = None


@dataclass(frozen=True)
class TestRow(MetricTest):
    """A test between two metrics in one block of the benchmark."""

    level: str
    judgments: str
    human: str | None
    set: str


@dataclass(frozen=True)
class MetricResults:
    """The scores of metrics: of systems, and of sentences by their ids in the judgments.

    Attributes:
        references: the fingerprint of the references, if redink computed scores.
        annotated: whether redink annotated texts for them.
    """

    systems: tuple[MetricScores, ...]
    sentences: Mapping[str, ScoresBySentence]
    references: str | None = None
    annotated: bool = False

    def with_ensemble(self) -> MetricResults:
        """Add the metric ``rank ensemble``: the mean rank of a system (sentence) by all metrics.

        The highest score has the highest rank, and equal scores share their mean rank.
        """
        by_metric = {
            one.metric: dict(zip(one.systems, one.scores.tolist(), strict=True))
            for one in self.systems
        }
        if len(by_metric) < 2:
            raise OptionError("--ensemble needs the scores of at least two metrics")
        ranks = _mean_ranks(list(by_metric.values()))
        ensemble = MetricScores(ENSEMBLE, tuple(ranks), np.array([*ranks.values()]))
        several = list(self.sentences.values())
        sentences = {**self.sentences}
        if len(several) > 1:
            common = [one for one in several[0] if all(one in other for other in several)]
            sentences[ENSEMBLE] = {
                one: _mean_ranks([scores[one] for scores in several]) for one in common
            }
        return replace(self, systems=(*self.systems, ensemble), sentences=sentences)


ENSEMBLE = "rank ensemble"


def _mean_ranks(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean rank of the systems that have all scores."""
    names = [name for name in scores[0] if all(name in other for other in scores)]
    means = np.mean([average_ranks([one[name] for name in names]) for one in scores], axis=0)
    return dict(zip(names, means.tolist(), strict=True))


@dataclass(frozen=True)
class HumanJudgments:
    """One set of human judgments of a benchmark, under all its aggregations.

    Attributes:
        humans: for each aggregation, the scores of the systems.
        grid: the judgments of outputs.
        data: the fingerprint of the judgments.
    """

    name: str
    humans: Mapping[str, ScoredSystems]
    grid: JudgmentGrid
    rated: bool
    data: str

    def evaluate(
        self,
        metrics: MetricResults,
        sets: Sequence[SystemSet],
        windows: Windows | None,
        levels: Sequence[str],
        options: MetaEvaluationOptions,
    ) -> Iterator[BenchmarkRow | TestRow]:
        """Evaluate the metrics at each level for each set of systems."""
        block: dict[str, str | None]
        for each in sets:
            members = self.members(each, options)
            humans = {name: human.only(members) for name, human in self.humans.items()}
            if "system" in levels:
                for name, human in humans.items():
                    block = {"judgments": self.name, "human": name, "set": each.name}
                    yield from self._over_systems(metrics, human, block, options)
            if "sentence" in levels and metrics.sentences:
                block = {"judgments": self.name, "human": None, "set": each.name}
                yield from self._over_sentences(metrics, members, block, options)
            if "window" in levels and windows is not None and windows.set in {None, each.name}:
                if windows.human in humans:
                    humans = {windows.human: humans[windows.human]}
                yield from self._in_windows(metrics, humans, each.name, windows.size, options)

    def members(self, each: SystemSet, options: MetaEvaluationOptions) -> tuple[str, ...]:
        """Return the systems of a set that were judged and chosen."""
        chosen = choose_systems(self.grid.systems, options.systems, options.without)
        return tuple(s for s in each.choose(self.grid.systems) if s in chosen)

    def _over_systems(
        self,
        metrics: MetricResults,
        human: ScoredSystems,
        block: Mapping[str, Any],
        options: MetaEvaluationOptions,
    ) -> Iterator[BenchmarkRow | TestRow]:
        present = [metric.only(human.systems) for metric in metrics.systems]
        present = [metric for metric in present if len(metric.systems) > 1]
        ranked = {human.systems[at] for at in human.order}
        complete = [metric for metric in present if ranked <= set(metric.systems)]
        tested, _ = options.test_metrics(human, complete)
        for metric in present:
            found = options.correlate(human, metric)
            soft, chance = self._soft_accuracy(
                human, metric, metrics.sentences.get(metric.metric), options.seed
            )
            group = tested.letters.get(metric.metric)
            yield BenchmarkRow(
                "system", **block, **vars(found), soft_accuracy=soft, chance=chance, group=group
            )
        yield from (TestRow(**vars(test), level="system", **block) for test in tested.tests)

    def _soft_accuracy(
        self, human: ScoredSystems, metric: MetricScores, scores: ScoresBySentence | None, seed: int
    ) -> tuple[float | None, float | None]:
        """Return soft pairwise accuracy and its chance level over the systems that both score."""
        both = [s for s in human.systems if s in metric.systems]
        if scores is None or len(both) < 2:
            return None, None
        grid = self.grid.only(both)
        if self.rated:
            values = align_scores(scores, grid)
            known = ~(np.isnan(grid.values) | np.isnan(values)).any(axis=1)
        else:
            values = np.array([[of.get(s, np.nan) for s in both] for of in scores.values()])
            known = ~np.isnan(values).any(axis=1)
        if not known.any():
            return None, None
        if self.rated:
            human_p = permutation_p_values(grid.values[known].T, seed=seed)
        else:
            human_p = bootstrap_p_values(human.only(both).samples)
        metric_p = permutation_p_values(values[known].T, seed=seed)
        return (
            soft_pairwise_accuracy(human_p, metric_p),
            shuffled_soft_accuracy(human_p, metric_p, seed=seed),
        )

    def _in_windows(
        self,
        metrics: MetricResults,
        humans: Mapping[str, ScoredSystems],
        set_name: str,
        size: int,
        options: MetaEvaluationOptions,
    ) -> Iterator[BenchmarkRow]:
        for name, human in humans.items():
            for metric in metrics.systems:
                for window in correlate_windows(
                    human, metric, width=size, kendall_ties=options.kendall
                ):
                    found: dict[str, Any] = {**vars(window), "systems": size}
                    yield BenchmarkRow("window", self.name, name, set_name, **found)

    def _over_sentences(
        self,
        metrics: MetricResults,
        members: Sequence[str],
        block: Mapping[str, Any],
        options: MetaEvaluationOptions,
    ) -> Iterator[BenchmarkRow | TestRow]:
        found: dict[str, dict[str, Any]] = {}
        credits_: dict[str, tuple[FloatArray, FloatArray]] = {}
        for metric, scores in metrics.sentences.items():
            known = {system for of in scores.values() for system in of}
            grid = self.grid.only([s for s in members if s in known])
            values = align_scores(scores, grid)
            pairs = pair_columns(grid.values, values)
            if not len(pairs):
                continue
            credit, number = credits_[metric] = credit_by_sentence(grid, pairs)
            samples = resample_accuracy(credit, number, options.bootstrap, options.rng())
            low, high = interval_of(samples, confidence=options.confidence)
            calibrated = calibrate_ties(grid.values, values)
            measure = partial(_calibrated, grid.values)
            found[metric] = {
                **vars(measure_pairs(pairs)),
                "accuracy_low": low,
                "accuracy_high": high,
                "calibrated": calibrated.accuracy if calibrated else None,
                "threshold": calibrated.threshold if calibrated else None,
                "chance": chance_level(measure, values, shuffles=_SHUFFLES),
                "systems": len(grid.systems),
            }
            if self.rated:
                both = ~(np.isnan(grid.values) | np.isnan(values))
                found[metric] |= correlate_all(
                    grid.values[both], values[both], ("pearson", "spearman")
                )
        tested = TestedMetrics((), {})
        if len(credits_) > 1:
            tested = compare_credits(credits_, options.bootstrap, options.seed)
        for metric, measures in found.items():
            group = tested.letters.get(metric)
            yield BenchmarkRow("sentence", **block, metric=metric, group=group, **measures)
        yield from (TestRow(**vars(test), level="sentence", **block) for test in tested.tests)


def _calibrated(human: FloatArray, metric: FloatArray) -> float | None:
    found = calibrate_ties(human, metric)
    return None if found is None else found.accuracy
