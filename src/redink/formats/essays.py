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

import re
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
from redink.model import Sentence
from redink.raw_text.tokenization import Tokenise, sentence_spans
from redink.raw_text.unanswered_replies import Ending

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
_NAMES = (
    "custom_id",
    "id",
    "essay_id",
    "doc",
    "doc_id",
    "document",
    "sentence_id",
    "name",
    "key",
    "index",
    "idx",
)
_OWN_ID = re.compile(r"(?:chatcmpl|cmpl|msg|resp|gen|batch_req)[-_]")
"""An id that an API made up."""
_INSIDE = ("response", "body", "result", "message", "choices", "candidates")
_REASONS: dict[str, Ending] = {
    **dict.fromkeys(
        (
            "length",
            "max_tokens",
            "max_output_tokens",
            "model_length",
            "model_context_window_exceeded",
            "content_filter",
        ),
        "truncated",
    ),
    **dict.fromkeys(
        ("refusal", "safety", "recitation", "prohibited_content", "blocklist"), "refusal"
    ),
    **dict.fromkeys(("errored", "expired", "canceled", "cancelled", "failed"), "error"),
}
"""What the APIs of models call the ways in which an answer may end."""
_NOT_ESSAYS = frozenset({"tokens", "edits", "annotations", "source"})
_SUFFIXES = (".txt", ".md", ".text", ".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Essay:
    """A document as it was written."""

    id: str
    text: str
    ending: Ending = ""


def read_essays(path: str | Path, *, field: str | None = None) -> list[Essay]:
    """The documents of a file or a folder, whatever form they have."""
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
        yield from (Essay("", text) for _, text in read_strings(path, null=""))
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
    """Whether an object has a known field for its text, or is an answer that failed."""
    try:
        _text_of(value)
    except DataError:
        return "custom_id" in value and _ending_of(value) != ""
    return True


def parse_multigec(text: str) -> list[Essay]:
    """The essays of MultiGEC's Markdown; of two with one id the last counts, as in the task."""
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
    """Essays as MultiGEC's Markdown."""
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
    """The text files of a folder, by name."""
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
    """The documents of JSON lines, one at a time; an answer that failed has no text."""
    for line, value in read_objects(path):
        with placed(path, line):
            ending = _ending_of(value)
            try:
                text = _inside(value, field) if field else _text_of(value)
            except DataError:
                if ending not in {"error", "refusal"}:
                    raise
                text = None
            yield Essay(_name_of(value), text or "", _settle(ending, text))


def _settle(ending: Ending, text: str | None) -> Ending:
    """How an answer ended: with text, an error is none, and a refusal comes after the text."""
    if ending == "truncated" or not (text or "").strip():
        return ending
    return "truncated" if ending == "refusal" else ""


def _name_of(value: Object) -> str:
    for key in _NAMES:
        found = value.get(key)
        if isinstance(found, str | int) and not _OWN_ID.match(str(found)):
            return str(found)
    return ""


def _ending_of(value: Object) -> Ending:
    """How an answer ended, as the APIs of OpenAI, Anthropic and Google write it."""
    if value.get("error") or value.get("refusal"):
        return "error" if value.get("error") else "refusal"
    for key in ("finish_reason", "stop_reason", "finishReason", "reason", "blockReason", "type"):
        if (found := _REASONS.get(str(value.get(key)).casefold())) is not None:
            return found
    status = value.get("status_code")
    if isinstance(status, int) and status >= _FIRST_ERROR:
        return "error"
    for key in (*_INSIDE, "output", "content", "incomplete_details", "promptFeedback"):
        inside = value.get(key)
        several = inside if isinstance(inside, list) else [inside]
        for one in several[:1] if key in {"choices", "candidates"} else several:
            if isinstance(one, dict) and (found := _ending_of(one)):
                return found
    return ""


_FIRST_ERROR = 400
"""The lowest status of HTTP that is an error."""


def _text_of(value: Object) -> str | None:
    """The text, or the last answer of a log of a chat; None for an answer without text."""
    for key in _TEXTS:
        if isinstance(value.get(key), str):
            return str(value[key])
    for key in ("messages", "conversation", "conversations"):
        if isinstance(value.get(key), list):
            return _last_answer(value[key])
    for key in ("content", "output", "parts"):
        if isinstance(value.get(key), list):
            return _joined(value[key])
    for key in (*_INSIDE, "content"):
        inside = value.get(key)
        inside = inside[0] if isinstance(inside, list) and inside else inside
        if isinstance(inside, dict):
            return _text_of(inside)
    if any(key in value and value[key] is None for key in (*_TEXTS, *_INSIDE)):
        return None
    raise DataError(
        f"none of its fields ({', '.join(map(str, value))[:80]}) is known to hold the text; name "
        "it with --field"
    )


def _joined(parts: Sequence[Any]) -> str | None:
    """The text of an answer that comes in parts, without the model's reasoning."""
    texts = [
        _text_of({"content": None, **part})
        for part in parts
        if isinstance(part, dict)
        and part.get("type") not in {"reasoning", "thinking", "redacted_thinking"}
        and not part.get("thought")
    ]
    return "".join(text for text in texts if text is not None) or None


def _last_answer(messages: Sequence[Any]) -> str | None:
    for message in reversed(messages):
        if isinstance(message, dict) and message.get("role", message.get("from")) not in {
            "user",
            "system",
            "human",
        }:
            return _text_of({**message, "text": message.get("value", message.get("content"))})
    raise DataError("the messages hold no answer")


def _inside(value: Any, field: str) -> str | None:
    for step in field.split("."):
        if value is None:
            return None
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
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return _joined(value)
    if value is not None and not isinstance(value, str):
        raise DataError(f"expected a string for {field!r}, found {str(value)[:40]!r}")
    return value
