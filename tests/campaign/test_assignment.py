"""Who sees what: shared items, own items, repeated items."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign.conftest import marked_item

from redink.campaign.assignment import AssignmentPlan, assign_items
from redink.campaign.setup import create_campaign
from redink.errors import OptionError, RedinkWarning

shares = st.floats(0, 1)


def test_by_default_every_judge_sees_everything_once_in_their_own_order() -> None:
    one, other = (assign_items(30, judge, AssignmentPlan(), seed=1) for judge in (0, 1))
    assert sorted(one) == sorted(other) == list(range(30))
    assert one != other


def test_shared_items_are_seen_by_all_and_the_rest_is_spread() -> None:
    """With 10 items each, half of them shared, four judges cover 5 + 4 * 5 items."""
    dealt = [set(assign_items(100, judge, AssignmentPlan(10, 0.5), seed=3)) for judge in range(4)]
    assert len(set.intersection(*dealt)) == 5
    assert set.intersection(*dealt) != set(range(5))  # drawn, not the first of the file
    assert len(set.union(*dealt)) == 25


def test_repeated_items_come_back_later() -> None:
    """A fifth of 20 items is shown twice, the second time in the second half."""
    dealt = assign_items(20, 0, AssignmentPlan(repeated=0.2), seed=5)
    counts = Counter(dealt)
    assert sorted(counts.values()) == [1] * 16 + [2] * 4
    for item in (i for i, n in counts.items() if n == 2):
        last = len(dealt) - 1 - dealt[::-1].index(item)
        assert last >= 10


@given(
    items=st.integers(1, 60),
    judge=st.integers(0, 20),
    per_judge=st.none() | st.integers(1, 80),
    shared=shares,
    repeated=shares,
    gold=st.integers(0, 60),
    least=st.integers(0, 9),
)
def test_dealing_is_sound_for_any_plan(
    items: int,
    judge: int,
    per_judge: int | None,
    shared: float,
    repeated: float,
    gold: int,
    least: int,
) -> None:
    plan = AssignmentPlan(per_judge, shared, repeated)
    tests = range(min(gold, items))
    dealt = assign_items(items, judge, plan, seed=1, gold=tests, least_gold=least)
    counts = Counter(dealt)
    assert len(counts) == min(items, per_judge or items)
    assert set(counts) <= set(range(items))
    assert max(counts.values()) <= 2
    assert dealt == assign_items(items, judge, plan, seed=1, gold=tests, least_gold=least)
    assert len(set(tests) & set(counts)) >= min(least, len(tests), len(counts))


def test_gold_questions_reach_every_judge_and_are_spread() -> None:
    """Ten gold questions at the top of a file of 200: each judge of 20 items gets five of them."""
    for judge in range(10):
        plan = AssignmentPlan(20, shared=0.5)
        dealt = assign_items(200, judge, plan, seed=1, gold=range(10), least_gold=5)
        places = [place for place, item in enumerate(dealt) if item < 10]
        assert [place // 4 for place in places] == [0, 1, 2, 3, 4]


def test_a_plan_that_cannot_reach_its_minimum_is_told(tmp_path: Path) -> None:
    items = [marked_item(n, gold="error" if n < 4 else None) for n in range(1, 30)]
    with pytest.warns(
        RedinkWarning, match="each judge sees 3 gold questions, but an exclusion requires 5"
    ):
        store, _ = create_campaign(tmp_path / "c.db", task="crowd", items=items, gold_threshold=0.7)
    store.close()


@pytest.mark.parametrize(
    "values",
    [{"shared": 1.5}, {"repeated": -0.1}, {"per_judge": 0}, {"judgments": 2, "repeated": 0.1}],
)
def test_an_impossible_plan_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        AssignmentPlan(**values)  # type: ignore[arg-type]
