"""Partial credit for spans that overlap, micro-averaged, next to exact matching.

Each span of the system is matched with at most one span of the annotator, so that the number of
common tokens is largest. A matched span is correct by the share of its tokens that the other span
has; precision is the mean over the system's spans, recall the mean over the annotator's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from redink.error_detection.curves import FloatArray
from redink.error_detection.study import Case
from redink.formats.ged_tsv import Position
from redink.statistics.arrays import divide_or_nan, f_of_rates

PARTIAL = ("partial_precision", "partial_recall", "partial_f")


def credit_sentence(case: Case) -> tuple[float, int, float, int]:
    """Return the credit and the number of the system's spans, and of the annotator's spans."""
    theirs, ours = (
        cast("list[Position]", sorted(each.forms)) for each in (case.annotator, case.system)
    )
    # the best matching of the first spans: common tokens, credit of the system, of the annotator
    best = [[(0.0, 0.0, 0.0)] * (len(ours) + 1) for _ in range(len(theirs) + 1)]
    for row, gold in enumerate(theirs, start=1):
        for column, found in enumerate(ours, start=1):
            common, size, length = _overlap(gold, found)
            before = best[row - 1][column - 1]
            matched = (before[0] + common, before[1] + common / length, before[2] + common / size)
            best[row][column] = max(best[row - 1][column], best[row][column - 1], matched)
    _, precise, recalled = best[-1][-1]
    return precise, len(ours), recalled, len(theirs)


def _overlap(gold: Position, found: Position) -> tuple[int, int, int]:
    """Return the common tokens and both lengths; an insertion overlaps only the same insertion."""
    if gold == found:
        size = max(1, gold[1] - gold[0])
        return size, size, size
    common = max(0, min(gold[1], found[1]) - max(gold[0], found[0]))
    return common, max(1, gold[1] - gold[0]), max(1, found[1] - found[0])


def credit_cases(cases: Sequence[Sequence[Case]]) -> FloatArray:
    """Return the credits of every sentence against every annotator, (sentences, annotators, 4)."""
    credit = np.zeros((len(cases), max(map(len, cases), default=1), 4))
    for at, candidates in enumerate(cases):
        credit[at, : len(candidates)] = [credit_sentence(case) for case in candidates]
    return credit


def measure_credits(sums: FloatArray, beta: float) -> dict[str, FloatArray]:
    """Return partial precision, recall and F of sums of credits, (4, ...); NaN if undefined."""
    precision, recall = (
        divide_or_nan(np.asarray(sums[i]), np.asarray(sums[i + 1])) for i in (0, 2)
    )
    return dict(zip(PARTIAL, (precision, recall, f_of_rates(precision, recall, beta)), strict=True))
