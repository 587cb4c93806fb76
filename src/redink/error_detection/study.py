"""A corpus seen through one kind of unit: who changes what, tallies, and curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Literal

import numpy as np

from redink.error_detection.curves import Curve, sweep_thresholds
from redink.error_detection.segmentation import Edits, share_edits
from redink.error_detection.units import SentenceUnits, Units
from redink.error_detection.writer_annotator_system import (
    Key,
    LabelOptions,
    Level,
    Number,
    Reading,
    Sites,
    Tally,
    choose_best,
    grade,
    take_majority,
    tally_sentence,
    unite,
    weigh_sentence,
)
from redink.errors import DataError, OptionError
from redink.model import Annotation, Corpus, Detection, Sentence, SystemOutput, annotator_order
from redink.options import Beta, Options
from redink.scoring.selection import Selection

Treatment = Literal["best", "any", "majority", "each", "graded"]
Weights = Mapping[Key, Number]
Pairs = Mapping[str, tuple[Reading, Reading]]
"""What each annotator of a sentence changed, and what the system changed next to it."""

Undefined = Literal["empty", "one"]
"""What a share of nothing is."""


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
    count: LabelOptions = "units"
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
        """The same with a treatment, and without what cannot go together.

        Args:
            curve: whether thresholds are swept.
            graded: whether judgments say how much of an error a unit is.
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
    """A corpus divided into units, and what its annotators changed.

    Attributes:
        units: the kind of unit.
        sources: all sentences.
        sites: for every sentence its units.
        edits: for every sentence, the edits of each annotator who saw it; None for a sentence
            that none of the annotators asked for has seen, which is left out.
        readings: the units that these edits change.
        judged: for every sentence, the shares of judges who call a unit an error.
    """

    units: Units
    sources: tuple[Sentence, ...]
    sites: tuple[Sites, ...]
    edits: tuple[Mapping[str, Edits] | None, ...]
    readings: tuple[Mapping[str, Reading] | None, ...]
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
        """Whether units are errors to a degree."""
        return treatment == "graded" or self.is_judged

    @property
    def most_annotators(self) -> int:
        """The greatest number of annotators of one sentence."""
        return max((len(reading) for reading in self.readings if reading), default=0)

    def numbers(self, annotator: str | None = None) -> Iterator[int]:
        """The sentences that count, or count for one annotator."""
        for number, readings in enumerate(self.readings):
            if readings is None or (
                annotator is not None and readings and annotator not in readings
            ):
                continue
            yield number

    def truths(self, number: int, annotator: str | None = None) -> list[Reading]:
        """What the annotators (or one of them) changed; nobody is someone who changes nothing."""
        readings = self.readings[number] or {}
        if not readings:
            return [Reading()]
        return list(readings.values()) if annotator is None else [readings[annotator]]

    def weights(self, number: int, treatment: Treatment, annotator: str | None = None) -> Weights:
        """How much of an error each unit is: 0 to 1; what judges say goes before annotators."""
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
        negatives: which units can be negatives: all, none (no true negatives at all), or those
            whose site is among these tokens.
        annotators: the annotators who count; all by default.
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
    units: Units,
    number: int,
    source: Sentence,
    negatives: Sequence[frozenset[int]] | str,
) -> Sites:
    keys = units.keys(number, source)
    if keys is None or negatives == "none":
        return Sites(None)
    if negatives == "all":
        return Sites(len(keys))
    selected = negatives[number]
    assert not isinstance(selected, str)
    return Sites(
        len(keys), frozenset(key for key in keys if units.site(number, source, key) in selected)
    )


def read_system(
    study: Study,
    system: SystemOutput,
    detection_options: DetectionOptions,
    *,
    annotations: Sequence[Annotation] | None = None,
    threshold: float | None = None,
) -> list[Pairs]:
    """Read every sentence of a system next to each of its annotators.

    Where a system makes the same text as an annotator by other edits, it gets the annotator's
    edits. If edits are counted as in the ERRANT scorer, every edit stays as it is.

    Args:
        study: the corpus in units.
        system: what it made; a text without edits is enough for sentences.
        detection_options: how units are counted.
        annotations: its edits, where it gave text.
        threshold: flag tokens by probability, not by the system's own flags.
    """
    units, sources = study.units, study.sources
    if system.detections is not None:
        flagged = zip(sources, system.detections, strict=True)
        return [
            _face(study, number, units.flag(number, source, _flags(detection, threshold)))
            for number, (source, detection) in enumerate(flagged)
        ]
    if isinstance(units, SentenceUnits) and system.hypotheses is not None:
        texts = zip(sources, system.hypotheses, strict=True)
        return [
            _face(study, number, units.read_text(source, hypothesis))
            for number, (source, hypothesis) in enumerate(texts)
        ]
    edits = system.annotations if annotations is None else annotations
    if edits is None:
        raise DataError(f"system {system.name!r} has no edits")
    return [
        _face(study, number, units.read(number, sources[number], annotation.edits))
        if detection_options.count == "edits"
        else _share_segmentation(study, number, annotation.edits, detection_options)
        for number, annotation in enumerate(edits)
    ]


