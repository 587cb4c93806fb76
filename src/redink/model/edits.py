"""Edits, and the annotation of one sentence by one annotator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from redink.errors import DataError

UNTYPED = "NA"
"""The type of an unclassified edit."""
UNKNOWN = "UNK"
"""The type of an edit that marks an error without correcting it, as in the ERRANT scorer."""
UNCORRECTED = frozenset({UNKNOWN, "Um"})
"""Types of edits that mark an error without correcting it (``Um``: unclear meaning, in NUCLE)."""
Unclear = Literal["apply", "leave"]
"""Whether such edits are applied to make a corrected text."""
NOOP = "noop"
"""Marks in M2 an annotator without edits; in the model, an :class:`Annotation` without any."""
NO_ERROR = "没有错误"
"""Replaces a corrected sentence in Chinese corpora: there is no error."""
NOT_ANNOTATABLE = "无法标注"
"""Replaces a corrected sentence in Chinese corpora: its meaning is unclear."""

_CONFIDENCE = re.compile(r"(?<![^\s;,])confidence=(\d*\.?\d+(?:[eE][-+]?\d+)?)(?![^\s;,])")
_LINK = re.compile(r"(?<![^\s;,])link=([^\s;,]+)")


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of the source tokens ``start:end`` by ``correction``.

    Attributes:
        start: index of the first token that is replaced.
        end: index after the last; equal to ``start`` for an insertion.
        correction: the new tokens, separated by single spaces; empty for a deletion.
        type: the error type, such as ``R:VERB:SVA`` or ``ArtOrDet``.
        alternatives: further corrections, equally good as the first (``the||a`` in M2).
        rule: the name of the rule by which redink classified the edit, if any.
        required: the M2 field of that name.
        comment: the M2 field of that name; it can contain ``confidence=P`` and ``link=NAME``.
    """

    start: int
    end: int
    correction: str
    type: str = UNTYPED
    alternatives: tuple[str, ...] = ()
    rule: str | None = None
    required: str = "REQUIRED"
    comment: str = "-NONE-"

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise DataError(f"invalid span {self.start}:{self.end} of an edit")

    @property
    def corrections(self) -> tuple[str, ...]:
        """The correction and its alternatives."""
        return (self.correction, *self.alternatives)

    @property
    def operation(self) -> str:
        """``M`` (missing), ``U`` (unnecessary) or ``R`` (replacement), from the span and text."""
        if self.start == self.end:
            return "M"
        return "R" if self.correction else "U"

    @property
    def confidence(self) -> float | None:
        """The system's confidence in the edit, from ``confidence=P`` in the comment."""
        found = _CONFIDENCE.search(self.comment)
        return None if found is None else float(found[1])

    @property
    def link(self) -> str | None:
        """The name that the parts of one discontinuous error share: ``link=NAME``."""
        found = _LINK.search(self.comment)
        return None if found is None else found[1]

    def check_fits(self, length: int) -> None:
        """Raise a DataError if the edit ends after a sentence of this length."""
        if self.end > length:
            raise DataError(
                f"the span {self.start} {self.end} does not fit a sentence of {length} tokens"
            )

    def retyped(self, type: str, *, rule: str | None = None) -> Edit:  # noqa: A002
        """Return the edit with another error type."""
        return replace(self, type=type, rule=rule)


@dataclass(frozen=True, slots=True)
class Annotation:
    """The edits of one sentence by one annotator (or system), in file order.

    An annotation without edits means that the annotator read the sentence and changed nothing
    (``noop``). An annotator who did not read the sentence has no annotation.

    Attributes:
        annotator: the name of the annotator.
        edits: the annotator's edits.
        target: the corrected sentence, if the file has it besides the edits (a T line of Chinese
            M2: tokens, or :data:`NO_ERROR`).
        alignments: the edits of further alignments of the same two sentences that are as good as
            the first, whose edits are in ``edits``.
    """

    annotator: str
    edits: tuple[Edit, ...] = ()
    target: str | None = None
    alignments: tuple[tuple[Edit, ...], ...] = ()


def apply_edits(
    tokens: Sequence[str], edits: Iterable[Edit], *, unclear: Unclear = "apply"
) -> tuple[str, ...]:
    """Return the tokens after the edits; raise a DataError for an edit outside the sentence.

    Edits are applied from left to right; insertions at one position keep their order. An edit
    whose span overlaps one already applied, or repeats its span, is ignored. An edit
    of type ``UNK`` without a correction is never applied: its correction is unknown.

    Args:
        tokens: the tokens of the sentence.
        edits: in any order.
        unclear: apply edits of the types ``Um`` and ``UNK``, as in published reference texts, or
            leave the tokens unchanged.
    """
    corrected: list[str] = []
    position = 0
    previous: tuple[int, int] | None = None
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.end > len(tokens):
            raise DataError(
                f"an edit of tokens {edit.start}:{edit.end} is outside a sentence of "
                f"{len(tokens)}: {' '.join(tokens)!r}"
            )
        ignored = edit.type in UNCORRECTED and (
            unclear == "leave" or (edit.type == UNKNOWN and not edit.correction)
        )
        repeats = previous == (edit.start, edit.end) and edit.start < edit.end
        if ignored or repeats or edit.start < position:
            continue
        corrected += [*tokens[position : edit.start], *edit.correction.split()]
        position = edit.end
        previous = (edit.start, edit.end)
    corrected.extend(tokens[position:])
    return tuple(corrected)
