"""Load judgments, rankings and scores of systems.

References and systems are loaded by :mod:`redink.inputs.text_loading`. Accepted:

========== ====================================================================================
judgments  a file of labels, a data frame with the columns of such a file, or
           :class:`~redink.model.Judgment` values. The cases of a system can also be a mapping
           from items to labels, or flags of words.
rankings   a file of rankings, or :class:`~redink.model.Ranking` values.
scores     files with system scores, ``NAME=PATH``, tables from ``score``, or
           :class:`~redink.model.SystemScore` values.
========== ====================================================================================
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import STANDARD_STREAM, placed
from redink.formats.delimited import read_records
from redink.formats.format_registry import all_formats
from redink.formats.judgment_tables import judgments_of_columns, looks_like_ratings
from redink.formats.metric_scores import (
    read_plain_numbers,
    read_sentence_scores,
    read_system_scores,
    select_system_scores,
)
from redink.formats.recognition import read_head, tell_layout
from redink.formats.strict_json import text_pairs
from redink.inputs.input_options import PathLike
from redink.inputs.reading import read_judgments, read_rankings, read_values
from redink.inputs.text_loading import split_name
from redink.model import Detection, Judgment, Ranking, SentenceScore, SystemScore, Table
from redink.value_types import Dataset, Frame, columns_of_frame

JudgmentsLike = PathLike | Iterable[Judgment] | Frame | Dataset
RankingsLike = PathLike | Iterable[Ranking]
ScoresLike = (
    Mapping[str, PathLike | Table | Mapping[str, float]]
    | Sequence[PathLike | Table | SystemScore]
    | Table
    | PathLike
)
SentenceScoresLike = (
    Mapping[str, PathLike] | PathLike | Sequence[PathLike] | Iterable[SentenceScore]
)
HumanScoresLike = Mapping[str, PathLike | Mapping[str, float]] | Sequence[PathLike]
"""Aggregated human scores of systems, by the name of the aggregation."""


def load_rankings(rankings: RankingsLike) -> tuple[Ranking, ...]:
    """Load rankings of outputs by judges."""
    return read_rankings(rankings) if isinstance(rankings, str | Path) else tuple(rankings)


def is_ratings(judgments: Any) -> bool:
    """Return whether the human judgments are a file of ratings."""
    return isinstance(judgments, str | Path) and looks_like_ratings(_head_of(judgments))


def is_scores(judgments: Any) -> bool:
    """Return whether the human judgments are a file of system scores."""
    if not isinstance(judgments, str | Path):
        return False
    head = [line for line in _head_of(judgments) if line.strip()]
    if not head or any(f.recognize(head) for f in all_formats() if f.kind == "rankings"):
        return False
    mark = head[0].lstrip()[0]
    if mark in {"{", "<"}:
        return mark == "{" and '"judge"' not in "".join(head)
    return bool(tell_layout(head, ("system",))) or all(_is_scored(line) for line in head)


def _head_of(path: PathLike) -> list[str]:
    is_file = str(path) != STANDARD_STREAM and Path(path).is_file()
    return read_head(path) if is_file else []


def _is_scored(line: str) -> bool:
    """Return whether a line has a name and one or three numbers, or is a comment."""
    fields = line.split()
    try:
        numbers = [float(field) for field in fields[1:]]
    except ValueError:
        return line.startswith("#")
    return len(numbers) in {1, 3} or line.startswith("#")


def load_judgments(judgments: JudgmentsLike) -> tuple[Judgment, ...]:
    """Load labels of items by judges, without those of judges who are marked as excluded."""
    if isinstance(judgments, Frame | Dataset):
        read = judgments_of_columns(columns_of_frame(judgments))
    else:
        read = read_judgments(judgments) if isinstance(judgments, str | Path) else tuple(judgments)
    counted = tuple(judgment for judgment in read if not judgment.excluded)
    if len(counted) < len(read):
        message = f"{len(read) - len(counted)} judgments by excluded judges are ignored"
        warnings.warn(message, RedinkWarning, stacklevel=2)
    return counted


def _with_names(given: Mapping[str, Any] | Iterable[Any]) -> Iterable[tuple[str | None, Any]]:
    return given.items() if isinstance(given, Mapping) else map(split_name, given)


def load_system_scores(scores: ScoresLike) -> tuple[SystemScore, ...]:
    """Load scores of systems under metrics from any number of inputs."""
    if isinstance(scores, str | Path | Table):
        scores = [scores]
    return tuple(_scores(scores))


def _scores(given: Mapping[str, Any] | Sequence[Any]) -> Iterator[SystemScore]:
    for name, value in _with_names(given):
        if isinstance(value, SystemScore):
            yield value
        elif isinstance(value, Table):
            yield from select_system_scores(value.rows, name=name)
        elif isinstance(value, Mapping):
            yield from (SystemScore(one, str(name), float(of)) for one, of in value.items())
        else:
            yield from read_system_scores(value, name=name)


def load_sentence_scores(scores: SentenceScoresLike) -> tuple[SentenceScore, ...]:
    """Load scores of single sentences under metrics from any number of inputs."""
    if isinstance(scores, str | Path):
        scores = [scores]
    found: list[SentenceScore] = []
    for name, value in _with_names(scores):
        is_read = isinstance(value, SentenceScore)
        found += [value] if is_read else read_sentence_scores(value, name=name)
    return tuple(found)


def load_human_scores(
    given: HumanScoresLike, systems: Sequence[str] = ()
) -> dict[str, dict[str, float]]:
    """Load human scores of systems, by the name of the aggregation.

    A file has a format of metric scores, or one number per line for the systems in the order of
    their names.
    """
    found: dict[str, dict[str, float]] = {}
    for name, value in _with_names(given):
        if isinstance(value, Mapping):
            found[str(name)] = {system: float(score) for system, score in value.items()}
            continue
        numbers = read_plain_numbers(value)
        if numbers is not None:
            if len(numbers) != len(systems):
                raise FormatError(
                    f"has {len(numbers)} numbers without system names, but "
                    f"{len(systems)} systems were judged",
                    path=value,
                )
            by_name = dict(zip(sorted(systems), numbers, strict=True))
            found[name or Path(value).stem] = by_name
            continue
        for score in read_system_scores(value, name=name):
            found.setdefault(score.metric, {})[score.system] = score.score
    return found


# ---- cases of a system

CasesLike = str | Path | Mapping[str, str] | Iterable[Judgment]
_OWN = {"item", "label", "judge", "gold"}


def load_cases(cases: CasesLike, *, name: str = "system") -> tuple[Judgment, ...]:
    """Load the cases of a system from a file, a mapping from items to labels, or judgments."""
    if isinstance(cases, Mapping):
        return tuple(Judgment(item, name, label) for item, label in cases.items())
    if not isinstance(cases, str | Path):
        return tuple(cases)
    found = tuple(_read_cases(cases, name))
    if not found:
        raise FormatError("contains no cases; expected items with labels", path=cases)
    return found


def _read_cases(path: str | Path, name: str) -> Iterator[Judgment]:
    layout = tell_layout(read_head(path), ("item", "label"))
    if layout is not None:
        for record in read_records(path, layout):
            with placed(path, record.line):
                yield _case(record.cells, name)
        return
    found, values = read_values(path)
    if found.kind == "judgments":
        yield from values
    elif found.kind == "detections":
        yield from word_cases(values, name=name)
    else:
        raise FormatError(
            f"contains {found.kind} ({found.name}); expected a table with the columns item and "
            "label, or flags of words (GED TSV)",
            path=path,
        )


def _case(record: Mapping[str, Any], name: str) -> Judgment:
    cells = {key.lower(): value for key, value in record.items() if value is not None}
    for column in ("item", "label"):
        if cells.get(column, "") == "":
            raise DataError(f"the column {column!r} is empty or missing")
    extra: list[tuple[str, str]] = []
    for key, value in cells.items():
        if key == "extra" and isinstance(value, dict):
            extra += text_pairs(cells, key)  # the layout in which redink writes judgments
        elif key not in _OWN and value != "":
            extra.append((key, str(value)))
    judge, gold = str(cells.get("judge") or name), str(cells.get("gold") or "") or None
    return Judgment(str(cells["item"]), judge, str(cells["label"]), gold, extra=tuple(extra))


def word_cases(detections: Iterable[Detection], *, name: str) -> Iterator[Judgment]:
    """Yield each word of flagged sentences as a case, with its sentence and the previous one.

    In ids such as ``s7t3``, sentences are numbered from 1 and words from 0.
    """
    before = ""
    for number, detection in enumerate(detections, start=1):
        text = " ".join(detection.tokens)
        context = (("before", before),) if before else ()
        for position, flag in enumerate(detection.flags):
            place = (("text", text), ("start", str(position)), ("end", str(position + 1)))
            label = "error" if flag else "ok"
            yield Judgment(f"s{number}t{position}", name, label, extra=place + context)
        before = text
