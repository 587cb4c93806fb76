"""What a metric is.

A metric is a frozen value made from its options. It works in two steps, so that whatever is
slow is done once for a system and never again for an interval or a test:

1. :meth:`Metric.collect` compares one system with the references and keeps *statistics*: small
   arrays with a row for every sentence;
2. :meth:`Metric.rows` and :meth:`Metric.resample` make corpus scores from the statistics, the
   second under any weighting of the sentences. A bootstrap sample is a weighting (how often
   each sentence was drawn); so is a shuffle of two systems, over their interleaved statistics.

To add a metric:

1. Write a frozen, keyword-only dataclass that inherits :class:`Metric`. Its fields are its
   options, each with a default; an option that other metrics have too keeps its name (``beta``).
   Their types refuse wrong values: ``Literal`` for choices, ``Annotated[float, Limits(0)]``.
   A metric that reads the references' edits inherits :class:`EditMetric` instead.
2. Give it ``name``, ``needs`` (what it reads: see :data:`Needs`), ``headline`` (the column that
   ranks systems) and ``columns`` (what its rows hold after ``system`` and ``metric``); if it
   takes seconds for a system, say that it ``is_heavy``.
3. Write ``collect``: references and one system's hypotheses in, :class:`Statistics` out. Keep
   for every sentence and every reference what the corpus score is a function of (counts of
   matches, n-grams, lengths), not the sentence's score. Compute a choice of reference here only
   if it does not depend on the other sentences; otherwise keep the candidates and choose later.
   What depends on the other systems is learnt in ``collector``.
4. Write ``rows``, ``resample`` and ``sentence_rows`` from the statistics alone. The contract
   tests check that ``resample`` under weights of one repeats the headline of every row, and that
   a sentence of weight two counts like a sentence that stands there twice.
5. Name its home in :data:`redink.scoring.specs.METRICS`, or in another package by an entry point
   of the group ``redink.metrics``; add a page of the docs, and a test that it equals the published
   program to the last digit.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from redink.errors import DataError
from redink.model import Column, Hypotheses, References, Row
from redink.options import Options

FloatArray = NDArray[np.float64]

Needs = Literal["edits", "reference-edits", "text"]
"""What a metric reads: the edits of both hypotheses and references; the text of hypotheses and
the edits of references; or the text of both. Edits that no file gives are made by annotating."""


@dataclasses.dataclass(frozen=True)
class Statistics:
    """What corpus scores are made from: arrays whose first axis is the sentence.

    Attributes:
        arrays: by name; every array has as many rows as there are sentences.
        labels: names along another axis (error types), the same for every sentence.
        notes: what a reader of the scores should know about how they were made.
    """

    arrays: Mapping[str, NDArray[Any]]
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len({len(array) for array in self.arrays.values()}) != 1:
            raise DataError("statistics need arrays with one row for every sentence")

    def __len__(self) -> int:
        return len(next(iter(self.arrays.values())))

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def take(self, indices: NDArray[np.int64]) -> Statistics:
        """The statistics of a corpus made of these sentences, in this order."""
        arrays = {name: array[indices] for name, array in self.arrays.items()}
        return dataclasses.replace(self, arrays=arrays)


def interleave(first: Statistics, second: Statistics) -> Statistics:
    """Both systems' statistics, sentence by sentence: first, second, first, second ...

    A system made by swapping some sentences of two systems is a weighting of this: 1 and 0 where
    the first system's sentence stands, 0 and 1 where the second's does. Labels must agree, so
    statistics by error type are to be collected over the same inventory of types.
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
    """The statistics of a corpus from those of its parts, which have the same labels."""
    arrays = {}
    for name, first in parts[0].arrays.items():
        several = [part.arrays[name] for part in parts]
        if any(array.shape[1:] != first.shape[1:] for array in several):
            most = tuple(map(max, *(array.shape[1:] for array in several)))
            several = [_padded(array, (len(array), *most)) for array in several]
        arrays[name] = np.concatenate(several)
    return dataclasses.replace(parts[0], arrays=arrays)


