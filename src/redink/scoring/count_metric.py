"""Metrics computed from the summed TP, FP and FN of the chosen candidates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.model import Column, Edit, Row, Sentence
from redink.model.counts import scorer_measures
from redink.options import Beta, Options
from redink.scoring.metric import (
    Average,
    EditMetric,
    FloatArray,
    Grouping,
    Selection,
    Statistics,
    blocks_of_rows,
    mean_of_sentences,
)
from redink.scoring.selection import Preference, choose, running_totals, usage
from redink.statistics.arrays import divide_or, scorer_f

TypedCounts = Mapping[str, Sequence[float]]
"""TP, FP and FN by error type."""


def _sum(counts: NDArray[Any]) -> NDArray[Any]:
    """Sum over the sentences; integer counts stay integers."""
    whole = np.issubdtype(counts.dtype, np.integer)
    total: NDArray[Any] = counts.sum(axis=0, dtype=np.int64 if whole else np.float64)
    return total


CandidateCounts = tuple[Sequence[float], TypedCounts]
"""TP, FP and FN of a candidate: overall, and by error type."""


def candidate_arrays(annotators: Sequence[Sequence[str]]) -> dict[str, NDArray[Any]]:
    """Pad the candidates of every sentence, given by their annotators, to the same number."""
    there = np.fromiter(map(len, annotators), dtype=np.int64, count=len(annotators))
    present = np.arange(there.max(initial=0) or 1) < there[:, None]
    names = np.full(present.shape, "", dtype=object)
    names[present] = np.array(list(chain.from_iterable(annotators)), dtype=object)
    return {"present": present, "annotator": names}


def candidate_statistics(
    annotators: Sequence[Sequence[str]],
    compared: Sequence[Sequence[CandidateCounts]],
    *,
    typed: bool,
    dtype: type[np.generic] = np.int32,
) -> Statistics:
    """Build the statistics of a :class:`CountedMetric` from the counts of every candidate."""
    arrays = candidate_arrays(annotators)
    present = arrays["present"]
    arrays["counts"] = np.zeros((*present.shape, 3), dtype=dtype)
    # the mask is ordered by sentence, then by candidate
    flat = np.array([counts for each in compared for counts, _ in each], dtype=dtype)
    arrays["counts"][present] = flat.reshape(-1, 3)
    if not typed:
        return Statistics(arrays)
    labels = sorted({label for each in compared for _, by_type in each for label in by_type})
    numbers = {label: number for number, label in enumerate(labels)}
    arrays["typed"] = np.zeros((*present.shape, len(labels), 3), dtype=dtype)
    for sentence, candidates in enumerate(compared):
        for index, (_, by_type) in enumerate(candidates):
            for label, own in by_type.items():
                arrays["typed"][sentence, index, numbers[label]] = own
    return Statistics(arrays, tuple(labels))


WeightFunction = Callable[[str, Edit, str], float]
"""A function of source, edit and reference that returns the weight of the edit."""


class EditComparison(NamedTuple):
    """The edits of a hypothesis and of one annotator.

    Attributes:
        sentence: the ID of the sentence, or its number from 1.
        source: the sentence.
        annotator: the name of the annotator.
        reference: the source with the annotator's edits applied.
        ours: the edits of the hypothesis.
        theirs: the edits of the annotator.
        matched: for each edit of the hypothesis, whether the annotator has it too.
        found: for each edit of the annotator, whether the hypothesis has it too.
    """

    sentence: str
    source: Sentence
    annotator: str
    reference: Sentence
    ours: tuple[Edit, ...]
    theirs: tuple[Edit, ...]
    matched: tuple[bool, ...]
    found: tuple[bool, ...]


class WeighedEdits(NamedTuple):
    """How much of each hypothesis edit is right and wrong, and of each reference edit missed."""

    right: Sequence[float]
    wrong: Sequence[float]
    missed: Sequence[float]

    @property
    def counts(self) -> list[float]:
        return [float(sum(self.right)), float(sum(self.wrong)), float(sum(self.missed))]


class WeightOptions(Options):
    """A method of weighting edits: a frozen dataclass whose fields are its options."""

    @abstractmethod
    def weigh(self, comparisons: Sequence[EditComparison]) -> list[WeighedEdits]:
        """Return how much of the edits of every comparison is right, wrong and missed."""

    def signature(self) -> dict[str, Any]:
        """Return the file or model that the weights depend on besides the options."""
        return {}


@dataclass(frozen=True, kw_only=True)
class CountedMetric(EditMetric):
    """Base class of span scoring and MaxMatch: all steps after the counts.

    The statistics have ``counts`` (sentences, candidates, 3), ``present`` (sentences,
    candidates), ``annotator`` (the name of each candidate's annotator) and, with ``by``,
    ``typed`` (sentences, candidates, error types, 3), where the labels are the error types.

    Attributes:
        by: add one row per operation, main type, full type or tier.
        beta: the weight of recall in F.
        selection: how the annotator is chosen; see :mod:`redink.scoring.selection`.
        average: F of the summed counts, or the mean of the sentences' F (SentM2, SentERRANT), each
            against the best annotator of the sentence.
        weights: weights of edits, if they do not all weigh 1: see :mod:`.edit_weighting`.
    """

    by: Grouping | None = None
    beta: Beta = 0.5
    selection: Selection = "running"
    average: Average = "corpus"
    weights: str | WeightOptions | WeightFunction | None = None

    headline: ClassVar[str] = "f"
    published_preference: ClassVar[Preference]
    types_have_false_positives: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.average == "sentence" and self.by is not None:
            raise OptionError(
                f"{self.name}: scores by error type cannot be combined with average=sentence"
            )
        if self.weights is not None:
            self.weighting()  # reports invalid weights before any work

    def weighting(self) -> WeightOptions:
        """Return the method of weighting edits; use only if ``weights`` is set."""
        from redink.scoring.edit_weighting import weighting_of  # which imports this module

        assert self.weights is not None
        return weighting_of(self.weights)

    @property
    def columns(self) -> tuple[Column, ...]:
        return (
            Column("type"),
            Column("tp", "count"),
            Column("fp", "count"),
            Column("fn", "count"),
            Column("precision", "rate"),
            Column("recall", "rate"),
            Column("f", "rate", best="max", title=f"F{self.beta:g}"),
        )

    def statistics_key(self) -> Hashable:
        return replace(self, beta=0.5, selection="running", average="corpus")

    @property
    def preference(self) -> Preference:
        return self.published_preference

    def signature(self) -> dict[str, Any]:
        return {} if self.weights is None else self.weighting().signature()

    def choices(self, statistics: Statistics) -> NDArray[np.int64]:
        """Return the candidate chosen for every sentence of the corpus."""
        return choose(
            statistics["counts"],
            statistics["present"],
            preference=self.preference,
            selection="sentence" if self.average == "sentence" else self.selection,
            beta=self.beta,
        )

    def _chosen(self, statistics: Statistics, name: str = "counts") -> NDArray[Any]:
        return statistics[name][np.arange(len(statistics)), self.choices(statistics)]

    def rows(self, statistics: Statistics) -> list[Row]:
        rows = [self._row(None, _sum(self._chosen(statistics)).tolist())]
        if self.average == "sentence":
            of_all = self.sentence_rows(statistics)
            for name in ("precision", "recall", "f"):
                rows[0][name] = float(np.mean([row[name] for row in of_all]))
        if self.by is not None:
            typed = _sum(self._chosen(statistics, "typed")).tolist()
            rows += [self._row(*each) for each in zip(statistics.labels, typed, strict=True)]
        return rows

    def _row(self, label: str | None, counts: Sequence[float]) -> Row:
        row: Row = {"type": label, **self.measure_counts(counts)}
        if label is not None and not self.types_have_false_positives:
            row |= {"fp": None, "precision": None, "f": None}
        return row

    def measure_counts(self, counts: Sequence[float]) -> Row:
        """Return TP, FP and FN with precision, recall and F."""
        tp, fp, fn = counts
        precision, recall, f = scorer_measures(tp, fp, fn, self.beta)
        return {"tp": tp, "fp": fp, "fn": fn, "precision": precision, "recall": recall, "f": f}

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """Compute the headline in every sample; annotators are chosen again in each sample."""
        if self.average == "sentence":
            return mean_of_sentences(self._score(self._chosen(statistics)), weights)
        if self.selection == "sentence":
            return self._score_totals(self._totals_of_fixed_choice(statistics, weights))
        blocks: Iterable[FloatArray] = [weights]
        if self.selection != "running" or self.by is not None:  # usage needs much memory
            blocks = blocks_of_rows(weights, statistics["present"].size)
        totals = [self._totals_of_new_choice(statistics, block) for block in blocks]
        return self._score_totals(np.concatenate(totals))

    def _score(self, counts: NDArray[Any]) -> FloatArray:
        """Compute the headline of counts ``(..., 3)``."""
        if self.headline == "f":
            return scorer_f(counts, self.beta)
        tp, missing = counts[..., 0], counts[..., 1 if self.headline == "precision" else 2]
        return divide_or(tp, tp + missing, 1.0)

    def _score_totals(self, totals: FloatArray) -> FloatArray:
        """Compute the headline of every row; that of an error type is NaN without its edits."""
        scores, types = self._score(totals), totals[:, 1:]
        if not self.types_have_false_positives and self.headline != "recall":
            scores[:, 1:] = np.nan
        counted = {"precision": (0, 1), "recall": (0, 2)}.get(self.headline, (0, 1, 2))
        scores[:, 1:][types[..., counted].sum(axis=-1) == 0] = np.nan
        return scores

    def share_labels(self, statistics: Sequence[Statistics]) -> list[Statistics]:
        labels = tuple(sorted({label for each in statistics for label in each.labels}))
        if all(each.labels == labels for each in statistics):
            return list(statistics)
        shared = []
        for each in statistics:
            typed = each["typed"]
            wider = np.zeros((*typed.shape[:2], len(labels), 3), dtype=typed.dtype)
            wider[:, :, [labels.index(label) for label in each.labels]] = typed
            shared.append(replace(each, arrays={**each.arrays, "typed": wider}, labels=labels))
        return shared

    def _all_counts(self, statistics: Statistics) -> NDArray[Any]:
        """Return all counts, overall and then by type: (sentences, candidates, k, 3)."""
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
        preference, beta = self.preference, self.beta
        if self.selection == "running" and self.by is None:
            summed = running_totals(counts, present, weights, preference=preference, beta=beta)
            return summed[:, None, :]
        used = usage(
            counts, present, weights, preference=preference, selection=self.selection, beta=beta
        )
        counts = self._all_counts(statistics)
        totals = np.zeros((len(weights), counts.shape[2] * 3))
        for index, of_candidate in enumerate(used):
            totals += of_candidate @ counts[:, index].reshape(len(counts), -1).astype(float)
        return totals.reshape(len(weights), -1, 3)

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        counts = self._chosen(statistics).tolist()
        annotators = self._chosen(statistics, "annotator").tolist()
        return [
            {"annotator": annotator, **self.measure_counts(own)}
            for annotator, own in zip(annotators, counts, strict=True)
        ]
