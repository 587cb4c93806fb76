"""What detection works on: reference, systems, their edits, judgments, and units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from redink.analysis.analyser import Analyser
from redink.analysis.annotating import Annotating, annotate_texts
from redink.detection.rules import Text, find_item, key_of, make_targets
from redink.detection.study import Weights
from redink.detection.targets import Position, TargetUnits
from redink.detection.units import (
    CharacterUnits,
    Insertions,
    SentenceUnits,
    SpanUnits,
    TokenUnits,
    Units,
)
from redink.detection.was import Key
from redink.errors import DataError, FormatError, OptionError
from redink.formats import detect_format
from redink.formats.inputs import PathLike, check_same_length, load_corpus, load_systems
from redink.judging.crowd import error_votes
from redink.judging.labels import tabulate
from redink.model import (
    UNKNOWN,
    AnnotatedSentence,
    Annotation,
    Corpus,
    Detection,
    Edit,
    Judgment,
    Sentence,
    SystemOutput,
    fingerprint,
)
from redink.workflows.judgment_input import prepare_judgments, require_fine

Unit = Literal["token", "span", "sentence", "character", "target"]
UNITS: tuple[Unit, ...] = get_args(Unit)
Names = dict[str, tuple[int, Position]]
Reference = PathLike | Corpus | Sequence[PathLike] | Sequence[Detection]


class LazyAnalyser:
    """An analyser that is loaded when something asks for it, and then says which it was."""

    def __init__(self, name: str) -> None:
        self._how = Annotating(analyser=name)
        self._loaded: Analyser | None = None

    def __call__(self) -> Analyser:
        """The analyser."""
        if self._loaded is None:
            self._loaded = self._how.load().analyser
        return self._loaded

    def annotate(
        self, sources: Sequence[Sentence], texts: Mapping[str, Sequence[Sentence]], *, workers: int
    ) -> dict[str, tuple[Annotation, ...]]:
        """The edits that turn the sources into each text."""
        if not texts:
            return {}
        self()
        return annotate_texts(sources, texts, how=self._how, workers=workers)

    @property
    def name(self) -> str | None:
        """Its name, for a signature; None if nothing asked for it."""
        return None if self._loaded is None else self._loaded.name

    @property
    def version(self) -> str | None:
        """Its version, for a signature; None if nothing asked for it."""
        return None if self._loaded is None else self._loaded.version


@dataclass(frozen=True)
class Data:
    """Sources with annotations, and what every system made of them.

    Attributes:
        corpus: the reference.
        systems: the systems as they were given.
        edits: for every system that gave text, the edits found in it, where they are needed.
        text: the sources, for rules.
        analyser: what was loaded for edits or tags.
        has_flags_only: whether the reference is flags for tokens, without corrections.
    """

    corpus: Corpus
    systems: tuple[SystemOutput, ...]
    edits: Mapping[str, tuple[Annotation, ...]]
    text: Text
    analyser: LazyAnalyser
    has_flags_only: bool

    @property
    def insertions(self) -> Insertions:
        """Where insertions go unless the user says so: flags for tokens have no place for them."""
        return "none" if self.has_flags_only else "right"

    @cached_property
    def fingerprint(self) -> str:
        """A name for the reference and all systems."""
        parts = [*map(repr, self.corpus.sentences)]
        for system in self.systems:
            parts.append(system.name)
            for content in (system.hypotheses, system.annotations, system.detections):
                parts += map(repr, content or ())
        return fingerprint(parts)


def load_data(
    reference: Reference | None,
    systems: Mapping[str, PathLike | SystemOutput] | Iterable[PathLike | SystemOutput],
    *,
    source: PathLike | None,
    analyser: str,
    needs_edits: bool,
    has_judgments: bool = False,
    workers: int = 1,
) -> Data:
    """Read everything, check that it fits together, and find the edits of texts.

    Args:
        reference: a corpus with edits, gold flags, or with ``source`` one or more texts.
        systems: by name or by file.
        source: the source sentences, where the references are text.
        analyser: what finds edits.
        needs_edits: whether systems that gave text must be annotated.
        has_judgments: whether the truth can come from elsewhere than the reference.
        workers: how many processes annotate.
    """
    lazy = LazyAnalyser(analyser)
    if reference is None:
        raise OptionError("detection needs a reference; or four counts (from_counts)")
    corpus, has_flags_only = _load_reference(reference, source, lazy, workers)
    if not corpus.annotators and not has_judgments:
        raise DataError(
            "the reference has no annotations; give edits (M2), or the source and the corrected "
            "text apart (--source FILE --reference FILE)"
        )
    loaded = load_systems(systems)
    if not loaded:
        raise OptionError("there is no system to compare; give at least one")
    check_same_length(corpus, loaded)
    _check_detections(corpus, loaded)
    sources = tuple(sentence.source for sentence in corpus.sentences)
    texts = {s.name: s.hypotheses for s in loaded if s.hypotheses is not None and needs_edits}
    edits = lazy.annotate(sources, texts, workers=workers)
    return Data(corpus, loaded, edits, Text(sources, lazy), lazy, has_flags_only)


def _load_reference(
    reference: Reference, source: PathLike | None, lazy: LazyAnalyser, workers: int
) -> tuple[Corpus, bool]:
    """The reference as a corpus, and whether it is flags without corrections."""
    if source is not None:
        return _annotate_references(source, reference, lazy, workers), False
    if isinstance(reference, Corpus):
        return reference, False
    values: Sequence[object]
    if isinstance(reference, str | Path):
        found = detect_format(reference)
        if found.kind == "corpus":
            return load_corpus(reference), False
        if found.kind != "detections":
            raise FormatError(
                f"holds {found.kind} ({found.name}); edits or flags were expected", path=reference
            )
        values = tuple(found.read(reference))
    else:
        values = reference
    flags = [value for value in values if isinstance(value, Detection)]
    if len(flags) < len(values):
        raise OptionError("several reference texts need the source they correct (source)")
    return Corpus(tuple(map(_flags_as_edits, flags))), True


def _annotate_references(
    source: PathLike, reference: Reference, lazy: LazyAnalyser, workers: int
) -> Corpus:
    given = [reference] if isinstance(reference, str | Path | Corpus) else reference
    paths = [path for path in given if isinstance(path, str | Path)]
    if not paths or len(paths) < len(given):
        raise OptionError("with a source, the reference is one or more files of corrected text")
    sources = tuple(sentence.source for sentence in load_corpus(source).sentences)
    texts = {
        str(number): tuple(sentence.source for sentence in load_corpus(path).sentences)
        for number, path in enumerate(paths)
    }
    for path, text in zip(paths, texts.values(), strict=True):
        if len(text) != len(sources):
            raise DataError(
                f"{path} has {len(text)} sentences, {source} has {len(sources)}; they must match "
                "line by line"
            )
    found = lazy.annotate(sources, texts, workers=workers)
    return Corpus(
        tuple(
            AnnotatedSentence(
                sentence, tuple(annotations[number] for annotations in found.values())
            )
            for number, sentence in enumerate(sources)
        )
    )


def _flags_as_edits(detection: Detection) -> AnnotatedSentence:
    """Gold flags are errors whose correction is not known."""
    edits = [Edit(i, i + 1, "", UNKNOWN) for i, wrong in enumerate(detection.flags) if wrong]
    return AnnotatedSentence(Sentence(detection.tokens), (Annotation("0", tuple(edits)),))


def _check_detections(corpus: Corpus, systems: Iterable[SystemOutput]) -> None:
    for system in systems:
        for number, detection in enumerate(system.detections or ()):
            tokens = corpus.sentences[number].source.tokens
            if detection.tokens != tokens:
                raise DataError(
                    f"sentence {number + 1} of system {system.name!r} has other tokens than the "
                    f"reference: {' '.join(detection.tokens)[:60]!r} where "
                    f"{' '.join(tokens)[:60]!r} was expected"
                )


@dataclass(frozen=True)
class Judged:
    """For every judged item, the share of judges who see an error there."""

    shares: Mapping[str, Fraction]
    notes: tuple[str, ...]
    fingerprint: str

    def positions(self, sources: Sequence[Sentence], names: Names) -> TargetUnits:
        """The judged items as targets."""
        found: list[set[Position]] = [set() for _ in sources]
        for item in self.shares:
            number, position = find_item(item, sources, names)
            if position is None:
                raise DataError(f"the judged item {item!r} is a sentence; use --unit sentence")
            found[number].add(position)
        return TargetUnits(tuple(tuple(sorted(places)) for places in found), "that were judged")

    def place(self, units: Units, sources: Sequence[Sentence], names: Names) -> dict[int, Weights]:
        """The shares by sentence and unit."""
        placed: dict[int, dict[Key, Fraction]] = {}
        for item, share in self.shares.items():
            number, position = find_item(item, sources, names)
            key = key_of(units, position)
            if key not in (units.keys(number, sources[number]) or (key,)):
                raise DataError(f"the judged item {item!r} is none of the targets")
            if placed.setdefault(number, {}).setdefault(key, share) != share:
                raise DataError(f"the judged item {item!r} stands for a unit judged before")
        return {number: dict(shares) for number, shares in placed.items()}


def load_judged(
    judgments: PathLike | Iterable[Judgment],
    *,
    ok: Sequence[str] | None,
    missing: Sequence[str],
) -> Judged:
    """Read judgments and count the share of judges who see an error in each item."""
    prepared = prepare_judgments(judgments, missing=missing)
    matrix = tabulate(prepared.judgments)
    fine = require_fine(matrix.labels, ok)
    votes = error_votes(matrix, fine)
    shares = {
        item: Fraction(int((row == 1).sum()), int((row >= 0).sum()))
        for item, row in zip(matrix.items, votes, strict=True)
        if (row >= 0).any()
    }
    return Judged(shares, prepared.notes, str(prepared.signature["data"]))


def make_units(
    unit: Unit,
    data: Data,
    *,
    targets: str | None,
    insertions: Insertions | None,
    judged: Judged | None,
) -> tuple[Units, Names]:
    """The units that the user asks for, and names of positions where a file gives them."""
    if unit == "target":
        if targets is not None:
            return make_targets(targets, data.text)
        if judged is not None:
            return judged.positions(data.text.sources, {}), {}
        raise OptionError("which targets? Say so, for example --targets tag:IN,TO or slot:,")
    if unit == "token":
        return TokenUnits(insertions=insertions or data.insertions), {}
    kinds: dict[str, Units] = {
        "span": SpanUnits(),
        "sentence": SentenceUnits(),
        "character": CharacterUnits(),
    }
    return kinds[unit], {}
