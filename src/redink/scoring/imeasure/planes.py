"""The cells in which source and hypothesis can be at the same time, and what each costs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from redink.scoring.imeasure.alignment import GAP, MISMATCH, Tokens, remaining_costs

Plane = NDArray[np.int64]
Cell = tuple[int, int]
Future = tuple[tuple[Tokens, ...], ...]
"""What references may still have, part by part, each with its alternatives."""

ALONE = 2 * GAP
"""What a word costs that faces a gap in both other texts."""
UNREACHED = 1 << 40


def width(source: Tokens, hypothesis: Tokens) -> float:
    """How many cells of a plane matter, for each word of the source."""
    return float(_near(source, hypothesis)[1].sum() / (len(source) + 1))


def _near(source: Tokens, hypothesis: Tokens) -> tuple[Plane, NDArray[np.bool_]]:
    """What remains to be paid from each cell on, and which cells can matter."""
    onwards = np.array(remaining_costs(source, hypothesis))
    so_far = np.array(remaining_costs(source[::-1], hypothesis[::-1]))[::-1, ::-1]
    return onwards, onwards + so_far <= 2 * onwards[0, 0]


class Pair:
    """Source and hypothesis, and the cells in which they can be at the same time.

    A path that leaves the best alignment of the two far behind is not the cheapest, whatever the
    reference. Let the three pairs cost *sh*, *sr* and *hr* when aligned apart, and *sr* <= *hr*;
    the other case is alike. Aligning hypothesis and reference as their alignments with the source
    say costs at most *sh* + *sr* for that pair (costs obey the triangle inequality), so the three
    together cost at most *sh* + *sr* + (*sh* + *sr*) <= *sh* + *sr* + *hr* + *sh*. Hence a cell
    matters only if aligning source and hypothesis through it costs at most 2 *sh*. Such cells lie
    near a diagonal, and a plane is kept by diagonals: row ``d``, column ``i`` is the cell of
    ``i`` source words and ``i + d + lowest`` hypothesis words.
    """

    def __init__(self, source: Tokens, hypothesis: Tokens) -> None:
        self.source, self.hypothesis = source, hypothesis
        onwards, near = _near(source, hypothesis)
        rows, columns = np.nonzero(near)
        self.lowest = int((columns - rows).min())
        diagonals = np.arange(self.lowest, int((columns - rows).max()) + 1)
        i = np.arange(len(source) + 1)[None, :]
        j = i + diagonals[:, None]
        inside = (j >= 0) & (j <= len(hypothesis))
        self.places = np.where(inside, j, 0)
        """The hypothesis words used in each cell."""
        self.open = inside & near[i, self.places]
        self.remaining = onwards[i, self.places]
        numbers: dict[str, int] = {}
        self.source_words = np.array([numbers.setdefault(w, len(numbers)) for w in source], int)
        of_hypothesis = np.array([-1, *(numbers.setdefault(w, len(numbers)) for w in hypothesis)])
        # the words that were used last to get into a cell
        last_source = np.array([-2, *self.source_words])[None, :]
        self.numbers = numbers
        self.last_hypothesis = of_hypothesis[self.places]
        self.last_source = last_source
        self.substitutions = np.where(last_source == self.last_hypothesis, 0, MISMATCH)
        self.along = np.cumsum(self.substitutions + ALONE, axis=1)

    def against(self, word: str, start: int) -> tuple[Plane, Plane]:
        """What a word of the reference costs beside the last words of source and hypothesis."""
        number = self.numbers.get(word, -3)
        return (
            np.where(self.last_source[:, start:] == number, 0, MISMATCH),
            np.where(self.last_hypothesis[:, start:] == number, 0, MISMATCH),
        )

    def close(self, plane: Plane, start: int) -> Plane:
        """The plane after any further words of source and hypothesis that face gaps."""
        along = self.along[:, start:]
        plane -= along
        np.minimum.accumulate(plane, axis=1, out=plane)
        if len(plane) > 1:
            # passes to higher diagonals (hypothesis words alone), to lower ones (source words
            # alone) and so on, until a pass changes nothing
            higher = along[:-1] - along[1:] + ALONE
            lower = along[1:, :-1] - along[:-1, 1:] + ALONE
            while True:
                _climb(plane, higher)
                before = plane.copy()
                _descend(plane, lower)
                if np.array_equal(plane, before):
                    break
                before = plane.copy()
                _climb(plane, higher)
                if np.array_equal(plane, before):
                    break
        plane += along
        plane[~self.open[:, start:]] = UNREACHED
        return plane

    def change(self, cell: Cell, future: Future, start: int) -> Plane:
        """What it may cost at most to turn what follows any cell into what follows this one.

        Words that a cell still has before it and this one has not are taken out of the alignment:
        a match parted costs a gap, anything else saves at least a mismatch for a gap. There are no
        more matches than the longest common subsequence has words. Between source and hypothesis
        a match is not a loss where both its words are taken out; and words taken out of the one
        cannot match what stays of the other while words taken out of the other do the same.
        """
        i, j = cell
        source, hypothesis = self.source[:i], self.hypothesis[:j]
        rest_of_source, rest_of_hypothesis = self.source[i:], self.hypothesis[j:]
        with_source = _fit(_saved(longest_common(source, future)), len(self.source))
        with_hypothesis = _fit(_saved(longest_common(hypothesis, future)), len(self.hypothesis))
        to_hypothesis = longest_common(source, ((rest_of_hypothesis,),))
        to_source = longest_common(hypothesis, ((rest_of_source,),))
        places = self.places[:, start:]
        between = GAP * np.maximum(
            _stay(to_hypothesis, len(self.source))[None, start:],
            _stay(to_source, len(self.hypothesis))[places],
        )
        source_only = _fit(_saved(to_hypothesis), len(self.source))[None, start:]
        hypothesis_only = _fit(_saved(to_source), len(self.hypothesis))[places]
        rows = np.arange(start, len(self.source) + 1)[None, :]
        both_behind = (rows < i) & (places < j)
        costs = with_source[None, start:] + with_hypothesis[places]
        return costs + np.where(both_behind, between, source_only + hypothesis_only)


@lru_cache(maxsize=4096)
def longest_common(words: Tokens, future: Future) -> Plane:
    """For every end part of ``words``, its longest common subsequence with any continuation.

    A continuation takes one of the alternatives of each part of ``future``.
    """
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    longest = np.zeros(len(words) + 1, int)
    for alternatives in reversed(future):
        results = []
        for alternative in alternatives:
            result = longest
            for word in reversed(alternative):
                if word in places:
                    at = np.array(places[word])
                    longer = result.copy()
                    longer[at] = result[at + 1] + 1
                    result = np.maximum.accumulate(longer[::-1])[::-1]
            results.append(result)
        longest = np.maximum.reduce(results)
    return longest


def _saved(matches: Plane) -> Plane:
    """The most it costs to take the words of each end part away from another text."""
    count = np.arange(len(matches) - 1, -1, -1)
    return matches * GAP + (count - matches) * (GAP - MISMATCH)


def _fit(costs: Plane, length: int) -> Plane:
    """Costs for words before a position, and those of putting words in after it."""
    behind = len(costs) - 1
    return np.concatenate([costs[:-1], np.arange(length + 1 - behind) * GAP])


def _stay(matches: Plane, length: int) -> Plane:
    return np.concatenate([matches, np.zeros(length + 1 - len(matches), int)])


def _climb(plane: Plane, steps: Plane) -> None:
    for row, below, step in zip(plane[1:], plane, steps, strict=False):
        np.minimum(row, below + step, out=row)
        np.minimum.accumulate(row, out=row)


def _descend(plane: Plane, steps: Plane) -> None:
    for row, above, step in zip(plane[-2::-1], plane[::-1], steps[::-1], strict=False):
        np.minimum(row[1:], above[:-1] + step, out=row[1:])
        np.minimum.accumulate(row, out=row)


def lower(target: Plane, candidate: Plane) -> None:
    """Make costs the lesser of what they are and what they could be."""
    np.minimum(target, candidate, out=target)
