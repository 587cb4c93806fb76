"""Detection as a metric: all measures of the four counts, for ``score`` and ``compare``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from redink.analysis.language import find_language
from redink.error_detection.bootstrap import cells_of
from redink.error_detection.curves import Merit
from redink.error_detection.study import (
    DetectionOptions,
    build_study,
    read_system,
    tally_candidates,
)
from redink.error_detection.unit_rules import Text, Unit, UnitOptions, make_units, select_tokens
from redink.error_detection.units import Insertions
from redink.error_detection.writer_annotator_system import Counting, Level
from redink.model import Annotation, Column, Counts, Hypotheses, References, Row, SystemOutput
from redink.model.counts import MEASURES, Cells, plain
from redink.options import Beta
from redink.scoring.errant import Errant, first_edits
from redink.scoring.metric import (
    About,
    EditMetric,
    FloatArray,
    Needs,
    Selection,
    Statistics,
    blocks_of_rows,
)
from redink.scoring.selection import choose, usage
from redink.statistics.arrays import measure_counts

Measure = Literal[Merit, "prevalence", "bias", "expected_accuracy", "fpr"]
_SHOWN = tuple(name for name in MEASURES if name != "n")


@dataclass(frozen=True, kw_only=True)
class DetectionMetric(EditMetric):
    """The measures of ``redink detection``, for edits or texts.

    Attributes:
        measure: the measure that is ranked, resampled and tested.
        unit: the unit of comparison.
        task: count a wrong correction of an error as a TP (detection), or as an FP and an FN.
        annotators: the treatment of several annotators.
        count: count every unit once, or once per edit on it.
        insertions: the unit of an insertion (``unit=token``).
        targets: the rule for ``unit=target``, with a plus sign between values: word:of+in.
        negatives: the rule for negatives.
        beta: the weight of recall in F.
        selection: the choice of the best annotator.
    """

    measure: Measure = "f"
    unit: Unit | None = None
    task: Level = "detection"
    annotators: Literal["best", "any", "majority"] = "best"
    count: Counting = "units"
    insertions: Insertions = "right"
    targets: str | None = None
    negatives: str = "all"
    beta: Beta = 0.5
    selection: Selection = "running"

    name: ClassVar[str] = "detection"
    needs: ClassVar[Needs] = "edits"
    about: ClassVar[About | None] = About(
        rewards="changes where an annotator has changes",
        fails="does not check corrections (but task=correction does)",
        cite="Chodorow et al. 2012",
        languages="any",
        in_all=False,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._division  # noqa: B018 - reports options that cannot be combined

    @property
    def headline(self) -> str:  # type: ignore[override]
        """The chosen measure."""
        return self.measure

    def measured_by(self, measure: str) -> Self:
        return replace(self, measure=cast("Measure", measure))

    @property
    def _division(self) -> UnitOptions:
        targets = None if self.targets is None else self.targets.replace("+", ",")
        negatives = self.negatives.replace("+", ",")
        return UnitOptions(self.unit, targets, negatives, self.insertions)

    @property
    def columns(self) -> tuple[Column, ...]:
        titles = {"f": f"F{self.beta:g}", "accuracy": "A", "precision": "P", "recall": "R"}
        return (
            *(Column(name, "count") for name in ("tp", "fp", "fn", "tn")),
            *(
                Column(name, "rate", "max" if name == self.measure else None, titles.get(name))
                for name in _SHOWN
            ),
        )

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        division = self._division
        text = Text(references.sources, lambda: find_language("en").load_analyzer())
        (unit,) = division.units
        units, _ = make_units(unit, division, text, insertions="right", judged=None)
        rule = division.negatives
        study = build_study(
            references.corpus,
            units,
            negatives=select_tokens(rule, text) if division.has_rule else rule,
        )
        options = DetectionOptions(
            level=self.task, count=self.count, annotators=self.annotators, beta=self.beta
        )
        edits = tuple(Annotation(hypotheses.name, each) for each in first_edits(hypotheses))
        system = SystemOutput(hypotheses.name, annotations=edits)
        candidates = tally_candidates(study, read_system(study, system, options), options)
        width = max(map(len, candidates), default=1)
        patterns = np.zeros((len(candidates), width, 6))
        present = np.zeros(patterns.shape[:2], dtype=bool)
        for at, tallies in enumerate(candidates):
            patterns[at, : len(tallies)] = [tally.as_row() for tally in tallies]
            present[at, : len(tallies)] = True
        return Statistics({"patterns": patterns, "present": present})

    def _candidates(self, statistics: Statistics) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        cells = np.stack(cells_of(np.moveaxis(statistics["patterns"], -1, 0), self.task)[:3], -1)
        return cells.astype(np.int64), statistics["present"]

    def _chosen(self, statistics: Statistics) -> FloatArray:
        """Return TP, FP, FN and TN of every sentence, against the chosen annotator."""
        chosen = choose(
            *self._candidates(statistics),
            preference=Errant.published_preference,
            selection=self.selection,
            beta=self.beta,
        )
        patterns = statistics["patterns"][np.arange(len(chosen)), chosen]
        return np.stack(cells_of(patterns.T, self.task))

    def rows(self, statistics: Statistics) -> list[Row]:
        return [self._row(self._chosen(statistics).sum(axis=1))]

    def _row(self, cells: FloatArray) -> Row:
        given = [None if np.isnan(cell) else plain(cell.item()) for cell in cells]
        counts = Counts(*given)  # type: ignore[arg-type]  # only TN can be None
        measures = counts.measures(beta=self.beta)
        names = ("tp", "fp", "fn", "tn")
        return dict(zip(names, given, strict=True)) | {n: measures[n].value for n in _SHOWN}

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        counts, present = self._candidates(statistics)
        found = []
        for block in blocks_of_rows(weights, 2 * present.size):
            used = usage(
                counts,
                present,
                block,
                preference=Errant.published_preference,
                selection=self.selection,
                beta=self.beta,
            )
            sums = np.tensordot(statistics["patterns"], used, axes=((0, 1), (2, 0)))
            cells = Cells(*cells_of(sums, self.task), beta=self.beta)
            found.append(measure_counts(self.measure, cells))
        return np.concatenate(found)[:, None]

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        return [self._row(cells) for cells in self._chosen(statistics).T]
