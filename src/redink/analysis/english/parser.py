"""Dependencies by spaCy's transition-based parser, all sentences of a batch in step.

The parser reads a sentence from left to right. It keeps words that are not finished on a stack, and
in every step takes the move that its network likes best among those allowed (Nivre 2003; moves may
be taken back as in Honnibal and Johnson 2015): *shift* the next word onto the stack, *reduce* the
stack, *left* and *right* draw an arc with a label between the top of the stack and the next word,
*break* starts a sentence after the next word. A step is a few operations on arrays in which every
sentence has its stretch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from redink.analysis.analyzer import NOT_ASKED
from redink.analysis.english.token_vectors import Floats, Ints, Weights, pad_columns, times

Flags = NDArray[np.bool_]

SHIFT, REDUCE, LEFT, RIGHT, BREAK = range(5)
_GIVE_UP: Final = -1  # no move is allowed
_FEATURES: Final = 8
_NOT_ASKED: Final = -1
_NONE: Final = -2  # in place of a head
_ALL: Final = 1 << 40  # more words than any sentence has
_DELIMITER = "||"  # between a label and the label of the head that it is to be moved to
_TOGETHER = 1024  # sentences parsed in step, at most


Parsed = tuple[tuple[str, ...], tuple[int, ...]]
"""The labels and heads of a sentence."""


class Parser:
    """A trained parser over token vectors."""

    def __init__(self, arrays: Weights, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Take the weights, and by number of a kind of move the counts of its labels."""
        upper, shrink, lower = "parser/linear/0", "parser/linear/1", "parser/precomputable_affine/0"
        weights = arrays[f"{lower}/W"]
        features, units, pieces, inputs = weights.shape
        self._shrink = pad_columns(arrays[f"{shrink}/W"].T), arrays[f"{shrink}/b"]
        # A row an input of a feature, and two more a feature: for no token, and for the bias, which
        # the first feature adds. A column a piece and unit: a unit takes its largest piece.
        self._lower = np.zeros((features, inputs + 2, pieces * units), dtype=np.float32)
        self._lower[:, :inputs] = weights.transpose(0, 3, 2, 1).reshape(features, inputs, -1)
        self._lower[:, inputs] = arrays[f"{lower}/pad"][0].transpose(0, 2, 1).reshape(features, -1)
        self._lower[0, inputs + 1] = arrays[f"{lower}/b"].T.reshape(-1)
        self._lower = self._lower.reshape(features * (inputs + 2), -1)
        self._units, self._pieces = units, pieces
        self._upper = pad_columns(arrays[f"{upper}/W"].T), arrays[f"{upper}/b"]
        moves = [
            (int(kind), label)
            for kind, labels in sorted(counts.items())
            for _, label in sorted(((n, label) for label, n in labels.items()), reverse=True)
        ]
        self._labels = [label for _, label in moves]
        self._is_lifted = np.array([_DELIMITER in label for label in self._labels])
        self._kinds = np.array([kind for kind, _ in moves])

    def parse(
        self,
        vectors: Sequence[Floats],
        words: Sequence[Sequence[str]],
        asked: Sequence[Collection[int] | None],
    ) -> list[Parsed]:
        """Labels and heads of sentences.

        Args:
            vectors: for each sentence, those of its tokens.
            words: the tokens.
            asked: for each sentence, the tokens whose label, head and children are asked for; None
                for all. What is not known when they are is left out.
        """
        done: list[Parsed] = [((), ())] * len(words)
        # Sentences of about the same length take about as many steps.
        order = sorted((n for n, one in enumerate(words) if one), key=lambda n: len(words[n]))
        for start in range(0, len(order), _TOGETHER):
            group = order[start : start + _TOGETHER]
            states = _States([len(words[n]) for n in group], [asked[n] for n in group])
            inputs = self._read(np.concatenate([vectors[n] for n in group]), states.is_word)
            while len(states.base):
                self._step(states, inputs)
            for number, (moves, heads) in zip(group, states.arcs(), strict=True):
                done[number] = self._finish(moves, heads, words[number])
        return done

    def _read(self, vectors: Floats, is_word: Flags) -> Floats:
        """What the network reads of the word at each place."""
        weights, bias = self._shrink
        inputs = np.zeros((len(is_word), len(bias) + 2), dtype=np.float32)
        inputs[is_word, :-2] = times(vectors, weights)[:, : len(bias)] + bias
        inputs[~is_word, -2] = 1
        inputs[:, -1] = 1
        return inputs

    def _step(self, states: _States, inputs: Floats) -> None:
        """Take one move in every sentence that is not finished."""
        read = inputs.take(states.features(), axis=0, mode="clip")
        sums = times(read.reshape(len(read), -1), self._lower)
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
        states.move(kinds, moves, self._is_lifted[moves])

    def _finish(self, moves: list[int], heads: list[int], words: Sequence[str]) -> Parsed:
        labels = [
            self._labels[move] if head >= 0 else "ROOT" if head == _NONE else NOT_ASKED
            for move, head in zip(moves, heads, strict=True)
        ]
        heads = [place if head == _NONE else head for place, head in enumerate(heads)]
        for place, label in enumerate(labels):
            if _DELIMITER in label:
                # The arc could only be drawn to a word above the right one.
                right_label, _, wanted = label.partition(_DELIMITER)
                heads[place] = _find_head(place, wanted, labels, heads, words)
                labels[place] = right_label
        return tuple(labels), tuple(heads)


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

    def __init__(self, sizes: Sequence[int], asked: Sequence[Collection[int] | None]) -> None:
        lengths = np.array(sizes)
        bases = np.cumsum(lengths + 3) - lengths - 3
        size = int(bases[-1] + lengths[-1] + 3)
        self._all = bases, lengths
        nothing = np.repeat(bases, lengths + 3)
        self.is_word = np.ones(size, dtype=np.bool_)
        for place in (bases, bases + lengths + 1, bases + lengths + 2):
            self.is_word[place] = False
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
        # A word that has left the stack for good has its head, and its children have theirs.
        self._is_all_asked = all(some is None for some in asked)
        self._known = np.full(size, self._is_all_asked)
        self._asked = np.zeros(size, dtype=np.bool_)
        self._open = np.full(len(bases), _ALL)  # how many words that are asked for are not known
        for number, (base, some) in enumerate(zip(bases.tolist(), asked, strict=True)):
            if some is not None:
                self._asked[[base + 1 + place for place in some]] = True
                self._open[number] = len({*some})

    def features(self) -> Ints:
        """The places that the network looks at, a row for each sentence."""
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

    def move(self, kinds: Ints, moves: Ints, lifted: Flags) -> None:
        """Take these moves, one in each sentence, of which some draw an arc that is to be moved."""
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
        pop = is_left | is_reduce
        self._depth += push
        self._depth -= pop
        if not self._is_all_asked:
            pop[back] = False
            self._note_known(pop, lifted)
        pushed = push.nonzero()[0]
        self._stack[self.base[pushed] + self._depth[pushed]] = first[pushed]
        again = push & (self._waiting > 0)
        self._waiting -= again
        self._next += push & ~again
        broken = self._second[kinds == BREAK]
        self._starts[broken] = True
        for given_up in (kinds == _GIVE_UP).nonzero()[0]:
            self._known[self.base[given_up] : self._end[given_up]] = True
            self._open[given_up] = 0
        going = (self._depth > 0) | (self._next - self._waiting < self._end)
        going &= self._open > 0
        if not going.all():
            self.base, self._end, self._next = self.base[going], self._end[going], self._next[going]
            self._depth, self._waiting = self._depth[going], self._waiting[going]
            self._open = self._open[going]

    def _note_known(self, pop: Flags, lifted: Flags) -> None:
        """Words left the stack for good in these sentences; in those, an arc is to be moved."""
        words = self._top[pop]
        self._known[words] = True
        self._open[pop] -= self._asked[words]
        self._open[lifted] = _ALL  # where it belongs is known at the end

    def arcs(self) -> Iterator[tuple[list[int], list[int]]]:
        """For each sentence, the moves that gave its words their heads, and the heads."""
        for base, length in zip(*(part.tolist() for part in self._all), strict=True):
            words = slice(base + 1, base + 1 + length)
            heads = self._heads[words]
            found = np.where(heads < 0, _NONE, heads - base - 1)
            found[~self._known[words]] = _NOT_ASKED
            yield self._moves[words].tolist(), found.tolist()
