"""CLEME 2.0 (Ye et al. 2025): what a system hits, gets wrong, leaves undone and overdoes.

Of the chunks that need a change, *hit* is the share changed rightly, *wrong* the share changed
otherwise and *under* the share left as they were; *over* is the share of all changes that needed
none. The score is a weighted sum of hit and of what is left to 1 of the other three.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from redink.errors import OptionError
from redink.model import Column
from redink.scoring.candidates import Counts, share_of
from redink.scoring.cleme import FN, NECESSARY, TP, UNNECESSARY, ChunkMetric
from redink.scoring.metric import About

FACTORS = {"corpus": (0.45, 0.35, 0.15, 0.05), "sentence": (0.35, 0.25, 0.20, 0.20)}
"""Of hit, wrong, under and over: the paper's, for a score of the corpus and a mean of sentences."""


@dataclass(frozen=True, kw_only=True)
class Cleme2(ChunkMetric):
    """Hit, wrong, under and over, and their score.

    Attributes:
        assumption: as for cleme.
        weights: as for cleme.
        average: one score of the whole corpus, or the mean of sentences.
        factors: how much hit, wrong, under and over count in the score; they add up to 1. By
            default the paper's for the kind of average.
    """

    factors: tuple[float, ...] | None = None

    name: ClassVar[str] = "cleme2"
    about: ClassVar[About | None] = About(
        rewards="hits, and few wrong, missed or needless changes",
        fails="a system that does nothing scores about half",
        cite="Ye et al. 2025",
        people=(0.92, 0.38, 0.62),
    )
    headline: ClassVar[str] = "score"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.factors is not None and (
            len(self.factors) != 4 or abs(sum(self.factors) - 1) > 1e-5
        ):
            raise OptionError(
                "the factors of cleme2 are four numbers that add up to 1, for hit, wrong, under "
                "and over: 0.45+0.35+0.15+0.05"
            )

    @property
    def measures(self) -> tuple[Column, ...]:
        """The four shares and their score."""
        shares = tuple(Column(name, "rate") for name in ("hit", "wrong", "under", "over"))
        return (*shares, Column("score", "score", best="max"))

    def evaluate(self, counts: Counts) -> dict[str, Any]:
        """Shares of nothing are 0, as in the original."""
        tp, fn, wrong, over = (counts[place] for place in (TP, FN, NECESSARY, UNNECESSARY))
        needed = tp + wrong + fn
        made = tp + (wrong + over)
        shares = {
            "hit": share_of(tp, needed, of_nothing=0.0),
            "wrong": share_of(wrong, needed, of_nothing=0.0),
            "under": share_of(fn, needed, of_nothing=0.0),
            "over": share_of(over, made, of_nothing=0.0),
        }
        of_hit, of_wrong, of_under, of_over = self.factors or FACTORS[self.average]
        score = (
            of_hit * shares["hit"]
            + of_wrong * (1 - shares["wrong"])
            + of_under * (1 - shares["under"])
            + of_over * (1 - shares["over"])
        )
        return {**shares, "score": score}

    def prefer(self, counts: Counts) -> list[Any]:
        """The score, then more hits and less of the others."""
        values = self.evaluate(counts)
        others = [-values[name] for name in ("wrong", "under", "over")]
        return [values["score"], values["hit"], *others]
