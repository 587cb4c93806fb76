"""ERRANT's scoring: span-based comparison of a system's edits with the annotators' edits.

The scores equal those of ``errant_compare`` in all its modes. An edit is represented by a key: its
span; span and correction; or span, correction and type. A proposed key that the reference also has
is a true positive. If one reference has several edits with one key, a match counts once for each.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from redink.errors import DataError, OptionError
from redink.model import UNKNOWN, Annotation, Edit, Hypotheses, References, Row
from redink.model.counts import scorer_measures
from redink.scoring.count_metric import (
    CandidateCounts,
    CountedMetric,
    EditComparison,
    WeighedEdits,
    candidate_statistics,
)
from redink.scoring.metric import About, FloatArray, Level, Needs, Only, Statistics
from redink.scoring.metric_checks import groups_of, is_selected
from redink.scoring.selection import Counts, Key, Preference, gains_and_costs
from redink.statistics.arrays import scorer_f

_NOBODY = Annotation("0")
"""The annotator of a sentence without any line in the M2 file: no edits."""

KeyedEdits = dict[Hashable, list[Any]]
"""Edits by key; edits with the same key count as equal."""
Outcomes = list[tuple[int, list[Any]]]
"""Edits that are TP (0), FP (1) or FN (2)."""


def _key(total: Counts, own: Counts, beta: float) -> Key:
    """Return ERRANT's preference: F to four decimals, then more TP, fewer FP, fewer FN."""
    return (round(scorer_measures(*total, beta)[2], 4), *_rank(own, beta))


def _rank(own: Counts, beta: float) -> Key:  # noqa: ARG001 (other rules need beta)
    return (own[0], -own[1], -own[2])


def _f(counts: FloatArray, beta: float) -> FloatArray:
    """Return F to four decimals, in ten-thousandths."""
    gain, cost = gains_and_costs(counts.T, beta)
    scaled = np.divide(gain, cost, out=np.ones_like(gain), where=cost != 0) * 1e4
    rounded: FloatArray = np.rint(scaled)
    # near a half, the last bit decides the rounding, and that bit depends on how F is computed
    for place in np.flatnonzero(np.abs(np.abs(scaled - rounded) - 0.5) < 1e-6).tolist():
        tp, fp, fn = counts[:, place]
        exact = round(float(scorer_measures(tp, fp, fn, beta)[2]), 4)
        rounded[place] = round(exact * 1e4)
    return rounded


def _exact_key(total: Counts, own: Counts, beta: float) -> Key:
    """Return the preference with unrounded F, as in gec-metrics: weighted counts are fractions."""
    return (scorer_measures(*total, beta)[2], *_rank(own, beta))


def _exact_f(counts: FloatArray, beta: float) -> FloatArray:
    return scorer_f(counts.T, beta)


_WEIGHTED = Preference(_exact_key, _exact_f, _rank)


