r"""Annotated documents of UA-GEC: texts with inline corrections.

::

    Наступного ранку {о=>об:::error_type=Spelling} одинадцятій годині

A file ``0002.a1.ann`` contains document 0002 with the corrections of its first annotator. A folder
of such files is a corpus, whose annotators are 0, 1, 2 … as in the M2 files of UA-GEC. A line break
inside a correction is written ``\n``, ``|`` separates suggestions (the first one is used), and
``NO_SUGGESTIONS`` marks an error without a correction.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from redink.errors import DataError, RedinkWarning
from redink.files import placed, read_text
from redink.formats.character_edits import (
    CharacterEdit,
    MarkedDocument,
    join_sentences,
    split_document,
)
from redink.formats.recognition import UA_GEC_MARK
from redink.model import UNKNOWN, UNTYPED, AnnotatedSentence
from redink.raw_text.tokenization import Spans, Tokenize

_NAME = re.compile(r"(.+)\.a(\d{1,4})\.ann(?:\.gz|\.zst)?", re.DOTALL)
_SENTENCE = re.compile(r"\.\d+\.\d+\Z")
_NOTHING = "NO_SUGGESTIONS"
_TYPE = "error_type"
_WORD = re.compile(
    r"\d+(?:[.,:]\d+)+"
    r"|[\w\u0300-\u036f]+(?:['\u2019\u02bc\u2010\u2011-][\w\u0300-\u036f]+)*"
    r"|\.{2,}|[^\w\s]"
)
_CLOSING = tuple(",.;:!?)\u2026\u00bb\u201d")
_OPENING = frozenset("-\u2013\u2014\u00ab\u201c\u201e(")
_ENDING = frozenset(".!?\u2026")
_NEARLY_ALL = 0.98
_APART = re.compile(r"(?<!\S)[,;:?!.](?=\s|$)", re.MULTILINE)


def word_tokens(text: str) -> Spans:
    """Tokens of any language: words with hyphens and apostrophes, numbers, and single marks."""
    return [match.span() for match in _WORD.finditer(text)]


def read_ann(path: str | Path, *, tokenize: Tokenize = word_tokens) -> Iterator[AnnotatedSentence]:
    """Yield the sentences of a document, or of all documents of a folder."""
    left_out = 0
    for document in _documents(Path(path)):
        kept = document
        if not document.tokenized:
            kept = replace(document, marks=tuple(_widened(document)))
            left_out += len(document.marks) - len(kept.marks)
        with placed(path):
            yield from split_document(kept, tokenize)
    if left_out:
        message = (
            f"{path}: corrections of whitespace only, which change no token, are ignored or part "
            f"of others: {left_out}"
        )
        warnings.warn(message, RedinkWarning, stacklevel=2)


def _documents(path: Path) -> Iterator[MarkedDocument]:
    paths = sorted(path.glob("*.ann*")) if path.is_dir() else [path]
    groups: dict[str, list[tuple[str, Path]]] = {}
    for one in paths:
        name = _NAME.fullmatch(one.name)
        about, number = (name[1], int(name[2])) if name else (one.name.split(".")[0], 1)
        groups.setdefault(about, []).append((str(max(number - 1, 0)), one))
    for about, members in groups.items():
        parsed: dict[str, list[tuple[str, list[CharacterEdit]]]] = {}
        for annotator, one in members:
            text, marks = parse_ann(read_text(one), annotator)
            parsed.setdefault(text, []).append((annotator, marks))
        if len(parsed) > 1:
            message = (
                f"{path}: the annotators of {about} had different texts, which are read separately"
            )
            warnings.warn(message, RedinkWarning, stacklevel=3)
        for text, versions in parsed.items():
            yield MarkedDocument(
                about,
                tuple(text.split("\n")),
                tuple(annotator for annotator, _ in versions),
                tuple(mark for _, marks in versions for mark in marks),
                tokenized=_is_tokenized(text),
            )


def _is_tokenized(text: str) -> bool:
    """Return whether marks have spaces around them, as in a document made of tokens."""
    chunks = text.split()
    whole = sum(len(word_tokens(chunk)) == 1 for chunk in chunks)
    return bool(_APART.search(text)) and whole >= _NEARLY_ALL * len(chunks)


def _widened(document: MarkedDocument) -> Iterator[CharacterEdit]:
    """Extend corrections to entire words, up to the next whitespace or correction.

    A deleted space or an inserted mark thus changes the words next to it. Unchanged words do not
    become part of the edit. A correction of whitespace only, which changes no token, is ignored.
    """
    text = document.text
    for annotator in document.annotators:
        given = [mark for mark in document.marks if mark.annotator == annotator]
        following = [*(mark.start for mark in given[1:]), len(text)]
        there = [_before_next(*pair, text) for pair in zip(given, following, strict=False)]
        marks = _joined(there, text)
        ends = [0, *(mark.end for mark in marks)]
        starts = [*(mark.start for mark in marks[1:]), len(text)]
        for mark, least, most in zip(marks, ends, starts, strict=False):
            if mark.correction is None:
                yield mark
                continue
            start, end = mark.start, mark.end
            while start > least and not text[start - 1].isspace():
                start -= 1
            while end < most and not text[end].isspace():
                end += 1
            wider = text[start : mark.start] + mark.correction + text[mark.end : end]
            if _words(wider) != _words(text[start:end]):
                yield replace(mark, start=start, end=end, correction=wider)


def _before_next(mark: CharacterEdit, most: int, text: str) -> CharacterEdit:
    """Move an insertion after a sentence that begins the next one (a dash) to that sentence."""
    added = (mark.correction or "").strip()
    if mark.start < mark.end or added not in _OPENING or not mark.start:
        return mark
    after = mark.end
    while after < most and text[after] == " ":
        after += 1
    if text[mark.start - 1] in _ENDING and mark.end < after and text[after : after + 1].strip():
        return replace(mark, start=after, end=after, correction=f"{added} ")
    return mark


def _joined(marks: Sequence[CharacterEdit], text: str) -> list[CharacterEdit]:
    """Join adjacent corrections that together remove the space between two words."""
    found: list[CharacterEdit] = []
    for mark in marks:
        last = found[-1] if found else None
        if (
            last is not None
            and last.end == mark.start
            and last.correction
            and mark.correction is not None
            and _has_blank(text[last.start : last.end][-1:] + text[mark.start : mark.end][:1])
            and not _has_blank(last.correction[-1] + mark.correction[:1])
        ):
            found[-1] = replace(last, end=mark.end, correction=last.correction + mark.correction)
        else:
            found.append(mark)
    return found


def _has_blank(text: str) -> bool:
    return any(map(str.isspace, text))


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in word_tokens(text)]


def parse_ann(annotated: str, annotator: str = "0") -> tuple[str, list[CharacterEdit]]:
    """Return the original text, and the corrections in it."""
    parts: list[str] = []
    marks: list[CharacterEdit] = []
    reached = length = 0
    for found in UA_GEC_MARK.finditer(annotated):
        source, correction, about = found.groups()
        for part in (annotated[reached : found.start()], source):
            parts.append(_plain(part))
            length += len(parts[-1])
        kind = dict(pair.partition("=")[::2] for pair in (about or "").split(":::")[1:]).get(_TYPE)
        span = length - len(parts[-1]), length
        if correction == _NOTHING:
            marks.append(CharacterEdit(annotator, *span, None, UNKNOWN))
        else:
            first = _plain(correction.split("|")[0])
            marks.append(CharacterEdit(annotator, *span, first, kind or UNTYPED))
        reached = found.end()
    parts.append(_plain(annotated[reached:]))
    return "".join(parts), marks


def _plain(text: str) -> str:
    return text.replace("\\n", "\n")


def write_ann(
    sentences: Iterable[AnnotatedSentence], stream: TextIO, *, tokenize: Tokenize = word_tokens
) -> None:
    """Write sentences as one annotated document."""
    lines = []
    names = set()
    for document in join_sentences(sentences, tokenize, format_name="UA-GEC", comments=False):
        names.add(_SENTENCE.sub("", document.id))
        if len(document.annotators) > 1:
            raise DataError(
                "an .ann file can contain only one annotator's edits; choose one with --annotator: "
                f"{', '.join(document.annotators)}"
            )
        lines.append(_annotated(document))
    if len(names) > 1:
        raise DataError(f"an .ann file contains one document, found {len(names)}")
    stream.writelines(f"{line}\n" for line in lines)


def _annotated(document: MarkedDocument) -> str:
    text = document.text
    parts, reached = [], 0
    for mark in sorted(document.marks, key=lambda mark: (mark.start, mark.end)):
        if mark.start < reached:
            raise DataError(
                f"UA-GEC cannot represent overlapping corrections ({mark.correction!r})"
            )
        correction = _NOTHING if mark.correction is None else mark.correction
        about = "" if mark.type in {UNTYPED, UNKNOWN} else f":::{_TYPE}={mark.type}"
        start, end, correction = _spaced(text, max(mark.start, reached), mark.end, correction)
        written = f"{{{text[start:end]}=>{correction}{about}}}".replace("\n", "\\n")
        parts += [text[reached:start], written]
        reached = end
    return "".join([*parts, text[reached:]])


def _spaced(text: str, start: int, end: int, correction: str) -> tuple[int, int, str]:
    """Return the correction with the necessary spaces around it, and its start and end."""
    left, right = text[max(start - 1, 0) : start], text[end : end + 1]
    if start < end and not correction:
        return (start, end + 1, "") if right == " " and left in {"", " "} else (start, end, "")
    if start < end:
        before = " " if left.isalnum() and correction[0].isalnum() else ""
        after = " " if right.isalnum() and correction[-1].isalnum() else ""
        return start, end, before + correction + after
    if correction[:1] in _CLOSING and left == " ":
        return start - 1, end - 1, correction
    if start < len(text):
        return start, end, f"{correction} "
    return start, end, f" {correction}"
