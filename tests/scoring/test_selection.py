"""Choosing among annotators."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redink.model.counts import scorer_measures
from redink.scoring.errant import Errant
from redink.scoring.m2.max_match import MaxMatch
from redink.scoring.metric import Statistics
from redink.scoring.selection import Preference, choose, find_dominating, totals_in_orders, usage
from redink.scoring.specs import parse_metric

PREFERENCES = {"errant": Errant.published_preference, "m2": MaxMatch.published_preference}
small = st.integers(0, 3)
NO_EDITS_OR_SOME = (
    np.array([[[0, 0, 0], [0, 0, 0], [3, 1, 3]]], dtype=np.int32),
    np.array([[False, True, True]]),
)
"""Of two annotators one agrees that nothing is wrong, which is perfect."""


@st.composite
def candidates(draw: st.DrawFn, most: int = 3, longest: int = 5) -> tuple[Any, Any]:
    """Counts of a few candidates for each of a few sentences, some of them missing."""
    sentences = draw(st.integers(1, longest))
    counts = np.zeros((sentences, most, 3), dtype=np.int32)
    present = np.zeros((sentences, most), dtype=bool)
    for number in range(sentences):
        there = draw(st.lists(st.booleans(), min_size=most, max_size=most).filter(any))
        present[number] = there
        for index in np.flatnonzero(there):
            counts[number, index] = draw(st.tuples(small, small, small))
    return counts, present


def f_of(counts: Any, chosen: Any, beta: float) -> Fraction:
    tp, fp, fn = (int(x) for x in counts[np.arange(len(counts)), chosen].sum(axis=0))
    square = Fraction(beta) ** 2
    cost = (1 + square) * tp + fp + square * fn
    return (1 + square) * tp / cost if cost else Fraction(1)


@example(NO_EDITS_OR_SOME, 0.5)
@given(candidates(), st.sampled_from([0.25, 0.5, 1.0, 2.0]))
def test_optimal_is_the_best_of_all_choices(task: tuple[Any, Any], beta: float) -> None:
    counts, present = task
    found = choose(
        counts, present, preference=Errant.published_preference, selection="optimal", beta=beta
    )
    assert all(present[np.arange(len(counts)), found])
    every = product(*(np.flatnonzero(row) for row in present))
    assert f_of(counts, found, beta) == max(f_of(counts, list(c), beta) for c in every)


@given(candidates(), st.sampled_from(["errant", "m2"]))
def test_running_takes_the_best_so_far(task: tuple[Any, Any], name: str) -> None:
    """Each choice is the one that the scorer's key puts first, given the choices before it."""
    counts, present = task
    preference = PREFERENCES[name]
    found = choose(counts, present, preference=preference, selection="running", beta=0.5)
    so_far = np.zeros(3, dtype=int)
    for number, index in enumerate(found):
        keys = {
            i: preference.key(tuple((so_far + counts[number, i]).tolist()), counts[number, i], 0.5)
            for i in np.flatnonzero(present[number]).tolist()
        }
        assert keys[int(index)] == max(keys.values())
        assert index == min(i for i, key in keys.items() if key == max(keys.values()))
        so_far += counts[number, index]


@given(candidates(longest=8), st.sampled_from(["errant", "m2"]), st.data())
def test_orders_are_chosen_like_the_corpora_in_that_order(
    task: tuple[Any, Any], name: str, data: st.DataObject
) -> None:
    counts, present = task
    orders = data.draw(st.lists(st.permutations(range(len(counts))), min_size=1, max_size=4))
    found = totals_in_orders(
        counts, present, np.array(orders), preference=PREFERENCES[name], beta=0.5
    )
    for order, totals in zip(orders, found, strict=True):
        here = counts[order]
        chosen = choose(
            here, present[order], preference=PREFERENCES[name], selection="running", beta=0.5
        )
        assert totals.tolist() == here[np.arange(len(here)), chosen].sum(axis=0).tolist()


