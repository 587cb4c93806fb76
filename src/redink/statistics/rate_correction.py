"""Rates that a fallible judge estimates, corrected with a calibration set of human labels.

The judge labels a test set without human labels. On the calibration set, both the judge's and the
human labels are known. Rogan-Gladen assumes only that the judge errs alike on both sets; the
prediction-powered (PPI) and the post-stratified estimates assume that both sets are samples of
one population, and are more precise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, isnan, log, nan, sqrt

from redink.statistics.intervals import critical_value

_EDGE = 1e-6
_LARGEST = 700  # exp of more overflows


@dataclass(frozen=True)
class Calibration:
    """Counts of positive (good) and negative (bad) labels on both sets.

    Attributes:
        good_as_good: calibration items that are good and judged good.
        good_as_bad: good items judged bad.
        bad_as_good: bad items judged good.
        bad_as_bad: bad items judged bad.
        size: items in the test set.
        judged_good: items of the test set that are judged good.
    """

    good_as_good: float
    good_as_bad: float
    bad_as_good: float
    bad_as_bad: float
    size: float
    judged_good: float

    @property
    def rate(self) -> float:
        """The uncorrected rate: the share of the test set that is judged good."""
        return _divide(self.judged_good, self.size)

    @property
    def sensitivity(self) -> float:
        """The share of the good items that are judged good."""
        return _divide(self.good_as_good, self.good_as_good + self.good_as_bad)

    @property
    def specificity(self) -> float:
        """The share of the bad items that are judged bad."""
        return _divide(self.bad_as_bad, self.bad_as_bad + self.bad_as_good)

    @property
    def is_informative(self) -> bool:
        """Whether the judge is better than chance: sensitivity + specificity > 1."""
        return self.sensitivity + self.specificity > 1

    @property
    def items(self) -> float:
        """The size of the calibration set."""
        return self.good_as_good + self.good_as_bad + self.bad_as_good + self.bad_as_bad


@dataclass(frozen=True)
class CorrectedRate:
    """A corrected rate and its confidence interval; NaN if undefined."""

    estimate: float
    low: float = nan
    high: float = nan


def correct_rate(counts: Calibration, confidence: float = 0.95) -> dict[str, CorrectedRate]:
    """Return all estimates by name; without Rogan-Gladen if the judge is not informative."""
    found: dict[str, CorrectedRate] = {}
    if counts.is_informative:
        found["rogan_gladen"] = rogan_gladen(counts, confidence)
        found["rogan_gladen_logit"] = rogan_gladen(counts, confidence, logit=True)
    if counts.items > 1 and counts.size > 1:
        for name, tuned in (("ppi", False), ("ppi_tuned", True)):
            estimate, variance = prediction_powered(counts, tuned=tuned)
            reach = critical_value(confidence) * sqrt(variance)
            found[name] = CorrectedRate(estimate, estimate - reach, estimate + reach)
            found[f"{name}_logit"] = _on_logits(estimate, variance, confidence)
    found["post_stratified"] = _on_logits(*post_stratified(counts), confidence)
    return {name: each for name, each in found.items() if not isnan(each.estimate)}


def rogan_gladen(
    counts: Calibration, confidence: float = 0.95, *, logit: bool = False
) -> CorrectedRate:
    """Return the estimate of Rogan and Gladen (1978) with the interval of Lang and Reiczigel.

    The interval is that of Lee et al. (2025). With ``logit``, the estimate is the center of that
    interval without its shift, and the interval is symmetric on logits (Chen et al. 2026).
    """
    z = critical_value(confidence)
    n = counts.size + z**2
    bad = counts.bad_as_bad + counts.bad_as_good + 2
    good = counts.good_as_good + counts.good_as_bad + 2
    p = (counts.judged_good + z**2 / 2) / n
    a, b = (counts.bad_as_bad + 1) / bad, (counts.good_as_good + 1) / good
    above = a + b - 1
    center = (p + a - 1) / above
    if logit:
        center = min(max(center, 0), 1)
    on_bad, on_good = a * (1 - a) / bad, b * (1 - b) / good
    variance = p * (1 - p) / n + (1 - center) ** 2 * on_bad + center**2 * on_good
    variance /= above**2
    if logit:
        return _on_logits(center, variance, confidence)
    uncut = (counts.rate + counts.specificity - 1) / (counts.specificity + counts.sensitivity - 1)
    shifted = center + 2 * z**2 * (center * on_good - (1 - center) * on_bad)
    reach = z * sqrt(variance)
    return CorrectedRate(*(min(max(v, 0), 1) for v in (uncut, shifted - reach, shifted + reach)))


def prediction_powered(counts: Calibration, *, tuned: bool) -> tuple[float, float]:
    """Return the prediction-powered estimate and its variance (PPI++ if ``tuned``)."""
    m, n = counts.items, counts.size
    human = (counts.good_as_good + counts.good_as_bad) / m
    judge = (counts.good_as_good + counts.bad_as_good) / m
    sample = m / (m - 1)
    variance_human, variance_judge = (sample * p * (1 - p) for p in (human, judge))
    covariance = sample * (counts.good_as_good / m - human * judge)
    variance_test = n / (n - 1) * counts.rate * (1 - counts.rate)
    weight = 1.0
    if tuned:
        below = variance_judge + m / n * variance_test
        weight = covariance / below if below else 0.0
    rest = variance_human + weight**2 * variance_judge - 2 * weight * covariance
    estimate = human + weight * (counts.rate - judge)
    return estimate, max(rest, 0) / m + weight**2 * variance_test / n


def post_stratified(counts: Calibration) -> tuple[float, float]:
    """Return the post-stratified estimate for binary verdicts (Chen et al. 2026), and its variance.

    The human rates among the items judged bad and among those judged good are weighted by the
    shares of the two groups in the test set.
    """
    p = counts.rate
    bad, good = counts.good_as_bad + counts.bad_as_bad, counts.good_as_good + counts.bad_as_good
    low, high = _divide(counts.good_as_bad, bad), _divide(counts.good_as_good, good)
    variance = _divide((high - low) ** 2 * p * (1 - p), counts.size)
    variance += _divide((1 - p) ** 2 * low * (1 - low), bad)
    variance += _divide(p**2 * high * (1 - high), good)
    return (1 - p) * low + p * high, variance


def _on_logits(estimate: float, variance: float, confidence: float) -> CorrectedRate:
    if isnan(estimate) or isnan(variance):
        return CorrectedRate(nan)
    inside = min(max(estimate, _EDGE), 1 - _EDGE)
    reach = critical_value(confidence) * sqrt(variance) / (inside * (1 - inside))
    logit = log(inside / (1 - inside))
    low, high = (1 / (1 + exp(min(-logit - side * reach, _LARGEST))) for side in (-1, 1))
    return CorrectedRate(estimate, low, high if high < inf else nan)


def _divide(above: float, below: float) -> float:
    return above / below if below else nan
