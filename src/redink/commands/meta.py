"""Correlate metrics with human judgments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from redink.analysis.annotation_options import AnnotationResources
from redink.commands.meta_attack import attack_metrics
from redink.commands.meta_inputs import MetaInputs
from redink.commands.meta_tables import (
    check_benchmark_table,
    evaluate_benchmark,
    evaluate_on_rankings,
)
from redink.errors import OptionError
from redink.inputs.benchmarks import Benchmark, read_benchmark
from redink.inputs.input_options import PathLike, TextLike
from redink.inputs.judgment_loading import (
    HumanScoresLike,
    RankingsLike,
    ScoresLike,
    SentenceScoresLike,
    is_ratings,
)
from redink.judging.benchmark_evaluation import MetaEvaluationOptions
from redink.judging.metric_correlation import DEFAULT_BETAS
from redink.judging.rankers import Method
from redink.judging.rankings import Selection
from redink.model import Table
from redink.options import Beta, Flag, Limits, Needs, command
from redink.scoring.specs import Metrics

Show = Literal[
    "correlation", "williams", "tests", "betas", "best-beta", "windows", "sentences", "systems"
]


def parse_betas(text: str) -> list[float]:
    """Return all betas of ``FROM:TO:STEP``, both ends included."""
    try:
        first, last, step = (float(part) for part in text.split(":"))
    except ValueError:
        raise OptionError(f"{text!r} is not FROM:TO:STEP") from None
    if not (0 <= first <= last and step > 0 and (last - first) / step < 100_000):
        raise OptionError(f"{text!r}: FROM must not exceed TO, and STEP must be positive")
    return [round(first + at * step, 9) for at in range(int((last - first) / step + 1e-6) + 1)]


@command(
    draws="Draw the correlations, F by beta, or the windows.",
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
    sentences: Annotated[
        SentenceScoresLike | None, Flag(repeat=True, many=True, value="FILE|FOLDER")
    ] = None,
    aggregate: Method | None = None,
    ensemble: bool = False,
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
    evaluation: MetaEvaluationOptions = MetaEvaluationOptions(),
    selection: Selection = Selection(),
    annotation_options: AnnotationResources = AnnotationResources(),
) -> Table:
    """Compare metrics with human judgments (meta-evaluation).

    JUDGMENTS contains rankings of outputs by judges (Appraise XML, WMT CSV), from which redink
    computes the human ranking of systems. SCORES are metric scores of these systems: the JSON, CSV
    or TSV of redink score, or files with one line per system: name and score, or name, F, precision
    and recall. The file name is the name of the metric (scores.m2 is m2), unless you write
    NAME=PATH.

    JUDGMENTS can also be ratings (CSV: sentence, system, judge, rating; or one column per system),
    or human scores of systems. With --benchmark, JUDGMENTS is the folder of a benchmark, and redink
    computes every table of its paper: for each set of systems, each kind of judgments and each
    aggregation, over systems, in windows, and over sentences.

    Args:
        judgments: human rankings or ratings, or human scores of systems: a file, or values.
        scores: scores of systems: files, ``NAME=PATH``, tables of ``redink.score``, or values.
        benchmark: name of a benchmark (seeda, gjg15, gmeg), or a TOML file that describes one.
        metrics: metrics to run on the outputs of the benchmark. By default errant, m2 and gleu,
            unless scores are given.
        references: references of the benchmark, if they are not in its folder: an M2 file, or one
            corrected text per annotator.
        human: use these human scores instead of computing them; NAME is EW, TS, or another name.
        lines: use only the sentences named in this file, one per line: line numbers or IDs.
        attack: test the robustness of metrics on deliberately degraded outputs. JUDGMENTS is then
            the REFERENCE and SCORES are the systems, or give a benchmark.
        show: the table to show: correlations; Williams tests or permutation tests between metrics;
            F under every beta; the best beta; correlations in windows of the human ranking;
            agreement on pairs of sentences; or the systems with all scores. By default correlation,
            or all levels for a benchmark.
        method: aggregation of human judgments.
        sentences: scores of sentences: JSONL with sentence, system, metric and score; a table with
            one column per system; or a folder of SYSTEM.txt files with one number per line.
            NAME=PATH names the metric.
        aggregate: rank systems by the scores of sentences as if each metric were a judge, and
            correlate these rankings.
        ensemble: also evaluate the mean rank by all metrics, as the metric "rank ensemble".
        shift: add this number to the sentence numbers of the sentence scores. By default 0, -1 or
            1: the one for which systems with the same output have the same score.
        tolerance: treat sentence scores that differ by at most this as ties.
        beta: also evaluate F scores with these values of beta, computed from precision and recall.
        betas: betas of --show betas and --show best-beta. By default from 0.01 to 1 in steps of
            0.01.
        window: number of systems per window. Without it, windows begin at the top.
        evaluation: the systems, the human scores, and the confidence intervals.
        selection: judges to include.
        annotation_options: annotation of the outputs of a benchmark, and number of processes.

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
            systems=evaluation.systems,
            without=evaluation.without,
            lines=lines,
            annotation_options=annotation_options,
            seed=evaluation.seed,
        )
    inputs = MetaInputs(
        scores=scores,
        sentences=sentences,
        metrics=metrics,
        human=human,
        references=references,
        lines=lines,
        aggregate=aggregate,
        tolerance=tolerance,
        selection=selection,
        annotation_options=annotation_options,
        ensemble=ensemble,
    )
    if benchmark is not None or is_ratings(judgments):
        check_benchmark_table(show)
        return evaluate_benchmark(
            benchmark or "ratings",
            _describe(benchmark, judgments),
            inputs,
            evaluation,
            show=show,
            window=window,
        )
    if metrics or references or human:
        raise OptionError("--metric, --reference and --human need --benchmark")
    return evaluate_on_rankings(
        judgments,
        inputs,
        evaluation,
        show=show or "correlation",
        method=method,
        shift=shift,
        beta=beta,
        betas=DEFAULT_BETAS if betas is None else betas,
        window=window,
    )


def _describe(benchmark: str | None, judgments: RankingsLike) -> tuple[Benchmark, ...]:
    """Return the files of a benchmark; a file of ratings is a benchmark without outputs."""
    if not isinstance(judgments, str | Path):
        raise OptionError("--benchmark needs a folder instead of the judgments")
    if benchmark is not None:
        return read_benchmark(benchmark, judgments)
    name = Path(judgments).stem
    return (Benchmark(name, ratings={name: Path(judgments)}),)
