"""How fast human rankings are ranked, and how near the published figures they come.

Bounds, on one core: 1000 bootstrap rankings with clusters in 2 s by Expected Wins and in 60 s by
TrueSkill (the published scripts need 117 s and, at 29 s for one run, 8 hours); the
cross-validation of both methods in 600 s.

    python benchmarks/rank.py [--data ../shared] [--quick]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rows import record

from redink.inputs import read_rankings
from redink.judging.rankers import Method, RankedSystem, cross_validate, rank_systems, score_systems
from redink.judging.rankings import expand

BOUNDS = {"expected-wins": 2.0, "trueskill": 60.0, "bradley-terry": None}
PUBLISHED_SECONDS = {"expected-wins": 117.0, "trueskill": 29.0 * 1000}


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result, and the processor time it took."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def show(cells: list[str]) -> None:
    """A line of a table."""
    print("  ".join(f"{cell:>18}" for cell in cells))


def deviation(ranked: tuple[RankedSystem, ...], published: dict[str, float]) -> str:
    """The largest difference from the published scores."""
    worst = max(abs((line.score or 0) - published[line.system]) for line in ranked)
    return f"{worst:.4f}"


def compare_with_package(ours: float) -> None:
    """Matches a second, of ours and of the trueskill package."""
    try:
        import trueskill
    except ImportError:
        return
    environment = trueskill.TrueSkill(mu=0, sigma=0.5, beta=10, tau=0, draw_probability=0.25)
    first, second = environment.create_rating(), environment.create_rating()
    matches = 2000

    def play() -> None:
        one, other = first, second
        for number in range(matches):
            one, other = trueskill.rate_1vs1(one, other, drawn=number % 4 == 0, env=environment)

    _, seconds = timed(play)
    theirs = matches / seconds
    print(f"TrueSkill matches a second: {ours:,.0f}; the trueskill package {theirs:,.0f}")
    what = "TrueSkill matches"
    record("ranking", what, ours, unit="matches/s", peer="trueskill 0.4.5", theirs=theirs)


def main() -> None:
    """Measure, and print three small tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared")
    parser.add_argument("--quick", action="store_true", help="no TrueSkill cross-validation")
    arguments = parser.parse_args()
    oracle = arguments.data / "oracles/published.json"
    published: dict[str, Any] = {}
    if oracle.exists():
        published = json.loads(oracle.read_text(encoding="utf-8"))["grundkiewicz-2015"]

    path = arguments.data / "data/gjg15/judgments.xml"
    judgments, seconds = timed(lambda: expand(read_rankings(path)))
    print(f"reading and expanding {len(judgments)} pairs: {seconds:.2f} s\n")

    print("1000 bootstrap rankings with clusters")
    show(["method", "CPU s", "bound s", "times published", "off published", "clusters"])
    tables = {"expected-wins": "table3b_expected_wins", "trueskill": "table3c_trueskill"}
    scores = {name: published[table] for name, table in tables.items() if table in published}
    for method, bound in BOUNDS.items():

        def work(method: Method = method) -> tuple[RankedSystem, ...]:  # type: ignore[assignment]
            rng = np.random.default_rng(1)
            return rank_systems(score_systems(judgments, method=method, rng=rng))

        ranked, seconds = timed(work)
        faster = PUBLISHED_SECONDS.get(method) if published else None
        record("ranking", f"{method}: 1000 rankings with clusters", seconds, bound=bound)
        if method == "trueskill":
            compare_with_package(1000 * (len(judgments) + 1) / seconds)
        show(
            [
                method,
                f"{seconds:.2f}",
                "" if bound is None else f"{bound:g}",
                "" if faster is None else f"{faster / seconds:.0f}",
                deviation(ranked, scores[method]) if method in scores else "",
                str(max(line.cluster or 0 for line in ranked)),
            ]
        )

    print("\n100-fold cross-validation with 100 samples each (bound for both published: 600 s)")
    show(["method", "CPU s", "non-ties", "published", "clusters", "published"])
    table = published.get("table4_accuracy", {"non_ties": {}, "clusters": {}})
    methods = ["expected-wins", "bradley-terry"] + ([] if arguments.quick else ["trueskill"])
    for method in methods:

        def validate(method: Method = method) -> Any:  # type: ignore[assignment]
            return cross_validate(judgments, method, rng=np.random.default_rng(1))

        found, seconds = timed(validate)
        record("ranking", f"{method}: 100-fold cross-validation", seconds)
        name = method.replace("-", "_")
        show(
            [
                method,
                f"{seconds:.1f}",
                f"{100 * found.non_ties:.2f}",
                str(table["non_ties"].get(name, "")),
                f"{100 * found.clusters:.2f}",
                str(table["clusters"].get(name, "")),
            ]
        )


if __name__ == "__main__":
    main()
