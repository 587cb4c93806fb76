"""A parsed text as the ``errant`` package uses it: the part of spaCy's interface that it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from redink.analysis.analyzer import Analysis, Analyzer


class Span:
    """Adjacent tokens of a text."""

    def __init__(self, doc: Doc, start: int, end: int) -> None:
        self.doc = doc
        self.start = start
        self.end = end

    @property
    def text(self) -> str:
        """The text without the whitespace after it."""
        return "".join(t.text_with_ws for t in self[:-1]) + self[-1].text if len(self) else ""

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


class Doc(Span):
    """A text as tokens; they are tagged and parsed when a tag is first asked for.

    Attributes:
        words: the tokens.
        spaces: the whitespace after each token; by default one space.
    """

    def __init__(
        self, tokens: Sequence[str], analyser: Analyzer, spaces: Sequence[str] | None = None
    ) -> None:
        super().__init__(self, 0, len(tokens))
        self.words = tuple(tokens)
        self.spaces = [" "] * len(tokens) if spaces is None else list(spaces)
        self.known: Analysis | None = None
        self._analyser = analyser

    def analysis(self, *, parsed: bool = False) -> Analysis:
        """Return tags and lemmas, and dependencies if they are wanted."""
        if self.known is None or (parsed and self.known.dep is None):
            with self._analyser.analyze([self.words]) as batch:
                self.known = batch.parse([0])[0] if parsed else batch.analyses[0]
        return self.known

    @property
    def text(self) -> str:
        """The text; as in spaCy, with the space after the last of given tokens."""
        return "".join(token.text_with_ws for token in self)


def _tag(name: str) -> Any:
    return property(lambda token: getattr(token.doc.analysis(), name)[token.i])


class Token:
    """A word or punctuation mark, by its position in a text; attributes as in spaCy."""

    __slots__ = ("doc", "i")

    def __init__(self, doc: Doc, index: int) -> None:
        self.doc = doc
        self.i = index

    pos_ = _tag("pos")
    tag_ = _tag("tag")
    lemma_ = _tag("lemma")
    dep_ = property(lambda token: (token.doc.analysis(parsed=True).dep or ())[token.i])
    text = property(lambda token: token.doc.words[token.i])
    orth_ = text
    lower_ = property(lambda token: token.text.lower())
    whitespace_ = property(lambda token: token.doc.spaces[token.i])
    text_with_ws = property(lambda token: token.text + token.whitespace_)
    idx = property(lambda token: len("".join(t.text_with_ws for t in token.doc[: token.i])))

    @property
    def head(self) -> Token:
        """The token that it depends on; the root has itself."""
        heads = self.doc.analysis(parsed=True).head
        assert heads is not None
        return Token(self.doc, heads[self.i])

    @property
    def children(self) -> Iterator[Token]:
        """The tokens that depend on it, from left to right."""
        found = self.doc.analysis(parsed=True).children(self.i)
        return (Token(self.doc, index) for index in found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and other.doc is self.doc and other.i == self.i

    def __hash__(self) -> int:
        return hash((id(self.doc), self.i))

    def __len__(self) -> int:
        return len(self.text)

    def __str__(self) -> str:
        return str(self.text)

    __repr__ = __str__


def as_doc(given: Any, analyser: Analyzer) -> Doc:
    """Return a text of ours as it is, or a document of spaCy with its tags and parse."""
    if isinstance(given, Doc):
        return given
    from redink.analysis.spacy_analyzer import read_document

    made = Doc([token.text for token in given], analyser, [token.whitespace_ for token in given])
    made.known = read_document(given)
    return made
