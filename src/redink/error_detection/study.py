"""A corpus divided into units: changes by annotators and systems, counts, curves, common edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, product, repeat
from math import inf
from typing import Literal, NamedTuple

import numpy as np

from redink.error_detection.curves import ThresholdCurve, sweep_thresholds
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
from redink.options import Beta, Options
from redink.scoring.metric import Selection

Treatment = Literal["best", "any", "majority", "each", "graded"]
Weights = Mapping[Key, Number]
Edits = tuple[Edit, ...]
Pairs = Mapping[str, tuple[UnitChanges, UnitChanges]]
"""For each annotator of a sentence, the changes by the annotator and by the system."""
Undefined = Literal["empty", "one"]
"""The value of 0/0 in precision and recall."""
_MOST_ALTERNATIVES = 256  # combinations of alternatives that are tried
_LARGEST_PART = 16  # edits of both readers that are compared with each other


@dataclass(frozen=True)
class DetectionOptions(Options):
    """How a system is held against the annotators.

    Attributes:
        level: a wrong correction of an error is a TP (``detection``), or an FP and an FN
            (``correction``).
        count: count every unit once, or once for each edit on it (as the ERRANT scorer).
        annotators: several annotators: the one who favours the system (``best``); an error if
            any, or most, say so; a row for each; weighted by the share of them. By default best;
            any for curves; graded with ``judgments``.
        annotator: only these.
        selection: how the best annotator of a sentence is chosen.
        beta: the weight of recall in F.
        undefined: precision where nothing is flagged, and recall where there is nothing to find:
            empty, or 1 as in the scorers of MultiGED-2023 and ERRANT.
    """

    level: Level = "detection"
    count: Counting = "units"
    annotators: Treatment | None = None
    annotator: Sequence[str] | None = None
    selection: Selection = "running"
    beta: Beta = 0.5
    undefined: Undefined = "empty"

    @property
    def treatment(self) -> Treatment:
        """How several annotators of a sentence are treated."""
        return self.annotators or "best"

    @property
    def only(self) -> Sequence[str] | None:
        """The annotators who count; None for all."""
        return [self.annotator] if isinstance(self.annotator, str) else self.annotator

    def settle(self, *, curve: bool, graded: bool) -> DetectionOptions:
        """Return the options with a treatment, after checking that they can be combined.

        ``graded``: judgments give the degree to which a unit is an error.
        """
        if curve and self.annotators == "best":
            raise OptionError(
                "a curve needs one truth for all thresholds, and the best annotator changes with "
                "the threshold; choose any, majority, graded or each"
            )
        if curve and self.level == "correction":
            raise OptionError("a curve is about detection: scores say nothing of corrections")
        otherwise: Treatment = "graded" if graded else "any" if curve else "best"
        treatment = self.annotators or otherwise
        if self.level == "correction" and (graded or treatment == "graded"):
            raise OptionError(
                "graded errors are about detection: shares say nothing of corrections"
            )
        return replace(self, annotators=treatment)


@dataclass(frozen=True)
class Study:
    """A corpus divided into units, and the changes by its annotators.

    Attributes:
        units: the kind of unit.
        sources: all sentences.
        sites: the units of every sentence.
        edits: for every sentence, the edits of each annotator; None if none of the chosen
            annotators has seen the sentence, which is then excluded.
        readings: the units that these edits change.
        judged: for every sentence, the shares of judges who call a unit an error.
    """

    units: Units
    sources: tuple[Sentence, ...]
    sites: tuple[Sites, ...]
    edits: tuple[Mapping[str, Edits] | None, ...]
    readings: tuple[Mapping[str, UnitChanges] | None, ...]
    judged: tuple[Weights, ...]

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everyone who annotated some sentence."""
        seen = {name for reading in self.readings if reading for name in reading}
        return tuple(sorted(seen, key=annotator_order))

    @property
    def is_judged(self) -> bool:
        """Whether there are judgments."""
        return any(self.judged)

    def is_graded(self, treatment: Treatment) -> bool:
        """Return whether units are errors to a degree."""
        return treatment == "graded" or self.is_judged

    @property
    def most_annotators(self) -> int:
        """The greatest number of annotators of one sentence."""
        return max((len(reading) for reading in self.readings if reading), default=0)

    def numbers(self, annotator: str | None = None) -> Iterator[int]:
        """Yield the sentences that are included, for all annotators or for one."""
        for number, readings in enumerate(self.readings):
            if readings is not None and (not readings or annotator in {None, *readings}):
                yield number

    def truths(self, number: int, annotator: str | None = None) -> list[UnitChanges]:
        """Return the changes by all annotators or by one; without annotators, no change."""
        readings = self.readings[number] or {}
        if not readings:
            return [UnitChanges()]
        return list(readings.values()) if annotator is None else [readings[annotator]]

    def weights(self, number: int, treatment: Treatment, annotator: str | None = None) -> Weights:
        """Return the weight of each unit as an error, 0 to 1; judgments override annotators."""
        readings = self.truths(number, annotator)
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
) -> Study:
    """Divide a corpus into units.

    Args:
        corpus: sources and annotations.
        units: the kind of unit.
        negatives: the units that can be negatives: all, none (no true negatives at all), or those
            whose site is among these tokens.
        annotators: the annotators to include; all by default.
        judged: by sentence (from 0), the shares of judges who call a unit an error.
    """
    for name in annotators or ():
        if name not in corpus.annotators:
            known = ", ".join(corpus.annotators) or "none"
            raise OptionError(f"there is no annotator {name!r}; there are: {known}")
    sites = []
    edits: list[Mapping[str, Edits] | None] = []
    for number, sentence in enumerate(corpus.sentences):
        source = sentence.source
        sites.append(_sites_of(units, number, source, negatives))
        chosen = [a for a in sentence.annotations if not annotators or a.annotator in annotators]
        unseen = sentence.annotations and not chosen
        edits.append(None if unseen else {a.annotator: a.edits for a in chosen})
    given = judged or {}
    sources = tuple(sentence.source for sentence in corpus.sentences)
    readings = (
        None if of is None else {name: units.read(n, sources[n], of[name]) for name in of}
        for n, of in enumerate(edits)
    )
    return Study(
        units,
        sources,
        tuple(sites),
        tuple(edits),
        tuple(readings),
        tuple(given.get(number, {}) for number in range(len(corpus))),
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
    unless edits are counted as in the ERRANT scorer.

    Args:
        study: the corpus in units.
        system: its output; text without edits is enough for the unit sentence.
        options: how units are counted.
        annotations: its edits, if it is text.
        threshold: flag tokens by probability instead of by the system's own flags.
    """
    units, sources = study.units, study.sources
    if system.detections is not None:
        flagged = zip(sources, system.detections, strict=True)
        return [
            _pair_with_all(study, number, units.flag(number, source, _flags(detection, threshold)))
            for number, (source, detection) in enumerate(flagged)
        ]
    if isinstance(units, SentenceUnits) and system.hypotheses is not None:
        texts = zip(sources, system.hypotheses, strict=True)
        return [
            _pair_with_all(study, number, units.read_text(source, hypothesis))
            for number, (source, hypothesis) in enumerate(texts)
        ]
    edits = system.annotations if annotations is None else annotations
    if edits is None:
        raise DataError(f"system {system.name!r} has no edits")
    return [
        _pair_with_all(study, number, units.read(number, sources[number], annotation.edits))
        if options.count == "edits"
        else _share_segmentation(study, number, annotation.edits, options)
        for number, annotation in enumerate(edits)
    ]


def _pair_with_all(study: Study, number: int, system: UnitChanges) -> Pairs:
    truths = study.readings[number] or {"": UnitChanges()}
    return {name: (truth, system) for name, truth in truths.items()}


def _share_segmentation(
    study: Study, number: int, system: Edits, options: DetectionOptions
) -> Pairs:
    """Read both sides by a common segmentation of their edits.

    Annotators who are merged into one reference are all compared with the same system edits.
    """
    source = study.sources[number]
    annotators = study.edits[number] or {"": ()}
    pairs: dict[str, tuple[Edits, Edits]] = {}
    is_merged = options.treatment in {"any", "majority"} or (
        options.treatment == "best" and study.is_judged
    )
    for name, edits in annotators.items():
        pairs[name] = share_edits(source.tokens, edits, system)
        if is_merged:
            system = pairs[name][1]
    return {
        name: (
            study.units.read(number, source, truth),
            study.units.read(number, source, system if is_merged else ours),
        )
        for name, (truth, ours) in pairs.items()
    }


def _flags(detection: Detection, threshold: float | None) -> Sequence[bool]:
    if threshold is None:
        return detection.flags
    if detection.probabilities is None:
        raise DataError(
            "a threshold needs a probability for every token, and one sentence has none"
        )
    return [probability >= threshold for probability in detection.probabilities]


def tally_system(
    study: Study, readings: Sequence[Pairs], options: DetectionOptions, annotator: str | None = None
) -> PatternCounts:
    """Count the patterns of a system over the whole corpus, for all annotators or for one."""
    if study.is_graded(options.treatment):
        tallies: Iterable[PatternCounts] = (
            _weigh_pairs(study, number, _choose(readings[number], annotator), options, annotator)
            for number in study.numbers(annotator)
        )
    else:
        tallies = (
            tally_sentence(study.sites[number], truth, system, counting=options.count)
            for number, truth, system in settle_truth(study, readings, options, annotator)
        )
    return sum(tallies, PatternCounts())


def _weigh_pairs(
    study: Study,
    number: int,
    pairs: Sequence[tuple[UnitChanges, UnitChanges]],
    options: DetectionOptions,
    annotator: str | None,
) -> PatternCounts:
    sites, weights = study.sites[number], study.weights(number, options.treatment, annotator)
    if options.treatment != "graded":
        return weigh_sentence(sites, weights, pairs[0][1])
    if sites.candidates is not None:  # a change by one annotator is no trivial negative of another
        changed = {key for key, weight in weights.items() if weight}
        sites = replace(sites, candidates=sites.candidates | changed)
    tallies = [
        weigh_sentence(sites, {**dict.fromkeys(truth.forms, 1), **study.judged[number]}, system)
        for truth, system in pairs
    ]
    return sum(tallies, PatternCounts()).divided_by(len(tallies))


def settle_truth(
    study: Study, readings: Sequence[Pairs], options: DetectionOptions, annotator: str | None = None
) -> Iterator[tuple[int, UnitChanges, UnitChanges]]:
    """Yield the number of each included sentence, and the changes by annotators and system."""
    numbers = list(study.numbers(annotator))
    pairs = [_choose(readings[number], annotator) for number in numbers]
    if options.treatment == "best":
        tallies = [
            [tally_sentence(study.sites[number], *pair, counting=options.count) for pair in of]
            for number, of in zip(numbers, pairs, strict=True)
        ]
        chosen = choose_best(
            tallies, beta=options.beta, level=options.level, selection=options.selection
        )
        for number, of, index in zip(numbers, pairs, chosen, strict=True):
            yield number, *of[index]
        return
    merge = take_majority if options.treatment == "majority" else unite
    for number, of in zip(numbers, pairs, strict=True):
        yield number, merge([truth for truth, _ in of]), of[0][1]


def _choose(pairs: Pairs, annotator: str | None) -> list[tuple[UnitChanges, UnitChanges]]:
    one = None if annotator is None else pairs.get(annotator)
    return list(pairs.values()) if one is None else [one]


class TracedCurve(NamedTuple):
    """A curve over the units that have a score and are no trivial negatives."""

    curve: ThresholdCurve
    errors_without_score: float
    trivial: int


def trace_curve(
    study: Study, system: SystemOutput, *, treatment: Treatment, annotator: str | None = None
) -> TracedCurve | None:
    """Return the curve of a system, without trivial negatives; None if it has no probabilities."""
    detections = system.detections
    if detections is None or any(d.probabilities is None for d in detections if d.tokens):
        return None
    errors: list[float] = []
    scores: list[float] = []
    without: Number = 0
    trivial = 0
    for number in study.numbers(annotator):
        found = study.units.score(number, study.sources[number], detections[number])
        if found is None:
            raise OptionError(
                "probabilities of tokens give no score to spans or slots; use --unit token"
            )
        weights = study.weights(number, treatment, annotator)
        candidates = study.sites[number].candidates
        if candidates is not None:
            kept = {key: p for key, p in found.items() if key in candidates or weights.get(key)}
            trivial += len(found) - len(kept)
            found = kept
        scores.extend(found.values())
        if not weights:
            errors.extend(repeat(0.0, len(found)))
            continue
        errors.extend(float(weights.get(key, 0)) for key in found)
        without += sum(weight for key, weight in weights.items() if key not in found)
    curve = sweep_thresholds(np.array(errors), np.array(scores))
    return TracedCurve(curve, float(without), trivial)


# ---- common segmentation: equal corrections are compared as equal edits


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
    pairs = [(theirs, ours)] if same is None else [(same, same)]
    if same is None:
        runs = (_share_run(tokens, *run) for run in _touching_runs(theirs, ours))
        pairs = [pair for run in runs for pair in run]
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
    """Return the annotator's edits that make the same text as the system's; None if none do."""
    text = apply_edits(tokens, ours)
    choices = product(*(edit.corrections for edit in theirs))
    for chosen in islice(choices, _MOST_ALTERNATIVES):
        made = tuple(
            edit
            if correction == edit.correction and not edit.alternatives
            else Edit(edit.start, edit.end, correction, edit.type)
            for edit, correction in zip(theirs, chosen, strict=True)
        )
        if apply_edits(tokens, made) == text:
            return made
    return None


def _touching_runs(theirs: Edits, ours: Edits) -> Iterator[tuple[Edits, Edits]]:
    """Divide the edits of both readers where no edit of either touches the next."""
    ends = sorted({(edit.start, edit.end) for edit in (*theirs, *ours)})
    runs: list[list[int]] = []
    for start, end in ends:
        if runs and start <= runs[-1][1]:
            runs[-1][1] = max(end, runs[-1][1])
        else:
            runs.append([start, end])
    for start, end in runs:
        yield (
            tuple(edit for edit in theirs if start <= edit.start <= end),
            tuple(edit for edit in ours if start <= edit.start <= end),
        )


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
    reached, our_reached = _furthest_ends(theirs), _furthest_ends(ours)
    starts, our_starts = ([*(e.start for e in edits), inf] for edits in (theirs, ours))
    found = [
        (index, our_index)
        for index, our_index in product(range(len(starts)), range(len(our_starts)))
        if max(reached[index], our_reached[our_index]) <= min(starts[index], our_starts[our_index])
    ]
    return sorted(found, key=lambda boundary: (sum(boundary), boundary))


def _furthest_ends(edits: Edits) -> list[int]:
    """Return how far the first 0, 1, 2, … edits reach."""
    return list(accumulate((edit.end for edit in edits), max, initial=0))
