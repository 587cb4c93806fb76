"""Rules of ``redink gate``: what is measured, on which sentences, and how far it may change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import erfc, nan, sqrt
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

import numpy as np

from redink.errors import DataError, OptionError, RedinkError, unknown_name
from redink.evaluation import Evaluation
from redink.inputs.metadata import Columns
from redink.model import Hypotheses, References
from redink.scoring.metric import FloatArray, Grouping, Metric, Needs, Statistics, SummedMetric
from redink.scoring.metric_checks import OPERATIONS
from redink.scoring.specs import METRICS, parse_metric

_RULE = re.compile(
    r"""\s*(?P<spec>[\w+-]+(?:\([^)]*\))?)
        (?:\.(?P<measure>[A-Za-z_]\w*(?:\.\d+)?))?
        (?:\[(?P<type>[^\]]+)\])?
        \s*(?P<change>drop|rise)?
        \s*(?P<sign><=|>=|<|>)
        \s*(?P<bound>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE]-?\d+)?)(?P<percent>\s*%)?
        (?:\s+by\s+(?P<by>.+?))?
        (?:\s+where\s+(?P<where>.+))?\s*""",
    re.VERBOSE | re.DOTALL,
)
_MEASURES = {"p": "precision", "r": "recall"}
ALL_TYPES = "*"


@dataclass(frozen=True)
class GateRule:
    """A rule such as ``errant.f[DET] drop <= 0.01 by level``.

    Attributes:
        text: the rule as written.
        spec: a metric, ``overcorrection``, ``refusals`` or the name of a column.
        measure: a measure of the metric; None for its main score.
        type: an error type; ``*`` for each type.
        change: the direction of a change from the baseline; None for a limit of the candidate.
        sign: ``<=``, ``<``, ``>=`` or ``>``.
        bound: the limit, or the largest allowed change.
        by: the columns whose slices are tested separately.
        where: the condition of the tested sentences.
    """

    text: str
    spec: str
    measure: str | None = None
    type: str | None = None
    change: Literal["drop", "rise"] | None = None
    sign: str = "<="
    bound: float = 0.0
    by: tuple[str, ...] = ()
    where: str | None = None

    @classmethod
    def parse(cls, text: str) -> GateRule:
        """Parse a rule."""
        found = _RULE.fullmatch(text)
        if found is None:
            raise OptionError(
                f"invalid rule {text!r}; expected for example 'errant.f >= 0.55', "
                "'errant.f drop <= 0.01' or 'errant.f[DET] drop <= 0.02 by level'"
            )
        given = found.groupdict()
        bound = float(given["bound"]) / (100 if given["percent"] else 1)
        if given["change"] and (given["sign"][0] != "<" or bound < 0):
            raise OptionError(
                f"invalid rule {text!r}; a drop or rise needs <= and a limit of 0 or more"
            )
        spec, measure = given["spec"], given["measure"]
        if measure and (beta := re.fullmatch(r"[fF](\d[\d.]*)", measure)):
            spec, measure = (
                f"{spec.removesuffix(')')}{',' if '(' in spec else '('}beta={beta[1]})",
                "f",
            )
        if measure is not None:
            measure = _MEASURES.get(measure.lower(), measure.lower())
        columns = tuple(filter(None, map(str.strip, (given["by"] or "").split(","))))
        return cls(
            " ".join(text.split()),
            spec,
            measure,
            given["type"],
            cast("Literal['drop', 'rise'] | None", given["change"]),
            given["sign"],
            bound,
            columns,
            given["where"],
        )

    def divided(self, by: Sequence[str]) -> GateRule:
        """Return the rule for the slices of some columns."""
        text, where, condition = self.text.partition(" where ")
        return replace(self, by=tuple(by), text=f"{text} by {','.join(by)}{where}{condition}")

    @property
    def by_type(self) -> Grouping | None:
        """The grouping of error types in which the type of this rule is a row."""
        if self.type is None:
            return None
        if self.type in OPERATIONS:
            return "operation"
        return "full" if self.type[1:2] == ":" and self.type[0] in OPERATIONS else "type"

    def measured(self, metric: Metric) -> Metric:
        """Return the metric with the measure of the rule as its headline."""
        known = [column.name for column in metric.columns if column.kind in {"rate", "score"}]
        if self.measure in {None, "score", metric.headline}:
            return metric.measured_by(metric.headline)
        if self.measure not in known:
            raise OptionError(f"{self.text}: {unknown_name('measure', str(self.measure), known)}")
        return metric.measured_by(str(self.measure))

    def is_met(self, value: float) -> bool:
        """Return whether a value is within the limit."""
        return {
            "<=": value <= self.bound,
            "<": value < self.bound,
            ">=": value >= self.bound,
            ">": value > self.bound,
        }[self.sign]


def make_measure(
    rule: GateRule, by: Grouping | None, evaluation: Evaluation, systems: Mapping[str, Any]
) -> Metric:
    """Return the metric of a rule, with rows ``by`` error type, or the mean of a column."""
    if rule.spec in COUNTED:
        if rule.type is not None:
            raise OptionError(f"{rule.text}: {rule.spec} has no scores by error type")
        return COUNTED[rule.spec]()
    name = rule.spec.partition("(")[0]
    is_known = name != rule.spec or name.lower() in METRICS
    values = None if is_known else _read_column(name, evaluation, systems)
    if values is not None:
        return ColumnMean(column=name, values=values)
    metric = parse_metric(rule.spec, otherwise={} if by is None else {"by": by})
    if rule.type is not None and not hasattr(metric, "by"):
        raise OptionError(f"{rule.text}: {metric.name} has no scores by error type")
    return metric


def _read_column(
    column: str, evaluation: Evaluation, systems: Mapping[str, Any]
) -> dict[str, list[float]] | None:
    """Return the numbers of each system in a column of its own file or of the metadata.

    In the metadata, the name of the system follows: ``latency_candidate``.
    """
    found = {}
    for system in evaluation.systems:
        named = f"{column}_{system.name}"
        given = systems.get(system.name)
        if named in evaluation.metadata.columns:
            cells: Sequence[Any] = evaluation.metadata[named]
        elif isinstance(given, str | Path):
            try:
                cells = Columns.read(given)[column]
            except RedinkError:
                return None
            if evaluation.kept is not None:
                cells = [cells[at] for at in evaluation.kept]
        else:
            return None
        try:
            found[system.name] = [float(cell) if cell not in {None, ""} else nan for cell in cells]
        except ValueError as error:
            raise DataError(f"the column {column!r} of {system.name} has a text: {error}") from None
        if len(cells) != len(evaluation.references):
            raise DataError(
                f"the column {column!r} of {system.name} has {len(cells)} rows, but there are "
                f"{len(evaluation.references)} sentences"
            )
    return found


def excess_p(excess: float, error: float, differing: int) -> float:
    """Return the one-sided p-value of a change that exceeds its limit by ``excess``.

    ``error`` is the standard error of the difference. If only few sentences are ``differing``, p is
    at least the probability that all of them differ in the same direction by chance.
    """
    if error < 1e-12:
        p = 0.0 if excess > 1e-12 else 1.0
    else:
        p = 0.5 * erfc(excess / (error * sqrt(2)))
    return max(p, 0.5**differing) if excess > 0 else p


@dataclass(frozen=True, kw_only=True)
class _Share(SummedMetric):
    """A value of each sentence: how much it counts, and how often."""

    name: ClassVar[str] = "share"
    needs: ClassVar[Needs] = "text"

    def score(self, sums: FloatArray) -> FloatArray:
        value, count = sums[..., 0], sums[..., 1]
        return np.divide(value, count, out=np.full_like(value, np.nan), where=count > 0)


@dataclass(frozen=True, kw_only=True)
class Overcorrection(_Share):
    """The share of correct sentences that a system changes.

    A sentence is correct if every reference is equal to the source.
    """

    name: ClassVar[str] = "overcorrection"

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        rows = []
        for source, text, *others in zip(
            references.sources, hypotheses.texts, *references.filled_texts, strict=True
        ):
            is_correct = all(other.tokens == source.tokens for other in others)
            rows.append((is_correct and text.tokens != source.tokens, is_correct))
        return Statistics({"counts": np.array(rows, dtype=float).reshape(-1, 2)})


@dataclass(frozen=True, kw_only=True)
class Refusals(_Share):
    """The share of sentences without an answer of the system (with ``align``), or with no text."""

    name: ClassVar[str] = "refusals"

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        rows = [
            (bool(source.tokens) and (at in hypotheses.unanswered or not text.tokens), 1)
            for at, (source, text) in enumerate(
                zip(references.sources, hypotheses.texts, strict=True)
            )
        ]
        return Statistics({"counts": np.array(rows, dtype=float).reshape(-1, 2)})


@dataclass(frozen=True, kw_only=True)
class ColumnMean(_Share):
    """The mean of a column with one number per sentence, such as latency, for each system."""

    column: str
    values: Mapping[str, Any] = field(compare=False)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the column."""
        return self.column

    def _spec(self, without: str | None = None) -> str:
        del without
        return self.column

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        values = np.asarray(self.values[hypotheses.name], dtype=float)
        return Statistics({"counts": np.stack([np.nan_to_num(values), ~np.isnan(values)], axis=1)})


COUNTED: dict[str, type[Metric]] = {"overcorrection": Overcorrection, "refusals": Refusals}
"""Shares of sentences that rules can limit, besides metrics and columns."""
