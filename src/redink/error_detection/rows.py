"""The rows of the detection tables: systems, points of curves, units, and paired tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, product
from typing import Annotated, Any

import numpy as np

from redink.error_detection.bootstrap import PairedTest, Samples, compare_pairs
from redink.error_detection.curves import AREAS
from redink.error_detection.evaluate import FLAGS_ONLY, DetectionResult
from redink.error_detection.partial_overlap import PARTIAL, measure_credits
from redink.error_detection.study import DetectionOptions, Undefined, settle_truth
from redink.error_detection.units import Units
from redink.error_detection.writer_annotator_system import (
    Form,
    Key,
    Pattern,
    PatternCounts,
    find_pattern,
)
from redink.errors import OptionError
from redink.model import Column, Counts, Measure, Shown, Table, columns_of, make_table, table_of
from redink.model.counts import (
    NO_ERRORS,
    NO_NEGATIVES,
    NO_UNITS,
    NOTHING_FLAGGED,
    plain,
    scorer_measures,
)
from redink.statistics.resampling import interval_of

Count = Annotated[float | None, Shown("count")]


@dataclass(frozen=True, kw_only=True)
class MeasuresRow:
    """A system at one operating point: the four counts, and every measure of them.

    Scripts rely on the names up to ``alpha`` and on their order.
    """

    system: str
    unit: str | None
    tp: Count
    fp: Count
    fn: Count
    tn: Count
    accuracy: Annotated[float | None, Shown(best="max", title="A")]
    precision: Annotated[float | None, Shown(best="max", title="P")]
    recall: Annotated[float | None, Shown(best="max", title="R")]
    tnr: Annotated[float | None, Shown(best="max", title="TNR")]
    f: Annotated[float | None, Shown(best="max")]
    kappa: Annotated[float | None, Shown(best="max")]
    prevalence: Annotated[float | None, Shown(title="prev.")]
    bias: float | None
    mcc: Annotated[float | None, Shown(best="max", title="MCC")]
    informedness: Annotated[float | None, Shown(best="max", title="inform.")]
    markedness: Annotated[float | None, Shown(best="max", title="marked.")]
    alpha: Annotated[float | None, Shown(best="max")]
    expected_accuracy: Annotated[float | None, Shown(title="E(A)")]
    balanced_accuracy: Annotated[float | None, Shown(title="bal. A")]
    npv: Annotated[float | None, Shown(title="NPV")]
    fpr: Annotated[float | None, Shown(title="FPR")]
    n: Count
    xyz: Annotated[float | None, Shown("count", title="X-Y-Z")] = None
    correct_before: Annotated[float | None, Shown(title="before")] = None
    correct_after: Annotated[float | None, Shown(best="max", title="after")] = None
    tn_trivial: Annotated[float | None, Shown("count", title="TN triv.")] = None
    accuracy_with_trivial: Annotated[float | None, Shown(title="A triv.")] = None
    kappa_with_trivial: Annotated[float | None, Shown(title="kappa triv.")] = None
    partial_precision: Annotated[float | None, Shown(best="max", title="part. P")] = None
    partial_recall: Annotated[float | None, Shown(best="max", title="part. R")] = None
    partial_f: Annotated[float | None, Shown(best="max", title="part. F")] = None
    level: str | None = None
    annotators: str | None = None
    type: str | None = None
    bonus: str | None = None
    screen: str | None = None
    threshold: Annotated[float | None, Shown("score")] = None
    roc_area: Annotated[float | None, Shown(best="max", title="ROC area")] = None
    average_precision: Annotated[float | None, Shown(best="max", title="avg. P")] = None
    pr_area: Annotated[float | None, Shown(best="max", title="P-R area")] = None
    kappa_area: Annotated[float | None, Shown(best="max", title="AUK")] = None


_NAMES = [column.name for column in columns_of(MeasuresRow)]
_MEASURES = _NAMES[_NAMES.index("accuracy") : _NAMES.index("n")]
_OF_TALLIES = ("xyz", "correct_before", "correct_after")
_OF_RULES = ("tn_trivial", "accuracy_with_trivial", "kappa_with_trivial")
_OF_UNITS = ("level", "annotators")
_OF_CURVES = ("threshold", *AREAS)
_WITH_INTERVALS = (*_MEASURES, *_OF_TALLIES[1:], *_OF_RULES[1:], *PARTIAL, *AREAS)
_COMPARED = [column.name for column in columns_of(MeasuresRow) if column.best == "max"]
_MAINLY_COMPARED = ("precision", "recall", "f", "kappa", "mcc", *PARTIAL, *AREAS)
UNTYPED_FLAGS = "flags have no error type, so types have no false positives"


def tabulate(
    outcomes: Sequence[DetectionResult],
    *,
    beta: float,
    undefined: Undefined = "empty",
    has_rule: bool = False,
    notes: Sequence[str] = (),
    samples: Sequence[Samples] = (),
    confidence: float = 0.95,
    **more: Any,
) -> Table:
    """Return one row per system, the columns with values, and the reasons for empty cells."""
    present = {
        _OF_TALLIES: any(outcome.tally is not None for outcome in outcomes),
        _OF_RULES: has_rule,
        PARTIAL: any(outcome.credit is not None for outcome in outcomes),
        _OF_UNITS: any(outcome.unit is not None for outcome in outcomes),
        _OF_CURVES: any(outcome.curve is not None for outcome in outcomes),
        ("type",): any(outcome.type is not None for outcome in outcomes),
        ("bonus",): any(outcome.bonus is not None for outcome in outcomes),
        ("screen",): any(outcome.screen is not None for outcome in outcomes),
    }
    absent = {name for group, is_there in present.items() if not is_there for name in group}
    names = [name for name in _NAMES if name not in absent]
    measured = [_measure(outcome, beta, undefined) for outcome in outcomes]
    lines = [
        _row(outcome, outcome.point, outcome.counts, {name: m.value for name, m in found.items()})
        for outcome, found in zip(outcomes, measured, strict=True)
    ]
    reasons = _explain_undefined([outcome.system for outcome in outcomes], measured, names)
    intervals = (
        [_intervals(line, found, confidence) for line, found in zip(lines, samples, strict=True)]
        if samples
        else ()
    )
    return _table(lines, names, beta, intervals, notes=[*notes, *reasons], **more)


def _intervals(line: MeasuresRow, samples: Samples, confidence: float) -> dict[str, float | None]:
    """Return the interval of every measure of a row; None for undefined measures."""
    found: dict[str, float | None] = {}
    for name in _WITH_INTERVALS:
        known = getattr(line, name) is not None and name in samples
        ends = interval_of(samples[name], confidence=confidence) if known else (None, None)
        found[f"{name}_low"], found[f"{name}_high"] = ends
    return found


def choose_points(outcomes: Iterable[DetectionResult], points: int) -> list[list[int]]:
    """Return about ``points`` operating points per system; one for a system without a curve."""
    return [
        [0] if each.curve is None else each.curve.thin(points, keep=[each.point]).tolist()
        for each in outcomes
    ]


def tabulate_points(
    outcomes: Sequence[DetectionResult],
    points: int,
    *,
    beta: float,
    samples: Sequence[Samples] = (),
    confidence: float = 0.95,
) -> Table:
    """Return about ``points`` operating points per system, with intervals if there are samples."""
    lines: list[MeasuresRow] = []
    intervals: list[dict[str, float | None]] = []
    listed = choose_points(outcomes, points)
    for number, (outcome, chosen) in enumerate(zip(outcomes, listed, strict=True)):
        curve = outcome.curve
        if curve is None:
            values = {name: m.value for name, m in _measure(outcome, beta).items()}
            lines.append(_row(outcome, 0, outcome.counts, values))
            intervals += [_intervals(lines[-1], samples[number], confidence)] if samples else []
            continue
        columns = {name: curve.measure(name, beta=beta)[chosen].tolist() for name in _MEASURES}
        for index, point in enumerate(chosen):
            here = ((name, column[index]) for name, column in columns.items())
            values = {name: None if math.isnan(value) else value for name, value in here}
            lines.append(_row(outcome, point, curve.counts(point), values))
            if samples:
                own = {
                    name: drawn if drawn.ndim == 1 else drawn[:, index]
                    for name, drawn in samples[number].items()
                }
                intervals.append(_intervals(lines[-1], own, confidence))
    names = ["system", "unit", "threshold", "tp", "fp", "fn", "tn", *_MEASURES, "annotators"]
    table = _table(lines, names, beta, intervals, groups="system")
    return replace(table, columns=tuple(replace(column, best=None) for column in table.columns))


def _table(
    lines: Sequence[MeasuresRow],
    names: Sequence[str],
    beta: float,
    intervals: Sequence[Mapping[str, float | None]],
    **more: Any,
) -> Table:
    columns = {column.name: column for column in columns_of(MeasuresRow)}
    columns["f"] = replace(columns["f"], title=f"F{beta:g}")
    ends = [
        Column(f"{name}_{end}", "rate")
        for name in names
        if intervals and name in _WITH_INTERVALS
        for end in ("low", "high")
    ]
    found = intervals or [{}] * len(lines)
    rows = [
        {name: getattr(line, name) for name in names} | {end.name: own[end.name] for end in ends}
        for line, own in zip(lines, found, strict=True)
    ]
    return make_table([*(columns[name] for name in names), *ends], rows, view="measures", **more)


def _row(
    outcome: DetectionResult, point: int, counts: Counts, values: Mapping[str, float | None]
) -> MeasuresRow:
    """Return a row; at the first point of a curve nothing is flagged, so it has no threshold."""
    curve, tally, n = outcome.curve, outcome.tally, values.get("n")
    cells: dict[str, Any] = {**asdict(counts), **values, "n": None if n is None else plain(n)}
    return MeasuresRow(
        system=outcome.system,
        unit=outcome.unit,
        **cells,
        xyz=None if tally is None or outcome.no_forms else plain(tally.xyz),
        tn_trivial=None if counts.tn is None else outcome.trivial,
        level=outcome.level,
        annotators=outcome.annotators,
        type=outcome.type,
        bonus=outcome.bonus,
        screen=outcome.screen,
        threshold=None if curve is None or not point else float(curve.thresholds[point]),
    )


def _measure(
    outcome: DetectionResult, beta: float, undefined: Undefined = "empty"
) -> dict[str, Measure]:
    measures = outcome.counts.measures(beta=beta)
    included = outcome.counts + Counts(0, 0, 0, outcome.trivial)
    measures["accuracy_with_trivial"] = included.accuracy
    measures["kappa_with_trivial"] = included.kappa
    if outcome.tally is not None:
        measures |= _usage(outcome.tally, outcome.no_forms)
    if outcome.credit is not None:
        sums = outcome.credit[np.arange(len(outcome.chosen)), outcome.chosen].sum(axis=0)
        reasons = dict(zip(PARTIAL, (NOTHING_FLAGGED, NO_ERRORS, NO_ERRORS), strict=True))
        measures |= {
            name: Measure.undefined(reasons[name]) if np.isnan(value) else Measure(float(value))
            for name, value in measure_credits(sums, beta).items()
        }
    if outcome.curve is not None:
        measures |= {name: getattr(outcome.curve, name) for name in AREAS}
    if undefined == "one":
        cells = outcome.counts
        found = map(Measure, scorer_measures(cells.tp, cells.fp, cells.fn, beta))
        measures |= zip(("precision", "recall", "f"), found, strict=True)
    if outcome.type is not None and outcome.no_forms == FLAGS_ONLY:
        blank = dict.fromkeys(measures, Measure.undefined(UNTYPED_FLAGS))
        measures = blank | {"recall": measures["recall"]}
    return measures


def _usage(tally: PatternCounts, no_forms: str | None) -> dict[str, Measure]:
    """Return the share of units with a correct form, before and after the system's changes."""
    reason = None
    if tally.xxx is None:
        reason = NO_NEGATIVES
    elif not (total := tally.xxx + tally.xxy + tally.xyx + tally.xyy + tally.xyz):
        reason = NO_UNITS
    if tally.xxx is None or reason:
        return dict.fromkeys(("correct_before", "correct_after"), Measure(None, reason))
    after = Measure(float((tally.xxx + tally.xyy) / total))
    return {
        "correct_before": Measure(float((tally.xxx + tally.xxy) / total)),
        "correct_after": Measure.undefined(no_forms) if no_forms else after,
    }


