"""How words that are missing (M) or unnecessary (U) are typed: by that one side alone."""

from __future__ import annotations

from redink.analysis.change import AUXILIARY_ROLES, CLASS_OF_ROLE, RARE_CLASSES, Side
from redink.analysis.rules import Rule, Section

CONTRACTIONS = frozenset({"'d", "'ll", "'m", "n't", "'re", "'s", "'ve"})


def _is_infinitival_to(side: Side) -> bool:
    return side.lower[0] == "to" and side.pos[0] == "PART" and side.roles[0] != "prep"


def _one_class(side: Side) -> bool:
    first = side.word_class[0]
    return first not in RARE_CLASSES and all(other == first for other in side.word_class)


def _one_telling_role(side: Side) -> bool:
    return len(set(side.roles)) == 1 and side.roles[0] in CLASS_OF_ROLE


ONE_SIDED: tuple[Section[Side], ...] = (
    Section(
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
                "the to of an infinitive belongs to the form of its verb",
                _is_infinitival_to,
            ),
        ),
        when=lambda side: len(side) == 1,
    ),
    Section(
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
                "all words are of this class",
                _one_class,
                kind="the word class",
            ),
            Rule(
                "telling-role",
                lambda side: CLASS_OF_ROLE[side.roles[0]],
                "all words have one dependency label that gives the class away",
                _one_telling_role,
                kind="the class that goes with the label",
            ),
            Rule(
                "particle-and-verb",
                "VERB",
                "a verb with its to or its particle",
                lambda side: set(side.word_class) == {"PART", "VERB"},
            ),
            Rule("no-rule-fits", "OTHER", "nothing more precise is known", lambda _: True),
        ),
    ),
)
