"""Parallel text: one source and n corrected versions, as files or as tab-separated columns.

In files the lines correspond; in one file every line is ``source<TAB>corrected<TAB>...``. Both
hold tokens separated by spaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TextIO

from redink.errors import DataError, FormatError
from redink.files import read_lines
from redink.formats.lines import RawTextWatch, read_sentence, token_line, warn_of_loss
from redink.formats.registry import Format, register
from redink.formats.treebank import Tokenise
from redink.model import ParallelSentence

_TAB = "\t"


def read_parallel_files(
    source: str | Path, corrected: Sequence[str | Path], *, tokenise: Tokenise | None = None
) -> Iterator[ParallelSentence]:
    """The lines of a source file with those of every corrected file.

    They hold tokens separated by white space, or raw text for ``tokenise`` to split.

    Raises:
        FormatError: a file is shorter or longer than the source.
    """
    watch = RawTextWatch(source)
    lines = [read_lines(path) for path in (source, *corrected)]
    row: tuple[tuple[int, str] | None, ...] = ()
    for count, row in enumerate(zip_longest(*lines)):
        first, *others = row
        if first is None:
            longer = next(p for p, other in zip(corrected, others, strict=True) if other)
            raise FormatError(
                f"has more lines than the {count} of {source}; they must match line by line",
                path=longer,
                line=count + 1,
            )
        found = []
        for path, other in zip(corrected, others, strict=True):
            if other is None:
                raise FormatError(
                    f"ends after line {count}, but {source} has more; they must match line by line",
                    path=path,
                    line=count,
                )
            found.append(read_sentence(other[1], tokenise))
        watch.look(first[1])
        yield ParallelSentence(read_sentence(first[1], tokenise), tuple(found))
    if not row:
        raise FormatError("is empty; sentences were expected", path=source)
    if tokenise is None:
        watch.warn()


def read_parallel(
    path: str | Path, *, tokenise: Tokenise | None = None
) -> Iterator[ParallelSentence]:
    """The rows of a tab-separated file: the source, then its corrected versions."""
    width = 0
    watch = RawTextWatch(path)
    for number, line in read_lines(path):
        cells = line.split(_TAB)
        width = width or len(cells)
        if len(cells) != width or width < 2:
            raise FormatError(
                f"expected {max(width, 2)} columns separated by tabs, found {len(cells)}",
                path=path,
                line=number,
            )
        watch.look(cells[0])
        first, *others = (read_sentence(cell, tokenise) for cell in cells)
        yield ParallelSentence(first, tuple(others))
    if not width:
        raise FormatError("is empty; sentences were expected", path=path)
    if tokenise is None:
        watch.warn()


def write_parallel(sentences: Iterable[ParallelSentence], stream: TextIO) -> None:
    """The sentences as tab-separated columns.

    Raises:
        DataError: the sentences differ in their number of corrected versions, or have none.
    """
    width = None
    lost = Counter[str]()
    for number, sentence in enumerate(sentences, start=1):
        row = (sentence.source, *sentence.corrected)
        width = width or len(row)
        if len(row) != width or width < 2:
            raise DataError(
                f"sentence {number} has {len(row) - 1} corrected versions where "
                f"{max(width - 1, 1)} were expected: columns cannot carry that"
            )
        lost["raw texts"] += sum(cell.text is not None for cell in row)
        lost["sentence names"] += sum(cell.id is not None for cell in row)
        stream.write(_TAB.join(token_line(cell, "tab-separated text") for cell in row))
        stream.write("\n")
    warn_of_loss("tab-separated text", lost)


def _recognise(head: Sequence[str]) -> bool:
    tabs = {line.count(_TAB) for line in head}
    return len(tabs) == 1 and tabs != {0}


PARALLEL = register(
    Format(
        name="parallel",
        kind="parallel",
        description="source and corrected versions in tab-separated columns",
        suffixes=(".tsv",),
        recognise=_recognise,
        read=read_parallel,
        write=write_parallel,
        may_be_raw=True,
    )
)
