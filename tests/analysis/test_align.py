"""Alignment: that of the original, cell for cell, though most cells are never filled."""

from __future__ import annotations

import random
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import spacy.parts_of_speech

from redink.analysis import edit_extraction as aligning
from redink.analysis.analyzer import Analysis
from redink.analysis.english import ENGLISH

align = partial(aligning.align, open_pos=ENGLISH.open_pos)

CLASSES = ("ADJ", "ADV", "NOUN", "VERB", "DET", "PUNCT", "ADP", "PRON")


class Language:
    """A made-up language: what an analyzer says about each of its words."""

    def __init__(self, words: dict[str, tuple[str, str]]) -> None:
        self._words = words

    def analysis(self, tokens: list[str]) -> Analysis:
        lemmas, pos = zip(*(self._words[t] for t in tokens), strict=True) if tokens else ((), ())
        lower = tuple(t.lower() for t in tokens)
        return Analysis(tuple(tokens), lower, tuple(pos), tuple(pos), tuple(lemmas))

    def tokens(self, tokens: list[str]) -> list[Any]:
        """The same as the original wants it."""
        return [
            SimpleNamespace(
                orth=token,
                text=token,
                lower=token.lower(),
                lemma=self._words[token][0],
                pos=getattr(spacy.parts_of_speech, self._words[token][1]),
            )
            for token in tokens
        ]


def check(language: Language, source: list[str], corrected: list[str]) -> int:
    """Compare both kinds of alignment; how many transpositions there are."""
    from errant.alignment import Alignment

    found = []
    for levenshtein in (False, True):
        steps = align(
            language.analysis(source), language.analysis(corrected), levenshtein=levenshtein
        )
        theirs = Alignment(language.tokens(source), language.tokens(corrected), levenshtein)
        expected = [
            (operation[0], *places) for operation, *places in theirs.align_seq if operation != "M"
        ]
        assert [tuple(step) for step in steps] == expected, (source, corrected)
        found.extend(step.operation for step in steps)
    return found.count("T")


def make_language(rng: random.Random) -> tuple[Language, list[str]]:
    """A few words with and without capitals, some of one lemma."""
    stems = [
        "".join(rng.choices("abcdeghi", k=rng.randint(1, 7))) for _ in range(rng.randint(1, 8))
    ]
    words = [*stems, *(stem.capitalize() for stem in stems)]
    return Language(
        {
            word: (rng.choice(stems) if rng.random() < 0.5 else word.lower(), rng.choice(CLASSES))
            for word in words
        }
    ), words


def change(tokens: list[str], words: list[str], rng: random.Random) -> list[str]:
    changed = list(tokens)
    for _ in range(rng.randint(1, 5)):
        place = rng.randint(0, len(changed))
        kind = rng.randrange(4)
        if kind == 0:
            changed.insert(place, rng.choice(words))
        elif kind == 1:
            del changed[place : place + 1]
        elif kind == 2:
            changed[place : place + 1] = [rng.choice(words)]
        else:
            some = changed[place : place + rng.randint(2, 6)]
            rng.shuffle(some)
            changed[place : place + len(some)] = some
    return changed


@pytest.fixture(params=["short", "long"])
def _length(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Align every pair as a short one, or as a long one."""
    if request.param == "long":
        monkeypatch.setattr(aligning, "_MANY_CELLS", 0)


@pytest.mark.usefixtures("_length")
@pytest.mark.parametrize("seed", range(2))
def test_random_sentences(seed: int) -> None:
    """Sentences of few words, so that everything repeats and costs tie, align as they should."""
    rng = random.Random(seed)
    transpositions = 0
    for _ in range(700):
        language, words = make_language(rng)
        length = rng.choice([3, 6, 10, 18, 30])
        source = rng.choices(words, k=rng.randint(0, length))
        corrected = (
            rng.choices(words, k=rng.randint(0, length))
            if rng.random() < 0.4
            else change(source, words, rng)
        )
        transpositions += check(language, source, corrected)
    assert transpositions > 20


# One-letter words that have nothing in common: replacing one costs as much as can be.
STRANGERS = Language(
    {letter: (letter, pos) for letter, pos in zip("abcdefgh", CLASSES, strict=True)}
)


@pytest.mark.usefixtures("_length")
@pytest.mark.parametrize("seed", range(2))
def test_reorderings_behind_a_common_beginning(seed: int) -> None:
    rng = random.Random(seed)
    transpositions = 0
    for _ in range(800):
        words = list("abcdefgh"[: rng.randint(3, 8)])
        beginning = rng.choices(words, k=rng.randint(1, 6))
        middle = rng.choices(words, k=rng.randint(2, 8))
        shuffled = change(rng.sample(middle, len(middle)), words, rng)
        transpositions += check(STRANGERS, beginning + middle, beginning + shuffled)
    assert transpositions > 200


@pytest.mark.usefixtures("_length")
@pytest.mark.parametrize(
    ("source", "corrected"),
    [
        ("c d d d c b", "c c b d d"),
        ("b a b a b c c", "b a b c c c a b"),
        ("a", "a a"),
        ("a b", "a a b"),
        ("a b c", "a a d"),
        ("", "a b"),
        ("a b", ""),
        ("", ""),
    ],
)
def test_hard_cases(source: str, corrected: str) -> None:
    check(STRANGERS, source.split(), corrected.split())


def test_a_long_rewritten_passage() -> None:
    rng = random.Random(5)
    language, words = make_language(rng)
    source = rng.choices(words, k=160)
    assert check(language, source, rng.sample(source, 160)) > 0
