"""The prepositions, what can be wrong with one, and the features of a place for one.

A place is described by sixteen *atoms*: words and tags next to it, and the heads of the phrases
nearby, found by rules over tags. A *feature* is one atom or a combination of several. All are
listed in :data:`FEATURES`. Nothing here is parsed: learners' sentences parse badly, and rules
over tags run ten times as fast.

Features are numbers of 64 bits mixed from the hashes of their atoms, so that a place costs a row
of sixteen small integers, whatever the number of features.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Kind = Literal["confusion", "extraneous"]
"""What can be wrong with a preposition."""
KINDS: tuple[Kind, ...] = ("confusion", "extraneous")
Thresholds = dict[Kind, float]
"""Above which confidence a finding of each kind is an error."""

PREPOSITIONS: tuple[str, ...] = tuple(
    """
    about above across after against along among around as at before behind below between by
    during for from in into of off on over since through to toward under until upon with
    within without
    """.split()  # noqa: SIM905 (a list of words)
)
"""The 34 common prepositions among which the detectors choose."""

NUMBER_OF: dict[str, int] = {word: number for number, word in enumerate(PREPOSITIONS)}

NOTHING = len(PREPOSITIONS)
"""The class of a place where no preposition belongs, after the 34 that have one."""

CLASSES: tuple[str, ...] = (*PREPOSITIONS, "")

_SPELLINGS = {"towards": "toward", "till": "until", "amongst": "among"}
# Tags, as the analyser gives them.
VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_BEFORE_GAP = NOUNS | VERBS | {"JJ", "RB", "PRP"}
_AFTER_GAP = NOUNS | {"DT", "PRP", "PRP$", "JJ", "CD", "VBG", "WDT", "WP", "EX", "RB"}


def preposition_at(lower: Sequence[str], index: int) -> int | None:
    """The number of the preposition at a token, or None where the token is none.

    Every occurrence of a listed word counts, whatever its tag: tags are least sure in just those
    sentences where a preposition is wrong. ``towards``, ``till`` and ``amongst`` count as the form
    that is on the list.
    """
    word = lower[index]
    return NUMBER_OF.get(_SPELLINGS.get(word, word))


def is_strict_preposition(tag: Sequence[str], index: int) -> bool:
    """Whether a tagger takes the token for a preposition: no particle, no infinitive's ``to``."""
    if tag[index] == "TO":
        return not any(t in {"VB", "VBP"} for t in tag[index + 1 : index + 3])
    return tag[index] == "IN"


def is_gap(tag: Sequence[str], index: int) -> bool:
    """Whether a preposition might have stood before a token where none stands."""
    return 0 < index < len(tag) and tag[index - 1] in _BEFORE_GAP and tag[index] in _AFTER_GAP


ATOMS: tuple[str, ...] = (
    "word-2",
    "word-1",
    "word+1",
    "word+2",
    "tag-2",
    "tag-1",
    "tag+1",
    "tag+2",
    "verb",
    "noun",
    "governor",
    "head",
    "verb-tag",
    "noun-tag",
    "governor-tag",
    "head-tag",
)
"""The atoms of a place.

``word-1`` is the word before it and ``tag+2`` the tag of the second word after it. ``verb`` is the
lemma of the head of the verb phrase before it and ``noun`` that of the noun phrase that ends just
before it; ``governor`` is the nearer of the two (or the adjective in *afraid of*); ``head`` is the
head of the phrase after it. ``-tag`` is the tag of each. Digits are written as 0.
"""

FEATURES: dict[str, tuple[str, ...]] = {
    # words in positions next to the place
    "left-word": ("word-1",),
    "right-word": ("word+1",),
    "left-bigram": ("word-2", "word-1"),
    "right-bigram": ("word+1", "word+2"),
    "both-sides": ("word-1", "word+1"),
    "left-trigram": ("word-2", "word-1", "word+1"),
    "right-trigram": ("word-1", "word+1", "word+2"),
    "window": ("word-2", "word-1", "word+1", "word+2"),
    # heads of nearby phrases
    "verb": ("verb",),
    "noun": ("noun",),
    "governor": ("governor", "governor-tag"),
    "head": ("head", "head-tag"),
    # combinations of heads
    "verb-head": ("verb", "head"),
    "noun-head": ("noun", "head"),
    "governor-head": ("governor", "head"),
    "verb-noun": ("verb", "noun"),
    "verb-noun-head": ("verb", "noun", "head"),
    # heads with words beside the place
    "left-word-head": ("word-1", "head"),
    "right-word-head": ("word+1", "head"),
    "governor-right-tags": ("governor", "tag+1", "tag+2"),
    "left-tag-right-word": ("tag-1", "word+1"),
    # tags only, for contexts whose words were never seen
    "left-tags": ("tag-2", "tag-1"),
    "right-tags": ("tag+1", "tag+2"),
    "all-tags": ("tag-2", "tag-1", "tag+1", "tag+2"),
    "head-tags": ("verb-tag", "noun-tag", "governor-tag", "head-tag"),
}
"""The 25 features by name, each with the atoms that it is made of."""

