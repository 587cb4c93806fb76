"""Analyses by spaCy pipelines: the embedded one run in its quicker way, and any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

import redink
from redink.analysis import spacy_analyser
from redink.analysis.analyser import Analysis
from redink.analysis.english.embedded import RESOURCES
from redink.analysis.language import load_analyser
from redink.analysis.network import WindowVectors
from redink.analysis.spacy_analyser import SpacyAnalyser, read_document
from redink.errors import OptionError

Sentences = list[tuple[str, ...]]


def one_at_a_time(pipeline: Language, sentences: Sentences) -> list[Analysis]:
    """What spaCy itself says about each sentence alone."""
    return [read_document(pipeline(Doc(pipeline.vocab, words=list(s)))) for s in sentences]


def test_batches_say_what_single_sentences_do(
    by_spacy: SpacyAnalyser, example_sentences: Sentences
) -> None:
    """Distinct windows, batches and a late parser give the analyses of the plain pipeline."""
    expected = one_at_a_time(by_spacy.pipeline, example_sentences)
    with by_spacy.analyse(example_sentences) as batch:
        parsed = batch.parse(range(len(example_sentences)))
    found = [parsed[number] for number in range(len(example_sentences))]
    # Rounding differs with the size of a batch and may tip a close decision.
    differing = [1 for one, other in zip(found, expected, strict=True) if one != other]
    assert len(differing) <= len(expected) // 200


@pytest.mark.parametrize("most", [2_000_000, 0], ids=["distinct windows", "too many for that"])
def test_window_vectors_are_the_network_s(
    by_spacy: SpacyAnalyser,
    example_sentences: Sentences,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
) -> None:
    """Each token's vector is that of the component itself, up to rounding."""
    monkeypatch.setattr("redink.analysis.token_vectors._LONGEST_KEY", most)
    component = by_spacy.pipeline.get_pipe("tok2vec")
    vectors = WindowVectors.of(component)
    assert vectors is not None
    sentences = [*example_sentences[:40], (), ("One",), *example_sentences[:3]]
    ours = [Doc(by_spacy.pipeline.vocab, words=list(s)) for s in sentences]
    theirs = [Doc(by_spacy.pipeline.vocab, words=list(s)) for s in sentences]
    vectors.set_tensors(ours)
    for document in component.pipe(theirs, batch_size=7):  # type: ignore[attr-defined]
        assert document is not None
    for one, other in zip(ours, theirs, strict=True):
        if len(one):
            np.testing.assert_allclose(one.tensor, other.tensor, atol=1e-4)


def test_dependencies_come_on_demand(by_spacy: SpacyAnalyser) -> None:
    """A sentence is parsed when it is asked for, and the others are not."""
    with by_spacy.analyse([("I", "run", "."), ("You", "run", ".")]) as batch:
        assert [analysis.dep for analysis in batch.analyses] == [None, None]
        assert batch.parse([1])[1].dep == ("nsubj", "ROOT", "punct")
        assert batch.analyses[0].dep is None
        assert batch.parse([0, 1])[0].head == (1, 1, 1)


def test_words_are_forgotten_past_a_limit(
    by_spacy: SpacyAnalyser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past the limit, what a batch adds to the vocabulary goes with the batch; analyses stay."""
    sentences = [("Zorblat", f"zub{n}s", "my", f"blorfing{n}", ".") for n in range(300)]
    with by_spacy.analyse(sentences) as batch:
        expected = list(batch.parse(range(300)).values())
    monkeypatch.setattr(spacy_analyser, "_PERMANENT_WORDS", 0)
    others = [tuple(f"{word}q" for word in sentence) for sentence in sentences]
    for _ in range(2):
        with by_spacy.analyse(others) as batch:
            batch.parse(range(300))
        with by_spacy.analyse(sentences) as batch:
            assert list(batch.parse(range(300)).values()) == expected
    assert "zub5s" in by_spacy.pipeline.vocab
    assert "zub5sq" not in by_spacy.pipeline.vocab


def test_name_and_version(by_spacy: SpacyAnalyser) -> None:
    """The version names the pipeline and its very bytes."""
    assert by_spacy.name == "embedded"
    name, _, digest = by_spacy.version.partition("+")
    assert name.startswith("en_redink-")
    assert len(digest) == 8


@pytest.mark.parametrize("name", ["magic", "spacy", "spacy:", "nltk:en"])
def test_no_such_analyser(name: str) -> None:
    """A wrong name gets one sentence that says what there is."""
    with pytest.raises(OptionError, match=r"there is no analyser .* 'spacy:NAME'"):
        load_analyser(name)


def test_pipeline_that_is_not_installed() -> None:
    """So does a spaCy pipeline that cannot be loaded."""
    with pytest.raises(OptionError, match=r"no_such_pipeline.* cannot be loaded"):
        load_analyser("spacy:no_such_pipeline")


def test_any_pipeline(tmp_path: Path) -> None:
    """A pipeline of another make works: here spaCy's rules, without a parser or token vectors."""
    other = spacy.blank("en")
    ruler: Any = other.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "cat"}]], {"TAG": "NN", "POS": "NOUN", "LEMMA": "cat"})
    ruler.add([[{"LOWER": "cats"}]], {"TAG": "NNS", "POS": "NOUN", "LEMMA": "cat"})
    other.to_disk(tmp_path / "other")
    edits = redink.annotate("two cat", "two cats", analyser=f"spacy:{tmp_path / 'other'}")
    assert [edit.type for edit in edits] == ["R:NOUN:NUM"]


def test_the_pipeline_folder_of_redink_is_a_spacy_pipeline(tmp_path: Path) -> None:
    """A program that imports nothing else of redink can name the folder as the analyzer."""
    folder = RESOURCES / "en_redink"
    script = (
        "import redink, sys\n"
        "edits = redink.annotate('He go home .', 'He goes home .', analyser=sys.argv[1])\n"
        "print(*[edit.type for edit in edits])"
    )
    command = [sys.executable, "-c", script, f"spacy:{folder}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.stdout, done.stderr) == ("R:VERB:SVA\n", "")
