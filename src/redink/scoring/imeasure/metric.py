"""The I-measure as a metric: the best reference of every sentence, and what the corpus gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from redink.model import AnnotatedSentence, Column, Hypotheses, References, Row
from redink.options import Limits
from redink.scoring.imeasure.alignment import compare
from redink.scoring.imeasure.counting import (
    WEIGHT,
    ColumnCounts,
    IntArray,
    Outcome,
    improvements,
    measures,
    preferences,
    weighted_accuracy,
)
from redink.scoring.imeasure.gold import (
    Tokens,
    count_combinations,
    find_clusters,
    mixed_references,
    order_of_references,
    references_apart,
)
from redink.scoring.imeasure.lattice import make_lattice
from redink.scoring.imeasure.mixing import possible_outcomes
from redink.scoring.imeasure.planes import width
from redink.scoring.metric import About, FloatArray, Metric, Needs, Statistics

LEVELS = ("correction", "detection")
SHOWN = ("tp", "tn", "fp", "fn", "fpn")
_FEW = 16
"""So many mixed references are compared one by one, and more where the texts are far apart."""
_NOT_TOO_MANY = 1 << 14
"""So many are made, where several are equally good, to find the one the program meets first."""


@dataclass(frozen=True, kw_only=True)
class IMeasure(Metric):
    """Felice and Briscoe (2015): weighted accuracy over an alignment of three texts, and I.

    Attributes:
        mix: let corrections of several annotators be combined, cluster by cluster.
        weight: how much more a word that the system changed weighs than one that it left.
        maximise: which measure decides among the references of a sentence: ``cwacc`` is weighted
            accuracy of correction, the published default; ``d`` stands for detection.
    """

    mix: bool = False
    weight: Annotated[float, Limits(1)] = WEIGHT
    maximise: Literal["cwacc", "ci", "cacc", "dwacc", "di", "dacc"] = "cwacc"

    name: ClassVar[str] = "imeasure"
    about: ClassVar[About | None] = About(
        rewards="text that is better than the source, token by token",
        fails="punishes change; slow with many references",
        cite="Felice and Briscoe 2015",
        people=(0.26, -0.52, 0.57),
    )
    needs: ClassVar[Needs] = "reference-edits"
    is_heavy: ClassVar[bool] = True
    headline: ClassVar[str] = "score"

    @property
    def columns(self) -> tuple[Column, ...]:
        """Counts, weighted accuracy of the system and of doing nothing, and I."""
        return (
            Column("level"),
            *(Column(name, "count", title=name.upper()) for name in SHOWN),
            Column("wacc", "rate", title="WAcc"),
            Column("wacc_baseline", "rate", title="WAcc of input"),
            Column("score", "score", best="max", title="I"),
        )

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """The counts of every sentence against its best reference, and those of its source."""
        best = [
            self._best(sentence, text.tokens)
            for sentence, text in zip(references.corpus.sentences, hypotheses.texts, strict=True)
        ]
        counts = [[getattr(one.counts, name) for name in SHOWN] for one in best]
        baselines = [[one.baseline.tn, one.baseline.fn] for one in best]
        return Statistics(
            {
                "counts": np.array(counts, dtype=np.float64).reshape(-1, len(SHOWN)),
                "baselines": np.array(baselines, dtype=np.float64).reshape(-1, 2),
            }
        )

    def _best(self, sentence: AnnotatedSentence, hypothesis: Tokens) -> Outcome:
        source = sentence.source.tokens
        if not self.mix:
            return self._first_best(source, hypothesis, references_apart(sentence))
        clusters = find_clusters(sentence)
        combinations = count_combinations(clusters)
        if combinations <= _FEW or combinations <= _FEW * width(source, hypothesis):
            references = tuple(dict.fromkeys(mixed_references(source, clusters)))
            return self._first_best(source, hypothesis, references)
        lattice = make_lattice(source, clusters)
        best = self._all_best(possible_outcomes(source, hypothesis, lattice))
        if len(best) > 1 and combinations <= _NOT_TOO_MANY:
            references = tuple(dict.fromkeys(mixed_references(source, clusters)))
            in_order = (references[number] for number in order_of_references(references))
            outcomes = (compare(source, hypothesis, reference) for reference in in_order)
            return next(outcome for outcome in outcomes if outcome in best)
        return max(best)

    def _first_best(
        self, source: Tokens, hypothesis: Tokens, references: tuple[Tokens, ...]
    ) -> Outcome:
        outcomes = [compare(source, hypothesis, reference) for reference in references]
        if len(set(outcomes)) == 1:
            return outcomes[0]
        best = self._all_best(np.array([(*one.counts, *one.baseline) for one in outcomes]))
        if len(best) == 1:
            return best.pop()
        # the published program takes the first that it comes to
        return next(
            outcomes[number]
            for number in order_of_references(references)
            if outcomes[number] in best
        )

    def _all_best(self, outcomes: IntArray) -> set[Outcome]:
        """Those that are equally good and better than all others."""
        keys = preferences(outcomes, maximise=self.maximise, weight=self.weight)
        for column in range(keys.shape[1]):
            kept = keys[:, column] == keys[:, column].max()
            outcomes, keys = outcomes[kept], keys[kept]
        return {
            Outcome(ColumnCounts(*row[:5]), ColumnCounts(*row[5:])) for row in outcomes.tolist()
        }

    def rows(self, statistics: Statistics) -> list[Row]:
        """A row for correction and one for detection."""
        return self._rows(statistics["counts"].sum(axis=0), statistics["baselines"].sum(axis=0))

    def _rows(self, counts: FloatArray, baselines: FloatArray) -> list[Row]:
        total = ColumnCounts(*(int(value) for value in counts))
        unchanged, missed = (int(value) for value in baselines)
        baseline = ColumnCounts(0, unchanged, 0, missed, 0)
        rows = []
        for level in LEVELS:
            own = total.detection if level == "detection" else total
            values = measures(Outcome(total, baseline), level, self.weight)
            rows.append(
                {
                    "level": level,
                    **{name: getattr(own, name) for name in SHOWN},
                    "wacc": values["wacc"],
                    "wacc_baseline": weighted_accuracy(baseline, self.weight),
                    "score": float(values["i"]),
                }
            )
        return rows

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        """I of correction and of detection under each weighting."""
        return improvements(
            weights @ statistics["counts"], weights @ statistics["baselines"], self.weight
        )

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Every sentence by itself, at the level of correction."""
        return [
            self._rows(counts, baselines)[0]
            for counts, baselines in zip(statistics["counts"], statistics["baselines"], strict=True)
        ]
