"""Find the corrected text in LLM output with reasoning, originals, tables or JSON.

If the source has the same mark between the same neighbors, the mark is text and not markup.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import Any, Literal

from redink.raw_text.text_atoms import QUOTES, SINGLE, fold

_PIECE = re.compile(
    rf"[{SINGLE}]|(?:(?![{SINGLE}])[^\W\d_])+|\d+|''|([^\w\s\"']|_)(?:[ \t]*\1)*|\S"
)
_WINDOW = 100
_FAR = 4
_WORD = re.compile(r"[^\W_]+")
_MARKS = frozenset(QUOTES + "'\u2018\u2019`\u300c\u300d\u300e\u300f\uff02")
_SIMILAR = 0.5

_Quoted = tuple[list[str], bool, bool]
"""The words of a sentence with quotation marks, and whether it begins and ends with one."""


@lru_cache(maxsize=8)
def contexts_of(source: str) -> Contexts:
    """Return the contexts of a source; an answer uses them several times."""
    return Contexts(source)


class Contexts:
    """The neighbors of each mark in a source, ignoring whitespace and case."""

    def __init__(self, source: str) -> None:
        self.source = source
        # A long reply repeats its marks: without a cache, a reply of five megabytes takes minutes.
        self._has = lru_cache(maxsize=1024)(self._has_between)
        self._characters = set(source) | set(fold(source))
        lines = [list(_pieces(line)) for line in source.split("\n")]
        self._triples: set[tuple[str, ...]] = set()
        for pieces in ([piece for line in lines for piece in line], *lines):
            self._triples.update(_triples(["", "", *pieces, "", ""]))
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
        self.written = {_letters(line) for line in source.split("\n")} - {""}
        self._quoted: dict[str, list[_Quoted]] = defaultdict(list)
        self._single = len(lines) == 1
        for line in source.split("\n"):
            body, words = line.strip(), words_of(line)
            if words and _MARKS & {body[0], body[-1]}:
                for word in {words[0], words[-1]}:
                    self._quoted[word].append((words, body[0] in _MARKS, body[-1] in _MARKS))

    def has(self, text: str, start: int, end: int) -> bool:
        """Return whether the source has a part of an answer, with the same neighbors."""
        first = text[start:end].lstrip()[:1]
        if first not in self._characters and fold(first) not in self._characters:
            return False
        start, end = _widen(text, start, end)
        before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
        return self._has(before, text[start:end], after)

    def _has_between(self, before: str, between: str, after: str) -> bool:
        body = tuple(_pieces(between))
        left = ["", "", *_pieces(before)][-2:]
        right = [*_pieces(after), "", ""][:2]
        sides = [(left[1:], right[:1])]
        sides += [(left, [])] if left[1] else []
        sides += [([], right)] if right[0] else []
        # at the edges of a line, the neighbor may belong to a changed sentence
        opens = not before.rpartition("\n")[2].strip()
        closes = not after.partition("\n")[0].strip()
        sides += [([""], right[:1])] if opens else []
        sides += [(left[1:], [""])] if closes else []
        sides += [([""], [""])] if opens and closes else []
        return any(
            self._triples.issuperset(_triples([*first, *body, *last])) for first, last in sides
        )

    def has_quote(self, text: str, at: int) -> bool:
        """Return whether the source has a quotation mark at the edge of a line of an answer.

        Sentences often begin or end with the same two words, so this compares more neighbors.
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

    def is_quoted(self, text: str) -> bool:
        """Return whether the source sentences that resemble a text have quotation marks.

        Only a mark before the first or after the last sentence counts, and only if it is not in
        the text.
        """
        words, body = words_of(text), text.strip()
        return (body[:1] not in _MARKS and any(opens for _, opens, _ in self._like(words, 0))) or (
            body[-1:] not in _MARKS and any(closes for _, _, closes in self._like(words, -1))
        )

    def _like(self, words: list[str], edge: Literal[0, -1]) -> list[_Quoted]:
        """Return the quoted sentences that resemble the words at an edge of a text."""
        if self._single:
            return [quoted for each in self._quoted.values() for quoted in each]
        return [
            quoted
            for quoted in (self._quoted.get(words[edge], ()) if words else ())
            for size in [len(quoted[0])]
            if resemble(set(words[-size:] if edge else words[:size]), set(quoted[0]))
        ]


