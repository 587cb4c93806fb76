"""MaxMatch, the M2 scorer (Dahlmeier and Ng, 2012), as the official scorer 3.2 counts.

A system's text says what it changed, not in which edits. MaxMatch reads the edits off a lattice
of all cheapest ways from source to hypothesis: it takes the path that agrees with most of the
annotator's edits, and counts the edits on it. See :mod:`redink.scoring.m2.lattice`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar, NamedTuple

import numpy as np

from redink.errors import OptionError
from redink.model import AnnotatedSentence, Annotation, Edit, Hypotheses, References, Row
from redink.options import NotNegative
from redink.scoring.count_metric import Candidates, CountedMetric, group_of
from redink.scoring.errant import verdict_row
from redink.scoring.m2 import dense, large, sparse
from redink.scoring.m2.lattice import Gold, Lattice
from redink.scoring.m2.matching import Found, Version, match_all
from redink.scoring.metric import About, FloatArray, Needs, Statistics
from redink.scoring.python2 import iteration_order
from redink.scoring.selection import Counts, Key, Rule
from redink.scoring.weights import Pair, Weighed, make_pair, weighing_of

NODE_LIMIT = 1_600
"""A lattice with more nodes is searched in linear time: see :mod:`.large`."""

_NOBODY = Annotation("0")

Proposal = tuple[int, int, str]
"""An edit that MaxMatch reads off a hypothesis: its span and correction."""


@dataclass(frozen=True, slots=True)
class Match:
    """A hypothesis against one annotator: what it proposes, and which gold edits that matches."""

    proposed: tuple[Proposal, ...]
    matched: tuple[int, ...]


def _key(total: Counts, own: Counts, beta: float) -> Key:  # noqa: ARG001 (other rules need it)
    """The official preference: F, then more correct edits, then fewer proposed and gold ones."""
    tp, fp, fn = total
    square = beta * beta
    divisor = square * (tp + fn) + (tp + fp)
    f = (1 + square) * tp / divisor if divisor else 1.0
    return (f, *_rank(total, beta))


def _rank(counts: Counts, beta: float) -> Key:
    tp, fp, fn = counts
    return (tp, -((tp + fp) + beta * beta * (tp + fn)))


def _f(tp: FloatArray, fp: FloatArray, fn: FloatArray, beta: float) -> FloatArray:
    square = beta * beta
    return _ratio((1 + square) * tp, square * (tp + fn) + (tp + fp))


def _ratio(gain: FloatArray, cost: FloatArray) -> FloatArray:
    scores: FloatArray = np.divide(gain, cost, out=np.ones_like(gain), where=cost != 0)
    return scores


@dataclass(frozen=True, kw_only=True)
class MaxMatch(CountedMetric):
    """Precision, recall and F of the edits that agree best with an annotator's.

    With ``by``, recall by the error type of the gold edits; a false positive has no type, since
    it matches no gold edit and a text alone has no types.

    Attributes:
        max_unchanged_words: how many unchanged tokens an edit may contain.
        ignore_whitespace_casing: leave out edits that change only white space and case.
    """

    max_unchanged_words: NotNegative = 2
    ignore_whitespace_casing: bool = False

    name: ClassVar[str] = "m2"
    about: ClassVar[About | None] = About(
        rewards="the same edits as an annotator, cut as suits the system",
        fails="other good corrections; long rewrites can be read as few edits",
        cite="Dahlmeier and Ng 2012",
        people=(0.77, -0.2, 0.62),
    )
    needs: ClassVar[Needs] = "reference-edits"
    rule: ClassVar[Rule] = Rule(_key, _f, _rank, _ratio, margin=0.0)
    types_have_false_positives: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None and self.by is not None:
            raise OptionError("m2: weighted edits are not counted by error type")

    @property
    def is_heavy(self) -> bool:  # type: ignore[override]
        """Whether another process may as well do it; what weighs edits stays in this one."""
        return self.weights is None

    @property
    def is_divisible(self) -> bool:  # type: ignore[override]
        """Unless there are labels: the error types of all sentences."""
        return self.by is None

    def kin(self) -> Hashable:
        """The mean of sentences treats edits that all weigh nothing in its own way."""
        if self.weights is None:
            return super().kin()
        return replace(self, beta=0.5, selection="running")

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Counts of the best matching edits against every annotator, sentence by sentence."""
        if self.weights is not None:
            return self._collect_weighted(references, hypotheses)
        gold = _gold(references)
        counts: list[list[list[int]]] = []
        matched: list[list[tuple[int, ...]]] = []
        setting = f"{self.max_unchanged_words} {self.ignore_whitespace_casing}"
        known = references.remember((self.name, setting), dict[Version, Found])
        golds = [[annotator.golds for annotator in sentence] for sentence in gold]
        sources = [source.tokens for source in references.sources]
        versions = [(number, text.tokens) for number, text in enumerate(hypotheses.texts)]

        def match(version: Version) -> Found:
            number, tokens = version
            found = self.match_golds(sources[number], tokens, golds[number])
            each = zip(found, golds[number], strict=True)
            return Found([_count(*pair) for pair in each], [match.matched for match in found])

        match_all(known, versions, sources, golds, match, setting)
        for version in versions:
            counts.append(known[version].counts)
            matched.append(known[version].matched)
        candidates = references.remember(
            (self.name, "annotators"),
            lambda: Candidates.of([[a.name for a in sentence] for sentence in gold]),
        )
        arrays = candidates.arrays(map(chain.from_iterable, counts))
        if self.by is None:
            return Statistics(arrays)
        groups = [[[self._group(e) for e in a.edits] for a in sentence] for sentence in gold]
        labels = tuple(sorted({g for sentence in groups for its in sentence for g in its}))
        places = {label: place for place, label in enumerate(labels)}
        typed = np.zeros((*candidates.present.shape, len(labels), 3), dtype=np.int32)
        for number, annotators in enumerate(groups):
            for index, its in enumerate(annotators):
                hits = set(matched[number][index])
                for place, group in enumerate(its):
                    typed[number, index, places[group], 0 if place in hits else 2] += 1
        return Statistics({**arrays, "typed": typed}, labels)

    def _collect_weighted(self, references: References, hypotheses: Hypotheses) -> Statistics:
        """Sums of weights; the edits are those that agree best, whatever they weigh (PT-M2)."""
        assert self.weights is not None
        pairs: list[list[Pair]] = []
        for number, hypothesis in enumerate(hypotheses.texts):
            annotators = _gold(references)[number]
            tokens = references.sources[number].tokens
            found = self.match_golds(tokens, hypothesis.tokens, [each.golds for each in annotators])
            pairs.append(
                [
                    _make_pair(references, number, annotator, match)
                    for annotator, match in zip(annotators, found, strict=True)
                ]
            )
        weighed = iter(weighing_of(self.weights).weigh(list(chain.from_iterable(pairs))))
        counts = [[self._count_weights(pair, next(weighed)) for pair in each] for each in pairs]
        candidates = Candidates.of([[pair.annotator for pair in each] for each in pairs])
        return Statistics(candidates.arrays(map(chain.from_iterable, counts), dtype=np.float64))

    def _count_weights(self, pair: Pair, weighed: Weighed) -> list[float]:
        """In a mean of sentences, edits that all weigh nothing weigh alike, as in PT-M2."""
        if self.average == "corpus" or any(weighed.counts):
            return weighed.counts
        hits, wrong, missed = sum(pair.matched), pair.matched.count(False), pair.found.count(False)
        share = 1 / ((hits + wrong + missed) or 1)
        return [hits * share, wrong * share, missed * share]

    def _group(self, edit: Edit) -> str:
        return group_of(edit.type, edit.operation, self.by or "full")

    def match(
        self, source: Sequence[str], hypothesis: Sequence[str], annotators: Sequence[Sequence[Edit]]
    ) -> list[Match]:
        """The edits of a hypothesis, for every annotator those that agree best with theirs."""
        return self.match_golds(source, hypothesis, [_to_golds(edits) for edits in annotators])

    def match_golds(
        self, source: Sequence[str], hypothesis: Sequence[str], annotators: Sequence[list[Gold]]
    ) -> list[Match]:
        """The same for gold edits as the lattice has them."""
        if source == hypothesis:
            return [Match((), ())] * len(annotators)
        lattice = Lattice(source, hypothesis)
        most = self.max_unchanged_words
        paths = sparse.best_paths(lattice, annotators, most)
        if paths is None:
            search = large if len(lattice.nodes) > NODE_LIMIT else dense
            paths = search.best_paths(lattice, annotators, most)
        result = []
        for path, golds in zip(paths, annotators, strict=True):
            proposed = tuple(lattice.edit(*arc) for arc in path)
            if self.ignore_whitespace_casing:
                proposed = tuple(p for p in proposed if not _is_same_text(source, p))
            result.append(Match(proposed, _match_in_order(proposed, golds)))
        return result

    def verdicts(
        self, references: References, hypotheses: Hypotheses, statistics: Statistics
    ) -> list[list[Row]]:
        """Every edit of every sentence with its verdict, against the annotator chosen."""
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


