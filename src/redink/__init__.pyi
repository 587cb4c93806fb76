# Written by `make docs` from the signatures of the commands: do not edit.

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from numpy.random import Generator

from redink.analysis.analyzer import Analyzer
from redink.analysis.annotation_options import AnnotationOptions, AnnotationResources
from redink.analysis.edit_finder import ReclassificationOptions
from redink.commands.align import Aligned
from redink.commands.report import ReportOptions
from redink.error_detection.evaluate import ThresholdOptions
from redink.error_detection.study import DetectionOptions
from redink.error_detection.unit_rules import UnitOptions
from redink.errors import DataError as DataError
from redink.errors import FormatError as FormatError
from redink.errors import MissingExtraError as MissingExtraError
from redink.errors import OptionError as OptionError
from redink.errors import RedinkError as RedinkError
from redink.errors import RedinkWarning as RedinkWarning
from redink.evaluation import EvaluationOptions
from redink.inputs.input_options import (
    AlignmentOptions,
    ColumnOptions,
    DocumentOptions,
    SeparateTexts,
)
from redink.inputs.reading import read_corpus as read_corpus
from redink.inputs.reading import read_judgments as read_judgments
from redink.inputs.reading import read_rankings as read_rankings
from redink.inputs.text_loading import read_system as read_system
from redink.judging.benchmark_evaluation import MetaEvaluationOptions
from redink.judging.crowdsourcing import CrowdOptions
from redink.judging.item_sampling import plan_items as plan_items
from redink.judging.labels import LabelOptions
from redink.judging.rankers import RankingOptions
from redink.judging.rankings import Selection
from redink.judging.sampling import IntervalOptions, PlanningOptions, SampleSize
from redink.judging.trueskill import TrueSkillParameters
from redink.language_models.client import ModelOptions
from redink.model.corpus import AnnotatedSentence as AnnotatedSentence
from redink.model.corpus import Corpus as Corpus
from redink.model.corpus import Detection as Detection
from redink.model.corpus import ParallelSentence as ParallelSentence
from redink.model.corpus import References
from redink.model.corpus import SystemOutput as SystemOutput
from redink.model.counts import Counts as Counts
from redink.model.edits import Annotation as Annotation
from redink.model.edits import Edit as Edit
from redink.model.edits import apply_edits as apply_edits
from redink.model.judgments import Comparison as Comparison
from redink.model.judgments import Judgment as Judgment
from redink.model.judgments import RankedOutput as RankedOutput
from redink.model.judgments import Ranking as Ranking
from redink.model.judgments import SentenceScore as SentenceScore
from redink.model.judgments import SystemScore as SystemScore
from redink.model.tables import Column as Column
from redink.model.tables import Table as Table
from redink.model.text import Sentence as Sentence
from redink.options import DisplayOptions, PlotOptions
from redink.reports.sentence_diff import SentenceDiff as SentenceDiff
from redink.scale.job import ShardOptions
from redink.scoring.metric import Metric
from redink.scoring.specs import MetricDefaults
from redink.statistics.resampling import ResamplingOptions
from redink.value_types import Dataset, Frame

__version__: str
__all__ = [
    "AnnotatedSentence",
    "Annotation",
    "Column",
    "Comparison",
    "Corpus",
    "Counts",
    "DataError",
    "Detection",
    "Edit",
    "FormatError",
    "Judgment",
    "MissingExtraError",
    "OptionError",
    "ParallelSentence",
    "RankedOutput",
    "Ranking",
    "RedinkError",
    "RedinkWarning",
    "Sentence",
    "SentenceDiff",
    "SentenceScore",
    "SystemOutput",
    "SystemScore",
    "Table",
    "__version__",
    "agreement",
    "align",
    "annotate",
    "annotate_corpus",
    "annotate_files",
    "annotate_m2",
    "annotate_shards",
    "apply_edits",
    "archive",
    "attribute",
    "cache_info",
    "check_submission",
    "cite",
    "clear_cache",
    "cloze",
    "compare",
    "compare_approaches",
    "convert",
    "corpora",
    "correct",
    "crowd",
    "detection",
    "diff",
    "doctor",
    "estimate_sample",
    "evaluate_analyzer",
    "explain",
    "gate",
    "history",
    "init_task",
    "judge",
    "mark_edits",
    "meta",
    "metrics",
    "mine",
    "plan_items",
    "plan_sample",
    "profile",
    "rank",
    "read_corpus",
    "read_judgments",
    "read_rankings",
    "read_system",
    "report",
    "reproduce",
    "run_detector",
    "runs",
    "score",
    "score_submissions",
    "simulate_sample",
    "task_board",
    "task_bundle",
    "train_detector",
    "validity",
    "verify",
    "verify_sample",
]

