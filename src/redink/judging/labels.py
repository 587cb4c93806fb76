"""Labels of items by judges: choose and merge judgments, and tabulate them in a matrix."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.inputs.input_checks import check_judgments, warn
from redink.model import Judgment, fingerprint
from redink.options import Flag, Needs, Options
from redink.statistics.ratings import MISSING, Ratings, Scale, make_ratings
from redink.statistics.resampling import IntArray

FINE_WORDS = frozenset(
    {"ok", "okay", "fine", "correct", "right", "acceptable", "good", "no error", "c"}
)
"""Labels that mean "no error", in any case."""
ERROR_WORDS = frozenset({"error", "incorrect", "wrong", "unacceptable", "bad", "i"})
"""Labels that mean "error", in any case."""
_NO = frozenset({"", "0", "no", "false", "n", "none"})

QUESTION = "question"
"""The column that names the question, if judges answer several about one item."""
ALL_QUESTIONS = "all"
_NO_QUESTION = "(none)"
_JUDGED = Needs(judgments=True, answers=True)


@dataclass(frozen=True)
class LabelOptions(Options):
    """The judgments to include, and how labels count.

    In Python ``merge_labels`` may also be a mapping from the new label to its old labels.

    Attributes:
        merge_labels: count several labels as one, such as ``ok=correct,equal``.
        drop: drop items that any judge flagged: a column, COLUMN=VALUE, or a flag in a list such as
            ``spelling+grammar``.
        missing: labels that are not an answer, such as Unknown; they count as missing.
        judges: include only these judges. By default all.
        question: include only answers to this question, if a file has several; ``all`` pools them.
        ok: labels that mean "no error". By default labels such as ok, correct or fine.
    """

    merge_labels: Annotated[
        Mapping[str, Sequence[str]] | Sequence[str] | None,
        Flag(repeat=True, value="NEW=OLD,..."),
        _JUDGED,
    ] = None
    drop: Annotated[Sequence[str], Flag(repeat=True, value="COLUMN[=VALUE]"), _JUDGED] = ()
    missing: Annotated[Sequence[str], Flag(value="LABEL,..."), _JUDGED] = ()
    judges: Annotated[Sequence[str] | None, _JUDGED] = None
    question: Annotated[str | None, Flag(value="NAME|all"), _JUDGED] = None
    ok: Annotated[Sequence[str] | None, Flag(value="LABEL,..."), _JUDGED] = None

    @property
    def merges(self) -> dict[str, list[str]]:
        """Map each new label to the labels that it replaces."""
        if isinstance(self.merge_labels, Mapping):
            return {new: list(old) for new, old in self.merge_labels.items()}
        merges: dict[str, list[str]] = {}
        for given in self.merge_labels or ():
            new, _, old = given.partition("=")
            if not new or not old:
                raise OptionError(f"--merge-labels: {given!r} is not NEW=OLD,OLD,...")
            merges.setdefault(new, []).extend(label.strip() for label in old.split(","))
        return merges

    def count(
        self, given: Sequence[Judgment], *, separate_questions: bool = False, repeated: bool = False
    ) -> Counted:
        """Choose a question, drop flagged items and missing labels, merge labels, choose judges.

        ``separate_questions``: the caller keeps the answers to several questions separate.
        ``repeated``: the caller compares repeated judgments of a judge with each other.
        """
        if not given:
            raise DataError("there are no judgments")
        warn(check_judgments(given, repeated=repeated), stacklevel=4)
        merges = self.merges
        asked, notes = self._choose_question(given, separate=separate_questions)
        kept, dropped = drop_flagged(asked, self.drop)
        if self.drop:
            notes.append(f"Dropped {how_many(dropped, 'item')} flagged {' or '.join(self.drop)}.")
        named = [*self.missing, *(label for old in merges.values() for label in old)]
        _warn_of_absent(named, {judgment.label for judgment in kept})
        answered = [judgment for judgment in kept if judgment.label not in self.missing]
        if len(answered) < len(kept):
            left_out = how_many(len(kept) - len(answered), "judgment")
            notes.append(f"{left_out} {' or '.join(self.missing)} counted as missing.")
        counted = rename_labels(answered, merges)
        if self.judges is not None:
            present = {judgment.judge for judgment in counted}
            for judge in self.judges:
                if judge not in present:
                    there = _some(sorted(present))
                    raise OptionError(f"unknown judge {judge!r}; expected one of: {there}")
            counted = tuple(judgment for judgment in counted if judgment.judge in self.judges)
        if not counted:
            raise DataError("no judgments are left after --drop and --missing")
        signature = {
            "merge": [f"{new}={'+'.join(old)}" for new, old in merges.items()] or None,
            "drop": list(self.drop) or None,
            "missing": list(self.missing) or None,
            "judges": None if self.judges is None else list(self.judges),
            "question": self.question,
            "data": fingerprint(f"{j.item}\t{j.judge}\t{j.label}\t{j.gold or ''}" for j in given),
        }
        return Counted(counted, tuple(notes), signature)

    def _choose_question(
        self, given: Sequence[Judgment], *, separate: bool
    ) -> tuple[Sequence[Judgment], list[str]]:
        """Return the answers to the chosen question, and a note if it is one of several."""
        groups = by_question(given)
        names, number = _some(list(groups)), len(groups)
        if self.question not in {None, ALL_QUESTIONS}:
            if self.question not in groups:
                raise OptionError(f"unknown question {self.question!r}; expected one of: {names}")
            note = f"Question {self.question}, one of: {names}."
            return groups[self.question], [note] if number > 1 else []
        if number == 1:
            return given, []
        if self.question == ALL_QUESTIONS:
            return given, [f"Answers to {number} questions are pooled: {names}."]
        if separate:
            note = f"{number} questions, evaluated separately; --question all pools their answers."
            return given, [note]
        raise OptionError(
            f"the judgments answer {number} questions (column question: {names}); choose one "
            "with --question NAME, or pool them with --question all"
        )


@dataclass(frozen=True)
class Counted:
    """The included judgments, with notes and the entries of a signature."""

    judgments: tuple[Judgment, ...]
    notes: tuple[str, ...]
    signature: dict[str, Any]

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that occur, sorted."""
        return tuple(sorted({judgment.label for judgment in self.judgments}))


