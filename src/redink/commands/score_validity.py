"""``score --validity``: false positives that are valid corrections by judgments of edits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from redink.errors import DataError, OptionError
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import load_judgments
from redink.judging.edit_validity import ALL, EDIT, first_labels, systems_of
from redink.judging.labels import FINE_WORDS, by_question
from redink.model import Column, Definition, Judgment, Row, Table, fingerprint
from redink.scoring.count_metric import CountedMetric
from redink.scoring.engine import ScoredSystem
from redink.statistics.intervals import wilson_interval
from redink.value_types import Frame

_VALID = FINE_WORDS | {"valid", "yes", "1", "true"}
_Place = tuple[str, int, int, str]  # sentence, start, end, correction
_COLUMNS = (
    Column("judged", "count"),
    Column("valid"),
    Column("valid_low", title="lower bound"),
    Column("valid_high", title="upper bound"),
)
_ABOUT = Definition(
    "valid: share of the judged false positives that are valid corrections, with Wilson's 95% "
    "interval; '+ valid': this share of the false positives counts as true positives"
)


def add_validity(
    table: Table, scored: Sequence[ScoredSystem], judgments: PathLike | Sequence[object] | Frame
) -> Table:
    """Add a row per system and metric in which valid false positives are true positives."""
    judged = _by_edit(load_judgments(cast("Any", judgments)))
    rows, notes = [], []
    for each in scored:
        metric = each.metric
        if not isinstance(metric, CountedMetric) or metric.average == "sentence":
            continue
        found = [values for edit in _false_positives(each) if (values := _find(judged, edit, each))]
        row = next(row for row in each.rows_in(table.rows) if row.get("type") is None)
        made, note = _row(each, metric, row, found)
        rows.append(made)
        notes.append(note)
    if not rows:
        raise OptionError("--validity needs a metric that counts edits, such as errant")
    if not any(row["judged"] for row in rows):
        raise DataError("--validity: no false positive was judged; check sentences and edits")
    mark = fingerprint(f"{key} {sorted(values)}" for key, values in sorted(judged.items()))
    names = [column.name for column in table.columns]
    at = names.index("f") + 1
    return replace(
        table,
        columns=(*table.columns[:at], *_COLUMNS, *table.columns[at:]),
        rows=[*table.rows, *rows],
        notes=(*table.notes, *notes, _ABOUT),
        signature={**table.signature, "validity": mark},
    )


def _by_edit(judgments: Sequence[Judgment]) -> dict[_Place, list[tuple[str, bool]]]:
    """Return the judged systems and verdicts of every edit."""
    own = first_labels(by_question(judgments).get(EDIT, judgments))
    if own and not any(one.label.strip().casefold() in _VALID for one in own):
        labels = ", ".join(sorted({one.label for one in own})[:5])
        raise DataError(f"--validity: no label means valid, such as right or valid; found {labels}")
    found: dict[_Place, list[tuple[str, bool]]] = defaultdict(list)
    for one in own:
        about = dict(one.extra)
        sentence = about.get("sentence") or one.item.partition(".")[0].removeprefix("s")
        try:
            place = (sentence, int(about["start"]), int(about["end"]), about.get("correction", ""))
        except (KeyError, ValueError):
            raise DataError(
                f"--validity: the judgment of item {one.item!r} needs the columns sentence, start, "
                "end and correction (export of an edit-validity campaign)"
            ) from None
        is_valid = one.label.strip().casefold() in _VALID
        found[place] += [(system, is_valid) for system in systems_of(one)]
    return found


def _false_positives(each: ScoredSystem) -> list[tuple[int, Row]]:
    verdicts = each.metric.verdicts(each.references, each.system, each.statistics) or ()
    return [(n, row) for n, rows in enumerate(verdicts) for row in rows if row["verdict"] == "FP"]


def _find(
    judged: dict[_Place, list[tuple[str, bool]]], edit: tuple[int, Row], each: ScoredSystem
) -> list[bool]:
    """Return the verdicts on an edit of the system, or of edits whose system is not named."""
    number, row = edit
    place = (row["start"], row["end"], row["correction"])
    name = each.references.sources[number].id
    given = judged.get((name, *place)) if name else None
    given = given or judged.get((str(number), *place)) or []
    return [is_valid for system, is_valid in given if system in {ALL, each.system.name}]


def _row(
    each: ScoredSystem, metric: CountedMetric, row: Row, found: Sequence[list[bool]]
) -> tuple[Row, str]:
    label, size = f"{each.label} + valid", len(found)
    made: Row = {**each.about, "system": each.system.name, "metric": label, "judged": size}
    if not size:
        about = f"{each.system.name}, {each.label}: no false positive was judged."
        return made | dict.fromkeys(("valid", "valid_low", "valid_high")), about
    interval = wilson_interval(float(sum(map(np.mean, found))), size)
    share, low, high = map(float, (interval.estimate, interval.low, interval.high))
    moved: Any = row["fp"] * share
    moved = round(moved) if abs(moved - round(moved)) < 1e-9 else moved
    made |= metric.measure_counts((row["tp"] + moved, row["fp"] - moved, row["fn"]))
    about = (
        f"{each.system.name}, {each.label}: {share:.1%} of the false positives are valid "
        f"corrections (95% interval {low:.1%} to {high:.1%}; {size} of {row['fp']} judged)."
    )
    return made | {"valid": share, "valid_low": low, "valid_high": high}, about
