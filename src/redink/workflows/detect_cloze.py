"""The cloze test: system, writer and people fill the same blanks; and the choice test after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from redink.analysis.language import load_analyser
from redink.detectors.classifier import load_classifier
from redink.detectors.cloze import (
    ClozeItem,
    adjusted_accuracy,
    make_items,
    score_prepositions,
)
from redink.detectors.running_text import read_sentences
from redink.detectors.shipped import model_path
from redink.errors import DataError, FormatError, OptionError
from redink.files import write_atomically
from redink.formats.delimited import write_rows
from redink.formats.inputs import PathLike, load_judgments
from redink.model import Column, Judgment, Table, fingerprint, make_signature, make_table
from redink.statistics.agreement import pair_agreement, pair_kappa
from redink.statistics.ratings import MISSING, confusion_matrix, make_ratings

Show = Literal["agreement", "prepositions", "confusion"]
SHOWS: tuple[Show, ...] = get_args(Show)
_TEXT, _SYSTEM = "text", "system"
_COMMA = ","


def cloze(
    text: PathLike,
    *,
    model: PathLike = "maxent",
    items: int = 200,
    raw: bool | None = None,
    show: Show = "agreement",
    fillers: PathLike | Iterable[Judgment] | None = None,
    answers: PathLike | Iterable[Judgment] | None = None,
    blanks: PathLike | None = None,
    choice_test: PathLike | None = None,
    analyser: str = "embedded",
    seed: int = 1,
) -> Table:
    """Blank prepositions of well-formed text and see who puts back what the writer wrote.

    Args:
        text: tokenised sentences, or raw paragraphs.
        model: a classifier trained for choice; ``maxent`` for the one that comes with redink.
        items: blanks, one in a sentence, drawn at random; 0 for every preposition.
        raw: whether the text is raw; by default told by its first lines.
        show: ``agreement`` (everyone with everyone, with the accuracy of the system and of the
            majority), ``prepositions`` (F for each) or ``confusion`` (the matrix).
        fillers: what people put into the blanks: judgments whose label is a preposition.
        answers: of the choice test: judgments whose label is a word, ``both`` or ``neither``.
        blanks: write the blanks here, for people to fill (``item,text,start,end``).
        choice_test: write the mismatches here, as items of a campaign (``--task choice``).
        analyser: gives tags and lemmas.
        seed: of the draw.

    Returns:
        A table; for ``agreement`` with the columns ``first, second, items, agreement, kappa``.
    """
    if show not in SHOWS:
        raise OptionError(f"there is nothing {show!r} to show; there are: {', '.join(SHOWS)}")
    if items < 0:
        raise OptionError(f"{items} is no number of blanks")
    sentences = [tokens for _, tokens in read_sentences(text, raw=raw)]
    if not sentences:
        raise FormatError("is empty; sentences were expected", path=text)
    tagger = load_analyser(analyser)
    rng = np.random.default_rng(seed)
    classifier = load_classifier(model_path(model))
    made = make_items(sentences, classifier, tagger, count=items, rng=rng)
    if blanks is not None:
        _write_items(blanks, made, lambda _: ())
    if choice_test is not None:
        wrong = [item for item in made if item.written != item.chosen]
        if not wrong:
            raise DataError("the system agrees with the text everywhere; there is no mismatch")
        # The writer's word must not always be the first.
        turned = dict(zip((i.key for i in wrong), rng.random(len(wrong)) < 0.5, strict=True))
        _write_items(
            choice_test,
            wrong,
            lambda item: (
                f"{item.chosen}|{item.written}"
                if turned[item.key]
                else f"{item.written}|{item.chosen}",
            ),
            columns=("choices",),
        )
    notes = [_describe_accuracy(made)]
    if answers is not None:
        judged = adjusted_accuracy(made, load_judgments(answers))
        notes += [
            f"{judge} finds the system's word equal or better in {good} of {count} mismatches: "
            f"adjusted accuracy {adjusted:.4f}"
            for judge, (count, good, adjusted) in judged.items()
        ]
    signature = make_signature(
        "detect cloze",
        model=model_path(model).name,
        items=items,
        analyser=tagger.name,
        pipeline=tagger.version,
        seed=seed,
        data=fingerprint(" ".join(s) for s in sentences),
    )
    people = () if fillers is None else load_judgments(fillers)
    columns, rows, further = _SHOWN[show](made, people)
    return make_table(
        columns, rows, notes=[*notes, *further], signature=signature, title=f"Cloze test: {show}"
    )


def _describe_accuracy(items: Sequence[ClozeItem]) -> str:
    written = Counter(item.written for item in items)
    usual, count = written.most_common(1)[0]
    right = sum(item.written == item.chosen for item in items)
    return (
        f"{len(items)} blanks: accuracy {right / len(items):.4f}; always {usual!r} "
        f"(majority): {count / len(items):.4f}"
    )


def _write_items(
    path: PathLike,
    items: Sequence[ClozeItem],
    further: Callable[[ClozeItem], tuple[str, ...]],
    *,
    columns: tuple[str, ...] = (),
) -> None:
    with write_atomically(path) as stream:
        write_rows(
            ("item", "text", "start", "end", *columns),
            (
                (
                    item.key,
                    _text_of(item, blank=not columns),
                    str(item.index),
                    str(item.index + 1),
                    *further(item),
                )
                for item in items
            ),
            stream,
            _COMMA,
        )


def _text_of(item: ClozeItem, *, blank: bool) -> str:
    if not blank:
        return " ".join(item.tokens)
    return " ".join("____" if at == item.index else t for at, t in enumerate(item.tokens))


Shown = tuple[tuple[Column, ...], list[dict[str, Any]], list[str]]


def _show_agreement(items: Sequence[ClozeItem], people: Sequence[Judgment]) -> Shown:
    """Everyone against everyone, as table 2 of the paper."""
    given: dict[str, dict[str, str]] = {
        _TEXT: {item.key: item.written for item in items},
        _SYSTEM: {item.key: item.chosen for item in items},
    }
    for judgment in people:
        if judgment.judge in {_TEXT, _SYSTEM}:
            raise DataError(f"a filler may not be called {judgment.judge!r}")
        given.setdefault(judgment.judge, {})[judgment.item] = judgment.label.strip().lower()
    words = {
        word: code
        for code, word in enumerate(sorted({w for g in given.values() for w in g.values()}))
    }
    names = list(given)
    codes = np.full((len(items), len(names)), MISSING)
    for row, item in enumerate(items):
        for column, name in enumerate(names):
            word = given[name].get(item.key)
            codes[row, column] = MISSING if word is None else words[word]
    ratings = make_ratings(codes, categories=len(words))
    everything = np.ones((1, len(items)))
    rows = []
    for first, second in combinations(range(len(names)), 2):
        both = int(((codes[:, first] != MISSING) & (codes[:, second] != MISSING)).sum())
        if not both and names[first] not in {_TEXT, _SYSTEM}:
            continue
        if not both:
            raise DataError(f"{names[second]!r} filled none of these blanks; is the seed the same?")
        kappa = float(pair_kappa(ratings, everything, first, second)[0])
        rows.append(
            {
                "first": names[first],
                "second": names[second],
                "items": both,
                "agreement": float(pair_agreement(ratings, everything, first, second)[0]),
                "kappa": None if np.isnan(kappa) else kappa,
            }
        )
    columns = (
        Column("first"),
        Column("second"),
        Column("items", "count"),
        Column("agreement", "rate"),
        Column("kappa", "rate"),
    )
    notes = []
    if any(row["kappa"] is None for row in rows):
        notes.append("kappa is undefined where both always give the same word")
    return columns, rows, notes


def _show_prepositions(items: Sequence[ClozeItem], _: Sequence[Judgment]) -> Shown:
    """F for every preposition, as table 1 of the paper."""
    rows = [
        {
            "preposition": word,
            "written": s.tp + s.fn,
            "chosen": s.tp + s.fp,
            "tp": s.tp,
            "precision": s.precision,
            "recall": s.recall,
            "f": s.f,
        }
        for word, s in score_prepositions(items).items()
    ]
    columns = (
        Column("preposition"),
        Column("written", "count"),
        Column("chosen", "count"),
        Column("tp", "count"),
        Column("precision", "rate"),
        Column("recall", "rate"),
        Column("f", "rate"),
    )
    notes = []
    if any(row["precision"] is None or row["recall"] is None for row in rows):
        notes.append(
            "precision is undefined where a preposition is never chosen, recall where "
            "it is never written"
        )
    return columns, rows, notes


def _show_confusion(items: Sequence[ClozeItem], _: Sequence[Judgment]) -> Shown:
    """What was written (rows) and chosen (columns)."""
    words = list(score_prepositions(items))
    codes = {word: code for code, word in enumerate(words)}
    matrix = confusion_matrix(
        np.array([codes[item.written] for item in items]),
        np.array([codes[item.chosen] for item in items]),
        len(words),
    )
    columns = (Column("written"), *(Column(word, "count") for word in words))
    rows = [
        {"written": word, **{other: int(matrix[row, codes[other]]) for other in words}}
        for word, row in codes.items()
    ]
    return columns, rows, ["rows: what was written; columns: what the system chose"]


_SHOWN: dict[str, Callable[[Sequence[ClozeItem], Sequence[Judgment]], Shown]] = {
    "agreement": _show_agreement,
    "prepositions": _show_prepositions,
    "confusion": _show_confusion,
}
