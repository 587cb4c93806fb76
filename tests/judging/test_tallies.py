"""Tallies and their bootstrap samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.judging.ranking_cases import make_ranking, random_rankings

from redink.judging.rankings import (
    comparison_groups,
    expand,
    fold_tallies,
    resample_tallies,
    resample_tally,
    tally,
)
from redink.model import Ranking


@pytest.mark.parametrize("resample", ["pairs", "rankings"])
def test_samples_are_as_large_as_the_data_and_centred_on_it(resample: str) -> None:
    """A bootstrap sample has as many judgments; on average it is the data."""
    rankings = [make_ranking(text) for text in ("A B C", "B A C", "A=B C", "C A+B")] * 5
    judgments = expand(rankings)
    drawn = resample_tallies(judgments, 4000, np.random.default_rng(1), resample=resample)
    assert (drawn.compared.sum(axis=(1, 2)) / 2 == len(judgments)).all()
    whole = tally(judgments)
    assert np.abs(drawn.wins.mean(axis=0) - whole.wins).max() < 0.3
    assert np.abs(drawn.ties.mean(axis=0) - whole.ties).max() < 0.3


def test_rankings_vary_more_than_pairs() -> None:
    """Pairs of one ranking come and go together, so that sums over them vary more."""
    judgments = expand([make_ranking("A B+C+D"), make_ranking("B+C+D A")] * 10)
    spread = {
        unit: resample_tallies(judgments, 2000, np.random.default_rng(1), resample=unit)
        .wins[:, 0]
        .sum(axis=1)
        .std()
        for unit in ("pairs", "rankings")
    }
    assert spread["rankings"] > 1.3 * spread["pairs"]


def test_resampling_a_tally_has_the_same_law() -> None:
    """Drawing from the counts is drawing from the judgments."""
    judgments = expand([make_ranking("A B=C"), make_ranking("C A B")] * 20)
    one = resample_tallies(judgments, 3000, np.random.default_rng(1))
    other = resample_tally(tally(judgments), 3000, np.random.default_rng(2))
    assert other.wins.shape == (3000, 3, 3)
    assert (other.compared.sum(axis=(1, 2)) / 2 == len(judgments)).all()
    assert np.abs(one.wins.mean(axis=0) - other.wins.mean(axis=0)).max() < 0.4
    assert np.abs(one.wins.std(axis=0) - other.wins.std(axis=0)).max() < 0.2


@given(random_rankings())
def test_folds_add_up(rankings: list[Ranking]) -> None:
    """Every judgment is in one fold."""
    judgments = expand(rankings)
    fold = np.arange(len(judgments)) % 3
    parts = fold_tallies(judgments, fold, 3)
    whole = tally(judgments)
    assert (parts.wins.sum(axis=0) == whole.wins).all()
    assert (parts.ties.sum(axis=0) == whole.ties).all()


def test_groups_never_compared_are_found() -> None:
    """A and B met, C and D met, E met nobody."""
    rankings = [make_ranking("A B"), make_ranking("C=D"), make_ranking("E")]
    assert comparison_groups(tally(expand(rankings))) == (("A", "B"), ("C", "D"), ("E",))
