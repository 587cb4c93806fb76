"""The tables of a meta-evaluation."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.judging.beta_sweep import BestBeta, BetaSweep, sweep_betas
from redink.judging.clusters import competition_ranks
from redink.judging.metaeval import (
    MetricScores,
    Uncertainty,
    Window,
    compare_metrics,
    correlate_metric,
    correlate_windows,
)
from redink.judging.rankers import ScoredSystems
from redink.judging.sentence_level import (
    ScoresBySentence,
    agree_on_sentences,
    find_shift,
    renumber,
    unequal_share,
)
from redink.model import Column, Ranking, Table, make_table
from redink.statistics.correlation import COEFFICIENTS, KendallTies

Signature = Mapping[str, Any]
_MANY_UNEQUAL = 0.25


@dataclass(frozen=True)
class MetaContext:
    """What every table of system scores is made from."""

    human: ScoredSystems
    metrics: tuple[MetricScores, ...]
    notes: tuple[str, ...]
    signature: Signature
    kendall: KendallTies
    level: float
    seed: int

    def table(
        self,
        columns: Sequence[Column],
        rows: Sequence[Mapping[str, Any]],
        title: str,
        *notes: str,
        groups: str | None = None,
    ) -> Table:
        """A table with the notes and the signature that all of them carry."""
        return make_table(
            columns,
            rows,
            notes=[*self.notes, *notes],
            signature=self.signature,
            title=title,
            groups=groups,
        )


def correlation_table(context: MetaContext, uncertainty: Uncertainty) -> Table:
    """Every metric with its three correlations and their intervals."""
    rows = []
    for metric in context.metrics:
        found = correlate_metric(
            context.human,
            metric,
            uncertainty=uncertainty,
            kendall_ties=context.kendall,
            level=context.level,
            rng=np.random.default_rng(context.seed),
        )
        row: dict[str, Any] = {"metric": metric.metric, "systems": len(found.systems)}
        for name, correlation in found.by_coefficient.items():
            row |= {
                name: correlation.value,
                f"{name}_low": correlation.low,
                f"{name}_high": correlation.high,
            }
        rows.append(row)
    columns = [Column("metric", "text")]
    for name in COEFFICIENTS:
        columns += [
            Column(name, "rate", best="max"),
            Column(f"{name}_low", "rate", title="low"),
            Column(f"{name}_high", "rate", title="high"),
        ]
    columns.append(Column("systems", "count"))
    what = "judgments drawn anew" if uncertainty == "judgments" else "systems drawn anew"
    samples = len(context.human.samples)
    notes = [f"low, high: {100 * context.level:g} % of {samples} bootstrap samples, {what}."]
    if any(row["spearman"] is None for row in rows):
        notes.append("A correlation is undefined where all scores are equal.")
    if any(row["systems"] == 2 for row in rows):
        notes.append("With two systems every correlation is 1 or -1 and says next to nothing.")
    return context.table(columns, rows, "Correlation of metrics with the human ranking", *notes)


def williams_table(context: MetaContext) -> Table:
    """For every pair of metrics whether one goes better with the humans."""
    if len(context.metrics) < 2:
        raise DataError("a test between metrics needs the scores of at least two metrics")
    rows = []
    undefined = False
    for found in compare_metrics(context.human, context.metrics):
        undefined |= found.test is None
        rows.append(
            {
                "metric": found.metric,
                "other": found.other,
                "pearson": found.value,
                "pearson_other": found.other_value,
                "pearson_between": found.between,
                "t": found.test.t if found.test else None,
                "p": found.test.p if found.test else None,
                "systems": found.systems,
            }
        )
    columns = (
        Column("metric", "text"),
        Column("other", "text"),
        Column("pearson", "rate"),
        Column("pearson_other", "rate", title="of other"),
        Column("pearson_between", "rate", title="between"),
        Column("t", "score"),
        Column("p", "p"),
        Column("systems", "count"),
    )
    notes = ["p: one-sided, that the first metric goes better with the humans than the other."]
    if undefined:
        notes.append(
            "The test is undefined for fewer than four systems and for metrics that rank alike."
        )
    return context.table(columns, rows, "Williams test between metrics", *notes)


def _sweeps(context: MetaContext, betas: Sequence[float]) -> list[BetaSweep]:
    f_scores = [metric for metric in context.metrics if metric.precision is not None]
    if not f_scores:
        raise DataError(
            "no metric comes with precision and recall, so that there is no beta to sweep"
        )
    return [
        sweep_betas(
            context.human, metric, betas=betas, kendall_ties=context.kendall, level=context.level
        )
        for metric in f_scores
    ]


def betas_table(context: MetaContext, betas: Sequence[float]) -> Table:
    """The correlation of F with the humans under every beta."""
    rows: list[dict[str, Any]] = []
    notes = []
    for sweep in _sweeps(context, betas):
        for at, beta in enumerate(sweep.betas):
            row: dict[str, Any] = {"metric": sweep.metric, "beta": float(beta)}
            for name in COEFFICIENTS:
                value = float(sweep.correlations[name][at])
                row[name] = None if np.isnan(value) else value
            rows.append(row)
        notes += [_say_best(best) for best in sweep.best if best.beta is not None]
    columns = (
        Column("metric", "text"),
        Column("beta", "score"),
        *(Column(name, "rate", best="max") for name in COEFFICIENTS),
    )
    title = "Correlation of F with the human ranking by beta"
    return context.table(columns, rows, title, *notes, groups="metric")


def _say_best(best: BestBeta) -> str:
    said = f"{best.metric}: {best.coefficient} is highest ({best.value:.3f}) at beta {best.beta:g}"
    if best.low is None:
        return f"{said}."
    return f"{said}; {best.low:g} to {best.high:g} over the bootstrap."


def best_beta_table(context: MetaContext, betas: Sequence[float]) -> Table:
    """The best beta of every metric with its interval."""
    rows = [asdict(best) for sweep in _sweeps(context, betas) for best in sweep.best]
    columns = (
        Column("metric", "text"),
        Column("coefficient", "text"),
        Column("beta", "score"),
        Column("low", "score"),
        Column("high", "score"),
        Column("value", "rate", title="correlation"),
    )
    note = (
        f"low, high: {100 * context.level:g} % of {len(context.human.samples)} bootstrap "
        "samples of the judgments, the best beta sought in each. Of equally good ones the "
        "largest."
    )
    return context.table(columns, rows, "The best beta", note, groups="metric")


def windows_table(context: MetaContext, width: int | None) -> Table:
    """Correlations among neighbours of the human ranking."""
    rows: list[dict[str, Any]] = []
    for metric in context.metrics:
        windows = correlate_windows(
            context.human, metric, width=width, kendall_ties=context.kendall
        )
        rows += [_window_row(window) for window in windows]
    if not rows:
        raise DataError("there are fewer systems than the window holds")
    columns = (
        Column("metric", "text"),
        Column("first", "count"),
        Column("last", "count"),
        *(Column(name, "rate") for name in COEFFICIENTS),
        Column("systems", "text"),
    )
    note = "first, last: the places in the human ranking between which systems are compared."
    title = "Correlation in windows of the human ranking"
    return context.table(columns, rows, title, note, groups="metric")


def _window_row(window: Window) -> dict[str, Any]:
    correlations: dict[str, Any] = {str(k): v for k, v in window.by_coefficient.items()}
    return {
        "metric": window.metric,
        "first": window.first,
        "last": window.last,
        **correlations,
        "systems": " ".join(window.systems),
    }


def sentences_table(
    rankings: Sequence[Ranking],
    by_sentence: Mapping[str, ScoresBySentence],
    notes: Sequence[str],
    signature: Signature,
    *,
    shift: int | None,
    tolerance: float,
    samples: int,
    level: float,
    seed: int,
) -> Table:
    """How often each metric prefers the output that the judge prefers."""
    if not by_sentence:
        raise OptionError("agreement on sentences needs scores of sentences")
    rows = []
    said = list(notes)
    for metric, scores in by_sentence.items():
        moved = find_shift(rankings, scores) if shift is None else shift
        if shift is None and moved:
            said.append(
                f"{metric}: {moved:+d} is added to the sentence numbers of the scores; only then "
                "systems with the same output have the same score."
            )
        numbered = renumber(scores, moved) if moved else scores
        if (unequal_share(rankings, numbered) or 0) > _MANY_UNEQUAL:
            warnings.warn(
                f"systems with the same output often have different scores under {metric!r}: do "
                "scores and judgments speak of the same sentences?",
                RedinkWarning,
                stacklevel=3,
            )
        found = agree_on_sentences(
            rankings,
            metric,
            numbered,
            tolerance=tolerance,
            samples=samples,
            level=level,
            rng=np.random.default_rng(seed),
        )
        rows.append(asdict(found))
    columns = (
        Column("metric", "text"),
        Column("tau", "rate", best="max"),
        Column("tau_low", "rate", title="low"),
        Column("tau_high", "rate", title="high"),
        Column("accuracy", "rate", best="max"),
        Column("accuracy_with_ties", "rate", best="max", title="with ties"),
        Column("pairs", "count"),
        Column("concordant", "count"),
        Column("discordant", "count"),
        Column("metric_ties", "count", title="metric ties"),
        Column("human_ties", "count", title="human ties"),
        Column("both_ties", "count", title="both tie"),
        Column("missing", "count"),
    )
    said += [
        "Pairs of distinct outputs, as the judges saw them.",
        "tau, accuracy: without pairs that the judge tied; a tie of the metric is no agreement.",
        "with ties: the share of pairs on which both say better, worse or equal alike.",
    ]
    return make_table(
        columns,
        rows,
        notes=said,
        signature=signature,
        title="Agreement with judges on pairs of sentences",
    )


def systems_table(context: MetaContext) -> Table:
    """The systems in the human order, with the score and the rank that every metric gives."""
    human = context.human
    ranks = dict(zip(human.systems, competition_ranks(human.scores).tolist(), strict=True))
    rows = []
    for at in human.order:
        system = human.systems[at]
        row: dict[str, Any] = {
            "system": system,
            "human": float(human.scores[at]),
            "human_rank": ranks[system],
        }
        for metric in context.metrics:
            if system in metric.systems:
                place = metric.systems.index(system)
                row[metric.metric] = float(metric.scores[place])
                row[f"{metric.metric} rank"] = int(competition_ranks(metric.scores)[place])
        rows.append(row)
    columns = [
        Column("system", "text"),
        Column("human", "score"),
        Column("human_rank", "count", title="rank"),
    ]
    for metric in context.metrics:
        columns += [
            Column(metric.metric, "score"),
            Column(f"{metric.metric} rank", "count", title="rank"),
        ]
    return context.table(columns, rows, "Systems by humans and metrics")
