"""Whole files into values, whatever their format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from redink.errors import FormatError
from redink.formats.registry import TOKENISERS, Format, Kind, detect_format
from redink.formats.treebank import Tokenise
from redink.model import AnnotatedSentence, Corpus, Judgment, Ranking


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
        tokenise: what splits raw text, for a format that holds it; by default the rules by
            which its corpora are split by custom (spaCy's for W&I, the treebank's for NUCLE).
    """
    found = detect_format(path, kind=kind, name=format)
    if found.raw is not None:
        return found, found.read(path, tokenise=tokenise or TOKENISERS.load(found.raw))
    return found, found.read(path)


def read_corpus(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
) -> Corpus:
    """A whole corpus in memory."""
    _, values = read_values(path, kind="corpus", format=format)
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
