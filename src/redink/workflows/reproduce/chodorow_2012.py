"""Chodorow et al. 2012: accuracy, kappa, precision and recall of their hypothetical systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redink.detection.study import Reckoning
from redink.workflows.detection import detection
from redink.workflows.reproduce.study import Figure, Reproduction, Study

PAPER = "chodorow-2012"
_COLUMNS = {
    "accuracy": "accuracy",
    "kappa": "kappa",
    "precision": "precision",
    "recall": "recall",
    "f1": "f",
    # figure 6 is the formula of kappa, with the numbers by which the paper explains it
    "A": "accuracy",
    "E(A)": "expected_accuracy",
    "(A - E(A)) / (1 - E(A))": "kappa",
}


def _figure(_study: Study, published: Mapping[str, Any]) -> Iterator[Figure]:
    tp, fp, fn, tn = published["counts"]
<<<<<<< HEAD
    row = detection(from_counts=(tp, fp, fn, tn), beta=1).rows[0]
    item = f"TP {tp}, FP {fp}, FN {fn}, TN {tn}"
    if "A" in published:
        item = "the formula of kappa, on figure 7's counts"
    for name, column in _COLUMNS.items():
=======
    row = detection(from_counts=(tp, fp, fn, tn), how=Reckoning(beta=1)).rows[0]
    for name, column in _OURS.items():
>>>>>>> main
        if name in published:
            yield Figure(item, name, published[name], row[column])


<<<<<<< HEAD
REPRODUCTIONS = tuple(Reproduction(f"figure {number}", _figure) for number in range(5, 11))
=======
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
>>>>>>> main
