"""Evaluate all systems on one kind of unit: counts or curves, and notes about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, Any

from redink.error_detection.curves import FloatArray, Merit, ThresholdCurve
from redink.error_detection.partial_overlap import credit_cases
from redink.error_detection.shared_edits import differ_in_edits_only
from redink.error_detection.study import (
    Candidates,
    DetectionOptions,
    Pairs,
    Study,
    TracedCurve,
    build_study,
    choose_candidates,
    list_cases,
    read_system,
    tally_candidates,
    tally_cases,
    trace_curve,
)
from redink.error_detection.unit_rules import (
    Judged,
    Text,
    Unit,
    UnitOptions,
    make_units,
    select_tokens,
)
from redink.error_detection.units import Insertions
from redink.error_detection.writer_annotator_system import Level, PatternCounts
from redink.errors import OptionError
from redink.model import Annotation, Corpus, Counts, Definition, SystemOutput
from redink.model.counts import plain
from redink.options import Flag, Needs, Options, Share
from redink.scoring.metric_checks import describe_unknown, is_selected
from redink.statistics.resampling import IntArray

FLAGS_ONLY = "the system only flags errors, without corrections"
GRADED = "errors are graded, and corrections are not compared"
_SWEPT = Needs(curve=True, show="points", plot=True)


@dataclass(frozen=True)
class ThresholdOptions(Options):
    """Thresholds, for systems with a probability for every token, or a confidence for every edit.

    Attributes:
        threshold: flag only tokens with at least this probability, or edits with this confidence.
        curve: compute areas under the P-R, ROC and kappa curves, and the counts at the best
            threshold.
        best: choose the threshold by this measure. By default f; recall with --min-precision.
        min_precision: consider only thresholds with at least this precision.
    """

    threshold: Annotated[float | None, Flag(value="P")] = None
    curve: bool = False
    best: Annotated[Merit | None, _SWEPT] = None
    min_precision: Annotated[Share | None, Flag(value="P"), _SWEPT] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.curve and self.threshold is not None:
            raise OptionError("--curve cannot be combined with --threshold")

    @property
    def merit(self) -> Merit:
        """The measure that determines the threshold."""
        return self.best or ("f" if self.min_precision is None else "recall")


@dataclass(frozen=True)
class Data:
    """References, systems, and the edits of each system that is text, if they are needed.

    Attributes:
        fingerprints: fingerprints of the references and systems that the user passed.
        text: the source text, from which rules choose units.
        are_flags: whether the reference has flags for tokens, without corrections.
        groups: the document of each sentence, if documents are resampled.
        whole: the corpus with the edits of all error types.
    """

    corpus: Corpus
    systems: tuple[SystemOutput, ...]
    fingerprints: Mapping[str, Any]
    edits: Mapping[str, tuple[Annotation, ...]]
    text: Text
    are_flags: bool
    judged: Judged | None
    groups: IntArray | None = None
    whole: Corpus | None = None
    notes: tuple[str, ...] = ()

    def of_types(self, patterns: Sequence[str], known: Iterable[str]) -> Data:
        """Return the data with only the edits of these error types; flags for tokens stay."""
        patterns = tuple(patterns)
        ours = [self.edits.get(each.name) or each.annotations or () for each in self.systems]
        gold = [a for sentence in self.corpus.sentences for a in sentence.annotations]
        named = {(e.type, e.operation) for a in chain(gold, *ours) for e in a.edits}
        if problem := describe_unknown(patterns, named | {(name, "") for name in known}):
            raise OptionError(problem)

        def select(annotation: Annotation) -> Annotation:
            kept = (e for e in annotation.edits if is_selected(e.type, e.operation, patterns))
            return replace(annotation, edits=tuple(kept))

        sentences = (
            replace(each, annotations=tuple(map(select, each.annotations)))
            for each in self.corpus.sentences
        )
        return replace(
            self,
            whole=self.corpus,
            corpus=replace(self.corpus, sentences=tuple(sentences)),
            systems=tuple(
                each
                if each.annotations is None
                else replace(each, annotations=tuple(map(select, each.annotations)))
                for each in self.systems
            ),
            edits={name: tuple(map(select, found)) for name, found in self.edits.items()},
        )

    @property
    def insertions(self) -> Insertions:
        """The default treatment of insertions; flags for tokens cannot mark them."""
        return "none" if self.are_flags else "right"


def find_other_segmentation(data: Data, options: DetectionOptions) -> str | None:
    """Return a note if systems make the same sentence as an annotator by different edits."""
    found = []
    for system in data.systems:
        edits = data.edits.get(system.name, system.annotations) or ()
        number = sum(
            any(
                differ_in_edits_only(sentence.source.tokens, gold.edits, annotation.edits)
                for gold in sentence.annotations
                if options.only is None or gold.annotator in options.only
            )
            for sentence, annotation in zip(data.corpus.sentences, edits, strict=False)
        )
        if number:
            found.append(f"{system.name}: {number}")
    if not found:
        return None
    counted = (
        "the annotator's edits are counted for both."
        if options.count == "units"
        else "the edits differ, so they count as FP and FN, as in the ERRANT scorer."
    )
    listed = ", ".join(found)
    return (
        f"Sentences whose text equals an annotator's, made by different edits ({listed}): "
        + counted
    )


@dataclass(frozen=True)
class DetectionResult:
    """The counts of a system over units of one kind, such as tokens.

    Attributes:
        counts: the four cells.
        tally: the patterns of figure 4 behind the counts; None for a curve.
        no_forms: the reason why corrections are not compared, if they are not.
        curve: the threshold curve.
        point: the point of the curve that the counts are from.
        trivial: trivial negatives, which are not in the counts.
        study: the units, with all annotators or one; None for a curve.
        readings: for every sentence, the changes by annotators and system; empty for a curve.
        candidates: the patterns of every sentence, against each annotator; empty for a curve.
        choice: the same for all error types, from which the best annotators are chosen.
        chosen: the chosen annotator of every sentence.
        credit: the partial credits of spans, for every sentence and annotator.
        traced: the units of the curve.
        type: the error type of the row; None for all types.
        bonus: whether optional edits that the system makes are true positives (``with``).
        screen: whether units with another error nearby are excluded (``yes``).
    """

    system: str
    unit: str | None
    counts: Counts
    tally: PatternCounts | None = None
    level: Level = "detection"
    annotators: str | None = None
    no_forms: str | None = None
    curve: ThresholdCurve | None = None
    point: int = 0
    trivial: float = 0
    study: Study | None = None
    readings: Sequence[Pairs] = ()
    candidates: Candidates = ()
    choice: Candidates = ()
    chosen: Sequence[int] = ()
    credit: FloatArray | None = None
    traced: TracedCurve | None = None
    type: str | None = None
    bonus: str | None = None
    screen: str | None = None

    @property
    def is_main(self) -> bool:
        """Whether the result is of all error types, without a bonus and without screening."""
        return self.type is None and self.bonus != "with" and self.screen != "yes"


def evaluate(
    data: Data,
    unit: Unit,
    division: UnitOptions,
    options: DetectionOptions,
    sweep: ThresholdOptions,
) -> tuple[list[DetectionResult], list[str]]:
    """Compare every system with the annotators; return the results and the notes.

    The options must be settled (:meth:`DetectionOptions.settle`).
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
        annotators=options.only,
        judged=judged,
        by=options.by,
        context=data.whole,
    )
    notes = [*_describe_units(study, rule), *_describe_annotators(study, options)]
    outcomes: list[DetectionResult] = []
    studies = [(_name_annotators(study, options), study)]
    if options.treatment == "each" and study.annotators:
        studies = [(name, study.restrict_to(name)) for name in study.annotators]
    compared: list[tuple[str | None, Study, str | None]] = [(*each, None) for each in studies]
    if options.screen is not None:
        compared = [
            (name, replace(part, screen=words), "no" if words is None else "yes")
            for name, part in studies
            for words in (None, options.screen)
        ]
    for system in data.systems:
        if options.level == "correction" and system.detections is not None:
            raise OptionError(f"system {system.name!r} only flags tokens, without corrections")
        for annotators, part, screen in compared:
            edits = data.edits.get(system.name)
            if sweep.curve:
                traced = _trace(part, system, options, sweep, annotators, edits)
                if traced is not None:
                    outcomes.append(replace(traced[0], screen=screen))
                    notes += traced[1]
                    continue
                notes.append(f"{system.name} has no probabilities: one operating point, no curve.")
            readings = read_system(
                part, system, options, annotations=edits, threshold=sweep.threshold
            )
            flags_only = FLAGS_ONLY if system.detections is not None else None
            blank = DetectionResult(
                system.name,
                units.name,
                Counts(0, 0, 0),
                level=options.level,
                annotators=annotators,
                no_forms=GRADED if study.is_graded(options.treatment) else flags_only,
                study=part,
                readings=readings,
                screen=screen,
            )
            outcomes += _tally(blank, part, options)
    notes += _describe_counting(study, options, outcomes)
    rights = [
        outcome.counts.fp + outcome.counts.tn
        for outcome in outcomes
        if outcome.counts.tn is not None
    ]
    if options.treatment == "best" and len(set(rights)) > 1:
        notes.append(
            Definition(
                f"FPR and TNR have different denominators ({plain(min(rights))} to "
                f"{plain(max(rights))} units), as the annotator is chosen for each system; "
                "with --annotators any or majority, they are equal."
            )
        )
    if unit == "target":
        notes += _describe_outside(study, data.corpus)
    return outcomes, notes


