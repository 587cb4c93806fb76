"""N-grams of words or characters, counted for whole corpora at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redink.model import Hypotheses, References, Sentence
from redink.model.corpus import MOST_REMEMBERED

Unit = Literal["word", "char"]
IntArray = NDArray[np.int64]
_GRAM_BITS = 40

Cutting = Literal["anywhere", "blanks", "stripped"]
"""How a line is split into words: at any whitespace; at every single space, so that two adjacent
spaces have an empty word between them; or at every single space after stripping the line. Words and
characters are computed from the line as in its file."""


def units_of(text: Sentence, unit: Unit = "word", cutting: Cutting = "anywhere") -> Sequence[str]:
    """Return the words of a sentence, or its characters including whitespace between words."""
    if text.spaced is None:
        return text.tokens if unit == "word" else str(text)
    if unit == "word" and cutting == "anywhere":
        return text.tokens
    line = text.spaced.strip() if cutting == "stripped" else text.spaced
    if unit == "char":
        return line
    return line.split(" ") if line else ()


def grams_of(
    references: References,
    hypotheses: Hypotheses,
    *,
    order: int,
    unit: Unit = "word",
    cutting: Cutting = "anywhere",
) -> list[list[GramCounts]]:
    """Return the n-grams of source, hypothesis and references; metrics share them."""
    sides = (references.sources, hypotheses.texts, *references.filled_texts)
    if all(text.spaced is None for side in sides for text in side):
        cutting = "anywhere"  # which makes no difference here
    known: dict[int, tuple[Hypotheses, list[list[GramCounts]]]]
    known = references.remember(("n-grams", order, unit, cutting), dict)
    if id(hypotheses) not in known:
        if (len(known) + 1) * len(references) > MOST_REMEMBERED:
            known.clear()
        texts = [[units_of(text, unit, cutting) for text in side] for side in sides]
        # the system is stored too, so that no other system can get its id
        known[id(hypotheses)] = hypotheses, number_grams(texts, order=order)
    return known[id(hypotheses)][1]


def number_grams(texts: Sequence[Sequence[Sequence[str]]], *, order: int) -> list[list[GramCounts]]:
    """Return the n-grams of versions of a corpus, ``[version][n - 1]``, with shared numbers.

    An n-gram's number is computed from that of its first n-1 words and from its last word, so
    numbers stay small for any vocabulary.

    Args:
        texts: ``[version][sentence]``, each a sequence of words or characters.
        order: maximum n.
    """
    words: dict[str, int] = {}
    tokens = [
        words.setdefault(token, len(words))
        for text in texts
        for sentence in text
        for token in sentence
    ]
    lengths = [len(sentence) for text in texts for sentence in text]
    last = np.array(tokens, dtype=np.int64)
    # The number of the sentence, counted over all versions, and the number of words that follow.
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(tokens))
    starts, grams = np.arange(len(tokens)), last
    size = len(texts[0])
    counted: list[list[GramCounts]] = [[] for _ in texts]
    for n in range(1, order + 1):
        if n > 1:
            fits = left[starts] >= n
            starts, grams = starts[fits], grams[fits]
            pairs = grams * max(len(words), 1) + last[starts + n - 1]
            grams = np.unique(pairs, return_inverse=True)[1]
        for version, place in enumerate(counted):
            inside = sentence[starts] // max(size, 1) == version
            place.append(GramCounts.make(sentence[starts][inside] - version * size, grams[inside]))
    return counted


@dataclass(frozen=True)
class GramCounts:
    """How often each n-gram occurs in each sentence, sorted by sentence and n-gram."""

    keys: IntArray
    counts: IntArray

    @classmethod
    def make(cls, sentences: IntArray, grams: IntArray) -> GramCounts:
        """Count occurrences; sentence and n-gram are combined into one integer."""
        return cls(*np.unique((sentences << _GRAM_BITS) | grams, return_counts=True))

    @property
    def sentences(self) -> IntArray:
        """Return the sentence of every entry."""
        return self.keys >> _GRAM_BITS

    def look_up(self, keys: IntArray) -> IntArray:
        """Return how often the n-grams of these keys occur."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.counts[at], 0)

    def sum_up(self, values: IntArray, size: int) -> NDArray[np.float64]:
        """Sum a value of every entry, for each of ``size`` sentences."""
        sums = np.bincount(self.sentences, weights=values, minlength=size)
        return sums.astype(np.float64)  # without any entry they are integers
