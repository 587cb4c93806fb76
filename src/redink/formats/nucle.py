"""NUCLE SGML: essays with stand-off corrections by paragraph and character.

::

    <DOC nid="1">
    <TEXT>
    <TITLE>
    Keeping a secret
    </TITLE>
    <P>
    People get certain disease because of this.
    </P>
    </TEXT>
    <ANNOTATION teacher_id="8">
    <MISTAKE start_par="1" start_off="19" end_par="1" end_off="26">
    <TYPE>Nn</TYPE>
    <CORRECTION>diseases</CORRECTION>
    </MISTAKE>
    </ANNOTATION>
    </DOC>

Paragraphs are counted from 0, including the title. A ``DOC`` with ``tokenized="yes"`` contains
tokens separated by spaces, one sentence per paragraph; redink writes this if there is no raw text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from redink.errors import DataError, FormatError
from redink.files import placed, read_lines
from redink.formats.character_edits import (
    CharacterEdit,
    MarkedDocument,
    join_sentences,
    paragraph_starts,
    split_document,
)
from redink.model import AnnotatedSentence
from redink.raw_text.tokenization import Tokenize, treebank_tokens

_TAG = re.compile(
    r"<(/?)(DOC|TEXT|TITLE|P|ANNOTATION|MISTAKE|TYPE|CORRECTION|COMMENT)((?:\s[^<>]*)?)>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""(?<![A-Za-z_])([A-Za-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))
_TEXTS = frozenset({"TITLE", "P", "TYPE", "CORRECTION", "COMMENT"})
_INSIDE = {
    **dict.fromkeys(("TEXT", "ANNOTATION"), "DOC"),
    **dict.fromkeys(("TITLE", "P"), "TEXT"),
    "MISTAKE": "ANNOTATION",
    **dict.fromkeys(("TYPE", "CORRECTION", "COMMENT"), "MISTAKE"),
}
_NO_COMMENT = "-NONE-"


def read_nucle(
    path: str | Path, *, tokenize: Tokenize = treebank_tokens
) -> Iterator[AnnotatedSentence]:
    """Yield the sentences of a NUCLE file, one document at a time."""
    reader = _NucleParser(path)
    number = 0
    for number, line in read_lines(path):
        for document in reader.feed(line, number):
            with placed(path, number):
                sentences = split_document(document, tokenize)
            yield from sentences
    if reader.open:
        raise FormatError(f"ends inside <{reader.open[-1]}>", path=path, line=number)
    if not reader.documents:
        raise FormatError("contains no <DOC>", path=path)


class _NucleParser:
    """Parses the tags line by line and returns each document at its end."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._line = 0
        self.open: list[str] = []
        self.documents = 0
        self._text: list[str] = []
        self._start_document({})

    def _start_document(self, attributes: dict[str, str]) -> None:
        self._id = attributes.get("nid", "")
        self._tokenized = "yes" in {attributes.get("tokenized"), attributes.get("tokenised")}
        self._paragraphs: list[str] = []
        self._title = False
        self._annotators: dict[str, None] = {}
        self._annotator = "0"
        self._marks: list[tuple[dict[str, str], str]] = []
        self._mistake: dict[str, str] = {}

    def _error(self, message: str, line: int | None = None) -> FormatError:
        return FormatError(message, path=self._path, line=line or self._line)

    def feed(self, line: str, number: int) -> Iterator[MarkedDocument]:
        self._line = number
        if self._text:
            self._text.append("\n")
        at = 0
        for tag in _TAG.finditer(line):
            self._add_text(line[at : tag.start()])
            at = tag.end()
            name = tag[2].upper()
            if tag[1]:
                yield from self._close(name)
            else:
                self._open(name, tag[3])
        self._add_text(line[at:])

    def _add_text(self, text: str) -> None:
        if self.open and self.open[-1] in _TEXTS:
            self._text.append(text)
        elif text.strip():
            raise self._error(f"text outside paragraphs and corrections: {text[:40]!r}")

    def _open(self, name: str, attributes: str) -> None:
        around = self.open[-1] if self.open else None
        if around != _INSIDE.get(name):
            raise self._error(f"<{name}> is not expected inside <{around or 'the file'}>")
        given = {
            key.lower(): _unescape(double or single or bare)
            for key, double, single, bare in _ATTRIBUTE.findall(attributes)
        }
        self.open.append(name)
        if name == "DOC":
            self._start_document(given)
        elif name == "ANNOTATION":
            self._annotator = given.get("teacher_id", "0")
            self._annotators[self._annotator] = None
        elif name == "MISTAKE":
            self._mistake = {**given, "line": str(self._line)}
        elif name in _TEXTS:
            self._text = [""]

    def _close(self, name: str) -> Iterator[MarkedDocument]:
        if not self.open or self.open[-1] != name:
            expected = f"</{self.open[-1]}>" if self.open else "<DOC>"
            raise self._error(f"expected {expected}, found </{name}>")
        self.open.pop()
        if name in _TEXTS:
            self._take_text(name, _unescape("".join(self._text)))
            self._text = []
        elif name == "MISTAKE":
            self._marks.append((self._mistake, self._annotator))
        elif name == "DOC":
            self.documents += 1
            yield self._document()

    def _take_text(self, name: str, text: str) -> None:
        if name not in {"P", "TITLE"}:
            self._mistake[name] = text
            return
        if name == "TITLE" and self._paragraphs:
            raise self._error("found a <TITLE> after the first paragraph")
        self._title = self._title or name == "TITLE"
        self._paragraphs.append(text.removeprefix("\n").removesuffix("\n"))

    def _document(self) -> MarkedDocument:
        starts = paragraph_starts(self._paragraphs)
        marks = tuple(self._mark(*found, starts) for found in self._marks)
        paragraphs, annotators = tuple(self._paragraphs), tuple(self._annotators)
        options = {"title": self._title, "tokenized": self._tokenized}
        return MarkedDocument(self._id, paragraphs, annotators, marks, **options)

    def _mark(self, found: dict[str, str], who: str, starts: Sequence[int]) -> CharacterEdit:
        line = int(found["line"])
        start, end = (self._position(found, which, starts, line) for which in ("start", "end"))
        if end < start:
            raise self._error("a <MISTAKE> ends before its start", line)
        if "TYPE" not in found or "CORRECTION" not in found:
            raise self._error("a <MISTAKE> must have <TYPE> and <CORRECTION>", line)
        kind, comment = found["TYPE"].strip(), found.get("COMMENT", _NO_COMMENT)
        return CharacterEdit(who, start, end, found["CORRECTION"], kind, comment)

    def _position(self, found: dict[str, str], which: str, starts: Sequence[int], line: int) -> int:
        """Return the position in the entire text, from a paragraph and an offset in it."""
        values = []
        for name in (f"{which}_par", f"{which}_off"):
            value = found.get(name, "")
            if not (value.isascii() and value.isdecimal() and len(value) < 10):
                raise self._error(f"expected a whole number for {name}, found {value!r}", line)
            values.append(int(value))
        paragraph, offset = values
        count = len(self._paragraphs)
        if paragraph >= count:
            what = f"there is no paragraph {paragraph}; the document has {count}, numbered from 0"
            raise self._error(what, line)
        size = len(self._paragraphs[paragraph])
        if offset > size:
            what = f"character {offset} is outside paragraph {paragraph}, which has length {size}"
            raise self._error(what, line)
        return starts[paragraph] + offset