def agreement(
    judgments: str | Path | Iterable[Judgment] | Frame | Dataset | Corpus,
    *,
    show: Literal[
        "statistics", "pairs", "confusion", "judges", "labels", "repeated", "edits"
    ] = ...,
    scale: Literal["nominal", "ordinal", "interval"] = ...,
    labels: Sequence[str] | None = ...,
    merge_labels: Mapping[str, Sequence[str]] | Sequence[str] | None = ...,
    drop: Sequence[str] = ...,
    missing: Sequence[str] = ...,
    judges: Sequence[str] | None = ...,
    question: str | None = ...,
    ok: Sequence[str] | None = ...,
    by: str | None = ...,
    as_gold: Mapping[str, str | Path | Mapping[str, str] | Iterable[Judgment]]
    | Sequence[str | Path] = ...,
    bootstrap: int = ...,
    confidence: float = ...,
    seed: int = ...,
    resample: Literal["items", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    absent: Literal["agree", "skip"] = ...,
    beta: float = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    counting: LabelOptions = ...,
    resampling: ResamplingOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def align(
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus,
    hypotheses: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path,
    *,
    output: str | Path | None = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "delete"] = ...,
    all_sentences: bool = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Aligned: ...
def annotate(
    source: str | Sentence,
    corrected: str | Sentence,
    *,
    merge: Literal["rules", "all-split", "all-merge", "all-equal", "clause"] = ...,
    levenshtein: bool = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    fixed: bool = ...,
    language: str = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    alignments: Literal["all", "first"] = ...,
    simplify: bool = ...,
    cut: Literal["characters", "blanks"] = ...,
    annotation_options: AnnotationOptions = ...,
) -> tuple[Edit, ...]: ...
def annotate_corpus(
    corpus: str | Path | Corpus,
    *,
    edits: Literal["auto", "gold"] | None = ...,
    minimize: bool = ...,
    keep_types: bool = ...,
    merge: Literal["rules", "all-split", "all-merge", "all-equal", "clause"] = ...,
    levenshtein: bool = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    fixed: bool = ...,
    language: str = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    alignments: Literal["all", "first"] = ...,
    simplify: bool = ...,
    cut: Literal["characters", "blanks"] = ...,
    reclassification: ReclassificationOptions = ...,
    annotation_options: AnnotationOptions = ...,
) -> Corpus: ...
def annotate_files(
    source: str | Path,
    corrected: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    source_column: str | None = ...,
    corrected_column: str | Sequence[str] | None = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    merge: Literal["rules", "all-split", "all-merge", "all-equal", "clause"] = ...,
    levenshtein: bool = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    fixed: bool = ...,
    language: str = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    alignments: Literal["all", "first"] = ...,
    simplify: bool = ...,
    cut: Literal["characters", "blanks"] = ...,
    workers: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    columns: ColumnOptions = ...,
    alignment: AlignmentOptions = ...,
    annotation_options: AnnotationOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def annotate_m2(
    corpus: str | Path,
    output: str | Path,
    *,
    edits: Literal["auto", "gold"] | None = ...,
    minimize: bool = ...,
    keep_types: bool = ...,
    merge: Literal["rules", "all-split", "all-merge", "all-equal", "clause"] = ...,
    levenshtein: bool = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    fixed: bool = ...,
    language: str = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    alignments: Literal["all", "first"] = ...,
    simplify: bool = ...,
    cut: Literal["characters", "blanks"] = ...,
    workers: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    reclassification: ReclassificationOptions = ...,
    annotation_options: AnnotationOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def annotate_shards(
    source: str | Path,
    corrected: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    source_column: str | None = ...,
    corrected_column: str | Sequence[str] | None = ...,
    shard_size: int = ...,
    compress: Literal["gz", "zst"] | None = ...,
    engine: Literal["local", "dask"] = ...,
    scheduler: str | None = ...,
    merge: Literal["rules", "all-split", "all-merge", "all-equal", "clause"] = ...,
    levenshtein: bool = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    fixed: bool = ...,
    language: str = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    alignments: Literal["all", "first"] = ...,
    simplify: bool = ...,
    cut: Literal["characters", "blanks"] = ...,
    workers: int | None = ...,
    percent: bool = ...,
    digits: int | None = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    columns: ColumnOptions = ...,
    shard_options: ShardOptions = ...,
    annotation_options: AnnotationOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def archive(
    words: Sequence[str],
    *,
    output: str | Path = ...,
    hashes_only: bool = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def attribute(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    systems: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    *,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    metadata: str | Path | Frame | Dataset | Mapping[str, Sequence[Any]] | None = ...,
    where: str | None = ...,
    resample: Literal["sentences", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    unclear: Literal["apply", "leave"] = ...,
    metrics: Sequence[str | Metric | Callable[[str, str, list[str]], float]] = ...,
    level: Literal["correction", "detection-span", "detection-token", "correction-typed"]
    | None = ...,
    only: Literal["single", "multi"] | None = ...,
    exclude: Sequence[str] = ...,
    types: Sequence[str] = ...,
    fixed: bool = ...,
    beta: float | None = ...,
    selection: Literal["running", "sentence", "optimal"] | None = ...,
    max_unchanged_words: int | None = ...,
    ignore_whitespace_casing: bool = ...,
    mix: bool = ...,
    method: Literal["shapley", "add", "sub"] = ...,
    by: Literal["edit", "type"] = ...,
    exact: int = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    evaluation_options: EvaluationOptions = ...,
    metric_defaults: MetricDefaults = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def cache_info(
    *,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def check_submission(
    task: str | Path,
    submission: str | Path,
    *,
    trust: bool = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def cite(
    metrics: Sequence[str] = ...,
    *,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def clear_cache(
    *,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def cloze(
    text: str | Path,
    *,
    model: str | Path = ...,
    items: int = ...,
    strict: bool = ...,
    show: Literal["agreement", "prepositions", "confusion"] = ...,
    fillers: str | Path | Iterable[Judgment] | Frame | Dataset | None = ...,
    answers: str | Path | Iterable[Judgment] | Frame | Dataset | None = ...,
    blanks: str | Path | None = ...,
    choice_test: str | Path | None = ...,
    raw: bool | None = ...,
    analyzer: str = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def compare(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    systems: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    *,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    metadata: str | Path | Frame | Dataset | Mapping[str, Sequence[Any]] | None = ...,
    where: str | None = ...,
    resample: Literal["sentences", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    unclear: Literal["apply", "leave"] = ...,
    metrics: Sequence[str | Metric | Callable[[str, str, list[str]], float]] = ...,
    level: Literal["correction", "detection-span", "detection-token", "correction-typed"]
    | None = ...,
    only: Literal["single", "multi"] | None = ...,
    exclude: Sequence[str] = ...,
    types: Sequence[str] = ...,
    fixed: bool = ...,
    beta: float | None = ...,
    selection: Literal["running", "sentence", "optimal"] | None = ...,
    max_unchanged_words: int | None = ...,
    ignore_whitespace_casing: bool = ...,
    mix: bool = ...,
    by: str | Sequence[str] | None = ...,
    measure: Sequence[str] = ...,
    reference_edits: Sequence[Literal["auto", "gold"]] = ...,
    samples: int | None = ...,
    tests: Sequence[Literal["bootstrap", "randomization"]] = ...,
    baseline: str | None = ...,
    wide: bool = ...,
    seed: int | Generator = ...,
    plot: str | Path | None = ...,
    plot_size: Literal["column", "page", "screen"] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    evaluation_options: EvaluationOptions = ...,
    metric_defaults: MetricDefaults = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def compare_approaches(
    cases: str | Path | Mapping[str, str] | Iterable[Judgment] | None = ...,
    *,
    from_counts: tuple[int, int] | None = ...,
    error_rate: float | None = ...,
    errors: int | None = ...,
    precision_width: float | None = ...,
    ok_rate: float | None = ...,
    oks: int | None = ...,
    recall_width: float | None = ...,
    expect_precision: float = ...,
    expect_misses: float | None = ...,
    target: Literal["corpus", "population"] = ...,
    confidence: float = ...,
    judges: int = ...,
    price: float | None = ...,
    ok: Sequence[str] | None = ...,
    cases_per_hour: float = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    size: SampleSize = ...,
    expectation: PlanningOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def convert(
    source: str | Path | Sequence[str | Path],
    target: str | Path,
    *,
    merge_annotators: bool = ...,
    output: str | Path | None = ...,
    from_format: str | None = ...,
    to_format: str | None = ...,
    corrected: Sequence[str | Path] = ...,
    annotator: str | None = ...,
    tokenizer: str | None = ...,
    field: str | None = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def corpora(
    folder: str | Path | None = ...,
    *,
    names: Sequence[str] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def correct(
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus,
    *,
    endpoint: str,
    model: str,
    output: str | Path | None = ...,
    style: Literal["minimal", "fluency"] = ...,
    unit: Literal["sentence", "document"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    runs: int = ...,
    replies: str | Path | None = ...,
    tokenize: bool = ...,
    no_answer: Literal["source", "delete"] = ...,
    prompt: str | None = ...,
    temperature: float = ...,
    seed: int = ...,
    reply_tokens: int = ...,
    max_requests: int | None = ...,
    max_tokens: int | None = ...,
    max_cost: float | None = ...,
    price: Sequence[float] = ...,
    concurrency: int = ...,
    timeout: float = ...,
    retries: int = ...,
    dry_run: bool = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    asking: ModelOptions = ...,
    display: DisplayOptions = ...,
) -> Aligned: ...
def crowd(
    judgments: str | Path | Iterable[Judgment] | Frame | Dataset,
    systems: Mapping[str, str | Path | Mapping[str, str] | Iterable[Judgment]]
    | Sequence[str | Path] = ...,
    *,
    show: Literal["measures", "bins", "tests", "agreement", "judges", "removal", "size", "items"]
    | None = ...,
    on: Sequence[
        tuple[
            str | Path | Iterable[Judgment] | Frame | Dataset,
            Mapping[str, str | Path | Mapping[str, str] | Iterable[Judgment]]
            | Sequence[str | Path]
            | str,
        ]
    ] = ...,
    merge_labels: Mapping[str, Sequence[str]] | Sequence[str] | None = ...,
    drop: Sequence[str] = ...,
    missing: Sequence[str] = ...,
    judges: Sequence[str] | None = ...,
    question: str | None = ...,
    ok: Sequence[str] | None = ...,
    experts: Sequence[str] = ...,
    gold_threshold: float | None = ...,
    gold_minimum: int = ...,
    keep_gold: bool = ...,
    aggregate: Literal["majority", "dawid-skene"] = ...,
    ties: Literal["ok", "error", "skip"] = ...,
    merge_duplicates: bool = ...,
    bins: Sequence[float] | None = ...,
    repetitions: int = ...,
    all_labels: bool = ...,
    price: float | None = ...,
    bootstrap: int = ...,
    confidence: float = ...,
    seed: int = ...,
    beta: float = ...,
    plot_kappa: str | Path | None = ...,
    plot_size: Literal["column", "page", "screen"] = ...,
    plot: str | Path | None = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    counting: LabelOptions = ...,
    standard: CrowdOptions = ...,
    resampling: ResamplingOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def detection(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    systems: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    *,
    from_counts: Sequence[float | None] | Sequence[Sequence[float | None]] | None = ...,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    unit: Literal["token", "span", "sentence", "character", "target", "segment"]
    | Sequence[Literal["token", "span", "sentence", "character", "target", "segment"]]
    | None = ...,
    targets: str | None = ...,
    negatives: str = ...,
    insertions: Literal["right", "gap", "none"] | None = ...,
    segments: Path | str | None = ...,
    level: Literal["detection", "correction"] = ...,
    count: Literal["units", "edits"] = ...,
    annotators: Literal["best", "any", "majority", "each", "graded"] | None = ...,
    annotator: Sequence[str] | None = ...,
    selection: Literal["running", "sentence", "optimal"] = ...,
    beta: float = ...,
    undefined: Literal["empty", "one"] = ...,
    types: Sequence[str] = ...,
    by: Literal["operation", "type", "full"] | None = ...,
    linked: Literal["any", "all"] | None = ...,
    screen: int | None = ...,
    prevalence: float | None = ...,
    judgments: str | Path | Iterable[Judgment] | Frame | Dataset | None = ...,
    ok: Sequence[str] | None = ...,
    missing: Sequence[str] = ...,
    question: str | None = ...,
    threshold: float | None = ...,
    curve: bool = ...,
    best: Literal[
        "accuracy",
        "precision",
        "recall",
        "tnr",
        "f",
        "kappa",
        "mcc",
        "informedness",
        "markedness",
        "alpha",
        "balanced_accuracy",
        "npv",
    ]
    | None = ...,
    min_precision: float | None = ...,
    show: Literal["systems", "points", "units", "table", "tests"] = ...,
    points: int = ...,
    all_units: bool = ...,
    all_measures: bool = ...,
    checklist: bool = ...,
    bootstrap: int = ...,
    confidence: float = ...,
    seed: int = ...,
    resample: Literal["sentences", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    plot: str | Path | None = ...,
    plot_size: Literal["column", "page", "screen"] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    separate_texts: SeparateTexts = ...,
    alignment: AlignmentOptions = ...,
    division: UnitOptions = ...,
    detection_options: DetectionOptions = ...,
    sweep: ThresholdOptions = ...,
    resampling: ResamplingOptions = ...,
    document_options: DocumentOptions = ...,
    annotation_options: AnnotationResources = ...,
    drawing: PlotOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def diff(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    systems: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    *,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    metadata: str | Path | Frame | Dataset | Mapping[str, Sequence[Any]] | None = ...,
    where: str | None = ...,
    resample: Literal["sentences", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    unclear: Literal["apply", "leave"] = ...,
    metric: str | Metric | Callable[[str, str, list[str]], float] = ...,
    level: Literal["correction", "detection-span", "detection-token", "correction-typed"]
    | None = ...,
    only: Literal["single", "multi"] | None = ...,
    exclude: Sequence[str] = ...,
    types: Sequence[str] = ...,
    fixed: bool = ...,
    beta: float | None = ...,
    selection: Literal["running", "sentence", "optimal"] | None = ...,
    max_unchanged_words: int | None = ...,
    ignore_whitespace_casing: bool = ...,
    mix: bool = ...,
    by: str | Sequence[str] | None = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    evaluation_options: EvaluationOptions = ...,
    metric_defaults: MetricDefaults = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def doctor(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    systems: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    *,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    language: str = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    separate_texts: SeparateTexts = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def estimate_sample(
    key: str | Path | None = ...,
    answers: str | Path | Iterable[Judgment] | Frame | Dataset | None = ...,
    *,
    from_counts: Counts | tuple[int, int, int, int] | None = ...,
    cases: tuple[int, int] | None = ...,
    interval: Literal["wilson", "normal", "bootstrap"] = ...,
    target: Literal["corpus", "population"] | None = ...,
    bootstrap: int = ...,
    confidence: float = ...,
    seed: int = ...,
    beta: float = ...,
    merge_labels: Mapping[str, Sequence[str]] | Sequence[str] | None = ...,
    drop: Sequence[str] = ...,
    missing: Sequence[str] = ...,
    judges: Sequence[str] | None = ...,
    question: str | None = ...,
    ok: Sequence[str] | None = ...,
    ties: Literal["share", "error", "ok", "skip"] = ...,
    by_judge: bool = ...,
    cases_per_hour: float = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    intervals: IntervalOptions = ...,
    resampling: ResamplingOptions = ...,
    counting: LabelOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def evaluate_analyzer(
    treebanks: str | Path | Sequence[str | Path],
    *,
    analyzer: str | Analyzer,
    language: str = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def explain(
    source: str | Sentence,
    corrected: str | Sentence,
    *,
    audience: Literal["expert", "learner"] = ...,
    interface: Literal["en", "de", "es", "zh"] = ...,
    merge: Literal["rules", "all-split", "all-merge", "all-equal", "clause"] = ...,
    levenshtein: bool = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    fixed: bool = ...,
    language: str = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    alignments: Literal["all", "first"] = ...,
    simplify: bool = ...,
    cut: Literal["characters", "blanks"] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    annotation_options: AnnotationOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def gate(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    baseline: str
    | Path
    | SystemOutput
    | Sequence[str]
    | Sequence[Sentence]
    | Sequence[str | None]
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | None = ...,
    candidate: str
    | Path
    | SystemOutput
    | Sequence[str]
    | Sequence[Sentence]
    | Sequence[str | None]
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | None = ...,
    *,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    metadata: str | Path | Frame | Dataset | Mapping[str, Sequence[Any]] | None = ...,
    where: str | None = ...,
    resample: Literal["sentences", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    unclear: Literal["apply", "leave"] = ...,
    rules: Sequence[str] = ...,
    metrics: Sequence[str | Metric | Callable[[str, str, list[str]], float]] = ...,
    by: Sequence[str] = ...,
    alpha: float = ...,
    strict: bool = ...,
    power: bool = ...,
    samples: int = ...,
    update_baseline: str | Path | None = ...,
    with_texts: bool = ...,
    summary: str | Path | None = ...,
    config: str | Path | None = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    evaluation_options: EvaluationOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def history(
    file: str | Path,
    results: Sequence[str | Path] = ...,
    *,
    version: str | None = ...,
    date: str | None = ...,
    plot: str | Path | None = ...,
    plot_size: Literal["column", "page", "screen"] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def init_task(
    folder: str | Path,
    *,
    title: str = ...,
    languages: Sequence[str] = ...,
    tracks: Sequence[str] = ...,
    source: str | Path | None = ...,
    references: Sequence[str | Path] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def judge(
    judgments: str | Path | Iterable[Judgment] | Frame | Dataset,
    *,
    model: str,
    epsilon: float = ...,
    score: Literal["accuracy", "rmse"] = ...,
    show: Literal["statistics", "people"] = ...,
    min_items: int = ...,
    positive: Sequence[str] = ...,
    own: Sequence[str] = ...,
    drift_at: str | None = ...,
    merge_labels: Mapping[str, Sequence[str]] | Sequence[str] | None = ...,
    drop: Sequence[str] = ...,
    missing: Sequence[str] = ...,
    judges: Sequence[str] | None = ...,
    question: str | None = ...,
    ok: Sequence[str] | None = ...,
    bootstrap: int = ...,
    confidence: float = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    counting: LabelOptions = ...,
    resampling: ResamplingOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def mark_edits(
    source: str | Sentence,
    corrected: str | Sentence,
    *,
    merge: Literal["rules", "all-split", "all-merge", "all-equal", "clause"] = ...,
    levenshtein: bool = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    fixed: bool = ...,
    language: str = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    alignments: Literal["all", "first"] = ...,
    simplify: bool = ...,
    cut: Literal["characters", "blanks"] = ...,
    annotation_options: AnnotationOptions = ...,
) -> SentenceDiff: ...
def meta(
    judgments: str | Path | Iterable[Ranking],
    scores: Mapping[str, str | Path | Table | Mapping[str, float]]
    | Sequence[str | Path | Table | SystemScore]
    | Table
    | str
    | Path = ...,
    *,
    benchmark: str | None = ...,
    metrics: Sequence[str | Metric | Callable[[str, str, list[str]], float]] = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    human: Mapping[str, str | Path | Mapping[str, float]] | Sequence[str | Path] = ...,
    lines: str | Path | None = ...,
    attack: bool = ...,
    show: Literal[
        "correlation", "williams", "tests", "betas", "best-beta", "windows", "sentences", "systems"
    ]
    | None = ...,
    method: Literal["expected-wins", "trueskill", "bradley-terry"] = ...,
    sentences: Mapping[str, str | Path]
    | str
    | Path
    | Sequence[str | Path]
    | Iterable[SentenceScore]
    | None = ...,
    aggregate: Literal["expected-wins", "trueskill", "bradley-terry"] | None = ...,
    ensemble: bool = ...,
    shift: int | None = ...,
    tolerance: float = ...,
    beta: Sequence[float] = ...,
    betas: Sequence[float] | None = ...,
    window: int | None = ...,
    systems: Sequence[str] = ...,
    without: Sequence[str] = ...,
    kendall: Literal["b", "a", "gamma"] = ...,
    decimals: int | None = ...,
    uncertainty: Literal["judgments", "systems"] = ...,
    resample: Literal["pairs", "rankings", "documents"] = ...,
    bootstrap: int = ...,
    confidence: float = ...,
    seed: int = ...,
    judges: Sequence[str] = ...,
    without_judges: Sequence[str] = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    plot: str | Path | None = ...,
    plot_size: Literal["column", "page", "screen"] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    evaluation: MetaEvaluationOptions = ...,
    selection: Selection = ...,
    annotation_options: AnnotationResources = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def metrics(
    *,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def mine(
    text: str | Path,
    *,
    counts_from: str | Path | None = ...,
    counts: str | Path | None = ...,
    min_bigram: int = ...,
    max_ratio: float = ...,
    top: int = ...,
    balanced: bool = ...,
    raw: bool | None = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def plan_sample(
    cases: str | Path | Mapping[str, str] | Iterable[Judgment],
    *,
    blind: str | Path,
    key: str | Path,
    also: Sequence[str | Path] = ...,
    error_rate: float | None = ...,
    errors: int | None = ...,
    precision_width: float | None = ...,
    ok_rate: float | None = ...,
    oks: int | None = ...,
    recall_width: float | None = ...,
    expect_precision: float = ...,
    expect_misses: float | None = ...,
    target: Literal["corpus", "population"] = ...,
    confidence: float = ...,
    ok: Sequence[str] | None = ...,
    words: Sequence[str] = ...,
    keep: Sequence[str] = ...,
    cases_per_hour: float = ...,
    seed: int = ...,
    plot: str | Path | None = ...,
    plot_size: Literal["column", "page", "screen"] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    size: SampleSize = ...,
    expectation: PlanningOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def profile(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    systems: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    *,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    metadata: str | Path | Frame | Dataset | Mapping[str, Sequence[Any]] | None = ...,
    where: str | None = ...,
    resample: Literal["sentences", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    unclear: Literal["apply", "leave"] = ...,
    bootstrap: int | None = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    evaluation_options: EvaluationOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def rank(
    judgments: str | Path | Iterable[Ranking],
    *,
    show: Literal[
        "ranking", "pairs", "agreement", "head-to-head", "accuracy", "judges", "correlation"
    ] = ...,
    method: Literal["expected-wins", "trueskill", "bradley-terry", "mean", "z-score"] | None = ...,
    bootstrap: int | None = ...,
    alpha: float = ...,
    resample: Literal["pairs", "rankings", "documents"] = ...,
    opponents: Literal["all", "beaten"] = ...,
    seed: int = ...,
    deviation: float = ...,
    draw_probability: float = ...,
    matches: int | None = ...,
    noise: float = ...,
    systems: Sequence[str] = ...,
    without: Sequence[str] = ...,
    lines: str | Path | None = ...,
    documents: str | Path | Sequence[str] | None = ...,
    judges: Sequence[str] = ...,
    without_judges: Sequence[str] = ...,
    folds: int = ...,
    min_overlap: int | None = ...,
    chance: Literal["symmetric", "published"] = ...,
    plot: str | Path | None = ...,
    plot_size: Literal["column", "page", "screen"] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    options: RankingOptions = ...,
    skill: TrueSkillParameters = ...,
    selection: Selection = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def report(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    systems: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    output: str | Path = ...,
    *,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    metadata: str | Path | Frame | Dataset | Mapping[str, Sequence[Any]] | None = ...,
    where: str | None = ...,
    resample: Literal["sentences", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    unclear: Literal["apply", "leave"] = ...,
    metrics: Sequence[str | Metric | Callable[[str, str, list[str]], float]] = ...,
    title: str = ...,
    reference_edits: Literal["auto", "gold"] | None = ...,
    bootstrap: int = ...,
    sentences: bool = ...,
    judgments: str | Path | Sequence[object] | Frame | None = ...,
    judge_model: str | None = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    evaluation_options: EvaluationOptions = ...,
    contents: ReportOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def reproduce(
    names: Sequence[str] = ...,
    *,
    data: str | Path,
    quick: bool = ...,
    differing: bool = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    annotation_options: AnnotationResources = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def run_detector(
    text: str | Path | Corpus,
    output: str | Path | None = ...,
    *,
    to: Literal["m2", "ged-tsv", "jsonl"] | None = ...,
    model: str | Path = ...,
    decision: Literal["channel", "difference"] = ...,
    rules: Literal["repeated", "quantifier", "spelling", "antonym", "benefactive", "clause", "none"]
    | Sequence[
        Literal["repeated", "quantifier", "spelling", "antonym", "benefactive", "clause", "none"]
    ] = ...,
    show: Literal["kinds", "rules"] = ...,
    confusion: float | None = ...,
    extraneous: float | None = ...,
    tune: str | Path | Corpus | None = ...,
    precision: float = ...,
    min_support: int = ...,
    lower_bound: bool = ...,
    types: str | Collection[str] = ...,
    raw: bool = ...,
    analyzer: str = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def runs(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    systems: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    *,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    metadata: str | Path | Frame | Dataset | Mapping[str, Sequence[Any]] | None = ...,
    where: str | None = ...,
    resample: Literal["sentences", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    unclear: Literal["apply", "leave"] = ...,
    metrics: Sequence[str | Metric | Callable[[str, str, list[str]], float]] = ...,
    level: Literal["correction", "detection-span", "detection-token", "correction-typed"]
    | None = ...,
    only: Literal["single", "multi"] | None = ...,
    exclude: Sequence[str] = ...,
    types: Sequence[str] = ...,
    fixed: bool = ...,
    beta: float | None = ...,
    selection: Literal["running", "sentence", "optimal"] | None = ...,
    max_unchanged_words: int | None = ...,
    ignore_whitespace_casing: bool = ...,
    mix: bool = ...,
    show: Literal["scores", "tests"] = ...,
    baseline: str | None = ...,
    bootstrap: int = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    evaluation_options: EvaluationOptions = ...,
    metric_defaults: MetricDefaults = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def score(
    reference: str
    | Path
    | References
    | Corpus
    | Sequence[AnnotatedSentence]
    | Sequence[ParallelSentence]
    | Sequence[Detection]
    | Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus]
    | Frame
    | Dataset
    | None = ...,
    systems: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    *,
    source: str | Path | Sequence[str] | Sequence[Sentence] | Corpus | None = ...,
    references: Sequence[str | Path | Sequence[str] | Sequence[Sentence] | Corpus] = ...,
    empty_reference: Literal["delete", "skip"] = ...,
    source_column: str | None = ...,
    reference_column: Sequence[str] = ...,
    system_column: Sequence[str] = ...,
    align: bool = ...,
    field: str | None = ...,
    tokenize: bool = ...,
    tokenizer: str | None = ...,
    no_answer: Literal["source", "skip", "delete"] = ...,
    metadata: str | Path | Frame | Dataset | Mapping[str, Sequence[Any]] | None = ...,
    where: str | None = ...,
    resample: Literal["sentences", "documents"] = ...,
    documents: str | Path | Sequence[str] | None = ...,
    language: str = ...,
    analyzer: str | Analyzer = ...,
    lexicon: str | Path | Container[str] | None = ...,
    workers: int = ...,
    cache: bool = ...,
    errant_version: Literal["2.0.0", "2.3.3", "3.0.2"] = ...,
    cherrant_data: str | Path | None = ...,
    unclear: Literal["apply", "leave"] = ...,
    reference_for: Mapping[
        str,
        str
        | Path
        | SystemOutput
        | Sequence[str]
        | Sequence[Sentence]
        | Sequence[str | None]
        | Corpus
        | Sequence[AnnotatedSentence]
        | Sequence[ParallelSentence]
        | Sequence[Detection],
    ]
    | Sequence[str | Path | SystemOutput | Corpus]
    | str
    | Path = ...,
    metrics: Sequence[str | Metric | Callable[[str, str, list[str]], float]] = ...,
    level: Literal["correction", "detection-span", "detection-token", "correction-typed"]
    | None = ...,
    only: Literal["single", "multi"] | None = ...,
    exclude: Sequence[str] = ...,
    types: Sequence[str] = ...,
    fixed: bool = ...,
    beta: float | None = ...,
    selection: Literal["running", "sentence", "optimal"] | None = ...,
    max_unchanged_words: int | None = ...,
    ignore_whitespace_casing: bool = ...,
    mix: bool = ...,
    by: str | Sequence[str] | None = ...,
    reference_edits: Sequence[Literal["auto", "gold"]] = ...,
    bootstrap: int | None = ...,
    sensitivity: bool = ...,
    validity: str | Path | Sequence[object] | Frame | None = ...,
    outcomes: bool = ...,
    humans: bool = ...,
    sentences: str | Path | None = ...,
    wide: bool = ...,
    seed: int | Generator = ...,
    plot: str | Path | None = ...,
    plot_size: Literal["column", "page", "screen"] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    evaluation_options: EvaluationOptions = ...,
    metric_defaults: MetricDefaults = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def score_submissions(
    task: str | Path,
    submissions: Sequence[str | Path] = ...,
    *,
    bootstrap: int | None = ...,
    trust: bool = ...,
    workers: int = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def simulate_sample(
    cases: str | Path | Mapping[str, str] | Iterable[Judgment] | None = ...,
    *,
    from_counts: Counts | tuple[int, int, int, int] | None = ...,
    sizes: Sequence[int] | None = ...,
    error_share: float = ...,
    quantities: Sequence[
        Literal[
            "hit_rate",
            "fp_rate",
            "miss_rate",
            "precision",
            "recall",
            "f",
            "error_rate",
            "bias",
            "kappa",
        ]
    ] = ...,
    repetitions: int = ...,
    interval: Literal["wilson", "normal", "bootstrap"] = ...,
    target: Literal["corpus", "population"] | None = ...,
    confidence: float = ...,
    beta: float = ...,
    ok: Sequence[str] | None = ...,
    seed: int = ...,
    plot: str | Path | None = ...,
    plot_size: Literal["column", "page", "screen"] = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    intervals: IntervalOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def task_board(
    task: str | Path,
    submissions: Sequence[str | Path] = ...,
    output: str | Path = ...,
    *,
    bootstrap: int | None = ...,
    reports: bool = ...,
    publish_references: bool = ...,
    trust: bool = ...,
    workers: int = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def task_bundle(
    task: str | Path,
    output: str | Path = ...,
    *,
    image: str = ...,
    days: int = ...,
    trust: bool = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def train_detector(
    texts: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    detector: Literal["maxent", "perceptron", "lm"] = ...,
    task: Literal["choice", "extraneous"] | None = ...,
    prepositions: Sequence[str] = ...,
    other: bool = ...,
    one_vs_rest: bool = ...,
    hold_out: bool = ...,
    held_out_share: float = ...,
    max_events: int | None = ...,
    max_features: int | None = ...,
    min_count: int = ...,
    epochs: int = ...,
    order: int = ...,
    max_words: int | None = ...,
    prune: Sequence[int] = ...,
    arpa: str | Path | None = ...,
    raw: bool | None = ...,
    analyzer: str = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def validity(
    judgments: str | Path | Iterable[Judgment] | Frame | Dataset,
    systems: Mapping[str, str | Path | Sequence[str]] | Sequence[str | Path] | str | Path = ...,
    *,
    by: Literal["operation", "type", "full", "tier"] | None = ...,
    marked: Mapping[str, str | Path | Corpus] | Sequence[str | Path] | str | Path = ...,
    merge_labels: Mapping[str, Sequence[str]] | Sequence[str] | None = ...,
    drop: Sequence[str] = ...,
    missing: Sequence[str] = ...,
    judges: Sequence[str] | None = ...,
    question: str | None = ...,
    ok: Sequence[str] | None = ...,
    unit: str | None = ...,
    bootstrap: int = ...,
    confidence: float = ...,
    seed: int = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    counting: LabelOptions = ...,
    resampling: ResamplingOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def verify(
    results: str | Path,
    *,
    inputs: str | Path | None = ...,
    trust: bool = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    display: DisplayOptions = ...,
) -> Table: ...
def verify_sample(
    answers: str | Path | Iterable[Judgment] | Frame | Dataset,
    *,
    cases: int | None = ...,
    interval: Literal["wilson", "normal", "bootstrap"] = ...,
    target: Literal["corpus", "population"] | None = ...,
    bootstrap: int = ...,
    confidence: float = ...,
    seed: int = ...,
    merge_labels: Mapping[str, Sequence[str]] | Sequence[str] | None = ...,
    drop: Sequence[str] = ...,
    missing: Sequence[str] = ...,
    judges: Sequence[str] | None = ...,
    question: str | None = ...,
    ok: Sequence[str] | None = ...,
    ties: Literal["share", "error", "ok", "skip"] = ...,
    by_judge: bool = ...,
    percent: bool = ...,
    digits: int | None = ...,
    columns: Sequence[str] = ...,
    sort: str | None = ...,
    caption: str | None = ...,
    label: str | None = ...,
    intervals: IntervalOptions = ...,
    resampling: ResamplingOptions = ...,
    counting: LabelOptions = ...,
    display: DisplayOptions = ...,
) -> Table: ...
