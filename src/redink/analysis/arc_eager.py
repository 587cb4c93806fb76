"""Dependencies by spaCy's transition-based parser, all sentences of a batch in step.

The parser reads a sentence from left to right. It keeps words that are not finished on a stack, and
in every step takes the move that its network likes best among those allowed (Nivre 2003; moves may
be taken back as in Honnibal and Johnson 2015): *shift* the next word onto the stack, *reduce* the
stack, *left* and *right* draw an arc with a label between the top of the stack and the next word,
*break* starts a sentence after the next word. A step is a few operations on arrays in which every
sentence has its stretch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from redink.analysis.token_vectors import Ints, pad_columns, times
from redink.analysis.weights import Floats, read_layers, unpack

Flags = NDArray[np.bool_]

SHIFT, REDUCE, LEFT, RIGHT, BREAK = range(5)
_GIVE_UP: Final = -1  # no move is allowed
_FEATURES: Final = 8
_DELIMITER = "||"  # between a label and the label of the head that it is to be moved to
_TOGETHER = 512  # sentences parsed in step, at most
_WORDS = 6_000  # and their words: what is kept of them should fit the processor's cache


Parsed = tuple[tuple[str, ...], tuple[int, ...]]
"""The labels and heads of a sentence."""


class Parser:
    """A trained parser over token vectors."""

    def __init__(self, folder: Path) -> None:
        layers = read_layers(folder / "model")
        upper, shrink = (layer.arrays for layer in layers["linear"])
        lower = layers["precomputable_affine"][0].arrays
        features, units, pieces, inputs = lower["W"].shape
        if features != _FEATURES:
            raise ValueError("the parser looks at other places than this one does")
        self._shrink = pad_columns(shrink["W"].T), shrink["b"]
        # A matrix a feature with a column a piece and unit: a unit takes its largest piece.
        by_piece = lower["W"].transpose(0, 3, 2, 1).reshape(features, inputs, -1)
        self._lower = np.ascontiguousarray(by_piece)
        self._padding = lower["pad"][0].transpose(0, 2, 1).reshape(features, -1)
        self._bias = np.ascontiguousarray(lower["b"].T).reshape(-1)
        self._units, self._pieces = units, pieces
        self._upper = pad_columns(upper["W"].T), upper["b"]
        counts = json.loads(unpack((folder / "moves").read_bytes())["moves"])
        moves = [
            (int(kind), label)
            for kind, labels in sorted(counts.items())
            for _, label in sorted(((n, label) for label, n in labels.items()), reverse=True)
        ]
        self._labels = [label for _, label in moves]
        self._kinds = np.array([kind for kind, _ in moves])

    def parse(
        self, vectors: Floats, ids: Sequence[Ints], words: Sequence[Sequence[str]]
    ) -> list[Parsed]:
        """Labels and heads of sentences.

        Args:
            vectors: distinct vectors.
            ids: for each sentence, which of them its tokens have.
            words: the tokens.
        """
        done: list[Parsed] = [((), ())] * len(ids)
        # Sentences of about the same length take about as many steps.
        order = sorted((n for n, one in enumerate(ids) if len(one)), key=lambda n: len(ids[n]))
        groups = list(_group(order, [len(one) for one in ids]))
        most = max((sum(len(ids[n]) for n in group) for group in groups), default=0)
        shares = np.empty((_FEATURES, most + 2, len(self._bias)), dtype=np.float32)
        for group in groups:
            states = _States([ids[number] for number in group])
            self._share_out(vectors, states, shares)
            while len(states.base):
                self._step(states, shares)
            for number, (moves, heads) in zip(group, states.arcs(), strict=True):
                done[number] = self._finish(moves, heads, words[number])
        return done

    def _share_out(self, vectors: Floats, states: _States, shares: Floats) -> None:
        """What each token adds to the hidden units as each of the features; first, no token."""
        real = states.tokens >= 0
        needed, numbers = np.unique(states.tokens[real], return_inverse=True)
        states.tokens[real] = numbers
        states.tokens += 1
        weights, bias = self._shrink
        small = times(vectors[needed], weights)[:, : len(bias)] + bias
        if len(small) == 1:
            small = np.concatenate([small, small])  # see `times`
        shares[:, 0] = self._padding
        for place, weights in enumerate(self._lower):
            np.matmul(small, weights, out=shares[place, 1 : len(small) + 1])

    def _step(self, states: _States, shares: Floats) -> None:
        """Take one move in every sentence that is not finished."""
        features = states.features()
        sums = shares[0].take(features[0], axis=0, mode="clip")
        share = np.empty_like(sums)
        for place in range(1, _FEATURES):
            shares[place].take(features[place], axis=0, out=share, mode="clip")
            sums += share
        sums += self._bias
        units = np.maximum(sums[:, : self._units], sums[:, self._units : 2 * self._units])
        for piece in range(2, self._pieces):
            np.maximum(units, sums[:, piece * self._units : (piece + 1) * self._units], out=units)
        weights, bias = self._upper
        scores = times(units, weights)[:, : len(bias)]
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
        heads = [head if head >= 0 else place for place, head in enumerate(heads)]
        for place, label in enumerate(labels):
            if _DELIMITER in label:
                # The arc could only be drawn to a word above the right one.
                right_label, _, wanted = label.partition(_DELIMITER)
                heads[place] = _find_head(place, wanted, labels, heads, words)
                labels[place] = right_label
        return tuple(labels), tuple(heads)


def _group(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Sentences in groups that are parsed in step."""
    group: list[int] = []
    words = 0
    for number in order:
        if group and (len(group) == _TOGETHER or words + lengths[number] > _WORDS):
            yield group
            group, words = [], 0
        group.append(number)
        words += lengths[number]
    if group:
        yield group


