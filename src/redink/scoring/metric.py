"""The interface of a metric: statistics of every sentence, and corpus scores computed from them.

A metric is a frozen value built from its options. :meth:`Metric.collect` compares one system with
the references once. Rows, confidence intervals and paired tests are computed from its statistics: a
bootstrap sample weights the sentences, and so does a permutation of two interleaved systems.

To add a metric:

1. Write a frozen, keyword-only dataclass. Its fields are its options, each with a default and a
   type that rejects invalid values: ``Literal`` for choices, ``Annotated[float, Limits(0)]``.
2. If the score is a function of summed statistics, inherit :class:`SummedMetric` and write
   ``collect`` and ``score``. Otherwise inherit :class:`Metric`, or :class:`EditMetric` if the
   metric reads the edits of the references, and write its abstract methods.
3. Store in the statistics the inputs of the corpus score (matches, n-grams, lengths) for every
   sentence and reference, not the score of the sentence.
4. Add a line to :data:`redink.scoring.specs.METRICS`, or an entry point of the group
      ``redink.metrics`` in another package; add a docs page, and a test that the metric equals
      the published program to the last digit. Contract tests run for every metric automatically.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from redink.errors import DataError
from redink.model import Column, Hypotheses, References, Row
from redink.options import Options

FloatArray = NDArray[np.float64]

Needs = Literal["edits", "reference-edits", "text"]
"""Input of a metric: edits of hypotheses and references; text of hypotheses and edits of
references; or text of both. Missing edits are extracted automatically."""

# Types of options that several metrics share.
Average = Literal["corpus", "sentence"]
Grouping = Literal["operation", "type", "full", "tier"]
Level = Literal["correction", "detection-span", "detection-token", "correction-typed"]
Only = Literal["single", "multi"]
ReferenceEdits = Literal["auto", "gold"]
Selection = Literal["running", "sentence", "optimal"]


@dataclasses.dataclass(frozen=True)
class Statistics:
    """Arrays from which corpus scores are computed; the first axis is the sentence.

    Attributes:
        arrays: arrays by name.
        labels: names along another axis (error types), the same for every sentence.
        notes: facts that a reader of the scores should know.
    """

    arrays: Mapping[str, NDArray[Any]]
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len({len(array) for array in self.arrays.values()}) != 1:
            raise DataError("statistics need arrays with one row per sentence")

    def __len__(self) -> int:
        return len(next(iter(self.arrays.values())))

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def take(self, indices: NDArray[np.int64]) -> Statistics:
        """Select sentences, in the order of ``indices``."""
        arrays = {name: array[indices] for name, array in self.arrays.items()}
        return dataclasses.replace(self, arrays=arrays)


def interleave(first: Statistics, second: Statistics) -> Statistics:
    """Alternate the sentences of two systems: first, second, first, second ...

    A system made by swapping some sentences of two systems corresponds to weights of the result: 1
    and 0 for a sentence of the first system, 0 and 1 for one of the second.
    """
    if first.labels != second.labels:
        raise DataError("statistics with different labels cannot be interleaved")
    arrays = {}
    for name, ours in first.arrays.items():
        theirs = second.arrays[name]
        if len(ours) != len(theirs):
            raise DataError("statistics of different corpora cannot be interleaved")
        # one system may have more candidates for its sentences than the other
        shape = tuple(map(max, ours.shape, theirs.shape))
        pair = (_padded(ours, shape), _padded(theirs, shape))
        arrays[name] = np.stack(pair, axis=1).reshape(-1, *shape[1:])
    return Statistics(arrays, first.labels, first.notes)


def join(parts: Sequence[Statistics]) -> Statistics:
    """Concatenate the statistics of parts of a corpus, which must have the same labels."""
    arrays = {}
    for name in parts[0].arrays:
        several = [part.arrays[name] for part in parts]
        most = np.max([array.shape[1:] for array in several], axis=0).astype(int)
        arrays[name] = np.concatenate([_padded(a, (len(a), *most)) for a in several])
    return dataclasses.replace(parts[0], arrays=arrays)


def _padded(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if array.shape == shape:
        return array
    return np.pad(array, [(0, most - size) for most, size in zip(shape, array.shape, strict=True)])


Kind = TypeVar("Kind", bound=np.generic)

_CELLS = 4_000_000


def blocks_of_rows(rows: NDArray[Kind], width: int) -> Iterator[NDArray[Kind]]:
    """Yield the rows in blocks of limited memory, if each row needs ``width`` numbers."""
    step = max(1, _CELLS // max(1, width))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]


Collect = Callable[[References, Hypotheses], Statistics]
"""A function that compares one system with the references."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class About:
    """What users should know about a metric.

    Attributes:
        rewards: what increases its score.
        fails: its known weaknesses.
        cite: the publication.
        languages: the codes of the languages it was made for, or ``any``.
        people: agreement with human judgments on SEEDA, from our own runs of ``redink meta``:
            Pearson's r over twelve systems, Pearson's r with two fluency-rewriting systems added,
            and the share of sentence pairs that the metric orders as the judges do.
        in_all: whether ``all`` includes it; not if it has another purpose.
    """

    rewards: str
    fails: str
    cite: str
    languages: str = "any"
    people: tuple[float, float, float] | None = None
    in_all: bool = True


