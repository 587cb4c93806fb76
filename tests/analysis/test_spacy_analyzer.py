"""Analyses by spaCy pipelines: the embedded one, and any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

import redink
from redink.analysis.analyzer import Analysis
from redink.analysis.language import load_analyzer
from redink.analysis.spacy_analyzer import SpacyAnalyzer, read_document
from redink.errors import OptionError

Sentences = list[tuple[str, ...]]


def one_at_a_time(pipeline: Language, sentences: Sentences) -> list[Analysis]:
    return [read_document(pipeline(Doc(pipeline.vocab, words=list(s)))) for s in sentences]


def test_batches_say_what_single_sentences_do(
    by_spacy: SpacyAnalyzer, example_sentences: Sentences
) -> None:
    expected = one_at_a_time(by_spacy.pipeline, example_sentences)
    with by_spacy.analyze(example_sentences) as batch:
        parsed = batch.parse(range(len(example_sentences)))
    found = [parsed[number] for number in range(len(example_sentences))]
    # Rounding differs with the size of a batch and may tip a close decision.
    differing = [1 for one, other in zip(found, expected, strict=True) if one != other]
    assert len(differing) <= len(expected) // 200


@pytest.mark.parametrize("analyzer", ["embedded", "by_spacy"])
def test_dependencies_come_on_demand(analyzer: str, request: pytest.FixtureRequest) -> None:
    with request.getfixturevalue(analyzer).analyze([("I", "run", "."), ("You", "run", ".")]) as b:
        assert [analysis.dep for analysis in b.analyses] == [None, None]
        assert b.parse([1])[1].dep == ("nsubj", "ROOT", "punct")
        assert b.analyses[0].dep is None
        assert b.parse([0, 1])[0].head == (1, 1, 1)


@pytest.mark.parametrize("name", ["magic", "spacy", "spacy:", "nltk:en"])
def test_no_such_analyzer(name: str) -> None:
    with pytest.raises(OptionError, match=r"unknown analyzer .* 'spacy:NAME'"):
        load_analyzer(name)


def test_pipeline_that_is_not_installed() -> None:
    with pytest.raises(OptionError, match=r"no_such_pipeline.* cannot be loaded"):
        load_analyzer("spacy:no_such_pipeline")


def test_any_pipeline(tmp_path: Path) -> None:
    """A pipeline of another make works: here spaCy's rules, without a parser or token vectors."""
    other = spacy.blank("en")
    ruler: Any = other.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "cat"}]], {"TAG": "NN", "POS": "NOUN", "LEMMA": "cat"})
    ruler.add([[{"LOWER": "cats"}]], {"TAG": "NNS", "POS": "NOUN", "LEMMA": "cat"})
    other.to_disk(tmp_path / "other")
    edits = redink.annotate("two cat", "two cats", analyzer=f"spacy:{tmp_path / 'other'}")
    assert [edit.type for edit in edits] == ["R:NOUN:NUM"]


def test_a_pipeline_is_named_by_its_version_and_its_bytes(tmp_path: Path) -> None:
    versions = []
    for number in range(2):
        made = spacy.blank("en")
        made.meta.update(name="mine", version="2.1")
        made.vocab.strings.add(f"word{number}")
        made.to_disk(tmp_path / str(number))
        versions.append(load_analyzer(f"spacy:{tmp_path / str(number)}").version)
    assert all(version.startswith("en_mine-2.1+") for version in versions)
    assert versions[0] != versions[1]


@pytest.mark.parametrize(
    "call",
    [
        "annotate('a', 'b', analyzer='spacy:en_core_web_sm')",
        "read_corpus('raw.txt', tokenizer='de')",
    ],
)
def test_without_spacy_one_sentence_names_the_extra(call: str, tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text("Das ist z.B. gut.\n", encoding="utf-8")
    script = (
        "import sys; sys.modules['spacy'] = None\nimport redink\n"
        f"try:\n    redink.{call}\nexcept redink.MissingExtraError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert "pip install 'redink[spacy]'" in done.stdout, done.stderr
    assert done.stdout.count("\n") == 1
