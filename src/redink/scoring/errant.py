"""ERRANT's scoring: a system's edits against the annotators', span by span.

The same figures as ``errant_compare`` in all its modes. An edit is a key: its span alone, its
span and correction, or these and its type; a proposed key that the reference also has is a true
positive. Where one reference has several edits under one key, a match counts once for each, as
there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np

from redink.errors import DataError, OptionError
from redink.model import UNKNOWN, Annotation, Edit, Hypotheses, References, Row
from redink.scoring.count_metric import (
    Candidates,
    CountedMetric,
    f_scores,
    group_of,
    is_selected,
    measures,
)
from redink.scoring.metric import About, FloatArray, Needs, Statistics
from redink.scoring.selection import Counts, Key, Rule
from redink.scoring.weights import Pair, Weighed, make_pair, weighing_of

Level = Literal["correction", "detection-span", "detection-token", "correction-typed"]
Only = Literal["single", "multi"]

_NOBODY = Annotation("0")
"""Stands for the annotator of a sentence about which the file says nothing: no edits."""

TypedCounts = dict[str, list[Any]]
Compared = tuple[list[float], list[TypedCounts]]
"""The counts of all candidates of a sentence, one after the other, and those by type of each."""


class Keyed(dict[Hashable, list[Edit]]):
    """Edits under their keys, and how many there are."""

    __slots__ = ("total",)

    total: int


def _key(total: Counts, own: Counts, beta: float) -> Key:
    """ERRANT's preference: F to four decimals, then more TP, fewer FP, fewer FN."""
    return (round(measures(*total, beta)[2], 4), *_rank(own, beta))


def _rank(own: Counts, beta: float) -> Key:  # noqa: ARG001 (other rules need beta)
    return (own[0], -own[1], -own[2])


def _f(tp: FloatArray, fp: FloatArray, fn: FloatArray, beta: float) -> FloatArray:
    """F to four decimals, in ten-thousandths."""
    square = beta**2
    gain = (1 + square) * tp
    scaled = _scaled_ratio(gain, gain + fp + square * fn)
    rounded: FloatArray = np.rint(scaled)
    # next to a half the last bit decides, and that depends on how F is computed
    near_half = np.abs(np.abs(scaled - rounded) - 0.5) < 1e-6
    if near_half.any():
        for place in np.flatnonzero(near_half).tolist():
            exact = round(float(measures(tp[place], fp[place], fn[place], beta)[2]), 4)
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
    return (measures(*total, beta)[2], *_rank(own, beta))


def _exact_f(tp: FloatArray, fp: FloatArray, fn: FloatArray, beta: float) -> FloatArray:
    return f_scores(np.stack([tp, fp, fn], axis=-1), beta)


