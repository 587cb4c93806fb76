"""The cloze test of the preposition classifier, and the choice test after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

import numpy as np

from redink.analysis.language import EMBEDDED, load_analyzer
from redink.commands.detect import AnalyserName, ModelLike, Raw
from redink.detectors.classifier import load_classifier
from redink.detectors.cloze_test import (
    ClozeItem,
    adjusted_accuracy,
    compare_fillers,
    make_items,
    score_prepositions,
)
from redink.detectors.detector import model_path
from redink.detectors.features import read_sentences
from redink.errors import DataError, FormatError
from redink.files import write_atomically
from redink.formats.delimited import COMMA, write_rows
from redink.inputs.judgment_loading import JudgmentsLike, load_judgments
from redink.inputs.loading import PathLike
from redink.model import Column, Table, fingerprint, make_signature, make_table, table_of
from redink.options import Flag, NotNegative, Seed, use_case


@use_case
def cloze(
    text: PathLike,
    *,
    model: ModelLike = "maxent",
    items: NotNegative = 200,
    show: Literal["agreement", "prepositions", "confusion"] = "agreement",
    fillers: JudgmentsLike | None = None,
    answers: JudgmentsLike | None = None,
    blanks: Annotated[PathLike, Flag(writes=True)] | None = None,
    choice_test: Annotated[PathLike, Flag(writes=True)] | None = None,
    raw: Raw = None,
    analyser: AnalyserName = EMBEDDED,
    seed: Seed = 1,
) -> Table:
    """Blank prepositions of well-formed TEXT: who puts back what the writer wrote?

    The same TEXT, --items and --seed give the same blanks.

    Args:
        text: tokenised sentences, or raw paragraphs.
        model: ``maxent``, which comes with redink, or a model trained for choice.
        items: how many blanks, one a sentence, drawn at random; 0 for every preposition.
        show: everyone with everyone; F of each preposition; or the matrix.
        fillers: what people put into the blanks (item, judge, label).
        answers: answers to the choice test: they give the adjusted accuracy.
        blanks: write the blanks here, for people to fill.
        choice_test: write mismatches here, for a campaign.
        raw: raw paragraphs, or tokenised sentences. By default told by the first lines.
        analyser: gives tags and lemmas: ``embedded``, or ``spacy:NAME``.
        seed: the start of the random numbers: same seed, same output.

    Returns:
        A table; for ``agreement`` with the columns ``first, second, items, agreement, kappa``.
    """
    sentences = [tokens for _, tokens in read_sentences(text, raw=raw)]
    if not sentences:
        raise FormatError("is empty; sentences were expected", path=text)
    tagger = load_analyzer(analyser)
    rng = np.random.default_rng(seed)
    classifier = load_classifier(model_path(model))
    made = make_items(sentences, classifier, tagger, count=items, rng=rng)
    if blanks is not None:
        _write_items(blanks, ((item, _blank(item)) for item in made))
    if choice_test is not None:
        wrong = [item for item in made if item.written != item.chosen]
        if not wrong:
            raise DataError("the system agrees with the text everywhere; there is no mismatch")
        # The writer's word must not always be the first.
        turned = rng.random(len(wrong)) < 0.5
        words = (
            (item.chosen, item.written) if turn else (item.written, item.chosen)
            for item, turn in zip(wrong, turned, strict=True)
        )
        _write_items(
            choice_test,
            ((i, " ".join(i.tokens), "|".join(w)) for i, w in zip(wrong, words, strict=True)),
            "choices",
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
    about: dict[str, Any] = {"signature": signature, "title": f"Cloze test: {show}"}
    if show == "confusion":
        return _confusion(made, notes, about)
    if show == "agreement":
        fillings = compare_fillers(made, () if fillers is None else load_judgments(fillers))
        if any(row.kappa is None for row in fillings):
            notes.append("kappa is undefined where both always give the same word")
        return table_of(fillings, notes=notes, **about)
    scores = score_prepositions(made)
    if any(row.precision is None or row.recall is None for row in scores):
        notes.append(
            "precision is undefined where a preposition is never chosen, recall where it is never "
            "written"
        )
    return table_of(scores, notes=notes, **about)


def _describe_accuracy(items: Sequence[ClozeItem]) -> str:
    ((usual, count),) = Counter(item.written for item in items).most_common(1)
    right = sum(item.written == item.chosen for item in items)
    return (
        f"{len(items)} blanks: accuracy {right / len(items):.4f}; always {usual!r} "
        f"(majority): {count / len(items):.4f}"
    )


def _blank(item: ClozeItem) -> str:
    return " ".join("____" if at == item.index else t for at, t in enumerate(item.tokens))


def _write_items(
    path: PathLike, rows: Iterable[tuple[ClozeItem, str, *tuple[str, ...]]], *further: str
) -> None:
    with write_atomically(path) as stream:
        write_rows(
            ("item", "text", "start", "end", *further),
            (
                (item.key, text, str(item.index), str(item.index + 1), *more)
                for item, text, *more in rows
            ),
            stream,
            COMMA,
        )


def _confusion(items: Sequence[ClozeItem], notes: Sequence[str], about: dict[str, Any]) -> Table:
    words = [score.preposition for score in score_prepositions(items)]
    pairs = Counter((item.written, item.chosen) for item in items)
    return make_table(
        [Column("written"), *(Column(word, "count") for word in words)],
        [{"written": own, **{other: pairs[own, other] for other in words}} for own in words],
        notes=[*notes, "rows: what was written; columns: what the system chose"],
        **about,
    )
