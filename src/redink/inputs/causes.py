"""Causes of a change between a source sentence and a text that are no corrections.

Programs leave traces (subword markers, HTML entities, invisible characters), other tokenizers put
other spaces around marks, and outputs are cut short, repeated or wrapped in quotation marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

from rapidfuzz.distance import Indel

Tokens = tuple[str, ...]
Kind = Literal[
    "empty", "far", "leftover", "form", "marks", "case", "long", "cut", "space", "edge", "edit"
]
Cause = tuple[Kind, str]
"""The kind, and a detail by which changes of one kind differ."""

INVISIBLE = re.compile(r"[\u00ad\u200b\u2060-\u2064\ufeff\x00-\x08\x0e-\x1b\x7f]")
_LEFTOVERS = {
    "invisible characters": INVISIBLE.pattern,
    "lost characters": "\ufffd",
    "characters of a wrong encoding": r"\xc3[\x80-\xbf]|\xe2(?:\x80|\u20ac[^\w\s])",
    "HTML entities": r"&(?:[a-zA-Z]{2,6}|#\d{1,5});",
    "HTML tags": r"<(?:br|p|b|i|em|strong|div|span)\s?/?>",
    "tokens of a language model": r"</?s>|<(?:unk|pad|eos|bos|sep|mask|EOS|UNK)>|<\|\w+\|>"
    r"|\[(?:UNK|SEP|CLS|PAD|MASK|EOS)\]",
    "subword markers": r"\S@@(?!\S)|▁|(?<!\S)##\w|Ġ\S+ Ġ",
    "line breaks written out": r"\\[nr](?![a-z])",
    "Penn Treebank brackets": r"-[LR][RSC]B-",
}
_ANY_LEFTOVER = re.compile("|".join(_LEFTOVERS.values()))
_LEFTOVER_OF = {what: re.compile(pattern) for what, pattern in _LEFTOVERS.items()}
_IDEOGRAPHIC = str.maketrans({"\u3002": ".", "\u3001": ","})
_SENTENCE_MARKS = frozenset(".,;:!?")
_FINAL_MARKS = frozenset(".!?\u2026\u3002\uff01\uff1f")
_DIGITS = re.compile(r"\d+")


def _show(text: str) -> str:
    """Return text in which invisible characters are visible as their code points."""
    return "".join(
        c if c.isprintable() and not unicodedata.combining(c) else f"U+{ord(c):04X}" for c in text
    )


def find_causes(source: Tokens, text: Tokens) -> Iterator[tuple[Cause, str]]:
    """Return the causes of a change that may be no corrections; of those of a line, the first."""
    if not text:
        if source:
            yield ("empty", ""), ""
        return
    ours, theirs = " ".join(source), " ".join(text)
    if found := _find_leftovers(ours, theirs):
        yield from found
        return
    if not theirs.isascii() and (form := _find_form(source, text)):
        yield ("form", ""), form
        return
    if ours != ours.lower() and theirs == theirs.lower():
        yield ("case", "upper-case"), ""
    elif ours != ours.upper() and theirs == theirs.upper():
        yield ("case", "lower-case"), ""
    elif len(text) >= 1.8 * len(source) and len(text) > len(source) + 3:
        yield ("long", ""), ""
    else:
        yield from _find_changes(source, text)


def _find_leftovers(source: str, text: str) -> list[tuple[Cause, str]]:
    """Return leftovers of programs that only one of both has."""
    found: list[tuple[Cause, str]] = []
    if _ANY_LEFTOVER.search(text) or _ANY_LEFTOVER.search(source):
        for what, pattern in _LEFTOVER_OF.items():
            here = pattern.search(text)
            if here and not pattern.search(source):
                start = text.rfind(" ", 0, here.start()) + 1
                end = text.find(" ", here.end())
                example = text[start : end if end > 0 else None]
                found.append((("leftover", what), f"{what} ({_show(example)[:40]})"))
    return found


def _find_form(source: Tokens, text: Tokens) -> str | None:
    forms = {unicodedata.normalize("NFC", token): token for token in source}
    for token in text:
        own = forms.get(unicodedata.normalize("NFC", token))
        if own is not None and own != token and token not in source:
            return _show(token)
    return None


def _find_changes(source: Tokens, text: Tokens) -> Iterator[tuple[Cause, str]]:
    """Compare the tokens that differ."""
    keys: dict[Cause, str] = {}
    for start, end, first, last in _spans(source, text):
        old, new = " ".join(source[start:end]), " ".join(text[first:last])
        if end == len(source) and last == len(text) and len(source) - start >= 5 and not new:
            keys["cut", ""] = ""
            continue
        kind = _find_mark(old, new) or _find_space(old, new)
        if kind is not None:
            keys.setdefault(kind, f"{_show(new)!r} for {_show(old)!r}")
            continue
        if start == 0 and first == 0 and new.endswith(old) and old != new:
            _add_edge(keys, "beginning", new.removesuffix(old).strip())
        elif end == len(source) and new.startswith(old) and old != new:
            _add_edge(keys, "end", new.removeprefix(old).strip())
        elif old.casefold() != new.casefold():
            keys["edit", f"{old}\0{new}"] = f"{old!r} to {new!r}"
    yield from keys.items()


def _add_edge(keys: dict[Cause, str], where: str, added: str) -> None:
    if added and added not in _FINAL_MARKS:
        key = f"{where} {_DIGITS.sub('0', added)}"
        keys["edge", key] = f"{_show(added)!r} at the {where}"


def _spans(source: Tokens, text: Tokens) -> Iterator[tuple[int, int, int, int]]:
    """Return the stretches of tokens that differ: start and end in both."""
    start = first = None
    for step in Indel.opcodes(source, text):
        if step.tag == "equal":
            if start is not None and first is not None:
                yield start, step.src_start, first, step.dest_start
            start = first = None
        elif start is None:
            start, first = step.src_start, step.dest_start
    if start is not None and first is not None:
        yield start, len(source), first, len(text)


def _find_mark(old: str, new: str) -> Cause | None:
    """Return the mark that is written in another way, if nothing else changes."""
    if _plain(old) != _plain(new) or _bare(old) == _bare(new):
        return None
    changed = (f"{a}{b}" for a, b in zip(old, new, strict=False) if b not in {a, " "})
    return "marks", next(changed, f"{old[-1]}{new[-1]}")


def _bare(text: str) -> str:
    return text.replace(" ", "").casefold()


def _plain(text: str) -> str:
    from redink.raw_text.text_atoms import fold  # loads numpy, which help pages do not need

    return "".join(map(fold, text.translate(_IDEOGRAPHIC).split()))


def _find_space(old: str, new: str) -> Cause | None:
    """Return the mark around which only spaces change."""
    if old.replace(" ", "") != new.replace(" ", ""):
        return None
    marks = [c for c in old if not c.isalnum() and c != " "]
    if not marks:
        return None
    is_split = new.count(" ") > old.count(" ")
    if is_split and marks[0] in _SENTENCE_MARKS:
        return None  # a missing space is an error of the source
    return "space", f"{'split' if is_split else 'joined'}{marks[0]}"
