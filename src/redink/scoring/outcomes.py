"""Outcomes of edits: false positives that are wrong corrections or unnecessary, and missed errors.

A false positive is *wrong* if it overlaps an edit of the annotator, and *unnecessary* otherwise. A
false negative is *miscorrected* if a wrong edit overlaps it, and *missed* otherwise. CLEME and
CLEME 2.0 decide by chunk, with their own weights.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from redink.errors import OptionError
from redink.model import Definition, Edit, Row, Shown, Table, table_of
from redink.scoring.cleme import FN, NECESSARY, TP, ChunkMetric
from redink.scoring.engine import NO_MAIN_TYPE, ScoredSystem
from redink.scoring.errant import Errant
from redink.scoring.metric import Grouping
from redink.scoring.metric_checks import groups_of

_ABOUT = (
    Definition("tp + wrong + unnecessary: all edits of the system"),
    Definition("tp + miscorrected + missed: all gold edits"),
    Definition("wrong: overlaps a gold edit without matching it; miscorrected: that gold edit"),
    Definition("hit, miscorrection, under: tp, miscorrected and missed per gold edit"),
    Definition("over: unnecessary per edit of the system"),
)
_SEVERAL = "a chunk with edits of several error types counts for each of them"
_KINDS = ("tp", "wrong", "unnecessary", "miscorrected", "missed")


@dataclass(frozen=True)
class _OutcomeRow:
    system: str
    metric: str
    type: str | None
    tp: float
    wrong: float
    unnecessary: float
    miscorrected: float
    missed: float
    hit: Annotated[float | None, Shown(best="max")]
    miscorrection: Annotated[float | None, Shown(best="min")]
    under: Annotated[float | None, Shown(best="min")]
    over: Annotated[float | None, Shown(best="min")]


Outcome = tuple[str, tuple[str, ...], float]
"""One of ``_KINDS``, error types, and a weight."""


def outcome_table(
    scored: Sequence[ScoredSystem],
    by: Grouping | None,
    *,
    notes: Sequence[str],
    signature: Mapping[str, Any],
) -> Table:
    """Count the outcomes of every system, of all edits and by error type."""
    notes = [*notes, *_ABOUT]
    rows = []
    for each in scored:
        if isinstance(each.metric, ChunkMetric):
            found = _of_chunks(each, each.metric, by)
        elif isinstance(each.metric, Errant) and each.metric.weights is None:
            found = _of_edits(each, by)
        else:
            notes.append(f"{each.label} is left out: it has no outcomes (errant, cleme2)")
            continue
        counts: dict[str | None, dict[str, float]] = defaultdict(lambda: dict.fromkeys(_KINDS, 0))
        for kind, types, weight in found:
            for label in (None, *(dict.fromkeys(types) if by else ())):
                counts[label][kind] += weight
        labels = sorted(counts.keys() - {None}, key=str)
        rows += [_row(each, label, counts[label]) for label in (None, *labels)]
    if not rows:
        raise OptionError("--outcomes needs errant, cherrant, cleme or cleme2")
    if by and any(isinstance(each.metric, ChunkMetric) for each in scored):
        notes.append(_SEVERAL)
    return table_of(
        rows,
        _OutcomeRow,
        notes=tuple(dict.fromkeys(notes)),
        signature=dict(signature),
        groups="system" if by else "metric",
        title="Outcomes of edits",
    )


def _row(each: ScoredSystem, label: str | None, counts: dict[str, float]) -> _OutcomeRow:
    gold = counts["tp"] + counts["miscorrected"] + counts["missed"]
    made = counts["tp"] + counts["wrong"] + counts["unnecessary"]
    return _OutcomeRow(
        each.system.name,
        each.label,
        NO_MAIN_TYPE if label == "" else label,
        **counts,
        hit=counts["tp"] / gold if gold else None,
        miscorrection=counts["miscorrected"] / gold if gold else None,
        under=counts["missed"] / gold if gold else None,
        over=counts["unnecessary"] / made if made else None,
    )


def _of_chunks(each: ScoredSystem, metric: ChunkMetric, by: Grouping | None) -> Iterator[Outcome]:
    compared = metric.compare(each.references, each.system)
    weigh, _ = metric.weigher(compared)
    for one, index in zip(compared, metric.choices(each.statistics).tolist(), strict=True):
        for outcome in one.outcomes[index]:
            verdict, ours, theirs = outcome
            weight = weigh(outcome, one, index)
            own, gold = (_types(chunk.edits, by) for chunk in (ours, theirs))
            if verdict == FN:
                yield "missed", gold, weight
            elif verdict == TP:
                yield "tp", own, weight
            elif verdict == NECESSARY:
                yield "wrong", own, weight
                yield "miscorrected", gold or own, weight
            else:
                yield "unnecessary", own, weight


def _types(edits: Iterable[Edit], by: Grouping | None) -> tuple[str, ...]:
    return tuple(group for e in edits for group in groups_of(e.type, e.operation, by or "full"))


def _of_edits(each: ScoredSystem, by: Grouping | None) -> Iterator[Outcome]:
    for rows in each.metric.verdicts(each.references, each.system, each.statistics) or ():
        false, missed = ([r for r in rows if r["verdict"] == verdict] for verdict in ("FP", "FN"))
        for row in rows:
            kind = "tp"
            if row["verdict"] == "FP":
                kind = "wrong" if any(_overlap(row, gold) for gold in missed) else "unnecessary"
            elif row["verdict"] == "FN":
                kind = "miscorrected" if any(_overlap(row, ours) for ours in false) else "missed"
            edit = Edit(max(row["start"], 0), max(row["end"], 0), row["correction"], row["type"])
            yield kind, _types([edit], by), 1


def _overlap(one: Row, other: Row) -> bool:
    """Return whether two edits share a token, or an insertion is at the same position or inside."""
    spans = [(row["start"], row["end"]) for row in (one, other)]
    (start, end), (first, last) = spans
    return (
        spans[0] == spans[1]
        or max(start, first) < min(end, last)
        or ((start == end and first < start < last) or (first == last and start < first < end))
    )
