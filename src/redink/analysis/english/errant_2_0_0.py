"""The rules of ERRANT 2.0.0, with which BEA-2019 was scored; those of 2.3.3 and 3.0.2 are the same.

What was different then: letters were compared by Python's ``difflib``; some rules of merging were
others, one of them with a fault that loses edits; words had one base form if they had one under
any part of speech; and single words that no rule named were all ``OTHER``. Tags and dependencies
come from the analyser, which in 2019 was another one (spaCy 1.9).
"""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from redink.analysis.analyzer import Analysis
from redink.analysis.classify import Rule, RuleSection, type_by_tables
from redink.analysis.edit_extraction import MergeDecision, Run
from redink.analysis.english.merging import EnglishMerging
from redink.analysis.english.phrase_rules import FORM_ONLY, ONE_SIDED, PHRASES
from redink.analysis.english.rule_context import (
    RARE_CLASSES,
    EditWord,
    PhraseChange,
    Side,
    WordChange,
)
from redink.analysis.english.word_forms import lemma_tables
from redink.analysis.english.word_rules import WORDS
from redink.analysis.language import Language

_OLD_CLASS = {"EX": "ADV", "LS": "PUNCT"}


@lru_cache(maxsize=100_000)
def _distance(one: str, other: str) -> float:
    return 1 - SequenceMatcher(None, one, other).ratio()


class OldMerging(EnglishMerging):
    """The rules by which steps became edits in 2.0.0."""

    content = frozenset({"ADJ", "ADV", "NOUN", "VERB"})

    def decide(self, run: Run, operations: str, first: int, last: int) -> MergeDecision | None:
        """The same rules, without the first."""
        return self._decide(run, operations, first, last)

    @staticmethod
    def capital_moves(first: int, *, longer: bool, shorter: bool) -> bool:
        """The fault: a shorter correction may be anywhere, and what is before it is lost."""
        return (first == 0 and longer) or shorter

    @staticmethod
    def are_one_phrase(pos: set[str], *, same_size: bool) -> bool:
        """Auxiliaries were verbs then."""
        return (not same_size and len(pos) == 1) or pos == {"PART", "VERB"}

    @staticmethod
    def are_similar(one: str, other: str) -> bool:
        """Letters are compared by ``difflib``."""
        return _distance(one, other) < 0.25


@lru_cache(maxsize=100_000)
def _lemmas(lower: str) -> frozenset[str]:
    return frozenset({lower, *(lemma_tables().lemma(lower, tag) for tag in ("NNS", "VBD", "JJR"))})


def _share_lemma(one: str, other: str) -> bool:
    return not _lemmas(one).isdisjoint(_lemmas(other))


class _OldWordChange(WordChange):
    __slots__ = ()

    @property
    def same_lemma(self) -> bool:
        return _share_lemma(self.source.lower, self.corrected.lower)

    @property
    def similarity(self) -> float:
        """How alike the letters are, by ``difflib``."""
        return 1 - _distance(self.source.text, self.corrected.text)


def _last_shared(change: PhraseChange) -> bool:
    return _share_lemma(change.source.lower[-1], change.corrected.lower[-1])


def _is_possessive(change: PhraseChange) -> bool:
    classes = (change.source.word_class, change.corrected.word_class)
    return ["NOUN", "PART"] in classes and _share_lemma(
        change.source.lower[0], change.corrected.lower[0]
    )


def _is_comparison(change: PhraseChange) -> bool:
    first = {change.source.lower[0], change.corrected.lower[0]}
    short = len(change.source) <= 2 and len(change.corrected) <= 2
    return short and not first.isdisjoint({"most", "more"}) and _last_shared(change)


_WORD: dict[str, Rule[Any]] = {rule.name: rule for section in WORDS for rule in section.rules}


def _rules(*names: str) -> tuple[Rule[Any], ...]:
    return tuple(_WORD[name] for name in names)


_OLD_WORDS: tuple[RuleSection[Any], ...] = (
    RuleSection(
        "special words",
        _rules(
            "possessive-ending-replaced",
            "contraction-replaced",
            "contracted-auxiliary-replaced",
            "was-and-were",
        ),
    ),
    RuleSection(
        "the source word is not in the word list",
        (
            *_rules("unknown-word-inflected", "unknown-word-of-one-lemma"),
            replace(
                _WORD["misspelling"],
                because="not a word, and more than half alike in letters",
                when=lambda change: change.similarity > 0.5,
            ),
            replace(
                _WORD["unknown-word-replaced"],
                because="not a word, unlike the correction, and of one class with it",
                when=lambda change: (
                    change.same_class and change.corrected.word_class not in RARE_CLASSES
                ),
            ),
            *_rules("unknown-word-other"),
        ),
        when=lambda change: change.is_misspelt,
    ),
    next(section for section in WORDS if _WORD["adjective-form"] in section.rules),
    RuleSection(
        "any two words",
        (
            *_rules(
                "one-stem",
                "auxiliary-replaced",
                "same-part-of-speech",
                "same-role",
                "particle-or-preposition",
                "pronoun-as-subject-or-object",
                "possessive-determiner",
            ),
            replace(
                _WORD["not-letters"],
                because="no rule names it",
                when=lambda change: change.classes != {"DET", "PRON"},
            ),
        ),
    ),
)
_CHANGED = {
    "verbs-of-one-lemma": lambda change: change.classes == {"VERB"} and _last_shared(change),
    "infinitive-or-gerund": lambda change: (
        change.classes == {"PART", "VERB"} and _last_shared(change)
    ),
    "possessive-noun": _is_possessive,
    "more-and-most": _is_comparison,
}
_OLD_PHRASES: RuleSection[PhraseChange] = replace(
    PHRASES,
    rules=tuple(
        replace(rule, when=_CHANGED[rule.name]) if rule.name in _CHANGED else rule
        for rule in PHRASES.rules
    ),
)


def _side(analysis: Analysis, start: int, end: int) -> Side:
    side = Side(analysis, start, end)
    side.word_class = [
        _OLD_CLASS.get(tag, known) for tag, known in zip(side.tag, side.word_class, strict=True)
    ]
    return side


def _word(analysis: Analysis, index: int) -> EditWord:
    word = EditWord(analysis, index)
    word.word_class = _OLD_CLASS.get(word.tag, word.word_class)
    return word


_TYPING = type_by_tables(
    ONE_SIDED,
    (FORM_ONLY,),
    _OLD_WORDS,
    (_OLD_PHRASES,),
    side=_side,
    change=lambda source, corrected, _: PhraseChange(source, corrected),
    word=_word,
    pair=_OldWordChange,
)


def make_older(english: Language) -> Language:
    """English with the rules of 2.0.0."""
    return replace(english, distance=_distance, merging=OldMerging, typing=_TYPING)