@given(
    candidates(),
    st.sampled_from(["errant", "m2"]),
    st.sampled_from(["running", "sentence", "optimal"]),
    st.data(),
)
def test_a_sample_is_chosen_like_the_corpus_it_stands_for(
    task: tuple[Any, Any], name: str, selection: str, data: st.DataObject
) -> None:
    """A sample with weights has the counts of the corpus in which sentences are repeated."""
    counts, present = task
    preference = PREFERENCES[name]
    drawn = data.draw(
        st.lists(st.integers(0, 3), min_size=len(counts), max_size=len(counts)).filter(any)
    )
    weights = np.array([drawn], dtype=float)
    used = usage(counts, present, weights, preference=preference, selection=selection, beta=0.5)
    assert np.array_equal(used.sum(axis=0), weights)
    totals = sum(used[i, 0] @ counts[:, i] for i in range(counts.shape[1]))
    longer = np.repeat(np.arange(len(counts)), drawn)
    chosen = choose(
        counts[longer], present[longer], preference=preference, selection=selection, beta=0.5
    )
    expected = counts[longer][np.arange(len(longer)), chosen].sum(axis=0)
    if selection == "optimal":
        # equally good choices may differ in their counts, never in F
        assert scorer_measures(*totals, 0.5)[2] == pytest.approx(
            scorer_measures(*expected, 0.5)[2], abs=1e-12
        )
    else:
        assert totals.tolist() == expected.tolist()


@given(candidates(), st.sampled_from(["errant", "m2"]), st.tuples(small, small, small))
def test_settled_sentences_have_no_choice(
    task: tuple[Any, Any], name: str, before: tuple[int, int, int]
) -> None:
    counts, present = task
    preference: Preference = PREFERENCES[name]
    for number, index in enumerate(find_dominating(counts, present)):
        if index < 0:
            continue
        keys = {
            i: preference.key(tuple((before + counts[number, i]).tolist()), counts[number, i], 0.5)
            for i in np.flatnonzero(present[number]).tolist()
        }
        assert keys[int(index)] == max(keys.values())


@given(st.lists(st.tuples(*[st.integers(0, 400)] * 3), min_size=1), st.sampled_from([0.5, 1, 0.3]))
@example([(1, 39998, 0), (3, 39994, 0), (5, 39990, 0)], 1)  # halves of the last decimal
def test_many_scores_at_once_are_the_same_scores(
    counts: list[tuple[int, int, int]], beta: float
) -> None:
    arrays = np.array(counts, dtype=float).T
    rounded = Errant.published_preference.f(arrays, beta)
    plain = MaxMatch.published_preference.f(arrays, beta)
    for place, each in enumerate(counts):
        assert rounded[place] == round(Errant.published_preference.key(each, each, beta)[0] * 1e4)
        assert plain[place] == MaxMatch.published_preference.key(each, each, beta)[0]


@pytest.mark.parametrize("spec", ["errant", "m2(beta=0.3)", "errant(selection=sentence)"])
def test_a_shuffle_is_the_difference_of_the_swapped_systems(spec: str) -> None:
    rng = np.random.default_rng(3)
    metric = parse_metric(spec)
    swaps = rng.integers(0, 2, size=(10, 90)).astype(bool)
    present = np.ones((90, 3), dtype=bool)
    present[::5, 2] = False
    counts = rng.integers(0, 4, size=(3, 90, 3, 3)).astype(np.int32)
    statistics = [Statistics({"counts": each, "present": present}) for each in counts]

    def f_of(each: Any) -> float:
        return float(metric.rows(Statistics({"counts": each, "present": present}))[0]["f"])

    for number, differences in metric.shuffle(statistics, [(0, 1), (2, 1)], swaps):
        first, second = counts[[0, 2][number]], counts[1]
        for swapped, difference in zip(swaps[:, :, None, None], differences[:, 0], strict=True):
            ours, theirs = np.where(swapped, second, first), np.where(swapped, first, second)
            assert difference == pytest.approx(f_of(ours) - f_of(theirs), abs=1e-12)
