"""A choice that bounds make for many corpora at once is the choice of each."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.scoring.count_metric import CountedMetric
from redink.scoring.errant import Errant
from redink.scoring.m2.max_match import MaxMatch
from redink.scoring.selection import (
    Bounds,
    common_choice,
    gains_and_costs,
    ranked_candidates,
    running_totals,
)

METRICS: list[CountedMetric] = [Errant(), MaxMatch()]
COUNTS = st.tuples(*[st.integers(0, 6)] * 3)


@given(
    st.lists(st.tuples(*[st.integers(0, 300)] * 3), min_size=1, max_size=5),
    st.lists(COUNTS, min_size=2, max_size=4, unique=True),
    st.sampled_from(METRICS),
    st.sampled_from([0.5, 1.0, 0.3]),
    st.tuples(*[st.integers(0, 30)] * 3),
)
def test_common_choices_are_chosen(
    corpora: list[tuple[int, int, int]],
    candidates: list[tuple[int, int, int]],
    metric: CountedMetric,
    beta: float,
    more: tuple[int, int, int],
) -> None:
    rule = metric.published_preference
    candidates.sort(key=lambda own: rule.rank(own, beta), reverse=True)
    bounds = Bounds.of(np.array(corpora, dtype=float).T, beta)
    ranked = ranked_candidates(np.array(candidates), np.ones(len(candidates), bool), rule, beta)
    gain, cost = gains_and_costs(np.array(more), beta)
    found = bounds and common_choice(bounds.after(gain, cost), ranked, 1, rule)
    for corpus, added in product(corpora, [(0, 0, 0), more]):
        tp, fp, fn = np.add(corpus, added).tolist()
        keys = [rule.key((tp + a, fp + b, fn + c), (a, b, c), beta) for a, b, c in candidates]
        assert found in {None, keys.index(max(keys))}


def test_small_corpora_have_no_bounds() -> None:
    assert Bounds.of(np.array([[1.0], [1], [1]]), 0.5) is None
    assert Bounds.of(np.array([[100.0], [100], [100]]), 0.5) is not None


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@pytest.mark.parametrize("beta", [0.5, 1.0])
def test_bounds_change_no_result(metric: CountedMetric, beta: float) -> None:
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 4, size=(150, 3, 3), dtype=np.int32)
    present = rng.random((150, 3)) < 0.8
    present[:, 0] = True
    weights = rng.integers(0, 4, size=(40, 150)).astype(float)
    own = metric.published_preference
    with_bounds, without = (
        running_totals(counts, present, weights, preference=rule, beta=beta)
        for rule in (own, replace(own, margin=None))
    )
    assert np.array_equal(with_bounds, without)