def by_question(judgments: Iterable[Judgment]) -> dict[str, list[Judgment]]:
    """Return the judgments of every question, in order of appearance."""
    groups: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        named = (value for name, value in judgment.extra if name.casefold() == QUESTION)
        groups.setdefault(next(named, _NO_QUESTION), []).append(judgment)
    return groups


def how_many(number: int, word: str) -> str:
    """Return a number with its noun, in the plural unless it is 1."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _some(names: Sequence[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _warn_of_absent(named: Iterable[str], occurring: Collection[str]) -> None:
    for label in named:
        if label not in occurring:
            warnings.warn(
                f"no judgment has the label {label!r}; its labels are: {_some(sorted(occurring))}",
                RedinkWarning,
                stacklevel=4,
            )


@dataclass(frozen=True)
class Repetition:
    """The labels that one judge gave to one item that the judge judged several times."""

    judge: int
    item: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class LabelMatrix:
    """The labels of items by judges, both in order of appearance, as codes.

    Attributes:
        labels: the labels in their order; a code is an index into them.
        codes: items by judges; the first code if a judge judged an item more than once.
        repetitions: all labels of items that a judge judged more than once.
    """

    items: tuple[str, ...]
    judges: tuple[str, ...]
    labels: tuple[str, ...]
    codes: IntArray
    repetitions: tuple[Repetition, ...] = ()

    def ratings(self, scale: Scale = "nominal") -> Ratings:
        """Return the ratings as arrays; on an interval scale a label's value is its number."""
        values = [float(label) for label in self.labels] if scale == "interval" else None
        return make_ratings(self.codes, categories=len(self.labels), values=values)

    def repeated_ratings(self, judge: int | None = None) -> Ratings | None:
        """Return repeated judgments, by one judge or all, as if each were by another judge."""
        chosen = [r.codes for r in self.repetitions if judge is None or r.judge == judge]
        if not chosen:
            return None
        width = max(map(len, chosen))
        codes = [[*answers, *[MISSING] * (width - len(answers))] for answers in chosen]
        return make_ratings(codes, categories=len(self.labels))

    def only_judges(self, judges: Sequence[str]) -> LabelMatrix:
        """Return the columns of some judges."""
        columns = [self.judges.index(judge) for judge in judges]
        return replace(self, judges=tuple(judges), codes=self.codes[:, columns], repetitions=())

    def only_items(self, keep: Collection[str]) -> LabelMatrix:
        """Return the rows of some items."""
        rows = [number for number, item in enumerate(self.items) if item in keep]
        items = tuple(self.items[row] for row in rows)
        return replace(self, items=items, codes=self.codes[rows], repetitions=())

    def only_judged(self) -> LabelMatrix:
        """Return the rows of judged items."""
        judged = (self.codes != MISSING).any(axis=1)
        return self.only_items({self.items[row] for row in np.flatnonzero(judged)})

    def describe(self) -> list[str]:
        """Return notes about the size of the matrix."""
        sizes = (self.codes != MISSING).sum(axis=1)
        each = f"{sizes.min()}\N{EN DASH}{sizes.max()}" if np.ptp(sizes) else f"{sizes.max()}"
        size = (
            f"{how_many(len(self.items), 'item')}, {how_many(len(self.judges), 'judge')}, "
            f"{how_many(int(sizes.sum()), 'judgment')} ({each} per item); "
            f"labels: {_some(self.labels)}."
        )
        again = sum(len(repetition.codes) - 1 for repetition in self.repetitions)
        repeated = (
            f"{again} judgments repeat an item that the same judge judged before; between judges, "
            "only the first judgment counts."
        )
        return [size, repeated] if again else [size]


