"""Metrics against judges, sentence by sentence."""

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
    find_shift,
    group_sentence_scores,
    rankings_from_scores,
    renumber,
    unequal_share,
)
from redink.model.scores import SentenceScore


def agree(*args: object, **options: object):
    return agree_on_sentences(*args, samples=200, rng=np.random.default_rng(1), **options)  # type: ignore[arg-type]


def test_pairs_are_counted_by_what_both_say() -> None:
    """One pair of every kind."""
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
    """Differences that small say nothing."""
    rankings = [make_ranking("A B")]
    scores = {"1": {"A": 0.50, "B": 0.49}}
    assert agree(rankings, "m", scores).concordant == 1
    assert agree(rankings, "m", scores, tolerance=0.02).metric_ties == 1


def test_an_output_has_the_score_of_any_system_behind_it() -> None:
    """One of them is enough; only pairs of outputs are counted."""
    found = agree([make_ranking("A+B+C D")], "m", {"1": {"B": 1.0, "D": 0.0}})
    assert (found.pairs, found.concordant) == (1, 1)


def test_nothing_in_common_is_an_error() -> None:
    """With a hint at its usual reason."""
    with pytest.raises(DataError, match="begin at the same number"):
        agree([make_ranking("A B", sentence="9")], "m", {"1": {"A": 1.0, "B": 0.0}})


def test_sentences_out_of_step_are_put_in_step() -> None:
    """Systems with one output must have one score; one number further they have."""
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
    """However little they fit."""
    scores = {"a": {"A": 0.1, "B": 0.2, "C": 0.3}}
    assert find_shift([make_ranking("A+B C", sentence="a")], scores) == 0


def test_only_numbers_can_be_renumbered() -> None:
    """Names have no next."""
    assert renumber({"3": {"A": 1.0}}, 2) == {"5": {"A": 1.0}}
    with pytest.raises(DataError, match="not numbers"):
        renumber({"a": {}}, 1)


def test_two_scores_for_one_output_are_refused() -> None:
    """Which would it be?"""
    twice = [SentenceScore("1", "A", "m", 0.1), SentenceScore("1", "A", "m", 0.2)]
    with pytest.raises(DataError, match="sentence '1' of system 'A' has two scores under 'm'"):
        group_sentence_scores(twice)


def test_metric_ranks_like_a_judge() -> None:
    """Higher scores first, equal ones tied, for every sentence."""
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
    """A judge who is the metric agrees with it on every pair."""
    rankings = rankings_from_scores("m", scores)
    found = agree(rankings, "m", scores)
    assert found.accuracy_with_ties == 1
    assert found.discordant == found.metric_ties == found.human_ties == 0


def test_the_interval_of_tau_holds_it() -> None:
    """Where metric and judge agree on most sentences, no sample says the opposite."""
    rankings = [make_ranking("A B", sentence=str(number)) for number in range(40)]
    scores = {str(n): {"A": 0.9, "B": 0.1 if n % 10 else 0.95} for n in range(40)}
    found = agree(rankings, "m", scores)
    assert found.tau == pytest.approx(0.8)
    assert 0.5 < found.tau_low < 0.8 < found.tau_high <= 1
