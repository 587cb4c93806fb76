"""Compare: system against system, by paired tests."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from redink.analysis.analyser import Analyser
from redink.analysis.annotating import Annotating
from redink.errors import OptionError, RedinkWarning
from redink.formats.inputs import PathLike, ReferenceLike, SystemsLike
from redink.model import Column, Table, make_table
from redink.scoring.engine import (
    SIGNIFICANT,
    Progress,
    Scored,
    collect_all,
    resample_all,
)
from redink.scoring.metric import FloatArray, Metric, Row, interleave, make_metrics
from redink.statistics.resampling import BoolArray, draw_swaps, percentile_interval
from redink.statistics.significance import bootstrap_p, holm, randomisation_p, samples_for
from redink.workflows.score import DEFAULT_METRICS, check_reference_edits, score_signature
from redink.workflows.score_input import load_scoring_input, supply_edits
from redink.workflows.score_warnings import warn_about_input

TESTS = ("bootstrap", "randomisation")

_CELLS = 4_000_000


def compare(
    reference: ReferenceLike,
    systems: SystemsLike,
    *,
    source: PathLike | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    level: str | None = None,
    only: str | None = None,
    exclude: Sequence[str] | None = None,
    beta: float | None = None,
    selection: str | None = None,
    max_unchanged_words: int | None = None,
    ignore_whitespace_casing: bool = False,
    mix: bool = False,
    reference_edits: str | None = None,
    samples: int | None = None,
    tests: Sequence[str] = TESTS,
    analyser: str | Analyser = "embedded",
    workers: int = 1,
    seed: int | np.random.Generator = 1,
    progress: Progress | None = None,
) -> Table:
    """Every pair of systems under every metric: the difference, its interval, and its p-values.

    A paired bootstrap draws sentences; approximate randomisation exchanges the two systems'
    outputs of sentences. Both reuse the statistics of the sentences, and choose annotators anew
    in every sample where the choice depends on it. p-values are two-sided, and adjusted for the
    number of pairs by Holm's method.

    Args:
        reference: as for :func:`redink.score`, like all options that are not named here.
        systems: at least two.
        source: the source sentences, where the references are text.
        metrics: under which to compare.
        level: as for score.
        only: as for score.
        exclude: as for score.
        beta: as for score.
        selection: as for score.
        max_unchanged_words: as for score.
        ignore_whitespace_casing: as for score.
        mix: as for score.
        reference_edits: ``auto`` or ``gold``.
        samples: bootstrap samples, and shuffles; 1000 unless given, and more where there are
            so many pairs that Holm's method could find no difference with 1000.
        tests: ``bootstrap``, ``randomisation`` or both.
        analyser: for what must be annotated.
        workers: how many processes annotate and score.
        seed: of the samples.
        progress: told what is done.

    Returns:
        A row for every pair under every metric (and level), the better system first.
    """
    chosen = make_metrics(
        metrics,
        level=level,
        only=only,
        exclude=tuple(exclude) if exclude else None,
        beta=beta,
        selection=selection,
        max_unchanged_words=max_unchanged_words,
        ignore_whitespace_casing=ignore_whitespace_casing or None,
        mix=mix or None,
    )
    variants = check_reference_edits(reference_edits)
    wanted = _check_tests(tests)
    if samples is not None and samples < 2:
        raise OptionError("a test needs at least two samples")
    loaded = load_scoring_input(reference, systems, source=source)
    if len(loaded.systems) < 2:
        raise OptionError("a comparison needs at least two systems")
    notes = list(warn_about_input(loaded.references, loaded.systems, chosen))
    samples = _enough_samples(samples, comb(len(loaded.systems), 2))
    how = Annotating(analyser=analyser)
    ready = supply_edits(loaded, chosen, reference_edits=variants[0], how=how, workers=workers)
    scored = collect_all(chosen, ready.references, ready.systems, progress, workers=workers)
    rng = np.random.default_rng(seed)
    resampled = resample_all(scored, samples, rng, progress)
    swaps = draw_swaps(len(ready.references), samples, rng)
    rows: list[Row] = []
    for metric in chosen:
        members = [index for index, each in enumerate(scored) if each.metric is metric]
        rows += _compare_all(
            [scored[index] for index in members],
            [resampled[index] for index in members],
            swaps if "randomisation" in wanted else None,
            wanted,
            progress,
        )
    columns = _columns(chosen, wanted)
    notes.append(
        f"two-sided p-values from {samples} samples, the observed difference counted in; "
        "adjusted for the number of pairs by Holm's method; significant: below "
        f"{SIGNIFICANT:g} in every test made"
    )
    signature = score_signature(
        "compare",
        loaded,
        chosen,
        variants,
        how,
        tests=list(wanted),
        samples=samples,
        seed=seed if isinstance(seed, int) else None,
    )
    return make_table(columns, rows, notes=notes, signature=signature, groups="metric")


def _enough_samples(given: int | None, pairs: int) -> int:
    if given is None:
        return samples_for(pairs)
    if pairs / (given + 1) >= SIGNIFICANT:
        warnings.warn(
            f"{given} samples are too few for {pairs} pairs: no adjusted p-value can be below "
            f"{SIGNIFICANT:g}; {samples_for(pairs)} would do",
            RedinkWarning,
            stacklevel=3,
        )
    return given


def _check_tests(tests: Sequence[str]) -> tuple[str, ...]:
    for test in tests:
        if test not in TESTS:
            raise OptionError(f"there is no test {test!r}; there are: {', '.join(TESTS)}")
    if not tests:
        raise OptionError(f"no test was asked for; there are: {', '.join(TESTS)}")
    return tuple(test for test in TESTS if test in tests)


def _compare_all(
    scored: Sequence[Scored],
    resampled: Sequence[FloatArray],
    swaps: BoolArray | None,
    tests: Sequence[str],
    progress: Progress | None,
) -> list[Row]:
    """All pairs under one metric; every row of the metric (a level) is a comparison of its own."""
    metric = scored[0].metric
    blocks = [metric.rows(each.statistics) for each in scored]
    rows: list[Row] = []
    pairs = list(combinations(range(len(scored)), 2))
    shuffled: dict[tuple[int, int], FloatArray] = {}
    if swaps is not None:
        for done, (a, b) in enumerate(pairs):
            if progress is not None:
                progress(f"{metric.name}: randomisation", done, len(pairs))
            shuffled[a, b] = _shuffle(scored[a], scored[b], swaps)
    for index, about in enumerate(blocks[0]):
        level = {"level": about["level"]} if "level" in about else {}
        values = [block[index][metric.headline] for block in blocks]
        found = []
        for a, b in pairs:
            better, other = (a, b) if _is_at_least(values[a], values[b]) else (b, a)
            row: Row = {
                "metric": metric.name,
                **level,
                "system": scored[better].system.name,
                "other": scored[other].system.name,
                "score": values[better],
                "other_score": values[other],
            }
            spread = resampled[better][:, index] - resampled[other][:, index]
            shuffle = shuffled[a, b][:, index] if swaps is not None else None
            found.append(row | _test(values[better], values[other], spread, shuffle))
        _adjust(found, tests)
        found.sort(key=lambda row: (-(row["score"] or 0), -(row["other_score"] or 0)))
        rows += found
    return rows


def _is_at_least(first: float | None, second: float | None) -> bool:
    return second is None or (first is not None and first >= second)


def _test(
    value: float | None, other: float | None, spread: FloatArray, shuffle: FloatArray | None
) -> Row:
    if value is None or other is None:
        return dict.fromkeys(["difference", "low", "high", "p_bootstrap", "p_randomisation"])
    difference = value - other
    low, high = percentile_interval(spread)
    return {
        "difference": difference,
        "low": float(low),
        "high": float(high),
        "p_bootstrap": bootstrap_p(difference, spread),
        "p_randomisation": None if shuffle is None else randomisation_p(difference, shuffle),
    }


def _shuffle(first: Scored, second: Scored, swaps: BoolArray) -> FloatArray:
    """Differences of all rows between two systems that exchange sentences at random."""
    both = interleave(first.statistics, second.statistics)
    metric = first.metric
    step = max(1, _CELLS // len(both))
    parts = []
    for start in range(0, len(swaps), step):
        swapped = swaps[start : start + step].astype(float)
        weights = np.stack((1 - swapped, swapped), axis=2).reshape(len(swapped), -1)
        parts.append(metric.resample(both, weights) - metric.resample(both, 1 - weights))
    return np.concatenate(parts)


def _adjust(rows: Sequence[Row], tests: Sequence[str]) -> None:
    """Holm's adjustment over all pairs, for each test apart."""
    for test in tests:
        adjusted = holm([row[f"p_{test}"] for row in rows])
        for row, p in zip(rows, adjusted, strict=True):
            row[f"p_{test}_holm"] = p
    for row in rows:
        known = [p for test in tests if (p := row[f"p_{test}_holm"]) is not None]
        row["significant"] = max(known) < SIGNIFICANT if known else None


def _columns(metrics: Sequence[Metric], tests: Sequence[str]) -> list[Column]:
    has_levels = any(column.name == "level" for metric in metrics for column in metric.columns)
    columns = [
        Column("metric"),
        *([Column("level")] if has_levels else []),
        Column("system"),
        Column("other", title="against"),
        Column("score", "score"),
        Column("other_score", "score", title="against"),
        Column("difference", "score"),
        Column("low", "score"),
        Column("high", "score"),
    ]
    for test in tests:
        columns.append(Column(f"p_{test}", "p", title=f"p {test}"))
        columns.append(Column(f"p_{test}_holm", "p", title="Holm"))
    columns.append(Column("significant"))
    return columns
