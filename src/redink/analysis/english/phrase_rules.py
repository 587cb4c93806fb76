"""Rules for missing (M) and unnecessary (U) words, and for replacements of phrases."""

from __future__ import annotations

from redink.analysis.classify import CASE_OR_SPACING, NO_RULE_FITS, REORDERING, Rule, RuleSection
from redink.analysis.english.rule_context import (
    AUXILIARY_ROLES,
    CLASS_OF_ROLE,
    RARE_CLASSES,
    PhraseChange,
    Side,
)

CONTRACTIONS = frozenset({"'d", "'ll", "'m", "n't", "'re", "'s", "'ve"})


def _one_class(side: Side) -> bool:
    first = side.word_class[0]
    return first not in RARE_CLASSES and all(other == first for other in side.word_class)


ONE_SIDED: tuple[RuleSection[Side], ...] = (
    RuleSection(
        "one word, special cases",
        (
            Rule(
                "possessive-ending",
                "NOUN:POSS",
                "the word is a possessive ending",
                lambda side: side.tag[0] == "POS",
            ),
            Rule(
                "contraction",
                "CONTR",
                "the word is a contracted form",
                lambda side: side.lower[0] in CONTRACTIONS,
            ),
            Rule(
                "infinitival-to",
                "VERB:FORM",
                "the infinitive marker to belongs to the verb form",
                lambda side: (
                    side.lower[0] == "to" and side.pos[0] == "PART" and side.roles[0] != "prep"
                ),
            ),
        ),
        when=lambda side: len(side) == 1,
    ),
    RuleSection(
        "any number of words",
        (
            Rule(
                "auxiliaries",
                "VERB:TENSE",
                "every word is an auxiliary verb in the dependency tree",
                lambda side: AUXILIARY_ROLES.issuperset(side.roles),
            ),
            Rule(
                "part-of-speech",
                lambda side: side.word_class[0],
                "all words have this word class",
                _one_class,
                kind="the word class",
            ),
            Rule(
                "telling-role",
                lambda side: CLASS_OF_ROLE[side.roles[0]],
                "all words have the same dependency label, which indicates the word class",
                lambda side: len(set(side.roles)) == 1 and side.roles[0] in CLASS_OF_ROLE,
                kind="the word class that the label indicates",
            ),
            Rule(
                "particle-and-verb",
                "VERB",
                "a verb with its infinitive marker or particle",
                lambda side: set(side.word_class) == {"PART", "VERB"},
            ),
            NO_RULE_FITS,
        ),
    ),
)

_COMPARATIVES = frozenset({"most", "more"})


def _all_auxiliaries(change: PhraseChange) -> bool:
    return all(AUXILIARY_ROLES.issuperset(s.roles) for s in (change.source, change.corrected))


def _one_telling_role(change: PhraseChange) -> bool:
    roles = set(change.source.roles)
    if len(roles) > 1 or roles.isdisjoint(CLASS_OF_ROLE):
        return False
    return roles.issuperset(change.corrected.roles)


def _is_possessive(change: PhraseChange) -> bool:
    classes = change.source.word_class, change.corrected.word_class
    return change.same_lemma(0) and ["NOUN", "PART"] in classes


def _is_comparison(change: PhraseChange) -> bool:
    sides = change.source, change.corrected
    return (
        any(side.lower[0] in _COMPARATIVES for side in sides)
        and change.same_lemma(-1)
        and all(len(side) <= 2 for side in sides)
    )


FORM_ONLY: RuleSection[PhraseChange] = RuleSection(
    "the same letters or the same words", (CASE_OR_SPACING, REORDERING)
)

PHRASES: RuleSection[PhraseChange] = RuleSection(
    "several words",
    (
        Rule(
            "all-auxiliaries",
            "VERB:TENSE",
            "every word on both sides is an auxiliary verb in the dependency tree",
            _all_auxiliaries,
        ),
        Rule(
            "verbs-of-one-lemma",
            "VERB:TENSE",
            "all words are verbs, and the last words have the same base form",
            lambda change: change.classes == {"VERB"} and change.same_lemma(-1),
        ),
        Rule(
            "all-same-part-of-speech",
            lambda change: change.source.word_class[0],
            "all words on both sides have this word class",
            lambda change: len(change.classes) == 1 and change.classes.isdisjoint(RARE_CLASSES),
            kind="the word class",
        ),
        Rule(
            "all-same-role",
            lambda change: CLASS_OF_ROLE[change.source.roles[0]],
            "all words have the same dependency label, which indicates the word class",
            _one_telling_role,
            kind="the word class that the label indicates",
        ),
        Rule(
            "infinitive-or-gerund",
            "VERB:FORM",
            "verbs with to or a particle; the last words have the same base form",
            lambda change: change.classes == {"PART", "VERB"} and change.same_lemma(-1),
        ),
        Rule(
            "phrasal-verb",
            "VERB",
            "verbs with to or a particle",
            lambda change: change.classes == {"PART", "VERB"},
        ),
        Rule(
            "possessive-noun",
            "NOUN:POSS",
            "a noun gains or loses its possessive ending",
            _is_possessive,
        ),
        Rule(
            "more-and-most",
            "ADJ:FORM",
            "more or most is added or removed before a word with the same base form",
            _is_comparison,
        ),
        NO_RULE_FITS,
    ),
)