class Metric(Options, ABC):
    """A procedure that scores a system against references; its fields are its options.

    ``str()`` returns its spec, from which :func:`redink.scoring.specs.parse_metric` makes an equal
    metric: ``m2(beta=1,max_unchanged_words=3)``.
    """

    name: ClassVar[str]
    needs: ClassVar[Needs]
    headline: ClassVar[str]
    """The column by which systems are ranked and compared: ``f`` or ``score``."""
    about: ClassVar[About | None] = None
    """Shown by ``redink metrics``."""
    is_heavy: ClassVar[bool] = False
    """Whether collecting takes seconds, so that worker processes share it."""
    is_divisible: ClassVar[bool] = False
    """Whether the statistics and labels of some sentences do not depend on the other sentences."""
    needs_model: ClassVar[bool] = False
    """Whether it needs a model that the user provides."""
    lower_is_better: ClassVar[bool] = False
    """Whether the best system has the lowest score, such as an error rate."""

    @property
    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """Return the columns after ``system`` and ``metric``, in display order."""

    @abstractmethod
    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Compare one system with the references, once."""

    def collector(self, references: References, systems: Sequence[Hypotheses]) -> Collect:
        """Return the function that collects the statistics of each of these systems.

        A metric that learns from all systems together (such as the difficulty of each error) learns
        here. The engine calls this once, with all systems.
        """
        return self.collect

    def orient(self, score: float) -> float:
        """Return a score that is higher for better systems: its negative if lower is better."""
        return -score if self.lower_is_better else score

    def measured_by(self, measure: str) -> Self:
        """Return the metric with another of its measures as headline, to test that measure."""
        same = copy.copy(self)
        object.__setattr__(same, "headline", measure)
        return same

    def share_labels(self, statistics: Sequence[Statistics]) -> list[Statistics]:
        """Return the statistics of several systems with the same labels, so with the same rows."""
        return list(statistics)

    def statistics_key(self) -> Hashable:
        """Return a value that is equal for metrics with equal statistics, collected once."""
        return self

    @abstractmethod
    def rows(self, statistics: Statistics) -> list[Row]:
        """Return the corpus scores: one row, or one per level or error type, the overall one first.

        A measure that is undefined is None.
        """

    @abstractmethod
    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """Compute the headline of every row under each weighting of the sentences.

        Args:
            statistics: of one system, or of two interleaved systems.
            weights: ``(samples, sentences)``, integers: how often a sentence counts.

        Returns:
            ``(samples, rows)``; NaN where a measure is undefined.
        """

    def shuffle(
        self,
        statistics: Sequence[Statistics],
        pairs: Sequence[tuple[int, int]],
        swaps: NDArray[np.bool_],
    ) -> Iterator[tuple[int, FloatArray]]:
        """Yield the differences of all headlines when two systems exchange sentences.

        Args:
            statistics: of every system.
            pairs: the systems to compare.
            swaps: ``(samples, sentences)``: the sentences that are exchanged.

        Yields:
            The index of a pair, and differences for some of the samples, ``(samples, rows)``: the
            first system minus the second. Samples come in several parts to limit the memory.
        """
        for some in blocks_of_rows(swaps, 2 * swaps.shape[1]):
            # by column, as metrics read them sentence by sentence
            swapped = some.T.astype(float, order="C")
            weights, others = (
                np.stack(sides, axis=1).reshape(-1, len(some)).T
                for sides in ((1 - swapped, swapped), (swapped, 1 - swapped))
            )
            for number, (first, second) in enumerate(pairs):
                both = interleave(statistics[first], statistics[second])
                yield number, self.resample(both, weights) - self.resample(both, others)

    @abstractmethod
    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Return scores and counts of every sentence, under the choices made for the corpus."""

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]] | None:
        """Return the edits of every sentence with ``verdict`` TP, FP or FN; None without edits."""
        return None

    def signature(self) -> dict[str, Any]:
        """Return what scores depend on besides the options, such as a word list or a library."""
        return {}

    @property
    def label(self) -> str:
        """Its name in tables, plots and JSON: the spec without ``by``, which only adds rows."""
        return self._spec(without="by")

    def __str__(self) -> str:
        return self._spec()

    def _spec(self, without: str | None = None) -> str:
        options = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value != field.default and field.name != without:
                options.append(f"{field.name}={_written(value)}")
        return f"{self.name}({','.join(options)})" if options else self.name


