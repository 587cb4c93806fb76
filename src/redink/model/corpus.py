"""Corpora (sentences with their annotations) and what systems made of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from redink.errors import DataError
from redink.model.detections import Detection
from redink.model.edits import Annotation
from redink.model.text import Sentence


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
        """What ``annotator`` made of the sentence, or None if he did not see it."""
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
