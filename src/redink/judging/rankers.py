"""The ranking methods under one roof: from judgments to systems with ranks and clusters.

- Expected Wins (Koehn 2012; Bojar et al. 2013): how likely a system is to beat an opponent drawn
  at random.
- Bradley-Terry: abilities as log odds of winning, with ties by Davidson's model.
- TrueSkill has a module of its own.

Rank ranges and clusters come from bootstrap samples, as Koehn (2012) proposed. How well a ranking
predicts judgments it has not seen is told by cross-validation.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from math import ceil, floor
from typing import Annotated, Literal, get_args

import numpy as np

from redink.errors import DataError, OptionError
from redink.judging.rankings import FloatArray, IntArray, PairwiseJudgments
from redink.judging.tallies import (
    Resample,
    Tally,
    fold_tallies,
    resample_tallies,
    resample_tally,
    tally,
)
from redink.judging.trueskill import trueskill
from redink.model import Shown

Method = Literal["expected-wins", "trueskill", "bradley-terry"]
METHODS: tuple[Method, ...] = get_args(Method)
Opponents = Literal["all", "beaten"]
PRIOR_DEVIATION = 10.0
_LARGEST_STEP = 2.0
_ITERATIONS = 100
# Newton's steps shrink quadratically: after one of this size the error is below rounding.
_TOLERANCE = 1e-7
_TALLIES_AT_ONCE = 1000
_MANY = 1_000_000_000


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

    def only(self, systems: Container[str]) -> ScoredSystems:
        """The same scores of some of the systems."""
        kept = [at for at, system in enumerate(self.systems) if system in systems]
        names = tuple(self.systems[at] for at in kept)
        return ScoredSystems(names, self.scores[kept], self.samples[:, kept])


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
        runs = trueskill(tally(judgments), samples, rng)
    else:
        drawn = resample_tallies(judgments, samples, rng, resample=resample)
        runs = trueskill(drawn, 1, rng)[:, 0, :]
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
        edges = np.nanquantile(samples, [p / 2, 1 - p / 2], axis=0)
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


def expected_wins(whole: Tally, *, opponents: Opponents = "all") -> FloatArray:
    """The score of every system, for each tally; NaN for a system without a win or a loss.

    The mean over opponents j of wins(i, j) / (wins(i, j) + wins(j, i)). Ties are left out, and so
    are opponents that never beat i and were never beaten by it: they say nothing about i.

    ``opponents="beaten"`` takes the mean over those opponents only that the system has beaten at
    least once. The script behind the published rankings of single judges (table 7 of
    Grundkiewicz et al. 2015) does so; a system that never won against an opponent gains by it.
    """
    wins = whole.wins
    decided = wins + np.swapaxes(wins, -1, -2)
    shares = np.divide(wins, decided, out=np.zeros_like(wins), where=decided > 0)
    counted = (decided if opponents == "all" else wins) > 0
    number = counted.sum(axis=-1)
    scores = np.full(number.shape, np.nan)
    np.divide(shares.sum(axis=-1), number, out=scores, where=number > 0)
    if opponents == "beaten":
        scores[(number == 0) & (decided.sum(axis=-1) > 0)] = 0.0
    return scores


def bradley_terry(whole: Tally, *, prior_deviation: float = PRIOR_DEVIATION) -> FloatArray:
    """The ability of every system, for each tally; NaN for a system that was never compared.

    With abilities a, the three outcomes of a comparison of i with j have probabilities in the
    proportion::

        i wins : j wins : tie  =  exp((a_i - a_j) / 2) : exp((a_j - a_i) / 2) : exp(t)

    (Davidson 1970); without ties this is the model of Bradley and Terry (1952). The scores are the
    abilities: log odds of winning, with mean zero. A weak normal prior keeps a system that won or
    lost everything at a finite place; where there is data it changes the sixth decimal. Its
    deviation may be infinite: plain maximum likelihood.
    """
    size = len(whole.systems)
    wins = whole.wins.reshape(-1, size, size)
    ties = whole.ties.reshape(-1, size, size)
    abilities = np.empty((len(wins), size))
    for start in range(0, len(wins), _TALLIES_AT_ONCE):
        block = slice(start, start + _TALLIES_AT_ONCE)
        abilities[block] = _fit(wins[block], ties[block], prior_deviation**-2)
    return abilities.reshape(*whole.wins.shape[:-2], size)


def _fit(wins: FloatArray, ties: FloatArray, precision: float) -> FloatArray:
    """The abilities of a few tallies, shaped (tallies, systems, systems), by Newton's method."""
    number, size, _ = wins.shape
    compared = wins + wins.transpose(0, 2, 1) + ties
    credit = (wins + ties / 2).sum(axis=-1)
    tied = ties.sum(axis=(1, 2)) / 2
    has_ties = tied > 0
    # A pure likelihood knows abilities only up to a constant: the smallest ridge fixes it.
    ridge = max(precision, 1e-9)
    diagonal = np.arange(size)
    ability = np.zeros((number, size))
    tie = np.zeros(number)
    gradient = np.empty((number, size + 1))
    hessian = np.empty((number, size + 1, size + 1))
    for _ in range(_ITERATIONS):
        win_weight = np.exp((ability[:, :, None] - ability[:, None, :]) / 2)
        tie_weight = np.where(has_ties, np.exp(tie), 0.0)[:, None, None]
        total = win_weight + win_weight.transpose(0, 2, 1) + tie_weight
        p_win, p_tie = win_weight / total, tie_weight / total
        share = p_win + p_tie / 2

        gradient[:, :size] = credit - (compared * share).sum(axis=-1) - precision * ability
        gradient[:, size] = tied - (compared * p_tie).sum(axis=(1, 2)) / 2 - precision * tie
        gradient[~has_ties, size] = 0.0

        # The negative Hessian: covariances of the credit and of the tie within each comparison.
        spread = compared * (p_win + p_tie / 4 - share**2)
        hessian[:, :size, :size] = -spread
        hessian[:, diagonal, diagonal] = spread.sum(axis=-1) + ridge
        cross = (compared * p_tie * (0.5 - share)).sum(axis=-1)
        hessian[:, :size, size] = hessian[:, size, :size] = cross
        hessian[:, size, size] = (compared * p_tie * (1 - p_tie)).sum(axis=(1, 2)) / 2 + ridge

        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        np.clip(step, -_LARGEST_STEP, _LARGEST_STEP, out=step)
        ability += step[:, :size]
        tie += step[:, size]
        if np.abs(step).max(initial=0.0) < _TOLERANCE:
            break
    ability -= ability.mean(axis=1, keepdims=True)
    ability[compared.sum(axis=-1) == 0] = np.nan
    return ability


