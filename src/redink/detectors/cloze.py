"""The cloze and the choice test of Tetreault and Chodorow (2008, section 4)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from redink.analysis.analyser import Analyser
from redink.detectors.classifier import PrepositionClassifier
from redink.detectors.features import ATOMS, describe_place
from redink.detectors.prepositions import PREPOSITIONS, preposition_at
from redink.errors import DataError
from redink.model import Counts, Judgment

_BATCH = 2000
_AS_GOOD = "both"


@dataclass(frozen=True, slots=True)
class ClozeItem:
    """A blank: the sentence, the word that stood there, and what the system would put.

    Attributes:
        key: ``s12t3``: sentence 12, token 3, as judgments name it (from 1 and from 0).
        tokens: the sentence as written.
        index: the token that is blanked.
        written: the preposition of the text.
        chosen: the system's.
    """

    key: str
    tokens: tuple[str, ...]
    index: int
    written: str
    chosen: str


def make_items(
    sentences: Sequence[tuple[str, ...]],
    classifier: PrepositionClassifier,
    analyser: Analyser,
    *,
    count: int,
    rng: np.random.Generator,
) -> list[ClozeItem]:
    """One blank in each of ``count`` sentences drawn at random; every preposition if it is 0."""
    places: list[tuple[int, int, int]] = []
    rows: list[tuple[int, ...]] = []
    for begin in range(0, len(sentences), _BATCH):
        with analyser.analyse(sentences[begin : begin + _BATCH]) as batch:
            for number, a in enumerate(batch.analyses, start=begin):
                for at in range(len(a)):
                    written = preposition_at(a.lower, at)
                    if written is not None:
                        places.append((number, at, written))
                        rows.append(describe_place(a.lower, a.tag, a.lemma, at, at + 1))
    if not places:
        raise DataError("the text holds none of the 34 prepositions; there is nothing to blank")
    drawn = _draw([number for number, _, _ in places], count, rng)
    atoms = np.array(rows, np.uint32).reshape(-1, len(ATOMS))[drawn]
    chosen = classifier.choose(atoms)
    return [
        ClozeItem(
            f"s{places[place][0] + 1}t{places[place][1]}",
            sentences[places[place][0]],
            places[place][1],
            PREPOSITIONS[places[place][2]],
            PREPOSITIONS[best],
        )
        for place, best in zip(drawn, chosen.tolist(), strict=True)
    ]


def _draw(owners: Sequence[int], count: int, rng: np.random.Generator) -> list[int]:
    if count == 0:
        return list(range(len(owners)))
    by_sentence: dict[int, list[int]] = defaultdict(list)
    for place, owner in enumerate(owners):
        by_sentence[owner].append(place)
    names = list(by_sentence)
    some = rng.choice(len(names), size=min(count, len(names)), replace=False)
    return sorted(int(rng.choice(by_sentence[names[name]])) for name in some)


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and F of one preposition, with the counts behind them."""

    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float | None:
        """None if the system never chose it."""
        return Counts(self.tp, self.fp, self.fn).precision.value

    @property
    def recall(self) -> float | None:
        """None if nobody wrote it."""
        return Counts(self.tp, self.fp, self.fn).recall.value

    @property
    def f(self) -> float | None:
        """Their harmonic mean: None if it was neither written nor chosen."""
        return Counts(self.tp, self.fp, self.fn).f(1).value


def score_prepositions(items: Iterable[ClozeItem]) -> dict[str, Scores]:
    """The scores of every preposition that was written or chosen, the most frequent first."""
    pairs = Counter((item.written, item.chosen) for item in items)
    written: Counter[str] = Counter()
    chosen: Counter[str] = Counter()
    for (own, other), count in pairs.items():
        written[own] += count
        chosen[other] += count
    words = sorted({*written, *chosen}, key=lambda word: (-written[word], word))
    return {
        word: Scores(
            pairs[word, word],
            chosen[word] - pairs[word, word],
            written[word] - pairs[word, word],
        )
        for word in words
    }


def adjusted_accuracy(
    items: Sequence[ClozeItem], answers: Iterable[Judgment]
) -> dict[str, tuple[int, int, float]]:
    """By judge: mismatches judged, those where the system's word is as good, adjusted accuracy.

    In the share of mismatches where a judge finds the system's word equal to the writer's or
    better, the system was right after all: that share of the mismatch rate is added to accuracy.
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
