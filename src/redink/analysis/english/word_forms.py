"""English words: parts of speech, lemmas, dictionary, stems, spelling variants, inflection.

Lemmas follow the English data of spaCy 2, with which the published ERRANT scores were computed.
Tables of exceptions come first. Then suffix rules propose base forms, and those in a word index are
preferred.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Container
from functools import cache, cached_property, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from rapidfuzz.distance.Levenshtein import normalized_similarity

PIPELINE: Final = Path(__file__).with_name("resources") / "en_redink"
WORDS: Final = PIPELINE.with_name("words")

_POS_OF_TAG = {
    **dict.fromkeys((".", ",", "-LRB-", "-RRB-", "``", "''", '""', ":", "HYPH", "NFP"), "PUNCT"),
    **dict.fromkeys(("$", "#", "SYM"), "SYM"),
    **dict.fromkeys(("AFX", "JJ", "JJR", "JJS"), "ADJ"),
    **dict.fromkeys(("DT", "PDT", "PRP$", "WDT", "WP$"), "DET"),
    **dict.fromkeys(("EX", "PRP", "WP"), "PRON"),
    **dict.fromkeys(("ADD", "FW", "GW", "LS", "NIL", "XX"), "X"),
    **dict.fromkeys(("IN", "RP"), "ADP"),
    **dict.fromkeys(("NN", "NNS"), "NOUN"),
    **dict.fromkeys(("NNP", "NNPS"), "PROPN"),
    **dict.fromkeys(("POS", "TO"), "PART"),
    **dict.fromkeys(("RB", "RBR", "RBS", "WRB"), "ADV"),
    **dict.fromkeys(("BES", "HVS", "MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "VERB"),
    **dict.fromkeys(("SP", "_SP"), "SPACE"),
    "CC": "CCONJ",
    "CD": "NUM",
    "UH": "INTJ",
}

# Tags of uninflected forms: the lemma is the word itself in lower case.
_BASE_TAGS = frozenset({"NN", "VB", "VBP", "JJ", "RB", "TO"})
_RULES_OF_POS = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "PUNCT": "punct"}

_SUBORDINATORS = """
    that if as because while since like so than whether although though unless once cause
    upon till whereas whilst except despite wether but becuse whie it w/out albeit save
    besides becouse coz til ask i'd out near seince tho sice will
"""
_INDEFINITE = """
    something anyone anything nothing someone everything everyone everybody nobody somebody
    anybody any1
"""
_PERSONAL = """
    I me you he him she her it we us they them mine his hers its ours yours theirs myself
    yourself himself herself itself themself ourselves yourselves themselves
