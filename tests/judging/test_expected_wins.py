"""Expected Wins, by hand and against the published script."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.judging.ranking_cases import make_ranking

from redink.inputs import read_rankings
from redink.judging.rankers import expected_wins
from redink.judging.rankings import expand, tally


def scores(*texts: str, **options: str) -> dict[str, float]:
    """The scores of the systems of a few rankings."""
    whole = tally(expand([make_ranking(text) for text in texts]))
    return dict(zip(whole.systems, expected_wins(whole, **options).tolist(), strict=True))  # type: ignore[arg-type]


def test_score_is_the_mean_share_of_wins() -> None:
    """A beats B in 2 of 3 and C in 3 of 3: (2/3 + 1) / 2."""
    assert scores("A B C", "A B C", "B A C") == pytest.approx(
        {"A": (2 / 3 + 1) / 2, "B": (1 / 3 + 1) / 2, "C": 0}
    )


def test_ties_are_left_out() -> None:
    """However many there are."""
    assert scores("A B", "B A", *["A=B"] * 50) == {"A": 0.5, "B": 0.5}


def test_opponent_with_ties_only_says_nothing() -> None:
    """It neither raises nor lowers the mean."""
    assert scores("A B", "A=C", "B C")["A"] == 1.0


def test_system_with_ties_only_has_no_score() -> None:
    """NaN, not zero."""
    found = scores("A B", "A=C", "B=C")
    assert np.isnan(found["C"])
    assert found["A"] == 1.0


def test_beaten_opponents_only() -> None:
    """The published rankings of judges leave out opponents that were never beaten."""
    texts = ("A B", "C A", "A C", "B C")
    assert scores(*texts)["B"] == pytest.approx((0 + 1) / 2)
    assert scores(*texts, opponents="beaten")["B"] == 1.0
    assert scores("A B", opponents="beaten") == {"A": 1.0, "B": 0.0}


def test_tallies_are_scored_at_once() -> None:
    """Axes in front of the systems are kept."""
    whole = tally(expand([make_ranking("A B C")]))
    stacked = type(whole)(whole.systems, np.stack([whole.wins] * 4), np.stack([whole.ties] * 4))
    assert expected_wins(stacked).shape == (4, 3)


def test_published_scores(shared: Path) -> None:
    """What the script published with the paper prints for all judgments, to the last digit."""
    oracle = json.loads((shared / "oracles/human/expected-wins-all.json").read_text())
    whole = tally(expand(read_rankings(shared / "data/gjg15/judgments.xml")))
    for system, score in zip(whole.systems, expected_wins(whole), strict=True):
        assert score == pytest.approx(oracle[system][0], abs=1e-12)
    assert whole.wins.sum() == oracle["data_points"][0]
