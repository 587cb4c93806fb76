"""Bradley-Terry with ties (Davidson 1970), by Newton's method on all samples at once.

With abilities a, the three outcomes of a comparison of i with j have probabilities in the
proportion::

    i wins : j wins : tie  =  exp((a_i - a_j) / 2) : exp((a_j - a_i) / 2) : exp(t)

Without ties this is the model of Bradley and Terry (1952). The scores are the abilities: log
odds of winning, with mean zero. A weak normal prior (standard deviation 10) keeps a system that
won or lost everything at a finite place; where there is data it changes the sixth decimal.
"""

from __future__ import annotations

import numpy as np

from redink.judging.rankings import FloatArray
from redink.judging.tallies import Tally

PRIOR_DEVIATION = 10.0
_LARGEST_STEP = 2.0
_ITERATIONS = 100
# Newton's steps shrink quadratically: after one of this size the error is below rounding.
_TOLERANCE = 1e-7
_TALLIES_AT_ONCE = 1000


def bradley_terry(whole: Tally, *, prior_deviation: float = PRIOR_DEVIATION) -> FloatArray:
    """The ability of every system, for each tally; NaN for a system that was never compared.

    ``prior_deviation`` may be infinite: plain maximum likelihood.
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
    """The abilities of a few tallies, shaped (tallies, systems, systems)."""
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
