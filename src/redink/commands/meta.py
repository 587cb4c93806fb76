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
        raise OptionError(f"{text!r} does not go from a smaller to a larger beta")
    return [round(first + at * step, 9) for at in range(int((last - first) / step + 1e-6) + 1)]


@command(
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
    evaluation: MetaEvaluationOptions = MetaEvaluationOptions(),
    selection: Selection = Selection(),
    annotation_options: AnnotationResources = AnnotationResources(),
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
            metrics at once; F under every beta; the best beta; correlations among neighbors in
            the human ranking; agreement on pairs of sentences; the systems with all scores. By
            default correlation; of a benchmark, all levels.
        method: how human judgments are aggregated.
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
        evaluation: the systems, the human scores, and the intervals.
        selection: whose rankings count.
        annotation_options: by what and by how many processes outputs of a benchmark are annotated.

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
        raise OptionError("metric, reference and human go with a benchmark")
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
        raise OptionError("a benchmark is a folder: give the folder in place of the judgments")
    if benchmark is not None:
        return read_benchmark(benchmark, judgments)
    name = Path(judgments).stem
    return (Benchmark(name, ratings={name: Path(judgments)}),)