class _Annotator(NamedTuple):
    name: str
    edits: tuple[Edit, ...]
    golds: list[Gold]


def _gold(references: References) -> list[list[_Annotator]]:
    """The annotators of every sentence, in the order in which the official scorer tries them."""
    return references.remember(
        "m2",
        lambda: [
            [_Annotator(a.annotator, a.edits, _to_golds(a.edits)) for a in _in_official_order(s)]
            for s in references.corpus.sentences
        ],
    )


def _make_pair(references: References, number: int, annotator: _Annotator, match: Match) -> Pair:
    """What was proposed beside the gold edits, which take the correction that was proposed."""
    proposed = {(start, end): correction for start, end, correction in match.proposed}
    theirs = [
        replace(edit, correction=proposed[edit.start, edit.end], alternatives=())
        if place in match.matched
        else edit
        for place, edit in enumerate(annotator.edits)
    ]
    return make_pair(
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
    for _ in range(2):  # it keeps annotators in a dictionary, and copies that into another one
        numbers = [numbers[place] for place in iteration_order(numbers)]
    return tuple(by_number[n] for n in numbers)


def _count(match: Match, golds: Sequence[Gold]) -> list[int]:
    correct = len(match.matched)
    return [correct, len(match.proposed) - correct, len(golds) - correct]


def _match_in_order(proposed: Sequence[Proposal], golds: Sequence[Gold]) -> tuple[int, ...]:
    """The gold edits that are proposed, as the official scorer finds them.

    Both lists are gone through once, so that gold edits out of order can be missed; and an edit
    matches all equal gold edits that follow, each of which counts.
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