def competition_ranks(scores: FloatArray) -> IntArray:
    """1 for the highest score; equal scores share the better rank; 0 where undefined (NaN)."""
    scores = np.asarray(scores, dtype=np.float64)
    better = (scores[None, :] > scores[:, None]).sum(axis=1)
    return np.where(np.isnan(scores), 0, better + 1).astype(np.int64)


def rank_ranges(samples: FloatArray, *, p: float = 0.05) -> tuple[FloatArray, FloatArray]:
    """The best and worst rank of each system once the extreme ranks are thrown away.

    ``samples`` has a row of scores for every bootstrap sample. Of the sorted ranks of a system a
    share of ``p / 2`` is discarded at each end: 25 of 1000 at p = 0.05. Where that is not a whole
    number (2.5 of 100) the edge lies between two ranks, so that the range is at p exactly, and
    not a little above or below as the samples happen to be round.

    Equal scores span all the ranks they could have; a system without a score in a sample could
    have any rank there.

    Raises:
        OptionError: there are too few samples for p: none is discarded at an end, or not even
            one is left.
    """
    number, size = samples.shape
    if not 0 < p < 1:
        raise OptionError(f"p lies between 0 and 1, not at {p}")
    # Rounded: 10 samples are enough at p = 0.9, although 1 / (1 - 0.9) is a little more than 10.
    needed = round(max(2 / p, 1 / (1 - p)), 6)
    if number < needed:
        many = ceil(needed) if needed < _MANY else "a billion"
        raise OptionError(f"rank ranges at p = {p} need at least {many} samples")
    best = np.ones((number, size), dtype=np.int64)
    worst = np.zeros((number, size), dtype=np.int64)
    for other in range(size):
        # NaN compares false on both sides: it neither pushes down nor is pushed.
        best += samples[:, other, None] > samples
        worst += samples[:, other, None] >= samples
    undefined = np.isnan(samples)
    best[undefined] = 1
    worst = np.where(undefined, (~undefined).sum(axis=1, keepdims=True) + 1, worst)
    low = _order_statistic(np.sort(best, axis=0), number * p / 2)
    # From the other end the worst ranks are sorted like the best from this one.
    high = _order_statistic(np.sort(worst, axis=0)[::-1], number * p / 2)
    return low, high


