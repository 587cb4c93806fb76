"""Counts of a two-by-two comparison and the measures derived from them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """True and false positives and negatives; weighted counts are fractions.

    ``tn`` is None where the comparison has no defined negative class.
    """

    tp: float
    fp: float
    fn: float
    tn: float | None = None

    def __add__(self, other: Counts) -> Counts:
        tn = None if self.tn is None or other.tn is None else self.tn + other.tn
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, tn)
