"""Pairs, wins and agreement from rankings."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest
from hypothesis import given
from tests.judging.ranking_cases import make_ranking, random_rankings

from redink.errors import DataError
from redink.judging.rankings import (
    Chance,
    comparison_groups,
    count_pairs,
    expand,
    fold_tallies,
    head_to_head,
    judge_agreements,
    judges_of,
    mean_kappa,
    output_pairs,
    resample_tallies,
    resample_tally,
    select_judges,
    tally,
)
from redink.model import Ranking


def test_overlaps_expand_as_products() -> None:
    """Five outputs of six systems make 15 pairs of systems (figure 2 of the paper)."""
    ranking = make_ranking("A+B C D E F")
    (counts,) = count_pairs([ranking])
    assert (counts.unexpanded, counts.expanded) == (10, 15)
    assert (counts.unexpanded_ties, counts.expanded_ties) == (0, 1)
    assert len(expand([ranking])) == 15


def test_pairs_have_their_outcome() -> None:
    whole = tally(expand([make_ranking("B+C A=D")]))
    assert whole.systems == ("A", "B", "C", "D")
    beaten = {(i, j) for i, j in zip(*np.nonzero(whole.wins), strict=True)}
    assert beaten == {(1, 0), (1, 3), (2, 0), (2, 3)}
    assert {(i, j) for i, j in zip(*np.nonzero(whole.ties), strict=True)} == {
        (1, 2),
        (2, 1),
        (0, 3),
        (3, 0),
    }


def test_ranks_need_not_begin_at_one_nor_follow_each_other() -> None:
    far = Ranking("1", "j", tuple(make_ranking("A B C").outputs))
    stretched = make_ranking("A B C")
    outputs = tuple(type(o)(o.rank * 7 + 2, o.systems) for o in stretched.outputs)
    assert (tally(expand([far])).wins == tally(expand([Ranking("1", "j", outputs)])).wins).all()


@pytest.mark.parametrize("outputs", ["A B A+C", "A A"])
def test_system_ranked_twice_is_refused(outputs: str) -> None:
    with pytest.raises(DataError, match="'A' twice for sentence '7'"):
        expand([make_ranking(outputs, sentence="7")])


def test_unexpanded_pairs_are_the_same_whatever_the_order_on_screen() -> None:
    one = make_ranking("A+B C D")
    other = Ranking("1", "k", tuple(reversed(one.outputs)))
    assert (
        set(output_pairs(one))
        == set(output_pairs(other))
        == {("A B", "C", 1), ("A B", "D", 1), ("C", "D", 1)}
    )


def test_judges_are_selected_by_name() -> None:
    rankings = [make_ranking("A B", judge=judge) for judge in ("10", "2", "eve")]
    assert judges_of(rankings) == ("2", "10", "eve")
    assert judges_of(select_judges(rankings, only=["eve"])) == ("eve",)
    assert judges_of(select_judges(rankings, without=["eve"])) == ("2", "10")
    with pytest.raises(DataError, match="unknown judge 'adam'; expected one of: 2, 10, eve"):
        select_judges(rankings, only=["adam"])


@given(random_rankings())
def test_expansion_loses_and_invents_nothing(rankings: list[Ranking]) -> None:
    judgments = expand(rankings)
    sizes = [sum(len(o.systems) for o in r.outputs) for r in rankings]
    assert len(judgments) == sum(comb(size, 2) for size in sizes)
    counts = count_pairs(rankings)
    assert sum(c.expanded for c in counts) == len(judgments)
    assert sum(c.expanded_ties for c in counts) == (judgments.outcome == 0).sum()
    assert all(c.unexpanded <= c.expanded for c in counts)
    assert (judgments.first < judgments.second).all()
    whole = tally(judgments)
    assert whole.compared.sum() / 2 == len(judgments)
    assert (whole.ties == whole.ties.T).all()
    assert not np.diagonal(whole.compared).any()


@pytest.mark.parametrize("resample", ["pairs", "rankings"])
def test_samples_are_as_large_as_the_data_and_centred_on_it(resample: str) -> None:
    rankings = [make_ranking(text) for text in ("A B C", "B A C", "A=B C", "C A+B")] * 5
    judgments = expand(rankings)
    drawn = resample_tallies(judgments, 4000, np.random.default_rng(1), resample=resample)
    assert (drawn.compared.sum(axis=(1, 2)) / 2 == len(judgments)).all()
    whole = tally(judgments)
    assert np.abs(drawn.wins.mean(axis=0) - whole.wins).max() < 0.3
    assert np.abs(drawn.ties.mean(axis=0) - whole.ties).max() < 0.3


def test_resampling_a_tally_has_the_same_law() -> None:
    judgments = expand([make_ranking("A B=C"), make_ranking("C A B")] * 20)
    one = resample_tallies(judgments, 3000, np.random.default_rng(1))
    other = resample_tally(tally(judgments), 3000, np.random.default_rng(2))
    assert other.wins.shape == (3000, 3, 3)
    assert (other.compared.sum(axis=(1, 2)) / 2 == len(judgments)).all()
    assert np.abs(one.wins.mean(axis=0) - other.wins.mean(axis=0)).max() < 0.4
    assert np.abs(one.wins.std(axis=0) - other.wins.std(axis=0)).max() < 0.2


@given(random_rankings())
def test_folds_add_up(rankings: list[Ranking]) -> None:
    judgments = expand(rankings)
    fold = np.arange(len(judgments)) % 3
    parts = fold_tallies(judgments, fold, 3)
    whole = tally(judgments)
    assert (parts.wins.sum(axis=0) == whole.wins).all()
    assert (parts.ties.sum(axis=0) == whole.ties).all()


def test_groups_never_compared_are_found() -> None:
    rankings = [make_ranking("A B"), make_ranking("C=D"), make_ranking("E")]
    assert comparison_groups(tally(expand(rankings))) == (("A", "B"), ("C", "D"), ("E",))


def test_shares_and_sign_test_by_hand() -> None:
    """Eight wins to two: p = 2 * 56 / 1024; ties are counted and left out."""
    texts = ["A B"] * 8 + ["B A"] * 2 + ["A=B"] * 5
    found = {e.system: e for e in head_to_head(tally(expand([make_ranking(t) for t in texts])))}
    a = found["A"]
    assert (a.wins, a.losses, a.ties, a.share) == (8, 2, 5, 0.8)
    assert a.p == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert a.stars == ""
    assert found["B"].share == pytest.approx(0.2)


@pytest.mark.parametrize(("wins", "mark"), [(4, ""), (5, "★"), (6, "†"), (8, "‡")])
def test_marks(wins: int, mark: str) -> None:
    """All won: 4 p = .125, 5 p = .0625, 6 p = .031, 8 p = .008."""
    first, _ = head_to_head(tally(expand([make_ranking("A B")] * wins)))
    assert first.stars == mark


def test_pair_without_a_winner_has_no_share() -> None:
    first, _ = head_to_head(tally(expand([make_ranking("A=B")])))
    assert (first.share, first.p, first.stars) == (None, None, "")


@pytest.mark.parametrize(
    ("kind", "chance"), [("symmetric", 1 / 2), ("published", (5 / 6) ** 2 + (1 / 6) ** 2)]
)
def test_kappa_by_hand(kind: Chance, chance: float) -> None:
    """Two judges, three pairs, two agreements, no ties; x: A<B, A<C, B<C; y: A<B, A<C, B>C."""
    rankings = [make_ranking("A B C", judge="x"), make_ranking("A C B", judge="y")]
    found = {(a.judge, a.other): a for a in judge_agreements(rankings, chance=kind)}
    both = found["x", "y"]
    assert (both.comparisons, both.observed) == (3, pytest.approx(2 / 3))
    assert both.chance == pytest.approx(chance)
    assert both.kappa == pytest.approx((2 / 3 - chance) / (1 - chance))


def test_agreement_with_oneself_needs_the_pair_twice() -> None:
    rankings = [make_ranking(t, judge="x") for t in ("A B", "A B", "B A")]
    (only,) = judge_agreements(rankings)
    assert only.agreement == "intra"
    assert (only.comparisons, only.observed) == (3, pytest.approx(1 / 3))


def test_pairs_of_other_sentences_or_outputs_are_not_compared() -> None:
    rankings = [
        make_ranking("A B", judge="x", sentence="1"),
        make_ranking("A B", judge="y", sentence="2"),
        make_ranking("A+C B", judge="y", sentence="1"),
    ]
    found = {(a.judge, a.other): a for a in judge_agreements(rankings)}
    assert found["x", "y"].comparisons == 0
    assert found["x", "y"].kappa is None


def test_few_comparisons_do_not_count() -> None:
    rankings = [make_ranking("A B C", judge=judge) for judge in "xyz"]
    agreements = judge_agreements(rankings)
    assert mean_kappa(agreements, intra=False, minimum_overlap=10) == (None, 0)
    assert mean_kappa(agreements, intra=True, minimum_overlap=1) == (None, 0)


def test_complete_chance_agreement_is_undefined() -> None:
    rankings = [make_ranking("A=B", judge=judge) for judge in "xy"]
    assert judge_agreements(rankings)[1].kappa is None
    rankings = [make_ranking("A B", judge=judge) for judge in "xy"]
    assert judge_agreements(rankings, chance="published")[1].kappa is None


NAMES = {"A": "Z", "B": "Y", "C": "X", "D": "W", "E": "V"}


@given(random_rankings())
def test_the_names_of_systems_do_not_matter(rankings: list[Ranking]) -> None:
    renamed = [
        replace(
            ranking,
            outputs=tuple(
                replace(output, systems=tuple(NAMES.get(s, s) for s in output.systems))
                for output in ranking.outputs
            ),
        )
        for ranking in rankings
    ]
    for ours, theirs in zip(judge_agreements(rankings), judge_agreements(renamed), strict=True):
        assert ours.comparisons == theirs.comparisons
        assert ours.kappa == pytest.approx(theirs.kappa)
        assert ours.kappa is None or ours.kappa <= 1
