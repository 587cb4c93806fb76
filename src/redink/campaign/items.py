"""Items to judge, and files of them."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import placed
from redink.formats.delimited import read_records, tell_layout
from redink.formats.json_lines import read_head, read_objects, write_object
from redink.inputs.checks import check_outputs, warn
from redink.inputs.loading import PathLike, SystemsLike, TextLike, load_hypotheses
from redink.model import Sentence

_NUMBER = re.compile(r"-?\d{1,15}")
NOTHING = "(nothing)"
"""Stored and shown if no word belongs somewhere."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item: the content of the page (``payload``), and the answer of a gold question."""

    id: int
    key: str
    payload: dict[str, Any]
    gold: str | None = None


@dataclass(frozen=True)
class Material:
    """The organizer's input, from which a task makes its items."""

    source: TextLike | None = None
    systems: SystemsLike = ()
    file: PathLike | None = None
    """A file of items, or of sentences with edits or flags."""
    count: int | None = None
    """Number of items; None for all."""
    seed: int = 1
    replacement: bool = False
    """Whether a sentence can be drawn again, with other outputs (ranking)."""
    tokenise: bool = False
    """Whether the sentences are raw text."""
    language: str = "en"
    skipped: frozenset[int] = frozenset()
    """The sentences (from 0) that are left out because a system has no answer for them."""

    def load_outputs(self) -> tuple[tuple[Sentence, ...], dict[str, tuple[Sentence, ...]]]:
        """Return the source sentences and the output of every system; warn of suspicious lines."""
        assert self.source is not None
        sources, systems = load_hypotheses(self.source, self.systems)
        warn(check_outputs(sources, systems), stacklevel=4)
        return sources, systems

    def item_file(self, *columns: str) -> PathLike | None:
        """Return the file, if it is a table with these columns (by default ``text``).

        Raises:
            OptionError: other input was given, which would be ignored.
        """
        if self.file is None or Path(self.file).is_dir():
            return None
        if tell_layout(read_head(self.file), columns or ("text",)) is None:
            return None
        if self.source is not None or self.systems:
            raise OptionError(f"{self.file}: holds items; --source and systems do not go with it")
        return self.file

    def draw(self, items: list[Item]) -> list[Item]:
        """Draw the required number of items at random, and keep their order."""
        if self.replacement:
            raise OptionError(
                "--with-replacement goes with --task ranking, --source and the outputs of systems"
            )
        if self.count is None or self.count >= len(items):
            self.warn_if_fewer(len(items))
            return items
        import numpy as np

        rng = np.random.default_rng(self.seed)
        return [items[at] for at in sorted(rng.choice(len(items), self.count, replace=False))]

    def warn_if_fewer(self, there_are: int, hint: str = "") -> None:
        """Warn if there are fewer items than required."""
        if self.count is not None and self.count > there_are:
            warnings.warn(
                f"--items {self.count}: there are only {there_are}, and these are taken{hint}",
                RedinkWarning,
                stacklevel=4,
            )


COLUMNS = ("item", "text", "start", "end", "before", "after", "note", "choices", "gold")
"""Columns that every task knows."""
EXPORTED = frozenset({"judge", "label", "confidence", "duration", "time", "excluded", "question"})
"""Columns that the export writes itself."""


def write_items(items: Iterable[Item], stream: TextIO) -> None:
    """Write items as JSON lines, which ``create --from`` reads."""
    for item in items:
        about = {name: value for name, value in item.payload.items() if name != "extra"}
        about |= item.payload.get("extra", {})
        gold = {} if item.gold is None else {"gold": item.gold}
        write_object({"item": item.key, **about, **gold}, stream)


def read_written(path: PathLike, check: Callable[[Item], None]) -> list[Item]:
    """Read items as :func:`write_items` wrote them, for a task with structured items."""
    items: list[Item] = []
    for line, about in read_objects(path):
        key, gold = about.pop("item", line), about.pop("gold", None)
        item = Item(len(items) + 1, str(key), about, None if gold is None else str(gold))
        with placed(path, line):
            if any(item.key == other.key for other in items):
                raise DataError(f"two items are called {item.key!r}")
            try:
                check(item)
            except (LookupError, TypeError, ValueError, AttributeError):
                raise DataError("this is not an item as redink campaign items writes it") from None
        items.append(item)
    return items


def read_items(
    path: PathLike,
    *,
    own: Collection[str] = (),
    taken: Collection[str] = (),
    check: Callable[[Item], None] | None = None,
) -> list[Item]:
    """Read items from CSV, TSV or JSONL.

    ``text`` is required. ``item`` is the name (by default the number); ``start, end`` are the
    marked tokens; ``before`` and ``after`` are the neighboring sentences; ``note`` is shown below;
    ``choices`` are separated by ``|``; ``gold`` is the answer of a gold question. All other columns
    are exported with the answers.

    Args:
        path: the file.
        own: columns that only this task knows.
        taken: columns that the answers of the task have.
        check: raises an error for items that the task cannot ask about.
    """
    items: list[Item] = []
    seen: set[str] = set()
    for record in read_records(path):
        with placed(path, record.line):
            item = _read_item(len(items) + 1, record.cells, own, EXPORTED.union(taken))
            if item.key in seen:
                raise DataError(f"two items are called {item.key!r}")
            if check is not None:
                check(item)
        seen.add(item.key)
        items.append(item)
    if not items:
        raise FormatError("holds no items", path=path)
    return items


def _read_item(
    number: int, cells: Mapping[str, Any], own: Collection[str], taken: Collection[str]
) -> Item:
    row = {name: value for name, value in cells.items() if value is not None and value != ""}
    text = str(row.get("text") or "").split()
    if not text:
        raise DataError("an item needs a text")
    payload: dict[str, Any] = {"text": " ".join(text)}
    if "start" in row or "end" in row:
        if "start" not in row:
            raise DataError("an item with an end needs a start")
        start = _whole_number(row["start"])
        end = _whole_number(row.get("end", str(start + 1)))
        if not 0 <= start <= end <= len(text):
            raise DataError(f"the span {start} {end} does not fit a text of {len(text)} tokens")
        payload |= {"start": start, "end": end}
    payload |= {name: str(row[name]) for name in ("before", "after", "note") if row.get(name)}
    if "choices" in row:
        given = row["choices"]
        choices = given if isinstance(given, list) else str(given).split("|")
        payload["choices"] = [str(choice).strip() or NOTHING for choice in choices]
    payload |= {name: row[name] for name in own if name in row}
    extra = {name: row[name] for name in row if name not in COLUMNS and name not in own}
    for name in extra:
        if name in taken:
            raise DataError(
                f"the column {name!r} is one that the answers have; give it another name"
            )
    if extra:
        payload["extra"] = {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in extra.items()
        }
    gold = row.get("gold")
    return Item(
        id=number,
        key=str(row.get("item") or number),
        payload=payload,
        gold=None if gold is None else str(gold).strip(),
    )


def _whole_number(value: Any) -> int:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        raise DataError("start and end are whole numbers")
    return int(value.strip())
