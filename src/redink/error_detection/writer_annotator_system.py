"""Writer, annotator, system: the three-way comparison of error detection and correction.

See Chodorow et al. (2012), figure 4. Every unit of the text has three forms: the writer's, the
annotator's and the system's.

===== ====== ========= ====== ===================================
      writer annotator system counted as
===== ====== ========= ====== ===================================
xxx   X      X         X      TN
xxy   X      X         Y      FP
xyx   X      Y         X      FN
xyy   X      Y         Y      TP
xyz   X      Y         Z      detection: TP; correction: FP and FN
===== ====== ========= ====== ===================================

Units are defined in :mod:`redink.error_detection.units`. Because nearly all units of a text are
unchanged, a reader (annotator or system) is represented by the units that the reader changes.
Unchanged units are only counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError
from redink.model import Counts
from redink.model.counts import plain
from redink.scoring.errant import Errant
from redink.scoring.metric import Selection
from redink.scoring.selection import choose

Key = Hashable
"""A unit within its sentence."""
Form = Hashable
"""A version of a unit; only equality matters."""
Number = float | Fraction
"""Counts are integers, or exact shares if errors are graded."""
Level = Literal["detection", "correction"]
Counting = Literal["units", "edits"]


class Pattern(StrEnum):
    """The five rows of figure 4."""

    XXX = "xxx"
    XXY = "xxy"
    XYX = "xyx"
    XYY = "xyy"
    XYZ = "xyz"


@dataclass(frozen=True, slots=True)
class UnitChanges:
    """The units of a sentence that one reader (an annotator or a system) changes.

    ``forms`` are the forms that the reader accepts for each unit: several alternatives, or none if
    the unit is incorrect and no correct form is given. ``times`` is the number of edits that touch
    the unit, if it is more than one. ``types`` are the error types of these edits, if needed, and
    the number of edits of each.
    ``optional`` are the units that only optional edits change, and ``links`` the names that linked
    edits share.
    """

    forms: Mapping[Key, frozenset[Form]] = field(default_factory=dict)
    times: Mapping[Key, int] = field(default_factory=dict)
    types: Mapping[Key, Mapping[str, int]] = field(default_factory=dict)
    optional: frozenset[Key] = frozenset()
    links: Mapping[Key, str] = field(default_factory=dict)

    def only(self, keys: Iterable[Key]) -> UnitChanges:
        """Return the changes of these units."""
        kept = frozenset(keys)
        return UnitChanges(
            {key: forms for key, forms in self.forms.items() if key in kept},
            {key: number for key, number in self.times.items() if key in kept},
            {key: types for key, types in self.types.items() if key in kept},
            self.optional & kept,
            {key: name for key, name in self.links.items() if key in kept},
        )


@dataclass(frozen=True, slots=True)
class Sites:
    """The number of units of one sentence; None if the size of a non-error is undefined (spans).

    ``candidates`` count as negatives when nobody changes them; None means all units. Other units
    are *trivial* negatives, which are counted separately. ``dropped`` units are not counted.
    """

    size: int | None
    candidates: frozenset[Key] | None = None
    dropped: frozenset[Key] = frozenset()


@dataclass(frozen=True, slots=True)
class PatternCounts:
    """The number of units with each pattern of figure 4.

    ``xxx`` is None if the unit has no negatives. ``trivial`` negatives are not in ``xxx``.
    """

    xxx: Number | None = 0
    xxy: Number = 0
    xyx: Number = 0
    xyy: Number = 0
    xyz: Number = 0
    trivial: Number = 0

    def __add__(self, other: PatternCounts) -> PatternCounts:
        return PatternCounts(
            None if self.xxx is None or other.xxx is None else self.xxx + other.xxx,
            self.xxy + other.xxy,
            self.xyx + other.xyx,
            self.xyy + other.xyy,
            self.xyz + other.xyz,
            self.trivial + other.trivial,
        )

    def as_row(self) -> tuple[float, ...]:
        """Return all counts as numbers; NaN if the unit has no negatives."""
        counts = (self.xxx, self.xxy, self.xyx, self.xyy, self.xyz, self.trivial)
        return tuple(nan if count is None else float(count) for count in counts)

    def divided_by(self, number: int) -> PatternCounts:
        """Return exact shares of every count."""
        xxx = None if self.xxx is None else Fraction(self.xxx) / number
        others = (self.xxy, self.xyx, self.xyy, self.xyz, self.trivial)
        return PatternCounts(xxx, *(Fraction(count) / number for count in others))

    def counts(self, level: Level = "detection") -> Counts:
        """Return the four cells; trivial negatives are not in TN."""
        tn = None if self.xxx is None else plain(self.xxx)
        if level == "detection":
            return Counts(plain(self.xyy + self.xyz), plain(self.xxy), plain(self.xyx), tn)
        return Counts(plain(self.xyy), plain(self.xxy + self.xyz), plain(self.xyx + self.xyz), tn)


def tally_sentence(
    sites: Sites, annotator: UnitChanges, system: UnitChanges, *, counting: Counting = "units"
) -> PatternCounts:
    """Count the patterns of one annotator and one system in one sentence.

    ``units`` counts every unit once, so the cells add up to N. ``edits`` counts a unit once per
    edit on it, as the ERRANT scorer does: per edit of the annotator, or if there are none, of the
    system.

    """
    found = dict.fromkeys(Pattern, 0)
    changed = frozenset(annotator.forms).union(system.forms)
    for key in changed:
        times = 1
        if counting == "edits":
            times = (annotator if key in annotator.forms else system).times.get(key, 1)
        found[find_pattern(key, annotator, system)] += times
    xxx, trivial = _count_unchanged(sites, changed)
    xxy, xyx, xyy, xyz = (found[pattern] for pattern in list(Pattern)[1:])
    return PatternCounts(xxx, xxy, xyx, xyy, xyz, trivial)


def find_pattern(key: Key, annotator: UnitChanges, system: UnitChanges) -> Pattern:
    """Return the pattern of a unit; one common form is enough to agree."""
    expected, found = annotator.forms.get(key), system.forms.get(key)
    if expected is None:
        return Pattern.XXX if found is None else Pattern.XXY
    if found is None:
        return Pattern.XYX
    return Pattern.XYZ if expected.isdisjoint(found) else Pattern.XYY


def _count_unchanged(sites: Sites, changed: frozenset[Key]) -> tuple[int | None, int]:
    """Return the number of negatives and of trivial negatives among the unchanged units."""
    if sites.size is None:
        return None, 0
    changed |= sites.dropped
    unchanged = sites.size - len(changed)
    negatives = unchanged if sites.candidates is None else len(sites.candidates - changed)
    return negatives, unchanged - negatives


def weigh_sentence(
    sites: Sites, weights: Mapping[Key, Number], system: UnitChanges
) -> PatternCounts:
    """Compare a system with graded errors (section 3.5.2 of the paper; Madnani et al. 2011).

    A unit that a share w of the judges calls an error adds w to TP and 1 - w to FP if the system
    flags it, and w to FN and 1 - w to TN otherwise. Units without a weight are not errors. With
    weights of 0 and 1 these are the plain counts. Corrections are not compared: ``xyz`` is 0.
    """
    tp: Number = 0
    fp: Number = 0
    fn: Number = 0
    tn: Number = 0
    touched = frozenset(key for key, weight in weights.items() if weight).union(system.forms)
    for key in touched:
        weight = weights.get(key, 0)
        if key in system.forms:
            tp, fp = tp + weight, fp + (1 - weight)
        else:
            fn, tn = fn + weight, tn + (1 - weight)
    unchanged, trivial = _count_unchanged(sites, touched)
    return PatternCounts(None if unchanged is None else unchanged + tn, fp, fn, tp, 0, trivial)


def unite(readers: Sequence[UnitChanges]) -> UnitChanges:
    """Merge annotators: a unit is an error if any of them changes it; each form is correct."""
    return _merge(readers, at_least=1)


def take_majority(readers: Sequence[UnitChanges]) -> UnitChanges:
    """Merge annotators: a unit is an error if more than half of them change it."""
    return _merge(readers, at_least=len(readers) // 2 + 1)


def _merge(readers: Sequence[UnitChanges], *, at_least: int) -> UnitChanges:
    if len(readers) == 1 and at_least == 1:
        return readers[0]
    forms: dict[Key, frozenset[Form]] = {}
    times: dict[Key, int] = {}
    types: dict[Key, dict[str, int]] = {}
    for reader in readers:
        for key, accepted in reader.forms.items():
            forms[key] = forms.get(key, frozenset()) | accepted
            times[key] = max(times.get(key, 1), reader.times.get(key, 1))
            types[key] = {**types.get(key, {}), **reader.types.get(key, {})}
    votes = Counter(key for reader in readers for key in reader.forms)
    required = {key for reader in readers for key in reader.forms.keys() - reader.optional}
    times = {key: number for key, number in times.items() if number > 1}
    links = {
        key: f"{number} {name}"
        for number, reader in enumerate(readers)
        for key, name in reader.links.items()
    }
    merged = UnitChanges(forms, times, types, frozenset(forms.keys() - required), links)
    return merged.only(key for key in forms if votes[key] >= at_least)


def settle_optional(
    annotator: UnitChanges, system: UnitChanges, level: Level, *, bonus: bool
) -> tuple[UnitChanges, UnitChanges]:
    """Remove the units that only optional edits of the annotator change.

    Both the writer's form and the annotator's form are correct, so such a unit is a true negative.
    With ``bonus``, it is a true positive if the system corrects it (for detection, changes it). At
    the level of correction, another form by the system is a false positive.
    """
    if not annotator.optional:
        return annotator, system
    corrected = {
        key
        for key in annotator.optional & system.forms.keys()
        if level == "detection" or find_pattern(key, annotator, system) is Pattern.XYY
    }
    kept = annotator.forms.keys() - annotator.optional
    if bonus:
        return annotator.only(kept | corrected), system
    return annotator.only(kept), system.only(system.forms.keys() - corrected)


def link_units(
    sites: Sites, annotator: UnitChanges, system: UnitChanges, mode: Literal["any", "all"]
) -> tuple[Sites, UnitChanges, UnitChanges]:
    """Count the units of linked edits as one: the first; it has the pattern of any or all."""
    groups: dict[str, list[Key]] = {}
    for key, name in annotator.links.items():
        groups.setdefault(name, []).append(key)
    expected, found = dict(annotator.forms), dict(system.forms)
    types = dict(annotator.types)
    dropped = set(sites.dropped)
    for first, *others in groups.values():
        patterns = [find_pattern(key, annotator, system) for key in (first, *others)]
        decide = any if mode == "any" else all
        is_found = decide(pattern is not Pattern.XYX for pattern in patterns)
        is_right = decide(pattern is Pattern.XYY for pattern in patterns)
        for key in (first, *others):
            found.pop(key, None)
        for key in others:
            del expected[key]
            types[first] = {**types.get(first, {}), **types.pop(key, {})}
        if is_found:
            found[first] = expected[first] if is_right else frozenset()
        dropped.update(others)
    return (
        replace(sites, dropped=frozenset(dropped)),
        replace(annotator, forms=expected, types=types),
        replace(system, forms=found),
    )


def restrict_to_type(
    annotator: UnitChanges, system: UnitChanges, group: str
) -> tuple[UnitChanges, UnitChanges]:
    """Return the changes that concern one error type.

    As in the ERRANT scorer, the annotator's type counts for units that the annotator changes, and
    the system's type for false positives.
    """
    theirs = {key: types[group] for key, types in annotator.types.items() if group in types}
    ours = {key: types[group] for key, types in system.types.items() if group in types}
    false = ours.keys() - annotator.forms.keys()
    return (
        replace(annotator.only(theirs), times=theirs),
        replace(system.only(theirs.keys() | false), times=ours),
    )


def grade(readers: Sequence[UnitChanges]) -> dict[Key, Fraction]:
    """Return the share of annotators who change each unit."""
    votes = Counter(key for reader in readers for key in reader.forms)
    return {key: Fraction(number, len(readers)) for key, number in votes.items()}


def choose_best(
    tallies: Sequence[Sequence[PatternCounts]],
    *,
    beta: float = 0.5,
    level: Level = "detection",
    selection: Selection = "running",
) -> list[int]:
    """Return the index of the annotator with the best F for each sentence.

    ``tallies`` contains the counts of the system against each annotator, for every sentence.
    ``running`` selection works as in the ERRANT scorer.
    """
    if beta < 0:
        raise OptionError(f"beta cannot be negative: {beta}")
    counts, present = count_candidates(tallies, level)
    chosen = choose(
        counts, present, preference=Errant.published_preference, selection=selection, beta=beta
    )
    return [int(index) for index in chosen]


def count_candidates(
    tallies: Sequence[Sequence[PatternCounts]], level: Level
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return TP, FP and FN by sentence and annotator, and which annotators exist."""
    shape = (len(tallies), max((len(candidates) for candidates in tallies), default=1))
    counts = np.zeros((*shape, 3), dtype=np.int64)
    present = np.zeros(shape, dtype=bool)
    for number, candidates in enumerate(tallies):
        for index, tally in enumerate(candidates):
            cells = tally.counts(level)
            counts[number, index] = cells.tp, cells.fp, cells.fn
            present[number, index] = True
    return counts, present
