"""Ranking methods: from rankings or ratings to scores of systems, rank ranges and clusters.

Rank ranges and clusters come from bootstrap samples, as Koehn (2012) proposed. Cross-validation
measures how well a ranking predicts unseen judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil
from typing import Annotated, Any, Literal, get_args

import numpy as np

from redink.errors import DataError, OptionError
from redink.judging.rankings import (
    FloatArray,
    IntArray,
    PairwiseJudgments,
    PairwiseTally,
    Resample,
    fold_tallies,
    resample_tallies,
    resample_tally,
    tally,
)
from redink.judging.trueskill import TrueSkillParameters, trueskill
from redink.model import Rating, Shown, annotator_order
from redink.options import Limits, Options, Positive, Seed
from redink.statistics.resampling import BoolArray

Method = Literal["expected-wins", "trueskill", "bradley-terry"]
METHODS: tuple[Method, ...] = get_args(Method)
RatingMethod = Literal["mean", "z-score"]
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
    """The scores of systems (NaN if the method cannot rank one), and bootstrap samples of them.

    The systems are sorted by name; ``samples`` has one row per sample.
    """

    systems: tuple[str, ...]
    scores: FloatArray
    samples: FloatArray

    @property
    def order(self) -> IntArray:
        """The indices of the systems with a score, best first; equal scores by name."""
        placed = np.flatnonzero(~np.isnan(self.scores))
        ordered: IntArray = placed[np.argsort(-self.scores[placed], kind="stable")]
        return ordered

    def only(self, systems: Container[str]) -> ScoredSystems:
        """Return the scores of some of the systems."""
        kept = [at for at, system in enumerate(self.systems) if system in systems]
        names = tuple(self.systems[at] for at in kept)
        return ScoredSystems(names, self.scores[kept], self.samples[:, kept])


@dataclass(frozen=True)
class RankingOptions(Options):
    """Aggregation of the judgments to scores of systems.

    Attributes:
        method: aggregation of the judgments; for ratings mean or z-score (within each judge). By
            default expected-wins; mean for ratings; all with --show accuracy.
        bootstrap: number of bootstrap samples (TrueSkill: runs) for rank ranges and clusters. By
            default 1000, or 100 per fold with --show accuracy.
        alpha: significance level of rank ranges and clusters.
        resample: unit of bootstrap sampling: pairwise judgments, as published; rankings; or
            documents. Judgments of one ranking or document are not independent, so rankings and
            documents give wider ranges. For ratings: sentences or documents.
        opponents: compute Expected Wins as the mean over all opponents, or over opponents beaten at
            least once, as in the published rankings of single judges.
        seed: random seed.
    """

    method: Literal[Method, RatingMethod] | None = None
    bootstrap: Positive | None = None
    alpha: Annotated[float, Limits(0, 1, low_open=True, high_open=True)] = 0.05
    resample: Resample = "pairs"
    opponents: Opponents = "all"
    seed: Seed = 1

    @property
    def ranker(self) -> Method:
        """The method for rankings; by default Expected Wins."""
        return next((method for method in METHODS if method == self.method), "expected-wins")

    @property
    def samples(self) -> int:
        """The number of samples; by default 1000."""
        return self.bootstrap or 1000

    @property
    def shown_opponents(self) -> str | None:
        """The opponents for a signature; None for the default."""
        return None if self.opponents == "all" else self.opponents

    def rng(self) -> np.random.Generator:
        """Return a new generator with this seed."""
        return np.random.default_rng(self.seed)

    def score(self, judgments: PairwiseJudgments, skill: TrueSkillParameters) -> ScoredSystems:
        """Score the systems, always from the same seed."""
        return score_systems(
            judgments,
            method=self.ranker,
            samples=self.samples,
            resample=self.resample,
            opponents=self.opponents,
            rng=self.rng(),
            parameters=skill,
        )

    def signature(self) -> dict[str, Any]:
        """Return the entries of a signature."""
        return {
            "method": self.ranker,
            "opponents": self.shown_opponents,
            "p": self.alpha,
            "bootstrap": self.samples,
            "resample": self.resample,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class RankedSystem:
    """One row of a human ranking; all fields but the name are None for a system without score."""

    system: str
    score: Annotated[float | None, Shown("score", best="max")]
    rank: int | None
    rank_low: Annotated[int | None, Shown(title="from")]
    rank_high: Annotated[int | None, Shown(title="to")]
    cluster: int | None
    low: Annotated[float | None, Shown("score")]
    high: Annotated[float | None, Shown("score")]


def score_tally(whole: PairwiseTally, method: Method, opponents: Opponents = "all") -> FloatArray:
    """Return the scores of a method that needs no random numbers (any but TrueSkill)."""
    if method == "expected-wins":
        return expected_wins(whole, opponents=opponents)
    return bradley_terry(whole)


def score_systems(
    judgments: PairwiseJudgments,
    *,
    method: Method = "expected-wins",
    samples: int = 1000,
    resample: Resample = "pairs",
    opponents: Opponents = "all",
    rng: np.random.Generator,
    parameters: TrueSkillParameters = TrueSkillParameters(),
) -> ScoredSystems:
    """Score systems, with bootstrap samples of the scores.

    Expected Wins and Bradley-Terry compute scores from all judgments and samples from resampled
    ones. A TrueSkill run is itself a sample (it draws its judgments one by one), and the score is
    the mean over the runs.
    """
    if method != "trueskill":
        drawn = resample_tallies(judgments, samples, rng, resample=resample)
        both = (score_tally(each, method, opponents) for each in (tally(judgments), drawn))
        return ScoredSystems(judgments.systems, *both)
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
    """Return ranks, rank ranges and clusters, best first; systems without a score come last."""
    placed = scored.order
    ranked = []
    if len(placed):
        scores, samples = scored.scores[placed], scored.samples[:, placed]
        low, high = rank_ranges(samples, p=p)
        clusters = group_clusters(low, high, np.arange(len(placed)))
        edges = np.nanquantile(samples, [p / 2, 1 - p / 2], axis=0)
        names = (scored.systems[at] for at in placed)
        ends = (np.floor(low).astype(int), np.ceil(high).astype(int))
        columns = (scores, competition_ranks(scores), *ends, clusters, *edges)
        values = (column.tolist() for column in columns)
        ranked = [RankedSystem(*row) for row in zip(names, *values, strict=True)]
    unplaced = np.flatnonzero(np.isnan(scored.scores))
    nothing = (None,) * 7
    ranked += [RankedSystem(scored.systems[system], *nothing) for system in unplaced]
    return tuple(ranked)


def expected_wins(whole: PairwiseTally, *, opponents: Opponents = "all") -> FloatArray:
    """Return Expected Wins (Koehn 2012; Bojar et al. 2013) for each tally.

    The score of system i is the mean over opponents j of wins(i, j) / (wins(i, j) + wins(j, i)).
    Ties, and opponents with only ties, are ignored. The score is NaN without a win or a loss.

    ``opponents="beaten"`` takes the mean only over opponents that the system has beaten at least
    once, as the script for the published rankings of single judges does (table 7 of
    Grundkiewicz et al. 2015). This raises the score of a system that never won against an opponent.
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


