"""The list of metrics."""

from __future__ import annotations

import redink
from redink.scoring.specs import METRICS


def test_every_metric_is_there_with_all_that_is_known_of_it() -> None:
    """What it needs and rewards, how it fails, and how to cite it."""
    table = redink.metrics()
    assert table["metric"] == list(METRICS.names)
    for row in table:
        assert all(row.values()), row["metric"]
    bound = {row["metric"]: row["languages"] for row in table if row["languages"] != "any"}
    english = dict.fromkeys(("meteor", "scribendi-ngram", "some", "impara"), "en")
    assert bound == {**english, "cherrant": "zh"}
    own = {row["metric"] for row in table if "model" in row["needs"]}
    assert own == {"scribendi", "some", "impara"}
