"""Read files of any format, and convert values from one kind to another."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.formats.format_registry import Format, Kind, detect_format
from redink.model import (
    AnnotatedSentence,
    Corpus,
    Detection,
    Edit,
    ParallelSentence,
    References,
)
from redink.raw_text.tokenization import MarkCount
from redink.registry import Registry
from redink.value_types import quote

if TYPE_CHECKING:
    from redink.model import Judgment, Ranking
    from redink.raw_text.tokenization import Tokenize

    Tokenizer = str | Tokenize
    """The name of a tokenizer (``spacy``, ``treebank``), a language code (``de``) or a function."""

TOKENIZERS: Registry[Tokenize] = Registry(
    "redink.tokenizers",
    "tokenizer",
    {
        "spacy": "redink.analysis.english.tokenizer:english_tokens",
        "treebank": "redink.raw_text.tokenization:treebank_tokens",
        "words": "redink.formats.ua_gec:word_tokens",
    },
)
"""The tokenizers of raw text by name."""
DOCUMENT_TOKENIZER = "treebank"
"""The default tokenizer of documents."""
_LOOKED_AT = 200


def load_tokenizer(tokenizer: Tokenizer) -> Tokenize:
    """Return the tokenizer with this name or language code, or the function itself."""
    if not isinstance(tokenizer, str):
        return tokenizer
    if tokenizer in TOKENIZERS:
        return TOKENIZERS.load(tokenizer)
    from redink.analysis import language

    try:
        return language.load_tokenizer(tokenizer)
    except OptionError as error:
        raise OptionError(
            f"unknown tokenizer {tokenizer!r}; expected one of: {', '.join(TOKENIZERS.names)}, or "
            "a language code (de, es, zh)"
        ) from error


def read_values(
    path: str | Path,
    *,
    kind: Kind | None = None,
    format: str | None = None,  # noqa: A002
    tokenizer: Tokenizer | None = None,
    field: str | None = None,
    checked: bool = False,
) -> tuple[Format, Iterator[Any]]:
    """Return the format of a file, by default detected from its content, and stream its values.

    Args:
        path: the file.
        kind: the required kind of values, if only one is accepted.
        format: the name of its format.
        tokenizer: the tokenizer of raw text. By default, plain and parallel text is read as tokens,
            and formats of raw text use the usual tokenizer of their corpora (W&I: spacy, NUCLE:
            treebank). Formats of tokenized text accept no tokenizer.
        field: the JSON field that contains the text of documents.
        checked: whether the caller checks the text (:mod:`redink.inputs.input_checks`); then this
            function does not warn about untokenized text.
    """
    _check_path(path)
    found = detect_format(path, kind=kind, name=format)
    if field is not None and found.name != "documents":
        raise FormatError(
            "does not contain documents in JSON lines, so no field can be chosen", path=path
        )
    if found.kind == "documents":
        documents = found.read(path, **({} if field is None else {"field": field}))
        if kind is None:
            return found, documents
        from redink.formats.raw_documents import split_documents

        tokenize = load_tokenizer(tokenizer or DOCUMENT_TOKENIZER)
        return found, map(AnnotatedSentence, split_documents(documents, tokenize))
    wanted = tokenizer or found.raw
    if wanted is None:
        values = found.read(path)
        return found, notice_raw(path, values) if found.may_be_raw and not checked else values
    if not (found.raw or found.may_be_raw):
        problem = f"{path}: --tokenizer cannot be used, because {found.name} is already tokenized"
        raise OptionError(problem)
    return found, found.read(path, tokenize=load_tokenizer(wanted))


def notice_raw(path: str | Path, values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values; warn if text that is read as tokens seems untokenized."""
    marks = MarkCount()
    for number, value in enumerate(values, start=1):
        if number <= _LOOKED_AT:
            marks.add(number, value.source.tokens)
        yield value
    if marks.is_untokenized:
        message = (
            f"{path}: is read as tokens separated by spaces, but seems untokenized: in its first "
            f"lines {marks.attached} marks are attached to words and {marks.separate} are separate "
            f"(first: line {marks.first}); tokenize it"
        )
        warnings.warn(message, RedinkWarning, stacklevel=3)


def read_corpus(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    tokenizer: Tokenizer | None = None,
    checked: bool = False,
) -> Corpus:
    """Read a corpus into memory.

    Args:
        path: the file.
        format: name of its format. By default detected from the content.
        tokenizer: splits raw text into tokens.
        checked: do not warn about untokenized text, because the caller checks the text.
    """
    _, values = read_values(
        path, kind="corpus", format=format, tokenizer=tokenizer, checked=checked
    )
    sentences = tuple(values)
    if not sentences:
        raise FormatError("is empty; expected sentences", path=path)
    return Corpus(sentences, name=Path(path).stem)


def read_rankings(path: str | Path, *, format: str | None = None) -> tuple[Ranking, ...]:  # noqa: A002
    """Read all rankings of a file.

    Args:
        path: the file.
        format: name of its format. By default detected from the content.
    """
    return tuple(read_values(path, kind="rankings", format=format)[1])