def bradley_terry(whole: PairwiseTally, *, prior_deviation: float = PRIOR_DEVIATION) -> FloatArray:
    """Return Bradley-Terry abilities for each tally; NaN for a system that was never compared.

    With abilities a, the three outcomes of a comparison of i with j have probabilities in the
    proportion::

        i wins : j wins : tie  =  exp((a_i - a_j) / 2) : exp((a_j - a_i) / 2) : exp(t)

    (Davidson 1970); without ties this is the model of Bradley and Terry (1952). The abilities are
    log odds of winning, with mean zero. A weak normal prior keeps the ability of a system that won
    or lost everything finite; otherwise it changes the sixth decimal. With an infinite
    ``prior_deviation`` this is plain maximum likelihood.
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
    """Fit tallies of the shape (tallies, systems, systems) by Newton's method."""
    number, size, _ = wins.shape
    compared = wins + wins.transpose(0, 2, 1) + ties
    credit = (wins + ties / 2).sum(axis=-1)
    tied = ties.sum(axis=(1, 2)) / 2
    has_ties = tied > 0
    # The likelihood determines abilities only up to a constant; a tiny ridge fixes it.
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
    """Return 1 for the highest score; equal scores share the better rank; NaN gets 0."""
    scores = np.asarray(scores, dtype=np.float64)
    better = (scores[None, :] > scores[:, None]).sum(axis=1)
    return np.where(np.isnan(scores), 0, better + 1).astype(np.int64)


