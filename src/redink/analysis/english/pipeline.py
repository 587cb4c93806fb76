"""The embedded English pipeline: tags, lemmas and dependencies.

`training/pipeline` trains the pipeline, and can run it with spaCy.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, cached_property
from threading import Lock
from typing import Any

import numpy as np

from redink.analysis.analyzer import Analysis, Tokens, chunks, one_thread
from redink.analysis.english.networks import Factor, Floats, Ints, Parser, TokenVectors, times
from redink.analysis.english.word_forms import PIPELINE, lemma_tables, universal_pos

_SLICE_WORDS = 80_000


@cache
def default_analyzer() -> EnglishPipeline:
    """Load the embedded pipeline, once."""
    return EnglishPipeline()


@cache
def _labels() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PIPELINE / "labels.json").read_text(encoding="utf-8"))
    return found


def embedded_version() -> str:
    """Return the version of the embedded pipeline, without loading it."""
    return str(_labels()["version"])


class EnglishPipeline:
    """The embedded pipeline."""

    name = "embedded"

    def __init__(self) -> None:
        self.version = embedded_version()
        with np.load(PIPELINE / "weights.npz") as arrays:
            self._weights = dict(arrays)
        self._vectors = TokenVectors(self._weights)
        bias = self._weights["tagger/softmax/0/b"]
        self._tagger = Factor.of(self._weights["tagger/softmax/0/W"].T), bias
        self._tags: list[str] = _labels()["tags"]
        self._lemmas = lemma_tables()
        # The lower case, part of speech, tag and lemma for the numbers of a word and its tag.
        self._readings: dict[int, tuple[str, str, str, str]] = {}
        self._lock = Lock()

    @contextmanager
    def analyze(self, sentences: Sequence[Tokens]) -> Iterator[_EnglishBatch]:
        """Analyze sentences; see :class:`redink.analysis.analyzer.Analyzer`."""
        with one_thread().limit(limits=1, user_api="blas"):
            yield _EnglishBatch(self, sentences)

    def tag(self, sentences: Sequence[Tokens]) -> tuple[list[Analysis], Floats, list[Ints]]:
        """Return unparsed analyses, distinct vectors, and the vector index of each token."""
        with self._lock:
            return self._tag(sentences)

    def _tag(self, sentences: Sequence[Tokens]) -> tuple[list[Analysis], Floats, list[Ints]]:
        words, kept = self._vectors.number_words(sentences)
        if not kept:
            self._readings.clear()
        lengths = [len(sentence) for sentence in sentences]
        vectors, ids = self._vectors.of_words(words, lengths)
        weights, bias = self._tagger
        tags = (times(vectors, weights) + bias).argmax(axis=1)[ids]
        size = len(self._tags)
        keys = (np.array(words, dtype=np.int64) * size + tags).tolist()
        readings = self._readings
        analyses = []
        end = 0
        for tokens, length in zip(sentences, lengths, strict=True):
            start, end = end, end + length
            its_keys = keys[start:end]
            try:
                found = [readings[key] for key in its_keys]
            except KeyError:
                for key, word in zip(its_keys, tokens, strict=True):
                    if key not in readings:
                        tag = self._tags[key % size]
                        lemma = self._lemmas.lemma(word, tag)
                        readings[key] = word.lower(), universal_pos(word, tag), tag, lemma
                found = [readings[key] for key in its_keys]
            analyses.append(Analysis(tokens, *zip(*found, strict=True)) if found else _EMPTY)
        return analyses, vectors, np.split(ids, np.cumsum(lengths)[:-1])

    @cached_property
    def parser(self) -> Parser:
        """Return the parser, which is loaded when first needed."""
        return Parser(self._weights, _labels()["moves"])


_EMPTY = Analysis((), (), (), (), ())


class _EnglishBatch:
    def __init__(self, analyzer: EnglishPipeline, sentences: Sequence[Tokens]) -> None:
        self._analyzer = analyzer
        self._slices: list[tuple[int, Floats, list[Ints]]] = []
        self.analyses: list[Analysis] = []
        for some in chunks(sentences, len, words=_SLICE_WORDS):
            analyses, vectors, ids = analyzer.tag(some)
            self._slices.append((len(self.analyses), vectors, ids))
            self.analyses += analyses
        self._firsts = [first for first, _, _ in self._slices]

    def parse(self, indices: Iterable[int]) -> dict[int, Analysis]:
        wanted = [index for index in indices if self.analyses[index].dep is None]
        vectors = [self._vectors(index) for index in wanted]
        words = [self.analyses[index].tokens for index in wanted]
        found = self._analyzer.parser.parse(vectors, words) if wanted else ()
        for index, (dep, head) in zip(wanted, found, strict=True):
            self.analyses[index] = replace(self.analyses[index], dep=dep, head=head)
        return {index: self.analyses[index] for index in indices}

    def _vectors(self, index: int) -> Floats:
        first, vectors, ids = self._slices[bisect_right(self._firsts, index) - 1]
        return vectors[ids[index - first]]
