"""Which language a text is in, by its commonest words: enough to notice a wrong ``--language``."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_CLEAR = 0.12
"""The share of a text's words that are among its language's commonest, at the least."""
_RIVAL = 0.5
"""A language with more than this share of the best one's hits may be meant."""


@cache
def _common_words() -> dict[str, str]:
    path = Path(__file__).with_name("common-words.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _languages_of_word() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for code, words in _common_words().items():
        for word in words.split():
            found.setdefault(word, []).append(code)
    return found


def guess_other_language(words: Iterable[str], code: str) -> str | None:
    """The code of the language that a text is clearly in, if that is not the one it should be.

    Of a language whose common words are not known here nothing is said: a text in it would look
    like its nearest relative.
    """
    if code not in _common_words():
        return None
    by_word = _languages_of_word()
    total = 0
    hits: Counter[str] = Counter()
    for word in words:
        total += 1
        hits.update(by_word.get(word, ()))
    if not hits:
        return None
    (best, most), expected = hits.most_common(1)[0], hits[code]
    if best == code or most < _CLEAR * total or expected > _RIVAL * most:
        return None
    return best
