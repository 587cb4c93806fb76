"""Spelling variants and regular inflection of English words, for what ERRANT gets wrong.

American and British English spell many words differently (*color* and *colour*), and writers give
irregular words a regular ending (*getted* for *got*).
"""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance.Levenshtein import normalized_similarity

from redink.analysis.english.pipeline import default_lexicon, lemma_tables

_VARIATION = (
    (r"(?<=[iy])z(?=[aei])", "s"),  # organize, organise
    (r"ogue", "og"),  # catalogue, catalog
    (r"(?<=[^aeiou])re(?=s?$)", "er"),  # metre, meter
    (r"mme(?=s?$)", "m"),  # programme, program
    (r"ence", "ense"),  # licence, license
    (r"dgem", "dgm"),  # judgement, judgment
)
"""What differs between variants, for any two words."""
_AMERICAN_VARIATION = (
    (r"ough", "ow"),  # plough, plow
    (r"aught", "aft"),  # draught, draft
    (r"ou", "o"),  # mould, mold
    (r"[ao]e", "e"),  # manoeuvre, maneuver
    (r"ey", "ay"),  # grey, gray
    (r"z", "s"),  # cozy, cosy
    (r"(.)\1", r"\1"),  # jewellery, jewelry
    (r"e", ""),  # centring, centering
)
"""What further differs between an American spelling and the British one."""
_NEARLY_EQUAL = 0.8
_ENDINGS = {
    "ADJ": ("er", "est"),
    "NOUN": ("s", "es"),
    "VERB": ("s", "es", "ed", "ing"),
}


@lru_cache(maxsize=10_000)
def are_spelling_variants(one: str, other: str) -> bool:
    """Return whether two different words, in lower case, are spellings of one word.

    Both must be known. If exactly one of them is known as American only, more letters may differ.
    """
    if one == other or not (_is_known(one) and _is_known(other)):
        return False
    if _fold(one, _VARIATION) == _fold(other, _VARIATION):
        return True
    if _is_american_only(one) == _is_american_only(other):
        return False
    every = (*_VARIATION, *_AMERICAN_VARIATION)
    return _fold(one, every) == _fold(other, every) or (
        (one[0], one[-1]) == (other[0], other[-1])
        and normalized_similarity(one, other) > _NEARLY_EQUAL
    )


def _fold(word: str, variation: tuple[tuple[str, str], ...]) -> str:
    for pattern, replacement in variation:
        word = re.sub(pattern, replacement, word)
    return word


def _is_known(word: str) -> bool:
    return word in default_lexicon(american=True)


def _is_american_only(word: str) -> bool:
    return word not in default_lexicon()


def irregular_bases(word: str, word_class: str) -> tuple[str, ...]:
    """Return the base forms of an irregular word in lower case: good and well for better."""
    return lemma_tables().irregular_bases(word, word_class.lower())


def is_regular_inflection(word: str, base: str, word_class: str) -> bool:
    """Return whether a word is a base with a regular ending of its class.

    A final letter may be doubled or not (*flipped*, *fliped*), a final *e* dropped, and a final
    *y* written as *i*.

    Args:
        word: the word in lower case, as *getted*.
        base: the base in lower case, as *get*.
        word_class: ``ADJ``, ``NOUN`` or ``VERB``; no other class has regular endings here.
    """
    if not base:
        return False
    stems = {base, base + base[-1]}
    if base[-1] == "e":
        stems.add(base[:-1])
    if base[-1] == "y":
        stems.add(f"{base[:-1]}i")
    return any(word == stem + ending for stem in stems for ending in _ENDINGS.get(word_class, ()))
