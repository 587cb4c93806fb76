"""The inputs of ``redink meta``: scores of metrics, and human judgments of systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from redink.analysis.annotation_options import AnnotationResources
from redink.errors import DataError, FormatError, OptionError
from redink.evaluation import Evaluation, EvaluationOptions
from redink.formats.format_registry import PLAIN, detect_format
from redink.formats.judgment_tables import read_ratings
from redink.formats.metric_scores import read_lines_chosen, select_system_scores
from redink.inputs.benchmarks import Benchmark
from redink.inputs.input_options import PathLike, TextLike
from redink.inputs.judgment_loading import (
    HumanScoresLike,
    RankingsLike,
    ScoresLike,
    SentenceScoresLike,
    is_scores,
    load_human_scores,
    load_rankings,
    load_sentence_scores,
    load_system_scores,
)
from redink.inputs.text_loading import load_texts
from redink.judging.benchmark_evaluation import (
    HumanJudgments,
    MetaEvaluationOptions,
    MetricResults,
)
from redink.judging.metric_correlation import MetricScores, aggregate_metric, group_scores
from redink.judging.rankers import (
    Method,
    RatingMethod,
    ScoredSystems,
    grid_of_ratings,
    score_by_ratings,
)
from redink.judging.rankings import PreparedRankings, Selection, expand, prepare_rankings
from redink.judging.sentence_pairs import ScoresBySentence, grid_of_rankings, group_sentence_scores
from redink.model import Ranking, Sentence, fingerprint
from redink.scoring.engine import make_rows
from redink.scoring.specs import DEFAULT_METRICS, MetricLike, make_metrics

_METHODS: Mapping[str, Method] = {"EW": "expected-wins", "TS": "trueskill", "BT": "bradley-terry"}


@dataclass(frozen=True)
class MetaInputs:
    """The user's inputs besides the judgments; the fields are the options of ``meta``."""

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
    ensemble: bool = False

    def load_sentence_scores(self) -> dict[str, dict[str, dict[str, float]]]:
        """Load the scores of sentences, by metric, sentence and system."""
        return group_sentence_scores(load_sentence_scores(self.sentences or ()))

    def aggregated(
        self, by_sentence: Mapping[str, ScoresBySentence], seed: int
    ) -> list[MetricScores]:
        """Rank systems by the sentence scores of each metric, if the user asked for it."""
        if self.aggregate is None:
            return []
        return [
            aggregate_metric(metric, scores, self.aggregate, tolerance=self.tolerance, seed=seed)
            for metric, scores in by_sentence.items()
        ]


def fingerprint_parts(metrics: MetricResults) -> Iterator[str]:
    """Yield the text from which the fingerprint of the scores is computed."""
    for metric in metrics.systems:
        for system, score in zip(metric.systems, metric.scores.tolist(), strict=True):
            yield f"{metric.metric}\0{system}\0{score!r}"
    for name, scores in metrics.sentences.items():
        for sentence, of in scores.items():
            yield f"{name}\0{sentence}\0" + "\0".join(f"{s} {v!r}" for s, v in of.items())


def renumber_by_ids(scores: ScoresBySentence, ids: Sequence[str]) -> ScoresBySentence | None:
    """Return scores by ids if they are numbered 1, 2, ... in the order of the ids; else None."""
    if len(scores) != len(ids) or not _are_line_numbers(scores):
        return None
    return {one: scores[str(at)] for at, one in enumerate(ids, start=1)}


def _are_line_numbers(scores: ScoresBySentence) -> bool:
    return scores.keys() == {str(number) for number in range(1, len(scores) + 1)}


# ---- a file of rankings or of human scores


@dataclass(frozen=True)
class JudgedSystems:
    """Human rankings, or published human scores of systems."""

    systems: tuple[str, ...]
    data: str
    notes: tuple[str, ...] = ()
    prepared: PreparedRankings | None = None
    published: Mapping[str, float] = field(default_factory=dict)

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """The rankings; there are none for published scores."""
        if self.prepared is None:
            raise OptionError("--show sentences needs judgments, not scores of systems")
        return self.prepared.rankings

    def score(self, method: Method, options: MetaEvaluationOptions) -> ScoredSystems:
        """Score the systems; all samples of published scores are equal."""
        if self.prepared is None:
            values = np.array([self.published[system] for system in self.systems])
            same = np.broadcast_to(values, (options.bootstrap, len(values)))
            return ScoredSystems(self.systems, values, same)
        return options.score(self.prepared.judgments, method)


