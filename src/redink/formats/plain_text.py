"""Read and write plain text: lines, a JSON list of strings, and parallel text in columns.

Parallel text is in files with corresponding lines, in one file with tab-separated columns
(``source<TAB>corrected<TAB>...``, optionally after a number), or in a table with a header::

    source,corrected
    This are wrong .,This is wrong .

In a table, corrected versions by several annotators are numbered (``corrected1``, ``corrected2``).
All files contain tokens separated by spaces, or raw text that ``tokenize`` splits.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import placed, read_lines
from redink.formats.recognition import COMMA, CORRECTED, SOURCE, TAB, Layout, stem_of
from redink.model import AnnotatedSentence, ParallelSentence, Sentence

if TYPE_CHECKING:
    from redink.raw_text.tokenization import Tokenize

_EMPTY = "is empty; expected sentences"


def sentence_of(line: str, tokenize: Tokenize | None) -> Sentence:
    """Return the sentence of a line: whitespace-separated tokens, or raw text to tokenize."""
    if tokenize is None:
        return Sentence.from_line(line)
    return Sentence.from_text(line, tokenize(line))


def _pair(cells: Sequence[str], tokenize: Tokenize | None) -> ParallelSentence:
    source, *corrected = (sentence_of(cell, tokenize) for cell in cells)
    return ParallelSentence(source, tuple(corrected))


def token_line(sentence: Sentence, format_name: str) -> str:
    """Join tokens with spaces; raise an error if a token would be read differently."""
    line = " ".join(sentence.tokens)
    if "\0" in line or tuple(line.split()) != sentence.tokens:
        bad = next(t for t in sentence.tokens if "\0" in t or t.split() != [t])
        raise DataError(
            f"{format_name} cannot represent the token {bad!r} (empty, or contains a space or NUL)"
        )
    return line


def warn_of_loss(format_name: str, lost: Mapping[str, int]) -> None:
    """Warn once with the numbers of values that the format cannot represent, if any."""
    told = [f"{what}: {count}" for what, count in lost.items() if count]
    if told:
        message = f"omitted, because {format_name} cannot represent it: {'; '.join(told)}"
        warnings.warn(message, RedinkWarning, stacklevel=3)


def _count_lost(lost: Counter[str], sentences: Iterable[Sentence]) -> None:
    for sentence in sentences:
        lost["raw texts"] += sentence.text is not None
        lost["sentence names"] += sentence.id is not None


# ---- one text


def read_text_lines(
    path: str | Path, *, tokenize: Tokenize | None = None
) -> Iterator[AnnotatedSentence]:
    """Yield one sentence per line, including empty lines, because texts are aligned by line.

    Tokens are separated by any Unicode whitespace, as in the original scorers.
    """
    for _, line in read_lines(path):
        yield AnnotatedSentence(sentence_of(line, tokenize))


def read_json_list(
    path: str | Path, *, tokenize: Tokenize | None = None
) -> Iterator[AnnotatedSentence]:
    """Yield one sentence per string of a JSON list."""
    from redink.formats.strict_json import read_strings

    for _, text in read_strings(path):
        yield AnnotatedSentence(sentence_of(text, tokenize))


def write_text_lines(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
    """Write the sources, one per line; one warning counts everything else."""
    stream.writelines(f"{line}\n" for line in _source_lines(sentences, "plain text"))


def write_json_list(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
    """Write the sources as a JSON list of strings; one warning counts everything else."""
    before = "["
    for line in _source_lines(sentences, "a list of strings"):
        stream.write(f"{before}\n{json.dumps(line, ensure_ascii=False)}")
        before = ","
    stream.write("[]\n" if before == "[" else "\n]\n")


def _source_lines(sentences: Iterable[AnnotatedSentence], format_name: str) -> Iterator[str]:
    lost = Counter[str]()
    for sentence in sentences:
        yield token_line(sentence.source, format_name)
        lost["annotations"] += len(sentence.annotations)
        _count_lost(lost, [sentence.source])
    warn_of_loss(format_name, lost)


# ---- parallel text


def read_parallel_files(
    source: str | Path, corrected: Sequence[str | Path], *, tokenize: Tokenize | None = None
) -> Iterator[ParallelSentence]:
    """Yield the lines of a source file with those of each corrected file; lengths must match."""
    count = 0
    for first, *others in zip_longest(*(read_lines(path) for path in (source, *corrected))):
        for path, other in zip(corrected, others, strict=True):
            if (first is None) != (other is None):
                raise mismatch(path, source, count, ends=other is None)
        count += 1
        yield _pair([line for _, line in (first, *others)], tokenize)
    if not count:
        raise FormatError(_EMPTY, path=source)


def mismatch(path: str | Path, source: str | Path, lines: int, *, ends: bool) -> FormatError:
    """Return the error for a file that has fewer or more lines than its source."""
    what = f"ends after line {lines}, but {source} has more"
    if not ends:
        what = f"has more lines than the {lines} of {source}"
    line = lines + (not ends) or None
    return FormatError(f"{what}; they must match line by line", path=path, line=line)


def read_parallel(
    path: str | Path, *, tokenize: Tokenize | None = None
) -> Iterator[ParallelSentence]:
    """Yield the rows of a tab-separated file: the source, then its corrected versions."""
    width = 0
    for number, line in read_lines(path):
        cells = line.split(TAB)
        width = width or max(len(cells), 2)
        if len(cells) != width:
            problem = f"expected {width} columns separated by tabs, found {len(cells)}"
            raise FormatError(problem, path=path, line=number)
        yield _pair(cells, tokenize)
    if not width:
        raise FormatError(_EMPTY, path=path)


def read_numbered(
    path: str | Path, *, tokenize: Tokenize | None = None
) -> Iterator[ParallelSentence]:
    """Yield the rows of a numbered file; their numbers of corrections may differ."""
    for number, line in read_lines(path):
        _, *cells = line.split(TAB)
        if len(cells) < 2:
            problem = "expected a number, a source and its corrections, separated by tabs"
            raise FormatError(problem, path=path, line=number)
        yield _pair(cells, tokenize)


def read_columns(
    path: str | Path, *, layout: Layout, tokenize: Tokenize | None = None
) -> Iterator[ParallelSentence]:
    """Yield the rows below a header; one warning names the ignored columns."""
    from redink.formats.delimited import read_records

    left_out: dict[str, None] = {}
    is_empty = True
    for record in read_records(path, layout):
        cells = record.cells
        source = next((n for own in SOURCE for n in cells if n.lower() == own), None)
        if source is None:
            raise FormatError(f"has no column {SOURCE[0]!r}", path=path)
        with placed(path, record.line):
            wanted = one_corrected(map(stem_of, cells))
        corrected = [name for name in cells if stem_of(name) == wanted]
        left_out |= dict.fromkeys(n for n in cells if n != source and n not in corrected)
        yield _pair([cells[name] for name in (source, *corrected)], tokenize)
        is_empty = False
    if is_empty:
        raise FormatError("contains no sentences below its header", path=path)
    if left_out:
        message = f"{path}: unknown columns were ignored: {', '.join(left_out)}"
        warnings.warn(message, RedinkWarning, stacklevel=2)


_ADVICE = "Remove the others, or choose a JSON field of the system output with --align --field NAME"


def one_corrected(names: Iterable[str], advice: str = _ADVICE) -> str:
    """Return the name of the corrected text; raise an error if there are several."""
    given = set(names)
    found = [name for name in CORRECTED if name in given]
    if len(found) > 1:
        raise DataError(
            f"several columns of corrected text: {', '.join(map(repr, found))}. {advice}"
        )
    return found[0] if found else CORRECTED[0]


def write_parallel(sentences: Iterable[ParallelSentence], stream: TextIO) -> None:
    """Write tab-separated columns."""
    rows = _rows(sentences, "tab-separated text", same_width=True)
    stream.writelines(f"{TAB.join(row)}\n" for row in rows)


def write_numbered(sentences: Iterable[ParallelSentence], stream: TextIO) -> None:
    """Write the sentences, numbered from 1."""
    rows = enumerate(_rows(sentences, "numbered text"), start=1)
    stream.writelines(f"{TAB.join((str(number), *row))}\n" for number, row in rows)


def write_columns(sentences: Iterable[ParallelSentence], stream: TextIO, *, layout: Layout) -> None:
    """Write the sentences below a header."""
    from redink.formats.delimited import write_rows

    rows = list(_rows(sentences, "a table", same_width=True))
    width = len(rows[0]) - 1 if rows else 1
    numbers = [""] if width == 1 else range(1, width + 1)
    names = [SOURCE[0], *(f"{CORRECTED[0]}{number}" for number in numbers)]
    write_rows(names, rows, stream, TAB if layout == "tsv" else COMMA)


def _rows(
    sentences: Iterable[ParallelSentence], format_name: str, *, same_width: bool = False
) -> Iterator[list[str]]:
    width = 0
    lost = Counter[str]()
    for number, sentence in enumerate(sentences, start=1):
        row = (sentence.source, *sentence.corrected)
        width = width or max(len(row), 2)
        if same_width and len(row) != width:
            raise DataError(
                f"expected {width - 1} corrected versions of sentence {number} as of the first, "
                f"found {len(row) - 1}"
            )
        if len(row) < 2:
            raise DataError(f"sentence {number} has no corrected version")
        _count_lost(lost, row)
        yield [token_line(cell, format_name) for cell in row]
    warn_of_loss(format_name, lost)
