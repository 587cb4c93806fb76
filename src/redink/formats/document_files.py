"""The formats of whole documents, as they were written.

Between them documents go byte for byte; where a corpus is expected, they are split into sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from redink.errors import DataError
from redink.files import placed, read_text
from redink.formats.essays import (
    Essay,
    is_jsonl,
    is_multigec,
    parse_multigec,
    read_folder,
    read_jsonl,
    write_essays_jsonl,
    write_multigec,
)
from redink.formats.registry import Format


def _read_multigec(path: str | Path) -> Iterator[Essay]:
    with placed(path):
        yield from parse_multigec(read_text(path))


def _write_multigec(essays: Iterable[Essay], stream: TextIO) -> None:
    write_multigec(map(_checked, essays), stream)


def _checked(essay: Essay) -> Essay:
    if any(mark in essay.id + essay.text for mark in "\r\0"):
        raise DataError(f"multigec cannot carry a carriage return or NUL (essay {essay.id[:40]!r})")
    return essay


def _refuse(_essays: Iterable[Essay], _stream: TextIO) -> None:
    raise DataError("a folder of text files can be read and not written")


MULTIGEC = Format(
    name="multigec",
    kind="documents",
    description="essays as written, in Markdown (MultiGEC)",
    suffixes=(".md",),
    recognise=is_multigec,
    read=_read_multigec,
    write=_write_multigec,
)
DOCUMENTS = Format(
    name="documents",
    kind="documents",
    description="texts as written, JSON lines with id and text, or logs of chats",
    suffixes=(),
    recognise=is_jsonl,
    read=read_jsonl,
    write=write_essays_jsonl,
)
FOLDER = Format(
    name="folder",
    kind="documents",
    description="a text file for each document",
    suffixes=(),
    recognise=lambda _: False,
    read=lambda path: iter(read_folder(Path(path))),
    write=_refuse,
)
