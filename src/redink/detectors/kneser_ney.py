"""Estimating an n-gram model with interpolated modified Kneser-Ney smoothing.

After Chen and Goodman (1998), with the choices of KenLM: three discounts an order from the counts
of counts, continuation counts below the highest order, the unigrams interpolated with the uniform
distribution over the vocabulary and the unknown word.

N-grams live in a trie of sorted arrays: an n-gram's key is the index of its first n-1 words in
the order below, and its last word. So every step is a sort or a look-up over whole arrays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redink.errors import DataError

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
_WORD_BITS = np.uint64(32)
_SPECIAL = (UNKNOWN, BEGIN, END)
_NEVER = np.float32(-99)
"""The logarithm (base 10) of the probability of what cannot be: a beginning inside a sentence."""


@dataclass(frozen=True)
class Order:
    """The n-grams of one length.

    Attributes:
        keys: index of the first n-1 words in the order below, shifted by 32 bits, plus the last
            word; sorted. For unigrams, the words themselves.
        log_probability: base 10, of the last word after the others.
        log_backoff: base 10, of what is left for words never seen after the n-gram.
    """

    keys: NDArray[np.uint64]
    log_probability: NDArray[np.float32]
    log_backoff: NDArray[np.float32]


def join(prefix: NDArray[np.int64], word: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Keys of n-grams from the indices of their prefixes and their last words."""
    return (prefix.astype(np.uint64) << _WORD_BITS) | word.astype(np.uint64)


def number_words(
    sentences: Iterable[Iterable[str]], *, max_words: int | None = None
) -> tuple[list[str], NDArray[np.int64]]:
    """The vocabulary (special words first), and the text as numbers with its sentence marks.

    Args:
        sentences: the tokens of every sentence.
        max_words: keep only so many words, the most frequent; the others become unknown.
    """
    numbers: dict[str, int] = {word: number for number, word in enumerate(_SPECIAL)}
    text: list[NDArray[np.int64]] = []
    some: list[int] = []
    for sentence in sentences:
        some.append(1)
        some += [numbers.setdefault(word, len(numbers)) for word in sentence]
        some.append(2)
        if len(some) > 1 << 20:
            text.append(np.array(some, np.int64))
            some = []
    text.append(np.array(some, np.int64))
    everything = np.concatenate(text)
    words = list(numbers)
    if max_words is None or len(words) - 3 <= max_words:
        return words, everything
    counts = np.bincount(everything, minlength=len(words))
    counts[:3] = counts.max() + 1
    kept = np.sort(np.argsort(-counts, kind="stable")[: max_words + 3])
    renumbered = np.zeros(len(words), np.int64)
    renumbered[kept] = np.arange(len(kept))
    return [words[number] for number in kept], renumbered[everything]


def estimate(
    text: NDArray[np.int64],
    vocabulary: int,
    *,
    order: int = 4,
    prune: tuple[int, ...] = (),
) -> list[Order]:
    """The orders of a model from a text of word numbers.

    Args:
        text: words, with 1 before and 2 after every sentence.
        vocabulary: how many words there are, the special ones included.
        order: the length of the longest n-grams.
        prune: for each order from the first, n-grams that occur so often or less are dropped
            after smoothing, and what they had goes to the back-off.
    """
    if len(text) < 3:
        raise DataError("there is no text to learn a language model from")
    sentence = np.cumsum(text == 1)
    indices = text
    keys = [np.arange(vocabulary, dtype=np.uint64)]
    raw = [np.bincount(text, minlength=vocabulary)]
    suffixes: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    positions = np.arange(len(text))
    for length in range(2, order + 1):
        # An n-gram may not reach into the next sentence.
        inside = positions + length - 1 < len(text)
        inside[inside] &= sentence[positions[inside] + length - 1] == sentence[positions[inside]]
        at = positions[inside]
        found, first, inverse, counts = np.unique(
            join(indices[at], text[at + length - 1]),
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        suffixes.append(indices[at[first] + 1])
        longer = np.full(len(text), -1, np.int64)
        longer[at] = inverse
        indices = longer
        keys.append(found)
        raw.append(counts)
    return _prune(_smooth(keys, raw, suffixes, vocabulary), raw, suffixes, prune)


def _adjusted_counts(
    raw: list[NDArray[np.int64]], suffixes: list[NDArray[np.int64]], keys: list[NDArray[np.uint64]]
) -> list[NDArray[np.int64]]:
    """Below the highest order: in how many words' wake an n-gram occurs.

    Nothing stands before the beginning of a sentence, so n-grams that begin there keep their
    counts.
    """
    adjusted = []
    first_word = np.arange(len(keys[0]))
    for level, counts in enumerate(raw):
        if level:
            first_word = first_word[(keys[level] >> _WORD_BITS).astype(np.int64)]
        if level == len(raw) - 1:
            adjusted.append(counts)
            continue
        continued = np.bincount(suffixes[level + 1], minlength=len(counts))
        adjusted.append(np.where(first_word == 1, counts, continued))
    return adjusted


_FALLBACK = np.array([0, 0.5, 1.0, 1.5])
"""The discounts where the text is too little to know, or too odd: those of KenLM."""


def _discounts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """What is taken from counts of 0, 1, 2, and 3 or more."""
    n = [int((counts == k).sum()) for k in range(1, 5)]
    if min(n[:3]) == 0:
        return _FALLBACK
    y = n[0] / (n[0] + 2 * n[1])
    found = [k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3)]
    if any(not 0 <= d <= k for k, d in enumerate(found, start=1)):
        return _FALLBACK
    return np.array([0.0, *found])


