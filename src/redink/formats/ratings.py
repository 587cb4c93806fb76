"""Ratings of outputs by people: a number for every sentence and system.

Two tables (CSV or TSV) are read:

- long: a row a rating, with the columns ``sentence``, ``system``, ``judge`` (or ``rater``) and
  ``rating`` (or ``score``);
- wide: a column a system and a row a sentence; columns ``sentence`` and ``judge`` may be there
  too. Without judges the numbers are taken as those of one judge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from redink.errors import DataError, FormatError
from redink.files import placed, read_head
from redink.formats.delimited import read_records, tell_layout
from redink.model import Rating

_SENTENCE = ("sentence", "segment", "item", "src-id", "id")
_JUDGE = ("judge", "rater", "annotator", "user", "worker")
_RATING = ("rating", "score", "value", "label")
ALONE = "all"
"""The judge of ratings that name none."""


def looks_like_ratings(head: Sequence[str]) -> bool:
    """Whether a table with these first lines holds ratings."""
    layout = tell_layout(head)
    if layout not in {"csv", "tsv"} or len(head) < 2:
        return False
    mark = "\t" if layout == "tsv" else ","
    names = [name.strip().strip('"').lower() for name in head[0].split(mark)]
    cells = head[1].split(mark)
    if "system" in names:
        return _first(names, _SENTENCE) is not None and _first(names, _RATING) is not None
    systems = [at for at, name in enumerate(names) if name not in (*_SENTENCE, *_JUDGE)]
    numbers = [_is_number(cells[at]) for at in systems if at < len(cells) and cells[at].strip()]
    return len(systems) > 1 and len(cells) == len(names) and bool(numbers) and all(numbers)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text.strip().strip('"')))
    except ValueError:
        return False


def _first(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    return next((name for name in wanted if name in names), None)


def read_ratings(path: str | Path) -> tuple[Rating, ...]:
    """All ratings of a file; empty cells are not ratings."""
    if not looks_like_ratings(read_head(path)):
        raise FormatError(
            "is not a table of ratings: sentence, system, judge and rating, or a column a system",
            path=path,
        )
    ratings: dict[tuple[str, str, str], Rating] = {}
    for place, record in enumerate(read_records(path), start=1):
        with placed(path, record.line):
            for rating in _ratings(record.cells, place):
                key = (rating.sentence, rating.system, rating.judge)
                if key in ratings:
                    raise DataError(
                        f"judge {rating.judge!r} rates system {rating.system!r} twice "
                        f"for sentence {rating.sentence!r}"
                    )
                ratings[key] = rating
    if not ratings:
        raise FormatError("holds no rating", path=path)
    return tuple(ratings.values())


def _ratings(cells: Mapping[str, Any], place: int) -> Iterator[Rating]:
    lower = {name.lower(): name for name in cells}
    names = list(lower)
    sentence_name, judge_name = _first(names, _SENTENCE), _first(names, _JUDGE)
    sentence = str(cells[lower[sentence_name]]) if sentence_name else str(place)
    judge = str(cells[lower[judge_name]]) if judge_name else ALONE
    if "system" in lower:
        rating_name = _first(names, _RATING)
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
