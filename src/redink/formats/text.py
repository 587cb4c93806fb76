"""Plain text: one tokenised sentence a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from redink.files import read_lines
from redink.formats.lines import RawTextWatch, read_sentence, token_line, warn_of_loss
from redink.formats.registry import Format, register
from redink.formats.treebank import Tokenise
from redink.model import AnnotatedSentence


def read_text_lines(
    path: str | Path, *, tokenise: Tokenise | None = None
) -> Iterator[AnnotatedSentence]:
    """A sentence for every line, empty lines included: alignment is by line.

    The tokens are what white space separates (any white space of Unicode, as in the original
    scorers). A text that looks as if nobody had tokenised it is read all the same, with a
    warning; with ``tokenise`` it is split by that.
    """
    watch = RawTextWatch(path)
    for _, line in read_lines(path):
        watch.look(line)
        yield AnnotatedSentence(read_sentence(line, tokenise))
    if tokenise is None:
        watch.warn()


def write_text_lines(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
    """The sources, a line each; one warning counts what else there was."""
    lost = Counter[str]()
    for sentence in sentences:
        stream.write(f"{token_line(sentence.source, 'plain text')}\n")
        lost["annotations"] += len(sentence.annotations)
        lost["raw texts"] += sentence.source.text is not None
        lost["sentence names"] += sentence.source.id is not None
    warn_of_loss("plain text", lost)


def _recognise(head: Sequence[str]) -> bool:
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
        may_be_raw=True,
    )
)