def _smooth(
    keys: list[NDArray[np.uint64]],
    raw: list[NDArray[np.int64]],
    suffixes: list[NDArray[np.int64]],
    vocabulary: int,
) -> list[Order]:
    adjusted = _adjusted_counts(raw, suffixes, keys)
    probability = np.empty(0)
    orders: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    for level, counts in enumerate(adjusted):
        if level == 0:
            counts = counts.copy()  # noqa: PLW2901 (the others are used as they are)
            counts[1] = 0  # the beginning of a sentence is never predicted
            discounts = _discounts(counts[counts > 0])
            taken = discounts[np.minimum(counts, 3)]
            total = counts.sum()
            # The uniform distribution has no place for the beginning of a sentence.
            lower = np.full(vocabulary, 1 / (vocabulary - 1))
            probability = (counts - taken) / total + taken.sum() / total * lower
            probability[1] = 0
        else:
            prefix = (keys[level] >> _WORD_BITS).astype(np.int64)
            discounts = _discounts(counts)
            taken = discounts[np.minimum(counts, 3)]
            size = len(adjusted[level - 1])
            total = np.bincount(prefix, counts, size)
            left = np.bincount(prefix, taken, size)
            with np.errstate(invalid="ignore", divide="ignore"):
                backoff = np.where(total > 0, left / total, 1.0)
            orders[-1] = (orders[-1][0], backoff)
            probability = (counts - taken) / total[prefix] + backoff[prefix] * probability[
                suffixes[level]
            ]
        orders.append((probability, np.ones(len(counts))))
    return [_in_logarithms(k, p, b) for k, (p, b) in zip(keys, orders, strict=True)]


def _in_logarithms(
    keys: NDArray[np.uint64], probability: NDArray[np.float64], backoff: NDArray[np.float64]
) -> Order:
    with np.errstate(divide="ignore"):
        p, b = np.log10(probability), np.log10(backoff)
    return Order(
        keys, np.maximum(p, _NEVER).astype(np.float32), np.maximum(b, _NEVER).astype(np.float32)
    )


def _prune(
    orders: list[Order],
    raw: list[NDArray[np.int64]],
    suffixes: list[NDArray[np.int64]],
    limits: tuple[int, ...],
) -> list[Order]:
    """Drop rare n-grams from the longest down, then give their share to the back-off."""
    if not any(limits):
        return orders
    keep = [np.ones(len(o.keys), bool) for o in orders]
    for level in range(len(orders) - 1, 0, -1):
        limit = limits[level] if level < len(limits) else limits[-1]
        keep[level] &= raw[level] > limit
        if level + 1 < len(orders):
            # Prefix and suffix of every longer n-gram stay, or it could not be looked up.
            above = keep[level + 1]
            keep[level][(orders[level + 1].keys[above] >> _WORD_BITS).astype(np.int64)] = True
            keep[level][suffixes[level + 1][above]] = True
    pruned = [orders[0]]
    renumbered = np.arange(len(orders[0].keys))
    for level in range(1, len(orders)):
        whole, kept = orders[level], keep[level]
        prefix = (whole.keys[kept] >> _WORD_BITS).astype(np.int64)
        below = orders[level - 1].log_probability[suffixes[level][kept]].astype(np.float64)
        size = len(orders[level - 1].keys)
        mass = np.bincount(prefix, 10.0 ** whole.log_probability[kept].astype(np.float64), size)
        lower = np.bincount(prefix, 10.0**below, size)
        backoff = np.log10(np.clip(1 - mass, 1e-9, 1) / np.clip(1 - lower, 1e-9, 1))
        alive = keep[level - 1]
        last = pruned[-1]
        pruned[-1] = Order(last.keys, last.log_probability, backoff[alive].astype(np.float32))
        words = whole.keys[kept] & np.uint64((1 << 32) - 1)
        pruned.append(
            Order(
                join(renumbered[prefix], words.astype(np.int64)),
                whole.log_probability[kept],
                np.zeros(int(kept.sum()), np.float32),
            )
        )
        renumbered = np.cumsum(kept) - 1
    return pruned
