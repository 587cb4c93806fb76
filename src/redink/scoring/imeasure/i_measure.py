"""The I-measure (Felice and Briscoe 2015): improvement in weighted accuracy over the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from redink.model import AnnotatedSentence, Column, Hypotheses, References, Row
from redink.options import Limits
from redink.scoring.imeasure.gold_references import (
    Tokens,
    count_combinations,
    find_clusters,
    make_lattice,
    mixed_references,
    order_of_references,
    separate_references,
)
from redink.scoring.imeasure.mixing import possible_outcomes, width
from redink.scoring.imeasure.three_way_alignment import (
    ColumnCounts,
    IntArray,
    ThreeWayCounts,
    compare,
)
from redink.scoring.metric import About, EditMetric, FloatArray, Needs, Statistics
from redink.statistics.arrays import divide_or

WEIGHT = 2.0
"""Published weight of a word that the system changed, relative to an unchanged word."""
LEVELS = ("correction", "detection")
SHOWN = ("tp", "tn", "fp", "fn", "fpn")
_FEW = 16  # mixed references that are compared one by one; more if the texts differ much
_MOST = 1 << 14  # mixed references that are generated to break ties


@dataclass(frozen=True, kw_only=True)
class IMeasure(EditMetric):
    """Weighted accuracy over an alignment of three texts, and its improvement (I).

    Attributes:
        mix: combine corrections of several annotators, cluster by cluster.
        weight: weight of a word that the system changed, relative to an unchanged word.
        maximize: the measure by which a sentence's reference is chosen: ``cwacc`` is weighted
            accuracy of correction, the published default; an initial ``d`` means detection.
    """

    mix: bool = False
    weight: Annotated[float, Limits(1)] = WEIGHT
    maximize: Literal["cwacc", "ci", "cacc", "dwacc", "di", "dacc"] = "cwacc"

    name: ClassVar[str] = "imeasure"
    about: ClassVar[About | None] = About(
        rewards="tokens that are improved relative to the source",
        fails="penalizes changes; slow with many references",
        cite="Felice and Briscoe 2015",
        people=(0.26, -0.52, 0.57),
    )
    needs: ClassVar[Needs] = "reference-edits"
    is_heavy: ClassVar[bool] = True
    is_divisible: ClassVar[bool] = True
    headline: ClassVar[str] = "score"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (
            Column("level"),
            *(Column(name, "count", title=name.upper()) for name in SHOWN),
            Column("wacc", "rate", title="WAcc"),
            Column("wacc_baseline", "rate", title="WAcc of input"),
            Column("score", "score", best="max", title="I"),
        )

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        sentences = references.corpus.sentences
        texts = [text.tokens for text in hypotheses.texts]
        separate = references.remember("imeasure", lambda: [*map(separate_references, sentences)])

        def find_best(versions: list[tuple[int, Tokens]]) -> Iterator[ThreeWayCounts]:
            for number, text in versions:
                if self.mix:
                    yield self._best_mixed(sentences[number], text)
                else:
                    source = sentences[number].source.tokens
                    yield self._first_best(source, text, separate[number])

        best = references.remember_each(("imeasure", self), enumerate(texts), find_best)
        counts = [[getattr(one.counts, name) for name in SHOWN] for one in best]
        baselines = [[one.baseline.tn, one.baseline.fn] for one in best]
        return Statistics(
            {
                "counts": np.array(counts, dtype=np.float64).reshape(-1, len(SHOWN)),
                "baselines": np.array(baselines, dtype=np.float64).reshape(-1, 2),
            }
        )

    def _best_mixed(self, sentence: AnnotatedSentence, hypothesis: Tokens) -> ThreeWayCounts:
        source = sentence.source.tokens
        clusters = find_clusters(sentence)
        combinations = count_combinations(clusters)
        if combinations <= _FEW or combinations <= _FEW * width(source, hypothesis):
            return self._first_best(
                source, hypothesis, tuple(dict.fromkeys(mixed_references(source, clusters)))
            )
        lattice = make_lattice(source, clusters)
        outcomes = possible_outcomes(source, hypothesis, lattice)
        all_best = self._all_best(outcomes.tolist())
        if len(all_best) > 1 and combinations <= _MOST:
            references = tuple(dict.fromkeys(mixed_references(source, clusters)))
            in_order = (references[number] for number in order_of_references(references))
            following = (compare(source, hypothesis, reference) for reference in in_order)
            return next(outcome for outcome in following if outcome in all_best)
        return max(all_best)

    def _first_best(
        self, source: Tokens, hypothesis: Tokens, references: Sequence[Tokens]
    ) -> ThreeWayCounts:
        """Return the best outcome; of equal ones, the first in the published program's order."""
        outcomes = [compare(source, hypothesis, reference) for reference in references]
        best = set(outcomes)
        if len(best) > 1:
            best = self._all_best([(*one.counts, *one.baseline) for one in outcomes])
        if len(best) > 1:
            outcomes = [outcomes[number] for number in order_of_references(references)]
        return next(outcome for outcome in outcomes if outcome in best)

    def _preferences(self, outcomes: IntArray) -> list[list[float]]:
        """Return the keys by which references are compared, most important first.

        They are the measure to maximize, I, weighted accuracy and accuracy; then the same four at
        the other level. ``outcomes`` has the counts of the hypothesis, then those of the source.
        """
        counts, baselines = outcomes[:, :5].astype(float), outcomes[:, [6, 8]].astype(float)
        levels = measure_levels(counts, baselines, self.weight)
        first, measure = self.maximize[0], self.maximize[1:]
        order = [levels[level] for level in (LEVELS if first == "c" else LEVELS[::-1])]
        names = (measure, "i", "wacc", "acc")
        keys: list[list[float]] = np.stack(
            [level[name] for level in order for name in names], axis=1
        ).tolist()
        return keys

    def _all_best(self, outcomes: Sequence[Sequence[int]]) -> set[ThreeWayCounts]:
        keys = self._preferences(np.array(outcomes, dtype=np.int64))
        highest = max(keys)
        return {
            ThreeWayCounts(ColumnCounts(*one[:5]), ColumnCounts(*one[5:]))
            for one, key in zip(outcomes, keys, strict=True)
            if key == highest
        }

    def rows(self, statistics: Statistics) -> list[Row]:
        return self._rows(statistics["counts"].sum(axis=0), statistics["baselines"].sum(axis=0))

    def _rows(self, counts: FloatArray, baselines: FloatArray) -> list[Row]:
        levels = measure_levels(counts, baselines, self.weight)
        return [
            {
                "level": level,
                **{name: int(values[name]) for name in SHOWN},
                "wacc": float(values["wacc"]),
                "wacc_baseline": float(values["wacc_baseline"]),
                "score": float(values["i"]),
            }
            for level, values in levels.items()
        ]

    def resample(self, statistics: Statistics, weights: FloatArray) -> FloatArray:
        counts, baselines = weights @ statistics["counts"], weights @ statistics["baselines"]
        levels = measure_levels(counts, baselines, self.weight)
        name = "i" if self.headline == "score" else self.headline
        return np.stack([levels[level][name] for level in LEVELS], axis=1)

    def sentence_rows(self, statistics: Statistics) -> list[Row]:
        """Score every sentence separately, at the level of correction."""
        return [
            self._rows(counts, baselines)[0]
            for counts, baselines in zip(statistics["counts"], statistics["baselines"], strict=True)
        ]


