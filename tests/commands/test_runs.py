"""``redink runs``: means and tests of systems with several runs."""

from __future__ import annotations

from math import sqrt
from statistics import mean, stdev
from typing import Any

import pytest
from scipy import stats

import redink
from redink.errors import OptionError

SIZE = 100
SOURCE, RIGHT = ["this are wrong ."] * SIZE, ["this is wrong ."] * SIZE


def correct(first: int, last: int) -> list[str]:
    """Correct the sentences from first to last."""
    return [*SOURCE[:first], *RIGHT[first:last], *SOURCE[last:]]


def runs(systems: dict[str, list[str]], **options: Any) -> redink.Table:
    """The mean over sentences of a correct answer, of which the variance is known."""

    def right(source: str, hypothesis: str, references: list[str]) -> float:
        return float(hypothesis in references)

    return redink.runs(
        source=SOURCE, references=[RIGHT], systems=systems, metrics=[right], **options
    )


def test_mean_spread_and_interval() -> None:
    """The variance of the mean of runs is the sum of that of sentences and of that of runs."""
    scores = [0.5, 0.6, 0.7]
    table = runs(
        {f"a@{n}": correct(0, round(100 * s)) for n, s in enumerate(scores)}, bootstrap=20_000
    )
    (row,) = table.rows
    assert (row["system"], row["runs"], row["score"]) == ("a", 3, pytest.approx(mean(scores)))
    assert row["sd"] == pytest.approx(stdev(scores))
    # of the mean of three runs, 50 sentences have 1, ten each 2/3 and 1/3, and 30 have 0
    values = [1.0] * 50 + [2 / 3] * 10 + [1 / 3] * 10 + [0.0] * 30
    of_sentences = mean((v - mean(values)) ** 2 for v in values) / SIZE
    of_runs = stdev(scores) ** 2 / 3
    error = sqrt(of_sentences + of_runs)
    degrees = error**4 / (of_runs**2 / 2)
    assert row["high"] - row["score"] == pytest.approx(
        stats.t.ppf(0.975, degrees) * error, rel=0.03
    )


def test_differences_are_tested_with_welch_degrees() -> None:
    """The two systems correct the same sentences, so that only runs differ."""
    table = runs(
        {
            "a@1": correct(0, 50),
            "a@2": correct(0, 54),
            "b@1": correct(0, 40),
            "b@2": correct(0, 48),
        },
        show="tests",
        bootstrap=20_000,
    )
    (row,) = table.rows
    assert (row["system"], row["other"]) == ("a", "b")
    assert row["difference"] == pytest.approx(0.08)
    values = [0.0] * 40 + [0.5] * 8 + [1.0] * 2 + [0.5] * 4 + [0.0] * 46
    of_sentences = mean((v - mean(values)) ** 2 for v in values) / SIZE
    a, b = stdev([0.5, 0.54]) ** 2 / 2, stdev([0.4, 0.48]) ** 2 / 2
    error = sqrt(of_sentences + a + b)
    degrees = error**4 / (a**2 + b**2)
    assert row["p"] == pytest.approx(2 * stats.t.sf(0.08 / error, degrees), rel=0.05)


def test_the_runs_of_a_system_are_needed() -> None:
    with pytest.raises(OptionError, match="no system has several runs"):
        runs({"a": correct(0, 5), "b": correct(0, 6)})
    table = runs({"a@1": correct(0, 5), "a@2": correct(0, 6), "b": correct(0, 9)})
    assert any("a single run: b" in note for note in table.notes)
