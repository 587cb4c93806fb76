"""How well a ranking predicts judgments it has not seen (Grundkiewicz et al. 2015, 5.3).

The judgments are shuffled and dealt into folds. For each fold a ranking is learnt from all the
others and asked for the outcomes of the fold:

- *non-ties*: the order of the scores predicts the winner; tied judgments are left out;
- *clusters*: bootstrap clusters predict a tie within a cluster and the better cluster's win
  otherwise; all judgments count.

Accuracies are means over folds. Each fold itself is held out (the scripts published with the
paper leave out other folds than the one they test on).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from redink.errors import DataError, OptionError
from redink.judging.clusters import group_clusters, rank_ranges
from redink.judging.rankers import Method, score_tally
from redink.judging.rankings import FloatArray, IntArray, PairwiseJudgments
from redink.judging.tallies import Tally, fold_tallies, resample_tally
from redink.judging.trueskill import TrueSkillParameters, trueskill
from redink.model import Shown


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
    parameters: TrueSkillParameters | None = None,
) -> Accuracy:
    """The accuracies of one method, with ``samples`` bootstrap samples for every fold's clusters.

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
        sampled = trueskill(train, samples, rng, parameters=parameters)
        scores = sampled.mean(axis=1)
    else:
        scores = score_tally(train, method)
        sampled = score_tally(resample_tally(train, samples, rng), method)
    by_score = [_non_tie_accuracy(score, wins) for score, wins in zip(scores, test.wins)]  # noqa: B905
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