def _face(study: Study, number: int, system: Reading) -> Pairs:
    """One reading of the system next to every annotator; nobody changes nothing."""
    return {
        name: (truth, system) for name, truth in (study.readings[number] or {"": Reading()}).items()
    }


def _share_segmentation(
    study: Study, number: int, system: Edits, detection_options: DetectionOptions
) -> Pairs:
    """Read both sides by a common segmentation of their edits.

    Several annotators who are merged into one truth all face the same edits of the system.
    """
    source = study.sources[number]
    annotators = study.edits[number] or {"": ()}
    pairs: dict[str, tuple[Edits, Edits]] = {}
    is_merged = detection_options.treatment in {"any", "majority"} or (
        detection_options.treatment == "best" and study.is_judged
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
    study: Study,
    readings: Sequence[Pairs],
    detection_options: DetectionOptions,
    annotator: str | None = None,
) -> Tally:
    """A system against the annotators, or one of them, over the whole corpus."""
    if study.is_graded(detection_options.treatment):
        tallies: Iterable[Tally] = (
            _weigh_pairs(
                study, number, _choose(readings[number], annotator), detection_options, annotator
            )
            for number in study.numbers(annotator)
        )
    else:
        tallies = (
            tally_sentence(study.sites[number], truth, system, counting=detection_options.count)
            for number, truth, system in settle_truth(study, readings, detection_options, annotator)
        )
    return sum(tallies, Tally())


def _weigh_pairs(
    study: Study,
    number: int,
    pairs: Sequence[tuple[Reading, Reading]],
    detection_options: DetectionOptions,
    annotator: str | None,
) -> Tally:
    """Weigh a sentence; graded annotators count equally, each next to the system."""
    sites, weights = (
        study.sites[number],
        study.weights(number, detection_options.treatment, annotator),
    )
    if detection_options.treatment != "graded":
        return weigh_sentence(sites, weights, pairs[0][1])
    if sites.candidates is not None:  # what an annotator changes is no trivial negative of another
        changed = {key for key, weight in weights.items() if weight}
        sites = replace(sites, candidates=sites.candidates | changed)
    tallies = [
        weigh_sentence(sites, {**dict.fromkeys(truth.forms, 1), **study.judged[number]}, system)
        for truth, system in pairs
    ]
    return sum(tallies, Tally()).divided_by(len(tallies))


def settle_truth(
    study: Study,
    readings: Sequence[Pairs],
    detection_options: DetectionOptions,
    annotator: str | None = None,
) -> Iterator[tuple[int, Reading, Reading]]:
    """For every sentence that counts, the two readings that are compared: truth and system."""
    numbers = list(study.numbers(annotator))
    pairs = [_choose(readings[number], annotator) for number in numbers]
    if detection_options.treatment == "best":
        tallies = [
            [
                tally_sentence(study.sites[number], *pair, counting=detection_options.count)
                for pair in of
            ]
            for number, of in zip(numbers, pairs, strict=True)
        ]
        chosen = choose_best(
            tallies,
            beta=detection_options.beta,
            level=detection_options.level,
            selection=detection_options.selection,
        )
        for number, of, index in zip(numbers, pairs, chosen, strict=True):
            yield number, *of[index]
        return
    merge = take_majority if detection_options.treatment == "majority" else unite
    for number, of in zip(numbers, pairs, strict=True):
        yield number, merge([truth for truth, _ in of]), of[0][1]


def _choose(pairs: Pairs, annotator: str | None) -> list[tuple[Reading, Reading]]:
    """The pairs of all annotators, or of one; nobody is someone who changes nothing."""
    one = None if annotator is None else pairs.get(annotator)
    return list(pairs.values()) if one is None else [one]


@dataclass(frozen=True)
class Scored:
    """A curve, and what is not in it.

    Attributes:
        curve: over all units that have a score and are no trivial negatives.
        errors_without_score: errors that lie where the system gives no score.
        trivial: how many negatives a trivial rule recognises.
    """

    curve: Curve
    errors_without_score: float
    trivial: int


def trace_curve(
    study: Study,
    system: SystemOutput,
    *,
    treatment: Treatment,
    annotator: str | None = None,
) -> Scored | None:
    """Every operating point of a system; None if it gives no probabilities.

    Trivial negatives are left out: a trivial rule would never flag them.
    """
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
    return Scored(curve, float(without), trivial)
