"""Extract edits: align a sentence with its correction, and merge the steps of the alignment.

Felice et al. (2016) use a Damerau-Levenshtein alignment in which a replacement costs less if the
two words are similar in lemma, part of speech and letters, and any reordering of adjacent words is
one operation. Costs and ties are those of ERRANT 3.0.2, but most of the matrix is never filled. The
result is exact because (1) a cell costs at least its distance from the main diagonal and (2) equal
words always match.

Because of (2), common words at the end are not aligned. Because of (1), only a band of ``reach``
cells on each side of the diagonal is filled: the cost of a cell is exact if it is at most
``reach``. If the last cell costs more, or a transposition compares two costs above ``reach``, a
wider band is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, chain, groupby, pairwise
from operator import itemgetter
from typing import NamedTuple, Protocol

from rapidfuzz.distance.Indel import normalized_distance

from redink.analysis.analyzer import Analysis, Tokens
from redink.analysis.annotation_options import Merging

Distance = Callable[[str, str], float]
Operation = Callable[[int, int], str | int]
"""The operation that reaches a cell; a number is the length of a transposition."""

OTHER_LEMMA = 0.499
OTHER_OPEN_POS = 0.25
OTHER_POS = 0.5
_MANY_CELLS = 5_000
_TOO_MANY_CELLS = 4_000_000
_LONG_RUN = 12
_OUTSIDE = float("inf")
_FIRST_REACH = 3
_NEVER = -1_000_000


class AlignmentStep(NamedTuple):
    """One operation of an alignment that is not a match.

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
) -> list[AlignmentStep]:
    """Return the steps of the cheapest alignment from left to right, without matches.

    Two steps without a match between them are adjacent on both sides.
    """
    ours, theirs = source.tokens, corrected.tokens
    rows, columns = len(ours), len(theirs)
    while rows and columns and ours[rows - 1] == theirs[columns - 1]:
        rows -= 1
        columns -= 1
    if not rows or not columns:
        inserted = [AlignmentStep("I", 0, 0, j, j + 1) for j in range(columns)]
        return inserted or [AlignmentStep("D", i, i + 1, 0, 0) for i in range(rows)]
    start = rows - 1
    if rows == columns and ours[:start] == theirs[:start]:
        # A substitution costs less than 2, the cost of a deletion and an insertion.
        return [AlignmentStep("S", start, rows, start, rows)]
    if levenshtein:
        return _walk_back(_fill_plain(ours[:rows], theirs[:columns]))
    reach = abs(rows - columns) + _FIRST_REACH
    while rows * min(2 * reach, columns) < _MANY_CELLS and rows * columns < _TOO_MANY_CELLS:
        operations = _fill(source, corrected, open_pos, distance, rows, columns, reach)
        if operations is not None:
            return _walk_back(operations)
        reach *= 2
    from redink.analysis.long_passages import fill_long

    return _follow(
        fill_long(source, corrected, rows, columns, open_pos=open_pos, distance=distance),
        rows,
        columns,
    )


def _fill_plain(ours: Tokens, theirs: Tokens) -> list[list[str | int]]:
    width = len(theirs)
    above: list[int] = list(range(width + 1))
    operations: list[list[str | int]] = [["I"] * (width + 1)]
    for i, word in enumerate(ours):
        row = [i + 1]
        chosen: list[str | int] = ["D"]
        for j, other in enumerate(theirs):
            if word == other:
                cost, operation = above[j], "M"
            else:
                # The first of several equal costs is used.
                ways = (above[j] + 1, "S"), (row[j] + 1, "I"), (above[j + 1] + 1, "D")
                cost, operation = min(ways, key=itemgetter(0))
            row.append(cost)
            chosen.append(operation)
        above = row
        operations.append(chosen)
    return operations


