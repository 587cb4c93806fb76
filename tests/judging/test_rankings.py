"""Rankings become pairs: those the judge saw, and those of the systems behind them."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from tests.judging.ranking_cases import make_ranking, random_rankings

from redink.errors import DataError
from redink.inputs import read_rankings
from redink.judging.rankings import (
    count_pairs,
    expand,
    judges_of,
    output_pairs,
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


def test_thirteen_systems_make_78_pairs() -> None:
    """However few outputs they share (the lower half of figure 2)."""
    ranking = make_ranking("A B+C+D+E+F+G+H+I+J+K+L M")
    assert count_pairs([ranking])[0].expanded == 78


def test_pairs_have_their_outcome() -> None:
    """Lower ranks win; systems behind one output, and outputs at one rank, tie."""
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
    """Only the order of ranks counts."""
    far = Ranking("1", "j", tuple(make_ranking("A B C").outputs))
    stretched = make_ranking("A B C")
    outputs = tuple(type(o)(o.rank * 7 + 2, o.systems) for o in stretched.outputs)
    assert (tally(expand([far])).wins == tally(expand([Ranking("1", "j", outputs)])).wins).all()


def test_system_ranked_twice_is_refused() -> None:
    """A system cannot be better than itself."""
    with pytest.raises(DataError, match="'A' twice for sentence '7'"):
        expand([make_ranking("A B A+C", sentence="7")])


def test_unexpanded_pairs_are_the_same_whatever_the_order_on_screen() -> None:
    """Two judges who saw the outputs in another order judged the same pairs."""
    one = make_ranking("A+B C D")
    other = Ranking("1", "k", tuple(reversed(one.outputs)))
    assert (
        set(output_pairs(one))
        == set(output_pairs(other))
        == {
            ("A B", "C", 1),
            ("A B", "D", 1),
            ("C", "D", 1),
        }
    )


def test_judges_are_selected_by_name() -> None:
    """Only some, or all but some; a judge who does not exist is an error."""
    rankings = [make_ranking("A B", judge=judge) for judge in ("10", "2", "eve")]
    assert judges_of(rankings) == ("2", "10", "eve")
    assert judges_of(select_judges(rankings, only=["eve"])) == ("eve",)
    assert judges_of(select_judges(rankings, without=["eve"])) == ("2", "10")
    with pytest.raises(DataError, match="no judge 'adam'; there are: 2, 10, eve"):
        select_judges(rankings, only=["adam"])


@given(random_rankings())
def test_expansion_loses_and_invents_nothing(rankings: list[Ranking]) -> None:
    """Pairs, ties and outcomes add up, for every judge and in all."""
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


def test_table_1(shared: Path) -> None:
    """Every figure of table 1 of Grundkiewicz et al. (2015)."""
    published = json.loads((shared / "oracles/published.json").read_text(encoding="utf-8"))
    expected = published["grundkiewicz-2015"]["table1"]
    counts = count_pairs(read_rankings(shared / "data/gjg15/judgments.xml"))
    rows = {
        str(number): [c.rankings, c.unexpanded, c.unexpanded_ties, c.expanded, c.expanded_ties]
        for number, c in enumerate(counts, start=1)
    }
    assert rows == expected["by_judge"]
    totals = [sum(column) for column in zip(*rows.values(), strict=True)]
    assert totals == [
        expected[name]
        for name in ("ranks", "unexpanded", "unexpanded_ties", "expanded", "expanded_ties")
    ]


def test_a_system_twice_in_a_ranking_of_two_is_refused() -> None:
    """The shortest ranking in which it can happen."""
    with pytest.raises(DataError, match="'A' twice"):
        expand([make_ranking("A A", sentence="7")])