@dataclasses.dataclass(frozen=True, kw_only=True)
class EditMetric(Metric):
    """A metric that reads the references' edits.

    Attributes:
        reference_edits: annotate the references like the systems: extract their edits again
            (``auto``), or keep their edits and reclassify them (``gold``). By default, use the
            edits in the file.
    """

    reference_edits: ReferenceEdits | None = None


def reference_edits_of(metric: Metric) -> ReferenceEdits | None:
    """Return the kind of reference edits that a metric needs; None for those in the file."""
    return metric.reference_edits if isinstance(metric, EditMetric) else None


def _written(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "+".join(_written(one) for one in value)
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}:{value.__qualname__}"
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


class SummedMetric(Metric):
    """A metric whose score is a function of summed statistics.

    It needs two methods: ``collect`` returns statistics with the array ``counts`` (sentences,
    ...), and ``score`` turns a weighted sum of its rows into the score.
    """

    needs: ClassVar[Needs] = "text"
    headline: ClassVar[str] = "score"

    @abstractmethod
    def score(self, sums: FloatArray) -> FloatArray | Mapping[str, FloatArray]:
        """Return the score of ``sums``, or several measures by name, including the headline.

        ``sums`` has the axes of one row of ``counts``, after any number of other axes.
        """

    @property
    def is_mean(self) -> bool:
        """Whether the corpus score is the mean of the scores of sentences."""
        return False

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column("score", "score", best="max"),)

    def measures(self, sums: FloatArray) -> Mapping[str, FloatArray]:
        found = self.score(sums)
        return found if isinstance(found, Mapping) else {self.headline: found}

    def rows(self, statistics: Statistics) -> list[Row]:
        counts = statistics["counts"]
        values: Mapping[str, Any]
        if self.is_mean:
            values = {name: of_all.mean() for name, of_all in self.measures(counts).items()}
        else:
            values = self.measures(counts.sum(axis=0))
        names = [column.name for column in self.columns if column.name in values]
        return [{name: defined(values[name].item()) for name in names}]

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        counts = statistics["counts"]
        if self.is_mean:
            return mean_of_sentences(self.measures(counts)[self.headline], weights)
        sums = weights @ counts.reshape(len(counts), -1)
        return self.measures(sums.reshape(len(weights), *counts.shape[1:]))[self.headline][:, None]

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        values = {name: of_all.tolist() for name, of_all in self._of_sentences(statistics).items()}
        rows = zip(*values.values(), strict=True)
        return [dict(zip(values, map(defined, row), strict=True)) for row in rows]

    def _of_sentences(self, statistics: Statistics) -> Mapping[str, NDArray[Any]]:
        return self.measures(statistics["counts"])


def mean_of_sentences(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean of the values of sentences under each weighting, ``(samples, 1)``."""
    means: FloatArray = weights @ values / weights.sum(axis=1)
    return means[:, None]


def defined(value: Any) -> Any:
    """Replace NaN by None."""
    return None if isinstance(value, float) and math.isnan(value) else value


SentenceFunction = Callable[[str, str, list[str]], float]
"""A function of source, hypothesis and references of a sentence that returns its score."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class FunctionMetric(SummedMetric):
    """The mean over sentences of a Python function of source, hypothesis and references.

    Attributes:
        function: returns the score of a sentence; the metric is named after it.
    """

    function: SentenceFunction

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the function."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def is_mean(self) -> bool:
        return True

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        texts = zip(references.sources, hypotheses.texts, *references.filled_texts, strict=True)
        values = [self._call(number, *map(str, one)) for number, one in enumerate(texts, start=1)]
        return Statistics({"counts": np.array(values, dtype=np.float64)})

    def _call(self, number: int, source: str, hypothesis: str, *references: str) -> float:
        try:
            value = float(self.function(source, hypothesis, list(references)))
        except Exception as error:  # whatever the caller's function may raise
            raise DataError(
                f"{self.name} failed at sentence {number}: {type(error).__name__}: {error}"
            ) from error
        if not math.isfinite(value):
            raise DataError(f"{self.name} returned {value} for sentence {number}, not a number")
        return value

    def score(self, sums: FloatArray) -> FloatArray:
        return sums

    def signature(self) -> dict[str, Any]:
        return {"function": _written(self.function)}

    def _spec(self, without: str | None = None) -> str:
        del without
        return self.name
