"""From text to training events: places with a preposition, and places without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redink.analysis.analyser import Analyser, Analysis
from redink.detectors.features import ATOMS, describe_place
from redink.detectors.prepositions import (
    NOTHING,
    is_gap,
    is_strict_preposition,
    preposition_at,
)

BLOCK_LINES = 200
"""Lines of a file that are held out, or not, together: a stand-in for documents."""

_BATCH = 2000
GAP_SHARE = 0.25
"""How many of the places without a preposition become events."""


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
    return Events(
        np.concatenate([p.atoms for p in parts]),
        np.concatenate([p.labels for p in parts]),
        np.concatenate([p.strict for p in parts]),
        np.concatenate([p.blocks + begin for p, begin in zip(parts, after, strict=False)]),
    )


def batches(
    sentences: Iterable[tuple[int, tuple[str, ...]]], size: int = _BATCH
) -> Iterator[list[tuple[int, tuple[str, ...]]]]:
    """Sentences in lists."""
    some: list[tuple[int, tuple[str, ...]]] = []
    for sentence in sentences:
        some.append(sentence)
        if len(some) >= size:
            yield some
            some = []
    if some:
        yield some


def collect_events(
    sentences: Iterable[tuple[int, tuple[str, ...]]],
    analyser: Analyser,
    *,
    rng: np.random.Generator,
    gap_share: float = GAP_SHARE,
    on_progress: Callable[[int], None] | None = None,
) -> Events:
    """Every preposition of a text, and some of the places where one might have stood.

    Args:
        sentences: line number and tokens.
        analyser: gives tags and lemmas; the parser is not run.
        rng: decides which places without a preposition are taken.
        gap_share: what share of them.
        on_progress: is told how many sentences are done.
    """
    parts: list[Events] = []
    done = 0
    for some in batches(sentences):
        rows: list[tuple[int, ...]] = []
        labels: list[int] = []
        strict: list[bool] = []
        blocks: list[int] = []
        with analyser.analyse([tokens for _, tokens in some]) as batch:
            for (line, _), analysis in zip(some, batch.analyses, strict=True):
                draws = rng.random(len(analysis)) < gap_share
                for label, is_strict, row in _places(analysis, draws.tolist()):
                    rows.append(row)
                    labels.append(label)
                    strict.append(is_strict)
                    blocks.append(line // BLOCK_LINES)
        parts.append(
            Events(
                np.array(rows, np.uint32).reshape(-1, len(ATOMS)),
                np.array(labels, np.uint8),
                np.array(strict, bool),
                np.array(blocks, np.int32),
            )
        )
        done += len(some)
        if on_progress is not None:
            on_progress(done)
    return Events(
        np.concatenate([p.atoms for p in parts] or [np.empty((0, len(ATOMS)), np.uint32)]),
        np.concatenate([p.labels for p in parts] or [np.empty(0, np.uint8)]),
        np.concatenate([p.strict for p in parts] or [np.empty(0, bool)]),
        np.concatenate([p.blocks for p in parts] or [np.empty(0, np.int32)]),
    )


def _places(
    analysis: Analysis, draws: Sequence[bool]
) -> Iterator[tuple[int, bool, tuple[int, ...]]]:
    lower, tag, lemma = analysis.lower, analysis.tag, analysis.lemma
    for at in range(len(lower)):
        number = preposition_at(lower, at)
        if number is not None:
            is_strict = is_strict_preposition(tag, at)
            yield number, is_strict, describe_place(lower, tag, lemma, at, at + 1)
        elif draws[at] and is_gap(tag, at):
            yield NOTHING, False, describe_place(lower, tag, lemma, at, at)
