"""Annotate two sentences, parallel files of any length, or a corpus with edits.

Files are read, annotated and written in chunks, so memory use does not grow with their size.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
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
from redink.errors import DataError, FormatError, RedinkError, RedinkWarning
from redink.files import read_head, write_atomically
from redink.formats.format_registry import PLAIN
from redink.formats.m2 import m2_block
from redink.inputs.input_checks import InputFinding, Observed, check_sources, warn
from redink.inputs.input_options import AlignmentOptions, ColumnOptions, PathLike
from redink.inputs.parallel_text import ParallelFiles, Row, RowRange, find_pairs, read_rows
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
"""Words per chunk: enough for batches, few enough for the memory."""

Value = TypeVar("Value")


@command
def annotate(
    source: str | Sentence,
    corrected: str | Sentence,
    *,
    annotation_options: AnnotationOptions = AnnotationOptions(),
) -> tuple[Edit, ...]:
    """Find and classify the edits that turn one sentence into another.

    Words and punctuation marks are separated by spaces. Each edit names the rule that classified
    it. For many sentences see :func:`annotate_files` and :func:`annotate_corpus`.

    Args:
        source: the source sentence.
        corrected: the corrected sentence.
        annotation_options: annotation of the sentences.
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
    """Write parallel text as M2; the corrected files become annotators 0, 1, 2 … of the source.

    Each file has one sentence per line, with words separated by spaces. Lines with an empty source
    are skipped. The output file appears when it is complete. For a corpus in many files, or a job
    that can be resumed, see :func:`annotate_shards`.

    Args:
        source: the file of source sentences, or a file that also contains the corrections, in
            columns (JSON lines, Parquet, CSV, TSV).
        corrected: the files of corrected sentences, with one line per line of the source; none if
            the source contains the corrections.
        output: the M2 file to write; ``-`` for standard output.
        columns: the columns of the sentences, if the source contains the corrections.
        alignment: alignment of raw corrected text with the source.
        annotation_options: annotation of the sentences.
        workers: number of processes.

    Returns:
        For each file, the numbers of sentences, changed sentences and edits.
    """
    files = [corrected] if isinstance(corrected, str | Path) else list(corrected)
    raw = alignment.following(source, annotation_options.language)
    with _aligned_files(source, files, raw) as (lines, ready):
        pairs = find_pairs(lines, ready, columns)
        if pairs.layout != "parquet" and not read_head(source):
            raise FormatError("is empty; expected sentences", path=source)
        annotation_options.check_workers(workers)
        reader = PairReader(pairs, annotation_options)
        has_lines = not raw.raw and pairs.layout in {"lines", "tsv", "numbered"}

        def explain(number: int, problem: str) -> FormatError:
            line = reader.line_of(number) if has_lines else None
            return _unwritable(files or [source], number, problem, line)

        tally = write_chunks(
            partial(annotate_rows, annotation_options=annotation_options),
            _check_first(reader),
            output,
            count_words=count_words_of_row,
            workers=workers,
            total=_count_sentences(lines),
            explain=explain,
        )
        names = name_annotators(pairs, files)
        warn(reader.findings(names))
        warn_of_left_out(source, len(reader.skipped), tally)
        signature = annotation_options.signature("annotate", data=fingerprint(reader.digests))
        return summarize(tally, names, signature)


@contextmanager
def _aligned_files(
    source: PathLike, corrected: Sequence[PathLike], alignment: AlignmentOptions
) -> Iterator[tuple[PathLike, list[PathLike]]]:
    """Yield the source and the corrected files; raw files are aligned into temporary ones."""
    if not alignment.raw:
        yield source, list(corrected)
        return
    from redink.inputs.raw_alignment import align_output  # compiles many patterns

    sources = load_texts(source, alignment)
    with TemporaryDirectory(prefix="redink-") as folder:
        outputs = []
        for path in corrected:
            if not is_raw(path):
                raise FormatError("contains edits or flags; expected plain text", path=path)
            outputs.append(align_output(Path(path).name, path, sources, alignment))
        texts = [sources, *(output.hypotheses or () for output in outputs)]
        if (kept := kept_sentences(outputs, len(sources))) is not None:
            texts = [tuple(text[at] for at in kept) for text in texts]
        ready: list[PathLike] = [Path(folder) / f"{number}.txt" for number in range(len(texts))]
        for path, text in zip(ready, texts, strict=True):
            with write_atomically(path) as stream:
                stream.writelines(f"{sentence}\n" for sentence in text)
        yield ready[0], ready[1:]


def _check_first(reader: PairReader) -> Iterator[list[Row]]:
    """Yield the chunks; check the source and its language in the first chunk."""
    options = reader.annotation_options
    for number, chunk in enumerate(reader.chunks()):
        if number == 0:
            split = options.load().split
            sources = [Sentence(split(row[0])) for row in chunk]
            warn(check_sources(sources))
            warn_about_language(sources, options)
        yield chunk


