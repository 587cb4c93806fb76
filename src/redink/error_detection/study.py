"""A corpus divided into units: changes by annotators and systems, counts, and curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redink.error_detection.curves import (
    FloatArray,
    ThresholdCurve,
    sweep_cells,
    sweep_thresholds,
)
from redink.error_detection.shared_edits import Edits, share_edits
from redink.error_detection.units import SentenceUnits, Units
from redink.error_detection.writer_annotator_system import (
    Counting,
    Key,
    Level,
    Number,
    PatternCounts,
    Sites,
    UnitChanges,
    choose_best,
    grade,
    link_units,
    restrict_to_type,
    settle_optional,
    take_majority,
    tally_sentence,
    unite,
    weigh_sentence,
)
from redink.errors import DataError, OptionError
from redink.model import Annotation, Corpus, Detection, Sentence, SystemOutput, annotator_order
from redink.options import Beta, Flag, Limits, Options, Positive
from redink.scoring.metric import Selection
from redink.scoring.metric_checks import group_of

Treatment = Literal["best", "any", "majority", "each", "graded"]
Weights = Mapping[Key, Number]
Pair = tuple[UnitChanges, UnitChanges]
Pairs = Sequence[Pair]
"""For each annotator of a sentence, the changes by the annotator and by the system."""
Prevalence = Annotated[float, Limits(0, 1, low_open=True, high_open=True)]
Undefined = Literal["empty", "one"]
"""The value of 0/0 in precision and recall."""
OPTIONAL = "OPTIONAL"  # the M2 field ``required`` of an edit that the text does not need


@dataclass(frozen=True)
class DetectionOptions(Options):
    """Comparison of a system with the annotators.

    Attributes:
        level: count a wrong correction of an error as a TP (``detection``), or as an FP and an FN
            (``correction``).
        count: count every unit once, or once per edit on it (as the ERRANT scorer does).
        annotators: treatment of several annotators: compare with the one that gives the best F
            (``best``); a unit is an error if any annotator, or a majority, changes it; one row per
            annotator (``each``); or weight errors by the share of annotators (``graded``). By
            default best; any for curves; graded with judgments.
        annotator: include only these annotators.
        selection: choice of the best annotator of a sentence.
        beta: weight of recall in F.
        undefined: precision if nothing is flagged, and recall if there are no errors: empty, or 1
            as in the scorers of MultiGED-2023 and ERRANT.
        types: compare only edits of these error types: R:PREP; PREP for every operation; R: for
            all types of an operation; VERB:* for all types that begin so.
        by: add a row per error type: by operation (M, R, U), main type (VERB:SVA), or full type
            (R:VERB:SVA). True positives and false negatives have the annotator's type, false
            positives the system's type.
        linked: count edits with the same link=NAME in their comment as one error, which is found if
            any or all of its units are changed; otherwise, each edit is an error.
        screen: add rows without the units that have another error within this number of words.
        prevalence: restate all measures for text with this share of errors, assuming that recall
            and the true-negative rate stay the same.
    """

    level: Level = "detection"
    count: Counting = "units"
    annotators: Treatment | None = None
    annotator: Sequence[str] | None = None
    selection: Selection = "running"
    beta: Beta = 0.5
    undefined: Undefined = "empty"
    types: Annotated[Sequence[str], Flag(value="TYPE,...")] = ()
    by: Literal["operation", "type", "full"] | None = None
    linked: Literal["any", "all"] | None = None
    screen: Annotated[Positive | None, Flag(value="WORDS")] = None
    prevalence: Annotated[Prevalence | None, Flag(value="P")] = None

    @property
    def treatment(self) -> Treatment:
        """The treatment of several annotators of a sentence."""
        return self.annotators or "best"

    @property
    def only(self) -> Sequence[str] | None:
        """The included annotators; None for all."""
        return [self.annotator] if isinstance(self.annotator, str) else self.annotator

    def settle(self, *, curve: bool, graded: bool) -> DetectionOptions:
        """Return the options with a treatment, after checking that they can be combined.

        ``graded``: judgments define to what degree a unit is an error.
        """
        if curve and self.annotators == "best":
            raise OptionError(
                "--curve cannot be combined with --annotators best: the best annotator varies with "
                "the threshold; choose any, majority, graded or each"
            )
        if self.prevalence is not None and self.level == "correction":
            raise OptionError(
                "--prevalence cannot be combined with --level correction, where a wrong correction "
                "is both an FP and an FN"
            )
        treatment = self.annotators or ("graded" if graded else "any" if curve else "best")
        if self.level == "correction" and (graded or treatment == "graded"):
            raise OptionError("graded errors cannot be combined with --level correction")
        if (self.linked or self.screen) and (graded or treatment == "graded"):
            raise OptionError("--linked and --screen cannot be combined with graded errors")
        if self.by is not None and (curve or graded or treatment == "graded"):
            raise OptionError("--by cannot be combined with --curve or graded errors")
        return replace(self, annotators=treatment)


@dataclass(frozen=True)
class Study:
    """A corpus divided into units, and the changes by its annotators.

    Attributes:
        units: the kind of unit.
        sources: all sentences.
        sites: the units of every sentence.
        edits: for every sentence, the edits of each annotator; None if none of the chosen
            annotators annotated the sentence, which is then excluded.
        judged: for every sentence, the shares of judges who call a unit an error.
        context: for every sentence, all edits of each annotator, also those of other error types.
        screen: exclude units with another error within this number of words.
    """

    units: Units
    sources: tuple[Sentence, ...]
    sites: tuple[Sites, ...]
    edits: tuple[Mapping[str, Edits] | None, ...]
    judged: tuple[Weights, ...]
    by: str | None = None
    context: tuple[Mapping[str, Edits], ...] = ()
    screen: int | None = None

    @cached_property
    def readings(self) -> tuple[Mapping[str, UnitChanges] | None, ...]:
        """Return, for every sentence, the units that the edits of each annotator change."""
        return tuple(
            None if of is None else {name: self.read(number, edits) for name, edits in of.items()}
            for number, of in enumerate(self.edits)
        )

    def read(self, number: int, edits: Edits) -> UnitChanges:
        """Return the units that edits change, with their types if results are by type."""
        source = self.sources[number]
        changes = self.units.read(number, source, edits)
        links = {
            key: edit.link
            for edit in edits
            if edit.link is not None
            for key in self.units.read(number, source, [edit]).forms
        }
        changes = replace(changes, links=links) if links else changes
        required = [edit for edit in edits if edit.required != OPTIONAL]
        if len(required) < len(edits):
            needed = self.units.read(number, source, required).forms
            changes = replace(changes, optional=frozenset(changes.forms).difference(needed))
        if self.by is not None:
            types: dict[Key, dict[str, int]] = {key: {} for key in changes.forms}
            groups = [group_of(edit.type, edit.operation, self.by) for edit in edits]
            for group in dict.fromkeys(groups):
                own = [edit for edit, of in zip(edits, groups, strict=True) if of == group]
                found = self.units.read(number, source, own)
                for key in found.forms.keys() & types.keys():
                    types[key][group] = found.times.get(key, 1)
            changes = replace(changes, types=types)
        return changes

    def find_screened(self, number: int, names: Iterable[str], keys: Iterable[Key]) -> set[Key]:
        """Return the units with another error of one of these annotators nearby."""
        if self.screen is None:
            return set()
        units, source, near = self.units, self.sources[number], self.screen
        places = {key: units.place(number, source, key) for key in keys}
        found: set[Key] = set()
        for name in names:
            counted = (self.edits[number] or {})[name]
            for edit in self.context[number][name]:
                own = units.read(number, source, [edit]).forms if edit in counted else ()
                found.update(
                    key
                    for key, (start, end) in places.items()
                    if key not in own and edit.start < end + near and edit.end > start - near
                )
        return found

    @property
    def has_optional(self) -> bool:
        """Whether some edits of the annotators are optional."""
        return any(r.optional for readings in self.readings for r in (readings or {}).values())

    @property
    def annotators(self) -> tuple[str, ...]:
        """Return everyone who annotated some sentence."""
        seen = {name for edits in self.edits if edits for name in edits}
        return tuple(sorted(seen, key=annotator_order))

    @property
    def is_judged(self) -> bool:
        """Whether there are judgments."""
        return any(self.judged)

    def is_graded(self, treatment: Treatment) -> bool:
        """Return whether errors are graded."""
        return treatment == "graded" or self.is_judged

    @property
    def most_annotators(self) -> int:
        """The maximum number of annotators of a sentence."""
        return max((len(edits) for edits in self.edits if edits), default=0)

    @property
    def included(self) -> list[int]:
        """The numbers of the sentences that some annotator annotated."""
        return [number for number, edits in enumerate(self.edits) if edits is not None]

    def restrict_to(self, annotator: str) -> Study:
        """Return the study with one annotator; sentences without annotations stay included."""
        edits = (
            of if not of else {annotator: of[annotator]} if annotator in of else None
            for of in self.edits
        )
        return replace(self, edits=tuple(edits))

    def weights(self, number: int, treatment: Treatment) -> Weights:
        """Return the weight of each unit as an error, 0 to 1; judgments override annotators."""
        readings = [
            reading.only(reading.forms.keys() - reading.optional)
            for reading in (self.readings[number] or {}).values()
        ] or [UnitChanges()]
        if treatment == "graded":
            weights: dict[Key, Number] = dict(grade(readings))
        else:
            merged = take_majority(readings) if treatment == "majority" else unite(readings)
            weights = dict.fromkeys(merged.forms, 1)
        return {**weights, **self.judged[number]} if self.judged[number] else weights


def build_study(
    corpus: Corpus,
    units: Units,
    *,
    negatives: Sequence[frozenset[int]] | str = "all",
    annotators: Sequence[str] | None = None,
    judged: Mapping[int, Weights] | None = None,
    by: str | None = None,
    context: Corpus | None = None,
) -> Study:
    """Divide a corpus into units.

    ``negatives`` are the units that can be negatives: all, none (no true negatives), or units whose
    site is among these tokens. ``judged`` maps sentences (from 0) to the shares of judges who call
    a unit an error. ``by`` is the grouping of error types, if there are rows by type. ``context``
    is the corpus with the edits of all error types.
    """
    for name in annotators or ():
        if name not in corpus.annotators:
            known = ", ".join(corpus.annotators) or "none"
            raise OptionError(f"unknown annotator {name!r}; expected one of: {known}")
    sites = []
    edits: list[Mapping[str, Edits] | None] = []
    for number, sentence in enumerate(corpus.sentences):
        sites.append(_sites_of(units, number, sentence.source, negatives))
        chosen = {
            annotation.annotator: annotation.edits
            for annotation in sentence.annotations
            if not annotators or annotation.annotator in annotators
        }
        edits.append(None if sentence.annotations and not chosen else chosen)
    return Study(
        units,
        tuple(sentence.source for sentence in corpus.sentences),
        tuple(sites),
        tuple(edits),
        tuple((judged or {}).get(number, {}) for number in range(len(corpus))),
        by,
        tuple(
            {annotation.annotator: annotation.edits for annotation in sentence.annotations}
            for sentence in (context or corpus).sentences
        ),
    )


def _sites_of(
    units: Units, number: int, source: Sentence, negatives: Sequence[frozenset[int]] | str
) -> Sites:
    keys = units.keys(number, source)
    if keys is None or negatives == "none":
        return Sites(None)
    if negatives == "all":
        return Sites(len(keys))
    selected = negatives[number]
    assert not isinstance(selected, str)
    able = frozenset(key for key in keys if units.site(number, source, key) in selected)
    return Sites(len(keys), able)


def read_system(
    study: Study,
    system: SystemOutput,
    options: DetectionOptions,
    *,
    annotations: Sequence[Annotation] | None = None,
    threshold: float | None = None,
) -> list[Pairs]:
    """Return the changes by a system next to those by each annotator, for every sentence.

    If a system makes the same text as an annotator by other edits, it gets the annotator's edits,
    unless edits are counted as in the ERRANT scorer. A system that is text needs ``annotations``,
    except for sentence units. ``threshold`` flags tokens by probability.
    """
    units, sources = study.units, study.sources
    if system.detections is not None:
        flagged = zip(sources, system.detections, strict=True)
        return [
            _pair_with_all(study, number, units.flag(number, source, _flags(detection, threshold)))
            for number, (source, detection) in enumerate(flagged)
        ]
    is_typed = options.types or options.by
    if isinstance(units, SentenceUnits) and system.hypotheses is not None and not is_typed:
        texts = zip(sources, system.hypotheses, strict=True)
        return [
            _pair_with_all(study, number, units.read_text(source, hypothesis))
            for number, (source, hypothesis) in enumerate(texts)
        ]
    edits = system.annotations if annotations is None else annotations
    if edits is None:
        raise DataError(f"system {system.name!r} has no edits")
    return [
        _pair_edits(study, number, _above(annotation.edits, threshold), options)
        for number, annotation in enumerate(edits)
    ]


def _above(edits: Edits, threshold: float | None) -> Edits:
    if threshold is None:
        return edits
    if any(edit.confidence is None for edit in edits):
        raise DataError("--threshold needs a confidence for every edit; an edit has none")
    return tuple(edit for edit in edits if (edit.confidence or 0) >= threshold)


def _pair_edits(study: Study, number: int, edits: Edits, options: DetectionOptions) -> Pairs:
    if options.count == "edits":
        return _pair_with_all(study, number, study.read(number, edits))
    return _share_segmentation(study, number, edits, options)


def _pair_with_all(study: Study, number: int, system: UnitChanges) -> Pairs:
    truths = (study.readings[number] or {}).values() or [UnitChanges()]
    return [(truth, system) for truth in truths]


def _share_segmentation(
    study: Study, number: int, system: Edits, options: DetectionOptions
) -> Pairs:
    """Read both sides by a common segmentation of their edits.

    Annotators who are merged into one reference are all compared with the same system edits.
    """
    tokens = study.sources[number].tokens
    is_merged = options.treatment in {"any", "majority"} or (
        options.treatment == "best" and study.is_judged
    )
    pairs: list[tuple[Edits, Edits]] = []
    for edits in (study.edits[number] or {}).values() or [()]:
        pairs.append(share_edits(tokens, edits, system))
        if is_merged:
            system = pairs[-1][1]
    return [
        (study.read(number, truth), study.read(number, system if is_merged else ours))
        for truth, ours in pairs
    ]


def _flags(detection: Detection, threshold: float | None) -> Sequence[bool]:
    if threshold is None:
        return detection.flags
    if detection.probabilities is None:
        raise DataError("--threshold needs a probability for every token; a sentence has none")
    return [probability >= threshold for probability in detection.probabilities]


Candidates = Sequence[Sequence[PatternCounts]]
"""The counts of every included sentence, against each annotator that can be chosen."""


def list_cases(
    study: Study,
    readings: Sequence[Pairs],
    options: DetectionOptions,
    *,
    bonus: bool = False,
    group: str | None = None,
) -> list[list[Case]]:
    """Return the cases of every included sentence, against each annotator that can be chosen.

    ``group`` keeps only the changes of an error type; ``bonus`` is explained in
    :func:`settle_optional`.
    """
    cases = [settle_pairs(study, n, readings[n], options, bonus=bonus) for n in study.included]
    if group is None:
        return cases
    return [[Case(c[0], *restrict_to_type(*c[1:], group)) for c in each] for each in cases]


def tally_candidates(
    study: Study, readings: Sequence[Pairs], options: DetectionOptions
) -> Candidates:
    """Count the patterns of a system in every included sentence."""
    if study.is_graded(options.treatment):
        return [
            [_weigh_pairs(study, number, readings[number], options)] for number in study.included
        ]
    return tally_cases(list_cases(study, readings, options), options)


def tally_cases(cases: Sequence[Sequence[Case]], options: DetectionOptions) -> Candidates:
    """Count the patterns of every sentence, against each annotator that can be chosen."""
    return [[tally_sentence(*case, counting=options.count) for case in each] for each in cases]


def choose_candidates(candidates: Candidates, options: DetectionOptions) -> list[int]:
    """Return the index of the chosen annotator of every sentence."""
    if all(len(each) == 1 for each in candidates):
        return [0] * len(candidates)
    return choose_best(
        candidates, beta=options.beta, level=options.level, selection=options.selection
    )


class Case(NamedTuple):
    """The units of a sentence, and the changes by one annotator (or all, merged) and a system."""

    sites: Sites
    annotator: UnitChanges
    system: UnitChanges


def settle_pairs(
    study: Study, number: int, pairs: Pairs, options: DetectionOptions, *, bonus: bool = False
) -> list[Case]:
    """Return the cases to choose from: against each annotator, or against all merged into one."""
    names = [[name] for name in study.edits[number] or {}] or [[]]
    if options.treatment in {"any", "majority"}:
        merge = take_majority if options.treatment == "majority" else unite
        pairs = [(merge([truth for truth, _ in pairs]), pairs[0][1])]
        names = [[name for each in names for name in each]]
    cases = []
    for pair, own in zip(pairs, names, strict=True):
        truth, system = settle_optional(*pair, options.level, bonus=bonus)
        sites = study.sites[number]
        if study.screen is not None:
            changed = truth.forms.keys() | system.forms.keys()
            keys = changed.union(study.units.keys(number, study.sources[number]) or ())
            dropped = frozenset(study.find_screened(number, own, keys))
            truth, system = (each.only(each.forms.keys() - dropped) for each in (truth, system))
            sites = replace(sites, dropped=dropped)
        if options.linked is not None:
            sites, truth, system = link_units(sites, truth, system, options.linked)
        cases.append(Case(sites, truth, system))
    return cases


def _weigh_pairs(
    study: Study, number: int, pairs: Pairs, options: DetectionOptions
) -> PatternCounts:
    sites, weights = study.sites[number], study.weights(number, options.treatment)
    if options.treatment != "graded":
        return weigh_sentence(sites, weights, pairs[0][1])
    if sites.candidates is not None:  # a change by one annotator is no trivial negative of another
        changed = {key for key, weight in weights.items() if weight}
        sites = replace(sites, candidates=sites.candidates | changed)
    settled = [settle_optional(*pair, options.level, bonus=False) for pair in pairs]
    tallies = [
        weigh_sentence(sites, {**dict.fromkeys(truth.forms, 1), **study.judged[number]}, system)
        for truth, system in settled
    ]
    return sum(tallies, PatternCounts()).divided_by(len(tallies))


def settle_truth(
    study: Study, readings: Sequence[Pairs], options: DetectionOptions
) -> Iterator[tuple[int, Case]]:
    """Yield the number of each included sentence, and the changes by annotators and system."""
    chosen = choose_candidates(tally_candidates(study, readings, options), options)
    for number, index in zip(study.included, chosen, strict=True):
        yield number, settle_pairs(study, number, readings[number], options)[index]


class TracedCurve(NamedTuple):
    """A curve over the units that have a score and are no trivial negatives.

    ``errors`` are the weights of all units as errors. If edits have confidences, ``errors`` is the
    growth of TP, FP, FN and TN by the edits of a sentence with a confidence, and ``start`` the four
    counts of each sentence without edits. ``owners`` are the sentences of the scores.
    """

    errors: FloatArray
    scores: FloatArray
    owners: NDArray[np.int64]
    errors_without_score: float = 0
    trivial: int = 0
    start: FloatArray | None = None

    def curve(self, weights: FloatArray | None = None) -> ThresholdCurve:
        """Return the curve; ``weights`` is how often each sentence occurs in a sample."""
        often = None if weights is None else weights[self.owners]
        if self.start is None:
            return sweep_thresholds(self.errors, self.scores, often)
        start = self.start.sum(axis=0) if weights is None else weights @ self.start
        grown = self.errors if often is None else self.errors * often[:, None]
        return sweep_cells(start, grown, self.scores)


def trace_curve(
    study: Study,
    system: SystemOutput,
    options: DetectionOptions,
    annotations: Sequence[Annotation] | None = None,
) -> TracedCurve | None:
    """Return the curve of a system, without trivial negatives; None if it has no probabilities."""
    detections = system.detections
    if detections is None:
        return _trace_edits(study, annotations or system.annotations or (), options)
    if any(d.probabilities is None for d in detections if d.tokens):
        return None
    if options.linked is not None:
        raise OptionError("--linked needs edits; a system has flags for tokens")
    errors: list[float] = []
    scores: list[float] = []
    owners: list[int] = []
    without: Number = 0
    trivial = 0
    for number in study.included:
        found = study.units.score(number, study.sources[number], detections[number])
        if found is None:
            raise OptionError(
                "token probabilities give no score for spans or slots; use --unit token"
            )
        excluded = set(
            unite(list((study.readings[number] or {}).values()) or [UnitChanges()]).optional
        )
        excluded |= study.find_screened(number, study.edits[number] or {}, found)
        found = {key: score for key, score in found.items() if key not in excluded}
        weights = study.weights(number, options.treatment)
        weights = {key: weight for key, weight in weights.items() if key not in excluded}
        candidates = study.sites[number].candidates
        if candidates is not None:
            kept = {key: p for key, p in found.items() if key in candidates or weights.get(key)}
            trivial += len(found) - len(kept)
            found = kept
        scores.extend(found.values())
        owners.extend([number] * len(found))
        errors.extend(float(weights.get(key, 0)) for key in found)
        without += sum(weight for key, weight in weights.items() if key not in found)
    order = np.argsort(-np.array(scores), kind="stable")
    arrays = (np.array(errors)[order], np.array(scores)[order], np.array(owners)[order])
    return TracedCurve(*arrays, float(without), trivial)


def _trace_edits(
    study: Study, annotations: Sequence[Annotation], options: DetectionOptions
) -> TracedCurve | None:
    """Return the curve of a system whose edits have confidences; other units have 0."""
    known = [edit.confidence is not None for each in annotations for edit in each.edits]
    if not any(known):
        return None
    if not all(known):
        raise DataError("--curve needs a confidence for every edit; an edit has none")
    if any(site.size is None for site in study.sites):
        raise OptionError("--curve needs units with negatives: --unit token, sentence or target")
    start = np.zeros((len(study.sources), 4))
    grown: list[FloatArray] = []
    scores: list[float] = []
    owners: list[int] = []
    for number in study.included:
        edits = annotations[number].edits
        steps = sorted({float(edit.confidence or 0) for edit in edits}, reverse=True)
        start[number] = before = _count_cells(study, number, (), options)
        for step in steps:
            now = _count_cells(study, number, _above(edits, step), options)
            grown.append(now - before)
            before = now
        if options.level == "detection":  # at a threshold of 0, every unit is flagged
            steps.append(0.0)
            fn, tn = before[2:]
            grown.append(np.array([fn, tn, -fn, -tn]))
        scores += steps
        owners += [number] * len(steps)
    return TracedCurve(np.array(grown), np.array(scores), np.array(owners), start=start)


def _count_cells(study: Study, number: int, edits: Edits, options: DetectionOptions) -> FloatArray:
    pairs = _pair_edits(study, number, edits, options)
    if study.is_graded(options.treatment):
        tally = _weigh_pairs(study, number, pairs, options)
    else:
        (case,) = settle_pairs(study, number, pairs, options)
        tally = tally_sentence(*case, counting=options.count)
    cells = tally.counts(options.level)
    return np.array([cells.tp, cells.fp, cells.fn, cells.tn], dtype=float)
