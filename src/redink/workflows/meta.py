"""Metrics held against human judgments: which metric would people agree with?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from redink.errors import DataError, OptionError
from redink.formats.inputs import PathLike
from redink.formats.metric_scores import read_sentence_scores, read_system_scores
from redink.judging.beta_sweep import DEFAULT_BETAS, with_beta
from redink.judging.metaeval import MetricScores, Uncertainty, group_scores
from redink.judging.rankers import Method, ScoredSystems, score_systems
from redink.judging.rankings import Selection, expand
from redink.judging.sentence_level import (
    ScoresBySentence,
    group_sentence_scores,
    rankings_from_scores,
)
from redink.judging.tallies import RESAMPLES, Resample
from redink.model import Ranking, Table, fingerprint, make_signature
from redink.model.scores import SentenceScore, SystemScore
from redink.statistics.correlation import KENDALL_TIES, KendallTies
from redink.workflows.meta_tables import (
    MetaContext,
    best_beta_table,
    betas_table,
    correlation_table,
    sentences_table,
    systems_table,
    williams_table,
    windows_table,
)
from redink.workflows.rank import RankingInput, prepare_rankings

Show = Literal["correlation", "williams", "betas", "best-beta", "windows", "sentences", "systems"]
SHOWS: tuple[Show, ...] = get_args(Show)

ScoreInput = Mapping[str, PathLike] | Iterable[PathLike | SystemScore]
SentenceInput = PathLike | Iterable[SentenceScore]

_RUNS_FOR_METRICS = 100
"""TrueSkill runs to aggregate a metric: its ranks need no ranges."""


def meta(
    judgments: PathLike | Iterable[Ranking],
    scores: ScoreInput = (),
    *,
    show: Show = "correlation",
    method: Method = "expected-wins",
    sentences: SentenceInput | None = None,
    aggregate: Method | None = None,
    shift: int | None = None,
    tolerance: float = 0.0,
    beta: Sequence[float] = (),
    betas: Sequence[float] = DEFAULT_BETAS,
    window: int | None = None,
    kendall: KendallTies = "b",
    decimals: int | None = 3,
    uncertainty: Uncertainty = "judgments",
    resample: Resample = "pairs",
    bootstrap: int = 1000,
    level: float = 0.95,
    judges: Sequence[str] | None = None,
    without_judges: Sequence[str] | None = None,
    seed: int = 1,
) -> Table:
    """Correlate metrics with the human ranking of systems.

    Args:
        judgments: rankings by people (Appraise XML, WMT CSV); a path, or values.
        scores: scores of systems: the JSON, CSV or TSV of ``redink score``, or files with lines
            ``system score`` or ``system F P R``; paths (a mapping gives names), or values.
        show: ``correlation``; the ``williams`` test between metrics; the sweep of F over
            ``betas`` and its ``best-beta``; correlations in ``windows`` of the human ranking;
            agreement on pairs of ``sentences``; the ``systems`` with all their scores.
        method: how people's judgments are aggregated.
        sentences: scores of single sentences: JSONL with ``sentence, system, metric, score``.
        aggregate: aggregate the sentence scores by this ranking method, as if the metric were a
            judge, and use that in place of system scores.
        shift: is added to the sentence numbers of ``sentences`` to make them the judgments'; by
            default 0, or -1 or 1 where that is plain from systems with the same output.
        tolerance: sentence scores that differ by no more are a tie.
        beta: further F scores to make from precision and recall, one for each value.
        betas: the values of the sweep.
        window: how many systems a window holds; without it windows begin at the top.
        kendall: what ties do in Kendall's tau: ``b``, ``a`` or ``gamma``.
        decimals: of the human scores, which are rounded first as the published ones were; None
            for all of them. It moves Pearson's r by some thousandths.
        uncertainty: whether intervals allow for other ``judgments`` or for other ``systems``.
        resample: whether judgments are drawn as ``pairs`` or by whole ``rankings``.
        bootstrap: samples for the intervals.
        level: of the intervals.
        judges: the judges who count; all by default.
        without_judges: judges who do not count.
        seed: of everything random.

    Returns:
        For ``correlation`` a table with the columns ``metric, spearman, pearson, kendall``, each
        with ``_low`` and ``_high``.
    """
    _check_options(show, kendall, uncertainty, resample, bootstrap, window)
    chosen = method
    prepared = prepare_rankings(judgments, Selection(judges or (), without_judges or ()))
    by_sentence = _load_sentences(sentences)
    metrics = _load_metrics(scores)
    if aggregate is not None:
        if not by_sentence:
            raise OptionError("to aggregate a metric like a judge needs scores of sentences")
        metrics += _aggregate(by_sentence, aggregate, tolerance, seed)
    for value in beta:
        metrics += tuple(with_beta(m, value) for m in metrics if _is_plain_f(m))
    signature = make_signature(
        "meta",
        show=None if show == "correlation" else show,
        method=chosen,
        aggregate=aggregate,
        kendall=kendall,
        decimals=decimals,
        uncertainty=uncertainty,
        bootstrap=bootstrap,
        resample=resample,
        level=level,
        seed=seed,
        data=prepared.data,
        scores=_fingerprint_scores(metrics, by_sentence),
    )
    if show == "sentences":
        return sentences_table(
            prepared.rankings,
            by_sentence,
            prepared.notes,
            signature,
            shift=shift,
            tolerance=tolerance,
            samples=bootstrap,
            level=level,
            seed=seed,
        )
    if not metrics:
        raise DataError("there are no metric scores to hold against the judgments")
    human = score_systems(
        prepared.judgments,
        method=chosen,
        samples=bootstrap,
        resample=resample,
        rng=np.random.default_rng(seed),
    )
    notes = [*prepared.notes, *_notes(human, metrics, prepared)]
    if decimals is not None:
        human = replace(human, scores=np.round(human.scores, decimals))
        notes.append(f"Human scores are rounded to {decimals} decimals, as published ones were.")
    context = MetaContext(human, metrics, tuple(notes), signature, kendall, level, seed)
    build: Mapping[str, Callable[[], Table]] = {
        "correlation": lambda: correlation_table(context, uncertainty),
        "williams": lambda: williams_table(context),
        "betas": lambda: betas_table(context, betas),
        "best-beta": lambda: best_beta_table(context, betas),
        "windows": lambda: windows_table(context, window),
        "systems": lambda: systems_table(context),
    }
    return build[show]()


def _check_options(
    show: str, kendall: str, uncertainty: str, resample: str, bootstrap: int, window: int | None
) -> None:
    for what, value, known in (
        ("to show", show, SHOWS),
        ("ties", kendall, KENDALL_TIES),
        ("uncertainty", uncertainty, get_args(Uncertainty)),
        ("resampling", resample, RESAMPLES),
    ):
        if value not in known:
            raise OptionError(f"{what}: {value!r} is unknown; there are: {', '.join(known)}")
    if bootstrap < 1:
        raise OptionError("the intervals need at least one bootstrap sample")
    if window is not None and window < 2:
        raise OptionError("a window holds at least two systems")


def _load_metrics(scores: ScoreInput) -> tuple[MetricScores, ...]:
    """All metrics of all files; two files may not speak of the same metric."""
    loaded: list[SystemScore] = []
    if isinstance(scores, Mapping):
        for name, path in scores.items():
            loaded += read_system_scores(path, name=name)
    else:
        for given in [scores] if isinstance(scores, str | Path) else scores:
            if isinstance(given, SystemScore):
                loaded.append(given)
            else:
                loaded += read_system_scores(given)
    return group_scores(loaded)


def _load_sentences(sentences: SentenceInput | None) -> dict[str, dict[str, dict[str, float]]]:
    if sentences is None:
        return {}
    values = read_sentence_scores(sentences) if isinstance(sentences, str | Path) else sentences
    return group_sentence_scores(values)


def _aggregate(
    by_sentence: Mapping[str, ScoresBySentence], method: Method, tolerance: float, seed: int
) -> tuple[MetricScores, ...]:
    """The metrics' own rankings of systems, from their scores of single sentences."""
    found = []
    for metric, scores in by_sentence.items():
        judgments = expand(rankings_from_scores(metric, scores, tolerance=tolerance))
        if not len(judgments):
            raise DataError(f"the sentence scores of {metric!r} compare no two systems")
        ranked = score_systems(
            judgments, method=method, samples=_RUNS_FOR_METRICS, rng=np.random.default_rng(seed)
        )
        placed = ~np.isnan(ranked.scores)
        systems = tuple(np.array(ranked.systems)[placed].tolist())
        found.append(MetricScores(f"{metric} {method}", systems, ranked.scores[placed]))
    return tuple(found)


def _is_plain_f(metric: MetricScores) -> bool:
    """Whether other F scores can be made from it, and it is not made so itself."""
    if metric.precision is None:
        return False
    name, _, made = metric.metric.rpartition(" F")
    return not (name and made.replace(".", "", 1).isdecimal())


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


def _notes(
    human: ScoredSystems, metrics: Sequence[MetricScores], prepared: RankingInput
) -> Iterable[str]:
    judged = {s for s, v in zip(human.systems, human.scores, strict=True) if not np.isnan(v)}
    for metric in metrics:
        scored = set(metric.systems)
        if unjudged := sorted(scored - judged):
            yield f"{metric.metric}: without a human score, left out: {', '.join(unjudged)}."
        if unscored := sorted(judged - scored):
            yield f"{metric.metric}: judged but without a score, left out: {', '.join(unscored)}."
        if not scored & judged:
            raise DataError(
                f"the metric {metric.metric!r} scores none of the systems that were judged "
                f"({', '.join(sorted(prepared.tally.systems))})"
            )
