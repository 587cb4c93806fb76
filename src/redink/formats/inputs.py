"""The one door through which everything comes in: paths, lists of strings, values already read.

Every command and every function of redink takes its references, systems, judgments and scores
from here, so that a file means the same to all of them. What may be given:

========== ====================================================================================
reference  a file with edits (M2, JSONL, NUCLE, W&I), with source and corrected columns, or with
           flags for tokens; a :class:`~redink.model.Corpus` or the values of such a file. Or,
           apart, the source and one or more corrected texts: files or lists of strings.
systems    a mapping from names, or a sequence of paths, ``NAME=PATH`` and values. One is a file
           of text, edits, columns or flags, the values of such a file, or a list of strings, one
           a sentence.
judgments  a file of labels, or :class:`~redink.model.Judgment` values; the cases of a system
           also as labels by item, or flags for words.
rankings   a file of rankings, or :class:`~redink.model.Ranking` values.
scores     files with scores of systems, ``NAME=PATH``, tables that ``score`` made, or
           :class:`~redink.model.SystemScore` values.
========== ====================================================================================
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import STANDARD_STREAM, read_head
from redink.formats.aligned import Aligning, align_output, find_shapes, is_raw
from redink.formats.delimited import tell_layout
from redink.formats.essays import form_of
from redink.formats.metric_scores import (
    read_plain_numbers,
    read_sentence_scores,
    read_system_scores,
    select_system_scores,
)
from redink.formats.pairs import Pairs, layout_of
from redink.formats.ratings import looks_like_ratings
from redink.formats.reading import (
    DOCUMENT_TOKENISER,
    load_tokeniser,
    read_corpus,
    read_judgments,
    read_rankings,
    read_values,
)
from redink.formats.registry import all_formats, detect_format
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
Sentences = Corpus | Sequence[AnnotatedSentence] | Sequence[ParallelSentence] | Sequence[Detection]
"""What a file of sentences holds, already read."""
ReferenceLike = PathLike | References | Sentences
SystemLike = PathLike | SystemOutput | Texts | Sentences
SystemsLike = Mapping[str, SystemLike] | Sequence[PathLike | SystemOutput | Corpus] | PathLike
JudgmentsLike = PathLike | Iterable[Judgment]
RankingsLike = PathLike | Iterable[Ranking]
ScoresLike = (
    Mapping[str, PathLike | Table] | Sequence[PathLike | Table | SystemScore] | Table | PathLike
)
SentenceScoresLike = (
    Mapping[str, PathLike] | PathLike | Sequence[PathLike] | Iterable[SentenceScore]
)
HumanScoresLike = Mapping[str, PathLike | Mapping[str, float]] | Sequence[PathLike]
"""Scores that people gave to systems, already aggregated: by the name of the aggregation."""

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


def name_inputs(given: Mapping[str, Value] | Sequence[Value] | PathLike) -> list[tuple[str, Value]]:
    """Everything with its name: of a mapping, as ``NAME=PATH``, of a value, or a file's stem.

    Raises:
        DataError: two have one name.
        OptionError: one has no name.
    """
    if isinstance(given, Mapping):
        return list(given.items())
    found: dict[str, Any] = {}
    for value in [given] if isinstance(given, str | Path | SystemOutput) else given:
        name, inside = _split_name(value)
        if isinstance(inside, str | Path):
            name = name or _stem(inside)
        if not name:
            raise OptionError("a system has no name; give systems as a mapping from their names")
        if name in found:
            raise DataError(
                f"two systems are called {name!r}: {_named(found[name], 'a value')} and "
                f"{_named(inside, 'a value')}; give one of them another name with NAME=PATH"
            )
        found[name] = inside
    return list(found.items())


def _split_name(value: Any) -> tuple[str | None, Any]:
    """The name that comes with a value, or that ``NAME=PATH`` gives to a file, and the rest."""
    if not isinstance(value, str | Path):
        return getattr(value, "name", None), value
    name, equals, path = str(value).partition("=")
    if name and equals and not path and not Path(value).exists():
        raise OptionError(f"{value} names no file; a system is given as NAME=PATH")
    return (name, path) if equals and name and not Path(value).exists() else (None, value)


def _stem(path: PathLike) -> str:
    """What a file is called: "careful.ged.tsv" and "careful.txt.gz" are "careful"."""
    name = Path(path).name
    for compression in (".gz", ".zst"):
        name = name.removesuffix(compression)
    return Path(name).stem.removesuffix(".ged")


def _named(given: Any, otherwise: str) -> str:
    return str(given) if isinstance(given, str | Path) else otherwise


_HOLDS: dict[type, str] = {
    str: "text",
    Sentence: "text",
    AnnotatedSentence: "corpus",
    ParallelSentence: "parallel",
    Detection: "detections",
}


def _sentences(given: Any, expected: str) -> tuple[str, tuple[Any, ...]]:
    """What a file or values hold (one of ``_HOLDS``), and the values.

    A corpus without edits is what text became when it was read, or converted to JSONL.
    """
    kind: str | None
    if isinstance(given, str | Path):
        found, stream = read_values(given)
        kind, name = found.kind, found.name
        if kind == "documents":
            stream = read_values(given, kind="corpus")[1]
            kind = "text"
            warnings.warn(
                f"{given}: holds raw text, which is cut into tokens by rules of its own; where the "
                "source is cut in another way that makes edits, and --align does not",
                RedinkWarning,
                stacklevel=3,
            )
        if kind not in _HOLDS.values():
            raise FormatError(f"holds {kind} ({name}); {expected} was expected", path=given)
        values = tuple(stream)
        if not values:
            raise FormatError("is empty; sentences were expected", path=given)
    else:
        values, name = tuple(given.sentences if isinstance(given, Corpus) else given), "jsonl"
        kinds = {_HOLDS.get(type(value)) for value in values} or {"text"}
        kind = kinds.pop()
        if kinds or kind is None:
            raise OptionError(f"{expected} was expected, not {str(given)[:60]}")
    if kind == "corpus" and name in {"text", "jsonl"} and not any(s.annotations for s in values):
        return "text", values
    return kind, values


def _texts_of(values: Sequence[Any]) -> tuple[Sentence, ...]:
    """Sentences alone, from strings, sentences, or sentences with edits."""
    return tuple(
        Sentence.from_line(value) if isinstance(value, str) else getattr(value, "source", value)
        for value in values
    )


def _columns_of(rows: Sequence[ParallelSentence], given: Any) -> list[tuple[Sentence, ...]]:
    """The corrected versions of parallel text, one text after the other."""
    width = len(rows[0].corrected)
    for number, row in enumerate(rows, start=1):
        if not row.corrected or len(row.corrected) != width:
            raise DataError(
                f"{_named(given, 'parallel text')}: sentence {number} has {len(row.corrected)} "
                f"corrected versions where {width or 'at least 1'} were expected"
            )
    return list(zip(*(row.corrected for row in rows), strict=True))


# ---- references


def load_references(
    reference: ReferenceLike | Sequence[TextLike] | None = None,
    *,
    source: TextLike | None = None,
    references: Sequence[TextLike] | TextLike = (),
    bare: bool = False,
    aligning: Aligning = Aligning(),
) -> References:
    """What the annotators made of the sources.

    Args:
        reference: the sources with edits, corrected versions or flags; with ``source``, the same
            as ``references``.
        source: the sources, where the references are texts apart.
        references: corrected texts, one for each annotator.
        bare: whether sentences without edits will do, since the truth comes from elsewhere.
        aligning: whether reference texts are raw.

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
        return _from_texts(source, texts, aligning)
    if aligning.tokenise:
        raise OptionError(
            "only text can be tokenised: --tokenise needs --source and --reference, or leave it out"
        )
    if texts:
        raise OptionError("--reference needs --source, the text that it corrects")
    if reference is None:
        raise OptionError("give a reference, or a source and reference texts")
    return reference if isinstance(reference, References) else _from_sentences(reference, bare=bare)