def _explain_undefined(
    systems: Sequence[str], measured: Sequence[Mapping[str, Measure]], names: Sequence[str]
) -> Iterator[str]:
    """Yield a note with the measures and systems for each reason for empty cells."""
    reasons: dict[str, dict[str, dict[str, None]]] = {}
    for system, measures in zip(systems, measured, strict=True):
        for name, measure in measures.items():
            if measure.value is None and measure.reason and name in names:
                reasons.setdefault(measure.reason, {}).setdefault(name, {})[system] = None
    for reason, by_measure in reasons.items():
        listed = ", ".join(sorted(by_measure, key=names.index))
        these = list(dict.fromkeys(chain.from_iterable(by_measure.values())))
        whose = "" if these == list(dict.fromkeys(systems)) else f" for {', '.join(these)}"
        yield f"Undefined{whose}: {listed} ({reason})."


@dataclass(frozen=True)
class ListedUnit:
    """A unit that the annotator or the system changes, with its three forms."""

    system: str
    unit: str
    sentence: int
    position: str
    written: str
    annotated: str
    system_form: Annotated[str, Shown(title="system has")]
    row: str
    counted: str


UNKNOWN = "?"
"""Shown for an error without a given correction."""
_COUNTED = {Pattern.XXY: "FP", Pattern.XYX: "FN", Pattern.XYY: "TP"}
_WRONG_FORM = {"detection": "TP", "correction": "FP, FN"}
_TRIVIAL = "TN (trivial)"


