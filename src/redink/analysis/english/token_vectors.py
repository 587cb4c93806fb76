"""Vectors of tokens: a convolutional network of spaCy's kind, run by NumPy on whole batches.

A word is known by hashes of its form, ending and shape: each picks four rows of an embedding table,
whose sum, mixed, is the word's context-free vector. It depends on the form only and is kept from
batch to batch. A convolution's output at a token depends on the words around it: after the first
layer on a window of three, after the second on five, and so on. A source and its corrections share
most of their windows, so each layer is applied to the distinct windows of a batch.

A window's numbers do not depend on what else is in the batch: every matrix product has at least two
rows and a round number of columns, for which BLAS computes each row in the same way.

`lexical.json` has the names that spaCy numbers itself, and the forms that it replaces by others
(quotation marks, currencies); both are spaCy's (MIT license).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]
Weights = Mapping[str, Floats]
"""Arrays by component, layer, number of the layer and name: ``tok2vec/maxout/0/W``."""

PIPELINE: Final = Path(__file__).with_name("resources") / "en_redink"

_COLUMNS = 32  # matrices have a multiple of so many columns
_BLOCK = 384  # windows worked on at a time, so that they stay in the processor's cache
_WORDS = 30_000  # words whose vectors are kept
_LONGEST_KEY = 2_000_000  # the cube of more rows would not fit 64 bits
_ATTRIBUTES = ("NORM", "PREFIX", "SUFFIX", "SHAPE")  # of a word, each with its table
_FIRST_SEED = 8  # each table hashes with a seed of its own
_LONG_SHAPE = 100  # letters from which on a word's shape is not written out
_SAME_SHAPE = 4  # how often a shape repeats a letter at most
_SUFFIX = 3
_WORD = 8  # bytes that MurmurHash takes at a time


def times(rows: Floats, matrix: Floats) -> Floats:
    """The matrix product, in which a row's result does not depend on the other rows."""
    if len(rows) == 1:
        return times(np.concatenate([rows, rows]), matrix)[:1]
    product: Floats = rows @ matrix
    return product


def pad_columns(matrix: Floats) -> Floats:
    """The matrix with columns of zeros up to a round number."""
    missing = -matrix.shape[1] % _COLUMNS
    return np.ascontiguousarray(np.pad(matrix, ((0, 0), (0, missing))))


@dataclass(frozen=True, slots=True)
class Maxout:
    """A layer of units that take the largest of several sums, brought to mean 0 and variance 1.

    Attributes:
        weights: a column for each sum: first those of all units' first piece, then the second.
        bias: of each sum.
        pieces: how many sums a unit has.
        scale, shift: what the normalised value is multiplied by, and what is added.
    """

    weights: Floats
    bias: Floats
    pieces: int
    scale: Floats
    shift: Floats

    @classmethod
    def of(cls, arrays: Weights, number: int) -> Self:
        """Return the layer of that number."""
        layer, norm = f"tok2vec/maxout/{number}", f"tok2vec/layernorm/{number}"
        weights, bias = arrays[f"{layer}/W"], arrays[f"{layer}/b"]
        units, pieces, inputs = weights.shape
        by_piece = weights.transpose(1, 0, 2).reshape(pieces * units, inputs)
        return cls(
            np.ascontiguousarray(by_piece.T),
            np.ascontiguousarray(bias.T).reshape(-1),
            pieces,
            arrays[f"{norm}/G"],
            arrays[f"{norm}/b"],
        )

    @property
    def width(self) -> int:
        """How many units there are."""
        return len(self.scale)

    def finish(self, sums: Floats, out: Floats | None = None) -> Floats:
        """From the sums without bias (which are overwritten) to the layer's output."""
        width = self.width
        sums += self.bias
        best = np.maximum(sums[:, :width], sums[:, width : 2 * width], out=out)
        for piece in range(2, self.pieces):
            np.maximum(best, sums[:, piece * width : (piece + 1) * width], out=best)
        # These sums are worked out row by row: none depends on the other rows.
        best -= np.einsum("ij,j->i", best, np.full(width, 1 / width, dtype=np.float32))[:, None]
        spread = np.einsum("ij,ij->i", best, best) / np.float32(width)
        best /= np.sqrt(spread + np.float32(1e-8))[:, None]
        best *= self.scale
        best += self.shift
        return best


