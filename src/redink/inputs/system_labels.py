"""The cases of a system: what it says of each item, as judgments with the system for a judge.

A table (CSV, TSV or JSON lines) needs the columns ``item`` and ``label``; ``judge`` may be left
out, and every column that is not a judgment's own is kept. A file of judgments will do as well,
and so will flags for words (GED TSV): every word is then a case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from redink.errors import DataError, FormatError
from redink.files import placed
from redink.formats.delimited import read_records, tell_layout
from redink.formats.json_lines import read_head, text_pairs
from redink.inputs.reading import read_values
from redink.model import Detection, Judgment

CasesLike = str | Path | Mapping[str, str] | Iterable[Judgment]
_OWN = {"item", "label", "judge", "gold"}


def load_cases(cases: CasesLike, *, name: str = "system") -> tuple[Judgment, ...]:
    """A system's cases, from a file, from labels by item, or judgments as they are."""
    if isinstance(cases, Mapping):
        return tuple(Judgment(item, name, label) for item, label in cases.items())
    if not isinstance(cases, str | Path):
        return tuple(cases)
    found = tuple(_read_cases(cases, name))
    if not found:
        raise FormatError("holds no cases; items with labels were expected", path=cases)
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
            f"holds {found.kind} ({found.name}); a table with the columns item and label, or "
            "flags for words (GED TSV), was expected",
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
            extra += text_pairs(cells, key)  # as redink writes judgments
        elif key not in _OWN and value != "":
            extra.append((key, str(value)))
    return Judgment(
        str(cells["item"]),
        str(cells.get("judge") or name),
        str(cells["label"]),
        str(cells.get("gold") or "") or None,
        extra=tuple(extra),
    )


def word_cases(detections: Iterable[Detection], *, name: str) -> Iterator[Judgment]:
    """Every word of flagged sentences as a case, with its sentence and the one before.

    Sentences count from 1 and the words in them from 0: ``s7t3``.
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
