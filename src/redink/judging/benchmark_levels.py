"""Metrics against people at every level: over systems, in windows of them, and over sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from redink.errors import OptionError
from redink.inputs.benchmarks import SystemSet, Windows
from redink.judging.metaeval import (
    MetricScores,
    Uncertainty,
    correlate_metric,
    correlate_windows,
    pair_up,
)
from redink.judging.metric_tests import (
    MetricTest,
    TestedMetrics,
    bootstrap_p_values,
    chance_level,
    compare_correlations,
    compare_credits,
    permutation_p_values,
    shuffled_soft_accuracy,
    soft_pairwise_accuracy,
)
from redink.judging.pairs import (
    Grid,
    align_scores,
    calibrate_ties,
    credit_by_sentence,
    measure_pairs,
    pair_columns,
    resample_accuracy,
)
from redink.judging.rankers import ScoredSystems
from redink.judging.rankings import FloatArray
from redink.judging.sentence_level import ScoresBySentence
from redink.model import Shown
from redink.statistics.correlation import Coefficient, KendallTies, correlate
from redink.statistics.resampling import interval_of

_SHUFFLES = 20
"""Shuffles behind the chance level: it is the mean over hundreds of sentences, and steady."""

Best = Annotated[float | None, Shown(best="max", optional=True)]
Low = Annotated[float | None, Shown(title="low", optional=True)]
High = Annotated[float | None, Shown(title="high", optional=True)]
Optional = Annotated[float | None, Shown(optional=True)]


@dataclass(frozen=True)
class BenchmarkRow:
    """One metric against people: over systems, in a window of them, or over sentences.

    Attributes:
        level: system, window or sentence.
        judgments: which of the benchmark's judgments.
        human: how they are aggregated.
        set: the set of systems.
        metric: the metric.
        first: the first place of a window in the human ranking.
        last: its last place.
        group: metrics that share a letter are not significantly different in this block
            (permutation test, p ≥ .05).
        seeda_accuracy: as SEEDA's script counts it: a tie of the metric prefers the second system.
        seeda_kendall: likewise.
        with_ties: all pairs, three answers.
        calibrated: the same with the best threshold for ties.
        threshold: that threshold.
        soft_accuracy: soft pairwise accuracy over systems.
        chance: what ``calibrated`` (or ``soft_accuracy``) would be by chance.
        systems: how many.
        pairs: decided by people.
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
    chance: Optional = None
    group: Annotated[str | None, Shown(optional=True)] = None
    systems: int | None = None
    pairs: Annotated[int | None, Shown(optional=True)] = None


@dataclass(frozen=True)
class TestRow(MetricTest):
    """A test between two metrics, and in which block of the benchmark it is."""

    level: str
    judgments: str
    human: str | None
    set: str


