"""Linear classifiers over sparse binary features, trained in small batches.

Both learners keep a row of weights for every feature and touch only the rows of the features in
a batch, so that memory is the weights (features by classes) and a few megabytes:

* maximum entropy: multinomial logistic regression, by gradient steps whose size adapts to each
  weight (AdaGrad);
* perceptron: in every batch the errors move weights towards the right class and away from the
  chosen one; the answer is the average over all batches (Freund and Schapire 1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from redink.detectors.features import FEATURES, feature_column, feature_keys
from redink.progress import tell

Learner = Literal["maxent", "perceptron"]
# The perceptron moves by every error of a batch at once, so that large batches overshoot: with
# 2048 places in a batch it chose the right preposition in 47 %, with 64 in 68 %.
_BATCH: dict[Learner, int] = {"maxent": 2048, "perceptron": 64}
_SCORE_BATCH = 16_384
_TINY = 1e-6
_RATE = 0.1  # the size of a first step (maximum entropy)
_DECAY = 1e-5  # how strongly every step pulls a weight towards 0 (maximum entropy)


@dataclass(frozen=True)
class LinearModel:
    """Weights by feature and class.

    Attributes:
        keys: the features, sorted.
        weights: a row for every feature, scaled to small integers.
        scales: what a unit of ``weights`` is worth, for every class.
        bias: a number for every class.
    """

    keys: NDArray[np.uint64]
    weights: NDArray[np.int8] | NDArray[np.float32]
    scales: NDArray[np.float32]
    bias: NDArray[np.float32]

    def scores(self, atoms: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The sum of weights of every class, a row for every place."""
        parts = [
            self._scores(atoms[begin : begin + _SCORE_BATCH])
            for begin in range(0, len(atoms), _SCORE_BATCH)
        ]
        return np.concatenate(parts) if parts else np.empty((0, len(self.bias)))

    def _scores(self, atoms: NDArray[np.uint32]) -> NDArray[np.float64]:
        found = find_features(self.keys, feature_keys(atoms))
        present, rows = _distinct_rows(found)
        summed = rows @ self.weights[present].astype(np.float32)
        return np.asarray(summed * self.scales + self.bias, np.float64)


def probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores to probabilities that sum to 1 in every row."""
    exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=1, keepdims=True), np.float64)


def find_features(vocabulary: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The place of every key in a sorted vocabulary, or -1."""
    if not len(vocabulary):
        return np.full(keys.shape, -1, np.int32)
    at = np.searchsorted(vocabulary, keys)
    at[at == len(vocabulary)] = 0
    return np.where(vocabulary[at] == keys, at, -1).astype(np.int32)


def _distinct_rows(found: NDArray[np.int32]) -> tuple[NDArray[np.int32], Any]:
    """The features that occur in some rows, and the rows as a sparse matrix over them."""
    from scipy.sparse import csr_array

    valid = found >= 0
    present, columns = np.unique(found[valid], return_inverse=True)
    pointers = np.concatenate([[0], np.cumsum(valid.sum(axis=1))])
    matrix = csr_array(
        (np.ones(len(columns), np.float32), columns.astype(np.int32), pointers),
        shape=(len(found), len(present)),
    )
    return present, matrix


def choose_features(
    atoms: NDArray[np.uint32], *, min_count: int, max_features: int | None = None
) -> NDArray[np.uint64]:
    """The features that occur often enough, sorted; the most frequent of them if too many."""
    kept, counts = [], []
    # One feature name at a time, so that memory stays at a few arrays as long as the events.
    for column in range(len(FEATURES)):
        keys, occurrences = np.unique(feature_column(atoms, column), return_counts=True)
        often = occurrences >= min_count
        kept.append(keys[often])
        counts.append(occurrences[often])
    keys = np.concatenate(kept)
    if max_features is not None and len(keys) > max_features:
        most = np.argsort(-np.concatenate(counts), kind="stable")[:max_features]
        keys = keys[most]
    return np.unique(keys)


def train(
    atoms: NDArray[np.uint32],
    labels: NDArray[np.uint8],
    *,
    classes: int,
    rng: np.random.Generator,
    learner: Learner = "maxent",
    passes: int = 3,
    min_count: int = 2,
    max_features: int | None = None,
) -> LinearModel:
    """Learn the class of places from their atoms.

    Args:
        atoms: a row for every place.
        labels: the class of every place.
        classes: how many classes there are.
        rng: decides on the order of the places.
        learner: ``maxent`` or ``perceptron``.
        passes: how often every place is seen.
        min_count: features that occur less often are not learnt.
        max_features: at most so many features, the most frequent ones.
    """
    vocabulary = choose_features(atoms, min_count=min_count, max_features=max_features)
    weights = np.zeros((len(vocabulary) + 1, classes), np.float32)  # the last row is the bias
    step = _EntropyStep(weights) if learner == "maxent" else _PerceptronStep(weights)
    seen, size = 0, _BATCH[learner]
    for _ in range(passes):
        order = rng.permutation(len(labels))
        for begin in range(0, len(order), size):
            batch = order[begin : begin + size]
            found = find_features(vocabulary, feature_keys(atoms[batch]))
            bias = np.full((len(batch), 1), len(vocabulary), np.int32)
            step.learn(np.concatenate([found, bias], axis=1), labels[batch])
            seen += len(batch)
            tell("learning from places", seen, passes * len(labels))
    learnt = step.result()
    ones = np.ones(classes, np.float32)
    return LinearModel(vocabulary, learnt[:-1], ones, learnt[-1].copy())


class _EntropyStep:
    """AdaGrad on the cross entropy, touching only the rows of a batch."""

    def __init__(self, weights: NDArray[np.float32]) -> None:
        self._weights = weights
        self._squares = np.zeros_like(weights)

    def learn(self, found: NDArray[np.int32], labels: NDArray[np.uint8]) -> None:
        present, rows = _distinct_rows(found)
        current = self._weights[present]
        error = probabilities(rows @ current).astype(np.float32)
        error[np.arange(len(labels)), labels] -= 1
        gradient = rows.T @ error + _DECAY * len(labels) * current
        squares = self._squares[present] + gradient * gradient
        self._squares[present] = squares
        self._weights[present] = current - _RATE * gradient / (np.sqrt(squares) + _TINY)

    def result(self) -> NDArray[np.float32]:
        return self._weights


class _PerceptronStep:
    """The perceptron's moves, and their running sum for the average."""

    def __init__(self, weights: NDArray[np.float32]) -> None:
        self._weights = weights
        self._late = np.zeros_like(weights)
        self._batches = 0

    def learn(self, found: NDArray[np.int32], labels: NDArray[np.uint8]) -> None:
        present, rows = _distinct_rows(found)
        chosen = (rows @ self._weights[present]).argmax(axis=1)
        wrong = np.flatnonzero(chosen != labels)
        move = np.zeros((len(labels), self._weights.shape[1]), np.float32)
        move[wrong, labels[wrong]] = 1
        move[wrong, chosen[wrong]] -= 1
        change = rows.T @ move
        self._weights[present] += change
        # A move made late counts for few of the averaged states: keep moves times their time.
        self._late[present] += self._batches * change
        self._batches += 1

    def result(self) -> NDArray[np.float32]:
        return self._weights - self._late / np.float32(max(self._batches, 1))
