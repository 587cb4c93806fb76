"""The Lancaster stemmer (Paice 1990), by which two words are told to be of one family.

The rules are the published ones. Two details follow the implementation that ERRANT uses: a rule is
looked up by the last letter of the word's leading letters, and a word that begins with a consonant
needs a vowel (or y) as its second or third letter.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class _Rule(NamedTuple):
    ending: str
    kept: int
    """How many letters of the ending stay."""
    appended: str
    only_intact: bool
    """Whether the rule is for words that no rule has changed yet."""
    is_last: bool


# An ending, then what replaces it, for each last letter in the order of trial. "=" leaves the
# ending as it is; "!" before an ending: for untouched words only; "." after: no rule follows.
_TABLE = """
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


def _read_table(table: str) -> dict[str, tuple[_Rule, ...]]:
    rules: dict[str, list[_Rule]] = {}
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
        rule = _Rule(ending, kept, replacement[kept:], only_intact, is_last)
        rules.setdefault(ending[-1], []).append(rule)
    return {letter: tuple(found) for letter, found in rules.items()}


_RULES = _read_table(_TABLE)
_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a word, in lower case."""
    current = intact = word.lower()
    while True:
        letters = 0
        while letters < len(current) and current[letters].isalpha():
            letters += 1
        if not letters:
            return current
        for rule in _RULES.get(current[letters - 1], ()):
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
