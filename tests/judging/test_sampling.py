"""Estimates from a sample: the paper's figures, coverage, and what can go wrong."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.errors import DataError, OptionError
from redink.judging.sampling import (
    QUANTITIES,
    IntervalOptions,
    Method,
    PlanningOptions,
    Stratum,
    _smallest,
    allocate,
    draw_parts,
    errors_for_precision,
    estimate_quantities,
    oks_for_recall,
    simulate_samples,
)
from redink.model import Counts
from redink.statistics.resampling import ResamplingOptions

# Tetreault and Chodorow (2008), figure 1 and table 5: 10,000 prepositions, a tenth of them called
# Error; 750 of these judged, 600 hits; 1500 of the others judged, 450 misses.
FLAGGED, PASSED = Stratum(1000, 750, 600), Stratum(9000, 1500, 450)


def random_corpora(number: int, rng: np.random.Generator):
    """Corpora as they occur: size, share of Errors, precision and misses all differ."""
    cases = rng.integers(2000, 20_001, number)
    flagged = (cases * rng.uniform(0.03, 0.2, number)).astype(int)
    passed = cases - flagged
    hits = rng.binomial(flagged, rng.uniform(0.3, 0.95, number))
    misses = rng.binomial(passed, rng.uniform(0.01, 0.15, number))
    errors = np.minimum(rng.integers(50, 500, number), flagged)
    oks = np.minimum(rng.integers(200, 1500, number), passed)
    return flagged, passed, hits, misses, errors, oks


def truths(flagged, passed, hits, misses, beta: float = 0.5) -> dict[str, np.ndarray]:
    whole = flagged + passed
    square = beta**2
    share, errors = flagged / whole, (hits + misses) / whole
    agreement = (hits + passed - misses) / whole
    chance = share * errors + (1 - share) * (1 - errors)
    return {
        "bias": share,
        "kappa": (agreement - chance) / (1 - chance),
        "hit_rate": hits / whole,
        "fp_rate": (flagged - hits) / whole,
        "miss_rate": misses / whole,
        "precision": hits / flagged,
        "recall": hits / (hits + misses),
        "f": (1 + square) * hits / (flagged + square * (hits + misses)),
        "error_rate": (hits + misses) / whole,
    }


def coverage(found, known) -> dict[str, float]:
    return {
        name: float(((i.low <= known[name] + 1e-12) & (known[name] - 1e-12 <= i.high)).mean())
        for name, i in found.items()
    }


def test_table_5() -> None:
    """Hits .08, false positives .02, misses .27, precision .80, recall .23, by any interval."""
    for method in get_args(Method):
        found = estimate_quantities(
            FLAGGED, PASSED, intervals=IntervalOptions(method), rng=np.random.default_rng(1)
        )
        rounded = {name: round(float(i.estimate), 2) for name, i in found.items()}
        assert rounded["hit_rate"] == 0.08
        assert rounded["fp_rate"] == 0.02
        assert rounded["miss_rate"] == 0.27
        assert rounded["precision"] == 0.80
        assert rounded["recall"] == 0.23


def test_delta_method_agrees_with_a_simulation() -> None:
    rng = np.random.default_rng(1)
    hits, misses = rng.binomial(750, 0.8, 200_000) / 750, rng.binomial(1500, 0.3, 200_000) / 1500
    recall = 0.1 * hits / (0.1 * hits + 0.9 * misses)
    f = 1.25 * 0.1 * hits / (0.1 + 0.25 * (0.1 * hits + 0.9 * misses))
    found = estimate_quantities(FLAGGED, PASSED, intervals=IntervalOptions("normal"))
    agreement = 0.1 * hits + 0.9 * (1 - misses)
    errors = 0.1 * hits + 0.9 * misses
    chance = 0.1 * errors + 0.9 * (1 - errors)
    kappa = (agreement - chance) / (1 - chance)
    for name, values in (("recall", recall), ("f", f), ("kappa", kappa)):
        half = float(found[name].high - found[name].low) / 2
        assert half == pytest.approx(1.96 * values.std(), rel=0.02)


@pytest.mark.parametrize("target", ["corpus", "population"])
def test_intervals_cover_the_truth_of_2000_corpora(target: str) -> None:
    """Over 2000 simulated corpora the default 95 % intervals hold the truth in 93 to 97 %.

    About the corpus, the truth is what judging all of it would give; about the population, it is
    the rates behind the corpus, of which each corpus is itself a sample.
    """
    rng = np.random.default_rng(2008)
    flagged, passed, hits, misses, errors, oks = random_corpora(2000, rng)
    if target == "corpus":
        found_hits = rng.hypergeometric(hits, flagged - hits, errors)
        found_misses = rng.hypergeometric(misses, passed - misses, oks)
        known = truths(flagged, passed, hits, misses)
    else:
        found_hits = rng.binomial(errors, hits / flagged)
        found_misses = rng.binomial(oks, misses / passed)
        known = truths(flagged, passed, hits, misses)
    found = estimate_quantities(
        Stratum(flagged, errors, found_hits),
        Stratum(passed, oks, found_misses),
        intervals=IntervalOptions(target=target),
    )
    covered = coverage(found, known)
    assert set(covered) == set(QUANTITIES)
    assert covered.pop("bias") == 1
    assert all(0.93 <= share <= 0.97 for share in covered.values()), covered


@pytest.mark.parametrize(
    ("flagged", "precision", "errors", "passed", "misses", "oks"),
    [
        (1000, 0.8, 750, 9000, 0.3, 1500),  # figure 1
        (1000, 0.79, 250, 21_000, 0.19, 500),  # section 6.2
        (1000, 0.8, 250, 21_000, 0.01, 500),  # five misses expected
        (1000, 0.8, 250, 21_000, 0.01, 200),  # two misses expected
        (40, 0.7, 30, 500, 0.03, 100),  # a very small corpus
    ],
)
def test_intervals_cover_in_hard_settings(
    flagged: int, precision: float, errors: int, passed: int, misses: float, oks: int
) -> None:
    """Large parts of the corpus, few misses, few cases: still 93 to 97 % of 2000 corpora."""
    rng = np.random.default_rng(6)
    true_hits = rng.binomial(flagged, precision, 2000)
    true_misses = rng.binomial(passed, misses, 2000)
    found = estimate_quantities(
        Stratum(flagged, errors, rng.hypergeometric(true_hits, flagged - true_hits, errors)),
        Stratum(passed, oks, rng.hypergeometric(true_misses, passed - true_misses, oks)),
    )
    covered = coverage(found, truths(flagged, passed, true_hits, true_misses))
    for name in ("hit_rate", "fp_rate", "miss_rate", "precision", "recall", "kappa"):
        assert 0.93 <= covered[name] <= 0.97, (name, covered)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_estimates_lie_in_their_intervals(errors: int, oks: int, data) -> None:
    """Low ≤ estimate ≤ high, all within 0 and 1, for every outcome that a sample can have."""
    flagged = Stratum(60, errors, data.draw(st.integers(0, errors)))
    passed = Stratum(600, oks, data.draw(st.integers(0, oks)))
    for method in ("wilson", "normal"):
        for name, interval in estimate_quantities(
            flagged, passed, intervals=IntervalOptions(method)
        ).items():
            low, value, high = (float(x) for x in (interval.low, interval.estimate, interval.high))
            if np.isnan(value):
                assert name == "recall"
                continue
            lowest = -1 if name == "kappa" else 0
            assert lowest - 1e-12 <= low <= value + 1e-12, (method, name)
            assert value - 1e-12 <= high <= 1 + 1e-12, (method, name)


def test_everything_judged_is_certain() -> None:
    found = estimate_quantities(Stratum(100, 100, 60), Stratum(900, 900, 30))
    for name, value in {"precision": 0.6, "recall": 60 / 90, "hit_rate": 0.06}.items():
        interval = found[name]
        assert float(interval.estimate) == pytest.approx(value)
        assert float(interval.low) == pytest.approx(value)
        assert float(interval.high) == pytest.approx(value)


def test_no_ok_cases_leave_recall_undefined() -> None:
    """Without a look at what the system passed over, recall is unknown; precision is not."""
    for method in get_args(Method):
        found = estimate_quantities(
            Stratum(100, 20, 10),
            Stratum(900, 0, 0),
            intervals=IntervalOptions(method),
            rng=np.random.default_rng(1),
        )
        assert float(found["precision"].estimate) == 0.5
        for name in ("recall", "miss_rate", "f", "error_rate"):
            interval = found[name]
            assert np.isnan([interval.estimate, interval.low, interval.high]).all(), (method, name)


def test_no_errors_at_all() -> None:
    """Neither hits nor misses: recall is 0/0, and may be anything."""
    recall = estimate_quantities(Stratum(100, 20, 0), Stratum(900, 50, 0))["recall"]
    assert np.isnan(float(recall.estimate))
    assert (float(recall.low), float(recall.high)) == (0, 1)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((100, 20, 30), "30 errors cannot be in a sample of 20"),
        ((10, 20, 3), "a sample of 20 cannot come from 10"),
        ((10, 5, -1), "-1 errors"),
    ],
)
def test_impossible_samples_are_refused(numbers, words: str) -> None:
    with pytest.raises(DataError, match=words):
        Stratum(*numbers)


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(OptionError, match="interval: unknown value 'exact'"):
        estimate_quantities(FLAGGED, PASSED, intervals=IntervalOptions("exact"))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="at least one sample"):
        estimate_quantities(
            FLAGGED, PASSED, intervals=IntervalOptions("bootstrap"), resampling=ResamplingOptions(0)
        )
    with pytest.raises(DataError, match="no cases"):
        estimate_quantities(Stratum(0, 0, 0), Stratum(0, 0, 0))


def test_a_sample_is_drawn_without_replacement_and_shuffled() -> None:
    parts = [np.arange(100), np.arange(100, 1000)]
    chosen = draw_parts(parts, [75, 150], np.random.default_rng(1))
    assert len(set(chosen.tolist())) == 225
    assert (chosen < 100).sum() == 75
    # Shuffled: Errors are spread over the whole list.
    assert 15 < (chosen[:75] < 100).sum() < 35
    again = draw_parts(parts, [75, 150], np.random.default_rng(1))
    assert chosen.tolist() == again.tolist()
    with pytest.raises(OptionError, match="cannot draw 101 of 100 cases"):
        draw_parts(parts, [101, 1], np.random.default_rng(1))


@pytest.mark.parametrize(
    ("cases", "total", "expected"),
    [
        ([100], 7, [7]),
        ([90, 10], 50, [43, 7]),  # 5 of each, then 40 by the 85 and 5 that are left
        ([3, 4], 7, [3, 4]),
        ([1000, 2, 8], 20, [13, 2, 5]),
    ],
)
def test_parts_are_drawn_in_proportion(cases: list[int], total: int, expected: list[int]) -> None:
    assert allocate(cases, total) == expected


@pytest.mark.parametrize(("least", "largest"), [(1, 1), (1, 10), (7, 10), (10, 10), (64, 1000)])
def test_the_smallest_number_that_is_enough(least: int, largest: int) -> None:
    assert _smallest(lambda size: size >= least, largest, "") == least
    with pytest.raises(OptionError, match="too few"):
        _smallest(lambda size: size > largest, largest, "too few")
    with pytest.raises(OptionError, match="none at all"):
        _smallest(lambda _: True, 0, "none at all")


def test_planned_widths_are_met_and_just_so() -> None:
    expectation = PlanningOptions(0.8, 0.05)

    def widths(errors: int, oks: int) -> dict[str, float]:
        found = expectation.widths(1000, 9000, errors, oks)
        return {name: float(width) for name, width in found.items()}

    errors = errors_for_precision(0.1, 1000, expectation)
    assert widths(errors, 100)["precision"] <= 0.1 < widths(errors - 1, 100)["precision"]
    oks = oks_for_recall(0.12, 1000, 9000, errors, expectation)
    assert widths(errors, oks)["recall"] <= 0.12 < widths(errors, oks - 1)["recall"]


def test_plans_that_cannot_be_met_say_why() -> None:
    with pytest.raises(OptionError, match="all 20 Error cases are too few"):
        errors_for_precision(0.01, 20, PlanningOptions(target="population"))
    with pytest.raises(OptionError, match="--expect-misses"):
        oks_for_recall(0.1, 100, 1000, 50, PlanningOptions())
    with pytest.raises(OptionError, match="draw more Error cases"):
        oks_for_recall(0.01, 100, 1000, 20, PlanningOptions(0.5, 0.05))
    with pytest.raises(OptionError, match="expect-precision must be between 0 and 1"):
        PlanningOptions(1.5)


def test_simulated_samples_surround_the_truth() -> None:
    """On known data the estimates centre on the exhaustive figures, closer with more cases."""
    counts = Counts(800, 200, 2700, 6300)
    results = simulate_samples(
        counts, [(50, 100), (250, 500), (750, 1500)], repeats=2000, rng=np.random.default_rng(1)
    )
    recall = [r for r in results if r.quantity == "recall"]
    assert [r.truth for r in recall] == pytest.approx([800 / 3500] * 3)
    assert recall[-1].estimate == pytest.approx(800 / 3500, abs=0.001)
    spreads = [r.high - r.low for r in recall]
    assert spreads == sorted(spreads, reverse=True)
    assert all(0.93 <= r.covered <= 0.97 for r in recall)
    assert recall[0].width > recall[1].width > recall[2].width


def test_simulations_need_whole_known_cases() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(DataError, match="all four counts"):
        simulate_samples(Counts(1, 2, 3), [(1, 1)], repeats=1, rng=rng)
    with pytest.raises(DataError, match="whole numbers"):
        simulate_samples(Counts(1.5, 2, 3, 4), [(1, 1)], repeats=1, rng=rng)
    with pytest.raises(OptionError, match="cannot draw"):
        simulate_samples(Counts(1, 2, 3, 4), [(5, 1)], repeats=1, rng=rng)


@pytest.mark.parametrize("judges", [2, 5])
@pytest.mark.parametrize("method", ["wilson", "bootstrap"])
def test_intervals_of_shares_cover_the_truth(judges: int, method: str) -> None:
    """Judges who differ on many cases: the interval holds the mean share of the whole corpus."""
    rng = np.random.default_rng(judges)
    cases, sample, held, repeats = 2000, 150, 0, 400
    for _ in range(repeats):
        is_error = rng.random((cases, 1)) < 0.7
        follows = rng.random((cases, judges)) < 0.6
        votes = np.where(follows, is_error, rng.random((cases, judges)) < 0.7)
        shares = votes.mean(axis=1)
        drawn = rng.choice(shares, sample, replace=False)
        found = estimate_quantities(
            Stratum.of_shares(cases, drawn, sample * judges),
            Stratum(0, 0, 0),
            intervals=IntervalOptions(method),  # type: ignore[arg-type]
            resampling=ResamplingOptions(300),
            rng=rng,
        )["precision"]
        assert found.estimate == pytest.approx(drawn.mean())
        held += bool(found.low <= shares.mean() <= found.high)
    assert 0.92 <= held / repeats <= 0.98


def test_shares_of_one_judge_are_counts() -> None:
    assert Stratum.of_shares(50, np.array([1.0, 0, 1]), 3) == Stratum(50, 3, 2)
    divided = Stratum.of_shares(500, np.full(10, 0.5), 20)
    found = estimate_quantities(divided, Stratum(0, 0, 0))["precision"]
    assert found.high - found.low > 0.2
