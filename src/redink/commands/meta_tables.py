"""The tables of ``redink meta``: for each kind of result, and for all levels of a benchmark.

A benchmark has several blocks (judgments, aggregation, set of systems); a file of rankings or of
human scores is a single block.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from redink.commands.meta_inputs import (
    BenchmarkLoading,
    MetaInputs,
    choose_lines,
    fingerprint_parts,
    load_judged_systems,
    load_scores_of_chosen_sentences,
)
from redink.errors import DataError, OptionError, RedinkWarning
from redink.inputs.benchmarks import Benchmark, Windows
from redink.inputs.judgment_loading import RankingsLike, load_system_scores
from redink.judging.benchmark_evaluation import (
    BenchmarkRow,
    MetaEvaluationOptions,
    MetricResults,
    TestRow,
)
from redink.judging.metric_correlation import (
    BestBeta,
    BetaSweep,
    MetricScores,
    compare_metrics,
    correlate_windows,
    group_scores,
    is_plain_f,
    sweep_betas,
    warn_about_systems,
    with_beta,
)
from redink.judging.rankers import Method, ScoredSystems, competition_ranks
from redink.judging.rankings import choose_systems, select_systems
from redink.judging.sentence_pairs import (
    ScoresBySentence,
    agree_on_sentences,
    find_shift,
    renumber,
    unequal_share,
)
from redink.model import (
    Column,
    Definition,
    Ranking,
    Table,
    fingerprint,
    make_signature,
    make_table,
    table_of,
)

LEVELS: Mapping[str | None, tuple[str, ...]] = {
    None: ("system", "window", "sentence"),
    "tests": ("system", "sentence"),
    "correlation": ("system",),
    "windows": ("window",),
    "sentences": ("sentence",),
}
"""The levels of a benchmark in each table of ``--show``."""
_NO_SCORES = "there are no metric scores to compare with the judgments"


def check_benchmark_table(show: str | None) -> None:
    """Check that benchmarks have this table."""
    if show not in LEVELS:
        shown = ", ".join(name for name in LEVELS if name)
        raise OptionError(f"a benchmark has no table {show!r}; --show can be: {shown}")


def evaluate_benchmark(
    name: str,
    benchmarks: Sequence[Benchmark],
    inputs: MetaInputs,
    options: MetaEvaluationOptions,
    *,
    show: str | None,
    window: int | None,
) -> Table:
    """Evaluate metrics at all levels of a benchmark, or test them against each other."""
    rows: list[BenchmarkRow | TestRow] = []
    notes: list[str] = []
    parts: list[str] = []
    names: list[str] = []
    references: dict[str, str] = {}
    sign = make_signature
    for benchmark in benchmarks:
        lines = choose_lines(benchmark, inputs.lines)
        loading = BenchmarkLoading(benchmark, lines, inputs, options, notes)
        metrics = loading.metrics()
        metrics = metrics.with_ensemble() if inputs.ensemble else metrics
        names += [*(one.metric for one in metrics.systems), *metrics.sentences]
        if metrics.references is not None:
            references[benchmark.name] = metrics.references
        if metrics.annotated:
            sign = inputs.annotation_options.annotating.signature
        parts += fingerprint_parts(metrics)
        windows = benchmark.windows
        if window is not None:
            windows = replace(windows, size=window) if windows else Windows(window, None)
        for judgments in loading.judgments():
            for each in benchmark.sets:
                notes += warn_about_systems(judgments.members(each, options), metrics.systems)
            found = judgments.evaluate(metrics, benchmark.sets, windows, LEVELS[show], options)
            rows += found
            parts.append(judgments.data)
    tests = [row for row in rows if isinstance(row, TestRow)]
    results = [row for row in rows if isinstance(row, BenchmarkRow)]
    if (options.systems or options.without) and not (tests or any(r.systems for r in results)):
        raise OptionError("no two systems are left to compare")
    one_reference = next(iter(references.values())) if len(references) == 1 else None
    signature = sign(
        "meta",
        benchmark=name,
        metrics=list(dict.fromkeys(names)),
        references=one_reference or references or None,
        **options.signature(aggregate=inputs.aggregate),
        data=fingerprint(parts),
    )
    title = f"Metrics compared with human judgments on {name}"
    if show == "tests":
        notes.append(Definition("p: two-sided permutation test; Holm: adjusted within the block."))
        notes = list(dict.fromkeys(notes))
        return table_of(tests, TestRow, notes=notes, signature=signature, title=title)
    if not results:
        raise DataError(_NO_SCORES)
    results.sort(key=lambda row: ("system", "window", "sentence").index(row.level))
    return table_of(
        results,
        notes=list(dict.fromkeys([*notes, *_explain(results, options)])),
        signature=signature,
        title=title,
        groups="level",
        view="levels",
        plot_name="benchmark",
    )


def _explain(rows: Sequence[BenchmarkRow], options: MetaEvaluationOptions) -> Iterator[str]:
    levels = {row.level for row in rows}
    if "system" in levels:
        yield Definition(
            f"low, high: {100 * options.confidence:g}% of {options.bootstrap} bootstrap samples of "
            f"{options.uncertainty} (level sentence: of sentences)."
        )
    if any(row.soft_accuracy is not None for row in rows):
        yield Definition(
            "soft acc.: soft pairwise accuracy (Thompson et al. 2024): how close the metric's "
            "p-values between systems are to human p-values."
        )
    if any(row.group for row in rows):
        yield (
            "group: within a block, metrics that share a letter are not significantly different "
            "(p ≥ .05, permutation test of Pearson's r or of accuracy, Holm-adjusted)."
        )
    if "sentence" in levels:
        yield Definition(
            "accuracy, kendall (level sentence): over pairs of systems that humans decide; a tie "
            "of the metric counts half. SEEDA: as in its script, a tie of the metric counts as a "
            "preference for the second system by name."
        )
        yield Definition(
            "with ties: accuracy over all pairs (better, worse or equal). calibrated: accuracy "
            "with ties, where differences up to the threshold are ties (Deutsch et al. 2023), mean "
            "over rankings or sentences. chance: the accuracy for shuffled scores."
        )


# ---- a single block


@dataclass(frozen=True)
class _Block:
    """Human and metric scores of systems, and the parts that all tables of them share."""

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
        return f"{100 * self.options.confidence:g}% of {self.options.bootstrap} bootstrap samples"

    def sweeps(self) -> list[BetaSweep]:
        """Return F under every beta, metric by metric."""
        f_scores = [metric for metric in self.metrics if metric.precision is not None]
        if not f_scores:
            raise DataError(
                "no metric has precision and recall, so there is no F to compute for other betas"
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


def evaluate_on_rankings(
    judgments: RankingsLike,
    inputs: MetaInputs,
    options: MetaEvaluationOptions,
    *,
    show: str,
    method: Method,
    shift: int | None,
    beta: Sequence[float],
    betas: Sequence[float],
    window: int | None,
) -> Table:
    """Compare scores of metrics with human scores of systems; keywords are as in ``meta``."""
    judged = load_judged_systems(judgments, inputs)
    by_sentence = load_scores_of_chosen_sentences(inputs)
    if (inputs.aggregate is not None or show == "sentences") and not by_sentence:
        what = "--show sentences" if inputs.aggregate is None else "--aggregate"
        raise OptionError(f"{what} needs sentence scores (--sentences)")
    given = group_scores(load_system_scores(inputs.scores))
    given += tuple(inputs.aggregated(by_sentence, options.seed))
    if inputs.ensemble:
        results = MetricResults(given, by_sentence).with_ensemble()
        given, by_sentence = results.systems, {**results.sentences}
    for value in beta:
        given += tuple(with_beta(metric, value) for metric in given if is_plain_f(metric))
    if judged.published:  # scores from a file: no rounding, no judgments to resample
        options = replace(options, uncertainty="systems", decimals=None)
    signature = make_signature(
        "meta",
        show=None if show == "correlation" else show,
        metrics=list(dict.fromkeys((*(metric.metric for metric in given), *by_sentence))),
        method=None if judged.published else method,
        **options.signature(aggregate=inputs.aggregate),
        data=judged.data,
        scores=fingerprint(fingerprint_parts(MetricResults(given, by_sentence))),
    )
    known = {*judged.systems, *(system for m in given for system in m.systems)}
    chosen = choose_systems(known, options.systems, options.without)
    notes = list(judged.notes)
    if chosen != known:
        notes.append(f"Excluded: {', '.join(sorted(known - chosen))}.")
    if show == "sentences":
        rankings = select_systems(judged.rankings, chosen)
        scores = _shift_sentences(rankings, by_sentence, shift, notes)
        return _tabulate_sentences(rankings, scores, inputs.tolerance, options, notes, signature)
    if not given:
        raise DataError(_NO_SCORES)
    human = judged.score(method, options).only(chosen)
    given = tuple(metric.only(chosen) for metric in given)
    notes += _note_unpaired(human, given)
    notes += warn_about_systems((human.systems[at] for at in human.order), given)
    human, rounded = options.round_scores(human)
    notes += rounded
    return _TABLES[show](_Block(human, given, notes, signature, options, betas, window))


def _note_unpaired(human: ScoredSystems, metrics: Sequence[MetricScores]) -> Iterator[str]:
    """Yield notes about systems that have only a human or only a metric score."""
    judged = {human.systems[at] for at in human.order}
    for metric in metrics:
        scored = set(metric.systems)
        if unjudged := sorted(scored - judged):
            yield f"{metric.metric}: excluded without a human score: {', '.join(unjudged)}."
        if unscored := sorted(judged - scored):
            yield f"{metric.metric}: judged, but without a score (excluded): {', '.join(unscored)}."
        if not scored & judged:
            raise DataError(
                f"the metric {metric.metric!r} scores none of the systems that were judged "
                f"({', '.join(human.systems)})"
            )


def _shift_sentences(
    rankings: Sequence[Ranking],
    by_sentence: Mapping[str, ScoresBySentence],
    shift: int | None,
    notes: list[str],
) -> dict[str, ScoresBySentence]:
    """Return the scores under the sentence numbers of the rankings; warn if these do not match."""
    numbered: dict[str, ScoresBySentence] = {}
    for metric, scores in by_sentence.items():
        moved = find_shift(rankings, scores) if shift is None else shift
        if shift is None and moved:
            notes.append(
                f"{metric}: sentence numbers of the scores shifted by {moved:+d}, so that systems "
                "with the same output have the same score."
            )
        numbered[metric] = renumber(scores, moved) if moved else scores
        if (unequal_share(rankings, numbered[metric]) or 0) > 0.25:
            warnings.warn(
                f"systems with the same output often have different scores under {metric!r}; "
                "check that scores and judgments are about the same sentences",
                RedinkWarning,
                stacklevel=3,
            )
    return numbered


def _tabulate_sentences(
    rankings: Sequence[Ranking],
    by_sentence: Mapping[str, ScoresBySentence],
    tolerance: float,
    options: MetaEvaluationOptions,
    notes: Sequence[str],
    signature: Mapping[str, Any],
) -> Table:
    """Return how often each metric prefers the output that the judge prefers."""
    rows = [
        agree_on_sentences(
            rankings,
            metric,
            scores,
            tolerance=tolerance,
            samples=options.bootstrap,
            confidence=options.confidence,
            rng=options.rng(),
        )
        for metric, scores in by_sentence.items()
    ]
    definitions = (
        "Pairs of distinct outputs, as the judges saw them.",
        "tau, accuracy: without pairs that the judge tied; a tie of the metric is not agreement.",
        "with ties: the share of pairs on which judge and metric agree (better, worse, equal).",
    )
    notes = [*notes, *map(Definition, definitions)]
    title = "Agreement with judges on pairs of sentences"
    return table_of(rows, notes=notes, signature=signature, title=title)


def _tabulate_correlations(given: _Block) -> Table:
    rows = [given.options.correlate(given.human, metric) for metric in given.metrics]
    notes: list[str] = [Definition(f"low, high: {given.samples} of {given.options.uncertainty}.")]
    if any(row.spearman is None for row in rows):
        notes.append("A correlation is undefined if all scores are equal.")
    if any(row.systems == 2 for row in rows):
        notes.append("With two systems, every correlation is 1 or -1.")
    title = "Correlation of metrics with the human ranking"
    return given.table(rows, title, notes, plot_name="correlation")


def _tabulate_williams(given: _Block) -> Table:
    if len(given.metrics) < 2:
        raise DataError("a test between metrics needs the scores of at least two metrics")
    rows = compare_metrics(given.human, given.metrics)
    notes: list[str] = [
        Definition("p: one-sided; the first metric correlates better with human scores.")
    ]
    if any(row.t is None for row in rows):
        notes.append(
            "The test is undefined for fewer than four systems and for metrics that rank equally."
        )
    return given.table(rows, "Williams test between metrics", notes)


def _tabulate_tests(given: _Block) -> Table:
    tested, systems = given.options.test_metrics(given.human, given.metrics)
    if len(given.metrics) < 2 or systems < 4:
        raise DataError("--show tests needs at least two metrics with four systems in common")
    letters = ", ".join(f"{name} {letter}" for name, letter in tested.letters.items())
    notes = [
        Definition(f"p: two-sided permutation test of Pearson's r over {systems} systems."),
        Definition("p (Holm): adjusted for the number of tests."),
        f"Metrics that share a letter are not significantly different (p ≥ .05): {letters}.",
    ]
    return given.table(tested.tests, "Permutation tests between metrics", notes)


def _tabulate_betas(given: _Block) -> Table:
    sweeps = given.sweeps()
    rows = [row for sweep in sweeps for row in sweep.betas]
    notes = [_note_best(b) for sweep in sweeps for b in sweep.best if b.beta is not None]
    title = "Correlation of F with the human ranking by beta"
    return given.table(rows, title, notes, groups="metric", plot_name="betas")


def _note_best(best: BestBeta) -> str:
    note = f"{best.metric}: {best.coefficient} is highest ({best.value:.3f}) at beta {best.beta:g}"
    if best.low is None:
        return f"{note}."
    return f"{note}; {best.low:g} to {best.high:g} in the bootstrap samples."


def _tabulate_best_betas(given: _Block) -> Table:
    rows = [best for sweep in given.sweeps() for best in sweep.best]
    note = (
        f"low, high: {given.samples} of the judgments, with the best beta of each. "
        "Of equally good betas, the largest is shown."
    )
    return given.table(rows, "The best beta", [note], groups="metric")


def _tabulate_windows(given: _Block) -> Table:
    ties = given.options.kendall
    rows = [
        row
        for metric in given.metrics
        for row in correlate_windows(given.human, metric, width=given.window, kendall_ties=ties)
    ]
    if not rows:
        raise DataError("--window is larger than the number of systems")
    note = "first, last: first and last rank of the window in the human ranking."
    title = "Correlation in windows of the human ranking"
    return given.table(rows, title, [note], groups="metric", plot_name="windows")


def _tabulate_systems(given: _Block) -> Table:
    """Return the systems in the human order, with the score and rank that each metric gives."""
    human = given.human
    columns = [Column("system")]
    rows: dict[str, dict[str, Any]] = {human.systems[at]: {} for at in human.order}
    scored = [("human", "human_rank", human.systems, human.scores)]
    scored += [(m.metric, f"{m.metric} rank", m.systems, m.scores) for m in given.metrics]
    for score_name, rank_name, systems, scores in scored:
        columns += [Column(score_name, "score"), Column(rank_name, "count", title="rank")]
        for name, score, rank in zip(systems, scores, competition_ranks(scores), strict=True):
            if name in rows:
                rows[name] |= {"system": name, score_name: float(score), rank_name: int(rank)}
    title = "Systems by humans and metrics"
    return make_table(
        columns, rows.values(), notes=given.notes, signature=given.signature, title=title
    )


_TABLES: Mapping[str, Callable[[_Block], Table]] = {
    "correlation": _tabulate_correlations,
    "williams": _tabulate_williams,
    "tests": _tabulate_tests,
    "betas": _tabulate_betas,
    "best-beta": _tabulate_best_betas,
    "windows": _tabulate_windows,
    "systems": _tabulate_systems,
}
