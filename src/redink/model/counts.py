"""Counts of a two-by-two contingency table, and all measures computed from them.

::

                  annotator: error   annotator: correct
    flagged             TP                  FP
    not flagged         FN                  TN

Below, N = TP + FP + FN + TN is the number of units. A measure is a :class:`Measure`: its value, or
None with the reason why it is undefined. Counts may be fractions: graded errors give weighted
counts, and the formulas stay the same. Arithmetic is exact until the last division: .04 is one
twenty-fifth, so shares from a printed table give the same measures as the table.

:func:`ratio_of` has the formulas. They apply to exact numbers, as here, and to arrays of counts
(:func:`redink.statistics.arrays.measure_counts`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

from redink.errors import DataError, unknown_name

NO_NEGATIVES = "there are no true negatives"
NO_UNITS = "there are no units"
NOTHING_FLAGGED = "the system flags nothing"
NO_ERRORS = "the annotator marks no errors"
ALL_FLAGGED = "the system flags every unit"
ALL_ERRORS = "the annotator marks every unit as an error"
ONE_LABEL = "annotator and system use only one label, and it is the same"
SHARES = "depends on the number of units; give counts instead of shares"


class Cells:
    """The four cells, as exact numbers or as arrays of numbers, and their sums."""

    def __init__(self, tp: Any, fp: Any, fn: Any, tn: Any = 0, *, beta: Any = 0) -> None:
        """Add up the cells; ``beta`` is the weight of recall in F."""
        self.tp, self.fp, self.fn, self.tn = tp, fp, fn, tn
        self.flagged, self.passed = tp + fp, fn + tn
        self.errors, self.rights = tp + fn, fp + tn
        self.n = tp + fp + fn + tn
        self.square = beta * beta

    @property
    def product(self) -> Any:
        """0 if annotator and system agree as often as expected by chance."""
        return self.tp * self.tn - self.fp * self.fn

    @property
    def labels(self) -> Any:
        """How often both together use the label "error", times how often "correct"."""
        return (2 * self.tp + self.fp + self.fn) * (2 * self.tn + self.fp + self.fn)


def _constant_flags(cells: Cells) -> str:
    return NO_UNITS if not cells.n else ALL_FLAGGED if cells.flagged else NOTHING_FLAGGED


def _constant_truth(cells: Cells) -> str:
    return NO_UNITS if not cells.n else ALL_ERRORS if cells.errors else NO_ERRORS


def _constant(cells: Cells) -> str:
    if cells.n and cells.n in {cells.tp, cells.tn}:
        return ONE_LABEL
    is_truth = cells.flagged and cells.passed
    return _constant_truth(cells) if is_truth else _constant_flags(cells)


def _no_f(cells: Cells) -> str:
    return f"{NO_ERRORS} and {NOTHING_FLAGGED}" if cells.square else NOTHING_FLAGGED


def _f(cells: Cells) -> tuple[Any, Any]:
    gained = (1 + cells.square) * cells.tp
    return gained, gained + cells.square * cells.fn + cells.fp


_Why = str | Callable[[Cells], str]
_FORMULAS: dict[str, tuple[Callable[[Cells], tuple[Any, ...]], _Why]] = {
    "accuracy": (lambda c: (c.tp + c.tn, c.n), NO_UNITS),
    "precision": (lambda c: (c.tp, c.flagged), NOTHING_FLAGGED),
    "recall": (lambda c: (c.tp, c.errors), NO_ERRORS),
    "tnr": (lambda c: (c.tn, c.rights), ALL_ERRORS),
    "f": (_f, _no_f),
    "kappa": (lambda c: (2 * c.product, c.flagged * c.rights + c.errors * c.passed), _constant),
    "prevalence": (lambda c: (c.errors, c.n), NO_UNITS),
    "bias": (lambda c: (c.flagged, c.n), NO_UNITS),
    "mcc": (lambda c: (c.product, c.flagged * c.passed, c.errors * c.rights), _constant),
    "informedness": (lambda c: (c.product, c.errors * c.rights), _constant_truth),
    "markedness": (lambda c: (c.product, c.flagged * c.passed), _constant_flags),
    "alpha": (lambda c: (c.labels - (c.fp + c.fn) * (2 * c.n - 1), c.labels), ONE_LABEL),
    "expected_accuracy": (
        lambda c: (c.errors * c.flagged + c.rights * c.passed, c.n * c.n),
        NO_UNITS,
    ),
    "balanced_accuracy": (
        lambda c: (c.tp * c.rights + c.tn * c.errors, 2 * c.errors * c.rights),
        _constant_truth,
    ),
    "npv": (lambda c: (c.tn, c.passed), ALL_FLAGGED),
    "fpr": (lambda c: (c.fp, c.rights), ALL_ERRORS),
    "n": (lambda c: (c.n, 1), ""),
}
MEASURES = tuple(_FORMULAS)
"""The names of all measures, in display order."""


def ratio_of(name: str, cells: Cells) -> tuple[Any, ...]:
    """Return numerator and denominator of a measure; of ``mcc``, two factors under a root."""
    if name not in _FORMULAS:
        raise unknown_name("measure", name, MEASURES)
    return _FORMULAS[name][0](cells)


def f_terms(precision: Any, recall: Any, beta: float) -> tuple[Any, Any]:
    """Return numerator and denominator of F from precision and recall, numbers or arrays."""
    square = beta**2
    return (1 + square) * precision * recall, square * precision + recall


def f_beta(precision: float, recall: float, beta: float) -> float:
    """Return F of precision and recall; 0 if both are 0."""
    above, below = f_terms(precision, recall, beta)
    return float(above / below) if below else 0.0


def scorer_measures(tp: float, fp: float, fn: float, beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F as the published scorers define them.

    Precision is 1 when nothing was proposed and recall is 1 when there was nothing to find.
    """
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    return precision, recall, f_beta(precision, recall, beta)


