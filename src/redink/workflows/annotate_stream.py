"""Files of any length, annotated chunk by chunk: reading, the work of a chunk, writing."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TypeVar

from redink.analysis.annotate import annotate_chunk
from redink.analysis.annotating import Annotating
from redink.analysis.imported import Retyping, retype
from redink.errors import DataError, FormatError, OptionError
from redink.files import STANDARD_STREAM, read_head, write_atomically
from redink.formats.inputs import PathLike
from redink.formats.m2 import write_m2
from redink.formats.pairs import Pairs, Part, Row, layout_of, read_rows
from redink.formats.reading import read_values
from redink.formats.registry import detect_format
from redink.model import AnnotatedSentence, Annotation, Sentence, fingerprint
from redink.processes import map_in_order

CHUNK_WORDS = 12_000
"""How many words are worked on at a time: large enough for batches, small enough for memory."""

Progress = Callable[[int], None]
"""Told how many sentences are done."""

Value = TypeVar("Value")


@dataclass
class Reading:
    """What is learnt about the input while it is read."""

    blank: int = 0
    digests: list[str] = field(default_factory=list)

    def fingerprint(self) -> str:
        """The name of all data read."""
        return fingerprint(self.digests)


@dataclass
class Tally:
    """Counts by annotator, and of all sentences; those that M2 cannot carry are left out."""

    sentences: int = 0
    left_out: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    edits: Counter[str] = field(default_factory=Counter)

    def count(self, sentences: Iterable[AnnotatedSentence]) -> None:
        """Count sentences and their edits."""
        for sentence in sentences:
            self.sentences += 1
            for annotation in sentence.annotations:
                who = annotation.annotator
                self.seen[who] += 1
                self.changed[who] += bool(annotation.edits)
                self.edits[who] += len(annotation.edits)

    def add(self, other: Tally) -> None:
        """Add the counts of a chunk."""
        self.sentences += other.sentences
        self.left_out += other.left_out
        for ours, theirs in (
            (self.seen, other.seen),
            (self.changed, other.changed),
            (self.edits, other.edits),
        ):
            for who, count in theirs.items():
                ours[who] += count


def pairs_of(
    source: PathLike,
    corrected: Sequence[PathLike],
    *,
    source_column: str = "source",
    corrected_column: str | Sequence[str] = "corrected",
) -> Pairs:
    """Where the pairs are: in parallel files or, if no file of corrections is given, in one.

    Raises:
        OptionError: the source has edits already, or there are no corrections.
    """
    if corrected:
        head = [] if str(source) == STANDARD_STREAM else read_head(source)
        if head and detect_format(source, kind="corpus").name == "m2":
            raise OptionError(
                f"{source} holds edits already; give it alone, with --auto (extract edits anew) "
                "or --gold (keep them and type them anew)"
            )
        return Pairs((str(source), *map(str, corrected)))
    layout = layout_of(source, source_column)
    if layout is None:
        raise OptionError(
            f"{source} holds no pairs of sentences: give the corrected text too, or --auto or "
            "--gold for a file that holds edits"
        )
    columns = [corrected_column] if isinstance(corrected_column, str) else corrected_column
    return Pairs((str(source),), layout, (source_column, *columns) if layout != "tsv" else ())


def chunks_of_rows(pairs: Pairs, reading: Reading, part: Part | None = None) -> Iterator[list[Row]]:
    """Pairs, or a part of them, in chunks; those with an empty source are left out."""
    for chunk in chunks(_with_source(read_rows(pairs, part), reading), _count_words_of_row):
        reading.digests.append(fingerprint(line for row in chunk for line in row))
        yield chunk


def _with_source(rows: Iterable[Row], reading: Reading) -> Iterator[Row]:
    for row in rows:
        if row[0].strip():
            yield row
        else:
            reading.blank += 1


def chunks_of_sentences(path: PathLike, reading: Reading) -> Iterator[list[AnnotatedSentence]]:
    """The sentences of a corpus in chunks."""
    found, values = read_values(path, kind="corpus")
    if found.name == "text":
        raise FormatError("holds no edits; an M2 file was expected", path=path)
    for chunk in chunks(values, count_words_of_sentence):
        reading.digests.append(fingerprint(repr(sentence) for sentence in chunk))
        yield chunk


def _count_words_of_row(row: Row) -> int:
    return sum(line.count(" ") + 1 for line in row)


def count_words_of_sentence(sentence: AnnotatedSentence) -> int:
    """About how many words a sentence and its corrections have."""
    return len(sentence.source) * (1 + len(sentence.annotations))


def chunks(values: Iterable[Value], words: Callable[[Value], int]) -> Iterator[list[Value]]:
    """Values in lists of about ``CHUNK_WORDS`` words."""
    chunk: list[Value] = []
    size = 0
    for value in values:
        chunk.append(value)
        size += words(value)
        if size >= CHUNK_WORDS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def annotate_rows(
    rows: list[Row], *, how: Annotating, leave_out: bool = False
) -> tuple[str, Tally]:
    """A chunk of pairs as M2, and its counts.

    A sentence that M2 cannot carry (a correction that is ``|``) is an error, since others would
    lose their place, unless it is to be left out.
    """
    split = [
        (tuple(source.split()), tuple(tuple(c.split()) for c in others)) for source, *others in rows
    ]
    sentences = []
    for (source, hypotheses), found, (_, *texts) in zip(
        split, annotate_chunk(split, how.load()), rows, strict=True
    ):
        annotations = [
            Annotation(str(number), edits)
            for number, (hypothesis, edits, text) in enumerate(
                zip(hypotheses, found, texts, strict=True)
            )
            # Where only spaces differ, the original writes nothing, not even that nothing changed.
            if how.fixed or hypothesis != source or text.strip() == " ".join(source)
        ]
        sentences.append(AnnotatedSentence(Sentence(source), tuple(annotations)))
    return _render(sentences, leave_out=leave_out)


def retype_sentences(
    sentences: list[AnnotatedSentence], *, how: Annotating, retyping: Retyping
) -> tuple[str, Tally]:
    """A chunk of a corpus as M2, its edits found or typed anew, and its counts."""
    return _render(retype(sentences, how.load(), retyping))


def _render(
    sentences: Sequence[AnnotatedSentence], *, leave_out: bool = False
) -> tuple[str, Tally]:
    stream = io.StringIO()
    tally = Tally()
    kept = []
    for sentence in sentences:
        before = stream.tell()
        try:
            write_m2([_without_rules(sentence)], stream)
        except DataError as error:
            if not leave_out:
                text = " ".join(sentence.source.tokens)[:60]
                raise DataError(f"{error}, in the sentence {text!r}") from None
            stream.seek(before)
            stream.truncate()
            tally.left_out += 1
        else:
            kept.append(sentence)
    tally.count(kept)
    return stream.getvalue(), tally


def _without_rules(sentence: AnnotatedSentence) -> AnnotatedSentence:
    """The sentence as M2 can hold it: the names of rules are for the API and ``explain``."""
    return AnnotatedSentence(
        sentence.source,
        tuple(
            Annotation(a.annotator, tuple(edit.retyped(edit.type) for edit in a.edits))
            for a in sentence.annotations
        ),
    )


def write_chunks(
    work: Callable[[list[Value]], tuple[str, Tally]],
    items: Iterable[list[Value]],
    output: PathLike,
    *,
    workers: int,
    progress: Progress | None,
) -> Tally:
    """Do the work on every chunk and write what it gives, all or nothing."""
    tally = Tally()
    with (
        write_atomically(output) as stream,
        closing(map_in_order(work, items, workers=workers)) as results,
    ):
        for text, counts in results:
            stream.write(text)
            tally.add(counts)
            if progress is not None:
                progress(tally.sentences)
    return tally
