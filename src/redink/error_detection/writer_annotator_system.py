"""Writer, annotator, system: the three-way comparison of error detection and correction.

Chodorow et al. (2012), figure 4. For every unit of the text there are three forms: what the
writer wrote, what the annotator would have there, and what the system would have there.

===== ====== ========= ====== ===================================
      writer annotator system counted as
===== ====== ========= ====== ===================================
xxx   X      X         X      TN
xxy   X      X         Y      FP
xyx   X      Y         X      FN
xyy   X      Y         Y      TP
xyz   X      Y         Z      detection: TP; correction: FP and FN
===== ====== ========= ====== ===================================

Units are defined in :mod:`redink.error_detection.units`. Since nearly all units of a text are
unchanged, a reader is represented by what they changed (:class:`Reading`), and the unchanged units
are only counted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Literal

import numpy as np

from redink.errors import OptionError
from redink.model import Counts
from redink.model.counts import plain
from redink.scoring.errant import Errant
from redink.scoring.selection import Selection, choose

Key = Hashable
"""A unit within its sentence."""
Form = Hashable
"""What someone has at a unit; only equality matters."""
Number = float | Fraction
"""Counts are whole, or exact shares where errors are graded."""
Level = Literal["detection", "correction"]
LabelOptions = Literal["units", "edits"]


class Pattern(StrEnum):
    """The five rows of figure 4: who has the same form."""

    XXX = "xxx"
    XXY = "xxy"
    XYX = "xyx"
    XYY = "xyy"
    XYZ = "xyz"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reader (an annotator or a system) changed in a sentence, and nothing else.

    Attributes:
        forms: for every unit changed, the forms that the reader accepts there. Several are
            alternatives; none means that the unit is wrong and the right form is not said.
        times: how many edits touch the unit, where it is more than one.
    """

    forms: Mapping[Key, frozenset[Form]] = field(default_factory=dict)
    times: Mapping[Key, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sites:
    """The units of one sentence.

    Attributes:
        size: how many units there are; None where the size of a non-error is undefined (spans).
        candidates: the units that count as negatives when nobody changes them; None means all.
            The others are *trivial* negatives, which are counted apart.
    """

    size: int | None
    candidates: frozenset[Key] | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many units have each pattern of figure 4.

    Attributes:
        xxx: None where the unit has no negatives.
        xxy: changed by the system alone.
        xyx: changed by the annotator alone.
        xyy: changed by both, to the same form.
        xyz: changed by both, to different forms (or to forms of which one is not known).
        trivial: unchanged units that a trivial rule recognises; they are not in ``xxx``.
    """

    xxx: Number | None = 0
    xxy: Number = 0
    xyx: Number = 0
    xyy: Number = 0
    xyz: Number = 0
    trivial: Number = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            None if self.xxx is None or other.xxx is None else self.xxx + other.xxx,
            self.xxy + other.xxy,
            self.xyx + other.xyx,
            self.xyy + other.xyy,
            self.xyz + other.xyz,
            self.trivial + other.trivial,
        )

    def divided_by(self, number: int) -> Tally:
        """Exact shares of every count."""
        xxx = None if self.xxx is None else Fraction(self.xxx) / number
        others = (self.xxy, self.xyx, self.xyy, self.xyz, self.trivial)
        return Tally(xxx, *(Fraction(count) / number for count in others))

    def counts(self, level: Level = "detection") -> Counts:
        """The four cells; the trivial negatives are left out of TN."""
        tn = None if self.xxx is None else plain(self.xxx)
        if level == "detection":
            return Counts(plain(self.xyy + self.xyz), plain(self.xxy), plain(self.xyx), tn)
        return Counts(plain(self.xyy), plain(self.xxy + self.xyz), plain(self.xyx + self.xyz), tn)


def tally_sentence(
    sites: Sites, annotator: Reading, system: Reading, *, counting: LabelOptions = "units"
) -> Tally:
    """Compare what one annotator and one system made of one sentence.

    Args:
        sites: the units of the sentence.
        annotator: what the annotator changed.
        system: what the system changed.
        counting: ``units`` counts every unit once, so that the cells add up to N. ``edits``
            counts a unit that several edits touch that many times, as the ERRANT scorer does:
            by the annotator's edits where they have any there, otherwise by the system's.
    """
    found = dict.fromkeys(Pattern, 0)
    changed = annotator.forms.keys() | system.forms.keys()
    for key in changed:
        times = 1
        if counting == "edits":
            times = (annotator if key in annotator.forms else system).times.get(key, 1)
        found[compare_readings(key, annotator, system)] += times
    xxx, trivial = _count_unchanged(sites, changed)
    return Tally(
        xxx,
        found[Pattern.XXY],
        found[Pattern.XYX],
        found[Pattern.XYY],
        found[Pattern.XYZ],
        trivial,
    )


def compare_readings(key: Key, annotator: Reading, system: Reading) -> Pattern:
    """The pattern of a unit; several forms are alternatives, one of which will do."""
    expected, found = annotator.forms.get(key), system.forms.get(key)
    if expected is None:
        return Pattern.XXX if found is None else Pattern.XXY
    if found is None:
        return Pattern.XYX
    return Pattern.XYZ if expected.isdisjoint(found) else Pattern.XYY


def _count_unchanged(sites: Sites, changed: Iterable[Key]) -> tuple[int | None, int]:
    """How many unchanged units count as negatives, and how many are trivial."""
    if sites.size is None:
        return None, 0
    changed = set(changed)
    unchanged = sites.size - len(changed)
    if sites.candidates is None:
        return unchanged, 0
    negatives = len(sites.candidates - changed)
    return negatives, unchanged - negatives


def weigh_sentence(sites: Sites, weights: Mapping[Key, Number], system: Reading) -> Tally:
    """Compare a system with graded errors (section 3.5.2 of the paper; Madnani et al. 2011).

    A unit that a share w of the judges calls an error adds w to TP and 1 - w to FP if the system
    flags it, and w to FN and 1 - w to TN if not. Units without a weight are no errors. With
    weights of 0 and 1 these are the plain counts. Corrections are not compared: ``xyz`` is 0.

    Args:
        sites: the units of the sentence.
        weights: for every unit that is not certainly right, the share of judges who call it an
            error.
        system: what the system changed.
    """
    tp: Number = 0
    fp: Number = 0
    fn: Number = 0
    tn: Number = 0
    touched = system.forms.keys() | {key for key, weight in weights.items() if weight}
    for key in touched:
        weight = weights.get(key, 0)
        if key in system.forms:
            tp, fp = tp + weight, fp + (1 - weight)
        else:
            fn, tn = fn + weight, tn + (1 - weight)
    unchanged, trivial = _count_unchanged(sites, touched)
    return Tally(None if unchanged is None else unchanged + tn, fp, fn, tp, 0, trivial)


# --- several annotators ---------------------------------------------------------------------


def unite(readings: Sequence[Reading]) -> Reading:
    """A unit is wrong if any annotator changes it; each form of theirs is right."""
    return _merge(readings, at_least=1)


def take_majority(readings: Sequence[Reading]) -> Reading:
    """A unit is wrong if more than half of the annotators change it; each form is right."""
    return _merge(readings, at_least=len(readings) // 2 + 1)


def _merge(readings: Sequence[Reading], *, at_least: int) -> Reading:
    if len(readings) == 1 and at_least == 1:
        return readings[0]
    forms: dict[Key, frozenset[Form]] = {}
    votes: dict[Key, int] = {}
    times: dict[Key, int] = {}
    for reading in readings:
        for key, accepted in reading.forms.items():
            forms[key] = forms.get(key, frozenset()) | accepted
            votes[key] = votes.get(key, 0) + 1
            times[key] = max(times.get(key, 1), reading.times.get(key, 1))
    kept = {key for key, number in votes.items() if number >= at_least}
    return Reading(
        {key: accepted for key, accepted in forms.items() if key in kept},
        {key: number for key, number in times.items() if key in kept and number > 1},
    )


def grade(readings: Sequence[Reading]) -> dict[Key, Fraction]:
    """For every unit that an annotator changes, the share of annotators who do."""
    votes: dict[Key, int] = {}
    for reading in readings:
        for key in reading.forms:
            votes[key] = votes.get(key, 0) + 1
    return {key: Fraction(number, len(readings)) for key, number in votes.items()}


def choose_best(
    tallies: Sequence[Sequence[Tally]],
    *,
    beta: float = 0.5,
    level: Level = "detection",
    selection: Selection = "running",
) -> list[int]:
    """For every sentence, the number of the annotator who favours the system most.

    Args:
        tallies: for every sentence, the system against each of its annotators.
        beta: of the F by which annotators are chosen.
        level: the counts by which annotators are chosen.
        selection: how they are chosen, as in :mod:`redink.scoring.selection`; ``running`` is the
            ERRANT scorer's way.
    """
    if beta < 0:
        raise OptionError(f"beta cannot be negative: {beta}")
    shape = (len(tallies), max((len(candidates) for candidates in tallies), default=1))
    counts = np.zeros((*shape, 3), dtype=np.int64)
    present = np.zeros(shape, dtype=bool)
    for number, candidates in enumerate(tallies):
        present[number, : len(candidates)] = True
        for index, tally in enumerate(candidates):
            cells = tally.counts(level)
            counts[number, index] = cells.tp, cells.fp, cells.fn
    chosen = choose(counts, present, rule=Errant.rule, selection=selection, beta=beta)
    return [int(index) for index in chosen]
