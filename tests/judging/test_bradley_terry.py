"""Bradley-Terry with ties, against a log-linear model fitted by statsmodels."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judging.ranking_cases import make_ranking

from redink.judging.rankers import bradley_terry
from redink.judging.rankings import PairwiseTally, expand, tally


def random_tally(seed: int, *, size: int = 5, ties: bool = True) -> PairwiseTally:
    """Every pair compared often enough for the estimates to exist."""
    rng = np.random.default_rng(seed)
    wins = rng.integers(3, 40, (size, size)).astype(float)
    tied = np.triu(rng.integers(2, 30, (size, size)), 1).astype(float) * ties
    np.fill_diagonal(wins, 0)
    return PairwiseTally(tuple("ABCDEFGH"[:size]), wins, tied + tied.T)


def log_linear_abilities(whole: PairwiseTally) -> np.ndarray:
    """Davidson's model as a Poisson regression: a level for each pair, abilities and a tie."""
    import statsmodels.api as sm  # dear to load

    size = len(whole.systems)
    pairs = list(combinations(range(size), 2))
    has_ties = bool(whole.ties.any())
    rows, counts = [], []
    for at, (i, j) in enumerate(pairs):
        kinds = [(whole.wins[i, j], 1.0, 0), (whole.wins[j, i], -1.0, 0)]
        if has_ties:
            kinds.append((whole.ties[i, j], 0.0, 1))
        for count, sign, tie in kinds:
            row = np.zeros(len(pairs) + size - 1 + has_ties)
            row[at] = 1
            for system, weight in ((i, sign / 2), (j, -sign / 2)):
                if system:
                    row[len(pairs) + system - 1] = weight
            if has_ties:
                row[-1] = tie
            rows.append(row)
            counts.append(count)
    fit = sm.GLM(np.array(counts), np.array(rows), family=sm.families.Poisson()).fit(tol=1e-12)
    abilities = np.concatenate(([0.0], fit.params[len(pairs) : len(pairs) + size - 1]))
    return abilities - abilities.mean()


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_abilities_equal_those_of_the_log_linear_model(seed: int, ties: bool) -> None:  # noqa: FBT001
    """Maximum likelihood, with and without ties."""
    whole = random_tally(seed, ties=ties)
    assert bradley_terry(whole, prior_deviation=np.inf) == pytest.approx(
        log_linear_abilities(whole), abs=1e-6
    )


def test_prior_hardly_moves_what_data_has_settled() -> None:
    """The sixth decimal at most where there are thousands of judgments."""
    whole = random_tally(1)
    many = PairwiseTally(whole.systems, whole.wins * 100, whole.ties * 100)
    free = bradley_terry(many, prior_deviation=np.inf)
    assert bradley_terry(many) == pytest.approx(free, abs=1e-5)


def test_winner_of_everything_has_a_finite_ability() -> None:
    """Without a prior it would be infinite."""
    found = bradley_terry(tally(expand([make_ranking("A B C")] * 5)))
    assert np.isfinite(found).all()
    assert found[0] > found[1] > found[2]


def test_only_ties_make_equals() -> None:
    """And not an error."""
    assert bradley_terry(tally(expand([make_ranking("A=B=C")] * 4))) == pytest.approx(0)


def test_system_never_compared_has_no_ability() -> None:
    """NaN for it alone."""
    whole = tally(expand([make_ranking("A B"), make_ranking("B A")], systems="ABC"))
    assert np.isnan(bradley_terry(whole)[2])
    assert bradley_terry(whole)[:2] == pytest.approx(0)


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_abilities_turn_round_with_the_judgments(seed: int) -> None:
    """If every win were a loss, every ability would change its sign."""
    whole = random_tally(seed, size=4)
    turned = PairwiseTally(whole.systems, whole.wins.T, whole.ties)
    assert bradley_terry(turned) == pytest.approx(-bradley_terry(whole), abs=1e-7)


def test_many_tallies_are_fitted_as_one_by_one() -> None:
    """Batches change nothing."""
    tallies = [random_tally(seed) for seed in range(3)]
    stacked = PairwiseTally(
        tallies[0].systems, np.stack([t.wins for t in tallies]), np.stack([t.ties for t in tallies])
    )
    together = bradley_terry(stacked)
    for one, row in zip(tallies, together, strict=True):
        assert bradley_terry(one) == pytest.approx(row, abs=1e-9)
