"""Edits, and what one annotator made of one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from redink.errors import DataError

UNTYPED = "NA"
"""The type of an edit that nobody has typed yet."""

UNKNOWN = "UNK"
"""The type of an edit that marks an error without correcting it, as the ERRANT scorer has it."""

UNCORRECTED = frozenset({UNKNOWN, "Um"})
"""Types whose edits mark an error rather than correct it (``Um``: unclear meaning, in NUCLE)."""

Unclear = Literal["apply", "leave"]
"""What becomes of such edits in a corrected text: what they say is done, or nothing."""

NOOP = "noop"
"""What an M2 file writes for an annotator who changed nothing.

It is not an edit: in the model it is an :class:`Annotation` with no edits.
"""

NO_ERROR = "没有错误"
"""What Chinese corpora write in place of a corrected sentence: there is no error."""

NOT_ANNOTATABLE = "无法标注"
"""Likewise: nobody can tell what the writer meant, so there is no corrected sentence."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace tokens ``start:end`` of the source by ``correction``.

    Attributes:
        start: the first token of the source that is replaced.
        end: one past the last; equal to ``start`` for an insertion.
        correction: the tokens put there, separated by single spaces; empty for a deletion.
        type: the error type, such as ``R:VERB:SVA`` or ``ArtOrDet``.
        alternatives: further corrections that are as good as the first (``the||a`` in M2).
        rule: the name of the rule that gave the type, where we gave it.
        required: the M2 field of that name, kept as it was.
        comment: the M2 field of that name, kept as it was.
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
            raise DataError(f"an edit of tokens {self.start}:{self.end} is not a span")

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

    def check_fits(self, length: int) -> None:
        """Refuse an edit beyond the end of a sentence of so many tokens.

        Raises:
            DataError: it is.
        """
        if self.end > length:
            raise DataError(
                f"the span {self.start} {self.end} does not fit a sentence of {length} tokens"
            )

    def retyped(self, type: str, *, rule: str | None = None) -> Edit:  # noqa: A002
        """The same edit under another error type."""
        return replace(self, type=type, rule=rule)


@dataclass(frozen=True, slots=True)
class Annotation:
    """The edits that one annotator (or system) made to one sentence, in the order given.

    No edits at all means that the annotator read the sentence and changed nothing (``noop``).
    An annotator who did not read the sentence has no annotation.

    Attributes:
        annotator: who.
        edits: what they changed.
        target: the corrected sentence as the file gives it beside the edits (a T line of Chinese
            M2: tokens, or :data:`NO_ERROR`), where it does.
        alignments: the edits under further alignments of the same two sentences, where several
            are as good as the one that ``edits`` are of.
    """

    annotator: str
    edits: tuple[Edit, ...] = ()
    target: str | None = None
    alignments: tuple[tuple[Edit, ...], ...] = ()


def apply_edits(
    tokens: Sequence[str], edits: Iterable[Edit], *, unclear: Unclear = "apply"
) -> tuple[str, ...]:
    """The tokens after the edits.

    Edits are applied from left to right; insertions at one place keep their order. An edit whose
    span overlaps one already applied, or repeats its span, is left out.

    Args:
        tokens: of the source.
        edits: of one annotator.
        unclear: whether edits of the types ``Um`` and ``UNK`` do what they say, as in the
            reference texts that are in circulation, or nothing. One of type ``UNK`` that has no
            correction never does anything: nobody knows what should stand there.

    Raises:
        DataError: an edit lies outside the sentence.
    """
    corrected: list[str] = []
    position = 0
    previous: tuple[int, int] | None = None
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.end > len(tokens):
            raise DataError(
                f"an edit of tokens {edit.start}:{edit.end} lies outside a sentence of "
                f"{len(tokens)}: {' '.join(tokens)!r}"
            )
        is_insertion = edit.start == edit.end
        repeats = previous == (edit.start, edit.end) and not is_insertion
        if _does_nothing(edit, unclear) or edit.start < position or repeats:
            continue
        corrected.extend(tokens[position : edit.start])
        corrected.extend(edit.correction.split())
        position = edit.end
        previous = (edit.start, edit.end)
    corrected.extend(tokens[position:])
    return tuple(corrected)


def _does_nothing(edit: Edit, unclear: Unclear) -> bool:
    if edit.type not in UNCORRECTED:
        return False
    return unclear == "leave" or (edit.type == UNKNOWN and not edit.correction)
