"""Sentences: tokens, and their raw text if it is known."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from sys import intern

from redink.errors import DataError

_NAMED = re.compile(r"(.+)\.(0|[1-9]\d{0,8})\.([1-9]\d{0,8})", re.DOTALL | re.ASCII)


def parse_name(name: str | None) -> tuple[str, int, int] | None:
    """Return the parts of a sentence ID of the form ``DOCUMENT.PARAGRAPH.NUMBER``."""
    found = _NAMED.fullmatch(name or "")
    return (found[1], int(found[2]), int(found[3])) if found else None


def document_of(name: str | None) -> str | None:
    """Return the document of a sentence ID; an ID of another form is the document itself."""
    place = parse_name(name)
    return place[0] if place else name


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence.

    Attributes:
        tokens: the words and punctuation marks.
        text: the raw text, if the sentence is from raw text.
        offsets: ``(start, end)`` of every token in ``text``, in characters.
        id: an ID of the sentence, if the file has one.
        spaced: the original line, if tokens are separated by other than single spaces.
    """

    tokens: tuple[str, ...]
    text: str | None = None
    offsets: tuple[tuple[int, int], ...] | None = None
    id: str | None = None
    spaced: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.offsets is not None:
            if self.text is None:
                raise DataError("a sentence with token offsets needs the text they refer to")
            if len(self.offsets) != len(self.tokens):
                raise DataError(
                    f"{len(self.offsets)} offsets for {len(self.tokens)} tokens: {self.text!r}"
                )
            reached = 0
            for start, end in self.offsets:
                if not reached <= start < end <= len(self.text):
                    raise DataError(
                        f"invalid token offsets {start}:{end}: they must be ascending and in the "
                        f"{len(self.text)} characters of the text"
                    )
                reached = end

    @classmethod
    def from_line(cls, line: str, *, id: str | None = None) -> Sentence:  # noqa: A002
        """Return a sentence from a line whose tokens are separated by whitespace."""
        tokens = tuple(map(intern, line.split()))  # equal words share memory
        spaced = None if " ".join(tokens) == line else line
        return cls(tokens, id=id, spaced=spaced)

    @classmethod
    def from_text(
        cls,
        text: str,
        offsets: Iterable[tuple[int, int]],
        *,
        id: str | None = None,  # noqa: A002
    ) -> Sentence:
        """Return a sentence from raw text and the character offsets of its tokens."""
        spans = tuple(offsets)
        return cls(tuple(text[start:end] for start, end in spans), text, spans, id)

    def __str__(self) -> str:
        return " ".join(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def token_offsets(self) -> tuple[tuple[int, int], ...]:
        """Return the character offsets of the tokens, in ``text`` or else in ``str(self)``."""
        if self.offsets is not None:
            return self.offsets
        ends = list(accumulate(len(token) + 1 for token in self.tokens))
        return tuple((end - len(t) - 1, end - 1) for t, end in zip(self.tokens, ends, strict=True))

    def to_characters(self, start: int, end: int) -> tuple[int, int]:
        """Return the character span of tokens ``start:end``; an insertion point is empty.

        An insertion point is before the token ``start``, or at the end of the sentence.
        """
        if not 0 <= start <= end <= len(self.tokens):
            raise DataError(f"tokens {start}:{end} are not in a sentence of {len(self.tokens)}")
        offsets = self.token_offsets()
        if start < end:
            return offsets[start][0], offsets[end - 1][1]
        if start < len(offsets):
            return offsets[start][0], offsets[start][0]
        last = offsets[-1][1] if offsets else 0
        return last, last

    def to_tokens(self, start: int, end: int) -> tuple[int, int]:
        """Return the tokens touched by characters ``start:end``.

        A span inside a token selects the whole token. An empty span, or one that covers only
        whitespace, is an insertion point: before the first token that begins at or after ``start``.
        """
        if not 0 <= start <= end:
            raise DataError(f"invalid character span {start}:{end}")
        offsets = self.token_offsets()
        begins = [b for b, _ in offsets]
        ends = [e for _, e in offsets]
        first = bisect_right(ends, start)
        if start == end:
            # inside a token: the token itself; between tokens: an insertion point
            if first < len(offsets) and begins[first] < start:
                return first, first + 1
            return first, first
        last = bisect_left(begins, end)
        return (first, last) if first < last else (first, first)
