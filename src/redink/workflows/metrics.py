"""Metrics: all there are, what each needs and rewards, and what it gets wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from redink.model import Shown, Table, make_signature, table_of
from redink.options import use_case
from redink.scoring.metric import About
from redink.scoring.specs import METRICS

_NOTHING = About(rewards="", fails="", cite="")


@dataclass(frozen=True)
class KnownMetric:
    """A metric, and what to know about it."""

    metric: str
    needs: str
    languages: str
    rewards: str
    fails: Annotated[str, Shown(title="known failures")]
    cite: str


@use_case
def metrics() -> Table:
    """List all metrics: what each needs and rewards, its known failures, and how to cite it.

    What a metric needs: the edits of both sides (edits), the edits of the references and the text
    of systems (reference-edits), or text alone. Edits that no file gives are made by annotating.
    Where it says model, a neural model of yours is needed too.

    Returns:
        A row for every metric, also of those that other packages add.
    """
    rows = []
    for name in METRICS.names:
        metric = METRICS.load(name)
        about = metric.about or _NOTHING
        rows.append(
            KnownMetric(
                metric=name,
                needs=f"{metric.needs}, model" if metric.needs_model else metric.needs,
                languages=about.languages,
                rewards=about.rewards,
                fails=about.fails,
                cite=about.cite,
            )
        )
    return table_of(rows, KnownMetric, signature=make_signature("metrics"))
