"""Annotate: two sentences, parallel files of any length, or a corpus that has edits already.

Files are read, annotated and written chunk by chunk, so that memory does not grow with them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypeVar

from redink.analysis.analyzer import chunks
from redink.analysis.annotation import annotate_again, count_words, divide, warn_about_language
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.edit_finder import (
    Job,
    ReclassificationOptions,
    annotate_chunk,
    retype,
    type_jobs,
)
from redink.commands.explain import sentence_tokens
from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import read_head, write_atomically
from redink.formats.format_registry import PLAIN
from redink.formats.m2 import m2_block
from redink.inputs.input_checks import InputFinding, Observed, check_sources, warn
from redink.inputs.input_options import AlignmentOptions, ColumnOptions, PathLike
from redink.inputs.parallel_text import ParallelFiles, Row, RowRange, find_pairs, read_rows
from redink.inputs.raw_alignment import align_output
from redink.inputs.reading import read_values
from redink.inputs.text_loading import is_raw, kept_sentences, load_corpus, load_texts
from redink.model import (
    AnnotatedSentence,
    Corpus,
    Edit,
    Sentence,
    Shown,
    Table,
    annotator_order,
    fingerprint,
    table_of,
)
from redink.options import Flag, Positive, command
from redink.parallel import map_in_order
from redink.progress import tell

CHUNK_WORDS = 160_000
"""How many words are worked on at a time: large enough for batches, small enough for memory."""

Value = TypeVar("Value")


@command
def annotate(
    source: str | Sentence,
    corrected: str | Sentence,
    *,
    annotation_options: AnnotationOptions = AnnotationOptions(),
) -> tuple[Edit, ...]:
    """The typed edits that turn one sentence into another.

    Words and punctuation marks are separated by spaces. Each edit says which rule gave it its
    type. For many sentences see :func:`annotate_files` and :func:`annotate_corpus`.

    Args:
        source: the sentence as written.
        corrected: the sentence after correction.
        annotation_options: how edits are found.
    """
    finder = annotation_options.load()
    job = Job(sentence_tokens(source, finder), sentence_tokens(corrected, finder))
    return type_jobs([job], finder)[job]


@command
def annotate_files(
    source: PathLike,
    corrected: PathLike | Sequence[PathLike],
    output: Annotated[PathLike, Flag(writes=True)],
    *,
    columns: ColumnOptions = ColumnOptions(),
    alignment: AlignmentOptions = AlignmentOptions(),
    annotation_options: AnnotationOptions = AnnotationOptions(),
    workers: Positive = 1,
) -> Table:
    """Parallel text to M2: the corrected files become annotators 0, 1, 2 … of the source.

    A file has one sentence a line, words separated by spaces. Lines whose source is empty are
    left out. Files may be of any length: they are read, annotated and written in chunks, and the
    output appears when it is whole. For a corpus in many files, or one that is to be continued
    where it stopped, see :func:`annotate_shards`.

    Args:
        source: the file of source sentences; or one that holds the corrections too, in columns
            (JSON lines, Parquet, CSV, text separated by tabs).
        corrected: the files of corrected sentences, each as long as the source; none, if the
            source holds them.
        output: the M2 file to write; ``-`` for standard output.
        columns: where the sentences are, if the source holds the corrections too.
        alignment: whether the corrected text is raw, and has to be aligned with the source first.
        annotation_options: how edits are found.
        workers: how many processes share the work.

    Returns:
        How many sentences each file has, how many are changed, and by how many edits.
    """
    files = [corrected] if isinstance(corrected, str | Path) else list(corrected)
    raw = alignment.following(source, annotation_options.language)
    with _aligned_files(source, files, raw) as (lines, ready):
        pairs = find_pairs(lines, ready, columns)
        if pairs.layout != "parquet" and not read_head(source):
            raise FormatError("is empty; sentences were expected", path=source)
        annotation_options.check_workers(workers)
        reading = ReadLines()
        is_lines = not raw.raw and pairs.layout in {"lines", "tsv", "numbered"}
        rows = partial(read_rows, pairs) if is_lines else None
        names = name_annotators(pairs, files)
        observed: list[Observed] = []
        with _placing_unwritable(files or [source], rows):
            tally = write_chunks(
                partial(annotate_rows, annotation_options=annotation_options),
                _look_over(chunks_of_rows(pairs, reading), annotation_options, observed),
                output,
                count_words=count_words_of_row,
                workers=workers,
                total=count_sentences(lines),
            )
        warn(describe_observed(observed, names, reading))
        warn_of_left_out(source, reading.blank, tally)
        signature = annotation_options.signature("annotate", data=fingerprint(reading.digests))
        return summarise(tally, names, signature)


@contextmanager
def _aligned_files(
    source: PathLike, corrected: Sequence[PathLike], alignment: AlignmentOptions
) -> Iterator[tuple[PathLike, list[PathLike]]]:
    """The source and the corrected files, a line a sentence: raw ones are aligned into others."""
    if not alignment.raw:
        yield source, list(corrected)
        return
    sources = load_texts(source, alignment)
    with TemporaryDirectory(prefix="redink-") as folder:
        outputs = []
        for path in corrected:
            if not is_raw(path):
                raise FormatError("holds edits or flags; plain text was expected", path=path)
            outputs.append(align_output(Path(path).name, path, sources, alignment))
        texts = [sources, *(output.hypotheses or () for output in outputs)]
        if (kept := kept_sentences(outputs, len(sources))) is not None:
            texts = [tuple(text[at] for at in kept) for text in texts]
        ready: list[PathLike] = [Path(folder) / f"{number}.txt" for number in range(len(texts))]
        for path, text in zip(ready, texts, strict=True):
            with write_atomically(path) as stream:
                stream.writelines(f"{sentence}\n" for sentence in text)
        yield ready[0], ready[1:]


def _look_over(
    found: Iterable[list[Row]], annotation_options: AnnotationOptions, observed: list[Observed]
) -> Iterator[list[Row]]:
    """Pass the chunks through; the first shows whether the source is of another language."""
    for number, chunk in enumerate(observe_rows(found, annotation_options, observed)):
        if number == 0:
            sources = [Sentence(annotation_options.load().split(row[0])) for row in chunk]
            warn(check_sources(sources))
            warn_about_language(sources, annotation_options)
        yield chunk


def observe_rows(
    found: Iterable[list[Row]], annotation_options: AnnotationOptions, observed: list[Observed]
) -> Iterator[list[Row]]:
    """Pass the chunks through; compare every corrected text with the source."""
    split = annotation_options.load().split
    for chunk in found:
        columns = zip_longest(*chunk, fillvalue="")
        sources, *texts = [[Sentence(split(text)) for text in column] for column in columns]
        observed += [Observed() for _ in texts[len(observed) :]]
        for one, text in zip(observed, texts, strict=False):
            one.add(sources, text)
        yield chunk


def describe_observed(
    observed: Sequence[Observed], names: Mapping[str, str], reading: ReadLines
) -> Iterator[InputFinding]:
    """Return everything suspicious in the corrected texts, with the line in the file."""
    for number, one in enumerate(observed):
        label = f"corrected {names.get(str(number), f'text {number + 1}')!r}"
        for finding in one.findings(label):
            yield replace(finding, line=reading.line_of(finding.line))
        if one.is_unchanged:
            yield InputFinding(label, "is identical to the source", "give the corrected text")


def warn_of_left_out(source: PathLike, blank: int, tally: AnnotationCounts) -> None:
    """Say how many lines were left out, if any."""
    for count, what in (
        (blank, "lines without a source sentence"),
        (tally.left_out, "sentences that M2 cannot carry ('|' in a correction)"),
    ):
        if count:
            message = f"{source}: {count} {what} were left out"
            warnings.warn(message, RedinkWarning, stacklevel=3)


def name_annotators(pairs: ParallelFiles, corrected: Sequence[PathLike]) -> dict[str, str]:
    """What to call each annotator: by the file or column, unless there is one column alone."""
    columns = pairs.columns[1:] if len(pairs.columns) > 2 else ()
    names = [Path(file).name for file in corrected] or columns
    return {str(number): name for number, name in enumerate(names)}


@command
def annotate_m2(
    corpus: PathLike,
    output: Annotated[PathLike, Flag(writes=True)],
    *,
    reclassification: ReclassificationOptions = ReclassificationOptions(),
    annotation_options: AnnotationOptions = AnnotationOptions(),
    workers: Positive = 1,
) -> Table:
    """An M2 file (or another that holds edits) to M2, its edits found or typed again.

    Args:
        corpus: the file to read.
        output: the M2 file to write; ``-`` for standard output.
        reclassification: what is done with the edits that are there.
        annotation_options: how edits are found.
        workers: how many processes share the work.

    Returns:
        How many sentences each annotator has, how many are changed, and by how many edits.
    """
    annotation_options.check_workers(workers)
    reading = ReadLines()
    with _placing_unwritable([corpus]):
        tally = write_chunks(
            partial(
                retype_sentences,
                annotation_options=annotation_options,
                reclassification=reclassification,
            ),
            chunks_of_sentences(corpus, reading),
            output,
            count_words=count_words,
            workers=workers,
            total=count_sentences(corpus, beginning=b"S "),
        )
    signature = annotation_options.signature(
        "annotate", edits=reclassification.edits, data=fingerprint(reading.digests)
    )
    return summarise(tally, {}, signature)


@command
def annotate_corpus(
    corpus: PathLike | Corpus,
    *,
    reclassification: ReclassificationOptions = ReclassificationOptions(),
    annotation_options: AnnotationOptions = AnnotationOptions(),
) -> Corpus:
    """A corpus with its edits found or typed again; see :func:`annotate_m2` for long files.

    Args:
        corpus: sentences with edits: a file, or values.
        reclassification: what is done with the edits that are there.
        annotation_options: how edits are found.
    """
    return annotate_again(load_corpus(corpus), reclassification, annotation_options)


@dataclass(frozen=True)
class AnnotatorCounts:
    """How many sentences an annotator has, how many are changed, and by how many edits."""

    annotator: str
    file: Annotated[str | None, Shown(optional=True)]
    sentences: int
    changed: int
    edits: int


def summarise(
    tally: AnnotationCounts,
    names: Mapping[str, str],
    signature: dict[str, Any],
    *,
    notes: Sequence[str] = (),
) -> Table:
    """What each annotator did, and the name of the file or column it is from, if it has one."""
    rows = [
        AnnotatorCounts(who, names.get(who), *tally.annotators[who])
        for who in sorted(tally.annotators, key=annotator_order)
    ]
    return table_of(rows, AnnotatorCounts, notes=notes, signature=signature)


# ---- files, chunk by chunk


@dataclass
class ReadLines:
    """What is learnt about the input while it is read."""

    skipped: list[int] = field(default_factory=list)
    """The numbers of the lines that were left out, since their source is empty."""
    digests: list[str] = field(default_factory=list)

    @property
    def blank(self) -> int:
        """How many lines were left out."""
        return len(self.skipped)

    def line_of(self, number: int | None) -> int | None:
        """Return the line of the file with the ``number``-th of the lines that were kept."""
        for line in self.skipped:
            if number is not None and line <= number:
                number += 1
        return number


@dataclass
class AnnotationCounts:
    """Counts of all sentences, and by annotator: sentences, changed ones, edits.

    Sentences that M2 cannot carry are left out.
    """

    sentences: int = 0
    left_out: int = 0
    annotators: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def count(self, sentence: AnnotatedSentence) -> None:
        """Count a sentence and its edits."""
        self.sentences += 1
        for one in sentence.annotations:
            self._add(one.annotator, (1, int(bool(one.edits)), len(one.edits)))

    def add(self, other: AnnotationCounts) -> None:
        """Add the counts of a chunk."""
        self.sentences += other.sentences
        self.left_out += other.left_out
        for who, counts in other.annotators.items():
            self._add(who, counts)

    def _add(self, who: str, counts: tuple[int, int, int]) -> None:
        seen, changed, edits = self.annotators.get(who, (0, 0, 0))
        self.annotators[who] = (seen + counts[0], changed + counts[1], edits + counts[2])


def chunks_of_rows(
    pairs: ParallelFiles, reading: ReadLines, part: RowRange | None = None
) -> Iterator[list[Row]]:
    """ParallelFiles, or a part of them, in chunks; those with an empty source are left out."""
    rows = _with_source(read_rows(pairs, part), reading)
    for chunk in chunks(rows, count_words_of_row, words=CHUNK_WORDS):
        reading.digests.append(fingerprint(line for row in chunk for line in row))
        yield chunk


def _with_source(rows: Iterable[Row], reading: ReadLines) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        if row[0].strip():
            yield row
        else:
            reading.skipped.append(number)


def chunks_of_sentences(path: PathLike, reading: ReadLines) -> Iterator[list[AnnotatedSentence]]:
    """The sentences of a corpus in chunks."""
    found, values = read_values(path, kind="corpus")
    if found.name in PLAIN:
        raise FormatError("holds no edits; an M2 file was expected", path=path)
    for chunk in chunks(values, count_words, words=CHUNK_WORDS):
        reading.digests.append(fingerprint(repr(sentence) for sentence in chunk))
        yield chunk


def count_words_of_row(row: Row) -> int:
    """About how many words a sentence and its corrections have."""
    return sum(line.count(" ") + 1 for line in row)


def count_sentences(path: PathLike, *, beginning: bytes = b"") -> int | None:
    """How many lines begin so, where a file can quickly be read twice: for the progress bar."""
    if not Path(path).is_file() or Path(path).suffix in {".gz", ".zst", ".parquet"}:
        return None
    with Path(path).open("rb") as stream:
        return sum(line.startswith(beginning) for line in stream)


def annotate_rows(
    rows: list[Row], *, annotation_options: AnnotationOptions, leave_out: bool = False
) -> tuple[str, AnnotationCounts]:
    """A chunk of pairs as M2, and its counts.

    A sentence that M2 cannot carry (a correction that is ``|``) is an error, since others would
    lose their place, unless it is to be left out.
    """
    finder = annotation_options.load()
    split = [(finder.split(source), tuple(map(finder.split, others))) for source, *others in rows]
    sentences = [
        AnnotatedSentence.of_everyone(Sentence(source), found)
        for (source, _), found in zip(split, annotate_chunk(split, finder), strict=True)
    ]
    return _render(sentences, leave_out=leave_out)


def retype_sentences(
    sentences: list[AnnotatedSentence],
    *,
    annotation_options: AnnotationOptions,
    reclassification: ReclassificationOptions,
) -> tuple[str, AnnotationCounts]:
    """A chunk of a corpus as M2, its edits found or typed again, and its counts."""
    return _render(retype(sentences, annotation_options.load(), reclassification))


def _render(
    sentences: Sequence[AnnotatedSentence], *, leave_out: bool = False
) -> tuple[str, AnnotationCounts]:
    blocks = []
    tally = AnnotationCounts()
    for sentence in sentences:
        try:
            blocks.append(m2_block(sentence))
        except DataError as error:
            if not leave_out:
                raise UnwritableError(str(error), tally.sentences) from None
            tally.left_out += 1
        else:
            tally.count(sentence)
    return "".join(blocks), tally


class UnwritableError(DataError):
    """A sentence that M2 cannot carry, and how many sentences come before it."""

    def __init__(self, message: str, before: int) -> None:
        super().__init__(message)
        self.before = before

    def __reduce__(self) -> tuple[object, ...]:
        return (UnwritableError, (str(self), self.before))


@contextmanager
def _placing_unwritable(
    files: Sequence[PathLike], rows: Callable[[], Iterable[Row]] | None = None
) -> Iterator[None]:
    """Say in which file, and on which line where rows are lines, M2 cannot carry a sentence."""
    try:
        yield
    except UnwritableError as error:
        line = None
        if rows is not None:
            full = (number for number, row in enumerate(rows(), start=1) if row[0].strip())
            line = next(islice(full, error.before, None), None)
        where = f"sentence {error.before + 1}: " if line is None else ""
        raise FormatError(
            f"{where}{error}; change it there, or write to a folder (-o OUT/), where such "
            "sentences are left out and counted",
            path=", ".join(map(str, files)),
            line=line,
        ) from None


def write_chunks(
    work: Callable[[list[Value]], tuple[str, AnnotationCounts]],
    items: Iterable[list[Value]],
    output: Annotated[PathLike, Flag(writes=True)],
    *,
    count_words: Callable[[Value], int],
    workers: int = 1,
    total: int | None = None,
) -> AnnotationCounts:
    """Do the work on every chunk and write what it gives, all or nothing."""
    tally = AnnotationCounts()
    divided, crew = divide(items, count_words, workers)
    with (
        write_atomically(output) as stream,
        closing(map_in_order(work, divided, workers=crew)) as results,
    ):
        try:
            for text, counts in results:
                stream.write(text)
                tally.add(counts)
                tell("annotating", tally.sentences, total)
        except UnwritableError as error:
            raise UnwritableError(str(error), tally.sentences + error.before) from None
    return tally
