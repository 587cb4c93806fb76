"""The embedded pipeline and its word list: the same analyses as by spaCy, without spaCy."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.analysis.corruption import corrupt

from redink.analysis.analyzer import Analysis, one_thread
from redink.analysis.english import networks
from redink.analysis.english.pipeline import EnglishPipeline, embedded_version
from redink.analysis.english.word_forms import PIPELINE, WORDS
from redink.analysis.language import load_analyzer
from redink.analysis.spacy_analyzer import SpacyAnalyzer

Sentences = list[tuple[str, ...]]

ODD = [
    *("X", "NOUN", "prep", "I", "x" * 120, "’s", "€", "İ", "ǅ", "ß", "10:30", "日本語"),
    *("😀", "²", "ª"),
]
SPACES = [("a", "\u00a0", "b"), ("\u3000",), (), ("One",), ("very",) * 150]


def analyze(analyzer: EnglishPipeline | SpacyAnalyzer, sentences: Sentences) -> list[Analysis]:
    with analyzer.analyze(sentences) as batch:
        parsed = batch.parse(range(len(sentences)))
    return [parsed[number] for number in range(len(sentences))]


def count_differing_tokens(ours: list[Analysis], theirs: list[Analysis]) -> int:
    """Tokens with another tag, part of speech, lemma, label or head."""
    return sum(
        one != other
        for a, b in zip(ours, theirs, strict=True)
        for one, other in zip(
            zip(a.tag, a.pos, a.lemma, a.lower, a.dep or (), a.head or (), strict=True),
            zip(b.tag, b.pos, b.lemma, b.lower, b.dep or (), b.head or (), strict=True),
            strict=True,
        )
    )


def test_it_says_what_spacy_says(
    embedded: EnglishPipeline, by_spacy: SpacyAnalyzer, example_sentences: Sentences
) -> None:
    """Tags, lemmas, labels and heads are those of spaCy, also of broken and odd sentences."""
    rng = random.Random(5)
    words = [*ODD, *sorted({word for sentence in example_sentences for word in sentence})]
    broken = [tuple(corrupt(s, words, rng)) for s in example_sentences * 2]
    noise = [tuple(rng.choices(words, k=rng.randrange(1, 40))) for _ in range(100)]
    sentences = [*example_sentences, *broken, *noise, *SPACES]
    assert count_differing_tokens(analyze(embedded, sentences), analyze(by_spacy, sentences)) == 0


@pytest.mark.slow
def test_it_says_what_spacy_says_of_real_text(
    embedded: EnglishPipeline, by_spacy: SpacyAnalyzer, shared: Path
) -> None:
    """Not a token of CoNLL-2014 and JFLEG, systems and references, differs but by a tie."""
    data = shared / "data"
    files = [*data.glob("conll14/**/*.txt"), *data.glob("jfleg/*.src"), *data.glob("jfleg/*.ref?")]
    lines = {line for file in files for line in file.read_text(encoding="utf-8").splitlines()}
    sentences = [tuple(line.split()) for line in sorted(lines)]
    assert count_differing_tokens(analyze(embedded, sentences), analyze(by_spacy, sentences)) <= 3


def test_what_stands_beside_a_sentence_does_not_matter(
    embedded: EnglishPipeline, example_sentences: Sentences
) -> None:
    """Alone, in a batch, or after others have been forgotten: a sentence has the same analysis."""
    together = analyze(embedded, example_sentences)
    some = range(0, len(example_sentences), 7)
    assert [analyze(embedded, [example_sentences[n]])[0] for n in some] == [
        together[n] for n in some
    ]


def test_vectors_are_the_same_bits_in_any_batch(
    embedded: EnglishPipeline, example_sentences: Sentences
) -> None:
    with one_thread().limit(limits=1, user_api="blas"):
        _, vectors, ids = embedded.tag(example_sentences)
        for number in range(len(example_sentences)):
            _, alone, its_ids = embedded.tag([example_sentences[number]])
            assert np.array_equal(vectors[ids[number]], alone[its_ids[0]])


def test_words_are_forgotten_past_a_limit(
    embedded: EnglishPipeline, example_sentences: Sentences, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory does not grow with the text: past the limit, known words make room for new ones."""
    expected = analyze(embedded, example_sentences)
    monkeypatch.setattr(networks, "_WORDS", 500)
    for number in range(3):
        new = [(f"zub{number}{n}s", "run") for n in range(400)]
        analyze(embedded, new)
        assert len(embedded._vectors._numbers) <= 500
    assert analyze(embedded, example_sentences) == expected


def test_groups_of_any_size(
    embedded: EnglishPipeline, example_sentences: Sentences, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = analyze(embedded, example_sentences[:60])
    monkeypatch.setattr(networks, "_TOGETHER", 7)
    assert analyze(embedded, example_sentences[:60]) == expected
    monkeypatch.setattr(networks, "_TOGETHER", 1)
    assert analyze(embedded, example_sentences[:20]) == expected[:20]


def test_spacy_stays_away() -> None:
    code = (
        "import sys, redink; redink.annotate('This are wrong .', 'This is wrong .');"
        "print([m for m in ('spacy', 'thinc', 'srsly', 'blis') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_names_the_files() -> None:
    digest = hashlib.sha256()
    for name in ("weights.npz", "labels.json", "lemmas.json.gz", "lexical.json"):
        digest.update((PIPELINE / name).read_bytes())
    known = {"en_redink-1.0.0+4cac3f94": "1599986e06e3c2d3"}
    assert digest.hexdigest()[:16] == known[embedded_version()]


def test_it_is_small_and_carries_its_papers() -> None:
    assert sum(f.stat().st_size for f in PIPELINE.rglob("*") if f.is_file()) <= 10_000_000
    for directory in (PIPELINE, WORDS):
        assert (directory / "PROVENANCE.md").read_text(encoding="utf-8").strip()
        assert (directory / "LICENCE.txt").read_text(encoding="utf-8").strip()


@pytest.mark.parametrize(
    ("name", "member", "stranger"),
    [("en_GB.txt", "colour", "color"), ("en_US-additions.txt", "color", "colour")],
)
def test_word_lists_have_the_documented_form(name: str, member: str, stranger: str) -> None:
    words = (WORDS / name).read_bytes().decode().split("\n")
    assert words.pop() == ""
    assert words == sorted(set(words))
    assert member in words
    assert stranger not in words


def test_folder_of_the_embedded_pipeline() -> None:
    """``spacy:FOLDER`` with redink's own pipeline gives the embedded analyzer."""
    name = f"spacy:{PIPELINE}"
    assert load_analyzer(name) is load_analyzer()
