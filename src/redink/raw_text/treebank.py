"""Splitting raw English into sentences and tokens, as the CoNLL shared tasks did.

Corpora of raw text mark errors by characters; tokens are needed to score them. The rules here
are the Penn Treebank's in the form that the CoNLL-2013 and 2014 data were made with:

- every mark stands alone, except ``. , ' - / &`` inside a word;
- a comma or a single quotation mark stands alone before a space, a full stop at the end;
- contractions are split (``do n't``, ``people 's``, ``can not``).

No character is changed, so tokens are spans of the text. Unlike the original, an accented
letter is a letter (``café`` is one token) and a closing quotation mark or bracket stays in the
sentence it closes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Spans = list[tuple[int, int]]
"""``(start, end)`` pairs, in characters."""

Tokenise = Callable[[str], Spans]
"""From the text of one sentence to the spans of its tokens."""

# Between two characters that are not spaces, a token ends where one of these holds.
_CLITIC = r"(?:'(?:s|m|d|ll|re|ve)|n't)(?!\w)"
_CUT = re.compile(
    rf"""
      (?<=[^\w\s.'/,&-])(?=\S) | (?<=\S)(?=[^\w\s.'/,&-])     # a mark that always stands alone
    | (?<=\S)(?=[,'](?:\s|$)|',\s)                           # one that does so before a space
    | (?<=[^\s.])(?=\.+[\s"\u201d\u2019)\]}}]*$)              # the stop or dots at the end
    | (?<=\w)(?={_CLITIC})                                    # people|'s, do|n't
    | (?<=\bcan)(?=not\b) | (?<=\bgim)(?=me\b) | (?<=\bgon)(?=na\b)
    | (?<=\bgot)(?=ta\b) | (?<=\blem)(?=me\b) | (?<=\bwan)(?=na\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"\S+")


def treebank_tokens(text: str) -> Spans:
    """The tokens of one sentence."""
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
    """The sentences of one paragraph, without the space between them.

    A sentence ends at ``. ? !`` before a space, except at the full stop of a title or an initial
    (``Dr.``, ``J.``), before a word in lower case, and after an abbreviation such as ``etc.``
    unless a common beginning follows (``The``, ``However``).
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
