"""A corpus seen through one kind of unit: who changes what, tallies, and curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Literal

import numpy as np

from redink.detection.curves import Curve, sweep_thresholds
from redink.detection.units import SentenceUnits, Units
from redink.detection.was import (
    Counting,
    Key,
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


Undefined = Literal["empty", "one"]
"""What a share of nothing is."""


@dataclass(frozen=True)
class Reckoning(Options):
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

    def settle(self, *, curve: bool, graded: bool) -> Reckoning:
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
        readings: for every sentence, what each annotator who saw it changed; None for a sentence
            that none of the annotators asked for has seen, which is left out.
        judged: for every sentence, the shares of judges who call a unit an error.
    """

    units: Units
    sources: tuple[Sentence, ...]
    sites: tuple[Sites, ...]
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
    readings: list[Mapping[str, Reading] | None] = []
    for number, sentence in enumerate(corpus.sentences):
        source = sentence.source
        sites.append(_sites_of(units, number, source, negatives))
        chosen = [a for a in sentence.annotations if not annotators or a.annotator in annotators]
        if sentence.annotations and not chosen:
            readings.append(None)
        else:
            readings.append({a.annotator: units.read(number, source, a.edits) for a in chosen})
    given = judged or {}
    return Study(
        units,
        tuple(sentence.source for sentence in corpus.sentences),
        tuple(sites),
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
    *,
    annotations: Sequence[Annotation] | None = None,
    threshold: float | None = None,
) -> list[Reading]:
    """What a system changes or flags in every sentence.

    Args:
        study: the corpus in units.
        system: what it made; a text without edits is enough for sentences.
        annotations: its edits, where it gave text.
        threshold: flag tokens by probability, not by the system's own flags.
    """
    if system.detections is not None:
        return [
            study.units.flag(number, source, _flags(detection, threshold))
            for number, (source, detection) in enumerate(
                zip(study.sources, system.detections, strict=True)
            )
        ]
    if isinstance(study.units, SentenceUnits) and system.hypotheses is not None:
        return [
            study.units.read_text(source, hypothesis)
            for source, hypothesis in zip(study.sources, system.hypotheses, strict=True)
        ]
    edits = system.annotations if annotations is None else annotations
    if edits is None:
        raise DataError(f"system {system.name!r} has no edits")
    return [
        study.units.read(number, source, annotation.edits)
        for number, (source, annotation) in enumerate(zip(study.sources, edits, strict=True))
    ]


def _flags(detection: Detection, threshold: float | None) -> Sequence[bool]:
    if threshold is None:
        return detection.flags
    if detection.probabilities is None:
        raise DataError(
            "a threshold needs a probability for every token, and one sentence has none"
        )
    return [probability >= threshold for probability in detection.probabilities]


def tally_system(
    study: Study, readings: Sequence[Reading], how: Reckoning, annotator: str | None = None
) -> Tally:
    """A system against the annotators, or one of them, over the whole corpus."""
    if study.is_graded(how.treatment):
        tallies: Iterable[Tally] = (
            weigh_sentence(
                study.sites[number],
                study.weights(number, how.treatment, annotator),
                readings[number],
            )
            for number in study.numbers(annotator)
        )
    else:
        tallies = (
            tally_sentence(study.sites[number], truth, readings[number], counting=how.count)
            for number, truth in settle_truth(study, readings, how, annotator)
        )
    return sum(tallies, Tally())


def settle_truth(
    study: Study, readings: Sequence[Reading], how: Reckoning, annotator: str | None = None
) -> Iterator[tuple[int, Reading]]:
    """For every sentence that counts, the one reading that the system is held against."""
    if how.treatment == "best":
        numbers = list(study.numbers())
        tallies = [
            [
                tally_sentence(study.sites[number], truth, readings[number], counting=how.count)
                for truth in study.truths(number)
            ]
            for number in numbers
        ]
        chosen = choose_best(tallies, beta=how.beta, level=how.level, selection=how.selection)
        for number, index in zip(numbers, chosen, strict=True):
            yield number, study.truths(number)[index]
        return
    merge = take_majority if how.treatment == "majority" else unite
    for number in study.numbers(annotator):
        yield number, merge(study.truths(number, annotator))


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
