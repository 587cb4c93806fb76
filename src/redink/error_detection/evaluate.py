"""One kind of unit, every system: tallies or curves, and what must be said about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from redink.error_detection.curves import Curve, Merit
from redink.error_detection.rules import Judged, Text, Unit, UnitOptions, make_units, select_tokens
from redink.error_detection.segmentation import differ_in_edits_only
from redink.error_detection.study import (
    DetectionOptions,
    Pairs,
    Study,
    build_study,
    read_system,
    tally_system,
    trace_curve,
)
from redink.error_detection.units import Insertions
from redink.error_detection.writer_annotator_system import Level, Tally
from redink.errors import OptionError
from redink.model import Annotation, Corpus, Counts, SystemOutput
from redink.model.counts import plain
from redink.options import Flag, Needs, Options, Share

FLAGS_ONLY = "the system flags and corrects nothing"
GRADED = "errors are graded, and corrections are not compared"


_SWEPT = Needs(curve=True, show="points", plot=True)


@dataclass(frozen=True)
class ThresholdOptions(Options):
    """Thresholds, of systems that give a probability for every token.

    Attributes:
        threshold: flag tokens of this probability or more, not those the system flags.
        curve: sweep the threshold: areas under the P-R, ROC and kappa curves, and the counts at
            the best threshold.
        best: the measure that decides on the threshold. By default f; recall if a precision is
            asked for.
        min_precision: only thresholds with this precision or more.
    """

    threshold: Annotated[float | None, Flag(value="P")] = None
    curve: bool = False
    best: Annotated[Merit | None, _SWEPT] = None
    min_precision: Annotated[Share | None, Flag(value="P"), _SWEPT] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.curve and self.threshold is not None:
            raise OptionError("a curve sweeps all thresholds; give either it or one threshold")

    @property
    def merit(self) -> Merit:
        """The measure that decides on the threshold."""
        return self.best or ("f" if self.min_precision is None else "recall")


@dataclass(frozen=True)
class Data:
    """Sources with annotations, and what every system made of them.

    Attributes:
        corpus: the reference.
        systems: the systems as they were given.
        fingerprints: of the references as they were given, and of each system.
        edits: for every system that gave text, the edits found in it, where they are needed.
        text: the sources, for rules.
        are_flags: whether the reference is flags for tokens, without corrections.
        judged: what judges say of units, if they were asked.
    """

    corpus: Corpus
    systems: tuple[SystemOutput, ...]
    fingerprints: Mapping[str, Any]
    edits: Mapping[str, tuple[Annotation, ...]]
    text: Text
    are_flags: bool
    judged: Judged | None

    @property
    def insertions(self) -> Insertions:
        """Where insertions go unless the user says so: flags for tokens have no place for them."""
        return "none" if self.are_flags else "right"


@dataclass(frozen=True)
class Compared:
    """A system beside the annotators (or one of them), unit by unit."""

    system: SystemOutput
    study: Study
    readings: Sequence[Pairs]
    detection_options: DetectionOptions
    annotator: str | None


def find_other_segmentation(data: Data, detection_options: DetectionOptions) -> Iterator[str]:
    """Say where systems make the same sentence as an annotator by different edits."""
    found: dict[str, int] = {}
    for system in data.systems:
        edits = data.edits.get(system.name, system.annotations) or ()
        found[system.name] = sum(
            any(
                differ_in_edits_only(sentence.source.tokens, gold.edits, annotation.edits)
                for gold in sentence.annotations
                if detection_options.only is None or gold.annotator in detection_options.only
            )
            for sentence, annotation in zip(data.corpus.sentences, edits, strict=False)
        )
    listed = ", ".join(f"{name}: {number}" for name, number in found.items() if number)
    if listed:
        yield (
            f"Sentences whose text equals an annotator's, made by different edits ({listed}): "
        ) + (
            "the annotator's edits are counted for both."
            if detection_options.count == "units"
            else "the edits differ, so they count as FP and FN, as in the ERRANT scorer."
        )


@dataclass(frozen=True)
class Outcome:
    """A system under one unit: counts, and where they come from.

    Attributes:
        counts: the cells.
        tally: the patterns of figure 4 behind them, where they were tallied.
        no_forms: why corrections cannot be told apart, if they cannot.
        curve: the sweep, where there is one.
        point: the point of the curve that the counts are from.
        trivial: negatives that a trivial rule recognises, which are not in the counts.
        compared: the system beside the annotators, where they were compared unit by unit.
    """

    system: str
    unit: str | None
    counts: Counts
    tally: Tally | None = None
    level: Level = "detection"
    annotators: str | None = None
    no_forms: str | None = None
    curve: Curve | None = None
    point: int = 0
    trivial: float = 0
    compared: Compared | None = None


def evaluate(
    data: Data,
    unit: Unit,
    division: UnitOptions,
    detection_options: DetectionOptions,
    sweep: ThresholdOptions,
) -> tuple[list[Outcome], list[str]]:
    """Every system held against the annotators, and what must be said about it.

    Args:
        data: references and systems.
        unit: the kind of unit.
        division: its options.
        detection_options: how units are counted; settled.
        sweep: thresholds.
    """
    units, names = make_units(
        unit, division, data.text, insertions=data.insertions, judged=data.judged
    )
    judged = data.judged.place(units, data.text.sources, names) if data.judged else None
    rule = division.negatives
    study = build_study(
        data.corpus,
        units,
        negatives=select_tokens(rule, data.text) if division.has_rule else rule,
        annotators=detection_options.only,
        judged=judged,
    )
    notes = [*_describe_units(study, rule), *_describe_annotators(study, detection_options)]
    outcomes: list[Outcome] = []
    readers: Sequence[str | None] = (
        detection_options.treatment == "each" and study.annotators
    ) or [None]
    for system in data.systems:
        if detection_options.level == "correction" and system.detections is not None:
            raise OptionError(f"system {system.name!r} flags tokens and corrects nothing")
        for reader in readers:
            if sweep.curve:
                traced = _trace(study, system, detection_options, sweep, reader)
                if traced is not None:
                    outcomes.append(traced[0])
                    notes += traced[1]
                    continue
                notes.append(
                    f"{system.name} gives no probabilities: one operating point, no curve."
                )
            readings = read_system(
                study,
                system,
                detection_options,
                annotations=data.edits.get(system.name),
                threshold=sweep.threshold,
            )
            outcomes.append(_tally(Compared(system, study, readings, detection_options, reader)))
    notes += _describe_counting(study, detection_options, outcomes)
    notes += _describe_negatives(detection_options, outcomes)
    if unit == "target":
        notes += _describe_outside(study, data.corpus)
    return outcomes, notes


def _tally(one: Compared) -> Outcome:
    """A system at its own flags."""
    study, detection_options = one.study, one.detection_options
    tally = tally_system(study, one.readings, detection_options, one.annotator)
    flags_only = FLAGS_ONLY if one.system.detections is not None else None
    return Outcome(
        one.system.name,
        study.units.name,
        tally.counts(detection_options.level),
        tally,
        detection_options.level,
        _name_annotators(study, detection_options, one.annotator),
        GRADED if study.is_graded(detection_options.treatment) else flags_only,
        trivial=int(tally.trivial),
        compared=one,
    )


def _name_annotators(
    study: Study, detection_options: DetectionOptions, annotator: str | None
) -> str | None:
    if annotator is not None:
        return annotator
    if study.most_annotators < 2:
        return study.annotators[0] if study.annotators else None
    return f"{detection_options.treatment} of {len(study.annotators)}"


def _trace(
    study: Study,
    system: SystemOutput,
    detection_options: DetectionOptions,
    sweep: ThresholdOptions,
    annotator: str | None,
) -> tuple[Outcome, list[str]] | None:
    """A system at the best threshold of its curve; None if it gives no probabilities."""
    scored = trace_curve(study, system, treatment=detection_options.treatment, annotator=annotator)
    if scored is None:
        return None
    curve, wanted = scored.curve, sweep.min_precision
    point = curve.best_point(sweep.merit, beta=detection_options.beta, min_precision=wanted)
    size = curve.positives + curve.negatives
    left_out = f"{scored.errors_without_score:g}, left out"
    notes = [
        (
            f"Curves: {size:g} units have a probability and are not trivial; errors without a "
            f"probability (ends of sentences, gaps): {left_out}."
        )
    ]
    if point is None:
        at_least = "" if wanted is None else f" with a precision of at least {wanted:g}"
        notes.append(
            f"{system.name} has no threshold{at_least} at which {sweep.merit} is defined: the "
            "counts are those of a system that flags nothing."
        )
    outcome = Outcome(
        system.name,
        study.units.name,
        curve.counts(point or 0),
        annotators=_name_annotators(study, detection_options, annotator),
        curve=curve,
        point=point or 0,
        trivial=scored.trivial,
    )
    return outcome, notes


# --- what must be said beside the figures -----------------------------------------------------


def _describe_units(study: Study, rule: str) -> Iterator[str]:
    """What N is made of, and what a negative is."""
    unit = study.units
    used = list(study.numbers())
    sites = [study.sites[number] for number in used]
    sentences = f"{len(used)} sentences"
    if left_out := len(study.sources) - len(used):
        sentences += f" ({left_out} left out: none of the chosen annotators has seen them)"
    if any(site.size is None for site in sites):
        why = (
            "--negatives none"
            if rule == "none"
            else "non-errors have no size, so there are no true negatives"
        )
        yield f"Unit {unit.name}: {unit.definition}; {sentences}."
        yield f"No negatives ({why}): kappa and every other measure that needs TN is refused."
        return
    total = sum(site.size or 0 for site in sites)
    yield f"Unit {unit.name}: {unit.definition}; N = {total} in {sentences}."
    if rule == "all":
        yield "Negatives (all): every unit that neither annotator nor system changes."
        return
    able = sum(len(site.candidates or ()) for site in sites)
    yield (
        f"Negatives ({rule}): {able} units can be true negatives; the other {total - able} "
        "are trivial if nobody changes them: counted apart (tn_trivial), in no measure except "
        "accuracy_with_trivial and kappa_with_trivial."
    )


def _describe_annotators(study: Study, detection_options: DetectionOptions) -> Iterator[str]:
    """How several annotators were treated, if there are several."""
    names, treatment = study.annotators, detection_options.treatment
    if study.is_judged:
        judged = sum(len(weights) for weights in study.judged)
        yield (
            f"Graded by judgments: {judged} units have the share of judges who see an error as "
            "their weight; the others are as annotated."
        )
    if treatment == "each" and names:
        seen = len(list(study.numbers()))
        absent = {name: seen - len(list(study.numbers(name))) for name in names}
        gaps = [f"{name} has not seen {n} sentences" for name, n in absent.items() if n]
        yield "Annotators (each): a row for every annotator" + (
            f"; left out for them: {', '.join(gaps)}." if gaps else "."
        )
    elif study.most_annotators > 1:
        meaning = {
            "best": "per sentence the one who favours the system most "
            f"(F, {detection_options.selection} selection)",
            "any": "a unit is an error if any of them changes it; each form is right",
            "majority": "a unit is an error if more than half of those who saw the sentence "
            "change it",
            "graded": "a unit is as much of an error as the share of them who change it",
            "each": "",
        }[treatment]
        yield f"Annotators ({treatment} of {len(names)}): {meaning}."


def _describe_counting(
    study: Study, detection_options: DetectionOptions, outcomes: Sequence[Outcome]
) -> Iterator[str]:
    """How wrong corrections, and units touched twice, were counted."""
    tallied = [outcome for outcome in outcomes if outcome.tally is not None]
    if study.is_graded(detection_options.treatment) or not tallied:
        return
    if not all(outcome.no_forms for outcome in tallied):
        yield "X-Y-Z: both change the unit, to different forms: " + (
            "among TP here; for correction both FP and FN (--level correction)."
            if detection_options.level == "detection"
            else "counted twice here, as FP and as FN, so the four cells add up to N + X-Y-Z."
        )
    twice = sum(
        len(reading.times) for readings in study.readings for reading in (readings or {}).values()
    )
    if twice:
        yield f"{twice} units that several edits of one annotator touch count once" + (
            "; --count edits counts each edit, as the ERRANT scorer does."
            if detection_options.count == "units"
            else " for each edit, as in the ERRANT scorer; the cells do not add up to N."
        )


def _describe_negatives(
    detection_options: DetectionOptions, outcomes: Sequence[Outcome]
) -> Iterator[str]:
    """Whether false-positive rates of systems are shares of different numbers of units."""
    counts = [outcome.counts for outcome in outcomes]
    right = {plain(each.fp + each.tn) for each in counts if each.tn is not None}
    if detection_options.treatment == "best" and len(right) > 1:
        yield (
            f"FPR and TNR have different denominators ({min(right)} to {max(right)} units), as the "
            "annotator is chosen for each system; --annotators any or majority has one for all."
        )


def _describe_outside(study: Study, corpus: Corpus) -> Iterator[str]:
    """How many of the annotators' edits concern a target."""
    inside = [
        bool(study.units.read(number, sentence.source, [edit]).forms)
        for number, sentence in enumerate(corpus.sentences)
        for annotation in sentence.annotations
        if annotation.annotator in study.annotators
        for edit in annotation.edits
    ]
    if inside:
        yield f"{sum(inside)} of the annotators' {len(inside)} edits concern a target."
