"""Analyses by a trained pipeline of redink's kind, without spaCy.

The folder is one that spaCy can load too (`tok2vec`, `tagger`, `parser`, as `training/` makes it);
here NumPy runs its networks on whole batches, which starts at once and is several times as fast.
A sentence's analysis does not depend on the sentences beside it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import numpy as np

from redink.analysis.analyser import NOT_ASKED, Analysis, Tokens, chunks
from redink.analysis.arc_eager import Parser
from redink.analysis.token_vectors import Ints, TokenVectors, one_thread, pad_columns, times
from redink.analysis.weights import Floats, read_layers

_SLICE_WORDS = 80_000

Lemmatise = Callable[[str, str], tuple[str, str]]
"""From a form and its tag to its part of speech and lemma."""


class NumpyAnalyser:
    """A pipeline that NumPy runs."""

    def __init__(self, folder: Path, lemmatise: Lemmatise, *, name: str, version: str) -> None:
        self.name = name
        self.version = version
        self._vectors = TokenVectors(read_layers(folder / "tok2vec" / "model"))
        (softmax,) = read_layers(folder / "tagger" / "model")["softmax"]
        self._tagger = pad_columns(softmax.arrays["W"].T), softmax.arrays["b"]
        self._tags: list[str] = json.loads((folder / "tagger" / "cfg").read_bytes())["labels"]
        self._lemmatise = lemmatise
        self._parser_folder = folder / "parser"
        self._parser: Parser | None = None
        # By the numbers of a word and its tag: lower case, part of speech, tag and lemma.
        self._readings: dict[int, tuple[str, str, str, str]] = {}
        self._lock = Lock()

    @contextmanager
    def analyse(self, sentences: Sequence[Tokens]) -> Iterator[_NumpyBatch]:
        """Analyse sentences; see :class:`redink.analysis.analyser.Analyser`."""
        with one_thread().limit(limits=1, user_api="blas"):
            yield _NumpyBatch(self, sentences)

    def tag(self, sentences: Sequence[Tokens]) -> tuple[list[Analysis], Floats, list[Ints]]:
        """Analyses without dependencies; distinct vectors, and which of them the tokens have."""
        with self._lock:
            return self._tag(sentences)

    def _tag(self, sentences: Sequence[Tokens]) -> tuple[list[Analysis], Floats, list[Ints]]:
        words, kept = self._vectors.number_words(sentences)
        if not kept:
            self._readings.clear()
        lengths = [len(sentence) for sentence in sentences]
        vectors, ids = self._vectors.of_words(words, lengths)
        weights, bias = self._tagger
        tags = (times(vectors, weights)[:, : len(bias)] + bias).argmax(axis=1)[ids]
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
                        readings[key] = self._read(word, self._tags[key % size])
                found = [readings[key] for key in its_keys]
            analyses.append(Analysis(tokens, *zip(*found, strict=True)) if found else _EMPTY)
        return analyses, vectors, np.split(ids, np.cumsum(lengths)[:-1])

    def _read(self, word: str, tag: str) -> tuple[str, str, str, str]:
        pos, lemma = self._lemmatise(word, tag)
        return word.lower(), pos, tag, lemma

    def parser(self) -> Parser:
        """The parser, loaded when it is first asked for."""
        if self._parser is None:
            self._parser = Parser(self._parser_folder)
        return self._parser


_EMPTY = Analysis((), (), (), (), ())


class _NumpyBatch:
    """Sentences with their analyses, and the vectors that the parser needs."""

    def __init__(self, analyser: NumpyAnalyser, sentences: Sequence[Tokens]) -> None:
        self._analyser = analyser
        self._slices: list[tuple[int, Floats, list[Ints]]] = []
        self.analyses: list[Analysis] = []
        for some in chunks(sentences, len, words=_SLICE_WORDS):
            analyses, vectors, ids = analyser.tag(some)
            self._slices.append((len(self.analyses), vectors, ids))
            self.analyses += analyses
        self._firsts = [first for first, _, _ in self._slices]

    def parse(self, indices: Iterable[int]) -> dict[int, Analysis]:
        """Run the parser on these sentences, as far as is asked, unless it has run already."""
        asked = indices if isinstance(indices, Mapping) else dict.fromkeys(indices)
        wanted = [index for index, tokens in asked.items() if not self._is_known(index, tokens)]
        if wanted:
            found = self._analyser.parser().parse(
                [self._vectors(index) for index in wanted],
                [self.analyses[index].tokens for index in wanted],
                [asked[index] for index in wanted],
            )
            for index, (dep, head) in zip(wanted, found, strict=True):
                old = self.analyses[index]
                self.analyses[index] = Analysis(
                    old.tokens, old.lower, old.pos, old.tag, old.lemma, dep, head
                )
        return {index: self.analyses[index] for index in asked}

    def _vectors(self, index: int) -> Floats:
        """The vectors of the tokens of a sentence."""
        first, vectors, ids = self._slices[bisect_right(self._firsts, index) - 1]
        return vectors[ids[index - first]]

    def _is_known(self, index: int, tokens: Collection[int] | None) -> bool:
        dep = self.analyses[index].dep
        if dep is None:
            return False
        return NOT_ASKED not in (dep if tokens is None else [dep[token] for token in tokens])
