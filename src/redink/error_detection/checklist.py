"""The recommendations of Chodorow et al. (2012) for reports of an evaluation, as a checklist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from redink.error_detection.evaluate import ThresholdOptions
from redink.error_detection.study import DetectionOptions
from redink.error_detection.unit_rules import UnitOptions
from redink.model import Corpus, Table, table_of
from redink.statistics.resampling import ResamplingOptions

Status = Literal["reported", "missing"]


@dataclass(frozen=True)
class Recommendation:
    """A recommendation of the paper; how this evaluation follows it, or an option that does."""

    section: str
    recommendation: str
    status: Status
    detail: str


def check_report(
    table: Table,
    corpus: Corpus,
    options: DetectionOptions,
    division: UnitOptions,
    sweep: ThresholdOptions,
    resampling: ResamplingOptions,
) -> Table:
    """Return the recommendations, each with its values in this evaluation."""
    made = list(_check(table, corpus, options, division, sweep, resampling))
    missing = sum(one.status == "missing" for one in made)
    title = f"Checklist: {len(made) - missing} of {len(made)} recommendations followed"
    return table_of(made, title=title)


def _check(
    table: Table,
    corpus: Corpus,
    options: DetectionOptions,
    division: UnitOptions,
    sweep: ThresholdOptions,
    resampling: ResamplingOptions,
) -> Iterator[Recommendation]:
    def values(*names: str) -> str:
        rows = [r for r in table.rows if r.get("type") is None and r.get("screen") != "yes"]
        return "; ".join(
            f"{row['system']}: "
            + ", ".join(f"{name} {_show(row.get(name))}" for name in names if name in row)
            for row in rows
        )

    def row(section: str, text: str, detail: str, instead: str = "") -> Recommendation:
        return Recommendation(
            section, text, "missing" if instead else "reported", instead or detail
        )

    units = ", ".join(division.units)
    has_negatives = any(each["tn"] is not None for each in table.rows)
    several = len(corpus.annotators)
    yield row("3.2", "True and false positives and negatives", values("tp", "fp", "fn", "tn"))
    yield row("3.4", "Prevalence (skew) of errors", values("prevalence"), _no_tn(has_negatives))
    yield row("3.4", "Bias of each system", values("bias"), _no_tn(has_negatives))
    yield row("3.4", "Precision, recall and F", values("precision", "recall", "f"))
    yield row("3.3", "A measure corrected for chance", values("kappa"), _no_tn(has_negatives))
    yield row(
        "3.4",
        "Results over a range of thresholds",
        values("average_precision", "roc_area", "kappa_area"),
        "" if sweep.curve else "--curve, if systems give probabilities",
    )
    yield row("3.5.1", "Unit of comparison", f"{units}; level {options.level}")
    yield row(
        "3.5.1",
        "Each error type separately",
        f"by {options.by}" if options.by else f"only {', '.join(options.types)}",
        "" if options.by or options.types else "--by type, or --types TYPE,...",
    )
    yield row(
        "3.5.2",
        "More than one annotator",
        f"{several} annotators: {options.treatment}",
        ""
        if several > 1 or options.treatment == "graded"
        else "a second annotator, or --judgments",
    )
    yield row(
        "3.6",
        "Definition of negatives, and trivial ones counted separately",
        f"negatives: {division.negatives}",
        "" if division.has_rule or division.targets else "--negatives RULE, or --targets RULE",
    )
    yield row("3.6", "Number of units (N)", values("n"), _no_tn(has_negatives))
    yield row(
        "3.4",
        "Reliability of the results",
        f"{100 * resampling.confidence:g}% confidence intervals",
        "" if resampling.bootstrap else "--bootstrap 1000; --show tests compares systems",
    )


def _no_tn(has_negatives: bool) -> str:  # noqa: FBT001
    return "" if has_negatives else "a unit with negatives: --unit token, sentence or target"


def _show(value: float | None) -> str:
    if value is None:
        return "undefined"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
