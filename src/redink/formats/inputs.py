"""The one door through which everything comes in: paths, lists of strings, values already read.

Every command and every function of redink takes its references, systems, judgments and scores
from here, so that a file means the same to all of them. What may be given:

========== ====================================================================================
reference  a file with edits (M2, JSONL, NUCLE, W&I), with source and corrected columns, or with
           flags for tokens; a :class:`~redink.model.Corpus`. Or, apart, the source and one or
           more corrected texts: files or lists of strings.
systems    a mapping from names, or a sequence of paths, ``NAME=PATH`` and values. One is a file
           of text, edits, columns or flags, or a list of strings, one a sentence.
judgments  a file of labels, or :class:`~redink.model.Judgment` values.
rankings   a file of rankings, or :class:`~redink.model.Ranking` values.
scores     files with scores of systems, ``NAME=PATH``, tables that ``score`` made, or
           :class:`~redink.model.SystemScore` values.
========== ====================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from redink.errors import DataError, FormatError, OptionError
from redink.formats.metric_scores import (
    read_sentence_scores,
    read_system_scores,
    select_system_scores,
)
from redink.formats.reading import read_judgments, read_rankings, read_values
from redink.model import (
    UNKNOWN,
    AnnotatedSentence,
    Annotation,
    Corpus,
    Detection,
    Edit,
    Judgment,
    ParallelSentence,
    Ranking,
    References,
    Sentence,
    SentenceScore,
    SystemOutput,
    SystemScore,
    Table,
    apply_edits,
)
from redink.options import Flag, Options

PathLike = str | Path
Texts = Sequence[str] | Sequence[Sentence]
"""One sentence each: tokens separated by spaces."""
TextLike = PathLike | Texts | Corpus
ReferenceLike = PathLike | Corpus | References | Sequence[Detection]
SystemLike = PathLike | SystemOutput | Corpus | Texts
SystemsLike = Mapping[str, SystemLike] | Sequence[PathLike | SystemOutput]
JudgmentsLike = PathLike | Iterable[Judgment]
RankingsLike = PathLike | Iterable[Ranking]
ScoresLike = (
    Mapping[str, PathLike | Table] | Sequence[PathLike | Table | SystemScore] | Table | PathLike
)
SentenceScoresLike = PathLike | Iterable[SentenceScore]

Value = TypeVar("Value")


@dataclass(frozen=True)
class TextsApart(Options):
    """References as texts apart from their source, instead of one file with edits.

    Attributes:
        source: the text as written, with ``--reference``; then all arguments are systems.
        references: a corrected text, instead of REFERENCE; once for each annotator.
    """

    source: TextLike | None = None
    references: Annotated[Sequence[TextLike], Flag(name="reference", repeat=True)] = ()


def name_inputs(given: Mapping[str, Value] | Sequence[Value]) -> list[tuple[str, Value]]:
    """Everything with its name: of a mapping, as ``NAME=PATH``, of a value, or a file's stem.

    Raises:
        DataError: two have one name.
    """
    if isinstance(given, Mapping):
        return list(given.items())
    found: dict[str, Value] = {}
    for value in given:
        name, inside = _name_of(value)
        if name in found:
            raise DataError(
                f"two systems are called {name!r}: {_shown(found[name])} and {_shown(inside)}; "
                "give one of them another name with NAME=PATH"
            )
        found[name] = inside
    return list(found.items())


def _name_of(value: Any) -> tuple[str, Any]:
    if not isinstance(value, str | Path):
        return value.name, value
    name, equals, path = str(value).partition("=")
    if equals and name and not Path(value).exists():
        return name, path
    return Path(value).stem.removesuffix(".ged"), value  # "careful.ged.tsv" is "careful"


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, str | Path) else "a value"


# ---- references


def load_references(
    reference: ReferenceLike | Sequence[TextLike] | None = None,
    *,
    source: TextLike | None = None,
    references: Sequence[TextLike] | TextLike = (),
) -> References:
    """What the annotators made of the sources.

    Args:
        reference: the sources with edits, corrected versions or flags; with ``source``, the same
            as ``references``.
        source: the sources, where the references are texts apart.
        references: corrected texts, one for each annotator.

    Raises:
        OptionError: something is missing, or given twice.
        DataError: the texts do not match, or there is nothing to compare with.
    """
    texts = _as_texts(references)
    if source is not None:
        if reference is not None and texts:
            raise OptionError("give the references once: as a reference or as reference texts")
        texts = texts or (() if reference is None else _as_texts(reference))
        if not texts:
            raise OptionError("--source needs at least one --reference")
        return _from_texts(source, texts)
    if texts:
        raise OptionError("--reference needs --source, the text that it corrects")
    if reference is None:
        raise OptionError("give a reference, or a source and reference texts")
    if isinstance(reference, References):
        return reference
    if isinstance(reference, Corpus):
        return References(reference)
    if not isinstance(reference, str | Path):
        return _from_flags(reference)
    return _read_references(reference)


def _as_texts(given: Any) -> tuple[TextLike, ...]:
    """One file or corpus, or several texts, each a file or a list of strings."""
    return (given,) if isinstance(given, str | Path | Corpus) else tuple(given)


def _from_texts(source: TextLike, texts: Sequence[TextLike]) -> References:
    sources = load_texts(source)
    found = []
    for text in texts:
        lines = load_texts(text)
        if len(lines) != len(sources):
            name, of = _named(text, "a reference text"), _named(source, "the source")
            raise DataError(
                f"{name} has {len(lines)} sentences, {of} has {len(sources)}; "
                "they must match line by line"
            )
        found.append(lines)
    name = Path(source).stem if isinstance(source, str | Path) else ""
    return References(Corpus(tuple(map(AnnotatedSentence, sources)), name=name), tuple(found))


def _named(given: Any, otherwise: str) -> str:
    return str(given) if isinstance(given, str | Path) else otherwise


def _from_flags(given: Sequence[Any]) -> References:
    if not given or not all(isinstance(value, Detection) for value in given):
        raise OptionError("several reference texts need the source they correct (source)")
    return References(Corpus(tuple(map(_flags_as_edits, given))), are_flags=True)


def _flags_as_edits(detection: Detection) -> AnnotatedSentence:
    """Flags are errors whose correction is not known."""
    edits = [Edit(i, i + 1, "", UNKNOWN) for i, wrong in enumerate(detection.flags) if wrong]
    return AnnotatedSentence(Sentence(detection.tokens), (Annotation("0", tuple(edits)),))


def _read_references(path: PathLike) -> References:
    found, values = read_values(path)
    if found.kind == "detections":
        return _from_flags(tuple(values))
    if found.kind == "parallel":
        rows: tuple[ParallelSentence, ...] = tuple(values)
        bare = Corpus(tuple(AnnotatedSentence(row.source) for row in rows), name=Path(path).stem)
        return References(bare, tuple(zip(*(row.corrected for row in rows), strict=True)))
    if found.kind != "corpus":
        raise FormatError(
            f"holds {found.kind} ({found.name}); sentences with edits were expected", path=path
        )
    corpus = Corpus(tuple(values), name=Path(path).stem)
    if not corpus.sentences:
        raise FormatError("is empty; sentences were expected", path=path)
    if is_text(found.name, corpus.sentences):
        raise DataError(
            f"{path} is plain text, without edits; give the source and the reference text apart: "
            "--source FILE --reference FILE"
        )
    return References(corpus)


def is_text(format_name: str, sentences: Sequence[AnnotatedSentence]) -> bool:
    """Whether sentences are text alone; JSONL without edits is what text became."""
    if format_name == "text":
        return True
    return format_name == "jsonl" and not any(s.annotations for s in sentences)


def load_corpus(corpus: PathLike | Corpus) -> Corpus:
    """Sentences with whatever edits they have."""
    if isinstance(corpus, Corpus):
        return corpus
    _, values = read_values(corpus, kind="corpus")
    sentences: tuple[AnnotatedSentence, ...] = tuple(values)
    if not sentences:
        raise FormatError("is empty; sentences were expected", path=corpus)
    return Corpus(sentences, name=Path(corpus).stem)


def load_texts(text: TextLike) -> tuple[Sentence, ...]:
    """Sentences alone: the lines of a file, or strings."""
    if isinstance(text, str | Path | Corpus):
        return tuple(sentence.source for sentence in load_corpus(text).sentences)
    return tuple(_sentence(line) for line in text)


def _sentence(line: str | Sentence) -> Sentence:
    return line if isinstance(line, Sentence) else Sentence.from_line(line)


# ---- systems


def load_systems(systems: SystemsLike) -> tuple[SystemOutput, ...]:
    """What every system made, by name; names differ."""
    loaded = tuple(_load_system(name, value) for name, value in name_inputs(systems))
    names = [system.name for system in loaded]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"two systems are called {name!r}; every system needs its own name")
    return loaded


def _load_system(name: str, value: Any) -> SystemOutput:
    if isinstance(value, SystemOutput):
        return value
    if isinstance(value, Corpus):
        return _from_edits(name, value.sentences)
    if not isinstance(value, str | Path):
        return SystemOutput(name, hypotheses=load_texts(value))
    return read_system(value, name=name)


def read_system(path: PathLike, *, name: str | None = None) -> SystemOutput:
    """What a system made: text, its own edits (M2, JSONL) or flags for tokens (GED TSV)."""
    called = name or _name_of(Path(path))[0]
    found, values = read_values(path)
    if found.kind == "detections":
        return SystemOutput(called, detections=tuple(values))
    if found.kind == "parallel":
        return _from_columns(called, tuple(values), path)
    if found.kind != "corpus":
        raise FormatError(
            f"holds {found.kind} ({found.name}); a system's output was expected", path=path
        )
    sentences: tuple[AnnotatedSentence, ...] = tuple(values)
    if is_text(found.name, sentences):
        return SystemOutput(called, hypotheses=tuple(s.source for s in sentences))
    return _from_edits(called, sentences)


def _from_columns(name: str, rows: Sequence[ParallelSentence], path: PathLike) -> SystemOutput:
    if len(rows[0].corrected) > 1:
        raise FormatError(
            f"has {len(rows[0].corrected)} corrected columns; a system has one", path=path
        )
    return SystemOutput(
        name,
        hypotheses=tuple(row.corrected[0] for row in rows),
        sources=tuple(row.source for row in rows),
    )


def _from_edits(name: str, sentences: Sequence[AnnotatedSentence]) -> SystemOutput:
    """A system's own edits; of several versions of a sentence, the first makes its text."""
    return SystemOutput(
        name,
        annotations=tuple(
            sentence.annotations[0] if sentence.annotations else Annotation("0")
            for sentence in sentences
        ),
        sources=tuple(sentence.source for sentence in sentences),
        versions=tuple(sentence.annotations for sentence in sentences),
    )