def drop_flagged(
    judgments: Iterable[Judgment], flags: Iterable[str]
) -> tuple[tuple[Judgment, ...], int]:
    """Drop the items that any judge flagged; return the rest and how many items were dropped.

    A flag is the name of a column, ``COLUMN=VALUE``, or a member of a list in any column, such as
    ``spelling`` in ``spelling+grammar``. Campaigns export such a list if a judge checked both.
    """
    given = tuple(judgments)
    cells = [(j.item, column, cell.strip()) for j in given for column, cell in _cells_of(j)]
    columns = {column for _, column, _ in cells} | {"confidence"}
    flagged: set[str] = set()
    for flag in flags:
        name, equals, value = flag.partition("=")
        own = [(item, cell) for item, column, cell in cells if column == name]
        if name not in columns:
            found = {i for i, _, cell in cells if not equals and name in (cell, *cell.split("+"))}
            if not found:
                there = ", ".join(sorted(columns))
                raise OptionError(f"unknown column {name!r} in --drop; expected one of: {there}")
        elif equals:
            found = {item for item, cell in own if value in (cell, *cell.split("+"))}
        else:
            found = {item for item, cell in own if cell.casefold() not in _NO}
        flagged |= found
    return tuple(j for j in given if j.item not in flagged), len(flagged)


def _cells_of(judgment: Judgment) -> list[tuple[str, str]]:
    """Return the additional columns of a judgment and its confidence."""
    given = judgment.confidence is not None
    return [*judgment.extra, *([("confidence", str(judgment.confidence))] if given else [])]


def rename_labels(
    judgments: Iterable[Judgment], merges: Mapping[str, Sequence[str]]
) -> tuple[Judgment, ...]:
    """Merge labels: ``{"ok": ["correct", "equal"]}`` renames correct and equal to ok."""
    new: dict[str, str] = {}
    for name, olds in merges.items():
        for old in olds:
            if new.setdefault(old, name) != name:
                raise OptionError(f"the label {old!r} cannot be merged into two labels")
    return tuple(
        replace(
            judgment,
            label=new.get(judgment.label, judgment.label),
            gold=None if judgment.gold is None else new.get(judgment.gold, judgment.gold),
        )
        for judgment in judgments
    )


def order_labels(labels: Iterable[str], order: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the labels in the given order, or sorted by value or by name."""
    found = set(labels)
    if order is not None:
        for label in sorted(found - set(order)):
            raise DataError(
                f"the label {label!r} is not one of the given labels: {', '.join(order)}"
            )
        return tuple(dict.fromkeys(order))
    return tuple(sorted(found, key=float if all(map(_is_number, found)) else None))


def _is_number(label: str) -> bool:
    try:
        return bool(np.isfinite(float(label)))
    except ValueError:
        return False


def check_scale(labels: Sequence[str], scale: Scale, *, ordered: bool) -> None:
    """Check that an interval scale has numbers, and an ordinal scale numbers or an order."""
    if scale == "nominal" or (scale == "ordinal" and ordered):
        return
    for label in labels:
        if not _is_number(label):
            raise DataError(
                f"the label {label!r} is not a number; an interval scale needs numbers"
                if scale == "interval"
                else f"the label {label!r} is not a number, so the order of the labels is "
                "unknown; give all labels in order (--labels LOW,...,HIGH)"
            )


def tabulate(judgments: Iterable[Judgment], *, order: Sequence[str] | None = None) -> LabelMatrix:
    """Make a matrix of judgments; labels are sorted unless their order is given."""
    given = tuple(judgments)
    if not given:
        raise DataError("there are no judgments (left)")
    items = {item: number for number, item in enumerate(dict.fromkeys(j.item for j in given))}
    judges = {name: number for number, name in enumerate(dict.fromkeys(j.judge for j in given))}
    labels = order_labels({j.label for j in given}, order)
    numbers = {label: number for number, label in enumerate(labels)}
    said: dict[tuple[int, int], list[int]] = {}
    for judgment in given:
        place = items[judgment.item], judges[judgment.judge]
        said.setdefault(place, []).append(numbers[judgment.label])
    codes = np.full((len(items), len(judges)), MISSING, dtype=np.int64)
    for place, answers in said.items():
        codes[place] = answers[0]
    repetitions = tuple(
        Repetition(judge, item, tuple(answers))
        for (item, judge), answers in said.items()
        if len(answers) > 1
    )
    return LabelMatrix(tuple(items), tuple(judges), labels, codes, repetitions)


def find_fine(labels: Iterable[str], given: Sequence[str] | None) -> tuple[str, ...]:
    """Return the labels that mean "no error": the given ones, or those in ``FINE_WORDS``."""
    if given:
        return tuple(given)
    return tuple(label for label in labels if label.strip().casefold() in FINE_WORDS)


def require_fine(labels: Collection[str], ok: Sequence[str] | None) -> tuple[str, ...]:
    """Return the labels that mean "no error"; raise an error if there is none."""
    fine = find_fine(labels, ok)
    if not fine:
        raise OptionError(
            "none of the labels is known to mean no error; choose one with --ok LABEL: "
            f"{_some(sorted(labels))}"
        )
    _warn_of_absent(ok or (), labels)
    return fine
