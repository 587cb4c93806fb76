"""Crowds: weighted measures, gold questions, crowd size and Dawid-Skene."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from redink.errors import DataError, OptionError
from redink.judging.crowdsourcing import (
    bin_by_agreement,
    bootstrap_measures,
    check_judges,
    count_against,
    crowd_agreement,
    crowd_size_curve,
    error_shares,
    error_votes,
    find_gold,
    majority,
    smallest_matching,
)
from redink.judging.labels import tabulate
from redink.model import Judgment
from redink.statistics.dawid_skene import fit_dawid_skene
from redink.statistics.ratings import MISSING, make_ratings


def test_weighted_counts_follow_the_paper_s_formulas() -> None:
    """Madnani et al. (2011), equations 1 to 3, by hand on three items."""
    flagged = np.array([True, True, False])
    shares = np.array([0.9, 0.4, 0.25])
    counts = count_against(flagged, shares)
    assert counts.tp == pytest.approx(0.9 + 0.4)
    assert counts.fn == pytest.approx(0.25)
    assert counts.fp == pytest.approx(0.1 + 0.6)
    assert counts.tn == pytest.approx(0.75)
    assert counts.precision.value == pytest.approx(1.3 / 2)
    assert counts.recall.value == pytest.approx(1.3 / 1.55)


@given(arrays(bool, 30), arrays(bool, 30))
def test_a_unanimous_crowd_makes_weighted_equal_plain(flagged, errors) -> None:
    """Where shares are 0 and 1, weighted counts are the plain counts, to the last digit."""
    shares = errors.astype(float)
    weighted = count_against(flagged, shares)
    assert weighted == count_against(flagged, majority(shares))
    assert weighted.tp == (flagged & errors).sum()
    assert weighted.fp == (flagged & ~errors).sum()
    assert weighted.fn == (~flagged & errors).sum()
    assert weighted.tn == (~flagged & ~errors).sum()


def test_votes_shares_majority_and_agreement() -> None:
    matrix = tabulate(
        [
            Judgment("a", "x", "wrong"),
            Judgment("a", "y", "extra"),
            Judgment("a", "z", "ok"),
            Judgment("b", "x", "ok"),
            Judgment("b", "y", "wrong"),
        ]
    )
    votes = error_votes(matrix, ["ok"])
    assert votes.tolist() == [[1, 1, 0], [0, 1, -1]]
    shares = error_shares(votes)
    assert shares.tolist() == [2 / 3, 0.5]
    assert crowd_agreement(shares).tolist() == [2 / 3, 0.5]
    assert majority(shares).tolist() == [1, 0]
    assert majority(shares, "error").tolist() == [1, 1]
    assert np.isnan(majority(shares, "skip")[1])


def test_items_without_judgments_count_for_nothing() -> None:
    shares = error_shares(np.array([[1, 1], [-1, -1]]))
    assert np.isnan(shares[1])
    counts = count_against(np.array([True, True]), shares)
    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (1, 0, 0, 0)


def test_bins_take_their_lower_limit_and_the_last_both() -> None:
    """15 of 20 belongs to 75-90 %, 18 of 20 to 90-100 %, unanimity to the last bin."""
    agreement = np.array([10, 14, 15, 17, 18, 20]) / 20
    bins = bin_by_agreement(agreement, (0.5, 0.75, 0.9, 1))
    assert [b.members.nonzero()[0].tolist() for b in bins] == [[0, 1], [2, 3], [4, 5]]
    assert [b.name for b in bins] == ["50–75 %", "75–90 %", "90–100 %"]
    (whole,) = bin_by_agreement(agreement, (0, 1))
    assert whole.members.all()


@settings(max_examples=40)
@given(st.integers(1, 40), st.lists(st.integers(0, 40), min_size=1, max_size=30))
def test_every_item_is_in_one_bin(judges: int, errors: list[int]) -> None:
    shares = np.array([min(e, judges) / judges for e in errors])
    bins = bin_by_agreement(crowd_agreement(shares), (0.5, 0.6, 0.7, 0.8, 0.9, 1))
    assert (np.sum([b.members for b in bins], axis=0) == 1).all()


@pytest.mark.parametrize("edges", [(0.5,), (0.9, 0.5), (0.5, 0.5, 1), (0.5, 1.5), (-1, 1)])
def test_impossible_bins_are_refused(edges) -> None:
    """Limits rise, and lie between 0 and 1."""
    with pytest.raises(OptionError, match="limits"):
        bin_by_agreement(np.array([0.7]), edges)


def test_bootstrap_of_counts_equals_resampling() -> None:
    """The samples' precision and recall are those of resampled items, also where truth is NaN."""
    rng = np.random.default_rng(5)
    flagged, truth = rng.random(40) < 0.5, rng.random(40)
    truth[:3] = np.nan
    drawn = bootstrap_measures(flagged, truth, beta=0.5, samples=20, rng=np.random.default_rng(9))
    indices = np.random.default_rng(9).integers(0, 40, size=(20, 40))
    for sample, chosen in enumerate(indices):
        counts = count_against(flagged[chosen], truth[chosen])
        assert drawn["precision"][sample] == pytest.approx(counts.precision.value)
        assert drawn["recall"][sample] == pytest.approx(counts.recall.value)
        assert drawn["f"][sample] == pytest.approx(counts.f(0.5).value)