@dataclass(frozen=True, kw_only=True)
class Errant(CountedMetric):
    """Span-based precision, recall and F.

    Attributes:
        level: condition under which two edits are equal: ``correction`` (span and correction),
            ``correction-typed`` (and type), ``detection-span`` (span) or ``detection-token``
            (each token touched; an insertion touches the token to its right).
        only: score only edits of at most one token per side (``single``), or all others
            (``multi``).
        exclude: error types to ignore: ``R:SPELL``; ``SPELL`` for every operation; ``R:`` for all
                replacements; or a pattern, ``VERB:*``.
        types: score only these error types, in the notation of ``exclude``.
        fixed: fix known bugs of the original scorer: an edit that occurs twice in a reference
            counts as two true positives there.
    """

    level: Level = "correction"
    only: Only | None = None
    exclude: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    fixed: bool = False

    name: ClassVar[str] = "errant"
    about: ClassVar[About | None] = About(
        rewards="the same edits as an annotator",
        fails="other valid corrections; depends on edit boundaries",
        cite="Bryant et al. 2017",
        people=(0.61, -0.59, 0.61),
    )
    needs: ClassVar[Needs] = "edits"
    published_preference: ClassVar[Preference] = Preference(_key, _f, _rank, margin=1e-4)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None and self.name != Errant.name:
            raise OptionError(f"{self.name}: edits cannot have weights")
        if self.weights is not None and self.level == "detection-token":
            raise OptionError(f"errant: weights cannot be combined with level={self.level}")

    @property
    def preference(self) -> Preference:
        return self.published_preference if self.weights is None else _WEIGHTED

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        if self.weights is not None:
            return self._collect_weighted(references, hypotheses)
        annotators, compared = [], []
        for versions, gold in zip(edits_of(hypotheses), self._gold(references), strict=True):
            keyed = [self._keyed(version.edits) for version in versions or (_NOBODY,)]
            pairs = [(ours, *named) for ours in keyed for named in gold]
            annotators.append([name for _, name, _ in pairs])
            compared.append([self._count(_outcomes(ours, theirs)) for ours, _, theirs in pairs])
        return candidate_statistics(annotators, compared, typed=self.by is not None)

    def _count(self, outcomes: Outcomes) -> CandidateCounts:
        """Count TP, FP and FN, overall and by type; a true positive has the reference's type."""
        counts = [0, 0, 0]
        typed: dict[str, list[float]] = {}
        for outcome, edits in outcomes:
            counts[outcome] += len(edits)
            if self.by is not None:
                for group in chain.from_iterable(map(self._groups, edits)):
                    typed.setdefault(group, [0, 0, 0])[outcome] += 1
        return counts, typed

    def _groups(self, edit: Any) -> tuple[str, ...]:
        return groups_of(edit.type, edit.operation, self.by or "full")

    def _collect_weighted(self, references: References, hypotheses: Hypotheses) -> Statistics:
        from redink.scoring.edit_weighting import compare_edits

        comparisons = [
            [
                compare_edits(
                    references,
                    number,
                    theirs,
                    ours=list(chain.from_iterable(self._keyed(ours.edits).values())),
                    theirs=list(chain.from_iterable(self._keyed(theirs.edits).values())),
                    key=lambda edit: next(iter(self._keys_of(edit))),
                )
                for ours in versions or (_NOBODY,)
                for theirs in sentence.annotations or (_NOBODY,)
            ]
            for number, (versions, sentence) in enumerate(
                zip(edits_of(hypotheses), references.corpus.sentences, strict=True)
            )
        ]
        weighed = iter(self.weighting().weigh(list(chain.from_iterable(comparisons))))
        counted = [
            [self._count_weights(one, next(weighed)) for one in each] for each in comparisons
        ]
        annotators = [[one.annotator for one in each] for each in comparisons]
        return candidate_statistics(
            annotators, counted, typed=self.by is not None, dtype=np.float64
        )

    def _count_weights(self, comparison: EditComparison, weighed: WeighedEdits) -> CandidateCounts:
        """Sum weights, overall and by type; a true positive has the hypothesis's type."""
        typed: dict[str, list[float]] = {}
        if self.by is not None:
            sides = (comparison.ours, comparison.ours, comparison.theirs)
            for outcome, (edits, parts) in enumerate(zip(sides, weighed, strict=True)):
                for edit, weight in zip(edits, parts, strict=True):
                    for group in self._groups(edit):
                        typed.setdefault(group, [0.0, 0.0, 0.0])[outcome] += weight
        return weighed.counts, typed

    def _gold(self, references: References) -> list[list[tuple[str, KeyedEdits]]]:
        return references.remember(
            (self.name, self.level, self.only, self.exclude, self.types, self.fixed),
            lambda: [
                [(a.annotator, self._keyed(a.edits)) for a in sentence.annotations or (_NOBODY,)]
                for sentence in references.corpus.sentences
            ],
        )

    def _is_scored(self, edit: Edit) -> bool:
        if edit.type == UNKNOWN and not self.level.startswith("detection"):
            return False
        if self.only is not None:
            longest = max(edit.end - edit.start, len(_written(edit).split()))
            if (longest >= 2) != (self.only == "multi"):
                return False
        return self._counts_type(edit.type, edit.operation)

    def _counts_type(self, error_type: str, operation: str = "") -> bool:
        if self.types and not is_selected(error_type, operation, self.types):
            return False
        return not is_selected(error_type, operation, self.exclude)

    def _keyed(self, edits: Iterable[Edit]) -> KeyedEdits:
        keyed: KeyedEdits = {}
        is_filtered = self.only is not None or self.exclude or self.types
        is_usual = self.level == "correction" and not is_filtered  # avoids half of the scoring time
        for edit in edits:
            keys: Iterable[Hashable]
            if is_usual:
                if edit.type == UNKNOWN:
                    continue
                keys = ((edit.start, edit.end, _written(edit)),)
            elif self._is_scored(edit):
                keys = self._keys_of(edit)
            else:
                continue
            for key in keys:
                if key in keyed and self.fixed:
                    continue
                keyed.setdefault(key, []).append(edit)
        return keyed

    def _keys_of(self, edit: Edit) -> Iterable[Hashable]:
        start, end = edit.start, edit.end
        if self.level == "correction":
            return ((start, end, _written(edit)),)
        if self.level == "correction-typed":
            return ((start, end, edit.type, _written(edit)),)
        if self.level == "detection-span":
            return ((start, end),)
        return [(token, token + 1) for token in range(start, max(end, start + 1))]

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        gold = self._gold(references)
        result = []
        for number, chosen in enumerate(self.choices(statistics).tolist()):
            version, annotator = divmod(chosen, len(gold[number]))
            versions = edits_of(hypotheses)[number] or (_NOBODY,)
            ours = self._keyed(versions[version].edits)
            rows = [
                verdict_row(VERDICTS[outcome], edit)
                for outcome, edits in _outcomes(ours, gold[number][annotator][1])
                for edit in edits
            ]
            result.append(sorted(rows, key=lambda row: (row["start"], row["end"])))
        return result


def edits_of(hypotheses: Hypotheses) -> tuple[tuple[Annotation, ...], ...]:
    """Return the versions of a system's edits, sentence by sentence."""
    if hypotheses.annotations is None:
        raise DataError(f"system {hypotheses.name!r} has no edits to score")
    return hypotheses.annotations


def first_edits(hypotheses: Hypotheses) -> list[tuple[Edit, ...]]:
    """Return the first version of a system's edits, for metrics that accept only one."""
    return [versions[0].edits if versions else () for versions in edits_of(hypotheses)]


VERDICTS = ("TP", "FP", "FN")


def _outcomes(ours: KeyedEdits, theirs: KeyedEdits) -> Outcomes:
    outcomes: Outcomes = [
        (1, edits) if (matched := theirs.get(key)) is None else (0, matched)
        for key, edits in ours.items()
    ]
    outcomes.extend((2, edits) for key, edits in theirs.items() if key not in ours)
    return outcomes


def _written(edit: Edit) -> str:
    """Return the correction as in an M2 file, where alternatives are part of the string."""
    return "||".join(edit.corrections) if edit.alternatives else edit.correction


def verdict_row(verdict: str, edit: Edit) -> Row:
    """Describe an edit and its verdict."""
    return {
        "verdict": verdict,
        "start": edit.start,
        "end": edit.end,
        "correction": edit.correction,
        "type": edit.type,
    }