@dataclass(frozen=True)
class Holding:
    """How metrics are held against people.

    Attributes:
        kendall: what ties do in Kendall's tau over systems.
        uncertainty: what intervals over systems allow for.
        bootstrap: samples, and permutations of the tests.
        confidence: of the intervals.
        seed: of everything random.
        window: the size of windows, if not the benchmark's own.
        systems: only these.
        without: all but these.
        levels: system, window, sentence.
    """

    kendall: KendallTies
    uncertainty: Uncertainty
    bootstrap: int
    confidence: float
    seed: int
    window: int | None
    systems: Sequence[str]
    without: Sequence[str]
    levels: Sequence[str]

    def rng(self) -> np.random.Generator:
        """Always the same numbers."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True)
class MetricsSaid:
    """What metrics say: of systems, and of sentences by their ids in the judgments."""

    systems: tuple[MetricScores, ...]
    sentences: Mapping[str, ScoresBySentence]


@dataclass(frozen=True)
class Block:
    """People's judgments under all their aggregations.

    Attributes:
        name: of the judgments.
        humans: the scores of systems, by aggregation.
        grid: what they say of sentences.
        rated: whether they are ratings and not rankings.
        data: the fingerprint.
    """

    name: str
    humans: Mapping[str, ScoredSystems]
    grid: Grid
    rated: bool
    data: str

    def hold(
        self, metrics: MetricsSaid, sets: Sequence[SystemSet], windows: Windows | None, how: Holding
    ) -> tuple[list[BenchmarkRow], list[TestRow]]:
        """Every level for every set of systems."""
        rows: list[BenchmarkRow] = []
        tests: list[TestRow] = []
        for each in sets:
            chosen = self.members(each, how)
            if "system" in how.levels:
                for name, human in self.humans.items():
                    found, tested = self._systems(metrics, each.name, chosen, name, human, how)
                    rows += found
                    tests += tested
            if "sentence" in how.levels and metrics.sentences:
                found, tested = self._sentences(metrics, each.name, chosen, how)
                rows += found
                tests += tested
            if "window" in how.levels:
                rows += self._windows(metrics, each.name, chosen, windows, how)
        return rows, tests

    def members(self, each: SystemSet, how: Holding) -> tuple[str, ...]:
        """The systems of a set that were judged and chosen."""
        return _members(each, self.grid.systems, how)

    def _about(self, level: str, human: str | None, set_name: str) -> dict[str, Any]:
        return {"level": level, "judgments": self.name, "human": human, "set": set_name}

    def _systems(
        self,
        metrics: MetricsSaid,
        set_name: str,
        chosen: Sequence[str],
        name: str,
        human: ScoredSystems,
        how: Holding,
    ) -> tuple[list[BenchmarkRow], list[TestRow]]:
        people = human.only(chosen)
        about: dict[str, Any] = {
            "level": "system",
            "judgments": self.name,
            "human": name,
            "set": set_name,
        }
        held = [metric.only(people.systems) for metric in metrics.systems]
        held = [metric for metric in held if len(metric.systems) > 1]
        tested = self._test(people, held, how)
        rows = []
        for metric in held:
            found = correlate_metric(
                people,
                metric,
                uncertainty=how.uncertainty,
                kendall_ties=how.kendall,
                confidence=how.confidence,
                rng=how.rng(),
            )
            soft, chance = self._soft(people, metric, metrics.sentences.get(metric.metric), how)
            rows.append(
                BenchmarkRow(
                    **about,
                    **vars(found),
                    soft_accuracy=soft,
                    chance=chance,
                    group=tested.letters.get(metric.metric),
                )
            )
        return rows, [TestRow(**vars(test), **about) for test in tested.tests]

    def _test(
        self, people: ScoredSystems, held: Sequence[MetricScores], how: Holding
    ) -> TestedMetrics:
        """Tests between the metrics that score all systems of the set."""
        placed = tuple(people.systems[at] for at in np.sort(people.order))
        full = {m.metric: pair_up(people, m) for m in held if set(placed) <= set(m.systems)}
        if len(full) < 2 or len(placed) < 4:
            return TestedMetrics((), {})
        human = next(iter(full.values())).human
        scores = {name: paired.metric for name, paired in full.items()}
        return compare_correlations(human, scores, "pearson", how.bootstrap, how.seed)

    def _soft(
        self,
        people: ScoredSystems,
        metric: MetricScores,
        scores: ScoresBySentence | None,
        how: Holding,
    ) -> tuple[float | None, float | None]:
        """Soft pairwise accuracy and its chance level, over systems that both know."""
        if scores is None:
            return None, None
        both = [s for s in people.systems if s in metric.systems]
        if self.rated:
            grid = self.grid.only(both)
            said = align_scores(scores, grid)
            known = ~(np.isnan(grid.values) | np.isnan(said)).any(axis=1)
            if not known.any() or len(both) < 2:
                return None, None
            human = permutation_p_values(grid.values[known].T, seed=how.seed)
            own = permutation_p_values(said[known].T, seed=how.seed)
        else:
            said = np.array([[of.get(s, np.nan) for s in both] for of in scores.values()])
            known = ~np.isnan(said).any(axis=1)
            if not known.any() or len(both) < 2:
                return None, None
            human = bootstrap_p_values(people.only(both).samples)
            own = permutation_p_values(said[known].T, seed=how.seed)
        return soft_pairwise_accuracy(human, own), shuffled_soft_accuracy(human, own, seed=how.seed)

    def _windows(
        self,
        metrics: MetricsSaid,
        set_name: str,
        chosen: Sequence[str],
        told: Windows | None,
        how: Holding,
    ) -> Iterator[BenchmarkRow]:
        if how.window is None and told is None:
            return
        size = how.window or (told.size if told else 0)
        if told is not None and set_name != told.set:
            return
        wanted = told.human if told is not None else None
        for name, human in self.humans.items():
            if wanted is not None and wanted in self.humans and name != wanted:
                continue
            people = human.only(chosen)
            for metric in metrics.systems:
                for window in correlate_windows(
                    people, metric, width=size, kendall_ties=how.kendall
                ):
                    found: dict[str, Any] = {**vars(window), "systems": size}
                    yield BenchmarkRow("window", self.name, name, set_name, **found)

    def _sentences(
        self, metrics: MetricsSaid, set_name: str, chosen: Sequence[str], how: Holding
    ) -> tuple[list[BenchmarkRow], list[TestRow]]:
        about: dict[str, Any] = {
            "level": "sentence",
            "judgments": self.name,
            "human": None,
            "set": set_name,
        }
        found: list[tuple[str, dict[str, Any]]] = []
        credits_: dict[str, tuple[FloatArray, FloatArray]] = {}
        for metric, scores in metrics.sentences.items():
            known = {system for of in scores.values() for system in of}
            grid = self.grid.only([s for s in chosen if s in known])
            said = align_scores(scores, grid)
            pairs = pair_columns(grid.values, said)
            if not len(pairs):
                continue
            measured = vars(measure_pairs(pairs))
            credit, number = credits_[metric] = credit_by_sentence(grid, pairs)
            samples = resample_accuracy(credit, number, how.bootstrap, how.rng())
            low, high = interval_of(samples, confidence=how.confidence)
            for unused in ("metric_ties", "human_ties", "missing"):
                measured.pop(unused)
            tied = calibrate_ties(grid.values, said)
            chance = chance_level(partial(_accuracy_of, grid.values), said, shuffles=_SHUFFLES)
            found.append(
                (
                    metric,
                    {
                        **measured,
                        **(_flat(grid.values, said) if self.rated else {}),
                        "accuracy_low": low,
                        "accuracy_high": high,
                        "calibrated": tied.accuracy if tied else None,
                        "threshold": tied.threshold if tied else None,
                        "chance": chance,
                        "systems": len(grid.systems),
                    },
                )
            )
        tested = TestedMetrics((), {})
        if len(credits_) > 1:
            tested = compare_credits(credits_, how.bootstrap, how.seed)
        rows = [
            BenchmarkRow(**about, metric=metric, group=tested.letters.get(metric), **values)
            for metric, values in found
        ]
        return rows, [TestRow(**vars(test), **about) for test in tested.tests]


def _accuracy_of(human: FloatArray, metric: FloatArray) -> float | None:
    found = calibrate_ties(human, metric)
    return None if found is None else found.accuracy


def _flat(human: FloatArray, metric: FloatArray) -> dict[str, float | None]:
    """Correlations over all outputs at once."""
    known = ~(np.isnan(human) | np.isnan(metric))
    found: dict[str, float | None] = {}
    names: tuple[Coefficient, ...] = ("pearson", "spearman")
    for name in names:
        value = float(correlate(human[known], metric[known], name))
        found[name] = None if np.isnan(value) else value
    return found


def _members(each: SystemSet, systems: Sequence[str], how: Holding) -> tuple[str, ...]:
    for name in (*how.systems, *how.without):
        if name not in systems:
            listed = ", ".join(sorted(systems))
            raise OptionError(f"there is no system {name!r}; there are: {listed}")
    members = each.choose(systems)
    return tuple(
        s for s in members if s not in how.without and (not how.systems or s in how.systems)
    )