def _as_texts(given: Any) -> tuple[TextLike, ...]:
    """One file or corpus, or several texts, each a file or a list of strings."""
    return (given,) if isinstance(given, str | Path | Corpus) else tuple(given)


def _from_texts(source: TextLike, texts: Sequence[TextLike], aligning: Aligning) -> References:
    sources = load_texts(source, aligning)
    found = []
    for number, text in enumerate(texts, start=1):
        lines = load_texts(text)
        other = aligning.tokenise or len(lines) != len(sources) or _is_documents(text)
        if aligning.raw and is_raw(text) and other:
            name = _named(text, f"reference {number}")
            lines = align_output(name, text, sources, aligning).hypotheses or ()
        if len(lines) != len(sources):
            name, of = _named(text, "a reference text"), _named(source, "the source")
            raise DataError(
                f"{name} has {len(lines)} sentences, {of} has {len(sources)}; "
                f"they must match line by line{_advise(sources, lines, text)}"
            )
        found.append(lines)
    return References(_corpus(map(AnnotatedSentence, sources), source), tuple(found))


def _is_documents(text: TextLike) -> bool:
    return isinstance(text, str | Path) and detect_format(text).kind == "documents"


def _from_sentences(given: Any, *, bare: bool) -> References:
    if isinstance(given, Corpus):
        return References(given)
    values_of_one_text = AnnotatedSentence | ParallelSentence | Detection
    if not isinstance(given, str | Path) and not (
        given and all(isinstance(value, values_of_one_text) for value in given)
    ):
        raise OptionError("several reference texts need the source they correct (source)")
    kind, values = _sentences(given, "a reference")
    if kind == "text" and not bare:
        raise DataError(
            f"{_named(given, 'the reference')} is plain text, without edits; give the source and "
            "the reference text apart: --source FILE --reference FILE"
        )
    if kind == "detections":
        return References(_corpus(map(_flags_as_edits, values), None), are_flags=True)
    if kind == "parallel":
        sources = _corpus((AnnotatedSentence(row.source) for row in values), given)
        return References(sources, tuple(_columns_of(values, given)))
    return References(_corpus(values, given))


