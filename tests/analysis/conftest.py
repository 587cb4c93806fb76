"""What the tests of annotation share: the embedded pipeline and the original's word list."""

from __future__ import annotations

from importlib import resources

import pytest
from training.pipeline.spacy_pipeline import load_embedded

from redink.analysis.english.pipeline import EnglishPipeline, default_analyzer
from redink.analysis.spacy_analyzer import SpacyAnalyzer


@pytest.fixture(scope="session")
def embedded() -> EnglishPipeline:
    return default_analyzer()


@pytest.fixture(scope="session")
def by_spacy() -> SpacyAnalyzer:
    return SpacyAnalyzer(load_embedded(), name="embedded", version="")


@pytest.fixture(scope="session")
def example_sentences() -> list[tuple[str, ...]]:
    """The sentences of the bundled example, in all their versions."""
    folder = resources.files("redink").joinpath("examples")
    return [
        tuple(line.split())
        for name in ("source", "reference-a", "reference-b", "careful", "eager", "speller")
        for line in folder.joinpath(f"{name}.txt").read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


@pytest.fixture(scope="session")
def original_lexicon() -> set[str]:
    from errant.en import classifier

    words: set[str] = classifier.spell
    return words
