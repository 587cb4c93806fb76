"""Universal rules: types that consist of operation, part of speech and changed features.

The rules do not depend on a language. They use an analysis in Universal Dependencies (from a
pipeline or a treebank), and the user's dictionary. Without an analyzer, they assign only types that
depend on letters: ``ORTH``, ``WO``, ``SPELL``, ``PUNCT``, ``NUM``.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

from redink.analysis.analyzer import Analysis, Tokens, WholeAnalyzer
from redink.analysis.classify import type_by_tables
from redink.analysis.language import Language, read_error_types
from redink.analysis.universal.universal_rules import (
    FORM_ONLY,
    ONE_SIDED,
    PHRASES,
    UNKNOWN,
    WORDS,
    Change,
    UniversalMerging,
    UniversalSide,
    UniversalWordChange,
)

FEATURES = {
    "ANIMACY": "animacy",
    "ASPECT": "aspect",
    "CASE": "case",
    "DEFINITE": "definiteness",
    "DEGREE": "degree of comparison",
    "GENDER": "gender",
    "MOOD": "mood",
    "NOUNCLASS": "noun class",
    "NUMBER": "number",
    "PERSON": "person",
    "POLARITY": "polarity",
    "POLITE": "politeness",
    "TENSE": "tense",
    "VERBFORM": "verb form",
    "VOICE": "voice",
}
"""Names of the most common features; for other features, the code is used."""


_INSIDE_WORDS = "'.,-\N{RIGHT SINGLE QUOTATION MARK}\N{MIDDLE DOT}"
_VERSION = "forms-1"


def _look(tokens: Tokens) -> Analysis:
    """Analyze text without a model: only marks and numbers get a part of speech."""
    lower = tuple(map(str.lower, tokens))
    pos = tuple(map(_kind_of, tokens))
    alone = tuple(range(len(tokens)))
    return Analysis(tokens, lower, pos, pos, lower, tuple("dep" for _ in tokens), alone)


def _kind_of(token: str) -> str:
    kinds = {unicodedata.category(letter)[0] for letter in token}
    if kinds <= {"P"}:
        return "PUNCT"
    if kinds <= {"P", "S"}:
        return "SYM"
    return "NUM" if kinds <= {"N", "P", "S"} else "X"


def _cut_words(text: str) -> list[tuple[int, int]]:
    """Split text into words, which may contain marks (don't, 3.5), and single marks."""
    spans: list[tuple[int, int]] = []
    start = None
    for place, letter in enumerate(f"{text} "):
        inside = start is not None and place + 1 < len(text) and text[place + 1].isalnum()
        is_letter = letter.isalnum() or unicodedata.category(letter).startswith("M")
        if is_letter or (inside and letter in _INSIDE_WORDS and text[place - 1].isalnum()):
            start = place if start is None else start
            continue
        if start is not None:
            spans.append((start, place))
            start = None
        if not letter.isspace():
            spans.append((place, place + 1))
    return spans


def _align_by_lemma(source: Analysis, corrected: Analysis) -> tuple[Analysis, Analysis]:
    """Return both analyses with lemmas as words, because a moved word may change its form.

    Equal words get the same lemma in all positions, so that they stay equal.
    """
    lemmas: dict[str, str] = {}
    for side in (source, corrected):
        for word, lemma in zip(side.lower, side.lemma, strict=True):
            lemmas.setdefault(word, lemma.lower())
    return (
        replace(source, lower=tuple([lemmas[word] for word in source.lower])),
        replace(corrected, lower=tuple([lemmas[word] for word in corrected.lower])),
    )


class _EveryWord:
    def __contains__(self, word: object) -> bool:
        return True


_TYPES = read_error_types(Path(__file__).with_name("error-types.toml"))
_THINGS = {kind.name: kind.thing for kind in _TYPES}


def say_features(names: str) -> str:
    """Return features in words: ``gender and number`` for ``GENDER,NUMBER``."""
    words = [FEATURES.get(name, name.lower()) for name in names.split(",")]
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def describe_type(kind: str) -> str:
    """Return the meaning of a type with features: ``wrong gender: determiner``."""
    operation, _, rest = kind.partition(":")
    name, _, features = rest.partition(":")
    if operation != "R" or not features or name not in _THINGS:
        return kind
    if name == "WO":
        return f"wrong word order, and wrong {say_features(features)}"
    return f"wrong {say_features(features)}: {_THINGS[name]}"


UNIVERSAL = Language(
    code="universal",
    name="any language",
    tokenize=_cut_words,
    load_analyzer=lambda: WholeAnalyzer("embedded", _VERSION, lambda some: list(map(_look, some))),
    analyzer_version=lambda: _VERSION,
    lexicon=lambda fixed: _EveryWord(),  # noqa: ARG005
    open_pos=frozenset({"ADJ", "ADV", "NOUN", "PROPN", "VERB"}),
    merging=UniversalMerging,
    typing=type_by_tables(
        (ONE_SIDED,),
        (FORM_ONLY,),
        (UNKNOWN, WORDS),
        (PHRASES,),
        side=UniversalSide,
        change=Change,
        pair=lambda *places_and_lexicon: UniversalWordChange(*places_and_lexicon[:5]),
    ),
    error_types=_TYPES,
    in_words=describe_type,
    as_aligned=_align_by_lemma,
)
