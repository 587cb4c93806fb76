"""ERRANT's scoring: a system's edits against the annotators', span by span.

The same figures as ``errant_compare`` in all its modes. An edit is a key: its span alone, its
span and correction, or these and its type. A proposed key that the reference also has is a true
positive. If one reference has several edits under one key, a match counts once for each, as there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from redink.errors import DataError, OptionError
from redink.model import UNKNOWN, Annotation, Edit, Hypotheses, References, Row
from redink.model.counts import scorer_measures
from redink.scoring.count_metric import Candidates, CountedMetric
from redink.scoring.edit_weighting import EditComparison, WeighedEdits, compare_edits, weighting_of
from redink.scoring.metric import About, FloatArray, Level, Needs, Only, Statistics
from redink.scoring.metric_checks import group_of, is_selected
from redink.scoring.selection import Counts, Key, Preference, gains_and_costs
from redink.statistics.arrays import scorer_f

_NOBODY = Annotation("0")
"""Stands for the annotator of a sentence about which the file says nothing: no edits."""

_TypedCounts = dict[str, list[Any]]
_CandidateCounts = tuple[list[float], list[_TypedCounts]]
"""The counts of all candidates of a sentence, one after the other, and those by type of each."""


class KeyedEdits(dict[Hashable, list[Edit]]):
    """Edits under their keys, and how many there are."""

    __slots__ = ("total",)

    total: int


def _key(total: Counts, own: Counts, beta: float) -> Key:
    """ERRANT's preference: F to four decimals, then more TP, fewer FP, fewer FN."""
    return (round(scorer_measures(*total, beta)[2], 4), *_rank(own, beta))


def _rank(own: Counts, beta: float) -> Key:  # noqa: ARG001 (other rules need beta)
    return (own[0], -own[1], -own[2])


def _f(counts: FloatArray, beta: float) -> FloatArray:
    """F to four decimals, in ten-thousandths."""
    scaled = _scaled_ratio(*gains_and_costs(counts.T, beta))
    rounded: FloatArray = np.rint(scaled)
    # next to a half the last bit decides, and that depends on how F is computed
    for place in np.flatnonzero(np.abs(np.abs(scaled - rounded) - 0.5) < 1e-6).tolist():
        tp, fp, fn = counts[:, place]
        exact = round(float(scorer_measures(tp, fp, fn, beta)[2]), 4)
        rounded[place] = round(exact * 1e4)
    return rounded


def _scaled_ratio(gain: FloatArray, cost: FloatArray) -> FloatArray:
    if cost.all():
        return gain / cost * 1e4
    return np.divide(gain, cost, out=np.ones_like(gain), where=cost != 0) * 1e4


def _ratio(gain: FloatArray, cost: FloatArray) -> FloatArray | None:
    """As :func:`_f` from gains and costs; None if one of them is next to a half."""
    scaled = _scaled_ratio(gain, cost)
    rounded: FloatArray = np.rint(scaled)
    scaled -= rounded
    largest = max(scaled.max(initial=0.0), -scaled.min(initial=0.0))
    return None if largest > 0.5 - 1e-6 else rounded


def _exact_key(total: Counts, own: Counts, beta: float) -> Key:
    """The same without rounding: weighted counts are not whole, as in gec-metrics."""
    return (scorer_measures(*total, beta)[2], *_rank(own, beta))


def _exact_f(counts: FloatArray, beta: float) -> FloatArray:
    return scorer_f(counts.T, beta)


_WEIGHTED = Preference(_exact_key, _exact_f, _rank)