def load_judged_systems(judgments: RankingsLike, inputs: MetaInputs) -> JudgedSystems:
    """Load rankings, or a file of human scores."""
    if isinstance(judgments, str | Path) and is_scores(judgments):
        found = load_human_scores([judgments])
        if len(found) > 1:
            listed = ", ".join(found)
            raise OptionError(f"{judgments} has several human scores ({listed}); give one of them")
        scores = next(iter(found.values()))
        data = fingerprint(f"{system} {scores[system]!r}" for system in sorted(scores))
        note = "Human scores from a file; the intervals come from resampling systems."
        return JudgedSystems(tuple(sorted(scores)), data, (note,), published=scores)
    prepared = prepare_rankings(judgments, inputs.selection, lines=inputs.lines)
    return JudgedSystems(prepared.tally.systems, prepared.data, prepared.notes, prepared)


def load_scores_of_chosen_sentences(inputs: MetaInputs) -> dict[str, ScoresBySentence]:
    """Load scores of the chosen sentences; scores numbered by line are in the order chosen."""
    found: dict[str, ScoresBySentence] = dict(inputs.load_sentence_scores())
    if inputs.lines is None:
        return found
    ids = read_lines_chosen(inputs.lines)
    for metric, scores in found.items():
        found[metric] = renumber_by_ids(scores, ids) or {
            one: scores[one] for one in ids if one in scores
        }
        if not found[metric]:
            raise DataError(f"{metric!r} scores none of the sentences in --lines")
    return found


# ---- the sentences of a benchmark to use


@dataclass(frozen=True)
class BenchmarkLines:
    """The sentences to use: their ids in the judgments and their positions in the texts."""

    ids: tuple[str, ...]
    positions: tuple[int, ...]
    total: int


def choose_lines(benchmark: Benchmark, lines: PathLike | None) -> BenchmarkLines:
    """Return the lines of the outputs to use, and their ids in the judgments."""
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
    positions = []
    for one in ids if total else ():
        position = int(one) - benchmark.first_line if one.isdecimal() else -1
        if not 0 <= position < total:
            raise DataError(f"unknown sentence {one!r}; the outputs have {total} lines")
        positions.append(position)
    return BenchmarkLines(ids, tuple(positions), total)


def _load_parallel(paths: Sequence[Path]) -> list[tuple[Sentence, ...]]:
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
    positions: list[int] = []
    for number, wanted in enumerate(some, start=1):
        start = positions[-1] + 1 if positions else 0
        if wanted not in every[start:]:
            raise DataError(f"line {number} of the subset is not among all lines of the outputs")
        positions.append(every.index(wanted, start))
    ids = tuple(str(position + benchmark.first_line) for position in positions)
    return BenchmarkLines(ids, tuple(positions), total)


def load_benchmark_texts(benchmark: Benchmark, references: Sequence[TextLike] = ()) -> Evaluation:
    """Load the references and the outputs of all systems of a benchmark."""
    outputs: dict[str, Any] = dict(benchmark.outputs)
    if benchmark.source_is is not None and benchmark.source is not None:
        outputs[benchmark.source_is] = benchmark.source
    if not outputs:
        raise OptionError(f"the folder of the benchmark {benchmark.name} has no system outputs")
    gold = list(references) or list(benchmark.references)
    if not gold:
        raise OptionError(
            f"the folder of {benchmark.name} has no references; give them with --reference"
        )
    only = gold[0]
    if len(gold) == 1 and isinstance(only, str | Path) and detect_format(only).name not in PLAIN:
        return Evaluation.load(only, outputs)
    if benchmark.source is None:
        raise OptionError(f"the source of {benchmark.name} is missing; text references need it")
    return Evaluation.load(
        None, outputs, EvaluationOptions(source=benchmark.source, references=tuple(gold))
    )


# ---- scores of metrics and human judgments of a benchmark


