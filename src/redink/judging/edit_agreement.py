"""Inter-annotator agreement on edits: on sentences, tokens, spans, corrections and types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Annotated, Literal

import numpy as np

from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Shown
from redink.statistics.agreement_coefficients import evaluate, pair_kappa
from redink.statistics.ratings import Ratings

_KeyOf = Callable[[Edit], tuple[object, ...]]


@dataclass(frozen=True)
class EditAgreement:
    """The agreement of two annotators at one level, over the sentences that both annotated.

    ``agreement`` is the share of sentences or tokens on which both agree; for edits, F (twice the
    common edits over all edits of both); for types, the share of edits of the same span with the
    same type.
    """

    annotators: str
    level: str
    both: int
    first_only: Annotated[int, Shown(title="first only")]
    second_only: Annotated[int, Shown(title="second only")]
    agreement: float | None
    kappa: float | None


Absent = Literal["agree", "skip"]


def compare_annotators(corpus: Corpus, absent: Absent = "skip") -> list[EditAgreement]:
    """Compare every pair of annotators at every level, over the sentences that both annotated.

    The levels are ``sentence`` and ``token`` (whether it contains an error), ``span`` (edits of the
    same tokens), ``correction`` (edits with the same span and correction) and ``type`` (error types
    of edits with the same span). ``absent`` defines annotators without an annotation of a sentence:
    ``skip`` treats them as not having read it; ``agree`` as agreeing with the first annotator who
    has one, or as having no corrections, as scorers read M2 files.
    """
    rows: list[EditAgreement] = []
    for first, second in combinations(corpus.annotators, 2):
        pairs = [
            (sentence, sentence.by(first), sentence.by(second)) for sentence in corpus.sentences
        ]
        if all(one is None or other is None for _, one, other in pairs):
            continue
        if absent == "agree":
            pairs = [
                (sentence, _read(sentence, first, corpus), _read(sentence, second, corpus))
                for sentence in corpus.sentences
            ]
        read = [
            (len(sentence.source.tokens), one, other)
            for sentence, one, other in pairs
            if one is not None and other is not None
        ]
        rows += _compare(f"{first} / {second}", read)
    return rows


def _read(sentence: AnnotatedSentence, annotator: str, corpus: Corpus) -> Annotation | None:
    """Return an annotator's reading of a sentence; None if the annotator did not read it."""
    if annotator in sentence.unannotatable:
        return None
    present = (found for name in corpus.annotators if (found := sentence.by(name)) is not None)
    return sentence.by(annotator) or next(present, Annotation(annotator))


def _compare(names: str, read: Sequence[tuple[int, Annotation, Annotation]]) -> list[EditAgreement]:
    said = [(bool(one.edits), bool(other.edits)) for _, one, other in read]
    tokens = [
        pair
        for length, one, other in read
        for pair in zip(_touched(length, one), _touched(length, other), strict=True)
    ]
    types: list[tuple[str, str]] = []
    for _, one, other in read:
        ours, theirs = ({(e.start, e.end): e.type for e in by.edits} for by in (one, other))
        types += [(kind, theirs[span]) for span, kind in ours.items() if span in theirs]
    same = sum(a == b for a, b in types)
    different, share = len(types) - same, same / len(types) if types else None
    return [
        _verdicts(names, "sentence", said),
        _verdicts(names, "token", tokens),
        _common(names, "span", read, lambda edit: (edit.start, edit.end)),
        _common(names, "correction", read, lambda edit: (edit.start, edit.end, edit.correction)),
        EditAgreement(names, "type", same, different, different, share, _kappa(types)),
    ]


def _touched(length: int, annotation: Annotation) -> list[bool]:
    """Flag the changed tokens; an insertion flags the token after it, or the last token."""
    flags = [False] * length
    for edit in annotation.edits:
        for place in range(edit.start, max(edit.end, edit.start + 1)):
            if length:
                flags[min(place, length - 1)] = True
    return flags


def _verdicts(names: str, level: str, pairs: Sequence[tuple[bool, bool]]) -> EditAgreement:
    return EditAgreement(
        names,
        level,
        sum(a and b for a, b in pairs),
        sum(a and not b for a, b in pairs),
        sum(b and not a for a, b in pairs),
        sum(a == b for a, b in pairs) / len(pairs) if pairs else None,
        _kappa(pairs),
    )


def _common(
    names: str, level: str, read: Sequence[tuple[int, Annotation, Annotation]], key: _KeyOf
) -> EditAgreement:
    both = first = second = 0
    for _, one, other in read:
        ours, theirs = Counter(map(key, one.edits)), Counter(map(key, other.edits))
        common = (ours & theirs).total()
        both += common
        first += ours.total() - common
        second += theirs.total() - common
    found = 2 * both + first + second
    f = 2 * both / found if found else None
    return EditAgreement(names, level, both, first, second, f, None)


def _kappa(pairs: Sequence[tuple[str | bool, str | bool]]) -> float | None:
    """Return Cohen's kappa; None if it is undefined."""
    if not pairs:
        return None
    labels = sorted({label for pair in pairs for label in pair}, key=str)
    codes = np.array([[labels.index(label) for label in pair] for pair in pairs])
    ratings = Ratings(codes, np.arange(len(labels), dtype=float))
    return evaluate(partial(pair_kappa, first=0, second=1), ratings)
