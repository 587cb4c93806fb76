"""What people and metrics said of systems: judgments, rankings and scores come in here.

The other half of the one door (:mod:`redink.inputs.loading`). What may be given:

========== ====================================================================================
judgments  a file of labels, a data frame with the columns of such a file, or
           :class:`~redink.model.Judgment` values; the cases of a system also as labels by item,
           or flags for words.
rankings   a file of rankings, or :class:`~redink.model.Ranking` values.
scores     files with scores of systems, ``NAME=PATH``, tables that ``score`` made, or
           :class:`~redink.model.SystemScore` values.
========== ====================================================================================
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from redink.errors import FormatError, RedinkWarning
from redink.files import STANDARD_STREAM
from redink.formats.delimited import tell_layout
from redink.formats.json_lines import read_head
from redink.formats.metric_scores import (
    read_plain_numbers,
    read_sentence_scores,
    read_system_scores,
    select_system_scores,
)
from redink.formats.ratings import looks_like_ratings
from redink.formats.registry import all_formats
from redink.inputs.loading import PathLike
from redink.inputs.reading import read_judgments, read_rankings
from redink.inputs.system_names import split_name
from redink.model import Judgment, Ranking, SentenceScore, SystemScore, Table
from redink.value_types import Frame, columns_of_frame

JudgmentsLike = PathLike | Iterable[Judgment] | Frame
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
"""Scores that people gave to systems, already aggregated: by the name of the aggregation."""


def load_rankings(rankings: RankingsLike) -> tuple[Ranking, ...]:
    """Rankings of outputs by judges."""
    return read_rankings(rankings) if isinstance(rankings, str | Path) else tuple(rankings)


def is_ratings(judgments: Any) -> bool:
    """Whether people's judgments are a file of ratings."""
    return isinstance(judgments, str | Path) and looks_like_ratings(_head_of(judgments))


def is_scores(judgments: Any) -> bool:
    """Whether people's judgments are scores of systems already: a file of them."""
    if not isinstance(judgments, str | Path):
        return False
    head = [line for line in _head_of(judgments) if line.strip()]
    if not head or any(f.recognise(head) for f in all_formats() if f.kind == "rankings"):
        return False
    if head[0].lstrip().startswith(("{", "<")):
        return head[0].lstrip().startswith("{") and '"judge"' not in "".join(head)
    return bool(tell_layout(head, ("system",))) or all(_is_scored(line) for line in head)


def _head_of(path: PathLike) -> list[str]:
    is_file = str(path) != STANDARD_STREAM and Path(path).is_file()
    return read_head(path) if is_file else []


def _is_scored(line: str) -> bool:
    """Whether a line has a name and one or three numbers, or is a comment."""
    fields = line.split()
    try:
        numbers = [float(field) for field in fields[1:]]
    except ValueError:
        return line.startswith("#")
    return len(numbers) in {1, 3} or line.startswith("#")


def load_judgments(judgments: JudgmentsLike) -> tuple[Judgment, ...]:
    """Labels of items by judges; those of judges who are marked as excluded do not count."""
    if isinstance(judgments, Frame):
        from redink.formats.judgments import judgments_of_columns  # listed in order of imports

        read = judgments_of_columns(columns_of_frame(judgments))
    else:
        read = read_judgments(judgments) if isinstance(judgments, str | Path) else tuple(judgments)
    counted = tuple(judgment for judgment in read if not judgment.excluded)
    if len(counted) < len(read):
        warnings.warn(
            f"{len(read) - len(counted)} judgments of judges who were excluded are left out",
            RedinkWarning,
            stacklevel=2,
        )
    return counted


def _with_names(given: Mapping[str, Any] | Iterable[Any]) -> Iterable[tuple[str | None, Any]]:
    return given.items() if isinstance(given, Mapping) else map(split_name, given)


def load_system_scores(scores: ScoresLike) -> tuple[SystemScore, ...]:
    """Scores of systems under metrics, from any number of places."""
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
    """Scores of single sentences under metrics, from any number of places."""
    if isinstance(scores, str | Path):
        scores = [scores]
    found: list[SentenceScore] = []
    for name, value in _with_names(scores):
        if isinstance(value, SentenceScore):
            found.append(value)
        else:
            found += read_sentence_scores(value, name=name)
    return tuple(found)


def load_human_scores(
    given: HumanScoresLike, systems: Sequence[str] = ()
) -> dict[str, dict[str, float]]:
    """The scores of systems by people, by the name of the aggregation.

    A file has what a file of metric scores may have; or a number a line, for the systems in the
    order of their names.
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
                    f"has {len(numbers)} numbers without names of systems; "
                    f"{len(systems)} systems were judged",
                    path=value,
                )
            by_name = dict(zip(sorted(systems), numbers, strict=True))
            found[name or Path(value).stem] = by_name
            continue
        for score in read_system_scores(value, name=name):
            found.setdefault(score.metric, {})[score.system] = score.score
    return found
