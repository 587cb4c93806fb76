"""How edits are found: the options that everything that annotates shares, and doing it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any

from redink.analysis.analyser import Analyser
from redink.analysis.annotate import EditFinder, annotate_pairs, make_finder
from redink.analysis.lexicon import read_lexicon
from redink.analysis.merge import Merging
from redink.analysis.spacy_analyser import EMBEDDED, embedded_version, load_analyser
from redink.errors import OptionError
from redink.model import AnnotatedSentence, Annotation, References, Sentence, make_signature
from redink.options import Flag, Options, Positive
from redink.processes import map_in_order

AnalyserLike = Annotated[str | Analyser, Flag(value="NAME")]


@dataclass(frozen=True)
class Annotating(Options):
    """How edits are found and typed, in a form that can be sent to another process.

    Attributes:
        merge: what becomes one edit: what the rules say; nothing; all that touches; all that
            touches and is the same operation.
        levenshtein: align by plain Levenshtein distance.
        analyser: ``embedded``, or ``spacy:NAME`` for an installed spaCy pipeline.
        lexicon: known words, one a line, for the spelling rules.
        fixed: mend what is wrong in the original ERRANT.
    """

    merge: Merging = "rules"
    levenshtein: bool = False
    analyser: AnalyserLike = EMBEDDED
    lexicon: str | Path | Container[str] | None = None
    fixed: bool = False

    def load(self) -> EditFinder:
        """What finds the edits, with its analyser and word list."""
        analyser, lexicon = self.analyser, self.lexicon
        return make_finder(
            analyser=load_analyser(analyser) if isinstance(analyser, str) else analyser,
            lexicon=_read_once(str(lexicon)) if isinstance(lexicon, str | Path) else lexicon,
            merge=self.merge,
            levenshtein=self.levenshtein,
            fixed=self.fixed,
        )

    def check_workers(self, workers: int) -> None:
        """Complain where several processes cannot share the work."""
        if workers > 1 and not isinstance(self.analyser, str):
            raise OptionError(
                "with several workers, name the analyser ('embedded', 'spacy:NAME'): "
                "each worker loads its own"
            )

    def pipeline(self) -> str:
        """The version of what analyses the text."""
        return embedded_version() if self.analyser == EMBEDDED else self.load().analyser.version

    def signature(self, command: str, **parts: Any) -> dict[str, Any]:
        """What decides about the edits."""
        name = self.analyser if isinstance(self.analyser, str) else self.analyser.name
        words = None
        if self.lexicon is not None:
            is_file = isinstance(self.lexicon, str | Path)
            words = Path(str(self.lexicon)).name if is_file else "given"
        return make_signature(
            command,
            analyser=name,
            pipeline=self.pipeline(),
            lexicon=words,
            merge=self.merge,
            alignment="levenshtein" if self.levenshtein else None,
            fixed=self.fixed or None,
            **parts,
        )


@lru_cache(maxsize=4)
def _read_once(path: str) -> Container[str]:
    return read_lexicon(path)


@dataclass(frozen=True)
class Sharing(Options):
    """By what and by how many processes text is annotated, where only that is asked.

    Attributes:
        analyser: for text that must be annotated: ``embedded``, or ``spacy:NAME``.
        workers: how many processes annotate and score.
    """

    analyser: AnalyserLike = EMBEDDED
    workers: Positive = 1

    @property
    def annotating(self) -> Annotating:
        """How edits are found."""
        return Annotating(analyser=self.analyser)


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


def annotate_references(references: References, *, how: Sharing) -> References:
    """References that came as texts, with the edits that make those texts."""
    texts = {str(number): text for number, text in enumerate(references.given_texts or ())}
    found = annotate_texts(references.sources, texts, how=how.annotating, workers=how.workers)
    sentences = tuple(
        AnnotatedSentence(source, tuple(found[name][number] for name in found))
        for number, source in enumerate(references.sources)
    )
    return replace(references, corpus=replace(references.corpus, sentences=sentences))


class LazyAnnotator:
    """Loads its analyser when something asks for it, and then says which it was."""

    def __init__(self, how: Sharing) -> None:
        self._how = how
        self._analyser: Analyser | None = None

    def analyser(self) -> Analyser:
        """What tags and parses."""
        if self._analyser is None:
            self._analyser = self._how.annotating.load().analyser
        return self._analyser

    def supply_edits(self, references: References) -> References:
        """The same references; with edits, if they came as texts."""
        if references.given_texts is None:
            return references
        self.analyser()
        return annotate_references(references, how=self._how)

    def annotate(
        self, sources: Sequence[Sentence], texts: Mapping[str, Sequence[Sentence]]
    ) -> dict[str, tuple[Annotation, ...]]:
        """The edits that turn the sources into each text."""
        if not texts:
            return {}
        self.analyser()
        how = self._how
        return annotate_texts(sources, texts, how=how.annotating, workers=how.workers)

    def signature(self) -> dict[str, str]:
        """What was loaded; nothing if nothing was."""
        if self._analyser is None:
            return {}
        return {"analyser": self._analyser.name, "pipeline": self._analyser.version}
