"""W&I and FCE JSON lines: one text per line, with character edits of each annotator.

::

    {"id": "1-a", "text": "I has a cat.", "edits": [[0, [[2, 5, "have", "R:VERB:SVA"]]]]}

An edit is ``[start, end, correction]``, in FCE with the error type as a fourth item. The correction
``null`` marks an error without a correction and becomes an edit of type ``UNK``. A text with
``"tokenized": true`` contains tokens separated by spaces, one sentence per line; redink writes this
if there is no raw text.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from redink.errors import DataError, RedinkWarning
from redink.files import placed
from redink.formats.character_edits import (
    CharacterEdit,
    MarkedDocument,
    join_sentences,
    split_document,
)
from redink.formats.strict_json import Object, list_of, read_objects, text_of, write_object
from redink.model import UNKNOWN, UNTYPED, AnnotatedSentence
from redink.raw_text.tokenization import Tokenize, treebank_tokens

_KNOWN = frozenset({"id", "text", "edits", "tokenized", "tokenised"})


def read_wi_jsonl(
    path: str | Path, *, tokenize: Tokenize = treebank_tokens
) -> Iterator[AnnotatedSentence]:
    """Yield the sentences of a W&I or FCE file, one text at a time."""
    unknown: dict[str, None] = {}
    for line, value in read_objects(path):
        with placed(path, line):
            sentences = split_document(_document(value), tokenize)
        unknown.update(dict.fromkeys(sorted(value.keys() - _KNOWN)))
        yield from sentences
    if unknown:
        message = f"{path}: information about the writers ({', '.join(unknown)}) is ignored"
        warnings.warn(message, RedinkWarning, stacklevel=2)


def _document(value: Object) -> MarkedDocument:
    text = text_of(value, "text")
    name = value.get("id", "")
    if type(name) not in {str, int}:
        raise DataError(f"expected a string for 'id', found {str(name)[:40]!r}")
    annotators: dict[str, None] = {}
    marks: list[CharacterEdit] = []
    for given in list_of(value, "edits", list):
        if len(given) != 2 or not isinstance(given[1], list) or type(given[0]) not in {str, int}:
            raise DataError("expected [annotator, [edit, ...]] for each annotator in 'edits'")
        annotator = str(given[0])
        annotators[annotator] = None
        marks.extend(_mark(annotator, edit, len(text)) for edit in given[1])
    paragraphs = tuple(text.split("\n"))
    is_tokenized = True in (value.get("tokenized"), value.get("tokenised"))
    return MarkedDocument(
        str(name), paragraphs, tuple(annotators), tuple(marks), tokenized=is_tokenized
    )


def _mark(annotator: str, edit: Any, length: int) -> CharacterEdit:
    if not isinstance(edit, list) or not 3 <= len(edit) <= 4:
        raise DataError(
            "expected an edit [start, end, correction] or [start, end, correction, type]"
        )
    start, end, correction, *given = edit
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= length:
        raise DataError(
            f"characters {str(start)[:20]} to {str(end)[:20]} are not a valid span in a text of "
            f"length {length}"
        )
    kind = given[0] if given else None
    if not isinstance(correction, str | None):
        raise DataError(f"expected a string or null for a correction, found {str(correction)[:40]}")
    if not isinstance(kind, str | None):
        raise DataError(f"expected a string for an error type, found {str(kind)[:40]}")
    if kind is None:
        kind = UNKNOWN if correction is None else UNTYPED
    return CharacterEdit(annotator, start, end, correction, kind)


def write_wi_jsonl(
    sentences: Iterable[AnnotatedSentence], stream: TextIO, *, tokenize: Tokenize = treebank_tokens
) -> None:
    """Write sentences as W&I JSON lines."""
    for document in join_sentences(sentences, tokenize, format_name="W&I JSON", comments=False):
        edits: dict[str, list[list[Any]]] = {annotator: [] for annotator in document.annotators}
        for mark in document.marks:
            edit: list[Any] = [mark.start, mark.end, mark.correction]
            if mark.type != (UNKNOWN if mark.correction is None else UNTYPED):
                edit.append(mark.type)
            edits[mark.annotator].append(edit)
        value: Object = {"id": document.id} if document.id else {}
        value["text"] = document.text
        if document.tokenized:
            value["tokenized"] = True
        value["edits"] = [[_number(annotator), given] for annotator, given in edits.items()]
        write_object(value, stream)


def _number(annotator: str) -> str | int:
    """Convert numeric annotator names to numbers, as in these corpora; keep other names."""
    is_number = annotator.isascii() and annotator.isdecimal() and len(annotator) < 10
    return int(annotator) if is_number and str(int(annotator)) == annotator else annotator