def _corpus(sentences: Iterable[AnnotatedSentence], given: Any) -> Corpus:
    return Corpus(tuple(sentences), name=Path(given).stem if isinstance(given, str | Path) else "")


def _flags_as_edits(detection: Detection) -> AnnotatedSentence:
    """Flags are errors whose correction is not known."""
    edits = [Edit(i, i + 1, "", UNKNOWN) for i, wrong in enumerate(detection.flags) if wrong]
    return AnnotatedSentence(Sentence(detection.tokens), (Annotation("0", tuple(edits)),))


def load_corpus(corpus: PathLike | Corpus) -> Corpus:
    """Sentences with whatever edits they have."""
    return corpus if isinstance(corpus, Corpus) else read_corpus(corpus)


def load_texts(text: TextLike, aligning: Aligning = Aligning()) -> tuple[Sentence, ...]:
    """Sentences alone: the lines of a file, or strings.

    Args:
        text: where they are.
        aligning: whether they are raw and have to be tokenised, and how; documents always are.
    """
    if isinstance(text, str | Path):
        raw = aligning.tokenise or form_of(text) is not None
        tokeniser = (aligning.tokeniser or DOCUMENT_TOKENISER) if raw else None
        return _texts_of(read_corpus(text, tokeniser=tokeniser).sentences)
    found = _texts_of(text.sentences if isinstance(text, Corpus) else text)
    if not aligning.tokenise:
        return found
    cut = load_tokeniser(aligning.tokeniser or DOCUMENT_TOKENISER)
    return tuple(
        Sentence.from_text(str(one), cut(str(one))) if one.text is None else one for one in found
    )


# ---- systems


def load_systems(
    systems: SystemsLike,
    sources: Sequence[Sentence] | References = (),
    aligning: Aligning = Aligning(),
) -> tuple[SystemOutput, ...]:
    """What every system made, by name; names differ.

    Args:
        systems: by name or by file.
        sources: what raw text is aligned with; references say which marks are corrections.
        aligning: whether text is raw.
    """
    shapes: frozenset[str] = frozenset()
    if isinstance(sources, References):
        shapes = find_shapes(sources) if aligning.raw else shapes
        sources = sources.sources
    loaded = tuple(
        align_output(name, value, sources, aligning, shapes)
        if aligning.raw and is_raw(value)
        else value
        if isinstance(value, SystemOutput)
        else read_system(value, name=name)
        for name, value in name_inputs(systems)
    )
    names = [system.name for system in loaded]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"two systems are called {name!r}; every system needs its own name")
    return loaded


def read_system(output: SystemLike, *, name: str | None = None) -> SystemOutput:
    """What a system made: text, its own edits (M2, JSONL), columns, or flags for tokens (GED TSV).

    Args:
        output: a file, or values.
        name: what to call it; by default the file's stem.
    """
    if isinstance(output, SystemOutput):
        return output
    if name is None:
        name, output = name_inputs([output])[0]
    kind, values = _sentences(output, "a system's output")
    if kind == "text":
        return SystemOutput(name, hypotheses=_texts_of(values))
    if kind == "detections":
        return SystemOutput(name, detections=values)
    sources = tuple(value.source for value in values)
    if kind == "parallel":
        texts = _columns_of(values, output)
        if len(texts) > 1:
            raise FormatError(
                f"has {len(texts)} corrected columns; a system has one",
                path=_named(output, "") or None,
            )
        return SystemOutput(name, hypotheses=texts[0], sources=sources)
    versions = tuple(sentence.everyone for sentence in values)
    # of several versions of a sentence, the first makes its text
    return SystemOutput(
        name,
        annotations=tuple(next(iter(found), Annotation("0")) for found in versions),
        sources=sources,
        versions=versions,
    )


