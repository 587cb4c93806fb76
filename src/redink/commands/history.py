"""``redink history``: results of dated versions in one file, and their development."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from redink.errors import DataError, FormatError, OptionError
from redink.files import read_text, write_atomically
from redink.formats.strict_json import read_objects
from redink.inputs.input_options import PathLike
from redink.model import Shown, Table, make_signature, table_of
from redink.options import Flag, Needs, command

_Score = Annotated[float | None, Shown("score")]


@dataclass(frozen=True)
class VersionScore:
    """A score of one version; ``change`` is the difference from the version before."""

    date: str
    version: str
    system: str
    metric: str
    measure: str
    slice: str
    score: _Score
    low: Annotated[float | None, Shown("score", optional=True)] = None
    high: Annotated[float | None, Shown("score", optional=True)] = None
    change: _Score = None

    @property
    def series(self) -> tuple[str, str, str, str]:
        """The system, metric, measure and slice."""
        return self.system, self.metric, self.measure, self.slice


@command(draws="Draw the development of every metric, system and slice.")
def history(
    file: Annotated[PathLike, Flag(value="HISTORY")],
    results: Annotated[Sequence[PathLike], Flag(value="[RESULTS]...", many=True)] = (),
    *,
    version: Annotated[str | None, Flag(value="NAME"), Needs(results=True)] = None,
    date: Annotated[str | None, Flag(value="YYYY-MM-DD"), Needs(results=True)] = None,
) -> Table:
    """Store results of a version in a history file, and show how the scores change over versions.

    Args:
        file: history file (JSON lines), created if it does not exist.
        results: results to add: JSON of redink score or redink gate (the candidate). Without
            results, the history is only shown.
        version: name of the version, such as a tag. By default the date.
        date: date of the version. By default today.

    Returns:
        One row per version, system, metric, measure and slice, in order of the dates.
    """
    known = [*_read(file)] if Path(file).exists() else []
    if results:
        day = _check_date(date or datetime.now(UTC).date().isoformat())
        name = version or day
        if any(row.version == name for row in known):
            raise OptionError(f"{file}: already has the version {name!r}; use another --version")
        known += dict.fromkeys(row for path in results for row in _read_result(path, name, day))
        with write_atomically(file) as stream:
            for row in known:
                fields = {k: v for k, v in asdict(row).items() if v is not None and k != "change"}
                stream.write(f"{json.dumps(fields, ensure_ascii=False)}\n")
    elif not known:
        raise OptionError(f"{file}: no such file; add results of a version to create it")
    rows = sorted(known, key=lambda row: row.date)  # versions of a day stay in order
    last: dict[tuple[str, ...], float | None] = {}
    shown = []
    for row in rows:
        before = last.get(row.series)
        is_known = before is not None and row.score is not None
        change = row.score - before if is_known else None  # type: ignore[operator]
        shown.append(VersionScore(**{**asdict(row), "change": change}))
        last[row.series] = row.score
    signature = make_signature("history", versions=len({row.version for row in rows}))
    return table_of(shown, VersionScore, signature=signature, groups="version", plot_name="history")


def _check_date(text: str) -> str:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
    except ValueError:
        raise OptionError(f"--date must be YYYY-MM-DD, not {text!r}") from None


def _read(path: PathLike) -> Iterator[VersionScore]:
    for line, value in read_objects(path):
        try:
            yield VersionScore(**value)
        except TypeError:
            raise FormatError("is not a line of a history", path=path, line=line) from None


def _read_result(path: PathLike, version: str, day: str) -> Iterator[VersionScore]:
    """Yield the scores in the JSON of ``score`` or of ``gate``."""
    try:
        found = json.loads(read_text(path))
        command, rows = found["signature"]["command"], found["rows"]
        if command not in {"score", "gate"}:
            raise DataError(f"{path}: is a result of redink {command}; expected score or gate")
        for row in rows:
            yield VersionScore(
                day, version, **(_of_gate(row) if command == "gate" else _of_score(row, found))
            )
    except (ValueError, KeyError, TypeError):
        raise FormatError("is not JSON of redink score or redink gate", path=path) from None


def _of_gate(row: Mapping[str, Any]) -> dict[str, Any]:
    about = {name: row[name] for name in ("metric", "measure")}
    return {"system": "candidate", **about, "slice": row["slice"] or "", "score": row["candidate"]}


def _of_score(row: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    by = found["signature"].get("by") or []
    values = [f"{name}={row[name]}" for name in by if row[name] is not None]
    measure = "f" if "f" in row and row["f"] == row["score"] else "score"
    kind = row.get("type") or (None if "level" in by else row.get("level"))
    return {
        "system": row["system"],
        "metric": row["metric"],
        "measure": f"{measure}[{kind}]" if kind else measure,
        "slice": ", ".join(values),
        **{name: row.get(name) for name in ("score", "low", "high")},
    }
