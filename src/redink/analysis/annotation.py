"""Annotate entire texts: with worker processes, a cache, and a check of the language."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache as cached
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Any, Self

from redink.analysis.analyzer import Analyzer, Tokens, Value, chunks
from redink.analysis.annotation_options import AnnotationOptions, AnnotationResources
from redink.analysis.edit_finder import (
    ReclassificationOptions,
    Versions,
    annotate_chunk,
    retype,
)
from redink.analysis.language import (
    NAMES,
    UNIVERSAL,
    find_language,
    guess_other_language,
)
from redink.cache import ANNOTATIONS, digest_code, make_key
from redink.errors import DataError, RedinkWarning
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Corpus,
    Edit,
    References,
    Sentence,
)
from redink.parallel import map_in_order
from redink.progress import tell

PairOfTokens = tuple[Tokens, Tokens]
"""A sentence and its correction."""

Edits = tuple[Edit, ...]


@dataclass(frozen=True)
class KeptEdits:
    """The edits that one way of annotating found before, in the user's cache (redink.cache).

    The edits between two sentences depend on the sentences, the embedded pipeline, the rules (the
    code of this package) and the options; a key is made of all of them. The analysis of a sentence
    does not depend on its neighbors, so edits from the cache are those that would be found again.
    With another analyzer or word list, or for another language, nothing is cached.
    """

    setting: str

    @classmethod
    def of(cls, annotation_options: AnnotationOptions) -> Self | None:
        """What is kept of this way of annotating; None where nothing is."""
        if ANNOTATIONS.path is None or (
            annotation_options.analyser,
            annotation_options.language,
        ) != ("embedded", "en"):
            return None
        if annotation_options.lexicon is not None:  # what is in it is not known before it is read
            return None
        options = (
            annotation_options.merge,
            annotation_options.levenshtein,
            annotation_options.fixed,
            annotation_options.rules,
        )
        return cls(make_key(annotation_options.pipeline(), _rules(), *map(str, options)).hex())

    def look_up(self, versions: Iterable[Versions]) -> dict[PairOfTokens, Edits]:
        """The edits of those of these sentences that were annotated before."""
        keys = {
            self._key(source, hypothesis): (source, hypothesis)
            for source, hypotheses in versions
            for hypothesis in dict.fromkeys(hypotheses)
            if hypothesis != source
        }
        found = ANNOTATIONS.look_up(list(keys))
        unpacked = json.loads(f"[{','.join(found.values())}]")
        return {keys[key]: _edits(rows) for key, rows in zip(found, unpacked, strict=True)}

    def keep(self, made: Mapping[PairOfTokens, Edits]) -> None:
        """Keep what was found."""
        ANNOTATIONS.keep({self._key(*pair): _pack(edits) for pair, edits in made.items()})

    def _key(self, source: Tokens, hypothesis: Tokens) -> bytes:
        return make_key(self.setting, str(len(source)), *source, *hypothesis)


@cached
def _rules() -> str:
    folder = Path(__file__).parent
    words = blake2b()
    for file in sorted(folder.rglob("words/*.txt")):
        words.update(file.read_bytes())
    return digest_code(folder) + words.hexdigest()


def _pack(edits: Edits) -> str:
    return json.dumps(
        [(e.start, e.end, e.correction, e.type, e.rule) for e in edits], separators=(",", ":")
    )


def _edits(rows: Iterable[list[Any]]) -> Edits:
    return tuple(
        Edit(start, end, correction, kind, (), rule) for start, end, correction, kind, rule in rows
    )


CHUNK_WORDS = 80_000
"""How many words, sources and hypotheses together, are worked on at a time."""
_WORTH_A_WORKER = 100_000
"""So many words are worth the start of a process."""


def divide(
    found: Iterable[list[Value]], count_words: Callable[[Value], int], workers: int
) -> tuple[Iterable[list[Value]], int]:
    """The chunks of a job, smaller where that gives all workers something to do.

    And how many workers are worth their start.
    """
    if workers == 1:
        return found, 1
    coming = iter(found)
    first = list(islice(coming, 2 * workers))
    if len(first) == 2 * workers:
        return chain(first, coming), workers
    values = list(chain.from_iterable(first))
    total = sum(map(count_words, values))
    crew = min(workers, total // _WORTH_A_WORKER)
    if crew < 2:
        return first, 1
    return chunks(values, count_words, words=-(-total // (2 * crew))), crew


def annotate_texts(
    sources: Sequence[Sentence],
    texts: Mapping[str, Sequence[Sentence]],
    *,
    annotation_options: AnnotationOptions,
    workers: int = 1,
    cache: bool = False,
) -> dict[str, tuple[Annotation, ...]]:
    """The typed edits that turn the sources into each text, the same for any number of workers."""
    for name, sentences in texts.items():
        if len(sentences) != len(sources):
            raise DataError(
                f"{name!r} has {len(sentences)} sentences, the source has {len(sources)}; "
                "they must match line by line"
            )
    if not texts:
        return {}
    annotation_options.check_workers(workers)
    warn_about_language(sources, annotation_options)
    kept = (
        KeptEdits.of(annotation_options)
        if cache and len(sources) * len(texts) >= _WORTH_KEEPING
        else None
    )
    versions = [
        (source.tokens, tuple(sentences[number].tokens for sentences in texts.values()))
        for number, source in enumerate(sources)
    ]
    found = {} if kept is None else kept.look_up(versions)
    known = {pair: Annotation("", edits) for pair, edits in found.items()}
    wanted = _leave_out(versions, known)
    work = partial(_annotate_chunk, annotation_options=annotation_options)
    done = len(sources) - len(wanted)
    tell("annotating", done, len(sources))
    usual = chunks(wanted, _count_words, words=CHUNK_WORDS)
    divided, crew = divide(usual, _count_words, workers)
    parts = list(divided)
    for part, chunk in zip(parts, map_in_order(work, parts, workers=crew), strict=True):
        done += len(chunk)
        tell("annotating", done, len(sources))
        made = {
            (source, hypothesis): theirs
            for (source, hypotheses), edits in zip(part, chunk, strict=True)
            for hypothesis, theirs in zip(hypotheses, edits, strict=True)
        }
        known |= made
        if kept is not None:
            kept.keep({pair: annotation.edits for pair, annotation in made.items()})
    return {
        name: tuple(_annotations_of(name, place, versions, known))
        for place, name in enumerate(texts)
    }


def _annotations_of(
    name: str, place: int, versions: Iterable[Versions], known: Mapping[PairOfTokens, Annotation]
) -> Iterator[Annotation]:
    unchanged = Annotation(name)
    for source, hypotheses in versions:
        found = known.get((source, hypotheses[place]))
        if found is None:
            yield unchanged
        else:
            yield Annotation(name, found.edits, found.target, found.alignments)


_WORTH_KEEPING = 100
"""How many pairs of sentences are worth looking into the cache."""


def _leave_out(versions: Iterable[Versions], known: Mapping[PairOfTokens, Any]) -> list[Versions]:
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


def warn_about_language(sources: Iterable[Sentence], annotation_options: AnnotationOptions) -> None:
    """Warn if a text is clearly in another language than the one whose rules will type its edits.

    Its commonest words tell, or that most words are unknown to the language's own word list. Only
    the first few thousand words are looked at, names (capitals) and numbers aside.
    """
    if not isinstance(annotation_options.analyser, str) or annotation_options.language == UNIVERSAL:
        return
    language = find_language(annotation_options.language)
    words = list(
        islice((t for s in sources for t in s.tokens if t.isalpha() and t == t.lower()), _LOOKED_AT)
    )
    if len(words) < _ENOUGH:
        return
    other = guess_other_language(words, language.code)
    advice = f"; it looks like {NAMES[other]} (--language {other})" if other else ""
    lexicon = (
        language.lexicon(annotation_options.fixed) if annotation_options.lexicon is None else ()
    )
    unknown = (
        sum(word not in lexicon for word in words) if annotation_options.lexicon is None else 0
    )
    if unknown > _FOREIGN * len(words):
        share = f"{100 * unknown / len(words):.0f} %"
        seen = f"{share} of the words are not in the {language.name} word list"
    elif other:
        seen = f"few of the words are common in {language.name}"
    else:
        return
    warnings.warn(
        f"{seen}: is this {language.name}? Edits are found and typed by its rules{advice}",
        RedinkWarning,
        stacklevel=3,
    )


def _annotate_chunk(
    chunk: list[Versions], *, annotation_options: AnnotationOptions
) -> list[tuple[Annotation, ...]]:
    return annotate_chunk(chunk, annotation_options.load())


def _count_words(versions: Versions) -> int:
    return len(versions[0]) + sum(map(len, versions[1]))


def count_words(sentence: AnnotatedSentence) -> int:
    """Estimate the number of words of a sentence and its corrections."""
    return len(sentence.source) * (1 + len(sentence.annotations))


def annotate_again(
    corpus: Corpus, reclassification: ReclassificationOptions, annotation: AnnotationOptions
) -> Corpus:
    """Extract or classify the edits of a corpus again."""
    finder = annotation.load()
    done = [
        sentence
        for chunk in chunks(corpus.sentences, count_words, words=CHUNK_WORDS)
        for sentence in retype(chunk, finder, reclassification)
    ]
    return Corpus(tuple(done), name=corpus.name)


def annotate_references(
    references: References, *, annotation_options: AnnotationResources
) -> References:
    """References that came as texts, with the edits that make those texts."""
    texts = {str(number): text for number, text in enumerate(references.given_texts or ())}
    found = annotate_texts(
        references.sources,
        texts,
        annotation_options=annotation_options.annotating,
        workers=annotation_options.workers,
        cache=annotation_options.cache,
    )
    sentences = tuple(
        AnnotatedSentence.of_everyone(
            source,
            (found[who][number] for who in found if (int(who), number) not in references.absent),
        )
        for number, source in enumerate(references.sources)
    )
    return replace(references, corpus=replace(references.corpus, sentences=sentences))


class LazyAnnotator:
    """Loads its analyser when something asks for it, and then says which it was."""

    def __init__(self, annotation_options: AnnotationResources) -> None:
        self._how = annotation_options
        self._analyser: Analyzer | None = None
        self.split = annotation_options.annotating.split

    def analyser(self) -> Analyzer:
        """What tags and parses."""
        if self._analyser is None:
            self._analyser = self._how.annotating.load().analyser
        return self._analyser

    def supply_edits(self, references: References) -> References:
        """The same references; with edits, if they came as texts."""
        if references.given_texts is None:
            return references
        self.analyser()
        return annotate_references(references, annotation_options=self._how)

    def annotate(
        self, sources: Sequence[Sentence], texts: Mapping[str, Sequence[Sentence]]
    ) -> dict[str, tuple[Annotation, ...]]:
        """The edits that turn the sources into each text."""
        if not texts:
            return {}
        self.analyser()
        annotation_options = self._how
        return annotate_texts(
            sources,
            texts,
            annotation_options=annotation_options.annotating,
            workers=annotation_options.workers,
            cache=annotation_options.cache,
        )

    def signature(self) -> dict[str, str]:
        """What was loaded; nothing if nothing was."""
        if self._analyser is None:
            return {}
        made = self._how.annotating.signature("")
        about = ("language", "analyser", "pipeline", "lexicon")
        return {name: made[name] for name in about if name in made}