def refuse_versions(systems: Iterable[SystemOutput]) -> None:
    """Refuse systems with several versions of a sentence, for work that can use only one."""
    for system in systems:
        if any(len(versions) > 1 for versions in system.versions or ()):
            raise DataError(
                f"system {system.name!r} has several annotators for one sentence; a system has one"
            )


def _advise(sources: Sequence[Sentence], texts: Sequence[Sentence], given: Any = None) -> str:
    """What to do about a text that has not as many lines as its source, and where it went wrong."""
    if isinstance(given, str | Path) and Path(given).is_dir():
        return " (a folder holds the documents of one text; name every text by its file)"
    if not any(text.tokens for text in texts[len(sources) :]) and len(texts) > len(sources):
        return f"; what follows line {len(sources)} is empty, so remove it"
    for number, text in enumerate(texts[: len(sources)]):
        if sources[number].tokens and not text.tokens:
            return f"; line {number + 1} is empty; --align finds its sentences"
        neighbours = range(max(0, number - 1), min(number + 2, len(sources)))
        near = {n: _shared(sources[n], text) for n in neighbours}
        best = max(near, key=near.__getitem__)
        if near[number] < 0.5 < near[best]:
            return (
                f"; line {number + 1} seems to belong to line {best + 1} of the source; "
                "--align finds its sentences"
            )
    return "; --align finds its sentences"


def _shared(source: Sentence, text: Sentence) -> float:
    """The share of words that two sentences have in common."""
    ours, theirs = set(source.tokens), set(text.tokens)
    return len(ours & theirs) / (len(ours | theirs) or 1)


def check_same_length(corpus: Corpus, systems: Iterable[SystemOutput]) -> None:
    """Every system says something about every sentence, and about the same ones."""
    for system in systems:
        if len(system) != len(corpus):
            sources = [sentence.source for sentence in corpus.sentences]
            texts = system.hypotheses
            advice = "" if texts is None else _advise(sources, texts)
            raise DataError(
                f"system {system.name!r} has {len(system)} sentences, "
                f"the reference has {len(corpus)}; they must match line by line{advice}"
            )
        given = system.sources if system.detections is None else system.detections
        if given is None:
            continue
        theirs: Sequence[tuple[str, ...]] = [sentence.tokens for sentence in given]
        for number, (ours, tokens) in enumerate(
            zip(corpus.sentences, theirs, strict=True), start=1
        ):
            if ours.source.tokens != tokens:
                raise DataError(
                    f"sentence {number} of system {system.name!r} is not the reference's: "
                    f"{' '.join(tokens)[:60]!r} where {str(ours.source)[:60]!r} was expected"
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
    source: TextLike, systems: SystemsLike, aligning: Aligning = Aligning()
) -> tuple[tuple[Sentence, ...], dict[str, tuple[Sentence, ...]]]:
    """The source sentences, and the corrected text of every system, line by line."""
    sources = load_texts(source, aligning)
    loaded = load_systems(systems, sources, aligning)
    check_same_length(Corpus(tuple(map(AnnotatedSentence, sources))), loaded)
    return sources, {system.name: corrected_text(sources, system) for system in loaded}


@dataclass(frozen=True)
class Columns(Options):
    """Where the sentences are in a source file that holds the corrections too.

    Attributes:
        source_column: where SOURCE holds the corrections too (JSON lines, Parquet, CSV): the column
            of source sentences.
        corrected_column: likewise the column of corrected sentences; repeat it for annotators. A
            value that is a list has an annotator for each member.
    """

    source_column: Annotated[str, Flag(value="NAME")] = "source"
    corrected_column: Annotated[str | Sequence[str], Flag(repeat=True, value="NAME")] = "corrected"


def find_pairs(source: PathLike, corrected: Sequence[PathLike], columns: Columns) -> Pairs:
    """Where the pairs are: in parallel files or, if no file of corrections is given, in one.

    Raises:
        OptionError: the source has edits already, or there are no corrections.
    """
    if corrected:
        head = [] if str(source) == STANDARD_STREAM else read_head(source)
        if head and detect_format(source, kind="corpus").name == "m2":
            raise OptionError(
                f"{source} holds edits already; give it alone, with --auto (extract them again) "
                "or --gold (keep them and type them again)"
            )
        return Pairs((str(source), *map(str, corrected)))
    layout = layout_of(source, columns.source_column)
    if layout is None:
        raise OptionError(
            f"{source} does not hold pairs of sentences: give the corrected text too, or --auto or "
            "--gold for a file that holds edits"
        )
    if layout in {"tsv", "numbered"}:
        return Pairs((str(source),), layout)
    others = columns.corrected_column
    others = [others] if isinstance(others, str) else others
    return Pairs((str(source),), layout, (columns.source_column, *others))


