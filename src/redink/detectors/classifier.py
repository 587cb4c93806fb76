"""The maximum-entropy and the perceptron detector: a linear model over the 25 features.

Maximum entropy has 35 classes, the 34 prepositions and none at all, and so finds both confused
and extraneous prepositions. The perceptron has two (a preposition belongs here, or none does), or
35 if it is trained for choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from redink.analysis.analyser import Analyser
from redink.detectors.events import Events
from redink.detectors.features import ATOMS, describe_place
from redink.detectors.findings import Finding, Thresholds
from redink.detectors.linear import Learner, LinearModel, probabilities, train
from redink.detectors.model_files import ModelFile, read_model, write_model
from redink.detectors.prepositions import CLASSES, NOTHING, PREPOSITIONS, preposition_at
from redink.errors import DataError, FormatError

Task = Literal["choice", "extraneous"]
DEFAULT_THRESHOLDS: Thresholds = {"confusion": 0.95, "extraneous": 0.95}
_BATCH = 2000


@dataclass(frozen=True)
class PrepositionClassifier:
    """A linear model that knows which preposition fits a place, or whether any does.

    Attributes:
        learner: ``maxent`` or ``perceptron``.
        task: ``choice`` among all classes, or ``extraneous`` (two classes).
        linear: the weights.
        about: provenance and settings.
        temperature: by what scores are divided before they become probabilities; 1 for maximum
            entropy, which is made for that.
        thresholds: above which a finding is an error.
    """

    learner: Learner
    task: Task
    linear: LinearModel
    about: dict[str, Any]
    temperature: float = 1.0
    thresholds: Thresholds = field(default_factory=lambda: dict(DEFAULT_THRESHOLDS))

    def probabilities(self, atoms: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Of every class at every place."""
        return probabilities(self.linear.scores(atoms) / self.temperature)

    def choose(self, atoms: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The best of the 34 prepositions for every place."""
        if self.task != "choice":
            raise DataError(
                "this model only tells whether a preposition belongs; train one for choice"
            )
        return np.asarray(self.linear.scores(atoms)[:, :NOTHING].argmax(axis=1))

    def save(self, path: str | Path) -> None:
        """Write the model to one file, its weights as small integers."""
        weights = np.asarray(self.linear.weights, np.float32)
        scales = np.maximum(np.abs(weights).max(axis=0, initial=0) / 127, 1e-9)
        if self.linear.weights.dtype == np.int8:  # it was small already
            scales = np.ones_like(scales)
        about = {
            **self.about,
            "task": self.task,
            "temperature": self.temperature,
            "thresholds": self.thresholds,
            "classes": list(CLASSES) if self.task == "choice" else ["preposition", ""],
        }
        arrays = {
            "keys": self.linear.keys,
            "weights": np.rint(weights / scales).astype(np.int8),
            "scales": (scales * self.linear.scales).astype(np.float32),
            "bias": self.linear.bias,
        }
        write_model(path, self.learner, about, arrays)


def open_classifier(file: ModelFile, path: str | Path) -> PrepositionClassifier:
    """The classifier that a model file holds."""
    if file.kind not in {"maxent", "perceptron"}:
        raise FormatError(f"is a model of the kind {file.kind!r}, no classifier", path=path)
    try:
        about = dict(file.about)
        arrays = file.arrays
        linear = LinearModel(arrays["keys"], arrays["weights"], arrays["scales"], arrays["bias"])
        task, classes = about.pop("task"), about.pop("classes")
        if task == "choice" and tuple(classes) != CLASSES:
            raise FormatError("chooses among other prepositions than this redink", path=path)
        learner: Learner = "maxent" if file.kind == "maxent" else "perceptron"
        return PrepositionClassifier(
            learner, task, linear, about, about.pop("temperature"), about.pop("thresholds")
        )
    except KeyError as error:
        raise FormatError(f"is a damaged model ({error} is missing)", path=path) from error


def load_classifier(path: str | Path) -> PrepositionClassifier:
    """Open a saved classifier; its weights are mapped, not read."""
    return open_classifier(read_model(path), path)


def train_classifier(
    events: Events,
    *,
    learner: Learner = "maxent",
    task: Task = "choice",
    rng: np.random.Generator,
    passes: int = 3,
    min_count: int = 2,
    max_features: int | None = 2_000_000,
    about: dict[str, Any] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> PrepositionClassifier:
    """Learn from events.

    Raises:
        DataError: there are no prepositions to learn from.
    """
    if not (events.labels != NOTHING).any():
        raise DataError("the text holds none of the 34 prepositions; there is nothing to learn")
    labels = events.labels
    if task == "extraneous":
        labels = (labels == NOTHING).astype(np.uint8)
    linear = train(
        events.atoms, labels, classes=len(CLASSES) if task == "choice" else 2, rng=rng,
        learner=learner, passes=passes, min_count=min_count, max_features=max_features,
        on_progress=on_progress,
    )  # fmt: skip
    temperature = 1.0
    if learner == "perceptron":
        # A perceptron's scores are no logarithms of odds; its usual margin becomes odds of e^3.
        some = linear.scores(events.atoms[:20_000])
        two = np.sort(some, axis=1)[:, -2:]
        temperature = max(float((two[:, 1] - two[:, 0]).mean()) / 3, 1e-6)
    told = {
        "events": len(labels),
        "prepositions": int((events.labels != NOTHING).sum()),
        "features": len(linear.keys),
        "passes": passes,
        "min_count": min_count,
        **(about or {}),
    }
    return PrepositionClassifier(learner, task, linear, told, temperature)


@dataclass(frozen=True)
class ClassifierDetector:
    """Marks prepositions that a classifier would have otherwise."""

    classifier: PrepositionClassifier
    analyser: Analyser

    @property
    def thresholds(self) -> Thresholds:
        """Those of the model."""
        return self.classifier.thresholds

    def examine(self, sentences: Sequence[tuple[str, ...]]) -> list[list[Finding]]:
        """A finding for every preposition: the likelier of the two kinds of error."""
        found: list[list[Finding]] = []
        for begin in range(0, len(sentences), _BATCH):
            found += self._examine(sentences[begin : begin + _BATCH])
        return found

    def _examine(self, sentences: Sequence[tuple[str, ...]]) -> list[list[Finding]]:
        places: list[tuple[int, int, int]] = []
        rows: list[tuple[int, ...]] = []
        with self.analyser.analyse(sentences) as batch:
            for number, a in enumerate(batch.analyses):
                for at in range(len(a)):
                    written = preposition_at(a.lower, at)
                    if written is not None:
                        places.append((number, at, written))
                        rows.append(describe_place(a.lower, a.tag, a.lemma, at, at + 1))
        found: list[list[Finding]] = [[] for _ in sentences]
        atoms = np.array(rows, np.uint32).reshape(-1, len(ATOMS))
        likely = self.classifier.probabilities(atoms)
        for (number, at, written), row in zip(places, likely, strict=True):
            found[number].append(_judge(at, written, row, self.classifier.task))
        return found


def _judge(at: int, written: int, row: NDArray[np.float64], task: Task) -> Finding:
    """The error that a place most likely has, and the odds of it against the written word."""
    if task == "extraneous":
        return Finding(at, "extraneous", "", float(row[1]))
    others = row[:NOTHING].copy()
    others[written] = -1
    best = int(others.argmax())
    own = float(row[written]) + 1e-12
    confusion = float(row[best]) / (float(row[best]) + own)
    extraneous = float(row[NOTHING]) / (float(row[NOTHING]) + own)
    if extraneous > confusion:
        return Finding(at, "extraneous", "", extraneous)
    return Finding(at, "confusion", PREPOSITIONS[best], confusion)
