"""From one kind of value to another, where nothing has to be guessed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats import Kind
from redink.model import (
    AnnotatedSentence,
    Corpus,
    Detection,
    Edit,
    ParallelSentence,
    References,
)

_REACHABLE: dict[Kind, tuple[Kind, ...]] = {
    "corpus": ("corpus", "parallel", "detections"),
    "documents": ("documents", "corpus"),
}


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
    """The values as another kind."""
    if wanted not in reachable(kind):
        raise OptionError(explain_unreachable(kind, wanted))
    if annotator is not None and kind == "corpus" and wanted != "parallel":
        values = only_annotator(values, annotator)
    if wanted == kind:
        return values
    corpus = Corpus(tuple(values))
    if not corpus.annotators:
        raise DataError("there are no edits in it, so nothing is known of corrections or errors")
    if wanted == "detections":
        return to_detections(corpus)
    if annotator is not None and annotator not in corpus.annotators:
        raise _no_annotator(annotator)
    return to_parallel(corpus, annotator=annotator)


def only_annotator(
    sentences: Iterable[AnnotatedSentence], annotator: str
) -> Iterator[AnnotatedSentence]:
    """The sentences with the edits of one annotator alone."""
    seen = False
    for sentence in sentences:
        kept = tuple(a for a in sentence.annotations if a.annotator == annotator)
        seen = seen or bool(kept)
        refused = tuple(who for who in sentence.unannotatable if who == annotator)
        yield replace(sentence, annotations=kept, unannotatable=refused)
    if not seen:
        raise _no_annotator(annotator)


def _no_annotator(annotator: str) -> OptionError:
    return OptionError(f"there is no annotator {annotator!r} in it")


def to_parallel(corpus: Corpus, *, annotator: str | None = None) -> Iterator[ParallelSentence]:
    """The text that every annotator would have, in the order of the annotators.

    Of alternative corrections the first is taken. Where an annotator has no line, the rule of
    :attr:`References.filled_texts` holds, and one warning says so.
    """
    references = References(corpus)
    texts = references.filled_texts
    if annotator is not None:
        texts = (texts[corpus.annotators.index(annotator)],)
    for source, *versions in zip(references.sources, *texts, strict=True):
        yield ParallelSentence(source, tuple(versions))
    if references.about_gaps is not None:
        warnings.warn(references.about_gaps, RedinkWarning, stacklevel=3)


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
    if unread:
        warnings.warn(
            f"sentences about which an annotator says nothing, taken to be without error: {unread}",
            RedinkWarning,
            stacklevel=3,
        )


def _flags(length: int, edits: Sequence[Edit]) -> tuple[bool, ...]:
    flags = [False] * length
    for edit in edits:
        touched = range(edit.start, edit.end) or range(min(edit.start, length - 1), edit.start + 1)
        for index in touched:
            if 0 <= index < length:
                flags[index] = True
    return tuple(flags)
