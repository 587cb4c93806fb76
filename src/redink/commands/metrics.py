"""List the metrics with their requirements and known weaknesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from redink.model import DisplayOptions, Shown, Table, make_signature, table_of
from redink.options import command
from redink.scoring.metric import About
from redink.scoring.specs import METRICS


@dataclass(frozen=True)
class KnownMetric:
    """A metric."""

    metric: str
    needs: str
    languages: str
    rewards: str
    fails: Annotated[str, Shown(title="known failures")]
    people: Annotated[float | None, Shown("rate", title="humans: r")]
    people_rewriters: Annotated[float | None, Shown("rate", title="with rewriters")]
    people_sentences: Annotated[float | None, Shown("rate", title="sentences")]
    cite: str


@command
def metrics() -> Table:
    """List the metrics: what each needs and rewards, its weaknesses, its correlation with humans.

    A metric needs the edits of references and systems (edits), the edits of the references and the
    text of systems (reference-edits), or only text (text). redink annotates texts if a metric needs
    their edits. A metric that needs a model also needs a neural model that you supply.

    The correlation with human judgments is computed by redink meta on SEEDA: Pearson's r with
    TrueSkill over twelve systems, Pearson's r with two fluency-rewriting systems added, and the
    share of sentence pairs that the metric orders as humans do. Metrics that need a model have no
    correlation here, because it depends on the model.

    Returns:
        One row per metric, including the metrics of other packages.
    """
    rows = []
    for name in METRICS.names:
        metric = METRICS.load(name)
        about = metric.about or About(rewards="", fails="", cite="")
        needs = f"{metric.needs}, model" if metric.needs_model else metric.needs
        r, rewriters, pairs = about.people or (None, None, None)
        texts = (about.languages, about.rewards, about.fails)
        rows.append(KnownMetric(name, needs, *texts, r, rewriters, pairs, about.cite))
    return table_of(
        rows, KnownMetric, signature=make_signature("metrics"), display=DisplayOptions(digits=2)
    )
