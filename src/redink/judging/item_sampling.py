"""Sampling of sentences and outputs for judges (Grundkiewicz et al. 2015, section 4.1).

Identical outputs are shown once. Sentences are drawn in inverse proportion to the pairs of systems
that they yield.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Annotated

import numpy as np

from redink.errors import DataError, OptionError
from redink.inputs.input_options import SystemsLike
from redink.inputs.text_loading import load_systems
from redink.model import Definition, Shown, Table, fingerprint, make_signature, table_of

MOST_SHOWN = 5
"""The number of distinct outputs in one ranking of the paper (its M)."""


@dataclass(frozen=True)
class DistinctOutput:
    """One output of a sentence and all systems that produced it."""

    text: str
    systems: tuple[str, ...]


@dataclass(frozen=True)
class SentenceOutputs:
    """The distinct outputs of one sentence (numbered from 0), the most frequent first.

    ``expected_systems`` is the mean number of systems that produced the shown outputs (C in the
    paper), and ``probability`` is the probability of drawing the sentence.
    """

    sentence: int
    outputs: tuple[DistinctOutput, ...]
    expected_systems: float
    probability: float

    @property
    def multiplicities(self) -> tuple[int, ...]:
        """The number of systems that produced each distinct output (U)."""
        return tuple(len(output.systems) for output in self.outputs)


def expected_systems(multiplicities: Sequence[int], *, most_shown: int = MOST_SHOWN) -> float:
    """Return the mean number of systems covered by at most ``most_shown`` distinct outputs.

    All choices of at most this number of outputs have the same weight, but only choices that cover
    at least ``most_shown`` systems (or all systems, if there are fewer) are included.
    """
    total = sum(multiplicities)
    least = min(most_shown, total)
    # ways[k][j]: the number of choices of k outputs that cover j systems
    ways = [[0] * (total + 1) for _ in range(most_shown + 1)]
    ways[0][0] = 1
    for multiplicity in multiplicities:
        for k in range(most_shown, 0, -1):
            for j in range(total, multiplicity - 1, -1):
                ways[k][j] += ways[k - 1][j - multiplicity]
    by_cover = [sum(column) for column in zip(*ways, strict=True)]
    covering = sum(by_cover[least:])
    covered = sum(j * by_cover[j] for j in range(least, total + 1))
    return float(covered / covering)


def sampling_weight(multiplicities: Sequence[int], *, most_shown: int = MOST_SHOWN) -> float:
    """Return pairs among ``most_shown`` systems divided by pairs among the covered systems."""
    covered = expected_systems(multiplicities, most_shown=most_shown)
    return comb(min(most_shown, sum(multiplicities)), 2) / (covered * (covered - 1) / 2)


def plan_sentences(
    systems: Mapping[str, Sequence[str]], *, most_shown: int = MOST_SHOWN
) -> tuple[SentenceOutputs, ...]:
    """Return each sentence with its distinct outputs and its probability of being drawn.

    ``systems`` maps systems to their outputs; add the source under a name such as INPUT to have it
    judged as a system.
    """
    if most_shown < 2:
        raise OptionError("a ranking shows at least two outputs")
    if len(systems) < 2:
        raise DataError("a ranking needs the outputs of at least two systems")
    sizes = {name: len(lines) for name, lines in systems.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise DataError(f"the systems have different numbers of sentences: {listed}")
    if not next(iter(sizes.values())):
        raise DataError("there are no sentences to draw from")
    grouped = [_group(systems, texts) for texts in zip(*systems.values(), strict=True)]
    shapes = [tuple(len(output.systems) for output in outputs) for outputs in grouped]
    # Few shapes occur, many times: each is computed once.
    covered = {s: expected_systems(s, most_shown=most_shown) for s in set(shapes)}
    weights = {s: sampling_weight(s, most_shown=most_shown) for s in covered}
    probabilities = np.array([weights[s] for s in shapes])
    probabilities /= probabilities.sum()
    return tuple(
        SentenceOutputs(number, outputs, covered[shape], float(probability))
        for number, (outputs, shape, probability) in enumerate(
            zip(grouped, shapes, probabilities, strict=True)
        )
    )


def _group(names: Iterable[str], texts: Iterable[str]) -> tuple[DistinctOutput, ...]:
    behind: dict[str, list[str]] = {}
    for name, text in zip(names, texts, strict=True):
        behind.setdefault(" ".join(text.split()), []).append(name)
    ordered = sorted(behind.items(), key=lambda item: -len(item[1]))
    return tuple(DistinctOutput(text, tuple(members)) for text, members in ordered)


def draw_items(
    planned: Sequence[SentenceOutputs],
    number: int,
    rng: np.random.Generator,
    *,
    most_shown: int = MOST_SHOWN,
    replace: bool = True,
) -> tuple[SentenceOutputs, ...]:
    """Draw sentences by their probabilities, each with the outputs to show, in random order.

    With replacement, as in the paper, a sentence can be drawn again with other outputs; agreement
    is computed from repeated judgments of a pair.
    """
    if not replace and number > len(planned):
        raise DataError(f"cannot draw {number} sentences from {len(planned)} without repetition")
    # Normalized again, because the caller may have removed sentences.
    weights = np.array([sentence.probability for sentence in planned])
    drawn = rng.choice(len(planned), size=number, replace=replace, p=weights / weights.sum())
    items = []
    for sentence in (planned[position] for position in drawn):
        shown = rng.permutation(len(sentence.outputs))[:most_shown]
        outputs = tuple(sentence.outputs[at] for at in shown)
        items.append(dataclasses.replace(sentence, outputs=outputs))
    return tuple(items)


@dataclass(frozen=True)
class _PlannedSentence:
    sentence: int
    distinct: int
    multiplicities: str
    expected_systems: Annotated[float, Shown("score", title="expected systems")]
    probability: Annotated[float, Shown("score")]


def plan_items(systems: SystemsLike, *, most_shown: int = MOST_SHOWN) -> Table:
    """Return the probability of drawing each sentence for ranking by judges.

    Args:
        systems: outputs to be ranked, as text: paths, or values. Add the source as a system to rank
            the unchanged input too.
        most_shown: number of distinct outputs in one ranking.

    Returns:
        A table with the columns ``sentence`` (from 1), ``distinct`` (outputs),
        ``multiplicities`` (systems per output), ``expected_systems`` and ``probability``.
    """
    texts = {}
    for system in load_systems(systems):
        if system.hypotheses is None:
            raise DataError(f"system {system.name!r} must be text, so that judges can read it")
        texts[system.name] = [str(sentence) for sentence in system.hypotheses]
    planned = plan_sentences(texts, most_shown=most_shown)
    rows = [
        _PlannedSentence(
            one.sentence + 1,
            len(one.outputs),
            " ".join(map(str, one.multiplicities)),
            one.expected_systems,
            one.probability,
        )
        for one in planned
    ]
    mean = sum(row.distinct for row in rows) / len(rows)
    notes = [
        f"{len(texts)} systems produce {mean:.1f} distinct outputs per sentence on average.",
        Definition(f"At most {most_shown} of them are shown in one ranking."),
        Definition("expected systems: mean number of systems that produced the shown outputs."),
    ]
    data = fingerprint(line for name, lines in texts.items() for line in (name, *lines))
    signature = make_signature("plan_items", most_shown=most_shown, data=data)
    return table_of(rows, notes=notes, signature=signature, title="Sentences to judge")
