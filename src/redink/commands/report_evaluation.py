"""What all sections of a report are made from: references and systems, read and annotated once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from redink.evaluation import Evaluation
from redink.inputs.document_ids import Placed
from redink.model import Annotation, Corpus, SystemOutput, Table
from redink.scoring.engine import (
    Scored,
    label_metrics,
)
from redink.scoring.errant import Errant
from redink.scoring.metric import Metric, ReferenceEdits, reference_edits_of
from redink.scoring.specs import make_metrics, with_reference_edits

_REFERENCE_EDITS: Mapping[ReferenceEdits | None, str] = {
    None: "as in the file",
    "gold": "as in the file, classified again (gold)",
    "auto": "extracted again (auto)",
}


@dataclass(frozen=True)
class ReportData:
    """What all sections are made from.

    Attributes:
        given: references and systems as they came, for signatures.
        ready: references and systems, with their edits.
        bootstrap: samples behind intervals and groups; None for none.
        seed: of everything random.
        warnings: what the input made us say.
        reference_edits: how the references were annotated again, if they were.
        placed: the sentences in their documents, where those are known.
        type_notes: how the references were given the systems' error types, if they were.
    """

    given: Evaluation
    ready: Evaluation
    bootstrap: int | None
    seed: int = 1
    warnings: tuple[str, ...] = ()
    reference_edits: ReferenceEdits | None = None
    placed: Placed | None = None
    type_notes: tuple[str, ...] = ()
    kept: dict[Metric, list[Scored]] = field(default_factory=dict)
    supplied: dict[ReferenceEdits | None, Evaluation] = field(default_factory=dict)

    @property
    def corpus(self) -> Corpus:
        """The references."""
        return self.ready.references.corpus

    @cached_property
    def typed(self) -> ReportData:
        """The same with references whose types are those of the systems, and a note about it."""
        if self.reference_edits is not None:
            return self
        ready, notes = self.ready.fit_types(make_metrics("errant(by=type)"))
        return replace(self, ready=ready, type_notes=tuple(notes), kept={}) if notes else self

    def collect(self, *given: str | Metric) -> list[Scored]:
        """The statistics of all systems under these metrics, each worked out once."""
        metrics = make_metrics(given)
        if any(metric.needs != "text" for metric in metrics):
            metrics = with_reference_edits(metrics, self.reference_edits)
        missing = [metric for metric in metrics if metric not in self.kept]
        for kind in dict.fromkeys(map(self._kind, missing)):
            ready = self._supply(kind)
            members = [metric for metric in missing if self._kind(metric) == kind]
            for each in ready.collect_ready(members):
                self.kept.setdefault(each.metric, []).append(each)
        labels = label_metrics(metrics)
        return [
            replace(each, label=labels[metric]) for metric in metrics for each in self.kept[metric]
        ]

    def _kind(self, metric: Metric) -> ReferenceEdits | None:
        """The reference edits that a metric reads; text metrics share those of the page."""
        return self.reference_edits if metric.needs == "text" else reference_edits_of(metric)

    def _supply(self, kind: ReferenceEdits | None) -> Evaluation:
        """The input with these reference edits, made once."""
        if kind == self.reference_edits:
            return self.ready
        if kind not in self.supplied:
            annotated = replace(self.given, systems=self.ready.systems)
            self.supplied[kind] = annotated.supply_edits([Errant()], kind)
        return self.supplied[kind]

    def about_references(self) -> tuple[str, ...]:
        """Which reference edits the page uses, where there is a choice."""
        if self.given.references.given_texts is not None:
            return ()
        return (f"reference edits: {_REFERENCE_EDITS[self.reference_edits]}",)

    def tabulate(self, scored: Sequence[Scored], *, bootstrap: int | None = None) -> Table:
        """The scores as ``redink score`` gives them."""
        return self.given.tabulate(scored, bootstrap=bootstrap, seed=self.seed)

    def score(self, *given: str | Metric) -> Table:
        """Every system under these metrics."""
        return self.tabulate(self.collect(*given))

    def outputs(self) -> list[SystemOutput]:
        """The systems' edits, the first version of each sentence."""
        return [
            SystemOutput(
                system.name,
                annotations=tuple(
                    versions[0] if versions else Annotation(system.name)
                    for versions in system.annotations or ()
                ),
            )
            for system in self.ready.systems
        ]


def without_columns(table: Table, *names: str) -> Table:
    """The table without some of its columns."""
    return replace(table, columns=tuple(c for c in table.columns if c.name not in names))
