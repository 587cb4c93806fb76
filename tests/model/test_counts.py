"""Measures from counts: the published figures, the formulas, and what is undefined."""

from __future__ import annotations

import json
import math
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from redink.model import Counts
from redink.model.counts import MEASURES

whole = st.integers(min_value=0, max_value=60)
all_counts = st.builds(Counts, whole, whole, whole, whole)


def test_published_figures_of_the_oracle(shared: Path) -> None:
    published = json.loads((shared / "oracles/published.json").read_text())["chodorow-2012"]
    checked = 0
    for name, figure in published.items():
        if not name.startswith("fig"):
            continue
        cells = figure.get("counts") or figure["proportions"]
        computed = Counts(**cells).measures(beta=1)
        for measure in ("accuracy", "kappa", "precision", "recall", "f1"):
            if measure in figure:
                value = computed["f" if measure == "f1" else measure].value
                assert round(value, 2) == figure[measure], (name, measure)
                checked += 1
    assert checked == 16


def labels_of(counts: Counts) -> tuple[list[int], list[int]]:
    cells = [int(counts.tp), int(counts.fp), int(counts.fn), int(counts.tn or 0)]
    pairs = [(1, 1), (0, 1), (1, 0), (0, 0)]
    gold = [a for (a, _), times in zip(pairs, cells, strict=True) for _ in range(times)]
    flagged = [s for (_, s), times in zip(pairs, cells, strict=True) for _ in range(times)]
    return gold, flagged


@given(all_counts, st.sampled_from([0.5, 1.0, 2.0]))
def test_equal_to_scikit_learn(counts: Counts, beta: float) -> None:
    gold, flagged = labels_of(counts)
    ours = {name: m.value for name, m in counts.measures(beta=beta).items()}
    if not gold:
        assert all(value is None for name, value in ours.items() if name != "n")
        return
    theirs = {
        "accuracy": lambda: metrics.accuracy_score(gold, flagged),
        "precision": lambda: metrics.precision_score(gold, flagged),
        "recall": lambda: metrics.recall_score(gold, flagged),
        "f": lambda: metrics.fbeta_score(gold, flagged, beta=beta),
        "kappa": lambda: metrics.cohen_kappa_score(gold, flagged),
        "mcc": lambda: metrics.matthews_corrcoef(gold, flagged),
        "tnr": lambda: metrics.recall_score(gold, flagged, pos_label=0),
        "npv": lambda: metrics.precision_score(gold, flagged, pos_label=0),
        "balanced_accuracy": lambda: metrics.balanced_accuracy_score(gold, flagged),
        "informedness": lambda: metrics.balanced_accuracy_score(gold, flagged, adjusted=True),
    }
    for name, compute in theirs.items():
        value = ours[name]
        if value is not None:
            assert value == pytest.approx(compute(), abs=1e-12), name


@given(all_counts)
def test_alpha_equal_to_the_krippendorff_package(counts: Counts) -> None:
    gold, flagged = labels_of(counts)
    if len(set(gold + flagged)) < 2:
        assert counts.alpha.value is None
        assert counts.alpha.reason
        return
    theirs = krippendorff.alpha(np.array([gold, flagged]), level_of_measurement="nominal")
    assert counts.alpha.value == pytest.approx(theirs, abs=1e-12)


@given(all_counts)
def test_matthews_is_the_geometric_mean_of_informedness_and_markedness(counts: Counts) -> None:
    values = [counts.mcc.value, counts.informedness.value, counts.markedness.value]
    if None not in values:
        mcc, informedness, markedness = values
        assert mcc**2 == pytest.approx(informedness * markedness, abs=1e-9)


@given(all_counts)
def test_a_measure_has_a_value_or_a_reason(counts: Counts) -> None:
    for name, measure in counts.measures().items():
        assert (measure.value is None) == (measure.reason is not None), name
        assert measure.value is None or math.isfinite(measure.value), name


@given(whole, whole, whole)
def test_without_negatives_only_precision_recall_and_f_are_defined(
    tp: int, fp: int, fn: int
) -> None:
    measures = Counts(tp, fp, fn).measures()
    for name in set(MEASURES) - {"precision", "recall", "f"}:
        assert measures[name].value is None
        assert "true negatives" in (measures[name].reason or "")
    if tp:
        assert all(measures[m].value is not None for m in ("precision", "recall", "f"))


@pytest.mark.parametrize(
    ("counts", "measure", "reason"),
    [
        (Counts(0, 0, 3, 5), "precision", "the system flags nothing"),
        (Counts(0, 3, 0, 5), "recall", "the annotator marks no error"),
        (Counts(0, 0, 0, 5), "f", "the annotator marks no errors and the system flags nothing"),
        (Counts(4, 3, 0, 0), "markedness", "the system flags every unit"),
        (Counts(4, 0, 3, 0), "tnr", "the annotator marks every unit as an error"),
        (Counts(0, 0, 0, 9), "kappa", "annotator and system use only one label"),
        (Counts(0, 0, 3, 5), "mcc", "the system flags nothing"),
        (Counts(3, 5, 0, 0), "mcc", "the system flags every unit"),
        (Counts(0, 0, 0, 0), "accuracy", "there are no units"),
        (Counts(0.04, 0.16, 0.16, 0.64), "alpha", "give counts instead of shares"),
    ],
)
def test_reasons(counts: Counts, measure: str, reason: str) -> None:
    found = counts.measures()[measure]
    assert found.value is None
    assert reason in (found.reason or "")


def test_sum_of_counts() -> None:
    assert Counts(1, 2, 3, 4) + Counts(10, 20, 30, 40) == Counts(11, 22, 33, 44)
    assert (Counts(1, 2, 3, 4) + Counts(1, 2, 3)).tn is None