class TokenVectors:
    """The vectors that a network gives to the tokens of sentences."""

    def __init__(self, arrays: Weights) -> None:
        self._tables = [
            arrays[f"tok2vec/hashembed/{number}/E"] for number in range(len(_ATTRIBUTES))
        ]
        depth = sum(key.startswith("tok2vec/maxout/") for key in arrays) // 2
        mix, *self._blocks = (Maxout.of(arrays, number) for number in range(depth))
        self._mix = mix
        self._numbers: dict[str, int] = {}
        self._known = np.zeros((1, mix.width), dtype=np.float32)

    def number_words(self, sentences: Sequence[Sequence[str]]) -> tuple[list[int], bool]:
        """The numbers of all words, from 1 on, and whether numbers given before still hold."""
        numbers = self._numbers
        words = list(chain.from_iterable(sentences))
        unknown = [word for word in dict.fromkeys(words) if word not in numbers]
        kept = len(numbers) + len(unknown) <= _WORDS or not numbers
        if not kept:
            numbers.clear()
            self._known = self._known[:1]
            unknown = list(dict.fromkeys(words))
        if unknown:
            for word in unknown:
                numbers[word] = len(numbers) + 1
            self._known = np.concatenate([self._known, self._embed(unknown)])
        return list(map(numbers.__getitem__, words)), kept

    def of_words(self, words: Sequence[int], lengths: Sequence[int]) -> tuple[Floats, Ints]:
        """Distinct vectors, and which of them each token of the sentences has.

        Args:
            words: the numbers of the words of all sentences.
            lengths: of the sentences.
        """
        depth = len(self._blocks)
        sizes = np.asarray(lengths, dtype=np.int64)
        # Before and after every sentence stands padding, whose distance from it is counted.
        distance = np.zeros(len(words) + 2 * depth * len(sizes), dtype=np.int64)
        starts = np.cumsum(sizes + 2 * depth) - sizes - depth
        for step in range(1, depth + 1):
            distance[starts - step] = step
            distance[starts + sizes + step - 1] = step
        ids = np.zeros(len(distance), dtype=np.int64)
        ids[distance == 0] = words
        distinct, ids = np.unique(ids, return_inverse=True)
        vectors = self._known[distinct]
        for number, block in enumerate(self._blocks, start=1):
            # Every layer sees one word less of the padding.
            places = np.flatnonzero(distance <= depth - number)
            windows = ids[places - 1], ids[places], ids[places + 1]
            vectors, ids[places] = _apply(block, vectors, windows, by_word=number == 1)
        return vectors, ids[distance == 0]

    def _embed(self, words: list[str]) -> Floats:
        attributes = _lexical_attributes(words)
        parts = []
        for number, (name, table) in enumerate(zip(_ATTRIBUTES, self._tables, strict=True)):
            rows = _table_rows(_hash_texts(attributes[name]), _FIRST_SEED + number, len(table))
            part = table[rows[:, 0]]
            for place in range(1, rows.shape[1]):
                part += table[rows[:, place]]
            parts.append(part)
        return self._mix.finish(times(np.concatenate(parts, axis=1), self._mix.weights))


