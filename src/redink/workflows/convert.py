"""Any format to any other: what ``redink convert`` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from redink.errors import DataError, OptionError
from redink.files import STANDARD_STREAM, write_atomically
from redink.formats import (
    Format,
    Kind,
    all_formats,
    detect_format,
    format_names,
    get_format,
    read_parallel_files,
)
from redink.formats.kinds import change_kind, explain_unreachable, reachable
from redink.formats.registry import suffix_of
from redink.formats.treebank import Tokenise, treebank_tokens
from redink.model import (
    AnnotatedSentence,
    Column,
    Sentence,
    Table,
    make_signature,
    make_table,
)

Tokeniser = Literal["spacy", "treebank"]
PathLike = str | Path

_COLUMNS = (
    Column("input"),
    Column("from"),
    Column("output"),
    Column("to"),
    Column("kind"),
    Column("values", "count"),
)


def convert(
    source: PathLike,
    target: PathLike,
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    corrected: Sequence[PathLike] = (),
    annotator: str | None = None,
    tokeniser: Tokeniser | None = None,
    watch: Callable[[Iterable[Any]], Iterable[Any]] | None = None,
) -> Table:
    """Write what one file holds in another format, value by value.

    Args:
        source: the file to read; its format is told by its content.
        target: the file to write; its format is told by its suffix. It appears only when all of
            it is written.
        from_format: the format of ``source``, where its content should not decide.
        to_format: the format of ``target``, where its suffix does not say.
        corrected: corrected versions of ``source``, line by line; together they are parallel
            text.
        annotator: keep this annotator's edits alone.
        tokeniser: how raw text is split into tokens. Plain and parallel text is taken to be
            tokenised unless this is given; NUCLE is split by ``treebank`` rules and W&I by
            ``spacy`` unless it says otherwise.
        watch: sees the values pass, for a progress bar.

    Returns:
        One row: the files, their formats, what they hold and how many.

    Raises:
        RedinkError: the file cannot be read, or the format cannot carry what it holds.
    """
    found, kind, values = _read(source, corrected, from_format, tokeniser)
    wanted = _choose_target(target, kind, to_format)
    if annotator is not None and kind != "corpus":
        raise OptionError(f"{source}: holds {kind}, which have no annotators")
    count = 0

    def counted(passing: Iterable[Any]) -> Iterator[Any]:
        nonlocal count
        for count, value in enumerate(passing, start=1):  # noqa: B007 (the last one is used)
            yield value

    changed = change_kind(values, kind, wanted.kind, annotator=annotator)
    if wanted.name == "text" and tokeniser is not None:
        changed = map(_without_text, changed)  # tokens are what was asked for
    write = wanted.write
    if wanted.raw:
        write = partial(write, tokenise=_tokenise_for(tokeniser, wanted))
    with write_atomically(target) as stream:
        try:
            write(counted(watch(changed) if watch else changed), stream)
        except DataError as error:
            raise DataError(f"{source}: {error}") from None
    return make_table(
        _COLUMNS,
        [
            {
                "input": str(source),
                "from": found,
                "output": str(target),
                "to": wanted.name,
                "kind": wanted.kind,
                "values": count,
            }
        ],
        signature=make_signature(
            "convert",
            **{"from": found, "to": wanted.name},
            annotator=annotator,
            tokeniser=tokeniser,
        ),
    )


def _read(
    source: PathLike,
    corrected: Sequence[PathLike],
    from_format: str | None,
    tokeniser: Tokeniser | None,
) -> tuple[str, Kind, Iterable[Any]]:
    """The name of the format, the kind, and the values."""
    found = detect_format(source, name=from_format)
    if corrected:
        if found.name != "text":
            raise OptionError(f"{source}: is {found.name}; with --corrected it must be plain text")
        tokenise = _rules(tokeniser) if tokeniser else None
        return "text", "parallel", read_parallel_files(source, corrected, tokenise=tokenise)
    if found.raw:
        return found.name, found.kind, found.read(source, tokenise=_tokenise_for(tokeniser, found))
    if tokeniser is None:
        return found.name, found.kind, found.read(source)
    if not found.may_be_raw:
        raise OptionError(
            f"{source}: {found.name} is tokenised, and tokenised text is never tokenised again"
        )
    return found.name, found.kind, found.read(source, tokenise=_rules(tokeniser))


def _rules(tokeniser: Tokeniser) -> Tokenise:
    if tokeniser == "treebank":
        return treebank_tokens
    from redink.analysis.english.embedded import english_tokens

    return english_tokens


def _tokenise_for(tokeniser: Tokeniser | None, found: Format) -> Tokenise:
    return _rules(tokeniser or found.raw or "treebank")


def _without_text(sentence: AnnotatedSentence) -> AnnotatedSentence:
    return replace(sentence, source=Sentence(sentence.source.tokens))


def _choose_target(target: PathLike, kind: Kind, name: str | None) -> Format:
    """The format to write: as named, or as the suffix says; the nearest kind first."""
    if name is not None:
        get_format(name)  # says which names there are if this is none
        candidates = [f for f in all_formats() if f.name == name]
    elif str(target) == STANDARD_STREAM:
        raise OptionError(f"say the format of standard output with --to: {_names(kind)}")
    else:
        suffix = suffix_of(target)
        candidates = [f for f in all_formats() if suffix in f.suffixes]
        if not candidates:
            raise OptionError(
                f"{target}: the suffix {suffix!r} is no format's; say one with --to: {_names(kind)}"
            )
    possible = [f for f in candidates if f.kind == kind]
    possible = possible or [f for f in candidates if f.kind in reachable(kind)]
    if not possible:
        raise OptionError(f"{target}: {explain_unreachable(kind, candidates[0].kind)}")
    if len(possible) > 1:
        raise OptionError(
            f"{target}: could be {' or '.join(f.name for f in possible)}; say which with --to"
        )
    return possible[0]


def _names(kind: Kind) -> str:
    return ", ".join(dict.fromkeys(n for k in reachable(kind) for n in format_names(k)))
