"""The maximum-entropy and the perceptron classifier: a linear model over the 25 features.

Both have 35 classes, the 34 prepositions and none at all. For the task ``choice`` a detector finds
confused and extraneous prepositions; for ``extraneous`` it weighs the written word against none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from redink.detectors.events import Events
from redink.detectors.features import CLASSES, NOTHING, Thresholds
from redink.detectors.linear import Learner, LinearModel, probabilities, train
from redink.detectors.model_files import ModelFile, read_model, write_model
from redink.errors import DataError, FormatError

Task = Literal["choice", "extraneous"]
# Tuned for a precision of 0.35 on learners' sentences (JFLEG); docs/detectors.md says how.
DEFAULT_THRESHOLDS: dict[Task, Thresholds] = {
    "choice": {"confusion": 0.25, "extraneous": 0.4},
    "extraneous": {"extraneous": 0.97},
}


@dataclass(frozen=True)
class PrepositionClassifier:
    """A linear model that knows which preposition fits a place, or whether any does.

    Attributes:
        learner: ``maxent`` or ``perceptron``.
        task: ``choice`` among all classes, or ``extraneous``: the written word or none.
        linear: the weights.
        frequencies: how often each preposition occurs in the text learnt from.
        about: provenance and settings.
        temperature: by what scores are divided before they become probabilities; 1 for maximum
            entropy, which is made for that.
        thresholds: above which a finding is an error.
    """

    learner: Learner
    task: Task
    linear: LinearModel
    frequencies: NDArray[np.float32]
    about: dict[str, Any]
    temperature: float
    thresholds: Thresholds

    def probabilities(self, atoms: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Of every class at every place."""
        return probabilities(self.linear.scores(atoms) / self.temperature)

    def choose(self, atoms: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The best of the 34 prepositions for every place."""
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
            "classes": list(CLASSES),
        }
        arrays = {
            "keys": self.linear.keys,
            "weights": np.rint(weights / scales).astype(np.int8),
            "scales": (scales * self.linear.scales).astype(np.float32),
            "bias": self.linear.bias,
            "frequencies": self.frequencies,
        }
        write_model(path, self.learner, about, arrays)


def open_classifier(file: ModelFile, path: str | Path) -> PrepositionClassifier:
    """The classifier that a model file holds."""
    if file.kind not in {"maxent", "perceptron"}:
        raise FormatError(f"is a model of the kind {file.kind!r}, not a classifier", path=path)
    try:
        about = dict(file.about)
        arrays = file.arrays
        _check_arrays(arrays, about)
        linear = LinearModel(arrays["keys"], arrays["weights"], arrays["scales"], arrays["bias"])
        task, classes = about.pop("task"), about.pop("classes")
        if tuple(classes) != CLASSES:
            raise FormatError("chooses among other prepositions than this redink", path=path)
        learner: Learner = "maxent" if file.kind == "maxent" else "perceptron"
        return PrepositionClassifier(
            learner,
            task,
            linear,
            arrays["frequencies"],
            about,
            about.pop("temperature"),
            about.pop("thresholds"),
        )
    except (KeyError, TypeError) as error:
        raise FormatError("is a damaged model: a part is missing", path=path) from error
    except DataError as error:
        raise FormatError(str(error), path=path) from error


def _check_arrays(arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> None:
    classes = len(CLASSES)
    features = arrays["keys"].shape[:1]
    wanted = {
        "keys": ("u8", features),
        "weights": ("i1", (*features, classes)),
        "scales": ("f4", (classes,)),
        "bias": ("f4", (classes,)),
        "frequencies": ("f4", (NOTHING,)),
    }
    sizes = [about["temperature"], *dict(about["thresholds"]).values()]
    if (
        any((arrays[name].dtype.str[1:], arrays[name].shape) != w for name, w in wanted.items())
        or about["task"] not in {"choice", "extraneous"}
        or not all(isinstance(size, float | int) and math.isfinite(size) for size in sizes)
        or about["temperature"] <= 0
        or not (np.isfinite(arrays["scales"]).all() and np.isfinite(arrays["bias"]).all())
    ):
        raise DataError("is a damaged model: its parts do not fit")


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
) -> PrepositionClassifier:
    """Learn from events.

    Raises:
        DataError: there are no prepositions to learn from.
    """
    if not (events.labels != NOTHING).any():
        raise DataError("the text holds none of the 34 prepositions; there is nothing to learn")
    linear = train(
        events.atoms,
        events.labels,
        classes=len(CLASSES),
        rng=rng,
        learner=learner,
        passes=passes,
        min_count=min_count,
        max_features=max_features,
    )
    temperature = 1.0
    if learner == "perceptron":
        # A perceptron's scores are no logarithms of odds; its usual margin becomes odds of e^3.
        some = linear.scores(events.atoms[:20_000])
        two = np.sort(some, axis=1)[:, -2:]
        temperature = max(float((two[:, 1] - two[:, 0]).mean()) / 3, 1e-6)
    told = {
        "events": len(events),
        "prepositions": int((events.labels != NOTHING).sum()),
        "features": len(linear.keys),
        "passes": passes,
        "min_count": min_count,
        **(about or {}),
    }
    frequencies = count_frequencies(events.labels)
    thresholds = dict(DEFAULT_THRESHOLDS[task])
    return PrepositionClassifier(learner, task, linear, frequencies, told, temperature, thresholds)


def count_frequencies(labels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The share of every preposition in a text; one that is not in it counts as seen once."""
    counts = np.bincount(labels[labels != NOTHING], minlength=NOTHING).clip(min=1)
    return np.asarray(counts / counts.sum(), np.float32)
