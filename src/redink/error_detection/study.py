"""A corpus divided into units: changes by annotators and systems, counts, curves, common edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice, product
from math import inf
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redink.error_detection.curves import FloatArray, ThresholdCurve, sweep_thresholds
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
    restrict_to_type,
    settle_optional,
    take_majority,
    tally_sentence,
    unite,
    weigh_sentence,
)
from redink.errors import DataError, OptionError
from redink.model import (
    UNCORRECTED,
    Annotation,
    Corpus,
    Detection,
    Edit,
    Sentence,
    SystemOutput,
    annotator_order,
    apply_edits,
)
from redink.options import Beta, Flag, Limits, Options
from redink.scoring.metric import Selection
from redink.scoring.metric_checks import group_of

Treatment = Literal["best", "any", "majority", "each", "graded"]
Weights = Mapping[Key, Number]
Edits = tuple[Edit, ...]
Pair = tuple[UnitChanges, UnitChanges]
Pairs = Sequence[Pair]
"""For each annotator of a sentence, the changes by the annotator and by the system."""
Prevalence = Annotated[float, Limits(0, 1, low_open=True, high_open=True)]
Undefined = Literal["empty", "one"]
"""The value of 0/0 in precision and recall."""
OPTIONAL = "OPTIONAL"  # the M2 field ``required`` of an edit that the text does not need
_MOST_ALTERNATIVES = 256  # maximum number of combinations of alternatives to try
_LARGEST_PART = 16  # edits of both readers that are compared with each other


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
        if curve and self.level == "correction":
            raise OptionError("--curve cannot be combined with --level correction")
        if self.prevalence is not None and self.level == "correction":
            raise OptionError(
                "--prevalence cannot be combined with --level correction, where a wrong correction "
                "is both an FP and an FN"
            )
        treatment = self.annotators or ("graded" if graded else "any" if curve else "best")
        if self.level == "correction" and (graded or treatment == "graded"):
            raise OptionError("graded errors cannot be combined with --level correction")
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
    """

    units: Units
    sources: tuple[Sentence, ...]
    sites: tuple[Sites, ...]
    edits: tuple[Mapping[str, Edits] | None, ...]
    judged: tuple[Weights, ...]
    by: str | None = None

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
) -> Study:
    """Divide a corpus into units.

    ``negatives`` are the units that can be negatives: all, none (no true negatives), or units whose
    site is among these tokens. ``judged`` maps sentences (from 0) to the shares of judges who call
    a unit an error. ``by`` is the grouping of error types, if there are rows by type.
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
        _pair_with_all(study, number, study.read(number, annotation.edits))
        if options.count == "edits"
        else _share_segmentation(study, number, annotation.edits, options)
        for number, annotation in enumerate(edits)
    ]


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


def tally_candidates(
    study: Study,
    readings: Sequence[Pairs],
    options: DetectionOptions,
    *,
    bonus: bool = False,
    group: str | None = None,
) -> Candidates:
    """Count the patterns of a system in every included sentence.

    There is one candidate per annotator if the best one is chosen, otherwise one. ``group`` limits
    the counts to an error type; ``bonus`` is explained in :func:`settle_optional`.
    """
    if study.is_graded(options.treatment):
        return [
            [_weigh_pairs(study, number, readings[number], options)] for number in study.included
        ]
    tallies = []
    for number in study.included:
        pairs = _list_candidates(readings[number], options, bonus=bonus)
        if group is not None:
            pairs = [restrict_to_type(*pair, group) for pair in pairs]
        sites = study.sites[number]
        tallies.append([tally_sentence(sites, *pair, counting=options.count) for pair in pairs])
    return tallies


def choose_candidates(candidates: Candidates, options: DetectionOptions) -> list[int]:
    """Return the index of the chosen annotator of every sentence."""
    if all(len(each) == 1 for each in candidates):
        return [0] * len(candidates)
    return choose_best(
        candidates, beta=options.beta, level=options.level, selection=options.selection
    )


def _list_candidates(pairs: Pairs, options: DetectionOptions, *, bonus: bool = False) -> list[Pair]:
    """Return the pairs of readings to choose from: those of all annotators, or merged into one."""
    if options.treatment in {"any", "majority"}:
        merge = take_majority if options.treatment == "majority" else unite
        pairs = [(merge([truth for truth, _ in pairs]), pairs[0][1])]
    return [settle_optional(*pair, options.level, bonus=bonus) for pair in pairs]


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
) -> Iterator[tuple[int, UnitChanges, UnitChanges]]:
    """Yield the number of each included sentence, and the changes by annotators and system."""
    chosen = choose_candidates(tally_candidates(study, readings, options), options)
    for number, index in zip(study.included, chosen, strict=True):
        yield number, *_list_candidates(readings[number], options)[index]


class TracedCurve(NamedTuple):
    """A curve over the units that have a score and are no trivial negatives.

    ``errors``, ``scores`` and ``owners`` are the weights as errors, the scores and the sentences of
    all units, the highest scores first.
    """

    errors: FloatArray
    scores: FloatArray
    owners: NDArray[np.int64]
    errors_without_score: float
    trivial: int

    def curve(self, weights: FloatArray | None = None) -> ThresholdCurve:
        """Return the curve; ``weights`` is how often each sentence occurs in a sample."""
        often = None if weights is None else weights[self.owners]
        return sweep_thresholds(self.errors, self.scores, often)


def trace_curve(study: Study, system: SystemOutput, treatment: Treatment) -> TracedCurve | None:
    """Return the curve of a system, without trivial negatives; None if it has no probabilities."""
    detections = system.detections
    if detections is None or any(d.probabilities is None for d in detections if d.tokens):
        return None
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
        optional = unite(list((study.readings[number] or {}).values()) or [UnitChanges()]).optional
        found = {key: score for key, score in found.items() if key not in optional}
        weights = study.weights(number, treatment)
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


def share_edits(tokens: Sequence[str], annotator: Edits, system: Edits) -> tuple[Edits, Edits]:
    """Return the edits of both readers, with the annotator's wherever both make the same text.

    An annotator may mark *with → to the* as one edit where a system has *with → to* and *→ the*.
    If the two corrected sentences are equal, the system gets all edits of the annotator. Otherwise
    it gets the annotator's edits inside every run of touching edits that both readers correct in
    the same way. Of several allowed corrections, only the one that the system has is returned.
    Edits that mark an error without correcting it stay as they are.
    """
    theirs, ours = _corrections(annotator), _corrections(system)
    if _spans(theirs) == _spans(ours) and not any(edit.alternatives for edit in theirs):
        return annotator, system
    same = _find_equal(tokens, theirs, ours)
    pairs = [(same, same)] if same is not None else list(_share_runs(tokens, theirs, ours))
    return (
        (*_marks(annotator), *(edit for kept, _ in pairs for edit in kept)),
        (*_marks(system), *(edit for _, kept in pairs for edit in kept)),
    )


def differ_in_edits_only(tokens: Sequence[str], annotator: Edits, system: Edits) -> bool:
    """Return whether two readers make the same sentence by different edits."""
    theirs, ours = _corrections(annotator), _corrections(system)
    same = _find_equal(tokens, theirs, ours)
    return same is not None and _spans(same) != _spans(ours)


def _corrections(edits: Iterable[Edit]) -> Edits:
    kept = (edit for edit in edits if edit.type not in UNCORRECTED)
    return tuple(sorted(kept, key=lambda edit: (edit.start, edit.end)))


def _marks(edits: Iterable[Edit]) -> Edits:
    return tuple(edit for edit in edits if edit.type in UNCORRECTED)


def _spans(edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    return [(edit.start, edit.end, edit.correction) for edit in edits]


def _find_equal(tokens: Sequence[str], theirs: Edits, ours: Edits) -> Edits | None:
    """Return the annotator's edits that give the same text as the system's, or None."""
    text = apply_edits(tokens, ours)
    choices = product(*(edit.corrections for edit in theirs))
    for chosen in islice(choices, _MOST_ALTERNATIVES):
        made = tuple(
            edit
            if correction == edit.correction and not edit.alternatives
            else replace(edit, correction=correction, alternatives=())
            for edit, correction in zip(theirs, chosen, strict=True)
        )
        if apply_edits(tokens, made) == text:
            return made
    return None


def _share_runs(tokens: Sequence[str], theirs: Edits, ours: Edits) -> Iterator[tuple[Edits, Edits]]:
    """Divide the edits where no edit of either reader touches the next, and share each run."""
    runs: list[list[int]] = []
    for start, end in sorted((edit.start, edit.end) for edit in (*theirs, *ours)):
        if runs and start <= runs[-1][1]:
            runs[-1][1] = max(end, runs[-1][1])
        else:
            runs.append([start, end])
    for start, end in runs:
        inside = (
            tuple(edit for edit in edits if start <= edit.start <= end) for edits in (theirs, ours)
        )
        yield from _share_run(tokens, *inside)


def _share_run(tokens: Sequence[str], theirs: Edits, ours: Edits) -> Iterator[tuple[Edits, Edits]]:
    """Divide a run into parts that both readers correct in the same way, and the rest."""
    boundaries = _list_boundaries(theirs, ours)
    done, our_done = 0, 0
    for number, (first, our_first) in enumerate(boundaries):
        if first < done or our_first < our_done:
            continue
        for last, our_last in boundaries[number + 1 :]:
            if last - first + our_last - our_first > _LARGEST_PART:
                break
            if last <= first or our_last <= our_first:
                continue
            same = _find_equal(tokens, theirs[first:last], ours[our_first:our_last])
            if same is not None:
                yield theirs[done:first], ours[our_done:our_first]
                yield same, same
                done, our_done = last, our_last
                break
    yield theirs[done:], ours[our_done:]


def _list_boundaries(theirs: Edits, ours: Edits) -> list[tuple[int, int]]:
    """List where both readers' edits can be divided: no edit before it reaches beyond it.

    A boundary is the number of edits before it, of each reader; those with few edits come first.
    """
    # how far the first 0, 1, 2, … edits reach
    reached, our_reached = (
        list(accumulate((edit.end for edit in edits), max, initial=0)) for edits in (theirs, ours)
    )
    starts, our_starts = ([*(e.start for e in edits), inf] for edits in (theirs, ours))
    found = [
        (index, our_index)
        for index, our_index in product(range(len(starts)), range(len(our_starts)))
        if max(reached[index], our_reached[our_index]) <= min(starts[index], our_starts[our_index])
    ]
    return sorted(found, key=lambda boundary: (sum(boundary), boundary))
