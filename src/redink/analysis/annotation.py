"""Annotate entire texts: with worker processes, a cache, and a check of the language."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache as cached
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Self

from redink.analysis.analyzer import Analyzer, Tokens, Value, chunks
from redink.analysis.annotation_options import EMBEDDED, AnnotationOptions, AnnotationResources
from redink.analysis.edit_finder import ReclassificationOptions, Versions, annotate_chunk, retype
from redink.analysis.language import NAMES, UNIVERSAL, find_language, guess_other_language
from redink.cache import ANNOTATIONS, digest_code, make_key
from redink.errors import DataError, RedinkWarning
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, References, Sentence
from redink.parallel import map_in_order
from redink.progress import tell

PairOfTokens = tuple[Tokens, Tokens]
"""A sentence and its correction."""

Edits = tuple[Edit, ...]


@dataclass(frozen=True)
class CachedEdits:
    """The user's cache of edits found with one set of options (see redink.cache).

    A key consists of the sentences, the embedded pipeline, the rules (the code of this package) and
    the options. The analysis of a sentence does not depend on its neighbors, so cached edits are
    identical to newly extracted ones. Edits of other analyzers, dictionaries and languages are not
    cached.
    """

    setting: str

    @classmethod
    def of(cls, options: AnnotationOptions) -> Self | None:
        """Return the cache for these options; None if their edits are not cached."""
        is_default = (options.analyzer, options.language, options.lexicon) == (EMBEDDED, "en", None)
        if ANNOTATIONS.path is None or not is_default:
            return None
        values = (options.merge, options.levenshtein, options.fixed, options.errant_version)
        return cls(make_key(options.pipeline(), _digest_rules(), *map(str, values)).hex())

    def look_up(self, versions: Iterable[Versions]) -> dict[PairOfTokens, Edits]:
        """Return the edits of sentences that were annotated before."""
        keys = {
            self._key(source, hypothesis): (source, hypothesis)
            for source, hypotheses in versions
            for hypothesis in dict.fromkeys(hypotheses)
            if hypothesis != source
        }
        found = ANNOTATIONS.look_up(list(keys))
        unpacked = json.loads(f"[{','.join(found.values())}]")
        return {
            keys[key]: tuple(
                Edit(first, end, text, kind, (), rule) for first, end, text, kind, rule in rows
            )
            for key, rows in zip(found, unpacked, strict=True)
        }

    def keep(self, made: Mapping[PairOfTokens, Annotation]) -> None:
        """Store edits."""
        rows = {
            pair: [(e.start, e.end, e.correction, e.type, e.rule) for e in annotation.edits]
            for pair, annotation in made.items()
        }
        ANNOTATIONS.keep(
            {self._key(*pair): json.dumps(v, separators=(",", ":")) for pair, v in rows.items()}
        )

    def _key(self, source: Tokens, hypothesis: Tokens) -> bytes:
        return make_key(self.setting, str(len(source)), *source, *hypothesis)


@cached
def _digest_rules() -> str:
    folder = Path(__file__).parent
    words = blake2b()
    for file in sorted(folder.rglob("words/*.txt")):
        words.update(file.read_bytes())
    return digest_code(folder) + words.hexdigest()


CHUNK_WORDS = 80_000
"""The number of words of sources and hypotheses in a chunk."""
_WORTH_A_WORKER = 100_000
"""The minimum number of words that justifies starting a process."""


def divide(
    found: Iterable[list[Value]], count_words: Callable[[Value], int], workers: int
) -> tuple[Iterable[list[Value]], int]:
    """Return the chunks of a job and the number of workers to start.

    Chunks are smaller if otherwise some workers would have nothing to do.
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
    """Return the classified edits from the sources to each text, for any number of workers."""
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
    is_worth_caching = len(sources) * len(texts) >= _WORTH_CACHING
    cached_edits = CachedEdits.of(annotation_options) if cache and is_worth_caching else None
    versions = [
        (source.tokens, tuple(sentences[number].tokens for sentences in texts.values()))
        for number, source in enumerate(sources)
    ]
    earlier = cached_edits.look_up(versions) if cached_edits else {}
    known = {pair: Annotation("", edits) for pair, edits in earlier.items()}
    wanted = []
    for source, hypotheses in versions:
        new = tuple(
            hypothesis
            for hypothesis in dict.fromkeys(hypotheses)
            if hypothesis != source and (source, hypothesis) not in known
        )
        if new:
            wanted.append((source, new))
    done = len(sources) - len(wanted)
    tell("annotating", done, len(sources))
    usual = chunks(wanted, _count_words, words=CHUNK_WORDS)
    divided, crew = divide(usual, _count_words, workers)
    parts = list(divided)
    work = partial(_annotate_chunk, annotation_options)
    for part, chunk in zip(parts, map_in_order(work, parts, workers=crew), strict=True):
        done += len(chunk)
        tell("annotating", done, len(sources))
        made = {
            (source, hypothesis): theirs
            for (source, hypotheses), edits in zip(part, chunk, strict=True)
            for hypothesis, theirs in zip(hypotheses, edits, strict=True)
        }
        known |= made
        if cached_edits is not None:
            cached_edits.keep(made)
    nothing = Annotation("")
    return {
        name: tuple(
            Annotation(name, found.edits, found.target, found.alignments)
            for source, hypotheses in versions
            for found in [known.get((source, hypotheses[place]), nothing)]
        )
        for place, name in enumerate(texts)
    }


