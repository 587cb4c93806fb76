"""Pairs of outputs: ties counted in every way, and tie calibration."""

from __future__ import annotations

import numpy as np
import pytest

from redink.judging.sentence_pairs import (
    align_scores,
    calibrate_ties,
    credit_by_sentence,
    grid_of_rankings,
    measure_pairs,
    pair_columns,
    resample_accuracy,
)
from redink.model import RankedOutput, Ranking

RANKINGS = [
    Ranking("1", "ann", (RankedOutput(1, ("A", "B")), RankedOutput(2, ("C",)))),
    Ranking("2", "ben", (RankedOutput(2, ("A",)), RankedOutput(1, ("C",)))),
]


def test_a_ranking_is_a_row_and_a_better_rank_a_higher_value() -> None:
    """Systems that the judge did not see have no value."""
    grid = grid_of_rankings(RANKINGS, ["C", "A", "B"])
    assert grid.systems == ("A", "B", "C")
    assert grid.sentences == ("1", "2")
    np.testing.assert_array_equal(grid.values, [[-1, -1, -2], [-2, np.nan, -1]])
    assert grid.only(["C", "A"]).systems == ("A", "C")


def test_ties_are_counted_in_every_way() -> None:
    """Half, as a preference for the second, and as an answer of its own."""
    grid = grid_of_rankings(RANKINGS, "ABC")
    scores = {"1": {"A": 1.0, "B": 0.5, "C": 0.5}, "2": {"A": 0.3, "C": 0.3}}
    pairs = pair_columns(grid.values, align_scores(scores, grid))
    found = measure_pairs(pairs)
    # decided: A>C (right), B>C (metric ties), and A<C (metric ties); A=B is tied by people alone
    assert (found.pairs, len(pairs), pairs.missing) == (3, 4, 0)
    assert found.accuracy == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert found.kendall == pytest.approx(1 / 3)
    # the second is preferred: wrong for B>C, right for A<C
    assert found.seeda_accuracy == pytest.approx(2 / 3)
    assert found.seeda_kendall == pytest.approx(1 / 3)
    assert found.with_ties == pytest.approx(1 / 4)


def test_pairs_without_scores_are_counted_as_missing() -> None:
    """They are not wrong answers."""
    grid = grid_of_rankings(RANKINGS, "ABC")
    pairs = pair_columns(grid.values, align_scores({"2": {"A": 0, "C": 1}}, grid))
    assert (len(pairs), pairs.missing, measure_pairs(pairs).accuracy) == (1, 3, 1.0)


def test_sentences_are_drawn_again_with_all_their_pairs() -> None:
    """The credit of a sentence sums over its rankings."""
    grid = grid_of_rankings([*RANKINGS, RANKINGS[0]], "ABC")
    scores = {"1": {"A": 1.0, "B": 0.5, "C": 0.5}, "2": {"A": 0.3, "C": 0.3}}
    credit, number = credit_by_sentence(grid, pair_columns(grid.values, align_scores(scores, grid)))
    assert credit.tolist() == [3.0, 0.5]
    assert number.tolist() == [4.0, 1.0]
    drawn = resample_accuracy(credit, number, 50, np.random.default_rng(1))
    assert set(np.round(drawn, 6)) <= {0.75, 0.7, 0.5}


def test_calibration_finds_the_threshold_that_helps_most() -> None:
    """Noise on what people find equal becomes ties; the threshold is the largest such gap."""
    human = np.array([[1.0, 1.0, 2.0], [3.0, 3.0, 1.0]])
    metric = np.array([[0.10, 0.12, 0.90], [0.80, 0.75, 0.20]])
    found = calibrate_ties(human, metric)
    assert found is not None
    assert found.accuracy == pytest.approx(1)
    assert found.threshold == pytest.approx(0.05)
    assert found.uncalibrated == pytest.approx(2 / 3)


def test_calibration_without_a_pair_is_undefined() -> None:
    """As where every row has one value."""
    assert calibrate_ties(np.array([[1.0, np.nan]]), np.array([[1.0, 2.0]])) is None


def _one_by_one(human: np.ndarray, metric: np.ndarray) -> tuple[float, float]:
    """The procedure of Deutsch et al. by its definition: every threshold, every pair."""
    gaps = {0.0}
    rows = []
    for people, scores in zip(human, metric, strict=True):
        known = [at for at in range(len(people)) if not np.isnan(people[at] + scores[at])]
        pairs = [(a, b) for a in known for b in known if a < b]
        if pairs:
            rows.append([(people[a] - people[b], scores[a] - scores[b]) for a, b in pairs])
            gaps |= {abs(scores[a] - scores[b]) for a, b in pairs}
    best = (-1.0, 0.0)
    for gap in sorted(gaps):
        shares = [
            np.mean([np.sign(h) == (0 if abs(m) <= gap else np.sign(m)) for h, m in row])
            for row in rows
        ]
        value = float(np.mean(shares))
        if value > best[0] + 1e-12:
            best = (value, gap)
    return best


@pytest.mark.parametrize("seed", range(5))
def test_calibration_equals_its_definition(seed: int) -> None:
    """Rows of different length, ties on both sides, gaps in both."""
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 4, size=(9, 5)).astype(float)
    metric = np.round(human + rng.normal(size=human.shape), 1)
    human[rng.random(human.shape) < 0.2] = np.nan
    metric[rng.random(human.shape) < 0.1] = np.nan
    found = calibrate_ties(human, metric)
    assert found is not None
    accuracy, threshold = _one_by_one(human, metric)
    assert found.accuracy == pytest.approx(accuracy, abs=1e-12)
    assert found.threshold == pytest.approx(threshold, abs=1e-12)


def test_calibration_gives_the_recorded_figures_of_mt_metrics_eval() -> None:
    """The figures that the tests of mt-metrics-eval expect of ``acc_23``."""
    nan = np.nan
    metric = [[0, 5, 2, 3, 2], [nan, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [nan] * 5]
    human = [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, nan, 3, 2], [nan] * 5]
    found = calibrate_ties(np.array(human, dtype=float), np.array(metric, dtype=float))
    assert found is not None
    assert found.accuracy == pytest.approx(0.4916666666666668, abs=1e-12)
    assert found.threshold == 1
    assert found.uncalibrated == pytest.approx(0.4666666666666667, abs=1e-12)
    for people, accuracy, threshold in (([1, 2, 3, 4], 1.0, 0), ([1, 1, 1, 4], 4 / 6, 4)):
        found = calibrate_ties(np.array([people], dtype=float), np.array([[0.0, 2, 6, 8]]))
        assert found is not None
        assert (found.accuracy, found.threshold) == (pytest.approx(accuracy), threshold)