def _tally(
    blank: DetectionResult, study: Study, options: DetectionOptions
) -> Iterator[DetectionResult]:
    """Yield the result of a system: without and with a bonus for optional edits, and by type."""
    readings = blank.readings
    has_optional = study.has_optional and not study.is_graded(options.treatment)
    types = {
        group
        for number in study.included
        for pair in readings[number]
        for reading in pair
        for groups in reading.types.values()
        for group in groups
    }
    for bonus in (False, True) if has_optional else (False,):
        cases = []
        if study.is_graded(options.treatment):
            choice = tally_candidates(study, readings, options)
        else:
            cases = list_cases(study, readings, options, bonus=bonus)
            choice = tally_cases(cases, options)
        chosen, candidates = choose_candidates(choice, options), choice
        for group in (None, *sorted(types)):
            if group is not None:
                cases = list_cases(study, readings, options, bonus=bonus, group=group)
                candidates = tally_cases(cases, options)
            has_credit = blank.unit == "span" and cases and options.level == "detection"
            credit = credit_cases(cases) if has_credit else None
            picked = (each[at] for each, at in zip(candidates, chosen, strict=True))
            tally = sum(picked, PatternCounts())
            if group is not None and not (tally.xxy or tally.xyx or tally.xyy or tally.xyz):
                continue  # a true positive has the annotator's type
            counts, restated = tally.counts(options.level), options.prevalence is not None
            if group is not None and blank.no_forms == FLAGS_ONLY:
                counts = replace(counts, tn=None)
            yield replace(
                blank,
                counts=counts.restated(options.prevalence) if options.prevalence else counts,
                tally=None if restated else tally,
                trivial=0 if restated else int(tally.trivial),
                candidates=candidates,
                choice=choice,
                credit=credit,
                chosen=chosen,
                type=group,
                bonus=("with" if bonus else "without") if has_optional else None,
            )