@dataclass(frozen=True, kw_only=True)
class Errant(CountedMetric):
    """Span-based precision, recall and F.

    Attributes:
        level: what makes two edits equal: ``correction`` (span and correction),
            ``correction-typed`` (and type), ``detection-span`` (span) or ``detection-token``
            (each token touched; an insertion touches the token to its right).
        only: edits of at most one token on both sides (``single``), or all others (``multi``).
        exclude: error types that are not scored: ``R:SPELL``; ``SPELL`` under every operation; all
            replacements, ``R:``; or a pattern, ``VERB:*``.
        types: the only error types that are scored, written as for ``exclude``.
        fixed: edits that are equal count once; in the original, one edit that is in a reference
            twice is two true positives.
    """

    level: Level = "correction"
    only: Only | None = None
    exclude: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    fixed: bool = False

    name: ClassVar[str] = "errant"
    about: ClassVar[About | None] = About(
        rewards="the same edits as an annotator",
        fails="other good corrections; depends on how edits are cut",
        cite="Bryant et al. 2017",
        people=(0.61, -0.59, 0.61),
    )
    needs: ClassVar[Needs] = "edits"
    published_preference: ClassVar[Preference] = Preference(_key, _f, _rank, _ratio, margin=1e-4)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None and self.name != Errant.name:
            raise OptionError(f"{self.name}: its edits have no weights")
        if self.weights is not None and self.level == "detection-token":
            raise OptionError("errant: edits have weights, tokens have none; choose another level")

    @property
    def preference(self) -> Preference:
        return self.published_preference if self.weights is None else _WEIGHTED

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        if self.weights is not None:
            return self._collect_weighted(references, hypotheses)
        gold = self._gold(references)
        versions = edits_of(hypotheses)
        # systems often propose the same edits for a sentence, or none
        known: list[dict[int, tuple[Annotation, _CandidateCounts]]] = references.remember(
            (self.name, "compared", self.statistics_key()), lambda: [{} for _ in gold]
        )
        compared = []
        for ours, theirs, before in zip(versions, gold, known, strict=True):
            if len(ours) != 1:
                compared.append(self._compare_all(ours or (_NOBODY,), theirs))
                continue
            key = id(ours[0])
            if key not in before:  # holding the edits, so that their id stays their own
                before[key] = ours[0], self._compare_all(ours, theirs)
            compared.append(before[key][1])
        names = [[who for who, _ in theirs] for theirs in gold]
        if any(len(ours) > 1 for ours in versions):
            pairs = zip(versions, names, strict=True)
            annotators = Candidates.of([theirs * (len(ours) or 1) for ours, theirs in pairs])
        else:
            annotators = references.remember(
                (self.name, "annotators"), lambda: Candidates.of(names)
            )
        return self._statistics(compared, annotators)

    def _compare_all(
        self, versions: Sequence[Annotation], annotators: Sequence[tuple[str, KeyedEdits]]
    ) -> _CandidateCounts:
        counts: list[float] = []
        typed = []
        for version in versions:
            ours = self._keyed(version.edits)
            total = ours.total
            for _, theirs in annotators:
                right = matched = 0
                for key in ours:
                    if key in theirs:
                        right += len(theirs[key])
                        matched += len(ours[key])
                counts += (right, total - matched, theirs.total - right)
                if self.by is not None:
                    typed.append(self._count_types(ours, theirs))
        return counts, typed

    def _collect_weighted(self, references: References, hypotheses: Hypotheses) -> Statistics:
        assert self.weights is not None
        comparisons = [
            [
                self._compare_one(references, number, ours, theirs)
                for ours in _versions(hypotheses, number)
                for theirs in sentence.annotations or (_NOBODY,)
            ]
            for number, sentence in enumerate(references.corpus.sentences)
        ]
        weighed = iter(weighting_of(self.weights).weigh(list(chain.from_iterable(comparisons))))
        counted = [
            concatenate_counts(self._count_weights(one, next(weighed)) for one in each)
            for each in comparisons
        ]
        candidates = Candidates.of([[one.annotator for one in each] for each in comparisons])
        return self._statistics(counted, candidates, dtype=np.float64)

    def _compare_one(
        self, references: References, number: int, ours: Annotation, theirs: Annotation
    ) -> EditComparison:
        return compare_edits(
            references,
            number,
            theirs,
            ours=list(chain.from_iterable(self._keyed(ours.edits).values())),
            theirs=list(chain.from_iterable(self._keyed(theirs.edits).values())),
            key=lambda edit: next(iter(self._keys_of(edit))),
        )

    def _count_weights(
        self, comparison: EditComparison, weighed: WeighedEdits
    ) -> tuple[list[float], _TypedCounts]:
        """Sums of weights, overall and by type; a true positive has the hypothesis's type."""
        typed: _TypedCounts = {}
        if self.by is not None:
            ours, theirs = comparison.ours, comparison.theirs
            for outcome, (edits, parts) in enumerate(
                zip((ours, ours, theirs), weighed, strict=True)
            ):
                for edit, weight in zip(edits, parts, strict=True):
                    group = group_of(edit.type, edit.operation, self.by)
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
        keyed = KeyedEdits()
        total = 0
        is_filtered = self.only is not None or self.exclude or self.types
        is_usual = self.level == "correction" and not is_filtered  # half of the time of scoring
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
                total += 1
        keyed.total = total
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

    def _count_types(self, ours: KeyedEdits, theirs: KeyedEdits) -> _TypedCounts:
        """TP, FP and FN by type; a true positive has the reference's type."""
        typed: _TypedCounts = {}
        for outcome, edits in _outcomes(ours, theirs):
            for edit in edits:
                group = group_of(edit.type, edit.operation, self.by or "full")
                typed.setdefault(group, [0, 0, 0])[outcome] += 1
        return typed

    def _statistics(
        self,
        compared: Sequence[_CandidateCounts],
        candidates: Candidates,
        *,
        dtype: type[np.generic] = np.int32,
    ) -> Statistics:
        typed = None if self.by is None else [typed for _, typed in compared]
        return candidates.statistics([counts for counts, _ in compared], typed, dtype=dtype)

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        gold = self._gold(references)
        result = []
        for number, chosen in enumerate(self.choices(statistics).tolist()):
            version, annotator = divmod(chosen, len(gold[number]))
            ours = self._keyed(_versions(hypotheses, number)[version].edits)
            rows = [
                verdict_row(VERDICTS[outcome], edit)
                for outcome, edits in _outcomes(ours, gold[number][annotator][1])
                for edit in edits
            ]
            result.append(sorted(rows, key=lambda row: (row["start"], row["end"])))
        return result


