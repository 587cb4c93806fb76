"""ChERRANT's scoring of Chinese: edits of characters against the annotators', span by span.

The same figures as ``compare_m2_for_evaluation.py`` (Zhang et al. 2022) in all its modes, which is
ERRANT's scorer with changes. Some of them look unintended; ``fixed`` undoes these:

- All alignments of one corrected sentence count together as one annotator's edits, so that an edit
  in two of them counts twice. Fixed: each alignment is a version of its own, and the best counts.
- An annotator who found the sentence not annotatable has an edit at no position, which can be
  missed; the sentence is skipped only if there is no other annotator. Fixed: such annotators are
  ignored, and a sentence without others is skipped.
- Corrections lose their blanks before their tokens are counted, so ``only`` looks at the source
  alone. Fixed: it looks at both sides.
- ``answers`` above 3 leaves no edits at all. Fixed: it is the number of annotators.
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
from redink.scoring.count_metric import Candidates
from redink.scoring.errant import VERDICTS, Errant, concatenate_counts, edits_of
from redink.scoring.metric import About, Statistics
from redink.scoring.metric_checks import UNGROUPED

_NOTHING = "-NONE-"
_REFUSED = "NA"
_NO_ERRORS = frozenset({NOOP, _REFUSED})
_MOST_ANSWERS = 3


class ChineseEdit(NamedTuple):
    """An edit as the scorer sees it; ``noop`` and ``NA`` are edits at -1."""

    start: int
    end: int
    type: str
    correction: str


KeyedChineseEdits = dict[Hashable, list[ChineseEdit]]
"""Edits under what makes them equal."""
Outcomes = list[tuple[int, ChineseEdit]]
"""Every edit, and whether it is a TP (0), an FP (1) or an FN (2)."""


class VersionPair(NamedTuple):
    """One version of a system's edits beside one of an annotator's."""

    version: str
    annotator: str
    ours: KeyedChineseEdits
    theirs: KeyedChineseEdits

    def outcomes(self) -> Outcomes:
        """What became of every edit; a true positive is the annotator's."""
        found: Outcomes = []
        for key, edits in self.ours.items():
            if edits[0].type != NOOP:
                same = self.theirs.get(key)
                found += [(1, edit) for edit in edits] if same is None else [(0, m) for m in same]
        for key, edits in self.theirs.items():
            if edits[0].type != NOOP and key not in self.ours:
                found += [(2, edit) for edit in edits]
        return found


@dataclass(frozen=True, kw_only=True)
class Cherrant(Errant):
    """Span-based precision, recall and F of Chinese edits, as ChERRANT has them.

    Attributes:
        answers: the first so many annotators alone, of references and systems.
        references: only sentences with so many annotators.
        start: the first sentence that counts, from 0; with ``end``.
        end: the first that does not count any more.
        fixed: mend what is wrong in the original.
    """

    answers: Positive | None = None
    references: Positive | None = None
    start: NotNegative | None = None
    end: NotNegative | None = None
    fixed: bool = False

    name: ClassVar[str] = "cherrant"
    about: ClassVar[About | None] = About(
        rewards="the same edits of characters as an annotator",
        fails="other good corrections; an edit in two alignments counts twice",
        cite="Zhang et al. 2022",
        languages="zh",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None:
            raise OptionError("cherrant: edits cannot have weights")

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        pairs = list(self.compare(references, hypotheses))
        compared = [
            concatenate_counts(
                [self._count(pair.outcomes()) for pair in found] or [([0, 0, 0], {})]
            )
            for found in pairs
        ]
        candidates = Candidates.of([[pair.annotator for pair in f] or [""] for f in pairs])
        return self._statistics(compared, candidates)

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        result = []
        pairs = self.compare(references, hypotheses)
        for chosen, found in zip(self.choices(statistics).tolist(), pairs, strict=True):
            outcomes = found[chosen].outcomes() if found else []
            rows = [
                {"verdict": VERDICTS[outcome], **edit._asdict()}
                for outcome, edit in outcomes
                if edit.start >= 0
            ]
            result.append(sorted(rows, key=lambda row: (row["start"], row["end"])))
        return result

    def compare(
        self, references: References, hypotheses: Hypotheses
    ) -> Iterator[list[VersionPair]]:
        """For every sentence every version of the system beside every annotator's.

        A sentence that does not count has none.
        """
        sentences = references.corpus.sentences
        counts = range(len(sentences))
        if self.start is not None and self.end is not None:
            counts = counts[self.start : self.end]
        for number, (sentence, versions) in enumerate(
            zip(sentences, edits_of(hypotheses), strict=True)
        ):
            theirs = self._keyed_by_annotator(sentence.everyone)
            if number not in counts or self._is_skipped(sentence, theirs):
                yield []
                continue
            ours = self._keyed_by_annotator(versions)
            yield [
                VersionPair(version, annotator, edits, gold)
                for version, edits in ours
                for annotator, gold in theirs
            ]

    def _is_skipped(
        self, sentence: AnnotatedSentence, theirs: list[tuple[str, KeyedChineseEdits]]
    ) -> bool:
        if self.references is not None and self.references != len({who for who, _ in theirs}):
            return True
        if self.fixed:
            return bool(sentence.unannotatable) and not sentence.annotations
        if len(theirs) == 1 and len(theirs[0][1]) == 1:
            (edits,) = theirs[0][1].values()
            return edits[0].type == _REFUSED
        return False

    def _keyed_by_annotator(
        self, annotations: Sequence[Annotation]
    ) -> list[tuple[str, KeyedChineseEdits]]:
        """The edits of every annotator, or of every alignment; somebody always is there."""
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
        """The edits of each alignment or, as in the original, of all of them together."""
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

    def _keyed_edits(self, edits: Iterable[ChineseEdit]) -> KeyedChineseEdits:
        keyed: KeyedChineseEdits = {}
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

    def _count(self, outcomes: Outcomes) -> tuple[list[int], dict[str, list[int]]]:
        counts = [0, 0, 0]
        typed: dict[str, list[int]] = {}
        for outcome, edit in outcomes:
            counts[outcome] += 1
            if self.by is not None:
                typed.setdefault(self._group(edit.type), [0, 0, 0])[outcome] += 1
        return counts, typed

    def _group(self, kind: str) -> str:
        if kind in UNGROUPED or self.by == "full":
            return kind
        return kind[0] if self.by == "operation" else kind[2:]


_NOOP_EDIT = ChineseEdit(-1, -1, NOOP, _NOTHING)
_REFUSED_EDIT = ChineseEdit(-1, -1, _REFUSED, _NOTHING)


def _from_edit(edit: Edit) -> ChineseEdit:
    correction = "||".join(edit.corrections) if edit.alternatives else edit.correction
    return ChineseEdit(edit.start, edit.end, edit.type, correction or _NOTHING)


def _number(annotation: Annotation, place: int) -> int:
    """The number of an annotator; of one with a name, its place."""
    who = annotation.annotator
    return int(who) if who.isdecimal() else place
