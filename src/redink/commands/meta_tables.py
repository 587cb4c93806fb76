"""The tables of a meta-evaluation: metrics held against the human scores of systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redink.errors import DataError
from redink.judging.metaeval import (
    BestBeta,
    BetaSweep,
    MetricScores,
    Uncertainty,
    compare_metrics,
    correlate_metric,
    correlate_windows,
    pair_up,
    sweep_betas,
)
from redink.judging.metric_tests import compare_correlations
from redink.judging.rankers import ScoredSystems, competition_ranks
from redink.model import Column, Table, make_table, table_of
from redink.statistics.correlation import KendallTies


@dataclass(frozen=True)
class Held:
    """Humans and metrics to be held against each other, and how; a method for every table."""

    human: ScoredSystems
    metrics: tuple[MetricScores, ...]
    notes: Sequence[str]
    signature: Mapping[str, Any]
    kendall: KendallTies
    confidence: float
    seed: int

    def table(self, rows: Iterable[Any], title: str, notes: Iterable[str], **more: Any) -> Table:
        """Rows with the notes and the signature that all tables carry."""
        return table_of(
            rows, notes=[*self.notes, *notes], signature=self.signature, title=title, **more
        )

    def correlation(self, uncertainty: Uncertainty) -> Table:
        """Every metric with its three correlations and their intervals."""
        rows = [
            correlate_metric(
                self.human,
                metric,
                uncertainty=uncertainty,
                kendall_ties=self.kendall,
                confidence=self.confidence,
                rng=np.random.default_rng(self.seed),
            )
            for metric in self.metrics
        ]
        notes = [f"low, high: {self.say_samples()}, {uncertainty} drawn again."]
        if any(row.spearman is None for row in rows):
            notes.append("A correlation is undefined where all scores are equal.")
        if any(row.systems == 2 for row in rows):
            notes.append("With two systems every correlation is 1 or -1 and says next to nothing.")
        title = "Correlation of metrics with the human ranking"
        return self.table(rows, title, notes, plot_name="correlation")

    def say_samples(self) -> str:
        """What the intervals are made of."""
        return f"{100 * self.confidence:g} % of {len(self.human.samples)} bootstrap samples"

    def williams(self) -> Table:
        """For every pair of metrics whether one goes better with the humans."""
        if len(self.metrics) < 2:
            raise DataError("a test between metrics needs the scores of at least two metrics")
        rows = compare_metrics(self.human, self.metrics)
        notes = ["p: one-sided, that the first metric goes better with the humans than the other."]
        if any(row.t is None for row in rows):
            notes.append(
                "The test is undefined for fewer than four systems and for metrics that rank alike."
            )
        return self.table(rows, "Williams test between metrics", notes)

    def tests(self) -> Table:
        """For every pair of metrics a permutation test of Pearson's r, all of them at once."""
        placed = {self.human.systems[at] for at in self.human.order}
        shared = placed.intersection(*(metric.systems for metric in self.metrics))
        if len(self.metrics) < 2 or len(shared) < 4:
            raise DataError("tests between metrics need two metrics and four systems in common")
        paired = {m.metric: pair_up(self.human, m.only(shared)) for m in self.metrics}
        human = next(iter(paired.values())).human
        scores = {name: one.metric for name, one in paired.items()}
        size = len(self.human.samples)
        tested = compare_correlations(human, scores, "pearson", size, self.seed)
        letters = ", ".join(f"{name} {letter}" for name, letter in tested.letters.items())
        notes = [
            f"p: permutation test of Pearson's r over {len(shared)} systems, two-sided.",
            "p (Holm): adjusted for the number of tests.",
            f"Metrics that share a letter are not significantly different (p ≥ .05): {letters}.",
        ]
        return self.table(tested.tests, "Permutation tests between metrics", notes)

    def sweeps(self, betas: Sequence[float]) -> list[BetaSweep]:
        """F under every beta, metric by metric."""
        f_scores = [metric for metric in self.metrics if metric.precision is not None]
        if not f_scores:
            raise DataError(
                "no metric comes with precision and recall, so that there is no beta to sweep"
            )
        how: dict[str, Any] = {"kendall_ties": self.kendall, "confidence": self.confidence}
        return [sweep_betas(self.human, metric, betas=betas, **how) for metric in f_scores]

    def betas(self, betas: Sequence[float]) -> Table:
        """The correlation of F with the humans under every beta."""
        sweeps = self.sweeps(betas)
        rows = [row for sweep in sweeps for row in sweep.betas]
        notes = [_say_best(b) for sweep in sweeps for b in sweep.best if b.beta is not None]
        title = "Correlation of F with the human ranking by beta"
        return self.table(rows, title, notes, groups="metric", plot_name="betas")

    def best_beta(self, betas: Sequence[float]) -> Table:
        """The best beta of every metric with its interval."""
        rows = [best for sweep in self.sweeps(betas) for best in sweep.best]
        note = (
            f"low, high: {self.say_samples()} of the judgments, the best beta sought in each. "
            "Of equally good ones the largest."
        )
        return self.table(rows, "The best beta", [note], groups="metric")

    def windows(self, width: int | None) -> Table:
        """Correlations among neighbours of the human ranking."""
        rows = [
            row
            for metric in self.metrics
            for row in correlate_windows(self.human, metric, width=width, kendall_ties=self.kendall)
        ]
        if not rows:
            raise DataError("there are fewer systems than the window holds")
        note = "first, last: the places in the human ranking between which systems are compared."
        title = "Correlation in windows of the human ranking"
        return self.table(rows, title, [note], groups="metric", plot_name="windows")

    def systems(self) -> Table:
        """The systems in the human order, with the score and the rank that every metric gives."""
        ranks = competition_ranks(self.human.scores)
        rows: dict[str, dict[str, Any]] = {}
        for at in self.human.order:
            name, score = self.human.systems[at], float(self.human.scores[at])
            rows[name] = {"system": name, "human": score, "human_rank": int(ranks[at])}
        columns = [Column("system"), Column("human", "score")]
        columns.append(Column("human_rank", "count", title="rank"))
        for metric in self.metrics:
            score_name, rank_name = metric.metric, f"{metric.metric} rank"
            columns += [Column(score_name, "score"), Column(rank_name, "count", title="rank")]
            places = competition_ranks(metric.scores)
            for name, score, place in zip(metric.systems, metric.scores, places, strict=True):
                if name in rows:
                    rows[name] |= {score_name: float(score), rank_name: int(place)}
        return make_table(
            columns,
            rows.values(),
            notes=self.notes,
            signature=self.signature,
            title="Systems by humans and metrics",
        )


def _say_best(best: BestBeta) -> str:
    said = f"{best.metric}: {best.coefficient} is highest ({best.value:.3f}) at beta {best.beta:g}"
    if best.low is None:
        return f"{said}."
    return f"{said}; {best.low:g} to {best.high:g} over the bootstrap."
