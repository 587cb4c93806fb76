"""Which words are prepositions here, what can be wrong with one, and where one might stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

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