def list_units(
    outcomes: Iterable[DetectionResult], options: DetectionOptions, *, all_units: bool = False
) -> Table:
    """Return one row per unit that the annotator or the system changes, or per unit."""
    listed = [unit for each in outcomes for unit in _list_units(each, options, all_units=all_units)]
    return table_of(listed, ListedUnit, groups="system")


@dataclass(frozen=True)
class FormsRow:
    """The number of units with one combination of forms: figure 3 of the paper, or figure 4."""

    system: str
    unit: str
    written: Annotated[str | None, Shown(optional=True)]
    annotated: Annotated[str | None, Shown(optional=True)]
    system_form: Annotated[str | None, Shown(title="system has", optional=True)]
    row: str
    counted: str
    units: int


def tabulate_forms(outcomes: Iterable[DetectionResult], options: DetectionOptions) -> Table:
    """Count units by the forms of writer, annotator and system.

    If only two forms occur, all eight combinations are listed (figure 3), otherwise the five rows
    of figure 4.
    """
    rows = []
    for outcome in outcomes:
        units = list(_list_units(outcome, options, all_units=True))
        forms = sorted({form for u in units for form in (u.written, u.annotated, u.system_form)})
        name = outcome.unit or ""
        if len(forms) == 2 and UNKNOWN not in forms:
            found = Counter((u.written, u.annotated, u.system_form) for u in units)
            for written, annotated, ours in product(forms, repeat=3):
                three = (written, annotated, ours)
                letters = ("x", *("xy"[form != written] for form in (annotated, ours)))
                pattern = Pattern("".join(letters))
                counted = _COUNTED.get(pattern, "TN")
                rows.append(
                    FormsRow(outcome.system, name, *three, pattern.value, counted, found[three])
                )
            continue
        by_row = Counter((u.row, u.counted) for u in units)
        expected = [
            (str(p), _COUNTED.get(p, _WRONG_FORM[options.level])) for p in list(Pattern)[1:]
        ]
        has_negatives = any(u.row == Pattern.XXX for u in units)
        expected[:0] = [(str(Pattern.XXX), "TN")] if has_negatives else []
        expected += [key for key in by_row if key not in expected]
        rows += [
            FormsRow(outcome.system, name, None, None, None, row, counted, by_row[row, counted])
            for row, counted in expected
        ]
    return table_of(rows, FormsRow, groups="system")


