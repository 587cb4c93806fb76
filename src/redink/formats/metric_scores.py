"""Scores of metrics: the JSON of ``redink score``, and the simplest of files.

System scores are read from

- the JSON that ``redink score --format json`` prints, or its rows as CSV, TSV or JSON lines: one
  for every system under every metric, with ``f`` or ``score``, and precision and recall or the
  counts;
- text with a line for every system: ``system score``, or ``system F P R``, separated by blanks.

Sentence scores are JSON objects, one a line, with ``sentence, system, metric`` and ``score``
(or ``f``), as ``redink score --sentences`` writes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from redink.errors import DataError, FormatError
from redink.files import placed, read_head, read_lines, read_text
from redink.formats.delimited import Record, read_records, tell_layout
from redink.formats.json_lines import parse_object, read_objects
from redink.model.counts import Counts
from redink.model.scores import SentenceScore, SystemScore

_PLAIN_SUFFIXES = (".txt", ".tsv", ".csv", ".json", ".jsonl", ".dat", ".scores")
_OVERALL = (None, "", "all", "overall", "total")


def metric_name(path: str | Path) -> str:
    """The metric a file's name speaks of: ``scores.m2.0`` is m2.0, ``gleu.txt`` is gleu."""
    name = Path(path).name
    for suffix in _PLAIN_SUFFIXES:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            name = name[: -len(suffix)]
            break
    for prefix in ("scores.", "scores-", "scores_"):
        if name.startswith(prefix) and len(name) > len(prefix):
            return name[len(prefix) :]
    return name


def read_system_scores(path: str | Path, *, name: str | None = None) -> tuple[SystemScore, ...]:
    """The scores in a file, each system once for every metric.

    Args:
        path: the file.
        name: what to call the metric; several metrics of one file are called ``name metric``.

    Raises:
        FormatError: the file holds no scores, or a system twice under one metric.
    """
    head = [line for line in read_head(path) if line.strip()]
    if not head:
        raise FormatError("is empty; scores of systems were expected", path=path)
    if tell_layout(head, ("system", "metric")):
        scores = tuple(_select(read_records(path), path))
    elif head[0].lstrip().startswith("{"):
        scores = tuple(_select(_rows_of_json(path), path))
    else:
        scores = tuple(_from_lines(path, name or metric_name(path)))
    return _checked(scores, name, path)


def select_system_scores(
    rows: Iterable[Mapping[str, Any]], *, name: str | None = None
) -> tuple[SystemScore, ...]:
    """The scores in the rows of a table that ``score`` made."""
    return _checked(tuple(_select((Record(0, dict(row)) for row in rows), None)), name, None)


def _checked(
    scores: tuple[SystemScore, ...], name: str | None, path: str | Path | None
) -> tuple[SystemScore, ...]:
    metrics = {score.metric for score in scores}
    if name is not None:
        new = {m: name if len(metrics) == 1 else f"{name} {m}" for m in metrics}
        scores = tuple(replace(score, metric=new[score.metric]) for score in scores)
    if not scores:
        raise FormatError("holds no score of any system", path=path)
    seen: set[tuple[str, str]] = set()
    for score in scores:
        if (score.metric, score.system) in seen:
            raise FormatError(
                f"the system {score.system!r} has two scores under {score.metric!r}", path=path
            )
        seen.add((score.metric, score.system))
    return scores


def _from_lines(path: str | Path, metric: str) -> Iterator[SystemScore]:
    for number, line in read_lines(path):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) not in {2, 4}:
            raise FormatError(
                f"expected a system and its score, or its F, precision and recall; "
                f"found {len(fields)} fields",
                path=path,
                line=number,
            )
        with placed(path, number):
            yield SystemScore(fields[0], metric, *map(_number, fields[1:]))


def _number(field: Any) -> float:
    try:
        value = float(field)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if isinstance(field, bool) or not math.isfinite(value):
        raise DataError(f"expected a number, found {str(field)[:40]!r}")
    return value


def _rows_of_json(path: str | Path) -> Iterator[Record]:
    with placed(path):
        rows = parse_object(read_text(path)).get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise FormatError('expected the JSON of redink score, with its "rows"', path=path)
    return (Record(0, row) for row in rows)


def _select(records: Iterable[Record], path: str | Path | None) -> Iterator[SystemScore]:
    """The overall scores of every metric; those of single error types are passed over."""
    for record in records:
        if record.cells.get("type") not in _OVERALL:
            continue
        with placed(path, record.line or None):
            score = _system_score(record.cells)
        if score is not None:
            yield score


def _system_score(cells: Mapping[str, Any]) -> SystemScore | None:
    system, metric = cells.get("system"), cells.get("metric")
    if not (isinstance(system, str) and system and isinstance(metric, str) and metric):
        raise DataError("a row needs system and metric")
    level = cells.get("level")
    values = {name: _value(cells, name) for name in ("f", "score", "precision", "recall")}
    score = values["score"] if values["f"] is None else values["f"]
    if score is None:
        return None  # undefined for this system
    precision, recall = values["precision"], values["recall"]
    if "f" in cells and (precision is None or recall is None):
        tp, fp, fn = (_value(cells, name) for name in ("tp", "fp", "fn"))
        if tp is not None and fp is not None and fn is not None and tp > 0 <= min(fp, fn):
            counts = Counts(tp, fp, fn)
            precision, recall = counts.precision.value, counts.recall.value
    elif precision is None or recall is None:
        precision = recall = None
    return SystemScore(system, f"{metric} {level}" if level else metric, score, precision, recall)


def _value(cells: Mapping[str, Any], column: str) -> float | None:
    value = cells.get(column)
    if value is None or value == "":
        return None
    try:
        return _number(value)
    except DataError:
        raise DataError(f"expected a number for {column}, found {str(value)[:40]!r}") from None


def read_sentence_scores(path: str | Path) -> Iterator[SentenceScore]:
    """The scores of single sentences; those that are undefined (null) are passed over."""
    for line, row in read_objects(path):
        if row.get("type") not in _OVERALL:
            continue
        missing = [key for key in ("sentence", "system", "metric") if row.get(key) is None]
        if not missing and "f" not in row and "score" not in row:
            missing = ["score or f"]
        if missing:
            raise FormatError(f"a sentence score needs {missing[0]}", path=path, line=line)
        with placed(path, line):
            score, f = _value(row, "score"), _value(row, "f")
        value = f if score is None else score
        if value is not None:
            level = row.get("level")
            metric = f"{row['metric']} {level}" if level else str(row["metric"])
            yield SentenceScore(str(row["sentence"]), str(row["system"]), metric, value)
