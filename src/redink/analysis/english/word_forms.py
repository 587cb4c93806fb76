"""Stems, spelling variants and regular inflection of English words.

American and British English spell many words differently (*color* and *colour*), and writers give
irregular words a regular ending (*getted* for *got*).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

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


class _StemRule(NamedTuple):
    ending: str
    kept: int
    """How many letters of the ending stay."""
    appended: str
    only_intact: bool
    """Whether the rule is for words that no rule has changed yet."""
    is_last: bool


# An ending, then what replaces it, for each last letter in the order of trial. "=" leaves the
# ending as it is; "!" before an ending: for untouched words only; "." after: no rule follows.
_STEM_TABLE = """
!ia- . !a- . bb-b . ytic-ys . ic- nc-nt dd-d . ied-y ceed-cess . eed-ee . ed- hood- e-
lief-liev . if- ing- iag-y . ag- gg-g . !th- . guish-ct . ish- !i- . i-y
ij-id . fuj-fus . uj-ud . oj-od . hej-her . verj-vert . misj-mit . nj-nd . j-s .
ifiabl- . iabl-y . abl- ibl- . bil-bl cl-c . iful-y . ful- ul- . ial- ual- al- ll-l .
ium- . !um- . ism- mm-m . sion-j xion-ct . ion- ian- an- een= . en- nn-n .
ship- pp-p . er- ear= . ar- . or- ur- rr-r . tr-t ier-y
ies-y sis-s . is- ness- ss= . ous- !us- . !s- s= .
plicat-ply . at- ment- ent- ant- ript-rib . orpt-orb . duct-duc . sumpt-sum . cept-ceiv .
olut-olv . sist= . ist- tt-t . iqu- . ogu-og . siv-j eiv= . iv-
bly-bl ily-y ply= . ly- ogy-og . phy-ph . omy-om . opy-op . ity- ety- lty-l . istry- .
ary- ory- ify- . ncy-nt acy- iz- yz-ys .
"""


def _read_table(table: str) -> dict[str, tuple[_StemRule, ...]]:
    rules: dict[str, list[_StemRule]] = {}
    words = table.split()
    for position, word in enumerate(words):
        if word == ".":
            continue
        is_last = words[position + 1 : position + 2] == ["."]
        only_intact = word.startswith("!")
        body = word.removeprefix("!")
        if body.endswith("="):
            ending = replacement = body.removesuffix("=")
        else:
            ending, _, replacement = body.partition("-")
        kept = 0
        while kept < min(len(ending), len(replacement)) and ending[kept] == replacement[kept]:
            kept += 1
        rule = _StemRule(ending, kept, replacement[kept:], only_intact, is_last)
        rules.setdefault(ending[-1], []).append(rule)
    return {letter: tuple(found) for letter, found in rules.items()}


_STEM_RULES = _read_table(_STEM_TABLE)
_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the Lancaster stem of a word (Paice 1990), in lower case.

    The rules are the published ones. Two details follow the implementation that ERRANT uses: a rule
    is looked up by the last letter of the word's leading letters, and a word that begins with a
    consonant needs a vowel (or y) as its second or third letter.
    """
    current = intact = word.lower()
    while True:
        letters = 0
        while letters < len(current) and current[letters].isalpha():
            letters += 1
        if not letters:
            return current
        for rule in _STEM_RULES.get(current[letters - 1], ()):
            removed = len(rule.ending) - rule.kept
            if (
                current.endswith(rule.ending)
                and (not rule.only_intact or current == intact)
                and _is_long_enough(current, len(current) - removed)
            ):
                current = current[: len(current) - removed] + rule.appended
                if rule.is_last:
                    return current
                break
        else:
            return current


def _is_long_enough(word: str, left: int) -> bool:
    """Whether a stem of ``left`` letters is one that can be said."""
    if word[0] in _VOWELS:
        return left >= 2
    return left >= 3 and (word[1] in _VOWELS or word[2] in _VOWELS)
