"""Wins and ties between systems: all that a ranking method needs to know of the judgments.

And what they say of every two systems: the share of wins, with the sign test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.judging.rankings import FloatArray, IntArray, PairwiseJudgments
from redink.model import Shown

Resample = Literal["pairs", "rankings", "documents"]
RESAMPLES: tuple[Resample, ...] = get_args(Resample)
STARS = ((0.01, "\N{DOUBLE DAGGER}"), (0.05, "\N{DAGGER}"), (0.10, "\N{BLACK STAR}"))
"""The marks of the paper: p at most .01, .05, .10."""


@dataclass(frozen=True)
class Tally:
    """How often each system beat and tied each other one.

    Both arrays end in two axes over the systems; axes before them stand for samples or folds.

    Attributes:
        systems: the names, sorted.
        wins: ``wins[i, j]`` counts the judgments in which i is better than j.
        ties: symmetric.
    """

    systems: tuple[str, ...]
    wins: FloatArray
    ties: FloatArray

    @property
    def compared(self) -> FloatArray:
        """How often each pair was judged, whatever the outcome."""
        wins = self.wins
        judged: FloatArray = wins + np.swapaxes(wins, -1, -2) + self.ties
        return judged

    @property
    def judgments(self) -> FloatArray:
        """The number of judgments, one for each tally."""
        total: FloatArray = self.compared.sum(axis=(-1, -2)) / 2
        return total


def _cells(judgments: PairwiseJudgments) -> IntArray:
    """One number for every kind of judgment: the pair and its outcome."""
    size = len(judgments.systems)
    return (judgments.first * size + judgments.second) * 3 + (judgments.outcome + 1)


def _from_cells(counts: NDArray[np.generic], systems: Sequence[str]) -> Tally:
    size = len(systems)
    cells = counts.astype(np.float64).reshape(*counts.shape[:-1], size, size, 3)
    first_wins, ties, second_wins = cells[..., 2], cells[..., 1], cells[..., 0]
    return Tally(
        tuple(systems),
        first_wins + np.swapaxes(second_wins, -1, -2),
        ties + np.swapaxes(ties, -1, -2),
    )


def tally(judgments: PairwiseJudgments) -> Tally:
    """The tally of all judgments."""
    size = len(judgments.systems)
    counts = np.bincount(_cells(judgments), minlength=3 * size * size)
    return _from_cells(counts, judgments.systems)


def resample_tallies(
    judgments: PairwiseJudgments,
    samples: int,
    rng: np.random.Generator,
    *,
    resample: Resample = "pairs",
) -> Tally:
    """The tallies of bootstrap samples of the judgments, along a new first axis.

    ``pairs`` draws pairwise judgments one by one, as Koehn (2012) and all campaigns since
    do. ``rankings`` draws whole rankings, because the pairs of one ranking hang together; its
    ranges are wider and more honest. ``documents`` does the same after
    :meth:`~redink.judging.rankings.PairwiseJudgments.regroup`.
    """
    size = len(judgments.systems)
    width = 3 * size * size
    cells = _cells(judgments)
    counts = np.zeros((samples, width))
    if len(judgments) == 0:
        return _from_cells(counts, judgments.systems)
    if resample == "pairs":
        # Drawing judgments with replacement and counting them by kind is one multinomial draw.
        present, frequencies = np.unique(cells, return_counts=True)
        shares = frequencies / frequencies.sum()
        counts[:, present] = rng.multinomial(len(judgments), shares, size=samples)
    elif resample in RESAMPLES:
        from scipy.sparse import csr_array

        by_ranking = csr_array(
            (np.ones(len(cells)), (cells, judgments.ranking)), shape=(width, judgments.rankings)
        )
        even = np.full(judgments.rankings, 1 / judgments.rankings)
        drawn = rng.multinomial(judgments.rankings, even, size=samples)
        counts = (by_ranking @ drawn.T.astype(np.float64)).T
    else:
        raise OptionError(f"resampling is by {' or '.join(RESAMPLES)}, not by {resample!r}")
    return _from_cells(counts, judgments.systems)


def fold_tallies(judgments: PairwiseJudgments, fold: IntArray, folds: int) -> Tally:
    """The tally of each fold, along a new first axis; ``fold`` numbers the judgments' folds."""
    size = len(judgments.systems)
    width = 3 * size * size
    counts = np.bincount(fold * width + _cells(judgments), minlength=folds * width)
    return _from_cells(counts.reshape(folds, width), judgments.systems)


def resample_tally(whole: Tally, samples: int, rng: np.random.Generator) -> Tally:
    """Bootstrap samples (by pairs) of tallies, along a new axis before the systems."""
    size = len(whole.systems)
    left, right = np.triu_indices(size, 1)
    kinds = np.concatenate(
        (whole.wins[..., left, right], whole.wins[..., right, left], whole.ties[..., left, right]),
        axis=-1,
    )
    totals = kinds.sum(axis=-1)
    shares = kinds / np.maximum(totals, 1)[..., None]
    draws = rng.multinomial(
        totals.astype(np.int64)[..., None], shares[..., None, :], size=(*totals.shape, samples)
    ).astype(np.float64)
    wins = np.zeros((*totals.shape, samples, size, size))
    ties = np.zeros_like(wins)
    first, second, tied = np.split(draws, 3, axis=-1)
    wins[..., left, right], wins[..., right, left] = first, second
    ties[..., left, right] = ties[..., right, left] = tied
    return Tally(whole.systems, wins, ties)


def comparison_groups(whole: Tally) -> tuple[tuple[str, ...], ...]:
    """The systems in groups that were compared with each other, directly or through others.

    More than one group means that nothing is known of how the groups compare.
    """
    from scipy.sparse.csgraph import connected_components

    number, group = connected_components(whole.compared > 0, directed=False)
    names = np.array(whole.systems)
    return tuple(tuple(str(n) for n in names[group == index]) for index in range(number))


@dataclass(frozen=True)
class Encounter:
    """One system against one opponent.

    Attributes:
        system: the system whose wins are counted.
        opponent: the other one.
        share: wins among wins and losses; None if there are neither.
        stars: the mark of significance, or nothing.
        p: of the two-sided sign test (ties left out); None without wins and losses.
        wins: judgments in which ``system`` is better.
        losses: judgments in which ``opponent`` is better.
        ties: neither is.
    """

    system: str
    opponent: str
    share: float | None
    stars: str
    p: Annotated[float | None, Shown("p")]
    wins: int
    losses: int
    ties: int


def head_to_head(whole: Tally) -> tuple[Encounter, ...]:
    """All encounters, both ways round, in the order of the names."""
    from scipy.stats import binomtest  # slow to load, and only needed here

    encounters = []
    for i, system in enumerate(whole.systems):
        for j, opponent in enumerate(whole.systems):
            if i == j:
                continue
            wins, losses = int(whole.wins[i, j]), int(whole.wins[j, i])
            decided = wins + losses
            share = wins / decided if decided else None
            p = float(binomtest(wins, decided, 0.5).pvalue) if decided else None
            ties = int(whole.ties[i, j])
            encounters.append(Encounter(system, opponent, share, _stars(p), p, wins, losses, ties))
    return tuple(encounters)


def _stars(p: float | None) -> str:
    return next((mark for limit, mark in STARS if p is not None and p <= limit), "")
