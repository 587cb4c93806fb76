"""Corpora (sentences with their annotations), references, and system outputs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from redink.errors import DataError
from redink.model.edits import (
    NO_ERROR,
    NOT_ANNOTATABLE,
    UNCORRECTED,
    Annotation,
    Unclear,
    apply_edits,
)
from redink.model.text import Sentence

Item = TypeVar("Item", bound=Hashable)
Value = TypeVar("Value")
MOST_REMEMBERED = 50_000
"""Maximum number of sentences whose values are memoized for other systems and metrics."""
Split = Callable[[str], tuple[str, ...]]
"""A function that splits a line into tokens, for languages without spaces between words."""


def _cut(sentence: Sentence, split: Split) -> Sentence:
    return Sentence(split(str(sentence)), id=sentence.id)


@dataclass(frozen=True, slots=True)
class AnnotatedSentence:
    """A source sentence and its annotations, in file order.

    ``annotations`` is empty if the file has none for the sentence, which scorers interpret as "no
    errors found". An annotator who changed nothing has an :class:`Annotation` without edits.
    ``unannotatable`` contains the annotators who marked the sentence as incomprehensible; they have
    no annotation. ``extra`` contains further fields of the file.
    """

    source: Sentence
    annotations: tuple[Annotation, ...] = ()
    unannotatable: tuple[str, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()

    def by(self, annotator: str) -> Annotation | None:
        """Return an annotator's annotation, or None if they did not annotate the sentence."""
        return next((a for a in self.annotations if a.annotator == annotator), None)

    @classmethod
    def of_everyone(cls, source: Sentence, found: Iterable[Annotation]) -> AnnotatedSentence:
        """Return a sentence with these annotations, which may be "cannot be annotated" marks."""
        given = tuple(found)
        refused = tuple(one.annotator for one in given if one.target == NOT_ANNOTATABLE)
        return cls(source, tuple(one for one in given if one.target != NOT_ANNOTATABLE), refused)

    @property
    def everyone(self) -> tuple[Annotation, ...]:
        """All annotations, including the "cannot be annotated" marks."""
        if not self.unannotatable:
            return self.annotations
        refusals = (Annotation(who, target=NOT_ANNOTATABLE) for who in self.unannotatable)
        given = (*self.annotations, *refusals)
        return tuple(sorted(given, key=lambda one: annotator_order(one.annotator)))


@dataclass(frozen=True, slots=True)
class ParallelSentence:
    """A source sentence and its corrected texts, in the order of columns or files."""

    source: Sentence
    corrected: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Detection:
    """One sentence with a flag, and optionally a probability of error, for every token."""

    tokens: tuple[str, ...]
    flags: tuple[bool, ...]
    probabilities: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for name, values in (("flags", self.flags), ("probabilities", self.probabilities)):
            if values is not None and len(values) != len(self.tokens):
                raise DataError(f"{len(values)} {name} for {len(self.tokens)} tokens")


@dataclass(frozen=True)
class Corpus:
    """Sentences in order, with the edits of any number of annotators."""

    sentences: tuple[AnnotatedSentence, ...]
    name: str = ""

    def __len__(self) -> int:
        return len(self.sentences)

    @cached_property
    def annotators(self) -> tuple[str, ...]:
        """All annotators: numbers in numerical order, then names."""
        seen = {a.annotator for s in self.sentences for a in s.annotations}
        return tuple(sorted(seen, key=annotator_order))


def annotator_order(annotator: str) -> tuple[int, int, str]:
    """Return a sort key that puts 2 before 10, and numbers before names."""
    if annotator.isdecimal():
        return (0, int(annotator), annotator)
    return (1, 0, annotator)


@dataclass(frozen=True)
class SystemOutput:
    """The output of one system for every sentence of a corpus.

    It has exactly one of ``hypotheses`` (corrected text), ``annotations`` (its own edits) and
    ``detections`` (a flag for each token).

    Attributes:
        sources: the source sentences if the file has them (M2, JSONL); they must match.
        versions: all annotations of every sentence if a file of edits has several; the first one
            of each sentence is in ``annotations``.
        skipped: indices of the sentences that are excluded because the system has no answer.
        unanswered: indices of all sentences without an answer of the system.
        notes: notes for readers of the system's scores.
    """

    name: str
    hypotheses: tuple[Sentence, ...] | None = None
    annotations: tuple[Annotation, ...] | None = None
    detections: tuple[Detection, ...] | None = None
    sources: tuple[Sentence, ...] | None = None
    versions: tuple[tuple[Annotation, ...], ...] | None = None
    skipped: frozenset[int] = frozenset()
    unanswered: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = [x for x in (self.hypotheses, self.annotations, self.detections) if x is not None]
        if len(given) != 1:
            raise DataError(
                f"system {self.name!r} must have exactly one of text, edits and detections"
            )

    def cut(self, split: Split | None) -> SystemOutput:
        """Return the system with its text tokenized differently; edits and flags are unchanged."""
        if split is None or self.hypotheses is None:
            return self
        sources = None if self.sources is None else tuple(_cut(s, split) for s in self.sources)
        texts = tuple(_cut(text, split) for text in self.hypotheses)
        return replace(self, hypotheses=texts, sources=sources)

    def take(self, kept: Sequence[int]) -> SystemOutput:
        """Return the output for some of the sentences, in the given order."""
        taken: dict[str, Any] = {
            name: tuple(values[at] for at in kept)
            for name in ("hypotheses", "annotations", "detections", "sources", "versions")
            if (values := getattr(self, name)) is not None
        }
        return replace(self, **taken)

    def __len__(self) -> int:
        return len(self.hypotheses or self.annotations or self.detections or ())


