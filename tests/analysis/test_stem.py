"""The stemmer is that of the original."""

from __future__ import annotations

import random

import pytest
from errant.en.lancaster import LancasterStemmer

from redink.analysis.english.word_forms import stem


@pytest.mark.slow
def test_word_list(original_lexicon: set[str]) -> None:
    """Every third word of the original's list has the original's stem."""
    original = LancasterStemmer()
    words = sorted(original_lexicon)[::3]
    assert len(words) > 50_000
    assert [word for word in words if stem(word) != original.stem(word)] == []


def test_odd_strings(original_lexicon: set[str]) -> None:
    """Strings with capitals, digits and marks have the original's stem too."""
    original = LancasterStemmer()
    rng = random.Random(5)
    endings = [word[-6:] for word in sorted(original_lexicon)[::500]]
    for _ in range(5000):
        word = "".join(rng.choices("abceilmnoprstuyzj-'éE1", k=rng.randint(0, 8)))
        word += rng.choice(["", rng.choice(endings)])
        assert stem(word) == original.stem(word), word
