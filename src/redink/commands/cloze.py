"""``redink detector cloze``: the cloze and choice tests of Tetreault and Chodorow (2008, 4)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Annotated, Any, Literal

import numpy as np

from redink.analysis.analyzer import Analyzer
from redink.analysis.annotation_options import EMBEDDED
from redink.analysis.language import load_analyzer
from redink.commands.detect import AnalyzerName, ModelLike, Raw
from redink.detectors.classifier import PrepositionClassifier, load_classifier
from redink.detectors.detector import model_path
from redink.detectors.features import OTHER, find_prepositions, read_sentences
from redink.errors import DataError, FormatError
from redink.files import write_atomically
from redink.formats.delimited import write_rows
from redink.formats.recognition import COMMA
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import JudgmentsLike, load_judgments
from redink.model import (
    Column,
    Counts,
    Definition,
    Judgment,
    Table,
    fingerprint,
    make_signature,
    make_table,
    table_of,
)
from redink.options import Flag, NotNegative, Seed, command
from redink.statistics.agreement_coefficients import pair_agreement, pair_kappa
from redink.statistics.ratings import MISSING, make_ratings

TEXT, SYSTEM = "text", "system"  # names of fillers that are not people
_AS_GOOD = "both"


@dataclass(frozen=True, slots=True)
class ClozeItem:
    """A gap: the sentence, the preposition of the text (``written``) and the system's."""

    key: str  # ``s12t3``: sentence 12 (from 1), token 3 (from 0)
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
    strict: bool = False,
) -> list[ClozeItem]:
    """Make one gap in each of ``count`` random sentences, or for all prepositions if it is 0."""
    places, atoms = find_prepositions(
        sentences, analyzer, classes=classifier.classes, strict=strict
    )
    if not places:
        raise DataError(
            f"the text contains none of the {len(classifier.classes) - 1} prepositions, so there "
            "is nothing to remove"
        )
    drawn = _draw([number for number, _, _ in places], count, rng)
    items = []
    for place, best in zip(drawn, classifier.choose(atoms[drawn]).tolist(), strict=True):
        number, at, written = places[place]
        words = (classifier.classes[written], classifier.classes[best])
        items.append(ClozeItem(f"s{number + 1}t{at}", sentences[number], at, *words))
    return items


def _draw(owners: Sequence[int], count: int, rng: np.random.Generator) -> list[int]:
    if count == 0:
        return list(range(len(owners)))
    by_sentence = [list(own) for _, own in groupby(range(len(owners)), owners.__getitem__)]
    some = rng.choice(len(by_sentence), size=min(count, len(by_sentence)), replace=False)
    return sorted(int(rng.choice(by_sentence[number])) for number in some)


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


def score_prepositions(items: Sequence[ClozeItem]) -> list[PrepositionScore]:
    """Score every preposition that was written or chosen, the most frequent first."""
    written = Counter(item.written for item in items)
    chosen = Counter(item.chosen for item in items)
    right = Counter(item.written for item in items if item.written == item.chosen)
    scores = []
    for word in sorted({*written, *chosen}, key=lambda word: (-written[word], word)):
        tp = right[word]
        counts = Counts(tp, chosen[word] - tp, written[word] - tp)
        rates = (counts.precision.value, counts.recall.value, counts.f(1).value)
        scores.append(PrepositionScore(word, written[word], chosen[word], tp, *rates))
    return scores


@dataclass(frozen=True)
class FillerAgreement:
    """How often two fillers of the gaps give the same word."""

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
            raise DataError(f"invalid filler name {judgment.judge!r}: it is reserved")
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
        both = int((codes[:, [first, second]] != MISSING).all(axis=1).sum())
        if both:
            agreement = float(pair_agreement(ratings, everything, first, second)[0])
            kappa = float(pair_kappa(ratings, everything, first, second)[0])
            defined = None if np.isnan(kappa) else kappa
            rows.append(FillerAgreement(names[first], names[second], both, agreement, defined))
        elif names[first] in {TEXT, SYSTEM}:
            raise DataError(
                f"{names[second]!r} filled none of these gaps; check --seed and --items"
            )
    return rows


