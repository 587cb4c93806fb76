"""Metrics: all there are, what each needs and rewards, and what it gets wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from redink.model import DisplayOptions, Shown, Table, make_signature, table_of
from redink.options import command
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
    people: Annotated[float | None, Shown("rate", title="people: r")]
    people_rewriters: Annotated[float | None, Shown("rate", title="with rewriters")]
    people_sentences: Annotated[float | None, Shown("rate", title="sentences")]
    cite: str


@command
def metrics() -> Table:
    """List all metrics: what each needs and rewards, its failures, its agreement with people.

    What a metric needs: the edits of both sides (edits), the edits of the references and the text
    of systems (reference-edits), or text alone. Edits that no file gives are made by annotating.
    Where it says model, a neural model of yours is needed too.

    Agreement with people is what redink meta finds on SEEDA: Pearson's r with TrueSkill over twelve
    systems, the same with two that rewrite for fluency, and the share of pairs of sentences that
    the metric orders as people do. Metrics that need a model have none: it depends on the model.

    Returns:
        A row for every metric, also of those that other packages add.
    """
    rows = []
    for name in METRICS.names:
        metric = METRICS.load(name)
        about = metric.about or _NOTHING
        people = about.people or (None, None, None)
        rows.append(
            KnownMetric(
                metric=name,
                needs=f"{metric.needs}, model" if metric.needs_model else metric.needs,
                languages=about.languages,
                rewards=about.rewards,
                fails=about.fails,
                people=people[0],
                people_rewriters=people[1],
                people_sentences=people[2],
                cite=about.cite,
            )
        )
    return table_of(
        rows, KnownMetric, signature=make_signature("metrics"), display=DisplayOptions(digits=2)
    )
