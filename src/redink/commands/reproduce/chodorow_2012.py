"""Chodorow et al. 2012: accuracy, kappa, precision and recall of their hypothetical systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redink.commands.detection import detection
from redink.commands.reproduce.study import Figure, Reproduction, Study
from redink.error_detection.study import DetectionOptions

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
    row = detection(from_counts=(tp, fp, fn, tn), detection_options=DetectionOptions(beta=1)).rows[
        0
    ]
    item = f"TP {tp}, FP {fp}, FN {fn}, TN {tn}"
    if "A" in published:
        item = "the formula of kappa, on figure 7's counts"
    for name, column in _COLUMNS.items():
        if name in published:
            yield Figure(item, name, published[name], row[column])


REPRODUCTIONS = tuple(Reproduction(f"figure {number}", _figure) for number in range(5, 11))
