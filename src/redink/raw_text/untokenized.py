"""Punctuation marks attached to words: the sign of text that nobody has tokenized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MARKS = frozenset(",;:?!.")
_LEAST = 2
_TOKENIZED = 0.3
"""In tokenized text, a smaller share of the marks is attached to words."""


@dataclass
class MarkCount:
    """Counts marks in lines of text.

    Attributes:
        attached: the number of marks that are attached to words.
        separate: the number of marks that are tokens of their own.
        lines: the number of lines in which a mark is attached to a word.
        first: the first of these lines.
    """

    attached: int = 0
    separate: int = 0
    lines: int = 0
    first: int | None = None

    def add(self, number: int, tokens: Sequence[str]) -> None:
        """Count the marks of a line."""
        attached = self.attached
        for at, token in enumerate(tokens, start=1):
            if token[-1] in _MARKS:
                if len(token) == 1:
                    self.separate += 1
                elif token[-1] != ".":
                    self.attached += token[-2].isalnum()
                elif at == len(tokens):  # elsewhere it may belong to an abbreviation
                    self.attached += len(token) > 2 and token[-3:-1].isalpha()
        if self.attached > attached:
            self.lines += 1
            self.first = self.first or number

    @property
    def is_untokenized(self) -> bool:
        """Whether most marks are attached to words."""
        return self.attached >= _LEAST and self.attached > self.separate

    @property
    def is_tokenized(self) -> bool:
        """Whether few marks are attached to words."""
        return self.attached <= _TOKENIZED * (self.attached + self.separate)

    def is_less_tokenized(self, source: MarkCount) -> bool:
        """Return whether a text seems untokenized next to a source that is tokenized."""
        return self.attached >= _LEAST and source.is_tokenized and not self.is_tokenized
