"""Explaining the edits between two sentences."""

from __future__ import annotations

import re

import pytest

import redink
from redink.reports.views import draw_alignment

SOURCE = "This are gramamtical sentence ."
CORRECTED = "This is a grammatical sentence ."


def test_rows() -> None:
    rows = redink.explain(SOURCE, CORRECTED).rows
    assert [
        [row[name] for name in ("start", "end", "source", "correction", "type", "rule")]
        for row in rows
    ] == [
        [1, 2, "are", "is", "R:VERB:SVA", "verb-agreement"],
        [2, 2, "", "a", "M:DET", "part-of-speech"],
        [2, 3, "gramamtical", "grammatical", "R:SPELL", "misspelling"],
    ]
    assert rows[0]["meaning"] == "verb that does not agree with its subject"
    assert rows[1]["meaning"] == "missing determiner"
    assert "third person" in rows[0]["because"]


def test_same_sentences() -> None:
    table = redink.explain("The cat .", "The cat .")
    assert table.rows == []
    assert table.notes == ("The sentences are identical; there are no edits.",)


def test_picture() -> None:
    picture = draw_alignment(redink.explain(SOURCE, CORRECTED).extra["alignment"])
    source, operations, corrected = picture.splitlines()
    assert operations.split() == ["replace", "insert", "replace"]
    for word in ("This", "sentence"):
        assert source.index(word) == corrected.index(word)
    assert source.index("are") == operations.index("replace") == corrected.index(" is ") + 1
    assert corrected.index(" a ") + 1 == operations.index("insert")


def test_a_diff_is_plain_text_colors_or_html(monkeypatch: pytest.MonkeyPatch) -> None:
    found = redink.diff("It are <b> sentence .", "It is <b> a .")
    plain = "It [-are-] {+is+} (R:VERB:SVA) <b> [-sentence-] {+a+} (R:OTHER) ."
    assert (str(found), repr(found)) == (plain, plain)
    page = found._repr_html_()
    assert re.sub("<[^>]*>", "", page) == "It are is R:VERB:SVA &lt;b&gt; sentence a R:OTHER ."
    assert re.findall("<(del|ins)[^>]*>([^<]*)", page)[:2] == [("del", "are"), ("ins", "is")]
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "\x1b[32mis\x1b[0m" in repr(found)
    assert str(found) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert repr(found) == plain


def test_a_notebook_shows_the_diff_above_the_edits() -> None:
    table = redink.explain(SOURCE, CORRECTED)
    assert table._repr_html_().startswith(redink.mark_edits(SOURCE, CORRECTED)._repr_html_())
