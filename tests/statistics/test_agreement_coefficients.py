"""Coefficients of agreement, against published figures and other people's programs."""

from __future__ import annotations

from functools import partial
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from redink.errors import OptionError
from redink.statistics.agreement_coefficients import (
    bootstrap_coefficients,
    coefficients_for,
    cohen_kappa,
    evaluate,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    pair_agreement,
    pair_kappa,
    randolph_kappa,
    scott_pi,
)
from redink.statistics.ratings import MISSING, Ratings, make_ratings
from redink.statistics.resampling import draw_bootstrap_weights, interval_of

# Tetreault and Chodorow (2008), table 3: extraneous, wrong choice, OK.
TABLE_3 = [[17, 0, 6], [1, 42, 20], [4, 33, 1213]]

# Thirty items by five judges, four categories, a quarter missing, and what irrCAC 0.4.4 (pandas
# 3.1, categories=[0, 1, 2, 3], digits=14) gives for them under each weighting.
ITEMS = """
    000.. 0030. 3033. .33.3 221.2 1.10. 1.00. .2211 .333. 1.33.
    11111 2.023 ..000 23213 22222 333.3 0000. 22222 11101 2.322
    3..00 22.23 0.00. 000.3 11111 ..022 113.1 ..3.1 33133 10.02
"""
RECORDED = np.array([[int(label.replace(".", "-1")) for label in item] for item in ITEMS.split()])
IRRCAC = {
    "identity": {"fleiss": 0.47468110067289, "bp": 0.47703703703704, "gwet": 0.47781766023851},
    "linear": {"fleiss": 0.47384055584607, "gwet": 0.45586092129695},
    "quadratic": {"fleiss": 0.47565556687641, "gwet": 0.43678948855949},
}


def table_3() -> Ratings:
    codes = [
        [first, second]
        for first, row in enumerate(TABLE_3)
        for second, count in enumerate(row)
        for _ in range(count)
    ]
    return make_ratings(codes)


def random_codes(seed: int, *, missing: float = 0.25) -> tuple[np.ndarray, int]:
    """Items by judges who agree more than by chance, some of it missing."""
    rng = np.random.default_rng(seed)
    items, judges, categories = (int(n) for n in rng.integers([8, 2, 2], [60, 7, 6]))
    truth = rng.integers(0, categories, (items, 1))
    guesses = rng.integers(0, categories, (items, judges))
    codes = np.where(rng.random((items, judges)) < 0.55, truth, guesses)
    codes[rng.random(codes.shape) < missing] = MISSING
    return codes, categories


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_alpha_equals_krippendorff(seed: int, scale: str) -> None:
    """Krippendorff's alpha on every scale is that of the package ``krippendorff``."""
    codes, categories = random_codes(seed)
    theirs = krippendorff.alpha(
        reliability_data=np.where(codes == MISSING, np.nan, codes).T,
        value_domain=list(range(categories)),
        level_of_measurement=scale,
    )
    ratings = make_ratings(codes, categories=categories)
    ours = evaluate(partial(krippendorff_alpha, scale=scale), ratings)
    assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-12)


def test_alpha_of_numbers_that_are_not_ranks_equals_krippendorff() -> None:
    codes, _ = random_codes(3)
    values = [1.0, 2.5, 7.0, 7.5, 100.0][: codes.max() + 1]
    numbers = np.where(codes == MISSING, np.nan, np.array([*values, np.nan])[codes])
    theirs = krippendorff.alpha(reliability_data=numbers.T, level_of_measurement="interval")
    ours = evaluate(
        partial(krippendorff_alpha, scale="interval"), make_ratings(codes, values=values)
    )
    assert ours == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("weighting", ["identity", "linear", "quadratic"])
def test_pair_kappa_equals_scikit_learn_and_statsmodels(seed: int, weighting: str) -> None:
    codes, categories = random_codes(seed)
    ratings = make_ratings(codes, categories=categories)
    a, b = codes[(codes[:, :2] != MISSING).all(axis=1), :2].T
    ours = evaluate(partial(pair_kappa, first=0, second=1, weighting=weighting), ratings)
    theirs = cohen_kappa_score(
        a, b, labels=range(categories), weights=None if weighting == "identity" else weighting
    )
    assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-12)
    table = np.zeros((categories, categories))
    np.add.at(table, (a, b), 1)
    kind = {"identity": None, "linear": "linear", "quadratic": "fc"}[weighting]
    also = cohens_kappa(table, wt=kind, return_results=False)
    assert ours == pytest.approx(also, rel=1e-10, abs=1e-12)
    share = evaluate(partial(pair_agreement, first=0, second=1), ratings)
    assert share == pytest.approx((a == b).mean())


@pytest.mark.parametrize("seed", range(20))
def test_fleiss_and_randolph_equal_statsmodels(seed: int) -> None:
    codes, categories = random_codes(seed, missing=0)
    table = aggregate_raters(codes, n_cat=categories)[0]
    ratings = make_ratings(codes, categories=categories)
    assert evaluate(fleiss_kappa, ratings) == pytest.approx(statsmodels_fleiss(table), rel=1e-10)
    assert evaluate(randolph_kappa, ratings) == pytest.approx(
        statsmodels_fleiss(table, method="rand"), rel=1e-10
    )


