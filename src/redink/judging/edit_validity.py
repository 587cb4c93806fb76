"""Judgments of the edits of systems: human precision, unnecessary edits and missed errors.

This is the edit-based human evaluation of SEEDA (Kobayashi, Mita and Komachi 2024), as collected by
the campaign task ``edit-validity``: a judgment for every edit of a correction, and one about errors
that remain in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any

import numpy as np

from redink.errors import DataError
from redink.judging.labels import QUESTION, require_fine
from redink.model import Corpus, Judgment, RankedOutput, Ranking, Shown
from redink.scoring.metric import Grouping
from redink.scoring.metric_checks import groups_of
from redink.statistics.arrays import divide_or_nan
from redink.statistics.resampling import (
    FloatArray,
    ResamplingOptions,
    draw_bootstrap_blocks,
    interval_of,
)

EDIT, REMAINS = "edit", "remains"
UNNECESSARY = frozenset({"optional", "unnecessary"})
_COUNTS = ("right", "wrong", "unnecessary", "outputs", "with_errors", "missed")
_RATES = {"precision": ("right", "edits"), "over": ("unnecessary", "edits")}
_RATES |= {"recall": ("right", "errors"), "left": ("with_errors", "outputs")}
ALL = "all"


@dataclass(frozen=True)
class ValidityRow:
    """The judgments of the edits of one system, of all types or of one type."""

    system: str
    type: str | None
    edits: int
    right: int
    wrong: int
    unnecessary: int
    precision: Annotated[float | None, Shown(best="max")]
    precision_low: float | None
    precision_high: float | None
    over: Annotated[float | None, Shown(best="min")]
    over_low: float | None
    over_high: float | None
    outputs: int | None
    with_errors: int | None
    left: Annotated[float | None, Shown(best="min")]
    left_low: float | None
    left_high: float | None
    missed: float | None
    recall: Annotated[float | None, Shown(best="max")]
    recall_low: float | None
    recall_high: float | None


def _question(judgment: Judgment) -> str:
    return dict(judgment.extra).get(QUESTION, "")


def systems_of(judgment: Judgment) -> list[str]:
    """Return the systems whose output was judged."""
    about = dict(judgment.extra)
    return (about.get("systems") or about.get("system") or ALL).split("+")


def first_labels(judgments: Iterable[Judgment]) -> list[Judgment]:
    """Return the first judgment of each judge about each item."""
    found: dict[tuple[str, str], Judgment] = {}
    for judgment in judgments:
        found.setdefault((judgment.item, judgment.judge), judgment)
    return list(found.values())


def unit_of(judgment: Judgment, column: str | None = None) -> str:
    """Return the sentence of a judgment, or its value in a column."""
    about = dict(judgment.extra)
    if column is not None and column not in about:
        raise DataError(f"the judgment of item {judgment.item!r} has no column {column!r}")
    return about[column] if column else about.get("sentence") or judgment.item.partition(".")[0]


def missed_errors(judgment: Judgment) -> int:
    """Return the number of errors that remain: adjacent marked words are one error."""
    if judgment.label != "yes":
        return 0
    about = dict(judgment.extra)
    if "missed" in about:
        return int(about["missed"])
    places = sorted(map(int, filter(None, about.get("where", "").split("+"))))
    return max(1, sum(place - 1 not in places for place in places))


class _Tally:
    """Counts by system and error type, and by the sentence of the judgments."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, str | None], dict[str, dict[str, float]]] = defaultdict(dict)

    def add(
        self, systems: Iterable[str], unit: str, kind: str, number: float, types: Sequence[str]
    ) -> None:
        for system, label in product(systems, (None, *types)):
            own = self.cells[system, label].setdefault(unit, dict.fromkeys(_COUNTS, 0.0))
            own[kind] += number

    def arrays(self) -> Iterator[tuple[str, str | None, FloatArray]]:
        """Yield the counts of every system and type, (sentences, counts)."""
        names = dict.fromkeys(name for by_unit in self.cells.values() for name in by_unit)
        units = {name: at for at, name in enumerate(names)}
        for (system, label), by_unit in self.cells.items():
            counts = np.zeros((len(units), len(_COUNTS)))
            for name, own in by_unit.items():
                counts[units[name]] = [own[kind] for kind in _COUNTS]
            yield system, label, counts


