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
from redink.campaign.task_items import CampaignItem, Material
from redink.campaign.tasks import TASKS
from redink.errors import OptionError, RedinkWarning

shares = st.floats(0, 1)


def plain_items(number: int, gold: int = 0) -> list[CampaignItem]:
    return [marked_item(n, gold="ok" if n < gold else None) for n in range(number)]


def test_by_default_every_judge_sees_everything_once_in_their_own_order() -> None:
    one, other = (
        assign_items(plain_items(30), judge, AssignmentPlan(), seed=1) for judge in (0, 1)
    )
    assert sorted(one) == sorted(other) == list(range(30))
    assert one != other


def test_shared_items_are_seen_by_all_and_the_rest_is_spread() -> None:
    """With 10 items each, half of them shared, four judges cover 5 + 4 * 5 items."""
    dealt = [
        set(assign_items(plain_items(100), judge, AssignmentPlan(10, 0.5), seed=3))
        for judge in range(4)
    ]
    assert len(set.intersection(*dealt)) == 5
    assert set.intersection(*dealt) != set(range(5))  # drawn, not the first of the file
    assert len(set.union(*dealt)) == 25


def test_repeated_items_come_back_later() -> None:
    """A fifth of 20 items is shown twice, the second time in the second half."""
    dealt = assign_items(plain_items(20), 0, AssignmentPlan(repeated=0.2), seed=5)
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
    dealt = assign_items(plain_items(items, gold), judge, plan, seed=1, least_gold=least)
    counts = Counter(dealt)
    assert len(counts) == min(items, per_judge or items)
    assert set(counts) <= set(range(items))
    assert max(counts.values()) <= 2
    assert dealt == assign_items(plain_items(items, gold), judge, plan, seed=1, least_gold=least)
    assert len(set(tests) & set(counts)) >= min(least, len(tests), len(counts))


def test_gold_questions_reach_every_judge_and_are_spread() -> None:
    """Ten gold questions at the top of a file of 200: each judge of 20 items gets five of them."""
    for judge in range(10):
        plan = AssignmentPlan(20, shared=0.5)
        dealt = assign_items(plain_items(200, 10), judge, plan, seed=1, least_gold=5)
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


def test_sentences_of_a_document_stay_together_in_order() -> None:
    items = [
        CampaignItem(f"{essay}.1.{n}", {"text": "a", "document": essay})
        for essay in ("x", "y", "z")
        for n in range(5)
    ]
    firsts = set()
    for judge in range(10):
        dealt = assign_items(items, judge, AssignmentPlan(), seed=1)
        assert sorted(dealt) == list(range(15))
        for at in (0, 5, 10):
            assert dealt[at : at + 5] == list(range(dealt[at], dealt[at] + 5))
        firsts.add(dealt[0])
    assert firsts == {0, 5, 10}
    part = assign_items(items, 1, AssignmentPlan(4, 0.0), seed=1)
    assert part == sorted(part)  # one stretch of a document, or two documents in a row


def test_context_ends_with_the_document(tmp_path: Path) -> None:
    (tmp_path / "essays").mkdir()
    (tmp_path / "essays" / "b.txt").write_text("I comes . It rain .\n")
    (tmp_path / "essays" / "a.txt").write_text("He go . We stays .\n")
    items = TASKS.load("correct").make_items(Material(source=tmp_path / "essays", tokenize=True))
    found = [(i.key, i.payload.get("before"), i.payload.get("after")) for i in items]
    assert found == [
        ("a.1.1", None, "We stays ."),
        ("a.1.2", "He go .", None),
        ("b.1.1", None, "It rain ."),
        ("b.1.2", "I comes .", None),
    ]


def test_outputs_of_systems_are_dealt_evenly_and_each_sentence_once(tmp_path: Path) -> None:
    """Four systems, 12 sentences, each judge post-edits 12 outputs: 3 of each system."""
    sentences = [f"He go {n} ." for n in range(12)]
    source = tmp_path / "s.txt"
    source.write_text("\n".join(sentences) + "\n")
    systems = {}
    for name in "abcd":
        systems[name] = tmp_path / f"{name}.txt"
        same = [f"He goes {n} {'' if n else name} ." for n in range(12)]
        changed = [f"He goes {n} {name} ." for n in range(12)]
        systems[name].write_text("\n".join(changed if name != "b" else same) + "\n")
    made = TASKS.load("post-edit").make_items(Material(source=source, systems=systems))
    assert len(made) == 48
    for judge in range(4):
        dealt = [made[n] for n in assign_items(made, judge, AssignmentPlan(12, 0.0), seed=3)]
        assert len({item.sentence for item in dealt}) == 12
        assert Counter(item.systems for item in dealt) == {(name,): 3 for name in "abcd"}
    systems["b"].write_text(systems["a"].read_text())
    made = TASKS.load("post-edit").make_items(Material(source=source, systems=systems))
    assert Counter(item.systems for item in made) == {("a", "b"): 12, ("c",): 12, ("d",): 12}
    for judge in range(3):
        dealt = [made[n] for n in assign_items(made, judge, AssignmentPlan(12, 0.0), seed=3)]
        counts = Counter(item.systems for item in dealt)
        assert max(counts.values()) - min(counts.values()) <= 3


def test_the_same_sentences_are_drawn_for_all_systems(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("".join(f"He go {n} .\n" for n in range(30)))
    (tmp_path / "a.txt").write_text("".join(f"He goes {n} .\n" for n in range(30)))
    (tmp_path / "b.txt").write_text("".join(f"He went {n} .\n" for n in range(30)))
    systems = {"a": tmp_path / "a.txt", "b": tmp_path / "b.txt"}
    material = Material(source=tmp_path / "s.txt", systems=systems, sentences=7)
    made = TASKS.load("edit-validity").make_items(material)
    of = {name: {i.sentence for i in made if name in i.systems} for name in systems}
    assert len(of["a"]) == 7
    assert of["a"] == of["b"] != {str(n) for n in range(7)}