def refuse_versions(systems: Iterable[SystemOutput]) -> None:
    """Refuse systems with several versions of a sentence, for work that can use only one."""
    for system in systems:
        if any(len(versions) > 1 for versions in system.versions or ()):
            raise DataError(
                f"system {system.name!r} has several annotators for one sentence; a system has one"
            )


def check_same_length(corpus: Corpus, systems: Iterable[SystemOutput]) -> None:
    """Every system says something about every sentence, and about the same ones."""
    for system in systems:
        if len(system) != len(corpus):
            raise DataError(
                f"system {system.name!r} has {len(system)} sentences, "
                f"the reference has {len(corpus)}; they must match line by line"
            )
        if system.sources is None:
            continue
        for number, (ours, theirs) in enumerate(
            zip(corpus.sentences, system.sources, strict=True), start=1
        ):
            if ours.source.tokens != theirs.tokens:
                raise DataError(
                    f"sentence {number} of system {system.name!r} is not the reference's: "
                    f"{str(theirs)[:60]!r} where {str(ours.source)[:60]!r} was expected"
                )


def corrected_text(sources: Sequence[Sentence], system: SystemOutput) -> tuple[Sentence, ...]:
    """What a system made of the text, from its text or by applying its edits."""
    if system.hypotheses is not None:
        return system.hypotheses
    if system.annotations is None:
        raise DataError(
            f"system {system.name!r} flags tokens and corrects nothing; redink detection scores it"
        )
    return tuple(
        Sentence(apply_edits(source.tokens, annotation.edits))
        for source, annotation in zip(sources, system.annotations, strict=True)
    )


