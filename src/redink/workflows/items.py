"""Which sentences a ranking campaign should show, and how likely each is to be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from redink.errors import DataError
from redink.formats.inputs import PathLike, load_systems
from redink.judging.item_sampling import MOST_SHOWN, plan_sentences
from redink.model import Column, SystemOutput, Table, fingerprint, make_signature, make_table


def plan_items(
    systems: Mapping[str, PathLike | SystemOutput] | Iterable[PathLike | SystemOutput],
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
        {
            "sentence": sentence.sentence + 1,
            "distinct": len(sentence.outputs),
            "multiplicities": " ".join(str(size) for size in sentence.multiplicities),
            "expected_systems": sentence.expected_systems,
            "probability": sentence.probability,
        }
        for sentence in planned
    ]
    mean = sum(len(sentence.outputs) for sentence in planned) / len(planned)
    columns = (
        Column("sentence", "count"),
        Column("distinct", "count"),
        Column("multiplicities", "text"),
        Column("expected_systems", "score", title="expected systems"),
        Column("probability", "score"),
    )
    notes = [
        f"{len(texts)} systems produce {mean:.1f} distinct outputs a sentence on average.",
        f"At most {most_shown} of them are shown in one ranking.",
        "expected systems: how many systems the outputs shown stand for, on average.",
    ]
    data = fingerprint(line for name, lines in texts.items() for line in (name, *lines))
    signature = make_signature("plan_items", most_shown=most_shown, data=data)
    return make_table(columns, rows, notes=notes, signature=signature, title="Sentences to judge")
