"""Align and merge long rewritten passages in quadratic time, with the same result.

Alignment: the costs, ties and rounding are those of ``edit_extraction``, but NumPy computes an
antidiagonal at a time. A transposition joins two cells of a diagonal whose prefix sums of word
codes are equal, so sorting finds the candidates.

Merging: a run is split at the widest window to which a rule applies. ``LongRun`` lists the few
windows that qualify, because their conditions are about the ends of the window, equal letters, or
parts of speech.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from redink.analysis.analyzer import Analysis, Tokens
from redink.analysis.edit_extraction import (
    OTHER_LEMMA,
    OTHER_OPEN_POS,
    OTHER_POS,
    Distance,
    MergingRules,
    Operation,
    Run,
)

Integers = NDArray[np.int64]

_CODES = ("I", "D", "S", "M", 0)
_SUBSTITUTE, _MATCH, _TRANSPOSE = 2, 3, 4


def fill_long(
    source: Analysis,
    corrected: Analysis,
    rows: int,
    columns: int,
    *,
    open_pos: frozenset[str],
    distance: Distance,
) -> Operation:
    """Return the operation that reaches each cell of the alignment of the first words."""
    ours, theirs = _Side(source, rows), _Side(corrected, columns)
    prices = _replacement_costs(ours.kinds, theirs.kinds, open_pos, distance)
    # An upper bound on the cost of the last cell.
    reach = Indel.distance(ours.tokens, theirs.tokens)
    for tried in (reach, rows + columns):
        found = _fill(ours, theirs, prices, tried)
        if found is not None:
            break
    assert found is not None
    return found


class _Side:
    """The words of one sentence, and the number of the kind (word, lemma, pos) of each."""

    def __init__(self, sentence: Analysis, end: int) -> None:
        self.tokens, self.lower = sentence.tokens[:end], sentence.lower[:end]
        columns = self.tokens, self.lower, sentence.lemma[:end], sentence.pos[:end]
        kinds: dict[Tokens, int] = {}
        self.kind = np.array([kinds.setdefault(k, len(kinds)) for k in zip(*columns, strict=True)])
        self.kinds = list(zip(*kinds, strict=True))


def _number(ours: Sequence[str], theirs: Sequence[str]) -> list[Integers]:
    codes: dict[str, int] = {}
    return [np.array([codes.setdefault(w, len(codes)) for w in side]) for side in (ours, theirs)]


def _replacement_costs(
    ours: list[Tokens], theirs: list[Tokens], open_pos: frozenset[str], distance: Distance
) -> NDArray[np.float64]:
    same_lower, same_lemma, same_pos = (
        np.equal.outer(*_number(*sides)) for sides in zip(ours[1:], theirs[1:], strict=True)
    )
    is_open, is_open_there = (np.array([p in open_pos for p in side[3]]) for side in (ours, theirs))
    costs = np.where(same_lemma, 0.0, OTHER_LEMMA)
    of_pos = np.where(is_open[:, None] & is_open_there, OTHER_OPEN_POS, OTHER_POS)
    costs += np.where(same_pos, 0.0, of_pos)
    scorer: Any = distance
    costs += cdist(ours[0], theirs[0], scorer=scorer, dtype=np.float64)
    costs[same_lower] = 0
    return costs


def _find_transpositions(ours: _Side, theirs: _Side, reach: int) -> Iterator[Integers]:
    """Return the shortest possible transposition that ends at each cell, except at matches.

    They are source tokens ``start`` to ``end``, on the diagonal ``offset``.
    """
    rng = random.Random(0)
    codes = {word: rng.getrandbits(63) for word in dict.fromkeys((*ours.lower, *theirs.lower))}
    sums = [
        np.cumsum([0, *(codes[word] for word in side.lower)], dtype=np.uint64)
        for side in (ours, theirs)
    ]
    common = set(ours.lower) & set(theirs.lower)
    shared = [np.array([w in common for w in side.lower]) for side in (ours, theirs)]
    words = _number(ours.tokens, theirs.tokens)
    rows, columns = len(ours.lower), len(theirs.lower)
    found = []
    for offset in range(-min(columns, reach), min(rows, reach) + 1):
        first = max(offset, 0)
        size = min(rows - first, columns - first + offset)
        ends = [slice(first, first + size), slice(first - offset, first - offset + size)]
        both = shared[0][ends[0]] & shared[1][ends[1]]
        pairs = both[1:] & both[:-1]
        if not pairs.any():
            continue
        usable = np.zeros(size + 1, dtype=bool)
        usable[2:] = pairs
        usable[:-2] |= pairs
        places = np.flatnonzero(usable)
        difference = sums[0][first + places] - sums[1][first - offset + places]
        order = np.argsort(difference, kind="stable")
        places, difference = places[order], difference[order]
        repeats = np.flatnonzero(difference[1:] == difference[:-1]) + 1
        # One word that differs only in case is a replacement.
        before = repeats - 1
        before -= places[repeats] - places[before] == 1
        long = (before >= 0) & (difference[before] == difference[repeats])
        start, end = first + places[before[long]], first + places[repeats[long]]
        real = words[0][end - 1] != words[1][end - 1 - offset]
        found.append((start[real], end[real], np.full(int(real.sum()), offset)))
    columns_of = zip(*found, strict=True) if found else ([np.zeros(0, dtype=int)],) * 3
    return map(np.concatenate, columns_of)


def _by(keys: Integers, size: int) -> tuple[Integers, Integers]:
    """Return the order of the keys, and where each of the keys below ``size`` begins."""
    order = np.argsort(keys, kind="stable")
    return order, np.searchsorted(keys[order], np.arange(size + 1))


class _Diagonal(NamedTuple):
    """The cells of an antidiagonal from source token ``first``, with one more cell on each side.

    ``equal`` and ``unsure`` are the last cells of each diagonal that cost as much as the cell
    before them, and that may do so.
    """

    first: int
    cost: NDArray[np.float64]
    equal: Integers
    unsure: Integers

    def part(self, start: int, end: int) -> slice:
        """Return the slice of these cells."""
        return slice(start - self.first + 1, end - self.first + 1)


def _fill(  # noqa: C901, PLR0915 (the loop over antidiagonals)
    ours: _Side, theirs: _Side, prices: NDArray[np.float64], reach: int
) -> Operation | None:
    """Fill the cells within ``reach`` of the diagonal; return None if that is not enough."""
    rows, columns = len(ours.lower), len(theirs.lower)
    is_narrow = reach < max(rows, columns)
    kinds, other_kinds = ours.kind, theirs.kind[::-1]
    words, other_words = _number(ours.tokens, theirs.tokens)
    other_words = other_words[::-1]
    start, end, offset = _find_transpositions(ours, theirs, reach)
    before = np.empty(len(start))
    starting, first_starting = _by(2 * start - offset, rows + columns + 1)
    ending, first_ending = _by(2 * end - offset, rows + columns + 1)
    lengths: dict[tuple[int, int], int] = {}
    operations: dict[int, tuple[int, NDArray[np.uint8]]] = {}
    done: list[_Diagonal] = []
    for total in range(rows + columns + 1):
        lowest = max(0, total - columns, (total - reach + 1) // 2)
        highest = min(rows, total, (total + reach) // 2)
        cells = np.zeros((2, highest - lowest + 3), dtype=int)
        now = _Diagonal(lowest, np.full(cells.shape[1], np.inf), *cells)
        if lowest == 0:
            now.cost[1] = total
        if highest == total:
            now.cost[-2] = total
        first, last = max(lowest, 1), min(highest, total - 1) + 1
        if first < last:
            previous, earlier = done
            before_first = earlier.part(first - 1, last - 1)
            diagonal = earlier.cost[before_first]
            cost = previous.cost[previous.part(first, last)] + 1
            deleted = previous.cost[previous.part(first - 1, last - 1)] + 1
            chosen = (deleted < cost).astype(np.uint8)
            np.minimum(cost, deleted, out=cost)
            there = slice(columns - total + first, columns - total + last)
            replaced = diagonal + prices[kinds[first - 1 : last - 1], other_kinds[there]]
            is_better = replaced <= cost
            chosen[is_better] = _SUBSTITUTE
            np.minimum(cost, replaced, out=cost)
            some = ending[first_ending[total] : first_ending[total + 1]]
            if len(some):
                price = before[some] + (end[some] - start[some] - 1)
                inside = end[some] - earlier.first
                here = end[some] - first
                good = price <= np.minimum(cost[here], reach)
                good &= earlier.equal[inside] <= start[some]
                if (good & (earlier.unsure[inside] > start[some])).any():
                    return None
                some, here = some[good], here[good]
                cost[here] = price[good]
                chosen[here] = _TRANSPOSE
                for i, size in zip(end[some].tolist(), (end - start)[some].tolist(), strict=True):
                    lengths[i, total - i] = size
            same = words[first - 1 : last - 1] == other_words[there]
            cost = np.where(same, diagonal, cost)
            chosen[same] = _MATCH
            numbers = np.arange(first, last)
            unsure = (cost > reach) & (diagonal > reach) if is_narrow else np.zeros_like(same)
            equal = (cost == diagonal) & ~unsure
            place = now.part(first, last)
            now.cost[place] = cost
            now.equal[place] = np.where(equal, numbers, earlier.equal[before_first])
            now.unsure[place] = np.where(unsure, numbers, earlier.unsure[before_first])
            operations[total] = first, chosen
        some = starting[first_starting[total] : first_starting[total + 1]]
        before[some] = now.cost[start[some] - lowest + 1]
        done = [now, *done[:1]]
    if now.cost[1] > reach:
        return None

    def find(i: int, j: int) -> str | int:
        if not i or not j:
            return "I" if j else "D"
        first, chosen = operations[i + j]
        return _CODES[chosen[i - first]] or lengths[i, j]

    return find


_PRIME = (1 << 61) - 1
_BASE = 1_000_003
Window = tuple[int, int]
"""The first and the last step."""


class LongRun:
    """Finds the windows of a run to which a merging rule can apply.

    A window from step ``first`` to ``last`` lies between the boundaries ``first`` and ``last + 1``.
    """

    def __init__(
        self, run: Run, source: Analysis, corrected: Analysis, rules: MergingRules
    ) -> None:
        self._run, self._source, self._corrected, self._rules = run, source, corrected, rules
        self._replacements = [0, *accumulate(step.operation == "S" for step in run)]
        last = run[-1]
        self._growth = [*(s.start - s.to_start for s in run), last.end - last.to_end]
        self._letters = self._fingerprints()
        self._closing = [i for i, s in enumerate(run) if rules.may_close(s.end, s.to_end)]
        self._same_end = [
            i for i, s in enumerate(run) if source.lower[s.end - 1] == corrected.lower[s.to_end - 1]
        ]
        of_steps = [
            {*source.pos[s.start : s.end], *corrected.pos[s.to_start : s.to_end]} for s in run
        ]
        self._phrases: list[Window] = []
        kinds = [rules.phrase, *(frozenset({pos}) for pos in sorted(set().union(*of_steps)))]
        for kind in kinds:
            place = 0
            for is_inside, steps in groupby(of_steps, key=kind.issuperset):
                end = place + sum(1 for _ in steps)
                if is_inside:
                    self._phrases.append((place, end))
                place = end

    def windows(self, start: int, end: int, examined: int) -> list[Window]:
        """Return the windows of three or more steps between two boundaries, the widest first.

        Of those wider than ``examined``, only windows at ``start`` can have become different.
        """
        found = {(start, end - 1), *self._moved_capitals(start, end)}
        if examined > 1:
            found.update((start, last) for last in self._closing if last < end)
            found.update(self._equal_letters(start, end))
            found.update(self._one_phrase(start, end))
        usable = [
            (first - start, last - start)
            for first, last in found
            if last - first > 1
            and (first == start or last - first <= examined)
            and self._replacements[first] < self._replacements[last + 1]
        ]
        return sorted(usable, key=lambda window: (window[0] - window[1], window[0]))

    def _moved_capitals(self, start: int, end: int) -> Iterator[Window]:
        """Yield windows of one word on one side, whose last words differ at most in case."""
        run = self._run
        same = [last for last in self._same_end if start < last < end]
        for last in same:
            if run[last].end - run[start].start == 1 or run[last].to_end - run[start].to_start == 1:
                yield start, last
            if self._rules.capitals_anywhere:
                first = last
                while first > start and run[last].to_end - run[first - 1].to_start <= 1:
                    first -= 1
                words = self._source.tokens
                while first < last and not words[run[first].start][0].isupper():
                    first += 1
                yield first, last

    def _equal_letters(self, start: int, end: int) -> Iterator[Window]:
        firsts: dict[tuple[int, int], int] = {}
        lasts: dict[int, int] = {}
        for boundary in range(start, end + 1):
            lasts[firsts.setdefault(self._letters[boundary], boundary)] = boundary
        return ((first, last - 1) for first, last in lasts.items())

    def _one_phrase(self, start: int, end: int) -> Iterator[Window]:
        """Yield windows in passages of one kind: all of it, and the widest of unequal sizes."""
        growth = self._growth
        for place, finish in self._phrases:
            first, last = max(place, start), min(finish, end)
            if last - first < 3:
                continue
            yield first, last - 1
            if growth[first] == growth[last]:
                near, far = first, last
                while near < last and growth[near] == growth[last]:
                    near += 1
                while far > first and growth[far] == growth[first]:
                    far -= 1
                yield from ((near, last - 1), (first, far - 1))

    def _fingerprints(self) -> list[tuple[int, int]]:
        """Return a value per boundary; two are equal if the letters between them are equal."""
        run, sides = self._run, []
        for sentence, places in (
            (self._source, [run[0].start, *(step.end for step in run)]),
            (self._corrected, [run[0].to_start, *(step.to_end for step in run)]),
        ):
            value, length, power, side = 0, 0, 1, [(0, 0)]
            for start, end in pairwise(places):
                for letter in self._rules.bare_letters(sentence.lower[start:end]):
                    value = (value + ord(letter) * power) % _PRIME
                    power = power * _BASE % _PRIME
                    length += 1
                side.append((value, length))
            sides.append(side)
        return [
            (size - to_size, (value - to_value * pow(_BASE, size - to_size, _PRIME)) % _PRIME)
            for (value, size), (to_value, to_size) in zip(*sides, strict=True)
        ]
