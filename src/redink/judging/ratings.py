"""Ratings of outputs by people: means, z-scores by judge, the order of systems, agreement.

A judge who is strict, or uses only part of the scale, moves the means of the systems they happen
to see. Their *z-scores* (their ratings less their mean, over their standard deviation) do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal

import numpy as np

from redink.errors import DataError
from redink.judging.pairs import Grid
from redink.judging.rankers import ScoredSystems
from redink.judging.rankings import FloatArray, IntArray
from redink.model import Rating, Shown, annotator_order
from redink.statistics.correlation import correlate
from redink.statistics.resampling import draw_bootstrap_blocks

RatingMethod = Literal["mean", "z-score"]


def standardise(ratings: Sequence[Rating]) -> tuple[Rating, ...]:
    """The ratings as z-scores of their judge; a judge who always says the same says 0."""
    by_judge: dict[str, list[float]] = {}
    for rating in ratings:
        by_judge.setdefault(rating.judge, []).append(rating.value)
    moments = {judge: (float(np.mean(v)), float(np.std(v))) for judge, v in by_judge.items()}
    found = []
    for rating in ratings:
        mean, spread = moments[rating.judge]
        value = (rating.value - mean) / spread if spread > 0 else 0.0
        found.append(Rating(rating.sentence, rating.system, rating.judge, value))
    return tuple(found)


def grid_of_ratings(ratings: Iterable[Rating]) -> Grid:
    """A row for every sentence: the mean over judges for every system."""
    cells: dict[tuple[str, str], list[float]] = {}
    for rating in ratings:
        cells.setdefault((rating.sentence, rating.system), []).append(rating.value)
    names = tuple(sorted({system for _, system in cells}))
    sentences = tuple(dict.fromkeys(sentence for sentence, _ in cells))
    rows = {sentence: at for at, sentence in enumerate(sentences)}
    columns = {system: at for at, system in enumerate(names)}
    values = np.full((len(sentences), len(names)), np.nan)
    for (sentence, system), given in cells.items():
        values[rows[sentence], columns[system]] = sum(given) / len(given)
    return Grid(names, sentences, values)


def score_by_ratings(
    ratings: Sequence[Rating],
    *,
    method: RatingMethod = "mean",
    samples: int = 1000,
    rng: np.random.Generator,
    documents: Callable[[Sequence[str]], IntArray] | None = None,
) -> ScoredSystems:
    """Every system's mean over sentences, and the same in bootstrap samples of the sentences.

    A sentence counts once for a system, however many judges rated it. With ``documents``, which
    numbers the documents of sentences, samples draw documents.
    """
    if not ratings:
        raise DataError("there are no ratings")
    grid = grid_of_ratings(standardise(ratings) if method == "z-score" else ratings)
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
    """How two judges' ratings of the same outputs go together.

    Attributes:
        judge: the first.
        other: the second.
        pearson: of their ratings.
        spearman: likewise, by rank.
        kendall: likewise, by pairs.
        difference: the mean difference, the first less the second: who is the stricter.
        outputs: how many both rated.
    """

    judge: str
    other: str
    pearson: float | None
    spearman: float | None
    kendall: float | None
    difference: Annotated[float | None, Shown("score")]
    outputs: int


_MOST_FOR_KENDALL = 3000
"""Outputs beyond which Kendall's tau over all pairs of them is left out: it would take minutes."""


def rater_agreements(ratings: Sequence[Rating]) -> tuple[RaterAgreement, ...]:
    """Every two judges on the outputs that both rated."""
    by_judge: dict[str, dict[tuple[str, str], float]] = {}
    for rating in ratings:
        of_judge = by_judge.setdefault(rating.judge, {})
        of_judge[rating.sentence, rating.system] = rating.value
    judges = sorted(by_judge, key=annotator_order)
    return tuple(_agree(one, other, by_judge) for one, other in combinations(judges, 2))


def _agree(
    judge: str, other: str, by_judge: dict[str, dict[tuple[str, str], float]]
) -> RaterAgreement:
    both = sorted(by_judge[judge].keys() & by_judge[other].keys())
    mine = np.array([by_judge[judge][key] for key in both])
    theirs = np.array([by_judge[other][key] for key in both])
    pearson = spearman = kendall = None
    if len(both) > 1:
        pearson, spearman = _or_none(mine, theirs, "pearson"), _or_none(mine, theirs, "spearman")
        if len(both) <= _MOST_FOR_KENDALL:
            kendall = _or_none(mine, theirs, "kendall")
    difference = float((mine - theirs).mean()) if both else None
    return RaterAgreement(judge, other, pearson, spearman, kendall, difference, len(both))


def _or_none(
    one: FloatArray, other: FloatArray, name: Literal["pearson", "spearman", "kendall"]
) -> float | None:
    value = float(correlate(one, other, name))
    return None if np.isnan(value) else value


def intraclass_correlation(ratings: Sequence[Rating]) -> float | None:
    """How much of the spread of ratings is between outputs and not between judges: ICC(1).

    From a one-way analysis of variance over outputs with two or more ratings, which need not come
    from the same judges (Shrout and Fleiss 1979; unequal numbers as in Donner and Koval 1980).
    """
    cells: dict[tuple[str, str], list[float]] = {}
    for rating in ratings:
        cells.setdefault((rating.sentence, rating.system), []).append(rating.value)
    groups = [np.array(values) for values in cells.values() if len(values) > 1]
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
