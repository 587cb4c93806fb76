"""Paths or values, for every workflow."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.errors import DataError
from redink.formats.inputs import check_same_length, load_corpus, load_systems
from redink.model import AnnotatedSentence, Corpus, Sentence, SystemOutput

RAW = '{"id": "e", "text": "Yes,no maybe.", "edits": []}\n'
CORPUS = Corpus((AnnotatedSentence(Sentence(("a", "b"))),))


def test_values_pass_through() -> None:
    """What is read already is not read again."""
    assert load_corpus(CORPUS) is CORPUS
    system = SystemOutput("x", hypotheses=(Sentence(("a",)),))
    assert load_systems([system]) == (system,)


def test_raw_corpora_are_split_by_spacy(tmp_path: Path) -> None:
    """A W&I file means the same tokens to every command, as reference and as system."""
    (tmp_path / "x.json").write_text(RAW)
    tokens = ("Yes", ",", "no", "maybe", ".")
    assert load_corpus(tmp_path / "x.json").sentences[0].source.tokens == tokens
    system = load_systems({"x": tmp_path / "x.json"})[0]
    assert system.sources is not None
    assert system.sources[0].tokens == tokens


def test_names_differ(tmp_path: Path) -> None:
    """Two systems of one name would be mistaken for each other."""
    (tmp_path / "x.txt").write_text("a\n")
    with pytest.raises(DataError, match="two systems are called 'x'"):
        load_systems([tmp_path / "x.txt", tmp_path / "x.txt"])


def test_length_and_sources() -> None:
    """A system says something about every sentence of the reference, and about the same ones."""
    with pytest.raises(DataError, match="system 'x' has 2 sentences, the reference has 1"):
        check_same_length(CORPUS, [SystemOutput("x", hypotheses=(Sentence(()), Sentence(())))])
    other = SystemOutput("x", annotations=(), sources=())
    with pytest.raises(DataError, match="system 'x' has 0 sentences"):
        check_same_length(CORPUS, [other])