def load_hypotheses(
    source: TextLike, systems: SystemsLike
) -> tuple[tuple[Sentence, ...], dict[str, tuple[Sentence, ...]]]:
    """The source sentences, and the corrected text of every system, line by line."""
    sources = load_texts(source)
    loaded = load_systems(systems)
    check_same_length(Corpus(tuple(map(AnnotatedSentence, sources))), loaded)
    return sources, {system.name: corrected_text(sources, system) for system in loaded}


# ---- judgments and scores


def load_rankings(rankings: RankingsLike) -> tuple[Ranking, ...]:
    """Rankings of outputs by judges."""
    return read_rankings(rankings) if isinstance(rankings, str | Path) else tuple(rankings)


def load_judgments(judgments: JudgmentsLike) -> tuple[Judgment, ...]:
    """Labels of items by judges."""
    return read_judgments(judgments) if isinstance(judgments, str | Path) else tuple(judgments)


def load_system_scores(scores: ScoresLike) -> tuple[SystemScore, ...]:
    """Scores of systems under metrics, from any number of places."""
    if isinstance(scores, str | Path | Table):
        scores = [scores]
    return tuple(_scores(scores))


def _scores(given: Mapping[str, Any] | Sequence[Any]) -> Iterator[SystemScore]:
    named: Iterable[tuple[str | None, Any]]
    named = given.items() if isinstance(given, Mapping) else ((None, value) for value in given)
    for name, value in named:
        if isinstance(value, SystemScore):
            yield value
        elif isinstance(value, Table):
            yield from select_system_scores(value.rows, name=name)
        else:
            called, path = name, value
            if name is None and "=" in str(value) and not Path(value).exists():
                called, _, path = str(value).partition("=")
            yield from read_system_scores(path, name=called or None)


def load_sentence_scores(scores: SentenceScoresLike) -> tuple[SentenceScore, ...]:
    """Scores of single sentences under metrics."""
    return tuple(read_sentence_scores(scores) if isinstance(scores, str | Path) else scores)
