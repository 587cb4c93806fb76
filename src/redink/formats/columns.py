"""Parallel text in a table with names of columns, as spreadsheets and data frames write it.

::

    source,corrected
    This are wrong .,This is wrong .

Corrected versions by several annotators are numbered: ``corrected1``, ``corrected2``. Further
columns are left out, with a warning.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import placed
from redink.formats.delimited import COMMA, TAB, Layout, read_records, tell_layout, write_rows
from redink.formats.jsonl import CORRECTED, SOURCE, one_corrected, stem_of
from redink.formats.registry import Format
from redink.formats.text import sentence_of, token_line, warn_of_loss
from redink.model import ParallelSentence
from redink.raw_text.tokenization import Tokenise


def read_columns(
    path: str | Path, *, layout: Layout, tokenise: Tokenise | None = None
) -> Iterator[ParallelSentence]:
    """The rows below the header."""
    left_out: dict[str, None] = {}
    empty = True
    for record in read_records(path, layout):
        cells = record.cells
        written = next((n for own in SOURCE for n in cells if n.lower() == own), None)
        if written is None:
            raise FormatError(f"has no column called {SOURCE[0]!r}", path=path)
        with placed(path, record.line):
            wanted = one_corrected(map(stem_of, cells))
        corrected = [cell for name, cell in cells.items() if stem_of(name) == wanted]
        left_out |= dict.fromkeys(
            name for name in cells if name != written and stem_of(name) != wanted
        )
        yield ParallelSentence(
            sentence_of(cells[written], tokenise),
            tuple(sentence_of(cell, tokenise) for cell in corrected),
        )
        empty = False
    if empty:
        raise FormatError("holds no sentences below its header", path=path)
    if left_out:
        warnings.warn(
            f"{path}: columns that redink does not know were left out: {', '.join(left_out)}",
            RedinkWarning,
            stacklevel=2,
        )


def write_columns(sentences: Iterable[ParallelSentence], stream: TextIO, *, layout: Layout) -> None:
    """The sentences below a header."""
    rows = [(sentence.source, *sentence.corrected) for sentence in sentences]
    width = len(rows[0]) - 1 if rows else 1
    lost = Counter[str]()
    for number, row in enumerate(rows, start=1):
        if len(row) != width + 1 or not width:
            raise DataError(
                f"sentence {number} has {len(row) - 1} corrected versions where {width or 1} were "
                "expected: columns cannot carry that"
            )
        lost["raw texts"] += sum(cell.text is not None for cell in row)
        lost["sentence names"] += sum(cell.id is not None for cell in row)
    numbers = [""] if width == 1 else range(1, width + 1)
    cells = ([token_line(cell, "a table") for cell in row] for row in rows)
    names = [SOURCE[0], *(f"{CORRECTED[0]}{number}" for number in numbers)]
    write_rows(names, cells, stream, TAB if layout == "tsv" else COMMA)
    warn_of_loss("a table", lost)


def _recognise(head: Sequence[str], layout: Layout) -> bool:
    return any(
        tell_layout(head, [source, f"{name}{number}"]) == layout
        for source in SOURCE
        for name in CORRECTED
        for number in ("", 1)
    )


def _make_format(layout: Layout, suffixes: tuple[str, ...]) -> Format:
    return Format(
        name=layout,
        kind="parallel",
        description="source and corrected versions in columns with names",
        suffixes=suffixes,
        recognise=partial(_recognise, layout=layout),
        read=partial(read_columns, layout=layout),
        write=partial(write_columns, layout=layout),
        may_be_raw=True,
    )


CSV = _make_format("csv", (".csv",))
TSV = _make_format("tsv", ())
