"""Scores of metrics: the JSON of ``redink score``, and the simplest of files.

System scores are read from

- the JSON that ``redink score --format json`` prints, or its rows as CSV, TSV or JSON lines: one
  for every system under every metric, with ``f`` or ``score``, and precision and recall or the
  counts;
- a wide table: a column ``system``, and a column for every metric;
- text with a line for every system: ``system score``, or ``system F P R``, separated by blanks;
- JSON objects: scores by system, or such objects by the name of the metric.

Sentence scores are read from

- JSON objects, one a line, with ``sentence, system, metric`` and ``score`` (or ``f``), as
  ``redink score --sentences`` writes them, or a table with these columns;
- a table with a column for every system and a row for every sentence;
- a folder with a file for every system (``SYSTEM.txt``), one number a line.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from redink.errors import DataError, FormatError
from redink.files import placed, read_lines, read_text
from redink.formats.delimited import Record, read_records
from redink.formats.recognition import Layout, read_head, tell_layout
from redink.formats.strict_json import Object, parse_object, read_objects
from redink.model.counts import Counts
from redink.model.scores import SentenceScore, SystemScore

_PLAIN_SUFFIXES = (".txt", ".tsv", ".csv", ".json", ".jsonl", ".dat", ".scores")
_OVERALL = (None, "", "all", "overall", "total")


def metric_name(path: str | Path) -> str:
    """The metric a file's name speaks of: ``scores.m2.0`` is m2.0, ``gleu.txt`` is gleu."""
    name = Path(path).name
    suffix = next((one for one in _PLAIN_SUFFIXES if name.lower().endswith(one)), "")
    name = name[: len(name) - len(suffix)] or name
    return re.sub(r"^scores[._-](?=.)", "", name, flags=re.DOTALL)


def read_system_scores(path: str | Path, *, name: str | None = None) -> tuple[SystemScore, ...]:
    """The scores in a file, each system once for every metric."""
    head = [line for line in read_head(path) if line.strip()]
    if not head:
        raise FormatError("is empty; scores of systems were expected", path=path)
    named = name or metric_name(path)
    scores: Iterable[SystemScore]
    if layout := tell_layout(head, ("system", "metric")):
        scores = _select(read_records(path, layout), path)
    elif head[0].lstrip().startswith("{"):
        scores = _from_json(path, named)
    elif len(head) > 1 and (layout := tell_layout(head, ("system",))):
        scores = _from_wide(path, layout, named)
    else:
        scores = _from_lines(path, named)
    return _checked(scores, name, path)


def select_system_scores(
    rows: Iterable[Mapping[str, Any]], *, name: str | None = None
) -> tuple[SystemScore, ...]:
    """Return the scores in the rows of a table that ``score`` made."""
    return _checked(_select((Record(0, dict(row)) for row in rows), None), name, None)


def _checked(
    given: Iterable[SystemScore], name: str | None, path: str | Path | None
) -> tuple[SystemScore, ...]:
    scores = tuple(given)
    if not scores:
        raise FormatError("holds no score of any system", path=path)
    if name is not None:
        several = len({score.metric for score in scores}) > 1
        scores = tuple(
            replace(one, metric=f"{name} {one.metric}" if several else name) for one in scores
        )
    (metric, system), times = Counter((s.metric, s.system) for s in scores).most_common(1)[0]
    if times > 1:
        raise FormatError(f"the system {system!r} has two scores under {metric!r}", path=path)
    return scores


def _from_lines(path: str | Path, metric: str) -> Iterator[SystemScore]:
    for number, line in read_lines(path):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        with placed(path, number):
            if len(fields) not in {2, 4}:
                raise DataError(
                    "expected a system and its score, or its F, precision and recall; "
                    f"found {len(fields)} fields"
                )
            yield SystemScore(fields[0], metric, *map(_number, fields[1:]))


def _number(field: Any) -> float:
    try:
        value = float(field)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if isinstance(field, bool) or not math.isfinite(value):
        raise DataError(f"expected a number, found {str(field)[:40]!r}")
    return value


def _from_wide(path: str | Path, layout: Layout, metric: str) -> Iterator[SystemScore]:
    """A row a system and a column a metric; F, precision and recall are one metric."""
    for record in read_records(path, layout):
        cells = {key.lower(): (key, value) for key, value in record.cells.items()}
        system = cells.pop("system", ("", None))[1]
        with placed(path, record.line):
            if not (isinstance(system, str) and system):
                raise DataError("a row needs a system")
            if cells.keys() <= {"f", "score", "precision", "recall"}:
                plain = {key: value for key, (_, value) in cells.items()}
                yield from _system_score({**plain, "system": system, "metric": metric})
                continue
            for name, value in cells.values():
                if (number := _value({name: value}, name)) is not None:
                    yield SystemScore(system, name, number)


def _from_json(path: str | Path, metric: str) -> tuple[SystemScore, ...]:
    with placed(path):
        whole = parse_object(read_text(path))
        rows = whole.get("rows")
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            return tuple(_select((Record(0, row) for row in rows), path))
        found = tuple(_by_name(whole, metric))
        if not found:
            problem = 'expected the JSON of redink score, with its "rows", or scores by system'
            raise DataError(problem)
        return found


def _by_name(value: Mapping[str, Any], metric: str) -> Iterator[SystemScore]:
    """Yield scores by system from nested objects; the key of the innermost is the metric."""
    for key, inside in value.items():
        if isinstance(inside, Mapping):
            yield from _by_name(inside, key)
        elif isinstance(inside, int | float) and not isinstance(inside, bool):
            yield SystemScore(key, metric, _number(inside))


