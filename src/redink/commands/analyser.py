"""An analyser of your own: trained on a treebank, and measured on another."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from redink.analysis.analyzer import Analysis, Analyzer, chunks
from redink.analysis.annotation_options import AnalyzerLike, LanguageCode
from redink.analysis.language import UNIVERSAL, find_language, load_analyzer
from redink.analysis.spacy_analyzer import import_spacy
from redink.analysis.universal_dependencies import read_trees
from redink.errors import DataError, OptionError, RedinkError
from redink.files import check_target
from redink.inputs.input_options import PathLike
from redink.model import Shown, Table, fingerprint, make_signature, table_of
from redink.options import Flag, Positive, Seed, command

Treebanks = Annotated[PathLike | Sequence[PathLike], Flag(many=True, value="TREEBANK")]
_CHUNK_WORDS = 20_000


@dataclass(frozen=True)
class LearntFrom:
    """What a pipeline was trained on."""

    treebank: str
    sentences: int
    tokens: int


@command
def train_analyser(
    treebanks: Treebanks,
    output: Annotated[PathLike, Flag(name="pipeline", short="o", value="DIR", writes=True)],
    *,
    language: LanguageCode = UNIVERSAL,
    passes: Positive = 14,
    seed: Seed = 1,
) -> Table:
    """Train a small pipeline on TREEBANK, files in the CoNLL-U format.

    It gives parts of speech, morphological features and lemmas, and is used as --analyser
    spacy:DIR. Mistakes are put into most of the sentences while it learns, since it will read
    texts with errors. Forty thousand words take about two minutes.

    Args:
        treebanks: CoNLL-U files, gzipped or not.
        output: the folder to write; a pipeline that is there is replaced.
        language: the language of the treebanks.
        passes: how often training goes through the sentences.
        seed: the start of the random numbers: same seed, same output.

    Returns:
        A row for every treebank.
    """
    import_spacy()
    from redink.analysis.spacy_training import train_pipeline

    code = find_language(language).code
    target = Path(output)
    if target.exists() and not (target / "meta.json").is_file():
        raise OptionError(f"{target} is there already, and is not a pipeline")
    check_target(target, folder=True)
    read = {path: _read(path) for path in _paths(treebanks)}
    sentences = [sentence for some in read.values() for sentence in some]
    try:
        with TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as folder:
            made = Path(folder) / "pipeline"
            train_pipeline(
                sentences,
                made,
                passes=passes,
                seed=seed,
                meta={
                    "name": code,
                    "version": "1.0.0",
                    "description": "Parts of speech, features and lemmas, trained by redink",
                    "sources": [Path(path).name for path in read],
                },
            )
            if target.exists():
                shutil.rmtree(target)
            made.rename(target)
    except OSError as error:
        raise RedinkError(f"{target} cannot be written ({error.strerror})") from error
    rows = [LearntFrom(Path(path).name, len(some), _count(some)) for path, some in read.items()]
    return table_of(
        rows,
        LearntFrom,
        notes=[f"use it with --language {code} --analyser spacy:{target}"],
        signature=make_signature(
            "analyser train", language=code, passes=passes, seed=seed, data=_data(sentences)
        ),
    )


@dataclass(frozen=True)
class AnalyzerAccuracy:
    """How much of a treebank an analyser gets right."""

    treebank: str
    tokens: int
    pos: Annotated[float, Shown("rate")]
    features: Annotated[float, Shown("rate")]
    pos_and_features: Annotated[float, Shown("rate")]
    lemma: Annotated[float, Shown("rate")]


@command
def evaluate_analyser(
    treebanks: Treebanks, *, analyser: AnalyzerLike, language: LanguageCode = UNIVERSAL
) -> Table:
    """Measure an analyser on TREEBANK, files in the CoNLL-U format.

    Its tokens are given, so that only the analysis is measured.

    Args:
        treebanks: CoNLL-U files, gzipped or not.
        analyser: what is measured: ``spacy:DIR`` for one that was trained here, ``spacy:NAME``,
            ``stanza:LANGUAGE``, ``udpipe:FILE``.
        language: the language of the treebanks.

    Returns:
        A row for every treebank: the shares of its tokens whose part of speech, features, both,
        and lemma are right.
    """
    tool = load_analyzer(analyser, language=language) if isinstance(analyser, str) else analyser
    read = {path: _read(path) for path in _paths(treebanks)}
    rows = [_measure(Path(path).name, sentences, tool) for path, sentences in read.items()]
    data = _data(sentence for some in read.values() for sentence in some)
    return table_of(
        rows,
        AnalyzerAccuracy,
        signature=make_signature(
            "analyser evaluate",
            language=find_language(language).code,
            analyser=tool.name,
            pipeline=tool.version,
            data=data,
        ),
    )


def _measure(name: str, sentences: Sequence[Analysis], tool: Analyzer) -> AnalyzerAccuracy:
    pos = features = both = lemma = 0
    for chunk in chunks(sentences, len, words=_CHUNK_WORDS):
        with tool.analyze([sentence.tokens for sentence in chunk]) as batch:
            for right, found in zip(chunk, batch.analyses, strict=True):
                same_pos = _compare(right.pos, found.pos)
                same_features = _compare(
                    map(_sort, right.features or ()),
                    map(_sort, found.features or [""] * len(found)),
                )
                pos += sum(same_pos)
                features += sum(same_features)
                both += sum(map(min, same_pos, same_features))
                lemma += sum(_compare(right.lemma, found.lemma))
    tokens = _count(sentences)
    return AnalyzerAccuracy(
        name, tokens, pos / tokens, features / tokens, both / tokens, lemma / tokens
    )


def _compare(ours: Iterable[str], theirs: Iterable[str]) -> list[bool]:
    return [one == other for one, other in zip(ours, theirs, strict=True)]


def _sort(features: str) -> str:
    return "|".join(sorted(features.split("|")))


def _paths(treebanks: PathLike | Sequence[PathLike]) -> list[PathLike]:
    return [treebanks] if isinstance(treebanks, str | Path) else list(treebanks)


def _read(path: PathLike) -> list[Analysis]:
    found = [sentence for tree in read_trees(path) if len(sentence := tree.surface())]
    if not found:
        raise DataError(f"{path} holds no sentence; CoNLL-U was expected")
    return found


def _count(sentences: Iterable[Analysis]) -> int:
    return sum(map(len, sentences))


def _data(sentences: Iterable[Analysis]) -> str:
    return fingerprint(repr((one.tokens, one.pos, one.features, one.lemma)) for one in sentences)
