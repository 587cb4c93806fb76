"""Which sentences a ranking campaign should show, and how likely each is to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from redink.errors import DataError
from redink.inputs.loading import SystemsLike, load_systems
from redink.judging.item_sampling import MOST_SHOWN, plan_sentences
from redink.model import Shown, Table, fingerprint, make_signature, table_of


@dataclass(frozen=True)
class _Sentence:
    """A sentence, and how likely it is to be drawn."""

    sentence: int
    distinct: int
    multiplicities: str
    expected_systems: Annotated[float, Shown("score", title="expected systems")]
    probability: Annotated[float, Shown("score")]


def plan_items(
    systems: SystemsLike,
    *,
    most_shown: int = MOST_SHOWN,
) -> Table:
    """The probability of every sentence of being drawn for ranking by judges.

    Args:
        systems: the outputs to be ranked, as text: paths, or values; give the source as a
            system, too, to have the unchanged input ranked.
        most_shown: how many distinct outputs one ranking shows.

    Returns:
        A table with the columns ``sentence`` (from 1), ``distinct`` (outputs),
        ``multiplicities`` (systems behind each), ``expected_systems`` and ``probability``.
    """
    texts = {}
    for system in load_systems(systems):
        if system.hypotheses is None:
            raise DataError(f"system {system.name!r} must be text to be shown to judges")
        texts[system.name] = [str(sentence) for sentence in system.hypotheses]
    planned = plan_sentences(texts, most_shown=most_shown)
    rows = [
        _Sentence(
            sentence.sentence + 1,
            len(sentence.outputs),
            " ".join(map(str, sentence.multiplicities)),
            sentence.expected_systems,
            sentence.probability,
        )
        for sentence in planned
    ]
    mean = sum(len(sentence.outputs) for sentence in planned) / len(planned)
    notes = [
        f"{len(texts)} systems produce {mean:.1f} distinct outputs a sentence on average.",
        f"At most {most_shown} of them are shown in one ranking.",
        "expected systems: how many systems the outputs shown stand for, on average.",
    ]
    data = fingerprint(line for name, lines in texts.items() for line in (name, *lines))
    signature = make_signature("plan_items", most_shown=most_shown, data=data)
    return table_of(rows, notes=notes, signature=signature, title="Sentences to judge")
