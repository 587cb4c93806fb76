"""Load references and systems from paths, lists of strings, or values already read.

All commands load references and systems with this module, and judgments and scores with
:mod:`redink.inputs.judgment_loading`, so that a file means the same to all of them. Accepted:

========== ====================================================================================
reference  a file with edits (M2, JSONL, NUCLE, W&I), with source and corrected columns, or with
           flags of tokens; a :class:`~redink.model.Corpus` or the values of such a file; a
           data frame with the columns source, reference and one column per system; or the
           source and one or more corrected texts separately: files or lists of strings.
systems    a mapping from names, or a sequence of paths, ``NAME=PATH`` and values. A system is a
           file of text, edits, columns or flags, the values of such a file, or a list of
           strings, one per sentence. Each file in a folder is one system. If the files have
           the names of the source documents, or the folder has a name (``NAME=FOLDER``), the
           folder is one system with one file per document. A JSON object of lists of strings
           has one list per system.
========== ====================================================================================
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import STANDARD_STREAM, read_head
from redink.formats.format_registry import PLAIN, detect_format
from redink.formats.recognition import CORRECTED, SOURCE, document_layout
from redink.inputs.input_options import (
    AlignmentOptions,
    EmptyReference,
    PathLike,
    ReferenceLike,
    SeparateTexts,
    SystemLike,
    SystemsLike,
    TextLike,
)
from redink.inputs.metadata import Columns
from redink.inputs.reading import DOCUMENT_TOKENIZER, load_tokenizer, read_corpus, read_values
from redink.model import (
    UNKNOWN,
    AnnotatedSentence,
    Annotation,
    Corpus,
    Detection,
    Edit,
    ParallelSentence,
    References,
    Sentence,
    SystemOutput,
    apply_edits,
    document_of,
)

Value = TypeVar("Value")


Texts = TypeVar("Texts", bound=SeparateTexts)


def split_columns(
    reference: Any, systems: Any, separate_texts: Texts, metadata: Collection[str] = ()
) -> tuple[Any, Any, Texts]:
    """Return the references and systems in the columns of a table as separate texts.

    The table is a data frame, a dataset, or a file with such columns. By default they are
    ``source``, ``reference`` (or ``references``, or several: ``reference_a``, ``reference_b``), and
    the systems, unless these are given separately: ``system``, ``prediction`` or a similar name, or
    else all other texts. The columns ``metadata`` and those that are not read are metadata.
    """
    chosen = separate_texts
    is_given = not isinstance(systems, tuple | list | Mapping) or bool(systems)
    if chosen.system_column and is_given:
        given = name_inputs(systems)
        if len(given) != 1:
            raise OptionError("--system-column requires a single SYSTEM, with all these columns")
        table = Columns.read(given[0][1])
        systems = {name: table.texts(name) for name in chosen.system_column}
    is_chosen = bool(
        chosen.source_column or chosen.reference_column or (chosen.system_column and not is_given)
    )
    is_separate = chosen.source is not None or chosen.references
    if not is_chosen and (is_separate or not Columns.has_texts(reference)):
        return reference, systems, chosen
    if reference is None:
        raise OptionError("columns of references require a table as REFERENCE")
    table = Columns.read(reference)
    names = list(table.cells)
    sources = [name for name in names if name.lower() in SOURCE]
    if chosen.source_column is not None:
        sources = [chosen.source_column]
    texts = [*chosen.reference_column] or [n for n in names if n.lower().startswith("reference")]
    if not sources or not texts:
        raise OptionError(
            f"{table.name} must have the columns source and reference, and one column per system; "
            f"found: {', '.join(names)}"
        )
    used: Sequence[str] = ()
    if not is_given:
        others = [n for n in names if n not in {*sources, *texts, *metadata} and n.lower() != "id"]
        outputs = [n for n in others if n.lower() in {"system", *CORRECTED}]
        used = chosen.system_column or outputs or [n for n in others if table.is_text(n)] or others
        systems = {name: table.texts(name) for name in used}
    found: dict[str, Any] = {
        "source": table.texts(sources[0]),
        "references": [text for name in texts for text in table.versions(name)],
        "source_column": None,
        "reference_column": (),
        "system_column": (),
    }
    if getattr(chosen, "metadata", ...) is None:
        found["metadata"] = {n: table.cells[n] for n in names if n not in used}
    return None, systems, replace(chosen, **found)


_HOLDS: dict[type, str] = {
    str: "text",
    Sentence: "text",
    AnnotatedSentence: "corpus",
    ParallelSentence: "parallel",
    Detection: "detections",
}


def _sentences(given: Any, expected: str, *, checked: bool = True) -> tuple[str, tuple[Any, ...]]:
    """Return the kind of a file or of values (one of ``_HOLDS``), and the values.

    A corpus without edits comes from text that was read or converted to JSONL.
    """
    kind: str | None
    if isinstance(given, str | Path):
        found, stream = read_values(given, checked=checked)
        kind, name = found.kind, found.name
        if kind == "documents":
            stream = read_values(given, kind="corpus")[1]
            kind = "text"
            message = (
                f"{given}: contains raw text and is tokenized independently of the source, so "
                "different tokens count as edits. Try: --align"
            )
            warnings.warn(message, RedinkWarning, stacklevel=3)
        if kind not in _HOLDS.values():
            raise FormatError(f"contains {kind} ({name}); expected {expected}", path=given)
        values = tuple(stream)
        if not values:
            raise FormatError("is empty; expected sentences", path=given)
    else:
        values, name = tuple(given.sentences if isinstance(given, Corpus) else given), "jsonl"
        kinds = ["text" if isinstance(v, str) else _HOLDS.get(type(v)) for v in values]
        kind = next(iter(kinds), None) or "text"
        for place, (other, value) in enumerate(zip(kinds, values, strict=True), start=1):
            if other != kind:
                raise OptionError(
                    f"expected {expected}, but sentence {place} is {str(value)[:60]!r} "
                    f"({type(value).__name__})"
                )
    if kind == "corpus" and name in PLAIN | {"jsonl"} and not any(s.annotations for s in values):
        kind = "text"
    return kind, values


def _texts_of(values: Sequence[Any]) -> tuple[Sentence, ...]:
    """Convert strings and sentences with edits to sentences without edits."""
    return tuple(
        Sentence.from_line(value) if isinstance(value, str) else getattr(value, "source", value)
        for value in values
    )


def _columns_of(rows: Sequence[ParallelSentence], given: Any) -> list[tuple[Sentence, ...]]:
    """Return the corrected texts of parallel text, one per column."""
    width = len(rows[0].corrected)
    for number, row in enumerate(rows, start=1):
        if not row.corrected or len(row.corrected) != width:
            raise DataError(
                f"{name_of(given, 'parallel text')}: expected {width or 'at least 1'} corrected "
                f"versions of sentence {number}, found {len(row.corrected)}"
            )
    return list(zip(*(row.corrected for row in rows), strict=True))


# ---- references


def load_references(
    reference: ReferenceLike | Sequence[TextLike] | None = None,
    *,
    source: TextLike | None = None,
    references: Sequence[TextLike] | TextLike = (),
    bare: bool = False,
    alignment: AlignmentOptions = AlignmentOptions(),
    empty_reference: EmptyReference = "delete",
) -> References:
    """Load the references: edits, or a source and its corrected texts."""
    texts = _as_texts(references)
    if source is not None:
        if reference is not None and texts:
            raise OptionError("REFERENCE cannot be combined with --reference")
        texts = texts or (() if reference is None else _as_texts(reference))
        if not texts:
            raise OptionError("--source requires at least one --reference")
        loaded = _from_texts(source, texts, alignment)
    elif alignment.tokenize:
        raise OptionError(
            "--tokenize requires text: use it with --source and --reference, or remove it"
        )
    elif texts:
        loaded = References(_merge_files(reference, texts))
    elif reference is None:
        raise OptionError("the reference is missing: pass REFERENCE, or --source and --reference")
    else:
        loaded = _from_sentences(reference, bare=bare)
    if empty_reference == "delete":
        return loaded
    if loaded.given_texts is None:
        raise OptionError("--empty-reference requires reference texts (--source and --reference)")
    return loaded.without_empty()


def load_own_references(
    given: SystemLike,
    sources: Sequence[Sentence],
    alignment: AlignmentOptions = AlignmentOptions(),
    *,
    keep_edits: bool = False,
) -> References:
    """Load the references of one system: text, or a file of edits (``keep_edits``: as they are)."""
    if not keep_edits or is_raw(given):
        return load_references(
            source=sources, references=[cast("TextLike", given)], alignment=alignment
        )
    loaded = load_references(cast("ReferenceLike", given))
    name = name_of(given, "a reference")
    _check_sources(loaded.corpus.sentences, sources, name, "the reference")
    return loaded


def _as_texts(given: Any) -> tuple[TextLike, ...]:
    """Load one file or corpus, or several texts, each a file or a list of strings."""
    return (given,) if isinstance(given, str | Path | Corpus) else tuple(given)


def _from_texts(
    source: TextLike, texts: Sequence[TextLike], alignment: AlignmentOptions
) -> References:
    for text in () if isinstance(source, str | Path) else texts:
        if isinstance(text, str) and not Path(text).exists():
            raise OptionError(
                f"{text[:40]!r} is not a file; each reference must be a file or a list of "
                "sentences. Try: references=[[...]] for a single list of strings"
            )
    sources = load_texts(source, alignment, checked=True)
    found = []
    for number, text in enumerate(texts, start=1):
        if corrected := _corrected_texts(text, sources, source):
            found += corrected
            continue
        raw = alignment.raw and is_raw(text)
        # raw text is not read as tokens, because that would cause a warning
        lines = () if raw and alignment.tokenize else load_texts(text, checked=True)
        if raw and (alignment.tokenize or len(lines) != len(sources) or _is_documents(text)):
            name = name_of(text, f"reference {number}")
            from redink.inputs.raw_alignment import align_output

            aligned = align_output(name, text, sources, alignment)
            if aligned.skipped:
                raise DataError(
                    f"{name} has no text for sentence {min(aligned.skipped) + 1}, and --no-answer "
                    "skip works only for systems; use --no-answer source or delete"
                )
            lines = aligned.hypotheses or ()
        if len(lines) != len(sources):
            name, of = name_of(text, "a reference text"), name_of(source, "the source")
            raise _wrong_length(name, len(lines), of, sources, _advise(sources, lines, text))
        found.append(lines)
    corpus = _corpus(map(AnnotatedSentence, sources), source)
    names = tuple(name_of(text, str(number)) for number, text in enumerate(texts, start=1))
    return References(corpus, tuple(found), names=names)


def _corrected_texts(
    given: TextLike, sources: Sequence[Sentence], source: TextLike
) -> list[tuple[Sentence, ...]]:
    """Return the corrected text of each annotator or column; nothing for a single text."""
    if isinstance(given, str | Path) and (
        _is_documents(given) or detect_format(given).name in PLAIN
    ):
        return []
    kind, values = _sentences(given, "a reference text")
    if kind == "text":
        return []
    name, of = name_of(given, "a reference"), name_of(source, "the source")
    if kind == "detections":
        raise DataError(f"{name} contains flags of tokens; expected corrected text")
    _check_sources(values, sources, name, of)
    if kind == "parallel":
        return _columns_of(values, given)
    references = References(_corpus(values, given))
    if not references.corpus.annotators:
        raise DataError(f"{name} has no annotations (no A line), so it contains no corrections")
    if references.about_gaps is not None:
        warnings.warn(references.about_gaps, RedinkWarning, stacklevel=3)
    return list(references.filled_texts)


def _check_sources(values: Sequence[Any], sources: Sequence[Sentence], name: str, of: str) -> None:
    """Raise an error unless the sentences of a reference are those of the source."""
    if len(values) != len(sources):
        raise _wrong_length(name, len(values), of, sources)
    for number, (own, value) in enumerate(zip(sources, values, strict=True), start=1):
        if own.tokens != value.source.tokens:
            raise DataError(
                f"{name}: the source of sentence {number} differs from line {number} of {of}: "
                f"expected {str(own)[:60]!r}, found {str(value.source)[:60]!r}"
            )


def _is_documents(text: TextLike) -> bool:
    return isinstance(text, str | Path) and detect_format(text).kind == "documents"


def _from_sentences(given: Any, *, bare: bool) -> References:
    if isinstance(given, References | Corpus):
        return given if isinstance(given, References) else References(given)
    values_of_one_text = AnnotatedSentence | ParallelSentence | Detection
    if not isinstance(given, str | Path) and not (
        given and all(isinstance(value, values_of_one_text) for value in given)
    ):
        raise OptionError("several reference texts require the source")
    kind, values = _sentences(given, "a reference")
    if kind == "text" and not bare:
        raise DataError(
            f"{name_of(given, 'the reference')} is plain text without edits. Try: "
            "--source FILE --reference FILE"
        )
    if kind == "detections":
        return References(_corpus(map(_flags_as_edits, values), None), are_flags=True)
    if kind == "parallel":
        sources = _corpus((AnnotatedSentence(row.source) for row in values), given)
        return References(sources, tuple(_columns_of(values, given)))
    return References(_corpus(values, given))


def _corpus(sentences: Iterable[AnnotatedSentence], given: Any) -> Corpus:
    return Corpus(tuple(sentences), name=Path(given).stem if isinstance(given, str | Path) else "")


def _merge_files(reference: Any, files: Sequence[TextLike]) -> Corpus:
    if reference is not None:
        raise OptionError("REFERENCE cannot be combined with --reference")
    if not all(isinstance(file, str | Path) and Path(file).exists() for file in files):
        raise OptionError("--reference requires --source, or files with edits")
    return merge_annotators(files)


def merge_annotators(files: Sequence[TextLike]) -> Corpus:
    """Merge the edits of the same sentences from several files; annotators are numbered from 0.

    In a sentence without any annotation in a file, the annotators of this file found no error.
    """
    merged: list[AnnotatedSentence] = []
    name_of_first = ""
    count = 0
    for number, given in enumerate(files):
        kind, values = _sentences(given, "edits of annotators")
        name = name_of(given, f"file {number + 1}")
        if kind != "corpus":
            raise OptionError(f"{name}: has no edits; --reference requires --source for texts")
        if not merged:
            merged = [AnnotatedSentence(value.source) for value in values]
            name_of_first = name
        _check_sources(values, [sentence.source for sentence in merged], name, name_of_first)
        annotators = Corpus(values).annotators or ("0",)
        numbers = {one: str(count + place) for place, one in enumerate(annotators)}
        count += len(annotators)
        for place, value in enumerate(values):
            found = value.everyone or [Annotation(one) for one in annotators]
            own = [replace(each, annotator=numbers[each.annotator]) for each in found]
            merged[place] = AnnotatedSentence.of_everyone(
                value.source, [*merged[place].everyone, *own]
            )
    return Corpus(tuple(merged), name=name_of_first)


def _flags_as_edits(detection: Detection) -> AnnotatedSentence:
    """Convert flags to errors without a correction."""
    edits = [Edit(i, i + 1, "", UNKNOWN) for i, wrong in enumerate(detection.flags) if wrong]
    return AnnotatedSentence(Sentence(detection.tokens), (Annotation("0", tuple(edits)),))


def load_corpus(corpus: PathLike | Corpus) -> Corpus:
    """Load sentences with their edits."""
    return corpus if isinstance(corpus, Corpus) else read_corpus(corpus)


def load_texts(
    text: TextLike, alignment: AlignmentOptions = AlignmentOptions(), *, checked: bool = False
) -> tuple[Sentence, ...]:
    """Load sentences without edits: the lines of a file, or strings."""
    if isinstance(text, str | Path):
        raw = alignment.tokenize or document_layout(text) is not None
        tokenizer = (alignment.tokenizer or DOCUMENT_TOKENIZER) if raw else None
        return _texts_of(read_corpus(text, tokenizer=tokenizer, checked=checked).sentences)
    found = _texts_of(text.sentences if isinstance(text, Corpus) else text)
    if not alignment.tokenize:
        return found
    cut = load_tokenizer(alignment.tokenizer or DOCUMENT_TOKENIZER)
    return tuple(
        Sentence.from_text(str(one), cut(str(one))) if one.text is None else one for one in found
    )


# ---- systems


def load_systems(
    systems: SystemsLike,
    sources: Sequence[Sentence] | References = (),
    alignment: AlignmentOptions = AlignmentOptions(),
) -> tuple[SystemOutput, ...]:
    """Load the output of each system; names must be unique."""
    references = sources if isinstance(sources, References) else None
    if isinstance(sources, References):
        sources = sources.sources
    loaded = []
    for name, value in name_inputs(systems, (document_of(s.id) for s in sources)):
        # an iterator is read only once
        given = tuple(value) if isinstance(value, Iterator) else value
        if alignment.raw and is_raw(given):
            from redink.inputs.raw_alignment import align_output

            loaded.append(align_output(name, given, sources, alignment, references))
        else:
            loaded.append(read_system(given, name=name, sources=sources))
    names = [system.name for system in loaded]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"two systems have the name {name!r}; system names must be unique")
    return tuple(loaded)


def kept_sentences(systems: Iterable[SystemOutput], size: int) -> tuple[int, ...] | None:
    """Return the sentences (from 0) for which all systems have an answer; None for all sentences.

    A sentence without an answer of one system is excluded for all systems, because scores of
    different sentences cannot be compared, and tests and intervals are paired.
    """
    skipped = frozenset[int]().union(*(system.skipped for system in systems))
    if not skipped:
        return None
    kept = tuple(at for at in range(size) if at not in skipped)
    if not kept:
        raise DataError(
            "--no-answer skip excludes all sentences: no sentence has an answer of every system"
        )
    return kept


def read_system(
    output: SystemLike, *, name: str | None = None, sources: Sequence[Sentence] = ()
) -> SystemOutput:
    """Load the output of a system: text, edits (M2, JSONL), columns, or flags (GED TSV).

    Args:
        output: a file, or values.
        name: the name of the system; by default the stem of the file.
        sources: the source sentences, if known; a system cannot have more sentences.
    """
    if isinstance(output, SystemOutput):
        return output
    if name is None:
        name, output = name_input(output)
    kind, values = _sentences(output, "a system's output", checked=bool(sources))
    system = _as_system(kind, values, name, output)
    is_folder = isinstance(output, str | Path) and Path(output).is_dir()
    if sources and is_folder and len(values) != len(sources):
        raise DataError(
            f"{output}: the folder has {len(values)} sentences, the reference has {len(sources)}. "
            "With NAME=FOLDER, the folder is one system with one file per document; with FOLDER, "
            "each file is one system. Try: --align, or FOLDER without NAME="
        )
    if sources and len(values) > len(sources):
        raise _wrong_system_length(system, sources)
    return system


def _as_system(kind: str, values: tuple[Any, ...], name: str, output: SystemLike) -> SystemOutput:
    if kind == "text":
        return SystemOutput(name, hypotheses=_texts_of(values))
    if kind == "detections":
        return SystemOutput(name, detections=values)
    sources = tuple(value.source for value in values)
    if kind == "parallel":
        texts = _columns_of(values, output)
        if len(texts) > 1:
            what = f"has {len(texts)} corrected columns; expected one per system"
            raise FormatError(what, path=name_of(output, "") or None)
        return SystemOutput(name, hypotheses=texts[0], sources=sources)
    versions = tuple(sentence.everyone for sentence in values)
    # the text uses the first of several versions of a sentence
    first = tuple(next(iter(found), Annotation("0")) for found in versions)
    return SystemOutput(name, annotations=first, sources=sources, versions=versions)


def refuse_versions(systems: Iterable[SystemOutput]) -> None:
    """Raise an error if a system has several versions of a sentence."""
    for system in systems:
        if any(len(versions) > 1 for versions in system.versions or ()):
            what = "has several annotators for one sentence; expected one per system"
            raise DataError(f"system {system.name!r} {what}")


def _advise(sources: Sequence[Sentence], texts: Sequence[Sentence], given: Any = None) -> str:
    """Return advice for a text whose number of lines differs from that of its source."""
    if isinstance(given, str | Path) and Path(given).is_dir():
        return " (a folder contains the documents of one text; pass each text as a file)"
    if not any(text.tokens for text in texts[len(sources) :]) and len(texts) > len(sources):
        return f". Try: remove the empty lines after line {len(sources)}"
    empty = [
        number
        for number, (source, text) in enumerate(zip(sources, texts, strict=False), start=1)
        if source.tokens and not text.tokens
    ]
    if empty:
        return f"; line {empty[0]} is empty. Try: --align"
    from redink.raw_text.sentence_matching import find_moved

    moved = find_moved([s.tokens for s in sources], [t.tokens for t in texts])
    for line, home in moved.homes.items():
        return f"; line {line + 1} seems to belong to line {home + 1} of the source. Try: --align"
    return ". Try: --align"


def check_same_length(corpus: Corpus, systems: Iterable[SystemOutput]) -> None:
    """Raise an error unless all systems have the sentences of the reference."""
    for system in systems:
        if len(system) != len(corpus):
            sources = [sentence.source for sentence in corpus.sentences]
            raise _wrong_system_length(system, sources)
        given: Sequence[Any] = system.detections or system.sources or ()
        for number, (ours, theirs) in enumerate(zip(corpus.sentences, given, strict=False), 1):
            if ours.source.tokens != theirs.tokens:
                raise DataError(
                    f"sentence {number} of system {system.name!r} is not that of the reference: "
                    f"expected {str(ours.source)[:60]!r}, found {' '.join(theirs.tokens)[:60]!r}"
                )


def _wrong_system_length(system: SystemOutput, sources: Sequence[Sentence]) -> DataError:
    advice = "" if system.hypotheses is None else _advise(sources, system.hypotheses)
    name = f"system {system.name!r}"
    return _wrong_length(name, len(system), "the reference", sources, advice)


def _wrong_length(
    name: str, count: int, of: str, sources: Sequence[Sentence], advice: str = ""
) -> DataError:
    return DataError(
        f"{name} has {count} sentences, {of} has {len(sources)}; they must match line by line"
        f"{advice}"
    )


def corrected_text(sources: Sequence[Sentence], system: SystemOutput) -> tuple[Sentence, ...]:
    """Return the corrected text of a system, from its text or by applying its edits."""
    if system.hypotheses is not None:
        return system.hypotheses
    if system.annotations is None:
        raise DataError(
            f"system {system.name!r} contains flags and no corrections. Try: redink detection"
        )
    return tuple(
        Sentence(apply_edits(source.tokens, annotation.edits))
        for source, annotation in zip(sources, system.annotations, strict=True)
    )


def load_hypotheses(
    source: TextLike, systems: SystemsLike
) -> tuple[tuple[Sentence, ...], dict[str, tuple[Sentence, ...]]]:
    """Load the source sentences and the corrected text of each system, line by line."""
    sources = load_texts(source, checked=True)
    loaded = load_systems(systems, sources)
    check_same_length(Corpus(tuple(map(AnnotatedSentence, sources))), loaded)
    return sources, {system.name: corrected_text(sources, system) for system in loaded}


# ---- names of systems

_PATH = re.compile(r"[^\s=]+=|[^\n]+\.(?:txt|md|m2|jsonl?|tsv|gz|zst)\Z")
_LONGEST_PATH = 4096


def is_text(given: str) -> bool:
    """Return whether a string is text: it has several words and is not the name of a file."""
    if len(given) > _LONGEST_PATH:
        return True
    if not set(given) & {" ", "\n"}:
        return False
    try:
        return not Path(given).exists() and not _PATH.match(given)
    except (OSError, ValueError):
        return True


def is_raw(given: Any) -> bool:
    """Return whether a system is text (also in a column) that can be aligned, without edits."""
    if isinstance(given, str | Path):
        if (isinstance(given, str) and is_text(given)) or document_layout(given) is not None:
            return True
        try:
            found = detect_format(given)
        except FormatError:
            return True
        return found.name in PLAIN or found.kind == "parallel"
    if isinstance(given, SystemOutput):
        return given.hypotheses is not None
    kinds = str | Sentence | None
    return not isinstance(given, Corpus) and all(isinstance(one, kinds) for one in given)


def name_inputs(
    given: Mapping[str, Value] | Sequence[Value] | str | Path, documents: Iterable[str | None] = ()
) -> list[tuple[str, Value]]:
    """Return the values by name: the key of a mapping, ``NAME=PATH``, or the stem of a file."""
    if isinstance(given, Mapping):
        return list(given.items())
    found: dict[str, Any] = {}
    several = [given] if isinstance(given, str | Path | SystemOutput) else given
    for name, inside in _spread(several, documents):
        if name in found:
            raise DataError(
                f"two systems have the name {name!r}: {name_of(found[name], 'a value')} and "
                f"{name_of(inside, 'a value')}. Try: rename one of them with NAME=PATH"
            )
        found[name] = inside
    return list(found.items())


def _spread(given: Iterable[Any], documents: Iterable[str | None]) -> Iterator[tuple[str, Any]]:
    """Yield the values with their names; a folder is expanded to files, an object to lists."""
    known: set[str] | None = None
    for value in given:
        if isinstance(value, str) and is_text(value):
            raise OptionError(
                f"{value[:40]!r} is not a file; pass the output of a single system with its name: "
                "systems={'mine': [...]}"
            )
        several: Iterable[tuple[str, Any]] = ()
        if isinstance(value, str | Path) and os.path.isdir(value):  # noqa: PTH112 (any string)
            known = {one for one in documents if one} if known is None else known
            several = _systems_in(Path(value), known)
        elif isinstance(value, str | Path) and (
            str(value) == STANDARD_STREAM or os.path.exists(value)  # noqa: PTH110 (any string)
        ):
            several = _named_lists(value)
        yield from several or [name_input(value)]


def _named_lists(path: str | Path) -> Iterable[tuple[str, list[str]]]:
    if not "".join(read_head(path)).lstrip().startswith("{"):
        return ()
    from redink.formats.strict_json import read_named_lists

    return read_named_lists(path).items()


def _systems_in(folder: Path, documents: Collection[str]) -> list[tuple[str, Path]]:
    """Return the visible files of a folder; none if they are documents of one system."""
    try:
        inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror})", path=folder) from error
    # UA-GEC has one file per document
    if detect_format(folder).kind != "documents" or any(
        path.name.split(".")[0] in documents for path in inside
    ):
        return []
    files = [(_stem(path), path) for path in inside if path.is_file()]
    if not files:
        hint = ", or pass each of its folders as NAME=FOLDER" if inside else ""
        problem = f"is a folder without files; expected one file per system{hint}"
        raise FormatError(problem, path=folder)
    return files


def name_input(value: Any) -> tuple[str, Any]:
    """Return a value with its name."""
    name, inside = split_name(value)
    if isinstance(inside, str | Path):
        name = name or _stem(inside)
    if not name:
        raise OptionError("a system has no name; pass a mapping from system names to outputs")
    return name, inside


def split_name(value: Any) -> tuple[str | None, Any]:
    """Return the name of a value, or the parts of ``NAME=PATH``."""
    if not isinstance(value, str | Path):
        return getattr(value, "name", None), value
    name, equals, path = str(value).partition("=")
    if name and equals and not path and not Path(value).exists():
        raise OptionError(f"the path is missing in {value}; expected NAME=PATH")
    return (name, path) if equals and name and not Path(value).exists() else (None, value)


def _stem(path: str | Path) -> str:
    """Return the stem of a file name: "careful" for "careful.ged.tsv" and "careful.txt.gz"."""
    name = Path(path).name.removesuffix(".gz").removesuffix(".zst")
    return Path(name).stem.removesuffix(".ged")


def name_of(given: Any, otherwise: str) -> str:
    """Return the name of an input for a message: its path, or a default for values."""
    return str(given) if isinstance(given, str | Path) else otherwise
