"""Scores of metrics: the JSON of ``redink score`` and simple text files and tables.

System scores are read from

- the JSON that ``redink score --format json`` prints, or its rows as CSV, TSV or JSON lines: one
  row per system and metric, with ``f`` or ``score``, and precision and recall or counts;
- a wide table with a column ``system`` and one column per metric;
- text with one line per system: ``system score``, or ``system F P R``, separated by spaces;
- JSON objects with scores by system, or with such objects by metric name.

Sentence scores are read from

- JSON objects, one per line, with ``sentence, system, metric`` and ``score`` (or ``f``), as
  ``redink score --sentences`` writes them, or a table with these columns;
- a table with one column per system and one row per sentence;
- a folder with one file per system (``SYSTEM.txt``) and one number per line.
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
from redink.model import SentenceScore, SystemScore
from redink.model.counts import Counts

_PLAIN_SUFFIXES = (".txt", ".tsv", ".csv", ".json", ".jsonl", ".dat", ".scores")
_OVERALL = (None, "", "all", "overall", "total")


def metric_name(path: str | Path) -> str:
    """Return the metric in a file name: m2.0 for ``scores.m2.0``, gleu for ``gleu.txt``."""
    name = Path(path).name
    suffix = next((one for one in _PLAIN_SUFFIXES if name.lower().endswith(one)), "")
    name = name[: len(name) - len(suffix)] or name
    return re.sub(r"^scores[._-](?=.)", "", name, flags=re.DOTALL)


def read_system_scores(path: str | Path, *, name: str | None = None) -> tuple[SystemScore, ...]:
    """Read the scores of a file: one per system and metric."""
    head = [line for line in read_head(path) if line.strip()]
    if not head:
        raise FormatError("is empty; expected scores of systems", path=path)
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
    """Return the scores in the rows of a table from ``score``."""
    return _checked(_select((Record(0, dict(row)) for row in rows), None), name, None)


def _checked(
    given: Iterable[SystemScore], name: str | None, path: str | Path | None
) -> tuple[SystemScore, ...]:
    scores = tuple(given)
    if not scores:
        raise FormatError("contains no score of a system", path=path)
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
    """Yield the scores of a wide table; F, precision and recall are one metric."""
    for record in read_records(path, layout):
        cells = {key.lower(): (key, value) for key, value in record.cells.items()}
        system = cells.pop("system", ("", None))[1]
        with placed(path, record.line):
            if not (isinstance(system, str) and system):
                raise DataError("the system is missing from a row")
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
            problem = 'expected the JSON of redink score with "rows", or scores by system'
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
    """Yield the overall scores of each metric; scores of single error types are skipped."""
    for record in records:
        if record.cells.get("type") not in _OVERALL:
            continue
        with placed(path, record.line or None):
            yield from _system_score(record.cells)


def _system_score(cells: Mapping[str, Any]) -> Iterator[SystemScore]:
    system, metric = cells.get("system"), cells.get("metric")
    if not (isinstance(system, str) and system and isinstance(metric, str) and metric):
        raise DataError("the system or the metric is missing from a row")
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
    """Read the scores of single sentences; undefined scores (null, an empty cell) are skipped.

    Sentences without a name are numbered from 1.
    """
    if Path(path).is_dir():
        return _from_folder(Path(path), name)
    head = read_head(path)
    first = next((line for line in head if line.strip()), "").lstrip()
    if not first:
        raise FormatError("is empty; expected scores of sentences", path=path)
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
                raise DataError(f"{[*missing, 'score or f'][0]} is missing from a sentence score")
            score, f = _value(row, "score"), _value(row, "f")
        value = f if score is None else score
        if value is not None:
            level = row.get("level")
            metric = f"{row['metric']} {level}" if level else str(row["metric"])
            yield SentenceScore(str(row["sentence"]), str(row["system"]), metric, value)


def _from_columns(path: str | Path, metric: str) -> Iterator[SentenceScore]:
    """Yield the scores of a table; the optional column ``sentence`` has sentence names."""
    for place, record in enumerate(read_records(path), start=1):
        cells = dict(record.cells)
        sentence = str(cells.pop("sentence", place))
        for system, cell in cells.items():
            with placed(path, record.line):
                value = _value({system: cell}, system)
            if value is not None:
                yield SentenceScore(sentence, system, metric, value)


def _from_folder(folder: Path, name: str | None) -> Iterator[SentenceScore]:
    """Yield the scores of a folder with one file per system, or with one such folder per metric."""
    inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    if inside and all(path.is_dir() for path in inside):
        for each in inside:
            yield from _from_folder(each, each.name)
        return
    files = [path for path in inside if path.is_file()]
    if not files:
        raise FormatError("is a folder without a score file of a system", path=folder)
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
    """Read sentences from a file with one line number (from 1) or id per line."""
    chosen: dict[str, None] = {}
    for number, line in read_lines(path):
        name = line.strip()
        if name in chosen:
            raise FormatError(f"the sentence {name!r} occurs twice", path=path, line=number)
        if name:
            chosen[name] = None
    if not chosen:
        raise FormatError("is empty; expected numbers or ids of sentences", path=path)
    return tuple(chosen)


def read_plain_numbers(path: str | Path) -> tuple[float, ...] | None:
    """Return the numbers of a file with one number per line; None for any other file."""
    with suppress(DataError):
        lines = (line.strip() for _, line in read_lines(path))
        return tuple(_number(line) for line in lines if line) or None
    return None


# ---- weights of edits

Key = tuple[str, int, int, str, str | None]
"""Sentence, start, end, correction, and the annotator if the line has one."""


def read_edit_weights(path: str | Path) -> dict[Key, float]:
    """Read the weight of each edit."""
    weights: dict[Key, float] = {}
    for number, line in read_objects(path):
        with placed(path, number):
            key, weight = _entry(line)
            if weights.setdefault(key, weight) != weight:
                raise DataError("this edit has a different weight in an earlier line")
    return weights


def _entry(line: Object) -> tuple[Key, float]:
    missing = [name for name in ("sentence", "start", "end", "weight") if name not in line]
    if missing:
        raise DataError(f"missing from a weight: {', '.join(missing)}")
    start, end, weight = line["start"], line["end"], line["weight"]
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        raise DataError(f"expected token numbers for start and end, found {start!r} and {end!r}")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or weight < 0:
        raise DataError(f"expected a weight of at least 0, found {weight!r}")
    annotator = None if line.get("annotator") is None else str(line["annotator"])
    correction = str(line.get("correction") or "")
    return (str(line["sentence"]), start, end, correction, annotator), float(weight)
