"""From single steps of an alignment to edits: what belongs together is merged.

``rules`` is the strategy of Felice et al. (2016) as ERRANT 3.0.2 has it; the others merge nothing
(``all-split``), everything that touches (``all-merge``), or everything that touches and is the same
operation (``all-equal``).
"""

from __future__ import annotations

from collections.abc import Callable
from string import punctuation
from typing import Literal, get_args

from rapidfuzz.distance.Indel import normalized_distance

from redink.analysis.align import Step
from redink.analysis.analyser import Analysis
from redink.errors import OptionError

Merging = Literal["rules", "all-split", "all-merge", "all-equal"]
STRATEGIES: tuple[str, ...] = get_args(Merging)

Span = tuple[int, int, int, int]
"""Source tokens ``start:end`` become corrected tokens ``to_start:to_end``."""

_CONTENT = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
_VERBAL = frozenset({"AUX", "PART", "VERB"})
_SIMILAR = 0.75
_IGNORED_IN_SPELLING = str.maketrans("", "", "'-")
_PUNCTUATION = frozenset(punctuation)

Run = list[Step]


def merge(
    steps: list[Step],
    source: Analysis,
    corrected: Analysis,
    *,
    strategy: Merging = "rules",
    fixed: bool = False,
) -> list[Span]:
    """The edits, from left to right.

    Args:
        steps: the alignment, matches left out.
        source: the sentence as written.
        corrected: the same after correction.
        strategy: how steps are merged.
        fixed: mend what is wrong in the original (see the documentation).

    Raises:
        OptionError: there is no such strategy.
    """
    if strategy == "rules":
        merger = _RuleMerger(source, corrected, fixed=fixed)
        return [_span(s) for run in _split_runs(steps) for s in merger.merge(run)]
    if strategy == "all-split":
        return [_span(step) for step in steps]
    if strategy == "all-merge":
        return [_span(_join(run)) for run in _runs(steps, lambda _: True)]
    if strategy == "all-equal":
        return [_span(_join(run)) for run in _runs(steps, _exact_operation)]
    raise OptionError(
        f"there is no merging strategy {strategy!r}; there are: {', '.join(STRATEGIES)}"
    )


def _span(step: Step) -> Span:
    return step[1:]


def _exact_operation(step: Step) -> tuple[str, int]:
    """The operation; transpositions of different lengths are different operations."""
    return step.operation, step.end - step.start if step.operation == "T" else 0


def _runs(steps: list[Step], kind: Callable[[Step], object]) -> list[Run]:
    """Steps that touch and are of one kind."""
    runs: list[Run] = []
    previous: Step | None = None
    for step in steps:
        touches = (
            previous is not None
            and previous.end == step.start
            and previous.to_end == step.to_start
            and kind(previous) == kind(step)
        )
        if touches:
            runs[-1].append(step)
        else:
            runs.append([step])
        previous = step
    return runs


def _split_runs(steps: list[Step]) -> list[Run]:
    """Steps that touch, every transposition alone."""
    if len(steps) <= 1:
        return [steps] if steps else []
    found: list[Run] = []
    for run in _runs(steps, lambda step: step.operation == "T"):
        if run[0].operation == "T":
            found.extend([step] for step in run)
        else:
            found.append(run)
    return found


def _join(run: Run) -> Step:
    first, last = run[0], run[-1]
    return Step("X", first.start, last.end, first.to_start, last.to_end)


Cut = tuple[int, int]
"""Steps ``first`` to ``last - 1`` become one edit (none, if equal); the rest is looked at again."""