def _name_annotators(study: Study, options: DetectionOptions) -> str | None:
    if study.most_annotators < 2:
        return study.annotators[0] if study.annotators else None
    return f"{options.treatment} of {len(study.annotators)}"


def _trace(
    study: Study,
    system: SystemOutput,
    options: DetectionOptions,
    sweep: ThresholdOptions,
    annotators: str | None,
    edits: Sequence[Annotation] | None,
) -> tuple[DetectionResult, list[str]] | None:
    """Return the counts at the best threshold, and notes; None without probabilities."""
    scored = trace_curve(study, system, options, edits)
    if scored is None:
        return None
    curve, wanted = scored.curve(), sweep.min_precision
    if options.prevalence is not None:
        curve.counts(0).restated(options.prevalence)  # raises an error if this is impossible
        curve = curve.restated(options.prevalence)
    point = curve.best_point(sweep.merit, beta=options.beta, min_precision=wanted)
    size, left_out = curve.positives + curve.negatives, scored.errors_without_score
    about = (str if left_out else Definition)(
        f"Curves: {size:g} units have a probability and are not trivial; errors without a "
        f"probability (ends of sentences, gaps): {left_out:g} (excluded)."
    )
    if scored.start is not None:
        about = Definition(f"Curves: {size:g} units; units without an edit have confidence 0.")
    notes = [about]
    if point is None:
        at_least = "" if wanted is None else f" with a precision of at least {wanted:g}"
        notes.append(
            f"{system.name} has no threshold{at_least} at which {sweep.merit} is defined: the "
            "counts are those of a system that flags nothing."
        )
    outcome = DetectionResult(
        system.name,
        study.units.name,
        curve.counts(point or 0),
        level=options.level,
        annotators=annotators,
        curve=curve,
        point=point or 0,
        trivial=scored.trivial,
        traced=scored,
    )
    return outcome, notes