def warn_of_left_out(source: PathLike, blank: int, tally: AnnotationCounts) -> None:
    """Warn about skipped lines."""
    for count, what in (
        (blank, "lines without a source sentence"),
        (tally.left_out, "sentences that M2 cannot represent ('|' in a correction)"),
    ):
        if count:
            message = f"{source}: skipped {count} {what}"
            warnings.warn(message, RedinkWarning, stacklevel=3)


def name_annotators(pairs: ParallelFiles, corrected: Sequence[PathLike]) -> dict[str, str]:
    """Name annotators after their files or columns; return no names for a single column."""
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
    """Extract or classify the edits of a corpus file again; write M2.

    Args:
        corpus: the file to read.
        output: the M2 file to write; ``-`` for standard output.
        reclassification: treatment of the edits in the file.
        annotation_options: annotation of the sentences.
        workers: number of processes.

    Returns:
        For each annotator, the numbers of sentences, changed sentences and edits.
    """
    annotation_options.check_workers(workers)
    digests: list[str] = []
    tally = write_chunks(
        partial(
            _retype_sentences,
            annotation_options=annotation_options,
            reclassification=reclassification,
        ),
        _chunks_of_sentences(corpus, digests),
        output,
        count_words=count_words,
        workers=workers,
        total=_count_sentences(corpus, beginning=b"S "),
        explain=partial(_unwritable, [corpus]),
    )
    edits, data = reclassification.edits, fingerprint(digests)
    return summarize(tally, {}, annotation_options.signature("annotate", edits=edits, data=data))


@command
def annotate_corpus(
    corpus: PathLike | Corpus,
    *,
    reclassification: ReclassificationOptions = ReclassificationOptions(),
    annotation_options: AnnotationOptions = AnnotationOptions(),
) -> Corpus:
    """Extract or classify the edits of a corpus again; for long files see :func:`annotate_m2`.

    Args:
        corpus: sentences with edits: a file, or values.
        reclassification: treatment of the edits in the corpus.
        annotation_options: annotation of the sentences.
    """
    return annotate_again(load_corpus(corpus), reclassification, annotation_options)


@dataclass(frozen=True)
class AnnotatorCounts:
    """The numbers of sentences, changed sentences and edits of an annotator."""

    annotator: str
    file: Annotated[str | None, Shown(optional=True)]
    sentences: int
    changed: int
    edits: int


def summarize(
    tally: AnnotationCounts,
    names: Mapping[str, str],
    signature: dict[str, Any],
    *,
    notes: Sequence[str] = (),
) -> Table:
    """Make the table of all annotators; ``names`` contains their files or columns."""
    rows = [
        AnnotatorCounts(who, names.get(who), *tally.annotators[who])
        for who in sorted(tally.annotators, key=annotator_order)
    ]
    return table_of(rows, AnnotatorCounts, notes=notes, signature=signature)


# ---- files in chunks


@dataclass
class PairReader:
    """Reads the rows of parallel text in chunks, skipping rows with an empty source.

    ``skipped`` contains the line numbers of the skipped rows, ``digests`` one digest per chunk,
    and ``observed`` the changes in each corrected text.
    """

    pairs: ParallelFiles
    annotation_options: AnnotationOptions
    part: RowRange | None = None
    skipped: list[int] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    observed: list[Observed] = field(default_factory=list)

    def chunks(self) -> Iterator[list[Row]]:
        """Yield the rows; compare each corrected text with the source."""
        split = self.annotation_options.load().split
        for chunk in chunks(self._rows(), count_words_of_row, words=CHUNK_WORDS):
            self.digests.append(fingerprint(line for row in chunk for line in row))
            columns = zip_longest(*chunk, fillvalue="")
            sources, *texts = [[Sentence(split(text)) for text in column] for column in columns]
            self.observed += [Observed() for _ in texts[len(self.observed) :]]
            for one, text in zip(self.observed, texts, strict=False):
                one.add(sources, text)
            yield chunk

    def _rows(self) -> Iterator[Row]:
        for number, row in enumerate(read_rows(self.pairs, self.part), start=1):
            if row[0].strip():
                yield row
            else:
                self.skipped.append(number)

    def line_of(self, number: int) -> int:
        """Return the line of the file that contains the ``number``-th row that was not skipped."""
        for line in self.skipped:
            number += line <= number
        return number

    def findings(self, names: Mapping[str, str]) -> Iterator[InputFinding]:
        """Yield suspicious findings in the corrected texts, with their lines in the file."""
        for number, one in enumerate(self.observed):
            label = f"corrected {names.get(str(number), f'text {number + 1}')!r}"
            for found in one.findings(label):
                yield replace(found, line=None if found.line is None else self.line_of(found.line))
            if one.is_unchanged:
                yield InputFinding(label, "is identical to the source", "give the corrected text")