def _find_head(
    place: int,
    wanted: str,
    labels: Sequence[str],
    heads: Sequence[int],
    words: Sequence[str],
) -> int:
    """The first word with a label below the head of a word, from the top and from the left."""
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
    """Where the parser is in each sentence of a group.

    A sentence has a stretch of every long array: a place for "no word", which is its base, the
    places of its words, and two that follow them and are no words either. Words are known by their
    places in the long arrays. The short arrays have an entry for each unfinished sentence.
    """

    def __init__(self, tokens: Sequence[Ints]) -> None:
        lengths = np.array([len(one) for one in tokens])
        bases = np.cumsum(lengths + 3) - lengths - 3
        size = int(bases[-1] + lengths[-1] + 3)
        self._all = bases, lengths
        nothing = np.repeat(bases, lengths + 3)
        self.tokens = np.full(size, -1, dtype=np.int64)
        for base, one in zip(bases.tolist(), tokens, strict=True):
            self.tokens[base + 1 : base + 1 + len(one)] = one
        self._stack = nothing.copy()
        self._again = nothing.copy()  # words put back before the next one
        self._heads = np.full(size, -1, dtype=np.int64)
        self._moves = np.zeros(size, dtype=np.int64)
        self._left = nothing.copy()  # the child on the left that was drawn last
        self._right = nothing.copy()
        self._right_before = nothing.copy()  # the child on the right drawn before this one
        self._shifted = np.zeros(size, dtype=np.bool_)
        self._starts = np.zeros(size, dtype=np.bool_)
        self.base = bases
        self._end = bases + lengths + 1
        self._next = bases + 1
        self._depth = np.zeros(len(bases), dtype=np.int64)
        self._waiting = np.zeros(len(bases), dtype=np.int64)

    def features(self) -> Ints:
        """The tokens that the network looks at, a row for each feature."""
        top = self.base + self._depth
        places = np.empty((_FEATURES, len(top)), dtype=np.int64)
        places[0] = self._next
        places[1] = self._next + 1
        put_back = self._waiting.nonzero()[0]
        if len(put_back):
            waiting = self._waiting[put_back]
            last = self.base[put_back] + waiting
            places[0, put_back] = self._again[last]
            places[1, put_back] = np.where(waiting > 1, self._again[last - 1], self._next[put_back])
        places[2] = self._stack[top]
        places[3] = self._stack[np.maximum(top - 1, self.base)]
        places[4] = self._stack[np.maximum(top - 2, self.base)]
        places[5] = self._left[places[0]]
        places[6] = self._left[places[2]]
        places[7] = self._right[places[2]]
        self._first, self._second, self._top = places[0], places[1], places[2]
        return self.tokens[places]

    def valid_moves(self) -> Flags:
        """Which kinds of move are allowed, a row a kind."""
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
        """Take these moves, one in each sentence."""
        top, first = self._top, self._first
        is_left, is_right, is_reduce = kinds == LEFT, kinds == RIGHT, kinds == REDUCE
        # A reduced word without a head goes back before the next one, unless it stands alone.
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
        given_up = kinds == _GIVE_UP
        self._depth[given_up] = 0
        self._next[given_up] = self._end[given_up]
        going = (self._depth > 0) | (self._next - self._waiting < self._end)
        if not going.all():
            self.base, self._end, self._next = self.base[going], self._end[going], self._next[going]
            self._depth, self._waiting = self._depth[going], self._waiting[going]

    def arcs(self) -> Iterator[tuple[list[int], list[int]]]:
        """For each sentence, the moves that gave its words their heads, and the heads, or -1."""
        for base, length in zip(*(part.tolist() for part in self._all), strict=True):
            words = slice(base + 1, base + 1 + length)
            heads = self._heads[words]
            yield self._moves[words].tolist(), np.where(heads < 0, -1, heads - base - 1).tolist()
