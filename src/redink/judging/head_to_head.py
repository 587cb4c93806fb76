"""Every system against every other one, with the sign test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from redink.judging.tallies import Tally
from redink.model import Shown

STARS = ((0.01, "\N{DOUBLE DAGGER}"), (0.05, "\N{DAGGER}"), (0.10, "\N{BLACK STAR}"))
"""The marks of the paper: p at most .01, .05, .10."""


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