@dataclass
class AnnotationCounts:
    """Counts of sentences, changed sentences and edits: in total and by annotator.

    Sentences that M2 cannot represent are not counted.
    """

    sentences: int = 0
    left_out: int = 0
    annotators: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def count(self, sentence: AnnotatedSentence) -> None:
        """Count a sentence and its edits."""
        self.sentences += 1
        for one in sentence.annotations:
            self._add(one.annotator, 1, int(bool(one.edits)), len(one.edits))

    def add(self, other: AnnotationCounts) -> None:
        """Add the counts of a chunk."""
        self.sentences += other.sentences
        self.left_out += other.left_out
        for who, counts in other.annotators.items():
            self._add(who, *counts)

    def _add(self, who: str, sentences: int, changed: int, edits: int) -> None:
        before = self.annotators.get(who, (0, 0, 0))
        self.annotators[who] = (before[0] + sentences, before[1] + changed, before[2] + edits)


def _chunks_of_sentences(path: PathLike, digests: list[str]) -> Iterator[list[AnnotatedSentence]]:
    found, values = read_values(path, kind="corpus")
    if found.name in PLAIN:
        raise FormatError("contains no edits; expected an M2 file", path=path)
    for chunk in chunks(values, count_words, words=CHUNK_WORDS):
        digests.append(fingerprint(repr(sentence) for sentence in chunk))
        yield chunk


def count_words_of_row(row: Row) -> int:
    """Estimate the number of words in a sentence and its corrections."""
    return sum(line.count(" ") + 1 for line in row)


def _count_sentences(path: PathLike, *, beginning: bytes = b"") -> int | None:
    """Count the lines for the progress bar, if reading the file twice is quick."""
    if not Path(path).is_file() or Path(path).suffix in {".gz", ".zst", ".parquet"}:
        return None
    with Path(path).open("rb") as stream:
        return sum(line.startswith(beginning) for line in stream)


AnnotatedChunk = tuple[str, AnnotationCounts, tuple[int, str] | None]
"""M2, its counts, and the first sentence that M2 cannot represent: its index and the reason."""


def annotate_rows(rows: list[Row], *, annotation_options: AnnotationOptions) -> AnnotatedChunk:
    """Annotate a chunk of pairs; skip sentences that M2 cannot represent."""
    finder = annotation_options.load()
    split = [(finder.split(source), tuple(map(finder.split, others))) for source, *others in rows]
    return _render(
        AnnotatedSentence.of_everyone(Sentence(source), found)
        for (source, _), found in zip(split, annotate_chunk(split, finder), strict=True)
    )


def _retype_sentences(
    sentences: list[AnnotatedSentence],
    *,
    annotation_options: AnnotationOptions,
    reclassification: ReclassificationOptions,
) -> AnnotatedChunk:
    return _render(retype(sentences, annotation_options.load(), reclassification))


def _render(sentences: Iterable[AnnotatedSentence]) -> AnnotatedChunk:
    blocks, tally, unwritable = [], AnnotationCounts(), None
    for number, sentence in enumerate(sentences):
        try:
            blocks.append(m2_block(sentence))
        except DataError as error:
            tally.left_out += 1
            unwritable = unwritable or (number, str(error))
        else:
            tally.count(sentence)
    return "".join(blocks), tally, unwritable


def _unwritable(
    files: Sequence[PathLike], number: int, problem: str, line: int | None = None
) -> FormatError:
    where = f"sentence {number}: " if line is None else ""
    return FormatError(
        f"{where}{problem}; change the sentence, or write to a folder (-o OUT/), where such "
        "sentences are skipped and counted",
        path=", ".join(map(str, files)),
        line=line,
    )


def write_chunks(
    work: Callable[[list[Value]], AnnotatedChunk],
    items: Iterable[list[Value]],
    output: PathLike,
    *,
    count_words: Callable[[Value], int],
    workers: int = 1,
    total: int | None = None,
    explain: Callable[[int, str], RedinkError] | None = None,
) -> AnnotationCounts:
    """Apply ``work`` to every chunk and write the results, all or nothing.

    If M2 cannot represent a sentence, the error that ``explain`` returns is raised: skipping
    the sentence would shift later ones. Without ``explain``, such sentences are skipped.
    """
    tally = AnnotationCounts()
    divided, crew = divide(items, count_words, workers)
    with (
        write_atomically(output) as stream,
        closing(map_in_order(work, divided, workers=crew)) as results,
    ):
        for text, counts, unwritable in results:
            if unwritable is not None and explain is not None:
                before, problem = unwritable
                raise explain(tally.sentences + before + 1, problem)
            stream.write(text)
            tally.add(counts)
            tell("annotating", tally.sentences, total)
    return tally
