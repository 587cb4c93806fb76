"""From single steps of an alignment to edits: what belongs together is merged.

``rules`` is the strategy of Felice et al. (2016) with the rules of a language; the others merge
nothing (``all-split``), everything that touches (``all-merge``), or everything that touches and is
the same operation (``all-equal``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol, get_args

from redink.analysis.align import Step
from redink.analysis.analyzer import Analysis

Merging = Literal["rules", "all-split", "all-merge", "all-equal"]
STRATEGIES: tuple[str, ...] = get_args(Merging)

Span = tuple[int, int, int, int]
"""Source tokens ``start:end`` become corrected tokens ``to_start:to_end``."""

Run = list[Step]
"""Steps that touch."""


class Cut(NamedTuple):
    """Steps ``first`` to ``last - 1`` become one edit (none, if equal).

    The rest is looked at again; or only the steps behind it, where a published fault loses those
    before it.
    """

    first: int
    last: int
    loses_start: bool = False


class MergingRules(Protocol):
    """The rules of a language, over one sentence and its correction."""

    def decide(self, run: Run, operations: str, first: int, last: int) -> Cut | None:
        """What the first rule that fits steps ``first`` to ``last`` makes of the run.

        Args:
            run: the steps.
            operations: what each does, a letter a step.
            first: where the window begins.
            last: the last step inside it.
        """

    def is_one_edit(self, run: Run) -> bool:
        """Whether a run that no rule cuts is one edit; if not, each step is one."""


class MakeMergingRules(Protocol):
    """What makes the rules for a sentence and its correction."""

    def __call__(self, source: Analysis, corrected: Analysis, *, fixed: bool) -> MergingRules:
        """The rules; ``fixed`` mends what is wrong in the original."""


def merge(
    steps: list[Step],
    source: Analysis,
    corrected: Analysis,
    *,
    rules: MakeMergingRules,
    strategy: Merging = "rules",
    fixed: bool = False,
) -> list[Span]:
    """The edits, from left to right.

    Args:
        steps: the alignment, matches left out.
        source: the sentence as written.
        corrected: the same after correction.
        rules: the rules of the language.
        strategy: how steps are merged.
        fixed: mend what is wrong in the original (see the documentation).
    """
    if strategy == "rules":
        made = rules(source, corrected, fixed=fixed)
        return [_span(step) for run in _split_runs(steps) for step in _merge_run(run, made)]
    if strategy == "all-split":
        return [_span(step) for step in steps]
    kind = _exact_operation if strategy == "all-equal" else _any_operation
    return [_span(_join(run)) for run in _runs(steps, kind)]


def _span(step: Step) -> Span:
    return step[1:]


def _exact_operation(step: Step) -> tuple[str, int]:
    """The operation; transpositions of different lengths are different operations."""
    return step.operation, step.end - step.start if step.operation == "T" else 0


def _any_operation(_: Step) -> None:
    return None


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


def _merge_run(run: Run, rules: MergingRules) -> Run:
    """The run in edits.

    It is looked at through windows, the widest first. The first rule that fits a window decides
    where the run is cut; what lies beside the cut is worked out in the same way.
    """
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
        found = _find_cut(part, operations, examined, rules)
        if found is None:
            finished.extend([_join(part)] if rules.is_one_edit(part) else part)
            continue
        (first, last, loses_start), width = found
        waiting.append((part[last:], width))
        if first < last:
            # Set aside as done, in its place between what is left and right of it.
            waiting.append(([_join(part[first:last])], width))
        if not loses_start:
            waiting.append((part[:first], width))
    return finished


def _find_cut(
    run: Run, operations: str, examined: int, rules: MergingRules
) -> tuple[Cut, int] | None:
    """Where the run is cut, and the width of the window that decided it.

    Windows wider than ``examined`` are known to fit no rule, since the run is part of another
    that was looked at already; only at the beginning of the run may that have changed.
    """
    for width in range(len(run) - 1, 0, -1):
        for first in range(1 if width > examined else len(run) - width):
            last = first + width
            if "S" in operations[first : last + 1]:
                cut = rules.decide(run, operations, first, last)
                if cut is not None:
                    return Cut(*cut), width
    return None
