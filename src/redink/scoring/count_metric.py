"""Metrics whose corpus score is made of the summed TP, FP and FN of the chosen candidates."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.model import Column, Row
from redink.options import Beta
from redink.scoring.metric import EditMetric, FloatArray, Statistics
from redink.scoring.paired_shuffles import Prepared, is_exact, swapped_totals
from redink.scoring.selection import (
    Rule,
    Selection,
    choose,
    running_totals,
    sample_blocks,
    usage,
)
from redink.scoring.weights import Function, WeightOptions, weighing_of

Grouping = Literal["operation", "type", "full"]
Average = Literal["corpus", "sentence"]
OPERATIONS = frozenset({"M", "R", "U"})
_CELLS = 16_000_000


def measures(tp: float, fp: float, fn: float, beta: float) -> tuple[float, float, float]:
    """Precision, recall and F as the published scorers have them.

    Precision is 1 when nothing was proposed and recall is 1 when there was nothing to find.
    """
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    divisor = beta**2 * precision + recall
    return precision, recall, (1 + beta**2) * precision * recall / divisor if divisor else 0.0


def f_scores(counts: NDArray[Any], beta: float) -> FloatArray:
    """F of every row of counts ``(..., 3)``, equal to :func:`measures` to the last bit."""
    tp, fp, fn = (counts[..., i].astype(float) for i in range(3))
    ones = np.ones_like(tp)
    precision = np.divide(tp, tp + fp, out=ones.copy(), where=fp != 0)
    recall = np.divide(tp, tp + fn, out=ones, where=fn != 0)
    divisor = beta**2 * precision + recall
    scores: FloatArray = np.divide(
        (1 + beta**2) * precision * recall, divisor, out=np.zeros_like(tp), where=divisor != 0
    )
    return scores


def group_of(error_type: str, operation: str, by: str) -> str:
    """The group an edit is counted in.

    ERRANT's types carry the operation (``R:VERB:SVA``); other inventories do not, and there the
    operation is told by the edit and the main type is the type.
    """
    if by == "full":
        return error_type
    has_operation = error_type[1:2] == ":" and error_type[0] in OPERATIONS
    if by == "operation":
        if has_operation:
            return error_type[0]
        return error_type if error_type in UNGROUPED else operation
    return error_type[2:] if has_operation else error_type


@cache
def is_selected(error_type: str, operation: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns names this error type.

    ``R:VERB:SVA`` is a full type, ``VERB:SVA`` the same under every operation, ``R:`` all types of
    an operation, and an asterisk stands for anything: ``VERB:*``. In inventories whose types do not
    carry the operation, the edit has it.
    """
    names = type_names(error_type, operation)
    return any(
        pattern in names or any(fnmatchcase(name, _expand(pattern)) for name in names)
        for pattern in patterns
    )


def _expand(pattern: str) -> str:
    return f"{pattern}*" if pattern.endswith(":") else pattern


def type_names(error_type: str, operation: str) -> set[str]:
    """An error type with and without its operation."""
    if error_type[1:2] == ":":
        return {error_type, error_type[2:]}
    is_letter = len(error_type) == 1  # in Chinese, R stands for redundant
    is_bare = not operation or is_letter or error_type in UNGROUPED
    return {error_type} if is_bare else {error_type, f"{operation}:{error_type}"}


def _sum(counts: NDArray[Any]) -> NDArray[Any]:
    """Over the sentences; whole counts stay whole."""
    whole = np.issubdtype(counts.dtype, np.integer)
    total: NDArray[Any] = counts.sum(axis=0, dtype=np.int64 if whole else np.float64)
    return total


UNGROUPED = frozenset({"UNK"})
"""Types that stand beside the operations, as in the ERRANT scorer."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Which candidates every sentence has, padded to the same number for all.

    Attributes:
        present: ``(sentences, candidates)``: where there is one.
        annotator: likewise: its annotator.
    """

    present: NDArray[np.bool_]
    annotator: NDArray[np.object_]

    @classmethod
    def of(cls, annotators: Sequence[Sequence[str]]) -> Candidates:
        """From the annotators of every sentence."""
        there = np.fromiter(map(len, annotators), dtype=np.int64, count=len(annotators))
        present = np.arange(there.max(initial=0) or 1) < there[:, None]
        names = np.full(present.shape, "", dtype=object)
        names[present] = np.array(list(chain.from_iterable(annotators)), dtype=object)
        for array in (present, names):  # systems share them
            array.flags.writeable = False
        return cls(present, names)

    def arrays(
        self, counts: Iterable[Iterable[float]], *, dtype: type[np.generic] = np.int32
    ) -> dict[str, NDArray[Any]]:
        """With the counts of every sentence: those of its candidates, one after the other."""
        values = np.zeros((*self.present.shape, 3), dtype=dtype)
        # in the order in which the mask goes through sentences and candidates
        flat = np.fromiter(chain.from_iterable(counts), dtype=dtype)
        values[self.present] = flat.reshape(-1, 3)
        return {"counts": values, "present": self.present, "annotator": self.annotator}


