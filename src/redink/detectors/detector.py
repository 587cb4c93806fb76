"""The detectors: what they say about a preposition, and when it is an error.

A classifier says how well every word fits a place, p(word | place). That alone is a poor judge of
writers: *since*, *without* or *through* are rarely the likeliest word anywhere, but who writes
them means them. So a slip is seen as a noisy channel. With a small chance a writer slips, and then
writes a word as often as it is written at all, whatever the place wants; else the word is the one
that the place wants. By Bayes' rule the odds of a slip are

    rate / (1 - rate) * frequency(written) * (1 - p(written | place)) / p(written | place)

A word is suspect not where another fits better, but where it fits its place worse than it fits
places in general. A language model, which knows no places, is asked whether the sentence is
likelier without the preposition.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from redink.analysis.analyzer import Analyzer
from redink.detectors.classifier import PrepositionClassifier, open_classifier
from redink.detectors.events import Tokens, find_prepositions
from redink.detectors.features import (
    KINDS,
    NOTHING,
    PREPOSITIONS,
    Kind,
    Thresholds,
    preposition_at,
)
from redink.detectors.language_model import LanguageModel, deletion_log_odds
from redink.detectors.model_files import read_model
from redink.errors import OptionError
from redink.model import AnnotatedSentence, Detection, Edit

RESOURCES = Path(__file__).with_name("resources")
SHIPPED = {"maxent": RESOURCES / "maxent.model", "lm": RESOURCES / "lm.model"}
ERROR_RATE = 0.1
"""How many prepositions of learners are wrong: 6 to 10 % (Tetreault and Chodorow 2008)."""
_TINY = 1e-12
_STEEPEST = 500.0
EDIT_TYPES: dict[Kind, str] = {"confusion": "R:PREP", "extraneous": "U:PREP"}
NEVER = 1.0
"""A threshold that no confidence is above."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One preposition of a sentence.

    Attributes:
        index: the token.
        kind: what would be wrong with it.
        correction: the better preposition; empty where none belongs.
        confidence: from 0 to 1, how sure the detector is that it is wrong.
    """

    index: int
    kind: Kind
    correction: str
    confidence: float


class Detector(Protocol):
    """What finds preposition errors."""

    @property
    def thresholds(self) -> Thresholds:
        """Above which confidence a finding of each kind is marked as an error."""

    def examine(self, sentences: Sequence[Tokens]) -> list[list[Finding]]:
        """The findings for every preposition of every sentence, marked or not."""


def is_marked(finding: Finding, thresholds: Thresholds) -> bool:
    """Whether a finding is an error; on a draw it is not."""
    return finding.confidence > thresholds.get(finding.kind, NEVER)


def to_edits(
    tokens: Sequence[str], findings: Iterable[Finding], thresholds: Thresholds
) -> tuple[Edit, ...]:
    """The findings that are marked, as edits; a capital letter stays one."""
    edits = []
    for finding in findings:
        if is_marked(finding, thresholds):
            correction = finding.correction
            if tokens[finding.index][:1].isupper():
                correction = correction.capitalize()
            edits.append(
                Edit(finding.index, finding.index + 1, correction, EDIT_TYPES[finding.kind])
            )
    return tuple(edits)


def to_detection(
    tokens: Sequence[str], findings: Iterable[Finding], thresholds: Thresholds
) -> Detection:
    """Flags and probabilities for all tokens; a token that is not a preposition has 0."""
    flags = [False] * len(tokens)
    likely = [0.0] * len(tokens)
    for finding in findings:
        flags[finding.index] = is_marked(finding, thresholds)
        if finding.kind in thresholds:
            likely[finding.index] = round(finding.confidence, 9)
    return Detection(tuple(tokens), tuple(flags), tuple(likely))


def tune_thresholds(
    gold: Sequence[AnnotatedSentence],
    findings: Sequence[Sequence[Finding]],
    precision: float,
    *,
    types: Collection[str] = (),
) -> tuple[Thresholds, list[str]]:
    """For each kind, the lowest threshold that reaches a precision on annotated text.

    A finding is right if an edit of any annotator touches its token.

    Args:
        gold: the annotated text.
        findings: what the detector says about it.
        precision: what to reach.
        types: count edits of these types only (``PREP`` stands for ``R:PREP`` and ``U:PREP``).

    Returns:
        The thresholds, and a note for each kind that says what was reached.
    """
    if not 0 < precision <= 1:
        raise OptionError(f"a precision lies between 0 and 1, not at {precision}")
    thresholds: Thresholds = {}
    notes = []
    for kind in KINDS:
        judged = sorted(
            (
                (finding.confidence, _is_error(sentence, finding.index, types))
                for sentence, found in zip(gold, findings, strict=True)
                for finding in found
                if finding.kind == kind
            ),
            reverse=True,
        )
        right, best = 0, 0
        for count, (_, is_error) in enumerate(judged, start=1):
            right += is_error
            # Findings of equal confidence are marked together or not at all.
            ends = count == len(judged) or judged[count][0] < judged[count - 1][0]
            if ends and right and right / count >= precision:
                best = count
        if not best:
            thresholds[kind] = NEVER
            notes.append(
                f"{kind}: no threshold reaches a precision of {precision:g}; none is marked"
            )
            continue
        lower = judged[best][0] if best < len(judged) else 0.0
        thresholds[kind] = lower
        hits = sum(is_error for _, is_error in judged[:best])
        notes.append(
            f"{kind}: above {lower:.4f} {best} are marked, precision {hits / best:.4f} "
            "on the tuning text"
        )
    return thresholds, notes


def _is_error(sentence: AnnotatedSentence, index: int, types: Collection[str]) -> bool:
    return any(
        edit.start <= index < edit.end
        and (not types or edit.type in types or edit.type[2:] in types)
        for annotation in sentence.annotations
        for edit in annotation.edits
    )


# ---- detectors


def model_path(model: str | Path) -> Path:
    """The file of a model: of a shipped one by its name, else the path itself."""
    if str(model) == "perceptron":
        raise OptionError(
            "no perceptron comes with redink; train one with "
            "'redink detect train TEXT --detector perceptron -o FILE'"
        )
    return SHIPPED.get(str(model), Path(model))


def load_detector(model: str | Path, analyser: Analyzer) -> Detector:
    """The detector of a model, told by what its file says it is."""
    path = model_path(model)
    file = read_model(path)
    if file.kind == "lm":
        return LanguageModelDetector(LanguageModel.load(path))
    return ClassifierDetector(open_classifier(file, path), analyser)


@dataclass(frozen=True)
class ClassifierDetector:
    """Marks prepositions that a classifier would have otherwise."""

    classifier: PrepositionClassifier
    analyser: Analyzer

    @property
    def thresholds(self) -> Thresholds:
        """Those of the model."""
        return self.classifier.thresholds

    def examine(self, sentences: Sequence[Tokens]) -> list[list[Finding]]:
        """A finding for every preposition: the likelier of the two kinds of error."""
        found: list[list[Finding]] = [[] for _ in sentences]
        places, atoms = find_prepositions(sentences, self.analyser)
        likely = self.classifier.probabilities(atoms)
        for (number, at, written), row in zip(places, likely, strict=True):
            if self.classifier.task == "extraneous":
                found[number].append(judge_presence(at, written, row))
            else:
                found[number].append(judge_place(at, written, row, self.classifier.frequencies))
        return found


def judge_place(
    at: int, written: int, fits: NDArray[np.float64], frequencies: NDArray[np.float32]
) -> Finding:
    """The error that a preposition most likely is, and how likely it is one of any kind.

    Args:
        at: the token.
        written: the number of the preposition that stands there.
        fits: the probability of each of the 34 prepositions, and of none, at this place.
        frequencies: of each preposition in general.
    """
    others = fits.copy()
    others[written] = -1.0
    best = int(others.argmax())
    own = float(fits[written]) + _TINY
    odds = ERROR_RATE / (1 - ERROR_RATE) * float(frequencies[written]) * max(1 - own, 0.0) / own
    confidence = odds / (1 + odds)
    if best == NOTHING:
        return Finding(at, "extraneous", "", confidence)
    return Finding(at, "confusion", PREPOSITIONS[best], confidence)


def judge_presence(at: int, written: int, fits: NDArray[np.float64]) -> Finding:
    """Whether a preposition is extraneous: none at all against the written one."""
    nothing = float(fits[NOTHING])
    return Finding(at, "extraneous", "", nothing / (nothing + float(fits[written]) + _TINY))


@dataclass(frozen=True)
class LanguageModelDetector:
    """Marks a preposition without which a sentence is likelier, word by word; a draw is OK."""

    model: LanguageModel

    @property
    def thresholds(self) -> Thresholds:
        """Even odds: the sentence without the preposition must be the likelier."""
        return {"extraneous": 0.5}

    def examine(self, sentences: Sequence[Tokens]) -> list[list[Finding]]:
        """A finding for every preposition, its confidence made from the log odds."""
        found = []
        for tokens in sentences:
            lower = [token.lower() for token in tokens]
            places = [at for at in range(len(lower)) if preposition_at(lower, at) is not None]
            odds = deletion_log_odds(self.model, tokens, places) if places else []
            found.append(
                [
                    Finding(at, "extraneous", "", to_probability(value))
                    for at, value in zip(places, odds, strict=True)
                ]
            )
        return found


def to_probability(log_odds: float) -> float:
    """Natural log odds as a probability; 0 becomes one half."""
    return 1 / (1 + math.exp(-min(max(log_odds, -_STEEPEST), _STEEPEST)))
