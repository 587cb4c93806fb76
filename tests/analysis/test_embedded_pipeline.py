"""The embedded English pipeline and its word list, as they ship."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

import redink.analysis.english
import redink.analysis.english.spacy_component
import redink.analysis.network

RESOURCES = Path(redink.analysis.english.__file__).parent / "resources"
PIPELINE = RESOURCES / "en_redink"
WORDS = RESOURCES / "words"

SENTENCES = [
    "This are a gramamtical sentence .",
    "He has been going to school since he was six years old .",
    "The childrens does not knows what their mothers bought yesterday .",
    "I",
    "Genetic risk refers more to your chance of inheriting a disorder or disease .",
    "It 's better than theirs , is n't it ?",
    "\u201c \u2014 \U0001f600 xyzzy-42 !!! \u201d",
    " ".join(["very"] * 150),
]


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.load(PIPELINE)


def analyse_batch(nlp: Language, sentences: list[str]) -> list[Doc]:
    docs = [Doc(nlp.vocab, words=sentence.split()) for sentence in sentences]
    for _, component in nlp.pipeline:
        docs = list(component.pipe(docs, batch_size=256))
    return docs


def describe(doc: Doc) -> list[tuple[str, str, str, str, str, int]]:
    return [(t.text, t.tag_, t.pos_, t.lemma_, t.dep_, t.head.i) for t in doc]


def test_it_is_small_and_carries_its_papers():
    """The pipeline stays under ten megabytes, and provenance and licence lie beside it."""
    assert sum(f.stat().st_size for f in PIPELINE.rglob("*") if f.is_file()) <= 10_000_000
    for directory in (PIPELINE, WORDS):
        assert (directory / "PROVENANCE.md").read_text(encoding="utf-8").strip()
        assert (directory / "LICENCE.txt").read_text(encoding="utf-8").strip()


def test_it_loads_quickly():
    """Loading takes less than a second and a half of CPU time."""
    start = time.process_time()
    spacy.load(PIPELINE)
    assert time.process_time() - start < 1.5


def test_metadata_names_it(nlp: Language):
    """Name, version and licence are in the metadata, and the parser comes last."""
    assert (nlp.meta["lang"], nlp.meta["name"], nlp.meta["license"]) == ("en", "redink", "MIT")
    assert nlp.pipe_names == ["tok2vec", "tagger", "lemmatiser", "parser"]


def test_it_tags_and_lemmatises(nlp: Language):
    """Tags, parts of speech and lemmas of plain sentences are right."""
    doc = analyse_batch(nlp, ["The children were playing with her dogs ."])[0]
    assert [t.tag_ for t in doc] == ["DT", "NNS", "VBD", "VBG", "IN", "PRP$", "NNS", "."]
    assert [t.lemma_ for t in doc] == ["the", "child", "be", "play", "with", "-PRON-", "dog", "."]
    assert [t.pos_ for t in doc] == [
        "DET",
        "NOUN",
        "AUX",
        "VERB",
        "ADP",
        "DET",
        "NOUN",
        "PUNCT",
    ]
    assert [t.dep_ for t in doc] == [
        "det",
        "nsubj",
        "aux",
        "ROOT",
        "prep",
        "poss",
        "pobj",
        "punct",
    ]


def test_batches_give_what_single_sentences_give(nlp: Language):
    """What stands beside a sentence in a batch does not change its analysis."""
    together = [describe(doc) for doc in analyse_batch(nlp, SENTENCES)]
    alone = [describe(analyse_batch(nlp, [sentence])[0]) for sentence in SENTENCES]
    called = [describe(nlp(Doc(nlp.vocab, words=s.split()))) for s in SENTENCES]
    assert together == alone == called


def test_the_parser_can_wait(nlp: Language):
    """Tags and lemmas are there before the parser runs; it may run later, on a few sentences."""
    docs = [Doc(nlp.vocab, words=sentence.split()) for sentence in SENTENCES]
    for name, component in nlp.pipeline:
        if name != "parser":
            docs = list(component.pipe(docs))
    before = [[item[:4] for item in describe(doc)] for doc in docs]
    complete = [describe(doc) for doc in analyse_batch(nlp, SENTENCES)]
    assert before == [[item[:4] for item in described] for described in complete]
    chosen = [docs[2], docs[5]]
    parsed = list(nlp.get_pipe("parser").pipe(chosen))
    assert [describe(doc) for doc in parsed] == [complete[2], complete[5]]


def test_lemmas_survive_a_memory_zone(nlp: Language):
    """Words forgotten with a memory zone can be lemmatised again after it."""
    for _ in range(2):
        with nlp.memory_zone():
            doc = analyse_batch(nlp, ["The blorfings were zorbling ."])[0]
            assert [token.lemma_ for token in doc][2] == "be"
        again = analyse_batch(nlp, ["The blorfings were zorbling ."])[0]
        assert [token.lemma_ for token in again][1:4:2] == ["blorfing", "zorble"], again


def test_an_empty_sentence_is_no_trouble(nlp: Language):
    """A sentence without tokens passes through."""
    assert [len(doc) for doc in analyse_batch(nlp, ["", "A dog .", ""])] == [0, 3, 0]


@pytest.mark.parametrize(
    ("name", "member", "stranger"),
    [("en_GB.txt", "colour", "color"), ("en_US-additions.txt", "color", "colour")],
)
def test_word_lists_have_the_documented_form(name: str, member: str, stranger: str):
    """One word a line, sorted, unique, ending in a newline."""
    text = (WORDS / name).read_bytes().decode()
    words = text.split("\n")
    assert words.pop() == ""
    assert words == sorted(set(words))
    assert member in words
    assert stranger not in words
