"""Expected Wins: how likely a system is to beat an opponent drawn at random.

Koehn (2012) and Bojar et al. (2013)::

    score(i) = mean over opponents j of wins(i, j) / (wins(i, j) + wins(j, i))

Ties are left out. An opponent that never beat i and was never beaten by i says nothing about i
and is no part of the mean.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from redink.errors import OptionError
from redink.judging.rankings import FloatArray
from redink.judging.tallies import Tally

Opponents = Literal["all", "beaten"]
OPPONENTS: tuple[Opponents, ...] = ("all", "beaten")


def expected_wins(whole: Tally, *, opponents: Opponents = "all") -> FloatArray:
    """The score of every system, for each tally; NaN for a system without a win or a loss.

    ``opponents="beaten"`` takes the mean over those opponents only that the system has beaten at
    least once. The script behind the published rankings of single judges (table 7 of
    Grundkiewicz et al. 2015) does so; a system that never won against an opponent gains by it.
    """
    wins = whole.wins
    decided = wins + np.swapaxes(wins, -1, -2)
    shares = np.divide(wins, decided, out=np.zeros_like(wins), where=decided > 0)
    if opponents not in OPPONENTS:
        raise OptionError(f"opponents are {' or '.join(OPPONENTS)}, not {opponents!r}")
    counted = (decided if opponents == "all" else wins) > 0
    number = counted.sum(axis=-1)
    scores = np.full(number.shape, np.nan)
    np.divide(shares.sum(axis=-1), number, out=scores, where=number > 0)
    if opponents == "beaten":
        scores[(number == 0) & (decided.sum(axis=-1) > 0)] = 0.0
    return scores
