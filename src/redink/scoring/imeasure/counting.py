"""The counts of the I-measure, and the measures made of them.

A source, a hypothesis and a reference that are aligned word by word give columns of three words
(or gaps). A column says whether the reference changes the source and whether the hypothesis does,
and so is a true or false positive or negative. Where both change it, but differently, detection
has a true positive; correction has a false positive and a false negative at once (``fpn``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

WEIGHT = 2.0
"""How much more a word that the system changed weighs than one that it left, as published."""


class ColumnCounts(NamedTuple):
    """How many columns of an alignment are of each kind, at the level of correction.

    Attributes:
        tp: the hypothesis made the change that the reference made.
        tn: nobody changed anything.
        fp: the hypothesis made a change that the reference did not make.
        fn: the hypothesis did not make the change that the reference made.
        fpn: both made a change, not the same; such a column is in ``fp`` and in ``fn`` too.
    """

    tp: int
    tn: int
    fp: int
    fn: int
    fpn: int

    @property
    def detection(self) -> ColumnCounts:
        """The counts at the level of detection: a change in the right place is right."""
        return ColumnCounts(self.tp + self.fpn, self.tn, self.fp - self.fpn, self.fn - self.fpn, 0)


class Outcome(NamedTuple):
    """What one reference gives: the counts of the hypothesis, and those of the source.

    The source is aligned with the reference by itself, as a system that changes nothing would be.
    """

    counts: ColumnCounts
    baseline: ColumnCounts


def accuracy(counts: ColumnCounts) -> float:
    """The share of right columns."""
    tp, tn, fp, fn, fpn = counts
    columns = tp + tn + fp + fn - fpn
    return (tp + tn) / columns if columns else 1.0


def weighted_accuracy(counts: ColumnCounts, weight: float = WEIGHT) -> float:
    """The share of right columns, those that the system changed weighing more.

    Where there is no column at all, nothing is wrong, and the accuracy is 1.
    """
    tp, tn, fp, fn, fpn = counts
    total = weight * (tp + fp) + tn + fn - (weight + 1) * (fpn / 2)
    return (weight * tp + tn) / total if total else 1.0


def improvement(system: float, baseline: float) -> float:
    """I: how much of what was wrong the system put right, or of what was right it spoilt.

    Equal accuracies give 1 where nothing was wrong, otherwise 0.
    """
    if system == baseline:
        return math.floor(system)
    if system > baseline:
        return (system - baseline) / (1.0 - baseline)
    return system / baseline - 1.0


def measures(outcome: Outcome, level: str, weight: float = WEIGHT) -> Mapping[str, float]:
    """The measures of one level: accuracy, weighted accuracy, and I."""
    own = outcome.counts.detection if level == "detection" else outcome.counts
    wacc = weighted_accuracy(own, weight)
    baseline = weighted_accuracy(outcome.baseline, weight)
    return {"acc": accuracy(own), "wacc": wacc, "i": improvement(wacc, baseline)}


def preferences(outcomes: IntArray, *, maximise: str, weight: float = WEIGHT) -> FloatArray:
    """What makes one reference better than another: a row for each, the first item deciding first.

    The measure to maximise, then I, weighted accuracy and accuracy, and then the same four at
    the other level.

    Args:
        outcomes: ``(references, 10)``: the counts of the hypothesis, then those of the source.
        maximise: ``c`` (correction) or ``d`` (detection), and the measure.
        weight: see :func:`weighted_accuracy`.
    """
    tp, tn, fp, fn, fpn = outcomes[:, :5].T.astype(float)
    _, unchanged, _, missed, _ = outcomes[:, 5:].T.astype(float)
    baseline = _ratio(unchanged, unchanged + missed)
    sides = {}
    for side, (tp_, fp_, fn_, fpn_) in {
        "c": (tp, fp, fn, fpn),
        "d": (tp + fpn, fp - fpn, fn - fpn, 0.0 * fpn),
    }.items():
        total = weight * (tp_ + fp_) + tn + fn_ - (weight + 1) * (fpn_ / 2)
        wacc = _ratio(weight * tp_ + tn, total)
        sides[side] = {
            "i": _improvements(wacc, baseline),
            "wacc": wacc,
            "acc": _ratio(tp_ + tn, tp_ + tn + fp_ + fn_ - fpn_),
        }
    first, measure = maximise[0], maximise[1:]
    order = [sides[first], sides["d" if first == "c" else "c"]]
    return np.stack(
        [side[name] for side in order for name in (measure, "i", "wacc", "acc")], axis=1
    )


def improvements(counts: FloatArray, baselines: FloatArray, weight: float) -> FloatArray:
    """I at the levels of correction and detection of many totals.

    Args:
        counts: ``(totals, 5)``: tp, tn, fp, fn, fpn.
        baselines: ``(totals, 2)``: tn and fn of the source as a hypothesis.
        weight: see :func:`weighted_accuracy`.

    Returns:
        ``(totals, 2)``: correction, detection.
    """
    tp, tn, fp, fn, fpn = counts.T
    detected, spurious, missed = tp + fpn, fp - fpn, fn - fpn
    baseline = _ratio(baselines[:, 0], baselines.sum(axis=1))
    levels = [
        _ratio(weight * tp + tn, weight * (tp + fp) + tn + fn - (weight + 1) * (fpn / 2)),
        _ratio(weight * detected + tn, weight * (detected + spurious) + tn + missed),
    ]
    return np.stack([_improvements(level, baseline) for level in levels], axis=1)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.ones_like(whole), where=whole != 0)


def _improvements(system: FloatArray, baseline: FloatArray) -> FloatArray:
    gain = np.divide(
        system - baseline, 1.0 - baseline, out=np.zeros_like(system), where=system > baseline
    )
    loss = np.divide(system, baseline, out=np.ones_like(system), where=system < baseline) - 1.0
    return np.where(system > baseline, gain, np.where(system < baseline, loss, np.floor(system)))
