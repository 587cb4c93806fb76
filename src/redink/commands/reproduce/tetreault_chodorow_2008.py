"""Tetreault and Chodorow 2008: agreement of two raters, and estimating from a sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redink.commands.agreement import agreement
from redink.commands.reproduce.study import Figure, Reproduction, Study
from redink.commands.sample import estimate_sample
from redink.judging.sampling import IntervalOptions
from redink.model import Counts, Judgment
from redink.statistics.resampling import ResamplingOptions

PAPER = "tetreault-chodorow-2008"
_PLAIN = ResamplingOptions(bootstrap=0)


def _table_3(_study: Study, published: Mapping[str, Any]) -> Iterator[Figure]:
    """Two raters' agreement, kappa, and errors of one that the other calls fine."""
    labels = published["labels"]
    judgments = [
        Judgment(f"{first}-{second}-{copy}", judge, label)
        for first, row in zip(labels, published["counts"], strict=True)
        for second, count in zip(labels, row, strict=True)
        for copy in range(count)
        for judge, label in (("rater 1", first), ("rater 2", second))
    ]
    rows = {r["statistic"]: r["value"] for r in agreement(judgments, resampling=_PLAIN).rows}
    for name, statistic in (("agreement", "observed_agreement"), ("kappa", "cohen_kappa")):
        yield Figure("both raters", name, published[name], rows[statistic], unit=0.001)
    for row in agreement(judgments, show="judges", resampling=_PLAIN).rows:
        contested, errors, rate = published[row["judge"]]
        for name, theirs, ours, unit in (
            ("errors", errors, row["errors"], 1.0),
            ("errors the other calls fine", contested, row["rejected"], 1.0),
            ("disagreement rate", rate, row["disagreement_rate"], 0.001),
        ):
            yield Figure(row["judge"], name, theirs, ours, unit=unit)


def _table_5(_study: Study, published: Mapping[str, Any]) -> Iterator[Figure]:
    """Rates, precision and recall of a corpus from a sample, with the paper's intervals."""
    hits, false, misses, rest = published["sample"]
    errors, oks = published["cases"]
    table = estimate_sample(
        from_counts=Counts(hits, false, misses, rest),
        cases=(errors, oks),
        intervals=IntervalOptions("normal"),
    )
    rows = {row["quantity"]: row for row in table.rows}
    ours = {
        "hit rate": "hit_rate",
        "false-positive rate": "fp_rate",
        "miss rate": "miss_rate",
        "precision": "precision",
        "recall": "recall",
    }
    item = f"{hits + false + misses + rest} cases judged"
    for name, quantity in ours.items():
        yield Figure(item, name, published[name], rows[quantity]["estimate"])
    for name, unit in (("hit rate", 0.001), ("precision", 0.01)):
        for end, theirs in zip(("low", "high"), published[f"{name} interval"], strict=True):
            yield Figure(item, f"{name}, {end}", theirs, rows[ours[name]][end], unit=unit)


REPRODUCTIONS = (Reproduction("table 3", _table_3), Reproduction("table 5", _table_5))
