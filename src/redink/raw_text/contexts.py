"""Which characters of an answer the source has at the same position.

Cleaning removes markup from an answer. It must keep every mark that the source itself has there, or
a sentence that the system left untouched gets an edit. A mark is the source's if the source has it
next to the same two neighbors: one on each side, two before it, or two after it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from redink.raw_text.atoms import QUOTES, SINGLE, fold

_PIECE = re.compile(
    rf"[{SINGLE}]|(?:(?![{SINGLE}])[^\W\d_])+|\d+|''|([^\w\s\"']|_)(?:[ \t]*\1)*|\S"
)
_WINDOW = 100
_FAR = 4
_WORD = re.compile(r"[^\W_]+")
_MARKS = frozenset(QUOTES + "'\u2018\u2019`\u300c\u300d\u300e\u300f\uff02")
_SIMILAR = 0.5


@lru_cache(maxsize=8)
def contexts_of(source: str) -> Contexts:
    """Return the contexts of a source, which one answer needs several times."""
    return Contexts(source)


class Contexts:
    """The neighbors of every mark of a source, without regard to whitespace and case."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._characters = set(source) | set(fold(source))
        lines = [list(_pieces(line)) for line in source.split("\n")]
        self._triples: set[tuple[str, ...]] = set()
        for pieces in ([piece for line in lines for piece in line], *lines):
            padded = ["", "", *pieces, "", ""]
            self._triples.update(zip(padded, padded[1:], padded[2:], strict=False))
        self._around_quotes = {
            near
            for line in lines
            for at, piece in enumerate(line)
            if piece in _MARKS
            for near in (("", *line[at + 1 : at + 1 + _FAR]), (*line[max(0, at - _FAR) : at], ""))
            if len(near) > 2
        }
        self.words = frozenset(words_of(source))
        self._lines = {"".join(line.split()) for line in source.split("\n")}
        self._written = {_letters(line) for line in source.split("\n")} - {""}
        self._quoted: dict[str, list[tuple[list[str], bool, bool]]] = defaultdict(list)
        self._single = len(lines) == 1
        for line in source.split("\n"):
            body, words = line.strip(), words_of(line)
            if words and _MARKS & {body[0], body[-1]}:
                for word in {words[0], words[-1]}:
                    quoted = (words, body[0] in _MARKS, body[-1] in _MARKS)
                    self._quoted[word].append(quoted)

    def has(self, text: str, start: int, end: int) -> bool:
        """Return whether the source has a part of an answer, with the same neighbors."""
        first = text[start:end].lstrip()[:1]
        if first not in self._characters and fold(first) not in self._characters:
            return False
        start, end = _widen(text, start, end)
        before = text[max(0, start - _WINDOW) : start]
        after = text[end : end + _WINDOW]
        body = tuple(_pieces(text[start:end]))
        left = ["", "", *_pieces(before)][-2:]
        right = [*_pieces(after), "", ""][:2]
        sides = [(left[1:], right[:1])]
        sides += [(left, [])] if left[1] else []
        sides += [([], right)] if right[0] else []
        # at either end of a line, the neighbor may belong to a sentence that was changed
        opens = not before.rpartition("\n")[2].strip()
        closes = not after.partition("\n")[0].strip()
        sides += [([""], right[:1])] if opens else []
        sides += [(left[1:], [""])] if closes else []
        sides += [([""], [""])] if opens and closes else []
        return any(self._has_all((*first, *body, *last)) for first, last in sides)

    def _has_all(self, pieces: tuple[str, ...]) -> bool:
        return all(
            triple in self._triples for triple in zip(pieces, pieces[1:], pieces[2:], strict=False)
        )

    def has_quote(self, text: str, at: int) -> bool:
        """Return whether the source has a quotation mark at the edge of a line of an answer.

        Sentences often begin or end with the same two words, so more neighbors are compared.
        """
        if self._single or text[at] == "`":
            return self.has(text, at, at + 1)
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        if "".join(text[start : end if end >= 0 else None].split()) in self._lines:
            return True
        before = tuple(_pieces(text[max(0, at - _WINDOW) : at]))
        after = tuple(_pieces(text[at + 1 : at + 1 + _WINDOW]))
        return any(
            ("", *after[:size]) in self._around_quotes
            or (*before[-size:], "") in self._around_quotes
            for size in range(2, _FAR + 1)
        )

    def is_sentence(self, text: str) -> bool:
        """Return whether a text has the letters of one sentence of the source."""
        return _letters(text) in self._written

    def is_quoted(self, text: str) -> bool:
        """Return whether the sentences of the source that a text resembles have quotation marks.

        Only a mark before the first or after the last of them counts, and only if the text does
        not have it.
        """
        words, body = words_of(text), text.strip()
        if self._single:
            first = last = [one for each in self._quoted.values() for one in each]
        elif words:
            first = [
                one
                for one in self._quoted.get(words[0], ())
                if resemble(set(words[: len(one[0])]), set(one[0]))
            ]
            last = [
                one
                for one in self._quoted.get(words[-1], ())
                if resemble(set(words[-len(one[0]) :]), set(one[0]))
            ]
        else:
            first = last = []
        return (body[:1] not in _MARKS and any(opens for _, opens, _ in first)) or (
            body[-1:] not in _MARKS and any(closes for _, _, closes in last)
        )


def resemble(ours: AbstractSet[str], theirs: AbstractSet[str]) -> bool:
    """Return whether two sentences share at least half of their words."""
    return bool(ours & theirs) and 2 * len(ours & theirs) >= _SIMILAR * (len(ours) + len(theirs))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.casefold())


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span with the equal marks next to it, which are one piece."""
    low, high = max(0, start - _WINDOW), min(len(text), end + _WINDOW)
    if not (text[start].isalnum() or text[start].isspace() or text[start] in "\"'"):
        while start > low and text[start - 1] == text[start]:
            start -= 1
    if not (text[end - 1].isalnum() or text[end - 1].isspace() or text[end - 1] in "\"'"):
        while end < high and text[end] == text[end - 1]:
            end += 1
    return start, end


def _letters(text: str) -> str:
    return "".join(words_of(text))


def _pieces(text: str) -> Iterator[str]:
    for match in _PIECE.finditer(text):
        yield fold("".join(match.group().split()))