def _unescape(text: str) -> str:
    return _ENTITY.sub(lambda match: _ENTITIES[match.group()], text) if "&" in text else text


def _escape(text: str) -> str:
    if "\r" in text or "\0" in text:
        raise DataError(f"NUCLE SGML cannot represent the control character in {text[:60]!r}")
    # escape only where necessary, so that the text stays readable
    text = _ENTITY.sub(lambda match: f"&amp;{match.group()[1:]}", text)
    return _TAG.sub(lambda match: f"&lt;{match.group()[1:]}", text)


def write_nucle(
    sentences: Iterable[AnnotatedSentence], stream: TextIO, *, tokenize: Tokenize = treebank_tokens
) -> None:
    """Write sentences as NUCLE SGML."""
    for document in join_sentences(sentences, tokenize, format_name="NUCLE SGML", comments=True):
        tokenized = ' tokenized="yes"' if document.tokenized else ""
        stream.write(f"<DOC nid={_quote(document.id)}{tokenized}>\n<TEXT>\n")
        for index, paragraph in enumerate(document.paragraphs):
            tag = "TITLE" if document.title and index == 0 else "P"
            stream.write(f"<{tag}>\n{_escape(paragraph)}\n</{tag}>\n")
        stream.write("</TEXT>\n")
        starts = paragraph_starts(document.paragraphs)
        for annotator in document.annotators:
            stream.write(f"<ANNOTATION teacher_id={_quote(annotator)}>\n")
            for mark in document.marks:
                if mark.annotator == annotator:
                    _write_mistake(mark, starts, stream)
            stream.write("</ANNOTATION>\n")
        stream.write("</DOC>\n")


def _write_mistake(mark: CharacterEdit, starts: Sequence[int], stream: TextIO) -> None:
    places = []
    for which, position in (("start", mark.start), ("end", mark.end)):
        paragraph = bisect_right(starts[:-1], position) - 1
        places.append(f'{which}_par="{paragraph}" {which}_off="{position - starts[paragraph]}"')
    if mark.type != mark.type.strip():
        raise DataError(f"NUCLE SGML cannot represent the error type {mark.type!r}")
    stream.write(f"<MISTAKE {' '.join(places)}>\n<TYPE>{_escape(mark.type)}</TYPE>\n")
    stream.write(f"<CORRECTION>{_escape(mark.correction or '')}</CORRECTION>\n")
    if mark.comment != _NO_COMMENT:
        stream.write(f"<COMMENT>{_escape(mark.comment)}</COMMENT>\n")
    stream.write("</MISTAKE>\n")


def _quote(value: str) -> str:
    if any(character in value for character in "\n\r\0"):
        raise DataError(f"NUCLE SGML cannot represent the name {value!r}")
    for entity, character in reversed(_ENTITIES.items()):  # the ampersand first
        value = value.replace(character, entity)
    return f'"{value}"'
