"""Whole files into values, whatever their format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from redink.errors import FormatError
from redink.formats.registry import Format, Kind, detect_format
from redink.formats.treebank import Tokenise
from redink.model import AnnotatedSentence, Annotation, Corpus, Judgment, Ranking, SystemOutput


def read_values(
    path: str | Path,
    *,
    kind: Kind | None = None,
    format: str | None = None,  # noqa: A002
    tokenise: Tokenise | None = None,
) -> tuple[Format, Iterator[Any]]:
    """The format of a file (told by content unless named) and its values, streamed.

    Args:
        path: the file.
        kind: what it must hold, where only one kind will do.
        format: the name of its format, where the content should not decide.
        tokenise: splits the sentences of formats that hold raw text (NUCLE, W&I); by default
            the rules of the Penn Treebank.
    """
    found = detect_format(path, kind=kind, name=format)
    if found.raw and tokenise is not None:
        return found, found.read(path, tokenise=tokenise)
    return found, found.read(path)


def read_corpus(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    tokenise: Tokenise | None = None,
) -> Corpus:
    """A whole corpus in memory."""
    _, values = read_values(path, kind="corpus", format=format, tokenise=tokenise)
    sentences: tuple[AnnotatedSentence, ...] = tuple(values)
    if not sentences:
        raise FormatError("is empty; sentences were expected", path=path)
    return Corpus(sentences, name=Path(path).stem)


def read_rankings(path: str | Path, *, format: str | None = None) -> tuple[Ranking, ...]:  # noqa: A002
    """All rankings of a file."""
    _, values = read_values(path, kind="rankings", format=format)
    return tuple(values)


def read_judgments(path: str | Path, *, format: str | None = None) -> tuple[Judgment, ...]:  # noqa: A002
    """All judgments of a file."""
    _, values = read_values(path, kind="judgments", format=format)
    return tuple(values)


def read_system(path: str | Path, *, name: str | None = None) -> SystemOutput:
    """What a system made: text, its own edits (M2, JSONL) or flags for tokens (GED TSV)."""
    called = name or Path(path).stem
    found = detect_format(path)
    if found.kind == "detections":
        return SystemOutput(called, detections=tuple(found.read(path)))
    if found.kind != "corpus":
        raise FormatError(
            f"holds {found.kind} ({found.name}); a system's output was expected", path=path
        )
    sentences: tuple[AnnotatedSentence, ...] = tuple(found.read(path))
    sources = tuple(s.source for s in sentences)
    if found.name == "text":
        return SystemOutput(called, hypotheses=sources)
    annotations = []
    for sentence in sentences:
        if len(sentence.annotations) > 1:
            raise FormatError(
                "has several annotators for one sentence; a system has one", path=path
            )
        annotations.append(sentence.annotations[0] if sentence.annotations else Annotation("0"))
    return SystemOutput(called, annotations=tuple(annotations), sources=sources)
