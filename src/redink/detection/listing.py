"""The units that somebody changes, one by one, with their three forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from redink.detection.evaluate import Compared
from redink.detection.study import settle_gold
from redink.detection.units import Units
from redink.detection.was import Form, Key, Reading, Row, compare_readings
from redink.errors import OptionError
from redink.model import Column, Table, make_table

UNKNOWN = "?"
"""Shown for an error whose correction is not given."""

_COUNTED = {
    "detection": {Row.XXY: "FP", Row.XYX: "FN", Row.XYY: "TP", Row.XYZ: "TP"},
    "correction": {Row.XXY: "FP", Row.XYX: "FN", Row.XYY: "TP", Row.XYZ: "FP, FN"},
}


def list_units(compared: Iterable[Compared]) -> Table:
    """A row for every unit that the annotator or the system changes."""
    columns = [
        Column("system"),
        Column("unit"),
        Column("sentence", "count"),
        Column("position"),
        Column("written"),
        Column("annotated"),
        Column("system_form", title="system has"),
        Column("row"),
        Column("counted"),
    ]
    rows = [row for one in compared for row in _rows_of(one)]
    return make_table(columns, rows, groups="system")


def _rows_of(one: Compared) -> Iterator[dict[str, Any]]:
    study, units = one.study, one.study.units
    if study.is_graded(one.how.treatment):
        raise OptionError("units of graded errors are in no single row; choose other annotators")
    for number, gold in settle_gold(study, one.readings, one.how):
        system = one.readings[number]
        source = study.sources[number]
        for key in sorted(gold.forms.keys() | system.forms.keys(), key=_order):
            row = compare_readings(key, gold, system)
            written = units.written(number, source, key)
            yield {
                "system": one.system,
                "unit": units.name,
                "sentence": number + 1,
                "position": _show_key(key),
                "written": written,
                "annotated": _show(gold, key, written, units),
                "system_form": _show(system, key, written, units),
                "row": row.value,
                "counted": _COUNTED[one.how.level][row],
            }


def _order(key: Key) -> tuple[int, ...]:
    return key if isinstance(key, tuple) else (int(str(key)),)


def _show_key(key: Key) -> str:
    return ":".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _show(reading: Reading, key: Key, written: str, units: Units) -> str:
    """What a reader has there: as written, one form or several, or unknown."""
    forms = reading.forms.get(key)
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
