"""What may be given as input, and the options that decide how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from redink.errors import FormatError
from redink.formats.format_registry import detect_format
from redink.formats.recognition import document_layout
from redink.inputs.reading import TOKENIZERS
from redink.model import (
    AnnotatedSentence,
    Corpus,
    Detection,
    ParallelSentence,
    References,
    Sentence,
    SystemOutput,
)
from redink.options import Flag, Needs, Options
from redink.raw_text import NoAnswer
from redink.value_types import Frame

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from redink.inputs.document_ids import DocumentPositions

PathLike = str | Path
Texts = Sequence[str] | Sequence[Sentence]
"""One sentence each: tokens separated by spaces."""
TextLike = PathLike | Texts | Corpus
Sentences = Corpus | Sequence[AnnotatedSentence] | Sequence[ParallelSentence] | Sequence[Detection]
"""The values of a file of sentences, already read."""
ReferenceLike = PathLike | References | Sentences | Sequence[TextLike] | Frame
"""With a separate source, also a list of texts that correct it."""
SystemLike = PathLike | SystemOutput | Texts | Sequence[str | None] | Sentences
SystemsLike = Mapping[str, SystemLike] | Sequence[PathLike | SystemOutput | Corpus] | PathLike
EmptyReference = Literal["delete", "skip"]
DocumentsLike = str | Path | Sequence[str]
"""Names of documents, one per sentence, or a file of such names or of the documents."""


@dataclass(frozen=True)
class SeparateTexts(Options):
    """References as texts apart from their source, instead of one file with edits.

    Attributes:
        source: the text as written, with ``--reference``; then all arguments are systems.
        references: a corrected text, instead of REFERENCE; once for each annotator.
        empty_reference: meaning of an empty line in a reference text: the annotator deleted the
            sentence (delete), or did not annotate it (skip).
    """

    source: TextLike | None = None
    references: Annotated[Sequence[TextLike], Flag(name="reference", repeat=True)] = ()
    empty_reference: EmptyReference = "delete"


def _is_documents(given: Any) -> bool:
    """Return whether text is tokenized anyway: documents, or text that is not a file."""
    if isinstance(given, str | Path):
        return document_layout(given) is not None
    return given is not None


TokenizerName = Annotated[str, Flag(value="NAME", parse=str, known=lambda: TOKENIZERS.names)]


@dataclass(frozen=True)
class AlignmentOptions(Options):
    """Whether the systems' text is raw, and has to be aligned with the source first.

    Attributes:
        align: the systems' text is raw: paragraphs, other line breaks, Markdown or remarks around
            it. Find the source's sentences in it, and cut it into the source's tokens.
        field: with align, where a system is JSON lines: the field that holds the text, such as
            choices.0.message.content. [default: text, or the last answer]
        tokenize: the source is raw text too, a sentence a line: tokenize it, and align all other
            text with it. Documents always are.
        tokenizer: what cuts raw text: treebank, spacy, words, or the code of a language.
            [default: as the source was cut, or by its language]
        no_answer: how to score a sentence without an answer (refused, empty, truncated, failed): as
            unchanged (source), not at all for any system (skip), or as deleted (delete).
    """

    align: bool = False
    field: Annotated[str | None, Flag(value="NAME"), Needs(align=True, tokenize=True)] = None
    tokenize: bool = False
    tokenizer: Annotated[
        TokenizerName | None,
        Needs(align=True, tokenize=True, source=_is_documents, file=_is_documents),
    ] = None
    no_answer: Annotated[NoAnswer, Needs(align=True, tokenize=True)] = "source"

    @property
    def raw(self) -> bool:
        """Whether the systems' text is raw."""
        return self.align or self.tokenize

    def signature(self) -> dict[str, Any]:
        """Return the part of a signature; nothing if no text was raw."""
        named = {} if self.tokenizer is None else {"tokenizer": self.tokenizer}
        if self.no_answer != "source":
            named["no_answer"] = self.no_answer
        return {"align": "yes", **named} if self.raw else {}

    def following(self, source: Any = None, language: str = "en") -> AlignmentOptions:
        """Return a copy whose tokenizer defaults to that of the source format or the language."""
        chosen = self.tokenizer
        if chosen is None and self.raw and isinstance(source, str | Path) and Path(source).exists():
            chosen = detect_format(source).raw
        if chosen is None and language != "en":
            chosen = language
        return replace(self, tokenizer=chosen)


@dataclass(frozen=True)
class DocumentOptions(Options):
    """Which document each sentence comes from, and whether samples draw documents.

    Attributes:
        resample: what a sample draws: sentences, or whole documents, since sentences of one
            document are not independent (wider intervals).
        documents: the documents of the sentences, where their ids do not name them: a file with
            the name of each sentence's document, a line a sentence, or the documents as written
            (MultiGEC Markdown, JSON lines, a folder).
    """

    resample: Annotated[Literal["sentences", "documents"], Needs(bootstrap=True)] = "sentences"
    documents: Annotated[
        DocumentsLike | None,
        # a report, which has a title, shows them
        Needs(by="document", resample="documents", title=True),
    ] = None

    def groups(self, sources: Sequence[Sentence]) -> NDArray[np.int64] | None:
        """Return the number of each sentence's document, if samples draw documents."""
        return None if self.resample == "sentences" else self.place(sources).drawn()

    def place(self, sources: Sequence[Sentence]) -> DocumentPositions:
        """Find every sentence in its document."""
        from redink.inputs.document_ids import place_sentences

        return place_sentences(sources, self.documents)

    def keep(self, kept: Sequence[int] | None) -> DocumentOptions:
        """Return the options for some of the sentences, by index; None for all."""
        given = self.documents
        path = given if isinstance(given, str | Path) else None
        if kept is None or given is None or (path and document_layout(path) is not None):
            return self
        from redink.inputs.document_ids import read_names

        names = read_names(given)
        if kept[-1] >= len(names):
            problem = f"names the documents of {len(names)} sentences, there are more"
            raise FormatError(problem, path=path or "documents")
        return replace(self, documents=[names[at] for at in kept])

    def signature(self) -> dict[str, Any]:
        """Return the part of a signature; nothing if samples draw sentences."""
        return {} if self.resample == "sentences" else {"resample": self.resample}


@dataclass(frozen=True)
class ColumnOptions(Options):
    """Where the sentences are in a source file that holds the corrections too.

    Attributes:
        source_column: where SOURCE holds the corrections too (JSON lines, Parquet, CSV): the column
            of source sentences. [default: source, or input]
        corrected_column: likewise the column of corrected sentences; repeat it for annotators. A
            value that is a list has an annotator for each member. [default: corrected, or output,
            hypothesis, prediction, correction, target]
    """

    source_column: Annotated[str | None, Flag(value="NAME")] = None
    corrected_column: Annotated[str | Sequence[str] | None, Flag(repeat=True, value="NAME")] = None
