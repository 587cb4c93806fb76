"""From running text to training events: places with a preposition, and places without one.

A file holds either one tokenised sentence a line, or raw paragraphs, one a line. Which of them
is told by how its lines end: tokenised text leaves a space before the full stop. Sentences are
read one at a time, whatever the size of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from redink.analysis.analyzer import Analysis, Analyzer
from redink.detectors.features import (
    ATOMS,
    NOTHING,
    describe_place,
    is_gap,
    is_strict_preposition,
    preposition_at,
)
from redink.files import read_lines
from redink.progress import tell

Item = TypeVar("Item")
Tokens = tuple[str, ...]

BLOCK_LINES = 200
"""Lines of a file that are held out, or not, together: a stand-in for documents."""

GAP_SHARE = 0.25
"""How many of the places without a preposition become events."""
_LOOK_AT = 200
_ENDS_RAW = re.compile(r"\w[.!?][\"'\u201d\u2019)]*\s*$")
_ENDS_TOKENISED = re.compile(r"\s[.!?](?:\s[\"'\u201d\u2019)]+)*\s*$")
# A sentence ends at a full stop (and closing quotes) before a space and a capital or a quote.
_BOUNDARY = re.compile(r"(?<=[.!?])([\"'\u201d\u2019)]*)\s+(?=[\"'\u201c\u2018(]*[A-Z])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:Mr|Mrs|Ms|Dr|St|Prof|Rev|Hon|Capt|Col|Gen|Lt|Sgt|Messrs|Mme|Mlle|Jr|Sr|vs|"
    r"No|Vol|Fig|etc|e\.g|i\.e|[A-Z])\.$"
)


def looks_raw(lines: Iterable[str]) -> bool:
    """Whether lines are raw paragraphs rather than tokenised sentences."""
    lines = list(lines)
    raw = sum(_ENDS_RAW.search(line) is not None for line in lines)
    return raw > sum(_ENDS_TOKENISED.search(line) is not None for line in lines)


def split_sentences(paragraph: str) -> list[str]:
    """The sentences of a raw paragraph, by full stops and capitals."""
    sentences: list[str] = []
    begin = 0
    for boundary in _BOUNDARY.finditer(paragraph):
        candidate = paragraph[begin : boundary.end(1)]
        if not _ABBREVIATION.search(candidate):
            sentences.append(candidate.strip())
            begin = boundary.end()
    rest = paragraph[begin:].strip()
    return [*sentences, rest] if rest else sentences


def read_sentences(path: str | Path, *, raw: bool | None = None) -> Iterator[tuple[int, Tokens]]:
    """Line number and tokens of every sentence of a file (gzip is seen through).

    Args:
        path: the file.
        raw: raw paragraphs (True), tokenised sentences (False), or told by its first lines.
    """
    lines = read_lines(path)
    if raw is None:
        head = list(islice(lines, _LOOK_AT))
        raw = looks_raw(line for _, line in head)
        lines = chain(head, lines)
    if not raw:
        for number, line in lines:
            tokens = tuple(line.split())
            if tokens:
                yield number, tokens
        return
    from redink.analysis.english.tokenizer import english_tokens

    for number, line in lines:
        for sentence in split_sentences(line):
            yield number, tuple(sentence[start:end] for start, end in english_tokens(sentence))


@dataclass(frozen=True)
class Events:
    """Places in a text, one a row of every array.

    Attributes:
        atoms: what :func:`redink.detectors.features.describe_place` says.
        labels: the number of the preposition that stands there, or ``NOTHING``.
        strict: whether a tagger takes the word for a preposition.
        blocks: the block of lines that the place is in.
    """

    atoms: NDArray[np.uint32]
    labels: NDArray[np.uint8]
    strict: NDArray[np.bool_]
    blocks: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.labels)

    def select(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Events:
        """Some of the events."""
        return Events(
            self.atoms[chosen], self.labels[chosen], self.strict[chosen], self.blocks[chosen]
        )

    @property
    def prepositions(self) -> Events:
        """The events where a preposition stands."""
        return self.select(self.labels != NOTHING)

    def split(self, *, every: int = 10) -> tuple[Events, Events]:
        """For training, and held out: the last of every ten blocks."""
        held = self.blocks % every == every - 1
        return self.select(~held), self.select(held)


def join_events(parts: Sequence[Events]) -> Events:
    """Events of several texts; their blocks are kept apart."""
    after = np.cumsum([0, *(int(p.blocks.max(initial=-1)) + 1 for p in parts)])
    # A text begins at a multiple of ten, so that each holds out its own tenth.
    after = -(-after // 10) * 10
    return _concatenate(
        [replace(p, blocks=p.blocks + begin) for p, begin in zip(parts, after, strict=False)]
    )


def _concatenate(parts: Sequence[Events]) -> Events:
    return Events(
        np.concatenate([p.atoms for p in parts]),
        np.concatenate([p.labels for p in parts]),
        np.concatenate([p.strict for p in parts]),
        np.concatenate([p.blocks for p in parts]),
    )


def _batches(items: Iterable[Item], size: int = 2000) -> Iterator[list[Item]]:
    """Items in lists."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def collect_events(
    sentences: Iterable[tuple[int, Tokens]],
    analyser: Analyzer,
    *,
    rng: np.random.Generator,
    gap_share: float = GAP_SHARE,
) -> Events:
    """Every preposition of a text, and some of the places where one might have stood.

    Args:
        sentences: line number and tokens.
        analyser: gives tags and lemmas; the parser is not run.
        rng: decides which places without a preposition are taken.
        gap_share: what share of them.
    """
    parts = [_gather([])]
    done = 0
    for some in _batches(sentences):
        found = []
        with analyser.analyze([tokens for _, tokens in some]) as batch:
            for (line, _), analysis in zip(some, batch.analyses, strict=True):
                draws = (rng.random(len(analysis)) < gap_share).tolist()
                block = line // BLOCK_LINES
                found += [(*place, block) for place in _places(analysis, draws)]
        parts.append(_gather(found))
        done += len(some)
        tell("reading sentences", done)
    return _concatenate(parts)


