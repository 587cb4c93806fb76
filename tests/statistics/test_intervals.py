"""Intervals for proportions, and for what is computed from two of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom
from statsmodels.stats.proportion import proportion_confint

from redink.errors import OptionError
from redink.statistics.intervals import (
    Interval,
    critical_value,
    normal_interval,
    ratio_interval,
    sum_interval,
    wilson_interval,
)
from redink.statistics.resampling import percentile_interval

CASES = [(0, 10), (1, 10), (5, 10), (10, 10), (600, 750), (3, 1000)]


@pytest.mark.parametrize(("successes", "size"), CASES)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_wilson_equals_statsmodels_and_scipy(successes: int, size: int, confidence: float) -> None:
    ours = wilson_interval(successes, size, confidence=confidence)
    theirs = proportion_confint(successes, size, alpha=1 - confidence, method="wilson")
    assert (float(ours.low), float(ours.high)) == pytest.approx(theirs, abs=1e-12)
    also = binomtest(successes, size).proportion_ci(confidence, method="wilson")
    assert (float(ours.low), float(ours.high)) == pytest.approx(tuple(also), abs=1e-12)


@pytest.mark.parametrize(("successes", "size"), CASES)
def test_normal_equals_statsmodels(successes: int, size: int) -> None:
    ours = normal_interval(successes, size)
    theirs = proportion_confint(successes, size, method="normal")
    assert (float(ours.low), float(ours.high)) == pytest.approx(theirs, abs=1e-12)


def test_a_confidence_next_to_1_has_a_critical_value() -> None:
    """Wide, but finite: the largest number below 1 is rounded away in one tail only."""
    assert critical_value(1 - 1e-10) < critical_value(1 - 2**-53) < 9


def test_a_sample_of_everything_leaves_no_doubt() -> None:
    for compute in (wilson_interval, normal_interval):
        interval = compute(30, 100, population=100)
        assert (float(interval.low), float(interval.high)) == (0.3, 0.3)
        half = compute(15, 50, population=100)
        endless = compute(15, 50)
        assert endless.low < half.low < half.high < endless.high
        all_but_one = compute(30, 99, population=100)
        assert all_but_one.low < 30 / 99 < all_but_one.high


def test_finite_wilson_covers_the_finite_truth() -> None:
    """Exactly, over all samples: close to 95 % on average over populations (hypergeometric)."""
    covered = []
    for errors in range(50, 951, 10):
        found = np.arange(701)
        interval = wilson_interval(found, 700, population=1000)
        held = (interval.low <= errors / 1000) & (errors / 1000 <= interval.high)
        covered.append(hypergeom.pmf(found, 1000, errors, 700)[held].sum())
    assert 0.945 < np.mean(covered) < 0.955
    assert min(covered) > 0.92


def test_a_sample_of_nothing_has_no_interval() -> None:
    for compute in (wilson_interval, normal_interval):
        interval = compute(0, 0)
        assert np.isnan([interval.estimate, interval.low, interval.high]).all()


def test_many_at_once() -> None:
    together = wilson_interval(np.array([1, 5]), np.array([10, 20]), population=[40, 50])
    for index, (x, n, of) in enumerate(((1, 10, 40), (5, 20, 50))):
        alone = wilson_interval(x, n, population=of)
        assert together.low[index] == alone.low
        assert together.high[index] == alone.high


def test_impossible_confidence_is_refused() -> None:
    with pytest.raises(OptionError, match="between 0 and 1"):
        wilson_interval(1, 2, confidence=95)


def interval(estimate: float, low: float, high: float) -> Interval:
    return Interval(np.asarray(estimate), np.asarray(low), np.asarray(high))


def test_sum_of_symmetric_intervals_adds_variances() -> None:
    """For normal intervals MOVER is the usual rule: distances add as squares."""
    total = sum_interval(interval(10, 7, 13), interval(5, 1, 9))
    assert (float(total.low), float(total.high)) == (10, 20)


def test_ratio_of_a_constant_is_exact() -> None:
    """Without doubt about the denominator the ratio's interval is the numerator's, divided."""
    ratio = ratio_interval(interval(0.3, 0.2, 0.45), interval(0.5, 0.5, 0.5))
    assert float(ratio.estimate) == 0.6
    assert (float(ratio.low), float(ratio.high)) == pytest.approx((0.4, 0.9))


def test_ratio_turned_over() -> None:
    a, b = interval(0.3, 0.2, 0.45), interval(0.5, 0.35, 0.6)
    one, other = ratio_interval(a, b), ratio_interval(b, a)
    assert float(one.low) == pytest.approx(1 / float(other.high))
    assert float(one.high) == pytest.approx(1 / float(other.low))


def test_ratio_with_zeros() -> None:
    """Nothing above gives a lower end of 0; nothing below an endless upper end; 0/0 anything."""
    none, some = interval(0, 0, 0.1), interval(0.5, 0.4, 0.6)
    low = ratio_interval(none, some)
    assert float(low.low) == 0
    assert 0 < float(low.high) < 0.25
    high = ratio_interval(some, none)
    assert float(high.low) > 0
    assert np.isinf(float(high.high))
    anything = ratio_interval(none, none)
    assert np.isnan(float(anything.estimate))
    assert (float(anything.low), float(anything.high)) == (0, np.inf)


def test_an_interval_of_undefined_values_is_undefined() -> None:
    assert np.isnan(percentile_interval(np.full(5, np.nan))).all()


def test_the_complement_turns_the_interval_over() -> None:
    rate = wilson_interval(3, 10)
    other = wilson_interval(7, 10)
    turned = rate.complement()
    ends = [float(end) for end in (turned.estimate, turned.low, turned.high)]
    assert ends == pytest.approx([float(end) for end in (other.estimate, other.low, other.high)])
