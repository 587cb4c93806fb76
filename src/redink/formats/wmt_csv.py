"""WMT CSV: one row a ranking, with the systems and their ranks in numbered columns.

::

    srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,...,system1rank,...
    err,cor,135,-1,135,annotator01,AMU,...,2,...

Systems with the same output stand in one cell, separated by spaces. A rank of -1 says that the
judge gave none: such an output is not part of the ranking and is kept in ``extra``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from redink.errors import DataError
from redink.formats.delimited import (
    COMMA,
    extra_columns,
    read_table,
    required_cell,
    tell_layout,
    warn_of_empty,
    write_rows,
)
from redink.formats.durations import format_seconds, parse_optional_duration
from redink.formats.registry import Format
from redink.model import RankedOutput, Ranking

_SENTENCE, _JUDGE, _ID, _DURATION = "srcIndex", "judgeId", "rankingID", "duration"
_OWN = (_SENTENCE, _JUDGE, _ID, _DURATION)
_LOWER = {name.lower(): name for name in _OWN}
_SYSTEM = re.compile(r"system([1-9]\d{0,3})(id|rank)", re.IGNORECASE | re.ASCII)
_RANK = re.compile(r"\d{1,9}", re.ASCII)
_UNRANKED = "-1"


def read_wmt_csv(path: str | Path) -> Iterator[Ranking]:
    """The rankings of a WMT CSV file, one at a time."""
    return read_table(path, "csv", _rankings, "rankings")


def _rankings(cells: Mapping[str, str]) -> Iterable[Ranking]:
    own: dict[str, str] = {}
    systems: dict[int, dict[str, str]] = {}
    extra: list[tuple[str, str]] = []
    for name, value in cells.items():
        if name.lower() in _LOWER:
            own[_LOWER[name.lower()]] = value
        elif numbered := _SYSTEM.fullmatch(name):
            systems.setdefault(int(numbered[1]), {})[numbered[2].lower()] = value
        elif value:
            extra.append((name, value))
    if _SENTENCE not in own:
        raise DataError(
            f"the column {_SENTENCE!r} is missing from the header; a table of rankings has "
            "srcIndex, judgeId, system1Id, system1rank and so on, one of ratings has sentence, "
            "system, judge and rating, or sentence and a column of numbers for each system"
        )
    outputs, unranked = _outputs(systems)
    return [
        Ranking(
            required_cell(own, _SENTENCE),
            required_cell(own, _JUDGE),
            outputs,
            own.get(_ID) or None,
            parse_optional_duration(own.get(_DURATION)),
            (*extra, *unranked),
        )
    ]


def _outputs(
    systems: Mapping[int, Mapping[str, str]],
) -> tuple[tuple[RankedOutput, ...], list[tuple[str, str]]]:
    """The ranked outputs, and what to keep of those without a rank."""
    outputs: list[RankedOutput] = []
    unranked: list[tuple[str, str]] = []
    for number, cells in sorted(systems.items()):
        names, rank = tuple(cells.get("id", "").split()), cells.get("rank", "").strip()
        if names and _RANK.fullmatch(rank):
            outputs.append(RankedOutput(int(rank), names))
        elif names and rank == _UNRANKED:
            unranked.append((f"system{number}Id", " ".join(names)))
            unranked.append((f"system{number}rank", rank))
        elif names or rank not in {"", _UNRANKED}:  # else: fewer systems than columns
            raise DataError(
                f"expected a system and a rank for system {number}, "
                f"found {' '.join(names)!r} and {rank!r}"
            )
    seen = [system for output in outputs for system in output.systems]
    for system in seen:
        if seen.count(system) > 1:
            raise DataError(f"the system {system!r} is ranked twice in one row")
    return tuple(outputs), unranked


def write_wmt_csv(rankings: Iterable[Ranking], stream: TextIO) -> None:
    """The rankings as WMT CSV, with as many systems a row as the longest needs."""
    rows = list(rankings)
    unranked = [_unranked(ranking) for ranking in rows]
    width = max(
        (
            max([len(ranking.outputs) + len(blank), *blank], default=0)
            for ranking, blank in zip(rows, unranked, strict=True)
        ),
        default=0,
    )
    places = range(1, width + 1)
    used = {_ID: any(r.id is not None for r in rows)}
    used[_DURATION] = any(r.duration is not None for r in rows)
    optional = [name for name, is_used in used.items() if is_used]
    further = extra_columns((_other_extra(r) for r in rows), _OWN)
    empty = 0

    def cells() -> Iterator[list[str]]:
        nonlocal empty
        for ranking, blank in zip(rows, unranked, strict=True):
            if not (ranking.sentence and ranking.judge):
                raise DataError(
                    f"a ranking needs a sentence and a judge; one has {ranking.sentence!r} and "
                    f"{ranking.judge!r}"
                )
            ranked = iter([(_names(output), str(output.rank)) for output in ranking.outputs])
            shown = [
                (blank[place], _UNRANKED) if place in blank else next(ranked, ("", ""))
                for place in places
            ]
            values = {_ID: ranking.id, _DURATION: format_seconds(ranking.duration)}
            values |= dict(_other_extra(ranking))
            more = [values.get(name) for name in (*optional, *further)]
            empty += sum(value == "" for value in more)
            names, ranks = zip(*shown, strict=True) if shown else ((), ())
            yield [ranking.sentence, ranking.judge, *names, *ranks, *(v or "" for v in more)]

    header = [_SENTENCE, _JUDGE]
    header += [f"system{place}Id" for place in places]
    header += [f"system{place}rank" for place in places]
    write_rows([*header, *optional, *further], cells(), stream, COMMA)
    warn_of_empty(empty)


def _names(output: RankedOutput) -> str:
    for system in output.systems:
        if len(system.split()) != 1 or system.strip() != system:
            raise DataError(f"WMT CSV cannot carry the system name {system!r} (empty or a space)")
    if output.rank < 0:
        raise DataError(f"WMT CSV cannot carry the rank {output.rank}")
    return " ".join(output.systems)


def _unranked(ranking: Ranking) -> dict[int, str]:
    """The outputs that the judge left without a rank, by their place in the row."""
    kept = {name: value for name, value in ranking.extra if _SYSTEM.fullmatch(name)}
    found = {}
    for name, value in kept.items():
        number = name.removeprefix("system").removesuffix("Id")
        if name.endswith("Id") and kept.get(f"system{number}rank") == _UNRANKED:
            found[int(number)] = value
    if 2 * len(found) != len(kept):
        raise DataError(f"WMT CSV cannot carry an extra value called {next(iter(kept))!r}")
    return found


def _other_extra(ranking: Ranking) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in ranking.extra if not _SYSTEM.fullmatch(name))


def _recognise(head: Sequence[str]) -> bool:
    return tell_layout(head, (_SENTENCE, _JUDGE, "system1Id", "system1rank")) == "csv"


WMT_CSV = Format(
    name="wmt-csv",
    kind="rankings",
    description="rankings of outputs by judges, one row a ranking (WMT)",
    suffixes=(".csv",),
    recognise=_recognise,
    read=read_wmt_csv,
    write=write_wmt_csv,
)
