"""Analyze text of any language with a spaCy pipeline.

This module converts spaCy objects to plain strings, so that no other module depends on spaCy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redink.analysis.analyzer import Analysis, TokenReading, Tokens, one_thread
from redink.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

Readings = tuple[tuple[TokenReading, ...], ...]

_BATCH_SIZE = 256
# The maximum number of words that a pipeline stores permanently. Beyond it, the words that a batch
# adds to the vocabulary are removed with the batch, so that memory does not grow with the corpus.
_PERMANENT_WORDS = 20_000
_READINGS = 8
_UNLIKELY = 0.001


def import_spacy() -> Any:
    """Import spaCy."""
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy") from error
    return spacy


@cache
def _load_rules(code: str) -> Any:
    return import_spacy().blank(code).tokenizer


def split_by_spacy(code: str, text: str) -> list[tuple[int, int]]:
    """Return the tokens of raw text by spaCy's rules for a language; no model is needed."""
    words = (token for token in _load_rules(code)(text) if not token.is_space)
    return [(token.idx, token.idx + len(token)) for token in words]


class SpacyAnalyzer:
    """Any spaCy pipeline with a tagger, lemmas and a parser."""

    def __init__(self, pipeline: Language, *, name: str, version: str) -> None:
        self._pipeline = pipeline
        self.name = name
        self.version = version
        components = list(pipeline.pipeline)
        # No other component depends on a parser at the end of the pipeline: it can run on demand.
        # The token vectors that it reads are stored in the documents.
        self._parser: Any = None
        if components and components[-1][0] == "parser":
            self._parser = components.pop()[1]
        self._components = [component for _, component in components]

    @property
    def pipeline(self) -> Language:
        """The spaCy pipeline object."""
        return self._pipeline

    @contextmanager
    def analyze(self, sentences: Sequence[Tokens]) -> Iterator[_SpacyBatch]:
        """Analyze sentences; see :class:`redink.analysis.analyzer.Analyzer`."""
        forgetful = len(self._pipeline.vocab) > _PERMANENT_WORDS
        with (
            self._pipeline.memory_zone() if forgetful else nullcontext(),
            one_thread().limit(limits=1, user_api="blas"),
        ):
            documents = self._run(sentences)
            yield _SpacyBatch(documents, self._parser, self._find_readings(documents))

    def _find_readings(self, documents: Sequence[Doc]) -> list[Readings] | None:
        if not documents or not self._pipeline.has_pipe("morphologizer"):
            return None
        component: Any = self._pipeline.get_pipe("morphologizer")
        labels = [_read_label(label) for label in component.labels]
        readings = iter(_likely(component.model.predict(documents), labels))
        return [tuple(islice(readings, len(document))) for document in documents]

    def _run(self, sentences: Sequence[Tokens]) -> list[Doc]:
        from spacy.tokens import Doc

        vocab = self._pipeline.vocab
        documents: Iterable[Doc] = [Doc(vocab, words=list(tokens)) for tokens in sentences]
        for component in self._components:
            documents = _run_component(component, documents)
        return list(documents)


class _SpacyBatch:
    def __init__(
        self, documents: list[Doc], parser: Any, readings: Sequence[Readings] | None
    ) -> None:
        self._documents = documents
        self._parser = parser
        self.analyses = [
            replace(read_document(document, parsed=parser is None), readings=its_readings)
            for document, its_readings in zip(documents, readings or repeat(None), strict=False)
        ]

    def parse(self, indices: Iterable[int]) -> dict[int, Analysis]:
        """Run the parser on these sentences, unless it has run already."""
        wanted = sorted({index for index in indices if self.analyses[index].dep is None})
        if wanted:
            documents = _run_component(self._parser, [self._documents[index] for index in wanted])
            for index, document in zip(wanted, documents, strict=True):
                self.analyses[index] = _with_dependencies(self.analyses[index], document)
        return {index: self.analyses[index] for index in indices}


