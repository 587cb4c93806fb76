"""What is scored: references and systems, read, annotated where they must be, and looked over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, get_args

from redink.errors import DataError, OptionError
from redink.formats import read_values
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Corpus,
    Sentence,
    SystemOutput,
    apply_edits,
    fingerprint,
)
from redink.processes import map_in_order
from redink.scoring.metric import Hypotheses, Metric, References
from redink.workflows.annotating import Annotating
from redink.workflows.inputs import (
    PathLike,
    check_same_length,
    corrected_text,
    load_corpus,
)

ReferenceEdits = Literal["gold", "auto"]
REFERENCE_EDITS: tuple[ReferenceEdits, ...] = get_args(ReferenceEdits)

Reference = PathLike | Corpus | Sequence[PathLike]
Systems = Mapping[str, PathLike | SystemOutput | Corpus] | Iterable[PathLike | SystemOutput]


@dataclass(frozen=True)
class ScoringInput:
    """References and systems that fit together, sentence by sentence."""

    references: References
    systems: tuple[Hypotheses, ...]
    data: str
    """The fingerprint of all of it."""


def load_scoring_input(
    reference: Reference, systems: Systems, *, source: PathLike | None = None
) -> ScoringInput:
    """Read what is to be scored, and check that it fits together.

    Args:
        reference: a corpus with edits, or its file; with ``source``, one or more text files.
        systems: by name or by file.
        source: the source sentences, where the references are text.
    """
    references = _load_references(reference, source)
    if not len(references):
        raise DataError("there is no sentence to score")
    loaded = tuple(_load_system(name, value, references) for name, value in _named(systems))
    if not loaded:
        raise OptionError("there is no system to score; give at least one")
    names = [system.name for system in loaded]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"two systems are called {name!r}; every system needs its own name")
    return ScoringInput(references, loaded, fingerprint(_parts(references, loaded)))


def _load_references(reference: Reference, source: PathLike | None) -> References:
    if isinstance(reference, Corpus):
        return References(reference)
    paths = [reference] if isinstance(reference, str | Path) else list(reference)
    if source is None:
        if len(paths) != 1:
            raise OptionError("several reference texts need the source they correct (source)")
        corpus = load_corpus(paths[0])
        if not corpus.annotators and not any(s.annotations for s in corpus.sentences):
            _refuse_plain_text(paths[0])
        return References(corpus)
    if not paths:
        raise OptionError("give at least one reference text for the source")
    sources = [sentence.source for sentence in load_corpus(source).sentences]
    texts = []
    for path in paths:
        corpus = load_corpus(path)
        if len(corpus) != len(sources):
            raise DataError(
                f"{path} has {len(corpus)} sentences, {source} has {len(sources)}; "
                "they must match line by line"
            )
        texts.append(tuple(sentence.source for sentence in corpus.sentences))
    bare = Corpus(tuple(AnnotatedSentence(s) for s in sources), name=Path(str(source)).stem)
    return References(bare, tuple(texts))


def _refuse_plain_text(path: PathLike) -> None:
    found, _ = read_values(path, kind="corpus")
    if found.name == "text":
        raise DataError(
            f"{path} is plain text, without edits; give the source and the reference text apart: "
            "--source FILE --reference FILE"
        )


def _named(systems: Systems) -> Iterable[tuple[str, PathLike | SystemOutput | Corpus]]:
    if isinstance(systems, Mapping):
        yield from systems.items()
        return
    for value in systems:
        yield (value.name if isinstance(value, SystemOutput) else Path(value).stem), value


def _load_system(
    name: str, value: PathLike | SystemOutput | Corpus, references: References
) -> Hypotheses:
    output = _read_output(name, value) if isinstance(value, str | Path) else value
    if isinstance(output, Corpus):
        return _from_versions(name, output, references)
    check_same_length(references.corpus, [output])
    if output.detections is not None:
        raise DataError(
            f"system {name!r} flags tokens and corrects nothing; redink detection scores it"
        )
    edits = output.annotations
    versions = None if edits is None else tuple((annotation,) for annotation in edits)
    return Hypotheses(name, corrected_text(references.sources, output), versions)


def _read_output(name: str, path: PathLike) -> SystemOutput | Corpus:
    """Text, or edits in as many versions as the file has annotators."""
    found, values = read_values(path)
    if found.kind == "detections":
        return SystemOutput(name, detections=tuple(values))
    if found.kind != "corpus":
        raise DataError(f"{path} holds {found.kind} ({found.name}); a system's output was expected")
    sentences: tuple[AnnotatedSentence, ...] = tuple(values)
    if found.name == "text":
        return SystemOutput(name, hypotheses=tuple(s.source for s in sentences))
    return Corpus(sentences, name=name)


def _from_versions(name: str, output: Corpus, references: References) -> Hypotheses:
    """A system's edits; several annotators of a sentence are versions, the first makes the text."""
    firsts = tuple(
        sentence.annotations[0] if sentence.annotations else Annotation(name)
        for sentence in output.sentences
    )
    sources = tuple(sentence.source for sentence in output.sentences)
    first = SystemOutput(name, annotations=firsts, sources=sources)
    check_same_length(references.corpus, [first])
    texts = tuple(
        Sentence(apply_edits(source.tokens, annotation.edits))
        for source, annotation in zip(references.sources, firsts, strict=True)
    )
    return Hypotheses(name, texts, tuple(s.annotations for s in output.sentences))


