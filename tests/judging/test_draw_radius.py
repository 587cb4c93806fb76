"""Clusters by a tuned draw radius (Bojar et al. 2014), and rank ranges that depend on the seed."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import redink
from redink.judging.rankers import tune_radius, unsure_ranges

SCORES = np.array([0.9, 0.8, 0.1])


def accuracy(radius: float, wins: np.ndarray, ties: np.ndarray) -> float:
    """Count the judgments that the radius predicts, pair by pair."""
    right = total = 0.0
    for a, b in combinations(range(3), 2):
        total += wins[a, b] + wins[b, a] + ties[a, b]
        if abs(SCORES[a] - SCORES[b]) < radius:
            right += ties[a, b]
        else:
            right += wins[a, b] if SCORES[a] > SCORES[b] else wins[b, a]
    return right / total


@pytest.mark.parametrize(
    ("ties", "low", "high"),
    [
        ({(0, 1): 9}, 0.0999, 0.7),  # the two best are mostly tied
        ({}, 0, 1e-9),  # no ties: no radius
        ({(0, 1): 99, (0, 2): 99, (1, 2): 99}, 0.8, 0.9),  # ties everywhere: one cluster
    ],
)
def test_the_radius_maximizes_the_accuracy(
    ties: dict[tuple[int, int], int], low: float, high: float
) -> None:
    wins, tied = np.zeros((3, 3)), np.zeros((3, 3))
    for a, b in combinations(range(3), 2):
        wins[a, b] = 5
        tied[a, b] = tied[b, a] = ties.get((a, b), 0)
    radius = tune_radius(SCORES, wins, tied)
    assert low <= radius <= high
    best = max(accuracy(one, wins, tied) for one in np.linspace(0, 1, 101))
    assert accuracy(radius, wins, tied) == pytest.approx(best)


def test_the_published_negative_result(shared: Path) -> None:
    """Section 5.3: the tuned radius assigns all systems to a single cluster."""
    judgments = shared / "data" / "gjg15" / "judgments.xml"
    if not judgments.exists():
        pytest.skip("the judgments are not here")
    (row,) = redink.rank(judgments, show="accuracy", method="expected-wins", folds=20).rows
    assert row["within_radius"] == 1
    # one cluster predicts only ties, 59,117 of 109,098 judgments
    assert row["draw_radius"] == pytest.approx(59117 / 109098, abs=1e-4)


def test_a_range_whose_limit_is_close_to_another_rank_is_unsure() -> None:
    rng = np.random.default_rng(1)
    # the first system is always best; the third beats the second in about 2.5% of the samples
    third = np.where(rng.random(1000) < 0.025, 2.0, 0.0)
    samples = np.column_stack([np.full(1000, 9.0), np.ones(1000), third])
    assert unsure_ranges(samples, 0.05) == [1, 2]
    samples[:, 2] = 0
    assert unsure_ranges(samples, 0.05) == []