def resemble(ours: AbstractSet[str], theirs: AbstractSet[str]) -> bool:
    """Return whether two sentences share at least half of their words."""
    return bool(ours & theirs) and 2 * len(ours & theirs) >= _SIMILAR * (len(ours) + len(theirs))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.casefold())


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    low, high = max(0, start - _WINDOW), min(len(text), end + _WINDOW)
    while start > low and text[start - 1] == text[start] and _may_repeat(text[start]):
        start -= 1
    while end < high and text[end] == text[end - 1] and _may_repeat(text[end]):
        end += 1
    return start, end


def _may_repeat(mark: str) -> bool:
    return not (mark.isalnum() or mark.isspace() or mark in "\"'")


def _triples(pieces: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(pieces, pieces[1:], pieces[2:], strict=False)


def _letters(text: str) -> str:
    return "".join(words_of(text))


def _pieces(text: str) -> Iterator[str]:
    for match in _PIECE.finditer(text):
        yield fold("".join(match.group().split()))


_RIGHT = r"correct(?:ed|ion)?|revised|revision|improved|edited|output|answer|result|after"
_WRONG = r"original|source|input|incorrect|before|draft"
_WHAT = r"(?:[ _](?:text|sentence|version|essay|paragraph|\d+))*"
_LABEL = re.compile(
    rf"^(?:[ \t>*_-]*\d{{1,5}}[.):][ \t]+|[ \t>]*(?P<title>#{{1,6}}[ \t]?|\*\*|__))?[ \t>*_#-]*"
    rf"(?:(?P<wrong>{_WRONG})|(?P<right>{_RIGHT})){_WHAT}[ \t*_]*(?::[*_]*|(?(title)$|(?!)))|\Z",
    re.IGNORECASE | re.MULTILINE,
)
"""The label of an original or a corrected text: with a colon, or as a heading."""
_REMARK = re.compile(
    r"^[ \t>*_#-]*(?:(?:sure|certainly|of course|okay|ok)\W+)?"
    r"(?:(?:here(?:['\u2019]s| is)|this is|the)\b[^\n:.]{0,40}?\b)?"
    r"(?P<what>correct(?:ed|ion)|(?:corrected|revised|improved|edited) "
    r"(?:text|sentence|version|essay|paragraph)(?: of (?:the|your) \w+)?(?: is| would be)?"
    r"|(?:final |corrected )?(?:answer|output|response)|assistant)"
    r"(?:[ \t*_]*:[*_]*|[ \t]+(?=[\"\u201c\u201e\u00ab]))(?=.*\w)",
    re.IGNORECASE | re.MULTILINE,
)
"""A comment on the same line as the text that it introduces."""
_THOUGHTS = re.compile(r"(?is)(?:<(think(?:ing)?|reasoning|scratchpad)>)?.*?</(?:think(?:ing)?)>")
_ELEMENT = re.compile(rf"(?i)<((?:{_RIGHT}){_WHAT})>")
_INNER_LABEL = re.compile(
    rf"(?i)(?:^|(?<=[\s|/(*_\"']))[*_]*(?:{_RIGHT}){_WHAT}[ \t*_]*:[*_]*(?=.*\w)"
)
"""The label of a corrected text on the line of the original."""
_ANY_WORD = re.compile(r"\w+")
_ENOUGH = 0.25
"""The minimum share of source words in a text labeled as corrected, even if rewritten."""
_RIGHT_NAME = re.compile(rf"(?i)[ *_#]*(?:{_RIGHT}){_WHAT}[ *_]*")
_WRONG_NAME = re.compile(rf"(?i)[ *_#]*(?:{_WRONG}){_WHAT}[ *_]*")
_ARROW = re.compile(r"[\u2192\u27f6\u21d2\u27f9\u2794\u279c\u27a1]\ufe0f?|[-=]{1,2}>")
_MOST_ARROWS = 3
"""The maximum number of arrows or labels in one line between an original and its correction."""
_ITEM = re.compile(r"^[ \t>*#-]*(?:[\[(]?\d{1,5}[\]).:][ \t]+)?")
_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]+")
_INVISIBLE = re.compile(
    "[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
    "|(?<![^\\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\\x00-\x7f])"
)
"""Invisible characters. Joiners between two non-ASCII letters are text."""
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,6}|quot|apos|amp|lt|gt|nbsp);")
_OPENED = re.compile(r"```(?:json)?[ \t]*\n")
_CLOSED = re.compile(r"\n[ \t]*```")


