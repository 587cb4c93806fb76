"""Tokens as people write them: ``She does n't know .`` is read "She doesn't know".

Only what is shown changes. Every token keeps its place in the text, so that a word that a person
marks, and a text that a person changes, lead back to the tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from redink.model import Sentence

_CLOSING = re.compile(
    r"[,.;:!?%)\]}\u2019\u201d\u00bb\u2026]+|''"  # marks, and closing quotes
    r"|['\u2019](?:s|m|d|ll|re|ve)|n['\u2019]t",  # what English writes on to the word before
    re.IGNORECASE,
)
_OPENING = re.compile(r"[(\[{\u2018\u201c\u00ab\u00bf\u00a1]+|``|[$\u00a3\u20ac]")
_STRAIGHT = frozenset("\"'")


def space_tokens(tokens: Sequence[str]) -> Sentence:
    """The sentence with its text as people would write it, and where each token is in it."""
    parts: list[str] = []
    offsets: list[tuple[int, int]] = []
    reached = 0
    glued = True  # nothing stands before the first token
    open_quotes: set[str] = set()
    for number, token in enumerate(tokens):
        opens, closes = _sides(tokens, number, open_quotes)
        before = tokens[number - 1] if number else ""
        if not (glued or closes or _is_unspaced(before, token)):
            parts.append(" ")
            reached += 1
        parts.append(token)
        offsets.append((reached, reached + len(token)))
        reached += len(token)
        glued = opens
    return Sentence(tuple(tokens), "".join(parts), tuple(offsets))


def _sides(tokens: Sequence[str], number: int, open_quotes: set[str]) -> tuple[bool, bool]:
    """Whether a token is written on to the next one, and on to the one before."""
    token = tokens[number]
    if token in _STRAIGHT:
        if token in open_quotes:
            open_quotes.discard(token)
            return False, True
        if token in tokens[number + 1 :]:
            open_quotes.add(token)
            return True, False
        return False, token == "'" and number > 0  # noqa: S105 (an apostrophe: the students' books)
    return bool(_OPENING.fullmatch(token)), bool(_CLOSING.fullmatch(token))


def _is_unspaced(before: str, after: str) -> bool:
    """Whether two tokens are of a script that has no spaces."""
    return bool(before) and _is_wide(before[-1]) and _is_wide(after[0])


def _is_wide(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in {"W", "F"} and not "\uac00" <= letter <= "\ud7a3"


def locate_tokens(tokens: Sequence[str], text: str) -> Sentence | None:
    """The sentence whose tokens are found one after the other in its text; None if they are not."""
    offsets = []
    reached = 0
    for token in tokens:
        start = text.find(token, reached)
        if start < 0 or text[reached:start].strip():
            return None
        reached = start + len(token)
        offsets.append((start, reached))
    return None if text[reached:].strip() else Sentence(tuple(tokens), text, tuple(offsets))