# ---- judgments and scores


def load_rankings(rankings: RankingsLike) -> tuple[Ranking, ...]:
    """Rankings of outputs by judges."""
    return read_rankings(rankings) if isinstance(rankings, str | Path) else tuple(rankings)


def is_ratings(judgments: Any) -> bool:
    """Whether people's judgments are a file of ratings."""
    return isinstance(judgments, str | Path) and looks_like_ratings(_head_of(judgments))


def is_scores(judgments: Any) -> bool:
    """Whether people's judgments are scores of systems already: a file of them."""
    if not isinstance(judgments, str | Path):
        return False
    head = [line for line in _head_of(judgments) if line.strip()]
    if not head or any(f.recognise(head) for f in all_formats() if f.kind == "rankings"):
        return False
    if head[0].lstrip().startswith(("{", "<")):
        return head[0].lstrip().startswith("{") and '"judge"' not in "".join(head)
    return bool(tell_layout(head, ("system",))) or all(_is_scored(line) for line in head)


def _head_of(path: PathLike) -> list[str]:
    is_file = str(path) != STANDARD_STREAM and Path(path).is_file()
    return read_head(path) if is_file else []


def _is_scored(line: str) -> bool:
    """Whether a line has a name and one or three numbers, or is a comment."""
    fields = line.split()
    try:
        numbers = [float(field) for field in fields[1:]]
    except ValueError:
        return line.startswith("#")
    return len(numbers) in {1, 3} or line.startswith("#")


def load_judgments(judgments: JudgmentsLike) -> tuple[Judgment, ...]:
    """Labels of items by judges; those of judges who are marked as excluded do not count."""
    read = read_judgments(judgments) if isinstance(judgments, str | Path) else tuple(judgments)
    counted = tuple(judgment for judgment in read if not judgment.excluded)
    if len(counted) < len(read):
        warnings.warn(
            f"{len(read) - len(counted)} judgments of judges who were excluded are left out",
            RedinkWarning,
            stacklevel=2,
        )
    return counted


def load_system_scores(scores: ScoresLike) -> tuple[SystemScore, ...]:
    """Scores of systems under metrics, from any number of places."""
    if isinstance(scores, str | Path | Table):
        scores = [scores]
    return tuple(_scores(scores))


def _scores(given: Mapping[str, Any] | Sequence[Any]) -> Iterator[SystemScore]:
    named = given.items() if isinstance(given, Mapping) else map(_split_name, given)
    for name, value in named:
        if isinstance(value, SystemScore):
            yield value
        elif isinstance(value, Table):
            yield from select_system_scores(value.rows, name=name)
        else:
            yield from read_system_scores(value, name=name)


def load_sentence_scores(scores: SentenceScoresLike) -> tuple[SentenceScore, ...]:
    """Scores of single sentences under metrics, from any number of places."""
    if isinstance(scores, str | Path):
        scores = [scores]
    found: list[SentenceScore] = []
    for name, value in scores.items() if isinstance(scores, Mapping) else map(_split_name, scores):
        if isinstance(value, SentenceScore):
            found.append(value)
        else:
            found += read_sentence_scores(value, name=name)
    return tuple(found)


def load_human_scores(
    given: HumanScoresLike, systems: Sequence[str] = ()
) -> dict[str, dict[str, float]]:
    """The scores of systems by people, by the name of the aggregation.

    A file has what a file of metric scores may have; or a number a line, for the systems in the
    order of their names.

    Args:
        given: files, ``NAME=PATH``, or scores by system.
        systems: the systems that were judged.

    Raises:
        FormatError: there are not as many numbers as systems.
    """
    named = given.items() if isinstance(given, Mapping) else map(_split_name, given)
    found: dict[str, dict[str, float]] = {}
    for name, value in named:
        if isinstance(value, Mapping):
            found[str(name)] = {system: float(score) for system, score in value.items()}
            continue
        numbers = read_plain_numbers(value)
        if numbers is not None:
            if len(numbers) != len(systems):
                raise FormatError(
                    f"has {len(numbers)} numbers without names of systems; "
                    f"{len(systems)} systems were judged",
                    path=value,
                )
            by_name = dict(zip(sorted(systems), numbers, strict=True))
            found[name or Path(value).stem] = by_name
            continue
        for score in read_system_scores(value, name=name):
            found.setdefault(score.metric, {})[score.system] = score.score
    return found
