"""Threshold sweeps: every point, the areas under the curves, and the best threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redink.error_detection.curves import ThresholdCurve, sweep_thresholds
from redink.errors import DataError, OptionError
from redink.model import Counts
from redink.model.counts import MEASURES


@st.composite
def scored_units(draw: st.DrawFn, *, both: bool = True) -> tuple[list[int], list[float]]:
    """Labels and scores with many ties; with ``both``, errors and non-errors both occur."""
    labels = draw(st.lists(st.integers(0, 1), min_size=2, max_size=60))
    if both:
        labels = [0, 1, *labels]
    levels = draw(st.integers(1, 12))
    scores = [draw(st.integers(0, levels)) / 8 for _ in labels]
    return labels, scores


@given(scored_units())
def test_pr_area_equals_scikit_learn_with_ties(units: tuple[list[int], list[float]]) -> None:
    from sklearn import metrics

    labels, scores = units
    curve = sweep_thresholds(labels, scores)
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    assert curve.pr_area.value == pytest.approx(metrics.auc(recall, precision), abs=1e-12)


@given(scored_units(), st.data())
def test_graded_areas_equal_scikit_learn_with_sample_weights(
    units: tuple[list[int], list[float]], data: st.DataObject
) -> None:
    from sklearn import metrics

    _, scores = units
    shares = [0.25, 0.75, *(data.draw(st.integers(0, 8)) / 8 for _ in scores[2:])]
    curve = sweep_thresholds(shares, scores)
    labels = [1] * len(scores) + [0] * len(scores)
    weights = [*shares, *(1 - w for w in shares)]
    doubled = [*scores, *scores]
    assert curve.roc_area.value == pytest.approx(
        metrics.roc_auc_score(labels, doubled, sample_weight=weights), abs=1e-12
    )
    assert curve.average_precision.value == pytest.approx(
        metrics.average_precision_score(labels, doubled, sample_weight=weights), abs=1e-12
    )


@settings(max_examples=25)
@given(scored_units())
def test_kappa_area_is_the_area_under_kappa_against_fpr(
    units: tuple[list[int], list[float]],
) -> None:
    """AUK after Kaymak et al.: scikit-learn's kappa at each threshold over its ROC points."""
    from sklearn import metrics

    labels, scores = units
    curve = sweep_thresholds(labels, scores)
    fpr, _, thresholds = metrics.roc_curve(labels, scores, drop_intermediate=False)
    kappas = [
        metrics.cohen_kappa_score(labels, [int(s >= threshold) for s in scores])
        for threshold in thresholds
    ]
    assert curve.kappa_area.value == pytest.approx(metrics.auc(fpr, kappas), abs=1e-12)


@given(scored_units(both=False))
def test_every_point_is_the_count_of_units_at_or_above_its_threshold(
    units: tuple[list[int], list[float]],
) -> None:
    labels, scores = units
    curve = sweep_thresholds(labels, scores)
    assert list(curve.thresholds) == [np.inf, *sorted(set(scores), reverse=True)]
    columns = {name: curve.measure(name, beta=2) for name in MEASURES if name != "n"}
    for point, threshold in enumerate(curve.thresholds):
        pairs = [(label, score >= threshold) for label, score in zip(labels, scores, strict=True)]
        by_hand = Counts(*(pairs.count(c) for c in ((1, True), (0, True), (1, False), (0, False))))
        assert curve.counts(point) == by_hand
        expected = by_hand.measures(beta=2)
        for name, values in columns.items():
            value = expected[name].value
            if value is None:
                assert np.isnan(values[point]), name
            else:
                assert values[point] == pytest.approx(value, abs=1e-12), name


@given(scored_units(), st.sampled_from(["f", "kappa", "mcc", "recall"]))
def test_best_point_is_the_highest_and_flags_least(
    units: tuple[list[int], list[float]], measure: str
) -> None:
    curve = sweep_thresholds(*units)
    values = curve.measure(measure)
    best = curve.best_point(measure)
    if best is None:
        assert np.isnan(values).all()
        return
    assert values[best] == np.nanmax(values)
    assert not np.any(values[:best] == values[best])


def test_minimum_precision() -> None:
    curve = sweep_thresholds([1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    point = curve.best_point("recall", min_precision=0.75)
    assert point is not None
    assert curve.thresholds[point] == 0.6
    assert curve.counts(point) == Counts(3, 1, 0, 2)
    low = sweep_thresholds([0, 1, 0], [0.9, 0.8, 0.7])
    assert low.best_point("recall", min_precision=0.75) is None
    with pytest.raises(OptionError, match="between 0 and 1"):
        low.best_point(min_precision=75)


def test_areas_are_undefined_without_errors_or_without_non_errors() -> None:
    none = sweep_thresholds([0, 0], [0.1, 0.2])
    for area in (none.roc_area, none.average_precision, none.pr_area, none.kappa_area):
        assert area.value is None
        assert area.reason == "the annotator marks no errors"
    every = sweep_thresholds([1, 1], [0.1, 0.2])
    assert every.roc_area.reason == "the annotator marks every unit as an error"
    assert every.average_precision.value == 1.0


def test_thinning_keeps_the_ends_and_what_is_asked_for() -> None:
    rng = np.random.default_rng(1)
    curve = sweep_thresholds(rng.random(1000) < 0.1, rng.random(1000))
    chosen = curve.thin(20, keep=[7])
    assert {0, 7, len(curve) - 1} <= set(chosen.tolist())
    assert len(chosen) <= 22
    assert np.array_equal(curve.thin(0), np.arange(len(curve)))


@pytest.mark.parametrize(
    ("errors", "scores", "message"),
    [
        ([1, 0], [0.5], "1 scores for 2 units"),
        ([], [], "at least one unit"),
        ([1, 0], [0.5, float("nan")], "not a number"),
        ([1.5, 0], [0.5, 0.1], "between 0 and 1"),
    ],
)
def test_impossible_input(errors: list[float], scores: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        sweep_thresholds(errors, scores)


def test_unknown_measure() -> None:
    curve: ThresholdCurve = sweep_thresholds([0, 1], [0.1, 0.2])
    with pytest.raises(OptionError, match="kappa"):
        curve.best_point("beauty")
    with pytest.raises(OptionError, match="kappa"):
        curve.measure("beauty")
