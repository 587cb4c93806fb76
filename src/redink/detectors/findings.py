"""What a detector says about a preposition, and the thresholds that turn it into a decision."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from redink.errors import OptionError
from redink.model import AnnotatedSentence, Edit

Kind = Literal["confusion", "extraneous"]
KINDS: tuple[Kind, ...] = ("confusion", "extraneous")
EDIT_TYPES: dict[Kind, str] = {"confusion": "R:PREP", "extraneous": "U:PREP"}
NEVER = 1.0
"""A threshold that no confidence is above."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One preposition of a sentence.

    Attributes:
        index: the token.
        kind: what would be wrong with it.
        correction: the better preposition; empty where none belongs.
        confidence: from 0 to 1, how sure the detector is that it is wrong.
    """

    index: int
    kind: Kind
    correction: str
    confidence: float


Thresholds = dict[Kind, float]


class Detector(Protocol):
    """What finds preposition errors."""

    @property
    def thresholds(self) -> Thresholds:
        """Above which confidence a finding of each kind is marked as an error."""

    def examine(self, sentences: Sequence[tuple[str, ...]]) -> list[list[Finding]]:
        """The findings for every preposition of every sentence, marked or not."""


def is_marked(finding: Finding, thresholds: Thresholds) -> bool:
    """Whether a finding is an error; on a draw it is not."""
    return finding.confidence > thresholds.get(finding.kind, NEVER)


def to_edits(
    tokens: Sequence[str], findings: Iterable[Finding], thresholds: Thresholds
) -> tuple[Edit, ...]:
    """The findings that are marked, as edits; a capital letter stays one."""
    edits = []
    for finding in findings:
        if is_marked(finding, thresholds):
            correction = finding.correction
            if tokens[finding.index][:1].isupper():
                correction = correction.capitalize()
            edits.append(
                Edit(finding.index, finding.index + 1, correction, EDIT_TYPES[finding.kind])
            )
    return tuple(edits)


def tune_thresholds(
    gold: Sequence[AnnotatedSentence],
    findings: Sequence[Sequence[Finding]],
    precision: float,
    *,
    types: Collection[str] = (),
) -> tuple[Thresholds, list[str]]:
    """For each kind, the lowest threshold that reaches a precision on annotated text.

    A finding is right if an edit of any annotator touches its token.

    Args:
        gold: the annotated text.
        findings: what the detector says about it.
        precision: what to reach.
        types: count edits of these types only (``PREP`` stands for ``R:PREP`` and ``U:PREP``).

    Returns:
        The thresholds, and a note for each kind that says what was reached.
    """
    if not 0 < precision <= 1:
        raise OptionError(f"a precision lies between 0 and 1, not at {precision}")
    thresholds: Thresholds = {}
    notes = []
    for kind in KINDS:
        judged = sorted(
            (
                (finding.confidence, _is_error(sentence, finding.index, types))
                for sentence, found in zip(gold, findings, strict=True)
                for finding in found
                if finding.kind == kind
            ),
            reverse=True,
        )
        right, best = 0, 0
        for count, (_, is_error) in enumerate(judged, start=1):
            right += is_error
            # Findings of equal confidence are marked together or not at all.
            ends = count == len(judged) or judged[count][0] < judged[count - 1][0]
            if ends and right and right / count >= precision:
                best = count
        if not best:
            thresholds[kind] = NEVER
            notes.append(
                f"{kind}: no threshold reaches a precision of {precision:g}; none is marked"
            )
            continue
        lower = judged[best][0] if best < len(judged) else 0.0
        thresholds[kind] = lower
        hits = sum(is_error for _, is_error in judged[:best])
        notes.append(
            f"{kind}: above {lower:.4f} {best} are marked, precision {hits / best:.4f} "
            "on the tuning text"
        )
    return thresholds, notes


def _is_error(sentence: AnnotatedSentence, index: int, types: Collection[str]) -> bool:
    return any(
        edit.start <= index < edit.end
        and (not types or edit.type in types or edit.type[2:] in types)
        for annotation in sentence.annotations
        for edit in annotation.edits
    )