_WORTH_CACHING = 100
"""The minimum number of sentence pairs for which the cache is used."""
_LOOKED_AT = 2_000
_FOREIGN = 0.5
_ENOUGH = 20


def warn_about_language(sources: Iterable[Sentence], annotation_options: AnnotationOptions) -> None:
    """Warn if a text is clearly not in the language whose rules will classify its edits.

    Evidence is the text's most frequent words, or that most words are not in the dictionary of the
    language. Only the first few thousand words count, without capitalized words and numbers.
    """
    if not isinstance(annotation_options.analyzer, str) or annotation_options.language == UNIVERSAL:
        return
    language = find_language(annotation_options.language)
    words = list(
        islice((t for s in sources for t in s.tokens if t.isalpha() and t == t.lower()), _LOOKED_AT)
    )
    if len(words) < _ENOUGH:
        return
    other = guess_other_language(words, language.code)
    advice = f"; it looks like {NAMES[other]} (--language {other})" if other else ""
    unknown = 0
    if annotation_options.lexicon is None:
        lexicon = language.lexicon(annotation_options.fixed)
        unknown = sum(word not in lexicon for word in words)
    if unknown > _FOREIGN * len(words):
        share = f"{100 * unknown / len(words):.0f} %"
        seen = f"{share} of the words are not in the {language.name} dictionary"
    elif other:
        seen = f"few of the words are common in {language.name}"
    else:
        return
    warnings.warn(
        f"{seen}: is this {language.name}? Its rules extract and classify the edits{advice}",
        RedinkWarning,
        stacklevel=3,
    )


def _annotate_chunk(
    annotation_options: AnnotationOptions, chunk: list[Versions]
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
    """Annotate references that were loaded as texts with their edits."""
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
    """Loads its analyzer when first needed, and then describes it."""

    def __init__(self, resources: AnnotationResources) -> None:
        self._resources = resources
        self._options = resources.annotating
        self._analyzer: Analyzer | None = None
        self.split = self._options.split

    def analyzer(self) -> Analyzer:
        """Return the analyzer."""
        if self._analyzer is None:
            self._analyzer = self._options.load().analyzer
        return self._analyzer

    def supply_edits(self, references: References) -> References:
        """Annotate references that were loaded as texts; return others unchanged."""
        if references.given_texts is None:
            return references
        self.analyzer()
        return annotate_references(references, annotation_options=self._resources)

    def annotate(
        self, sources: Sequence[Sentence], texts: Mapping[str, Sequence[Sentence]]
    ) -> dict[str, tuple[Annotation, ...]]:
        """Return the edits from the sources to each text."""
        if not texts:
            return {}
        self.analyzer()
        workers, cache = self._resources.workers, self._resources.cache
        return annotate_texts(
            sources, texts, annotation_options=self._options, workers=workers, cache=cache
        )

    def signature(self) -> dict[str, str]:
        """Describe the analyzer; empty if none was loaded."""
        if self._analyzer is None:
            return {}
        made = self._options.signature("")
        about = ("language", "analyzer", "pipeline", "lexicon")
        return {name: made[name] for name in about if name in made}
