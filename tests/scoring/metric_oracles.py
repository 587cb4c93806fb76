"""What the original programs of 2020-2025 gave: ``oracles/metrics`` of the shared folder."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.scoring.corpora import read_quietly

from redink.model import AnnotatedSentence, Corpus, References, Sentence

SYSTEMS = ("AMU", "CAMB", "INPUT", "NTHU", "UFC")


@cache
def load(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return json.load(stream)


def random_cases(shared: Path) -> list[dict[str, Any]]:
    """Two hundred little corpora, and what every program made of them."""
    cases: list[dict[str, Any]] = load(shared / "oracles" / "metrics" / "random-cases.json.gz")
    return cases


@cache
def conll14(shared: Path, system: str | None = None) -> Corpus:
    """CoNLL-2014 with ERRANT's edits: of the references, or of a system."""
    name = "conll14.errant.m2.gz" if system is None else f"conll14-{system}.errant.m2.gz"
    return read_quietly(shared / "oracles" / "metrics" / "inputs" / name)


def of_texts(source: list[str], references: list[list[str]]) -> References:
    corpus = Corpus(tuple(AnnotatedSentence(Sentence.from_line(line)) for line in source))
    return References(corpus, tuple(tuple(map(Sentence.from_line, text)) for text in references))


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