def random_crowd(seed: int, *, items: int = 80, judges: int = 7, labels: int = 3):
    """Judges of differing skill; the truth, and their labels with gaps."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(labels, items, p=rng.dirichlet(np.full(labels, 5.0)))
    skill = rng.uniform(0.4, 0.95, judges)
    right = rng.random((items, judges)) < skill
    codes = np.where(right, truth[:, None], rng.integers(0, labels, (items, judges)))
    codes[rng.random(codes.shape) < 0.3] = MISSING
    codes[:, 0] = np.where(codes[:, 0] == MISSING, truth, codes[:, 0])  # nobody is left out
    return truth, codes


def plain_em(codes: np.ndarray, labels: int, rounds: int) -> np.ndarray:
    """Dawid and Skene (1979) as one would write it from the paper, with loops."""
    items, judges = codes.shape
    belief = np.array([[np.mean(row[row != MISSING] == k) for k in range(labels)] for row in codes])
    for _ in range(rounds + 1):
        shares = belief.mean(axis=0)
        errors = np.zeros((judges, labels, labels))
        for i in range(items):
            for j in range(judges):
                if codes[i, j] != MISSING:
                    errors[j, :, codes[i, j]] += belief[i]
        errors = np.maximum(errors, 1e-10)
        errors /= errors.sum(axis=2, keepdims=True)
        last = belief
        belief = np.empty_like(last)
        for i in range(items):
            for k in range(labels):
                belief[i, k] = shares[k] * np.prod(
                    [errors[j, k, codes[i, j]] for j in range(judges) if codes[i, j] != MISSING]
                )
            belief[i] /= belief[i].sum()
    return last


@pytest.fixture(scope="module")
def crowd_kit():
    """crowd-kit's own class, without the parts of that package that need other libraries."""
    spec = importlib.util.find_spec("crowdkit")
    if spec is None or spec.submodule_search_locations is None:
        pytest.skip("crowd-kit is not installed")
    root = spec.submodule_search_locations[0]
    names = ["crowdkit", "crowdkit.aggregation", "crowdkit.aggregation.classification"]
    for name in names:
        package = types.ModuleType(name)
        package.__path__ = [f"{root}/{'/'.join(name.split('.')[1:])}"]
        sys.modules[name] = package
    try:
        module = importlib.import_module("crowdkit.aggregation.classification.dawid_skene")
    except ImportError as error:
        pytest.skip(f"crowd-kit cannot be loaded: {error}")
    finally:
        for name in names:
            sys.modules.pop(name)
    return module.DawidSkene


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rounds", [1, 10])
def test_equals_crowd_kit(seed: int, rounds: int, crowd_kit) -> None:
    """After as many rounds, every probability is crowd-kit's (which keeps them above 1e-10)."""
    import pandas as pd

    _, codes = random_crowd(seed)
    item, judge = np.nonzero(codes != MISSING)
    frame = pd.DataFrame({"task": item, "worker": judge, "label": codes[item, judge]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # crowd-kit's own use of pandas
        theirs = crowd_kit(n_iter=rounds, tol=-np.inf).fit(frame)
    table = theirs.probas_.sort_index()[[0, 1, 2]].to_numpy()
    ours = fit_dawid_skene(make_ratings(codes, categories=3), iterations=rounds, tolerance=-np.inf)
    np.testing.assert_allclose(ours.probabilities, table, atol=2e-9)
    for number in range(codes.shape[1]):
        errors = theirs.errors_.loc[number].reindex(range(3), fill_value=0)[[0, 1, 2]].to_numpy()
        np.testing.assert_allclose(ours.errors[number], errors.T, atol=2e-8)


@pytest.mark.parametrize("seed", range(4))
def test_equals_the_paper_written_with_loops(seed: int) -> None:
    _, codes = random_crowd(seed, items=30, judges=5)
    ours = fit_dawid_skene(make_ratings(codes, categories=3), iterations=6, tolerance=-np.inf)
    np.testing.assert_allclose(ours.probabilities, plain_em(codes, 3, 6), atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_likelihood_never_falls(seed: int) -> None:
    _, codes = random_crowd(seed)
    history = fit_dawid_skene(make_ratings(codes, categories=3)).log_likelihood
    assert len(history) > 2
    assert np.diff(history).min() > -1e-6


def test_good_judges_are_told_from_bad_ones() -> None:
    """It finds the truth where most votes are worthless, because it finds out who guesses."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 300)
    experts = np.where(rng.random((300, 3)) < 0.95, truth[:, None], 1 - truth[:, None])
    guessers = rng.integers(0, 2, (300, 6))
    codes = np.hstack([experts, guessers])
    fitted = fit_dawid_skene(make_ratings(codes, categories=2))
    by_model = (fitted.probabilities.argmax(axis=1) == truth).mean()
    by_vote = ((codes.mean(axis=1) > 0.5) == truth).mean()
    assert by_model > 0.97 > by_vote
    accuracies = fitted.accuracies()
    assert accuracies[:3].min() > 0.9
    assert accuracies[3:].max() < 0.65
    assert fitted.converged


def answers(judge: str, labels: str, gold: str) -> list[Judgment]:
    """One letter a question: e(rror), o(k), or - for no answer; gold the same, - for none."""
    words = {"e": "error", "o": "ok"}
    return [
        Judgment(f"q{n}", judge, words[label], gold=words.get(known))
        for n, (label, known) in enumerate(zip(labels, gold, strict=True))
        if label != "-"
    ]


def test_accuracy_on_gold_questions() -> None:
    gold = "eeo-"
    given = [
        *answers("ann", "eeoo", gold),
        *answers("bob", "eoe-", gold),
        *answers("eve", "---o", gold),
    ]
    records = check_judges(tabulate(given), find_gold(given))
    assert [(r.judge, r.judgments, r.asked, r.right) for r in records] == [
        ("ann", 4, 3, 3),
        ("bob", 3, 3, 1),
        ("eve", 1, 0, 0),
    ]
    ann, bob, eve = records
    assert (ann.accuracy, eve.accuracy) == (1.0, None)
    assert bob.fails(0.7)
    assert not bob.fails(0.7, at_least=4)
    assert not eve.fails(1.0)


def test_a_gold_answer_that_nobody_gave_is_wrong_for_all() -> None:
    given = [Judgment("q", "ann", "ok", gold="error")]
    assert check_judges(tabulate(given), find_gold(given))[0].accuracy == 0


def test_two_gold_answers_are_refused() -> None:
    given = [Judgment("q", "ann", "ok", gold="ok"), Judgment("q", "bob", "ok", gold="error")]
    with pytest.raises(DataError, match="two gold answers: 'ok' and 'error'"):
        find_gold(given)


def test_the_whole_crowd_is_the_majority_vote() -> None:
    """At full size, without ties, every draw is the same: the majority against each expert."""
    rng = np.random.default_rng(3)
    crowd = rng.integers(0, 2, (50, 5))
    experts = rng.integers(0, 2, (50, 2))
    points = list(crowd_size_curve(crowd, experts, 2, draws=20, rng=rng))
    assert [p.size for p in points] == [1, 2, 3, 4, 5]
    votes = (crowd.mean(axis=1) > 0.5).astype(int)
    agreement = np.mean([(votes == expert).mean() for expert in experts.T])
    kappa = np.mean([cohen_kappa_score(votes, expert) for expert in experts.T])
    last = points[-1]
    np.testing.assert_allclose([last.agreement_low, last.agreement_high], agreement)
    np.testing.assert_allclose([last.kappa_low, last.kappa, last.kappa_high], kappa)


def test_larger_crowds_come_closer_to_the_expert() -> None:
    """Independent judges who are right more often than not: odd crowds improve with size."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 500)
    crowd = np.where(rng.random((500, 9)) < 0.7, truth[:, None], 1 - truth[:, None])
    points = list(crowd_size_curve(crowd, truth[:, None], 2, draws=40, rng=rng))
    odd = [p.agreement for p in points if p.size % 2]
    assert odd == sorted(odd)
    assert odd[-1] > odd[0] + 0.15
    assert smallest_matching(points, 0.8) == 5
    assert smallest_matching(points, 1.0) is None
    assert smallest_matching(points, None) is None


def test_items_with_fewer_judges_leave_the_curve_early() -> None:
    crowd = np.array([[0, 0, 0], [1, 1, MISSING], [1, MISSING, MISSING], [0, 0, 0]])
    experts = np.array([[0], [1], [1], [MISSING]])
    points = list(crowd_size_curve(crowd, experts, 2, draws=2, rng=np.random.default_rng(1)))
    assert [p.items for p in points] == [3, 2, 1]
    assert all(p.agreement_low == p.agreement == 1 for p in points)
    assert points[2].kappa is None


@pytest.mark.parametrize(
    ("crowd", "experts", "words"),
    [
        (np.zeros((3, 2), int), np.zeros((3, 0), int), "no judge is an expert"),
        (np.zeros((3, 0), int), np.zeros((3, 1), int), "there is no crowd"),
        (np.full((3, 1), MISSING), np.zeros((3, 1), int), "by both an expert and the crowd"),
    ],
)
def test_curves_that_cannot_be_drawn(crowd, experts, words: str) -> None:
    with pytest.raises(DataError, match=words):
        list(crowd_size_curve(crowd, experts, 2, draws=1, rng=np.random.default_rng(1)))
