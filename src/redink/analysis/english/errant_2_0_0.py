"""The rules of ERRANT 2.0.0, which BEA-2019 used. Later versions have different rules.

Differences from 3.0.2: letters are compared with Python's ``difflib``. Some merging rules differ,
and one of them has a bug that loses edits. Words have the same base form if they share one under
any part of speech. Single words without another rule are ``OTHER``. Tags and dependencies come from
the current analyzer; ERRANT used spaCy 1.9 in 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache

from redink.analysis.analyzer import Analysis
from redink.analysis.classify import Rule, type_by_tables
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
from redink.analysis.english.word_rules import SIMILARITY, WORDS
from redink.analysis.language import Language

_OLD_CLASS = {"EX": "ADV", "LS": "PUNCT"}


@lru_cache(maxsize=100_000)
def _distance(one: str, other: str, *, score_cutoff: float | None = None) -> float:
    del score_cutoff  # as RapidFuzz calls it
    return 1 - SequenceMatcher(None, one, other).ratio()


class OldMerging(EnglishMerging):
    """The merging rules of 2.0.0."""

    content = frozenset({"ADJ", "ADV", "NOUN", "VERB"})
    phrase = frozenset({"PART", "VERB"})
    splits_possessive = False
    capitals_anywhere = True

    @staticmethod
    def capital_moves(first: int, *, longer: bool, shorter: bool) -> bool:
        """Reproduce the bug: a shorter correction may be anywhere, and steps before it are lost."""
        return (first == 0 and longer) or shorter

    @staticmethod
    def are_one_phrase(pos: set[str], *, same_size: bool) -> bool:
        """Return whether words are one edit; auxiliaries are verbs in 2.0.0."""
        return (not same_size and len(pos) == 1) or pos == {"PART", "VERB"}

    @staticmethod
    def are_similar(one: str, other: str) -> bool:
        """Return whether two words are similar, according to ``difflib``."""
        return _distance(one, other) < 0.25


@lru_cache(maxsize=100_000)
def _lemmas(lower: str) -> frozenset[str]:
    return frozenset({lower, *(lemma_tables().lemma(lower, tag) for tag in ("NNS", "VBD", "JJR"))})


def _share_lemma(one: str, other: str) -> bool:
    return not _lemmas(one).isdisjoint(_lemmas(other))


class _OldWord(EditWord):
    __slots__ = ()

    def __init__(self, analysis: Analysis, index: int) -> None:
        super().__init__(analysis, index)
        self.word_class = _OLD_CLASS.get(self.tag, self.word_class)


class _OldWordChange(WordChange):
    __slots__ = ()
    word = _OldWord

    @property
    def same_lemma(self) -> bool:
        return _share_lemma(self.source.lower, self.corrected.lower)

    @property
    def similarity(self) -> float:
        """The similarity of the letters, from ``difflib``."""
        return 1 - _distance(self.source.text, self.corrected.text)


class _OldSide(Side):
    __slots__ = ()

    def __init__(self, analysis: Analysis, start: int, end: int) -> None:
        super().__init__(analysis, start, end)
        self.word_class = list(map(_OLD_CLASS.get, self.tag, self.word_class))


class _OldPhraseChange(PhraseChange):
    __slots__ = ()

    def same_lemma(self, at: int) -> bool:
        return _share_lemma(self.source.lower[at], self.corrected.lower[at])


_LATER = {
    *("contracted-auxiliary", "short-misspelling", "numeral-and-determiner", "other-and-another"),
    *("your-to-yours", "no-and-not"),
    *(rule.name for section in SIMILARITY for rule in section.rules),
}
"""The names of rules that 2.0.0 does not have."""

_OTHERWISE: dict[str, tuple[str, Callable[[WordChange], bool]]] = {
    "misspelling": (
        "unknown word with a letter similarity above 0.5",
        lambda change: change.similarity > 0.5,
    ),
    "unknown-word-replaced": (
        "unknown word, not similar to the correction, with the same word class",
        lambda change: change.same_class and change.corrected.word_class not in RARE_CLASSES,
    ),
    "not-letters": ("no other rule applies", lambda change: change.classes != {"DET", "PRON"}),
}
"""Rules with another condition in 2.0.0, and the reason for each."""


def _make_old(rule: Rule[WordChange]) -> Rule[WordChange]:
    because, when = _OTHERWISE.get(rule.name, (rule.because, rule.when))
    return replace(rule, because=because, when=when)


_OLD_WORDS = tuple(
    replace(section, rules=tuple(_make_old(r) for r in section.rules if r.name not in _LATER))
    for section in WORDS
)


_TYPING = type_by_tables(
    ONE_SIDED,
    (FORM_ONLY,),
    _OLD_WORDS,
    (PHRASES,),
    side=_OldSide,
    change=_OldPhraseChange,
    pair=_OldWordChange,
)


def make_older(english: Language) -> Language:
    """Load English with the rules of 2.0.0."""
    return replace(english, distance=_distance, merging=OldMerging, typing=_TYPING)