"""
_POSSESSIVE = ["my", "your", "his", "her", "its", "our", "their"]
_PRONOUN_LEMMA = "-PRON-"


def _list_exceptions() -> dict[tuple[str, str], tuple[str, str | None]]:
    """Part of speech, and the lemma if it differs from that of the rules, by form and tag."""
    listed: list[tuple[str, str, str, str | None]] = [
        *((word, "IN", "SCONJ", None) for word in _SUBORDINATORS.split()),
        *((word, "NN", "PRON", None) for word in _INDEFINITE.split()),
        *((word, "PRP", "PRON", _PRONOUN_LEMMA) for word in _PERSONAL.split()),
        *((word, "PRP$", "DET", _PRONOUN_LEMMA) for word in _POSSESSIVE),
        *((word, "RB", "PART", None) for word in ("not", "n't", "nt", "n\u2019t")),
        *((w, "VB", "AUX", None) for w in ("be", "have", "do", "get", "of", "am", "are", "'ve")),
        ("been", "VBN", "AUX", "be"),
        ("being", "VBG", "AUX", "be"),
        *((word, "VBZ", "AUX", "be") for word in ("am", "are", "is", "'re", "'s")),
        ("has", "VBZ", "AUX", "have"),
        ("does", "VBZ", "AUX", "do"),
        *((word, "VBP", "AUX", "be") for word in ("are", "'re", "am", "'m")),
        *((word, "VBP", "AUX", None) for word in ("do", "have", "'ve", "'s", "is", "'d")),
        *((word, "VBD", "AUX", "be") for word in ("was", "were")),
        ("did", "VBD", "AUX", "do"),
        *((word, "VBD", "AUX", "have") for word in ("had", "'d")),
    ]
    return {
        (form, tag): (pos, lemma)
        for word, tag, pos, lemma in listed
        for form in (word, word.title())
    }


_EXCEPTIONS = _list_exceptions()


def universal_pos(form: str, tag: str) -> str:
    """Return the universal part of speech of a form with a Penn tag."""
    if (form, tag) in _EXCEPTIONS:
        return _EXCEPTIONS[form, tag][0]
    return _POS_OF_TAG.get(tag, "X")


class LemmaTables:
    """Suffix rules, exceptions and word indices by part of speech (`noun`, `verb`, `adj`, …)."""

    def __init__(self, content: dict[str, dict[str, Any]]) -> None:
        self._content = content
        self._rules: dict[str, list[list[str]]] = content["rules"]
        self._exceptions: dict[str, dict[str, list[str]]] = content["exceptions"]
        self._index = {pos: frozenset(words.split()) for pos, words in content["index"].items()}

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read the tables from the result of `to_bytes`."""
        return cls(json.loads(gzip.decompress(data)))

    def to_bytes(self) -> bytes:
        """Return the tables as compressed JSON, with identical bytes for identical content."""
        text = json.dumps(self._content, ensure_ascii=False, sort_keys=True)
        return gzip.compress(text.encode(), mtime=0)

    def lemma(self, form: str, tag: str) -> str:
        """Return the lemma of a form with a Penn tag."""
        listed = _EXCEPTIONS.get((form, tag))
        if listed is not None and listed[1] is not None:
            return listed[1]
        pos = _POS_OF_TAG.get(tag, "X")
        if pos == "PROPN":
            return form
        kind = _RULES_OF_POS.get(pos)
        if kind is None or tag in _BASE_TAGS:
            return form.lower()
        return self._apply_rules(form, kind)

    def irregular_bases(self, form: str, kind: str) -> tuple[str, ...]:
        """Return the base forms of an irregular lowercase form; kind is adj, noun or verb."""
        return tuple(self._exceptions.get(kind, {}).get(form, ()))

    def _apply_rules(self, form: str, kind: str) -> str:
        lower = form.lower()
        candidates = [
            candidate
            for old, new in self._rules.get(kind, [])
            if lower.endswith(old) and (candidate := lower.removesuffix(old) + new)
        ]
        index = self._index.get(kind, frozenset())
        known = [c for c in candidates if c in index or not c.isalpha()]
        for base in self.irregular_bases(lower, kind):
            if base not in known:
                known.insert(0, base)
        # A word without a rule keeps its capitals, as in ERRANT.
        return next(iter(known or candidates or [form]))


@cache
def lemma_tables() -> LemmaTables:
    """Load the tables of the lemmatizer, once."""
    return LemmaTables.from_bytes((PIPELINE / "lemmas.json.gz").read_bytes())


@cache
def default_lexicon(*, american: bool = False) -> Container[str]:
    """Load the dictionary, once: British English with -ise and -ize."""
    names = ["en_GB.txt", "en_US-additions.txt"][: 1 + american]
    return _WordList("".join((WORDS / name).read_text(encoding="utf-8") for name in names))


_FEW = 30


class _WordList(Container[str]):
    """The words of a text with one word per line.

    The first words are searched in the text, because making a set takes as long as 40 searches.
    """

    def __init__(self, text: str) -> None:
        self._text = f"\n{text}"
        self._searches = 0

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._text.split())

    def __contains__(self, word: object) -> bool:
        self._searches += 1
        return word in self._words if self._searches > _FEW else f"\n{word}\n" in self._text


_VARIATION = (
    (r"(?<=[iy])z(?=[aei])", "s"),  # organize, organise
    (r"ogue", "og"),  # catalogue, catalog
    (r"(?<=[^aeiou])re(?=s?$)", "er"),  # metre, meter
    (r"mme(?=s?$)", "m"),  # programme, program
    (r"ence", "ense"),  # licence, license
    (r"dgem", "dgm"),  # judgement, judgment
)
"""Letter patterns that differ between spelling variants of any two words."""
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
"""Further letter patterns that differ between American and British spelling."""
_NEARLY_EQUAL = 0.8
_ENDINGS = {"ADJ": ("er", "est"), "NOUN": ("s", "es"), "VERB": ("s", "es", "ed", "ing")}