def read_judgments(path: str | Path, *, format: str | None = None) -> tuple[Judgment, ...]:  # noqa: A002
    """Read all judgments of a file, or of the folders of SEEDA's edit judgments.

    Args:
        path: the file or folder.
        format: name of its format. By default detected from the content.
    """
    _check_path(path)
    if format is None:
        from redink.formats.seeda import holds_seeda, read_seeda

        if holds_seeda(path):
            return tuple(read_seeda(path))
    return tuple(read_values(path, kind="judgments", format=format)[1])


def _check_path(path: object) -> None:
    if not isinstance(path, str | Path):
        raise OptionError(f"expected a path, found {quote(path)}")


# ---- from one kind of value to another

_REACHABLE: dict[Kind, tuple[Kind, ...]] = {
    "corpus": ("corpus", "parallel", "detections"),
    "documents": ("documents", "corpus"),
}


def reachable(kind: Kind) -> tuple[Kind, ...]:
    """Return the kinds to which values of this kind can be converted, itself first."""
    return _REACHABLE.get(kind, (kind,))


def explain_unreachable(kind: Kind, wanted: Kind) -> str:
    """Return the reason why values of one kind cannot be converted to another."""
    if kind == "parallel" and wanted == "corpus":
        return "parallel text has no edits. Try: `redink annotate SOURCE CORRECTED... -o OUT.m2`"
    if kind == "detections" and wanted in {"corpus", "parallel"}:
        return "detections contain no corrections, only the positions of errors"
    return f"{kind} cannot be converted to {wanted}"


def change_kind(
    values: Iterable[Any], kind: Kind, wanted: Kind, *, annotator: str | None = None
) -> Iterable[Any]:
    """Convert the values to another kind."""
    if wanted not in reachable(kind):
        raise OptionError(explain_unreachable(kind, wanted))
    if annotator is not None and kind == "corpus" and wanted != "parallel":
        values = only_annotator(values, annotator)
    if wanted == kind:
        return values
    corpus = Corpus(tuple(values))
    if not corpus.annotators:
        raise DataError("the file has no edits, so errors and corrections are unknown")
    if wanted == "detections":
        return to_detections(corpus)
    if annotator is not None and annotator not in corpus.annotators:
        raise _no_annotator(annotator)
    return to_parallel(corpus, annotator=annotator)


def only_annotator(
    sentences: Iterable[AnnotatedSentence], annotator: str
) -> Iterator[AnnotatedSentence]:
    """Return the sentences with the edits of only one annotator."""
    seen = False
    for sentence in sentences:
        kept = tuple(a for a in sentence.annotations if a.annotator == annotator)
        seen = seen or bool(kept)
        refused = tuple(who for who in sentence.unannotatable if who == annotator)
        yield replace(sentence, annotations=kept, unannotatable=refused)
    if not seen:
        raise _no_annotator(annotator)


def _no_annotator(annotator: str) -> OptionError:
    return OptionError(f"unknown annotator {annotator!r}")


def to_parallel(corpus: Corpus, *, annotator: str | None = None) -> Iterator[ParallelSentence]:
    """Return the corrected text of each annotator, in the order of the annotators.

    The first of several alternative corrections is used. If an annotator has no line for a
    sentence, the rule of :attr:`References.filled_texts` applies, with one warning.
    """
    references = References(corpus)
    texts = references.filled_texts
    if annotator is not None:
        texts = (texts[corpus.annotators.index(annotator)],)
    for source, *versions in zip(references.sources, *texts, strict=True):
        yield ParallelSentence(source, tuple(versions))
    if references.about_gaps is not None:
        warnings.warn(references.about_gaps, RedinkWarning, stacklevel=3)


def to_detections(corpus: Corpus) -> Iterator[Detection]:
    """Flag the tokens of an annotator's edits; an insertion flags the next token.

    An insertion at the end of a sentence flags its last token. The published token-level detection
    data (FCE, W&I) was made from edits in this way.
    """
    if len(corpus.annotators) > 1:
        known = ", ".join(corpus.annotators)
        problem = f"detections have one annotator; choose one with --annotator: {known}"
        raise OptionError(problem)
    for sentence in corpus.sentences:
        tokens = sentence.source.tokens
        edits = sentence.annotations[0].edits if sentence.annotations else ()
        yield Detection(tokens, _flags(len(tokens), edits))
    if unread := sum(not sentence.annotations for sentence in corpus.sentences):
        message = f"sentences without an annotation, treated as without error: {unread}"
        warnings.warn(message, RedinkWarning, stacklevel=3)


def _flags(length: int, edits: Sequence[Edit]) -> tuple[bool, ...]:
    touched: set[int] = set()
    for edit in edits:
        touched.update(range(edit.start, edit.end) or [min(edit.start, length - 1)])
    return tuple(index in touched for index in range(length))
