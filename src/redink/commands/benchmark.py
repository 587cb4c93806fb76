"""Metrics on a benchmark: every table of its paper in one go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from redink.analysis.annotation_options import AnnotationResources
from redink.commands.rank import prepare_rankings
from redink.errors import DataError, FormatError, OptionError
from redink.evaluation import Evaluation
from redink.formats.metric_scores import read_lines_chosen, select_system_scores
from redink.formats.ratings import read_ratings
from redink.formats.registry import PLAIN, detect_format
from redink.inputs.benchmarks import Benchmark
from redink.inputs.judgment_loading import (
    HumanScoresLike,
    ScoresLike,
    SentenceScoresLike,
    load_human_scores,
    load_rankings,
    load_sentence_scores,
    load_system_scores,
)
from redink.inputs.loading import PathLike, SeparateTexts, TextLike, load_texts
from redink.judging.benchmark_levels import BenchmarkRow, Block, Holding, MetricsSaid, TestRow
from redink.judging.metaeval import (
    MetricScores,
    aggregate_metric,
    group_scores,
    warn_about_systems,
)
from redink.judging.pairs import grid_of_rankings
from redink.judging.rankers import Method, ScoredSystems, score_systems
from redink.judging.rankings import Selection, expand
from redink.judging.ratings import RatingMethod, grid_of_ratings, score_by_ratings
from redink.judging.sentence_level import ScoresBySentence, group_sentence_scores
from redink.judging.tallies import Resample
from redink.model import Sentence, Table, fingerprint, make_signature, table_of
from redink.scoring.engine import make_rows
from redink.scoring.metric import Metric
from redink.scoring.specs import DEFAULT_METRICS, MetricLike, make_metrics

_METHODS: Mapping[str, Method] = {
    "EW": "expected-wins",
    "TS": "trueskill",
    "BT": "bradley-terry",
}


@dataclass(frozen=True)
class Aggregating:
    """How people's judgments become scores of systems."""

    decimals: int | None
    resample: Resample
    selection: Selection


@dataclass(frozen=True)
class Lines:
    """The sentences that count: their ids in the judgments and their places in the texts."""

    ids: tuple[str, ...]
    places: tuple[int, ...]
    total: int


@dataclass(frozen=True)
class _Run:
    """Our own metrics on a benchmark: their input, and their scores of systems and sentences."""

    loaded: Evaluation
    metrics: Sequence[Metric]
    systems: tuple[MetricScores, ...]
    sentences: dict[str, ScoresBySentence]


@dataclass(frozen=True)
class BenchmarkInput:
    """What a user brings besides the folder."""

    scores: ScoresLike
    sentences: SentenceScoresLike | None
    metrics: Sequence[MetricLike]
    human: HumanScoresLike
    references: Sequence[TextLike]
    lines: PathLike | None
    aggregate: Method | None
    tolerance: float
    annotation_options: AnnotationResources


def meta_benchmark(
    name: str,
    described: Sequence[Benchmark],
    given: BenchmarkInput,
    how: Holding,
    people: Aggregating,
    *,
    tests: bool,
) -> Table:
    """All levels of a benchmark, or the tests between metrics in each of its blocks."""
    rows: list[BenchmarkRow] = []
    tested: list[TestRow] = []
    notes: list[str] = []
    parts: list[str] = []
    names: list[str] = []
    references: dict[str, str] = {}
    sign = make_signature
    for benchmark in described:
        lines = choose_lines(benchmark, given.lines)
        metrics, own = _gather(benchmark, lines, given, how, notes)
        names += [*(one.metric for one in metrics.systems), *metrics.sentences]
        if own is not None:
            references[benchmark.name] = own.loaded.fingerprints()["references"]
            if own.loaded.annotates(own.metrics):
                sign = given.annotation_options.annotating.signature
        parts += _written(metrics)
        for block in _humans(benchmark, given, how, people, lines, notes):
            for each in benchmark.sets:
                notes += warn_about_systems(block.members(each, how), metrics.systems)
            found, compared = block.hold(metrics, benchmark.sets, benchmark.windows, how)
            rows += found
            tested += compared
            parts.append(block.data)
    if (how.systems or how.without) and not (tested or any(row.systems for row in rows)):
        raise OptionError("no two systems are left to compare")
    one_reference = next(iter(references.values())) if len(references) == 1 else None
    signature = sign(
        "meta",
        benchmark=name,
        metrics=list(dict.fromkeys(names)),
        references=one_reference or references or None,
        systems=list(how.systems) or None,
        without=list(how.without) or None,
        aggregate=given.aggregate,
        kendall=how.kendall,
        decimals=people.decimals,
        uncertainty=how.uncertainty,
        bootstrap=how.bootstrap,
        resample=people.resample,
        confidence=how.confidence,
        seed=how.seed,
        data=fingerprint(parts),
    )
    title = f"Metrics against people on {name}"
    if tests:
        notes.append("p: permutation test, two-sided; Holm: adjusted within the block.")
        return table_of(tested, TestRow, notes=_once(notes), signature=signature, title=title)
    if not rows:
        raise DataError("there are no metric scores to hold against the judgments")
    rows.sort(key=lambda row: ("system", "window", "sentence").index(row.level))
    notes += _explain(rows, how)
    return table_of(
        rows,
        BenchmarkRow,
        notes=_once(notes),
        signature=signature,
        title=title,
        groups="level",
        view="levels",
        plot_name="benchmark",
    )


