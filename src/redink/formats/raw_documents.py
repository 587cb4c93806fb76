"""Untokenized documents: MultiGEC Markdown, JSON lines, folders of text files, a single text.

::

    ### essay_id = 17
    The text of the writer, in paragraphs.

    {"id": "17", "text": "The text of the writer."}
    {"id": "17", "messages": [{"role": "user", "content": "..."}, {"role": "assistant", ...}]}

The text of a chat log is the last answer. Conversion between these formats keeps texts byte for
byte. Commands that expect a corpus split documents into sentences and tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from redink.errors import DataError, FormatError
from redink.files import placed, read_lines, read_text
from redink.formats.recognition import (
    MULTIGEC_HEADER,
    document_layout,
    is_list_of_strings,
    read_head,
)
from redink.formats.strict_json import Object, read_objects, read_strings, write_object
from redink.model import Sentence
from redink.raw_text.tokenization import Tokenize, sentence_spans
from redink.raw_text.unanswered_replies import Ending

_TEXTS = (
    *("text", "hypothesis", "corrected", "correction", "prediction", "output", "answer"),
    *("response", "completion", "content", "target"),
)
_NAMES = (
    *("custom_id", "id", "essay_id", "doc", "doc_id", "document", "sentence_id", "name", "key"),
    *("index", "idx"),
)
_OWN_ID = re.compile(r"(?:chatcmpl|cmpl|msg|resp|gen|batch_req)[-_]")  # an id that an API generated
_INSIDE = ("response", "body", "result", "message", "choices", "candidates")
_REASONS: dict[str, Ending] = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "truncated"),
    **dict.fromkeys(("model_context_window_exceeded", "content_filter"), "truncated"),
    **dict.fromkeys(("refusal", "safety", "recitation"), "refusal"),
    **dict.fromkeys(("prohibited_content", "blocklist"), "refusal"),
    **dict.fromkeys(("errored", "expired", "canceled", "cancelled", "failed"), "error"),
}
"""The stop reasons of LLM APIs."""
_FIRST_ERROR = 400  # the lowest HTTP status that is an error
_SUFFIXES = (".txt", ".md", ".text", ".gz", ".zst")


@dataclass(frozen=True, slots=True)
class RawDocument:
    """An untokenized document."""

    id: str
    text: str
    ending: Ending = ""


def read_documents(path: str | Path, *, field: str | None = None) -> list[RawDocument]:
    """Return the documents of a file or a folder; the last MultiGEC essay with an id is used.

    Args:
        path: a file, or a folder with one text file per document.
        field: the JSON field that contains the text, with dots between nested fields
            (``choices.0.message.content``).
    """
    found = stream_documents(path, field=field)
    return _keep_last(found) if document_layout(path) == "multigec" else list(found)


def _keep_last(documents: Iterable[RawDocument]) -> list[RawDocument]:
    return list({document.id: document for document in documents}.values())


def stream_documents(path: str | Path, *, field: str | None = None) -> Iterator[RawDocument]:
    """Yield all documents one at a time, including MultiGEC essays with the same id."""
    layout = document_layout(path)
    if layout == "jsonl":
        yield from read_json_documents(path, field)
    elif layout == "folder":
        yield from read_folder(path)
    elif field is not None:
        raise FormatError("is not JSON lines, so no field can be chosen", path=path)
    elif layout == "multigec":
        with placed(path):
            yield from _stream_multigec(line for _, line in read_lines(path))
    elif is_list_of_strings(read_head(path)):
        yield from (RawDocument("", text) for _, text in read_strings(path, null=""))
    else:
        yield RawDocument("", read_text(path))


def split_documents(documents: Iterable[RawDocument], tokenize: Tokenize) -> Iterator[Sentence]:
    """Yield the sentences of documents, with ids ``DOCUMENT.PARAGRAPH.NUMBER``."""
    for document in documents:
        for paragraph, body in enumerate(document.text.split("\n"), start=1):
            for number, (start, end) in enumerate(sentence_spans(body), start=1):
                text = body[start:end]
                name = f"{document.id}.{paragraph}.{number}" if document.id else None
                yield Sentence.from_text(text, tokenize(text), id=name)


# ---- folders


def read_folder(folder: str | Path) -> Iterator[RawDocument]:
    """Yield the text files of a folder, in the order of their names."""
    visible = (path for path in Path(folder).iterdir() if not path.name.startswith("."))
    paths = sorted(path for path in visible if path.is_file() and path.suffix in _SUFFIXES)
    if not paths:
        raise FormatError("contains no text files (.txt, .md)", path=folder)
    for path in paths:
        yield RawDocument(path.name.split(".")[0], read_text(path))


# ---- MultiGEC


def read_multigec(path: str | Path) -> Iterator[RawDocument]:
    """Yield the essays of a file."""
    with placed(path):
        yield from parse_multigec(read_text(path))


def parse_multigec(text: str) -> list[RawDocument]:
    """Return the essays of MultiGEC Markdown; the last one with an id is used, as in the task."""
    return _keep_last(_stream_multigec(text.split("\n")))


def _stream_multigec(lines: Iterable[str]) -> Iterator[RawDocument]:
    """Yield the essays; a header may begin anywhere in a line."""
    part: list[str] = []  # the id of an essay and its lines
    for line in lines:
        first, *headers = line.split(MULTIGEC_HEADER)
        if part:
            part.append(first)
        for name in headers:
            yield from _essay_of(part)
            part = [name]
    yield from _essay_of(part)


def _essay_of(part: Sequence[str]) -> Iterator[RawDocument]:
    if len(part) == 1:
        raise DataError(f"the text of essay {part[0][:40]!r} is missing after its header")
    if part:
        yield RawDocument(part[0], "\n".join(part[1:]).strip("\n"))


def write_multigec(documents: Iterable[RawDocument], stream: TextIO) -> None:
    """Write essays as MultiGEC Markdown; raise an error if an essay would be read differently."""
    seen: set[str] = set()
    for document in documents:
        name, part = document.id, f"{MULTIGEC_HEADER}{document.id}\n{document.text}\n\n"
        if "\r" in part or "\0" in part:
            raise DataError(
                f"multigec cannot represent a carriage return or NUL (essay {name[:40]!r})"
            )
        if name in seen:
            raise DataError(f"multigec cannot represent two essays with the id {name!r}")
        if parse_multigec(part) != [document]:
            raise DataError(
                f"multigec cannot represent the essay {name[:40]!r}: it begins or ends with empty "
                "lines, contains a header, or has a line break in its id"
            )
        seen.add(name)
        stream.write(part)


# ---- JSON lines, including LLM output


def write_json_documents(documents: Iterable[RawDocument], stream: TextIO) -> None:
    """Write documents as JSON lines."""
    for document in documents:
        write_object({"id": document.id, "text": document.text}, stream)


def read_json_documents(path: str | Path, field: str | None = None) -> Iterator[RawDocument]:
    """Yield the documents of JSON lines; failed requests have no text."""
    for line, value in read_objects(path):
        with placed(path, line):
            ending = _ending_of(value)
            try:
                text = _inside(value, field) if field else _text_of(value)
            except DataError:
                if ending not in {"error", "refusal"}:
                    raise
                text = None
            if text and text.strip():  # not a failure: the refusal followed this text
                ending = "truncated" if ending in {"truncated", "refusal"} else ""
            yield RawDocument(_name_of(value), text or "", ending)


def has_text(value: Object) -> bool:
    """Return whether an object has a known text field or is a failed request."""
    try:
        _text_of(value)
    except DataError:
        return "custom_id" in value and _ending_of(value) != ""
    return True


def _name_of(value: Object) -> str:
    for key in _NAMES:
        found = value.get(key)
        if isinstance(found, str | int) and not _OWN_ID.match(str(found)):
            return str(found)
    return ""


def _ending_of(value: Object) -> Ending:
    """Return the stop reason of an answer, as given by the APIs of OpenAI, Anthropic and Google."""
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


def _text_of(value: Object) -> str | None:
    """Return the text, or the last answer of a chat log; None for an answer without text."""
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
        f"unknown fields ({', '.join(map(str, value))[:80]}); name the field that contains the "
        "text with --field"
    )


def _joined(parts: Sequence[Any]) -> str | None:
    """Join the parts of an answer, without the reasoning of the model."""
    texts = [
        _text_of({"content": None, **part})
        for part in parts
        if isinstance(part, dict)
        and part.get("type") not in {"reasoning", "thinking", "redacted_thinking"}
        and not part.get("thought")
    ]
    return "".join(text for text in texts if text is not None) or None


def _last_answer(messages: Sequence[Any]) -> str | None:
    for message in reversed([one for one in messages if isinstance(one, dict)]):
        if message.get("role", message.get("from")) not in {"user", "system", "human"}:
            return _text_of({**message, "text": message.get("value", message.get("content"))})
    raise DataError("the messages contain no answer")


def _inside(value: Any, field: str) -> str | None:
    for step in field.split("."):
        if value is None:
            return None
        at: str | int = int(step) if re.fullmatch(r"-?\d{1,9}", step) else step
        try:
            value = value[at if isinstance(value, list) else step]
        except (LookupError, TypeError):
            raise DataError(f"has no field {field!r}") from None
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return _joined(value)
    if value is not None and not isinstance(value, str):
        raise DataError(f"expected a string for {field!r}, found {str(value)[:40]!r}")
    return value
