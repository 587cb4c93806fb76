"""Raw documents: essays in the Markdown of MultiGEC, JSON lines, folders of text files, one text.

::

    ### essay_id = 17
    What the writer wrote, in paragraphs.

    {"id": "17", "text": "What the writer wrote."}
    {"id": "17", "messages": [{"role": "user", "content": "..."}, {"role": "assistant", ...}]}

Of a log of a chat, the last answer counts. What a document holds is kept as it is: nothing is
split or tokenised here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from redink.errors import DataError, FormatError
from redink.files import placed, read_lines, read_text
from redink.formats.json_lines import (
    Object,
    first_object,
    is_list_of_strings,
    read_head,
    read_objects,
    read_strings,
    write_object,
)
from redink.formats.treebank import Tokenise, sentence_spans
from redink.model import Sentence

_HEADER = "### essay_id = "
_TEXTS = (
    "text",
    "hypothesis",
    "corrected",
    "correction",
    "prediction",
    "output",
    "answer",
    "response",
    "completion",
    "content",
    "target",
)
_NAMES = ("id", "essay_id", "doc", "doc_id", "document", "custom_id", "name")
_NOT_ESSAYS = frozenset({"tokens", "edits", "annotations", "source"})
_SUFFIXES = (".txt", ".md", ".text", ".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Essay:
    """A document as it was written.

    Attributes:
        id: its name; empty if it has none.
        text: all of it.
    """

    id: str
    text: str


def read_essays(path: str | Path, *, field: str | None = None) -> list[Essay]:
    """The documents of a file or a folder, whatever form they have.

    Args:
        path: a file, or a folder with a text file for each document.
        field: for JSON lines, the field that holds the text, with dots between a field and what
            lies in it (``choices.0.message.content``).

    Raises:
        FormatError: the file cannot be read, or an object has no text.
    """
    found = list(stream_essays(path, field=field))
    if form_of(path) == "multigec":
        return list({essay.id: essay for essay in found}.values())
    return found


def stream_essays(path: str | Path, *, field: str | None = None) -> Iterator[Essay]:
    """The same, one at a time; of MultiGEC's essays with one id, every one comes."""
    form = form_of(path)
    if form == "jsonl":
        yield from read_jsonl(path, field)
    elif form == "folder":
        yield from stream_folder(Path(path))
    elif field is not None:
        raise FormatError("is not JSON lines, so it has no fields to choose from", path=path)
    elif form == "multigec":
        with placed(path):
            yield from _stream_multigec(line for _, line in read_lines(path))
    elif is_list_of_strings(read_head(path)):
        yield from (Essay("", text) for _, text in read_strings(path))
    else:
        yield Essay("", read_text(path))


def form_of(path: str | Path) -> str | None:
    """``folder``, ``multigec`` or ``jsonl`` for a file of documents; None for anything else."""
    if Path(path).is_dir():
        return "folder"
    head = read_head(path)
    if is_multigec(head):
        return "multigec"
    first = first_object(head)
    return "jsonl" if first and not _NOT_ESSAYS & first.keys() else None


def is_multigec(head: Sequence[str]) -> bool:
    """Whether a file that begins so has a header of MultiGEC."""
    return any(line.startswith(_HEADER) for line in head)


def is_jsonl(head: Sequence[str]) -> bool:
    """Whether an object has a known field for its text, and nothing that says it is no document."""
    first = first_object(head)
    return bool(first) and not _NOT_ESSAYS & first.keys() and has_text(first)


def has_text(value: Object) -> bool:
    """Whether an object has a known field for its text."""
    try:
        _text_of(value)
    except DataError:
        return False
    return True


def parse_multigec(text: str) -> list[Essay]:
    """The essays of MultiGEC's Markdown; of two with one id the last counts, as in the task.

    Raises:
        DataError: a header without a line after it.
    """
    found = {essay.id: essay for essay in _stream_multigec(text.split("\n"))}
    return list(found.values())


def _stream_multigec(lines: Iterable[str]) -> Iterator[Essay]:
    """The essays of lines; a header counts wherever in a line it stands."""
    part: list[str] | None = None
    for line in lines:
        first, *headers = line.split(_HEADER)
        if part is not None:
            part.append(first)
        for name in headers:
            if part is not None:
                yield _essay_of(part)
            part = [name]
    if part is not None:
        yield _essay_of(part)


