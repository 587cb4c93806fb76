"""Explaining the edits between two sentences."""

from __future__ import annotations

import re

import pytest

import redink
from redink.commands.explain import explain_for_learner
from redink.model import Edit
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


@pytest.mark.parametrize(
    ("interface", "sentences"),
    [
        (
            "en",
            [
                "The verb does not agree with its subject: write “has” instead of “have”.",
                "“litle” is misspelled: write “little”.",
                "A word is missing here (a preposition such as in, on, of): add “in”.",
                "“to” is not needed here (a preposition such as in, on, of): delete it.",
            ],
        ),
        (
            "de",
            [
                "Das Verb passt nicht zu seinem Subjekt: Schreiben Sie „has“ statt „have“.",
                "„litle“ ist falsch geschrieben: Schreiben Sie „little“.",
                "Hier fehlt ein Wort (eine Präposition wie in, on, of): Ergänzen Sie „in“.",
                "„to“ ist hier überflüssig (eine Präposition wie in, on, of): Streichen Sie es.",
            ],
        ),
        ("es", ["El verbo no concuerda con su sujeto: escriba «has» en lugar de «have»."]),
        ("zh", ["动词与主语不一致：请把“have”改为“has”。"]),
    ],
)
def test_learners_read_what_is_wrong(interface: str, sentences: list[str]) -> None:
    said = [
        explain_for_learner(edit, source, interface)  # type: ignore[arg-type]
        for edit, source in (
            (Edit(1, 2, "has", "R:VERB:SVA"), "have"),
            (Edit(2, 3, "little", "R:SPELL"), "litle"),
            (Edit(3, 3, "in", "M:PREP"), ""),
            (Edit(4, 5, "", "U:PREP"), "to"),
        )
    ]
    assert said[: len(sentences)] == sentences
    table = redink.explain("She have it .", "She has it .", audience="learner", interface=interface)  # type: ignore[arg-type]
    assert table.rows[0]["explanation"] == sentences[0]


@pytest.mark.parametrize("interface", ["en", "de", "es", "zh"])
def test_every_error_type_has_a_sentence_in_every_language(interface: str) -> None:
    for operation, kind in VALID_TYPES:
        new = "" if operation == "U" else "new"
        edit = Edit(0, int(operation != "M"), new, f"{operation}:{kind}")
        said = explain_for_learner(edit, "" if operation == "M" else "old", interface)  # type: ignore[arg-type]
        assert "{" not in said
        assert "new" in said or operation == "U"
        assert "old" in said or operation == "M" or kind == "SPELL"
        named = kind in {"ADJ", "ADV", "CONJ", "DET", "NOUN", "PART", "PREP", "PRON", "VERB"}
        assert (("(" in said) or ("（" in said)) >= named


_MORPHOLOGY = "ADJ:FORM NOUN:INFL NOUN:NUM NOUN:POSS VERB:FORM VERB:INFL VERB:SVA VERB:TENSE"
_TOKENS = "ADJ ADV CONJ DET NOUN PART PREP PRON PUNCT VERB CONTR OTHER"
_BOTH = f"{_TOKENS} NOUN:POSS VERB:FORM VERB:TENSE"
VALID_TYPES = [
    *(("R", kind) for kind in f"{_TOKENS} {_MORPHOLOGY} MORPH ORTH SPELL WO".split()),
    *((operation, kind) for operation in "MU" for kind in _BOTH.split()),
]
"""The 54 types of table 9 of Bryant et al. (2017)."""