def _padded(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    return np.pad(array, [(0, most - size) for most, size in zip(shape, array.shape, strict=True)])


Kind = TypeVar("Kind", bound=np.generic)

_CELLS = 4_000_000


def blocks_of_rows(rows: NDArray[Kind], width: int) -> Iterator[NDArray[Kind]]:
    """The rows, so many at a time that something of this width for each fits the memory."""
    step = max(1, _CELLS // max(1, width))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]


Collect = Callable[[References, Hypotheses], Statistics]
"""Compares one system with the references."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class About:
    """What to know about a metric before one trusts it, in a few words each.

    Attributes:
        rewards: what makes its score high.
        fails: what it is known to get wrong.
        cite: where it was published.
        languages: for which languages it was made: their codes, or ``any``.
        people: its agreement with people on SEEDA, from our own runs of ``redink meta``: Pearson's
            r over twelve systems, the same with two that rewrite for fluency, and the share of
            pairs of sentences that it orders as people do.
    """

    rewards: str
    fails: str
    cite: str
    languages: str = "any"
    people: tuple[float, float, float] | None = None


class Metric(Options, ABC):
    """A procedure that scores a system against references; its fields are its options.

    Printed, it is its spec, from which :func:`redink.scoring.specs.parse_metric` makes an equal
    metric: ``m2(beta=1,max_unchanged_words=3)``.
    """

    name: ClassVar[str]
    needs: ClassVar[Needs]
    headline: ClassVar[str]
    """The column by which systems are ranked and compared: ``f`` or ``score``."""
    about: ClassVar[About | None] = None
    """What ``redink metrics`` says about it."""
    is_heavy: ClassVar[bool] = False
    """Whether collecting takes so long that another process may as well do it."""
    is_divisible: ClassVar[bool] = False
    """Whether the statistics of some sentences, and their labels, are the same without the rest."""
    needs_model: ClassVar[bool] = False
    """Whether it can only be made with a model that the user has."""

    @property
    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """What its rows hold, in the order shown."""

    @abstractmethod
    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Compare one system with the references, once."""

    def collector(
        self,
        references: References,  # noqa: ARG002 (for metrics that learn from all systems)
        systems: Sequence[Hypotheses],  # noqa: ARG002
    ) -> Collect:
        """What collects the statistics of each of these systems: :meth:`collect` itself.

        A metric that learns something from all systems together, as how hard each error is, does
        it here and gives a function that knows it. The engine asks once, with all systems.
        """
        return self.collect

    def kin(self) -> Hashable:
        """Metrics whose kin is equal have equal statistics, which are collected once for all."""
        return self

    @abstractmethod
    def rows(self, statistics: Statistics) -> list[Row]:
        """The corpus scores: a row, or one for every level or error type, the overall one first.

        A measure that is undefined is None.
        """

    @abstractmethod
    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """The headline of every row under each weighting of the sentences.

        Args:
            statistics: of one system, or of two interleaved.
            weights: ``(samples, sentences)``, whole numbers: how often a sentence counts.

        Returns:
            ``(samples, rows)``; NaN where a measure is undefined.
        """

    def shuffle(
        self,
        statistics: Sequence[Statistics],
        pairs: Sequence[tuple[int, int]],
        swaps: NDArray[np.bool_],
    ) -> Iterator[tuple[int, FloatArray]]:
        """For every pair of systems, differences of all headlines when they exchange sentences.

        What all pairs and samples give together need not fit the memory; so it comes in parts,
        in whatever order suits the metric.

        Args:
            statistics: of every system.
            pairs: which of them are compared.
            swaps: ``(samples, sentences)``: which sentences a pair exchanges.

        Yields:
            The place of a pair, and for some samples, each of which comes once, ``(samples,
            rows)``: the first of the pair less the second.
        """
        for place, (first, second) in enumerate(pairs):
            both = interleave(statistics[first], statistics[second])
            for some in blocks_of_rows(swaps, len(both)):
                swapped = some.astype(float)
                weights = np.stack((1 - swapped, swapped), axis=2).reshape(len(swapped), -1)
                yield place, self.resample(both, weights) - self.resample(both, 1 - weights)

    @abstractmethod
    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """For every sentence its scores and counts, under the choices made for the corpus."""

    def verdicts(
        self,
        references: References,  # noqa: ARG002 (for metrics that have verdicts)
        hypotheses: Hypotheses,  # noqa: ARG002
        statistics: Statistics,  # noqa: ARG002
    ) -> list[list[Row]] | None:
        """For every sentence its edits with ``verdict`` TP, FP or FN; None if it compares none."""
        return None

    def signature(self) -> dict[str, Any]:
        """What its figures depend on besides its options: a word list, a library."""
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


ReferenceEdits = Literal["auto", "gold"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class EditMetric(Metric):
    """A metric that reads the references' edits.

    Attributes:
        reference_edits: annotate the references as the systems are: extract their edits again
            (``auto``), or keep their edits and classify them again (``gold``). By default the
            edits are those of the file.
    """

    reference_edits: ReferenceEdits | None = None


def reference_edits_of(metric: Metric) -> ReferenceEdits | None:
    """Return the kind of reference edits that a metric asks for; None: those of the file."""
    return metric.reference_edits if isinstance(metric, EditMetric) else None


def _written(value: Any) -> str:
    """The value of an option as a spec has it."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "+".join(_written(one) for one in value)
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}:{value.__qualname__}"
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)