def _fill(  # noqa: C901, PLR0912, PLR0915 (the inner loop: calls would double its time)
    source: Analysis,
    corrected: Analysis,
    open_pos: frozenset[str],
    distance: Distance,
    rows: int,
    width: int,
    reach: int,
) -> list[list[str | int]] | None:
    """Return the operation that reaches each cell; a number is the length of a transposition.

    Only cells within ``reach`` of the diagonal are filled. Returns None if that is not enough.
    """
    theirs, theirs_lower = corrected.tokens, corrected.lower
    theirs_lemma, theirs_pos = corrected.lemma, corrected.pos
    ours_lower = source.lower
    # The last position of each row's and column's word on the other side, ignoring case; no
    # transposition begins after this position.
    met_in_row = [_NEVER] * width
    above = [float(j) for j in range(width + 1)]
    costs = [above]
    operations: list[list[str | int]] = [["I"] * (width + 1)]
    for i in range(rows):
        word = source.tokens[i]
        lower = ours_lower[i]
        lemma = source.lemma[i]
        pos = source.pos[i]
        is_open = pos in open_pos
        met_in_column = _NEVER
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
            # If costs are equal, prefer a transposition, then a substitution, an insertion, a
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
                # Letters are compared only if their cost can make a difference.
                cost = 0 if lemma == theirs_lemma[j] else OTHER_LEMMA
                other = theirs_pos[j]
                if pos != other:
                    cost += OTHER_OPEN_POS if is_open and other in open_pos else OTHER_POS
                if diagonal + cost <= left:
                    replaced = diagonal + (cost + distance(word, theirs[j]))
                    if replaced <= left:
                        left = replaced
                        operation = "S"
            offset = i - j if i > j else j - i
            # Inlined: a call of max would take a tenth of the total time.
            span = j - met_in_column
            if i - met_in_row[j] > span:  # noqa: PLR1730
                span = i - met_in_row[j]
            if span + offset <= left:
                span = _find_transposition(costs, ours_lower, theirs_lower, i, j, left, reach)
                if span < 0:
                    return None
                if span:
                    left = costs[i - span][j - span] + span
                    operation = span + 1
            row[j + 1] = left
            chosen[j + 1] = operation
        above = row
        operations.append(chosen)
    return operations if above[width] <= reach else None


def _find_transposition(
    costs: list[list[float]], ours: Tokens, theirs: Tokens, i: int, j: int, limit: float, reach: int
) -> int:
    """Return the length of the transposition that ends at this cell.

    0 means that there is none; -1 that there may be one, but the costs that decide are not exact.
    A transposition that costs more than ``limit`` would not be used, and one that costs more than
    ``reach`` cannot be part of the result.
    """
    limit = min(limit, reach)
    # Cells cost at least their distance from the diagonal.
    longest = limit - abs(i - j)
    certain = True
    here = costs[i][j]
    # The number of unmatched occurrences of each word; 0 in total means all words match.
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
        for word, change in ((ours[i - span], 1), (theirs[j - span], -1)):
            weight = balance.pop(word, 0) + change
            if weight:
                balance[word] = weight
        if not balance:
            if before + span > limit:
                return 0
            return span if certain else -1
        here = before
    return 0


def _walk_back(operations: list[list[str | int]]) -> list[AlignmentStep]:
    return _follow(lambda i, j: operations[i][j], len(operations) - 1, len(operations[0]) - 1)


def _follow(find: Operation, i: int, j: int) -> list[AlignmentStep]:
    steps: list[AlignmentStep] = []
    while i or j:
        operation = find(i, j)
        length = operation if isinstance(operation, int) else 1
        start = i if operation == "I" else i - length
        to_start = j if operation == "D" else j - length
        if operation != "M":
            name = "T" if isinstance(operation, int) else operation
            steps.append(AlignmentStep(name, start, i, to_start, j))
        i, j = start, to_start
    return steps[::-1]


Span = tuple[int, int, int, int]
"""Source tokens ``start:end`` become corrected tokens ``to_start:to_end``."""

Run = list[AlignmentStep]
"""Adjacent steps."""


class MergeDecision(NamedTuple):
    """A decision that steps ``first`` to ``last - 1`` become one edit (none if equal).

    The other steps are examined again, or only the later ones if a bug in the published rules
    loses the earlier ones.
    """

    first: int
    last: int
    loses_start: bool = False


class MergingRules(Protocol):
    """The merging rules of a language, for one sentence and its correction."""

    def decide(self, run: Run, operations: str, first: int, last: int) -> MergeDecision | None:
        """Return the decision of the first rule that applies to steps ``first`` to ``last``."""

    def is_one_edit(self, run: Run) -> bool:
        """Return whether a run that no rule splits is one edit; otherwise each step is one."""

    @property
    def phrase(self) -> frozenset[str]:
        """Parts of speech of windows to which a rule can apply."""

    @property
    def capitals_anywhere(self) -> bool:
        """Whether a moved capital is one edit also if other steps are before it."""

    @staticmethod
    def bare_letters(words: Tokens) -> str:
        """Return the letters by which a rule compares the sides of a window."""

    def may_close(self, end: int, to_end: int) -> bool:
        """Return whether a rule can apply to a window because of its last two words."""


MakeMergingRules = Callable[..., MergingRules]
"""A function of a sentence, its correction, and ``fixed``: whether to correct bugs of ERRANT."""

_KIND_OF_STEP: Mapping[Merging, Callable[[AlignmentStep], object]] = {
    "rules": lambda step: step if step.operation == "T" else None,
    "all-split": lambda step: step,
    "all-merge": lambda _: None,
    # Transpositions of different lengths are different operations.
    "all-equal": lambda step: (step.operation, step.operation == "T" and step.end - step.start),
}
"""Group adjacent steps of one kind to runs."""
STRATEGIES: tuple[str, ...] = tuple(_KIND_OF_STEP)


