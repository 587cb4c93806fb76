"""Phrases and prepositions of English, from Penn Treebank tags, without a parser."""

from __future__ import annotations

from collections.abc import Sequence

VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
_ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})
_ADVERBS = frozenset({"RB", "RBR", "RBS"})
_NOMINAL = NOUNS | {"PRP", "CD", "EX", "WP", "DT", "PRP$", "WDT"}
_GOVERNING = VERBS | _ADJECTIVES | {"RP", "IN"}
_MARKS = frozenset({"$", "``", "''", "HYPH", "-LRB-", "-RRB-"})
_INSIDE_NP = NOUNS | _ADJECTIVES | _MARKS | {"DT", "PDT", "PRP$", "CD", "POS", "VBN", "VBG", "RB"}
_LOOK_BACK, _LOOK_AHEAD = 8, 8
_ALWAYS_CONJUNCTIONS = frozenset(
    "although because if lest once so than that though unless whereas whether while".split()  # noqa: SIM905
)
_CONJUNCTIONS = frozenset({"after", "as", "before", "for", "since", "till", "until"})


def is_strict_preposition(lower: Sequence[str], tag: Sequence[str], index: int) -> bool:
    """Return whether a word is a preposition, not a particle, conjunction or infinitive *to*."""
    if tag[index] == "TO":
        return not any(t in {"VB", "VBP"} for t in tag[index + 1 : index + 3])
    return tag[index] == "IN" and not _introduces_clause(lower, tag, index)


def strict_prepositions(tokens: Sequence[str], tag: Sequence[str]) -> frozenset[int]:
    """Return the indices of all prepositions, of any word, by :func:`is_strict_preposition`."""
    lower = [token.lower() for token in tokens]
    return frozenset(at for at in range(len(lower)) if is_strict_preposition(lower, tag, at))


def _introduces_clause(lower: Sequence[str], tag: Sequence[str], index: int) -> bool:
    """Return whether a subject and a finite verb follow (*since he left*, *as expected*)."""
    after = lower[index + 1 : index + 2]
    if lower[index] in _ALWAYS_CONJUNCTIONS:
        return True
    if lower[index] not in _CONJUNCTIONS or not after:
        return False
    if after[0] in {"if", "though"}:
        return True
    if lower[index] == "for" and tag[index + 1] != "PRP":
        return False  # "for" with another subject is nearly always a preposition
    head = find_head_after(tag, index + 1)
    if head < 0 or tag[head] in VERBS:
        return head >= 0 and tag[head] != "VBG"
    rest = (kind for kind in tag[head + 1 :] if kind not in _ADVERBS)
    return next(rest, "") in _FINITE


def find_heads_before(tag: Sequence[str], left: int) -> tuple[int, int, int]:
    """Return the heads of the verb and noun phrase before a position, and the nearer; or -1.

    Adverbs just before the position are skipped: *depend* governs in *depend very heavily on*. An
    adverb governs only if no verb, noun or adjective precedes it.
    """
    nearest = left - 1
    while nearest > 0 and tag[nearest] in _ADVERBS:
        nearest -= 1
    if left > 0 and tag[nearest] not in _NOMINAL | _GOVERNING:
        nearest = left - 1
    noun = governor = -1
    if left > 0 and tag[nearest] in _NOMINAL:
        governor = nearest
        noun = nearest if nearest == left - 1 else -1
    elif left > 0 and tag[nearest] in _GOVERNING | _ADVERBS:
        governor = nearest
    for at in range(left - 1, max(-1, left - 1 - _LOOK_BACK), -1):
        if tag[at] in VERBS:
            return at, noun, governor if governor >= 0 else at
        if tag[at] in {".", ":"}:
            break
    return -1, noun, governor


def find_head_after(tag: Sequence[str], right: int) -> int:
    """Return the head of the phrase after a position: its last noun, or a pronoun, or a verb."""
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
