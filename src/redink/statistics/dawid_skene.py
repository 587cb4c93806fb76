"""The model of Dawid and Skene (1979): true labels, and each judge's errors, from judgments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redink.statistics.ratings import MISSING, Ratings
from redink.statistics.resampling import FloatArray

# Every error has a probability above zero, because EM could never leave zero again.
_FLOOR = 1e-10


@dataclass(frozen=True)
class DawidSkene:
    """The fitted model of Dawid and Skene (1979).

    Attributes:
        probabilities: items by labels: the probability that the label is the true one.
        shares: the prior probability of each label.
        errors: judges by true label by given label: the probability of the given label.
        log_likelihood: log-likelihood of the judgments after each iteration; it never decreases.
    """

    probabilities: FloatArray
    shares: FloatArray
    errors: FloatArray
    iterations: int
    converged: bool
    log_likelihood: tuple[float, ...]

    def accuracies(self) -> FloatArray:
        """Return the probability that each judge gives the true label."""
        per_label = np.diagonal(self.errors, axis1=1, axis2=2)
        accuracies: FloatArray = per_label @ self.shares
        return accuracies


def fit_dawid_skene(
    ratings: Ratings, *, iterations: int = 200, tolerance: float = 1e-8
) -> DawidSkene:
    """Estimate true labels and each judge's errors by EM, starting from shares of votes.

    Items without judgments keep the overall shares. The fit stops when the mean log-likelihood
    of a judgment grows by less than ``tolerance``.
    """
    item, judge = np.nonzero(ratings.codes != MISSING)
    label = ratings.codes[item, judge]
    items, judges = ratings.codes.shape
    labels = ratings.categories

    def estimate_errors(probabilities: FloatArray) -> FloatArray:
        errors = np.empty((judges, labels, labels))
        for true in range(labels):
            said = np.bincount(
                judge * labels + label, probabilities[item, true], minlength=judges * labels
            )
            errors[:, true] = said.reshape(judges, labels)
        errors = np.maximum(errors, _FLOOR)
        normalized: FloatArray = errors / errors.sum(axis=2, keepdims=True)
        return normalized

    def estimate_labels(shares: FloatArray, errors: FloatArray) -> tuple[FloatArray, float]:
        logs = np.log(errors)
        joint = np.empty((items, labels))
        for true in range(labels):
            joint[:, true] = np.bincount(item, logs[judge, true, label], minlength=items)
        joint += np.log(np.maximum(shares, _FLOOR))
        top = joint.max(axis=1, keepdims=True)
        scaled = np.exp(joint - top)
        total = scaled.sum(axis=1, keepdims=True)
        return scaled / total, float((top + np.log(total)).sum())

    votes = ratings.counts / np.maximum(ratings.sizes, 1)[:, None]
    probabilities = np.where(ratings.sizes[:, None] > 0, votes, 1 / labels)
    history: list[float] = []
    converged = False
    judged = ratings.sizes > 0
    shares = probabilities[judged].mean(axis=0)
    errors = estimate_errors(probabilities)
    while len(history) < iterations and not converged:
        probabilities, likelihood = estimate_labels(shares, errors)
        shares = probabilities[judged].mean(axis=0)
        errors = estimate_errors(probabilities)
        converged = bool(history) and likelihood - history[-1] < tolerance * max(len(label), 1)
        history.append(likelihood)
    return DawidSkene(probabilities, shares, errors, len(history), converged, tuple(history))
