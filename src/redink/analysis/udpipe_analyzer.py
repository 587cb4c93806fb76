"""Analyses by UDPipe 1 (``udpipe:FILE``), whose model the user has in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from redink.analysis.analyzer import Analysis, Analyzer, Tokens, WholeBatch
from redink.analysis.conllu import Tree, Word
from redink.errors import MissingExtraError, OptionError


class UdpipeAnalyzer:
    """A UDPipe model."""

    def __init__(self, library: Any, model: Any, *, name: str, version: str) -> None:
        self._library = library
        self._model = model
        self.name = name
        self.version = version

    @contextmanager
    def analyze(self, sentences: Sequence[Tokens]) -> Iterator[WholeBatch]:
        """Analyse sentences; see :class:`redink.analysis.analyzer.Analyzer`."""
        yield WholeBatch([self._analyse(tokens) for tokens in sentences])

    def _analyse(self, tokens: Tokens) -> Analysis:
        sentence = self._library.Sentence()
        for token in tokens:
            sentence.addWord(token)
        self._model.tag(sentence, self._model.DEFAULT)
        # A model may have no parser; tags and lemmas are what is needed.
        self._model.parse(sentence, self._model.DEFAULT)
        words = list(sentence.words)[1:]  # the first is the root above the sentence
        return Tree(
            tuple(
                Word(
                    token,
                    word.lemma or token,
                    word.upostag or "X",
                    word.xpostag or word.upostag or "X",
                    word.feats,
                    max(word.head, 0),
                    word.deprel or "dep",
                    (number, number),
                )
                for number, (token, word) in enumerate(zip(tokens, words, strict=True), start=1)
            )
        ).surface()


@cache
def load_udpipe(path: str) -> Analyzer:
    """The UDPipe model in a file.

    Raises:
        MissingExtraError: the library is not installed.
        OptionError: the file is not a model.
    """
    try:
        from ufal import udpipe
    except ImportError as error:
        raise MissingExtraError("ufal.udpipe", "udpipe") from error
    file = Path(path)
    if not file.is_file():
        raise OptionError(f"the UDPipe model {path!r} cannot be loaded: there is no such file")
    model = udpipe.Model.load(path)
    if model is None:
        raise OptionError(f"the UDPipe model {path!r} cannot be loaded: it is not a model")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    return UdpipeAnalyzer(udpipe, model, name=f"udpipe:{path}", version=f"{file.stem}+{digest}")