def rank_ranges(samples: FloatArray, *, p: float = 0.05) -> tuple[FloatArray, FloatArray]:
    """Return the best and worst rank of each system after discarding the extreme ranks.

    ``samples`` has one row of scores per bootstrap sample. A share of ``p / 2`` of a system's
    sorted ranks is discarded at each end: 25 of 1000 at p = 0.05. If that is not a whole number
    (2.5 of 100), the limit is interpolated between two ranks. Equal scores span all the ranks they
    could have; a system without a score in a sample could have any rank there.
    """
    number, size = samples.shape
    if not 0 < p < 1:
        raise OptionError(f"p must be between 0 and 1, not {p}")
    # Rounded: 10 samples are enough at p = 0.9, although 1 / (1 - 0.9) is slightly more than 10.
    needed = round(max(2 / p, 1 / (1 - p)), 6)
    if number < needed:
        many = ceil(needed) if needed < _MANY else "a billion"
        raise OptionError(f"rank ranges at p = {p} need at least {many} samples")
    best = np.ones((number, size), dtype=np.int64)
    worst = np.zeros((number, size), dtype=np.int64)
    for other in range(size):
        best += samples[:, other, None] > samples
        worst += samples[:, other, None] >= samples
    undefined = np.isnan(samples)
    best[undefined] = 1
    worst = np.where(undefined, (~undefined).sum(axis=1, keepdims=True) + 1, worst)
    low = _order_statistic(np.sort(best, axis=0), number * p / 2)
    high = _order_statistic(np.sort(worst, axis=0)[::-1], number * p / 2)
    return low, high


def _order_statistic(ordered: IntArray, discarded: float) -> FloatArray:
    """Return the first value after ``discarded`` values, interpolated for a fraction."""
    # Rounded: 1000 * 0.05 / 2 must be 25, not 25.000000000000004.
    discarded = round(discarded, 6)
    whole = int(discarded)  # at most half of them
    fraction = discarded - whole
    value: FloatArray = ordered[whole] * (1 - fraction) + ordered[whole + 1] * fraction
    return value


def unsure_ranges(samples: FloatArray, p: float) -> list[int]:
    """Return the systems whose rank range can differ with other samples.

    The limits are estimated quantiles; they are compared at two standard errors on either side.
    """
    number, tail = len(samples), p / 2
    error = 2 * np.sqrt(tail * (1 - tail) / number)
    ends = [max(tail - error, 1 / number), min(tail + error, 0.49)]
    wide, narrow = (rank_ranges(samples, p=2 * end) for end in ends)
    differs = (np.floor(wide[0]) != np.floor(narrow[0])) | (np.ceil(wide[1]) != np.ceil(narrow[1]))
    return np.flatnonzero(differs).tolist()