def _essay_of(part: Sequence[str]) -> Essay:
    name, *body = part
    if not body:
        raise DataError(f"the header of essay {name[:40]!r} is not followed by a line")
    return Essay(name, "\n".join(body).strip("\n"))


def write_multigec(essays: Iterable[Essay], stream: TextIO) -> None:
    """Essays as MultiGEC's Markdown.

    Raises:
        DataError: two have one id, or it would be read as something else.
    """
    seen: set[str] = set()
    for essay in essays:
        part = f"{_HEADER}{essay.id}\n{essay.text}\n\n"
        if essay.id in seen:
            raise DataError(f"multigec cannot carry two essays with the id {essay.id!r}")
        if parse_multigec(part) != [essay]:
            raise DataError(
                f"multigec cannot carry the essay {essay.id[:40]!r}: empty lines at its ends, a "
                "header in it or a line break in its id would be lost"
            )
        seen.add(essay.id)
        stream.write(part)


def write_essays_jsonl(essays: Iterable[Essay], stream: TextIO) -> None:
    """Essays as JSON lines."""
    for essay in essays:
        write_object({"id": essay.id, "text": essay.text}, stream)


def split_essays(essays: Iterable[Essay], tokenise: Tokenise) -> Iterator[Sentence]:
    """The sentences of documents, named ``DOCUMENT.PARAGRAPH.NUMBER``, one document at a time."""
    for essay in essays:
        for paragraph, body in enumerate(essay.text.split("\n"), start=1):
            for number, (start, end) in enumerate(sentence_spans(body), start=1):
                text = body[start:end]
                name = f"{essay.id}.{paragraph}.{number}" if essay.id else None
                yield Sentence.from_text(text, tokenise(text), id=name)


def read_folder(folder: Path) -> list[Essay]:
    """The text files of a folder, by name.

    Raises:
        FormatError: there are none.
    """
    return list(stream_folder(folder))


def stream_folder(folder: Path) -> Iterator[Essay]:
    """The same, one at a time."""
    paths = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.suffix in _SUFFIXES and not path.name.startswith(".")
    )
    if not paths:
        raise FormatError("holds no text files (.txt, .md)", path=folder)
    for path in paths:
        yield Essay(path.name.split(".")[0], read_text(path))


def read_jsonl(path: str | Path, field: str | None = None) -> Iterator[Essay]:
    """The documents of JSON lines, one at a time."""
    for line, value in read_objects(path):
        with placed(path, line):
            yield Essay(_name_of(value), _inside(value, field) if field else _text_of(value))


def _name_of(value: Object) -> str:
    for key in _NAMES:
        if isinstance(value.get(key), str | int):
            return str(value[key])
    return ""


def _text_of(value: Object) -> str:
    """The text, or the last answer of a log of a chat."""
    for key in _TEXTS:
        if isinstance(value.get(key), str):
            return str(value[key])
    for key in ("messages", "conversation", "conversations"):
        if isinstance(value.get(key), list):
            return _last_answer(value[key])
    inside = value.get("choices")
    if isinstance(inside, list) and inside and isinstance(inside[0], dict):
        return _text_of(inside[0].get("message") or inside[0])
    for key in ("response", "body", "message"):
        if isinstance(value.get(key), dict):
            return _text_of(value[key])
    raise DataError(
        f"none of its fields ({', '.join(map(str, value))[:80]}) is known to hold the text; name "
        "it with --field"
    )


def _last_answer(messages: Sequence[Any]) -> str:
    for message in reversed(messages):
        if isinstance(message, dict) and message.get("role", message.get("from")) not in {
            "user",
            "system",
            "human",
        }:
            return _text_of({**message, "text": message.get("value", message.get("content"))})
    raise DataError("the messages hold no answer")


def _inside(value: Any, field: str) -> str:
    for step in field.split("."):
        if (
            isinstance(value, list)
            and step.lstrip("-").isdigit()
            and -len(value) <= int(step) < len(value)
        ):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            raise DataError(f"has no field {field!r}")
    if not isinstance(value, str):
        raise DataError(f"expected a string for {field!r}, found {str(value)[:40]!r}")
    return value