@dataclass(frozen=True)
class BenchmarkLoading:
    """Loads the scores of metrics and the human judgments of one benchmark; adds notes."""

    benchmark: Benchmark
    lines: BenchmarkLines
    inputs: MetaInputs
    options: MetaEvaluationOptions
    notes: list[str]

    def metrics(self) -> MetricResults:
        """Return the given scores and those of redink's metrics."""
        inputs = self.inputs
        published = load_system_scores(self.benchmark.scores)
        systems = list(group_scores([*published, *load_system_scores(inputs.scores)]))
        by_sentence: dict[str, ScoresBySentence] = {}
        for metric, scores in inputs.load_sentence_scores().items():
            by_sentence[metric] = self._by_judgment_ids(metric, scores)
            if metric not in {one.metric for one in systems}:
                systems.append(_mean_over_sentences(metric, by_sentence[metric]))
                note = f"{metric}: the score of a system is the mean over its sentences."
                self.notes.append(note)
        ours = MetricResults((), {})
        if wanted := inputs.metrics or (() if systems else DEFAULT_METRICS):
            ours = self._run(wanted)
            taken = {one.metric for one in ours.systems}
            systems = [
                replace(one, metric=f"{one.metric} (given)") if one.metric in taken else one
                for one in systems
            ]
            systems += ours.systems
            by_sentence |= ours.sentences
        systems += inputs.aggregated(by_sentence, self.options.seed)
        return replace(ours, systems=tuple(systems), sentences=by_sentence)

    def _by_judgment_ids(self, metric: str, scores: ScoresBySentence) -> ScoresBySentence:
        """Return scores by the ids of the judgments, if they were numbered by line."""
        lines = self.lines
        if not _are_line_numbers(scores):
            return {one: scores[one] for one in lines.ids if one in scores} or scores
        if len(scores) == lines.total != len(lines.ids):
            places = zip(lines.ids, lines.positions, strict=True)
            return {one: scores[str(place + 1)] for one, place in places}
        if found := renumber_by_ids(scores, lines.ids):
            return found
        raise DataError(
            f"{metric!r} has scores for {len(scores)} sentences of {self.benchmark.name}; "
            f"expected {len(lines.ids)} (those to use) or {lines.total} (all lines)"
        )

    def _run(self, wanted: Sequence[MetricLike]) -> MetricResults:
        """Run redink's metrics on the chosen lines."""
        metrics = make_metrics(wanted)
        evaluation = load_benchmark_texts(self.benchmark, self.inputs.references)
        if self.lines.positions != tuple(range(len(evaluation.references))):
            evaluation = evaluation.take(self.lines.positions)
        annotated = replace(
            evaluation, options=EvaluationOptions(**vars(self.inputs.annotation_options))
        )
        scored, _ = annotated.collect(metrics, fit=False)
        made = make_rows(scored, None, extra={})
        for label in dict.fromkeys(each.label for each in scored if each.metric.lower_is_better):
            self.notes.append(f"{label}: lower is better, so the signs of its scores are reversed")
            made = [r | {"score": -r["score"]} if r["metric"] == label else r for r in made]
        systems = group_scores(select_system_scores(made))
        sentences: dict[str, dict[str, dict[str, float]]] = {}
        for each in scored:
            rows = each.metric.sentence_rows(each.statistics)
            for one, row in zip(self.lines.ids, rows, strict=True):
                value = row.get(each.metric.headline)
                if value is not None:
                    label = f"{each.label} {row['level']}" if row.get("level") else each.label
                    of_sentence = sentences.setdefault(label, {}).setdefault(one, {})
                    of_sentence[each.system.name] = float(each.metric.orient(value))
        return MetricResults(
            systems,
            sentences,
            references=evaluation.fingerprints()["references"],
            annotated=evaluation.annotates(metrics),
        )

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
                    raise DataError(f"no judgment of {name} is about the sentences in --lines")
            self.notes.extend(f"{name}: {note}" for note in prepared.notes)
            published = self._published(name, judgments.systems)
            humans = {}
            for short in dict.fromkeys((*self.benchmark.aggregations, *published)):
                scored = self.options.score(judgments, _METHODS.get(short, "expected-wins"))
                humans[short] = self._with_scores(scored, published.get(short), short, name)
            grid = grid_of_rankings(rankings, judgments.systems)
            yield HumanJudgments(name, humans, grid, rated=False, data=prepared.data)
        for name, path in self.benchmark.ratings.items():
            ratings = tuple(r for r in read_ratings(path) if ids is None or r.sentence in ids)
            methods: list[RatingMethod] = ["mean"]
            if len({one.judge for one in ratings}) > 1:
                methods.append("z-score")
            samples = self.options.bootstrap
            humans = {
                str(method): score_by_ratings(
                    ratings, method=method, samples=samples, rng=self.options.rng()
                )
                for method in methods
            }
            grid = grid_of_ratings(ratings)
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
        """Replace computed scores by published ones, or round them like published ones."""
        if published is not None:
            self.notes.append(
                f"{name} {short}: human scores as given; intervals from the judgments."
            )
            values = np.array([published.get(system, np.nan) for system in scored.systems])
            return replace(scored, scores=values)
        rounded, notes = self.options.round_scores(scored)
        self.notes.extend(notes)
        return rounded


def _mean_over_sentences(metric: str, scores: ScoresBySentence) -> MetricScores:
    values: dict[str, list[float]] = {}
    for of_sentence in scores.values():
        for system, score in of_sentence.items():
            values.setdefault(system, []).append(score)
    names = tuple(sorted(values))
    return MetricScores(metric, names, np.array([float(np.mean(values[name])) for name in names]))
