"""A parsed text: tokens that can be walked through, cut and asked about, as in spaCy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from redink.analysis.analyzer import Analysis, Analyzer


class Doc:
    """A text as tokens; what is known about them is worked out when it is asked for."""

    def __init__(
        self, tokens: Sequence[str], analyser: Analyzer, spaces: Sequence[str] | None = None
    ) -> None:
        """Keep the tokens.

        Args:
            tokens: of the text.
            analyser: what tags and parses.
            spaces: the white space after every token; by default one blank.
        """
        self.words = tuple(tokens)
        self._analyser = analyser
        self._spaces = [" "] * len(self.words) if spaces is None else list(spaces)
        self._analysis: Analysis | None = None
        self._offsets: list[int] | None = None

    def analysis(self, *, parsed: bool = False) -> Analysis:
        """Tags and lemmas, and dependencies where they are wanted."""
        if self._analysis is None or (parsed and self._analysis.dep is None):
            with self._analyser.analyze([self.words]) as batch:
                self._analysis = batch.parse([0])[0] if parsed else batch.analyses[0]
        return self._analysis

    def know(self, analysis: Analysis) -> None:
        """Keep an analysis that was worked out together with others."""
        self._analysis = analysis

    @property
    def is_known(self) -> bool:
        """Whether it has been analysed."""
        return self._analysis is not None

    @property
    def text(self) -> str:
        """The text; as in spaCy, with the blank after the last of given tokens."""
        return "".join(map("".join, zip(self.words, self._spaces, strict=True)))

    def space_after(self, index: int) -> str:
        """The white space after a token."""
        return self._spaces[index]

    def offset(self, index: int) -> int:
        """Where a token begins in the text."""
        if self._offsets is None:
            self._offsets, reached = [], 0
            for word, space in zip(self.words, self._spaces, strict=True):
                self._offsets.append(reached)
                reached += len(word) + len(space)
        return self._offsets[index]

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[Token]:
        return (Token(self, index) for index in range(len(self)))

    @overload
    def __getitem__(self, key: int) -> Token: ...
    @overload
    def __getitem__(self, key: slice) -> Span: ...
    def __getitem__(self, key: int | slice) -> Token | Span:
        if isinstance(key, slice):
            start, end, _ = key.indices(len(self))
            return Span(self, start, max(start, end))
        return Token(self, range(len(self))[key])

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Span:
    """Tokens of a text that stand side by side."""

    def __init__(self, doc: Doc, start: int, end: int) -> None:
        self.doc = doc
        self.start = start
        self.end = end

    @property
    def text(self) -> str:
        """The text without the white space after it."""
        whole = "".join(token.text_with_ws for token in self)
        last = self.doc.space_after(self.end - 1) if len(self) else ""
        return whole.removesuffix(last)

    def __len__(self) -> int:
        return self.end - self.start

    def __iter__(self) -> Iterator[Token]:
        return (Token(self.doc, index) for index in range(self.start, self.end))

    @overload
    def __getitem__(self, key: int) -> Token: ...
    @overload
    def __getitem__(self, key: slice) -> Span: ...
    def __getitem__(self, key: int | slice) -> Token | Span:
        if isinstance(key, slice):
            start, end, _ = key.indices(len(self))
            return Span(self.doc, self.start + start, self.start + max(start, end))
        return Token(self.doc, range(self.start, self.end)[key])

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Token:
    """A word or a mark, by its place in a text."""

    __slots__ = ("doc", "i")

    def __init__(self, doc: Doc, index: int) -> None:
        self.doc = doc
        self.i = index

    @property
    def text(self) -> str:
        """As it is written."""
        return self.doc.words[self.i]

    orth_ = text

    @property
    def whitespace_(self) -> str:
        """What stands between it and the next one."""
        return self.doc.space_after(self.i)

    @property
    def text_with_ws(self) -> str:
        """Both together."""
        return self.text + self.whitespace_

    @property
    def idx(self) -> int:
        """Where it begins in the text, in characters."""
        return self.doc.offset(self.i)

    @property
    def lower_(self) -> str:
        """In lower case."""
        return self.text.lower()

    @property
    def pos_(self) -> str:
        """Its universal part of speech."""
        return self.doc.analysis().pos[self.i]

    @property
    def tag_(self) -> str:
        """Its tag of the language's own set."""
        return self.doc.analysis().tag[self.i]

    @property
    def lemma_(self) -> str:
        """Its base form."""
        return self.doc.analysis().lemma[self.i]

    @property
    def dep_(self) -> str:
        """How it depends on its head."""
        labels = self.doc.analysis(parsed=True).dep
        assert labels is not None
        return labels[self.i]

    @property
    def head(self) -> Token:
        """What it depends on; itself, if on nothing."""
        heads = self.doc.analysis(parsed=True).head
        assert heads is not None
        return Token(self.doc, heads[self.i])

    @property
    def children(self) -> Iterator[Token]:
        """What depends on it, from left to right."""
        found = self.doc.analysis(parsed=True).children(self.i)
        return (Token(self.doc, index) for index in found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and other.doc is self.doc and other.i == self.i

    def __hash__(self) -> int:
        return hash((id(self.doc), self.i))

    def __len__(self) -> int:
        return len(self.text)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def as_doc(given: Any, analyser: Analyzer) -> Doc:
    """A text of ours, or a document of spaCy with all that spaCy knows about it."""
    if isinstance(given, Doc):
        return given
    from redink.analysis.spacy_analyzer import read_document

    made = Doc([token.text for token in given], analyser, [token.whitespace_ for token in given])
    made.know(read_document(given))
    return made
