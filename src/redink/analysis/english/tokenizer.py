"""Split raw English text into tokens by spaCy's rules, without spaCy.

ERRANT and the W&I corpus use these tokens. Prefixes and suffixes (brackets, quotation marks, units)
of a string without whitespace are split off until none is left. The rest is split at infixes
(hyphens, dots) unless it is a URL. Exceptions precede all rules: *can't* is *ca* and *n't*, and
*:-)* is one token. The rules are data in `tokenizer.json`, from spaCy 3.8 (MIT license).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

Pieces = tuple[str, ...]

_RULES = Path(__file__).with_name("resources") / "en_redink" / "tokenizer.json"
_CHUNK = re.compile(r"\S+|\s+")


def english_tokens(text: str) -> list[tuple[int, int]]:
    """Return the ``(start, end)`` character span of each token in raw text.

    Whitespace is not a token. Do not pass tokenized text, because the rules would split it again.
    """
    return load_tokenizer().split(text)


@cache
def load_tokenizer() -> Tokenizer:
    """Load the English rules."""
    return Tokenizer(json.loads(_RULES.read_text(encoding="utf-8")))


class Tokenizer:
    """A tokenizer with the algorithm of spaCy."""

    def __init__(self, rules: dict[str, Any]) -> None:
        self._find_prefix = re.compile(rules["prefix"]).search
        self._find_suffix = re.compile(rules["suffix"]).search
        self._find_infixes = re.compile(rules["infix"]).finditer
        self._match_url = re.compile(rules["url"]).match
        self._exceptions: dict[str, Pieces] = {}
        self._split_chunk = lru_cache(maxsize=20_000)(self._split_without_space)
        # Exceptions that other rules would split are also found as sequences of tokens.
        found = {"".join(pieces): tuple(pieces) for pieces in rules["exceptions"]}
        self._sequences: dict[str, list[Pieces]] = {}
        for text in found:
            if self._find_prefix(text) or self._find_suffix(text) or any(self._find_infixes(text)):
                pieces = self._split_without_space(text)
                self._sequences.setdefault(pieces[0], []).append(pieces)
        self._exceptions = found

    def split(self, text: str) -> list[tuple[int, int]]:
        """Return the ``(start, end)`` character span of each token."""
        tokens: list[str] = []
        spans: list[tuple[int, int]] = []
        for match in _CHUNK.finditer(text):
            start, chunk = match.start(), match[0]
            if start and chunk[0] == " ":  # one space belongs to the previous token
                start, chunk = start + 1, chunk[1:]
            for piece in self._split_chunk(chunk) if chunk else ():
                tokens.append(piece)
                spans.append((start, start := start + len(piece)))
        if not self._sequences.keys().isdisjoint(tokens):
            spans = self._apply_exceptions(text, tokens, spans)
        return [(start, end) for start, end in spans if not text[start:end].isspace()]

    def _split_without_space(self, chunk: str) -> Pieces:
        prefixes: list[str] = []
        suffixes: list[str] = []
        rest = self._strip(chunk, prefixes, suffixes)
        middle: Sequence[str] = ()
        if rest in self._exceptions:
            middle = self._exceptions[rest]
        elif rest:
            middle = (rest,) if self._match_url(rest) else self._split_infixes(rest)
        return (*prefixes, *middle, *reversed(suffixes))

    def _strip(self, rest: str, prefixes: list[str], suffixes: list[str]) -> str:
        size = -1
        while rest and len(rest) != size and rest not in self._exceptions:
            size = len(rest)
            prefix = _length(self._find_prefix(rest))
            if prefix and rest[prefix:] in self._exceptions:
                prefixes.append(rest[:prefix])
                return rest[prefix:]
            end = size - _length(self._find_suffix(rest[prefix:]))
            if end < size and rest[:end] in self._exceptions:
                suffixes.append(rest[end:])
                return rest[:end]
            if prefix:
                prefixes.append(rest[:prefix])
            if end < size and prefix <= end:
                suffixes.append(rest[end:])
            else:
                end = size
            rest = rest[prefix:end]
        return rest

    def _split_infixes(self, text: str) -> list[str]:
        pieces = []
        start = 0
        for match in self._find_infixes(text):
            if match.start():
                pieces += [text[start : match.start()], match[0]]
                start = match.end()
        return [piece for piece in (*pieces, text[start:]) if piece]

    def _apply_exceptions(
        self, text: str, tokens: list[str], spans: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Split again if joined tokens are an exception; the longest exception is used."""
        found = [
            (first, first + len(pieces))
            for first, token in enumerate(tokens)
            for pieces in self._sequences.get(token, ())
            if tuple(tokens[first : first + len(pieces)]) == pieces
        ]
        seen: set[int] = set()
        replaced: dict[int, Pieces] = {}
        for first, last in sorted(found, key=lambda span: (span[0] - span[1], span[0])):
            if first not in seen and last - 1 not in seen:
                whole = text[spans[first][0] : spans[last - 1][1]]
                if whole in self._exceptions:  # there is no whitespace in it
                    replaced |= dict.fromkeys(range(first, last), ())
                    replaced[first] = self._exceptions[whole]
            seen.update(range(first, last))
        made: list[tuple[int, int]] = []
        for number, (start, end) in enumerate(spans):
            ends = accumulate(map(len, replaced.get(number, (text[start:end],))), initial=start)
            made += pairwise(ends)
        return made


def _length(match: re.Match[str] | None) -> int:
    return 0 if match is None else match.end() - match.start()
