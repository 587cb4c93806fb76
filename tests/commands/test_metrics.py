"""The list of metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

import redink
from redink.scoring.specs import METRICS

OF_PEOPLE = {"people", "people_rewriters", "people_sentences"}
PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_every_metric_is_there_with_all_that_is_known_of_it() -> None:
    table = redink.metrics()
    assert table["metric"] == list(METRICS.names)
    for row in table:
        absent = {name for name, value in row.items() if value is None or value == ""}
        unknown = METRICS.load(row["metric"]).needs_model or row["languages"] not in {"any", "en"}
        unknown = unknown or row["metric"] == "detection"  # some sentences have no F
        assert absent == (OF_PEOPLE if unknown else set()), row["metric"]
    bound = {row["metric"]: row["languages"] for row in table if row["languages"] != "any"}
    english = dict.fromkeys(("meteor", "scribendi-ngram", "some", "impara"), "en")
    assert bound == {**english, "cherrant": "zh"}
    own = {row["metric"] for row in table if "model" in row["needs"]}
    assert own == {"scribendi", "some", "impara", "llm"}


def test_the_page_shows_the_table() -> None:
    assert _table(redink.metrics()) in PAGE.read_text(encoding="utf-8")


def _table(table: redink.Table) -> str:
    lines = table.to_markdown().splitlines()
    return "\n".join(line for line in lines if line.startswith("|"))


@pytest.mark.slow
def test_agreement_with_people_is_that_of_our_own_run(shared: Path) -> None:
    """What the table says of every metric is what ``redink meta`` finds on SEEDA.

    ``test_every_metric_is_there_with_all_that_is_known_of_it`` checks that there is a figure.
    """
    told = {row["metric"]: row for row in redink.metrics() if row["people"] is not None}
    found = redink.meta(shared / "data" / "seeda", benchmark="seeda", metrics=list(told))
    for row in found:
        name = row["metric"].removesuffix(" correction")
        if name not in told or row["human"] == "EW":
            continue
        if row["level"] == "system" and row["set"] in {"base", "+REF-F_GPT-3.5"}:
            column = "people" if row["set"] == "base" else "people_rewriters"
            assert row["pearson"] == pytest.approx(told[name][column], abs=0.0051), name
        elif row["level"] == "sentence" and row["set"] == "base":
            assert row["accuracy"] == pytest.approx(told[name]["people_sentences"], abs=0.0051)
