"""Known words from a list, from a Hunspell dictionary in a file, or from an installed one."""

from __future__ import annotations

from pathlib import Path

import pytest

import redink
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.lexicons import find_dictionary, load_lexicon
from redink.errors import FormatError, OptionError


@pytest.fixture
def dictionary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Hunspell dictionary of two words, one of which has a plural."""
    folder = tmp_path / "dictionaries"
    folder.mkdir()
    path = folder / "xq_XQ.dic"
    path.write_text("2\nbil/A\nhus\n", encoding="utf-8")
    path.with_suffix(".aff").write_text("SET UTF-8\n\nSFX A Y 1\nSFX A 0 ar .\n", encoding="utf-8")
    monkeypatch.setenv("DICPATH", str(folder))
    return path


def test_an_installed_dictionary_is_found(dictionary: Path) -> None:
    """By the code of its language or by its own name."""
    assert find_dictionary("xq") == find_dictionary("xq_XQ") == dictionary
    with pytest.raises(OptionError, match="no Hunspell dictionary for 'xz' is installed"):
        find_dictionary("xz")


def test_a_dictionary_knows_forms(dictionary: Path) -> None:
    """Words are known by the rules of the dictionary, and misspellings are typed by it."""
    pytest.importorskip("spylls")
    for name in ("hunspell", "hunspell:xq_XQ", str(dictionary)):
        words = load_lexicon(name, "xq")
        assert "bilar" in words
        assert "Bil" in words
        assert "husar" not in words
    edits = redink.annotate("två billar", "två bilar", language="fo", lexicon=str(dictionary))
    assert [edit.type for edit in edits] == ["R:SPELL"]


def test_the_signature_names_the_dictionary(dictionary: Path) -> None:
    """With a digest of its contents, since dictionaries of one name differ."""
    made = AnnotationOptions(language="fo", lexicon=str(dictionary)).signature("annotate")
    name, _, digest = made["lexicon"].partition("+")
    assert (name, len(digest)) == ("xq_XQ.dic", 8)
    assert (made["language"], made["pipeline"]) == ("fo", "forms-1")


def test_a_dictionary_has_two_files(dictionary: Path) -> None:
    """Without its rules it is refused."""
    pytest.importorskip("spylls")
    dictionary.with_suffix(".aff").unlink()
    with pytest.raises(FormatError, match=r"xq_XQ.aff.* is not there"):
        load_lexicon(str(dictionary), "xq")


def test_a_word_list(tmp_path: Path) -> None:
    """A word a line."""
    (tmp_path / "words.txt").write_text("två\nbilar\n", encoding="utf-8")
    edits = redink.annotate(
        "två billar", "två bilar", language="sv", lexicon=tmp_path / "words.txt"
    )
    assert [edit.type for edit in edits] == ["R:SPELL"]