def attempted(row: Mapping[str, Any]) -> dict[str, Any]:
    """Remove precision, and F of an error type, from a row if nothing was proposed."""
    if row.get("tp") != 0 or row.get("fp") != 0:
        return dict(row)
    of_type = () if row.get("type") is None else ("f", "score", "low", "high")
    return {**row, **{name: None for name in ("precision", *of_type) if name in row}}


def prevalence_factors(errors: Any, rights: Any, prevalence: Any) -> tuple[Any, Any]:
    """Return the factors of errors and correct units that give a share of errors, with equal N."""
    n = errors + rights
    return prevalence * n / errors, (1 - prevalence) * n / rights


def _exact(count: float | None) -> Fraction:
    # Use the decimal as written, not the nearest binary number.
    given = count or 0
    return Fraction(given) if given == int(given) else Fraction(repr(float(given)))


def plain(count: float | Fraction) -> float:
    """Return an integer as int, and any other number as float."""
    return int(count) if count == int(count) else float(count)


@dataclass(frozen=True, slots=True)
class Measure:
    """The value of a measure, or None and the reason."""

    value: float | None
    reason: str | None = None

    @classmethod
    def undefined(cls, reason: str) -> Measure:
        """Return a measure without a value."""
        return cls(None, reason)


class _Named:
    """A measure of counts that is accessible by its name, with its definition."""

    def __init__(self, about: str) -> None:
        self.__doc__ = about

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, counts: None, owner: type) -> _Named: ...
    @overload
    def __get__(self, counts: Counts, owner: type) -> Measure: ...
    def __get__(self, counts: Counts | None, owner: type) -> _Named | Measure:
        return self if counts is None else counts.measure(self._name)