def _order_statistic(ordered: IntArray, discarded: float) -> FloatArray:
    """The first value after ``discarded`` ones, between its neighbours for a fraction."""
    # Rounded: 1000 * 0.05 / 2 must be 25, not 25.000000000000004.
    discarded = round(discarded, 6)
    whole = int(discarded)  # at most half of them
    fraction = discarded - whole
    value: FloatArray = ordered[whole] * (1 - fraction) + ordered[whole + 1] * fraction
    return value


def group_clusters(low: FloatArray, high: FloatArray, order: IntArray) -> IntArray:
    """The cluster of every system, 1 being the best.

    ``order`` lists the systems from best to worst. A cluster ends where the worst rank reached
    so far is better than every best rank still to come: ranges overlap within clusters only.
    """
    cluster = np.zeros(len(low), dtype=np.int64)
    current = 1
    for position, system in enumerate(order):
        cluster[system] = current
        after = order[position + 1 :]
        if len(after) and high[order[: position + 1]].max() < low[after].min():
            current += 1
    return cluster


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of one method; None where no fold had anything to predict."""

    method: Method
    non_ties: Annotated[float | None, Shown(best="max", title="non-ties")]
    clusters: Annotated[float | None, Shown(best="max")]
    folds: int
    samples: int


def cross_validate(
    judgments: PairwiseJudgments,
    method: Method,
    *,
    folds: int = 100,
    samples: int = 100,
    p: float = 0.05,
    rng: np.random.Generator,
) -> Accuracy:
    """How well a ranking predicts judgments it has not seen (Grundkiewicz et al. 2015, 5.3).

    The judgments are shuffled and dealt into folds. For each fold a ranking is learnt from all the
    others and asked for the outcomes of the fold:

    - *non-ties*: the order of the scores predicts the winner; tied judgments are left out;
    - *clusters*: bootstrap clusters (``samples`` for each fold) predict a tie within a cluster and
      the better cluster's win otherwise; all judgments count.

    Accuracies are means over folds. Each fold itself is held out (the scripts published with the
    paper leave out other folds than the one they test on).

    Raises:
        DataError: there are fewer judgments than folds.
    """
    if folds < 2:
        raise OptionError("cross-validation needs at least two folds")
    if len(judgments) < folds:
        raise DataError(
            f"{len(judgments)} pairwise judgments are too few for {folds} folds; ask for fewer"
        )
    fold = np.empty(len(judgments), dtype=np.int64)
    fold[rng.permutation(len(judgments))] = np.arange(len(judgments)) % folds
    test = fold_tallies(judgments, fold, folds)
    train = Tally(
        test.systems, test.wins.sum(axis=0) - test.wins, test.ties.sum(axis=0) - test.ties
    )
    if method == "trueskill":
        sampled = trueskill(train, samples, rng)
        scores = sampled.mean(axis=1)
    else:
        scores = score_tally(train, method)
        sampled = score_tally(resample_tally(train, samples, rng), method)
    by_score = [_non_tie_accuracy(scores[at], test.wins[at]) for at in range(folds)]
    by_cluster = [
        _cluster_accuracy(_clusters(scores[at], sampled[at], p), test.wins[at], test.ties[at])
        for at in range(folds)
    ]
    return Accuracy(method, _mean(by_score), _mean(by_cluster), folds, samples)


def _clusters(scores: FloatArray, samples: FloatArray, p: float) -> IntArray:
    low, high = rank_ranges(samples, p=p)
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    return group_clusters(low, high, order)


def _non_tie_accuracy(scores: FloatArray, wins: FloatArray) -> float | None:
    right = wins[scores[:, None] > scores[None, :]].sum()
    # Equal scores, and systems without one, are a coin's throw.
    even = wins[~(scores[:, None] > scores[None, :]) & ~(scores[:, None] < scores[None, :])].sum()
    total = wins.sum()
    return float((right + even / 2) / total) if total else None


def _cluster_accuracy(clusters: IntArray, wins: FloatArray, ties: FloatArray) -> float | None:
    better = clusters[:, None] < clusters[None, :]
    same = clusters[:, None] == clusters[None, :]
    total = wins.sum() + ties.sum() / 2
    return float((wins[better].sum() + ties[same].sum() / 2) / total) if total else None


def _mean(values: list[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return float(np.mean(defined)) if defined else None
