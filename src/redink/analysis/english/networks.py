"""Run the networks of the English pipeline with NumPy: token vectors, transition-based parser.

Hashes of the form, ending and shape of a word each select four rows of an embedding table. A layer
turns their sums into the context-free vector of the word, which is cached between batches. Each
convolution is applied to the distinct windows of a batch, because a source and its corrections
share most of them. The result of a window does not depend on the rest of the batch, bit by bit
(:class:`Factor`), if BLAS uses one thread.

The parser reads a sentence from left to right with a stack (Nivre 2003; with the non-monotonic
moves of Honnibal and Johnson 2015), and advances all sentences of a batch together. Moves: *shift*
pushes the next word onto the stack, *reduce* pops the stack, *left* and *right* add a labeled arc
between the top of the stack and the next word, *break* begins a sentence after the next word.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from redink.analysis.english.word_forms import PIPELINE

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]
Weights = Mapping[str, Floats]
"""Arrays by component, layer, layer number and name: ``tok2vec/maxout/0/W``."""


_ROWS = 12  # matrix products have a multiple of this number of rows
_COLUMNS = 32  # and of columns, without the margins
_MARGIN = 8  # columns of zeros on both sides
_BLOCK = 384  # windows processed together, so that they fit into the CPU cache
_WORDS = 30_000  # words whose vectors are cached
_LONGEST_KEY = 2_000_000  # the cube of more rows would not fit 64 bits
_ATTRIBUTES = ("NORM", "PREFIX", "SUFFIX", "SHAPE")  # word attributes, each with its own table
_FIRST_SEED = 8  # each table has its own hash seed
_LONG_SHAPE = 100  # number of letters from which the shape of a word is abbreviated
_SAME_SHAPE = 4  # maximum repetitions of a letter in a shape
_SUFFIX = 3
_WORD = 8  # bytes in a block of MurmurHash


@dataclass(frozen=True, slots=True)
class Factor:
    """The right factor of matrix products in which a row does not depend on the other rows.

    BLAS adds the products of a row in an order that depends on the position of the row in its group
    of twelve, in the first and last eight columns (OpenBLAS for processors without AVX-512), and on
    the number of rows, unless complete groups are multiplied. So the columns have margins of zeros,
    and :func:`times` completes the last group.
    """

    padded: Floats
    width: int

    @classmethod
    def of(cls, matrix: Floats) -> Self:
        """Pad the columns of a matrix."""
        width = matrix.shape[1]
        margins = (_MARGIN, -width % _COLUMNS + _MARGIN)
        return cls(np.ascontiguousarray(np.pad(matrix, ((0, 0), margins))), width)


def times(rows: Floats, factor: Factor) -> Floats:
    """Return a matrix product in which the result of a row does not depend on other rows."""
    number, columns = rows.shape
    if missing := -number % _ROWS:
        rows = np.concatenate([rows, np.zeros((missing, columns), dtype=np.float32)])
    product: Floats = rows @ factor.padded
    return product[:number, _MARGIN : _MARGIN + factor.width]


def best_piece(sums: Floats, width: int) -> Floats:
    """Return the maximum of each unit over its pieces; overwrites the first piece."""
    best = sums[:, :width]
    # `max(axis=1)` of the reshaped sums takes twice as long.
    for start in range(width, sums.shape[1], width):
        np.maximum(best, sums[:, start : start + width], out=best)
    return best


@dataclass(frozen=True, slots=True)
class Maxout:
    """A maxout layer with layer normalization."""

    weights: Factor
    bias: Floats
    scale: Floats
    shift: Floats

    @classmethod
    def of(cls, arrays: Weights, number: int) -> Self:
        """Return the layer with this number."""
        layer, norm = f"tok2vec/maxout/{number}", f"tok2vec/layernorm/{number}"
        weights, bias = arrays[f"{layer}/W"], arrays[f"{layer}/b"]
        units, pieces, inputs = weights.shape
        by_piece = weights.transpose(1, 0, 2).reshape(pieces * units, inputs)
        return cls(
            Factor.of(by_piece.T),
            np.ascontiguousarray(bias.T).reshape(-1),
            arrays[f"{norm}/G"],
            arrays[f"{norm}/b"],
        )

    def finish(self, sums: Floats) -> Floats:
        """Compute the output of the layer from sums without bias, which are overwritten."""
        width = len(self.scale)
        sums += self.bias
        best = best_piece(sums, width)
        # These sums are computed by row and do not depend on other rows.
        best -= np.einsum("ij,j->i", best, np.full(width, 1 / width, dtype=np.float32))[:, None]
        spread = np.einsum("ij,ij->i", best, best) / np.float32(width)
        best /= np.sqrt(spread + np.float32(1e-8))[:, None]
        best *= self.scale
        best += self.shift
        return best


class TokenVectors:
    """A network that computes the vectors of tokens."""

    def __init__(self, arrays: Weights) -> None:
        self._tables = [
            arrays[f"tok2vec/hashembed/{number}/E"] for number in range(len(_ATTRIBUTES))
        ]
        depth = sum(key.startswith("tok2vec/maxout/") for key in arrays) // 2
        mix, *self._blocks = (Maxout.of(arrays, number) for number in range(depth))
        self._mix = mix
        self._numbers: dict[str, int] = {}
        self._known = np.zeros((1, len(mix.scale)), dtype=np.float32)

    def number_words(self, sentences: Sequence[Sequence[str]]) -> tuple[list[int], bool]:
        """Return the numbers of all words, from 1, and whether earlier numbers are still valid."""
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
        """Return the distinct vectors, and the vector index of each token."""
        depth = len(self._blocks)
        sizes = np.asarray(lengths, dtype=np.int64)
        # Padding precedes and follows each sentence; its distance from the sentence is counted.
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
            # Each layer uses one word less of the padding.
            places = np.flatnonzero(distance <= depth - number)
            windows = ids[places - 1], ids[places], ids[places + 1]
            vectors, ids[places] = _apply(block, vectors, windows)
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
    """Return the distinct windows of three vectors, and the index of each window among them."""
    left, middle, right = windows
    if size >= _LONGEST_KEY:
        return windows, np.arange(len(middle))
    keys, inverse = np.unique((left * size + middle) * size + right, return_inverse=True)
    return (keys // (size * size), keys // size % size, keys % size), inverse


def _apply(block: Maxout, vectors: Floats, windows: tuple[Ints, Ints, Ints]) -> tuple[Floats, Ints]:
    """Apply a residual block to the distinct windows of three; return also the window indices."""
    distinct, inverse = distinct_windows(len(vectors), windows)
    places = np.stack(distinct, axis=1)
    output = vectors[places[:, 1]]
    for start in range(0, len(output), _BLOCK):
        some = places[start : start + _BLOCK]
        rows = vectors.take(some.reshape(-1), axis=0).reshape(len(some), -1)
        output[start : start + _BLOCK] += block.finish(times(rows, block.weights))
    return output, inverse


@cache
def _named() -> tuple[dict[str, int], dict[str, str]]:
    content = json.loads((PIPELINE / "lexical.json").read_text(encoding="utf-8"))
    return content["symbols"], content["norms"]


def _lexical_attributes(words: Sequence[str]) -> dict[str, list[str]]:
    norms = _named()[1]
    return {
        "NORM": [norms.get(word) or word.lower() for word in words],
        "PREFIX": [word[:1] for word in words],
        "SUFFIX": [word[-_SUFFIX:] for word in words],
        "SHAPE": [_shape(word) for word in words],
    }


def _shape(word: str) -> str:
    """Return the shape of a word: ``Xxxxx`` for *Peter*, ``dd:dd`` for *10:30*."""
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
    """Return MurmurHash2 (64 bits, seed 1) of consecutive texts with the same length."""
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
    """Return the four table rows whose sum is the vector of each key (MurmurHash3, 128 bits)."""
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


Flags = NDArray[np.bool_]

SHIFT, REDUCE, LEFT, RIGHT, BREAK = range(5)
_GIVE_UP: Final = -1  # no move is allowed
_FEATURES: Final = 8
_DELIMITER = "||"  # between a label and the label of the new head
_TOGETHER = 1024  # maximum number of sentences parsed together


Parsed = tuple[tuple[str, ...], tuple[int, ...]]
"""The labels and heads of a sentence."""


class Parser:
    """A trained parser over token vectors."""

    def __init__(self, arrays: Weights, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Initialize with the weights and the label counts by move number."""
        upper, shrink, lower = "parser/linear/0", "parser/linear/1", "parser/precomputable_affine/0"
        weights = arrays[f"{lower}/W"]
        features, units, pieces, inputs = weights.shape
        self._shrink = Factor.of(arrays[f"{shrink}/W"].T), arrays[f"{shrink}/b"]
        # One row per input of a feature, and two more per feature: for a missing token, and for the
        # bias, which the first feature adds. One column per maxout piece and unit.
        rows = np.zeros((features, inputs + 2, pieces * units), dtype=np.float32)
        rows[:, :inputs] = weights.transpose(0, 3, 2, 1).reshape(features, inputs, -1)
        rows[:, inputs] = arrays[f"{lower}/pad"][0].transpose(0, 2, 1).reshape(features, -1)
        rows[0, inputs + 1] = arrays[f"{lower}/b"].T.reshape(-1)
        self._lower = Factor.of(rows.reshape(features * (inputs + 2), -1))
        self._units = units
        self._upper = Factor.of(arrays[f"{upper}/W"].T), arrays[f"{upper}/b"]
        moves = [
            (int(kind), label)
            for kind, labels in sorted(counts.items())
            for _, label in sorted(((n, label) for label, n in labels.items()), reverse=True)
        ]
        self._labels = [label for _, label in moves]
        self._kinds = np.array([kind for kind, _ in moves])

    def parse(self, vectors: Sequence[Floats], words: Sequence[Sequence[str]]) -> list[Parsed]:
        """Return labels and heads of sentences."""
        done: list[Parsed] = [((), ())] * len(words)
        # Sentences with similar lengths need similar numbers of steps.
        order = sorted((n for n, one in enumerate(words) if one), key=lambda n: len(words[n]))
        for start in range(0, len(order), _TOGETHER):
            group = order[start : start + _TOGETHER]
            states = _States([len(words[n]) for n in group])
            inputs = self._read(np.concatenate([vectors[n] for n in group]), states.is_word)
            while len(states.base):
                self._step(states, inputs)
            for number, (moves, heads) in zip(group, states.arcs(), strict=True):
                done[number] = self._finish(moves, heads, words[number])
        return done

    def _read(self, vectors: Floats, is_word: Flags) -> Floats:
        weights, bias = self._shrink
        inputs = np.zeros((len(is_word), len(bias) + 2), dtype=np.float32)
        inputs[is_word, :-2] = times(vectors, weights) + bias
        inputs[~is_word, -2] = 1
        inputs[:, -1] = 1
        return inputs

    def _step(self, states: _States, inputs: Floats) -> None:
        read = inputs.take(states.features(), axis=0, mode="clip")
        sums = times(read.reshape(len(read), -1), self._lower)
        units = best_piece(sums, self._units)
        weights, bias = self._upper
        scores = times(units, weights)
        scores += bias
        moves = scores.argmax(axis=1)
        kinds = self._kinds[moves]
        valid = states.valid_moves()
        wrong = np.flatnonzero(~valid[kinds, np.arange(len(kinds))])
        if len(wrong):
            allowed = valid[:, wrong][self._kinds].T
            moves[wrong] = np.where(allowed, scores[wrong], -np.inf).argmax(axis=1)
            kinds[wrong] = np.where(allowed.any(axis=1), self._kinds[moves[wrong]], _GIVE_UP)
        states.move(kinds, moves)

    def _finish(self, moves: list[int], heads: list[int], words: Sequence[str]) -> Parsed:
        labels = [
            self._labels[move] if head >= 0 else "ROOT"
            for move, head in zip(moves, heads, strict=True)
        ]
        heads = [place if head < 0 else head for place, head in enumerate(heads)]
        for place, label in enumerate(labels):
            if _DELIMITER in label:
                # The arc could only be added to an ancestor of the correct word.
                right_label, _, wanted = label.partition(_DELIMITER)
                heads[place] = _find_head(place, wanted, labels, heads, words)
                labels[place] = right_label
        return tuple(labels), tuple(heads)


