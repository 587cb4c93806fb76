"""Chodorow et al. 2012: accuracy, kappa, precision and recall of their hypothetical systems."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from redink.detection.study import Reckoning
from redink.workflows.detection import detection
from redink.workflows.reproduce.figures import Figure, load_published
from redink.workflows.reproduce.study import Reproduction, Study

PAPER = "chodorow-2012"
_OURS = {
    "accuracy": "accuracy",
    "kappa": "kappa",
    "precision": "precision",
    "recall": "recall",
    "f1": "f",
}


def _figure(number: int, _study: Study) -> Iterator[Figure]:
    published: dict[str, Any] = load_published(PAPER)[f"figure{number}"]
    tp, fp, fn, tn = published["counts"]
    row = detection(from_counts=(tp, fp, fn, tn), how=Reckoning(beta=1)).rows[0]
    for name, column in _OURS.items():
        if name in published:
            yield Figure(
                source=f"{PAPER} figure {number}",
                item=f"TP {tp}, FP {fp}, FN {fn}, TN {tn}",
                quantity=name,
                published=published[name],
                ours=row[column],
            )


def _figure_6(_study: Study) -> Iterator[Figure]:
    """The formula of kappa, with the numbers by which the paper explains it."""
    published: dict[str, Any] = load_published(PAPER)["figure6"]
    row = detection(from_counts=tuple(published["counts"]), how=Reckoning(beta=1)).rows[0]
    accuracy, expected = row["accuracy"], row["expected_accuracy"]
    ours = {"A": accuracy, "E(A)": expected, "(A - E(A)) / (1 - E(A))": row["kappa"]}
    for name, value in ours.items():
        yield Figure(
            source=f"{PAPER} figure 6",
            item="the formula of kappa, on figure 7's counts",
            quantity=name,
            published=published[name],
            ours=value,
        )


REPRODUCTIONS = tuple(
    Reproduction(f"figure {number}", _figure_6 if number == 6 else partial(_figure, number))
    for number in range(5, 11)
)
