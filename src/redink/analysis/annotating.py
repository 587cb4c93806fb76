"""How edits are found: the options that everything that annotates shares, and doing it."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from redink.analysis.analyser import Analyser, chunks
from redink.analysis.annotate import EditFinder, Versions, annotate_chunk
from redink.analysis.kept import KeptEdits, PairOfTokens
from redink.analysis.language import EMBEDDED, LANGUAGES, load_analyser
from redink.analysis.merge import Merging
from redink.errors import DataError, OptionError, RedinkWarning
from redink.files import read_lines
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Edit,
    References,
    Sentence,
    make_signature,
)
from redink.options import Flag, Options, Positive
from redink.processes import map_in_order
from redink.progress import tell

AnalyserLike = Annotated[str | Analyser, Flag(value="NAME")]


@dataclass(frozen=True)
class Annotating(Options):
    """How edits are found and typed, in a form that can be sent to another process.

    Attributes:
        merge: what becomes one edit: what the rules say; nothing; all that touches; all that
            touches and is the same operation.
        levenshtein: align by plain Levenshtein distance.
        analyser: what tags the text: ``embedded``, or ``spacy:NAME`` for an installed spaCy
            pipeline.
        lexicon: known words, one a line, for the spelling rules. By default redink's list.
        fixed: mend what is wrong in the original ERRANT.
        language: of the text.
    """

    merge: Merging = "rules"
    levenshtein: bool = False
    analyser: AnalyserLike = EMBEDDED
    lexicon: str | Path | Container[str] | None = None
    fixed: bool = False
    language: Annotated[str, Flag(hidden=True)] = "en"

    def load(self) -> EditFinder:
        """What finds the edits, with its language, analyser and word list."""
        language = LANGUAGES.load(self.language)
        analyser, lexicon = self.analyser, self.lexicon
        if isinstance(analyser, str):
            analyser = load_analyser(analyser, language=self.language)
        if lexicon is None:
            lexicon = language.lexicon(self.fixed)
        elif isinstance(lexicon, str | Path):
            lexicon = _read_once(str(lexicon))
        return EditFinder(language, analyser, lexicon, self.merge, self.levenshtein, self.fixed)

    def check_workers(self, workers: int) -> None:
        """Complain where several processes cannot share the work."""
        if workers > 1 and not isinstance(self.analyser, str):
            raise OptionError(
                "with several workers, name the analyser ('embedded', 'spacy:NAME'): "
                "each worker loads its own"
            )

    def pipeline(self) -> str:
        """The version of what analyses the text."""
        if self.analyser == EMBEDDED:
            return LANGUAGES.load(self.language).analyser_version()
        return self.load().analyser.version

    def signature(self, command: str, **parts: Any) -> dict[str, Any]:
        """What decides about the edits."""
        name = self.analyser if isinstance(self.analyser, str) else self.analyser.name
        words = None
        if self.lexicon is not None:
            is_file = isinstance(self.lexicon, str | Path)
            words = Path(str(self.lexicon)).name if is_file else "given"
        return make_signature(
            command,
            language=None if self.language == "en" else self.language,
            analyser=name,
            pipeline=self.pipeline(),
            lexicon=words,
            merge=self.merge,
            alignment="levenshtein" if self.levenshtein else None,
            fixed=self.fixed or None,
            **parts,
        )


def read_lexicon(path: str | Path) -> Container[str]:
    """A word list from a text file, one word a line, case kept."""
    return frozenset(line.strip() for _, line in read_lines(path) if line.strip())


_read_once = lru_cache(maxsize=4)(read_lexicon)


@dataclass(frozen=True)
class Sharing(Options):
    """By what and by how many processes text is annotated, where only that is asked.

    Attributes:
        analyser: for text that must be annotated: ``embedded``, or ``spacy:NAME``.
        workers: how many processes annotate and score.
        cache: annotate all again, and keep nothing for the next time.
    """

    analyser: AnalyserLike = EMBEDDED
    workers: Positive = 1
    cache: bool = True

    @property
    def annotating(self) -> Annotating:
        """How edits are found."""
        return Annotating(analyser=self.analyser)


CHUNK_WORDS = 40_000
"""How many words, sources and hypotheses together, are worked on at a time."""


def annotate_texts(
    sources: Sequence[Sentence],
    texts: Mapping[str, Sequence[Sentence]],
    *,
    how: Annotating,
    workers: int = 1,
    cache: bool = False,
) -> dict[str, tuple[Annotation, ...]]:
    """The typed edits that turn the sources into each text, the same for any number of workers.

    Args:
        sources: the source sentences.
        texts: by name (a system, an annotator), one sentence for every source.
        how: how edits are found.
        workers: how many processes annotate.
        cache: take from the cache what was annotated before, and keep the rest there.

    Returns:
        By the same names, an annotation (whose annotator is the name) for every source.

    Raises:
        DataError: a text is not as long as the sources.
    """
    for name, sentences in texts.items():
        if len(sentences) != len(sources):
            raise DataError(
                f"{name!r} has {len(sentences)} sentences, the source has {len(sources)}; "
                "they must match line by line"
            )
    if not texts:
        return {}
    how.check_workers(workers)
    warn_about_language(sources, how)
    kept = KeptEdits.of(how) if cache and len(sources) * len(texts) >= _WORTH_KEEPING else None
    versions = [
        (source.tokens, tuple(sentences[number].tokens for sentences in texts.values()))
        for number, source in enumerate(sources)
    ]
    known = {} if kept is None else kept.look_up(versions)
    wanted = _leave_out(versions, known)
    work = partial(_annotate_chunk, how=how)
    done = len(sources) - len(wanted)
    tell("annotating", done, len(sources))
    parts = list(chunks(wanted, _count_words, words=CHUNK_WORDS))
    for part, chunk in zip(parts, map_in_order(work, parts, workers=workers), strict=True):
        done += len(chunk)
        tell("annotating", done, len(sources))
        made = {
            (source, hypothesis): theirs
            for (source, hypotheses), edits in zip(part, chunk, strict=True)
            for hypothesis, theirs in zip(hypotheses, edits, strict=True)
        }
        known |= made
        if kept is not None:
            kept.keep(made)
    return {
        name: tuple(
            Annotation(name, known.get((source, hypotheses[place]), ()))
            for source, hypotheses in versions
        )
        for place, name in enumerate(texts)
    }


_WORTH_KEEPING = 100
"""How many pairs of sentences are worth looking into the cache."""


def _leave_out(versions: Iterable[Versions], known: Mapping[PairOfTokens, Any]) -> list[Versions]:
    """The sentences with the versions of which nothing is known, each once."""
    wanted = []
    for source, hypotheses in versions:
        new = tuple(
            hypothesis
            for hypothesis in dict.fromkeys(hypotheses)
            if hypothesis != source and (source, hypothesis) not in known
        )
        if new:
            wanted.append((source, new))
    return wanted


_LOOKED_AT = 2_000
_FOREIGN = 0.5
_ENOUGH = 20


def warn_about_language(sources: Iterable[Sentence], how: Annotating) -> None:
    """Warn if most words of the text are unknown to the language whose rules will type its edits.

    Only the first few thousand words are looked at, names (capitals) and numbers aside.
    """
    if how.lexicon is not None or not isinstance(how.analyser, str):
        return
    language = LANGUAGES.load(how.language)
    lexicon = language.lexicon(how.fixed)
    words = list(
        islice((t for s in sources for t in s.tokens if t.isalpha() and t.islower()), _LOOKED_AT)
    )
    unknown = sum(word not in lexicon for word in words)
    if len(words) >= _ENOUGH and unknown > _FOREIGN * len(words):
        warnings.warn(
            f"{100 * unknown / len(words):.0f} % of the words are not in the {language.name} word "
            f"list: is this {language.name}? Edits are found and typed by its rules",
            RedinkWarning,
            stacklevel=3,
        )


def _annotate_chunk(
    chunk: list[Versions], *, how: Annotating
) -> list[tuple[tuple[Edit, ...], ...]]:
    return annotate_chunk(chunk, how.load())


def _count_words(versions: Versions) -> int:
    return len(versions[0]) + sum(map(len, versions[1]))


def annotate_references(references: References, *, how: Sharing) -> References:
    """References that came as texts, with the edits that make those texts."""
    texts = {str(number): text for number, text in enumerate(references.given_texts or ())}
    found = annotate_texts(
        references.sources, texts, how=how.annotating, workers=how.workers, cache=how.cache
    )
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
        return annotate_texts(
            sources, texts, how=how.annotating, workers=how.workers, cache=how.cache
        )

    def signature(self) -> dict[str, str]:
        """What was loaded; nothing if nothing was."""
        if self._analyser is None:
            return {}
        return {"analyser": self._analyser.name, "pipeline": self._analyser.version}
