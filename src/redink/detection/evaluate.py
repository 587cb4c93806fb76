"""One kind of unit, every system: tallies or curves, and what must be said about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redink.detection.curves import BEST_MEASURES
from redink.detection.notes import (
    describe_annotators,
    describe_counting,
    describe_outside,
    describe_units,
)
from redink.detection.rows import FLAGS_ONLY, GRADED, Outcome
from redink.detection.rules import select_tokens
from redink.detection.study import (
    TREATMENTS,
    Reckoning,
    Study,
    Treatment,
    build_study,
    read_system,
    tally_system,
    trace_curve,
)
from redink.detection.units import Insertions
from redink.detection.was import Counting, Level, Reading
from redink.errors import OptionError
from redink.model import SystemOutput
from redink.scoring.selection import Selection, check_selection
from redink.workflows.detection_input import Data, Judged, Unit, make_units


@dataclass(frozen=True, kw_only=True)
class Options:
    """How units are counted, whatever they are."""

    level: Level
    counting: Counting
    treatment: Treatment | None
    selection: Selection
    beta: float
    threshold: float | None
    best: str
    min_precision: float | None
    curve: bool

    def __post_init__(self) -> None:
        check_selection(self.selection)
        for choice, known in (
            (self.level, ("detection", "correction")),
            (self.counting, ("units", "edits")),
            (self.treatment or "best", TREATMENTS),
            (self.best, BEST_MEASURES),
        ):
            if choice not in known:
                raise OptionError(f"there is no {choice!r}; there are: {', '.join(known)}")
        if self.curve and self.treatment == "best":
            raise OptionError(
                "a curve needs one truth for all thresholds, and the best annotator changes with "
                "the threshold; choose any, majority, graded or each"
            )
        if self.curve and self.level == "correction":
            raise OptionError("a curve is about detection: scores say nothing of corrections")
        if self.curve and self.threshold is not None:
            raise OptionError("a curve sweeps all thresholds; give either it or one threshold")

    def treat(self, *, has_judgments: bool) -> Treatment:
        """How several annotators are treated."""
        if self.treatment is not None:
            return self.treatment
        return "graded" if has_judgments else "any" if self.curve else "best"

    def reckoning(self, treatment: Treatment, annotator: str | None) -> Reckoning:
        """How systems are held against the annotators."""
        return Reckoning(
            treatment=treatment,
            counting=self.counting,
            level=self.level,
            beta=self.beta,
            selection=self.selection,
            annotator=annotator,
        )


@dataclass(frozen=True)
class View:
    """The data as one kind of unit shows them."""

    data: Data
    unit: Unit
    targets: str | None
    negatives: str
    insertions: Insertions | None
    annotators: Sequence[str] | None
    judged: Judged | None


@dataclass(frozen=True)
class Compared:
    """A system beside the annotators, unit by unit."""

    system: str
    study: Study
    readings: Sequence[Reading]
    how: Reckoning


@dataclass(frozen=True)
class Evaluation:
    """Every system under one unit, and what must be said about it."""

    outcomes: list[Outcome]
    compared: list[Compared]
    notes: list[str]


def evaluate(view: View, options: Options) -> Evaluation:
    """Hold every system against the annotators."""
    data, rule = view.data, view.negatives
    units, names = make_units(
        view.unit, data, targets=view.targets, insertions=view.insertions, judged=view.judged
    )
    study = build_study(
        data.corpus,
        units,
        negatives=rule if rule in {"all", "none"} else select_tokens(rule, data.text),
        annotators=view.annotators,
        judged=None if view.judged is None else view.judged.place(units, data.text.sources, names),
    )
    treatment = options.treat(has_judgments=view.judged is not None)
    graded = treatment == "graded" or view.judged is not None
    if graded and options.level == "correction":
        raise OptionError("graded errors are about detection: shares say nothing of corrections")
    notes = describe_units(study, rule)
    notes += describe_annotators(study, treatment, selection=options.selection)
    outcomes: list[Outcome] = []
    compared: list[Compared] = []
    readers: Sequence[str | None] = (treatment == "each" and study.annotators) or [None]
    for system in data.systems:
        if options.level == "correction" and system.detections is not None:
            raise OptionError(f"system {system.name!r} flags tokens and corrects nothing")
        for reader in readers:
            how = options.reckoning(treatment, reader)
            if options.curve:
                traced = _trace(study, system, how, options)
                if traced is not None:
                    outcomes.append(traced[0])
                    notes += traced[1]
                    continue
                notes.append(
                    f"{system.name} gives no probabilities: one operating point, no curve."
                )
            edits = data.edits.get(system.name)
            readings = read_system(study, system, annotations=edits, threshold=options.threshold)
            compared.append(Compared(system.name, study, readings, how))
            outcomes.append(_tally(compared[-1], flags_only=system.detections is not None))
    notes += describe_counting(
        study, outcomes, level=options.level, counting=options.counting, graded=graded
    )
    if view.unit == "target":
        notes += describe_outside(study, data.corpus)
    return Evaluation(outcomes, compared, notes)


def _tally(compared: Compared, *, flags_only: bool) -> Outcome:
    """A system at its own flags."""
    study, how = compared.study, compared.how
    tally = tally_system(study, compared.readings, how)
    graded = study.is_graded(how.treatment)
    no_forms = GRADED if graded else FLAGS_ONLY if flags_only else None
    return Outcome(
        compared.system,
        study.units.name,
        tally.counts(how.level),
        tally,
        how.level,
        _name_annotators(study, how),
        no_forms,
        trivial=int(tally.trivial),
    )


def _name_annotators(study: Study, how: Reckoning) -> str | None:
    if how.annotator is not None:
        return how.annotator
    if study.most_annotators < 2:
        return study.annotators[0] if study.annotators else None
    return f"{how.treatment} of {len(study.annotators)}"


def _trace(
    study: Study, system: SystemOutput, how: Reckoning, options: Options
) -> tuple[Outcome, list[str]] | None:
    """A system at the best threshold of its curve; None if it gives no probabilities."""
    scored = trace_curve(study, system, treatment=how.treatment, annotator=how.annotator)
    if scored is None:
        return None
    curve, wanted = scored.curve, options.min_precision
    point = curve.best_point(options.best, beta=options.beta, min_precision=wanted)
    notes = []
    size = curve.positives + curve.negatives
    notes.append(
        f"Curves: {size:g} units have a probability and are not trivial; errors where there is "
        f"no probability (ends of sentences, gaps): {scored.errors_without_score:g}, left out."
    )
    if point is None:
        at_least = "" if wanted is None else f" with a precision of at least {wanted:g}"
        notes.append(
            f"{system.name} has no threshold{at_least} at which {options.best} is defined: the "
            "counts are those of a system that flags nothing."
        )
    outcome = Outcome(
        system.name,
        study.units.name,
        curve.counts(point or 0),
        None,
        "detection",
        _name_annotators(study, how),
        None,
        curve,
        point or 0,
        scored.trivial,
    )
    return outcome, notes
