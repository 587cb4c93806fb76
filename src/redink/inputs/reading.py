"""Files of any format into values, and values of one kind into another."""

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
"""The tokenizer of documents, unless another is given."""
_LOOKED_AT = 200


def load_tokenizer(tokenizer: Tokenizer) -> Tokenize:
    """Return the tokenizer of that name or language, or the function itself."""
    if not isinstance(tokenizer, str):
        return tokenizer
    if tokenizer in TOKENIZERS:
        return TOKENIZERS.load(tokenizer)
    from redink.analysis import language

    try:
        return language.load_tokenizer(tokenizer)
    except OptionError as error:
        raise OptionError(
            f"there is no tokenizer {tokenizer!r}; there are {', '.join(TOKENIZERS.names)}, and "
            "the tokenizer of every language by its code (de, es, zh)"
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
    """Return the format of a file, detected from its content unless named, and stream its values.

    Args:
        path: the file.
        kind: the kind of values it must hold, if only one is accepted.
        format: the name of its format.
        tokenizer: the tokenizer of raw text. Without it, plain and parallel text is read as tokens,
            and formats of raw text use the usual tokenizer of their corpora (W&I: spacy, NUCLE:
            treebank). Text that is always tokenized accepts none.
        field: the field that holds the text of documents in JSON lines.
        checked: whether the caller checks the text (:mod:`redink.inputs.input_checks`), so that no
            warning about untokenized text is needed here.
    """
    _check_path(path)
    found = detect_format(path, kind=kind, name=format)
    if field is not None and found.name != "documents":
        raise FormatError("does not hold documents in JSON lines, so it has no fields", path=path)
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
        problem = f"{path}: {found.name} is tokenized, and tokenized text is never tokenized again"
        raise OptionError(problem)
    return found, found.read(path, tokenize=load_tokenizer(wanted))


def notice_raw(path: str | Path, values: Iterable[Any]) -> Iterator[Any]:
    """Pass values through; warn if text that is read as tokens seems untokenized."""
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
        raise FormatError("is empty; sentences were expected", path=path)
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
        raise OptionError(f"a path was expected, not {quote(path)}")


# ---- from one kind of value to another

_REACHABLE: dict[Kind, tuple[Kind, ...]] = {
    "corpus": ("corpus", "parallel", "detections"),
    "documents": ("documents", "corpus"),
}


def reachable(kind: Kind) -> tuple[Kind, ...]:
    """The kinds that values of this kind can become, itself first."""
    return _REACHABLE.get(kind, (kind,))


def explain_unreachable(kind: Kind, wanted: Kind) -> str:
    """Why values of one kind cannot become the other."""
    if kind == "parallel" and wanted == "corpus":
        return (
            "parallel text has no edits: find them with "
            "`redink annotate SOURCE CORRECTED... -o OUT.m2`"
        )
    if kind == "detections" and wanted in {"corpus", "parallel"}:
        return "detections say where errors are and not how to correct them"
    return f"{kind} cannot become {wanted}"


def change_kind(
    values: Iterable[Any], kind: Kind, wanted: Kind, *, annotator: str | None = None
) -> Iterable[Any]:
    """The values as another kind."""
    if wanted not in reachable(kind):
        raise OptionError(explain_unreachable(kind, wanted))
    if annotator is not None and kind == "corpus" and wanted != "parallel":
        values = only_annotator(values, annotator)
    if wanted == kind:
        return values
    corpus = Corpus(tuple(values))
    if not corpus.annotators:
        raise DataError("there are no edits in it, so nothing is known of corrections or errors")
    if wanted == "detections":
        return to_detections(corpus)
    if annotator is not None and annotator not in corpus.annotators:
        raise _no_annotator(annotator)
    return to_parallel(corpus, annotator=annotator)


def only_annotator(
    sentences: Iterable[AnnotatedSentence], annotator: str
) -> Iterator[AnnotatedSentence]:
    """The sentences with the edits of one annotator alone."""
    seen = False
    for sentence in sentences:
        kept = tuple(a for a in sentence.annotations if a.annotator == annotator)
        seen = seen or bool(kept)
        refused = tuple(who for who in sentence.unannotatable if who == annotator)
        yield replace(sentence, annotations=kept, unannotatable=refused)
    if not seen:
        raise _no_annotator(annotator)


def _no_annotator(annotator: str) -> OptionError:
    return OptionError(f"there is no annotator {annotator!r} in it")


def to_parallel(corpus: Corpus, *, annotator: str | None = None) -> Iterator[ParallelSentence]:
    """The text that every annotator would have, in the order of the annotators.

    Of alternative corrections the first is taken. Where an annotator has no line, the rule of
    :attr:`References.filled_texts` holds, and one warning says so.
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
    """Which tokens an annotator's edits touch; an insertion flags the token after it.

    An insertion at the end of a sentence flags its last token. This is how token-level detection
    data (FCE, W&I) is made from edits.
    """
    if len(corpus.annotators) > 1:
        known = ", ".join(corpus.annotators)
        problem = f"detections are one annotator's; say whose with --annotator (there are {known})"
        raise OptionError(problem)
    for sentence in corpus.sentences:
        tokens = sentence.source.tokens
        edits = sentence.annotations[0].edits if sentence.annotations else ()
        yield Detection(tokens, _flags(len(tokens), edits))
    if unread := sum(not sentence.annotations for sentence in corpus.sentences):
        message = (
            f"sentences about which an annotator says nothing, taken to be without error: {unread}"
        )
        warnings.warn(message, RedinkWarning, stacklevel=3)


def _flags(length: int, edits: Sequence[Edit]) -> tuple[bool, ...]:
    touched: set[int] = set()
    for edit in edits:
        touched.update(range(edit.start, edit.end) or [min(edit.start, length - 1)])
    return tuple(index in touched for index in range(length))
