"""The language model: smoothing as in KenLM, files, and flagged prepositions."""

import math
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redink.detectors.detector import LanguageModelDetector
from redink.detectors.language_model import NgramModel, deletion_log_odds, read_arpa, write_arpa
from redink.errors import DataError, FormatError

SENTENCES = [
    line.split()
    for line in [
        "the cat sat on the mat",
        "the dog sat on the log",
        "the cat saw the dog on the mat",
        "a dog saw a cat",
        "we discussed the plan on monday",
        "we discussed the plan",
        "they discussed the plan with us",
        "the dog ran",
    ]
    * 2
] + [["one", "more", "line", "about", "the", "plan"], ["a", "mat"], ["a", "log"]]


@settings(max_examples=25)
@given(
    st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6), min_size=1, max_size=20),
    st.lists(st.sampled_from("abcdez"), max_size=4),
    st.sampled_from([(), (0, 1, 1), (0, 0, 1, 1), (0, 2)]),
    st.integers(1, 4),
)
def test_probabilities_sum_to_one(sentences, context, prune, order):
    """After any context, pruned or not, the words and the end share a probability of 1."""
    model = NgramModel.train(sentences, order=order, prune=prune)
    prefix = model.numbers(context)[:-1]
    after = [word for word in range(len(model.words)) if model.words[word] != "<s>"]
    total = 0.0
    for word in after:
        text = np.array([*prefix, word])
        total += 10 ** float(model._word_log_probabilities(text)[-1])
    assert total == pytest.approx(1, abs=2e-4)


@pytest.mark.parametrize(
    ("order", "perplexity"),
    [(2, 9.502867991457212), (3, 3.458150407385038), (4, 3.040639737554111)],
)
def test_perplexity_is_that_of_kenlm(order, perplexity):
    """Unseen words, and counts too odd for discounts, included; KenLM keeps single precision.

    Recorded with KenLM's ``lmplz --discount_fallback -o ORDER`` and ``query -v summary`` (source
    package kenlm 0.3.0), on the bundled example's texts in lower case.
    """
    folder = resources.files("redink").joinpath("examples")

    def read(name):
        text = folder.joinpath(f"{name}.txt").read_text(encoding="utf-8").lower()
        return [line.split() for line in text.splitlines()]

    learnt = [line for name in ("source", "careful", "eager", "speller") for line in read(name)]
    model = NgramModel.train(learnt, order=order)
    assert model.perplexity(read("reference-b")) == pytest.approx(perplexity, rel=1e-6)


def test_arpa_there_and_back(tmp_path):
    model = NgramModel.train(SENTENCES)
    write_arpa(model, tmp_path / "m.arpa")
    again = read_arpa(tmp_path / "m.arpa")
    assert again.log_probabilities(SENTENCES) == pytest.approx(
        model.log_probabilities(SENTENCES), abs=1e-4
    )
    head = (tmp_path / "m.arpa").read_text().splitlines()
    assert head[0] == "\\data\\"
    assert head[1] == f"ngram 1={len(model.words)}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing\n", ": has no \\end\\; expected an ARPA language model"),
        ("\\data\\\n\\end\\\n", ": contains no n-grams; expected an ARPA language model"),
        (
            "\\data\\\nngram 1=1\n\n\\1-grams:\n-1 a b c d\n\\end\\\n",
            ":5: expected a logarithm, 1 words and optionally a back-off",
        ),
        (
            "\\data\\\nngram 1=2\n\n\\1-grams:\n-1\ta\n\\end\\\n",
            ":6: number of n-grams differs from the header",
        ),
        (
            "\\data\\\nngram 1=1\nngram 2=1\n\\1-grams:\n-1\ta\n\\2-grams:\n-1\ta q\n\\end\\\n",
            ": a 2-gram contains 'q', which the shorter n-grams do not",
        ),
    ],
)
def test_a_broken_arpa_file_is_refused(tmp_path, text, message):
    (tmp_path / "m.arpa").write_text(text)
    with pytest.raises(FormatError) as refused:
        read_arpa(tmp_path / "m.arpa")
    assert str(refused.value) == f"{tmp_path / 'm.arpa'}{message}"


def test_saved_models_say_the_same(tmp_path):
    model = NgramModel.train(SENTENCES, about={"text": ["mine"]})
    model.save(tmp_path / "lm.model")
    again = NgramModel.load(tmp_path / "lm.model")
    assert again.about["text"] == ["mine"]
    assert again.perplexity(SENTENCES) == pytest.approx(model.perplexity(SENTENCES), rel=1e-2)


def test_rare_words_become_unknown():
    model = NgramModel.train(SENTENCES, max_words=3)
    assert len(model.words) == 6
    assert "the" in model.words
    assert model.numbers(["zebra"])[1] == model.numbers(["monday"])[1]


def test_an_extraneous_preposition_is_flagged():
    detector = LanguageModelDetector(NgramModel.train(SENTENCES))
    wrong, right = detector.examine(
        [("we", "discussed", "about", "the", "plan"), ("the", "cat", "sat", "on", "the", "mat")]
    )
    assert wrong[0].confidence > 0.5
    assert right[0].confidence < 0.5
    assert (wrong[0].index, wrong[0].kind) == (2, "extraneous")


def test_log_odds_compare_sentences_word_by_word():
    model = NgramModel.train(SENTENCES)
    words = ["the", "dog", "sat", "on", "the", "mat"]
    longer, shorter = model.log_probabilities([words, words[:3] + words[4:]])
    odds = deletion_log_odds(model, words, [3])
    assert odds == pytest.approx([7 * (shorter / 6 - longer / 7) * math.log(10)])


def test_no_text_no_model():
    with pytest.raises(DataError, match="no text to train"):
        NgramModel.train([])
    with pytest.raises(DataError, match="no text to measure"):
        NgramModel.train(SENTENCES).perplexity([])
