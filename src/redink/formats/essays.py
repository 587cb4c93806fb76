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
from redink.files import placed, read_head, read_text
from redink.formats.json_lines import Object, first_object, read_objects, write_object

_HEADER = "### essay_id = "
_TEXTS = (
    "text",
    "hypothesis",
    "corrected",
    "output",
    "answer",
    "response",
    "completion",
    "content",
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
    if Path(path).is_dir():
        return _read_folder(Path(path))
    form = form_of(path)
    if form == "jsonl":
        return list(_read_objects(path, field))
    if field is not None:
        raise FormatError("is not JSON lines, so it has no fields to choose from", path=path)
    text = read_text(path)
    if form == "multigec":
        with placed(path):
            return parse_multigec(text)
    return [Essay("", text)]


def form_of(path: str | Path) -> str | None:
    """``folder``, ``multigec`` or ``jsonl`` for a file of documents; None for anything else."""
    if Path(path).is_dir():
        return "folder"
    head = read_head(path)
    if any(line.startswith(_HEADER) for line in head):
        return "multigec"
    first = first_object(head)
    return "jsonl" if first and not _NOT_ESSAYS & first.keys() else None


def parse_multigec(text: str) -> list[Essay]:
    """The essays of MultiGEC's Markdown; of two with one id the last counts, as in the task.

    Raises:
        DataError: a header without a line after it.
    """
    found: dict[str, str] = {}
    for part in text.split(_HEADER)[1:]:
        name, line_break, body = part.partition("\n")
        if not line_break:
            raise DataError(f"the header of essay {name[:40]!r} is not followed by a line")
        found[name] = body.strip("\n")
    return [Essay(name, body) for name, body in found.items()]


def write_multigec(essays: Iterable[Essay], stream: TextIO) -> None:
    """Essays as MultiGEC's Markdown."""
    stream.writelines(f"{_HEADER}{essay.id}\n{essay.text}\n\n" for essay in essays)


def write_essays_jsonl(essays: Iterable[Essay], stream: TextIO) -> None:
    """Essays as JSON lines."""
    for essay in essays:
        write_object({"id": essay.id, "text": essay.text}, stream)


def _read_folder(folder: Path) -> list[Essay]:
    paths = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.suffix in _SUFFIXES and not path.name.startswith(".")
    )
    if not paths:
        raise FormatError("holds no text files (.txt, .md)", path=folder)
    return [Essay(path.name.split(".")[0], read_text(path)) for path in paths]


def _read_objects(path: str | Path, field: str | None) -> Iterator[Essay]:
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
