"""The linguistic analysis of a sentence, and the interface of analyzers.

An analysis consists of tuples of strings with one entry per token, so that alignment, merging and
classification do not depend on the analyzer. Parsing is the most expensive step and few edits need
dependencies, so a batch parses later, and only the sentences that need it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

Tokens = tuple[str, ...]
Value = TypeVar("Value")


class TokenReading(NamedTuple):
    """A possible analysis of a word: part of speech, features, and probability."""

    pos: str
    features: str
    probability: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis of one sentence; each tuple has one entry per token.

    Attributes:
        tokens: the original tokens.
        lower: the tokens in lower case.
        pos: universal parts of speech (``NOUN``, ``AUX`` …).
        tag: tags of a language-specific tag set (for English, Penn Treebank: ``NNS``, ``VBZ`` …).
        lemma: base forms.
        dep: dependency labels (for English, in the style of spaCy's models: ``aux``, ``nsubj`` …),
            or None if the sentence has not been parsed.
        head: the index of each token's head, its own index for a root; None with ``dep``.
        features: morphological features in the notation of Universal Dependencies
            (``Case=Nom|Number=Sing``, empty for none), or None if the analyzer provides none.
        readings: the likely readings of each token, the likeliest first; None if the analyzer
            does not provide them.
    """

    tokens: Tokens
    lower: Tokens
    pos: Tokens
    tag: Tokens
    lemma: Tokens
    dep: Tokens | None = None
    head: tuple[int, ...] | None = None
    features: Tokens | None = None
    readings: tuple[tuple[TokenReading, ...], ...] | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    def children(self, index: int) -> list[int]:
        """Return the indices of the tokens that depend on a token, from left to right."""
        assert self.head is not None
        return [i for i, head in enumerate(self.head) if head == index and i != index]


class AnalyzedBatch(Protocol):
    """Sentences that are analyzed together; dependencies are computed only on demand."""

    @property
    def analyses(self) -> Sequence[Analysis]:
        """The analyses in sentence order; ``dep`` is set if it required no additional work."""

    def parse(self, indices: Iterable[int]) -> dict[int, Analysis]:
        """Return the analyses of the sentences at these indices, with their dependencies."""


@dataclass(frozen=True, slots=True)
class WholeBatch:
    """A batch of complete analyses."""

    analyses: Sequence[Analysis]

    def parse(self, indices: Iterable[int]) -> dict[int, Analysis]:
        """Return the analyses at these indices."""
        return {index: self.analyses[index] for index in indices}


@runtime_checkable
class Analyzer(Protocol):
    """Turns tokenized sentences into analyses."""

    @property
    def name(self) -> str:
        """The name in the option ``--analyzer``: ``embedded``, ``spacy:NAME``."""

    @property
    def version(self) -> str:
        """The version in signatures, which distinguishes analyzers with the same name."""

    def analyze(self, sentences: Sequence[Tokens]) -> AbstractContextManager[AnalyzedBatch]:
        """Analyze sentences; the batch can be used only inside the ``with`` block."""


@dataclass(frozen=True)
class WholeAnalyzer:
    """An analyzer without parsing on demand, made from a function that analyzes sentences."""

    name: str
    version: str
    analyze_all: Callable[[Sequence[Tokens]], Sequence[Analysis]]

    @contextmanager
    def analyze(self, sentences: Sequence[Tokens]) -> Iterator[WholeBatch]:
        """Analyze sentences."""
        yield WholeBatch(self.analyze_all(sentences))


@cache
def one_thread() -> Any:
    """Return a context manager that limits matrix products to one thread.

    The matrices are small, so threads would spend more time waiting than computing.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def chunks(
    values: Iterable[Value], count_words: Callable[[Value], int], *, words: int
) -> Iterator[list[Value]]:
    """Yield the values in lists with about this number of words, to limit memory."""
    chunk: list[Value] = []
    size = 0
    for value in values:
        chunk.append(value)
        size += count_words(value)
        if size >= words:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
