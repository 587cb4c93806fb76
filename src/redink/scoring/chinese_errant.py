"""Span-based scoring of Chinese character edits, as in ChERRANT.

The scores equal those of ``compare_m2_for_evaluation.py`` (Zhang et al. 2022) in all its modes.
That program is ERRANT's scorer with changes. Some look unintended; ``fixed`` undoes these:

- All alignments of one corrected sentence count together as one annotator's edits, so an edit in
  two alignments counts twice. Fixed: each alignment is a separate version, and the best one counts.
- An annotator who marked the sentence as not annotatable has an edit without a position, which can
  count as missed; the sentence is skipped only if there is no other annotator. Fixed: these
  annotators are ignored, and a sentence with no other annotator is skipped.
- Corrections lose their spaces before their tokens are counted, so ``only`` applies to the source
  side only. Fixed: it applies to both sides.
- ``answers`` above 3 removes all edits. Fixed: it is the number of annotators.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, NamedTuple

from redink.errors import OptionError
from redink.model import (
    NOOP,
    NOT_ANNOTATABLE,
    UNKNOWN,
    AnnotatedSentence,
    Annotation,
    Edit,
    Hypotheses,
    References,
    Row,
)
from redink.options import NotNegative, Positive
from redink.scoring.count_metric import candidate_statistics
from redink.scoring.errant import VERDICTS, Errant, KeyedEdits, Outcomes, edits_of
from redink.scoring.metric import About, Statistics
from redink.scoring.metric_checks import UNGROUPED

_NOTHING = "-NONE-"
_REFUSED = "NA"
_NO_ERRORS = frozenset({NOOP, _REFUSED})
_MOST_ANSWERS = 3


class ChineseEdit(NamedTuple):
    """An edit as the scorer represents it; ``noop`` and ``NA`` are edits at position -1."""

    start: int
    end: int
    type: str
    correction: str


Comparison = tuple[str, Outcomes]
"""An annotator, and the outcomes of one version of a system's edits."""


