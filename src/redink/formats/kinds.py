"""From one kind of value to another, where nothing has to be guessed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats import Kind
from redink.model import (
    AnnotatedSentence,
    Corpus,
    Detection,
    Edit,
    ParallelSentence,
    Sentence,
    apply_edits,
)

_REACHABLE: dict[Kind, tuple[Kind, ...]] = {"corpus": ("corpus", "parallel", "detections")}


def reachable(kind: Kind) -> tuple[Kind, ...]:
    """The kinds that values of this kind can become, itself first."""
    return _REACHABLE.get(kind, (kind,))


def explain_unreachable(kind: Kind, wanted: Kind) -> str:
    """Why values of one kind cannot become the other."""
    if kind == "parallel" and wanted == "corpus":
        return (
            "parallel text has no edits: find them with "
            "`redink annotate SOURCE CORRECTED... -o OUT.m2`"
        )
    if kind == "detections" and wanted in {"corpus", "parallel"}:
        return "detections say where errors are and not how to correct them"
    return f"{kind} cannot become {wanted}"


def change_kind(
    values: Iterable[Any], kind: Kind, wanted: Kind, *, annotator: str | None = None
) -> Iterable[Any]:
    """The values as another kind.

    Args:
        values: values of ``kind``.
        kind: what they are.
        wanted: what they shall be.
        annotator: whose edits count, where only one annotator's can (by default the only one's).

    Raises:
        OptionError: that is impossible, or it is open whose edits are meant.
    """
    if wanted not in reachable(kind):
        raise OptionError(explain_unreachable(kind, wanted))
    if annotator is not None and kind == "corpus":
        values = only_annotator(values, annotator)
    if wanted == kind:
        return values
    corpus = Corpus(tuple(values))
    if not corpus.annotators:
        raise DataError("there are no edits in it, so nothing is known of corrections or errors")
    return to_parallel(corpus) if wanted == "parallel" else to_detections(corpus)


def only_annotator(
    sentences: Iterable[AnnotatedSentence], annotator: str
) -> Iterator[AnnotatedSentence]:
    """The sentences with the edits of one annotator alone."""
    seen = False
    for sentence in sentences:
        kept = tuple(a for a in sentence.annotations if a.annotator == annotator)
        seen = seen or bool(kept)
        yield AnnotatedSentence(sentence.source, kept)
    if not seen:
        raise OptionError(f"there is no annotator {annotator!r} in it")


def to_parallel(corpus: Corpus) -> Iterator[ParallelSentence]:
    """The text that every annotator would have, in the order of the annotators.

    Where an annotator says nothing of a sentence it stays as it is, and one warning counts that;
    of alternative corrections the first is taken.
    """
    unread = 0
    for sentence in corpus.sentences:
        versions = []
        for annotator in corpus.annotators:
            annotation = sentence.by(annotator)
            unread += annotation is None
            edits = annotation.edits if annotation else ()
            versions.append(Sentence(apply_edits(sentence.source.tokens, edits)))
        yield ParallelSentence(sentence.source, tuple(versions))
    _warn_of_unread(unread, "left unchanged")


def to_detections(corpus: Corpus) -> Iterator[Detection]:
    """Which tokens an annotator's edits touch; an insertion flags the token after it.

    An insertion at the end of a sentence flags its last token. This is how token-level detection
    data (FCE, W&I) is made from edits.
    """
    if len(corpus.annotators) > 1:
        known = ", ".join(corpus.annotators)
        raise OptionError(
            f"detections are one annotator's; say whose with --annotator (there are {known})"
        )
    unread = 0
    for sentence in corpus.sentences:
        unread += not sentence.annotations
        tokens = sentence.source.tokens
        edits = sentence.annotations[0].edits if sentence.annotations else ()
        yield Detection(tokens, _flags(len(tokens), edits))
    _warn_of_unread(unread, "taken to be without error")


def _flags(length: int, edits: Sequence[Edit]) -> tuple[bool, ...]:
    flags = [False] * length
    for edit in edits:
        touched = range(edit.start, edit.end) or range(min(edit.start, length - 1), edit.start + 1)
        for index in touched:
            if 0 <= index < length:
                flags[index] = True
    return tuple(flags)


def _warn_of_unread(count: int, reading: str) -> None:
    if count:
        warnings.warn(
            f"sentences of which an annotator says nothing, {reading}: {count}",
            RedinkWarning,
            stacklevel=3,
        )