@lru_cache(maxsize=10_000)
def are_spelling_variants(one: str, other: str) -> bool:
    """Return whether two different lowercase words are spellings of the same word.

    Both must be in the dictionary. More letters may differ if exactly one is marked as American.
    """
    known, british = default_lexicon(american=True), default_lexicon()
    if one == other or one not in known or other not in known:
        return False
    if _fold(one, _VARIATION) == _fold(other, _VARIATION):
        return True
    if (one in british) == (other in british):
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


def is_regular_inflection(word: str, base: str, word_class: str) -> bool:
    """Return whether a word is a base with a regular ending of its class.

    A final letter may be doubled or not (*flipped*, *fliped*), a final *e* may be dropped, and a
    final *y* may become *i*.
    """
    stems = [base, base + base[-1:]]
    if base.endswith("e"):
        stems.append(base[:-1])
    if base.endswith("y"):
        stems.append(f"{base[:-1]}i")
    return base != "" and any(
        word == stem + ending for stem in stems for ending in _ENDINGS.get(word_class, ())
    )


class _StemRule(NamedTuple):
    ending: str
    kept: int
    """The number of letters of the ending that are kept."""
    appended: str
    only_intact: bool
    """Whether the rule applies only to words that no rule has changed."""
    is_last: bool


# Endings and their replacements, by last letter, in the order in which they are tried. "!" before
# an ending: only for unchanged words; "." after it: no rule follows.
_STEM_TABLE = """
!ia- . !a- . bb-b . ytic-ys . ic- nc-nt dd-d . ied-y ceed-cess . eed-ee . ed- hood- e-
lief-liev . if- ing- iag-y . ag- gg-g . !th- . guish-ct . ish- !i- . i-y
ij-id . fuj-fus . uj-ud . oj-od . hej-her . verj-vert . misj-mit . nj-nd . j-s .
ifiabl- . iabl-y . abl- ibl- . bil-bl cl-c . iful-y . ful- ul- . ial- ual- al- ll-l .
ium- . !um- . ism- mm-m . sion-j xion-ct . ion- ian- an- een-een . en- nn-n .
ship- pp-p . er- ear-ear . ar- . or- ur- rr-r . tr-t ier-y
ies-y sis-s . is- ness- ss-ss . ous- !us- . !s- s-s .
plicat-ply . at- ment- ent- ant- ript-rib . orpt-orb . duct-duc . sumpt-sum . cept-ceiv .
olut-olv . sist-sist . ist- tt-t . iqu- . ogu-og . siv-j eiv-eiv . iv-
bly-bl ily-y ply-ply . ly- ogy-og . phy-ph . omy-om . opy-op . ity- ety- lty-l . istry- .
ary- ory- ify- . ncy-nt acy- iz- yz-ys .
"""


def _read_table(table: str) -> dict[str, tuple[_StemRule, ...]]:
    rules: dict[str, list[_StemRule]] = {}
    words = table.split()
    for position, word in enumerate(words):
        if word == ".":
            continue
        is_last = words[position + 1 : position + 2] == ["."]
        ending, _, replacement = word.removeprefix("!").partition("-")
        kept = 0
        while ending[kept : kept + 1] == replacement[kept : kept + 1] != "":
            kept += 1
        rule = _StemRule(ending, kept, replacement[kept:], word.startswith("!"), is_last)
        rules.setdefault(ending[-1], []).append(rule)
    return {letter: tuple(found) for letter, found in rules.items()}


_STEM_RULES = _read_table(_STEM_TABLE)
_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the Lancaster stem of a word (Paice 1990), in lower case.

    The rules are the published ones. Two details follow the implementation in ERRANT: rules are
    selected by the last letter of the initial letters of the word, and a word that begins with a
    consonant must have a vowel (or y) as its second or third letter.
    """
    current = intact = word.lower()
    while True:
        letters = list(takewhile(str.isalpha, current))
        if not letters:
            return current
        for rule in _STEM_RULES.get(letters[-1], ()):
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
    """Return whether a stem of ``left`` letters is pronounceable."""
    if word[0] in _VOWELS:
        return left >= 2
    return left >= 3 and (word[1] in _VOWELS or word[2] in _VOWELS)
