"""Vectors of tokens: a convolutional network of spaCy's kind, run by NumPy on whole batches.

A word's context-free vector depends on its form alone and is kept from batch to batch. A
convolution's output at a token depends on the words around it: after the first layer on a window of
three, after the second on five, and so on. A source and its corrections share most of their
windows, so each layer is applied to the distinct windows of a batch.

A window's numbers do not depend on what else is in the batch: every matrix product has at least two
rows and a round number of columns, for which BLAS works through each row in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from redink.analysis.hashing import hash_texts, lexical_attributes, table_rows
from redink.analysis.weights import Floats, Layer

Ints = NDArray[np.int64]

_COLUMNS = 32  # matrices have a multiple of so many columns
_BLOCK = 384  # windows worked on at a time, so that they stay in the processor's cache
_WORDS = 30_000  # words whose vectors are kept
_LONGEST_KEY = 2_000_000  # the cube of more rows would not fit 64 bits


@cache
def one_thread() -> Any:
    """What keeps matrix products in one thread.

    The matrices are small: threads would spend more time waiting for one another than working.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


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
    def of(cls, maxout: Layer, norm: Layer) -> Self:
        """From what thinc wrote."""
        weights, bias = maxout.arrays["W"], maxout.arrays["b"]
        units, pieces, inputs = weights.shape
        by_piece = weights.transpose(1, 0, 2).reshape(pieces * units, inputs)
        return cls(
            np.ascontiguousarray(by_piece.T),
            np.ascontiguousarray(bias.T).reshape(-1),
            pieces,
            norm.arrays["G"],
            norm.arrays["b"],
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


@dataclass(frozen=True, slots=True)
class Table:
    """An embedding table: which attribute of a word it embeds, its seed and its rows."""

    attribute: str
    seed: int
    rows: Floats


class TokenVectors:
    """The vectors that a network gives to the tokens of sentences."""

    def __init__(self, layers: dict[str, list[Layer]]) -> None:
        attributes = layers["extract_features"][0].settings["columns"]
        self._tables = [
            Table(attributes[layer.settings["column"]], layer.settings["seed"], layer.arrays["E"])
            for layer in layers["hashembed"]
        ]
        mix, *blocks = map(Maxout.of, layers["maxout"], layers["layernorm"])
        self._mix = mix
        self._blocks = blocks
        self._numbers: dict[str, int] = {}
        self._known = np.zeros((1, mix.width), dtype=np.float32)

    @property
    def context(self) -> int:
        """How many words on either side a token's vector depends on."""
        return len(self._blocks)

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
        attributes = lexical_attributes(words)
        parts = []
        for table in self._tables:
            rows = table_rows(hash_texts(attributes[table.attribute]), table.seed, len(table.rows))
            part = table.rows[rows[:, 0]]
            for place in range(1, rows.shape[1]):
                part += table.rows[rows[:, place]]
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
