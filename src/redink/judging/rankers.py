"""The ranking methods under one roof: from judgments to systems with ranks and clusters."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Annotated, Literal, get_args

import numpy as np

from redink.errors import OptionError
from redink.judging.bradley_terry import bradley_terry
from redink.judging.clusters import competition_ranks, group_clusters, rank_ranges
from redink.judging.expected_wins import Opponents, expected_wins
from redink.judging.rankings import FloatArray, IntArray, PairwiseJudgments
from redink.judging.tallies import Resample, Tally, resample_tallies, tally
from redink.judging.trueskill import TrueSkillParameters, trueskill
from redink.model import Shown

Method = Literal["expected-wins", "trueskill", "bradley-terry"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True)
class ScoredSystems:
    """What a ranking method found.

    Attributes:
        systems: the names, sorted.
        scores: one for each system; NaN where the method cannot place it.
        samples: the scores in every bootstrap sample, a row each.
    """

    systems: tuple[str, ...]
    scores: FloatArray
    samples: FloatArray

    @property
    def order(self) -> IntArray:
        """The systems with a score, best first; equal scores by name."""
        placed = np.flatnonzero(~np.isnan(self.scores))
        ordered: IntArray = placed[np.argsort(-self.scores[placed], kind="stable")]
        return ordered


@dataclass(frozen=True)
class RankedSystem:
    """A line of a human ranking; everything after the name is None for a system without score."""

    system: str
    score: Annotated[float | None, Shown("score", best="max")]
    rank: int | None
    rank_low: Annotated[int | None, Shown(title="from")]
    rank_high: Annotated[int | None, Shown(title="to")]
    cluster: int | None
    low: Annotated[float | None, Shown("score")]
    high: Annotated[float | None, Shown("score")]


def score_tally(whole: Tally, method: Method, *, opponents: Opponents = "all") -> FloatArray:
    """The scores of the methods that need no random numbers."""
    if method == "expected-wins":
        return expected_wins(whole, opponents=opponents)
    if method == "bradley-terry":
        return bradley_terry(whole)
    raise OptionError("TrueSkill has no scores without runs")


def score_systems(
    judgments: PairwiseJudgments,
    *,
    method: Method = "expected-wins",
    samples: int = 1000,
    resample: Resample = "pairs",
    opponents: Opponents = "all",
    rng: np.random.Generator,
    parameters: TrueSkillParameters | None = None,
) -> ScoredSystems:
    """Scores and bootstrap samples of them.

    Expected Wins and Bradley-Terry take their scores from all judgments and their samples from
    resampled ones. A TrueSkill run is a sample by itself (it draws its judgments one by one),
    and the score is the mean over the runs.
    """
    if method != "trueskill":
        drawn = resample_tallies(judgments, samples, rng, resample=resample)
        return ScoredSystems(
            judgments.systems,
            score_tally(tally(judgments), method, opponents=opponents),
            score_tally(drawn, method, opponents=opponents),
        )
    if resample == "pairs":
        runs = trueskill(tally(judgments), samples, rng, parameters=parameters)
    else:
        drawn = resample_tallies(judgments, samples, rng, resample=resample)
        runs = trueskill(drawn, 1, rng, parameters=parameters)[:, 0, :]
    defined = (~np.isnan(runs)).sum(axis=0)
    scores = np.full(len(judgments.systems), np.nan)
    np.divide(np.nansum(runs, axis=0), defined, out=scores, where=defined > 0)
    return ScoredSystems(judgments.systems, scores, runs)


def rank_systems(scored: ScoredSystems, *, p: float = 0.05) -> tuple[RankedSystem, ...]:
    """Ranks, rank ranges and clusters, best first; systems without a score come last."""
    placed = scored.order
    ranked = []
    if len(placed):
        scores, samples = scored.scores[placed], scored.samples[:, placed]
        low, high = rank_ranges(samples, p=p)
        clusters = group_clusters(low, high, np.arange(len(placed)))
        edges = _score_edges(samples, p)
        ranks = competition_ranks(scores)
        ranked = [
            RankedSystem(
                scored.systems[system],
                float(scores[at]),
                int(ranks[at]),
                floor(low[at]),
                ceil(high[at]),
                int(clusters[at]),
                float(edges[0, at]),
                float(edges[1, at]),
            )
            for at, system in enumerate(placed)
        ]
    unplaced = np.flatnonzero(np.isnan(scored.scores))
    nothing = (None,) * 7
    ranked += [RankedSystem(scored.systems[system], *nothing) for system in unplaced]
    return tuple(ranked)


def _score_edges(samples: FloatArray, p: float) -> FloatArray:
    edges: FloatArray = np.nanquantile(samples, [p / 2, 1 - p / 2], axis=0)
    return edges
