"""Find the document of each sentence, and the position of the sentence in it.

Sentences of one document are not independent: they have the same writer and topic. Confidence
intervals and tests may resample documents instead, and a report may show the original documents.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from redink.errors import DataError, FormatError, OptionError
from redink.files import read_lines
from redink.formats.raw_documents import RawDocument, read_documents
from redink.formats.recognition import document_layout
from redink.inputs.input_checks import warn_about_documents
from redink.inputs.input_options import DocumentsLike
from redink.model import Sentence, document_of, parse_name
from redink.raw_text.text_alignment import align_text, join_texts
from redink.raw_text.text_atoms import cut_atoms
from redink.raw_text.tokenization import treebank_tokens

Span = tuple[int, int]
_MOST_LOST = 0.02  # the maximum share of sentences missing from documents


@dataclass(frozen=True)
class DocumentPositions:
    """The positions of sentences in their documents."""

    names: tuple[str, ...]
    texts: dict[str, str]
    spans: tuple[Span, ...]
    sources: tuple[Sentence, ...]

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The document number of each sentence, from 0."""
        return number_groups(self.names)

    def drawn(self) -> NDArray[np.int64]:
        """Return the document number of each sentence for resampling; there must be several."""
        if len(self.texts) < 2:
            raise DataError("documents cannot be resampled, because there is only one")
        return self.numbers

    def members(self, name: str) -> list[int]:
        """Return the sentence numbers (from 0) of a document."""
        return np.flatnonzero(self.numbers == list(self.texts).index(name)).tolist()

    def token_offsets(self, number: int) -> list[Span]:
        """Return the character span of each token of a sentence in its document."""
        sentence, (start, end) = self.sources[number], self.spans[number]
        text = self.texts[self.names[number]]
        written = str(sentence) if sentence.text is None else sentence.text
        if text[start:end] == written:
            return [(start + a, start + b) for a, b in sentence.token_offsets()]
        return _lay(sentence.tokens, text, start, end)


def number_groups(names: Sequence[str]) -> NDArray[np.int64]:
    """Return a number from 0 for each name, in order of appearance."""
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([known[name] for name in names], dtype=np.int64)


def place_sentences(
    sources: Sequence[Sentence], given: DocumentsLike | None = None
) -> DocumentPositions:
    """Find each sentence in its document."""
    if isinstance(given, str | Path) and document_layout(given) is not None:
        return _find(sources, read_documents(given), given)
    if given is not None:
        return _joined(sources, read_names(given, len(sources)))
    names = [document_of(sentence.id) for sentence in sources]
    if None in names or len(set(names)) == len(names):
        raise OptionError(
            "the ids of the sentences do not contain document names (DOCUMENT.PARAGRAPH.NUMBER). "
            "Try: --documents FILE, with the document name of each sentence or the documents"
        )
    return _joined(sources, [name or "" for name in names])


def read_names(given: DocumentsLike, size: int | None = None) -> list[str]:
    """Read one document name per sentence from a list or a file."""
    if isinstance(given, str | Path):
        path, lines = given, read_lines(given)
    else:
        path, lines = "documents", enumerate(map(str, given), start=1)
    names = []
    for number, line in lines:
        if not line.strip():
            raise FormatError("expected a document name", path=path, line=number)
        names.append(line.strip())
    if size is not None and len(names) != size:
        problem = f"has {len(names)} document names, but there are {size} sentences"
        raise FormatError(problem, path=path)
    return names


def document_numbers(ids: Sequence[str], given: DocumentsLike | None) -> NDArray[np.int64]:
    """Return the document number (from 0) of each judged sentence."""
    if given is None:
        found = []
        for one in ids:
            if (place := parse_name(one)) is None:
                raise OptionError(
                    f"the id {one!r} does not contain a document name (DOCUMENT.PARAGRAPH.NUMBER). "
                    "Try: --documents FILE, with one document name per sentence"
                )
            found.append(place[0])
    else:
        lines = read_names(given)
        for one in ids:
            if not one.isdecimal() or not 0 < int(one) <= len(lines):
                where = f"{given} line" if isinstance(given, str | Path) else "document"
                raise OptionError(f"the id {one!r} is not a {where} number")
        found = [lines[int(one) - 1] for one in ids]
    if len(set(found)) < 2:
        raise DataError("documents cannot be resampled, because there is only one")
    numbers = number_groups(found)
    warn_about_documents(numbers)
    return numbers


def _joined(sources: Sequence[Sentence], names: Sequence[str]) -> DocumentPositions:
    """Join sentences to documents, one line per paragraph if the ids contain paragraphs."""
    texts: dict[str, str] = {}
    spans = []
    last: dict[str, int | None] = {}
    for sentence, name in zip(sources, names, strict=True):
        body = str(sentence) if sentence.text is None else sentence.text
        place = parse_name(sentence.id)
        paragraph = place[1] if place else None
        before = ""
        if name in texts:
            before = texts[name] + (" " if last[name] == paragraph else "\n")
        texts[name], last[name] = f"{before}{body}", paragraph
        spans.append((len(before), len(texts[name])))
    return DocumentPositions(tuple(names), texts, tuple(spans), tuple(sources))


def _find(
    sources: Sequence[Sentence], essays: Sequence[RawDocument], given: str | Path
) -> DocumentPositions:
    """Find the sentences in the original documents."""
    names = [essay.id or str(number) for number, essay in enumerate(essays, start=1)]
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise FormatError(f"contains two documents with the id {twice[0]!r}", path=given)
    bodies = [essay.text for essay in essays]
    gap = len(join_texts(["", ""]))
    begins = [0, *accumulate(len(body) + gap for body in bodies)][:-1]
    found = align_text([s.tokens for s in sources], bodies, tokenize=treebank_tokens)
    lost = [number for number, one in enumerate(found.sentences) if one.status != "aligned"]
    if len(lost) > _MOST_LOST * len(sources):
        raise FormatError(
            f"does not contain {len(lost)} of {len(sources)} sentences; the first is sentence "
            f"{lost[0] + 1}: {str(sources[lost[0]])[:60]!r}",
            path=given,
        )
    owners, spans = [], []
    start = end = 0
    for sentence in found.sentences:
        # a sentence not found, such as a single mark, gets the end of the previous sentence
        start, end = sentence.span if sentence.status == "aligned" else (end, end)
        at = bisect_right(begins, start) - 1
        owners.append(names[at])
        spans.append((start - begins[at], end - begins[at]))
    known = dict(zip(names, bodies, strict=True))
    texts = {name: known[name] for name in dict.fromkeys(owners)}
    return DocumentPositions(tuple(owners), texts, tuple(spans), tuple(sources))


def _lay(tokens: Sequence[str], text: str, start: int, end: int) -> list[Span]:
    """Return the spans of tokens in a text, whose quotation marks and dashes may differ."""
    ours = [(number, form) for number, t in enumerate(tokens) for form in cut_atoms(t).forms]
    theirs = cut_atoms(text[start:end])
    matched = SequenceMatcher(None, [form for _, form in ours], theirs.forms, autojunk=False)
    found: dict[int, Span] = {}
    for block in matched.get_matching_blocks():
        for shift in range(block.size):
            number, at = ours[block.a + shift][0], block.b + shift
            first = found.get(number, (start + theirs.starts[at], 0))[0]
            found[number] = (first, start + theirs.ends[at])
    spans, reached = [], start
    for number in range(len(tokens)):
        spans.append(found.get(number, (reached, reached)))
        reached = spans[-1][1]
    return spans