def group_clusters(low: FloatArray, high: FloatArray, order: IntArray) -> IntArray:
    """Return the cluster of each system, 1 being the best.

    ``order`` lists the systems from best to worst. A cluster ends where the worst rank so far is
    better than the best rank of every following system: ranges overlap only within clusters.
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
class RankingAccuracy:
    """The accuracy of one method in predicting unseen judgments; None if there were none."""

    method: Method
    non_ties: Annotated[float | None, Shown(best="max", title="non-ties")]
    clusters: Annotated[float | None, Shown(best="max")]
    draw_radius: Annotated[float | None, Shown(best="max", title="draw radius")]
    radius: Annotated[float, Shown("score", title="mean r")]
    within_radius: Annotated[float, Shown("rate", title="pairs within r")]
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
    parameters: TrueSkillParameters = TrueSkillParameters(),
) -> RankingAccuracy:
    """Measure how well a ranking predicts unseen judgments (Grundkiewicz et al. 2015, 5.3).

    A ranking made from all other folds predicts the judgments of each fold:

    - *non-ties*: the order of the scores predicts the winner; tied judgments are ignored;
    - *clusters*: bootstrap clusters (``samples`` for each fold) predict a tie within a cluster and
      a win of the better cluster otherwise; all judgments are included;
    - *draw radius*: two systems whose scores differ by less than r are tied (Bojar et al. 2014); r
      maximizes the accuracy on the other folds.

    Accuracies are means over folds. (The scripts published with the paper hold out other folds
    than the ones they test on.)
    """
    if folds < 2:
        raise OptionError("cross-validation needs at least two folds")
    if len(judgments) < folds:
        raise DataError(
            f"{len(judgments)} pairwise judgments are too few for {folds} folds; reduce --folds"
        )
    fold = np.empty(len(judgments), dtype=np.int64)
    fold[rng.permutation(len(judgments))] = np.arange(len(judgments)) % folds
    test = fold_tallies(judgments, fold, folds)
    train = PairwiseTally(
        test.systems, test.wins.sum(axis=0) - test.wins, test.ties.sum(axis=0) - test.ties
    )
    if method == "trueskill":
        sampled = trueskill(train, samples, rng, parameters=parameters)
        scores = sampled.mean(axis=1)
    else:
        scores = score_tally(train, method)
        sampled = score_tally(resample_tally(train, samples, rng), method)
    by_score, by_cluster, by_radius, radii, within = [], [], [], [], []
    for at in range(folds):
        gaps = np.abs(scores[at][:, None] - scores[at][None, :])
        radii.append(tune_radius(scores[at], train.wins[at], train.ties[at]))
        same = gaps < radii[-1]
        better = (scores[at][:, None] > scores[at][None, :]) & ~same
        by_radius.append(_tie_accuracy(better, same, test.wins[at], test.ties[at]))
        within.append(float(same[np.triu_indices(len(same), 1)].mean()))
        by_score.append(_non_tie_accuracy(scores[at], test.wins[at]))
        order = np.argsort(-np.nan_to_num(scores[at], nan=-np.inf), kind="stable")
        clusters = group_clusters(*rank_ranges(sampled[at], p=p), order)
        by_cluster.append(_cluster_accuracy(clusters, test.wins[at], test.ties[at]))
    means = (_mean(by_score), _mean(by_cluster), _mean(by_radius))
    spread = (float(np.mean(radii)), float(np.mean(within)))
    return RankingAccuracy(method, *means, *spread, folds, samples)


def tune_radius(scores: FloatArray, wins: FloatArray, ties: FloatArray) -> float:
    """Return the draw radius with the highest accuracy on these judgments, the smallest if equal.

    Systems whose scores differ by less than the radius are tied (Bojar et al. 2014).
    """
    gaps = np.abs(scores[:, None] - scores[None, :])
    ahead = scores[:, None] > scores[None, :]
    radii = [0.0, *(float(np.nextafter(gap, np.inf)) for gap in np.unique(gaps[gaps > 0]))]
    accuracies = [_tie_accuracy(ahead & (gaps >= r), gaps < r, wins, ties) or 0 for r in radii]
    return radii[int(np.argmax(accuracies))]


def _non_tie_accuracy(scores: FloatArray, wins: FloatArray) -> float | None:
    right = wins[scores[:, None] > scores[None, :]].sum()
    # Equal scores, and systems without a score, count half.
    even = wins[~(scores[:, None] > scores[None, :]) & ~(scores[:, None] < scores[None, :])].sum()
    total = wins.sum()
    return float((right + even / 2) / total) if total else None


def _cluster_accuracy(clusters: IntArray, wins: FloatArray, ties: FloatArray) -> float | None:
    better = clusters[:, None] < clusters[None, :]
    same = clusters[:, None] == clusters[None, :]
    return _tie_accuracy(better, same, wins, ties)


def _tie_accuracy(
    better: BoolArray, same: BoolArray, wins: FloatArray, ties: FloatArray
) -> float | None:
    total = wins.sum() + ties.sum() / 2
    return float((wins[better].sum() + ties[same].sum() / 2) / total) if total else None


def _mean(values: list[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return float(np.mean(defined)) if defined else None


# ---- ratings of outputs


@dataclass(frozen=True)
class JudgmentGrid:
    """Human judgments as a matrix of rows by (sorted) systems; higher is better, NaN is missing.

    Several rows can be about one of the ``sentences``.
    """

    systems: tuple[str, ...]
    sentences: tuple[str, ...]
    values: FloatArray

    def only(self, systems: Container[str]) -> JudgmentGrid:
        """Return the columns of some of the systems."""
        kept = [at for at, system in enumerate(self.systems) if system in systems]
        names = tuple(self.systems[at] for at in kept)
        return JudgmentGrid(names, self.sentences, self.values[:, kept])


def standardize(ratings: Sequence[Rating]) -> tuple[Rating, ...]:
    """Return the ratings as z-scores within each judge, which removes differences in strictness."""
    by_judge: dict[str, list[float]] = {}
    for rating in ratings:
        by_judge.setdefault(rating.judge, []).append(rating.value)
    moments = {judge: (float(np.mean(v)), float(np.std(v))) for judge, v in by_judge.items()}
    found = []
    for rating in ratings:
        mean, spread = moments[rating.judge]
        found.append(replace(rating, value=(rating.value - mean) / spread if spread > 0 else 0.0))
    return tuple(found)


def _by_output(ratings: Iterable[Rating]) -> dict[tuple[str, str], list[float]]:
    cells: dict[tuple[str, str], list[float]] = {}
    for rating in ratings:
        cells.setdefault((rating.sentence, rating.system), []).append(rating.value)
    return cells


def grid_of_ratings(ratings: Iterable[Rating]) -> JudgmentGrid:
    """Return one row per sentence: the mean over judges for each system."""
    cells = _by_output(ratings)
    names = tuple(sorted({system for _, system in cells}))
    sentences = tuple(dict.fromkeys(sentence for sentence, _ in cells))
    rows = {sentence: at for at, sentence in enumerate(sentences)}
    columns = {system: at for at, system in enumerate(names)}
    values = np.full((len(sentences), len(names)), np.nan)
    for (sentence, system), given in cells.items():
        values[rows[sentence], columns[system]] = sum(given) / len(given)
    return JudgmentGrid(names, sentences, values)


def score_by_ratings(
    ratings: Sequence[Rating],
    *,
    method: RatingMethod = "mean",
    samples: int = 1000,
    rng: np.random.Generator,
    documents: Callable[[Sequence[str]], IntArray] | None = None,
) -> ScoredSystems:
    """Score systems by their mean over sentences, with bootstrap samples of the sentences.

    A sentence counts once for a system, however many judges rated it. With ``documents``, which
    numbers the documents of sentences, documents are resampled.
    """
    from redink.statistics.resampling import draw_bootstrap_blocks

    if not ratings:
        raise DataError("there are no ratings")
    grid = grid_of_ratings(standardize(ratings) if method == "z-score" else ratings)
    known = ~np.isnan(grid.values)
    filled, counted = np.where(known, grid.values, 0.0), known.astype(np.float64)
    groups = None if documents is None else documents(grid.sentences)
    drawn = [
        np.divide(
            weights @ filled,
            weights @ counted,
            out=np.full((len(weights), len(grid.systems)), np.nan),
            where=weights @ counted > 0,
        )
        for weights in draw_bootstrap_blocks(len(grid.sentences), samples, rng, groups=groups)
    ]
    scores = np.array([np.mean(column[~np.isnan(column)]) for column in grid.values.T])
    return ScoredSystems(grid.systems, scores, np.concatenate(drawn))


@dataclass(frozen=True)
class RaterAgreement:
    """The correlations and the mean difference of two judges' ratings of the same outputs."""

    judge: str
    other: str
    pearson: float | None
    spearman: float | None
    kendall: float | None
    difference: Annotated[float | None, Shown("score")]
    outputs: int


