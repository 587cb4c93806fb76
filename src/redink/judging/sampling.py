"""Precision and recall from a sample of a system's decisions (Tetreault and Chodorow 2008).

Judges see a blind sample of the cases that the system labels Error and of the cases that it labels
OK. The share of errors in each sample, times the size of its sub-corpus, estimates a rate of the
corpus. Precision and recall follow from these rates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from redink.errors import DataError, OptionError
from redink.model import Counts, Definition
from redink.model.counts import Cells
from redink.options import Confidence, Limits, NotNegative, Options, Share
from redink.progress import tell_each
from redink.statistics.arrays import divide_or_nan, measure_counts
from redink.statistics.intervals import (
    Interval,
    critical_value,
    normal_interval,
    ratio_interval,
    sum_interval,
    wilson_interval,
)
from redink.statistics.resampling import (
    FloatArray,
    IntArray,
    ResamplingOptions,
    interval_of,
    percentile_interval,
)

Method = Literal["wilson", "normal", "bootstrap"]
Target = Literal["corpus", "population"]
Quantity = Literal[
    "hit_rate", "fp_rate", "miss_rate", "precision", "recall", "f", "error_rate", "bias", "kappa"
]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)

_METHODS = {
    "wilson": "Wilson's; for recall, F and the error rate by MOVER on Wilson's limits",
    "normal": "the normal approximation; for recall, F and the error rate by the delta method",
    "bootstrap": "bootstrap percentiles",
}
_TARGETS = {
    "corpus": "the result of judging the entire corpus",
    "population": "text like this corpus",
}


@dataclass(frozen=True)
class IntervalOptions(Options):
    """The confidence intervals of estimates.

    Attributes:
        interval: method of the confidence intervals: Wilson (recall: MOVER on Wilson's limits), the
            normal approximation of the paper, or bootstrap.
        target: population of the confidence intervals: this corpus, or text like it. By default
            corpus, or population if the interval is ``normal``.
    """

    interval: Method = "wilson"
    target: Target | None = None

    @property
    def about(self) -> Target:
        """The target, or its default: the paper's normal interval assumes an infinite corpus."""
        return self.target or ("population" if self.interval == "normal" else "corpus")

    def describe(self, confidence: float) -> str:
        """Return a note about the confidence intervals."""
        how, what = _METHODS[self.interval], _TARGETS[self.about]
        return Definition(f"{100 * confidence:g}% confidence intervals ({how}) for {what}.")


@dataclass(frozen=True)
class Stratum:
    """A sub-corpus and its judged sample; numbers, or arrays for many at once.

    Attributes:
        sample: the number of judged cases.
        errors: the number of errors among the judged cases.
        shares: the share of judges who see an error in each judged case, if some disagree.
        design_effect: the variance of the shares divided by that of binary values.
    """

    cases: ArrayLike
    sample: ArrayLike
    errors: ArrayLike
    shares: FloatArray | None = None
    design_effect: float = 1.0

    @classmethod
    def of_shares(cls, cases: int, shares: FloatArray, judgments: int) -> Stratum:
        """Count each judged case as an error by its share of judges.

        A sample counts as at most ``judgments`` independent binary answers.
        """
        size, mean = len(shares), float(shares.mean()) if len(shares) else 0.0
        if np.isin(shares, (0, 1)).all():
            return cls(cases, size, int(shares.sum()))
        effect = max(float(shares.var()) / (mean * (1 - mean)), size / judgments)
        return cls(cases, size, float(shares.sum()), shares, effect)

    def __post_init__(self) -> None:
        cases, sample, errors = map(np.asarray, (self.cases, self.sample, self.errors))
        if (errors < 0).any() or (errors > sample).any():
            raise DataError(f"{errors} errors cannot be in a sample of {sample}")
        if (sample > cases).any():
            raise DataError(f"a sample of {sample} cannot come from {cases} cases")


Strata = Stratum | Sequence[Stratum]


def estimate_quantities(
    flagged: Strata,
    passed: Strata,
    *,
    intervals: IntervalOptions = IntervalOptions(),
    resampling: ResamplingOptions = ResamplingOptions(bootstrap=10_000),
    beta: float = 0.5,
    rng: np.random.Generator | None = None,
) -> dict[Quantity, Interval]:
    """Estimate the paper's rates, precision, recall and F with confidence intervals.

    ``flagged`` is the sub-corpus that the system labels Error, ``passed`` the one it labels OK;
    each can have several parts with a sample of their own. For recall, F, the error rate and kappa,
    ``wilson`` uses MOVER on Wilson's limits and ``normal`` (as in the paper) the delta method.
    Intervals about the corpus get narrower as more of it is judged.
    """
    confidence = resampling.confidence
    sides = [[s] if isinstance(s, Stratum) else list(s) for s in (flagged, passed)]
    sizes = [sum(np.asarray(s.cases, np.float64) for s in side) for side in sides]
    whole = np.asarray(sizes[0] + sizes[1])
    if (whole <= 0).any():
        raise DataError("the corpus has no cases")
    share = sizes[0] / whole
    finite = intervals.about == "corpus"
    if intervals.interval == "bootstrap":
        if not resampling.bootstrap:
            raise OptionError("the bootstrap needs at least one sample")
        random = rng or resampling.rng()
        first, second = (
            _mix([_resample(s, resampling.bootstrap, random, finite=finite) for s in side], side)
            for side in sides
        )
        known = [_mix([*map(_error_share, side)], side) for side in sides]
        points = _derive(known[0], known[1], share, beta)
        return {
            name: Interval(
                points[name], *map(np.asarray, percentile_interval(values, confidence=confidence))
            )
            for name, values in _derive(first, second, share, beta).items()
        }
    compute = wilson_interval if intervals.interval == "wilson" else normal_interval
    hits, misses = (
        _mix_intervals(
            [
                compute(
                    s.errors,
                    s.sample,
                    confidence=confidence,
                    population=s.cases if finite else None,
                    design_effect=s.design_effect,
                )
                for s in side
            ],
            side,
        )
        for side in sides
    )
    found: dict[Quantity, Interval] = {
        "hit_rate": hits.scaled(share),
        "fp_rate": hits.complement().scaled(share),
        "miss_rate": misses.scaled(1 - share),
        "precision": hits,
        "bias": Interval(*[share * np.ones_like(hits.estimate)] * 3),
    }
    hit, miss = found["hit_rate"], found["miss_rate"]
    point = _combine(hit.estimate, miss.estimate, share, beta)
    if intervals.interval == "wilson":
        found["recall"] = _inverse(ratio_interval(miss, hit).shifted(1))
        # 1/F = (E + b² m) / ((1 + b²) h) + b² / (1 + b²), where E is the known share of Errors.
        square = beta**2
        parts = ratio_interval(miss.scaled(square).shifted(share), hit.scaled(1 + square))
        found["f"] = _inverse(parts.shifted(square / (1 + square)))
        found["error_rate"] = sum_interval(hit, miss)
        # kappa grows with the rate of hits and falls with that of misses
        distances = [
            np.hypot(*(_kappa(h, m, share) - point["kappa"] for h, m in ends))
            for ends in (
                ((hit.low, miss.estimate), (hit.estimate, miss.high)),
                ((hit.high, miss.estimate), (hit.estimate, miss.low)),
            )
        ]
        kappa = point["kappa"]
        found["kappa"] = Interval(
            kappa, np.maximum(kappa - distances[0], -1), np.minimum(kappa + distances[1], 1)
        )
    else:
        reaches = [
            critical_value(confidence)
            * np.sqrt(_mix([_standard_error(s, finite=finite) ** 2 for s in side], side, power=2))
            * part
            for side, part in zip(sides, (share, 1 - share), strict=True)
        ]
        for name, slopes in _slopes(hit.estimate, miss.estimate, share, beta).items():
            reach = np.hypot(slopes[0] * reaches[0], slopes[1] * reaches[1])
            lowest = -1 if name == "kappa" else 0
            low, high = (np.clip(point[name] + d, lowest, 1) for d in (-reach, reach))
            found[name] = Interval(point[name], low, high)
    return {name: found[name] for name in QUANTITIES}


def _mix(values: Sequence[FloatArray], side: Sequence[Stratum], power: int = 1) -> FloatArray:
    """Return the mean of values of the parts of a sub-corpus, weighted by their cases."""
    if len(side) == 1:
        return values[0]
    cases = np.array([s.cases for s in side], dtype=np.float64)
    return np.tensordot((cases / cases.sum()) ** power, np.array(values), axes=1)


def _mix_intervals(parts: Sequence[Interval], side: Sequence[Stratum]) -> Interval:
    """Return the interval of the weighted mean (MOVER)."""
    if len(side) == 1:
        return parts[0]
    estimate = _mix([part.estimate for part in parts], side)
    down = _mix([(part.estimate - part.low) ** 2 for part in parts], side, power=2)
    up = _mix([(part.high - part.estimate) ** 2 for part in parts], side, power=2)
    return Interval(
        estimate, np.maximum(estimate - np.sqrt(down), 0), np.minimum(estimate + np.sqrt(up), 1)
    )


def _kappa(hit: FloatArray, miss: FloatArray, share: FloatArray) -> FloatArray:
    return measure_counts("kappa", Cells(hit, share - hit, miss, 1 - share - miss))


def _inverse(interval: Interval) -> Interval:
    """Return the interval of the reciprocal of a value that is at least 1, or infinite."""
    with np.errstate(divide="ignore"):
        estimate, low, high = 1 / interval.estimate, 1 / interval.high, 1 / interval.low
    # Rounding must not put the estimate outside its interval, nor the interval above 1.
    return Interval(estimate, np.fmin(low, estimate), np.minimum(np.fmax(high, estimate), 1))


def _combine(
    hit: FloatArray, miss: FloatArray, share: FloatArray, beta: float
) -> dict[Quantity, FloatArray]:
    square = beta**2
    return {
        "recall": divide_or_nan(hit, hit + miss),
        "f": divide_or_nan((1 + square) * hit, share + square * (hit + miss)),
        "error_rate": hit + miss,
        "bias": share * np.ones_like(hit),
        "kappa": _kappa(hit, miss, share),
    }


def _slopes(
    hit: FloatArray, miss: FloatArray, share: FloatArray, beta: float
) -> dict[Quantity, tuple[FloatArray, FloatArray]]:
    """Return the derivatives of each quantity by the rate of hits and the rate of misses."""
    square = beta**2
    errors, whole = (hit + miss) ** 2, (share + square * (hit + miss)) ** 2
    one = np.ones_like(hit)
    above, below = hit * (1 - share) - share * miss, share + (hit + miss) * (1 - 2 * share)
    return {
        "recall": (divide_or_nan(miss, errors), divide_or_nan(-hit, errors)),
        "f": (
            divide_or_nan((1 + square) * (share + square * miss), whole),
            divide_or_nan(-(1 + square) * square * hit, whole),
        ),
        "error_rate": (one, one),
        "kappa": (
            divide_or_nan(2 * ((1 - share) * below - above * (1 - 2 * share)), below**2),
            divide_or_nan(2 * (-share * below - above * (1 - 2 * share)), below**2),
        ),
    }


def _left_over(stratum: Stratum) -> FloatArray:
    """Return the finite-population correction."""
    cases, sample = np.asarray(stratum.cases, np.float64), np.asarray(stratum.sample, np.float64)
    left: FloatArray = np.sqrt((cases - sample) / np.maximum(cases - 1, 1))
    return left


def _standard_error(stratum: Stratum, *, finite: bool) -> FloatArray:
    share = _error_share(stratum)
    variance = share * (1 - share) * stratum.design_effect
    error: FloatArray = np.sqrt(divide_or_nan(variance, np.asarray(stratum.sample)))
    return error * _left_over(stratum) if finite else error


def _error_share(stratum: Stratum) -> FloatArray:
    return divide_or_nan(np.asarray(stratum.errors, np.float64), np.asarray(stratum.sample))


def _resample(
    stratum: Stratum, samples: int, rng: np.random.Generator, *, finite: bool
) -> FloatArray:
    """Return the share of errors in each bootstrap sample of the judged cases."""
    size, point = np.asarray(stratum.sample), _error_share(stratum)
    # Drawing cases with replacement is a binomial draw of errors, or a multinomial of shares.
    drawn: IntArray | FloatArray
    if stratum.shares is None:
        drawn = rng.binomial(size, np.nan_to_num(point), size=(samples, *point.shape))
    else:
        shares, counts = np.unique(stratum.shares, return_counts=True)
        drawn = rng.multinomial(len(stratum.shares), counts / counts.sum(), size=samples) @ shares
    values = drawn / np.maximum(size, 1)
    if finite:
        # Rescaling of Rao and Wu: the variance is that of a sample without replacement.
        values = point + _left_over(stratum) * (values - point)
    return np.where(np.isnan(point), np.nan, values)


def _derive(
    flagged: FloatArray, passed: FloatArray, share: FloatArray, beta: float
) -> dict[Quantity, FloatArray]:
    """Return all quantities from the share of errors in each sub-corpus."""
    hit, miss = flagged * share, passed * (1 - share)
    return {
        "hit_rate": hit,
        "fp_rate": (1 - flagged) * share,
        "miss_rate": miss,
        "precision": flagged,
        **_combine(hit, miss, share, beta),
    }


def allocate(cases: Sequence[int], total: int, least: int = 5) -> list[int]:
    """Divide a sample among parts in proportion to their cases, with a few cases of each part."""
    if len(cases) == 1:
        return [total]
    least = min(least, total // max(1, len(cases)))
    if total > sum(cases) or (cases and not least):
        raise OptionError(f"cannot draw {total} cases from {len(cases)} parts of {sum(cases)}")
    drawn = [min(least, size) for size in cases]
    while (missing := total - sum(drawn)) > 0:
        left = [size - n for size, n in zip(cases, drawn, strict=True)]
        wanted = [missing * rest / sum(left) for rest in left]
        whole = [int(share) for share in wanted]
        if not any(whole):  # the largest remainders get one more
            order = sorted(range(len(cases)), key=lambda at: (-wanted[at], at))
            whole = [int(at in order[:missing]) for at in range(len(cases))]
        drawn = [n + more for n, more in zip(drawn, whole, strict=True)]
    return drawn


def draw_parts(
    parts: Sequence[IntArray], sizes: Sequence[int], rng: np.random.Generator
) -> IntArray:
    """Draw cases from every part of the corpus, shuffled together."""
    for pool, size in zip(parts, sizes, strict=True):
        if not 0 <= size <= len(pool):
            raise OptionError(f"cannot draw {size} of {len(pool)} cases")
    pairs = zip(parts, sizes, strict=True)
    chosen = [rng.choice(pool, size, replace=False) for pool, size in pairs]
    together: IntArray = np.concatenate(chosen)
    return rng.permutation(together)


# ---- number of cases to judge

Width = Annotated[float, Limits(0, 1, low_open=True)]


@dataclass(frozen=True)
class PlanningOptions(Options):
    """Expected rates, for planning only; the estimates do not use them.

    Attributes:
        expect_precision: expected precision; 0.5 needs the largest sample.
        expect_misses: expected share of errors among the OK cases, to plan for recall.
        target: population of the confidence intervals: this corpus, or text like it.
        confidence: confidence level of the intervals.
    """

    expect_precision: Share = 0.5
    expect_misses: Share | None = None
    target: Target = "corpus"
    confidence: Confidence = 0.95

    def widths(
        self, flagged: int, passed: int, errors: ArrayLike, oks: ArrayLike
    ) -> dict[Quantity, FloatArray]:
        """Return the widths of the Wilson intervals for the expected numbers of errors.

        ``errors`` of the ``flagged`` and ``oks`` of the ``passed`` cases are judged.
        """
        found = estimate_quantities(
            Stratum(flagged, errors, np.asarray(errors) * self.expect_precision),
            Stratum(passed, oks, np.asarray(oks) * (self.expect_misses or 0.0)),
            intervals=IntervalOptions(target=self.target),
            resampling=ResamplingOptions(confidence=self.confidence),
        )
        return {name: interval.high - interval.low for name, interval in found.items()}


@dataclass(frozen=True)
class SampleSize(Options):
    """Number of cases of each kind to draw.

    Attributes:
        error_rate: share of Error cases to draw.
        errors: number of Error cases to draw.
        precision_width: draw enough Error cases for a precision interval of this width.
        ok_rate: share of OK cases to draw.
        oks: number of OK cases to draw.
        recall_width: draw enough OK cases for a recall interval of this width.
    """

    error_rate: Share | None = None
    errors: NotNegative | None = None
    precision_width: Width | None = None
    ok_rate: Share | None = None
    oks: NotNegative | None = None
    recall_width: Width | None = None

    def decide(self, flagged: int, passed: int, expectation: PlanningOptions) -> tuple[int, int]:
        """Return the numbers of Error and OK cases to draw."""
        errors = _share("Error", flagged, self.error_rate, self.errors)
        if errors is None and self.precision_width is not None:
            errors = errors_for_precision(self.precision_width, flagged, expectation)
        oks = _share("OK", passed, self.ok_rate, self.oks)
        if errors is None:
            raise OptionError(
                "give the number of Error cases: --error-rate, --errors or --precision-width"
            )
        if oks is None and self.recall_width is not None:
            oks = oks_for_recall(self.recall_width, flagged, passed, errors, expectation)
        if oks is None:
            raise OptionError("give the number of OK cases: --ok-rate, --oks or --recall-width")
        if not errors + oks:
            raise OptionError("the sample is empty")
        return errors, oks


def _share(name: str, cases: int, rate: float | None, number: int | None) -> int | None:
    if rate is not None and number is not None:
        raise OptionError(f"give a rate or a number of {name} cases, not both")
    if rate is not None:
        return math.ceil(round(rate * cases, 9))
    if number is not None and number > cases:
        raise OptionError(f"cannot draw {number} {name} cases: there are only {cases}")
    return number


def _smallest(enough: Callable[[int], bool], largest: int, complaint: str) -> int:
    """Find by bisection the smallest number that is enough, if all larger numbers are too."""
    if largest < 1 or not enough(largest):
        raise OptionError(complaint)
    low, high = 0, largest
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def errors_for_precision(width: float, flagged: int, expectation: PlanningOptions) -> int:
    """Return how many Error cases give a precision interval no wider than ``width``."""
    return _smallest(
        lambda size: bool(expectation.widths(flagged, 1, size, 1)["precision"] <= width),
        flagged,
        f"all {flagged} Error cases are too few for a precision interval of width {width:g}",
    )


def oks_for_recall(
    width: float, flagged: int, passed: int, errors: int, expectation: PlanningOptions
) -> int:
    """Return how many OK cases give a recall interval no wider than ``width``."""
    if expectation.expect_misses is None:
        raise OptionError(
            "to plan for recall, give the expected share of errors among the OK cases "
            "(--expect-misses)"
        )
    return _smallest(
        lambda size: bool(expectation.widths(flagged, passed, errors, size)["recall"] <= width),
        passed,
        f"all {passed} OK cases and {errors} Error cases are too few for a recall interval "
        f"of width {width:g}; draw more Error cases",
    )


@dataclass(frozen=True)
class Simulated:
    """The estimates of a quantity from many samples of one size, compared with the true value.

    Most estimates are between ``low`` and ``high``; ``covered`` is the share of samples whose
    interval contains the true value, and ``width`` the mean width of these intervals.
    """

    quantity: Quantity
    sample: int
    errors: int
    oks: int
    truth: float | None
    estimate: float | None
    low: float | None
    high: float | None
    covered: float
    width: float


def simulate_samples(
    counts: Counts,
    sizes: Sequence[tuple[int, int]],
    *,
    repeats: int,
    rng: np.random.Generator,
    intervals: IntervalOptions = IntervalOptions(),
    confidence: float = 0.95,
    beta: float = 0.5,
) -> list[Simulated]:
    """Draw many samples from a corpus in which every case is known, and estimate from each."""
    if counts.tn is None:
        raise DataError("a simulation needs all four counts, including true negatives")
    given = (counts.tp, counts.fp, counts.fn, counts.tn)
    tp, fp, fn, tn = map(int, given)
    if (tp, fp, fn, tn) != given:
        raise DataError("a simulation needs counts that are whole numbers")
    flagged, passed = tp + fp, fn + tn
    everything = estimate_quantities(
        Stratum(flagged, flagged, tp), Stratum(passed, passed, fn), beta=beta
    )
    results = []
    for errors, oks in tell_each(sizes, "drawing samples", len(sizes)):
        if errors > flagged or oks > passed:
            raise OptionError(
                f"cannot draw {errors} Error and {oks} OK cases from {flagged} and {passed}"
            )
        # the number of errors among cases that are drawn without replacement
        hits = rng.hypergeometric(tp, fp, errors, size=repeats)
        misses = rng.hypergeometric(fn, tn, oks, size=repeats)
        found = estimate_quantities(
            Stratum(flagged, errors, hits),
            Stratum(passed, oks, misses),
            intervals=intervals,
            resampling=ResamplingOptions(2000, confidence),
            beta=beta,
            rng=rng,
        )
        for name in QUANTITIES:
            truth = float(everything[name].estimate)
            interval = found[name]
            estimates = interval.estimate[~np.isnan(interval.estimate)]
            held = (interval.low <= truth + 1e-12) & (truth - 1e-12 <= interval.high)
            results.append(
                Simulated(
                    name,
                    errors + oks,
                    errors,
                    oks,
                    None if np.isnan(truth) else truth,
                    float(estimates.mean()) if len(estimates) else None,
                    *interval_of(interval.estimate, confidence=confidence),
                    covered=float(held.mean()),
                    width=float(np.nanmean(interval.high - interval.low)),
                )
            )
    return results
