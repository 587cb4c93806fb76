"""Preposition error detectors: confidence, thresholds, edits.

A classifier estimates how well every word fits a position, p(word | position). Writers' errors are
modeled as a noisy channel: with a small probability (``ERROR_RATE``), a writer makes an error and
writes a word by its general frequency; otherwise the word is the one that fits the position. By
Bayes' rule, the odds of an error are

    rate / (1 - rate) * frequency(written) * (1 - p(written | position)) / p(written | position)

So a word is suspect if it fits this position worse than positions in general. A language model
instead compares the probability of the sentence with and without the preposition.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redink.analysis.analyzer import Analyzer
from redink.detectors.classifier import PrepositionClassifier, open_classifier
from redink.detectors.features import (
    CLASSES,
    KINDS,
    OTHER,
    Kind,
    Thresholds,
    Tokens,
    find_prepositions,
    preposition_at,
)
from redink.detectors.language_model import (
    NgramModel,
    deletion_log_odds,
    is_arpa,
    open_language_model,
    read_arpa,
)
from redink.detectors.model_files import read_model
from redink.errors import OptionError
from redink.model import AnnotatedSentence, Detection, Edit
from redink.statistics.intervals import wilson_interval

RESOURCES = Path(__file__).with_name("resources")
SHIPPED = {"maxent": RESOURCES / "maxent.npz", "lm": RESOURCES / "lm.npz"}
ERROR_RATE = 0.1  # of learners' prepositions; 6 to 10% in Tetreault and Chodorow (2008)
_TINY = 1e-12
_STEEPEST = 500.0
Decision = Literal["channel", "difference"]
_DIFFERENCES: Thresholds = {"confusion": 0.7, "extraneous": 0.7}
EDIT_TYPES: dict[Kind, str] = {"confusion": "R:PREP", "extraneous": "U:PREP"}
NEVER = 1.0  # a threshold that no confidence exceeds


@dataclass(frozen=True, slots=True)
class PrepositionFinding:
    """The likeliest error at one preposition, and the confidence (0 to 1) that it is an error."""

    index: int
    kind: Kind
    correction: str  # the better preposition; empty if none belongs there
    confidence: float
    by_rule: bool = False  # marked by a rule, whatever the thresholds


def is_marked(finding: PrepositionFinding, thresholds: Thresholds) -> bool:
    """Return whether a finding is above its threshold."""
    return finding.by_rule or finding.confidence > thresholds.get(finding.kind, NEVER)


def to_edits(
    tokens: Sequence[str], findings: Iterable[PrepositionFinding], thresholds: Thresholds
) -> tuple[Edit, ...]:
    """Return the marked findings as edits, capitalized like the token."""
    edits = []
    for finding in findings:
        if is_marked(finding, thresholds):
            at, correction = finding.index, finding.correction
            if tokens[at][:1].isupper():
                correction = correction.capitalize()
            edits.append(Edit(at, at + 1, correction, EDIT_TYPES[finding.kind]))
    return tuple(edits)


def to_detection(
    tokens: Sequence[str], findings: Iterable[PrepositionFinding], thresholds: Thresholds
) -> Detection:
    """Return flags and probabilities for all tokens; tokens that are not prepositions have 0."""
    flags = [False] * len(tokens)
    likely = [0.0] * len(tokens)
    for finding in findings:
        flags[finding.index] = is_marked(finding, thresholds)
        if finding.by_rule or finding.kind in thresholds:
            likely[finding.index] = round(finding.confidence, 9)
    return Detection(tuple(tokens), tuple(flags), tuple(likely))


def tune_thresholds(
    gold: Sequence[AnnotatedSentence],
    findings: Sequence[Sequence[PrepositionFinding]],
    precision: float,
    *,
    types: Collection[str] = (),
    min_support: int = 20,
    lower_bound: bool = False,
) -> tuple[Thresholds, list[str]]:
    """Return the lowest thresholds that reach a precision on annotated text, with notes.

    A finding is correct if an edit of any annotator covers its token; ``types`` limits these edits
    (``PREP`` includes ``R:PREP`` and ``U:PREP``). At least ``min_support`` findings must be marked.
    With ``lower_bound``, the lower bound of Wilson's 95% interval must reach the precision.
    """
    if not 0 < precision <= 1:
        raise OptionError(f"--precision must be between 0 and 1, not {precision}")
    thresholds: Thresholds = {}
    notes = []
    for kind in KINDS:
        judged = sorted(
            (
                (finding.confidence, _is_error(sentence, finding.index, types))
                for sentence, found in zip(gold, findings, strict=True)
                for finding in found
                if finding.kind == kind and not finding.by_rule
            ),
            reverse=True,
        )
        confidence = np.array([one for one, _ in judged])
        right, count = np.cumsum([hit for _, hit in judged]), np.arange(1, len(judged) + 1)
        reached = wilson_interval(right, count)
        # Findings of equal confidence are marked together or not at all.
        ends = np.append(confidence[1:] < confidence[:-1], True)[: len(judged)]
        enough = reached.low if lower_bound else reached.estimate
        good = np.flatnonzero(ends & (count >= min_support) & (right > 0) & (enough >= precision))
        if len(good):
            last = int(good[-1])
            thresholds[kind] = float(confidence[last + 1]) if last + 1 < len(judged) else 0.0
            interval = f"[{reached.low[last]:.4f}, {reached.high[last]:.4f}]"
            notes.append(
                f"{kind}: above {thresholds[kind]:.4f} {last + 1} are marked on the tuning text, "
                f"precision {reached.estimate[last]:.4f} {interval}"
            )
        else:
            thresholds[kind] = NEVER
            notes.append(
                f"{kind}: no threshold that marks at least {min_support} reaches a precision of "
                f"{precision:g}; nothing is marked"
            )
    return thresholds, notes


def _is_error(sentence: AnnotatedSentence, index: int, types: Collection[str]) -> bool:
    return any(
        edit.start <= index < edit.end
        and (not types or edit.type in types or edit.type[2:] in types)
        for annotation in sentence.annotations
        for edit in annotation.edits
    )


def model_path(model: str | Path) -> Path:
    """Return the file of a bundled model by its name, or the path itself."""
    if str(model) == "perceptron":
        raise OptionError(
            "no perceptron is bundled with redink; train one with "
            "'redink detector train TEXT --detector perceptron -o FILE'"
        )
    return SHIPPED.get(str(model), Path(model))


@dataclass(frozen=True)
class ClassifierDetector:
    """Marks prepositions that do not fit their position, using a classifier."""

    classifier: PrepositionClassifier
    analyzer: Analyzer
    decision: Decision = "channel"

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds of the model, or those of the rule of differences."""
        if self.decision == "difference" and self.classifier.task == "choice":
            return dict(_DIFFERENCES)
        return self.classifier.thresholds

    def examine(self, sentences: Sequence[Tokens]) -> list[list[PrepositionFinding]]:
        """Return a finding for every preposition of every sentence, marked or not."""
        found: list[list[PrepositionFinding]] = [[] for _ in sentences]
        classes = self.classifier.classes
        places, atoms = find_prepositions(sentences, self.analyzer, classes=classes)
        likely = self.classifier.probabilities(atoms)
        for (number, at, written), row in zip(places, likely, strict=True):
            if self.classifier.task == "extraneous":
                nothing = float(row[-1])
                confidence = nothing / (nothing + float(row[written]) + _TINY)
                found[number].append(PrepositionFinding(at, "extraneous", "", confidence))
            else:
                how = (self.classifier.frequencies, self.decision, classes)
                found[number].append(judge_place(at, written, row, *how))
        return found


