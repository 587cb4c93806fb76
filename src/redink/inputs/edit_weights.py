"""Weights of edits: JSON lines with the sentence, the edit and what it weighs.

    {"sentence": 1, "start": 1, "end": 2, "correction": "is", "weight": 0.7}
    {"sentence": 2, "start": 4, "end": 4, "correction": "the", "annotator": "1", "weight": 0.2}

``sentence`` is the id of the sentence, or its number from 1, as in what ``score --sentences``
writes. With ``annotator``, the weight counts only where the hypothesis stands beside that one.
"""

from __future__ import annotations

from pathlib import Path

from redink.errors import DataError
from redink.files import placed
from redink.formats.json_lines import Object, read_objects

Key = tuple[str, int, int, str, str | None]
"""Sentence, start, end, correction, and the annotator where the line names one."""


def read_edit_weights(path: str | Path) -> dict[Key, float]:
    """The weight of every edit."""
    weights: dict[Key, float] = {}
    for number, line in read_objects(path):
        with placed(path, number):
            key, weight = _entry(line)
            if weights.setdefault(key, weight) != weight:
                raise DataError("this edit has another weight further up")
    return weights


def _entry(line: Object) -> tuple[Key, float]:
    missing = [name for name in ("sentence", "start", "end", "weight") if name not in line]
    if missing:
        raise DataError(f"a weight needs {', '.join(missing)}")
    start, end, weight = line["start"], line["end"], line["weight"]
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        raise DataError(f"start and end are numbers of tokens, not {start!r} and {end!r}")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or weight < 0:
        raise DataError(f"a weight is a number and not negative, not {weight!r}")
    annotator = line.get("annotator")
    return (
        str(line["sentence"]),
        start,
        end,
        str(line.get("correction") or ""),
        None if annotator is None else str(annotator),
    ), float(weight)
