"""How edits are typed in any language: ordered tables of small named rules."""

from __future__ import annotations

from redink.analysis.classify import Rule, Section
from redink.analysis.universal.change import (
    VAGUE,
    Change,
    Side,
    WordChange,
    are_kindred,
    bare_letters,
)

_VERBAL = frozenset({"AUX", "PART", "VERB"})


def _one_pos(side: Side) -> bool:
    return len(set(side.pos)) == 1 and side.pos[0] not in VAGUE


ONE_SIDED: Section[Side] = Section(
    "any number of words",
    (
        Rule(
            "part-of-speech",
            lambda side: side.pos[0],
            "all words are of this part of speech",
            _one_pos,
            kind="the part of speech",
        ),
        Rule(
            "verb-group",
            "VERB",
            "a verb with its auxiliaries or particles",
            lambda side: "VERB" in side.pos and _VERBAL.issuperset(side.pos),
        ),
        Rule("no-rule-fits", "OTHER", "nothing more precise is known", lambda _: True),
    ),
)


def _letters(side: Side) -> str:
    return "".join(side.lower)


def _inflects(change: Change) -> bool:
    if not change.is_one_word:
        return False
    pair = change.pair
    return pair is not None and pair.same_pos and bool(pair.changed)


FORM_ONLY: Section[Change] = Section(
    "the same letters or the same words",
    (
        Rule(
            "case-or-spacing",
            "ORTH",
            "only capitals or spaces differ",
            lambda change: _letters(change.source) == _letters(change.corrected),
        ),
        Rule(
            "hyphen-or-apostrophe",
            "ORTH",
            "only hyphens or apostrophes (and capitals or spaces) differ, and no feature",
            lambda change: (
                bare_letters(change.source.lower) == bare_letters(change.corrected.lower) != ""
                and not _inflects(change)
            ),
        ),
        Rule(
            "reordering",
            "WO",
            "the same words stand in another order",
            lambda change: sorted(change.source.lower) == sorted(change.corrected.lower),
        ),
        Rule(
            "reordering-and-inflection",
            lambda change: ":".join(["WO", *filter(None, [",".join(change.changed_in_words)])]),
            "the same words stand in another order, and these features of them differ",
            lambda change: not change.is_one_word and change.has_same_lemmas,
            kind="`WO` and the features",
        ),
    ),
)


def _inflected(change: WordChange) -> str:
    return f"{change.pos}:{','.join(change.changed)}"


def _inflected_in_both(change: WordChange) -> str:
    return f"{change.pos}:{','.join(change.changed_in_both)}"


def _pos(change: WordChange) -> str:
    return change.pos


_FEATURES = "the part of speech and the features, as in `DET:GENDER,NUMBER`"

UNKNOWN: Section[WordChange] = Section(
    "the source word is not in the word list",
    (
        Rule(
            "unknown-word-inflected",
            _inflected,
            "not a word, of one lemma and part of speech with the correction, and these features "
            "change",
            lambda change: (
                change.same_lemma
                and change.same_pos
                and change.pos not in VAGUE
                and bool(change.changed)
            ),
            kind=_FEATURES,
        ),
        Rule(
            "misspelling",
            "SPELL",
            "not a word, and more than 0.55 alike in letters (at most four letters: a third)",
            lambda change: change.is_slip,
        ),
        Rule(
            "unknown-word-replaced",
            _pos,
            "not a word, and unlike the correction, whose part of speech counts",
            lambda change: change.pos not in VAGUE,
            kind="the correction's part of speech",
        ),
    ),
    when=lambda change: change.is_misspelt,
)

WORDS: Section[WordChange] = Section(
    "one word by one word",
    (
        Rule(
            "marked-as-typo",
            "SPELL",
            "the analysis marks the word as misspelt (Typo=Yes), and no feature changes",
            lambda change: change.is_marked_as_typo and change.is_slip and not change.changed,
        ),
        Rule(
            "inflection",
            _inflected,
            "two forms of one word (one lemma, or alike in letters), and these features differ",
            lambda change: (
                change.same_pos
                and change.pos not in VAGUE
                and change.related
                and bool(change.changed)
            ),
            kind=_FEATURES,
        ),
        Rule(
            "grammatical-word",
            _inflected,
            "two articles, pronouns, numerals or auxiliaries, and these features differ",
            lambda change: change.same_pos and change.grammatical and bool(change.changed),
            kind=_FEATURES,
        ),
        Rule(
            "inflection-across-parts-of-speech",
            _inflected_in_both,
            "one lemma or alike in letters, another part of speech, and these features, which "
            "both have, differ",
            lambda change: (
                not change.same_pos
                and change.pos not in VAGUE
                and change.related
                and bool(change.changed_in_both)
            ),
            kind=_FEATURES,
        ),
        Rule(
            "form-of-one-word",
            "MORPH",
            "one lemma, and no feature tells the forms apart",
            lambda change: change.same_lemma and change.same_pos and change.pos != "PUNCT",
        ),
        Rule(
            "derivation",
            "MORPH",
            "one lemma or alike in letters, and another part of speech",
            lambda change: change.related and not change.same_pos and _says_something(change),
        ),
        Rule(
            "word-choice",
            _pos,
            "another word of this part of speech",
            lambda change: change.same_pos and change.pos not in VAGUE,
            kind="the part of speech",
        ),
    ),
)


def _says_something(change: WordChange) -> bool:
    return change.pos not in VAGUE and change.source_pos not in VAGUE


def _all_kindred(change: Change) -> bool:
    classes = [*change.source.pos, *change.corrected.pos]
    return classes[-1] not in VAGUE and all(are_kindred(one, classes[-1]) for one in classes)


def _changes_a_form(change: Change) -> bool:
    pair = change.pair
    return pair is not None and pair.same_pos and pair.pos not in VAGUE and pair.related


def _form(change: Change) -> str:
    pair = change.pair
    assert pair is not None
    return _inflected(pair) if pair.changed else pair.pos


PHRASES: Section[Change] = Section(
    "several words, and words that no rule above named",
    (
        Rule(
            "one-word-of-content",
            _form,
            "the only word of content on each side is the same word; these features of it differ",
            _changes_a_form,
            kind=f"{_FEATURES}, or the part of speech alone",
        ),
        Rule(
            "all-same-part-of-speech",
            lambda change: change.corrected.pos[-1],
            "all words on both sides are of this part of speech",
            _all_kindred,
            kind="the part of speech",
        ),
        Rule(
            "verb-groups",
            "VERB",
            "verbs with their auxiliaries or particles on both sides",
            lambda change: (
                "VERB" in change.corrected.pos
                and _VERBAL.issuperset({*change.source.pos, *change.corrected.pos})
            ),
        ),
        Rule("no-rule-fits", "OTHER", "nothing more precise is known", lambda _: True),
    ),
)
