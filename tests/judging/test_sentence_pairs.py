"""Agreement of metrics with judges on pairs of outputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judging.ranking_cases import make_ranking

from redink.errors import DataError
from redink.judging.rankers import expected_wins
from redink.judging.rankings import expand, tally
from redink.judging.sentence_pairs import (
    agree_on_sentences,
    align_scores,
    calibrate_ties,
    credit_by_sentence,
    find_shift,
    grid_of_rankings,
    group_sentence_scores,
    measure_pairs,
    pair_columns,
    rankings_from_scores,
    renumber,
    resample_accuracy,
    unequal_share,
)
from redink.model import RankedOutput, Ranking, SentenceScore

RANKINGS = [
    Ranking("1", "ann", (RankedOutput(1, ("A", "B")), RankedOutput(2, ("C",)))),
    Ranking("2", "ben", (RankedOutput(2, ("A",)), RankedOutput(1, ("C",)))),
]


def test_a_ranking_is_a_row_and_a_better_rank_a_higher_value() -> None:
    grid = grid_of_rankings(RANKINGS, ["C", "A", "B"])
    assert grid.systems == ("A", "B", "C")
    assert grid.sentences == ("1", "2")
    np.testing.assert_array_equal(grid.values, [[-1, -1, -2], [-2, np.nan, -1]])
    assert grid.only(["C", "A"]).systems == ("A", "C")


def test_ties_are_counted_in_every_way() -> None:
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
    grid = grid_of_rankings(RANKINGS, "ABC")
    pairs = pair_columns(grid.values, align_scores({"2": {"A": 0, "C": 1}}, grid))
    assert (len(pairs), pairs.missing, measure_pairs(pairs).accuracy) == (1, 3, 1.0)


def test_sentences_are_drawn_again_with_all_their_pairs() -> None:
    grid = grid_of_rankings([*RANKINGS, RANKINGS[0]], "ABC")
    scores = {"1": {"A": 1.0, "B": 0.5, "C": 0.5}, "2": {"A": 0.3, "C": 0.3}}
    credit, number = credit_by_sentence(grid, pair_columns(grid.values, align_scores(scores, grid)))
    assert credit.tolist() == [3.0, 0.5]
    assert number.tolist() == [4.0, 1.0]
    drawn = resample_accuracy(credit, number, 50, np.random.default_rng(1))
    assert set(np.round(drawn, 6)) <= {0.75, 0.7, 0.5}


def test_calibration_without_a_pair_is_undefined() -> None:
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


def agree(*args: object, **options: object):
    return agree_on_sentences(*args, samples=200, rng=np.random.default_rng(1), **options)  # type: ignore[arg-type]


def test_pairs_are_counted_by_what_both_say() -> None:
    rankings = [
        make_ranking("A B", sentence="1"),  # metric agrees
        make_ranking("A B", sentence="2"),  # metric disagrees
        make_ranking("A B", sentence="3"),  # metric ties
        make_ranking("A=B", sentence="4"),  # judge ties
        make_ranking("A=B", sentence="5"),  # both tie
        make_ranking("A B", sentence="6"),  # no score
    ]
    scores = {
        "1": {"A": 0.9, "B": 0.1},
        "2": {"A": 0.1, "B": 0.9},
        "3": {"A": 0.5, "B": 0.5},
        "4": {"A": 0.9, "B": 0.1},
        "5": {"A": 0.5, "B": 0.5},
        "6": {"A": 0.5},
    }
    found = agree(rankings, "m", scores)
    assert (found.concordant, found.discordant, found.metric_ties) == (1, 1, 1)
    assert (found.human_ties, found.both_ties, found.missing, found.pairs) == (1, 1, 1, 5)
    assert found.tau == 0
    assert found.accuracy == pytest.approx(1 / 3)
    assert found.accuracy_with_ties == pytest.approx(2 / 5)
    assert found.tau_low <= 0 <= found.tau_high


def test_tolerance_makes_ties() -> None:
    rankings = [make_ranking("A B")]
    scores = {"1": {"A": 0.50, "B": 0.49}}
    assert agree(rankings, "m", scores).concordant == 1
    assert agree(rankings, "m", scores, tolerance=0.02).metric_ties == 1


def test_an_output_has_the_score_of_any_system_behind_it() -> None:
    found = agree([make_ranking("A+B+C D")], "m", {"1": {"B": 1.0, "D": 0.0}})
    assert (found.pairs, found.concordant) == (1, 1)


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(DataError, match="start at the same number"):
        agree([make_ranking("A B", sentence="9")], "m", {"1": {"A": 1.0, "B": 0.0}})


def test_sentences_out_of_step_are_put_in_step() -> None:
    shapes = ("A+B C", "B+C A", "A+C B")
    rng = np.random.default_rng(1)
    rankings, scores = [], {}
    for number in range(30):
        ranking = make_ranking(shapes[number % 3], sentence=str(number))
        rankings.append(ranking)
        scores[str(number)] = {
            system: value
            for output, value in zip(ranking.outputs, rng.random(2), strict=True)
            for system in output.systems
        }
    assert find_shift(rankings, scores) == 0
    assert unequal_share(rankings, scores) == 0
    for shift in (-1, 1):
        assert find_shift(rankings, renumber(scores, shift)) == -shift
        assert unequal_share(rankings, renumber(scores, shift)) == 1


def test_names_are_never_shifted() -> None:
    scores = {"a": {"A": 0.1, "B": 0.2, "C": 0.3}}
    assert find_shift([make_ranking("A+B C", sentence="a")], scores) == 0


def test_only_numbers_can_be_renumbered() -> None:
    assert renumber({"3": {"A": 1.0}}, 2) == {"5": {"A": 1.0}}
    with pytest.raises(DataError, match="sentences with numbers"):
        renumber({"a": {}}, 1)


def test_two_scores_for_one_output_are_refused() -> None:
    twice = [SentenceScore("1", "A", "m", 0.1), SentenceScore("1", "A", "m", 0.2)]
    with pytest.raises(DataError, match="sentence '1' of system 'A' has two scores under 'm'"):
        group_sentence_scores(twice)


def test_metric_ranks_like_a_judge() -> None:
    scores = {"1": {"A": 0.2, "B": 0.9, "C": 0.2}, "2": {"A": 1.0, "B": 0.0}}
    rankings = rankings_from_scores("m", scores)
    assert [r.judge for r in rankings] == ["m", "m"]
    ranks = {o.systems[0]: o.rank for o in rankings[0].outputs}
    assert ranks == {"B": 1, "A": 2, "C": 2}
    whole = tally(expand(rankings))
    assert expected_wins(whole)[0] == pytest.approx(0.5)


@given(
    st.dictionaries(
        st.sampled_from("123"),
        st.dictionaries(st.sampled_from("ABCD"), st.integers(0, 3), min_size=2),
        min_size=1,
    )
)
def test_metric_agrees_with_itself(scores: dict[str, dict[str, int]]) -> None:
    rankings = rankings_from_scores("m", scores)
    found = agree(rankings, "m", scores)
    assert found.accuracy_with_ties == 1
    assert found.discordant == found.metric_ties == found.human_ties == 0


def test_the_interval_of_tau_holds_it() -> None:
    rankings = [make_ranking("A B", sentence=str(number)) for number in range(40)]
    scores = {str(n): {"A": 0.9, "B": 0.1 if n % 10 else 0.95} for n in range(40)}
    found = agree(rankings, "m", scores)
    assert found.tau == pytest.approx(0.8)
    assert 0.5 < found.tau_low < 0.8 < found.tau_high <= 1
