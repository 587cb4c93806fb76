"""A choice that bounds make for many corpora at once is the choice of each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.scoring.count_metric import CountedMetric
from redink.scoring.errant import Errant
from redink.scoring.m2.max_match import MaxMatch
from redink.scoring.paired_shuffles import _prepare, _Shuffle, shuffled_totals
from redink.scoring.selection import (
    Bounds,
    Preference,
    common_choice,
    gains_and_costs,
    running_totals,
)

METRICS: list[CountedMetric] = [Errant(), MaxMatch()]
COUNTS = st.tuples(*[st.integers(0, 6)] * 3)


def test_bounds_grow_with_the_corpora() -> None:
    """By hand: F from .4 to .6 of 10 to 20, and then 1 of 2 to 2 of 4 more."""
    after = Bounds(0.4, 0.6, 10.0, 20.0).after((1, 2), (2, 4))
    assert after == pytest.approx((5 / 14, 8 / 12, 12, 24))
    assert Bounds().after((1, 2), (2, 4)) == Bounds()


@given(
    st.lists(st.tuples(*[st.integers(0, 300)] * 3), min_size=1, max_size=5),
    st.lists(COUNTS, min_size=2, max_size=4, unique=True),
    st.sampled_from(METRICS),
    st.sampled_from([0.5, 1.0, 0.3]),
)
def test_common_choices_are_chosen(
    corpora: list[tuple[int, int, int]],
    candidates: list[tuple[int, int, int]],
    metric: CountedMetric,
    beta: float,
) -> None:
    """Whatever the corpora are, each of them chooses the common choice."""
    rule = metric.published_preference
    candidates.sort(key=lambda own: rule.rank(own, beta), reverse=True)
    bounds = Bounds.of(*gains_and_costs(np.array(corpora), beta))
    own = np.stack(gains_and_costs(np.array(candidates), beta), axis=1).tolist()
    found = common_choice([(gain, cost) for gain, cost in own], bounds, rule.margin)
    for tp, fp, fn in corpora:
        keys = [rule.key((tp + a, fp + b, fn + c), (a, b, c), beta) for a, b, c in candidates]
        assert found in {None, keys.index(max(keys))}


def test_small_corpora_have_no_bounds() -> None:
    """The first sentences decide about F; nothing is known before them."""
    assert Bounds.of(np.array([1.0, 20]), np.array([2.0, 40])) == Bounds()
    assert common_choice([(1.25, 1.25), (0, 1)], Bounds(), 0.0) is None


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@pytest.mark.parametrize("beta", [0.5, 1.0])
def test_bounds_change_no_result(metric: CountedMetric, beta: float) -> None:
    """Samples and shuffles of a corpus have the same sums with it and without."""
    rng = np.random.default_rng(4)
    systems = [rng.integers(0, 4, size=(150, 3, 3), dtype=np.int32) for _ in range(2)]
    present = rng.random((150, 3)) < 0.8
    present[:, 0] = True
    weights = rng.integers(0, 4, size=(40, 150)).astype(float)
    swaps = rng.random((40, 150)) < 0.5

    def results(preference: Preference) -> list[np.ndarray]:
        how = {"preference": preference, "beta": beta}
        totals = running_totals(systems[0], present, weights, **how)
        both = [(one, present) for one in systems]
        (shuffled,) = shuffled_totals(both, [(0, 1)], swaps, **how)
        return [totals, *shuffled]

    own = metric.published_preference
    for ours, theirs in zip(results(own), results(replace(own, margin=None)), strict=True):
        assert np.array_equal(ours, theirs)


def test_what_is_known_of_all_shuffles_is_true_of_each() -> None:
    """After a choice, F and costs of every text lie between the bounds that the next one uses."""
    rng = np.random.default_rng(1)
    rule = MaxMatch.published_preference
    right, wrong = rng.integers(0, 2, size=(2, 60, 2)), rng.integers(2, 9, size=(2, 60, 2, 2))
    counts = [np.dstack([tp, others]) for tp, others in zip(right, wrong, strict=True)]
    counts[0][::2] = [0, 4, 0]  # no choice, and nothing gained
    pair = [_prepare(one, np.ones((60, 2), dtype=bool), rule, 0.5) for one in counts]
    shuffle = _Shuffle(*pair, rng.random((60, 30)) < 0.5, rule, 0.5)
    for number in sorted({*pair[0].open, *pair[1].open}):
        shuffle._catch_up(number)
        shuffle._choose(number)
        least_f, most_f, least_cost, most_cost = shuffle._bounds
        gain, cost = shuffle._sums[:, 0], shuffle._sums[:, 1]
        if least_cost:
            assert ((least_cost <= cost) & (cost <= most_cost)).all()
            assert ((least_f <= gain / cost + 1e-12) & (gain / cost <= most_f + 1e-12)).all()
    assert least_cost