_FEATURE_ATOMS = [[ATOMS.index(atom) for atom in atoms] for atoms in FEATURES.values()]

_NONE, _START, _END = "-", "<s>", "</s>"
_DIGIT = re.compile(r"\d")
_ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})
_NOMINAL = NOUNS | {"PRP", "CD", "EX", "WP", "DT", "PRP$", "WDT"}
_GOVERNING = VERBS | _ADJECTIVES | {"RP", "RB", "IN"}
_MARKS = frozenset({"$", "``", "''", "HYPH", "-LRB-", "-RRB-"})
_INSIDE_NP = NOUNS | _ADJECTIVES | _MARKS | {"DT", "PDT", "PRP$", "CD", "POS", "VBN", "VBG", "RB"}
_LOOK_BACK, _LOOK_AHEAD = 8, 8


@lru_cache(maxsize=1 << 17)
def _number(value: str) -> int:
    return crc32(value.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1 << 17)
def _word(value: str) -> int:
    return _number(_DIGIT.sub("0", value))


_NONE_NUMBER, _START_NUMBER, _END_NUMBER = (_number(x) for x in (_NONE, _START, _END))


def describe_place(
    lower: Sequence[str], tag: Sequence[str], lemma: Sequence[str], left: int, right: int
) -> tuple[int, ...]:
    """The atoms of the place between the tokens ``[:left]`` and ``[right:]``, as numbers.

    For a preposition at ``i`` they are ``i`` and ``i + 1``; for the gap before ``i``, both ``i``.
    """
    last = len(lower) - 1
    verb, noun, governor = _heads_before(tag, left)
    head = _head_after(tag, right)
    return (
        _word(lower[left - 2]) if left > 1 else _START_NUMBER,
        _word(lower[left - 1]) if left > 0 else _START_NUMBER,
        _word(lower[right]) if right <= last else _END_NUMBER,
        _word(lower[right + 1]) if right < last else _END_NUMBER,
        _number(tag[left - 2]) if left > 1 else _START_NUMBER,
        _number(tag[left - 1]) if left > 0 else _START_NUMBER,
        _number(tag[right]) if right <= last else _END_NUMBER,
        _number(tag[right + 1]) if right < last else _END_NUMBER,
        *(_NONE_NUMBER if at < 0 else _word(lemma[at].lower()) for at in (verb, noun, governor)),
        _NONE_NUMBER if head < 0 else _word(lemma[head].lower()),
        *(_NONE_NUMBER if at < 0 else _number(tag[at]) for at in (verb, noun, governor)),
        _NONE_NUMBER if head < 0 else _number(tag[head]),
    )


def _heads_before(tag: Sequence[str], left: int) -> tuple[int, int, int]:
    """Where the heads of the verb and noun phrase before a place are, and the nearer; or -1."""
    noun = -1
    governor = -1
    if left > 0:
        nearest = tag[left - 1]
        if nearest in _NOMINAL:
            noun = left - 1
            governor = noun
        elif nearest in _GOVERNING:
            governor = left - 1
    for at in range(left - 1, max(-1, left - 1 - _LOOK_BACK), -1):
        if tag[at] in VERBS:
            return at, noun, governor if governor >= 0 else at
        if tag[at] in {".", ":"}:
            break
    return -1, noun, governor


def _head_after(tag: Sequence[str], right: int) -> int:
    """Where the head of the phrase after a place is: its last noun, or a pronoun, or a verb."""
    head = -1
    for at in range(right, min(len(tag), right + _LOOK_AHEAD)):
        kind = tag[at]
        if kind in NOUNS:
            head = at
        elif head >= 0:
            if kind != "POS":
                return head
            head = -1  # the owner is not a head: the head of "the king 's men" is "men"
        elif kind in {"PRP", "WP", "WDT", "EX", "WRB"} or kind in VERBS:
            return at
        elif kind not in _INSIDE_NP:
            break
    if head < 0 and right < len(tag) and tag[right] in _INSIDE_NP:
        # A phrase without a noun (in 1914, for the poor): its last word.
        at = right
        while at + 1 < len(tag) and tag[at + 1] in {"JJ", "CD", "DT"}:
            at += 1
        return at
    return head


_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def feature_keys(atoms: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """The 25 features of every place: rows of atoms to rows of 64-bit keys.

    A key is mixed from the number of the feature and its atoms; two different features share a key
    about once in 10^19 pairs.
    """
    keys = np.empty((len(atoms), len(FEATURES)), np.uint64)
    for number in range(len(FEATURES)):
        keys[:, number] = feature_column(atoms, number)
    return keys


def feature_column(atoms: NDArray[np.uint32], number: int) -> NDArray[np.uint64]:
    """The keys of one feature, by its number in :data:`FEATURES`."""
    mixed = np.full(len(atoms), number + 1, np.uint64) * _MULTIPLIER
    for column in _FEATURE_ATOMS[number]:
        mixed ^= atoms[:, column]
        mixed *= _MULTIPLIER
        mixed ^= mixed >> _SHIFT
    return mixed
