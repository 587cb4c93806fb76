"""Alignment of a sentence with its correction, token by token.

Felice et al. (2016): a Damerau-Levenshtein alignment in which replacing a word costs the less, the
more alike two words are in lemma, part of speech and letters, and in which any reordering of
adjacent words is one operation. A plain Levenshtein alignment is there too. Costs, ties and all
are those of ERRANT 3.0.2, but most of the matrix is never filled. Two facts make that exact.

*A cell costs at least its distance from the main diagonal*, since only insertions and deletions
leave the diagonal, at 1 each.

*Equal words always match*, whatever that costs elsewhere.

From the second, a common end of the two sentences can be set aside. A common beginning can be set
aside too if its last word (whatever its case) does not come again in what remains; ``_safe_start``
finds the longest such beginning. For let the cut be before token ``p`` of both sides. On row ``p``
no cell can match, by the choice of the cut, and insertion reaches the lower bound, while a
replacement or a transposition into the row costs more; the same holds for column ``p`` and
deletion. So the edges of the remaining matrix hold the very numbers that they would hold if the
sentences began at the cut, and all cells after them follow from the edges: except that a
transposition may reach back over the cut. On the main diagonal it cannot (the word before the cut
matches, which ends the search). Elsewhere it must span more words than the cell lies behind the
cut, so its cost has a lower bound as well; where a cell's cost does not stay below that bound, the
whole matrix is worked out instead.

From the first, only a band of ``reach`` cells each side of the diagonal is filled. Whatever lies
outside the band costs more than ``reach``, so a cell whose cost comes out as at most ``reach`` has
its right cost, reached by the right operation; the search for a transposition compares costs of
neighbours on a diagonal, which could mislead only where both are above ``reach``, and then the
band is given up. If the last cell costs more than ``reach``, a wider band is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from rapidfuzz.distance.Indel import normalized_distance

from redink.analysis.analyzer import Analysis, Tokens

Distance = Callable[[str, str], float]

_OTHER_LEMMA = 0.499
_OTHER_OPEN_POS = 0.25
_OTHER_POS = 0.5
_OUTSIDE = float("inf")
_FIRST_REACH = 3
_NEVER = -1_000_000
_NEVER_AGAIN = 1_000_000


class _Obstacle(Enum):
    """Why a matrix could not be worked out in part."""

    CUT = "a transposition might begin before the cut"
    BAND = "what lies outside the band might matter"


class Step(NamedTuple):
    """One operation that changes something.

    ``operation`` is ``D`` (deletion), ``I`` (insertion), ``S`` (substitution) or ``T``
    (transposition); source tokens ``start:end`` become corrected tokens ``to_start:to_end``.
    """

    operation: str
    start: int
    end: int
    to_start: int
    to_end: int


def align(
    source: Analysis,
    corrected: Analysis,
    *,
    open_pos: frozenset[str],
    distance: Distance = normalized_distance,
    levenshtein: bool = False,
) -> list[Step]:
    """The cheapest alignment: its steps from left to right, matches left out.

    Two steps with no match between them touch on both sides.

    Args:
        source: the sentence as written.
        corrected: the same after correction.
        open_pos: parts of speech of which one is replaced by another at less cost.
        distance: how far the letters of two words are apart, from 0 to 1.
        levenshtein: plain Levenshtein distance on the words, with no knowledge of language.
    """
    ours, theirs = source.tokens, corrected.tokens
    rows, columns = len(ours), len(theirs)
    while rows and columns and ours[rows - 1] == theirs[columns - 1]:
        rows -= 1
        columns -= 1
    start = _safe_start(source, corrected, rows, columns)
    if rows == start:
        return [Step("I", start, start, j, j + 1) for j in range(start, columns)]
    if columns == start:
        return [Step("D", i, i + 1, start, start) for i in range(start, rows)]
    if rows - start == columns - start == 1:
        # A substitution costs less than 2, which is what deleting and inserting would.
        return [Step("S", start, rows, start, columns)]
    if levenshtein:
        return _walk_back(_fill_plain(ours[start:rows], theirs[start:columns]), start)
    reach = abs(rows - columns) + _FIRST_REACH
    while True:
        operations = _fill(source, corrected, open_pos, distance, start, rows, columns, reach)
        if isinstance(operations, list):
            return _walk_back(operations, start)
        if operations is _Obstacle.CUT:
            start = 0
        else:
            reach *= 2


def _safe_start(source: Analysis, corrected: Analysis, rows: int, columns: int) -> int:
    """How much of the common beginning can be set aside without changing anything."""
    ours, theirs = source.tokens, corrected.tokens
    start = 0
    limit = min(rows, columns)
    while start < limit and ours[start] == theirs[start]:
        start += 1
    if start:
        later = {*source.lower[start:rows], *corrected.lower[start:columns]}
        while start and source.lower[start - 1] in later:
            start -= 1
            later.add(source.lower[start])
    return start


def _fill_plain(ours: Tokens, theirs: Tokens) -> list[list[str | int]]:
    """The operation that reaches each cell, under plain Levenshtein distance."""
    width = len(theirs)
    above: list[int] = list(range(width + 1))
    operations: list[list[str | int]] = [["I"] * (width + 1)]
    for i, word in enumerate(ours):
        left = i + 1
        row = [left]
        chosen: list[str | int] = ["D"]
        for j in range(width):
            if word == theirs[j]:
                left = above[j]
                chosen.append("M")
            else:
                left += 1
                operation = "I"
                if above[j + 1] + 1 < left:
                    left = above[j + 1] + 1
                    operation = "D"
                if above[j] + 1 <= left:
                    left = above[j] + 1
                    operation = "S"
                chosen.append(operation)
            row.append(left)
        above = row
        operations.append(chosen)
    return operations


def _fill(  # noqa: C901, PLR0912, PLR0915 (the inner loop: calls would double its time)
    source: Analysis,
    corrected: Analysis,
    open_pos: frozenset[str],
    distance: Distance,
    start: int,
    rows: int,
    columns: int,
    reach: int,
) -> list[list[str | int]] | _Obstacle:
    """The operation that reaches each cell behind ``start``; a number is a transposition's length.

    Only cells at most ``reach`` from the diagonal are filled.
    """
    theirs = corrected.tokens[start:columns]
    theirs_lower = corrected.lower[start:columns]
    theirs_lemma = corrected.lemma[start:columns]
    theirs_pos = corrected.pos[start:columns]
    ours_lower = source.lower[start:rows]
    width = columns - start
    # Where the words of this row and column were last met on the other side, case apart: no
    # transposition begins after that.
    met_in_row = [_NEVER] * width
    # To begin before the cut, a transposition must find words from there again behind it.
    beginning = {*source.lower[:start]}
    we_repeat = they_repeat = _NEVER_AGAIN
    if start:
        we_repeat = next((i for i, w in enumerate(ours_lower) if w in beginning), _NEVER_AGAIN)
        they_repeat = next((j for j, w in enumerate(theirs_lower) if w in beginning), _NEVER_AGAIN)

    above = [float(j) for j in range(width + 1)]
    costs = [above]
    operations: list[list[str | int]] = [["I"] * (width + 1)]
    for i in range(rows - start):
        word = source.tokens[start + i]
        lower = ours_lower[i]
        lemma = source.lemma[start + i]
        pos = source.pos[start + i]
        is_open = pos in open_pos
        met_in_column = _NEVER
        near_cut = i < reach and (i >= we_repeat or they_repeat < width)
        first = i - reach
        if first <= 0:
            first = 0
            left = i + 1.0
        else:
            left = _OUTSIDE
        row = [_OUTSIDE] * (width + 1)
        row[first] = left
        chosen: list[str | int] = ["D"] * (width + 1)
        costs.append(row)
        for j in range(first, min(width, i + reach + 1)):
            diagonal = above[j]
            if word == theirs[j]:
                met_in_row[j] = i
                met_in_column = j
                row[j + 1] = left = diagonal
                chosen[j + 1] = "M"
                continue
            # Of equal costs a transposition is preferred, then a substitution, an insertion, a
            # deletion.
            left += 1
            operation: str | int = "I"
            upper = above[j + 1] + 1
            if upper < left:
                left = upper
                operation = "D"
            if lower == theirs_lower[j]:
                met_in_row[j] = i
                met_in_column = j
                if diagonal <= left:
                    left = diagonal
                    operation = "S"
            elif diagonal < left:
                # Letters are compared only where the rest of the cost leaves room for them.
                cost = 0 if lemma == theirs_lemma[j] else _OTHER_LEMMA
                other = theirs_pos[j]
                if pos != other:
                    cost += _OTHER_OPEN_POS if is_open and other in open_pos else _OTHER_POS
                if diagonal + cost <= left:
                    replaced = diagonal + (cost + distance(word, theirs[j]))
                    if replaced <= left:
                        left = replaced
                        operation = "S"
            offset = i - j if i > j else j - i
            if (
                near_cut
                and (i >= we_repeat if i > j else j >= they_repeat and i < j)
                and max(i, j) + offset < min(left, reach)
            ):
                return _Obstacle.CUT
            # Spelt out: a call of max would take a tenth of the time of all this.
            span = j - met_in_column
            if i - met_in_row[j] > span:  # noqa: PLR1730
                span = i - met_in_row[j]
            if span + offset <= left:
                span = _find_transposition(costs, ours_lower, theirs_lower, i, j, left, reach)
                if span < 0:
                    return _Obstacle.BAND
                if span:
                    left = costs[i - span][j - span] + span
                    operation = span + 1
            row[j + 1] = left
            chosen[j + 1] = operation
        above = row
        operations.append(chosen)
    return operations if above[width] <= reach else _Obstacle.BAND


def _find_transposition(
    costs: list[list[float]],
    ours: Tokens,
    theirs: Tokens,
    i: int,
    j: int,
    limit: float,
    reach: int,
) -> int:
    """How far back a transposition that ends at this cell begins.

    0 means that there is none; -1 that there may be one, but costs that decide about it are not
    certain. Those that cost more than ``limit`` would not be taken, those that cost more than
    ``reach`` lead nowhere that matters.
    """
    limit = min(limit, reach)
    # Cells cost at least their distance from the diagonal.
    longest = limit - abs(i - j)
    certain = True
    here = costs[i][j]
    # How often a word is still missing on one side; all are met when none is left.
    balance: dict[str, int] = {}
    if ours[i] != theirs[j]:
        balance = {ours[i]: 1, theirs[j]: -1}
    for span in range(1, min(i, j) + 1):
        if span > longest:
            return 0
        before = costs[i - span][j - span]
        if before > reach and here > reach:
            certain = False
        elif here == before:
            return 0
        word = ours[i - span]
        weight = balance.pop(word, 0) + 1
        if weight:
            balance[word] = weight
        word = theirs[j - span]
        weight = balance.pop(word, 0) - 1
        if weight:
            balance[word] = weight
        if not balance:
            if before + span > limit:
                return 0
            return span if certain else -1
        here = before
    return 0


def _walk_back(operations: list[list[str | int]], start: int) -> list[Step]:
    """The steps from the last cell back to the first, in reading order."""
    i, j = len(operations) - 1, len(operations[0]) - 1
    steps: list[Step] = []
    while i or j:
        operation = operations[i][j]
        if operation == "M":
            i -= 1
            j -= 1
            continue
        if operation == "S":
            back, back_to = 1, 1
        elif operation == "D":
            back, back_to = 1, 0
        elif operation == "I":
            back, back_to = 0, 1
        else:
            assert isinstance(operation, int)
            back = back_to = operation
            operation = "T"
        steps.append(
            Step(str(operation), start + i - back, start + i, start + j - back_to, start + j)
        )
        i -= back
        j -= back_to
    steps.reverse()
    return steps
