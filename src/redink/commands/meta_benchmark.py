"""``redink meta --benchmark``: metrics on the sets, levels and judgments of a benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from redink.analysis.annotation_options import AnnotationResources
from redink.errors import DataError, FormatError, OptionError
from redink.evaluation import Evaluation
from redink.formats.format_registry import PLAIN, detect_format
from redink.formats.judgment_tables import read_ratings
from redink.formats.metric_scores import read_lines_chosen, select_system_scores
from redink.inputs.benchmarks import Benchmark, Windows
from redink.inputs.input_options import PathLike, SeparateTexts, TextLike
from redink.inputs.judgment_loading import (
    HumanScoresLike,
    ScoresLike,
    SentenceScoresLike,
    load_human_scores,
    load_rankings,
    load_sentence_scores,
    load_system_scores,
)
from redink.inputs.text_loading import load_texts
from redink.judging.benchmark_evaluation import (
    BenchmarkRow,
    HumanJudgments,
    MetaEvaluationOptions,
    MetricResults,
    TestRow,
)
from redink.judging.metric_correlation import (
    MetricScores,
    aggregate_metric,
    group_scores,
    warn_about_systems,
)
from redink.judging.rankers import (
    Method,
    RatingMethod,
    ScoredSystems,
    grid_of_ratings,
    score_by_ratings,
    score_systems,
)
from redink.judging.rankings import Selection, expand, prepare_rankings
from redink.judging.sentence_pairs import ScoresBySentence, grid_of_rankings, group_sentence_scores
from redink.model import Sentence, Table, fingerprint, make_signature, table_of
from redink.scoring.engine import make_rows
from redink.scoring.metric import Metric
from redink.scoring.specs import DEFAULT_METRICS, MetricLike, make_metrics

LEVELS: Mapping[str | None, tuple[str, ...]] = {
    None: ("system", "window", "sentence"),
    "tests": ("system", "sentence"),
    "correlation": ("system",),
    "windows": ("window",),
    "sentences": ("sentence",),
}
"""The levels of a benchmark in each table of ``--show``."""

_METHODS: Mapping[str, Method] = {"EW": "expected-wins", "TS": "trueskill", "BT": "bradley-terry"}


def evaluate_benchmark(
    name: str,
    benchmarks: Sequence[Benchmark],
    inputs: BenchmarkInputs,
    options: MetaEvaluationOptions,
    *,
    show: str | None,
    window: int | None,
) -> Table:
    """Evaluate metrics at all levels of a benchmark, or test them against each other."""
    if show not in LEVELS:
        shown = ", ".join(name for name in LEVELS if name)
        raise OptionError(f"a benchmark has no table {show!r}; show can be: {shown}")
    rows: list[BenchmarkRow] = []
    tests: list[TestRow] = []
    notes: list[str] = []
    parts: list[str] = []
    names: list[str] = []
    references: dict[str, str] = {}
    sign = make_signature
    for benchmark in benchmarks:
        loading = _BenchmarkLoading(
            benchmark, choose_lines(benchmark, inputs.lines), inputs, options, notes
        )
        metrics, own = loading.metrics()
        names += [*(one.metric for one in metrics.systems), *metrics.sentences]
        if own is not None:
            evaluation, used = own
            references[benchmark.name] = evaluation.fingerprints()["references"]
            if evaluation.annotates(used):
                sign = inputs.annotation_options.annotating.signature
        parts += _fingerprint_parts(metrics)
        windows = _choose_windows(benchmark.windows, window)
        for judgments in loading.judgments():
            for each in benchmark.sets:
                notes += warn_about_systems(judgments.members(each, options), metrics.systems)
            found = judgments.evaluate(metrics, benchmark.sets, windows, LEVELS[show], options)
            rows += found[0]
            tests += found[1]
            parts.append(judgments.data)
    if (options.systems or options.without) and not (tests or any(row.systems for row in rows)):
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
    title = f"Metrics against people on {name}"
    if show == "tests":
        notes.append("p: permutation test, two-sided; Holm: adjusted within the block.")
        notes = list(dict.fromkeys(notes))
        return table_of(tests, TestRow, notes=notes, signature=signature, title=title)
    if not rows:
        raise DataError("there are no metric scores to hold against the judgments")
    rows.sort(key=lambda row: ("system", "window", "sentence").index(row.level))
    return table_of(
        rows,
        BenchmarkRow,
        notes=list(dict.fromkeys([*notes, *_explain(rows, options)])),
        signature=signature,
        title=title,
        groups="level",
        view="levels",
        plot_name="benchmark",
    )


def _choose_windows(described: Windows | None, size: int | None) -> Windows | None:
    if size is None:
        return described
    return replace(described, size=size) if described else Windows(size, None)


def _explain(rows: Sequence[BenchmarkRow], options: MetaEvaluationOptions) -> Iterator[str]:
    levels = {row.level for row in rows}
    if "system" in levels:
        yield (
            f"low, high: {100 * options.confidence:g} % of {options.bootstrap} bootstrap samples, "
            f"{options.uncertainty} drawn again (level sentence: sentences)."
        )
    if any(row.soft_accuracy is not None for row in rows):
        yield (
            "soft acc.: soft pairwise accuracy (Thompson et al. 2024): how near the metric's "
            "p-values between systems come to people's."
        )
    if any(row.group for row in rows):
        yield (
            "group: within a block, metrics that share a letter are not significantly different "
            "(p ≥ .05, permutation test of Pearson's r or of accuracy, Holm-adjusted)."
        )
    if "sentence" in levels:
        yield (
            "accuracy, kendall (level sentence): over pairs of systems that people decide; a tie "
            "of the metric counts half. SEEDA: as its script counts, a tie of the metric is a "
            "preference for the second system by name."
        )
        yield (
            "with ties: all pairs, better, worse or equal; calibrated: the same, differences up "
            "to the threshold being ties (Deutsch et al. 2023), the mean over rankings or "
            "sentences; chance: what shuffled scores reach."
        )


def _fingerprint_parts(metrics: MetricResults) -> Iterator[str]:
    for metric in metrics.systems:
        for system, score in zip(metric.systems, metric.scores.tolist(), strict=True):
            yield f"{metric.metric}\0{system}\0{score!r}"
    for name, scores in metrics.sentences.items():
        for sentence, of in scores.items():
            yield f"{name}\0{sentence}\0" + "\0".join(f"{s} {v!r}" for s, v in of.items())


# ---- the sentences that count


@dataclass(frozen=True)
class BenchmarkLines:
    """The sentences that count: their ids in the judgments and their positions in the texts."""

    ids: tuple[str, ...]
    places: tuple[int, ...]
    total: int


def choose_lines(benchmark: Benchmark, lines: PathLike | None) -> BenchmarkLines:
    """Return the lines of the outputs that count, and their ids in the judgments."""
    some = next(iter(benchmark.outputs.values()), benchmark.source)
    total = len(load_texts(some)) if some is not None else 0
    if lines is not None:
        ids = read_lines_chosen(lines)
    elif benchmark.subset and total:
        return _match_subset(benchmark, total)
    elif benchmark.judgments and not (benchmark.all_lines and total):
        known = {r.sentence for path in benchmark.judgments.values() for r in load_rankings(path)}
        ids = tuple(sorted(known, key=lambda one: (not one.isdecimal(), len(one), one)))
    elif total:
        ids = tuple(str(number + benchmark.first_line) for number in range(total))
    else:
        rated = (one.sentence for path in benchmark.ratings.values() for one in read_ratings(path))
        ids = tuple(dict.fromkeys(rated))
    places = []
    for one in ids if total else ():
        place = int(one) - benchmark.first_line if one.isdecimal() else -1
        if not 0 <= place < total:
            raise DataError(f"the sentence {one!r} is not one of the {total} lines of the outputs")
        places.append(place)
    return BenchmarkLines(ids, tuple(places), total)


def _load_parallel(paths: Sequence[Path]) -> list[tuple[Sentence, ...]]:
    """Return the outputs of all systems for each line."""
    texts = [load_texts(path) for path in paths]
    for path, text in zip(paths, texts, strict=True):
        if len(text) != len(texts[0]):
            raise FormatError(f"has {len(text)} lines, {paths[0]} has {len(texts[0])}", path=path)
    return list(zip(*texts, strict=True))


def _match_subset(benchmark: Benchmark, total: int) -> BenchmarkLines:
    """Find the lines of the subset, in order, among all lines by the outputs of all systems."""
    names = sorted(benchmark.subset.keys() & benchmark.outputs.keys())
    every = _load_parallel([benchmark.outputs[name] for name in names])
    some = _load_parallel([benchmark.subset[name] for name in names])
    places, at = [], 0
    for number, wanted in enumerate(some, start=1):
        while at < len(every) and every[at] != wanted:
            at += 1
        if at == len(every):
            raise DataError(f"line {number} of the subset is not among all lines of the outputs")
        places.append(at)
        at += 1
    ids = tuple(str(place + benchmark.first_line) for place in places)
    return BenchmarkLines(ids, tuple(places), total)


# ---- scores of metrics and human judgments


@dataclass(frozen=True)
class BenchmarkInputs:
    """The inputs of a user besides the folder of the benchmark."""

    scores: ScoresLike
    sentences: SentenceScoresLike | None
    metrics: Sequence[MetricLike]
    human: HumanScoresLike
    references: Sequence[TextLike]
    lines: PathLike | None
    aggregate: Method | None
    tolerance: float
    selection: Selection
    annotation_options: AnnotationResources


def load_benchmark_texts(benchmark: Benchmark, references: Sequence[TextLike] = ()) -> Evaluation:
    """Load the references and the outputs of all systems of a benchmark."""
    outputs: dict[str, Any] = dict(benchmark.outputs)
    if benchmark.source_is is not None and benchmark.source is not None:
        outputs[benchmark.source_is] = benchmark.source
    if not outputs:
        raise OptionError(f"the outputs of systems are not with the benchmark {benchmark.name}")
    gold = list(references) or list(benchmark.references)
    if not gold:
        raise OptionError(
            f"the references of {benchmark.name} are not with it; give them with --reference"
        )
    only = gold[0]
    if len(gold) == 1 and isinstance(only, str | Path) and detect_format(only).name not in PLAIN:
        return Evaluation.load(only, outputs)
    if benchmark.source is None:
        raise OptionError(f"corrected texts as references of {benchmark.name} need its source")
    return Evaluation.load(None, outputs, SeparateTexts(benchmark.source, tuple(gold)))


@dataclass(frozen=True)
class _BenchmarkLoading:
    """Loads the scores of metrics and the human judgments of one benchmark; adds notes."""

    benchmark: Benchmark
    lines: BenchmarkLines
    inputs: BenchmarkInputs
    options: MetaEvaluationOptions
    notes: list[str]

    def metrics(self) -> tuple[MetricResults, tuple[Evaluation, Sequence[Metric]] | None]:
        """Return the given scores and those of our metrics, and the evaluation of the latter."""
        inputs = self.inputs
        given = inputs.scores
        if isinstance(given, str | Path | Table):
            given = [given]
        elif isinstance(given, Mapping):
            given = load_system_scores(given)
        systems = list(group_scores(load_system_scores([*self.benchmark.scores, *given])))
        grouped = group_sentence_scores(
            [] if inputs.sentences is None else load_sentence_scores(inputs.sentences)
        )
        by_sentence: dict[str, ScoresBySentence] = {
            metric: self._by_judgment_ids(metric, scores) for metric, scores in grouped.items()
        }
        for metric, scores in by_sentence.items():
            if metric not in {one.metric for one in systems}:
                systems.append(_mean_over_sentences(metric, scores))
                note = f"{metric}: the score of a system is the mean over its sentences."
                self.notes.append(note)
        own = None
        if wanted := inputs.metrics or (() if systems else DEFAULT_METRICS):
            metrics = make_metrics(wanted)
            evaluation, ours, of_sentences = self._run(metrics)
            own = (evaluation, metrics)
            taken = {one.metric for one in ours}
            systems = [
                replace(one, metric=f"{one.metric} (given)") if one.metric in taken else one
                for one in systems
            ]
            systems += ours
            by_sentence |= of_sentences
        if inputs.aggregate is not None:
            for metric, scores in by_sentence.items():
                systems.append(
                    aggregate_metric(
                        metric,
                        scores,
                        inputs.aggregate,
                        tolerance=inputs.tolerance,
                        seed=self.options.seed,
                    )
                )
        return MetricResults(tuple(systems), by_sentence), own

    def _by_judgment_ids(self, metric: str, scores: ScoresBySentence) -> ScoresBySentence:
        """Return scores by the ids of the judgments, if they were numbered by line."""
        size, lines = len(scores), self.lines
        if scores.keys() != {str(number) for number in range(1, size + 1)}:
            return {one: scores[one] for one in lines.ids if one in scores} or scores
        if size == len(lines.ids):
            return {one: scores[str(at)] for at, one in enumerate(lines.ids, start=1)}
        if size == lines.total:
            places = zip(lines.ids, lines.places, strict=True)
            return {one: scores[str(place + 1)] for one, place in places}
        raise DataError(
            f"{metric!r} has scores for {size} sentences of {self.benchmark.name}; expected "
            f"{len(lines.ids)} (those that count) or {lines.total} (all lines)"
        )

    def _run(
        self, metrics: Sequence[Metric]
    ) -> tuple[Evaluation, tuple[MetricScores, ...], dict[str, ScoresBySentence]]:
        """Run our metrics on the lines that count: scores of systems and of sentences."""
        evaluation = load_benchmark_texts(self.benchmark, self.inputs.references)
        if self.lines.places != tuple(range(len(evaluation.references))):
            evaluation = evaluation.take(self.lines.places)
        annotated = replace(evaluation, annotation_options=self.inputs.annotation_options)
        scored, _ = annotated.collect(metrics, fit=False)
        systems = group_scores(select_system_scores(make_rows(scored, None, extra={})))
        sentences: dict[str, dict[str, dict[str, float]]] = {}
        for each in scored:
            rows = each.metric.sentence_rows(each.statistics)
            for one, row in zip(self.lines.ids, rows, strict=True):
                value = row.get(each.metric.headline)
                if value is not None:
                    label = f"{each.label} {row['level']}" if row.get("level") else each.label
                    of_sentence = sentences.setdefault(label, {}).setdefault(one, {})
                    of_sentence[each.system.name] = float(value)
        return evaluation, systems, dict(sentences)

    def judgments(self) -> Iterator[HumanJudgments]:
        """Yield the rankings and the ratings of the benchmark with their aggregations."""
        ids = None if self.inputs.lines is None else set(self.lines.ids)
        for name, path in self.benchmark.judgments.items():
            prepared = prepare_rankings(path, self.inputs.selection)
            rankings, judgments = prepared.rankings, prepared.judgments
            if ids is not None:
                rankings = tuple(r for r in rankings if r.sentence in ids)
                judgments = expand(rankings)
                if not len(judgments):
                    raise DataError(f"no judgment of {name} is about the lines that were chosen")
            self.notes.extend(f"{name}: {note}" for note in prepared.notes)
            published = self._published(name, judgments.systems)
            humans = {}
            for short in dict.fromkeys((*self.benchmark.aggregations, *published)):
                scored = score_systems(
                    judgments,
                    method=_METHODS.get(short, "expected-wins"),
                    samples=self.options.bootstrap,
                    resample=self.options.resample,
                    rng=self.options.rng(),
                )
                humans[short] = self._with_scores(scored, published.get(short), short, name)
            grid = grid_of_rankings(rankings, judgments.systems)
            yield HumanJudgments(name, humans, grid, rated=False, data=prepared.data)
        for name, path in self.benchmark.ratings.items():
            ratings = tuple(r for r in read_ratings(path) if ids is None or r.sentence in ids)
            methods: list[RatingMethod] = ["mean"]
            if len({one.judge for one in ratings}) > 1:
                methods.append("z-score")
            grid = grid_of_ratings(ratings)
            samples = self.options.bootstrap
            humans = {
                str(method): score_by_ratings(
                    ratings, method=method, samples=samples, rng=self.options.rng()
                )
                for method in methods
            }
            for key, scores in self._published(name, grid.systems).items():
                humans[key] = self._with_scores(humans["mean"], scores, key, name)
            data = fingerprint(f"{r.sentence}\0{r.system}\0{r.judge}\0{r.value!r}" for r in ratings)
            yield HumanJudgments(name, humans, grid, rated=True, data=data)

    def _published(self, name: str, systems: Sequence[str]) -> dict[str, dict[str, float]]:
        """Load aggregated human scores: those of the user, or those of the folder."""
        given = self.inputs.human or self.benchmark.human.get(name, {})
        return load_human_scores(given, systems)

    def _with_scores(
        self, scored: ScoredSystems, published: Mapping[str, float] | None, short: str, name: str
    ) -> ScoredSystems:
        """Replace our scores by published ones, or round ours like published ones."""
        if published is not None:
            self.notes.append(
                f"{name} {short}: human scores as given; their intervals from the judgments."
            )
            values = np.array([published.get(system, np.nan) for system in scored.systems])
            return replace(scored, scores=values)
        decimals = self.options.decimals
        if decimals is None:
            return scored
        self.notes.append(
            f"Human scores of rankings are rounded to {decimals} decimals, as published ones were."
        )
        return replace(scored, scores=np.round(scored.scores, decimals))


def _mean_over_sentences(metric: str, scores: ScoresBySentence) -> MetricScores:
    values: dict[str, list[float]] = {}
    for of_sentence in scores.values():
        for system, score in of_sentence.items():
            values.setdefault(system, []).append(score)
    names = tuple(sorted(values))
    return MetricScores(metric, names, np.array([float(np.mean(values[name])) for name in names]))