def _select(records: Iterable[Record], path: str | Path | None) -> Iterator[SystemScore]:
    """The overall scores of every metric; those of single error types are passed over."""
    for record in records:
        if record.cells.get("type") not in _OVERALL:
            continue
        with placed(path, record.line or None):
            yield from _system_score(record.cells)


def _system_score(cells: Mapping[str, Any]) -> Iterator[SystemScore]:
    system, metric = cells.get("system"), cells.get("metric")
    if not (isinstance(system, str) and system and isinstance(metric, str) and metric):
        raise DataError("a row needs system and metric")
    level = cells.get("level")
    values = {name: _value(cells, name) for name in ("f", "score", "precision", "recall")}
    score = values["score"] if values["f"] is None else values["f"]
    if score is None:
        return  # undefined for this system
    precision, recall = values["precision"], values["recall"]
    if "f" in cells and (precision is None or recall is None):
        tp, fp, fn = (_value(cells, name) for name in ("tp", "fp", "fn"))
        if tp is not None and fp is not None and fn is not None and tp > 0 <= min(fp, fn):
            counts = Counts(tp, fp, fn)
            precision, recall = counts.precision.value, counts.recall.value
    elif precision is None or recall is None:
        precision = recall = None
    yield SystemScore(system, f"{metric} {level}" if level else metric, score, precision, recall)


def _value(cells: Mapping[str, Any], column: str) -> float | None:
    value = cells.get(column)
    if value is None or value == "":
        return None
    try:
        return _number(value)
    except DataError:
        raise DataError(f"expected a number for {column}, found {str(value)[:40]!r}") from None


def read_sentence_scores(path: str | Path, *, name: str | None = None) -> Iterator[SentenceScore]:
    """The scores of single sentences; those that are undefined (null, an empty cell) are left out.

    Where only the place of a number says which sentence it is about, sentences are numbered
    from 1.
    """
    if Path(path).is_dir():
        return _from_folder(Path(path), name)
    head = read_head(path)
    first = next((line for line in head if line.strip()), "").lstrip()
    if not first:
        raise FormatError("is empty; scores of sentences were expected", path=path)
    if first.startswith("{"):
        return _sentence_rows((Record(*one) for one in read_objects(path)), path, name)
    if tell_layout(head, ("sentence", "system")):
        return _sentence_rows(read_records(path), path, name)
    return _from_columns(path, name or metric_name(path))


def _sentence_rows(
    records: Iterable[Record], path: str | Path, name: str | None
) -> Iterator[SentenceScore]:
    for record in records:
        row = {**record.cells, "metric": record.cells.get("metric") or name}
        if row.get("type") not in _OVERALL:
            continue
        with placed(path, record.line):
            missing = [key for key in ("sentence", "system", "metric") if row.get(key) is None]
            if missing or not {"f", "score"} & row.keys():
                raise DataError(f"a sentence score needs {[*missing, 'score or f'][0]}")
            score, f = _value(row, "score"), _value(row, "f")
        value = f if score is None else score
        if value is not None:
            level = row.get("level")
            metric = f"{row['metric']} {level}" if level else str(row["metric"])
            yield SentenceScore(str(row["sentence"]), str(row["system"]), metric, value)


def _from_columns(path: str | Path, metric: str) -> Iterator[SentenceScore]:
    """A column a system and a row a sentence; a column ``sentence`` names the sentences."""
    for place, record in enumerate(read_records(path), start=1):
        cells = dict(record.cells)
        sentence = str(cells.pop("sentence", place))
        for system, cell in cells.items():
            with placed(path, record.line):
                value = _value({system: cell}, system)
            if value is not None:
                yield SentenceScore(sentence, system, metric, value)


def _from_folder(folder: Path, name: str | None) -> Iterator[SentenceScore]:
    """A file a system, a number a line; or a folder of such folders, one for every metric."""
    inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    if inside and all(path.is_dir() for path in inside):
        for each in inside:
            yield from _from_folder(each, each.name)
        return
    files = [path for path in inside if path.is_file()]
    if not files:
        raise FormatError("is a folder without a file of scores for any system", path=folder)
    lengths: dict[int, Path] = {}
    for path in files:
        system = path.name.removesuffix(".gz").removesuffix(".txt")
        place = 0
        for place, line in read_lines(path):
            text = line.strip()
            with placed(path, place):
                value = None if text in {"", "None", "null"} else _number(text)
            if value is not None:
                yield SentenceScore(str(place), system, name or folder.name, value)
        lengths.setdefault(place, path)
    if len(lengths) > 1:
        (one, first), (other, second) = list(lengths.items())[:2]
        raise FormatError(f"has {other} lines, {first} has {one}", path=second)


def read_lines_chosen(path: str | Path) -> tuple[str, ...]:
    """The sentences that a file names, one a line: numbers of lines from 1, or ids."""
    chosen: dict[str, None] = {}
    for number, line in read_lines(path):
        name = line.strip()
        if name in chosen:
            raise FormatError(f"the sentence {name!r} is named twice", path=path, line=number)
        if name:
            chosen[name] = None
    if not chosen:
        raise FormatError("is empty; numbers or ids of sentences were expected", path=path)
    return tuple(chosen)


def read_plain_numbers(path: str | Path) -> tuple[float, ...] | None:
    """The numbers of a file that has one a line and nothing else; None if it is another file."""
    with suppress(DataError):
        lines = (line.strip() for _, line in read_lines(path))
        return tuple(_number(line) for line in lines if line) or None
    return None


# ---- weights of edits

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
    annotator = None if line.get("annotator") is None else str(line["annotator"])
    correction = str(line.get("correction") or "")
    return (str(line["sentence"]), start, end, correction, annotator), float(weight)
