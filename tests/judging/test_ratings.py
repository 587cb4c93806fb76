"""Ratings: means, z-scores by judge, order of systems, agreement of judges."""

from __future__ import annotations

import numpy as np
import pytest

from redink.errors import DataError
from redink.judging.rankers import (
    grid_of_ratings,
    intraclass_correlation,
    rater_agreements,
    score_by_ratings,
    standardize,
)
from redink.model import Rating

RATINGS = [
    Rating("1", "A", "ann", 80.0),
    Rating("1", "B", "ann", 60.0),
    Rating("2", "A", "ann", 70.0),
    Rating("1", "A", "ben", 40.0),
    Rating("2", "B", "ben", 20.0),
    Rating("2", "A", "ben", 30.0),
]


def test_a_sentence_counts_once_however_many_rated_it() -> None:
    """The mean over judges first, then over sentences."""
    grid = grid_of_ratings(RATINGS)
    np.testing.assert_array_equal(grid.values, [[60, 60], [50, 20]])
    scored = score_by_ratings(RATINGS, samples=10, rng=np.random.default_rng(1))
    assert dict(zip(scored.systems, scored.scores, strict=True)) == {"A": 55.0, "B": 40.0}
    assert scored.samples.shape == (10, 2)


def test_z_scores_forgive_a_strict_judge() -> None:
    """Every judge has mean 0 and spread 1."""
    by_judge: dict[str, list[float]] = {}
    for rating in standardize(RATINGS):
        by_judge.setdefault(rating.judge, []).append(rating.value)
    for values in by_judge.values():
        assert np.mean(values) == pytest.approx(0)
        assert np.std(values) == pytest.approx(1)
    same = standardize([Rating("1", "A", "ann", 5), Rating("2", "A", "ann", 5)])
    assert [rating.value for rating in same] == [0, 0]


def test_agreement_is_on_what_both_rated() -> None:
    """And it says who is the stricter."""
    [found] = rater_agreements(RATINGS)
    assert (found.judge, found.other, found.outputs) == ("ann", "ben", 2)
    assert found.pearson == pytest.approx(1)
    assert found.difference == pytest.approx(40)


def test_intraclass_correlation() -> None:
    """1 where judges always agree; the example of Shrout and Fleiss (1979) has .17."""
    agreed = [Rating(str(s), "A", j, float(s)) for s in range(4) for j in "xyz"]
    assert intraclass_correlation(agreed) == pytest.approx(1)
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    ratings = [
        Rating(str(at), "A", str(judge), value)
        for at, row in enumerate(table)
        for judge, value in enumerate(row)
    ]
    assert intraclass_correlation(ratings) == pytest.approx(0.17, abs=0.005)
    assert intraclass_correlation(RATINGS[:2]) is None


def test_two_outputs_rated_twice_have_a_correlation() -> None:
    """By hand: means 1 and 5, spread 2 within each; one output alone has none."""
    rows = [("1", "A", 0), ("1", "A", 2), ("2", "A", 4), ("2", "A", 6)]
    ratings = [Rating(s, name, f"j{n}", v) for n, (s, name, v) in enumerate(rows)]
    assert intraclass_correlation(ratings) == pytest.approx((16 - 2) / (16 + 2))
    assert intraclass_correlation(ratings[:2]) is None


def test_no_ratings_no_order() -> None:
    """One clear sentence."""
    with pytest.raises(DataError, match="no ratings"):
        score_by_ratings([], rng=np.random.default_rng(1))