@dataclass(frozen=True, kw_only=True)
class CountedMetric(EditMetric):
    """What span scoring and MaxMatch share: everything after the counts.

    The statistics hold ``counts`` (sentences, candidates, 3), ``present`` (sentences,
    candidates), ``annotator`` (the name of each candidate's annotator) and, with ``by``,
    ``typed`` (sentences, candidates, error types, 3), the error types being the labels.

    Attributes:
        by: a row also for each operation, main type or full type.
        beta: the weight of recall in F.
        selection: how the annotator is chosen; see :mod:`redink.scoring.selection`.
        average: F of the summed counts, or the mean of the sentences' F (SentM2, SentERRANT), each
            against the annotator that is best for it alone.
        weights: what edits weigh, where they do not all weigh 1: see :mod:`.weights`.
    """

    by: Grouping | None = None
    beta: Beta = 0.5
    selection: Selection = "running"
    average: Average = "corpus"
    weights: str | WeightOptions | Function | None = None

    headline: ClassVar[str] = "f"
    rule: ClassVar[Rule]
    types_have_false_positives: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.average == "sentence" and self.by is not None:
            raise OptionError(
                f"{self.name}: error types have no mean of sentences; by goes with average=corpus"
            )
        if self.weights is not None:
            weighing_of(self.weights)  # a mistake in it is told before the work begins

    @property
    def columns(self) -> tuple[Column, ...]:
        """Counts and the measures made of them."""
        return (
            Column("type"),
            Column("tp", "count"),
            Column("fp", "count"),
            Column("fn", "count"),
            Column("precision", "rate"),
            Column("recall", "rate"),
            Column("f", "rate", best="max", title=f"F{self.beta:g}"),
        )

    def kin(self) -> Hashable:
        """What is done with the counts makes no difference to them."""
        return replace(self, beta=0.5, selection="running", average="corpus")

    @property
    def preference(self) -> Rule:
        """How the annotator is chosen."""
        return self.rule

    def signature(self) -> dict[str, Any]:
        """What the weights come from."""
        return {} if self.weights is None else weighing_of(self.weights).signature()

    def choices(self, statistics: Statistics) -> NDArray[np.int64]:
        """The candidate chosen for every sentence of the corpus."""
        return choose(
            statistics["counts"],
            statistics["present"],
            rule=self.preference,
            selection="sentence" if self.average == "sentence" else self.selection,
            beta=self.beta,
        )

    def rows(self, statistics: Statistics) -> list[Row]:
        """The corpus score, and with ``by`` a row for every error type."""
        chosen = self.choices(statistics)
        sentences = np.arange(len(statistics))
        totals = _sum(statistics["counts"][sentences, chosen])
        rows = [self._row(None, totals.tolist())]
        if self.average == "sentence":
            of_all = self.sentence_rows(statistics)
            for name in ("precision", "recall", "f"):
                rows[0][name] = float(np.mean([row[name] for row in of_all]))
        if self.by is not None:
            typed = _sum(statistics["typed"][sentences, chosen])
            for label, counts in zip(statistics.labels, typed.tolist(), strict=True):
                rows.append(self._row(label, counts))
        return rows

    def _row(self, label: str | None, counts: list[float]) -> Row:
        tp, fp, fn = counts
        precision, recall, f = measures(tp, fp, fn, self.beta)
        row: Row = {"type": label, "tp": tp, "fp": fp, "fn": fn}
        row |= {"precision": precision, "recall": recall, "f": f}
        if label is not None and not self.types_have_false_positives:
            row |= {"fp": None, "precision": None, "f": None}
        return row

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """F of every row in every sample; the annotators are chosen again in each."""
        if self.average == "sentence":
            chosen = self.choices(statistics)
            f = f_scores(statistics["counts"][np.arange(len(chosen)), chosen], self.beta)
            means: FloatArray = (weights @ f / weights.sum(axis=1))[:, None]
            return means
        if self.selection == "sentence":
            totals = self._totals_of_fixed_choice(statistics, weights)
        else:
            blocks = [slice(None)]
            if self.selection != "running" or self.by is not None:  # what is used is kept
                blocks = sample_blocks(len(weights), *statistics["counts"].shape[:2])
            totals = np.concatenate(
                [self._totals_of_new_choice(statistics, weights[block]) for block in blocks]
            )
        scores = f_scores(totals, self.beta)
        if not self.types_have_false_positives:
            scores[:, 1:] = np.nan
        return scores

    def _all_counts(self, statistics: Statistics) -> NDArray[Any]:
        """Counts of every candidate, overall and then by type: (sentences, candidates, k, 3)."""
        overall = statistics["counts"][:, :, None, :]
        if self.by is None:
            return overall
        return np.concatenate([overall, statistics["typed"]], axis=2)

    def _totals_of_fixed_choice(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        chosen = self.choices(statistics)
        counts = self._all_counts(statistics)[np.arange(len(chosen)), chosen]
        flat = counts.reshape(len(counts), -1).astype(float)
        totals: FloatArray = (weights @ flat).reshape(len(weights), -1, 3)
        return totals

    def _totals_of_new_choice(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        counts, present = statistics["counts"], statistics["present"]
        rule, selection, beta = self.preference, self.selection, self.beta
        if selection == "running" and self.by is None:
            summed = running_totals(counts, present, weights, rule=rule, beta=beta)
            return summed[:, None, :]
        used = usage(counts, present, weights, rule=rule, selection=selection, beta=beta)
        counts = self._all_counts(statistics)
        totals = np.zeros((len(weights), counts.shape[2] * 3))
        for index, of_candidate in enumerate(used):
            totals += of_candidate @ counts[:, index].reshape(len(counts), -1).astype(float)
        return totals.reshape(len(weights), -1, 3)

    def shuffle(
        self,
        statistics: Sequence[Statistics],
        pairs: Sequence[tuple[int, int]],
        swaps: NDArray[np.bool_],
    ) -> Iterator[tuple[int, FloatArray]]:
        """See :meth:`Metric.shuffle`; what does not depend on the pair is worked out once."""
        if self.weights is not None or self.average == "sentence":  # sums would be rounded
            yield from super().shuffle(statistics, pairs, swaps)
        elif self.selection == "sentence":
            yield from self._shuffle_fixed_choice(statistics, pairs, swaps)
        elif self.selection == "running" and self.by is None and is_exact(self.beta):
            rule, beta = self.rule, self.beta
            prepared = [
                Prepared.of(each["counts"], each["present"], rule=rule, beta=beta)
                for each in statistics
            ]
            columns = np.ascontiguousarray(swaps.T)
            for place, (first, second) in enumerate(pairs):
                ours, theirs = swapped_totals(
                    prepared[first], prepared[second], columns, rule=rule, beta=beta
                )
                yield place, (f_scores(ours, beta) - f_scores(theirs, beta))[:, None]
        else:
            yield from super().shuffle(statistics, pairs, swaps)

    def _shuffle_fixed_choice(
        self,
        statistics: Sequence[Statistics],
        pairs: Sequence[tuple[int, int]],
        swaps: NDArray[np.bool_],
    ) -> Iterator[tuple[int, FloatArray]]:
        """With a choice that nothing changes, counts are exchanged by addition."""
        weights = swaps.astype(float)
        own = [self._totals_of_fixed_choice(each, np.ones((1, len(each)))) for each in statistics]
        given = [self._totals_of_fixed_choice(each, weights) for each in statistics]
        for place, (first, second) in enumerate(pairs):
            moved = given[second] - given[first]
            scores = f_scores(own[first] + moved, self.beta) - f_scores(
                own[second] - moved, self.beta
            )
            if not self.types_have_false_positives:
                scores[:, 1:] = np.nan
            yield place, scores

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Counts and measures of every sentence against the annotator chosen for it."""
        chosen = self.choices(statistics)
        sentences = np.arange(len(statistics))
        counts = statistics["counts"][sentences, chosen].tolist()
        annotators = statistics["annotator"][sentences, chosen].tolist()
        rows = []
        for (tp, fp, fn), annotator in zip(counts, annotators, strict=True):
            precision, recall, f = measures(tp, fp, fn, self.beta)
            rows.append(
                {
                    "annotator": annotator,
                    "tp": tp,
                    "fp": fp,
                    "fn": fn,
                    "precision": precision,
                    "recall": recall,
                    "f": f,
                }
            )
        return rows