def distinct_windows(
    size: int, windows: tuple[Ints, Ints, Ints]
) -> tuple[tuple[Ints, Ints, Ints], Ints]:
    """The distinct windows of three among so many vectors, and which of them each window is."""
    left, middle, right = windows
    if size >= _LONGEST_KEY:
        return windows, np.arange(len(middle))
    keys, inverse = np.unique((left * size + middle) * size + right, return_inverse=True)
    return (keys // (size * size), keys // size % size, keys % size), inverse


def _apply(
    block: Maxout, vectors: Floats, windows: tuple[Ints, Ints, Ints], *, by_word: bool
) -> tuple[Floats, Ints]:
    """One residual block over the distinct windows of three; which of them each window is."""
    size = len(vectors)
    (left, middle, right), inverse = distinct_windows(size, windows)
    width = block.width
    output = np.empty((len(middle), width), dtype=np.float32)
    if by_word:
        # Few words make many windows: a word's share of the sums is worked out once.
        sides = block.weights.reshape(3, width, -1).transpose(1, 0, 2).reshape(width, -1)
        shares = times(vectors, np.ascontiguousarray(sides)).reshape(3 * size, -1)
        places = np.stack([3 * left, 3 * middle + 1, 3 * right + 2])
        share = np.empty((_BLOCK, shares.shape[1]), dtype=np.float32)
    else:
        places = np.stack([left, middle, right], axis=1)
        taken = np.zeros((3 * _BLOCK, width), dtype=np.float32)
    centre = np.empty((_BLOCK, width), dtype=np.float32)
    sums = np.empty((_BLOCK, len(block.bias)), dtype=np.float32)
    for start in range(0, len(output), _BLOCK):
        some = output[start : start + _BLOCK]
        count = len(some)
        if by_word:
            _take(shares, places[0, start : start + _BLOCK], sums)
            for side in (1, 2):
                sums[:count] += _take(shares, places[side, start : start + _BLOCK], share)
        else:
            _take(vectors, places[start : start + _BLOCK].reshape(-1), taken)
            rows = max(count, 2)  # see `times`; what the second row holds does not matter
            np.matmul(taken[: 3 * rows].reshape(rows, -1), block.weights, out=sums[:rows])
        block.finish(sums[:count], out=some)
        some += _take(vectors, middle[start : start + _BLOCK], centre)
    return output, inverse


def _take(rows: Floats, which: Ints, out: Floats) -> Floats:
    # Clipping is never needed; it keeps NumPy from making a copy first.
    return rows.take(which, axis=0, out=out[: len(which)], mode="clip")


@cache
def _named() -> tuple[dict[str, int], dict[str, str]]:
    """The names that have numbers of their own, and the forms that stand for others."""
    content = json.loads((PIPELINE / "lexical.json").read_text(encoding="utf-8"))
    return content["symbols"], content["norms"]


def _lexical_attributes(words: Sequence[str]) -> dict[str, list[str]]:
    """What spaCy's networks look at in a word: by attribute, one value a word."""
    norms = _named()[1]
    return {
        "NORM": [norms.get(word) or word.lower() for word in words],
        "PREFIX": [word[:1] for word in words],
        "SUFFIX": [word[-_SUFFIX:] for word in words],
        "SHAPE": [_shape(word) for word in words],
    }


def _shape(word: str) -> str:
    """``Xxxxx`` for *Peter*, ``dd:dd`` for *10:30*."""
    if len(word) >= _LONG_SHAPE:
        return "LONG"
    shape: list[str] = []
    last, count = "", 0
    for letter in word:
        if letter.isalpha():
            sign = "X" if letter.isupper() else "x"
        else:
            sign = "d" if letter.isdigit() else letter
        count = count + 1 if sign == last else 1
        last = sign
        if count <= _SAME_SHAPE:
            shape.append(sign)
    return "".join(shape)


def _hash_texts(texts: Sequence[str]) -> Keys:
    """The key of every text."""
    symbols = _named()[0]
    distinct = dict.fromkeys(texts)
    by_length = defaultdict[int, list[tuple[str, bytes]]](list)
    keys: dict[str, int] = {}
    for text in distinct:
        if not text:
            keys[text] = 0
        elif text in symbols:
            keys[text] = symbols[text]
        else:
            encoded = text.encode("utf-8", "surrogatepass")
            by_length[len(encoded)].append((text, encoded))
    for length, group in by_length.items():
        hashed = _hash_same_length(b"".join(encoded for _, encoded in group), length).tolist()
        keys.update(zip((text for text, _ in group), hashed, strict=True))
    return np.array([keys[text] for text in texts], dtype=np.uint64)


def _hash_same_length(data: bytes, length: int) -> Keys:
    """MurmurHash2, 64 bits, seed 1, of texts of one length that follow one another."""
    multiplier, shift = np.uint64(0xC6A4A7935BD1E995), np.uint64(47)
    letters = np.frombuffer(data, dtype=np.uint8).reshape(-1, length)
    padded = np.zeros((len(letters), -(-length // _WORD) * _WORD), dtype=np.uint8)
    padded[:, :length] = letters
    blocks: Keys = padded.view("<u8")
    whole = length // _WORD
    start = np.uint64(1) ^ np.array(length, dtype=np.uint64) * multiplier
    hashed: Keys = np.full(len(letters), start, dtype=np.uint64)
    for place in range(whole):
        mixed = blocks[:, place] * multiplier
        mixed ^= mixed >> shift
        hashed = (hashed ^ mixed * multiplier) * multiplier
    if length % _WORD:
        hashed = (hashed ^ blocks[:, whole]) * multiplier
    hashed ^= hashed >> shift
    hashed *= multiplier
    return hashed ^ (hashed >> shift)


def _table_rows(keys: Keys, seed: int, rows: int) -> NDArray[np.int64]:
    """The four rows of a table whose sum is the vector of each key (MurmurHash3, 128 bits)."""
    first = keys * np.uint64(0x87C37B91114253D5)
    first = (first << np.uint64(31)) | (first >> np.uint64(33))
    first = first * np.uint64(0x4CF5AD432745937F)
    salt = np.uint64(seed ^ _WORD)
    first ^= salt
    first += salt
    second = first + salt
    first, second = _finish(first), _finish(second)
    first += second
    second += first
    parts = np.stack([first, first >> np.uint64(32), second, second >> np.uint64(32)], axis=1)
    parts &= np.uint64(0xFFFFFFFF)
    return (parts % np.uint64(rows)).astype(np.int64)


def _finish(value: Keys) -> Keys:
    for multiplier in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ (value >> np.uint64(33))) * np.uint64(multiplier)
    return value ^ (value >> np.uint64(33))