def check_irrcac(ratings: Ratings, weighting: str, expected: dict[str, float]) -> None:
    """Compare with the coefficients of irrCAC; Randolph's kappa has no weights."""
    for name, coefficient in (("fleiss", fleiss_kappa), ("gwet", gwet_ac)):
        found = evaluate(partial(coefficient, weighting=weighting), ratings)
        assert found == pytest.approx(expected[name], abs=1e-12)
    if weighting == "identity":
        assert evaluate(randolph_kappa, ratings) == pytest.approx(expected["bp"], abs=1e-12)


@pytest.mark.parametrize("weighting", list(IRRCAC))
def test_fleiss_randolph_and_gwet_equal_recorded_irrcac(weighting: str) -> None:
    """With missing values, on recorded data, they are what irrCAC printed."""
    check_irrcac(make_ratings(RECORDED, categories=4), weighting, IRRCAC[weighting])


@pytest.mark.parametrize("seed", range(8))
def test_scott_pi_is_fleiss_kappa_of_the_items_in_common(seed: int) -> None:
    codes, categories = random_codes(seed)
    common = codes[(codes[:, :2] != MISSING).all(axis=1), :2]
    pi = evaluate(scott_pi, make_ratings(common, categories=categories))
    kappa = evaluate(fleiss_kappa, make_ratings(common, categories=categories))
    assert pi == pytest.approx(kappa, rel=1e-10)


def test_mean_kappa_is_the_mean_over_pairs() -> None:
    codes, categories = random_codes(5)
    ratings = make_ratings(codes, categories=categories)
    pairs = [evaluate(partial(pair_kappa, first=a, second=b), ratings) for a, b in ratings.pairs]
    assert len(pairs) > 2
    assert evaluate(cohen_kappa, ratings) == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_bootstrap_equals_resampling_item_by_item(scale: str) -> None:
    codes, categories = random_codes(2)
    ratings = make_ratings(codes, categories=categories)
    coefficients = coefficients_for(scale)
    drawn = bootstrap_coefficients(coefficients, ratings, samples=12, rng=np.random.default_rng(7))
    weights = draw_bootstrap_weights(len(codes), 12, np.random.default_rng(7)).astype(int)
    for sample, times in enumerate(weights):
        resampled = make_ratings(np.repeat(codes, times, axis=0), categories=categories)
        for name, coefficient in coefficients.items():
            alone = evaluate(coefficient, resampled)
            together = drawn[name][sample]
            assert together == pytest.approx(np.nan if alone is None else alone, nan_ok=True), name


def test_bootstrap_in_blocks_is_the_same_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = make_ratings(random_codes(2)[0])
    draw = partial(bootstrap_coefficients, {"kappa": cohen_kappa}, ratings, samples=30)
    whole = draw(rng=np.random.default_rng(1))
    monkeypatch.setattr("redink.statistics.agreement_coefficients._BLOCK", 100)
    parts = draw(rng=np.random.default_rng(1))
    np.testing.assert_allclose(parts["kappa"], whole["kappa"], rtol=1e-12)


@pytest.mark.parametrize(
    ("codes", "agreement"),
    [(np.zeros((10, 3), int), 1.0), ([[0], [1], [0]], None), ([[0, MISSING], [MISSING, 1]], None)],
    ids=["one label", "one judge", "no item in common"],
)
def test_undefined_coefficients(codes: Any, agreement: float | None) -> None:
    """Without variation or pairs there is nothing to correct for chance; nothing is 0."""
    ratings = make_ratings(codes)
    for name, coefficient in coefficients_for("ordinal").items():
        expected = agreement if name == "observed_agreement" else None
        assert evaluate(coefficient, ratings) == expected, name


def test_interval_of_nothing_is_undefined() -> None:
    """Bootstrap values that are all undefined have no interval; single ones are left out."""
    assert interval_of(np.array([np.nan, np.nan])) == (None, None)
    assert interval_of(np.array([1.0, np.nan, 1.0])) == (1.0, 1.0)


def test_a_bootstrap_needs_samples() -> None:
    with pytest.raises(OptionError, match="bootstrap samples must be at least 1"):
        bootstrap_coefficients({}, table_3(), samples=0, rng=np.random.default_rng(1))


matrices = st.integers(0, 10_000).map(random_codes)


@settings(max_examples=30)
@given(matrices, st.randoms(use_true_random=False))
def test_order_of_items_and_judges_does_not_matter(drawn, random) -> None:
    codes, categories = drawn
    rows, columns = list(range(len(codes))), list(range(codes.shape[1]))
    names = list(range(categories))
    for order in (rows, columns, names):
        random.shuffle(order)
    renamed = np.where(codes == MISSING, MISSING, np.array([*names, MISSING])[codes])
    one = make_ratings(codes, categories=categories)
    other = make_ratings(renamed[rows][:, columns], categories=categories)
    for name, coefficient in coefficients_for("nominal").items():
        assert evaluate(coefficient, one) == pytest.approx(evaluate(coefficient, other)), name


@settings(max_examples=30)
@given(matrices)
def test_perfect_agreement_is_one(drawn) -> None:
    """Judges who always agree get 1 from every coefficient that is defined."""
    codes, categories = drawn
    agreeing = np.where(codes == MISSING, MISSING, codes.max(axis=1, keepdims=True))
    ratings = make_ratings(agreeing, categories=categories)
    for name, coefficient in coefficients_for("ordinal").items():
        assert evaluate(coefficient, ratings) in (None, pytest.approx(1)), name