def _find_head(
    place: int, wanted: str, labels: Sequence[str], heads: Sequence[int], words: Sequence[str]
) -> int:
    """Return the first descendant of a word's head with a label, from the top and the left."""
    queue = [heads[place]]
    while queue:
        below = []
        for head in queue:
            for child, its_head in enumerate(heads):
                if its_head == head and child not in (head, place) and not words[child].isspace():
                    if labels[child] == wanted:
                        return child
                    below.append(child)
        queue = below
    return heads[place]


class _States:
    """The parser states of a group of sentences.

    A sentence has a range in each long array: a base position for "no word", the positions of its
    words, and two positions for "no word" after them. Words are identified by their positions in
    the long arrays. The short arrays have one entry per unfinished sentence.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        lengths = np.array(sizes)
        bases = np.cumsum(lengths + 3) - lengths - 3
        size = int(bases[-1] + lengths[-1] + 3)
        self._all = bases, lengths
        nothing = np.repeat(bases, lengths + 3)
        self.is_word = np.ones(size, dtype=np.bool_)
        for place in (bases, bases + lengths + 1, bases + lengths + 2):
            self.is_word[place] = False
        self._stack = nothing.copy()
        self._again = nothing.copy()  # words moved back before the next word
        self._heads = np.full(size, -1, dtype=np.int64)
        self._moves = np.zeros(size, dtype=np.int64)
        self._left = nothing.copy()  # the last added child on the left
        self._right = nothing.copy()
        self._right_before = nothing.copy()  # the previously added child on the right
        self._shifted = np.zeros(size, dtype=np.bool_)
        self._starts = np.zeros(size, dtype=np.bool_)
        self.base = bases
        self._end = bases + lengths + 1
        self._next = bases + 1
        self._depth = np.zeros(len(bases), dtype=np.int64)
        self._waiting = np.zeros(len(bases), dtype=np.int64)

    def features(self) -> Ints:
        top = self.base + self._depth
        places = np.empty((len(top), _FEATURES), dtype=np.int64)
        first, second = self._next, self._next + 1
        put_back = self._waiting.nonzero()[0]
        if len(put_back):
            waiting = self._waiting[put_back]
            last = self.base[put_back] + waiting
            first = first.copy()
            first[put_back] = self._again[last]
            second[put_back] = np.where(waiting > 1, self._again[last - 1], self._next[put_back])
        self._first, self._second, self._top = first, second, self._stack[top]
        places[:, 0] = first
        places[:, 1] = second
        places[:, 2] = self._top
        places[:, 3] = self._stack[np.maximum(top - 1, self.base)]
        places[:, 4] = self._stack[np.maximum(top - 2, self.base)]
        places[:, 5] = self._left[first]
        places[:, 6] = self._left[self._top]
        places[:, 7] = self._right[self._top]
        return places

    def valid_moves(self) -> Flags:
        valid = np.empty((5, len(self.base)), dtype=np.bool_)
        filled = self._depth > 0
        left = self._end - self._next + self._waiting
        inside = ~self._starts[self._first]
        two = left > 1
        valid[SHIFT] = ~filled | (two & inside & ~self._shifted[self._first])
        valid[REDUCE] = filled
        valid[LEFT] = valid[RIGHT] = filled & (left > 0) & inside
        valid[BREAK] = two & (self._second == self._first + 1) & ~self._starts[self._second]
        return valid

    def move(self, kinds: Ints, moves: Ints) -> None:
        top, first = self._top, self._first
        is_left, is_right, is_reduce = kinds == LEFT, kinds == RIGHT, kinds == REDUCE
        # A reduced word without a head moves back before the next word, unless it is the only one.
        back = (is_reduce & (self._heads[top] < 0) & (self._depth > 1)).nonzero()[0]
        left = is_left.nonzero()[0]
        if len(left):
            child, head = top[left], first[left]
            before = self._heads[child]
            had = before >= 0
            self._right[before[had]] = self._right_before[child[had]]
            self._heads[child] = head
            self._moves[child] = moves[left]
            self._left[head] = child
            self._shifted[head] = False
        right = is_right.nonzero()[0]
        if len(right):
            child, head = first[right], top[right]
            self._heads[child] = head
            self._moves[child] = moves[right]
            self._right_before[child] = self._right[head]
            self._right[head] = child
        if len(back):
            word = top[back]
            self._shifted[word] = True
            self._waiting[back] += 1
            self._again[self.base[back] + self._waiting[back]] = word
        push = is_right | (kinds == SHIFT)
        self._depth += push
        self._depth -= is_left | is_reduce
        pushed = push.nonzero()[0]
        self._stack[self.base[pushed] + self._depth[pushed]] = first[pushed]
        again = push & (self._waiting > 0)
        self._waiting -= again
        self._next += push & ~again
        broken = self._second[kinds == BREAK]
        self._starts[broken] = True
        going = (self._depth > 0) | (self._next - self._waiting < self._end)
        going &= kinds != _GIVE_UP
        if not going.all():
            self.base, self._end, self._next = self.base[going], self._end[going], self._next[going]
            self._depth, self._waiting = self._depth[going], self._waiting[going]

    def arcs(self) -> Iterator[tuple[list[int], list[int]]]:
        for base, length in zip(*(part.tolist() for part in self._all), strict=True):
            words = slice(base + 1, base + 1 + length)
            heads = self._heads[words]
            yield self._moves[words].tolist(), np.where(heads < 0, -1, heads - base - 1).tolist()