def _describe_units(study: Study, rule: str) -> Iterator[str]:
    used = study.included
    sites = [study.sites[number] for number in used]
    sentences = f"{len(used)} sentences"
    if left_out := len(study.sources) - len(used):
        sentences += f" ({left_out} excluded: not annotated by the chosen annotators)"
    kind = str if left_out else Definition
    about = f"Unit {study.units.name}: {study.units.definition}"
    if any(site.size is None for site in sites):
        no_size = "non-errors have no size, so there are no true negatives"
        why = "--negatives none" if rule == "none" else no_size
        yield kind(f"{about}; {sentences}.")
        yield f"No negatives ({why}): kappa and other measures that need TN are undefined."
        return
    total = sum(site.size or 0 for site in sites)
    yield kind(f"{about}; N = {total} in {sentences}.")
    if rule == "all":
        yield Definition("Negatives (all): every unit that neither annotator nor system changes.")
        return
    able = sum(len(site.candidates or ()) for site in sites)
    yield Definition(
        f"Negatives ({rule}): {able} units can be true negatives; the other {total - able} "
        "are trivial if nobody changes them: in tn_trivial and no measure except "
        "accuracy_with_trivial and kappa_with_trivial."
    )


def _describe_annotators(study: Study, options: DetectionOptions) -> Iterator[str]:
    names, treatment = study.annotators, options.treatment
    if study.is_judged:
        judged = sum(len(weights) for weights in study.judged)
        yield (
            f"Graded by judgments: {judged} units are weighted by the share of judges who see "
            "an error; other units are as annotated."
        )
    if treatment == "each" and names:
        absent = {
            name: sum(name not in reading for reading in study.readings if reading)
            for name in names
        }
        gaps = ", ".join(
            f"{name} did not annotate {n} sentences" for name, n in absent.items() if n
        )
        left_out = f"; excluded: {gaps}." if gaps else "."
        kind = str if gaps else Definition
        yield kind(f"Annotators (each): one row per annotator{left_out}")
    elif study.most_annotators > 1:
        meaning = {
            "best": "for each sentence, the annotator that gives the "
            f"best F ({options.selection} selection)",
            "any": "a unit is an error if any of them changes it; each form is correct",
            "majority": "a unit is an error if more than half of its annotators change it",
            "graded": "the weight of an error is the share of annotators who change the unit",
        }[treatment]
        yield Definition(f"Annotators ({treatment} of {len(names)}): {meaning}.")


def _describe_counting(
    study: Study, options: DetectionOptions, outcomes: Sequence[DetectionResult]
) -> Iterator[str]:
    tallied = [outcome for outcome in outcomes if outcome.tally is not None]
    if study.is_graded(options.treatment) or not tallied:
        return
    links = sum(
        len(set(r.links.values())) for each in study.readings for r in (each or {}).values()
    )
    if links and options.linked is None:
        yield f"{links} linked errors: each part counts (--linked any or all: each error once)."
    elif links:
        yield Definition(f"Linked edits: one error, found if {options.linked} of its units change.")
    if options.screen is not None:
        yield Definition(
            f"Screen: yes excludes units with another error within {options.screen} words."
        )
    if not all(outcome.no_forms for outcome in tallied):
        counted = (
            "Such units are TP here, and both FP and FN with --level correction."
            if options.level == "detection"
            else "Such units are FP and FN here, so the four cells add up to N + X-Y-Z."
        )
        yield Definition(
            f"X-Y-Z: annotator and system change the unit to different forms. {counted}"
        )
    twice = sum(
        len(reading.times) for readings in study.readings for reading in (readings or {}).values()
    )
    if twice:
        yield f"{twice} units touched by several edits of one annotator count once" + (
            " (--count edits: once per edit)."
            if options.count == "units"
            else " per edit, as in the ERRANT scorer; the cells do not add up to N."
        )


def _describe_outside(study: Study, corpus: Corpus) -> Iterator[str]:
    inside = [
        bool(study.units.read(number, sentence.source, [edit]).forms)
        for number, sentence in enumerate(corpus.sentences)
        for annotation in sentence.annotations
        if annotation.annotator in study.annotators
        for edit in annotation.edits
    ]
    if inside:
        yield f"{sum(inside)} of the annotators' {len(inside)} edits concern a target."
