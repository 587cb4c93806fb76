"""ChERRANT's scoring of Chinese: edits of characters against the annotators', span by span.

The same figures as ``compare_m2_for_evaluation.py`` (Zhang et al. 2022) in all its modes, which is
ERRANT's scorer with changes. Some of them look unintended; ``fixed`` undoes these:

- All alignments of one corrected sentence count together as one annotator's edits, so that an edit
  in two of them counts twice. Fixed: each alignment is a version of its own, and the best counts.
- An annotator who found the sentence not annotatable has an edit at no place, which can be missed;
  the sentence is skipped only where there is no other annotator. Fixed: such annotators are passed
  over, and a sentence without others is skipped.
- Corrections lose their blanks before their tokens are counted, so ``only`` looks at the source
  alone. Fixed: it looks at both sides.
- ``answers`` above 3 leaves no edits at all. Fixed: it is so many annotators.
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
from redink.scoring.count_metric import UNGROUPED, Candidates
from redink.scoring.errant import VERDICTS, Errant, TypedCounts, edits_of, together
from redink.scoring.metric import About, Statistics

_NOTHING = "-NONE-"
_REFUSED = "NA"
_NO_ERRORS = frozenset({NOOP, _REFUSED})
_MOST_ANSWERS = 3


class Mark(NamedTuple):
    """An edit as the scorer sees it; ``noop`` and ``NA`` are edits at -1."""

    start: int
    end: int
    type: str
    correction: str


Keyed = dict[Hashable, list[Mark]]
"""Edits under what makes them equal."""
Outcomes = list[tuple[int, Mark]]
"""Every edit, and whether it is a TP (0), an FP (1) or an FN (2)."""


class Pair(NamedTuple):
    """One version of a system's edits beside one of an annotator's."""

    version: str
    annotator: str
    ours: Keyed
    theirs: Keyed

    def outcomes(self) -> Outcomes:
        """What became of every edit; a true positive is the annotator's."""
        found: Outcomes = []
        for key, marks in self.ours.items():
            if marks[0].type != NOOP:
                same = self.theirs.get(key)
                found += [(1, mark) for mark in marks] if same is None else [(0, m) for m in same]
        for key, marks in self.theirs.items():
            if marks[0].type != NOOP and key not in self.ours:
                found += [(2, mark) for mark in marks]
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
        """Counts of the system's edits against those of every annotator, sentence by sentence."""
        pairs = list(self.compare(references, hypotheses))
        compared = [
            together([self._count(pair.outcomes()) for pair in found] or [([0, 0, 0], {})])
            for found in pairs
        ]
        candidates = Candidates.of([[pair.annotator for pair in f] or [""] for f in pairs])
        return self._statistics(compared, candidates)

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        """Every edit of every sentence with its verdict, against the annotator chosen."""
        result = []
        pairs = self.compare(references, hypotheses)
        for chosen, found in zip(self.choices(statistics).tolist(), pairs, strict=True):
            outcomes = found[chosen].outcomes() if found else []
            rows = [
                {"verdict": VERDICTS[outcome], **mark._asdict()}
                for outcome, mark in outcomes
                if mark.start >= 0
            ]
            result.append(sorted(rows, key=lambda row: (row["start"], row["end"])))
        return result

    def compare(self, references: References, hypotheses: Hypotheses) -> Iterator[list[Pair]]:
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
                Pair(version, annotator, edits, gold)
                for version, edits in ours
                for annotator, gold in theirs
            ]

    def _is_skipped(self, sentence: AnnotatedSentence, theirs: list[tuple[str, Keyed]]) -> bool:
        if self.references is not None and self.references != len({who for who, _ in theirs}):
            return True
        if self.fixed:
            return bool(sentence.unannotatable) and not sentence.annotations
        if len(theirs) == 1 and len(theirs[0][1]) == 1:
            (marks,) = theirs[0][1].values()
            return marks[0].type == _REFUSED
        return False

    def _keyed_by_annotator(self, annotations: Sequence[Annotation]) -> list[tuple[str, Keyed]]:
        """The edits of every annotator, or of every alignment; somebody always is there."""
        if self.answers is not None:
            most = self.answers if self.fixed or self.answers <= _MOST_ANSWERS else 0
            annotations = [a for n, a in enumerate(annotations) if _number(a, n) < most]
        if self.fixed:
            annotations = [a for a in annotations if a.target != NOT_ANNOTATABLE]
        found = [
            (annotation.annotator, self._keyed_marks(edits))
            for annotation in annotations
            for edits in self._versions(annotation)
        ]
        return found or [("0", self._keyed_marks([_NOOP_MARK]))]

    def _versions(self, annotation: Annotation) -> Iterator[list[Mark]]:
        """The edits of each alignment or, as in the original, of all of them together."""
        alignments = [
            [_mark(edit) for edit in edits] for edits in (annotation.edits, *annotation.alignments)
        ]
        if not any(alignments):
            refused = annotation.target == NOT_ANNOTATABLE
            yield [_REFUSED_MARK if refused else _NOOP_MARK]
        elif self.fixed:
            yield from alignments
        else:
            yield list(chain.from_iterable(alignments))

    def _keyed_marks(self, marks: Iterable[Mark]) -> Keyed:
        keyed: Keyed = {}
        for mark in marks:
            if self._counts(mark):
                for key in self._keys(mark):
                    keyed.setdefault(key, []).append(mark)
        return keyed

    def _counts(self, mark: Mark) -> bool:
        if mark.type == UNKNOWN and not self.level.startswith("detection"):
            return False
        if self.only is not None:
            longest = mark.end - mark.start
            if self.fixed and mark.correction != _NOTHING:
                longest = max(longest, len(mark.correction.split()))
            if (longest >= 2) != (self.only == "multi"):
                return False
        return mark.type in _NO_ERRORS or self._counts_type(mark.type)

    def _keys(self, mark: Mark) -> Iterable[Hashable]:
        start, end, kind, correction = mark
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

    def _count(self, outcomes: Outcomes) -> tuple[list[int], TypedCounts]:
        """TP, FP and FN, overall and by type."""
        counts = [0, 0, 0]
        typed: TypedCounts = {}
        for outcome, mark in outcomes:
            counts[outcome] += 1
            if self.by is not None:
                typed.setdefault(self._group(mark.type), [0, 0, 0])[outcome] += 1
        return counts, typed

    def _group(self, kind: str) -> str:
        if kind in UNGROUPED or self.by == "full":
            return kind
        return kind[0] if self.by == "operation" else kind[2:]


_NOOP_MARK = Mark(-1, -1, NOOP, _NOTHING)
_REFUSED_MARK = Mark(-1, -1, _REFUSED, _NOTHING)


def _mark(edit: Edit) -> Mark:
    correction = "||".join(edit.corrections) if edit.alternatives else edit.correction
    return Mark(edit.start, edit.end, edit.type, correction or _NOTHING)


def _number(annotation: Annotation, place: int) -> int:
    """The number of an annotator; of one with a name, its place."""
    who = annotation.annotator
    return int(who) if who.isdecimal() else place