def measure_levels(
    counts: FloatArray, baselines: FloatArray, weight: float = WEIGHT
) -> dict[str, dict[str, FloatArray]]:
    """Return counts, accuracy, weighted accuracy (also of the source) and I, by level.

    Weighted accuracy is the share of correct columns; columns that the system changed weigh more.
    Without any column it is 1. ``counts`` (..., 5) are tp, tn, fp, fn, fpn; ``baselines`` (..., 2)
    are tn and fn of the unchanged source as a hypothesis.
    """
    tp, tn, fp, fn, fpn = np.moveaxis(counts, -1, 0)
    baseline = divide_or(baselines[..., 0], baselines.sum(axis=-1), 1.0)
    cells = {
        "correction": (tp, tn, fp, fn, fpn),
        "detection": (tp + fpn, tn, fp - fpn, fn - fpn, 0.0 * fpn),
    }
    levels = {}
    for level, (tp_, tn_, fp_, fn_, fpn_) in cells.items():
        total = weight * (tp_ + fp_) + tn_ + fn_ - (weight + 1) * (fpn_ / 2)
        wacc = divide_or(weight * tp_ + tn_, total, 1.0)
        levels[level] = {
            **dict(zip(SHOWN, (tp_, tn_, fp_, fn_, fpn_), strict=True)),
            "acc": divide_or(tp_ + tn_, tp_ + tn_ + fp_ + fn_ - fpn_, 1.0),
            "wacc": wacc,
            "wacc_baseline": baseline,
            "i": _improvement(wacc, baseline),
        }
    return levels


def _improvement(system: FloatArray, baseline: FloatArray) -> FloatArray:
    """Return I: the share of errors corrected, or minus the share of correct words spoiled.

    If the accuracies are equal, I is 1 for a correct source, otherwise 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = (system - baseline) / (1.0 - baseline)
        loss = system / baseline - 1.0
    return np.where(system > baseline, gain, np.where(system < baseline, loss, np.floor(system)))
