"""Tokenize raw English text as in the CoNLL shared tasks, detokenize, detect untokenized text.

The tokenizer follows the Penn Treebank in the form used for the CoNLL-2013 and 2014 data:

- Every mark is a token, except ``. , ' - / &`` inside a word.
- A comma or single quotation mark is a token before a space, also a comma before a closing
  quotation mark; a full stop at the sentence end, and several dots after any word.
- Contractions are split (``do n't``, ``people 's``, ``can not``).

Tokens are spans of the text. Unlike in the original tokenizer, accented letters are letters, and a
closing quotation mark or bracket belongs to the sentence that it closes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redink.model import Sentence

Spans = list[tuple[int, int]]
"""``(start, end)`` pairs, in characters."""

Tokenize = Callable[[str], Spans]
"""A function from the text of one sentence to the spans of its tokens."""

# A token ends between two non-space characters if one of these patterns matches.
_CLITIC = r"(?:'(?:s|m|d|ll|re|ve)|n't)(?!\w)"
_CUT = re.compile(
    rf"""
      (?<=[^\w\s.'/,&-])(?=\S) | (?<=\S)(?=[^\w\s.'/,&-])     # a mark that is always a token
    | (?<=\S)(?=[,'](?:\s|$)|',\s|,["\u201d\u2019]+(?:\s|$))  # a token before a space
    | (?<=[^\s.])(?=\.{{2,}}["\u201d\u2019)\]}}]*\s)              # dots after a word
    | (?<=[^\s.])(?=\.+[\s"\u201d\u2019)\]}}]*$)              # the full stop or dots at the end
    | (?<=\w)(?={_CLITIC})                                    # people|'s, do|n't
    | (?<=\bcan)(?=not\b) | (?<=\bgim)(?=me\b) | (?<=\bgon)(?=na\b)
    | (?<=\bgot)(?=ta\b) | (?<=\blem)(?=me\b) | (?<=\bwan)(?=na\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"\S+")


def treebank_tokens(text: str) -> Spans:
    """Tokenize one sentence."""
    cuts = {match.start() for match in _CUT.finditer(text)}
    spans: Spans = []
    for word in _WORD.finditer(text):
        begin, end = word.span()
        for at in range(begin + 1, end):
            if at in cuts:
                spans.append((begin, at))
                begin = at
        spans.append((begin, end))
    return spans


_END = re.compile(r"(?<![.?!])[.?!]+[\"'\u201d\u2019)\]]*(?=\s)")
_TITLE_OR_INITIAL = re.compile(
    r"(?:^|[\s(\"'])(?:[A-Z]|(?:[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|vs|e\.g|i\.e|cf|[Ff]ig))\.$"
)
_ABBREVIATION = re.compile(r"(?:^|[\s(\"'])(?:etc|al|[Jj]r|[Ss]r|[Cc]o|[Ll]td|[Ii]nc)\.$")
_BEFORE_LOWER = re.compile(r"\s+[\"'\u201c\u2018(\[]*[a-z]")
_COMMON_BEGINNING = re.compile(
    r"\s+(?:An?|But|He|Her|His|However|I|If|In|It|Its|My|Our|She|So|That|The|Their|Then|There"
    r"|Therefore|These|They|This|Those|Thus|We|What|When|You)\b"
)


def sentence_spans(text: str) -> Spans:
    """Split one paragraph into sentences, without the whitespace between them.

    A sentence ends at ``. ? !`` before a space, except at the full stop of a title or an initial
    (``Dr.``, ``J.``), before a lowercase word, and after an abbreviation such as ``etc.`` unless a
    common sentence beginning follows (``The``, ``However``).
    """
    ends = []
    for match in _END.finditer(text):
        if match.group()[0] == ".":
            before = text[max(0, match.start() - 8) : match.start() + 1]
            after = match.end()
            if _BEFORE_LOWER.match(text, after) or _TITLE_OR_INITIAL.search(before):
                continue
            if _ABBREVIATION.search(before) and not _COMMON_BEGINNING.match(text, after):
                continue
        ends.append(match.end())
    spans: Spans = []
    for begin, end in zip([0, *ends], [*ends, len(text)], strict=True):
        body = text[begin:end].strip()
        if body:
            first = text.index(body, begin)
            spans.append((first, first + len(body)))
    return spans


_CLOSING = re.compile(
    r"[,.;:!?%)\]}\u2019\u201d\u00bb\u2026]+|''"  # marks, and closing quotes
    r"|['\u2019](?:s|m|d|ll|re|ve)|n['\u2019]t",  # clitics, attached to the previous word
    re.IGNORECASE,
)
_OPENING = re.compile(r"[(\[{\u2018\u201c\u00ab\u00bf\u00a1]+|``|[$\u00a3\u20ac]")
_STRAIGHT = frozenset("\"'")


def space_tokens(tokens: Sequence[str]) -> Sentence:
    """Detokenize a sentence; return it with its natural text and the span of each token."""
    parts: list[str] = []
    offsets: list[tuple[int, int]] = []
    reached = 0
    glued = True  # the first token has no space before it
    open_quotes: set[str] = set()
    for number, token in enumerate(tokens):
        opens, closes = _sides(tokens, number, open_quotes)
        is_unspaced = number > 0 and _is_wide(tokens[number - 1][-1]) and _is_wide(token[0])
        if not (glued or closes or is_unspaced):
            parts.append(" ")
            reached += 1
        parts.append(token)
        offsets.append((reached, reached + len(token)))
        reached += len(token)
        glued = opens
    return Sentence(tuple(tokens), "".join(parts), tuple(offsets))


def _sides(tokens: Sequence[str], number: int, open_quotes: set[str]) -> tuple[bool, bool]:
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


def _is_wide(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in {"W", "F"} and not "\uac00" <= letter <= "\ud7a3"


def locate_tokens(tokens: Sequence[str], text: str) -> Sentence | None:
    """Return a sentence with the spans of its tokens in its text; None if they do not match."""
    offsets = []
    reached = 0
    for token in tokens:
        start = text.find(token, reached)
        if start < 0 or text[reached:start].strip():
            return None
        reached = start + len(token)
        offsets.append((start, reached))
    return None if text[reached:].strip() else Sentence(tuple(tokens), text, tuple(offsets))


_MARKS = frozenset(",;:?!.")
_LEAST = 2
_TOKENIZED = 0.3
"""The maximum share of marks attached to words in tokenized text."""


@dataclass
class MarkCount:
    """Counts marks in lines of text."""

    attached: int = 0
    separate: int = 0
    lines: int = 0
    first: int | None = None

    def add(self, number: int, tokens: Sequence[str]) -> None:
        """Count the marks of a line."""
        attached = self.attached
        for at, token in enumerate(tokens, start=1):
            if token[-1] in _MARKS:
                if len(token) == 1:
                    self.separate += 1
                elif token[-1] != ".":
                    self.attached += token[-2].isalnum()
                elif at == len(tokens):  # in other positions it may belong to an abbreviation
                    self.attached += len(token) > 2 and token[-3:-1].isalpha()
        if self.attached > attached:
            self.lines += 1
            self.first = self.first or number

    @property
    def is_untokenized(self) -> bool:
        """Whether most marks are attached to words."""
        return self.attached >= _LEAST and self.attached > self.separate

    @property
    def is_tokenized(self) -> bool:
        """Whether few marks are attached to words."""
        return self.attached <= _TOKENIZED * (self.attached + self.separate)

    def is_less_tokenized(self, source: MarkCount) -> bool:
        """Return whether a text seems untokenized compared with its tokenized source."""
        return self.attached >= _LEAST and source.is_tokenized and not self.is_tokenized
