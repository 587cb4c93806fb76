"""Rank ranges and clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.errors import OptionError
from redink.judging.rankers import competition_ranks, group_clusters, rank_ranges


def test_extreme_ranks_are_discarded() -> None:
    """At p = .05 the 25 best and the 25 worst of 1000 ranks do not count, the 26th does."""
    order = np.tile([3.0, 2.0, 1.0], (1000, 1))
    order[:25] = [1.0, 2.0, 3.0]
    low, high = rank_ranges(order, p=0.05)
    assert (low.tolist(), high.tolist()) == ([1, 2, 3], [1, 2, 3])
    order[25] = [1.0, 2.0, 3.0]
    low, high = rank_ranges(order, p=0.05)
    assert (low.tolist(), high.tolist()) == ([1, 2, 1], [3, 2, 3])


def test_part_of_a_sample_makes_part_of_a_rank() -> None:
    """At 2.5 of 100 the edge lies between the third rank from the end and the fourth."""
    order = np.tile([2.0, 1.0], (100, 1))
    order[:3] = [1.0, 2.0]
    low, high = rank_ranges(order, p=0.05)
    assert (low.tolist(), high.tolist()) == ([1, 1.5], [1.5, 2])


def test_equal_scores_could_have_any_of_their_ranks() -> None:
    """Two of three tie in every sample for the first place."""
    low, high = rank_ranges(np.tile([5.0, 5.0, 1.0], (100, 1)), p=0.05)
    assert (low.tolist(), high.tolist()) == ([1, 1, 3], [2, 2, 3])


def test_system_without_score_could_have_any_rank() -> None:
    """And takes no rank from the others."""
    samples = np.tile([3.0, np.nan, 1.0], (100, 1))
    low, high = rank_ranges(samples, p=0.05)
    assert (low.tolist(), high.tolist()) == ([1, 1, 2], [1, 3, 2])


def test_too_few_samples_are_refused() -> None:
    """Nothing could be discarded."""
    with pytest.raises(OptionError, match=r"p = 0\.05 need at least 40 samples"):
        rank_ranges(np.zeros((39, 2)), p=0.05)
    with pytest.raises(OptionError, match="p lies between 0 and 1"):
        rank_ranges(np.zeros((39, 2)), p=1.5)


@pytest.mark.parametrize(
    ("p", "needed"),
    [(0.9, "10"), (0.9995, "2000"), (1 - 1e-16, "a billion"), (1e-310, "a billion")],
)
def test_a_sample_is_left_between_the_ends(p: float, needed: str) -> None:
    """Where p discards all samples at its two ends, no range is made of what is not there."""
    samples = np.random.default_rng(1).normal(size=(9, 5))
    with pytest.raises(OptionError, match=f"p = {p} need at least {needed} samples"):
        rank_ranges(samples, p=p)


@pytest.mark.parametrize(("number", "p"), [(3, 2 / 3), (10, 0.9), (100, 0.99), (1000, 0.999)])
def test_the_last_sample_left_is_the_range(number: int, p: float) -> None:
    """The narrowest range never turns round: its low end is not above its high one."""
    samples = np.random.default_rng(1).normal(size=(number, 5))
    low, high = rank_ranges(samples, p=p)
    assert (low <= high).all()


def test_clusters_end_where_ranges_do_not_overlap() -> None:
    """Table 3b: the ranges of thirteen systems make four clusters."""
    low = np.array([1, 2, 2, 3, 4, 6, 6, 7, 7, 10, 9, 11, 13])
    high = np.array([1, 3, 4, 5, 5, 8, 8, 9, 10, 11, 12, 12, 13])
    clusters = group_clusters(low, high, np.arange(13))
    assert clusters.tolist() == [1] + [2] * 4 + [3] * 7 + [4]


def test_a_wide_range_holds_a_cluster_together() -> None:
    """The third system's range reaches past the second's, to the fourth."""
    clusters = group_clusters(np.array([1, 2, 1, 3]), np.array([1, 2, 3, 4]), np.arange(4))
    assert clusters.tolist() == [1, 1, 1, 1]


def test_ranks_of_equal_scores_are_shared() -> None:
    """As in a competition; no rank without a score."""
    assert competition_ranks(np.array([0.5, 0.9, 0.5, np.nan, 0.1])).tolist() == [2, 1, 2, 0, 4]


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_clusters_never_overlap(size: int, seed: int) -> None:
    """Every range of one cluster lies before every range of the next; p makes ranges wider."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(0, 1, (200, size)) + rng.normal(0, 1.5, size)
    order = np.argsort(-samples.mean(axis=0))
    low, high = rank_ranges(samples, p=0.1)
    clusters = group_clusters(low, high, order)
    assert clusters[order[0]] == 1
    assert (np.diff(clusters[order]) >= 0).all()
    for i in range(size):
        for j in range(size):
            if clusters[i] < clusters[j]:
                assert high[i] < low[j]
    stricter_low, stricter_high = rank_ranges(samples, p=0.02)
    assert (stricter_low <= low).all()
    assert (stricter_high >= high).all()
