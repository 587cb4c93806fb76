"""MaxMatch, the M2 scorer (Dahlmeier and Ng, 2012), with the counts of the official scorer 3.2.

A system's text shows its changes but not their segmentation into edits. MaxMatch builds a lattice
of all cheapest paths from source to hypothesis, chooses the path that matches most of the
annotator's edits, and counts the edits on it. See :mod:`redink.scoring.m2.edit_lattice`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from redink.cache import MATCHES, digest_code, is_cache_used, make_key
from redink.errors import OptionError
from redink.model import AnnotatedSentence, Annotation, Edit, Hypotheses, References, Row
from redink.options import NotNegative
from redink.scoring.count_metric import (
    CandidateCounts,
    CountedMetric,
    EditComparison,
    WeighedEdits,
    candidate_statistics,
)
from redink.scoring.errant import verdict_row
from redink.scoring.m2.edit_lattice import EditLattice, Gold
from redink.scoring.m2.path_search import best_paths
from redink.scoring.metric import About, FloatArray, Needs, Statistics
from redink.scoring.metric_checks import groups_of
from redink.scoring.python2 import iteration_order
from redink.scoring.selection import Counts, Key, Preference

_NOBODY = Annotation("0")

Proposal = tuple[int, int, str]
"""An edit that MaxMatch extracts from a hypothesis: its span and correction."""


Version = tuple[int, tuple[str, ...]]
"""The index of a sentence, and its hypothesis."""


class MatchCounts(NamedTuple):
    """TP, FP and FN of a hypothesis against every annotator, and the matched gold edits."""

    counts: list[list[int]]
    matched: list[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class MatchedEdits:
    """The edits that a hypothesis proposes for one annotator, and the gold edits they match."""

    proposed: tuple[Proposal, ...]
    matched: tuple[int, ...]


def _key(total: Counts, own: Counts, beta: float) -> Key:  # noqa: ARG001 (other rules need it)
    """Return the official preference: F, then more TP, then fewer proposed and gold edits."""
    tp, fp, fn = total
    square = beta * beta
    divisor = square * (tp + fn) + (tp + fp)
    f = (1 + square) * tp / divisor if divisor else 1.0
    return (f, *_rank(total, beta))


def _rank(counts: Counts, beta: float) -> Key:
    tp, fp, fn = counts
    return (tp, -((tp + fp) + beta * beta * (tp + fn)))


def _f(counts: FloatArray, beta: float) -> FloatArray:
    tp, fp, fn = counts
    square = beta * beta
    gain, cost = (1 + square) * tp, square * (tp + fn) + (tp + fp)
    scores: FloatArray = np.divide(gain, cost, out=np.ones_like(gain), where=cost != 0)
    return scores


@dataclass(frozen=True, kw_only=True)
class MaxMatch(CountedMetric):
    """Precision, recall and F of the edits that best match an annotator's edits.

    With ``by``, only recall is computed, by the error type of the gold edits: false positives have
    no type, because they match no gold edit and a text has no error types.

    Attributes:
        max_unchanged_words: maximum number of unchanged tokens in an edit.
        ignore_whitespace_casing: ignore edits that change only whitespace and case.
    """

    max_unchanged_words: NotNegative = 2
    ignore_whitespace_casing: bool = False

    name: ClassVar[str] = "m2"
    about: ClassVar[About | None] = About(
        rewards="the same edits as an annotator; edit boundaries are chosen to match",
        fails="other valid corrections; long rewrites can count as few edits",
        cite="Dahlmeier and Ng 2012",
        people=(0.77, -0.2, 0.62),
    )
    needs: ClassVar[Needs] = "reference-edits"
    published_preference: ClassVar[Preference] = Preference(_key, _f, _rank, margin=0.0)
    types_have_false_positives: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None and self.by is not None:
            raise OptionError("m2: weights cannot be combined with --by")

    @property
    def is_heavy(self) -> bool:  # type: ignore[override]
        """Another process can do the work, unless edits have weights."""
        return self.weights is None

    @property
    def is_divisible(self) -> bool:  # type: ignore[override]
        """Sentences are independent, unless there are labels: the error types of all sentences."""
        return self.by is None

    def statistics_key(self) -> Hashable:
        """With weights, statistics also depend on the kind of average."""
        if self.weights is None:
            return super().statistics_key()
        return replace(self, beta=0.5, selection="running")

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        if self.weights is not None:
            return self._collect_weighted(references, hypotheses)
        gold = _gold(references)
        setting = f"{self.max_unchanged_words} {self.ignore_whitespace_casing}"
        golds = [[annotator.golds for annotator in sentence] for sentence in gold]
        sources = [source.tokens for source in references.sources]

        def match(version: Version) -> MatchCounts:
            number, tokens = version
            found = self.match_golds(sources[number], tokens, golds[number])
            counts = []
            for one, gold in zip(found, golds[number], strict=True):
                correct = len(one.matched)
                counts.append([correct, len(one.proposed) - correct, len(gold) - correct])
            return MatchCounts(counts, [one.matched for one in found])

        found = references.remember_each(
            (self.name, setting),
            enumerate(text.tokens for text in hypotheses.texts),
            lambda versions: _match_all(versions, sources, golds, match, setting),
        )
        compared = [
            [
                (own, self._count_types(annotator.edits, set(matched)))
                for annotator, own, matched in zip(annotators, *counts, strict=True)
            ]
            for annotators, counts in zip(gold, found, strict=True)
        ]
        names = [[annotator.name for annotator in sentence] for sentence in gold]
        return candidate_statistics(names, compared, typed=self.by is not None)

    def _count_types(self, edits: Sequence[Edit], matched: set[int]) -> dict[str, list[int]]:
        typed: dict[str, list[int]] = {}
        for place, edit in enumerate(edits if self.by is not None else ()):
            for group in groups_of(edit.type, edit.operation, self.by or "full"):
                typed.setdefault(group, [0, 0, 0])[0 if place in matched else 2] += 1
        return typed

    def _collect_weighted(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Sum the weights of the edits that match best, regardless of their weights (PT-M2)."""
        comparisons: list[list[EditComparison]] = []
        for number, hypothesis in enumerate(hypotheses.texts):
            annotators = _gold(references)[number]
            tokens = references.sources[number].tokens
            found = self.match_golds(tokens, hypothesis.tokens, [each.golds for each in annotators])
            pairs = zip(annotators, found, strict=True)
            comparisons.append([_compare(references, number, *pair) for pair in pairs])
        weighed = iter(self.weighting().weigh(list(chain.from_iterable(comparisons))))
        counts: list[list[CandidateCounts]] = [
            [(self._count_weights(one, next(weighed)), {}) for one in each] for each in comparisons
        ]
        names = [[one.annotator for one in each] for each in comparisons]
        return candidate_statistics(names, counts, typed=False, dtype=np.float64)

    def _count_weights(self, comparison: EditComparison, weighed: WeighedEdits) -> list[float]:
        """With average=sentence, edits that all weigh 0 are given equal weights, as in PT-M2."""
        if self.average == "corpus" or any(weighed.counts):
            return weighed.counts
        right = Counter(comparison.matched)
        counts = [right[True], right[False], comparison.found.count(False)]
        share = 1 / (sum(counts) or 1)
        return [count * share for count in counts]

    def match(
        self, source: Sequence[str], hypothesis: Sequence[str], annotators: Sequence[Sequence[Edit]]
    ) -> list[MatchedEdits]:
        """Return the edits of a hypothesis that best match each annotator's edits."""
        return self.match_golds(source, hypothesis, [_to_golds(edits) for edits in annotators])

    def match_golds(
        self, source: Sequence[str], hypothesis: Sequence[str], annotators: Sequence[list[Gold]]
    ) -> list[MatchedEdits]:
        """Do the same as :meth:`match` for gold edits in the form that the lattice uses."""
        if source == hypothesis:
            return [MatchedEdits((), ())] * len(annotators)
        lattice = EditLattice(source, hypothesis)
        paths = best_paths(lattice, annotators, self.max_unchanged_words)
        result = []
        for path, golds in zip(paths, annotators, strict=True):
            proposed = tuple(lattice.edit(*arc) for arc in path)
            if self.ignore_whitespace_casing:
                proposed = tuple(p for p in proposed if not _is_same_text(source, p))
            result.append(MatchedEdits(proposed, _match_in_order(proposed, golds)))
        return result

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        gold = _gold(references)
        result = []
        for number, chosen in enumerate(self.choices(statistics).tolist()):
            edits = gold[number][chosen].edits
            source, hypothesis = references.sources[number], hypotheses.texts[number]
            (match,) = self.match(source.tokens, hypothesis.tokens, [edits])
            hits = set(match.matched)
            correct = {(e.start, e.end, c) for g in hits for e in [edits[g]] for c in e.corrections}
            rows = [
                verdict_row("TP" if gold in hits else "FN", edit) for gold, edit in enumerate(edits)
            ]
            rows += [verdict_row("FP", Edit(*p)) for p in match.proposed if p not in correct]
            result.append(sorted(rows, key=lambda row: (row["start"], row["end"])))
        return result