_MOST_FOR_KENDALL = 3000
"""With more outputs, Kendall's tau over all pairs would take minutes and is not computed."""


def rater_agreements(ratings: Sequence[Rating]) -> tuple[RaterAgreement, ...]:
    """Compare each pair of judges on the outputs that both rated."""
    from redink.statistics.correlation import COEFFICIENTS, correlate_all

    by_judge: dict[str, dict[tuple[str, str], float]] = {}
    for rating in ratings:
        of_judge = by_judge.setdefault(rating.judge, {})
        of_judge[rating.sentence, rating.system] = rating.value
    found = []
    for judge, other in combinations(sorted(by_judge, key=annotator_order), 2):
        both = sorted(by_judge[judge].keys() & by_judge[other].keys())
        mine, theirs = (np.array([by_judge[one][key] for key in both]) for one in (judge, other))
        names = COEFFICIENTS if len(both) <= _MOST_FOR_KENDALL else ("pearson", "spearman")
        values = {"kendall": None, **correlate_all(mine, theirs, names)}
        difference = float((mine - theirs).mean()) if both else None
        found.append(
            RaterAgreement(judge, other, **values, difference=difference, outputs=len(both))
        )
    return tuple(found)


def intraclass_correlation(ratings: Sequence[Rating]) -> float | None:
    """Return the intraclass correlation ICC(1): the share of variance between outputs.

    It comes from a one-way analysis of variance over outputs with two or more ratings, not
    necessarily by the same judges (Shrout and Fleiss 1979; Donner and Koval 1980).
    """
    groups = [np.array(values) for values in _by_output(ratings).values() if len(values) > 1]
    if len(groups) < 2:
        return None
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    total, number = sizes.sum(), len(groups)
    grand = sum(float(group.sum()) for group in groups) / total
    means = np.array([group.mean() for group in groups])
    between = float((sizes * (means - grand) ** 2).sum()) / (number - 1)
    within = sum(float(((g - g.mean()) ** 2).sum()) for g in groups) / (total - number)
    typical = (total - float((sizes**2).sum()) / total) / (number - 1)
    below = between + (typical - 1) * within
    return (between - within) / below if below > 0 else None
