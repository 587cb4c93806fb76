"""Dawid and Skene (1979): the true labels and each judge's errors, from judgments alone.

Expectation and maximisation in turn: given how each judge errs, how likely is each label to be
the true one; given the likely labels, how does each judge err. It starts from shares of votes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redink.errors import OptionError
from redink.statistics.ratings import MISSING, Ratings
from redink.statistics.resampling import FloatArray

# No error is impossible: a zero would never be left again, whatever the judge says later.
_FLOOR = 1e-10


@dataclass(frozen=True)
class DawidSkene:
    """What the model believes.

    Attributes:
        probabilities: items by labels: how likely each label is the true one.
        shares: how common each label is.
        errors: judges by true label by given label: how likely the judge is to say what.
        iterations: how many rounds it took.
        converged: whether it stopped by itself.
        log_likelihood: of the judgments, after every round; it never falls.
    """

    probabilities: FloatArray
    shares: FloatArray
    errors: FloatArray
    iterations: int
    converged: bool
    log_likelihood: tuple[float, ...]

    def accuracies(self) -> FloatArray:
        """How likely each judge is to say the true label."""
        per_label = np.diagonal(self.errors, axis1=1, axis2=2)
        accuracies: FloatArray = per_label @ self.shares
        return accuracies


def fit_dawid_skene(
    ratings: Ratings,
    *,
    iterations: int = 200,
    tolerance: float = 1e-8,
) -> DawidSkene:
    """Fit the model.

    Args:
        ratings: items by judges; items without any judgment keep the overall shares.
        iterations: at most so many rounds.
        tolerance: stop when the mean log-likelihood of a judgment grows by less than this.
    """
    if iterations < 1:
        raise OptionError("Dawid-Skene needs at least one round")
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
        normalised: FloatArray = errors / errors.sum(axis=2, keepdims=True)
        return normalised

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
    # Items about which nothing is known say nothing about how common labels are.
    telling = ratings.sizes > 0
    shares = probabilities[telling].mean(axis=0)
    errors = estimate_errors(probabilities)
    while len(history) < iterations and not converged:
        probabilities, likelihood = estimate_labels(shares, errors)
        shares = probabilities[telling].mean(axis=0)
        errors = estimate_errors(probabilities)
        converged = bool(history) and likelihood - history[-1] < tolerance * max(len(label), 1)
        history.append(likelihood)
    return DawidSkene(probabilities, shares, errors, len(history), converged, tuple(history))
