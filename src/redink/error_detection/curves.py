"""Threshold curves: every operating point of a system that scores its units, and areas.

A unit is flagged if its score is at least the threshold. Units with equal scores are flagged
together, so a curve has one point for every distinct score, after the point at which nothing is
flagged. Errors can be graded: a unit that a share w of the judges calls an error has weight w as
an error and weight 1 - w as a correct unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redink.errors import DataError, OptionError
from redink.model import Counts, Measure
from redink.model.counts import ALL_ERRORS, NO_ERRORS, Cells, plain, prevalence_factors
from redink.statistics.arrays import measure_counts

FloatArray = NDArray[np.float64]
Merit = Literal[
    "accuracy",
    "precision",
    "recall",
    "tnr",
    "f",
    "kappa",
    "mcc",
    "informedness",
    "markedness",
    "alpha",
    "balanced_accuracy",
    "npv",
]
"""The measures by which a threshold can be chosen."""
AREAS = ("roc_area", "average_precision", "pr_area", "kappa_area")


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """All operating points of a system, from the highest threshold (nothing flagged) down.

    ``thresholds`` are infinity, then every distinct score, descending. ``cells`` are the (weighted)
    TP, FP, FN and TN (rows) at every threshold.
    """

    thresholds: FloatArray
    cells: FloatArray

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def tp(self) -> FloatArray:
        """The number of flagged errors at every threshold."""
        cells: FloatArray = self.cells[0]
        return cells

    @property
    def fp(self) -> FloatArray:
        """The number of flagged correct units at every threshold."""
        cells: FloatArray = self.cells[1]
        return cells

    @property
    def positives(self) -> float:
        """The number of errors."""
        return float(self.cells[2, 0])

    @property
    def negatives(self) -> float:
        """The number of correct units."""
        return float(self.cells[3, 0])

    def restated(self, prevalence: float) -> ThresholdCurve:
        """Return the curve at another prevalence."""
        up, down = prevalence_factors(self.positives, self.negatives, prevalence)
        return replace(self, cells=self.cells * np.array([up, down, up, down])[:, None])

    def cells_at(self, points: Sequence[int]) -> FloatArray:
        """Return TP, FP, FN and TN (rows) at these points."""
        return self.cells[:, list(points)]

    def counts(self, point: int) -> Counts:
        """Return the four cells at one point."""
        return Counts(*map(plain, self.cells[:, point]))

    def measure(self, name: str, *, beta: float = 0.5) -> FloatArray:
        """Return one measure at every point; NaN where it is undefined."""
        return measure_counts(name, Cells(*self.cells, beta=beta))

    @cached_property
    def roc_area(self) -> Measure:
        """Area under TPR against FPR, by trapezoids: ties are straight lines.

        It is the probability that a random error scores higher than a random non-error; ties count
        half.
        """
        if reason := self._why_no_roc():
            return Measure.undefined(reason)
        return Measure(_trapezoid(self.tp, self.fp) / (self.positives * self.negatives))

    @cached_property
    def average_precision(self) -> Measure:
        """Area under P against R in steps: the sum of P · (growth of R) over all points."""
        if not self.positives:
            return Measure.undefined(NO_ERRORS)
        precision = np.nan_to_num(self.measure("precision")[1:])  # undefined where no R is gained
        return Measure(float(np.diff(self.tp) @ precision / self.positives))

    @cached_property
    def pr_area(self) -> Measure:
        """Area under P against R by trapezoids, from P = 1 at R = 0; it is optimistic."""
        if not self.positives:
            return Measure.undefined(NO_ERRORS)
        precision = np.nan_to_num(self.measure("precision"), nan=1.0)
        return Measure(_trapezoid(precision, self.tp) / self.positives)

    @cached_property
    def kappa_area(self) -> Measure:
        """AUK: area under Cohen's kappa against FPR, by trapezoids (Kaymak et al. 2010)."""
        if reason := self._why_no_roc():
            return Measure.undefined(reason)
        return Measure(_trapezoid(self.measure("kappa"), self.fp) / self.negatives)

    def _why_no_roc(self) -> str | None:
        if not self.positives:
            return NO_ERRORS
        if not np.allclose(self.fp + self.cells[3], self.negatives):
            return "false positives include wrong corrections or trivial units"
        return None if self.negatives else ALL_ERRORS

    def best_point(
        self, measure: Merit = "f", *, beta: float = 0.5, min_precision: float | None = None
    ) -> int | None:
        """Return the point with the highest measure; among equals, the one with fewest flags.

        Only points with at least ``min_precision`` are considered. None if there are none, or if
        the measure is undefined everywhere.
        """
        values = self.measure(measure, beta=beta)
        if min_precision is not None:
            if not 0 <= min_precision <= 1:
                raise OptionError(f"--min-precision must be between 0 and 1, not {min_precision}")
            with np.errstate(invalid="ignore"):
                values = np.where(self.measure("precision") >= min_precision, values, np.nan)
        if np.isnan(values).all():
            return None
        return int(np.nanargmax(values))

    def thin(self, points: int, *, keep: Sequence[int] = ()) -> NDArray[np.int64]:
        """Return about this many points, evenly spread by the number of flags; 0 means all.

        The first, the last, and the points in ``keep`` are always included.
        """
        if not points or points >= len(self):
            return np.arange(len(self))
        flagged = self.tp + self.fp
        wanted = np.linspace(0, flagged[-1], max(points, 2))
        chosen = np.searchsorted(flagged, wanted).clip(max=len(self) - 1)
        return np.unique(np.concatenate([chosen, [len(self) - 1], np.asarray(keep, dtype=int)]))


