"""Correlation of metrics with human scores, and tests between metrics."""

from __future__ import annotations

import numpy as np
import pytest

from redink.errors import DataError
from redink.judging.benchmark_evaluation import (
    _compare,
    bootstrap_p_values,
    chance_level,
    compare_correlations,
    compare_credits,
    permutation_p_values,
    shuffled_soft_accuracy,
    soft_pairwise_accuracy,
)
from redink.judging.metric_correlation import (
    MetricScores,
    compare_metrics,
    correlate_metric,
    correlate_windows,
    group_scores,
    pair_up,
    sweep_betas,
    with_beta,
)
from redink.judging.rankers import ScoredSystems
from redink.judging.sentence_pairs import calibrate_ties
from redink.model import SystemScore

NAMES = ("A", "B", "C", "D", "E")
PEOPLE = np.array([0.9, 0.7, 0.5, 0.3, 0.1])


def humans(scores: np.ndarray = PEOPLE, *, noise: float = 0.02) -> ScoredSystems:
    rng = np.random.default_rng(1)
    samples = scores + rng.normal(0, noise, (400, len(scores)))
    return ScoredSystems(NAMES[: len(scores)], scores, samples)


def metric(*values: float, name: str = "m", systems: tuple[str, ...] = NAMES) -> MetricScores:
    return MetricScores(name, systems, np.array(values))


def test_scores_are_grouped_by_metric() -> None:
    """In the order of the metrics; precision and recall only where all systems have them."""
    found = group_scores(
        [
            SystemScore("B", "m2", 0.3, 0.4, 0.2),
            SystemScore("A", "m2", 0.5, 0.6, 0.3),
            SystemScore("A", "gleu", 0.7),
            SystemScore("B", "gleu", 0.6, 0.1, 0.1),
        ]
    )
    assert [m.metric for m in found] == ["m2", "gleu"]
    assert found[0].systems == ("A", "B")
    assert found[0].precision.tolist() == [0.6, 0.4]  # type: ignore[union-attr]
    assert found[1].precision is None
    with pytest.raises(DataError, match="'A' has two scores under the metric 'x'"):
        group_scores([SystemScore("A", "x", 1), SystemScore("A", "x", 2)])


def test_only_common_systems_are_compared() -> None:
    scores = PEOPLE.copy()
    scores[4] = np.nan
    paired = pair_up(humans(scores), metric(3, 2, 1, systems=("B", "E", "Z")))
    assert paired.systems == ("B",)
    assert paired.metric.tolist() == [3]


def test_perfect_and_reversed_metrics() -> None:
    """1 and -1, with intervals that say how firm the human order is."""
    good = correlate_metric(humans(), metric(9, 7, 5, 3, 1), rng=np.random.default_rng(1))
    bad = correlate_metric(humans(), metric(1, 3, 5, 7, 9), rng=np.random.default_rng(1))
    for name in ("spearman", "pearson", "kendall"):
        assert getattr(good, name) == pytest.approx(1)
        assert getattr(bad, name) == pytest.approx(-1)
        assert getattr(good, f"{name}_low") > 0.9


def test_uncertain_humans_and_few_systems_widen_intervals() -> None:
    values = metric(0.8, 0.7, 0.6, 0.1, 0.2)
    widths = []
    for people, uncertainty in (
        (humans(noise=0.01), "judgments"),
        (humans(noise=0.2), "judgments"),
        (humans(noise=0.01), "systems"),
    ):
        found = correlate_metric(
            people, values, uncertainty=uncertainty, rng=np.random.default_rng(1)
        )
        assert found.pearson_low is not None
        assert found.pearson_high is not None
        widths.append(found.pearson_high - found.pearson_low)
    assert widths[1] > 2 * widths[0]
    assert widths[2] > 2 * widths[0]


def test_constant_metric_and_lone_system_have_no_correlation() -> None:
    for values in (metric(1, 1, 1, 1, 1), metric(1, systems=("A",))):
        found = correlate_metric(humans(), values, rng=np.random.default_rng(1))
        assert (found.spearman, found.pearson, found.kendall) == (None, None, None)


