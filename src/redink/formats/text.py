"""Plain text: one tokenised sentence a line; and parallel text, one source with its corrections.

Parallel text stands in files whose lines correspond, or in one file with tab-separated columns:
``source<TAB>corrected<TAB>...``. All hold tokens separated by spaces. What a line of tokens can
carry, and whether a text looks as if nobody had tokenised it, is decided here for every format.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TextIO

from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import read_lines
from redink.formats.registry import Format
from redink.model import AnnotatedSentence, ParallelSentence, Sentence
from redink.raw_text.tokenization import Tokenise

_TAB = "\t"


def sentence_of(line: str, tokenise: Tokenise | None) -> Sentence:
    """Return a sentence: tokens separated by white space, or raw text to tokenize."""
    if tokenise is None:
        return Sentence.from_line(line)
    return Sentence.from_text(line, tokenise(line))


def token_line(sentence: Sentence, format_name: str) -> str:
    """The tokens, separated by spaces."""
    line = " ".join(sentence.tokens)
    if "\0" in line or tuple(line.split()) != sentence.tokens:
        bad = next(t for t in sentence.tokens if "\0" in t or t.split() != [t])
        raise DataError(
            f"{format_name} cannot carry the token {bad!r} (empty, or with a space or NUL in it)"
        )
    return line


def warn_of_loss(format_name: str, lost: Mapping[str, int]) -> None:
    """One warning that counts what the format cannot carry; none if nothing is lost."""
    told = [f"{what}: {count}" for what, count in lost.items() if count]
    if told:
        warnings.warn(
            f"left out, since {format_name} cannot carry it: {'; '.join(told)}",
            RedinkWarning,
            stacklevel=3,
        )


def read_text_lines(
    path: str | Path, *, tokenise: Tokenise | None = None
) -> Iterator[AnnotatedSentence]:
    """A sentence for every line, empty lines included: alignment is by line.

    The tokens are what white space separates (any white space of Unicode, as in the original
    scorers). A text that looks as if nobody had tokenised it is read all the same, with a
    warning; with ``tokenise`` it is split by that.
    """
    for _, line in read_lines(path):
        yield AnnotatedSentence(sentence_of(line, tokenise))


def write_text_lines(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
    """The sources, a line each; one warning counts what else there was."""
    lost = Counter[str]()
    for sentence in sentences:
        stream.write(f"{token_line(sentence.source, 'plain text')}\n")
        lost.update(count_lost(sentence))
    warn_of_loss("plain text", lost)


def count_lost(sentence: AnnotatedSentence) -> dict[str, int]:
    """What a format that carries nothing but tokens leaves out of a sentence."""
    return {
        "annotations": len(sentence.annotations),
        "raw texts": sentence.source.text is not None,
        "sentence names": sentence.source.id is not None,
    }


def read_parallel_files(
    source: str | Path, corrected: Sequence[str | Path], *, tokenise: Tokenise | None = None
) -> Iterator[ParallelSentence]:
    """The lines of a source file with those of every corrected file.

    They hold tokens separated by white space, or raw text for ``tokenise`` to split.
    """
    count = 0
    for first, *others in zip_longest(*(read_lines(path) for path in (source, *corrected))):
        for path, other in zip(corrected, others, strict=True):
            if first is None and other is not None:
                raise FormatError(
                    f"has more lines than the {count} of {source}; they must match line by line",
                    path=path,
                    line=count + 1,
                )
            if first is not None and other is None:
                raise FormatError(
                    f"ends after line {count}, but {source} has more; they must match line by line",
                    path=path,
                    line=count,
                )
        count += 1
        yield ParallelSentence(
            sentence_of(first[1], tokenise), tuple(sentence_of(o[1], tokenise) for o in others)
        )
    if not count:
        raise FormatError("is empty; sentences were expected", path=source)


def read_parallel(
    path: str | Path, *, tokenise: Tokenise | None = None
) -> Iterator[ParallelSentence]:
    """The rows of a tab-separated file: the source, then its corrected versions."""
    width = 0
    for number, line in read_lines(path):
        first, *others = line.split(_TAB)
        width = width or len(others)
        if len(others) != width or not width:
            raise FormatError(
                f"expected {max(width, 1) + 1} columns separated by tabs, found {len(others) + 1}",
                path=path,
                line=number,
            )
        yield ParallelSentence(
            sentence_of(first, tokenise), tuple(sentence_of(other, tokenise) for other in others)
        )
    if not width:
        raise FormatError("is empty; sentences were expected", path=path)


def write_parallel(sentences: Iterable[ParallelSentence], stream: TextIO) -> None:
    """The sentences as tab-separated columns."""
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


def looks_numbered(head: Sequence[str]) -> bool:
    """Whether every line has a number, a source and corrections, as Chinese corpora have it."""
    rows = [line.split(_TAB) for line in head]
    return bool(rows) and all(len(cells) > 2 and cells[0].isdecimal() for cells in rows)


def read_numbered(
    path: str | Path, *, tokenise: Tokenise | None = None
) -> Iterator[ParallelSentence]:
    """The rows of a file in which a number comes first; they may differ in their corrections."""
    for number, line in read_lines(path):
        _, *cells = line.split(_TAB)
        if len(cells) < 2:
            raise FormatError(
                "expected a number, a source and its corrections, separated by tabs",
                path=path,
                line=number,
            )
        source, *corrected = (sentence_of(cell, tokenise) for cell in cells)
        yield ParallelSentence(source, tuple(corrected))


def write_numbered(sentences: Iterable[ParallelSentence], stream: TextIO) -> None:
    """The sentences, numbered from 1."""
    lost = Counter[str]()
    for number, sentence in enumerate(sentences, start=1):
        row = (sentence.source, *sentence.corrected)
        if len(row) < 2:
            raise DataError(f"sentence {number} has no corrected version")
        lost["raw texts"] += sum(cell.text is not None for cell in row)
        lost["sentence names"] += sum(cell.id is not None for cell in row)
        cells = (token_line(cell, "numbered text") for cell in row)
        stream.write(f"{_TAB.join((str(number), *cells))}\n")
    warn_of_loss("numbered text", lost)


NUMBERED = Format(
    name="para",
    kind="parallel",
    description="a number, the source, corrected versions in columns (MuCGEC)",
    suffixes=(".para",),
    recognise=looks_numbered,
    read=read_numbered,
    write=write_numbered,
    may_be_raw=True,
    general=True,
)


def _recognise_columns(head: Sequence[str]) -> bool:
    tabs = {line.count(_TAB) for line in head}
    return len(tabs) == 1 and tabs != {0}


PARALLEL = Format(
    name="parallel",
    kind="parallel",
    description="source and corrected versions in tab-separated columns",
    suffixes=(".tsv",),
    recognise=_recognise_columns,
    read=read_parallel,
    write=write_parallel,
    may_be_raw=True,
    general=True,
)

TEXT = Format(
    name="text",
    kind="corpus",
    description="one tokenised sentence a line",
    suffixes=(".txt",),
    recognise=bool,
    read=read_text_lines,
    write=write_text_lines,
    may_be_raw=True,
    general=True,
)
