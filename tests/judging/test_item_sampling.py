"""Which sentences are shown to judges."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.errors import DataError, OptionError
from redink.judging.item_sampling import (
    draw_items,
    expected_systems,
    plan_sentences,
    sampling_weight,
)


def listed_expected_systems(multiplicities: list[int], most: int) -> float:
    """The definition of section 4.1, every subset written out."""
    total = sum(multiplicities)
    sizes = range(min(most, len(multiplicities)) + 1)
    subsets = chain.from_iterable(combinations(multiplicities, k) for k in sizes)
    covered = [sum(s) for s in subsets if sum(s) >= min(most, total)]
    return sum(covered) / len(covered)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=9), st.integers(2, 6))
def test_expected_systems_is_the_mean_over_all_choices(
    multiplicities: list[int], most: int
) -> None:
    assert expected_systems(multiplicities, most_shown=most) == pytest.approx(
        listed_expected_systems(multiplicities, most)
    )


def test_agreement_makes_a_sentence_rare() -> None:
    """All thirteen systems agree: 10 pairs wanted, 78 would come."""
    assert expected_systems([13]) == 13
    assert sampling_weight([13]) == pytest.approx(comb(5, 2) / comb(13, 2))


def test_plan_groups_equal_outputs() -> None:
    plan = plan_sentences(
        {"A": ["x y", "same"], "B": ["z", "same "], "C": ["z", "same"]}, most_shown=2
    )
    assert plan[0].multiplicities == (2, 1)
    assert plan[0].outputs[0].systems == ("B", "C")
    assert plan[1].multiplicities == (3,)
    assert plan[0].probability > plan[1].probability
    assert plan[0].probability + plan[1].probability == pytest.approx(1)


def test_fewer_systems_than_are_shown() -> None:
    """Two systems can be ranked; the paper's five is only the most."""
    plan = plan_sentences({"A": ["x", "y"], "B": ["x", "z"]})
    assert [sentence.expected_systems for sentence in plan] == [2, 2]
    assert [sentence.probability for sentence in plan] == [0.5, 0.5]


def test_impossible_plans_are_refused() -> None:
    with pytest.raises(DataError, match="at least two systems"):
        plan_sentences({"A": ["x"]})
    with pytest.raises(DataError, match="different numbers of sentences: A 1, B 2"):
        plan_sentences({"A": ["x"], "B": ["x", "y"]})
    with pytest.raises(DataError, match="no sentences"):
        plan_sentences({"A": [], "B": []})
    with pytest.raises(OptionError, match="at least two outputs"):
        plan_sentences({"A": ["x"], "B": ["y"]}, most_shown=1)


def test_items_show_at_most_so_many_distinct_outputs() -> None:
    systems = {name: [f"{name} one", "all alike"] for name in "ABCDEFG"}
    plan = plan_sentences(systems)
    items = draw_items(plan, 500, np.random.default_rng(1))
    assert items == draw_items(plan, 500, np.random.default_rng(1))
    share = sum(item.sentence == 0 for item in items) / 500
    assert share == pytest.approx(plan[0].probability, abs=0.05)
    for item in items:
        assert len(item.outputs) == (5 if item.sentence == 0 else 1)
        assert len({output.text for output in item.outputs}) == len(item.outputs)
    shown = {output.systems[0] for item in items if item.sentence == 0 for output in item.outputs}
    assert shown == set("ABCDEFG")


def test_without_replacement_every_sentence_comes_once() -> None:
    plan = plan_sentences({"A": ["x", "y", "z"], "B": ["x", "q", "r"]})
    items = draw_items(plan, 3, np.random.default_rng(1), replace=False)
    assert sorted(item.sentence for item in items) == [0, 1, 2]
    with pytest.raises(DataError, match="cannot draw 4 sentences from 3"):
        draw_items(plan, 4, np.random.default_rng(1), replace=False)