@dataclass(frozen=True)
class References:
    """The annotations of every sentence, as edits and as text.

    Attributes:
        corpus: the sources with the edits of every annotator.
        given_texts: the corrected texts of files, ``[annotator][sentence]``; None if the texts are
            made from the edits.
        are_flags: whether the edits only mark errors, as flags for tokens do.
        names: names of the given texts (files), if known.
        absent: pairs of text and sentence (indices) without an annotation, where the given text is
            that of the first annotator or the source.
    """

    corpus: Corpus
    given_texts: tuple[tuple[Sentence, ...], ...] | None = None
    are_flags: bool = False
    names: tuple[str, ...] = field(default=(), compare=False)
    absent: frozenset[tuple[int, int]] = frozenset()
    _memory: dict[Hashable, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of_sources(cls, sources: Iterable[Sentence]) -> References:
        """Return references without annotations."""
        return cls(Corpus(tuple(map(AnnotatedSentence, sources))))

    def __len__(self) -> int:
        return len(self.corpus)

    def cut(self, split: Split | None) -> References:
        """Return the references tokenized differently if they are texts; edits are unchanged."""
        if split is None or self.given_texts is None:
            return self
        sources = tuple(_cut(source, split) for source in self.sources)
        texts = tuple(
            tuple(
                source if str(text) == NO_ERROR else _cut(text, split)
                for source, text in zip(sources, text_of_one, strict=True)
            )
            for text_of_one in self.given_texts
        )
        corpus = replace(self.corpus, sentences=tuple(map(AnnotatedSentence, sources)))
        return replace(self, corpus=corpus, given_texts=texts)

    def take(self, places: Sequence[int]) -> References:
        """Return the references of some sentences, in the given order."""
        texts = self.given_texts
        if texts is not None:
            texts = tuple(tuple(text[at] for at in places) for text in texts)
        absent = frozenset(
            (text, new)
            for new, at in enumerate(places)
            for text in range(len(texts or ()))
            if (text, at) in self.absent
        )
        sentences = tuple(self.corpus.sentences[at] for at in places)
        corpus = replace(self.corpus, sentences=sentences)
        return replace(self, corpus=corpus, given_texts=texts, absent=absent)

    def without_empty(self) -> References:
        """Return references in which empty given texts are absent annotations."""
        given = self.given_texts or ()
        absent = frozenset(
            (number, at)
            for number, text in enumerate(given)
            for at, source in enumerate(self.sources)
            if source.tokens and not text[at].tokens
        )
        texts: list[list[Sentence | None]] = [
            [None if (number, at) in absent else one for at, one in enumerate(text)]
            for number, text in enumerate(given)
        ]
        for at, source in enumerate(self.sources):
            if all(text[at] is None for text in texts):
                texts[0][at] = source
        return replace(self, given_texts=_fill(texts), absent=absent)

    def remember(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the result of ``make``, which is called once and memoized for other systems."""
        if key not in self._memory:
            self._memory[key] = make()
        value: Value = self._memory[key]
        return value

    def remember_each(
        self, key: Hashable, items: Iterable[Item], make: Callable[[list[Item]], Iterable[Value]]
    ) -> list[Value]:
        """Return a value for each item; ``make`` gets the distinct items that are not memoized.

        Systems have many equal hypotheses, so an item is usually the index of a sentence with a
        hypothesis of it.
        """
        known: dict[Item, Value] = self.remember(key, dict)
        wanted = list(items)
        new = [item for item in dict.fromkeys(wanted) if item not in known]
        known.update(zip(new, make(new), strict=True))
        values = [known[item] for item in wanted]
        if len(known) > MOST_REMEMBERED:
            known.clear()
        return values

    @cached_property
    def sources(self) -> tuple[Sentence, ...]:
        """The source sentences."""
        return tuple(sentence.source for sentence in self.corpus.sentences)

    @cached_property
    def texts(self) -> tuple[tuple[Sentence | None, ...], ...]:
        """Return the corrected texts, ``[annotator][sentence]``; None without an annotation.

        Annotators are in the order of :attr:`Corpus.annotators`. A sentence without annotations is
        unchanged; without any annotator there is one text, the source.
        """
        return self._texts("apply")

    def _texts(self, unclear: Unclear) -> tuple[tuple[Sentence | None, ...], ...]:
        if self.given_texts is not None:
            return self.given_texts
        if not self.corpus.annotators:
            return (self.sources,)

        def text_by(annotator: str, sentence: AnnotatedSentence) -> Sentence | None:
            if not sentence.annotations:
                return sentence.source
            annotation = sentence.by(annotator)
            if annotation is None:
                return None
            return Sentence(apply_edits(sentence.source.tokens, annotation.edits, unclear=unclear))

        return tuple(
            tuple(text_by(annotator, sentence) for sentence in self.corpus.sentences)
            for annotator in self.corpus.annotators
        )

    @cached_property
    def filled_texts(self) -> tuple[tuple[Sentence, ...], ...]:
        """Return the corrected texts without gaps, ``[annotator][sentence]``.

        If an annotator has no annotation of a sentence that others annotated, the text of the first
        of them is used, as in CoNLL-2014, whose combined file omits such lines.
        """
        return _fill(self.texts)

    def with_texts(self, unclear: Unclear) -> References:
        """Return the references with the texts made by the edits as given texts."""
        return replace(self, given_texts=_fill(self._texts(unclear)))

    @cached_property
    def has_unclear(self) -> bool:
        """Return whether edits of the types ``Um`` or ``UNK`` affect the texts."""
        return self.given_texts is None and any(
            edit.type in UNCORRECTED
            for sentence in self.corpus.sentences
            for annotation in sentence.annotations
            for edit in annotation.edits
        )

    @cached_property
    def about_gaps(self) -> str | None:
        """Return a note about annotators without lines in sentences that others annotated."""
        absent = {
            annotator: sum(
                bool(sentence.annotations) and sentence.by(annotator) is None
                for sentence in self.corpus.sentences
            )
            for annotator in self.corpus.annotators
        }
        gaps = [
            f"annotator {annotator} has no line in {count} sentence{'s' if count > 1 else ''}"
            for annotator, count in absent.items()
            if count
        ]
        if not gaps:
            return None
        return (
            f"{', '.join(gaps)} that others annotated; redink uses the first annotator's edits "
            "there, because files such as CoNLL-2014's omit repeated annotations (add a noop line "
            "if the annotator found no error)"
        )


def _fill(texts: Sequence[Sequence[Sentence | None]]) -> tuple[tuple[Sentence, ...], ...]:
    """Replace missing texts of a sentence by the first available one."""
    first = [next(one for one in column if one is not None) for column in zip(*texts, strict=True)]
    return tuple(
        tuple(other if one is None else one for one, other in zip(text, first, strict=True))
        for text in texts
    )


@dataclass(frozen=True)
class Hypotheses:
    """The output of one system as text and, for metrics that need them, edits.

    If a file has several versions of a system's edits (several annotators), scorers choose one of
    them per sentence, as with references.
    """

    name: str
    texts: tuple[Sentence, ...]
    annotations: tuple[tuple[Annotation, ...], ...] | None = None
    unanswered: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, places: Sequence[int]) -> Hypotheses:
        """Return the output for some sentences, in the given order."""
        found = self.annotations
        return replace(
            self,
            texts=tuple(self.texts[at] for at in places),
            annotations=None if found is None else tuple(found[at] for at in places),
            unanswered=frozenset(n for n, at in enumerate(places) if at in self.unanswered),
        )


def fingerprint(parts: Iterable[str | bytes]) -> str:
    """Return twelve hexadecimal digits that identify the data and its division into parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(b"%b%b" % (len(data).to_bytes(8, "big"), data))
    return digest.hexdigest()[:12]


def fingerprint_data(
    references: References, systems: Iterable[Hypotheses | SystemOutput]
) -> dict[str, Any]:
    """Return the parts of a signature that identify the references and, by name, each system.

    The fingerprint of a system depends neither on its name nor on the other systems.
    """
    named = sorted(systems, key=lambda system: system.name)
    return {
        "references": fingerprint_references(references),
        "systems": {system.name: fingerprint(_parts_of_system(system)) for system in named},
    }


def fingerprint_references(references: References) -> str:
    """Return a text that identifies the references."""
    return fingerprint(_parts_of_references(references))


def _parts_of_references(references: References) -> Iterator[str]:
    for sentence in references.corpus.sentences:
        yield str(sentence.source)
        for annotation in sentence.annotations:
            yield repr((annotation.annotator, annotation.edits))
    for texts in references.given_texts or ():
        yield from map(str, texts)


def _parts_of_system(system: Hypotheses | SystemOutput) -> Iterator[str]:
    """Yield the edits if the system has edits, otherwise its text or its flags."""
    if isinstance(system, Hypotheses):
        texts, versions = system.texts, system.annotations
    else:
        yield from map(repr, system.detections or ())
        texts = system.hypotheses or ()
        versions = system.versions or tuple((one,) for one in system.annotations or ()) or None
    if versions is None:
        yield from map(str, texts)
    else:
        yield from (repr([one.edits for one in members]) for members in versions)