def adjusted_accuracy(
    items: Sequence[ClozeItem], answers: Iterable[Judgment]
) -> dict[str, tuple[int, int, float]]:
    """Return by judge: mismatches judged, those where the system is as good, adjusted accuracy.

    The share of mismatches in which a judge finds the system's word equal to or better than the
    writer's word counts as correct.
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


@command
def cloze(
    text: PathLike,
    *,
    model: ModelLike = "maxent",
    items: NotNegative = 200,
    strict: bool = False,
    show: Literal["agreement", "prepositions", "confusion"] = "agreement",
    fillers: JudgmentsLike | None = None,
    answers: JudgmentsLike | None = None,
    blanks: Annotated[PathLike, Flag(writes=True)] | None = None,
    choice_test: Annotated[PathLike, Flag(writes=True)] | None = None,
    raw: Raw = None,
    analyzer: AnalyzerName = EMBEDDED,
    seed: Seed = 1,
) -> Table:
    """Remove prepositions from well-formed TEXT, and test how well a model restores them.

    The same TEXT, --items and --seed give the same gaps.

    Args:
        text: tokenized sentences, or raw paragraphs.
        model: ``maxent`` (bundled), or a model trained for choice.
        items: number of gaps, one per sentence, drawn at random; 0 for every preposition.
        strict: exclude infinitive to, particles, and conjunctions such as since or as.
        show: pairwise agreement, F of each preposition, or the confusion matrix.
        fillers: human answers to the gaps (item, judge, label).
        answers: answers to the choice test, for the adjusted accuracy.
        blanks: output file of the gaps, for people to fill in.
        choice_test: output file of the mismatches, for a campaign.
        raw: read raw paragraphs, or tokenized sentences. By default detected from the first lines.
        analyzer: analyzer for tags and lemmas: ``embedded``, or ``spacy:NAME``.
        seed: random seed.

    Returns:
        A table; for ``agreement`` with the columns ``first, second, items, agreement, kappa``.
    """
    sentences = [tokens for _, tokens in read_sentences(text, raw=raw)]
    if not sentences:
        raise FormatError("is empty; expected sentences", path=text)
    tagger = load_analyzer(analyzer)
    rng = np.random.default_rng(seed)
    classifier = load_classifier(model_path(model))
    made = make_items(sentences, classifier, tagger, count=items, rng=rng, strict=strict)
    if blanks is not None:
        _write_items(blanks, [(item, _blank(item)) for item in made])
    if choice_test is not None:
        _write_choice_test(choice_test, made, rng)
    notes = [_describe_accuracy(made)]
    if answers is not None:
        judged = adjusted_accuracy(made, load_judgments(answers))
        notes += [
            f"{judge} finds the system's word equal or better in {good} of {count} mismatches: "
            f"adjusted accuracy {adjusted:.4f}"
            for judge, (count, good, adjusted) in judged.items()
        ]
    signature = make_signature(
        "detector cloze",
        model=model_path(model).name,
        items=items,
        strict=strict or None,
        analyzer=tagger.name,
        pipeline=tagger.version,
        seed=seed,
        data=fingerprint(" ".join(s) for s in sentences),
    )
    about: dict[str, Any] = {"signature": signature, "title": f"Cloze test: {show}"}
    if show == "confusion":
        return _confusion(made, notes, about)
    if show == "agreement":
        fillings = compare_fillers(made, () if fillers is None else load_judgments(fillers))
        if any(row.kappa is None for row in fillings):
            notes.append("kappa is undefined if both fillers always give the same word")
        return table_of(fillings, notes=notes, **about)
    scores = score_prepositions(made)
    if any(row.precision is None or row.recall is None for row in scores):
        notes.append(
            "precision is undefined for a preposition that is never chosen, recall for one that "
            "is never written"
        )
    return table_of(scores, notes=notes, **about)


def _describe_accuracy(items: Sequence[ClozeItem]) -> str:
    ((usual, count),) = Counter(item.written for item in items).most_common(1)
    right = sum(item.written == item.chosen for item in items)
    return (
        f"{len(items)} gaps: accuracy {right / len(items):.4f}; always {usual!r} "
        f"(majority): {count / len(items):.4f}"
    )


def _blank(item: ClozeItem) -> str:
    return " ".join("____" if at == item.index else t for at, t in enumerate(item.tokens))


def _write_choice_test(
    path: PathLike, items: Sequence[ClozeItem], rng: np.random.Generator
) -> None:
    wrong = [i for i in items if i.written != i.chosen and OTHER not in {i.written, i.chosen}]
    if not wrong:
        raise DataError("the system agrees with the text everywhere; there are no mismatches")
    choices = []
    # The writer's word must not always be the first.
    for item, is_turned in zip(wrong, rng.random(len(wrong)) < 0.5, strict=True):
        words = (item.written, item.chosen)[:: -1 if is_turned else 1]
        choices.append((item, " ".join(item.tokens), "|".join(words)))
    _write_items(path, choices, "choices")


def _write_items(
    path: PathLike, rows: Iterable[tuple[ClozeItem, str, *tuple[str, ...]]], *further: str
) -> None:
    cells = (
        (item.key, text, str(item.index), str(item.index + 1), *more) for item, text, *more in rows
    )
    with write_atomically(path) as stream:
        write_rows(("item", "text", "start", "end", *further), cells, stream, COMMA)


def _confusion(items: Sequence[ClozeItem], notes: Sequence[str], about: dict[str, Any]) -> Table:
    words = [score.preposition for score in score_prepositions(items)]
    pairs = Counter((item.written, item.chosen) for item in items)
    return make_table(
        [Column("written"), *(Column(word, "count") for word in words)],
        [{"written": own, **{other: pairs[own, other] for other in words}} for own in words],
        notes=[*notes, Definition("rows: written prepositions; columns: chosen by the system")],
        **about,
    )