def _parts(references: References, systems: Sequence[Hypotheses]) -> Iterable[str]:
    for sentence in references.corpus.sentences:
        yield str(sentence.source)
        for annotation in sentence.annotations:
            yield repr((annotation.annotator, annotation.edits))
    for texts in references.given_texts or ():
        yield from map(str, texts)
    for system in systems:
        yield system.name
        yield from map(str, system.texts)
        if system.annotations is not None:
            yield from (repr([a.edits for a in versions]) for versions in system.annotations)


def supply_edits(
    loaded: ScoringInput,
    metrics: Sequence[Metric],
    *,
    reference_edits: str | None,
    how: Annotating,
    workers: int = 1,
) -> ScoringInput:
    """Annotate what has no edits and needs them, and the references again if that is asked for."""
    needs = {metric.needs for metric in metrics}
    references = loaded.references
    bare = references.given_texts is not None
    if bare and reference_edits == "gold":
        raise OptionError("reference texts have no gold edits; reference-edits can only be auto")
    if needs != {"text"} and (bare or reference_edits is not None):
        references = _annotate_references(references, reference_edits or "auto", how, workers)
    systems = loaded.systems
    if "edits" in needs:
        unannotated = {s.name: s.texts for s in systems if s.annotations is None}
        found = annotate_texts(references.sources, unannotated, how=how, workers=workers)
        systems = tuple(
            replace(s, annotations=tuple((a,) for a in found[s.name])) if s.name in found else s
            for s in systems
        )
    return replace(loaded, references=references, systems=systems)


def annotates(loaded: ScoringInput, metrics: Sequence[Metric], reference_edits: str | None) -> bool:
    """Whether :func:`supply_edits` has anything to annotate, so that the analyser matters."""
    needs = {metric.needs for metric in metrics}
    of_references = loaded.references.given_texts is not None or reference_edits is not None
    of_systems = any(system.annotations is None for system in loaded.systems)
    return (needs != {"text"} and of_references) or ("edits" in needs and of_systems)


def _annotate_references(
    references: References, reference_edits: str, how: Annotating, workers: int
) -> References:
    if references.given_texts is None:
        from redink.workflows.annotate import annotate_corpus

        edits: ReferenceEdits = "gold" if reference_edits == "gold" else "auto"
        corpus = annotate_corpus(
            references.corpus, edits=edits, analyser=how.analyser, lexicon=how.lexicon
        )
        return References(corpus)
    texts = {str(number): texts for number, texts in enumerate(references.given_texts)}
    found = annotate_texts(references.sources, texts, how=how, workers=workers)
    sentences = tuple(
        AnnotatedSentence(source, tuple(found[name][number] for name in found))
        for number, source in enumerate(references.sources)
    )
    return References(replace(references.corpus, sentences=sentences), references.given_texts)


Pairs = tuple[Sequence[Sentence], dict[str, Sequence[Sentence]]]

_CHUNK = 200
"""So many sentences are annotated at a time by one worker."""


def annotate_texts(
    sources: Sequence[Sentence],
    texts: Mapping[str, Sequence[Sentence]],
    *,
    how: Annotating,
    workers: int = 1,
) -> dict[str, tuple[Annotation, ...]]:
    """The typed edits that turn the sources into each text, worked out by several processes."""
    if not texts:
        return {}
    how.check_workers(workers)
    step = _CHUNK if workers > 1 else len(sources)
    chunks: list[Pairs] = [
        (sources[at : at + step], {name: text[at : at + step] for name, text in texts.items()})
        for at in range(0, len(sources), step)
    ]
    found: dict[str, list[Annotation]] = {name: [] for name in texts}
    for part in map_in_order(partial(_annotate_pairs, how=how), chunks, workers=workers):
        for name, these in part.items():
            found[name].extend(these)
    return {name: tuple(these) for name, these in found.items()}


def _annotate_pairs(pairs: Pairs, *, how: Annotating) -> dict[str, tuple[Annotation, ...]]:
    from redink.analysis.annotate import annotate_pairs

    annotator = how.load()
    return annotate_pairs(
        pairs[0],
        pairs[1],
        analyser=annotator.analyser,
        lexicon=annotator.lexicon,
        merge=how.merge,
        levenshtein=how.levenshtein,
        fixed=how.fixed,
    )