class _GoldAnnotator(NamedTuple):
    name: str
    edits: tuple[Edit, ...]
    golds: list[Gold]


def _gold(references: References) -> list[list[_GoldAnnotator]]:
    """Return the annotators of every sentence, in the official scorer's order."""
    return references.remember(
        "m2",
        lambda: [
            [
                _GoldAnnotator(a.annotator, a.edits, _to_golds(a.edits))
                for a in _in_official_order(s)
            ]
            for s in references.corpus.sentences
        ],
    )


def _compare(
    references: References, number: int, annotator: _GoldAnnotator, match: MatchedEdits
) -> EditComparison:
    """Compare proposed and gold edits; a matched gold edit takes the proposed correction."""
    from redink.scoring.edit_weighting import compare_edits

    proposed = {(start, end): correction for start, end, correction in match.proposed}
    theirs = [
        replace(edit, correction=proposed[edit.start, edit.end], alternatives=())
        if place in match.matched
        else edit
        for place, edit in enumerate(annotator.edits)
    ]
    return compare_edits(
        references,
        number,
        Annotation(annotator.name, annotator.edits),
        ours=[Edit(*proposal) for proposal in match.proposed],
        theirs=theirs,
        key=lambda edit: (edit.start, edit.end, edit.correction),
    )


def _to_golds(edits: Sequence[Edit]) -> list[Gold]:
    return [Gold(e.start, e.end, frozenset(e.corrections)) for e in edits]


