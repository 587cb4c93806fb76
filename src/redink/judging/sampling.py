"""Precision and recall from a sample of a system's decisions (Tetreault and Chodorow 2008).

The system's cases fall into two sub-corpora: those it calls Error and those it calls OK. A sample
of each is judged by a person who does not know which is which. Errors in the first are hits, the
rest of it false positives; errors in the second are misses. Each share, times the size of its
sub-corpus, estimates a rate of the whole corpus, and precision and recall follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from redink.errors import DataError, OptionError
from redink.options import Options
from redink.statistics.arrays import divide_or_nan
from redink.statistics.intervals import (
    Interval,
    critical_value,
    normal_interval,
    ratio_interval,
    sum_interval,
    wilson_interval,
)
from redink.statistics.resampling import (
    BoolArray,
    FloatArray,
    IntArray,
    ResamplingOptions,
    percentile_interval,
)

Method = Literal["wilson", "normal", "bootstrap"]
Target = Literal["corpus", "population"]
Quantity = Literal["hit_rate", "fp_rate", "miss_rate", "precision", "recall", "f", "error_rate"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)

_METHODS = {
    "wilson": "Wilson's; for recall, F and the error rate by MOVER on Wilson's limits",
    "normal": "the normal approximation; for recall, F and the error rate by the delta method",
    "bootstrap": "percentiles of a bootstrap",
}
_TARGETS = {
    "corpus": "what judging this whole corpus would give",
    "population": "text like this corpus",
}


@dataclass(frozen=True)
class IntervalOptions(Options):
    """Which intervals estimates have.

    Attributes:
        interval: Wilson's (recall: MOVER on Wilson's limits), the paper's normal approximation,
            or a bootstrap.
        target: what the intervals are about: what judging this whole corpus would give, or text
            like it. By default corpus; with ``normal``, population.
    """

    interval: Method = "wilson"
    target: Target | None = None

    @property
    def about(self) -> Target:
        """What the intervals are about: this corpus, or text like it.

        The paper's normal interval knows no finite corpus; the others answer what was asked: what
        would annotating all of this corpus have given?
        """
        return self.target or ("population" if self.interval == "normal" else "corpus")

    def describe(self, confidence: float) -> str:
        """A note that says what they are."""
        how, what = _METHODS[self.interval], _TARGETS[self.about]
        return f"{100 * confidence:g} % intervals ({how}) for {what}."


@dataclass(frozen=True)
class Stratum:
    """A sub-corpus and what was found in a sample of it; numbers, or arrays for many at once.

    Attributes:
        cases: how many cases the sub-corpus has.
        sample: how many of them were judged.
        errors: how many of those are errors.
        shares: the share of each judged case's judges who see an error, where some are divided.
        design_effect: the variance of the shares over that of yes-or-no values.
    """

    cases: ArrayLike
    sample: ArrayLike
    errors: ArrayLike
    shares: FloatArray | None = None
    design_effect: float = 1.0

    @classmethod
    def of_shares(cls, cases: int, shares: FloatArray, judgments: int) -> Stratum:
        """Return the sub-corpus with every judged case as an error to the degree of its share.

        A sample is worth at most as much as ``judgments`` independent yes-or-no answers.
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


def estimate_quantities(
    flagged: Stratum,
    passed: Stratum,
    *,
    intervals: IntervalOptions = IntervalOptions(),
    resampling: ResamplingOptions = ResamplingOptions(bootstrap=10_000),
    beta: float = 0.5,
    rng: np.random.Generator | None = None,
) -> dict[Quantity, Interval]:
    """The paper's rates, precision, recall and F with their intervals.

    Args:
        flagged: the sub-corpus of the system's Errors.
        passed: the sub-corpus of the system's OKs.
        intervals: ``wilson`` (for recall, F and the rate of errors: MOVER on Wilson's limits),
            ``normal`` (the paper's; for the same three the delta method) or ``bootstrap``
            (percentiles). Those about the corpus are the narrower, the larger the part of it
            that was judged.
        resampling: how sure the intervals are, and how a bootstrap draws.
        beta: of F.
        rng: of the bootstrap, where not its seed decides.
    """
    confidence = resampling.confidence
    whole = np.asarray(flagged.cases, np.float64) + np.asarray(passed.cases, np.float64)
    if (whole <= 0).any():
        raise DataError("the corpus has no cases")
    share = np.asarray(flagged.cases, np.float64) / whole
    finite = intervals.about == "corpus"
    if intervals.interval == "bootstrap":
        if not resampling.bootstrap:
            raise OptionError("a bootstrap needs at least one sample")
        random = rng or resampling.rng()
        drawn = [
            _resample(stratum, resampling.bootstrap, random, finite=finite)
            for stratum in (flagged, passed)
        ]
        return _percentiles(flagged, passed, share, drawn, confidence, beta)
    compute = wilson_interval if intervals.interval == "wilson" else normal_interval
    hits, misses = (
        compute(
            s.errors,
            s.sample,
            confidence=confidence,
            population=s.cases if finite else None,
            design_effect=s.design_effect,
        )
        for s in (flagged, passed)
    )
    found: dict[Quantity, Interval] = {
        "hit_rate": hits.scaled(share),
        "fp_rate": hits.complement().scaled(share),
        "miss_rate": misses.scaled(1 - share),
        "precision": hits,
    }
    hit, miss = found["hit_rate"], found["miss_rate"]
    if intervals.interval == "wilson":
        found["recall"] = _inverse(ratio_interval(miss, hit).shifted(1))
        # 1/F = (E + b² m) / ((1 + b²) h) + b² / (1 + b²), E being the known share of Errors.
        square = beta**2
        parts = ratio_interval(miss.scaled(square).shifted(share), hit.scaled(1 + square))
        found["f"] = _inverse(parts.shifted(square / (1 + square)))
        found["error_rate"] = sum_interval(hit, miss)
    else:
        reaches = [
            critical_value(confidence) * _standard_error(s, finite=finite) * part
            for s, part in ((flagged, share), (passed, 1 - share))
        ]
        point = _combine(hit.estimate, miss.estimate, share, beta)
        for name, slopes in _slopes(hit.estimate, miss.estimate, share, beta).items():
            reach = np.hypot(slopes[0] * reaches[0], slopes[1] * reaches[1])
            low, high = np.clip(point[name] - reach, 0, 1), np.clip(point[name] + reach, 0, 1)
            found[name] = Interval(point[name], low, high)
    return {name: found[name] for name in QUANTITIES}