def tabulate_validity(
    edits: Sequence[Judgment],
    remains: Sequence[Judgment],
    right: Collection[str],
    *,
    by: Grouping | None,
    unit: str | None,
    marked: Mapping[str, Corpus],
    resampling: ResamplingOptions,
) -> list[ValidityRow]:
    """Count the judgments by system and error type; intervals resample sentences.

    ``marked`` has the errors that annotators marked in the outputs of a system; they replace the
    errors of ``remains``, and count as if there were as many annotators as judges of an edit.
    """
    tally = _Tally()
    for one in edits:
        label = one.label
        kind = "right" if label in right else "unnecessary" if label in UNNECESSARY else "wrong"
        types = groups_of(dict(one.extra).get("type", ""), "", by) if by else ()
        tally.add(systems_of(one), unit_of(one, unit), kind, 1, types)
    for one in remains:
        names, where = systems_of(one), unit_of(one, unit)
        tally.add(names, where, "outputs", 1, ())
        tally.add(names, where, "with_errors", one.label == "yes", ())
        missed = [name for name in names if name not in marked]
        tally.add(missed, where, "missed", missed_errors(one), ())
    for system, corpus in marked.items():
        items = [one.item for one in edits if system in systems_of(one)]
        judges = len(items) / max(1, len(set(items)))
        for number, sentence in enumerate(corpus.sentences):
            weight = judges / max(1, len(sentence.annotations))
            for edit in (e for a in sentence.annotations for e in a.edits):
                types = groups_of(edit.type, edit.operation, by) if by else ()
                tally.add([system], sentence.source.id or str(number), "missed", weight, types)
    rows = []
    for system, group, counts in tally.arrays():
        known = {"recall"} if system in marked or (group is None and remains) else set()
        known |= {"left"} if remains and group is None else set()
        rows.append(_row(system, group, counts, resampling, known | {"precision", "over"}))
    best = {row.system: -(row.precision or 0) for row in rows if row.type is None}
    return sorted(rows, key=lambda row: (best.get(row.system, 0), row.system, row.type or ""))


def _rates(sums: FloatArray) -> dict[str, FloatArray]:
    named = dict(zip(_COUNTS, np.moveaxis(sums, -1, 0), strict=True))
    named["edits"] = named["right"] + named["wrong"] + named["unnecessary"]
    named["errors"] = named["right"] + named["missed"]
    return {rate: divide_or_nan(named[a], named[b]) for rate, (a, b) in _RATES.items()}


def _row(
    system: str,
    label: str | None,
    counts: FloatArray,
    resampling: ResamplingOptions,
    known: Collection[str],
) -> ValidityRow:
    total = counts.sum(axis=0)
    of_samples: dict[str, FloatArray] = {}
    if resampling.bootstrap:
        blocks = draw_bootstrap_blocks(len(counts), resampling.bootstrap, resampling.rng())
        of_samples = _rates(np.concatenate([weights @ counts for weights in blocks]))
    shown: dict[str, Any] = {}
    for rate, value in _rates(total).items():
        shown |= dict.fromkeys((rate, f"{rate}_low", f"{rate}_high"))
        if rate in known and not np.isnan(value):
            shown[rate] = float(value)
            if of_samples:
                low, high = interval_of(of_samples[rate], confidence=resampling.confidence)
                shown |= {f"{rate}_low": low, f"{rate}_high": high}
    own: dict[str, Any] = dict(zip(_COUNTS, map(int, total), strict=True))
    own["missed"] = float(total[-1])
    hidden = () if "left" in known else ("outputs", "with_errors")
    own |= dict.fromkeys((*hidden, *(() if "recall" in known else ("missed",))))
    return ValidityRow(system=system, type=label, edits=int(total[:3].sum()), **own, **shown)


def rank_by_validity(judgments: Sequence[Judgment]) -> list[Ranking]:
    """Rank the outputs of a sentence by a judge: fewer problems are better.

    A problem is an edit that is wrong or unnecessary, or an error that remains.
    """
    labels = {judgment.label for judgment in judgments if _question(judgment) == EDIT}
    if not labels:
        raise DataError(
            "contains judgments of items; expected rankings, ratings, or judgments of edits "
            "(export of an edit-validity campaign)"
        )
    right = require_fine(labels - UNNECESSARY, None)
    problems: dict[tuple[str, str], dict[tuple[str, ...], int]] = defaultdict(dict)
    for judgment in first_labels(judgments):
        names = tuple(systems_of(judgment))
        if names == (ALL,):
            raise DataError(
                f"the judgment of item {judgment.item!r} names no system (column systems), so "
                "its edits cannot be ranked; for SEEDA's files use redink validity with systems"
            )
        is_edit = _question(judgment) == EDIT
        number = int(judgment.label not in right) if is_edit else missed_errors(judgment)
        own = problems[unit_of(judgment), judgment.judge]
        own[names] = own.get(names, 0) + number
    rankings = []
    for (sentence, judge), found in problems.items():
        levels = sorted(set(found.values()))
        outputs = [RankedOutput(levels.index(n) + 1, names) for names, n in found.items()]
        rankings.append(Ranking(sentence, judge, tuple(outputs)))
    return rankings