def choose(text: str, source: str) -> str:
    """Replace everything except the corrected text by spaces; the length stays the same."""
    known = contexts_of(source)
    text = _without_thoughts(text, known)
    text = _keep(text, list(_elements(text, known)), source)
    if "|" not in source:
        text = _keep(text, list(_cells(text)), source)
    text = _after_arrows(text, known)
    text = _keep(text, list(_labeled(text, known)), source)
    text = _after_inner_labels(text, known)
    return _without_remarks(text, known)


def blank(text: str) -> str:
    """Replace all visible characters by spaces, so that offsets stay the same."""
    return re.sub(r"\S", " ", text)


def blank_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace some parts of a text by spaces."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], blank(text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def keep_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace all but some parts of a text by spaces."""
    edges = [0, *chain.from_iterable(spans), len(text)]
    return blank_spans(text, zip(edges[::2], edges[1::2], strict=True))


def _without_thoughts(text: str, known: Contexts) -> str:
    begin = len(text) - len(text.lstrip())
    found = _THOUGHTS.match(text, begin)
    if found is None or known.has(text, text.rindex("<", 0, found.end()), found.end()):
        return text
    return blank_spans(text, [(0, found.end())]) if text[found.end() :].strip() else text


def _without_remarks(text: str, known: Contexts) -> str:
    """Remove a comment that introduces a text, unless the source contains the comment."""
    source = known.source.casefold()
    return _REMARK.sub(
        lambda found: (
            found.group() if found.group("what").casefold() in source else blank(found.group())
        ),
        text,
    )


def _keep(text: str, spans: list[tuple[int, int]], source: str) -> str:
    """Replace all but some parts by spaces, if these contain enough of the source's words."""
    parts = "\n".join(text[start:end] for start, end in spans)
    return keep_spans(text, spans) if spans and has_most(parts, text, source, _ENOUGH) else text


def has_most(part: str, text: str, source: str, share: float = 0.5) -> bool:
    """Return whether a part contains most of the words that the text shares with the source."""
    words = set(_ANY_WORD.findall(source.casefold()))
    shared = words & set(_ANY_WORD.findall(part.casefold()))
    return len(shared) > share * len(words & set(_ANY_WORD.findall(text.casefold())))


def _elements(text: str, known: Contexts) -> Iterator[tuple[int, int]]:
    """Yield the content of ``corrected`` elements."""
    lower, reached = text.casefold(), 0
    if len(lower) != len(text):
        return
    for opening in _ELEMENT.finditer(text):
        if opening.start() >= reached and not known.has(text, *opening.span()):
            end = lower.find(f"</{opening.group(1).casefold()}>", opening.end())
            if end < 0:
                return
            yield opening.end(), end
            reached = end


def _cells(text: str) -> Iterator[tuple[int, int]]:
    rows = list(_ROW.finditer(text))
    if len(rows) < 3 or not _RULE.fullmatch(rows[1].group(1)):
        return
    header = rows[0].group(1).split("|")
    right = [at for at, name in enumerate(header) if _RIGHT_NAME.fullmatch(name)]
    column = right[0] if right else len(header) - 1
    for row in rows[2:]:
        cells = row.group(1).split("|")
        if column < len(cells):
            start = row.start(1) + sum(len(cell) + 1 for cell in cells[:column])
            yield start, start + len(cells[column])


