"""Soft pairwise accuracy, permutation tests between metrics, and chance."""

from __future__ import annotations

import numpy as np
import pytest

from redink.errors import DataError
from redink.judging.metric_tests import (
    _compare,
    bootstrap_p_values,
    chance_level,
    compare_correlations,
    compare_credits,
    permutation_p_values,
    shuffled_soft_accuracy,
    soft_pairwise_accuracy,
)
from redink.judging.sentence_pairs import calibrate_ties


def test_p_values_are_the_share_of_shuffles_with_so_large_a_lead() -> None:
    """With the signs of mt-metrics-eval: the same numbers for the same seed."""
    scores = np.array([[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]])
    found = permutation_p_values(scores)
    signs = np.rint(np.random.default_rng(4).random(size=(1000, 5), dtype=np.float32)) * 2 - 1
    # all five differences are alike: only the shuffle that changes nothing reaches them
    assert found[0, 1] == (signs.sum(axis=1) == 5).mean()
    assert np.isnan(found[1, 0])
    np.testing.assert_array_equal(found, permutation_p_values(scores))


def test_a_known_set_of_p_values() -> None:
    """Recorded from the procedure of mt-metrics-eval (``pce``), seed 4, 1000 permutations."""
    rng = np.random.default_rng(7)
    rng.integers(0, 5, size=(12, 4))
    rng.normal(size=(12, 4))
    lead = np.array([[0.5], [0.3], [0], [-0.2]])
    human = np.round(rng.normal(size=(4, 30)) * 2 + lead, 1)
    metric = np.round(human + rng.normal(size=human.shape) * 2, 1)
    people = permutation_p_values(human)
    above = people[np.triu_indices(4, 1)]
    assert above.tolist() == [0.193, 0.066, 0.034, 0.292, 0.203, 0.362]
    found = soft_pairwise_accuracy(people, permutation_p_values(metric))
    assert found == pytest.approx(0.6643333333333332, abs=1e-12)


def test_soft_accuracy_is_one_for_people_themselves() -> None:
    """And at chance for systems under each other's names it lies well below."""
    scores = np.random.default_rng(1).normal(size=(5, 40)) + np.arange(5)[:, None]
    people = permutation_p_values(scores)
    assert soft_pairwise_accuracy(people, people) == 1
    chance = shuffled_soft_accuracy(people, people)
    assert chance is not None
    assert 0.4 < chance < 0.6


def test_gaps_have_no_p_value() -> None:
    """A shuffle needs every score."""
    with pytest.raises(DataError, match="every sentence"):
        permutation_p_values(np.array([[1.0, np.nan], [1.0, 2.0]]))


def test_p_values_from_bootstrap_samples() -> None:
    """The share of samples in which the first is not ahead, a tie being half."""
    found = bootstrap_p_values(np.array([[2.0, 1.0], [1.0, 1.0], [0.0, 1.0], [3.0, 1.0]]))
    assert found[0, 1] == (1 + 0.5) / 4


def test_metrics_that_differ_get_different_letters() -> None:
    """Sentence by sentence; the better metric stands first."""
    rng = np.random.default_rng(3)
    number = np.full(200, 5.0)
    good = rng.binomial(5, 0.8, 200).astype(float)
    close = good.copy()
    close[:2] -= 1
    poor = rng.binomial(5, 0.5, 200).astype(float)
    tested = compare_credits(
        {"poor": (poor, number), "good": (good, number), "close": (close, number)}, 1000, 1
    )
    assert tested.letters == {"good": "a", "close": "a", "poor": "b"}
    assert [(t.metric, t.other) for t in tested.tests] == [
        ("good", "close"),
        ("good", "poor"),
        ("close", "poor"),
    ]
    assert tested.tests[1].p == pytest.approx(1 / 1001)


@pytest.mark.parametrize(("p", "letters"), [(0.05, "a a"), (0.04, "a b"), (None, "a a")])
def test_five_percent_are_no_difference(p: float | None, letters: str) -> None:
    """Metrics differ below p = .05; those without a p-value do not."""
    found = _compare({"better": 0.9, "worse": 0.1}, lambda *_: p)
    assert " ".join(found.letters[name] for name in ("better", "worse")) == letters


def test_metrics_over_systems_exchange_standardised_scores() -> None:
    """A metric and the same in percent do not differ at all."""
    human = np.arange(12.0)
    noise = np.random.default_rng(2).normal(size=12)
    scores = {"m": human + noise, "percent": 100 * (human + noise), "random": noise}
    tested = compare_correlations(human, scores, "pearson", 500, 1)
    by_pair = {frozenset((t.metric, t.other)): t.p for t in tested.tests}
    assert by_pair[frozenset(("m", "percent"))] == pytest.approx(1)
    assert tested.letters["m"] == tested.letters["percent"] != tested.letters["random"]


def test_chance_is_what_shuffled_scores_reach() -> None:
    """Scores stay in their sentence, and gaps where they are."""
    rng = np.random.default_rng(5)
    human = rng.normal(size=(60, 5))
    metric = human.copy()
    metric[3, 2] = np.nan
    seen = []

    def measure(mixed: np.ndarray) -> float | None:
        seen.append(mixed)
        found = calibrate_ties(human, mixed)
        return found.accuracy if found else None

    level = chance_level(measure, metric, shuffles=10)
    assert level is not None
    assert 0.45 < level < 0.6
    for mixed in seen:
        assert np.isnan(mixed[3, 2])
        np.testing.assert_array_equal(np.sort(mixed, axis=1), np.sort(metric, axis=1))
