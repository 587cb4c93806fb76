"""Types of input that functions accept, and the options that control how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

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
from redink.value_types import Dataset, Frame

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
ReferenceLike = PathLike | References | Sentences | Sequence[TextLike] | Frame | Dataset
"""With a separate source, also a list of its corrected texts."""
SystemLike = PathLike | SystemOutput | Texts | Sequence[str | None] | Sentences
SystemsLike = Mapping[str, SystemLike] | Sequence[PathLike | SystemOutput | Corpus] | PathLike
EmptyReference = Literal["delete", "skip"]
MetadataLike = PathLike | Frame | Dataset | Mapping[str, Sequence[Any]]
"""A table with one row per sentence."""
DocumentsLike = str | Path | Sequence[str]
"""Names of documents, one per sentence, or a file of such names or of the documents."""


@dataclass(frozen=True)
class SeparateTexts(Options):
    """Source and reference texts in separate files, instead of one file with edits.

    Attributes:
        source: source (uncorrected) text. Use with ``--reference`` instead of the argument
            REFERENCE.
        references: corrected text of one annotator, instead of the argument REFERENCE. Repeat the
            option for more annotators.
        empty_reference: meaning of an empty line in a reference text: the annotator deleted the
            sentence (delete) or did not annotate it (skip).
        source_column: column of source sentences, if REFERENCE is a table (CSV, TSV, JSON lines,
            Parquet) that also contains the references. [default: source, or input]
        reference_column: columns of corrected sentences, if REFERENCE is a table. A list in a cell
            has one item per annotator. [default: columns that begin with reference]
        system_column: columns of system outputs, if REFERENCE or the only SYSTEM is a table. The
            other columns are metadata.
    """

    source: TextLike | None = None
    references: Annotated[Sequence[TextLike], Flag(name="reference", repeat=True)] = ()
    empty_reference: EmptyReference = "delete"
    source_column: Annotated[str | None, Flag(value="NAME")] = None
    reference_column: Annotated[Sequence[str], Flag(value="NAME,...")] = ()
    system_column: Annotated[Sequence[str], Flag(value="NAME,...")] = ()


def _is_documents(given: Any) -> bool:
    """Return whether the input is always tokenized: documents, or text that is not a file."""
    if isinstance(given, str | Path):
        return document_layout(given) is not None
    return given is not None


TokenizerName = Annotated[str, Flag(value="NAME", parse=str, known=lambda: TOKENIZERS.names)]


@dataclass(frozen=True)
class AlignmentOptions(Options):
    """Tokenization and alignment of raw system output, such as LLM output.

    Attributes:
        align: align raw system output with the sentences and tokens of the source. Raw output can
            contain paragraphs, Markdown, and comments around the text.
        field: JSON field that contains the system output (with ``--align`` or ``--tokenize``),
            such as choices.0.message.content. [default: text, or the last answer]
        tokenize: tokenize a raw source (one sentence per line) and align all other texts with it.
            Documents are always tokenized.
        tokenizer: tokenizer of raw text: treebank, spacy, words, or a language code. [default:
            the tokenizer of the source, or that of its language]
        no_answer: treatment of sentences without an answer (refused, empty, truncated, failed):
            unchanged (source), excluded for all systems (skip), or deleted (delete).
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
        """Whether the system output is raw text."""
        return self.align or self.tokenize

    def signature(self) -> dict[str, Any]:
        """Return these options for the signature; empty if no text was raw."""
        named = {} if self.tokenizer is None else {"tokenizer": self.tokenizer}
        if self.no_answer != "source":
            named["no_answer"] = self.no_answer
        return {"align": "yes", **named} if self.raw else {}

    def following(self, source: Any = None, language: str = "en") -> Self:
        """Return a copy whose tokenizer defaults to that of the source format or the language."""
        chosen = self.tokenizer
        if chosen is None and self.raw and isinstance(source, str | Path) and Path(source).exists():
            chosen = detect_format(source).raw
        if chosen is None and language != "en":
            chosen = language
        return replace(self, tokenizer=chosen)


@dataclass(frozen=True)
class DocumentOptions(Options):
    """The documents that sentences come from, and the unit of resampling.

    Attributes:
        resample: unit of resampling: sentences, or entire documents. The sentences of a document
            are not independent, so intervals from documents are wider.
        documents: the documents of the sentences, if sentence ids do not contain document names:
            a file with one document name per sentence, or the original documents (MultiGEC
            Markdown, JSON lines, a folder).
    """

    resample: Annotated[Literal["sentences", "documents"], Needs(bootstrap=True)] = "sentences"
    documents: Annotated[
        DocumentsLike | None,
        # a report, which has a title, shows them
        Needs(by="document", resample="documents", title=True),
    ] = None

    def groups(self, sources: Sequence[Sentence]) -> NDArray[np.int64] | None:
        """Return the document number of each sentence; None if sentences are resampled."""
        return None if self.resample == "sentences" else self.place(sources).drawn()

    def place(self, sources: Sequence[Sentence]) -> DocumentPositions:
        """Find each sentence in its document."""
        from redink.inputs.document_ids import place_sentences

        return place_sentences(sources, self.documents)

    def keep(self, kept: Sequence[int] | None) -> Self:
        """Return the options for the sentences with these indices; None means all sentences."""
        given = self.documents
        path = given if isinstance(given, str | Path) else None
        if kept is None or given is None or (path and document_layout(path) is not None):
            return self
        from redink.inputs.document_ids import read_names

        names = read_names(given)
        if kept[-1] >= len(names):
            problem = f"has {len(names)} document names, but there are more sentences"
            raise FormatError(problem, path=path or "documents")
        return replace(self, documents=[names[at] for at in kept])

    def resampling(self) -> dict[str, Any]:
        """Return these options for the signature; empty if sentences are resampled."""
        return {} if self.resample == "sentences" else {"resample": self.resample}


@dataclass(frozen=True)
class MetadataOptions(Options):
    """Metadata of the sentences, by which they are divided or selected.

    Attributes:
        metadata: table with one row per sentence and a header (CSV, TSV, JSON lines, Parquet), for
            ``--by`` and ``--where``.
        where: score only the sentences for which a condition on the metadata is true, such as
            "level == 'B1' and year >= 2020".
    """

    metadata: Annotated[MetadataLike | None, Needs(by=True, where=True, rules=True)] = None
    where: Annotated[str | None, Flag(value="CONDITION")] = None


@dataclass(frozen=True)
class ColumnOptions(Options):
    """Column names of a source file that also contains the corrections.

    Attributes:
        source_column: column of source sentences, if SOURCE is a table (JSON lines, Parquet, CSV)
            that also contains the corrections. [default: source, or input]
        corrected_column: column of corrected sentences in that table. Repeat the option for more
            annotators. A list in a cell has one item per annotator. [default: corrected, or output,
            hypothesis, prediction, correction, target]
    """

    source_column: Annotated[str | None, Flag(value="NAME")] = None
    corrected_column: Annotated[str | Sequence[str] | None, Flag(repeat=True, value="NAME")] = None
