"""Corpora (sentences with their annotations) and what systems made of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from redink.errors import DataError
from redink.model.detections import Detection
from redink.model.edits import Annotation, apply_edits
from redink.model.text import Sentence

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class AnnotatedSentence:
    """A source sentence and what each annotator made of it, in file order.

    ``annotations`` is empty when the file says nothing about the sentence, which scorers read
    as "nobody found an error"; an annotator who is present and changed nothing has an
    :class:`Annotation` without edits.
    """

    source: Sentence
    annotations: tuple[Annotation, ...] = ()

    def by(self, annotator: str) -> Annotation | None:
        """What ``annotator`` made of the sentence, or None if they did not see it."""
        for annotation in self.annotations:
            if annotation.annotator == annotator:
                return annotation
        return None


@dataclass(frozen=True)
class Corpus:
    """Sentences in order, with the edits of any number of annotators."""

    sentences: tuple[AnnotatedSentence, ...]
    name: str = ""

    def __len__(self) -> int:
        return len(self.sentences)

    @cached_property
    def annotators(self) -> tuple[str, ...]:
        """All annotators: by number where they are numbers, then by name."""
        seen = {a.annotator for s in self.sentences for a in s.annotations}
        return tuple(sorted(seen, key=annotator_order))


def annotator_order(annotator: str) -> tuple[int, int, str]:
    """A sort key that puts 2 before 10, and numbers before names."""
    if annotator.isdecimal():
        return (0, int(annotator), annotator)
    return (1, 0, annotator)


@dataclass(frozen=True)
class SystemOutput:
    """What one system made of every sentence of a corpus.

    Exactly one of three is given: ``hypotheses`` (corrected text), ``annotations`` (its own
    edits) or ``detections`` (a flag for each token).
    """

    name: str
    hypotheses: tuple[Sentence, ...] | None = None
    annotations: tuple[Annotation, ...] | None = None
    detections: tuple[Detection, ...] | None = None
    sources: tuple[Sentence, ...] | None = None
    """The source sentences, where the file carries them (M2, JSONL): they must match."""
    versions: tuple[tuple[Annotation, ...], ...] | None = None
    """All annotations of every sentence, where a file of edits may have any number of them.

    The first of a sentence is its annotation in ``annotations``.
    """

    def __post_init__(self) -> None:
        given = [x for x in (self.hypotheses, self.annotations, self.detections) if x is not None]
        if len(given) != 1:
            raise DataError(
                f"system {self.name!r} needs text, edits or detections, and only one of them"
            )

    def __len__(self) -> int:
        for values in (self.hypotheses, self.annotations, self.detections):
            if values is not None:
                return len(values)
        return 0


@dataclass(frozen=True)
class References:
    """What the annotators made of every sentence: as edits, and as text.

    Attributes:
        corpus: the sources with the edits of every annotator.
        given_texts: the corrected texts as files gave them, ``[annotator][sentence]``, where the
            references came as text; otherwise the edits make the texts.
        are_flags: whether the edits only say where errors are, as flags for tokens do.
    """

    corpus: Corpus
    given_texts: tuple[tuple[Sentence, ...], ...] | None = None
    are_flags: bool = False
    _memory: dict[Hashable, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.corpus)

    def remember(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What ``make`` makes of the references, made once and kept for the next system."""
        if key not in self._memory:
            self._memory[key] = make()
        value: Value = self._memory[key]
        return value

    @cached_property
    def sources(self) -> tuple[Sentence, ...]:
        """The source sentences."""
        return tuple(sentence.source for sentence in self.corpus.sentences)

    @cached_property
    def texts(self) -> tuple[tuple[Sentence | None, ...], ...]:
        """The corrected texts, ``[annotator][sentence]``; None where an annotator said nothing.

        Annotators are in the order of :attr:`Corpus.annotators`. A sentence about which the file
        says nothing is right as it is; without any annotator there is one text, the source.
        """
        if self.given_texts is not None:
            return self.given_texts
        annotators = self.corpus.annotators
        if not annotators:
            return (self.sources,)
        return tuple(tuple(self._texts_by(annotator)) for annotator in annotators)

    def _texts_by(self, annotator: str) -> Iterable[Sentence | None]:
        for sentence in self.corpus.sentences:
            annotation = sentence.by(annotator)
            if not sentence.annotations:
                yield sentence.source
            elif annotation is None:
                yield None
            else:
                yield Sentence(apply_edits(sentence.source.tokens, annotation.edits))

    @cached_property
    def filled_texts(self) -> tuple[tuple[Sentence, ...], ...]:
        """The corrected texts without gaps, ``[annotator][sentence]``.

        Where an annotator said nothing the first annotator who did stands in, as in the
        reference texts that are in circulation for CoNLL-2014.
        """
        columns = []
        for column in zip(*self.texts, strict=True):
            stand_in = next(text for text in column if text is not None)
            columns.append([stand_in if text is None else text for text in column])
        if not columns:
            return tuple(() for _ in self.texts)
        return tuple(zip(*columns, strict=True))

    @cached_property
    def gaps(self) -> int:
        """How many texts are missing: an annotator has no line where others have one."""
        return sum(text is None for texts in self.texts for text in texts)


@dataclass(frozen=True)
class Hypotheses:
    """What one system made of every sentence: as text and, for metrics that need them, edits.

    Attributes:
        name: the system.
        texts: the corrected sentences.
        annotations: for every sentence the system's edits. A file may hold several versions of
            a system's edits (several annotators); the scorers choose among them as among
            references.
    """

    name: str
    texts: tuple[Sentence, ...]
    annotations: tuple[tuple[Annotation, ...], ...] | None = None

    def __len__(self) -> int:
        return len(self.texts)
