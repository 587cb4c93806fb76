"""Scores of metrics: the JSON of ``redink score``, and the simplest of files.

System scores are read from

- the JSON that ``redink score --format json`` prints, or its CSV or TSV: a row for every system
  under every metric, with ``f`` or ``score``, and precision and recall or the counts;
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
from redink.files import read_head, read_lines, read_text
from redink.formats.delimited import COMMA, TAB, read_rows, split_header
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
    if head[0].lstrip().startswith("{"):
        scores = tuple(_from_json(path))
    elif {"system", "metric"} <= set(split_header(head[0], COMMA)):
        scores = tuple(_from_rows(path, COMMA))
    elif {"system", "metric"} <= set(split_header(head[0], TAB)):
        scores = tuple(_from_rows(path, TAB))
    else:
        scores = tuple(_from_lines(path, name or metric_name(path)))
    return _checked(scores, name, path)


def select_system_scores(
    rows: Iterable[Mapping[str, Any]], *, name: str | None = None
) -> tuple[SystemScore, ...]:
    """The scores in the rows of a table that ``score`` made."""
    return _checked(tuple(_select(((None, row) for row in rows), None)), name, None)


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
        values = [_number(field, path, number) for field in fields[1:]]
        yield SystemScore(fields[0], metric, *values)


def _number(field: str, path: str | Path, line: int) -> float:
    try:
        value = float(field)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(f"expected a number, found {field[:40]!r}", path=path, line=line)
    return value


def _from_json(path: str | Path) -> Iterator[SystemScore]:
    try:
        rows = parse_object(read_text(path)).get("rows")
    except DataError as error:
        raise FormatError(str(error), path=path) from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise FormatError('expected the JSON of redink score, with its "rows"', path=path)
    yield from _select(((None, row) for row in rows), path)


def _from_rows(path: str | Path, separator: str) -> Iterator[SystemScore]:
    rows = (
        (row.line, {k: v or None for k, v in row.cells.items()})
        for row in read_rows(path, separator)
    )
    yield from _select(rows, path)


def _select(
    rows: Iterable[tuple[int | None, Mapping[str, Any]]], path: str | Path | None
) -> Iterator[SystemScore]:
    """The overall scores of every metric; rows of single error types are passed over."""
    for line, row in rows:
        if row.get("type") not in _OVERALL:
            continue
        system, metric = row.get("system"), row.get("metric")
        if not isinstance(system, str) or not isinstance(metric, str):
            raise FormatError("a row needs system and metric", path=path, line=line)
        level = row.get("level")
        named = f"{metric} {level}" if level else metric
        score = _value(row, "f", path, line)
        if score is None:
            score = _value(row, "score", path, line)
        if score is None:
            continue  # undefined for this system
        precision, recall = _precision_recall(row, path, line)
        yield SystemScore(system, named, score, precision, recall)


def _precision_recall(
    row: Mapping[str, Any], path: str | Path | None, line: int | None
) -> tuple[float | None, float | None]:
    precision, recall = (_value(row, column, path, line) for column in ("precision", "recall"))
    if precision is not None and recall is not None:
        return precision, recall
    if "f" not in row:
        return None, None
    tp, fp, fn = (_value(row, column, path, line) for column in ("tp", "fp", "fn"))
    if tp is None or fp is None or fn is None or not (tp > 0 and fp >= 0 and fn >= 0):
        return precision, recall
    counts = Counts(tp, fp, fn)
    return counts.precision.value, counts.recall.value


def _value(
    row: Mapping[str, Any], column: str, path: str | Path | None, line: int | None
) -> float | None:
    value = row.get(column)
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise FormatError(
            f"expected a number for {column}, found {str(value)[:40]!r}", path=path, line=line
        )
    return number


def read_sentence_scores(path: str | Path) -> Iterator[SentenceScore]:
    """The scores of single sentences; those that are undefined (null) are passed over."""
    for line, row in read_objects(path):
        if row.get("type") not in _OVERALL:
            continue
        missing = [key for key in ("sentence", "system", "metric") if row.get(key) is None]
        if missing:
            raise FormatError(f"a sentence score needs {missing[0]}", path=path, line=line)
        if "f" not in row and "score" not in row:
            raise FormatError("a sentence score needs score or f", path=path, line=line)
        score = _value(row, "score", path, line)
        if score is None:
            score = _value(row, "f", path, line)
        if score is not None:
            level = row.get("level")
            metric = f"{row['metric']} {level}" if level else str(row["metric"])
            yield SentenceScore(str(row["sentence"]), str(row["system"]), metric, score)
