"""Small corpora for tests of scorers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

from redink.errors import RedinkWarning
from redink.inputs import read_corpus
from redink.model import Corpus, Hypotheses, References, Sentence


def corpus_of(text: str, folder: Path) -> Corpus:
    """A corpus from the text of an M2 file; oddities in it are part of the test."""
    path = folder / "corpus.m2"
    path.write_text(text, encoding="utf-8")
    return read_quietly(path)


def read_quietly(path: Path) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedinkWarning)
        return read_corpus(path, format="m2")


def hypotheses_of_edits(corpus: Corpus, name: str = "system") -> Hypotheses:
    """A system given as M2."""
    texts = tuple(sentence.source for sentence in corpus.sentences)
    return Hypotheses(name, texts, tuple(s.annotations for s in corpus.sentences))


def hypotheses_of_text(lines: Iterable[str], name: str = "system") -> Hypotheses:
    return Hypotheses(name, tuple(Sentence.from_line(line) for line in lines))


def references_of(text: str, folder: Path) -> References:
    return References(corpus_of(text, folder))
