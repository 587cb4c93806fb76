"""The shapes in which models answer: thoughts first, the original beside, tables, JSON.

:func:`choose` blanks out what is not the corrected text, so that offsets stay what they were;
:func:`decode` undoes an encoding of the whole, which they do not survive.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

_RIGHT = r"correct(?:ed|ion)|revised|revision|improved|edited|output|answer|result|after"
_WRONG = r"original|source|input|incorrect|before|draft"
_WHAT = r"(?:[ _](?:text|sentence|version|essay|paragraph|\d+))*"
_LABEL = re.compile(
    rf"^[ \t>*_#-]*(?:(?P<wrong>{_WRONG})|(?P<right>{_RIGHT})){_WHAT}[ \t*_]*:[*_]*|\Z",
    re.IGNORECASE | re.MULTILINE,
)
_REMARK = re.compile(
    r"^[ \t>*_#-]*(?:(?:sure|certainly|of course|okay|ok)\W+)?"
    r"(?:(?:here(?:['\u2019]s| is)|this is|the)\b[^\n:.]{0,40}?\b)?"
    r"(?P<what>correct(?:ed|ion)|(?:corrected|revised|improved|edited) "
    r"(?:text|sentence|version|essay|paragraph)(?: of (?:the|your) \w+| is)?)"
    r"[ \t*_]*:[*_]*(?=.*\w)",
    re.IGNORECASE | re.MULTILINE,
)
"""A remark on the line of the text that it announces."""
_THOUGHTS = re.compile(r"(?is)(?:<(think(?:ing)?|reasoning|scratchpad)>)?.*?</(?:think(?:ing)?)>")
_ELEMENT = re.compile(rf"(?i)<((?:{_RIGHT}){_WHAT})>")
_WORD = re.compile(r"\w+")
_RIGHT_NAME = re.compile(rf"(?i)[ *_#]*(?:{_RIGHT}){_WHAT}[ *_]*")
_WRONG_NAME = re.compile(rf"(?i)[ *_#]*(?:{_WRONG}){_WHAT}[ *_]*")
_ARROW = re.compile(r"^(?P<before>[^\n]*?\S[ \t]*(?:\u2192|=>|->)[ \t]*)(?=\S)", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]+")
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,6}|quot|apos|amp|lt|gt|nbsp);")
_OPENED = re.compile(r"```(?:json)?[ \t]*\n")
_CLOSED = re.compile(r"\n[ \t]*```")


def choose(text: str, source: str) -> str:
    """The answer with everything but the corrected text blanked out, of the same length.

    Args:
        text: what a model answered.
        source: what it was asked about; a shape that occurs there is text.
    """
    text = _without_thoughts(text)
    text = _keep(text, list(_elements(text)), source)
    if "|" not in source:
        text = _keep(text, list(_cells(text)), source)
    if not any(arrow in source for arrow in ("\u2192", "=>", "->")):
        text = _after_arrows(text)
    if not any(match.group() for match in _LABEL.finditer(source)):
        text = _keep(text, list(_labelled(text)), source)
    return _without_remarks(text, source.casefold())


def blank(text: str) -> str:
    """Blanks in place of all that can be seen: every place in the text stays where it is."""
    return re.sub(r"\S", " ", text)


def _without_thoughts(text: str) -> str:
    found = _THOUGHTS.match(text.lstrip())
    if found is None:
        return text
    end = len(text) - len(text.lstrip()) + found.end()
    return blank(text[:end]) + text[end:] if text[end:].strip() else text


def _without_remarks(text: str, source: str) -> str:
    """The text behind what announces it, unless the source has such words as well."""
    return _REMARK.sub(
        lambda found: (
            found.group() if found.group("what").casefold() in source else blank(found.group())
        ),
        text,
    )


def _keep(text: str, spans: list[tuple[int, int]], source: str) -> str:
    """The text with all but some parts blanked out, if these hold most of the source's words."""
    if not spans or not has_most("\n".join(text[start:end] for start, end in spans), text, source):
        return text
    kept, at = [], 0
    for start, end in spans:
        kept += [blank(text[at:start]), text[start:end]]
        at = end
    return "".join([*kept, blank(text[at:])])


def has_most(part: str, text: str, source: str) -> bool:
    """Whether a part of a text has most of the words that the text shares with the source."""
    words = set(_WORD.findall(source.casefold()))
    shared = words & set(_WORD.findall(part.casefold()))
    return 2 * len(shared) > len(words & set(_WORD.findall(text.casefold())))


def _elements(text: str) -> Iterator[tuple[int, int]]:
    """What stands in elements that are called ``corrected``."""
    lower, reached = text.casefold(), 0
    if len(lower) != len(text):
        return
    for opening in _ELEMENT.finditer(text):
        if opening.start() >= reached:
            end = lower.find(f"</{opening.group(1).casefold()}>", opening.end())
            if end < 0:
                return
            yield opening.end(), end
            reached = end


def _cells(text: str) -> Iterator[tuple[int, int]]:
    """Of a table the cells of the corrected column: the one called so, or the last."""
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


def _after_arrows(text: str) -> str:
    """What stands behind an arrow, if nearly every line has one: the corrected sentence."""
    lines = sum(bool(line.strip()) for line in text.split("\n"))
    arrows = list(_ARROW.finditer(text))
    if len(arrows) < 2 or len(arrows) < 0.8 * lines:
        return text
    return _ARROW.sub(lambda match: blank(match.group()), text)


def _labelled(text: str) -> Iterator[tuple[int, int]]:
    """What is not labelled as original, where something else is labelled as corrected."""
    labels = list(_LABEL.finditer(text))
    if not all(any(label.group(kind) for label in labels) for kind in ("wrong", "right")):
        return
    yield 0, labels[0].start()
    for label, following in pairwise(labels):
        if label.group("right"):
            yield label.end(), following.start()


def decode(text: str, source: str) -> str:
    """The text of an answer in JSON or with the entities of HTML; another as it is.

    Args:
        text: what a model answered.
        source: what it was asked about.
    """
    if "{" not in source and "[" not in source:
        text = _from_json(text)
    if "&" in text and not _ENTITY.search(source):
        text = _ENTITY.sub(lambda match: html.unescape(match.group()).replace("\xa0", " "), text)
    return text


def _from_json(text: str) -> str:
    opened = _OPENED.search(text)
    closed = _CLOSED.search(text, opened.end()) if opened else None
    body = (text[opened.end() : closed.start()] if opened and closed else text).strip()
    if body[:1] not in {"[", "{"}:
        return text
    try:
        found = list(_strings(json.loads(body)))
    except (ValueError, RecursionError):
        return text
    return "\n".join(found) if found else text


def _strings(value: Any) -> Iterator[str]:
    """The strings of a value; of an object those that are called corrected, or all but others."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        right = [key for key in value if _RIGHT_NAME.fullmatch(key)]
        for key in right[:1] or [key for key in value if not _WRONG_NAME.fullmatch(key)][:1]:
            yield from _strings(value[key])
