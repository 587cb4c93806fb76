"""N-grams of words or characters, counted for whole corpora at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redink.model import Hypotheses, References, Sentence

Unit = Literal["word", "char"]
IntArray = NDArray[np.int64]
_GRAM_BITS = 40

Cutting = Literal["anywhere", "blanks", "stripped"]
"""Where words end that stand on one line: at white space, however much; at every single blank, so
that two in a row have an empty word between them; the same without blanks at the ends. It is told
from the line as its file has it, and so are characters."""


def units_of(text: Sentence, unit: Unit = "word", cutting: Cutting = "anywhere") -> Sequence[str]:
    """The words of a sentence, or its characters with the white space between words."""
    if text.spaced is None:
        return text.tokens if unit == "word" else str(text)
    if unit == "word" and cutting == "anywhere":
        return text.tokens
    line = text.spaced.strip() if cutting == "stripped" else text.spaced
    if unit == "char":
        return line
    return line.split(" ") if line else ()


def sides_of(
    references: References,
    hypotheses: Hypotheses,
    unit: Unit = "word",
    cutting: Cutting = "anywhere",
) -> list[list[Sequence[str]]]:
    """Source, hypothesis and references, each a list of sentences as words or letters."""
    sides = (references.sources, hypotheses.texts, *references.filled_texts)
    return [[units_of(text, unit, cutting) for text in side] for side in sides]


def grams_of(
    references: References,
    hypotheses: Hypotheses,
    *,
    order: int,
    unit: Unit = "word",
    cutting: Cutting = "anywhere",
) -> list[list[GramCounts]]:
    """The n-grams of :func:`sides_of`."""
    return number_grams(sides_of(references, hypotheses, unit, cutting), order=order)


def number_grams(texts: Sequence[Sequence[Sequence[str]]], *, order: int) -> list[list[GramCounts]]:
    """The n-grams of several versions of a corpus, ``[version][n - 1]``, numbered alike in all.

    An n-gram is numbered by its first n-1 words' number and its last word, so that numbers stay
    small whatever the vocabulary.

    Args:
        texts: ``[version][sentence]``, each a sequence of words or characters.
        order: the greatest n.
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
    # The number of the sentence, counted over all versions, and how many words follow in it.
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
    """How often each n-gram occurs in each sentence, in the order of sentence and n-gram."""

    keys: IntArray
    counts: IntArray

    @classmethod
    def make(cls, sentences: IntArray, grams: IntArray) -> GramCounts:
        """Count occurrences; sentence and n-gram share one number."""
        return cls(*np.unique((sentences << _GRAM_BITS) | grams, return_counts=True))

    @property
    def sentences(self) -> IntArray:
        """The sentence of every entry."""
        return self.keys >> _GRAM_BITS

    def look_up(self, keys: IntArray) -> IntArray:
        """How often these occur here."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.counts[at], 0)

    def sum_up(self, values: IntArray, size: int) -> NDArray[np.float64]:
        """The sum of a value of every entry, for each of so many sentences."""
        sums = np.bincount(self.sentences, weights=values, minlength=size)
        return sums.astype(np.float64)  # without any entry they are whole numbers
