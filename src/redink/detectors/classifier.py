"""The maximum-entropy and perceptron classifiers: linear models over the 25 features.

Both have 35 classes: the 34 prepositions, and no preposition. For the task ``choice``, a detector
finds confused and extraneous prepositions; for ``extraneous``, it compares the written preposition
with no preposition.
Training updates only the rows of weights whose features are in a batch. Maximum entropy is
multinomial logistic regression with AdaGrad; the perceptron is averaged over all batches (Freund
and Schapire 1999).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from redink.detectors.features import (
    CLASSES,
    FEATURES,
    NOTHING,
    Events,
    Thresholds,
    feature_column,
    feature_keys,
)
from redink.detectors.model_files import ModelFile, read_model, write_model
from redink.errors import DataError, FormatError
from redink.progress import tell
from redink.statistics.arrays import sum_rows

Task = Literal["choice", "extraneous"]
Learner = Literal["maxent", "perceptron"]
# Tuned for a precision of 0.35 on learners' sentences (JFLEG), as docs/detectors.md explains.
DEFAULT_THRESHOLDS: dict[Task, Thresholds] = {
    "choice": {"confusion": 0.25, "extraneous": 0.4},
    "extraneous": {"extraneous": 0.97},
}
# The perceptron is updated by all errors of a batch at once, so large batches overshoot: with
# 2048 positions per batch it chose the correct preposition in 47% of cases, with 64 in 68%.
_BATCH: dict[Learner, int] = {"maxent": 2048, "perceptron": 64}
_SCORE_BATCH = 16_384
_TINY = 1e-6
_RATE = 0.1  # learning rate of maximum entropy
_DECAY = 1e-5  # l2 penalty of maximum entropy


@dataclass(frozen=True)
class LinearModel:
    """Weights by feature and class."""

    keys: NDArray[np.uint64]  # the features, sorted
    weights: NDArray[np.int8] | NDArray[np.float32]
    scales: NDArray[np.float32]  # the factor of ``weights``, for every class
    bias: NDArray[np.float32]

    def scores(self, atoms: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the score of every class: one row per place."""
        parts = [np.empty((0, len(self.bias)))]
        for begin in range(0, len(atoms), _SCORE_BATCH):
            keys = feature_keys(atoms[begin : begin + _SCORE_BATCH])
            present, rows = _distinct_rows(find_features(self.keys, keys))
            summed = _sum_features(rows, self.weights[present].astype(np.float32))
            parts.append(np.asarray(summed * self.scales + self.bias, np.float64))
        return np.concatenate(parts)


def probabilities(scores: NDArray[np.float64], *, one_vs_rest: bool = False) -> NDArray[np.float64]:
    """Return the softmax of every row, or the independent probability of every class."""
    if one_vs_rest:
        return np.asarray(1 / (1 + np.exp(-np.clip(scores, -500, 500))), np.float64)
    exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=1, keepdims=True), np.float64)