class _RuleMerger:
    """The rules of merging, over one sentence and its correction.

    A run of steps is looked at through windows, the widest first. The first rule that fits a
    window decides where the run is cut; what lies beside the cut is worked out in the same way.
    """

    def __init__(self, source: Analysis, corrected: Analysis, *, fixed: bool) -> None:
        self._source = source
        self._corrected = corrected
        self._fixed = fixed

    def merge(self, run: Run) -> Run:
        """The run in edits."""
        finished: Run = []
        waiting = [(run, len(run))]
        while waiting:
            part, examined = waiting.pop()
            if len(part) <= 1:
                finished.extend(part)
                continue
            operations = "".join(step.operation for step in part)
            if "S" not in operations:
                alike = operations in {"D" * len(part), "I" * len(part)}
                finished.extend([_join(part)] if alike else part)
                continue
            found = self._find_cut(part, operations, examined)
            if found is None:
                finished.extend([_join(part)] if self._has_content(part) else part)
                continue
            (first, last), width = found
            waiting.append((part[last:], width))
            if first < last:
                # Set aside as done, in its place between what is left and right of it.
                waiting.append(([_join(part[first:last])], width))
            waiting.append((part[:first], width))
        return finished

    def _find_cut(self, run: Run, operations: str, examined: int) -> tuple[Cut, int] | None:
        """Where the run is cut, and the width of the window that decided it.

        Windows wider than ``examined`` are known to fit no rule, since the run is part of another
        that was looked at already; only at the beginning of the run may that have changed.
        """
        for width in range(len(run) - 1, 0, -1):
            for first in range(1 if width > examined else len(run) - width):
                last = first + width
                if "S" in operations[first : last + 1]:
                    cut = self._decide(run, operations, first, last)
                    if cut is not None:
                        return cut, width
        return None

    def _has_content(self, run: Run) -> bool:
        source = self._source.pos[run[0].start : run[-1].end]
        corrected = self._corrected.pos[run[0].to_start : run[-1].to_end]
        return not (_CONTENT.isdisjoint(source) and _CONTENT.isdisjoint(corrected))

    def _decide(self, run: Run, operations: str, first: int, last: int) -> Cut | None:  # noqa: PLR0911 (one return a rule)
        """What the first rule that fits this window makes of the run."""
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        source, corrected = self._source, self._corrected
        # possessive endings: alone at the beginning, else with the word before
        # [friends -> friend 's]
        if first == 0 and "POS" in (source.tag[start], corrected.tag[to_start]):
            return 0, 1
        if "POS" in (source.tag[end - 1], corrected.tag[to_end - 1]):
            return last - 1, last + 1
        size, to_size = end - start, to_end - to_start
        if source.lower[end - 1] == corrected.lower[to_end - 1]:
            # a capital that moved [Cat -> The big cat], with punctuation before it [, we -> . We]
            if first == 0 and (
                (size == 1 and corrected.tokens[to_start][0].isupper())
                or (to_size == 1 and source.tokens[start][0].isupper())
            ):
                return first, last + 1
            if (size > 1 and self._is_punctuation(source, end - 2)) or (
                to_size > 1 and self._is_punctuation(corrected, to_end - 2)
            ):
                return last - 1, last + 1
        # spaces and hyphens only [acat -> a cat], [sub - way -> subway]
        joined = "".join(source.lower[start:end]).translate(_IGNORED_IN_SPELLING)
        if joined == "".join(corrected.lower[to_start:to_end]).translate(_IGNORED_IN_SPELLING):
            return first, last + 1
        # one part of speech, or verbs with their auxiliaries and particles [to eat -> eating]
        if size != to_size:
            pos = {*source.pos[start:end], *corrected.pos[to_start:to_end]}
            if len(pos) == 1 or pos <= _VERBAL:
                return first, last + 1
        return self._decide_pair(run, operations, first, last) if last - first == 1 else None

    def _decide_pair(self, run: Run, operations: str, first: int, last: int) -> Cut | None:
        """The rules that split, for two neighbouring steps."""
        source, corrected = self._source, self._corrected
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        if (
            (end - start == 2 and to_end - to_start == 2)
            or (operations[first] == "S" and self._is_similar(start, to_start))
            or (operations[last] == "S" and self._is_similar(end - 1, to_end - 1))
        ):
            return last, last
        # a determiner at the end stands alone
        if last == len(run) - 1 and (
            (operations[-1] in "DS" and source.pos[end - 1] == "DET")
            or (operations[-1] in "IS" and corrected.pos[to_end - 1] == "DET")
        ):
            return last, last + 1
        return None

    def _is_similar(self, index: int, to_index: int) -> bool:
        distance = normalized_distance(self._source.tokens[index], self._corrected.tokens[to_index])
        return 1 - distance > _SIMILAR

    def _is_punctuation(self, sentence: Analysis, index: int) -> bool:
        if sentence.pos[index] == "PUNCT":
            return True
        word = sentence.tokens[index]
        # The original looks for the word anywhere in a string of all marks, so that "()" is
        # punctuation and ")(" is not.
        return _PUNCTUATION.issuperset(word) if self._fixed else word in punctuation