def _in_official_order(sentence: AnnotatedSentence) -> tuple[Annotation, ...]:
    annotations = sentence.annotations or (_NOBODY,)
    if len(annotations) == 1 or not all(a.annotator.isdecimal() for a in annotations):
        return annotations
    by_number = {int(a.annotator): a for a in annotations}
    numbers = list(by_number)
    for _ in range(2):  # the scorer stores annotators in a dictionary and copies it to another
        numbers = [numbers[place] for place in iteration_order(numbers)]
    return tuple(by_number[n] for n in numbers)


def _match_in_order(proposed: Sequence[Proposal], golds: Sequence[Gold]) -> tuple[int, ...]:
    """Return the gold edits that are proposed, found as in the official scorer.

    Each list is traversed once, so gold edits out of order can be missed; and an edit matches all
    equal gold edits that follow, each of which counts.
    """
    matched: list[int] = []
    begin = 0
    for start, end, correction in proposed:
        for index in range(begin, len(golds)):
            gold = golds[index]
            if (gold.start, gold.end) == (start, end) and correction in gold.corrections:
                matched.append(index)
                begin = index + 1
    return tuple(matched)


def _is_same_text(source: Sequence[str], proposal: Proposal) -> bool:
    start, end, correction = proposal
    return "".join(source[start:end]).lower() == correction.replace(" ", "").lower()


def _match_all(
    versions: Sequence[Version],
    sources: Sequence[tuple[str, ...]],
    golds: Sequence[Sequence[Sequence[Gold]]],
    match: Callable[[Version], MatchCounts],
    setting: str,
) -> list[MatchCounts]:
    """Match hypotheses; counts are cached on disk, because systems are often scored several times.

    ``setting`` contains the options that counts depend on.
    """
    if not is_cache_used():
        return [match(version) for version in versions]
    known: dict[Version, MatchCounts] = {}
    keys: dict[bytes, Version] = {}
    for number, text in versions:
        if text != sources[number]:
            gold = [[(g.start, g.end, sorted(g.corrections)) for g in own] for own in golds[number]]
            texts = " ".join(sources[number]), " ".join(text)
            keys[make_key(setting, _code(), *texts, repr(gold))] = number, text
    for key, value in MATCHES.look_up(list(keys)).items():
        counts, matched = json.loads(value)
        known[keys[key]] = MatchCounts(counts, [tuple(places) for places in matched])
    made = {}
    for key, version in keys.items():
        if version not in known:
            known[version] = match(version)
            made[key] = json.dumps(known[version], separators=(",", ":"))
    if made:
        MATCHES.keep(made)
    return [known[version] if version in known else match(version) for version in versions]


@cache
def _code() -> str:
    return digest_code(Path(__file__).parent)
