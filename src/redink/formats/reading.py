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
        tokenise: spaCy's rules for English, for raw text that is split by them by custom (W&I);
            without it the rules of the Penn Treebank are used there, as in NUCLE.
    """
    found = detect_format(path, kind=kind, name=format)
    if found.raw == "spacy" and tokenise is not None:
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


def read_system(
    path: str | Path, *, name: str | None = None, tokenise: Tokenise | None = None
) -> SystemOutput:
    """What a system made: text, its own edits (M2, JSONL) or flags for tokens (GED TSV)."""
    called = name or Path(path).stem
    found, values = read_values(path, tokenise=tokenise)
    if found.kind == "detections":
        return SystemOutput(called, detections=tuple(values))
    if found.kind != "corpus":
        raise FormatError(
            f"holds {found.kind} ({found.name}); a system's output was expected", path=path
        )
    sentences: tuple[AnnotatedSentence, ...] = tuple(values)
    sources = tuple(s.source for s in sentences)
    # JSONL without a single edit is what text became when it was converted
    is_text = found.name == "text" or (
        found.name == "jsonl" and not any(s.annotations for s in sentences)
    )
    if is_text:
        return SystemOutput(called, hypotheses=sources)
    annotations = []
    for sentence in sentences:
        if len(sentence.annotations) > 1:
            raise FormatError(
                "has several annotators for one sentence; a system has one", path=path
            )
        annotations.append(sentence.annotations[0] if sentence.annotations else Annotation("0"))
    return SystemOutput(called, annotations=tuple(annotations), sources=sources)
