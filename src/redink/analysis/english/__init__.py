"""English as one value: ERRANT's rules and types, and the pipeline and word list that ship.

The types are those of Bryant et al. (2017), and the rules those of ERRANT 3.0.2.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from redink.analysis.analyser import Analysis
from redink.analysis.classify import Typed, Typing
from redink.analysis.english.change import PhraseChange, Side, Word, WordChange
from redink.analysis.english.embedded import (
    RESOURCES,
    default_analyser,
    default_lexicon,
    embedded_version,
    english_tokens,
)
from redink.analysis.english.merging import EnglishMerging
from redink.analysis.english.rules_phrase import FORM_ONLY, ONE_SIDED, PHRASES
from redink.analysis.english.rules_word import WORDS
from redink.analysis.language import Language, read_error_types
from redink.analysis.merge import Span


def _type_one_side(analysis: Analysis, start: int, end: int, in_source: bool) -> Typed:  # noqa: FBT001
    side = Side(analysis, start, end, in_source=in_source)
    for section in ONE_SIDED:
        rule = section.find(side)
        if rule is not None:
            return Typed(rule.type_of(side), rule.name)
    raise AssertionError("the last rule fits everything")


def _type_replacement(
    source: Analysis,
    corrected: Analysis,
    span: Span,
    lexicon: Container[str],
    fixed: bool,  # noqa: FBT001
) -> Typed:
    start, end, to_start, to_end = span
    change = PhraseChange(
        Side(source, start, end, in_source=True),
        Side(corrected, to_start, to_end, in_source=False),
    )
    rule = FORM_ONLY.find(change)
    if rule is None and end - start == to_end - to_start == 1:
        words = WordChange(
            Word(source, start, in_source=True),
            Word(corrected, to_start, in_source=False),
            lexicon,
            fixed=fixed,
        )
        for section in WORDS:
            found = section.find(words)
            if found is not None:
                return Typed(found.type_of(words), found.name)
    if rule is None:
        rule = PHRASES.find(change)
    assert rule is not None, "the last rule fits everything"
    return Typed(rule.type_of(change), rule.name)


def _load_2_0_0() -> type[Any]:
    from redink.analysis.english.errant_2_0_0 import OldEditFinder

    return OldEditFinder


ENGLISH = Language(
    code="en",
    name="English",
    tokenise=english_tokens,
    load_analyser=default_analyser,
    analyser_version=embedded_version,
    lexicon=lambda fixed: default_lexicon(american=fixed),
    open_pos=frozenset({"ADJ", "ADV", "NOUN", "VERB"}),
    merging=EnglishMerging,
    typing=Typing(
        {
            "Missing or unnecessary words": ONE_SIDED,
            "Replacements, first of all": (FORM_ONLY,),
            "One word by one word": WORDS,
            "Several words, and words that no rule above named": (PHRASES,),
        },
        _type_one_side,
        _type_replacement,
    ),
    error_types=read_error_types(RESOURCES / "error-types.toml"),
    older={"2.0.0": _load_2_0_0, "2.3.3": None},
)
