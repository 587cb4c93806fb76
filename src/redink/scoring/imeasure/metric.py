"""The I-measure as a metric: the best reference of every sentence, and what the corpus gains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
from redink.scoring.metric import About, EditMetric, FloatArray, Needs, Statistics

LEVELS = ("correction", "detection")
SHOWN = ("tp", "tn", "fp", "fn", "fpn")
_FEW = 16
"""So many mixed references are compared one by one, and more where the texts are far apart."""
_NOT_TOO_MANY = 1 << 14
"""So many are made, where several are equally good, to find the one the program meets first."""


@dataclass(frozen=True, kw_only=True)
class IMeasure(EditMetric):
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
    is_divisible: ClassVar[bool] = True
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
        # systems often make the same of a sentence
        known: dict[tuple[int, Tokens], Outcome]
        known = references.remember(("imeasure", self), dict)
        versions = [(number, text.tokens) for number, text in enumerate(hypotheses.texts)]
        new = [version for version in dict.fromkeys(versions) if version not in known]
        known.update(zip(new, self._best(references, new), strict=True))
        best = [known[version] for version in versions]
        counts = [[getattr(one.counts, name) for name in SHOWN] for one in best]
        baselines = [[one.baseline.tn, one.baseline.fn] for one in best]
        return Statistics(
            {
                "counts": np.array(counts, dtype=np.float64).reshape(-1, len(SHOWN)),
                "baselines": np.array(baselines, dtype=np.float64).reshape(-1, 2),
            }
        )

    def _best(
        self, references: References, versions: Sequence[tuple[int, Tokens]]
    ) -> Iterable[Outcome]:
        """What counts for each version of a sentence: the outcome with its best reference."""
        sentences = references.corpus.sentences
        if self.mix:
            return [self._best_mixed(sentences[number], text) for number, text in versions]
        separate_texts = references.remember(
            "imeasure", lambda: [references_apart(sentence) for sentence in sentences]
        )
        found = [
            [compare(sentences[number].source.tokens, text, one) for one in separate_texts[number]]
            for number, text in versions
        ]
        return self._first_best(found, [separate_texts[number] for number, _ in versions])

    def _best_mixed(self, sentence: AnnotatedSentence, hypothesis: Tokens) -> Outcome:
        source = sentence.source.tokens
        clusters = find_clusters(sentence)
        combinations = count_combinations(clusters)
        if combinations <= _FEW or combinations <= _FEW * width(source, hypothesis):
            references = tuple(dict.fromkeys(mixed_references(source, clusters)))
            found = [compare(source, hypothesis, reference) for reference in references]
            (best,) = self._first_best([found], [references])
            return best
        lattice = make_lattice(source, clusters)
        outcomes = possible_outcomes(source, hypothesis, lattice)
        all_best = self._all_best(outcomes.tolist(), self._preferences(outcomes))
        if len(all_best) > 1 and combinations <= _NOT_TOO_MANY:
            references = tuple(dict.fromkeys(mixed_references(source, clusters)))
            in_order = (references[number] for number in order_of_references(references))
            following = (compare(source, hypothesis, reference) for reference in in_order)
            return next(outcome for outcome in following if outcome in all_best)
        return max(all_best)

    def _first_best(
        self, found: Sequence[Sequence[Outcome]], references: Sequence[Sequence[Tokens]]
    ) -> Iterator[Outcome]:
        """For every sentence the best of its outcomes, one of them for each reference."""
        flat = [(*one.counts, *one.baseline) for outcomes in found for one in outcomes]
        keys = self._preferences(np.array(flat, dtype=np.int64).reshape(-1, 10))
        end = 0
        for outcomes, texts in zip(found, references, strict=True):
            begin, end = end, end + len(outcomes)
            best = self._all_best(flat[begin:end], keys[begin:end])
            if len(best) == 1:
                yield best.pop()
                continue
            # the published program takes the first that it comes to
            yield next(outcomes[n] for n in order_of_references(texts) if outcomes[n] in best)

    def _preferences(self, outcomes: IntArray) -> list[list[float]]:
        keys: list[list[float]]
        keys = preferences(outcomes, maximise=self.maximise, weight=self.weight).tolist()
        return keys

    def _all_best(
        self, outcomes: Sequence[Sequence[int]], keys: Sequence[list[float]]
    ) -> set[Outcome]:
        """Those that are equally good and better than all others."""
        highest = max(keys)
        return {
            Outcome(ColumnCounts(*one[:5]), ColumnCounts(*one[5:]))
            for one, key in zip(outcomes, keys, strict=True)
            if key == highest
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
