"""A system's cases: what it says of each item, as a table, or as flags for every word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from redink.errors import FormatError
from redink.files import read_head
from redink.formats.delimited import COMMA, TAB, read_rows, split_header
from redink.formats.inputs import PathLike
from redink.formats.json_lines import first_object, read_objects
from redink.formats.registry import detect_format
from redink.model import Detection, Judgment

CasesLike = PathLike | Mapping[str, str] | Iterable[Judgment]
"""A file, labels by item, or judgments."""


def load_cases(cases: CasesLike, *, name: str = "system") -> tuple[Judgment, ...]:
    """A system's cases: judgments of its own, labels by item, or flags for every word (GED TSV).

    A table needs the columns ``item`` and ``label``; ``judge`` may be left out.
    """
    if isinstance(cases, Mapping):
        return tuple(Judgment(item, name, label) for item, label in cases.items())
    if not isinstance(cases, str | Path):
        return tuple(cases)
    found = tuple(_read_cases(cases, name))
    if not found:
        raise FormatError("holds no cases; items with labels were expected", path=cases)
    return found


def _read_cases(path: PathLike, name: str) -> Iterator[Judgment]:
    head = read_head(path, lines=1)
    first = head[0] if head else ""
    if first_object([first]).keys() >= {"item", "label"}:
        for number, record in read_objects(path, numbers_as_text=True):
            cells = {key: str(value) for key, value in record.items() if value is not None}
            yield _case(cells, name, path, number)
        return
    for separator in (TAB, COMMA):
        columns = {column.lower() for column in split_header(first, separator)}
        if columns.issuperset({"item", "label"}):
            for row in read_rows(path, separator):
                cells = {key.lower(): value for key, value in row.cells.items()}
                yield _case(cells, name, path, row.line)
            return
    found = detect_format(path)
    if found.kind == "judgments":
        yield from found.read(path)
    elif found.kind == "detections":
        yield from word_cases(found.read(path), name=name)
    else:
        raise FormatError(
            f"holds {found.kind} ({found.name}); a table with the columns item and label, or "
            "flags for words (GED TSV), was expected",
            path=path,
        )


def _case(cells: Mapping[str, str], name: str, path: PathLike, line: int) -> Judgment:
    for column in ("item", "label"):
        if not cells.get(column):
            raise FormatError(f"the column {column!r} is empty or missing", path=path, line=line)
    own = {"item", "label", "judge", "gold"}
    extra = tuple((key, value) for key, value in cells.items() if key not in own and value)
    return Judgment(
        cells["item"],
        cells.get("judge") or name,
        cells["label"],
        cells.get("gold") or None,
        extra=extra,
    )


def word_cases(detections: Iterable[Detection], *, name: str) -> Iterator[Judgment]:
    """Every word of flagged sentences as a case, with its sentence and the one before.

    Sentences count from 1 and the words in them from 0: ``s7t3``.
    """
    before = ""
    for number, detection in enumerate(detections, start=1):
        text = " ".join(detection.tokens)
        for position, flag in enumerate(detection.flags):
            place = (("text", text), ("start", str(position)), ("end", str(position + 1)))
            context = (("before", before),) if before else ()
            label = "error" if flag else "ok"
            yield Judgment(f"s{number}t{position}", name, label, extra=place + context)
        before = text