def _once(notes: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(notes))


def _explain(rows: Sequence[BenchmarkRow], how: Holding) -> Iterator[str]:
    levels = {row.level for row in rows}
    if "system" in levels:
        yield (
            f"low, high: {100 * how.confidence:g} % of {how.bootstrap} bootstrap samples, "
            f"{how.uncertainty} drawn again (level sentence: sentences)."
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


# ---- what metrics say


def choose_lines(benchmark: Benchmark, lines: PathLike | None) -> Lines:
    """Which lines of the outputs count, and what the judgments call them."""
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
    return Lines(ids, tuple(places), total)


def _together(paths: Sequence[Path]) -> list[tuple[Sentence, ...]]:
    """What every system made of each line."""
    texts = [load_texts(path) for path in paths]
    for path, text in zip(paths, texts, strict=True):
        if len(text) != len(texts[0]):
            raise FormatError(f"has {len(text)} lines, {paths[0]} has {len(texts[0])}", path=path)
    return list(zip(*texts, strict=True))


def _match_subset(benchmark: Benchmark, total: int) -> Lines:
    """The lines of the subset, found in order among all lines by what every system made of them."""
    names = sorted(benchmark.subset.keys() & benchmark.outputs.keys())
    every = _together([benchmark.outputs[name] for name in names])
    some = _together([benchmark.subset[name] for name in names])
    places, at = [], 0
    for number, wanted in enumerate(some, start=1):
        while at < len(every) and every[at] != wanted:
            at += 1
        if at == len(every):
            raise DataError(f"line {number} of the subset is not among all lines of the outputs")
        places.append(at)
        at += 1
    ids = tuple(str(place + benchmark.first_line) for place in places)
    return Lines(ids, tuple(places), total)


def _gather(
    benchmark: Benchmark, lines: Lines, given: BenchmarkInput, how: Holding, notes: list[str]
) -> tuple[MetricsSaid, _Run | None]:
    """Our metrics, and scores that others brought, of systems and of sentences."""
    outside = group_scores(load_system_scores([*benchmark.scores, *_listed(given.scores)]))
    brought = [] if given.sentences is None else load_sentence_scores(given.sentences)
    by_sentence: dict[str, ScoresBySentence] = {
        metric: _place(metric, scores, lines, benchmark)
        for metric, scores in group_sentence_scores(brought).items()
    }
    systems = list(outside)
    for metric, scores in by_sentence.items():
        if metric not in {one.metric for one in systems}:
            systems.append(_mean_of(metric, scores))
            notes.append(f"{metric}: the score of a system is the mean over its sentences.")
    wanted: Sequence[MetricLike] = given.metrics
    if not wanted and not systems:
        wanted = DEFAULT_METRICS
    run = _run(benchmark, lines, make_metrics(wanted), given) if wanted else None
    if run is not None:
        taken = {one.metric for one in run.systems}
        systems = [
            replace(one, metric=f"{one.metric} (given)") if one.metric in taken else one
            for one in systems
        ]
        systems += run.systems
        by_sentence |= run.sentences
    if given.aggregate is not None:
        for metric, scores in by_sentence.items():
            systems.append(
                aggregate_metric(
                    metric, scores, given.aggregate, tolerance=given.tolerance, seed=how.seed
                )
            )
    return MetricsSaid(tuple(systems), by_sentence), run


def _listed(scores: ScoresLike) -> Sequence[Any]:
    if isinstance(scores, Mapping):
        return list(load_system_scores(scores))
    return [scores] if isinstance(scores, str | Path | Table) else scores


def _place(
    metric: str, scores: ScoresBySentence, lines: Lines, benchmark: Benchmark
) -> ScoresBySentence:
    """Scores by the ids of the judgments, where they were numbered by their lines."""
    size = len(scores)
    numbered = {str(number) for number in range(1, size + 1)}
    if scores.keys() != numbered:
        return {one: scores[one] for one in lines.ids if one in scores} or scores
    if size == len(lines.ids):
        return {one: scores[str(at)] for at, one in enumerate(lines.ids, start=1)}
    if size == lines.total:
        places = zip(lines.ids, lines.places, strict=True)
        return {one: scores[str(place + 1)] for one, place in places}
    raise DataError(
        f"{metric!r} has scores for {size} sentences of {benchmark.name}; expected "
        f"{len(lines.ids)} (those that count) or {lines.total} (all lines)"
    )


def _mean_of(metric: str, scores: ScoresBySentence) -> MetricScores:
    values: dict[str, list[float]] = {}
    for of_sentence in scores.values():
        for system, score in of_sentence.items():
            values.setdefault(system, []).append(score)
    names = tuple(sorted(values))
    return MetricScores(metric, names, np.array([float(np.mean(values[name])) for name in names]))


def load_benchmark_texts(benchmark: Benchmark, references: Sequence[TextLike] = ()) -> Evaluation:
    """The references and the outputs of all systems of a benchmark.

    Raises:
        OptionError: something to score, or to score against, is not in the folder.
    """
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


def _run(
    benchmark: Benchmark, lines: Lines, metrics: Sequence[Metric], given: BenchmarkInput
) -> _Run:
    """Our own metrics on the lines that count."""
    loaded = load_benchmark_texts(benchmark, given.references)
    if lines.places != tuple(range(len(loaded.references))):
        loaded = loaded.take(lines.places)
    scored, _ = replace(loaded, annotation_options=given.annotation_options).collect(
        metrics, fit=False
    )
    systems = group_scores(select_system_scores(make_rows(scored, None, extra={})))
    sentences: dict[str, dict[str, dict[str, float]]] = {}
    for each in scored:
        for one, row in zip(lines.ids, each.metric.sentence_rows(each.statistics), strict=True):
            value = row.get(each.metric.headline)
            if value is not None:
                label = f"{each.label} {row['level']}" if row.get("level") else each.label
                of_sentence = sentences.setdefault(label, {}).setdefault(one, {})
                of_sentence[each.system.name] = float(value)
    return _Run(loaded, metrics, systems, dict(sentences))


def _written(metrics: MetricsSaid) -> Iterator[str]:
    for metric in metrics.systems:
        for system, score in zip(metric.systems, metric.scores.tolist(), strict=True):
            yield f"{metric.metric}\0{system}\0{score!r}"
    for name, scores in metrics.sentences.items():
        for sentence, of in scores.items():
            yield f"{name}\0{sentence}\0" + "\0".join(f"{s} {v!r}" for s, v in of.items())


# ---- what people say, and metrics held against it


def _humans(
    benchmark: Benchmark,
    given: BenchmarkInput,
    how: Holding,
    people: Aggregating,
    lines: Lines,
    notes: list[str],
) -> Iterator[Block]:
    for name, path in benchmark.judgments.items():
        prepared = prepare_rankings(path, people.selection)
        rankings = prepared.rankings
        judgments = prepared.judgments
        if given.lines is not None:
            rankings = tuple(r for r in rankings if r.sentence in set(lines.ids))
            judgments = expand(rankings)
            if not len(judgments):
                raise DataError(f"no judgment of {name} is about the lines that were chosen")
        notes += [f"{name}: {note}" for note in prepared.notes]
        published = _published(benchmark, given, name, judgments.systems)
        humans = {}
        for short in dict.fromkeys((*benchmark.aggregations, *published)):
            scored = score_systems(
                judgments,
                method=_METHODS.get(short, "expected-wins"),
                samples=how.bootstrap,
                resample=people.resample,
                rng=how.rng(),
            )
            humans[short] = _with_scores(scored, published.get(short), people, short, name, notes)
        grid = grid_of_rankings(rankings, judgments.systems)
        yield Block(name, humans, grid, rated=False, data=prepared.data)
    for name, path in benchmark.ratings.items():
        ratings = read_ratings(path)
        if given.lines is not None:
            ratings = tuple(one for one in ratings if one.sentence in set(lines.ids))
        methods: list[RatingMethod] = ["mean"]
        if len({one.judge for one in ratings}) > 1:
            methods.append("z-score")
        grid = grid_of_ratings(ratings)
        published = _published(benchmark, given, name, grid.systems)
        aggregated = {
            str(method): score_by_ratings(
                ratings, method=method, samples=how.bootstrap, rng=how.rng()
            )
            for method in methods
        }
        for key, scores in published.items():
            aggregated[key] = _with_scores(aggregated["mean"], scores, people, key, name, notes)
        data = fingerprint(f"{r.sentence}\0{r.system}\0{r.judge}\0{r.value!r}" for r in ratings)
        yield Block(name, aggregated, grid, rated=True, data=data)


def _published(
    benchmark: Benchmark, given: BenchmarkInput, name: str, systems: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Human scores that were aggregated already: the user's, or those of the folder."""
    if given.human:
        return load_human_scores(given.human, systems)
    return load_human_scores(benchmark.human.get(name, {}), systems)


def _with_scores(
    scored: ScoredSystems,
    published: Mapping[str, float] | None,
    people: Aggregating,
    short: str,
    name: str,
    notes: list[str],
) -> ScoredSystems:
    """The published scores in place of ours, or ours rounded as published ones are."""
    if published is not None:
        notes.append(f"{name} {short}: human scores as given; their intervals from the judgments.")
        values = np.array([published.get(system, np.nan) for system in scored.systems])
        return replace(scored, scores=values)
    if people.decimals is None:
        return scored
    notes.append(
        f"Human scores of rankings are rounded to {people.decimals} decimals, as published ones "
        "were."
    )
    return replace(scored, scores=np.round(scored.scores, people.decimals))
