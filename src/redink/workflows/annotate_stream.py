"""Files of any length, annotated chunk by chunk: reading, the work of a chunk, writing."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TypeVar

from redink.analysis.annotate import annotate_chunk
from redink.analysis.imported import Retyping, retype
from redink.errors import FormatError
from redink.files import read_lines, write_atomically
from redink.formats.m2 import write_m2
from redink.formats.reading import read_values
from redink.model import AnnotatedSentence, Annotation, Sentence, fingerprint
from redink.workflows.annotating import Annotating
from redink.workflows.inputs import PathLike
from redink.workflows.workers import map_in_order

CHUNK_WORDS = 12_000
"""How many words are worked on at a time: large enough for batches, small enough for memory."""

Progress = Callable[[int], None]
"""Told how many sentences are done."""

Lines = tuple[str, ...]
"""A source line and the corrected lines beside it."""

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
    """Counts by finder, and of all sentences."""

    sentences: int = 0
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
        for ours, theirs in (
            (self.seen, other.seen),
            (self.changed, other.changed),
            (self.edits, other.edits),
        ):
            for who, count in theirs.items():
                ours[who] += count


def chunks_of_lines(
    source: PathLike, corrected: Sequence[PathLike], reading: Reading
) -> Iterator[list[Lines]]:
    """Parallel lines in chunks, those with an empty source left out."""
    for chunk in chunks(_read_parallel(source, corrected, reading), _count_words_of_lines):
        reading.digests.append(fingerprint(line for lines in chunk for line in lines))
        yield chunk


def _read_parallel(
    source: PathLike, corrected: Sequence[PathLike], reading: Reading
) -> Iterator[Lines]:
    streams = [read_lines(path) for path in corrected]
    length = 0
    for length, line in read_lines(source):
        others = []
        for path, stream in zip(corrected, streams, strict=True):
            following = next(stream, None)
            if following is None:
                raise FormatError(
                    f"ends after {length - 1} lines, {source} goes on; "
                    "they must match line by line",
                    path=path,
                )
            others.append(following[1])
        if line.strip():
            yield (line, *others)
        else:
            reading.blank += 1
    for path, stream in zip(corrected, streams, strict=True):
        if next(stream, None) is not None:
            raise FormatError(
                f"goes on after {length} lines, {source} ends; they must match line by line",
                path=path,
            )


def chunks_of_sentences(path: PathLike, reading: Reading) -> Iterator[list[AnnotatedSentence]]:
    """The sentences of a corpus in chunks."""
    found, values = read_values(path, kind="corpus")
    if found.name == "text":
        raise FormatError("holds no edits; an M2 file was expected", path=path)
    for chunk in chunks(values, count_words_of_sentence):
        reading.digests.append(fingerprint(repr(sentence) for sentence in chunk))
        yield chunk


def _count_words_of_lines(lines: Lines) -> int:
    return sum(line.count(" ") + 1 for line in lines)


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


def annotate_lines(lines: list[Lines], *, how: Annotating) -> tuple[str, Tally]:
    """A chunk of parallel lines as M2, and its counts."""
    rows = [(tuple(source.split()), tuple(tuple(c.split()) for c in others))
            for source, *others in lines]  # fmt: skip
    sentences = []
    for (source, hypotheses), found, (_, *texts) in zip(
        rows, annotate_chunk(rows, how.load()), lines, strict=True
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
    return _render(sentences)


def retype_sentences(
    sentences: list[AnnotatedSentence], *, how: Annotating, retyping: Retyping
) -> tuple[str, Tally]:
    """A chunk of a corpus as M2, its edits found or typed anew, and its counts."""
    return _render(retype(sentences, how.load(), retyping))


def _render(sentences: Sequence[AnnotatedSentence]) -> tuple[str, Tally]:
    stream = io.StringIO()
    write_m2(map(_without_rules, sentences), stream)
    tally = Tally()
    tally.count(sentences)
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
    with write_atomically(output) as stream, closing(
        map_in_order(work, items, workers=workers)
    ) as results:  # fmt: skip
        for text, counts in results:
            stream.write(text)
            tally.add(counts)
            if progress is not None:
                progress(tally.sentences)
    return tally
