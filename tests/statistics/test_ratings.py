"""Ratings as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from redink.errors import DataError, OptionError
from redink.statistics.ratings import MISSING, agreement_weights, confusion_matrix, make_ratings


def test_nan_is_missing() -> None:
    """Floats with NaN and integers with MISSING are the same ratings."""
    ratings = make_ratings([[0.0, np.nan], [1.0, 1.0]])
    assert ratings.codes.tolist() == [[0, MISSING], [1, 1]]
    assert ratings.counts.tolist() == [[1, 0], [0, 2]]
    assert ratings.sizes.tolist() == [1, 2]


def test_categories_beyond_those_that_occur() -> None:
    ratings = make_ratings([[0, 0]], categories=3)
    assert ratings.categories == 3
    assert ratings.used.tolist() == [0]


@pytest.mark.parametrize(
    ("codes", "options", "words"),
    [
        ([0, 1], {}, "items by judges"),
        ([[0, 3]], {"categories": 2}, "outside the 2 categories"),
        ([[0, -2]], {}, "numbered from 0"),
    ],
)
def test_impossible_ratings_are_refused(codes, options, words: str) -> None:
    with pytest.raises(DataError, match=words):
        make_ratings(codes, **options)


def test_weights_fall_with_distance() -> None:
    """Linear and quadratic weights are 1 on the diagonal and 0 at the ends of the scale."""
    values = np.array([0.0, 1.0, 4.0])
    assert agreement_weights(values, "linear").tolist() == [
        [1, 0.75, 0],
        [0.75, 1, 0.25],
        [0, 0.25, 1],
    ]
    assert agreement_weights(values, "quadratic")[0].tolist() == [1, 1 - 1 / 16, 0]
    with pytest.raises(OptionError, match="unknown weighting"):
        agreement_weights(values, "cubic")  # type: ignore[arg-type]


def test_confusion_matrix_leaves_out_what_is_missing() -> None:
    first, second = np.array([0, 0, 1, MISSING]), np.array([0, 1, 1, 1])
    assert confusion_matrix(first, second, 2).tolist() == [[1, 1], [0, 1]]