@dataclass(frozen=True, kw_only=True)
class Cherrant(Errant):
    """Span-based precision, recall and F of Chinese edits, as in ChERRANT.

    Attributes:
        answers: use only the first N annotators of references and systems.
        references: score only sentences with N annotators.
        start: index (from 0) of the first sentence to score; use with ``end``.
        end: index of the first sentence after the scored range.
        fixed: fix errors of the original program.
    """

    answers: Positive | None = None
    references: Positive | None = None
    start: NotNegative | None = None
    end: NotNegative | None = None
    fixed: bool = False

    name: ClassVar[str] = "cherrant"
    about: ClassVar[About | None] = About(
        rewards="the same edits of characters as an annotator",
        fails="other valid corrections; an edit in two alignments counts twice",
        cite="Zhang et al. 2022",
        languages="zh",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None:
            raise OptionError("cherrant: edits cannot have weights")
        if self.by == "tier":
            raise OptionError("cherrant: by=tier needs error types of ERRANT")

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        compared = [found or [("", [])] for found in self.compare(references, hypotheses)]
        return candidate_statistics(
            [[annotator for annotator, _ in found] for found in compared],
            [[self._count(outcomes) for _, outcomes in found] for found in compared],
            typed=self.by is not None,
        )

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        result = []
        pairs = self.compare(references, hypotheses)
        for chosen, found in zip(self.choices(statistics).tolist(), pairs, strict=True):
            rows = [
                {"verdict": VERDICTS[outcome], **edit._asdict()}
                for outcome, edits in (found[chosen][1] if found else ())
                for edit in edits
                if edit.start >= 0
            ]
            result.append(sorted(rows, key=lambda row: (row["start"], row["end"])))
        return result

    def compare(self, references: References, hypotheses: Hypotheses) -> Iterator[list[Comparison]]:
        """Compare every version of the system's edits with every annotator's, sentence by sentence.

        A sentence that is not scored has no comparisons.
        """
        sentences = references.corpus.sentences
        counts = range(len(sentences))
        if self.start is not None and self.end is not None:
            counts = counts[self.start : self.end]
        both = zip(sentences, edits_of(hypotheses), strict=True)
        for number, (sentence, versions) in enumerate(both):
            gold = self._keyed_by_annotator(sentence.everyone)
            if number not in counts or self._is_skipped(sentence, gold):
                yield []
                continue
            yield [
                (annotator, _outcomes(ours, theirs))
                for _, ours in self._keyed_by_annotator(versions)
                for annotator, theirs in gold
            ]

    def _is_skipped(
        self, sentence: AnnotatedSentence, theirs: list[tuple[str, KeyedEdits]]
    ) -> bool:
        if self.references is not None and self.references != len({who for who, _ in theirs}):
            return True
        if self.fixed:
            return bool(sentence.unannotatable) and not sentence.annotations
        if len(theirs) == 1 and len(theirs[0][1]) == 1:
            (edits,) = theirs[0][1].values()
            return bool(edits[0].type == _REFUSED)
        return False

    def _keyed_by_annotator(
        self, annotations: Sequence[Annotation]
    ) -> list[tuple[str, KeyedEdits]]:
        """Return the edits of every annotator, or of every alignment; never empty."""
        if self.answers is not None:
            most = self.answers if self.fixed or self.answers <= _MOST_ANSWERS else 0
            annotations = [a for n, a in enumerate(annotations) if _number(a, n) < most]
        if self.fixed:
            annotations = [a for a in annotations if a.target != NOT_ANNOTATABLE]
        found = [
            (annotation.annotator, self._keyed_edits(edits))
            for annotation in annotations
            for edits in self._versions(annotation)
        ]
        return found or [("0", self._keyed_edits([_NOOP_EDIT]))]

    def _versions(self, annotation: Annotation) -> Iterator[list[ChineseEdit]]:
        """Return the edits of each alignment or, as in the original, of all of them together."""
        alignments = [
            [_from_edit(edit) for edit in edits]
            for edits in (annotation.edits, *annotation.alignments)
        ]
        if not any(alignments):
            refused = annotation.target == NOT_ANNOTATABLE
            yield [_REFUSED_EDIT if refused else _NOOP_EDIT]
        elif self.fixed:
            yield from alignments
        else:
            yield list(chain.from_iterable(alignments))

    def _keyed_edits(self, edits: Iterable[ChineseEdit]) -> KeyedEdits:
        keyed: KeyedEdits = {}
        for edit in edits:
            if self._counts(edit):
                for key in self._keys(edit):
                    keyed.setdefault(key, []).append(edit)
        return keyed

    def _counts(self, edit: ChineseEdit) -> bool:
        if edit.type == UNKNOWN and not self.level.startswith("detection"):
            return False
        if self.only is not None:
            longest = edit.end - edit.start
            if self.fixed and edit.correction != _NOTHING:
                longest = max(longest, len(edit.correction.split()))
            if (longest >= 2) != (self.only == "multi"):
                return False
        return edit.type in _NO_ERRORS or self._counts_type(edit.type)

    def _keys(self, edit: ChineseEdit) -> Iterable[Hashable]:
        start, end, kind, correction = edit
        correction = correction.replace(" ", "")
        if self.level == "correction":
            return [(start, end, correction)]
        if self.level == "correction-typed":
            return [(start, end, kind, correction)]
        if self.level == "detection-span":
            return [(start, end)]
        if start == -1:
            return [(start, start)]
        return [(token, token + 1) for token in range(start, max(end, start + 1))]

    def _groups(self, edit: ChineseEdit) -> tuple[str, ...]:
        if edit.type in UNGROUPED or self.by == "full":
            return (edit.type,)
        return (edit.type[0] if self.by == "operation" else edit.type[2:],)


def _outcomes(ours: KeyedEdits, theirs: KeyedEdits) -> Outcomes:
    """Sort edits into TP, FP and FN; a true positive is the annotator's edit."""
    found: Outcomes = []
    for key, edits in ours.items():
        if edits[0].type != NOOP:
            same = theirs.get(key)
            found.append((1, edits) if same is None else (0, same))
    for key, edits in theirs.items():
        if edits[0].type != NOOP and key not in ours:
            found.append((2, edits))
    return found


_NOOP_EDIT = ChineseEdit(-1, -1, NOOP, _NOTHING)
_REFUSED_EDIT = ChineseEdit(-1, -1, _REFUSED, _NOTHING)


def _from_edit(edit: Edit) -> ChineseEdit:
    correction = "||".join(edit.corrections) if edit.alternatives else edit.correction
    return ChineseEdit(edit.start, edit.end, edit.type, correction or _NOTHING)


def _number(annotation: Annotation, place: int) -> int:
    """Return an annotator's number, or the position for an annotator with a name."""
    who = annotation.annotator
    return int(who) if who.isdecimal() else place
