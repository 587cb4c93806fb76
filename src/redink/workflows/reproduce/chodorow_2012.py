"""Chodorow et al. 2012: accuracy, kappa, precision and recall of their hypothetical systems."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from redink.workflows.detection import detection
from redink.workflows.reproduce.figures import Figure, load_published
from redink.workflows.reproduce.study import Reproduction, Study

PAPER = "chodorow-2012"
_OURS = {"accuracy": "accuracy", "kappa": "kappa", "precision": "precision", "recall": "recall",
         "f1": "f"}  # fmt: skip


def _figure(number: int, _study: Study) -> Iterator[Figure]:
    published: dict[str, Any] = load_published(PAPER)[f"figure{number}"]
    tp, fp, fn, tn = published["counts"]
    row = detection(from_counts=(tp, fp, fn, tn), beta=1).rows[0]
    for name, column in _OURS.items():
        if name in published:
            yield Figure(
                source=f"{PAPER} figure {number}", item=f"TP {tp}, FP {fp}, FN {fn}, TN {tn}",
                quantity=name, published=published[name], ours=row[column],
            )  # fmt: skip


# Figure 6 is the formula of kappa, which the others use.
REPRODUCTIONS = tuple(
    Reproduction(f"figure {number}", partial(_figure, number)) for number in (5, 7, 8, 9, 10)
)
