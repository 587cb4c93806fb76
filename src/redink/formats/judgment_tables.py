"""Tables of judgments and ratings: labels of items, GUG, and ratings of systems.

A table of judgments has one row per judgment, or one row per item and one column per judge::

    item,judge,label,gold,confidence,duration,time      item,anna,bert
    s1,anna,3,,0.9,4.2,2024-03-01T10:00:00              s1,3,2

In the first layout, ``gold, confidence, duration, time`` are optional and any other column is kept.
In the second, an empty cell is a missing judgment, and columns that describe the item are kept.
redink writes the first layout. The table of the GUG data set (Heilman et al. 2014) has ratings by
an expert and by crowd workers::

    Id	Sentence	Expert Judgement	Crowd Flower Judgements	Average	Dataset
    1	For not use car.	1	[3, 4, 3, 4, 3]	3.0	test

Its judges are ``expert``, and ``crowd1`` to ``crowd5`` by their position in the list, because the
file does not identify them. A table of ratings has the columns ``sentence``, ``system``, ``judge``
(or ``rater``) and ``rating`` (or ``score``); or one column per system and one row per sentence, and
perhaps ``sentence`` and ``judge``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from redink.errors import DataError, FormatError
from redink.files import placed, read_head
from redink.formats.delimited import (
    extra_columns,
    format_seconds,
    parse_optional_duration,
    read_records,
    read_table,
    required_cell,
    reread,
    write_rows_with_gaps,
)
from redink.formats.recognition import (
    ABOUT,
    COMMA,
    GUG,
    JUDGMENT,
    JUDGMENT_COLUMNS,
    TAB,
    Layout,
    judges_of,
    tell_layout,
)
from redink.model import Judgment, Rating

_OPTIONAL = ("gold", "confidence", "duration", "time")
_LONGEST_LABEL = 80


def read_judgments_table(path: str | Path, *, layout: Layout) -> Iterator[Judgment]:
    """Yield the judgments of a CSV or TSV file."""
    return read_table(path, layout, _judgments, "judgments")


def _judgments(cells: Mapping[str, str]) -> Iterable[Judgment]:
    if judges := judges_of(list(cells)):
        return list(_wide(cells, judges))
    known = {*JUDGMENT, *_OPTIONAL}
    own = {name.lower(): value for name, value in cells.items() if name.lower() in known}
    extra = [(n, value) for n, value in cells.items() if value and n.lower() not in known]
    if missing := [name for name in JUDGMENT if name not in own]:
        raise DataError(f"the column {missing[0]!r} is missing from the header; {JUDGMENT_COLUMNS}")
    return [
        Judgment(
            required_cell(own, "item"),
            required_cell(own, "judge"),
            required_cell(own, "label"),
            own.get("gold") or None,
            own.get("confidence") or None,
            parse_optional_duration(own.get("duration")),
            own.get("time") or None,
            tuple(extra),
        )
    ]


def _wide(cells: Mapping[str, str], judges: Sequence[str]) -> Iterator[Judgment]:
    lower = {name.lower(): cell for name, cell in cells.items()}
    extra = tuple((name, lower[name]) for name in ABOUT if lower.get(name))
    for judge in judges:
        label = cells[judge].strip()
        if len(label) > _LONGEST_LABEL:
            raise DataError(
                f"expected a label of the judge {judge!r}, found a text; in a table with one row "
                f"per item, all columns are judges except item, gold, {', '.join(ABOUT)}"
            )
        if label:
            yield Judgment(
                required_cell(lower, "item"), judge, label, lower.get("gold") or None, extra=extra
            )


def judgments_of_columns(columns: Mapping[str, Sequence[str]]) -> tuple[Judgment, ...]:
    """Return the judgments of a table in memory, given by column."""
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return tuple(judgment for row in rows for judgment in _judgments(row))


def write_judgments_table(judgments: Iterable[Judgment], stream: TextIO, *, layout: Layout) -> None:
    """Write judgments as CSV or TSV, with the optional columns that any judgment has."""
    # The header comes first, so all columns must be known before the first row.
    rows = reread(judgments)
    found: set[str] = set()

    def extras() -> Iterator[tuple[tuple[str, str], ...]]:
        for judgment in rows:
            found.update(name for name in _OPTIONAL if getattr(judgment, name) is not None)
            yield judgment.extra

    extra = extra_columns(extras(), (*JUDGMENT, *_OPTIONAL))
    used = [name for name in _OPTIONAL if name in found]

    def values_of(judgment: Judgment) -> list[str | None]:
        if not (judgment.item and judgment.judge and judgment.label):
            told = ", ".join(f"{name} {getattr(judgment, name)!r}" for name in JUDGMENT)
            raise DataError(f"a judgment must have item, judge and label; found {told}")
        own = {name: getattr(judgment, name) for name in (*JUDGMENT, *used)}
        if judgment.duration is not None:
            own["duration"] = format_seconds(judgment.duration)
        further = dict(judgment.extra)
        return [*own.values(), *(further.get(name) for name in extra)]

    separator = TAB if layout == "tsv" else COMMA
    write_rows_with_gaps([*JUDGMENT, *used, *extra], map(values_of, rows), stream, separator)


# ---- GUG

_GUG_EXTRA = ("sentence", "average", "dataset")
_LIST = re.compile(r"\[\s*((?:[^\s,\[\]]+(?:\s*,\s*[^\s,\[\]]+)*)?)\s*\]")


def read_gug(path: str | Path) -> Iterator[Judgment]:
    """Yield the judgments of the table by sentence, that of the expert first."""
    return read_table(path, "tsv", _gug_judgments, "sentences")


def _gug_judgments(cells: Mapping[str, str]) -> list[Judgment]:
    if missing := [name for name in GUG if name not in cells]:
        raise DataError(f"the column {missing[0]!r} is missing")
    item, sentence, expert, crowd, average, dataset = (cells[name] for name in GUG)
    ratings = _LIST.fullmatch(crowd.strip())
    if not item or not expert or ratings is None:
        problem = (
            "expected an id, the expert's rating and a list of crowd ratings such as [3, 4, 3]"
        )
        raise DataError(problem)
    extra = tuple(zip(_GUG_EXTRA, (sentence, average, dataset), strict=True))
    labels = [expert, *(re.split(r"\s*,\s*", ratings[1]) if ratings[1] else ())]
    judges = ["expert", *(f"crowd{number}" for number in range(1, len(labels)))]
    return [Judgment(item, *pair, extra=extra) for pair in zip(judges, labels, strict=True)]


# ---- ratings

_SENTENCE = ("sentence", "segment", "item", "src-id", "id")
_JUDGE = ("judge", "rater", "annotator", "user", "worker")
_RATING = ("rating", "score", "value", "label")
ALONE = "all"
"""The judge of ratings without a judge."""


def looks_like_ratings(head: Sequence[str]) -> bool:
    """Return whether a table with these first lines contains ratings."""
    layout = tell_layout(head)
    if layout not in {"csv", "tsv"} or len(head) < 2:
        return False
    mark = "\t" if layout == "tsv" else ","
    names = [name.strip().strip('"').lower() for name in head[0].split(mark)]
    cells = head[1].split(mark)
    if "system" in names:
        return _first_of(names, _SENTENCE) is not None and _first_of(names, _RATING) is not None
    systems = [at for at, name in enumerate(names) if name not in (*_SENTENCE, *_JUDGE)]
    numbers = [_is_number(cells[at]) for at in systems if at < len(cells) and cells[at].strip()]
    return len(systems) > 1 and len(cells) == len(names) and bool(numbers) and all(numbers)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text.strip().strip('"')))
    except ValueError:
        return False


def _first_of(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    return next((name for name in wanted if name in names), None)


def read_ratings(path: str | Path) -> tuple[Rating, ...]:
    """Read the ratings of a file; empty cells are skipped."""
    if not looks_like_ratings(read_head(path)):
        raise FormatError(
            "is not a table of ratings; expected the columns sentence, system, judge and rating, "
            "or one column per system",
            path=path,
        )
    ratings: dict[tuple[str, str, str], Rating] = {}
    for place, record in enumerate(read_records(path), start=1):
        with placed(path, record.line):
            for rating in _ratings(record.cells, place):
                sentence, system, judge = key = (rating.sentence, rating.system, rating.judge)
                if ratings.setdefault(key, rating) is not rating:
                    raise DataError(
                        f"judge {judge!r} rated system {system!r} twice for sentence {sentence!r}"
                    )
    if not ratings:
        raise FormatError("contains no rating", path=path)
    return tuple(ratings.values())


def _ratings(cells: Mapping[str, Any], place: int) -> Iterator[Rating]:
    lower = {name.lower(): name for name in cells}
    names = list(lower)
    sentence_name, judge_name = _first_of(names, _SENTENCE), _first_of(names, _JUDGE)
    sentence = str(cells[lower[sentence_name]]) if sentence_name else str(place)
    judge = str(cells[lower[judge_name]]) if judge_name else ALONE
    if "system" in lower:
        rating_name = _first_of(names, _RATING)
        assert rating_name is not None
        columns = {str(cells[lower["system"]]): cells[lower[rating_name]]}
    else:
        own = {sentence_name, judge_name}
        columns = {name: value for name, value in cells.items() if name.lower() not in own}
    for system, value in columns.items():
        text = str(value).strip()
        if not text:
            continue
        if not (system and sentence and judge) or not _is_number(text):
            raise DataError(f"expected a rating, found {text[:40]!r} for system {system!r}")
        yield Rating(sentence, system, judge, float(text))