def merge(
    steps: list[AlignmentStep],
    source: Analysis,
    corrected: Analysis,
    *,
    rules: MakeMergingRules,
    strategy: Merging = "rules",
    fixed: bool = False,
) -> list[Span]:
    """Return the edits from left to right."""
    if strategy == "clause":
        spans = merge(steps, source, corrected, rules=rules, fixed=fixed)
        return _join_paraphrases(spans, source, corrected)
    runs = _runs(steps, _KIND_OF_STEP[strategy])
    if strategy == "rules":
        made = rules(source, corrected, fixed=fixed)
        return [step[1:] for run in runs for step in _merge_run(run, source, corrected, made)]
    return [_join(run)[1:] for run in runs]


_LEAST_REWRITTEN = 3


def _join_paraphrases(spans: list[Span], source: Analysis, corrected: Analysis) -> list[Span]:
    """Join the edits of a clause to one if they rewrite most words from the first to the last.

    Clauses end at punctuation. A word is rewritten if it is inserted, deleted, or replaced by
    words of other lemmas; at least three words must be.
    """
    marks = list(accumulate((not any(map(str.isalnum, t)) for t in source.tokens), initial=0))

    def clause(span: Span) -> tuple[int, int | None]:
        start, end, *_ = span
        return marks[start], start if marks[start] != marks[end] else None  # with a mark: alone

    joined: list[Span] = []
    for _, several in groupby(spans, clause):
        own = list(several)
        first, last = own[0], own[-1]
        whole = (first[0], last[1], first[2], last[3])
        rewritten = sum(
            max(end - start, to_end - to_start)
            for start, end, to_start, to_end in own
            if set(source.lemma[start:end]).isdisjoint(corrected.lemma[to_start:to_end])
        )
        length = max(whole[1] - whole[0], whole[3] - whole[2])
        is_paraphrase = rewritten >= _LEAST_REWRITTEN and 2 * rewritten > length
        joined += [whole] if is_paraphrase else own
    return joined


def _runs(steps: list[AlignmentStep], kind: Callable[[AlignmentStep], object]) -> list[Run]:
    runs: list[Run] = []
    for step in steps:
        previous = runs[-1][-1] if runs else None
        if (
            previous is not None
            and previous.end == step.start
            and previous.to_end == step.to_start
            and kind(previous) == kind(step)
        ):
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs


def _join(run: Run) -> AlignmentStep:
    first, last = run[0], run[-1]
    return AlignmentStep("X", first.start, last.end, first.to_start, last.to_end)


def _merge_run(  # noqa: C901 (a queue of parts)
    run: Run, source: Analysis, corrected: Analysis, rules: MergingRules
) -> Run:
    """Split a run into edits.

    Windows over the run are examined, the widest first. The first rule that applies to a window
    decides where the run is split. The steps before and after are processed in the same way.
    """
    finished: Run = []
    of_run = "".join(step.operation for step in run)
    waiting = [(0, len(run), len(run))]
    long_run = None
    while waiting:
        start, end, examined = waiting.pop()
        part, operations = run[start:end], of_run[start:end]
        if len(part) <= 1:
            finished.extend(part)
            continue
        if not examined:
            finished.append(_join(part))
            continue
        if "S" not in operations:
            alike = operations in {"D" * len(part), "I" * len(part)}
            finished.extend([_join(part)] if alike else part)
            continue
        windows: Iterable[tuple[int, int]] = _windows(len(part), examined)
        if len(part) > _LONG_RUN:
            if long_run is None:
                from redink.analysis.long_passages import LongRun

                long_run = LongRun(run, source, corrected, rules)
            windows = chain(long_run.windows(start, end, examined), pairwise(range(len(part))))
        for first, last in windows:
            if "S" in operations[first : last + 1]:
                cut = rules.decide(part, operations, first, last)
                if cut is not None:
                    break
        else:
            finished.extend([_join(part)] if rules.is_one_edit(part) else part)
            continue
        width = last - first
        waiting.append((start + cut.last, end, width))
        # The finished edit is between the remaining parts to its left and right.
        waiting.append((start + cut.first, start + cut.last, 0))
        if not cut.loses_start:
            waiting.append((start, start + cut.first, width))
    return finished


def _windows(size: int, examined: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last step of each window, the widest first.

    No rule applies to windows wider than ``examined``, because the run is part of another run that
    was examined before. Only at the beginning of the run may this have changed.
    """
    for width in range(size - 1, 0, -1):
        for first in range(1 if width > examined else size - width):
            yield first, first + width