def _read_label(label: str) -> tuple[str, str]:
    """Split a label such as ``Case=Nom|POS=NOUN`` into part of speech and features."""
    pairs = label.split("|")
    pos = next((pair.removeprefix("POS=") for pair in pairs if pair.startswith("POS=")), "X")
    return pos, "|".join(pair for pair in pairs if "=" in pair and not pair.startswith("POS="))


def _likely(
    scores: Sequence[Any], labels: Sequence[tuple[str, str]]
) -> Iterator[tuple[TokenReading, ...]]:
    import numpy as np

    odds = np.concatenate([some.reshape(-1, len(labels)) for some in scores])
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    best = np.argsort(-odds, axis=1)[:, :_READINGS]
    chances = np.take_along_axis(odds, best, axis=1)
    for numbers, shares in zip(best.tolist(), chances.tolist(), strict=True):
        yield tuple(
            TokenReading(labels[number][0], labels[number][1], share)
            for number, share in zip(numbers, shares, strict=True)
            if share >= _UNLIKELY
        )


def _run_component(component: Any, documents: Iterable[Doc]) -> Iterable[Doc]:
    if hasattr(component, "pipe"):
        piped: Iterable[Doc] = component.pipe(documents, batch_size=_BATCH_SIZE)
        return piped
    return map(component, documents)


def read_document(document: Doc, *, parsed: bool = True) -> Analysis:
    """Return the analysis in a spaCy document as plain strings."""
    tokens = tuple([token.text for token in document])
    analysis = Analysis(
        tokens,
        tuple(map(str.lower, tokens)),
        tuple([token.pos_ for token in document]),
        tuple([token.tag_ for token in document]),
        tuple([token.lemma_ for token in document]),
        features=(
            tuple([str(token.morph) for token in document])
            if document.has_annotation("MORPH")
            else None
        ),
    )
    return _with_dependencies(analysis, document) if parsed else analysis


def _with_dependencies(analysis: Analysis, document: Doc) -> Analysis:
    dep = tuple([token.dep_ for token in document])
    return replace(analysis, dep=dep, head=tuple([token.head.i for token in document]))


@cache
def register_architecture() -> None:
    """Register the network of the pipelines that ``training/pipeline/treebank.py`` trains."""
    from spacy.ml.models.tok2vec import CharacterEmbed, MultiHashEmbed
    from spacy.util import registry
    from thinc.api import Maxout, chain, concatenate, with_array

    def embed(width: int, attrs: Any, rows: Any, letters: int, letter_width: int) -> Any:
        """Embed a word by its attributes, and by its first and last letters."""
        by_name = MultiHashEmbed(width, attrs, rows, include_static_vectors=False)
        by_letters = CharacterEmbed(width, 500, letter_width, letters, False, "SHAPE")
        mix = Maxout(width, 2 * width, nP=3, dropout=0.0, normalize=True)
        return chain(concatenate(by_name, by_letters), with_array(mix))

    embed.__annotations__ = {}  # spaCy would evaluate them
    registry.architectures("redink.WordsAndLetters.v1")(embed)


@cache
def load_pipeline(pipeline_name: str) -> SpacyAnalyzer:
    """Load a pipeline by package name or folder, like ``spacy.load``."""
    spacy = import_spacy()
    register_architecture()
    try:
        pipeline = spacy.load(pipeline_name, exclude=["ner"])
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise OptionError(
            f"the spaCy pipeline {pipeline_name!r} cannot be loaded: {reason} . Try, for an "
            f"official pipeline: python -m spacy download {pipeline_name}"
        ) from error
    return SpacyAnalyzer(
        pipeline, name=f"spacy:{pipeline_name}", version=_describe(pipeline.meta, pipeline.path)
    )


def _describe(meta: Mapping[str, Any], path: Path | None) -> str:
    described = f"{meta['lang']}_{meta['name']}-{meta['version']}"
    if path is None:
        return described
    digest = hashlib.sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file()):
        digest.update(file.relative_to(path).as_posix().encode())
        digest.update(file.read_bytes())
    return f"{described}+{digest.hexdigest()[:8]}"
