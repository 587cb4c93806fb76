"""Universal parts of speech and lemmas from a word form and its Penn tag.

The rules are those of spaCy 2's English data, whose lemmas the published ERRANT figures rest on:
a tag gives the part of speech; suffix rules propose base forms, of which those in a word index are
preferred; tables of exceptions come first; forms of be, have and do, pronouns and a few more words
are listed here by tag. Nothing depends on the sentence around the word, so every pair of form and
tag is worked out once.
"""

from __future__ import annotations

import gzip
import json
from typing import Any, Self

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

_SUBORDINATORS = (  # noqa: SIM905  (a list of words reads better as words)
    "that if as because while since like so than whether although though unless once cause "
    "upon till whereas whilst except despite wether but becuse whie it w/out albeit save "
    "besides becouse coz til ask i'd out near seince tho sice will"
).split()
_INDEFINITE = (  # noqa: SIM905  (a list of words reads better as words)
    "something anyone anything nothing someone everything everyone everybody nobody somebody "
    "anybody any1"
).split()
_PERSONAL = (  # noqa: SIM905  (a list of words reads better as words)
    "I me you he him she her it we us they them mine his hers its ours yours theirs myself "
    "yourself himself herself itself themself ourselves yourselves themselves"
).split()
_POSSESSIVE = ["my", "your", "his", "her", "its", "our", "their"]
_PRONOUN_LEMMA = "-PRON-"


def _list_exceptions() -> dict[tuple[str, str], tuple[str, str | None]]:
    """Form and tag to part of speech and, where it is not what the rules give, the lemma."""
    listed: list[tuple[str, str, str, str | None]] = [
        *((word, "IN", "SCONJ", None) for word in _SUBORDINATORS),
        *((word, "NN", "PRON", None) for word in _INDEFINITE),
        *((word, "PRP", "PRON", _PRONOUN_LEMMA) for word in _PERSONAL),
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
    """The universal part of speech of a form under a Penn tag."""
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
        """Read what `to_bytes` wrote."""
        return cls(json.loads(gzip.decompress(data)))

    def to_bytes(self) -> bytes:
        """The tables as compressed JSON, the same bytes for the same content."""
        text = json.dumps(self._content, ensure_ascii=False, sort_keys=True)
        return gzip.compress(text.encode(), mtime=0)

    def lemma(self, form: str, tag: str) -> str:
        """The lemma of a form under a Penn tag."""
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
        """The base forms of an irregular form in lower case; kind is adj, noun or verb."""
        return tuple(self._exceptions.get(kind, {}).get(form, ()))

    def _apply_rules(self, form: str, kind: str) -> str:
        lower = form.lower()
        candidates = [
            lower[: len(lower) - len(old)] + new
            for old, new in self._rules.get(kind, [])
            if lower.endswith(old)
        ]
        candidates = [candidate for candidate in candidates if candidate]
        index = self._index.get(kind, frozenset())
        known = [c for c in candidates if c in index or not c.isalpha()]
        for base in self.irregular_bases(lower, kind):
            if base not in known:
                known.insert(0, base)
        # A word without any rule keeps its capitals, as the original has it.
        return next(iter(known or candidates or [form]))