def _after_arrows(text: str, known: Contexts) -> str:
    """Remove originals before an arrow, on the line of the correction or the previous line."""
    if not _ARROW.search(text):
        return text
    lines = text.split("\n")
    at, original = 0, -1  # the last line with text, which may be the original of the next line
    pending: list[int] = []  # lines that end with an arrow or consist of one
    for number, line in enumerate(lines):
        arrows = [
            arrow
            for arrow in islice(_ARROW.finditer(line), _MOST_ARROWS + 1)
            if not known.has(text, at + arrow.start(), at + arrow.end())
        ]
        at += len(line) + 1
        if not line.strip() or len(arrows) > _MOST_ARROWS:
            continue
        if arrows and not line[arrows[0].end() :].strip():
            original = number if line[: arrows[0].start()].strip() else original
            pending.append(number)
            continue
        begin = arrows[0].end() if arrows and not line[: arrows[0].start()].strip() else 0
        if original >= 0 and (begin or pending):
            before = _ARROW.sub("", lines[original])
            if _is_original(before, line[begin:], known):
                for each in (original, *pending):
                    lines[each] = blank(lines[each])
                lines[number] = blank(line[:begin]) + line[begin:]
        for arrow in arrows:
            if _is_original(line[: arrow.start()], line[arrow.end() :], known):
                lines[number] = blank(line[: arrow.end()]) + line[arrow.end() :]
        original, pending = number, []
    return "\n".join(lines)


def _is_original(before: str, after: str, known: Contexts) -> bool:
    """Return whether the first text is a source sentence and the second its correction."""
    words = set(words_of(after))
    if not words:
        return False
    before = _ITEM.sub("", before)
    return _letters(before) in known.written or resemble(set(words_of(before)), words)


def _labeled(text: str, known: Contexts) -> Iterator[tuple[int, int]]:
    """Yield all text that is not labeled as original, if other text is labeled as corrected."""
    labels = [
        label
        for label in _LABEL.finditer(text)
        if not (label.group() and known.has(text, *label.span()))
    ]
    if not all(any(label.group(kind) for label in labels) for kind in ("wrong", "right")):
        return
    yield 0, labels[0].start()
    for label, following in pairwise(labels):
        if label.group("right"):
            yield label.end(), following.start()


def _after_inner_labels(text: str, known: Contexts) -> str:
    """Remove the original before its correction on one line: ``Original: ... Corrected: ...``."""
    lines = text.split("\n")
    at = 0
    for number, line in enumerate(lines):
        wrong = _LABEL.match(line)
        if wrong and wrong.group("wrong") and not known.has(text, at, at + wrong.end()):
            for right in islice(_INNER_LABEL.finditer(line, wrong.end()), _MOST_ARROWS):
                if _is_original(line[wrong.end() : right.start()], line[right.end() :], known):
                    lines[number] = blank(line[: right.end()]) + line[right.end() :]
        at += len(line) + 1
    return "\n".join(lines)


def decode(text: str, source: str) -> str:
    """Return the text of an answer in JSON or with HTML entities; other answers are unchanged."""
    known = contexts_of(source)
    text = _INVISIBLE.sub(lambda match: _unless_known(match, "", known), text)
    text = _from_json(text, known)
    return _ENTITY.sub(
        lambda match: _unless_known(
            match, html.unescape(match.group()).replace("\xa0", " "), known
        ),
        text,
    )


def _unless_known(match: re.Match[str], replacement: str, known: Contexts) -> str:
    return match.group() if known.has(match.string, *match.span()) else replacement


def _from_json(text: str, known: Contexts) -> str:
    opened = _OPENED.search(text)
    closed = _CLOSED.search(text, opened.end()) if opened else None
    body = (text[opened.end() : closed.start()] if opened and closed else text).strip()
    is_escaped = body[:1] == '"' and "\\" in body and "\\" not in known.source
    is_value = body[:1] in {"[", "{"}
    if not is_escaped and (not is_value or "".join(body.split()) in "".join(known.source.split())):
        return text
    try:
        found = list(_strings(json.loads(body)))
    except (ValueError, RecursionError):
        return text
    return "\n".join(found) if found else text


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings of a value; of an object, those with a key for corrected text if any."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        right = [
            key
            for key, inside in value.items()
            if _RIGHT_NAME.fullmatch(key) and isinstance(inside, str | list | dict)
        ]
        for key in right[:1] or [key for key in value if not _WRONG_NAME.fullmatch(key)][:1]:
            yield from _strings(value[key])
