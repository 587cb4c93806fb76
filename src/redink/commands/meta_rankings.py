"""``redink meta`` on a file of rankings or human scores: one table per task."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats.metric_scores import read_lines_chosen
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import (
    RankingsLike,
    ScoresLike,
    SentenceScoresLike,
    is_scores,
    load_human_scores,
    load_sentence_scores,
    load_system_scores,
)
from redink.judging.benchmark_evaluation import MetaEvaluationOptions
from redink.judging.metric_correlation import (
    BestBeta,
    BetaSweep,
    MetricScores,
    aggregate_metric,
    compare_metrics,
    correlate_metric,
    correlate_windows,
    group_scores,
    is_plain_f,
    pair_up,
    sweep_betas,
    warn_about_systems,
    with_beta,
)
from redink.judging.metric_tests import compare_correlations
from redink.judging.rankers import Method, ScoredSystems, competition_ranks, score_systems
from redink.judging.rankings import (
    PreparedRankings,
    Selection,
    choose_systems,
    prepare_rankings,
    select_systems,
)
from redink.judging.sentence_pairs import (
    ScoresBySentence,
    agree_on_sentences,
    find_shift,
    group_sentence_scores,
    renumber,
    unequal_share,
)
from redink.model import Column, Ranking, Table, fingerprint, make_signature, make_table, table_of


def evaluate_on_rankings(
    judgments: RankingsLike,
    scores: ScoresLike,
    options: MetaEvaluationOptions,
    *,
    show: str,
    method: Method,
    selection: Selection,
    lines: PathLike | None,
    sentences: SentenceScoresLike | None,
    aggregate: Method | None,
    tolerance: float,
    shift: int | None,
    beta: Sequence[float],
    betas: Sequence[float],
    window: int | None,
) -> Table:
    """Compare scores of metrics with the human scores of systems; the keywords are of ``meta``."""
    judged = _load_judgments(judgments, selection, lines)
    by_sentence = {} if sentences is None else _load_sentences(sentences, lines)
    if (aggregate is not None or show == "sentences") and not by_sentence:
        what = "agreement on sentences" if aggregate is None else "to aggregate a metric"
        raise OptionError(f"{what} needs scores of sentences")
    given = group_scores(load_system_scores(scores))
    if aggregate is not None:
        given += tuple(
            aggregate_metric(metric, values, aggregate, tolerance=tolerance, seed=options.seed)
            for metric, values in by_sentence.items()
        )
    for value in beta:
        given += tuple(with_beta(metric, value) for metric in given if is_plain_f(metric))
    if judged.published is not None:  # scores from a file: no rounding, no judgments to resample
        options = replace(options, uncertainty="systems", decimals=None)
    signature = make_signature(
        "meta",
        show=None if show == "correlation" else show,
        metrics=list(dict.fromkeys((*(metric.metric for metric in given), *by_sentence))),
        method=method if judged.published is None else None,
        **options.signature(aggregate=aggregate),
        data=judged.data,
        scores=_fingerprint_scores(given, by_sentence),
    )
    known = {*judged.systems, *(system for m in given for system in m.systems)}
    chosen = choose_systems(known, options.systems, options.without)
    notes = list(judged.notes)
    if chosen != known:
        notes.append(f"Left out by choice: {', '.join(sorted(known - chosen))}.")
    if show == "sentences":
        rankings = select_systems(judged.rankings, chosen)
        return _tabulate_sentences(
            rankings, by_sentence, options, notes, signature, shift=shift, tolerance=tolerance
        )
    if not given:
        raise DataError("there are no metric scores to hold against the judgments")
    human = judged.score(method, options).only(chosen)
    given = tuple(metric.only(chosen) for metric in given)
    notes += _note_unpaired(human, given)
    notes += warn_about_systems((human.systems[at] for at in human.order), given)
    if options.decimals is not None:
        human = replace(human, scores=np.round(human.scores, options.decimals))
        notes.append(
            f"Human scores are rounded to {options.decimals} decimals, as published ones were."
        )
    return _TABLES[show](_CorrelationInput(human, given, notes, signature, options, betas, window))


# ---- human judgments and scores of metrics


@dataclass(frozen=True)
class _HumanScores:
    """Human rankings, or published human scores of systems."""

    systems: tuple[str, ...]
    data: str
    notes: tuple[str, ...] = ()
    prepared: PreparedRankings | None = None
    published: Mapping[str, float] | None = None

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        if self.prepared is None:
            raise OptionError("agreement on sentences needs judgments, not scores of systems")
        return self.prepared.rankings

    def score(self, method: Method, options: MetaEvaluationOptions) -> ScoredSystems:
        """Score the systems; the samples of published scores are all the same."""
        if self.prepared is None:
            values = np.array([(self.published or {})[system] for system in self.systems])
            same = np.broadcast_to(values, (options.bootstrap, len(values)))
            return ScoredSystems(self.systems, values, same)
        return score_systems(
            self.prepared.judgments,
            method=method,
            samples=options.bootstrap,
            resample=options.resample,
            rng=options.rng(),
        )


def _load_judgments(
    judgments: RankingsLike, selection: Selection, lines: PathLike | None
) -> _HumanScores:
    if isinstance(judgments, str | Path) and is_scores(judgments):
        found = load_human_scores([judgments])
        if len(found) > 1:
            listed = ", ".join(found)
            raise OptionError(f"{judgments} has several human scores ({listed}); give one")
        scores = next(iter(found.values()))
        data = fingerprint(f"{system} {scores[system]!r}" for system in sorted(scores))
        note = "The human scores come from a file; intervals allow for other systems."
        return _HumanScores(tuple(sorted(scores)), data, (note,), published=scores)
    prepared = prepare_rankings(judgments, selection, lines=lines)
    return _HumanScores(prepared.tally.systems, prepared.data, prepared.notes, prepared)


def _load_sentences(
    sentences: SentenceScoresLike, lines: PathLike | None
) -> dict[str, dict[str, dict[str, float]]]:
    """Load scores of the chosen sentences; scores numbered by line are in the order chosen."""
    found = group_sentence_scores(load_sentence_scores(sentences))
    if lines is None:
        return found
    ids = read_lines_chosen(lines)
    chosen = {}
    for metric, scores in found.items():
        if len(scores) == len(ids) and scores.keys() == {str(n + 1) for n in range(len(ids))}:
            chosen[metric] = {one: scores[str(at)] for at, one in enumerate(ids, start=1)}
        else:
            chosen[metric] = {one: scores[one] for one in ids if one in scores}
        if not chosen[metric]:
            raise DataError(f"{metric!r} scores none of the sentences that were chosen")
    return chosen


def _fingerprint_scores(
    metrics: Sequence[MetricScores], by_sentence: Mapping[str, ScoresBySentence]
) -> str:
    lines = [
        f"{m.metric}\0{system}\0{score!r}"
        for m in metrics
        for system, score in zip(m.systems, m.scores.tolist(), strict=True)
    ]
    for metric, sentences in by_sentence.items():
        for sentence, of in sentences.items():
            lines += [f"{metric}\0{sentence}\0{system}\0{score!r}" for system, score in of.items()]
    return fingerprint(lines)


def _note_unpaired(human: ScoredSystems, metrics: Sequence[MetricScores]) -> Iterator[str]:
    """Yield notes about systems that have only a human or only a metric score."""
    judged = {human.systems[at] for at in human.order}
    for metric in metrics:
        scored = set(metric.systems)
        if unjudged := sorted(scored - judged):
            yield f"{metric.metric}: without a human score, left out: {', '.join(unjudged)}."
        if unscored := sorted(judged - scored):
            yield f"{metric.metric}: judged but without a score, left out: {', '.join(unscored)}."
        if not scored & judged:
            raise DataError(
                f"the metric {metric.metric!r} scores none of the systems that were judged "
                f"({', '.join(human.systems)})"
            )


# ---- one table per task


def _tabulate_sentences(
    rankings: Sequence[Ranking],
    by_sentence: Mapping[str, ScoresBySentence],
    options: MetaEvaluationOptions,
    notes: list[str],
    signature: Mapping[str, Any],
    *,
    shift: int | None,
    tolerance: float,
) -> Table:
    """Return how often each metric prefers the output that the judge prefers."""
    rows = []
    for metric, scores in by_sentence.items():
        moved = find_shift(rankings, scores) if shift is None else shift
        if shift is None and moved:
            notes.append(
                f"{metric}: {moved:+d} is added to the sentence numbers of the scores; only "
                "then systems with the same output have the same score."
            )
        numbered = renumber(scores, moved) if moved else scores
        if (unequal_share(rankings, numbered) or 0) > 0.25:
            warnings.warn(
                f"systems with the same output often have different scores under {metric!r}: "
                "do scores and judgments speak of the same sentences?",
                RedinkWarning,
                stacklevel=3,
            )
        rows.append(
            agree_on_sentences(
                rankings,
                metric,
                numbered,
                tolerance=tolerance,
                samples=options.bootstrap,
                confidence=options.confidence,
                rng=options.rng(),
            )
        )
    notes += [
        "Pairs of distinct outputs, as the judges saw them.",
        "tau, accuracy: without pairs that the judge tied; a tie of the metric is not agreement.",
        "with ties: the share of pairs on which both say better, worse or equal alike.",
    ]
    title = "Agreement with judges on pairs of sentences"
    return table_of(rows, notes=notes, signature=signature, title=title)


@dataclass(frozen=True)
class _CorrelationInput:
    """Human and metric scores of systems, and what all tables of them share."""

    human: ScoredSystems
    metrics: tuple[MetricScores, ...]
    notes: Sequence[str]
    signature: Mapping[str, Any]
    options: MetaEvaluationOptions
    betas: Sequence[float]
    window: int | None

    def table(self, rows: Iterable[Any], title: str, notes: Iterable[str], **more: Any) -> Table:
        notes = [*self.notes, *notes]
        return table_of(rows, notes=notes, signature=self.signature, title=title, **more)

    @property
    def samples(self) -> str:
        number = len(self.human.samples)
        return f"{100 * self.options.confidence:g} % of {number} bootstrap samples"

    def sweeps(self) -> list[BetaSweep]:
        """Return F under every beta, metric by metric."""
        f_scores = [metric for metric in self.metrics if metric.precision is not None]
        if not f_scores:
            raise DataError(
                "no metric comes with precision and recall, so that there is no beta to sweep"
            )
        return [
            sweep_betas(
                self.human,
                metric,
                betas=self.betas,
                kendall_ties=self.options.kendall,
                confidence=self.options.confidence,
            )
            for metric in f_scores
        ]


def _tabulate_correlations(given: _CorrelationInput) -> Table:
    options = given.options
    rows = [
        correlate_metric(
            given.human,
            metric,
            uncertainty=options.uncertainty,
            kendall_ties=options.kendall,
            confidence=options.confidence,
            rng=options.rng(),
        )
        for metric in given.metrics
    ]
    notes = [f"low, high: {given.samples}, {options.uncertainty} drawn again."]
    if any(row.spearman is None for row in rows):
        notes.append("A correlation is undefined where all scores are equal.")
    if any(row.systems == 2 for row in rows):
        notes.append("With two systems every correlation is 1 or -1 and says next to nothing.")
    title = "Correlation of metrics with the human ranking"
    return given.table(rows, title, notes, plot_name="correlation")


def _tabulate_williams(given: _CorrelationInput) -> Table:
    if len(given.metrics) < 2:
        raise DataError("a test between metrics needs the scores of at least two metrics")
    rows = compare_metrics(given.human, given.metrics)
    notes = ["p: one-sided, that the first metric goes better with the humans than the other."]
    if any(row.t is None for row in rows):
        notes.append(
            "The test is undefined for fewer than four systems and for metrics that rank alike."
        )
    return given.table(rows, "Williams test between metrics", notes)


def _tabulate_tests(given: _CorrelationInput) -> Table:
    ranked = {given.human.systems[at] for at in given.human.order}
    shared = ranked.intersection(*(metric.systems for metric in given.metrics))
    if len(given.metrics) < 2 or len(shared) < 4:
        raise DataError("tests between metrics need two metrics and four systems in common")
    paired = {m.metric: pair_up(given.human, m.only(shared)) for m in given.metrics}
    human = next(iter(paired.values())).human
    scores = {name: one.metric for name, one in paired.items()}
    size = len(given.human.samples)
    tested = compare_correlations(human, scores, "pearson", size, given.options.seed)
    letters = ", ".join(f"{name} {letter}" for name, letter in tested.letters.items())
    notes = [
        f"p: permutation test of Pearson's r over {len(shared)} systems, two-sided.",
        "p (Holm): adjusted for the number of tests.",
        f"Metrics that share a letter are not significantly different (p ≥ .05): {letters}.",
    ]
    return given.table(tested.tests, "Permutation tests between metrics", notes)


def _tabulate_betas(given: _CorrelationInput) -> Table:
    sweeps = given.sweeps()
    rows = [row for sweep in sweeps for row in sweep.betas]
    notes = [_note_best(b) for sweep in sweeps for b in sweep.best if b.beta is not None]
    title = "Correlation of F with the human ranking by beta"
    return given.table(rows, title, notes, groups="metric", plot_name="betas")


def _note_best(best: BestBeta) -> str:
    note = f"{best.metric}: {best.coefficient} is highest ({best.value:.3f}) at beta {best.beta:g}"
    if best.low is None:
        return f"{note}."
    return f"{note}; {best.low:g} to {best.high:g} over the bootstrap."


def _tabulate_best_betas(given: _CorrelationInput) -> Table:
    rows = [best for sweep in given.sweeps() for best in sweep.best]
    note = (
        f"low, high: {given.samples} of the judgments, the best beta sought in each. "
        "Of equally good ones the largest."
    )
    return given.table(rows, "The best beta", [note], groups="metric")


def _tabulate_windows(given: _CorrelationInput) -> Table:
    rows = [
        row
        for metric in given.metrics
        for row in correlate_windows(
            given.human, metric, width=given.window, kendall_ties=given.options.kendall
        )
    ]
    if not rows:
        raise DataError("there are fewer systems than the window holds")
    note = "first, last: the places in the human ranking between which systems are compared."
    title = "Correlation in windows of the human ranking"
    return given.table(rows, title, [note], groups="metric", plot_name="windows")


def _tabulate_systems(given: _CorrelationInput) -> Table:
    """Return the systems in the human order, with the score and rank that each metric gives."""
    human = given.human
    ranks = competition_ranks(human.scores)
    rows: dict[str, dict[str, Any]] = {}
    for at in human.order:
        name, score = human.systems[at], float(human.scores[at])
        rows[name] = {"system": name, "human": score, "human_rank": int(ranks[at])}
    columns = [Column("system"), Column("human", "score")]
    columns.append(Column("human_rank", "count", title="rank"))
    for metric in given.metrics:
        score_name, rank_name = metric.metric, f"{metric.metric} rank"
        columns += [Column(score_name, "score"), Column(rank_name, "count", title="rank")]
        places = competition_ranks(metric.scores)
        for name, score, place in zip(metric.systems, metric.scores, places, strict=True):
            if name in rows:
                rows[name] |= {score_name: float(score), rank_name: int(place)}
    title = "Systems by humans and metrics"
    return make_table(
        columns, rows.values(), notes=given.notes, signature=given.signature, title=title
    )


_TABLES: Mapping[str, Callable[[_CorrelationInput], Table]] = {
    "correlation": _tabulate_correlations,
    "williams": _tabulate_williams,
    "tests": _tabulate_tests,
    "betas": _tabulate_betas,
    "best-beta": _tabulate_best_betas,
    "windows": _tabulate_windows,
    "systems": _tabulate_systems,
}
