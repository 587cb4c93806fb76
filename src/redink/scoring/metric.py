"""What a metric is, and every metric by name.

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
   Check the values in ``__post_init__`` and raise :class:`~redink.errors.OptionError`.
2. Give it ``name``, ``needs`` (what it reads: see :data:`Needs`), ``headline`` (the column that
   ranks systems) and ``columns`` (what its rows hold after ``system`` and ``metric``); if it
   takes seconds for a system, say that it ``is_heavy``.
3. Write ``collect``: references and one system's hypotheses in, :class:`Statistics` out. Keep
   for every sentence and every reference what the corpus score is a function of (counts of
   matches, n-grams, lengths), not the sentence's score. Compute a choice of reference here only
   if it does not depend on the other sentences; otherwise keep the candidates and choose later.
4. Write ``rows``, ``resample`` and ``sentence_rows`` from the statistics alone. The contract
   tests check that ``resample`` under weights of one repeats the headline of every row, and that
   a sentence of weight two counts like a sentence that stands there twice.
5. Add its home to ``_HOMES`` below, its name to the page ``docs/scoring.md``, and a test that it
   equals the published program to the last digit.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from redink.errors import DataError, OptionError
from redink.model import Column, Hypotheses, References

Row = dict[str, Any]
Value = TypeVar("Value")
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


def _padded(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    return np.pad(array, [(0, most - size) for most, size in zip(shape, array.shape, strict=True)])


class Metric(Protocol):
    """A procedure that scores a system against references; its fields are its options."""

    name: ClassVar[str]
    needs: ClassVar[Needs]
    headline: ClassVar[str]
    """The column by which systems are ranked and compared: ``f`` or ``score``."""
    is_heavy: ClassVar[bool] = False
    """Whether collecting takes so long that another process may as well do it."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """What its rows hold, in the order shown."""
        ...

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Compare one system with the references, once."""
        ...

    def rows(self, statistics: Statistics) -> list[Row]:
        """The corpus scores: a row, or one for every level or error type, the overall one first.

        A measure that is undefined is None.
        """
        ...

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """The headline of every row under each weighting of the sentences.

        Args:
            statistics: of one system, or of two interleaved.
            weights: ``(samples, sentences)``, whole numbers: how often a sentence counts.

        Returns:
            ``(samples, rows)``; NaN where a measure is undefined.
        """
        ...

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """For every sentence its scores and counts, under the choices made for the corpus."""
        ...

    def verdicts(
        self,
        references: References,  # noqa: ARG002 (for metrics that have verdicts)
        hypotheses: Hypotheses,  # noqa: ARG002
        statistics: Statistics,  # noqa: ARG002
    ) -> list[list[Row]] | None:
        """For every sentence its edits with ``verdict`` TP, FP or FN; None if it compares none."""
        return None

    def signature(self) -> dict[str, Any]:
        """Its options, for the signature of a result.

        A metric whose figures depend on more than its options (a word list, a library) adds it.
        """
        return _options(self)


def _options(metric: Metric) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if dataclasses.is_dataclass(metric):
        for field in dataclasses.fields(metric):
            value = getattr(metric, field.name)
            # an option that is not used is left out; a number that is 0 is used
            if value is not None and value is not False and value != ():
                values[field.name] = list(value) if isinstance(value, tuple) else value
    return values


# Where each metric lives, in the order in which they are shown. Loaded only when asked for.
_HOMES = {
    "errant": "redink.scoring.errant:Errant",
    "m2": "redink.scoring.m2.metric:MaxMatch",
    "gleu": "redink.scoring.gleu:Gleu",
    "imeasure": "redink.scoring.imeasure:IMeasure",
    "bleu": "redink.scoring.bleu:Bleu",
    "meteor": "redink.scoring.meteor.metric:Meteor",
}


def metric_names() -> tuple[str, ...]:
    """Every metric there is."""
    return tuple(_HOMES)


def metric_class(name: str) -> type[Metric]:
    """The class of the metric of that name."""
    try:
        module, _, attribute = _HOMES[name].partition(":")
    except KeyError:
        raise OptionError(f"there is no metric {name!r}; there are: {', '.join(_HOMES)}") from None
    found: type[Metric] = getattr(importlib.import_module(module), attribute)
    return found


def make_metric(name: str, **options: Any) -> Metric:
    """A metric made with those of the options that it has; None means its default.

    The command line has one set of options for all metrics, so an option that this metric does
    not have is passed over here; :func:`make_metrics` sees to it that some metric has it.
    """
    chosen = metric_class(name)
    known = option_names(chosen)
    return chosen(**{k: v for k, v in options.items() if k in known and v is not None})


def make_metrics(names: Iterable[str], **options: Any) -> tuple[Metric, ...]:
    """Several metrics with one set of options; an option that none of them has is an error."""
    wanted = tuple(dict.fromkeys(names))
    if not wanted:
        raise OptionError(f"no metric was asked for; there are: {', '.join(_HOMES)}")
    known = {option for name in wanted for option in option_names(metric_class(name))}
    for option, value in options.items():
        if value is not None and option not in known:
            raise OptionError(
                f"the option {option.replace('_', '-')} has no meaning for {', '.join(wanted)}"
            )
    return tuple(make_metric(name, **options) for name in wanted)


def option_names(metric: type[Metric]) -> frozenset[str]:
    """The options of a metric."""
    if not dataclasses.is_dataclass(metric):
        return frozenset()
    return frozenset(field.name for field in dataclasses.fields(metric))