def _gather(found: Sequence[tuple[tuple[int, ...], int, bool, int]]) -> Events:
    rows, labels, strict, blocks = zip(*found, strict=True) if found else ((),) * 4
    return Events(
        np.array(rows, np.uint32).reshape(-1, len(ATOMS)),
        np.array(labels, np.uint8),
        np.array(strict, bool),
        np.array(blocks, np.int32),
    )


def _places(
    analysis: Analysis, draws: Sequence[bool]
) -> Iterator[tuple[tuple[int, ...], int, bool]]:
    lower, tag, lemma = analysis.lower, analysis.tag, analysis.lemma
    for at in range(len(lower)):
        number = preposition_at(lower, at)
        if number is not None:
            is_strict = is_strict_preposition(tag, at)
            yield describe_place(lower, tag, lemma, at, at + 1), number, is_strict
        elif draws[at] and is_gap(tag, at):
            yield describe_place(lower, tag, lemma, at, at), NOTHING, False


def find_prepositions(
    sentences: Sequence[Tokens], analyser: Analyzer
) -> tuple[list[tuple[int, int, int]], NDArray[np.uint32]]:
    """Sentence, token and number of every preposition, and the atoms of its place."""
    found: list[tuple[int, int, int]] = []
    atoms = [np.empty((0, len(ATOMS)), np.uint32)]
    for some in _batches(enumerate(sentences)):
        rows: list[tuple[int, ...]] = []
        with analyser.analyze([tokens for _, tokens in some]) as batch:
            for (number, _), a in zip(some, batch.analyses, strict=True):
                for at in range(len(a)):
                    written = preposition_at(a.lower, at)
                    if written is not None:
                        found.append((number, at, written))
                        rows.append(describe_place(a.lower, a.tag, a.lemma, at, at + 1))
        atoms.append(np.array(rows, np.uint32).reshape(-1, len(ATOMS)))
        tell("examining sentences", some[-1][0] + 1, len(sentences))
    return found, np.concatenate(atoms)