@dataclass(frozen=True, slots=True)
class Counts:
    """True and false positives and negatives; weighted counts are fractions.

    ``tn`` is None if the comparison has no defined negative class.
    """

    tp: float
    fp: float
    fn: float
    tn: float | None = None

    n = _Named("N = TP + FP + FN + TN, the number of units.")
    precision = _Named("P = TP / (TP + FP): the share of the flagged units that are errors.")
    recall = _Named("R = TP / (TP + FN): the share of the errors that is flagged.")
    accuracy = _Named("A = (TP + TN) / N.")
    tnr = _Named("TNR = TN / (TN + FP): the true-negative rate (specificity).")
    fpr = _Named("FPR = FP / (FP + TN) = 1 - TNR: the false-positive rate.")
    npv = _Named("NPV = TN / (TN + FN): the negative predictive value (inverse precision).")
    prevalence = _Named("(TP + FN) / N: the share of units that the annotator marks as errors.")
    bias = _Named("(TP + FP) / N: the share of units that the system flags.")
    expected_accuracy = _Named(
        "E(A) = prevalence · bias + (1 - prevalence)(1 - bias): the accuracy expected by chance, "
        "if annotator and system label independently."
    )
    kappa = _Named(
        "Cohen's kappa = (A - E(A)) / (1 - E(A)). "
        "In counts: 2 (TP·TN - FP·FN) / ((TP+FP)(FP+TN) + (TP+FN)(FN+TN))."
    )
    mcc = _Named("Matthews correlation = (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)).")
    informedness = _Named("Powers' informedness (Youden's J, bookmaker) = R + TNR - 1.")
    markedness = _Named("Powers' markedness = P + NPV - 1.")
    balanced_accuracy = _Named("(R + TNR) / 2 = (informedness + 1) / 2.")
    alpha = _Named(
        "Krippendorff's alpha for two coders with nominal labels = 1 - D / E(D). "
        "D = (FP + FN) / N is the share of units on which they differ. With e = 2TP + FP + FN "
        'labels "error" and r = 2TN + FP + FN labels "correct", E(D) = 2 e r / (2N (2N - 1)). '
        "It needs real counts: N is part of the formula."
    )

    def f(self, beta: float = 0.5) -> Measure:
        """F = (1 + b²) TP / ((1 + b²) TP + b² FN + FP), with b = beta.

        This equals (1 + b²) P R / (b² P + R) if both are defined and not both 0. It is 0 if there
        are errors or flags but no true positives.
        """
        return self.measure("f", beta=beta)

    def __add__(self, other: Counts) -> Counts:
        tn = None if self.tn is None or other.tn is None else self.tn + other.tn
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, tn)

    def restated(self, prevalence: float) -> Counts:
        """Return the counts expected at another prevalence, with the same N, recall and TNR."""
        if self.tn is None:
            raise DataError(f"--prevalence needs true negatives: {NO_NEGATIVES}")
        cells = Cells(*map(_exact, (self.tp, self.fp, self.fn, self.tn)))
        if not cells.errors or not cells.rights:
            raise DataError("--prevalence needs both errors and correct units in the reference")
        up, down = prevalence_factors(cells.errors, cells.rights, _exact(prevalence))
        return Counts(*map(plain, (cells.tp * up, cells.fp * down, cells.fn * up, cells.tn * down)))

    def measure(self, name: str, *, beta: float = 0.5) -> Measure:
        """Return a measure by its name; ``beta`` is the weight of recall in F."""
        if self.tn is None and name not in {"precision", "recall", "f"}:
            return Measure.undefined(NO_NEGATIVES)
        exact = [_exact(cell) for cell in (self.tp, self.fp, self.fn, self.tn)]
        cells = Cells(*exact, beta=_exact(beta))
        if name == "alpha" and cells.n <= 1 and max(exact) < 1:
            return Measure.undefined(SHARES if cells.n else NO_UNITS)
        above, *below = ratio_of(name, cells)
        product = math.prod(below)
        if not product:
            why = _FORMULAS[name][1]
            return Measure.undefined(why if isinstance(why, str) else why(cells))
        if len(below) > 1:
            return Measure(float(above) / math.sqrt(product))
        return Measure(float(above / product))

    def measures(self, *, beta: float = 0.5) -> dict[str, Measure]:
        """Return all measures by name, in display order."""
        return {name: self.measure(name, beta=beta) for name in MEASURES}
