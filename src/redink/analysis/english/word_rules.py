"""Rules for replacements of one word by one word, by far the most frequent edits.

Each rule applies to edits to which no earlier rule applies. Known words to which no grammatical
rule applies are classified by the similarity of their letters, with the thresholds of ERRANT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf

from redink.analysis.classify import Rule, RuleSection
from redink.analysis.english.phrase_rules import CONTRACTIONS
from redink.analysis.english.rule_context import CLASS_OF_ROLE, RARE_CLASSES, WordChange
from redink.analysis.english.word_forms import stem

_CONTRACTED = {"ca": "can", "sha": "shall", "wo": "will"}
_SUBJECT_OR_OBJECT = frozenset({"nsubj", "nsubjpass", "dobj", "pobj"})
_ADJECTIVE_ROLES = frozenset({"acomp", "amod"})
_PARTICLE_ROLES = frozenset({"prt", "prep"})


Condition = Callable[[WordChange], bool]


def _words(one: str, other: str) -> Condition:
    """Return the condition that one of these words replaces the other."""
    return lambda change: change.words == {one, other}


def _becomes(source: str, corrected: str) -> Condition:
    return lambda change: (change.source.lower, change.corrected.lower) == (source, corrected)


def _classes(one: str, other: str) -> Condition:
    """Return a condition: the words have these two word classes, in any order."""
    return lambda change: change.classes == {one, other}


def _both(word_class: str, *tags: str) -> Condition:
    """Return a condition: both words have this class, and one of them one of the tags, if given."""
    return lambda change: (
        change.classes == {word_class}
        and (not tags or change.source.tag in tags or change.corrected.tag in tags)
    )


def _to_tag(*tags: str) -> Condition:
    return lambda change: change.corrected.tag in tags


def _is_contracted_auxiliary(change: WordChange) -> bool:
    one, other = change.source.lower, change.corrected.lower
    return _CONTRACTED.get(one) == other or _CONTRACTED.get(other) == one


def _is_short_slip(change: WordChange) -> bool:
    is_alike = change.similarity == 0.5 or round(change.similarity, 3) == 0.333
    return is_alike and max(len(change.source.text), len(change.corrected.text)) <= 4


def _follows_auxiliary(change: WordChange) -> bool:
    words = change.source, change.corrected
    if change.classes != {"VERB"}:
        return False
    if _both_auxiliaries(change):
        return all(word.follows_auxiliary(by_position=change.fixed) for word in words)
    return all(word.has_auxiliary for word in words)


def _both_auxiliaries(change: WordChange) -> bool:
    return change.source.is_auxiliary and change.corrected.is_auxiliary


def _is_particle(change: WordChange) -> bool:
    return change.classes == {"PART", "PREP"} or (
        change.source.role in _PARTICLE_ROLES
        and {change.source.role, change.corrected.role} == _PARTICLE_ROLES
    )


_SPECIAL: RuleSection[WordChange] = RuleSection(
    "special words",
    (
        Rule(
            "possessive-ending-replaced",
            "NOUN:POSS",
            "one of the two words is a possessive ending",
            lambda change: "POS" in (change.source.tag, change.corrected.tag),
        ),
        Rule(
            "contraction-replaced",
            "CONTR",
            "one word is a contracted form, and both have the same word class",
            lambda change: change.same_class and not CONTRACTIONS.isdisjoint(change.words),
        ),
        Rule(
            "contracted-auxiliary",
            "CONTR",
            "the full form of an auxiliary and its form before n't (ca, sha, wo)",
            _is_contracted_auxiliary,
        ),
        Rule(
            "contracted-auxiliary-replaced",
            "VERB:TENSE",
            "an auxiliary in its form before n't (ca, sha, wo) and a different auxiliary",
            lambda change: not change.words.isdisjoint(_CONTRACTED),
        ),
        Rule(
            "was-and-were",
            "VERB:SVA",
            "was and were are the only past forms that agree with a subject",
            _words("was", "were"),
        ),
    ),
)

_VARIANT: RuleSection[WordChange] = RuleSection(
    "only with `--fixed`: words in the dictionary",
    (
        Rule(
            "spelling-variant",
            "SPELL",
            "two spellings of the same word, such as color and colour",
            lambda change: change.is_spelling_variant,
        ),
    ),
    when=lambda change: change.fixed and not change.is_misspelt,
)

_REGULARIZED: RuleSection[WordChange] = RuleSection(
    "only with `--fixed`: the source word is not in the dictionary",
    (
        Rule(
            "regularized-adjective",
            "ADJ:FORM",
            "unknown word: an adjective with a regular ending, such as goodest instead of best",
            lambda change: change.corrected.word_class == "ADJ" and change.is_regularized,
        ),
        Rule(
            "regularized-inflection",
            lambda change: f"{change.corrected.word_class}:INFL",
            "unknown word: a noun or verb with a regular ending, such as getted instead of got",
            lambda change: change.is_regularized,
            kind="NOUN:INFL or VERB:INFL",
        ),
    ),
    when=lambda change: change.fixed and change.is_misspelt,
)

_UNKNOWN: RuleSection[WordChange] = RuleSection(
    "the source word is not in the dictionary",
    (
        Rule(
            "unknown-word-inflected",
            lambda change: f"{change.source.word_class}:INFL",
            "unknown word with the same base form and word class as the correction",
            lambda change: (
                change.same_lemma
                and change.same_class
                and change.source.word_class in {"NOUN", "VERB"}
            ),
            kind="NOUN:INFL or VERB:INFL",
        ),
        Rule(
            "unknown-word-of-one-lemma",
            "MORPH",
            "unknown word with the same base form as the correction",
            lambda change: change.same_lemma,
        ),
        Rule(
            "misspelling",
            "SPELL",
            "unknown word with a letter similarity above 0.55",
            lambda change: change.similarity > 0.55,
        ),
        Rule(
            "short-misspelling",
            "SPELL",
            "unknown word; at most four letters on both sides, letter similarity 1/2 or 1/3",
            _is_short_slip,
        ),
        Rule(
            "unknown-word-replaced",
            lambda change: change.corrected.word_class,
            "unknown word, not similar to the correction, whose word class is the type",
            lambda change: change.corrected.word_class not in RARE_CLASSES,
            kind="the word class of the correction",
        ),
        Rule(
            "unknown-word-other",
            "OTHER",
            "unknown word, not similar to the correction, whose word class is not informative",
            lambda _: True,
        ),
    ),
    when=lambda change: change.is_misspelt,
)

_ONE_LEMMA: RuleSection[WordChange] = RuleSection(
    "both words have the same base form, and both are adjectives, adverbs, nouns or verbs",
    (
        Rule("adjective-form", "ADJ:FORM", "two forms of the same adjective", _both("ADJ")),
        Rule("noun-number", "NOUN:NUM", "two forms of the same noun", _both("NOUN")),
        Rule(
            "verb-after-auxiliary",
            "VERB:FORM",
            "two forms of the same verb, each with an auxiliary before it",
            _follows_auxiliary,
        ),
        Rule(
            "verb-participle",
            "VERB:FORM",
            "two forms of the same verb, one of them a participle or gerund",
            _both("VERB", "VBG", "VBN"),
        ),
        Rule(
            "verb-past",
            "VERB:TENSE",
            "two forms of the same verb, one of them a past form",
            _both("VERB", "VBD"),
        ),
        Rule(
            "verb-agreement",
            "VERB:SVA",
            "two forms of the same verb, one of them in the third person singular",
            _both("VERB", "VBZ"),
        ),
        Rule(
            "auxiliary-form",
            "VERB:TENSE",
            "two forms of the same auxiliary verb",
            lambda change: change.classes == {"VERB"} and _both_auxiliaries(change),
        ),
        Rule(
            "adjective-role",
            "ADJ:FORM",
            "both words have the dependency label of an adjective",
            lambda change: (
                change.source.role in _ADJECTIVE_ROLES and change.corrected.role in _ADJECTIVE_ROLES
            ),
        ),
        Rule(
            "adjective-to-plural",
            "NOUN:NUM",
            "a word tagged as an adjective becomes a plural noun",
            lambda change: change.source.word_class == "ADJ" and change.corrected.tag == "NNS",
        ),
        Rule(
            "corrected-participle",
            "VERB:FORM",
            "the correction is a participle or gerund",
            _to_tag("VBG", "VBN"),
        ),
        Rule("corrected-past", "VERB:TENSE", "the correction is a past form", _to_tag("VBD")),
        Rule(
            "corrected-agreement",
            "VERB:SVA",
            "the correction is in the third person singular",
            _to_tag("VBZ"),
        ),
        Rule("one-lemma", "MORPH", "the same base form, and no other rule applies", lambda _: True),
    ),
    when=lambda change: change.same_lemma and change.both_open,
)

_GENERAL: RuleSection[WordChange] = RuleSection(
    "any two words",
    (
        Rule(
            "one-stem",
            "MORPH",
            "related words with the same stem",
            lambda change: (
                change.both_open and stem(change.source.text) == stem(change.corrected.text)
            ),
        ),
        Rule(
            "auxiliary-replaced",
            "VERB:TENSE",
            "both words are auxiliary verbs in the dependency tree",
            _both_auxiliaries,
        ),
        Rule(
            "same-part-of-speech",
            lambda change: change.source.word_class,
            "both words have this word class",
            lambda change: change.same_class and change.source.word_class not in RARE_CLASSES,
            kind="the word class",
        ),
        Rule(
            "same-role",
            lambda change: CLASS_OF_ROLE[change.source.role],
            "both words have the same dependency label, which indicates the word class",
            lambda change: (
                change.source.role in CLASS_OF_ROLE and change.corrected.role == change.source.role
            ),
            kind="the word class that the label indicates",
        ),
        Rule("particle-or-preposition", "PART", "a particle and a preposition", _is_particle),
        Rule(
            "pronoun-as-subject-or-object",
            "PRON",
            "a determiner and a pronoun; the correction is a subject or an object",
            lambda change: (
                change.classes == {"DET", "PRON"} and change.corrected.role in _SUBJECT_OR_OBJECT
            ),
        ),
        Rule(
            "possessive-determiner",
            "DET",
            "a determiner and a pronoun; the correction is a possessive",
            lambda change: change.classes == {"DET", "PRON"} and change.corrected.role == "poss",
        ),
        Rule(
            "numeral-and-determiner",
            "DET",
            "a numeral and a determiner, such as one and a",
            _classes("NUM", "DET"),
        ),
        Rule("other-and-another", "DET", "other and another", _words("other", "another")),
        Rule("your-to-yours", "PRON", "your becomes yours", _becomes("your", "yours")),
        Rule("no-and-not", "OTHER", "no and not", _words("no", "not")),
    ),
)

_NOT_LETTERS: RuleSection[WordChange] = RuleSection(
    "at least one word does not consist of letters only",
    (
        Rule(
            "not-letters",
            "OTHER",
            "one of the two words does not consist of letters only, and no other rule applies",
            lambda change: not (change.source.text.isalpha() and change.corrected.text.isalpha()),
        ),
    ),
)


def _alike(least: Mapping[int, float]) -> Condition:
    """Return a condition: the letter similarity is high enough for the length of the correction."""
    return lambda change: change.similarity >= least.get(len(change.corrected.text), inf)


def _of_length(letters: int) -> Condition:
    return lambda change: len(change.source.text) == letters


def _becomes_longer(change: WordChange) -> bool:
    return len(change.corrected.text) > 5


def _contains_other(change: WordChange) -> bool:
    source, corrected = change.source.text, change.corrected.text
    return source.startswith(corrected) or corrected.startswith(source)


def _other_word(name: str, because: str, when: Condition) -> Rule[WordChange]:
    return Rule(
        name,
        lambda change: change.corrected.word_class,
        because,
        lambda change: when(change) and change.corrected.word_class not in RARE_CLASSES,
        kind="the word class of the correction",
    )


SIMILARITY: tuple[RuleSection[WordChange], ...] = (
    RuleSection(
        "words in the dictionary; the source word has one letter",
        (
            Rule(
                "one-letter-slip",
                "SPELL",
                "a word of one letter and a word of two letters that contains it, such as i and in",
                _alike({2: 0.5}),
            ),
        ),
        when=_of_length(1),
    ),
    RuleSection(
        "words in the dictionary; the source word has two letters",
        (
            Rule(
                "two-letter-slip",
                "SPELL",
                "a word of two letters and a word of two or three letters with a similarity of at "
                "least 0.5, such as to and too",
                _alike({2: 0.5, 3: 0.5}),
            ),
        ),
        when=_of_length(2),
    ),
    RuleSection(
        "words in the dictionary; the source word has three letters",
        (
            Rule(
                "the-to-that",
                "PRON",
                "the becomes that, a relative pronoun",
                _becomes("the", "that"),
            ),
            Rule(
                "all-to-everything", "PRON", "all becomes everything", _becomes("all", "everything")
            ),
            Rule(
                "three-letter-slip",
                "SPELL",
                "a word of three letters and a word of two to four letters with a similarity of at "
                "least 0.5, such as off and of",
                _alike({2: 0.5, 3: 0.5, 4: 0.5}),
            ),
        ),
        when=_of_length(3),
    ),
    RuleSection(
        "words in the dictionary; the source word has four letters",
        (
            Rule("that-and-what", "PRON", "that and what", _words("that", "what")),
            _other_word(
                "good-and-well",
                "good and well; the word class of the correction is the type",
                _words("good", "well"),
            ),
            Rule(
                "four-letter-slip",
                "SPELL",
                "a word of four letters and a similar word of three to five letters, "
                "such as then and than",
                _alike({3: 0.51, 4: 0.5, 5: 0.8}),
            ),
            _other_word(
                "four-letters-to-longer-word",
                "a word of four letters and a longer word with a similarity above 0.5, "
                "such as high and height",
                lambda change: _becomes_longer(change) and change.similarity > 0.5,
            ),
        ),
        when=_of_length(4),
    ),
    RuleSection(
        "words in the dictionary; the source word has five letters",
        (
            _other_word(
                "after-and-later",
                "after and later; the word class of the correction is the type",
                _words("after", "later"),
            ),
            Rule(
                "five-letter-slip",
                "SPELL",
                "a word of five letters and a similar word of four or five letters, "
                "such as quite and quiet",
                _alike({4: 0.8, 5: 0.6}),
            ),
            _other_word(
                "five-letters-to-longer-word",
                "a word of five letters and a longer word, such as human and people",
                _becomes_longer,
            ),
        ),
        when=_of_length(5),
    ),
    RuleSection(
        "words in the dictionary; the source word has at least six letters",
        (
            Rule(
                "therefor-to-therefore",
                "SPELL",
                "therefor becomes therefore",
                _becomes("therefor", "therefore"),
            ),
            Rule("though-and-thought", "SPELL", "though and thought", _words("though", "thought")),
            Rule(
                "longer-form",
                "MORPH",
                "one word begins with the other word, such as health and healthy",
                lambda change: _contains_other(change) and change.similarity >= 0.66,
            ),
            Rule(
                "long-word-slip",
                "SPELL",
                "letter similarity above 0.8, such as exiting and exciting",
                lambda change: change.similarity > 0.8,
            ),
            _other_word(
                "other-long-word",
                "letter similarity below 0.55, such as transport and travel",
                lambda change: change.similarity < 0.55,
            ),
        ),
        when=lambda change: len(change.source.text) > 5 and _becomes_longer(change),
    ),
)

WORDS: tuple[RuleSection[WordChange], ...] = (
    _SPECIAL,
    _VARIANT,
    _REGULARIZED,
    _UNKNOWN,
    _ONE_LEMMA,
    _GENERAL,
    _NOT_LETTERS,
    *SIMILARITY,
)