def judge_place(
    at: int,
    written: int,
    fits: NDArray[np.float64],
    frequencies: NDArray[np.float32],
    decision: Decision = "channel",
    classes: Sequence[str] = CLASSES,
) -> PrepositionFinding:
    """Return the likeliest error at a preposition, with the confidence that there is any.

    ``fits`` are the probabilities of the classes at this position; the last is no preposition.
    With ``difference``, as in Tetreault and Chodorow (2008), the confidence is the probability of
    the best other choice minus that of the written preposition, at least 0.
    """
    others = fits.copy()
    others[[written, *(i for i, name in enumerate(classes) if name == OTHER)]] = -1.0
    best = int(others.argmax())
    own = float(fits[written]) + _TINY
    odds = ERROR_RATE / (1 - ERROR_RATE) * float(frequencies[written]) * max(1 - own, 0.0) / own
    confidence = odds / (1 + odds)
    if decision == "difference":
        confidence = max(float(fits[best] - fits[written]), 0.0)
    if not classes[best]:
        return PrepositionFinding(at, "extraneous", "", confidence)
    return PrepositionFinding(at, "confusion", classes[best], confidence)


@dataclass(frozen=True)
class LanguageModelDetector:
    """Marks prepositions without which the sentence is more probable per word."""

    model: NgramModel

    @property
    def thresholds(self) -> Thresholds:
        """Even odds."""
        return {"extraneous": 0.5}

    def examine(self, sentences: Sequence[Tokens]) -> list[list[PrepositionFinding]]:
        """Return a finding for every preposition."""
        found = []
        for tokens in sentences:
            lower = [token.lower() for token in tokens]
            places = [at for at in range(len(lower)) if preposition_at(lower, at) is not None]
            odds = deletion_log_odds(self.model, tokens, places) if places else []
            likely = zip(places, map(_to_probability, odds), strict=True)
            found.append([PrepositionFinding(at, "extraneous", "", p) for at, p in likely])
        return found


def _to_probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-min(max(log_odds, -_STEEPEST), _STEEPEST)))


Detector = ClassifierDetector | LanguageModelDetector


def load_detector(
    model: str | Path, analyzer: Analyzer, decision: Decision = "channel"
) -> Detector:
    """Return the detector of a model, by the kind that its file states; also of an ARPA file."""
    path = model_path(model)
    if is_arpa(path):
        language_model = read_arpa(path)
    elif (file := read_model(path)).kind == "lm":
        language_model = open_language_model(file, path)
    else:
        return ClassifierDetector(open_classifier(file, path), analyzer, decision)
    if decision != "channel":
        raise OptionError(
            f"--decision {decision} requires a classifier; {path} is a language model"
        )
    return LanguageModelDetector(language_model)
