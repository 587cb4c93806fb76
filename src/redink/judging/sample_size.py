"""How many cases must be judged, and how well the estimate from so many would do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from redink.errors import DataError, OptionError
from redink.judging.sampling import (
    QUANTITIES,
    IntervalOptions,
    Quantity,
    Stratum,
    Target,
    estimate_quantities,
)
from redink.model import Counts
from redink.options import Confidence, Limits, NotNegative, Options, Share
from redink.progress import tell_each
from redink.statistics.resampling import FloatArray, ResamplingOptions, interval_of

Width = Annotated[float, Limits(0, 1, low_open=True)]


@dataclass(frozen=True)
class PlanningOptions(Options):
    """What the user expects to find, for planning alone; it does not enter the estimate.

    Attributes:
        expect_precision: the precision to plan for; one half is the hardest case.
        expect_misses: the share of OK cases expected to be errors, to plan for recall.
        target: what the intervals will be about: this corpus, or text like it.
        confidence: how sure the intervals are: 0.95 for 19 times out of 20.
    """

    expect_precision: Share = 0.5
    expect_misses: Share | None = None
    target: Target = "corpus"
    confidence: Confidence = 0.95

    def widths(
        self, flagged: int, passed: int, errors: ArrayLike, oks: ArrayLike
    ) -> dict[Quantity, FloatArray]:
        """How wide the Wilson intervals become if the samples hold just what is expected.

        Args:
            flagged: how many Error cases there are.
            passed: how many OK cases there are.
            errors: how many of the Error cases are judged, one number or several.
            oks: how many of the OK cases are judged.
        """
        misses = self.expect_misses or 0.0
        found = estimate_quantities(
            Stratum(flagged, errors, np.asarray(errors) * self.expect_precision),
            Stratum(passed, oks, np.asarray(oks) * misses),
            intervals=IntervalOptions(target=self.target),
            resampling=ResamplingOptions(confidence=self.confidence),
        )
        return {name: interval.high - interval.low for name, interval in found.items()}


@dataclass(frozen=True)
class SampleSize(Options):
    """How many cases of each kind to draw.

    Attributes:
        error_rate: share of Error cases to draw.
        errors: number of Error cases to draw.
        precision_width: as many Error cases as give precision an interval of this width.
        ok_rate: share of OK cases to draw.
        oks: number of OK cases to draw.
        recall_width: as many OK cases as give recall an interval of this width.
    """

    error_rate: Share | None = None
    errors: NotNegative | None = None
    precision_width: Width | None = None
    ok_rate: Share | None = None
    oks: NotNegative | None = None
    recall_width: Width | None = None

    def decide(self, flagged: int, passed: int, expectation: PlanningOptions) -> tuple[int, int]:
        """The numbers of Error and OK cases, of those that there are.

        Raises:
            OptionError: too little or too much is said, or it cannot be had.
        """
        errors = _share("Error", flagged, self.error_rate, self.errors)
        if errors is None and self.precision_width is not None:
            errors = errors_for_precision(self.precision_width, flagged, expectation)
        oks = _share("OK", passed, self.ok_rate, self.oks)
        if errors is None:
            raise OptionError(
                "say how many Error cases to draw: --error-rate, --errors or --precision-width"
            )
        if oks is None and self.recall_width is not None:
            oks = oks_for_recall(self.recall_width, flagged, passed, errors, expectation)
        if oks is None:
            raise OptionError("say how many OK cases to draw: --ok-rate, --oks or --recall-width")
        if not errors + oks:
            raise OptionError("the sample is empty")
        return errors, oks


def _share(name: str, cases: int, rate: float | None, number: int | None) -> int | None:
    if rate is not None and number is not None:
        raise OptionError(f"give a rate or a number of {name} cases, not both")
    if rate is not None:
        return math.ceil(round(rate * cases, 9))
    if number is not None and number > cases:
        raise OptionError(f"{number} {name} cases cannot be drawn: there are {cases}")
    return number


def _smallest(enough: Callable[[int], bool], largest: int, complaint: str) -> int:
    """The smallest number that is enough, if all larger ones are too.

    Raises:
        OptionError: even the largest is not enough.
    """
    if largest < 1 or not enough(largest):
        raise OptionError(complaint)
    low, high = 0, largest
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def errors_for_precision(width: float, flagged: int, expectation: PlanningOptions) -> int:
    """How many Error cases give precision an interval no wider than ``width``."""
    return _smallest(
        lambda size: bool(expectation.widths(flagged, 1, size, 1)["precision"] <= width),
        flagged,
        f"all {flagged} Error cases are too few for an interval of precision of {width:g}",
    )


def oks_for_recall(
    width: float, flagged: int, passed: int, errors: int, expectation: PlanningOptions
) -> int:
    """How many OK cases give recall an interval no wider than ``width``, beside so many Errors."""
    if expectation.expect_misses is None:
        raise OptionError(
            "to plan for recall, say which share of the OK cases you expect to be errors "
            "(--expect-misses)"
        )
    return _smallest(
        lambda size: bool(expectation.widths(flagged, passed, errors, size)["recall"] <= width),
        passed,
        f"even all {passed} OK cases beside {errors} Error cases leave recall an interval wider "
        f"than {width:g}; draw more Error cases",
    )


@dataclass(frozen=True)
class Simulated:
    """What many samples of one size would have said of a quantity, beside the truth.

    ``low`` and ``high`` are the ends of where most estimates lie, ``covered`` is the share of
    samples whose interval holds the truth, and ``width`` is how wide these are on average.
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
    """Draw many samples from a corpus whose every case is known, and see how they do.

    To draw cases without replacement and count the errors among them is to draw their number
    from a hypergeometric distribution, so that no case need be touched.
    """
    if counts.tn is None:
        raise DataError("a simulation needs all four counts, true negatives included")
    tp, fp, fn, tn = (int(n) for n in (counts.tp, counts.fp, counts.fn, counts.tn))
    if (tp, fp, fn, tn) != (counts.tp, counts.fp, counts.fn, counts.tn):
        raise DataError("a simulation draws whole cases; its counts must be whole numbers")
    flagged, passed = tp + fp, fn + tn
    everything = estimate_quantities(
        Stratum(flagged, flagged, tp), Stratum(passed, passed, fn), beta=beta
    )
    results = []
    for errors, oks in tell_each(sizes, "drawing samples", len(sizes)):
        if errors > flagged or oks > passed:
            raise OptionError(
                f"{errors} Error and {oks} OK cases cannot be drawn from {flagged} and {passed}"
            )
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
            low, high = interval_of(interval.estimate, confidence=confidence)
            held = (interval.low <= truth + 1e-12) & (truth - 1e-12 <= interval.high)
            results.append(
                Simulated(
                    quantity=name,
                    sample=errors + oks,
                    errors=errors,
                    oks=oks,
                    truth=None if np.isnan(truth) else truth,
                    estimate=float(estimates.mean()) if len(estimates) else None,
                    low=low,
                    high=high,
                    covered=float(held.mean()),
                    width=float(np.nanmean(interval.high - interval.low)),
                )
            )
    return results