def _list_units(
    outcome: DetectionResult, options: DetectionOptions, *, all_units: bool
) -> Iterator[ListedUnit]:
    study = outcome.study
    assert study is not None
    units = study.units
    if study.is_graded(options.treatment):
        raise OptionError("--show units cannot be combined with --annotators graded")
    for number, (sites, truth, system) in settle_truth(study, outcome.readings, options):
        source = study.sources[number]
        keys = set(truth.forms.keys() | system.forms.keys())
        if all_units and sites.size is not None:
            keys.update(set(units.keys(number, source) or ()) - sites.dropped)
        for key in sorted(keys, key=_order):
            pattern = find_pattern(key, truth, system)
            is_trivial = sites.candidates is not None and key not in sites.candidates
            unchanged = _TRIVIAL if is_trivial else "TN"
            written = units.written(number, source, key)
            yield ListedUnit(
                outcome.system,
                units.name,
                number + 1,
                ":".join(map(str, _order(key))),
                written,
                _show(truth.forms.get(key), written, units),
                _show(system.forms.get(key), written, units),
                pattern.value,
                unchanged
                if pattern is Pattern.XXX
                else _COUNTED.get(pattern, _WRONG_FORM[options.level]),
            )


def tabulate_tests(
    outcomes: Sequence[DetectionResult],
    rows: Sequence[Mapping[str, Any]],
    samples: Sequence[Samples],
    confidence: float,
    *,
    each: bool,
    all_measures: bool,
) -> Table:
    """Return paired bootstrap tests of all pairs of systems, for each unit, annotator and type."""
    about = ("unit", "annotators", "type", "bonus", "screen")
    alike: dict[tuple[Any, ...], list[int]] = {}
    for number, outcome in enumerate(outcomes):
        who = outcome.annotators if each else None
        key = (outcome.unit, who, outcome.type, outcome.bonus, outcome.screen)
        alike.setdefault(key, []).append(number)
    measures = [name for name in _COMPARED if all_measures or name in _MAINLY_COMPARED]
    tests = [
        test
        for key, members in alike.items()
        for test in compare_pairs(
            [outcomes[at].system for at in members],
            [rows[at] for at in members],
            [samples[at] for at in members],
            measures,
            confidence,
            dict(zip(about, key, strict=True)),
        )
    ]
    varying = [name for at, name in enumerate(about) if len({key[at] for key in alike}) > 1]
    return table_of(tests, PairedTest, extra_columns=list(map(Column, varying)), groups="measure")


def _order(key: Key) -> tuple[int, ...]:
    return key if isinstance(key, tuple) else (int(str(key)),)


def _show(forms: frozenset[Form] | None, written: str, units: Units) -> str:
    if forms is None:
        return written
    if not forms:
        return UNKNOWN
    return " | ".join(sorted(_show_form(form, units) for form in forms))


def _show_form(form: Form, units: Units) -> str:
    if isinstance(form, str):
        return form
    assert isinstance(form, tuple)
    if units.name in {"token", "span"}:
        return str(form[2])  # the correction of the whole edit
    return " ".join(form)
