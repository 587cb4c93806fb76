"""Whole files into values, whatever their format."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from redink.errors import FormatError, OptionError, RedinkWarning
from redink.formats.essays import split_essays
from redink.formats.registry import LANGUAGE_TOKENISERS, TOKENISERS, Format, Kind, detect_format
from redink.formats.seeda import holds_seeda, read_seeda
from redink.model import AnnotatedSentence, Corpus, Judgment, Ranking
from redink.raw_text.tokenization import MarkCount, Tokenise
from redink.value_types import quote

Tokeniser = str | Tokenise
"""What splits raw text: the name of a tokeniser (``spacy``, ``treebank``), the code of a language
(``de``) or a function."""


DOCUMENT_TOKENISER = "treebank"
"""What splits documents into tokens, unless something else is said."""


def load_tokenizer(tokeniser: Tokeniser) -> Tokenise:
    """The function of that name, that of the language of that code, or the function itself."""
    if not isinstance(tokeniser, str):
        return tokeniser
    if tokeniser in TOKENISERS:
        return TOKENISERS.load(tokeniser)
    try:
        return LANGUAGE_TOKENISERS.load("any")(tokeniser)
    except OptionError as error:
        raise OptionError(
            f"there is no tokeniser {tokeniser!r}; there are {', '.join(TOKENISERS.names)}, and "
            "the tokeniser of every language by its code (de, es, zh)"
        ) from error


def read_values(
    path: str | Path,
    *,
    kind: Kind | None = None,
    format: str | None = None,  # noqa: A002
    tokeniser: Tokeniser | None = None,
    field: str | None = None,
    checked: bool = False,
) -> tuple[Format, Iterator[Any]]:
    """The format of a file (told by content unless named) and its values, streamed.

    Args:
        path: the file.
        kind: what it must hold, where only one kind will do.
        format: the name of its format, where the content should not decide.
        tokeniser: what splits raw text. Plain and parallel text is taken to be tokenised unless
            this is given; a format of raw text is split by the rules by which its corpora are
            split by custom (spaCy's for W&I, the treebank's for NUCLE) unless this says otherwise.
        field: of documents in JSON lines, the field that holds the text.
        checked: whether the caller checks the text (:mod:`redink.inputs.checks`), so that no
            warning about untokenized text is needed here.

    Raises:
        OptionError: a tokeniser for text that is tokenised already.
    """
    _check_path(path)
    found = detect_format(path, kind=kind, name=format)
    if found.kind == "documents":
        essays = found.read(path, **({} if field is None else {"field": field}))
        if kind is None:
            return found, essays
        tokenise = load_tokenizer(tokeniser or DOCUMENT_TOKENISER)
        return found, map(AnnotatedSentence, split_essays(essays, tokenise))
    if field is not None:
        raise FormatError("does not hold documents, so it has no field to choose", path=path)
    wanted = tokeniser or found.raw
    if wanted is None:
        values = found.read(path)
        return found, notice_raw(path, values) if found.may_be_raw and not checked else values
    if not (found.raw or found.may_be_raw):
        raise OptionError(
            f"{path}: {found.name} is tokenised, and tokenised text is never tokenised again"
        )
    return found, found.read(path, tokenise=load_tokenizer(wanted))


_LOOKED_AT = 200


def notice_raw(path: str | Path, values: Iterable[Any]) -> Iterator[Any]:
    """Pass values through; warn if text that is read as tokens seems untokenized."""
    marks = MarkCount()
    for number, value in enumerate(values, start=1):
        if number <= _LOOKED_AT:
            marks.add(number, value.source.tokens)
        yield value
    if marks.is_untokenized:
        warnings.warn(
            f"{path}: is read as tokens separated by spaces, but seems untokenized: in its first "
            f"lines {marks.attached} marks are attached to words and {marks.separate} are separate "
            f"(first: line {marks.first}); tokenize it",
            RedinkWarning,
            stacklevel=3,
        )


def read_corpus(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    tokeniser: Tokeniser | None = None,
    checked: bool = False,
) -> Corpus:
    """A whole corpus in memory; for the options see :func:`read_values`."""
    _, values = read_values(
        path, kind="corpus", format=format, tokeniser=tokeniser, checked=checked
    )
    sentences = tuple(values)
    if not sentences:
        raise FormatError("is empty; sentences were expected", path=path)
    return Corpus(sentences, name=Path(path).stem)


def read_rankings(path: str | Path, *, format: str | None = None) -> tuple[Ranking, ...]:  # noqa: A002
    """All rankings of a file."""
    _, values = read_values(path, kind="rankings", format=format)
    return tuple(values)


def read_judgments(path: str | Path, *, format: str | None = None) -> tuple[Judgment, ...]:  # noqa: A002
    """All judgments of a file, or of the folders of SEEDA's edit judgments."""
    _check_path(path)
    if format is None and holds_seeda(path):
        return tuple(read_seeda(path))
    _, values = read_values(path, kind="judgments", format=format)
    return tuple(values)


def _check_path(path: object) -> None:
    if not isinstance(path, str | Path):
        raise OptionError(f"a path was expected, not {quote(path)}")