def test_better_metric_comes_first_in_the_williams_test() -> None:
    good, poor = metric(9, 7, 4, 3, 1, name="good"), metric(5, 9, 1, 7, 3, name="poor")
    for pair in ([good, poor], [poor, good]):
        (found,) = compare_metrics(humans(), pair)
        assert (found.metric, found.other) == ("good", "poor")
        assert found.t is not None
        assert found.t > 0
        assert found.p is not None
        assert found.p < 0.5
    (same,) = compare_metrics(humans(), [good, good])
    assert (same.t, same.p) == (None, None)


def test_windows_slide_or_shrink() -> None:
    values = metric(5, 4, 1, 2, 3)
    sliding = correlate_windows(humans(), values, width=3)
    assert [(w.first, w.last) for w in sliding] == [(1, 3), (2, 4), (3, 5)]
    assert sliding[0].systems == "A B C"
    assert sliding[0].kendall == pytest.approx(1)
    assert sliding[2].kendall == pytest.approx(-1)
    shrinking = correlate_windows(humans(), values)
    assert [(w.first, w.last) for w in shrinking] == [(1, 5), (1, 4), (1, 3)]
    assert correlate_windows(humans(), values, width=9) == ()


def test_other_beta_makes_another_metric() -> None:
    with_both = MetricScores(
        "m2", ("A", "B"), np.array([0.0, 0.0]), np.array([0.5, 0.4]), np.array([0.1, 0.4])
    )
    made = with_beta(with_both, 0.25)
    assert made.metric == "m2 F0.25"
    assert made.scores[0] == pytest.approx(1.0625 * 0.05 / (0.0625 * 0.5 + 0.1))
    with pytest.raises(DataError, match="'m' have no precision and recall"):
        with_beta(metric(1, 2, 3, 4, 5), 0.5)


def test_sweep_finds_what_people_value() -> None:
    precision = np.array([0.9, 0.7, 0.5, 0.3, 0.1])
    recall = precision[::-1].copy()
    scores = MetricScores("m", NAMES, precision, precision, recall)
    for people, best in ((precision, 0.01), (recall, 5.0)):
        sweep = sweep_betas(humans(people), scores, betas=[0.01, 0.5, 1, 2, 5])
        found = {b.coefficient: b for b in sweep.best}["pearson"]
        assert found.beta == best
        assert found.value == pytest.approx(max(row.pearson for row in sweep.betas))  # type: ignore[type-var]
        assert found.low is not None
        assert found.high is not None
        assert found.low <= best <= found.high


def test_largest_of_equally_good_betas() -> None:
    """Spearman's rho is flat over many betas; the published table names the largest."""
    precision = np.array([0.9, 0.7, 0.5, 0.3, 0.1])
    scores = MetricScores("m", NAMES, precision, precision, precision)
    sweep = sweep_betas(humans(), scores, betas=[0.1, 0.2, 0.3])
    assert {b.beta for b in sweep.best} == {0.3}


def test_p_values_are_the_share_of_shuffles_with_so_large_a_lead() -> None:
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
    scores = np.random.default_rng(1).normal(size=(5, 40)) + np.arange(5)[:, None]
    people = permutation_p_values(scores)
    assert soft_pairwise_accuracy(people, people) == 1
    chance = shuffled_soft_accuracy(people, people)
    assert chance is not None
    assert 0.4 < chance < 0.6


def test_gaps_have_no_p_value() -> None:
    with pytest.raises(DataError, match="every sentence"):
        permutation_p_values(np.array([[1.0, np.nan], [1.0, 2.0]]))


def test_p_values_from_bootstrap_samples() -> None:
    found = bootstrap_p_values(np.array([[2.0, 1.0], [1.0, 1.0], [0.0, 1.0], [3.0, 1.0]]))
    assert found[0, 1] == (1 + 0.5) / 4


def test_metrics_that_differ_get_different_letters() -> None:
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
    human = np.arange(12.0)
    noise = np.random.default_rng(2).normal(size=12)
    scores = {"m": human + noise, "percent": 100 * (human + noise), "random": noise}
    tested = compare_correlations(human, scores, "pearson", 500, 1)
    by_pair = {frozenset((t.metric, t.other)): t.p for t in tested.tests}
    assert by_pair[frozenset(("m", "percent"))] == pytest.approx(1)
    assert tested.letters["m"] == tested.letters["percent"] != tested.letters["random"]


def test_chance_is_what_shuffled_scores_reach() -> None:
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
