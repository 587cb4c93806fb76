"""Agreement of judges on the pairs they saw."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from tests.judging.ranking_cases import make_ranking, random_rankings

from redink.inputs import read_rankings
from redink.judging.rankings import judge_agreements, mean_kappa
from redink.model import Ranking


def test_kappa_by_hand() -> None:
    """Two judges, three pairs, two agreements, no ties: half of them agree by chance."""
    rankings = [make_ranking("A B C", judge="x"), make_ranking("A C B", judge="y")]
    found = {(a.judge, a.other): a for a in judge_agreements(rankings)}
    both = found["x", "y"]
    assert (both.comparisons, both.observed) == (3, pytest.approx(2 / 3))
    assert both.chance == pytest.approx(1 / 2)
    assert both.kappa == pytest.approx((2 / 3 - 1 / 2) / (1 - 1 / 2))


def test_published_kappa_by_hand() -> None:
    """Chance from the six judgments pooled, the pairs in the order of the names."""
    rankings = [make_ranking("A B C", judge="x"), make_ranking("A C B", judge="y")]
    found = {(a.judge, a.other): a for a in judge_agreements(rankings, chance="published")}
    both = found["x", "y"]
    # x: A<B, A<C, B<C; y: A<B, A<C, B>C
    assert (both.comparisons, both.observed) == (3, pytest.approx(2 / 3))
    assert both.chance == pytest.approx((5 / 6) ** 2 + (1 / 6) ** 2)
    assert both.kappa == pytest.approx((2 / 3 - 26 / 36) / (1 - 26 / 36))


def test_agreement_with_oneself_needs_the_pair_twice() -> None:
    """A judge who saw a pair three times is compared three times."""
    rankings = [make_ranking(t, judge="x") for t in ("A B", "A B", "B A")]
    (only,) = judge_agreements(rankings)
    assert only.agreement == "intra"
    assert (only.comparisons, only.observed) == (3, pytest.approx(1 / 3))


def test_pairs_of_other_sentences_or_outputs_are_not_compared() -> None:
    """The same systems behind other outputs made another pair."""
    rankings = [
        make_ranking("A B", judge="x", sentence="1"),
        make_ranking("A B", judge="y", sentence="2"),
        make_ranking("A+C B", judge="y", sentence="1"),
    ]
    found = {(a.judge, a.other): a for a in judge_agreements(rankings)}
    assert found["x", "y"].comparisons == 0
    assert found["x", "y"].kappa is None


def test_few_comparisons_do_not_count() -> None:
    """Below the minimum overlap there is no mean."""
    rankings = [make_ranking("A B C", judge=judge) for judge in "xyz"]
    agreements = judge_agreements(rankings)
    assert mean_kappa(agreements, intra=False) == (None, 0)
    assert mean_kappa(agreements, intra=True, minimum_overlap=1) == (None, 0)


def test_complete_chance_agreement_is_undefined() -> None:
    """Everybody always says the same: kappa has no meaning."""
    rankings = [make_ranking("A=B", judge=judge) for judge in "xy"]
    assert judge_agreements(rankings)[1].kappa is None
    rankings = [make_ranking("A B", judge=judge) for judge in "xy"]
    assert judge_agreements(rankings, chance="published")[1].kappa is None


NAMES = {"A": "Z", "B": "Y", "C": "X", "D": "W", "E": "V"}


@given(random_rankings())
def test_the_names_of_systems_do_not_matter(rankings: list[Ranking]) -> None:
    """Renaming the systems, here into the opposite order, changes no kappa."""
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


@given(random_rankings())
def test_kappa_is_at_most_one_and_symmetric(rankings: list[Ranking]) -> None:
    """The names of the judges do not matter."""
    swapped = [
        Ranking(r.sentence, {"x": "z", "z": "x"}.get(r.judge, r.judge), r.outputs) for r in rankings
    ]
    ours = {frozenset((a.judge, a.other)): a for a in judge_agreements(rankings)}
    theirs = {
        frozenset({"x": "z", "z": "x"}.get(n, n) for n in (a.judge, a.other)): a
        for a in judge_agreements(swapped)
    }
    for names, agreement in ours.items():
        assert agreement.comparisons == theirs[names].comparisons
        assert agreement.kappa == pytest.approx(theirs[names].kappa)
        assert agreement.kappa is None or agreement.kappa <= 1


def test_table_2(shared: Path) -> None:
    """Every cell of table 2 as the published script prints it."""
    text = (shared / "oracles/human/agreement.tex").read_text()
    rankings = read_rankings(shared / "data/gjg15/judgments.xml")
    agreements = judge_agreements(rankings, chance="published")
    inter, _ = mean_kappa(agreements, intra=False)
    intra, _ = mean_kappa(agreements, intra=True)
    assert f"Inter-annotator &  {inter:.2f} " in text
    assert f"Intra-annotator &  {intra:.2f} " in text
    printed = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.removesuffix("\\\\").split("&")]
        if re.fullmatch(r"\d", cells[0]) and len(cells) == 9:
            for column, cell in enumerate(cells[1:], start=1):
                if cell != "--":
                    printed[f"annotator0{cells[0]}", f"annotator0{column}"] = cell
    assert len(printed) == 36
    for found in agreements:
        shown = "*"
        if found.comparisons >= 50:
            assert found.kappa is not None
            shown = f"{found.kappa:.2f}".removeprefix("0")
        assert shown == printed[found.judge, found.other]