def sweep_thresholds(
    errors: ArrayLike, scores: ArrayLike, often: FloatArray | None = None
) -> ThresholdCurve:
    """Return every operating point of a system.

    ``errors`` is 1 (an error), 0 (no error), or the share of judges who call it an error, for every
    unit. ``scores`` is the system's score that the unit is an error: any number. ``often`` is how
    often the unit occurs, in a bootstrap sample; all samples have the same thresholds.
    """
    weight = np.asarray(errors, dtype=np.float64).ravel()
    score = np.asarray(scores, dtype=np.float64).ravel()
    if len(weight) != len(score):
        raise DataError(f"{len(score)} scores for {len(weight)} units")
    if not len(weight):
        raise DataError("a curve needs at least one unit")
    if np.isnan(score).any():
        raise DataError("a score is not a number (NaN)")
    if not ((weight >= 0) & (weight <= 1)).all():
        raise DataError("a share of judges must be between 0 and 1")
    order = np.argsort(-score, kind="stable")
    times = np.ones(len(score)) if often is None else often[order]
    score, weight = score[order], weight[order] * times
    last = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    tp = np.cumsum(weight)[last]
    # flagged minus TP, not a separate sum: with plain labels both are integers
    fp = np.maximum(np.cumsum(times)[last] - tp, 0.0)
    tp, fp = np.concatenate([[0.0], tp]), np.concatenate([[0.0], fp])
    cells = np.stack([tp, fp, np.maximum(tp[-1] - tp, 0), np.maximum(fp[-1] - fp, 0)])
    return ThresholdCurve(np.concatenate([[np.inf], score[last]]), cells)


def sweep_cells(start: FloatArray, grown: FloatArray, scores: FloatArray) -> ThresholdCurve:
    """Return every operating point from the four counts at the start, and their growth by score."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    cells = np.concatenate([start[None], start + grown[order].cumsum(axis=0)[last]])
    return ThresholdCurve(np.concatenate([[np.inf], scores[order][last]]), cells.T)


def _trapezoid(heights: FloatArray, places: FloatArray) -> float:
    return float(np.diff(places) @ (heights[1:] + heights[:-1]) / 2)
