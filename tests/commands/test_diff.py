"""``redink diff``: sentences and edits that a new version fixes or breaks."""

from __future__ import annotations

from typing import Any

import pytest

import redink
from redink.errors import OptionError

SOURCE = ["this are a test .", "he go home .", "we was here .", "fine ."]
RIGHT = ["this is a test .", "he goes home .", "we were here .", "fine ."]
OLD = [RIGHT[0], SOURCE[1], SOURCE[2], "fine !"]
NEW = [SOURCE[0], RIGHT[1], RIGHT[2], "fine ."]


def diff(**options: Any) -> redink.Table:
    given = {"source": SOURCE, "references": [RIGHT], "systems": {"old": OLD, "new": NEW}}
    return redink.diff(**given | options)


def test_changed_sentences() -> None:
    """The new version loses the first correction, and gains two; it drops a false edit."""
    assert [(row["sentence"], row["change"], row["old"], row["new"]) for row in diff()] == [
        ("1", "broken", RIGHT[0], SOURCE[0]),
        ("2", "fixed", SOURCE[1], RIGHT[1]),
        ("3", "fixed", SOURCE[2], RIGHT[2]),
        ("4", "fixed", "fine !", "fine ."),
    ]
    assert diff(systems={"old": OLD, "new": OLD}).rows == []


def test_edits_are_counted_by_type() -> None:
    found = {row["type"]: (row["fixed"], row["broken"], row["p"]) for row in diff(by="type")}
    assert found == {"VERB:SVA": (2, 1, 1.0), "PUNCT": (1, 0, 1.0)}


def test_sentences_are_counted_by_slice() -> None:
    """Six of six in the same direction have p = 2 / 64, which is doubled for two slices."""
    table = redink.diff(
        source=["he go ."] * 8,
        references=[["he goes ."] * 8],
        systems={"old": ["he goes ."] * 6 + ["he go ."] * 2, "new": ["he go ."] * 8},
        metadata={"level": ["A1"] * 6 + ["B1"] * 2},
        by="level",
    )
    rows = [[row[name] for name in ("level", "sentences", "fixed", "broken")] for row in table]
    assert rows == [["A1", 6, 0, 6], ["B1", 2, 0, 0]]
    assert table[0]["p"] == pytest.approx(2 / 64)
    assert table[0]["p_holm"] == pytest.approx(4 / 64)


def test_a_metric_of_texts_has_no_edits() -> None:
    assert [row["change"] for row in diff(metric="gleu")] == ["broken", "fixed", "fixed", "fixed"]
    with pytest.raises(OptionError, match="requires a metric of edits"):
        diff(metric="gleu", by="type")


def test_two_sentences_are_marked() -> None:
    marked = redink.diff("He go home .", "He goes home .")
    assert str(marked) == "He [-go-] {+goes+} (R:VERB:SVA) home ."
    assert str(redink.mark_edits("He go home .", "He goes home .")) == str(marked)
