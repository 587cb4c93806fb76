"""Evaluate analyzers on treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import and_
from pathlib import Path
from typing import Annotated

from redink.analysis.analyzer import Analysis, Analyzer, chunks
from redink.analysis.annotation_options import AnalyzerLike, LanguageCode
from redink.analysis.language import UNIVERSAL, find_language, load_analyzer
from redink.analysis.universal_dependencies import read_trees
from redink.errors import DataError
from redink.inputs.input_options import PathLike
from redink.model import Shown, Table, fingerprint, make_signature, table_of
from redink.options import Flag, command

Treebanks = Annotated[PathLike | Sequence[PathLike], Flag(many=True, value="TREEBANK")]
_CHUNK_WORDS = 20_000


@dataclass(frozen=True)
class AnalyzerAccuracy:
    """The accuracy of an analyzer on a treebank."""

    treebank: str
    tokens: int
    pos: Annotated[float, Shown("rate")]
    features: Annotated[float, Shown("rate")]
    pos_and_features: Annotated[float, Shown("rate")]
    lemma: Annotated[float, Shown("rate")]


@command
def evaluate_analyzer(
    treebanks: Treebanks, *, analyzer: AnalyzerLike, language: LanguageCode = UNIVERSAL
) -> Table:
    """Evaluate an analyzer on TREEBANK, files in the CoNLL-U format.

    The analyzer gets the tokens of the treebank, so only the analysis is measured.

    Args:
        treebanks: CoNLL-U files, gzipped or not.
        analyzer: the analyzer to evaluate: ``spacy:NAME``, ``spacy:DIR``, ``stanza:LANGUAGE``,
            ``udpipe:FILE``.
        language: the language of the treebanks.

    Returns:
        One row per treebank: the shares of tokens with the correct part of speech, features, both,
        and lemma.
    """
    tool = load_analyzer(analyzer, language=language) if isinstance(analyzer, str) else analyzer
    read = {path: _read(path) for path in _paths(treebanks)}
    rows = [_measure(Path(path).name, sentences, tool) for path, sentences in read.items()]
    data = _data(sentence for some in read.values() for sentence in some)
    return table_of(
        rows,
        AnalyzerAccuracy,
        signature=make_signature(
            "analyzer evaluate",
            language=find_language(language).code,
            analyzer=tool.name,
            pipeline=tool.version,
            data=data,
        ),
    )


def _measure(name: str, sentences: Sequence[Analysis], tool: Analyzer) -> AnalyzerAccuracy:
    right = [0, 0, 0, 0]
    for chunk in chunks(sentences, len, words=_CHUNK_WORDS):
        with tool.analyze([sentence.tokens for sentence in chunk]) as batch:
            for gold, found in zip(chunk, batch.analyses, strict=True):
                features = map(_sort, gold.features or ())
                found_features = map(_sort, found.features or [""] * len(found))
                pos, morphology = _compare(gold.pos, found.pos), _compare(features, found_features)
                both = list(map(and_, pos, morphology))
                parts = (pos, morphology, both, _compare(gold.lemma, found.lemma))
                right = [count + sum(part) for count, part in zip(right, parts, strict=True)]
    tokens = _count(sentences)
    return AnalyzerAccuracy(name, tokens, *(count / tokens for count in right))


def _compare(gold: Iterable[str], found: Iterable[str]) -> list[bool]:
    return [one == other for one, other in zip(gold, found, strict=True)]


def _sort(features: str) -> str:
    return "|".join(sorted(features.split("|")))


def _paths(treebanks: PathLike | Sequence[PathLike]) -> list[PathLike]:
    return [treebanks] if isinstance(treebanks, str | Path) else list(treebanks)


def _read(path: PathLike) -> list[Analysis]:
    found = [sentence for tree in read_trees(path) if len(sentence := tree.surface())]
    if not found:
        raise DataError(f"{path} contains no sentence; expected CoNLL-U")
    return found


def _count(sentences: Iterable[Analysis]) -> int:
    return sum(map(len, sentences))


def _data(sentences: Iterable[Analysis]) -> str:
    return fingerprint(repr((one.tokens, one.pos, one.features, one.lemma)) for one in sentences)
