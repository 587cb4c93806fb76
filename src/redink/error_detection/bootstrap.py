"""Bootstrap samples of all detection measures, and paired tests of systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from redink.error_detection.curves import AREAS, FloatArray
from redink.error_detection.evaluate import DetectionResult
from redink.error_detection.partial_overlap import measure_credits
from redink.error_detection.study import DetectionOptions
from redink.error_detection.writer_annotator_system import Level, count_candidates
from redink.model import Shown
from redink.model.counts import MEASURES, Cells, prevalence_factors
from redink.progress import tell
from redink.scoring.errant import Errant
from redink.scoring.selection import usage
from redink.statistics.arrays import divide_or, divide_or_nan, measure_counts, scorer_f
from redink.statistics.resampling import (
    IntArray,
    ResamplingOptions,
    draw_bootstrap_blocks,
    interval_of,
)
from redink.statistics.significance import bootstrap_p, holm

Samples = Mapping[str, FloatArray]
"""The values of every measure in the bootstrap samples."""


def measure_samples(
    tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray, *, beta: float
) -> dict[str, FloatArray]:
    """Return all measures of many tables of counts; NaN where undefined."""
    cells = Cells(tp, fp, fn, tn, beta=beta)
    return {name: measure_counts(name, cells) for name in MEASURES if name != "n"}


def resample(
    outcomes: Sequence[DetectionResult],
    size: int,
    groups: IntArray | None,
    options: DetectionOptions,
    resampling: ResamplingOptions,
    points: Sequence[Sequence[int]] = (),
) -> list[dict[str, FloatArray]]:
    """Return the measures of every result in bootstrap samples of sentences, or of documents.

    All results share the samples. The best annotators are chosen again in every sample; the
    threshold of a curve stays the same. ``points`` are the points of each curve to measure; by
    default the chosen one.
    """
    rng = resampling.rng()
    parts: list[list[dict[str, FloatArray]]] = [[] for _ in outcomes]
    done, whole = 0, resampling.bootstrap * len(outcomes)
    for weights in draw_bootstrap_blocks(size, resampling.bootstrap, rng, groups=groups):
        used: dict[int, FloatArray] = {}  # results by error type share their annotators
        for number, outcome in enumerate(outcomes):
            tell("bootstrap", done, whole)
            if outcome.traced is None:
                key = id(outcome.choice)
                if key not in used:
                    used[key] = _choose(outcome, weights, options)
                found = _sample_patterns(outcome, used[key], options)
            else:
                chosen = points[number] if points else [outcome.point]
                found = _sample_curve(outcome, weights, options, chosen)
            parts[number].append(found)
            done += len(weights)
    return [
        {name: np.concatenate([part[name] for part in blocks]) for name in blocks[0]}
        for blocks in parts
    ]


def _choose(outcome: DetectionResult, weights: FloatArray, options: DetectionOptions) -> FloatArray:
    """Return how often each sample uses each annotator: ``(annotators, samples, sentences)``."""
    assert outcome.study is not None
    inside = weights[:, outcome.study.included]
    if all(len(each) == 1 for each in outcome.choice):
        return inside[None]
    counts, present = count_candidates(outcome.choice, outcome.level)
    return usage(
        counts,
        present,
        inside,
        preference=Errant.published_preference,
        selection=options.selection,
        beta=options.beta,
    )


def _restate(cells: Sequence[FloatArray], prevalence: float | None) -> Sequence[FloatArray]:
    if prevalence is None:
        return cells
    tp, fp, fn, tn = cells
    with np.errstate(divide="ignore", invalid="ignore"):
        up, down = prevalence_factors(tp + fn, fp + tn, prevalence)
        return tp * up, fp * down, fn * up, tn * down


def cells_of(patterns: FloatArray, level: Level) -> tuple[FloatArray, ...]:
    """Return TP, FP, FN and TN of the counts of patterns, which are the first axis."""
    xxx, xxy, xyx, xyy, xyz, _ = patterns
    if level == "correction":
        return xyy, xxy + xyz, xyx + xyz, xxx
    return xyy + xyz, xxy, xyx, xxx


def _sample_patterns(
    outcome: DetectionResult, used: FloatArray, options: DetectionOptions
) -> dict[str, FloatArray]:
    patterns = np.zeros((used.shape[2], len(used), 6))
    for at, candidates in enumerate(outcome.candidates):
        for index, tally in enumerate(candidates):
            patterns[at, index] = tally.as_row()
    sums = np.tensordot(patterns, used, axes=((0, 1), (2, 0)))
    xxx, xxy, xyx, xyy, xyz, trivial = sums
    tp, fp, fn, tn = _restate(cells_of(sums, outcome.level), options.prevalence)
    found = measure_samples(tp, fp, fn, tn, beta=options.beta)
    with_trivial = Cells(tp, fp, fn, tn + trivial)
    for name in ("accuracy", "kappa"):
        found[f"{name}_with_trivial"] = measure_counts(name, with_trivial)
    total = xxx + xxy + xyx + xyy + xyz
    found["correct_before"] = divide_or_nan(xxx + xxy, total)
    found["correct_after"] = divide_or_nan(xxx + xyy, total)
    if outcome.credit is not None:
        summed = np.tensordot(outcome.credit, used, axes=((0, 1), (2, 0)))
        found |= measure_credits(summed, options.beta)
    if options.undefined == "one":
        found["precision"] = divide_or(tp, tp + fp, 1.0)
        found["recall"] = divide_or(tp, tp + fn, 1.0)
        found["f"] = scorer_f(np.stack([tp, fp, fn], axis=-1), options.beta)
    return found


def _sample_curve(
    outcome: DetectionResult,
    weights: FloatArray,
    options: DetectionOptions,
    points: Sequence[int],
) -> dict[str, FloatArray]:
    assert outcome.traced is not None
    cells, areas = [], []
    for sample in weights:
        curve = outcome.traced.curve(sample)
        if options.prevalence is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                curve = curve.restated(options.prevalence)
        cells.append(curve.cells_at(points))
        areas.append([getattr(curve, name).value for name in AREAS])
    found = measure_samples(*np.moveaxis(np.array(cells), 1, 0), beta=options.beta)
    if len(points) == 1:
        found = {name: values[:, 0] for name, values in found.items()}
    return found | dict(zip(AREAS, np.array(areas, dtype=float).T, strict=True))


@dataclass(frozen=True)
class PairedTest:
    """A paired bootstrap test of two systems by one measure, the better one first.

    ``difference`` is the value of ``system`` minus the value of ``other``.
    """

    measure: str
    system: str
    other: Annotated[str, Shown(title="against")]
    value: float
    other_value: Annotated[float, Shown(title="against it")]
    difference: Annotated[float, Shown("score")]
    low: Annotated[float | None, Shown("score")]
    high: Annotated[float | None, Shown("score")]
    p: Annotated[float | None, Shown("p")]
    p_holm: Annotated[float | None, Shown("p", title="p, Holm")]
    extra: Mapping[str, Any]


def compare_pairs(
    names: Sequence[str],
    values: Sequence[Mapping[str, float | None]],
    samples: Sequence[Samples],
    measures: Sequence[str],
    confidence: float,
    extra: Mapping[str, Any] | None = None,
) -> Iterator[PairedTest]:
    """Compare all pairs of systems by each measure; p is also adjusted for the number of pairs."""
    for measure in measures:
        tests = []
        for pair in combinations(range(len(names)), 2):
            known = [value for at in pair if (value := values[at].get(measure)) is not None]
            if len(known) < 2 or any(measure not in samples[at] for at in pair):
                continue
            first, other = pair if known[0] >= known[1] else pair[::-1]
            spread = samples[first][measure] - samples[other][measure]
            difference = abs(known[0] - known[1])
            tests.append((first, other, max(known), min(known), difference, spread))
        p_values = [bootstrap_p(difference, spread) for *_, difference, spread in tests]
        for test, p, adjusted in zip(tests, p_values, holm(p_values), strict=True):
            first, other, value, less, difference, spread = test
            yield PairedTest(
                measure,
                names[first],
                names[other],
                value,
                less,
                difference,
                *interval_of(spread, confidence=confidence),
                p,
                adjusted,
                extra or {},
            )
