"""Remove the markup around a reply: Markdown, code fences, quotation marks.

Markup is replaced by spaces, so that offsets into the text stay the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from redink.raw_text.reply_extraction import (
    Contexts,
    blank,
    blank_spans,
    choose,
    contexts_of,
    has_most,
    keep_spans,
    resemble,
    words_of,
)

_FENCE = re.compile(r"^[ \t]*(?P<mark>```+(?=[^`\n]*$)|~~~+)[^\n]*$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*+\u2022][ \t]+(?=\S)", re.MULTILINE)
_ENDS = frozenset(".!?:;*_\u2026")
_NUMBER = re.compile(
    r"^[ \t]*(?:\*\*)?(?:(?:(?i:sentence|line) )?(?P<plain>\d{1,5})[.):]"
    r"|[\[(](?P<bracketed>\d{1,5})[\])]:?)(?:\*\*)?[ \t]+(?=\S)",
    re.MULTILINE,
)
_LARGEST_ALONE = 999
"""The largest number of a list item if no other item is numbered."""
_RULE = re.compile(r"^[ \t]*(?:[-*_][ \t]*){3,}$", re.MULTILINE)
_TITLE = re.compile(
    r"^([ \t]*(?:#{1,6}[ \t]+\S[^\n]*|(\*\*|__)(?=\S)[^\n]+(?<=\S)\2:?[ \t]*))\n", re.MULTILINE
)
PARAGRAPH = "\u2029"
"""Replaces the line break after a title, so that a new paragraph begins."""
_BOLD = re.compile(r"(?P<mark>\*\*|__)(?=\S)(?:(?!(?P=mark))[^\n])+(?<=\S)(?P<closing>(?P=mark))")
_ITALIC = re.compile(
    r"(?<![\w*])(?P<mark>[*_])(?=[^\s*_])[^\n*_]+?(?<=[^\s*_])(?P<closing>(?P=mark))(?![\w*])"
)
_STRUCK = re.compile(r"(?P<mark>~~)[^\n~]+(?P<closing>~~)")
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>\n]{0,80})?/?>")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_WRAPPED = {
    '"': '"',
    "\uff02": "\uff02",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "\u2018": "\u2019",
    "'": "'",
    "`": "`",
}
"""Opening quotation marks, each with the marks that can close it."""
_QUOTE = re.compile(f"[{''.join({*_WRAPPED, *''.join(_WRAPPED.values())})}]")
_BEHIND = ".,; \t\n"
"""Characters that may follow the closing quotation mark of an answer."""
_PARAGRAPH = re.compile(rf"[^\s{PARAGRAPH}](?:[^\n{PARAGRAPH}]|\n(?![ \t]*\n))*")
_LINE = re.compile(rf"[^\s{PARAGRAPH}][^\n{PARAGRAPH}]*")
_ALL = re.compile(r"\S[\s\S]*")


def clean(text: str, source: str) -> str:
    """Replace markup by spaces; the length of the text stays the same."""
    known = contexts_of(source)
    text = _blank(text, _CONTROL, known)
    text = choose(text, source)
    text = _open_fences(text, known)
    text = _TITLE.sub(rf"\1{PARAGRAPH}", text)
    for pattern in (_RULE, _QUOTED, _HEADING, _TAG, _STRUCK):
        text = _blank(text, pattern, known)
    text = _blank_bullets(text, known)
    text = _blank_numbers(text, known)
    for pattern in (_BOLD, _ITALIC):
        text = _blank(text, pattern, known, _without_marks)
    return _unwrap(text, known)


def _without_marks(match: re.Match[str]) -> str:
    mark = " " * len(match["mark"])
    return mark + match.group()[len(mark) : -len(mark)] + mark


def _blank(
    text: str,
    pattern: re.Pattern[str],
    known: Contexts,
    replace: Callable[[re.Match[str]], str] = lambda match: blank(match.group()),
) -> str:
    """Replace the matches of a pattern, unless the source has a mark at an edge of the match."""
    return pattern.sub(
        lambda match: match.group() if _is_known(match, known) else replace(match), text
    )


def _is_known(match: re.Match[str], known: Contexts) -> bool:
    """Return whether the source has the mark at an edge of a match, or the entire match."""
    marks = [match.span(name) for name in ("mark", "closing") if name in match.re.groupindex]
    whole = match.start(), match.start() + len(match.group().rstrip())
    return any(known.has(match.string, *span) for span in marks or [whole])


def _open_fences(text: str, known: Contexts) -> str:
    """Keep only the text inside code fences, if most of the answer is there."""
    fences = [fence for fence in _FENCE.finditer(text) if not _is_known(fence, known)]
    if fences and len(fences) % 2 == 0:
        inside = [
            (opening.end(), closing.start())
            for opening, closing in zip(fences[::2], fences[1::2], strict=True)
        ]
        if has_most("\n".join(text[start:end] for start, end in inside), text, known.source):
            return keep_spans(text, inside)
    return blank_spans(text, (fence.span() for fence in fences))


def _blank_bullets(text: str, known: Contexts) -> str:
    """Remove bullets of lists, but not a dash of the text that begins a line."""
    lines = text.split("\n")
    before, listed, at = "", False, 0
    for number, line in enumerate(lines):
        bullet = _BULLET.match(line)
        ended = not before or before[-1] in _ENDS
        if bullet and (ended or listed):
            mark = line.find(bullet.group().strip())
            if not known.has(text, at + mark, at + mark + 1):
                lines[number] = blank(bullet.group()) + line[bullet.end() :]
            listed = True
        else:
            listed = False
        before = line.strip()
        at += len(line) + 1
    return "\n".join(lines)


def _blank_numbers(text: str, known: Contexts) -> str:
    """Remove ascending numbers of list items; other numbers at the start of a line are text.

    A list may restart from 1, for example in a file with several chats.
    """
    found = [match for match in _NUMBER.finditer(text) if not _is_numbered(match, known)]
    counted = [int(match.group("plain") or match.group("bracketed")) for match in found]
    if len(found) == 1:
        first = not text[: found[0].start()].strip() or counted[0] == 1
        if not first or counted[0] > _LARGEST_ALONE:
            return text
        return blank_spans(text, (match.span() for match in found))
    listed = [
        number - 1 in counted[max(0, at - 1) : at] or number + 1 in counted[at + 1 : at + 2]
        for at, number in enumerate(counted)
    ]
    # items may be missing, but most numbers are consecutive
    most = 2 * sum(listed) > len(listed)
    return blank_spans(
        text,
        (
            match.span()
            for at, match in enumerate(found)
            if listed[at] or (most and _follows(counted, at))
        ),
    )


def _follows(counted: list[int], at: int) -> bool:
    """Return whether a number is larger than the previous and smaller than the next number."""
    before = counted[at - 1] if at else 0
    after = counted[at + 1] if at + 1 < len(counted) else 1
    return counted[at] == 1 or (before < counted[at] and (after == 1 or counted[at] < after))


def _is_numbered(match: re.Match[str], known: Contexts) -> bool:
    start, end = match.span("plain" if match.group("plain") else "bracketed")
    number, rest = match.string[start:end], match.string[match.end() : match.end() + 40]
    if _is_known(match, known) or known.has(f"{number} {rest}", 0, end - start):
        return True
    return any(known.has(f"{number}{mark} {rest}", 0, end - start + 1) for mark in "-.):,")


def _unwrap(text: str, known: Contexts) -> str:
    if not _QUOTE.search(text):
        return text
    answer = _find_answer(text, known)
    if answer is not None:
        return keep_spans(text, [(answer[0] + 1, answer[1])])
    for pattern in (_LINE, _PARAGRAPH, _ALL):
        text = pattern.sub(lambda part: _unwrap_part(part, known), text)
    return text


def _unwrap_part(part: re.Match[str], known: Contexts) -> str:
    body, first = list(part.group()), part.start()
    reached = first
    for start, end in _quoted_spans(part, known):
        if part.string[reached:start].strip(_BEHIND):
            return part.group()
        body[start - first] = body[end - first] = " "
        after = part.string[end + 1 : end + 2]
        if after and after in (",;." if part.string[end - 1] in ".!?\u2026" else ",;"):
            body[end + 1 - first] = " "
        reached = end + 1
    return part.group() if part.string[reached : part.end()].strip(_BEHIND) else "".join(body)


def _quoted_spans(part: re.Match[str], known: Contexts) -> Iterator[tuple[int, int]]:
    """Yield the outermost pairs of quotation marks that the source does not have.

    The whitespace around a mark decides whether it opens or closes.
    """
    text, depth, begin = part.string, 0, 0
    stop = part.start() + len(part.group().rstrip(_BEHIND))
    for mark in _QUOTE.finditer(text, part.start(), part.end()):
        at, sign = mark.start(), mark.group()
        last = at + 1 >= stop
        outer = last or at == part.start()
        if known.has_quote(text, at) if outer else known.has(text, at, at + 1):
            continue
        before, after = text[at - 1 : at] if at > part.start() else "", text[at + 1 : at + 2]
        opens = sign in _WRAPPED and (not before or (not before.isalnum() and bool(after.strip())))
        if not depth:
            depth, begin = int(opens), at
        elif sign == text[begin] and opens and (before.isspace() or at == begin + 1):
            depth += 1
        elif sign in _WRAPPED[text[begin]]:
            if sign in "'\u2019" and not last and (after.isalnum() or before == "s"):
                continue  # an apostrophe
            depth = 0 if last else depth - 1
            if not depth and not known.is_quoted(text[begin + 1 : at]):
                yield begin, at


def _find_answer(text: str, known: Contexts) -> tuple[int, int] | None:
    """Return the last quoted part that has the words of the source, if all others are comments."""
    found = []
    for part in _PARAGRAPH.finditer(text):
        for start, end in _quoted_spans(part, known):
            words = words_of(text[start:end])
            shared = sum(word in known.words for word in words)
            if 2 * len(known.words.intersection(words)) > max(len(known.words), 2):
                found.append((start, end, 2 * shared > len(words)))
    if not found or not found[-1][2]:
        return None
    around, reached = [], 0
    for start, end, _ in [*found, (len(text), 0, True)]:
        around += _PARAGRAPH.findall(text[reached:start])
        reached = end
    if any(resemble(set(words_of(part)), known.words) for part in around):
        return None
    words = [word for part in around for word in words_of(part)]
    foreign = sum(word not in known.words for word in words)
    return found[-1][:2] if words and 2 * foreign >= len(words) else None
