"""Distribution functions and ranks against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from redink.statistics.arrays import sum_rows
from redink.statistics.distributions import (
    average_ranks,
    incomplete_beta,
    normal_cdf,
    normal_quantile,
    sign_test,
    student_t_cdf,
)


def test_normal_cdf_has_full_precision_in_both_tails() -> None:
    x = np.linspace(-30, 30, 40_001)
    assert normal_cdf(x) == pytest.approx(special.ndtr(x), rel=1e-12, abs=0)
    inside = x[np.abs(x) < 8]
    assert normal_cdf(inside) == pytest.approx(special.ndtr(inside), rel=3e-14, abs=0)
    assert normal_cdf(np.array([-np.inf, -50.0, 50.0, np.inf])).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("share", [1e-12, 0.025, 0.3, 0.5, 0.975, 1 - 1e-9])
def test_normal_quantile(share: float) -> None:
    assert normal_quantile(share) == pytest.approx(float(special.ndtri(share)), rel=1e-13)


@given(st.floats(0.5, 1e6), st.floats(-60, 60))
def test_student_t_cdf(degrees: float, t: float) -> None:
    expected = float(special.stdtr(degrees, t))
    assert student_t_cdf(degrees, t) == pytest.approx(expected, rel=1e-8, abs=1e-300)


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_sign_test(wins: int, losses: int) -> None:
    expected = stats.binomtest(wins, wins + losses, 0.5).pvalue if wins + losses else 1.0
    assert sign_test(wins, losses) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(st.floats(0.01, 500), st.floats(0.01, 500), st.floats(0, 1))
def test_incomplete_beta(a: float, b: float, x: float) -> None:
    found = incomplete_beta(a, b, x, 1 - x)
    assert found == pytest.approx(float(special.betainc(a, b, x)), rel=1e-8, abs=1e-12)


@given(st.lists(st.lists(st.sampled_from([1.0, 2.0, 3.5, np.nan]), min_size=4, max_size=4)))
def test_average_ranks(rows: list[list[float]]) -> None:
    values = np.array(rows).reshape(-1, 4)
    expected = stats.rankdata(values, axis=-1, nan_policy="propagate")
    np.testing.assert_array_equal(average_ranks(values), expected)


def test_sum_rows() -> None:
    places = np.array([2, 0, 2, 2])
    values = np.array([[1.0, 10], [2, 20], [4, 40], [8, 80]])
    assert sum_rows(values, places, 4).tolist() == [[2, 20], [0, 0], [13, 130], [0, 0]]
    assert sum_rows(values[:0], places[:0], 2).tolist() == [[0, 0], [0, 0]]
