"""Counts of a two-by-two contingency table and every measure derived from them.

::

                  annotator: error   annotator: right
    flagged             TP                  FP
    not flagged         FN                  TN

Below, N = TP + FP + FN + TN is the number of units. A measure is a :class:`Measure`: its value, or
None with the reason why it is undefined. Counts may be fractions: graded errors give weighted
counts, and every formula holds for them as it stands. Arithmetic is exact until the last division:
.04 is one twenty-fifth, so that shares read off a printed table give the table's measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

NO_NEGATIVES = "there are no true negatives"
NO_UNITS = "there are no units"
NOTHING_FLAGGED = "the system flags nothing"
NO_ERRORS = "the annotator marks no error"
ALL_FLAGGED = "the system flags every unit"
ALL_ERRORS = "the annotator marks every unit as an error"
ONE_LABEL = "annotator and system give every unit one and the same label"
SHARES = "it depends on the number of units: give counts, not shares"


@dataclass(frozen=True, slots=True)
class Measure:
    """The value of a measure, or None and why it is undefined."""

    value: float | None
    reason: str | None = None

    @classmethod
    def undefined(cls, reason: str) -> Measure:
        """A measure without a value."""
        return cls(None, reason)


def _exact(count: float) -> Fraction:
    # The decimal that was written, not the binary number nearest to it.
    return Fraction(count) if count == int(count) else Fraction(repr(float(count)))


def _ratio(numerator: Fraction, denominator: Fraction, reason: str) -> Measure:
    return Measure(float(numerator / denominator)) if denominator else Measure.undefined(reason)


@dataclass(frozen=True, slots=True)
class _Table:
    """The four cells as exact numbers, and why a measure of them may be undefined."""

    tp: Fraction
    fp: Fraction
    fn: Fraction
    tn: Fraction

    @property
    def n(self) -> Fraction:
        return self.tp + self.fp + self.fn + self.tn

    def why_constant_flags(self) -> str:
        if not self.n:
            return NO_UNITS
        return ALL_FLAGGED if self.tp + self.fp else NOTHING_FLAGGED

    def why_constant_gold(self) -> str:
        if not self.n:
            return NO_UNITS
        return ALL_ERRORS if self.tp + self.fn else NO_ERRORS

    def why_constant(self) -> str:
        if self.n and self.n in {self.tp, self.tn}:
            return ONE_LABEL
        constant_flags = not (self.tp + self.fp) or not (self.tn + self.fn)
        return self.why_constant_flags() if constant_flags else self.why_constant_gold()


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

    @property
    def precision(self) -> Measure:
        """P = TP / (TP + FP): the share of what is flagged that is an error."""
        tp, fp = _exact(self.tp), _exact(self.fp)
        return _ratio(tp, tp + fp, NOTHING_FLAGGED)

    @property
    def recall(self) -> Measure:
        """R = TP / (TP + FN): the share of the errors that is flagged."""
        tp, fn = _exact(self.tp), _exact(self.fn)
        return _ratio(tp, tp + fn, NO_ERRORS)

    def f(self, beta: float = 0.5) -> Measure:
        """F = (1 + b²) TP / ((1 + b²) TP + b² FN + FP), with b = beta.

        This is (1 + b²) P R / (b² P + R) wherever both are defined and not both 0, and 0 where
        nothing right is flagged although there is an error or a flag.
        """
        square = _exact(beta) ** 2
        numerator = (1 + square) * _exact(self.tp)
        return _ratio(
            numerator,
            numerator + square * _exact(self.fn) + _exact(self.fp),
            f"{NO_ERRORS} and {NOTHING_FLAGGED}" if square else NOTHING_FLAGGED,
        )

    @property
    def n(self) -> Measure:
        """N = TP + FP + FN + TN, the number of units."""
        return self._table(lambda t: Measure(float(t.n)))

    @property
    def accuracy(self) -> Measure:
        """A = (TP + TN) / N."""
        return self._table(lambda t: _ratio(t.tp + t.tn, t.n, NO_UNITS))

    @property
    def tnr(self) -> Measure:
        """TNR = TN / (TN + FP): the true-negative rate (specificity)."""
        return self._table(lambda t: _ratio(t.tn, t.tn + t.fp, ALL_ERRORS))

    @property
    def fpr(self) -> Measure:
        """FPR = FP / (FP + TN) = 1 - TNR: the false-positive rate."""
        return self._table(lambda t: _ratio(t.fp, t.tn + t.fp, ALL_ERRORS))

    @property
    def npv(self) -> Measure:
        """NPV = TN / (TN + FN): the negative predictive value (inverse precision)."""
        return self._table(lambda t: _ratio(t.tn, t.tn + t.fn, ALL_FLAGGED))

    @property
    def prevalence(self) -> Measure:
        """(TP + FN) / N: the share of units that the annotator marks as errors."""
        return self._table(lambda t: _ratio(t.tp + t.fn, t.n, NO_UNITS))

    @property
    def bias(self) -> Measure:
        """(TP + FP) / N: the share of units that the system flags."""
        return self._table(lambda t: _ratio(t.tp + t.fp, t.n, NO_UNITS))

    @property
    def expected_accuracy(self) -> Measure:
        """E(A) = prevalence · bias + (1 - prevalence)(1 - bias): the accuracy of chance.

        What annotator and system would agree on if they gave their labels independently.
        """
        return self._table(
            lambda t: _ratio(
                (t.tp + t.fn) * (t.tp + t.fp) + (t.fp + t.tn) * (t.fn + t.tn), t.n**2, NO_UNITS
            )
        )

    @property
    def kappa(self) -> Measure:
        """Cohen's kappa = (A - E(A)) / (1 - E(A)).

        In counts: 2 (TP·TN - FP·FN) / ((TP+FP)(FP+TN) + (TP+FN)(FN+TN)).
        """
        return self._table(
            lambda t: _ratio(
                2 * (t.tp * t.tn - t.fp * t.fn),
                (t.tp + t.fp) * (t.fp + t.tn) + (t.tp + t.fn) * (t.fn + t.tn),
                t.why_constant(),
            )
        )

    @property
    def mcc(self) -> Measure:
        """Matthews correlation = (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))."""

        def correlate(t: _Table) -> Measure:
            product = (t.tp + t.fp) * (t.tp + t.fn) * (t.tn + t.fp) * (t.tn + t.fn)
            if not product:
                return Measure.undefined(t.why_constant())
            return Measure(float(t.tp * t.tn - t.fp * t.fn) / math.sqrt(product))

        return self._table(correlate)

    @property
    def informedness(self) -> Measure:
        """Powers' informedness (Youden's J, bookmaker) = R + TNR - 1."""
        return self._table(
            lambda t: _ratio(
                t.tp * t.tn - t.fp * t.fn, (t.tp + t.fn) * (t.tn + t.fp), t.why_constant_gold()
            )
        )

    @property
    def markedness(self) -> Measure:
        """Powers' markedness = P + NPV - 1, with NPV = TN / (TN + FN)."""
        return self._table(
            lambda t: _ratio(
                t.tp * t.tn - t.fp * t.fn, (t.tp + t.fp) * (t.tn + t.fn), t.why_constant_flags()
            )
        )

    @property
    def balanced_accuracy(self) -> Measure:
        """(R + TNR) / 2 = (informedness + 1) / 2."""
        informedness = self.informedness
        if informedness.value is None:
            return informedness
        return Measure((informedness.value + 1) / 2)

    @property
    def alpha(self) -> Measure:
        """Krippendorff's alpha for two coders with nominal labels = 1 - D / E(D).

        D = (FP + FN) / N is the share of units on which they differ. With e = 2TP + FP + FN
        labels "error" and r = 2TN + FP + FN labels "right" among all 2N,
        E(D) = 2 e r / (2N (2N - 1)). It needs real counts: N is part of the formula.
        """

        def agree(t: _Table) -> Measure:
            if t.n <= 1 and max(t.tp, t.fp, t.fn, t.tn) < 1:
                return Measure.undefined(SHARES if t.n else NO_UNITS)
            errors, rights = 2 * t.tp + t.fp + t.fn, 2 * t.tn + t.fp + t.fn
            if not errors or not rights:
                return Measure.undefined(ONE_LABEL)
            return Measure(float(1 - (t.fp + t.fn) * (2 * t.n - 1) / (errors * rights)))

        return self._table(agree)

    def _table(self, formula: Callable[[_Table], Measure]) -> Measure:
        """The formula applied to all four cells, or the reason why there are not four."""
        if self.tn is None:
            return Measure.undefined(NO_NEGATIVES)
        return formula(_Table(_exact(self.tp), _exact(self.fp), _exact(self.fn), _exact(self.tn)))

    def measures(self, *, beta: float = 0.5) -> dict[str, Measure]:
        """Every measure by name, in the order in which tables show them."""
        return {
            "accuracy": self.accuracy,
            "precision": self.precision,
            "recall": self.recall,
            "tnr": self.tnr,
            "f": self.f(beta),
            "kappa": self.kappa,
            "prevalence": self.prevalence,
            "bias": self.bias,
            "mcc": self.mcc,
            "informedness": self.informedness,
            "markedness": self.markedness,
            "alpha": self.alpha,
            "expected_accuracy": self.expected_accuracy,
            "balanced_accuracy": self.balanced_accuracy,
            "npv": self.npv,
            "fpr": self.fpr,
            "n": self.n,
        }


MEASURES = tuple(Counts(0, 0, 0, 0).measures())
"""The names of all measures, in the order in which tables show them."""