def _inverse(interval: Interval) -> Interval:
    """The interval of the reciprocal of something that is not below 1; that of infinity is 0."""
    with np.errstate(divide="ignore"):
        estimate, low, high = 1 / interval.estimate, 1 / interval.high, 1 / interval.low
    # Rounding must not put the estimate outside its interval, nor the interval beyond 1.
    return Interval(estimate, np.fmin(low, estimate), np.minimum(np.fmax(high, estimate), 1))


def _combine(
    hit: FloatArray, miss: FloatArray, share: FloatArray, beta: float
) -> dict[Quantity, FloatArray]:
    square = beta**2
    return {
        "recall": divide_or_nan(hit, hit + miss),
        "f": divide_or_nan((1 + square) * hit, share + square * (hit + miss)),
        "error_rate": hit + miss,
    }


def _slopes(
    hit: FloatArray, miss: FloatArray, share: FloatArray, beta: float
) -> dict[Quantity, tuple[FloatArray, FloatArray]]:
    """How much each quantity grows with the rate of hits and with the rate of misses."""
    square = beta**2
    errors, whole = (hit + miss) ** 2, (share + square * (hit + miss)) ** 2
    one = np.ones_like(hit)
    return {
        "recall": (divide_or_nan(miss, errors), divide_or_nan(-hit, errors)),
        "f": (
            divide_or_nan((1 + square) * (share + square * miss), whole),
            divide_or_nan(-(1 + square) * square * hit, whole),
        ),
        "error_rate": (one, one),
    }


def _left_over(stratum: Stratum) -> FloatArray:
    """The finite-population correction: how much of the doubt a large sample leaves."""
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
    """The share of errors in every bootstrap sample of what was judged."""
    size, point = np.asarray(stratum.sample), _error_share(stratum)
    # To draw cases with replacement is to draw the number of errors from a binomial, or of cases
    # with each share from a multinomial.
    drawn: IntArray | FloatArray
    if stratum.shares is None:
        drawn = rng.binomial(size, np.nan_to_num(point), size=(samples, *point.shape))
    else:
        shares, counts = np.unique(stratum.shares, return_counts=True)
        drawn = rng.multinomial(len(stratum.shares), counts / counts.sum(), size=samples) @ shares
    values = drawn / np.maximum(size, 1)
    if finite:
        # Rao and Wu's rescaling: the spread is that of a sample without replacement.
        values = point + _left_over(stratum) * (values - point)
    return np.where(np.isnan(point), np.nan, values)


def _percentiles(
    flagged: Stratum,
    passed: Stratum,
    share: FloatArray,
    drawn: Sequence[FloatArray],
    confidence: float,
    beta: float,
) -> dict[Quantity, Interval]:
    def derive(first: FloatArray, second: FloatArray) -> dict[Quantity, FloatArray]:
        hit, miss = first * share, second * (1 - share)
        return {
            "hit_rate": hit,
            "fp_rate": (1 - first) * share,
            "miss_rate": miss,
            "precision": first,
            **_combine(hit, miss, share, beta),
        }

    points, values = derive(_error_share(flagged), _error_share(passed)), derive(*drawn)
    found = {}
    for name in QUANTITIES:
        low, high = percentile_interval(values[name], confidence=confidence)
        found[name] = Interval(points[name], np.asarray(low), np.asarray(high))
    return found


def draw_sample(flagged: BoolArray, *, errors: int, oks: int, rng: np.random.Generator) -> IntArray:
    """The numbers of the cases to be judged: so many of each sub-corpus, shuffled together."""
    chosen = []
    for name, pool, size in (
        ("Error", np.flatnonzero(flagged), errors),
        ("OK", np.flatnonzero(~flagged), oks),
    ):
        if not 0 <= size <= len(pool):
            raise OptionError(f"{size} cases cannot be drawn from the {len(pool)} {name} cases")
        chosen.append(rng.choice(pool, size, replace=False))
    together: IntArray = np.concatenate(chosen)
    return rng.permutation(together)
