"""Known words from a list, or from a Hunspell dictionary."""

from __future__ import annotations

from pathlib import Path

import pytest

import redink
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.lexicons import load_lexicon
from redink.errors import FormatError


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    """A Hunspell dictionary of two words, one of which has a plural."""
    folder = tmp_path / "dictionaries"
    folder.mkdir()
    path = folder / "xq_XQ.dic"
    path.write_text("2\nbil/A\nhus\n", encoding="utf-8")
    path.with_suffix(".aff").write_text("SET UTF-8\n\nSFX A Y 1\nSFX A 0 ar .\n", encoding="utf-8")
    return path


def test_a_dictionary_knows_forms(dictionary: Path) -> None:
    pytest.importorskip("spylls")
    words = load_lexicon(dictionary)
    assert "bilar" in words
    assert "Bil" in words
    assert "husar" not in words
    edits = redink.annotate("två billar", "två bilar", language="fo", lexicon=str(dictionary))
    assert [edit.type for edit in edits] == ["R:SPELL"]


def test_the_signature_names_the_dictionary(dictionary: Path) -> None:
    made = AnnotationOptions(language="fo", lexicon=str(dictionary)).signature("annotate")
    name, _, digest = made["lexicon"].partition("+")
    assert (name, len(digest)) == ("xq_XQ.dic", 8)
    assert (made["language"], made["pipeline"]) == ("fo", "forms-1")


def test_a_dictionary_has_two_files(dictionary: Path) -> None:
    pytest.importorskip("spylls")
    dictionary.with_suffix(".aff").unlink()
    with pytest.raises(FormatError, match=r"xq_XQ.aff.* is not there"):
        load_lexicon(dictionary)


def test_a_word_list(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("två\nbilar\n", encoding="utf-8")
    edits = redink.annotate(
        "två billar", "två bilar", language="sv", lexicon=tmp_path / "words.txt"
    )
    assert [edit.type for edit in edits] == ["R:SPELL"]