_WEIGHTED = Rule(_exact_key, _exact_f, _rank)


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
    rule: ClassVar[Rule] = Rule(_key, _f, _rank, _ratio, margin=1e-4)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None and self.name != Errant.name:
            raise OptionError(f"{self.name}: its edits have no weights")
        if self.weights is not None and self.level == "detection-token":
            raise OptionError("errant: edits have weights, tokens have none; choose another level")

    @property
    def preference(self) -> Rule:
        """How the annotator is chosen."""
        return self.rule if self.weights is None else _WEIGHTED

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Counts of the system's edits against those of every annotator, sentence by sentence."""
        if self.weights is not None:
            return self._collect_weighted(references, hypotheses)
        return self._collect(references, edits_of(hypotheses))

    def _collect(
        self, references: References, versions: Sequence[tuple[Annotation, ...]]
    ) -> Statistics:
        gold = self._gold(references)
        # systems often propose the same for a sentence, or nothing
        known: list[dict[int, tuple[Annotation, Compared]]] = references.remember(
            (self.name, "compared", self.kin()), lambda: [{} for _ in gold]
        )
        compared = []
        for ours, theirs, before in zip(versions, gold, known, strict=True):
            if len(ours) != 1:
                compared.append(self._compare_all(ours or (_NOBODY,), theirs))
                continue
            place = id(ours[0])
            found = before.get(place)
            if found is None:  # holding the edits, so that their id stays their own
                found = before[place] = ours[0], self._compare_all(ours, theirs)
            compared.append(found[1])
        annotators = references.remember(
            (self.name, "annotators"),
            lambda: Candidates.of([[who for who, _ in theirs] for theirs in gold]),
        )
        if any(len(ours) > 1 for ours in versions):
            annotators = Candidates.of(
                [
                    [who for who, _ in theirs] * (len(ours) or 1)
                    for ours, theirs in zip(versions, gold, strict=True)
                ]
            )
        return self._statistics(compared, annotators)

    def _compare_all(
        self, versions: Sequence[Annotation], annotators: Sequence[tuple[str, Keyed]]
    ) -> Compared:
        """Every version of a system's edits against every annotator's."""
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
        pairs = [
            [
                self._pair(references, number, ours, theirs)
                for ours in _versions(hypotheses, number)
                for theirs in sentence.annotations or (_NOBODY,)
            ]
            for number, sentence in enumerate(references.corpus.sentences)
        ]
        weighed = iter(weighing_of(self.weights).weigh(list(chain.from_iterable(pairs))))
        counted = [[self._count_weights(pair, next(weighed)) for pair in each] for each in pairs]
        candidates = Candidates.of([[pair.annotator for pair in each] for each in pairs])
        return self._statistics(list(map(together, counted)), candidates, dtype=np.float64)

    def _pair(
        self, references: References, number: int, ours: Annotation, theirs: Annotation
    ) -> Pair:
        return make_pair(
            references,
            number,
            theirs,
            ours=list(chain.from_iterable(self._keyed(ours.edits).values())),
            theirs=list(chain.from_iterable(self._keyed(theirs.edits).values())),
            key=lambda edit: next(iter(self._keys_of(edit))),
        )

    def _count_weights(self, pair: Pair, weighed: Weighed) -> tuple[list[float], TypedCounts]:
        """Sums of weights, overall and by type; a true positive has the hypothesis's type."""
        typed: TypedCounts = {}
        if self.by is not None:
            sides = ((pair.ours, weighed.right), (pair.ours, weighed.wrong))
            for outcome, (edits, parts) in enumerate((*sides, (pair.theirs, weighed.missed))):
                for edit, weight in zip(edits, parts, strict=True):
                    group = group_of(edit.type, edit.operation, self.by)
                    typed.setdefault(group, [0.0, 0.0, 0.0])[outcome] += weight
        return weighed.counts, typed

    def _gold(self, references: References) -> list[list[tuple[str, Keyed]]]:
        """The annotators of every sentence and their edits."""
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

    def _keyed(self, edits: Iterable[Edit]) -> Keyed:
        keyed = Keyed()
        total = 0
        is_filtered = self.only is not None or self.exclude or self.types
        is_usual = self.level == "correction" and not is_filtered
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
                if key not in keyed:
                    keyed[key] = [edit]
                elif self.fixed:
                    continue
                else:
                    keyed[key].append(edit)
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

    def _count_types(self, ours: Keyed, theirs: Keyed) -> TypedCounts:
        """TP, FP and FN by type; a true positive has the reference's type."""
        typed: TypedCounts = {}
        for outcome, edits in _outcomes(ours, theirs):
            for edit in edits:
                group = group_of(edit.type, edit.operation, self.by or "full")
                typed.setdefault(group, [0, 0, 0])[outcome] += 1
        return typed

    def _statistics(
        self,
        compared: Sequence[Compared],
        candidates: Candidates,
        *,
        dtype: type[np.generic] = np.int32,
    ) -> Statistics:
        arrays = candidates.arrays([counts for counts, _ in compared], dtype=dtype)
        labels: tuple[str, ...] = ()
        if self.by is not None:
            labels = tuple(sorted({t for _, typed in compared for each in typed for t in each}))
            places = {label: place for place, label in enumerate(labels)}
            values = np.zeros((*candidates.present.shape, len(labels), 3), dtype=dtype)
            for number, (_, typed) in enumerate(compared):
                for index, of_one in enumerate(typed):
                    for label, counts in of_one.items():
                        values[number, index, places[label]] = counts
            arrays["typed"] = values
        return Statistics(arrays, labels)

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        """Every edit of every sentence with its verdict, against the annotator chosen."""
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


def together(counted: Iterable[tuple[Sequence[float], TypedCounts]]) -> Compared:
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
    """The versions of a system's edits, sentence by sentence.

    Raises:
        DataError: it has no edits.
    """
    if hypotheses.annotations is None:
        raise DataError(f"system {hypotheses.name!r} has no edits to score")
    return hypotheses.annotations


def first_edits(hypotheses: Hypotheses) -> list[tuple[Edit, ...]]:
    """The edits of a system, the first version of every sentence: for metrics that take one."""
    return [versions[0].edits if versions else () for versions in edits_of(hypotheses)]


VERDICTS = ("TP", "FP", "FN")


def _outcomes(ours: Keyed, theirs: Keyed) -> list[tuple[int, list[Edit]]]:
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
