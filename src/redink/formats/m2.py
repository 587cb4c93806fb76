"""M2: a source sentence and a line for every edit of every annotator.

::

    S This are wrong .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from redink.errors import FormatError
from redink.files import read_lines
from redink.formats.registry import Format, register
from redink.model import NOOP, AnnotatedSentence, Annotation, Edit, Sentence

_NONE = "-NONE-"


def read_m2(path: str | Path) -> Iterator[AnnotatedSentence]:
    """The sentences of an M2 file, one at a time."""
    source: Sentence | None = None
    edits: dict[str, list[Edit]] = {}

    def finished(sentence: Sentence) -> AnnotatedSentence:
        annotations = tuple(Annotation(who, tuple(done)) for who, done in edits.items())
        return AnnotatedSentence(sentence, annotations)

    for number, line in read_lines(path):
        if line.startswith("S ") or line == "S":
            if source is not None:
                yield finished(source)
            source, edits = Sentence.from_line(line[2:]), {}
        elif line.startswith("A "):
            if source is None:
                raise FormatError("an A line before any S line", path=path, line=number)
            who, edit = _parse_edit(line, len(source), path, number)
            done = edits.setdefault(who, [])
            if edit is not None:
                done.append(edit)
        elif line.strip() and not line.startswith("I "):
            raise FormatError(
                f"expected a line that begins with S, A or I, found {line[:40]!r}",
                path=path,
                line=number,
            )
    if source is not None:
        yield finished(source)


def _parse_edit(line: str, length: int, path: str | Path, number: int) -> tuple[str, Edit | None]:
    fields = line[2:].split("|||")
    if len(fields) != 6:
        raise FormatError(
            f"an A line has 6 fields separated by |||, this one has {len(fields)}",
            path=path,
            line=number,
        )
    span, kind, corrections, required, comment, annotator = fields
    try:
        start, end = (int(x) for x in span.split())
    except ValueError:
        raise FormatError(
            f"expected two whole numbers for the span, found {span!r}", path=path, line=number
        ) from None
    if kind == NOOP:
        return annotator.strip(), None
    if not 0 <= start <= end <= length:
        raise FormatError(
            f"the span {start} {end} does not fit a sentence of {length} tokens",
            path=path,
            line=number,
        )
    first, *others = ("" if c.strip() == _NONE else c.strip() for c in corrections.split("||"))
    return annotator.strip(), Edit(start, end, first, kind, tuple(others), None, required, comment)


def write_m2(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
    """The sentences as M2, a blank line after each."""
    for sentence in sentences:
        stream.write(f"S {sentence.source}\n")
        for annotation in sentence.annotations:
            who = annotation.annotator
            if not annotation.edits:
                stream.write(f"A -1 -1|||{NOOP}|||{_NONE}|||REQUIRED|||{_NONE}|||{who}\n")
            for edit in annotation.edits:
                corrections = "||".join(edit.corrections)
                stream.write(
                    f"A {edit.start} {edit.end}|||{edit.type}|||{corrections}"
                    f"|||{edit.required}|||{edit.comment}|||{who}\n"
                )
        stream.write("\n")


def _recognise(head: Sequence[str]) -> bool:
    lines = [line for line in head if line.strip()]
    return (
        bool(lines)
        and lines[0].startswith("S ")
        and all(line.startswith(("S", "A ", "I ")) for line in lines)
    )


M2 = register(
    Format(
        name="m2",
        kind="corpus",
        description="sentences and the edits of any number of annotators (CoNLL, ERRANT)",
        suffixes=(".m2",),
        recognise=_recognise,
        read=read_m2,
        write=write_m2,
    )
)