def concatenate_counts(counted: Iterable[tuple[Sequence[float], _TypedCounts]]) -> _CandidateCounts:
    """The counts of all candidates of a sentence, from those of each."""
    counts: list[float] = []
    typed = []
    for own, by_type in counted:
        counts += own
        typed.append(by_type)
    return counts, typed


def _versions(hypotheses: Hypotheses, number: int) -> tuple[Annotation, ...]:
    return edits_of(hypotheses)[number] or (_NOBODY,)


def edits_of(hypotheses: Hypotheses) -> tuple[tuple[Annotation, ...], ...]:
    """Return the versions of a system's edits, sentence by sentence."""
    if hypotheses.annotations is None:
        raise DataError(f"system {hypotheses.name!r} has no edits to score")
    return hypotheses.annotations


def first_edits(hypotheses: Hypotheses) -> list[tuple[Edit, ...]]:
    """Return the first version of a system's edits, for metrics that take one."""
    return [versions[0].edits if versions else () for versions in edits_of(hypotheses)]


VERDICTS = ("TP", "FP", "FN")


def _outcomes(ours: KeyedEdits, theirs: KeyedEdits) -> list[tuple[int, list[Edit]]]:
    outcomes = [
        (1, edits) if (matched := theirs.get(key)) is None else (0, matched)
        for key, edits in ours.items()
    ]
    outcomes.extend((2, edits) for key, edits in theirs.items() if key not in ours)
    return outcomes


def _written(edit: Edit) -> str:
    """The correction as an M2 file has it; alternatives are part of one string, as there."""
    return "||".join(edit.corrections) if edit.alternatives else edit.correction


def verdict_row(verdict: str, edit: Edit) -> Row:
    """An edit and what became of it."""
    return {
        "verdict": verdict,
        "start": edit.start,
        "end": edit.end,
        "correction": edit.correction,
        "type": edit.type,
    }
