"""What stands around an answer: Markdown, code fences, quotation marks.

Everything is blanked out, never cut out, so that offsets into the text stay what they were. What
the source has itself is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from redink.aligning.answers import blank, choose, has_most

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*+\u2022][ \t]+(?=\S)", re.MULTILINE)
_ENDS = frozenset(".!?:;*_\u2026")
_NUMBER = re.compile(
    r"^[ \t]*(?:\*\*)?(?:(?:(?i:sentence|line) )?\d{1,3}[.):]|[\[(]\d{1,3}[\])]:?)(?:\*\*)?"
    r"[ \t]+(?=\S)",
    re.MULTILINE,
)
_NUMBER_APART = re.compile(
    r"^[ \t]*(?:\d{1,3} ?[.)]|[\[(] ?\d{1,3} ?[\])])[ \t]+(?=\S)", re.MULTILINE
)
_RULE = re.compile(r"^[ \t]*(?:[-*_][ \t]*){3,}$", re.MULTILINE)
_TITLE = re.compile(
    r"^([ \t]*(?:#{1,6}[ \t]+\S[^\n]*|(\*\*|__)(?=\S)[^\n]+(?<=\S)\2:?[ \t]*))\n", re.MULTILINE
)
PARAGRAPH = "\u2029"
"""Stands for the line break after a title: what comes next is another paragraph."""
_BOLD = re.compile(r"(\*\*|__)(?=\S)((?:(?!\1)[^\n])+)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^\n*_]+?)(?<=[^\s*_])\1(?![\w*])")
_STRUCK = re.compile(r"~~[^\n~]+~~")
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>\n]{0,80})?/?>")
_WRAPPED = {'"': '"', "\u201c": "\u201d", "\u00ab": "\u00bb", "\u201e": "\u201c", "`": "`"}


def clean(text: str, source: str) -> str:
    """The text with its markup blanked out, of the same length.

    Args:
        text: what a model answered.
        source: what it was asked about; markup of a kind that occurs there stays.
    """
    text = _blank_controls(text)
    text = choose(text, source)
    text = _open_fences(text, source)
    text = _TITLE.sub(rf"\1{PARAGRAPH}", text)
    for pattern, sign in (
        (_RULE, None),
        (_QUOTED, ">"),
        (_HEADING, "#"),
        (_TAG, "<"),
        (_STRUCK, "~~"),
    ):
        if sign is None or sign not in source:
            text = pattern.sub(_all_blank, text)
    if not _has_list(source):
        text = _blank_bullets(text)
        text = _blank_numbers(text)
    if "*" not in source:
        text = _BOLD.sub(_inside(2), text)
        text = _ITALIC.sub(_inside(1), text)
    return _unwrap(text, source)


def _all_blank(match: re.Match[str]) -> str:
    return blank(match.group())


def _inside(width: int) -> Callable[[re.Match[str]], str]:
    return lambda match: " " * width + match.group(2) + " " * width


def _blank_controls(text: str) -> str:
    return re.sub("[\u200b\u200c\u200d\u2060\ufeff\x00-\x08\x0b\x0c\x0e-\x1f]", " ", text)


def _open_fences(text: str, source: str) -> str:
    """If the answer stands in a code fence, what is around it is not part of it."""
    fences = list(_FENCE.finditer(text))
    if fences and len(fences) % 2 == 0:
        inside = [
            (opening.end(), closing.start())
            for opening, closing in zip(fences[::2], fences[1::2], strict=True)
        ]
        if has_most("\n".join(text[start:end] for start, end in inside), text, source):
            kept, at = [], 0
            for start, end in [*inside, (len(text), len(text))]:
                kept.append(blank(text[at:start]))
                kept.append(text[start:end])
                at = end
            return "".join(kept)
    return _FENCE.sub(_all_blank, text)


def _has_list(source: str) -> bool:
    """Whether a source has bullets or numbers, whose marks may be tokens by themselves."""
    return bool(_BULLET.search(source) or _NUMBER_APART.search(source))


def _blank_bullets(text: str) -> str:
    """Bullets of lists; a dash that came to stand at the beginning of a line is text."""
    lines = text.split("\n")
    before, listed = "", False
    for number, line in enumerate(lines):
        bullet = _BULLET.match(line)
        ended = not before or before[-1] in _ENDS
        if bullet and (ended or listed):
            lines[number] = blank(bullet.group()) + line[bullet.end() :]
            listed = True
        else:
            listed = False
        before = line.strip()
    return "\n".join(lines)


def _blank_numbers(text: str) -> str:
    """Numbers of a list that counts up from 1; another number at the start of a line is text."""
    found = list(_NUMBER.finditer(text))
    counted = [int(re.sub(r"\D", "", match.group())) for match in found]
    if len(found) < 2 or counted != list(range(1, len(found) + 1)):
        return text
    return _NUMBER.sub(_all_blank, text)


def _unwrap(text: str, source: str) -> str:
    """Quotation marks around the whole answer."""
    body = text.strip()
    if len(body) < 3 or source.lstrip()[:1] == body[0]:
        return text
    close = _WRAPPED.get(body[0])
    if close is None or body[-1] != close or body[0] in body[1:-1] or close in body[1:-1]:
        return text
    start = text.index(body)
    end = start + len(body)
    return f"{text[:start]} {text[start + 1 : end - 1]} {text[end:]}"
