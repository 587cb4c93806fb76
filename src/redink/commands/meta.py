"""Metrics held against human judgments: which metric would people agree with?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import numpy as np

from redink.analysis.annotation_options import AnnotationResources
from redink.commands.attack import attack_metrics
from redink.commands.benchmark import Aggregating, BenchmarkInput, meta_benchmark
from redink.commands.meta_tables import Held
from redink.commands.rank import RankingInput, prepare_rankings
from redink.commands.rank_choice import choose_systems
from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats.metric_scores import read_lines_chosen
from redink.inputs.benchmarks import Benchmark, read_benchmark
from redink.inputs.judgment_loading import (
    HumanScoresLike,
    RankingsLike,
    ScoresLike,
    SentenceScoresLike,
    is_ratings,
    is_scores,
    load_human_scores,
    load_sentence_scores,
    load_system_scores,
)
from redink.inputs.loading import PathLike, TextLike
from redink.judging.benchmark_levels import Holding
from redink.judging.metaeval import (
    DEFAULT_BETAS,
    MetricScores,
    Uncertainty,
    aggregate_metric,
    group_scores,
    is_plain_f,
    warn_about_systems,
    with_beta,
)
from redink.judging.rankers import Method, ScoredSystems, score_systems
from redink.judging.rankings import Selection, select_systems
from redink.judging.sentence_level import (
    ScoresBySentence,
    SentenceAgreement,
    agree_on_sentences,
    find_shift,
    group_sentence_scores,
    renumber,
    unequal_share,
)
from redink.judging.tallies import Resample
from redink.model import Ranking, Table, fingerprint, make_signature, table_of
from redink.options import Beta, Confidence, Flag, Limits, Needs, Positive, Seed, use_case
from redink.scoring.specs import Metrics
from redink.statistics.correlation import KendallTies

Show = Literal[
    "correlation", "williams", "tests", "betas", "best-beta", "windows", "sentences", "systems"
]

_MANY_UNEQUAL = 0.25


def parse_betas(text: str) -> list[float]:
    """``FROM:TO:STEP`` as all values from one to the other, both included."""
    try:
        first, last, step = (float(part) for part in text.split(":"))
    except ValueError:
        raise OptionError(f"{text!r} is not FROM:TO:STEP") from None
    if not (0 <= first <= last and step > 0 and (last - first) / step < 100_000):
        raise OptionError(f"{text!r} does not go from a smaller to a larger beta")
    return [round(first + at * step, 9) for at in range(int((last - first) / step + 1e-6) + 1)]


@use_case(
    draws="Draw the correlations, the sweep or the windows.",
    shows=("correlation", "betas", "windows"),
)
def meta(
    judgments: RankingsLike,
    scores: Annotated[ScoresLike, Flag(many=True, value="[SCORES]...")] = (),
    *,
    benchmark: Annotated[str | None, Flag(value="NAME|FILE.toml", reads=True)] = None,
    metrics: Metrics = (),
    references: Annotated[Sequence[TextLike], Flag(name="reference", repeat=True)] = (),
    human: Annotated[HumanScoresLike, Flag(repeat=True, many=True, value="NAME=FILE")] = (),
    lines: PathLike | None = None,
    attack: bool = False,
    show: Show | None = None,
    method: Method = "expected-wins",
    systems: Sequence[str] = (),
    without: Sequence[str] = (),
    sentences: Annotated[
        SentenceScoresLike | None, Flag(repeat=True, many=True, value="FILE|FOLDER")
    ] = None,
    aggregate: Method | None = None,
    shift: Annotated[int | None, Needs(show="sentences")] = None,
    tolerance: Annotated[
        float, Limits(0), Needs(sentences=True, benchmark=True, judgments=is_ratings)
    ] = 0.0,
    beta: Annotated[Sequence[Beta], Flag(value="B,...")] = (),
    betas: Annotated[
        Sequence[Beta] | None,
        Flag(value="FROM:TO:STEP", parse=parse_betas),
        Needs(show=("betas", "best-beta")),
    ] = None,
    window: Annotated[
        int | None, Limits(2), Needs(show="windows", benchmark=True, judgments=is_ratings)
    ] = None,
    kendall: KendallTies = "b",
    decimals: Annotated[int, Limits(0, 17)] | None = 3,
    uncertainty: Uncertainty = "judgments",
    resample: Resample = "pairs",
    bootstrap: Positive = 1000,
    confidence: Confidence = 0.95,
    selection: Selection = Selection(),
    annotation_options: AnnotationResources = AnnotationResources(),
    seed: Seed = 1,
) -> Table:
    """Hold metrics against human judgments.

    JUDGMENTS holds rankings of outputs by judges (Appraise XML, WMT CSV), from which the human
    ranking of systems is made. SCORES are what metrics say of the same systems: the JSON, CSV or
    TSV of redink score, or files with a line for every system: its name and score, or its name,
    F, precision and recall. A file's metric is named by the file (scores.m2 is m2) or by
    NAME=PATH.

    JUDGMENTS may also be ratings (CSV: sentence, system, judge, rating; or a column a system), or
    the scores of systems that people's judgments led to. With --benchmark it is the folder of a
    benchmark, and every table of its paper is made: for each set of systems, each kind of
    judgments and each way of aggregating them, over systems, in windows, and over sentences.

    Args:
        judgments: rankings or ratings by people, or scores made from them: a file, or values.
        scores: scores of systems: files, ``NAME=PATH``, tables of ``redink.score``, or values.
        benchmark: seeda, gjg15, gmeg, or a TOML file that describes one.
        metrics: metrics of redink to run on the outputs of the benchmark. By default errant, m2
            and gleu, unless scores are given.
        references: the references of the benchmark, where they are not in its folder: an M2 file,
            or a corrected text for each annotator.
        human: aggregated human scores in place of ours: NAME is EW or TS, or another name.
        lines: only the sentences that this file names, one a line: numbers of lines, or ids.
        attack: instead of all that, how easily metrics are fooled: outputs made worse in known
            ways. JUDGMENTS is then the REFERENCE and SCORES are the systems, or give a benchmark.
        show: correlations; the Williams test between metrics; permutation tests between all
            metrics at once; F under every beta; the best beta; correlations among neighbours in
            the human ranking; agreement on pairs of sentences; the systems with all scores. By
            default correlation; of a benchmark, all levels.
        method: how human judgments are aggregated.
        systems: correlate over these systems only; human scores still come from all judgments.
        without: correlate over all systems but these.
        sentences: scores of single sentences: JSONL with sentence, system, metric and score; a
            table with a column a system; or a folder with SYSTEM.txt, a number a line. NAME=PATH
            names the metric.
        aggregate: rank systems by the scores of sentences as if each metric were a judge, and
            correlate that.
        shift: add this to the sentence numbers of the scores of sentences. By default 0, -1 or 1,
            whichever gives systems with the same output the same score.
        tolerance: sentence scores that differ by no more are a tie.
        beta: add F of these betas, made from precision and recall.
        betas: the sweep of ``betas`` and ``best-beta``. By default from 0.01 to 1 in steps of
            0.01.
        window: windows of so many systems. Without it windows begin at the top.
        kendall: ties in Kendall's tau: allowed for (b), neither right nor wrong (a), left out
            (gamma).
        decimals: round human scores first, as published ones were; 17 keeps all decimals.
        uncertainty: what intervals allow for: other judgments, or other systems.
        resample: draw judgments pair by pair, or by whole rankings.
        bootstrap: samples for the intervals.
        confidence: how sure the intervals are.
        selection: whose rankings count.
        annotation_options: by what and by how many processes outputs of a benchmark are annotated.
        seed: the start of the random numbers: same seed, same output.

    Returns:
        For ``correlation`` a table with the columns ``metric, spearman, pearson, kendall``, each
        with ``_low`` and ``_high``.
    """
    if attack:
        return attack_metrics(
            cast("Any", judgments) if benchmark is None else _describe(benchmark, judgments)[0],
            cast("Any", scores),
            metrics,
            references=references,
            systems=systems,
            without=without,
            lines=lines,
            annotation_options=annotation_options,
            seed=seed,
        )
    if benchmark is not None or is_ratings(judgments):
        if show not in _LEVELS:
            raise OptionError(f"a benchmark has no table {show!r}; show can be: {_SHOWN}")
        return meta_benchmark(
            benchmark or "ratings",
            _describe(benchmark, judgments),
            BenchmarkInput(
                scores,
                sentences,
                metrics,
                human,
                references,
                lines,
                aggregate,
                tolerance,
                annotation_options,
            ),
            Holding(
                kendall=kendall,
                uncertainty=uncertainty,
                bootstrap=bootstrap,
                confidence=confidence,
                seed=seed,
                window=window,
                systems=systems,
                without=without,
                levels=_LEVELS[show],
            ),
            Aggregating(decimals, resample, selection),
            tests=show == "tests",
        )
    show = show or "correlation"
    people = _load_people(judgments, selection, lines, alone=not (metrics or references or human))
    by_sentence = {} if sentences is None else _load_sentences(sentences, lines)
    _check_sentences(by_sentence, show, aggregate)
    given = group_scores(load_system_scores(scores))
    given += _aggregate(by_sentence, aggregate, tolerance, seed)
    for value in beta:
        given += tuple(with_beta(metric, value) for metric in given if is_plain_f(metric))
    uncertainty, decimals = people.allow(uncertainty, decimals)
    signature = make_signature(
        "meta",
        show=None if show == "correlation" else show,
        metrics=list(dict.fromkeys((*(metric.metric for metric in given), *by_sentence))),
        method=method if people.published is None else None,
        systems=list(systems) or None,
        without=list(without) or None,
        aggregate=aggregate,
        kendall=kendall,
        decimals=decimals,
        uncertainty=uncertainty,
        bootstrap=bootstrap,
        resample=resample,
        confidence=confidence,
        seed=seed,
        data=people.data,
        scores=_fingerprint_scores(given, by_sentence),
    )
    known = {*people.systems, *(system for m in given for system in m.systems)}
    chosen = choose_systems(known, systems, without)
    notes = list(people.notes)
    if chosen != known:
        notes.append(f"Left out by choice: {', '.join(sorted(known - chosen))}.")
    if show == "sentences":
        rows, said = _agree_on_sentences(
            select_systems(people.rankings, chosen),
            by_sentence,
            shift=shift,
            tolerance=tolerance,
            samples=bootstrap,
            confidence=confidence,
            seed=seed,
        )
        title = "Agreement with judges on pairs of sentences"
        return table_of(rows, notes=[*notes, *said], signature=signature, title=title)
    if not given:
        raise DataError("there are no metric scores to hold against the judgments")
    scored = people.score(method, bootstrap, resample, seed).only(chosen)
    given = tuple(metric.only(chosen) for metric in given)
    notes += _compare_systems(scored, given)
    notes += warn_about_systems((scored.systems[at] for at in scored.order), given)
    if decimals is not None:
        scored = replace(scored, scores=np.round(scored.scores, decimals))
        notes.append(f"Human scores are rounded to {decimals} decimals, as published ones were.")
    held = Held(scored, given, notes, signature, kendall, confidence, seed)
    grid = DEFAULT_BETAS if betas is None else betas
    build: Mapping[str, Callable[[], Table]] = {
        "correlation": lambda: held.correlation(uncertainty),
        "williams": held.williams,
        "tests": held.tests,
        "betas": lambda: held.betas(grid),
        "best-beta": lambda: held.best_beta(grid),
        "windows": lambda: held.windows(window),
        "systems": held.systems,
    }
    return build[show]()


_LEVELS: Mapping[str | None, tuple[str, ...]] = {
    None: ("system", "window", "sentence"),
    "tests": ("system", "sentence"),
    "correlation": ("system",),
    "windows": ("window",),
    "sentences": ("sentence",),
}
"""The levels of a benchmark that each table has."""
_SHOWN = ", ".join(show for show in _LEVELS if show)


def _check_sentences(
    by_sentence: Mapping[str, ScoresBySentence], show: Show, aggregate: Method | None
) -> None:
    if (aggregate is not None or show == "sentences") and not by_sentence:
        what = "agreement on sentences" if aggregate is None else "to aggregate a metric"
        raise OptionError(f"{what} needs scores of sentences")


def _aggregate(
    by_sentence: Mapping[str, ScoresBySentence], method: Method | None, tolerance: float, seed: int
) -> tuple[MetricScores, ...]:
    """The metrics as judges, where that is asked for."""
    return tuple(
        aggregate_metric(metric, scores, method, tolerance=tolerance, seed=seed)
        for metric, scores in by_sentence.items()
        if method is not None
    )


def _describe(benchmark: str | None, judgments: RankingsLike) -> tuple[Benchmark, ...]:
    """The files of a benchmark; ratings alone are one without outputs."""
    if not isinstance(judgments, str | Path):
        raise OptionError("a benchmark is a folder: give the folder in place of the judgments")
    if benchmark is not None:
        return read_benchmark(benchmark, judgments)
    name = Path(judgments).stem
    return (Benchmark(name, ratings={name: Path(judgments)}),)


@dataclass(frozen=True)
class _People:
    """What people said: rankings, or scores of systems that were made already.

    Attributes:
        systems: that were judged.
        data: the fingerprint.
        notes: what to say of the judgments.
        prepared: the rankings.
        published: the scores in place of rankings.
    """

    systems: tuple[str, ...]
    data: str
    notes: tuple[str, ...] = ()
    prepared: RankingInput | None = None
    published: Mapping[str, float] | None = None

    def allow(
        self, uncertainty: Uncertainty, decimals: int | None
    ) -> tuple[Uncertainty, int | None]:
        """Scores from a file are not rounded, and say nothing of other judgments."""
        return (uncertainty, decimals) if self.published is None else ("systems", None)

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """The rankings of outputs."""
        if self.prepared is None:
            raise OptionError("agreement on sentences needs judgments, not scores of systems")
        return self.prepared.rankings

    def score(self, method: Method, samples: int, resample: Resample, seed: int) -> ScoredSystems:
        """The scores of systems; of scores from a file all samples are alike."""
        if self.prepared is None:
            values = np.array([(self.published or {})[system] for system in self.systems])
            alike = np.broadcast_to(values, (samples, len(values)))
            return ScoredSystems(self.systems, values, alike)
        return score_systems(
            self.prepared.judgments,
            method=method,
            samples=samples,
            resample=resample,
            rng=np.random.default_rng(seed),
        )


def _load_people(
    judgments: RankingsLike, selection: Selection, lines: PathLike | None, *, alone: bool
) -> _People:
    if not alone:
        raise OptionError("metric, reference and human go with a benchmark")
    if isinstance(judgments, str | Path) and is_scores(judgments):
        found = load_human_scores([judgments])
        if len(found) > 1:
            listed = ", ".join(found)
            raise OptionError(f"{judgments} has several human scores ({listed}); give one")
        scores = next(iter(found.values()))
        data = fingerprint(f"{system} {scores[system]!r}" for system in sorted(scores))
        note = "The human scores come from a file; intervals allow for other systems."
        return _People(tuple(sorted(scores)), data, (note,), published=scores)
    prepared = prepare_rankings(judgments, selection, lines=lines)
    return _People(prepared.tally.systems, prepared.data, prepared.notes, prepared)


def _load_sentences(
    sentences: SentenceScoresLike, lines: PathLike | None
) -> dict[str, dict[str, dict[str, float]]]:
    found = group_sentence_scores(load_sentence_scores(sentences))
    if lines is None:
        return found
    return {metric: _choose_lines(metric, scores, lines) for metric, scores in found.items()}


def _choose_lines(
    metric: str, scores: Mapping[str, Mapping[str, float]], lines: PathLike
) -> dict[str, dict[str, float]]:
    """The scores of the sentences that were chosen; numbered by line, they are in that order."""
    ids = read_lines_chosen(lines)
    if len(scores) == len(ids) and scores.keys() == {str(n + 1) for n in range(len(ids))}:
        return {one: dict(scores[str(at)]) for at, one in enumerate(ids, start=1)}
    found = {one: dict(scores[one]) for one in ids if one in scores}
    if not found:
        raise DataError(f"{metric!r} scores none of the sentences that were chosen")
    return found


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


def _compare_systems(human: ScoredSystems, metrics: Sequence[MetricScores]) -> Iterator[str]:
    """Notes about systems that only one side knows."""
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


def _agree_on_sentences(
    rankings: Sequence[Ranking],
    by_sentence: Mapping[str, ScoresBySentence],
    *,
    shift: int | None,
    seed: int,
    **how: Any,
) -> tuple[list[SentenceAgreement], list[str]]:
    """How often each metric prefers the output that the judge prefers, and notes about it."""
    rows, notes = [], []
    for metric, scores in by_sentence.items():
        moved = find_shift(rankings, scores) if shift is None else shift
        if shift is None and moved:
            notes.append(
                f"{metric}: {moved:+d} is added to the sentence numbers of the scores; only "
                "then systems with the same output have the same score."
            )
        numbered = renumber(scores, moved) if moved else scores
        if (unequal_share(rankings, numbered) or 0) > _MANY_UNEQUAL:
            warnings.warn(
                f"systems with the same output often have different scores under {metric!r}: "
                "do scores and judgments speak of the same sentences?",
                RedinkWarning,
                stacklevel=4,
            )
        rng = np.random.default_rng(seed)
        rows.append(agree_on_sentences(rankings, metric, numbered, rng=rng, **how))
    notes += [
        "Pairs of distinct outputs, as the judges saw them.",
        "tau, accuracy: without pairs that the judge tied; a tie of the metric is not agreement.",
        "with ties: the share of pairs on which both say better, worse or equal alike.",
    ]
    return rows, notes
