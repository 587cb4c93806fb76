"""Comparisons for people: the matrix, the baseline, the stars."""

from __future__ import annotations

from typing import Any

import pytest

import redink
from redink.errors import OptionError
from redink.model import Column, Table, make_table
from redink.reports.views import stars, view_differences


def pair(system: str, other: str, score: float, other_score: float, p: float) -> dict[str, Any]:
    return {
        "metric": "errant",
        "system": system,
        "other": other,
        "score": score,
        "other_score": other_score,
        "difference": score - other_score,
        "low": score - other_score - 0.01,
        "high": score - other_score + 0.01,
        "p_bootstrap_holm": p,
    }


NAMES = ("metric", "system", "other", "score", "other_score", "difference", "low", "high")
PAIRS = [pair("A", "B", 0.5, 0.4, 0.02), pair("A", "C", 0.5, 0.3, 0.0001)]
PAIRS.append(pair("B", "C", 0.4, 0.3, 0.4))


def table(rows: list[dict[str, Any]], **extra: str) -> Table:
    columns = [Column(name, "score" if place > 2 else "text") for place, name in enumerate(NAMES)]
    return make_table(columns, rows, groups="metric", extra=extra)


def test_stars_are_of_the_worst_test() -> None:
    """Every test must find the difference."""
    assert stars({"p_bootstrap_holm": 0.0001, "p_randomisation_holm": 0.03}) == "*"
    assert stars({"p_bootstrap_holm": 0.0001, "p_randomisation_holm": 0.3}) == ""
    assert stars({"p_bootstrap_holm": None}) == ""


def test_matrix() -> None:
    """Systems from best to worst both ways; a cell is the difference with its stars."""
    (view,) = view_differences(table(PAIRS))
    assert [column.heading for column in view.columns] == ["#", "system", "score", "B", "C"]
    first, second, third = view.rows
    assert (first["B"].strip(), first["C"].strip()) == ("0.1000*", "0.2000***")
    assert (second["B"], second["C"].strip()) == ("", "0.1000")
    assert third["\0system"] == "C"
    assert any("* p < .05" in note for note in view.notes)


def test_baseline() -> None:
    """Everybody against one: better is positive, worse is negative, as in the rows."""
    rows = [PAIRS[0], pair("C", "B", 0.3, 0.4, 0.4)]
    (view,) = view_differences(table(rows, baseline="B"))
    own, ahead, behind = view.rows
    assert own["system"] == "B (baseline)"
    assert (ahead["system"], round(ahead["difference"], 4)) == ("A", 0.1)
    assert (behind["system"], round(behind["difference"], 4)) == ("C", -0.1)
    assert behind["interval"] == "-0.1100 \N{EN DASH} -0.0900"


def test_only_pairs_with_the_baseline_are_tested() -> None:
    """Fewer tests, and less to adjust for; a name that is not there is refused."""
    source, systems = ["This are wrong ."], {name: ["This is wrong ."] for name in "ABC"}
    given = {"source": source, "references": [["This is wrong ."]], "metrics": "gleu"}
    found = redink.compare(systems=systems, baseline="B", samples=10, **given)
    assert len(found.rows) == 2
    assert all("B" in {row["system"], row["other"]} for row in found.rows)
    with pytest.raises(OptionError, match="there is no system 'X'; there are: A, B, C"):
        redink.compare(systems=systems, baseline="X", **given)
