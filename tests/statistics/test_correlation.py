"""Correlations against scipy, and the Williams test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from redink.errors import DataError, OptionError
from redink.statistics.correlation import COEFFICIENTS, correlate, correlate_rows, williams_test

SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
}
# Few different values, so that ties are common.
VECTORS = st.integers(3, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n)] * 2)
)


@given(VECTORS)
def test_equal_to_scipy(vectors: tuple[list[int], list[int]]) -> None:
    x, y = vectors
    for coefficient in COEFFICIENTS:
        ours = float(correlate(x, y, coefficient))
        if len(set(x)) == 1 or len(set(y)) == 1:
            assert np.isnan(ours)
        else:
            assert ours == pytest.approx(SCIPY[coefficient](x, y), abs=1e-12)


def test_no_coefficient_is_beyond_one() -> None:
    values = np.random.default_rng(1).normal(size=(500, 9))
    for coefficient in COEFFICIENTS:
        found = correlate_rows(values, 3 * values + 1, coefficient)
        assert found == pytest.approx(1)
        assert found.max() <= 1
        assert correlate_rows(values, -values, coefficient).min() >= -1


@given(VECTORS)
def test_kendall_variants(vectors: tuple[list[int], list[int]]) -> None:
    """tau-a over all pairs, gamma over those untied in both, from pairs counted one by one."""
    x, y = vectors
    pairs = [
        ((a > b) - (a < b), (c > d) - (c < d))
        for i, (a, c) in enumerate(zip(x, y, strict=True))
        for b, d in zip(x[i + 1 :], y[i + 1 :], strict=True)
    ]
    agreement = sum(one * other for one, other in pairs)
    untied = sum(one != 0 and other != 0 for one, other in pairs)
    found = float(correlate(x, y, "kendall", kendall_ties="a"))
    assert found == pytest.approx(agreement / len(pairs))
    gamma = float(correlate(x, y, "kendall", kendall_ties="gamma"))
    if untied:
        assert gamma == pytest.approx(agreement / untied)
    else:
        assert np.isnan(gamma)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("ties", ["b", "a", "gamma"])
def test_many_at_once_are_one_by_one(coefficient: str, ties: str) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 9, (4, 7)), rng.integers(0, 9, (4, 7))
    options = {"kendall_ties": ties}
    together = correlate(first, second, coefficient, **options)  # type: ignore[arg-type]
    assert together.shape == (4, 4)
    for i in range(4):
        for j in range(4):
            alone = correlate(first[i], second[j], coefficient, **options)  # type: ignore[arg-type]
            assert together[i, j] == pytest.approx(float(alone))
    diagonal = correlate_rows(first, second, coefficient, **options)  # type: ignore[arg-type]
    assert diagonal == pytest.approx(np.diagonal(together))


def test_constant_but_for_rounding_is_constant() -> None:
    """0.1 + 0.2 is 0.3 here."""
    assert np.isnan(correlate([0.1 + 0.2, 0.3, 0.3], [1, 2, 3], "pearson"))


def test_mistakes_are_named() -> None:
    with pytest.raises(DataError, match="same number of values"):
        correlate([1, 2], [1, 2, 3], "pearson")
    with pytest.raises(OptionError, match="unknown correlation 'cosine'"):
        correlate([1, 2], [1, 2], "cosine")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="not 'c'"):
        correlate([1, 2], [1, 2], "kendall", kendall_ties="c")  # type: ignore[arg-type]


def test_williams_published_example() -> None:
    """The example of R's psych::r.test (n = 103, .4, .5, .1): t = -0.89, two-sided p = .37."""
    found = williams_test(0.4, 0.5, 0.1, 103)
    assert found is not None
    assert found.t == pytest.approx(-0.89, abs=0.005)
    assert 2 * (1 - found.p) == pytest.approx(0.37, abs=0.01)
    assert found.degrees == 100


@given(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6), st.floats(-0.1, 0.6), st.integers(4, 60))
def test_williams_turns_round(first: float, second: float, between: float, size: int) -> None:
    one, other = (
        williams_test(first, second, between, size),
        williams_test(second, first, between, size),
    )
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.t == pytest.approx(-other.t)
        assert one.p + other.p == pytest.approx(1)


def test_williams_is_undefined_for_too_little() -> None:
    assert williams_test(0.5, 0.4, 0.3, 3) is None
    assert williams_test(float("nan"), 0.4, 0.3, 10) is None
    assert williams_test(0.5, 0.5, 1.0, 10) is None
