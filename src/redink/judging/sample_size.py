"""How many cases must be judged, and how well the estimate from so many would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from redink.errors import DataError, OptionError
from redink.judging.sampling import (
    QUANTITIES,
    Method,
    Stratum,
    Target,
    estimate_quantities,
)
from redink.model import Counts
from redink.statistics.resampling import FloatArray


@dataclass(frozen=True)
class Expectation:
    """What the user expects to find, for planning alone; it does not enter the estimate.

    Attributes:
        precision: the share of Error cases that are errors; one half is the hardest case.
        misses: the share of OK cases that are errors.
    """

    precision: float = 0.5
    misses: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("precision", self.precision), ("share of misses", self.misses)):
            if value is not None and not 0 <= value <= 1:
                raise OptionError(f"an expected {name} lies between 0 and 1, not at {value}")


def expected_widths(
    flagged: int,
    passed: int,
    errors: FloatArray,
    oks: FloatArray,
    expectation: Expectation,
    *,
    target: Target = "corpus",
    level: float = 0.95,
) -> dict[str, FloatArray]:
    """How wide the Wilson intervals become if the samples hold just what is expected."""
    misses = 0.0 if expectation.misses is None else expectation.misses
    found = estimate_quantities(
        Stratum(flagged, errors, np.asarray(errors) * expectation.precision),
        Stratum(passed, oks, np.asarray(oks) * misses),
        target=target,
        level=level,
    )
    return {name: interval.high - interval.low for name, interval in found.items()}


def _smallest(enough: Callable[[int], bool], largest: int) -> int | None:
    """The smallest number that is enough, if all larger ones are too."""
    if largest < 1 or not enough(largest):
        return None
    low, high = 0, largest
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def errors_for_precision(
    width: float,
    flagged: int,
    expectation: Expectation,
    *,
    target: Target = "corpus",
    level: float = 0.95,
) -> int:
    """How many Error cases give precision an interval no wider than ``width``."""
    _check_width(width)

    def enough(size: int) -> bool:
        sizes = np.array([float(size)])
        widths = expected_widths(
            flagged, 1, sizes, np.ones(1), expectation, target=target, level=level
        )
        return bool(widths["precision"][0] <= width)

    found = _smallest(enough, flagged)
    if found is None:
        raise OptionError(
            f"all {flagged} Error cases are too few for an interval of precision of {width:g}"
        )
    return found


def oks_for_recall(
    width: float,
    flagged: int,
    passed: int,
    errors: int,
    expectation: Expectation,
    *,
    target: Target = "corpus",
    level: float = 0.95,
) -> int:
    """How many OK cases give recall an interval no wider than ``width``, beside so many Errors."""
    _check_width(width)
    if expectation.misses is None:
        raise OptionError(
            "to plan for recall, say which share of the OK cases you expect to be errors "
            "(--expect-misses)"
        )

    def enough(size: int) -> bool:
        widths = expected_widths(
            flagged,
            passed,
            np.array([float(errors)]),
            np.array([float(size)]),
            expectation,
            target=target,
            level=level,
        )
        return bool(widths["recall"][0] <= width)

    found = _smallest(enough, passed)
    if found is None:
        raise OptionError(
            f"even all {passed} OK cases beside {errors} Error cases leave recall an interval "
            f"wider than {width:g}; draw more Error cases"
        )
    return found


def _check_width(width: float) -> None:
    if not 0 < width <= 1:
        raise OptionError(f"the width of an interval lies between 0 and 1, not at {width}")


@dataclass(frozen=True)
class Simulated:
    """What many samples of one size would have said of a quantity.

    Attributes:
        errors: Error cases in each sample.
        oks: OK cases in each sample.
        quantity: which of the quantities.
        truth: what judging every case gives.
        estimates: what each sample gives; NaN where it gives nothing.
        covered: the share of samples whose interval holds the truth.
        width: how wide the intervals are on average.
    """

    errors: int
    oks: int
    quantity: str
    truth: float
    estimates: FloatArray
    covered: float
    width: float


def simulate_samples(
    counts: Counts,
    sizes: Sequence[tuple[int, int]],
    *,
    repeats: int,
    rng: np.random.Generator,
    method: Method = "wilson",
    target: Target | None = None,
    level: float = 0.95,
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
        Stratum(flagged, flagged, tp), Stratum(passed, passed, fn), beta=beta, level=level
    )
    results = []
    for errors, oks in sizes:
        if errors > flagged or oks > passed:
            raise OptionError(
                f"{errors} Error and {oks} OK cases cannot be drawn from {flagged} and {passed}"
            )
        hits = rng.hypergeometric(tp, fp, errors, size=repeats)
        misses = rng.hypergeometric(fn, tn, oks, size=repeats)
        found = estimate_quantities(
            Stratum(flagged, errors, hits),
            Stratum(passed, oks, misses),
            method=method,
            target=target,
            level=level,
            beta=beta,
            rng=rng,
            samples=2000,
        )
        for name in QUANTITIES:
            truth = float(everything[name].estimate)
            interval = found[name]
            held = (interval.low <= truth + 1e-12) & (truth - 1e-12 <= interval.high)
            results.append(
                Simulated(
                    errors,
                    oks,
                    name,
                    truth,
                    interval.estimate,
                    float(held.mean()),
                    float(np.nanmean(interval.high - interval.low)),
                )
            )
    return results
