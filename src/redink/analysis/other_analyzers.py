"""Analyses by Stanza (``stanza:LANGUAGE``) and UDPipe 1 (``udpipe:FILE``).

Users bring the models.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from redink.analysis.analyzer import Analysis, Analyzer, Tokens, WholeBatch
from redink.analysis.conllu import Tree, Word
from redink.errors import MissingExtraError, OptionError


class StanzaAnalyzer:
    """A Stanza pipeline that takes tokens as they are."""

    def __init__(self, pipeline: Any, *, name: str, version: str) -> None:
        self._pipeline = pipeline
        self.name = name
        self.version = version

    @contextmanager
    def analyze(self, sentences: Sequence[Tokens]) -> Iterator[WholeBatch]:
        """Analyse sentences; see :class:`redink.analysis.analyzer.Analyzer`."""
        wanted = [list(tokens) for tokens in sentences if tokens]
        found = iter(self._pipeline(wanted).sentences if wanted else ())
        empty = Tree(()).surface()
        yield WholeBatch([_read(next(found), tokens) if tokens else empty for tokens in sentences])


def _read(sentence: Any, tokens: Tokens) -> Analysis:
    words = tuple(
        Word(
            word.text,
            word.lemma or word.text,
            word.upos or "X",
            word.xpos or word.upos or "X",
            word.feats or "",
            word.head or 0,
            word.deprel or "dep",
            (word.id, word.id),
        )
        for word in sentence.words
    )
    shared = tuple(
        Word(token.text, token.text, "X", "X", "", 0, "dep", (token.id[0], token.id[-1]))
        for token in sentence.tokens
        if len(token.id) > 1
    )
    analysis = Tree(words, shared).surface()
    if analysis.tokens != tokens:
        raise OptionError(
            f"Stanza changed the tokens of {' '.join(tokens)[:60]!r}; this pipeline cannot be used"
        )
    return analysis


@cache
def load_stanza(language: str) -> Analyzer:
    """The installed Stanza models of a language; nothing is downloaded.

    Raises:
        MissingExtraError: Stanza is not installed.
        OptionError: its models of this language are not there.
    """
    try:
        import stanza
    except ImportError as error:
        raise MissingExtraError("stanza", "stanza") from error
    folder = os.environ.get("STANZA_RESOURCES_DIR", str(Path.home() / "stanza_resources"))
    wanted = {
        "lang": language,
        "dir": folder,
        "tokenize_pretokenized": True,
        "download_method": None,
        "verbose": False,
    }
    try:
        pipeline = _load(stanza.Pipeline, wanted)
    except Exception as error:
        # Stanza raises whatever its files make it raise; the user can only fetch them again.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise OptionError(
            f"the Stanza models of {language!r} cannot be loaded from {folder} ({reason}); fetch "
            f"them with: python -c \"import stanza; stanza.download('{language}')\""
        ) from error
    return StanzaAnalyzer(
        pipeline, name=f"stanza:{language}", version=f"stanza-{stanza.__version__}-{language}"
    )


def _load(make: Any, wanted: dict[str, Any]) -> Any:
    """A pipeline that tags and lemmatises, and parses if it can; it does not talk meanwhile."""
    log = logging.getLogger("stanza")
    before, log.disabled = log.disabled, True
    try:
        return make(processors="tokenize,pos,lemma,depparse", **wanted)
    except Exception:  # noqa: BLE001 (whatever is missing, the next one needs less)
        return make(processors="tokenize,pos,lemma", **wanted)
    finally:
        log.disabled = before


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
