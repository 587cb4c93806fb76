"""A JSON list of strings: one sentence each, as programs write what a model answered.

::

    ["This is wrong .", "It is fine ."]

A list of objects is read wherever JSON lines are (:mod:`redink.formats.json_lines`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from redink.formats.json_lines import is_list_of_strings, read_strings
from redink.formats.registry import Format
from redink.formats.text import count_lost, sentence_of, token_line, warn_of_loss
from redink.model import AnnotatedSentence
from redink.raw_text.tokenization import Tokenise


def read_json_list(
    path: str | Path, *, tokenise: Tokenise | None = None
) -> Iterator[AnnotatedSentence]:
    """A sentence for every string; tokens separated by white space, or raw text to tokenise."""
    for _, text in read_strings(path):
        yield AnnotatedSentence(sentence_of(text, tokenise))


def write_json_list(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
    """The sources, a string each; one warning counts what else there was."""
    lost = Counter[str]()
    before = "["
    for sentence in sentences:
        text = json.dumps(token_line(sentence.source, "a list of strings"), ensure_ascii=False)
        stream.write(f"{before}\n{text}")
        before = ","
        lost.update(count_lost(sentence))
    stream.write("[]\n" if before == "[" else "\n]\n")
    warn_of_loss("a list of strings", lost)


JSON_LIST = Format(
    name="json",
    kind="corpus",
    description="a list of strings, one tokenised sentence each",
    suffixes=(),
    recognise=is_list_of_strings,
    read=read_json_list,
    write=write_json_list,
    may_be_raw=True,
)
