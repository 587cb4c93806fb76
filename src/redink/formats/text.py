"""Plain text: one tokenised sentence a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from redink.files import read_lines
from redink.formats.registry import Format, register
from redink.model import AnnotatedSentence, Sentence


def read_text_lines(path: str | Path) -> Iterator[AnnotatedSentence]:
    """A sentence for every line, empty lines included: alignment is by line."""
    for _, line in read_lines(path):
        yield AnnotatedSentence(Sentence.from_line(line))


def write_text_lines(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
    """The sources, a line each."""
    stream.writelines(f"{sentence.source}\n" for sentence in sentences)


def _recognise(head: Sequence[str]) -> bool:
    # Any text is text; this format is asked last.
    return bool(head)


TEXT = register(
    Format(
        name="text",
        kind="corpus",
        description="one tokenised sentence a line",
        suffixes=(".txt",),
        recognise=_recognise,
        read=read_text_lines,
        write=write_text_lines,
    )
)
