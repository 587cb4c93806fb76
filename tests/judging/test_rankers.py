"""From judgments to ranked systems, whatever the method."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.judging.ranking_cases import make_ranking

from redink.inputs import read_rankings
from redink.judging.rankers import METHODS, rank_systems, score_systems
from redink.judging.rankings import expand

CLEAR = [make_ranking("A B C D")] * 40 + [make_ranking("A C B D")] * 38


@pytest.mark.parametrize("method", METHODS)
def test_clear_order_is_found(method: str) -> None:
    """A is best, D is worst, and B and C share a cluster, by every method."""
    scored = score_systems(expand(CLEAR), method=method, samples=200, rng=np.random.default_rng(1))
    ranked = rank_systems(scored)
    assert (ranked[0].system, ranked[-1].system) == ("A", "D")
    assert [line.cluster for line in ranked] == [1, 2, 2, 3]
    middle = ranked[1]
    assert (middle.rank, middle.rank_low, middle.rank_high) == (2, 2, 3)
    assert all(line.low <= line.score <= line.high for line in ranked)  # type: ignore[operator]


@pytest.mark.parametrize("method", METHODS)
def test_ties_everywhere_make_one_cluster_or_none(method: str) -> None:
    """Expected Wins places nobody; the others call all equal."""
    judgments = expand([make_ranking("A=B=C")] * 10)
    scored = score_systems(judgments, method=method, samples=100, rng=np.random.default_rng(1))
    ranked = rank_systems(scored)
    if method == "expected-wins":
        assert all(line.score is None and line.rank is None for line in ranked)
    else:
        assert [(line.rank, line.rank_low, line.rank_high) for line in ranked] == [(1, 1, 3)] * 3
        assert {line.cluster for line in ranked} == {1}


@pytest.mark.parametrize("method", METHODS)
def test_two_systems(method: str) -> None:
    """A ranking of two, decided or not."""
    for texts, clusters in ((["A B"] * 60 + ["B A"] * 9, [1, 2]), (["A B", "B A"] * 9, [1, 1])):
        judgments = expand([make_ranking(text) for text in texts])
        scored = score_systems(judgments, method=method, samples=200, rng=np.random.default_rng(1))
        assert [line.cluster for line in rank_systems(scored)] == clusters


@pytest.mark.parametrize("method", METHODS)
def test_whole_rankings_can_be_drawn(method: str) -> None:
    """Pairs that hang together make ranges no narrower: here every ranking counts threefold."""
    judgments = expand([make_ranking("A B+C+D"), make_ranking("B+C+D A")] * 10)
    spread = {}
    for unit in ("pairs", "rankings"):
        scored = score_systems(
            judgments,
            method=method,
            samples=150,
            resample=unit,
            rng=np.random.default_rng(1),
        )
        spread[unit] = scored.samples[:, 0].std()
    assert spread["rankings"] > 1.2 * spread["pairs"]


def test_table_3b(shared: Path) -> None:
    """Expected Wins of the paper: scores, order, clusters, and rank ranges within one rank."""
    published = json.loads((shared / "oracles/published.json").read_text(encoding="utf-8"))
    expected = published["grundkiewicz-2015"]
    judgments = expand(read_rankings(shared / "data/gjg15/judgments.xml"))
    ranked = rank_systems(score_systems(judgments, rng=np.random.default_rng(1)))
    scores = expected["table3b_expected_wins"]
    assert [line.system for line in ranked] == list(scores)
    for line in ranked:
        assert line.score == pytest.approx(scores[line.system], abs=0.0006)
        low, high = expected["table3b_ranges"][line.system]
        assert abs(line.rank_low - low) <= 1  # type: ignore[operator]
        assert abs(line.rank_high - high) <= 1  # type: ignore[operator]
    clusters: dict[int | None, list[str]] = {}
    for line in ranked:
        clusters.setdefault(line.cluster, []).append(line.system)
    assert list(clusters.values()) == expected["table3b_clusters"]


def test_clusters_of_the_published_script(shared: Path) -> None:
    """What the published script printed: every line, ranges within one rank."""
    text = (shared / "oracles/human/expected-wins-clusters.txt").read_text()
    judgments = expand(read_rankings(shared / "data/gjg15/judgments.xml"))
    ranked = rank_systems(score_systems(judgments, rng=np.random.default_rng(1)))
    cluster, lines = 1, iter(ranked)
    for printed in text.splitlines():
        if printed.startswith("+"):
            cluster += 1
            continue
        found = re.fullmatch(r"(\w+) (\S+) \((\d+), (\d+)\)", printed.strip())
        assert found
        line = next(lines)
        assert (line.system, line.cluster) == (found[1], cluster)
        assert line.score == pytest.approx(float(found[2]), abs=0.0001)
        assert abs(line.rank_low - int(found[3])) <= 1  # type: ignore[operator]
        assert abs(line.rank_high - int(found[4])) <= 1  # type: ignore[operator]
    assert cluster == 4
    assert next(lines, None) is None
