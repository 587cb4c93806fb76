"""The cloze and the choice test of Tetreault and Chodorow (2008, section 4)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from redink.analysis.analyzer import Analyzer
from redink.detectors.classifier import PrepositionClassifier
from redink.detectors.features import PREPOSITIONS, find_prepositions
from redink.errors import DataError
from redink.model import Counts, Judgment
from redink.statistics.agreement import pair_agreement, pair_kappa
from redink.statistics.ratings import MISSING, make_ratings

TEXT, SYSTEM = "text", "system"
"""The fillers of the blanks besides people."""
_AS_GOOD = "both"


@dataclass(frozen=True, slots=True)
class ClozeItem:
    """A blank: the sentence, the preposition of the text (``written``) and the system's."""

    key: str
    """``s12t3``: sentence 12 (from 1), token 3 (from 0)."""
    tokens: tuple[str, ...]
    index: int
    written: str
    chosen: str


def make_items(
    sentences: Sequence[tuple[str, ...]],
    classifier: PrepositionClassifier,
    analyzer: Analyzer,
    *,
    count: int,
    rng: np.random.Generator,
) -> list[ClozeItem]:
    """Make one blank in each of ``count`` random sentences; blank all prepositions if it is 0."""
    places, atoms = find_prepositions(sentences, analyzer)
    if not places:
        raise DataError("the text holds none of the 34 prepositions; there is nothing to blank")
    drawn = _draw([number for number, _, _ in places], count, rng)
    items = []
    for place, best in zip(drawn, classifier.choose(atoms[drawn]).tolist(), strict=True):
        number, at, written = places[place]
        words = (PREPOSITIONS[written], PREPOSITIONS[best])
        items.append(ClozeItem(f"s{number + 1}t{at}", sentences[number], at, *words))
    return items


def _draw(owners: Sequence[int], count: int, rng: np.random.Generator) -> list[int]:
    if count == 0:
        return list(range(len(owners)))
    by_sentence: dict[int, list[int]] = defaultdict(list)
    for place, owner in enumerate(owners):
        by_sentence[owner].append(place)
    names = list(by_sentence)
    some = rng.choice(len(names), size=min(count, len(names)), replace=False)
    return sorted(int(rng.choice(by_sentence[names[name]])) for name in some)


@dataclass(frozen=True)
class PrepositionScore:
    """How often a preposition was written, chosen, and both."""

    preposition: str
    written: int
    chosen: int
    tp: int
    precision: float | None
    recall: float | None
    f: float | None


def score_prepositions(items: Iterable[ClozeItem]) -> list[PrepositionScore]:
    """Score every preposition that was written or chosen, the most frequent first."""
    pairs = Counter((item.written, item.chosen) for item in items)
    written: Counter[str] = Counter()
    chosen: Counter[str] = Counter()
    for (own, other), count in pairs.items():
        written[own] += count
        chosen[other] += count
    scores = []
    for word in sorted({*written, *chosen}, key=lambda word: (-written[word], word)):
        tp = pairs[word, word]
        counts = Counts(tp, chosen[word] - tp, written[word] - tp)
        rates = (counts.precision.value, counts.recall.value, counts.f(1).value)
        scores.append(PrepositionScore(word, written[word], chosen[word], tp, *rates))
    return scores


@dataclass(frozen=True)
class FillerAgreement:
    """How often two fillers of the blanks give the same word."""

    first: str
    second: str
    items: int
    agreement: float
    kappa: float | None


def compare_fillers(
    items: Sequence[ClozeItem], people: Iterable[Judgment]
) -> list[FillerAgreement]:
    """Compare the text, the system and people pairwise, as in table 2 of the paper."""
    given: dict[str, dict[str, str]] = {
        TEXT: {item.key: item.written for item in items},
        SYSTEM: {item.key: item.chosen for item in items},
    }
    for judgment in people:
        if judgment.judge in {TEXT, SYSTEM}:
            raise DataError(f"a filler may not be called {judgment.judge!r}")
        given.setdefault(judgment.judge, {})[judgment.item] = judgment.label.strip().lower()
    names = list(given)
    words = sorted({word for filled in given.values() for word in filled.values()})
    numbers: dict[str | None, int] = {word: number for number, word in enumerate(words)}
    codes = np.array(
        [[numbers.get(given[name].get(item.key), MISSING) for name in names] for item in items]
    )
    ratings = make_ratings(codes, categories=len(words))
    everything = np.ones((1, len(items)))
    rows = []
    for first, second in combinations(range(len(names)), 2):
        both = int(((codes[:, first] != MISSING) & (codes[:, second] != MISSING)).sum())
        if not both and names[first] not in {TEXT, SYSTEM}:
            continue
        if not both:
            raise DataError(f"{names[second]!r} filled none of these blanks; is the seed the same?")
        agreement = float(pair_agreement(ratings, everything, first, second)[0])
        kappa = float(pair_kappa(ratings, everything, first, second)[0])
        defined = None if np.isnan(kappa) else kappa
        rows.append(FillerAgreement(names[first], names[second], both, agreement, defined))
    return rows


def adjusted_accuracy(
    items: Sequence[ClozeItem], answers: Iterable[Judgment]
) -> dict[str, tuple[int, int, float]]:
    """Return by judge: mismatches judged, those where the system is as good, adjusted accuracy.

    The share of mismatches in which a judge finds the system's word as good as the writer's, or
    better, counts as right.
    """
    mismatches = {item.key: item for item in items if item.written != item.chosen}
    judged: dict[str, list[bool]] = defaultdict(list)
    for answer in answers:
        if answer.item in mismatches:
            system = mismatches[answer.item].chosen
            judged[answer.judge].append(answer.label in {_AS_GOOD, system})
    if not judged:
        raise DataError("none of the answers is about a mismatch of this cloze test")
    wrong = len(mismatches) / len(items)
    return {
        judge: (len(given), sum(given), 1 - wrong + wrong * sum(given) / len(given))
        for judge, given in judged.items()
    }
