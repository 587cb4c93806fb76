"""What a linguistic analysis is, and what every analyzer offers.

An analysis is plain strings in tuples, one entry a token, so that everything after it (alignment,
merging, typing) works the same whatever made it. Dependencies are the dearest part and few edits
ask for them: a batch gives them later, and only for the sentences that turn out to need them.
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
    """One way to read a word: part of speech, features, and how likely the analyzer finds it."""

    pos: str
    features: str
    probability: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """One sentence, analyzed; every tuple has one entry a token.

    Attributes:
        tokens: the tokens as written.
        lower: the tokens in lower case.
        pos: universal parts of speech (``NOUN``, ``AUX`` …).
        tag: tags of the language's own set (of English, the Penn Treebank's: ``NNS``, ``VBZ`` …).
        lemma: base forms.
        dep: dependency labels (of English, in the style of spaCy's models: ``aux``, ``nsubj`` …),
            or None where the sentence has not been parsed.
        head: the index of each token's head, its own index for a root; None with ``dep``.
        features: morphological features as Universal Dependencies write them
            (``Case=Nom|Number=Sing``, empty for none), or None where the analyzer has none.
        readings: of each token, the likely readings, the likeliest first; None where the analyzer
            does not tell.
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
        """The tokens that depend on a token, from left to right."""
        assert self.head is not None
        return [i for i, head in enumerate(self.head) if head == index and i != index]


class AnalyzedBatch(Protocol):
    """Sentences analyzed together: everything but dependencies at once, those on demand."""

    @property
    def analyses(self) -> Sequence[Analysis]:
        """The analyses in the order of the sentences, with ``dep`` where it cost nothing."""

    def parse(self, indices: Iterable[int]) -> dict[int, Analysis]:
        """Return the analyses of the sentences at these indices, with their dependencies."""


@dataclass(frozen=True, slots=True)
class WholeBatch:
    """A batch of analyses that have all they will ever have."""

    analyses: Sequence[Analysis]

    def parse(self, indices: Iterable[int]) -> dict[int, Analysis]:
        """Return the analyses at these indices."""
        return {index: self.analyses[index] for index in indices}


@runtime_checkable
class Analyzer(Protocol):
    """Turns tokenized sentences into analyses."""

    @property
    def name(self) -> str:
        """How a user asks for it: ``embedded``, ``spacy:NAME``."""

    @property
    def version(self) -> str:
        """What tells two analyzers of one name apart in a signature."""

    def analyze(self, sentences: Sequence[Tokens]) -> AbstractContextManager[AnalyzedBatch]:
        """Analyze sentences; the batch may be used inside the ``with`` block only."""


@dataclass(frozen=True)
class WholeAnalyzer:
    """An analyzer whose analyses are complete at once; it needs a function of sentences alone."""

    name: str
    version: str
    analyze_all: Callable[[Sequence[Tokens]], Sequence[Analysis]]

    @contextmanager
    def analyze(self, sentences: Sequence[Tokens]) -> Iterator[WholeBatch]:
        """Analyze sentences."""
        yield WholeBatch(self.analyze_all(sentences))


@cache
def one_thread() -> Any:
    """What keeps matrix products in one thread.

    The matrices are small: threads would spend more time waiting for one another than working.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def chunks(
    values: Iterable[Value], count_words: Callable[[Value], int], *, words: int
) -> Iterator[list[Value]]:
    """Values in lists of about so many words: large enough for batches, small enough for memory."""
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
