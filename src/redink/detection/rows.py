"""Rows and columns of the detection tables, and why a cell is empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redink.detection.curves import Curve
from redink.detection.was import Level, Tally
from redink.model import Column, Counts, Measure
from redink.model.counts import NO_NEGATIVES

CELLS = ("tp", "fp", "fn", "tn")
# Contract: scripts rely on these names, in this order, after system, unit and the cells.
_MEASURES = (
    "accuracy",
    "precision",
    "recall",
    "tnr",
    "f",
    "kappa",
    "prevalence",
    "bias",
    "mcc",
    "informedness",
    "markedness",
    "alpha",
)
_MORE = ("expected_accuracy", "balanced_accuracy", "npv", "fpr")
_TITLES = {
    "accuracy": "A",
    "precision": "P",
    "recall": "R",
    "tnr": "TNR",
    "kappa": "kappa",
    "mcc": "MCC",
    "prevalence": "prev.",
    "informedness": "inform.",
    "markedness": "marked.",
    "alpha": "alpha",
    "expected_accuracy": "E(A)",
    "balanced_accuracy": "bal. A",
    "npv": "NPV",
    "fpr": "FPR",
    "n": "N",
    "tn_trivial": "TN triv.",
    "accuracy_with_trivial": "A triv.",
    "kappa_with_trivial": "kappa triv.",
    "correct_before": "before",
    "correct_after": "after",
    "roc_area": "ROC area",
    "average_precision": "avg. P",
    "pr_area": "P-R area",
    "kappa_area": "AUK",
    "tp": "TP",
    "fp": "FP",
    "fn": "FN",
    "tn": "TN",
}
# Whatever depends on the text and not on the system, or has no better and worse.
_NO_BEST = {"prevalence", "bias", "expected_accuracy", "fpr"}

FLAGS_ONLY = "the system flags and corrects nothing"
GRADED = "errors are graded, and corrections are not compared"
AREAS = ("roc_area", "average_precision", "pr_area", "kappa_area")


@dataclass(frozen=True)
class Outcome:
    """One row to be: a system under one unit.

    Attributes:
        counts: the cells.
        tally: the rows of figure 4 behind them, where they were tallied.
        no_forms: why corrections cannot be told apart, if they cannot.
        curve: the sweep, where there is one.
        point: the point of the curve that the counts are from.
        trivial: negatives that a trivial rule recognises, which are not in the counts.
    """

    system: str
    unit: str | None
    counts: Counts
    tally: Tally | None = None
    level: Level = "detection"
    annotators: str | None = None
    no_forms: str | None = None
    curve: Curve | None = None
    point: int | None = None
    trivial: float = 0

    @property
    def threshold(self) -> float | None:
        """The score at which the system flags; None where it flags by itself, or nothing."""
        if self.curve is None or not self.point:
            return None
        return float(self.curve.thresholds[self.point])


def measure_columns(beta: float) -> list[Column]:
    """System, unit, the four cells and the measures: the contract."""
    titles = {**_TITLES, "f": f"F{beta:g}"}
    return [
        Column("system"),
        Column("unit"),
        *(Column(name, "count", title=titles[name]) for name in CELLS),
        *(
            Column(name, "rate", None if name in _NO_BEST else "max", titles.get(name))
            for name in _MEASURES
        ),
    ]


def further_columns(outcomes: Sequence[Outcome], *, has_rule: bool) -> list[Column]:
    """What follows the contract; only what some row has."""
    columns = [Column(name, "rate", title=_TITLES[name]) for name in _MORE]
    columns.append(Column("n", "count", title="N"))
    if any(outcome.tally is not None for outcome in outcomes):
        columns.append(Column("xyz", "count", title="X-Y-Z"))
        columns += [
            Column("correct_before", "rate", title=_TITLES["correct_before"]),
            Column("correct_after", "rate", "max", _TITLES["correct_after"]),
        ]
    if has_rule:
        columns.append(Column("tn_trivial", "count", title=_TITLES["tn_trivial"]))
        columns += [
            Column(name, "rate", title=_TITLES[name])
            for name in ("accuracy_with_trivial", "kappa_with_trivial")
        ]
    if any(outcome.unit is not None for outcome in outcomes):
        columns += [Column("level"), Column("annotators")]
    if any(outcome.curve is not None for outcome in outcomes):
        columns.append(Column("threshold", "score"))
        columns += [Column(name, "rate", "max", _TITLES[name]) for name in AREAS]
    return columns


def measure_outcome(outcome: Outcome, beta: float) -> dict[str, Measure]:
    """Every measure of an outcome, with the reasons of those that are undefined."""
    cells = outcome.counts
    measures = cells.measures(beta=beta)
    included = Counts(cells.tp, cells.fp, cells.fn, _add(cells.tn, outcome.trivial))
    measures["accuracy_with_trivial"] = included.accuracy
    measures["kappa_with_trivial"] = included.kappa
    if outcome.tally is not None:
        measures |= _usage(outcome)
    if outcome.curve is not None:
        measures |= {name: getattr(outcome.curve, name) for name in AREAS}
    return measures


def _add(negatives: float | None, trivial: float) -> float | None:
    return None if negatives is None else negatives + trivial


def _usage(outcome: Outcome) -> dict[str, Measure]:
    """The share of units with the right form, as written and as the system would have them."""
    tally = outcome.tally
    assert tally is not None
    if tally.xxx is None:
        undefined = Measure.undefined(NO_NEGATIVES)
        return {"correct_before": undefined, "correct_after": undefined}
    total = tally.xxx + tally.xxy + tally.xyx + tally.xyy + tally.xyz
    if not total:
        undefined = Measure.undefined("there are no units")
        return {"correct_before": undefined, "correct_after": undefined}
    after = Measure(float((tally.xxx + tally.xyy) / total))
    if outcome.no_forms is not None:
        after = Measure.undefined(outcome.no_forms)
    return {
        "correct_before": Measure(float((tally.xxx + tally.xxy) / total)),
        "correct_after": after,
    }


def make_rows(
    outcomes: Iterable[Outcome], columns: Sequence[Column], *, beta: float
) -> list[dict[str, Any]]:
    """The rows of a table with these columns; what a row has not is None."""
    names = [column.name for column in columns]
    rows = [_make_row(outcome, beta=beta) for outcome in outcomes]
    return [{name: row.get(name) for name in names} for row in rows]


def _make_row(outcome: Outcome, *, beta: float) -> dict[str, Any]:
    measures = measure_outcome(outcome, beta)
    row: dict[str, Any] = {
        "system": outcome.system,
        "unit": outcome.unit,
        **{cell: getattr(outcome.counts, cell) for cell in CELLS},
        **{name: measure.value for name, measure in measures.items()},
        "level": outcome.level,
        "annotators": outcome.annotators,
        "threshold": outcome.threshold,
        "tn_trivial": None if outcome.counts.tn is None else outcome.trivial,
    }
    n = row["n"]
    row["n"] = int(n) if n is not None and n == int(n) else n
    if outcome.tally is not None:
        row["xyz"] = None if outcome.no_forms else outcome.tally.xyz
    return row


def explain_undefined(
    outcomes: Sequence[Outcome], columns: Iterable[Column], *, beta: float
) -> list[str]:
    """One note for every reason why cells are empty: which measures, of which systems."""
    names = [column.name for column in columns]
    reasons: dict[str, dict[str, list[str]]] = {}
    for outcome in outcomes:
        for name, measure in measure_outcome(outcome, beta).items():
            if measure.value is None and measure.reason and name in names:
                systems = reasons.setdefault(measure.reason, {}).setdefault(name, [])
                if outcome.system not in systems:
                    systems.append(outcome.system)
    every = list(dict.fromkeys(outcome.system for outcome in outcomes))
    notes = []
    for reason, found in reasons.items():
        measures = ", ".join(sorted(found, key=names.index))
        systems = list(dict.fromkeys(s for group in found.values() for s in group))
        whose = "" if systems == every else f" for {', '.join(systems)}"
        notes.append(f"Undefined{whose}: {measures}: {reason}.")
    return notes


def point_columns(beta: float) -> list[Column]:
    """The columns of a table of operating points; along a curve the best of each is no news."""
    contract = [Column(c.name, c.kind, None, c.title) for c in measure_columns(beta)]
    more = [Column(name, "rate", title=_TITLES[name]) for name in _MORE]
    return [
        *contract[:2],
        Column("threshold", "score"),
        *contract[2:],
        *more,
        Column("annotators"),
    ]


def point_rows(outcome: Outcome, chosen: Sequence[int], *, beta: float) -> list[dict[str, Any]]:
    """Operating points of a curve as rows; the first has no threshold, for nothing is flagged."""
    curve = outcome.curve
    assert curve is not None
    points = np.asarray(chosen, dtype=int)
    values = {name: curve.measure(name, beta=beta)[points] for name in (*_MEASURES, *_MORE)}
    rows = []
    for place, point in enumerate(points.tolist()):
        counts = curve.counts(point)
        row: dict[str, Any] = {
            "system": outcome.system,
            "unit": outcome.unit,
            "threshold": float(curve.thresholds[point]) if point else None,
            **{cell: getattr(counts, cell) for cell in CELLS},
        }
        for name, column in values.items():
            value = float(column[place])
            row[name] = None if np.isnan(value) else value
        rows.append(row | {"annotators": outcome.annotators})
    return rows