def find_features(vocabulary: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return the index of every key in a sorted vocabulary, or -1."""
    if not len(vocabulary):
        return np.full(keys.shape, -1, np.int32)
    at = np.searchsorted(vocabulary, keys)
    at[at == len(vocabulary)] = 0
    return np.where(vocabulary[at] == keys, at, -1).astype(np.int32)


def _distinct_rows(found: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the features that occur, and the rows as their indices; the last one for none."""
    valid = found >= 0
    present, columns = np.unique(found[valid], return_inverse=True)
    rows = np.full(found.shape, len(present))
    rows[valid] = columns
    return present, rows


def _sum_features(rows: NDArray[np.int64], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the sum of the weights of each row's features."""
    padded = np.concatenate([weights, np.zeros_like(weights[:1], shape=(1, weights.shape[1]))])
    return np.asarray(padded[rows].sum(axis=1))


def _sum_events(
    rows: NDArray[np.int64], values: NDArray[np.float32], features: int
) -> NDArray[np.float32]:
    """Return, for each feature, the sum of the values of the rows that have it."""
    repeated = np.repeat(values, rows.shape[1], axis=0)
    return np.asarray(sum_rows(repeated, rows.ravel(), features + 1)[:-1], np.float32)


def choose_features(
    atoms: NDArray[np.uint32], *, min_count: int, max_features: int | None = None
) -> NDArray[np.uint64]:
    """Return the features that occur often enough, sorted; at most the most frequent ones."""
    kept, counts = [], []
    # One feature at a time, so that memory stays at a few arrays as long as the events.
    for column in range(len(FEATURES)):
        keys, occurrences = np.unique(feature_column(atoms, column), return_counts=True)
        often = occurrences >= min_count
        kept.append(keys[often])
        counts.append(occurrences[often])
    keys = np.concatenate(kept)
    if max_features is not None and len(keys) > max_features:
        keys = keys[np.argsort(-np.concatenate(counts), kind="stable")[:max_features]]
    return np.unique(keys)


def _train_linear(
    events: Events,
    learner: Learner,
    rng: np.random.Generator,
    passes: int,
    vocabulary: NDArray[np.uint64],
    *,
    one_vs_rest: bool,
) -> LinearModel:
    classes = len(events.classes)
    weights = np.zeros((len(vocabulary) + 1, classes), np.float32)  # the last row is the bias
    step = (
        _EntropyStep(weights, one_vs_rest=one_vs_rest)
        if learner == "maxent"
        else _PerceptronStep(weights)
    )
    seen, size = 0, _BATCH[learner]
    for _ in range(passes):
        order = rng.permutation(len(events))
        for begin in range(0, len(order), size):
            batch = order[begin : begin + size]
            found = find_features(vocabulary, feature_keys(events.atoms[batch]))
            bias = np.full((len(batch), 1), len(vocabulary), np.int32)
            step.learn(np.concatenate([found, bias], axis=1), events.labels[batch])
            seen += len(batch)
            tell("training on events", seen, passes * len(events))
    learned, scales = step.result(), np.ones(classes, np.float32)
    return LinearModel(vocabulary, learned[:-1], scales, learned[-1].copy())


class _EntropyStep:
    """AdaGrad on the cross entropy, of all classes together or of each against the others."""

    def __init__(self, weights: NDArray[np.float32], *, one_vs_rest: bool) -> None:
        self._weights = weights
        self._one_vs_rest = one_vs_rest
        self._squares = np.zeros_like(weights)

    def learn(self, found: NDArray[np.int32], labels: NDArray[np.uint8]) -> None:
        present, rows = _distinct_rows(found)
        current = self._weights[present]
        scores = _sum_features(rows, current).astype(np.float64)
        error = probabilities(scores, one_vs_rest=self._one_vs_rest).astype(np.float32)
        error[np.arange(len(labels)), labels] -= 1
        gradient = _sum_events(rows, error, len(present)) + _DECAY * len(labels) * current
        squares = self._squares[present] + gradient * gradient
        self._squares[present] = squares
        self._weights[present] = current - _RATE * gradient / (np.sqrt(squares) + _TINY)

    def result(self) -> NDArray[np.float32]:
        return self._weights


class _PerceptronStep:
    """Perceptron updates, and their weighted sum for the average."""

    def __init__(self, weights: NDArray[np.float32]) -> None:
        self._weights = weights
        self._late = np.zeros_like(weights)
        self._batches = 0

    def learn(self, found: NDArray[np.int32], labels: NDArray[np.uint8]) -> None:
        present, rows = _distinct_rows(found)
        chosen = _sum_features(rows, self._weights[present]).argmax(axis=1)
        wrong = np.flatnonzero(chosen != labels)
        move = np.zeros((len(labels), self._weights.shape[1]), np.float32)
        move[wrong, labels[wrong]] = 1
        move[wrong, chosen[wrong]] -= 1
        change = _sum_events(rows, move, len(present))
        self._weights[present] += change
        # A late update is part of few of the averaged states: keep updates times their time.
        self._late[present] += self._batches * change
        self._batches += 1

    def result(self) -> NDArray[np.float32]:
        return self._weights - self._late / np.float32(max(self._batches, 1))


@dataclass(frozen=True)
class PrepositionClassifier:
    """A linear model of which preposition fits a position, or whether any does."""

    learner: Learner
    task: Task
    linear: LinearModel
    frequencies: NDArray[np.float32]  # the share of each preposition in the training text
    about: dict[str, Any]  # provenance and settings
    temperature: float  # divisor of the scores for probabilities; 1 for maximum entropy
    thresholds: Thresholds
    classes: tuple[str, ...] = CLASSES
    one_vs_rest: bool = False  # binary classifiers, one per class

    def probabilities(self, atoms: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the probability of every class at every position; they sum to 1."""
        scores = self.linear.scores(atoms) / self.temperature
        shares = probabilities(scores, one_vs_rest=self.one_vs_rest)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def choose(self, atoms: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the best preposition for every position."""
        return np.asarray(self.linear.scores(atoms)[:, :-1].argmax(axis=1))

    def save(self, path: str | Path, *, step: float = 1e-9) -> None:
        """Write the model to a file, its weights as 8-bit integers.

        A larger ``step`` between weights makes a smaller file.
        """
        weights = np.asarray(self.linear.weights, np.float32)
        scales = np.maximum(np.abs(weights).max(axis=0, initial=0) / 127, step)
        about = {
            **self.about,
            "task": self.task,
            "temperature": self.temperature,
            "thresholds": self.thresholds,
            "classes": list(self.classes),
            "one_vs_rest": self.one_vs_rest,
        }
        arrays = {
            "keys": np.diff(self.linear.keys, prepend=np.uint64(0)),  # small numbers compress well
            "weights": np.rint(weights / scales).astype(np.int8),
            "scales": (scales * self.linear.scales).astype(np.float32),
            "bias": self.linear.bias,
            "frequencies": self.frequencies,
        }
        write_model(path, self.learner, about, arrays)


def open_classifier(file: ModelFile, path: str | Path) -> PrepositionClassifier:
    """Return the classifier of a model file; raise a FormatError if it has none."""
    if file.kind not in get_args(Learner):
        raise FormatError(f"is a model of kind {file.kind!r}, not a classifier", path=path)
    about, arrays = dict(file.about), file.arrays
    try:
        if not _fit_together(arrays, about):
            raise FormatError("is a damaged model: its parts are inconsistent", path=path)
        keys = np.cumsum(arrays["keys"], dtype=np.uint64)
        linear = LinearModel(keys, *(arrays[name] for name in ("weights", "scales", "bias")))
        return PrepositionClassifier(
            "maxent" if file.kind == "maxent" else "perceptron",
            about.pop("task"),
            linear,
            arrays["frequencies"],
            about,
            about.pop("temperature"),
            about.pop("thresholds"),
            tuple(about.pop("classes")),
            bool(about.pop("one_vs_rest", False)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError("is a damaged model: a part is missing", path=path) from error


def _fit_together(arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> bool:
    classes, features = len(about["classes"]), arrays["keys"].shape[:1]
    expected = {
        "keys": ("u8", features),
        "weights": ("i1", (*features, classes)),
        "scales": ("f4", (classes,)),
        "bias": ("f4", (classes,)),
        "frequencies": ("f4", (classes - 1,)),
    }
    sizes = [about["temperature"], *dict(about["thresholds"]).values()]
    return (
        all((arrays[name].dtype.str[1:], arrays[name].shape) == e for name, e in expected.items())
        and about["classes"][-1] == ""
        and all(isinstance(name, str) for name in about["classes"])
        and about["task"] in {"choice", "extraneous"}
        and all(isinstance(size, float | int) and math.isfinite(size) for size in sizes)
        and about["temperature"] > 0
        and bool(np.isfinite(arrays["scales"]).all() and np.isfinite(arrays["bias"]).all())
    )


def load_classifier(path: str | Path) -> PrepositionClassifier:
    """Load a saved classifier."""
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
    one_vs_rest: bool = False,
    about: dict[str, Any] | None = None,
) -> PrepositionClassifier:
    """Train a classifier; raise a DataError if the events have no preposition."""
    prepositions = len(events.prepositions)
    if not prepositions:
        raise DataError(
            f"the text contains none of the {events.nothing} prepositions; "
            "there is nothing to train on"
        )
    vocabulary = choose_features(events.atoms, min_count=min_count, max_features=max_features)
    linear = _train_linear(events, learner, rng, passes, vocabulary, one_vs_rest=one_vs_rest)
    temperature = 1.0
    if learner == "perceptron":
        # A perceptron's scores are not log odds; its mean margin becomes odds of e^3.
        two = np.sort(linear.scores(events.atoms[:20_000]), axis=1)[:, -2:]
        temperature = max(float((two[:, 1] - two[:, 0]).mean()) / 3, 1e-6)
    settings = {
        "events": len(events),
        "prepositions": prepositions,
        "features": len(linear.keys),
        "passes": passes,
        "min_count": min_count,
        **(about or {}),
    }
    return PrepositionClassifier(
        learner,
        task,
        linear,
        count_frequencies(events.labels, events.nothing),
        settings,
        temperature,
        dict(DEFAULT_THRESHOLDS[task]),
        events.classes,
        one_vs_rest,
    )


def count_frequencies(labels: NDArray[np.uint8], nothing: int = NOTHING) -> NDArray[np.float32]:
    """Return the share of every preposition in a text; an absent one counts as one occurrence."""
    counts = np.bincount(labels[labels != nothing], minlength=nothing).clip(min=1)
    return np.asarray(counts / counts.sum(), np.float32)
