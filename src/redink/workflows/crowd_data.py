"""A crowd's judgments made ready: who counts, what is gold, what crowd and systems say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from redink.errors import DataError, OptionError
from redink.formats.inputs import PathLike
from redink.judging.crowd import (
    BoolArray,
    Ties,
    crowd_agreement,
    error_shares,
    error_votes,
    majority,
)
from redink.judging.dawid_skene import fit_dawid_skene
from redink.judging.labels import LabelMatrix, tabulate
from redink.judging.quality import GoldRecord, check_workers, find_gold
from redink.model import Judgment
from redink.statistics.ratings import MISSING, make_ratings
from redink.statistics.resampling import FloatArray, IntArray
from redink.workflows.decisions import Decisions, SystemLike, find_systems
from redink.workflows.judgment_input import (
    Merges,
    describe,
    how_many,
    prepare_judgments,
    require_fine,
)

Aggregate = Literal["majority", "dawid-skene"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)
Systems = Mapping[str, SystemLike] | Sequence[str]


@dataclass(frozen=True)
class CrowdOptions:
    """How a crowd's judgments are read; see :func:`redink.crowd`."""

    merge: Merges | None = None
    drop: Sequence[str] = ()
    missing: Sequence[str] = ()
    ok: Sequence[str] | None = None
    experts: Sequence[str] = ()
    gold_threshold: float | None = None
    gold_minimum: int = 1
    keep_gold: bool = False
    aggregate: Aggregate = "majority"
    ties: Ties = "ok"

    def __post_init__(self) -> None:
        if self.aggregate not in AGGREGATES:
            raise OptionError(f"there is no way {self.aggregate!r} to aggregate judgments")
        if self.ties not in get_args(Ties):
            raise OptionError(f"a tie counts as {', '.join(get_args(Ties))}, not {self.ties!r}")
        if self.gold_threshold is not None and not 0 <= self.gold_threshold <= 1:
            raise OptionError("the threshold for gold questions lies between 0 and 1")


@dataclass(frozen=True)
class CrowdData:
    """One data set: a crowd, perhaps experts and gold questions, and systems judged by it.

    Attributes:
        name: what the data set is called where there are several.
        matrix: the crowd's labels of the items that are evaluated, removed workers left out.
        everyone: the crowd's labels of all items, gold questions and removed workers included.
        experts: the experts' labels of the items that are evaluated.
        fine: the labels that mean "no error".
        gold: the known answers, by item.
        records: how every worker did on gold questions.
        removed: the workers who did too badly.
        shares: for each evaluated item, how likely it is an error in the crowd's eyes.
        systems: what each system says.
        notes: what was done.
        data: fingerprint of the judgments.
    """

    name: str
    matrix: LabelMatrix
    everyone: LabelMatrix
    experts: LabelMatrix | None
    fine: tuple[str, ...]
    gold: Mapping[str, str]
    records: tuple[GoldRecord, ...]
    removed: tuple[str, ...]
    shares: FloatArray
    systems: tuple[Decisions, ...]
    options: CrowdOptions
    notes: tuple[str, ...]
    signature: dict[str, Any]

    @property
    def votes(self) -> IntArray:
        """Items by workers: 1 error, 0 fine."""
        return error_votes(self.matrix, self.fine)

    @property
    def agreement(self) -> FloatArray:
        """The share of each item's judges who are with the majority, however shares are made."""
        return crowd_agreement(error_shares(self.votes))

    def truths(self) -> dict[str, FloatArray]:
        """What counts as true of each item under each weighting."""
        return {"plain": majority(self.shares, self.options.ties), "weighted": self.shares}

    def flags(self, system: Decisions) -> tuple[BoolArray, FloatArray]:
        """What the system flags, and 1 where it says something (NaN where it says nothing)."""
        flags = system.flags(self.matrix.items, fine=self.fine, known=self.everyone.labels)
        says = np.array([np.nan if flag is None else 1.0 for flag in flags])
        if np.isnan(says).all():
            first = ", ".join(self.matrix.items[:3])
            raise DataError(
                f"system {system.name!r} says nothing of any judged item; they are called {first} …"
            )
        return np.array([bool(flag) for flag in flags]), says

    def without(self, workers: Iterable[str]) -> CrowdData:
        """The same data with these workers removed (items nobody judged stay, as unknown)."""
        gone = set(workers)
        left = [judge for judge in self.matrix.judges if judge not in gone]
        matrix = self.matrix.only_judges(left)
        shares = aggregate_shares(error_votes(matrix, self.fine), self.options.aggregate)
        return replace(self, matrix=matrix, shares=shares)


def aggregate_shares(votes: IntArray, aggregate: Aggregate) -> FloatArray:
    """How likely each item is an error: the share of votes, or Dawid and Skene's probability."""
    shares = error_shares(votes)
    if aggregate == "majority":
        return shares
    believed = fit_dawid_skene(make_ratings(votes, categories=2)).probabilities[:, 1]
    return np.where(np.isnan(shares), np.nan, believed)


def load_crowd(
    judgments: PathLike | Iterable[Judgment],
    systems: Systems,
    options: CrowdOptions,
    *,
    name: str = "",
) -> CrowdData:
    """Read one data set and apply quality control to it."""
    prepared = prepare_judgments(
        judgments, merge=options.merge, drop=options.drop, missing=options.missing
    )
    found = find_systems(systems, prepared.judgments, merge=options.merge)
    notes = list(prepared.notes)
    system_names = {system.name for system in found}
    judged = [j for j in prepared.judgments if j.judge not in system_names]
    present = {judgment.judge for judgment in judged}
    for expert in options.experts:
        if expert not in present:
            raise OptionError(f"there is no judge {expert!r} to be an expert")
    crowd = [j for j in judged if j.judge not in set(options.experts)]
    if not crowd:
        raise DataError("there is no crowd: no judgments beside the experts' and the systems'")
    labels = sorted({judgment.label for judgment in judged})
    everyone = tabulate(crowd, order=labels)
    fine = require_fine(labels, options.ok)
    gold = find_gold(judged)
    records = check_workers(everyone, gold)
    removed, more = _remove_workers(records, options)
    notes += more
    kept = everyone.only_judges([j for j in everyone.judges if j not in removed])
    evaluated = set(everyone.items) - set(gold)
    if gold and not options.keep_gold and evaluated:
        notes.append(f"{how_many(len(gold), 'gold question')} left out of the evaluation.")
        kept = kept.only_items(evaluated)
    answered = (kept.codes != MISSING).any(axis=1)
    if not answered.all():
        kept = kept.only_items({i for i, a in zip(kept.items, answered, strict=True) if a})
    experts = None
    if options.experts:
        theirs = [j for j in judged if j.judge in set(options.experts)]
        experts = _align(tabulate(theirs, order=labels), kept.items, options.experts)
    notes += describe(kept)
    notes.append(f"No error: {', '.join(fine)}.")
    shares = aggregate_shares(error_votes(kept, fine), options.aggregate)
    ties = int((np.abs(shares - 0.5) < 1e-12).sum())
    if ties:
        notes.append(f"{how_many(ties, 'tie')} of the crowd counted as {_tie_words(options.ties)}.")
    data = CrowdData(
        name,
        kept,
        everyone,
        experts,
        fine,
        gold,
        records,
        removed,
        shares,
        found,
        options,
        tuple(notes),
        prepared.signature,
    )
    silent = [
        f"{s.name} says nothing of {how_many(n, 'item')}, left out for it."
        for s in found
        if (n := int(np.isnan(data.flags(s)[1]).sum()))
    ]
    return replace(data, notes=(*notes, *silent))


def _remove_workers(
    records: Sequence[GoldRecord], options: CrowdOptions
) -> tuple[tuple[str, ...], list[str]]:
    """The workers who fail quality control, and a note that says so."""
    if options.gold_threshold is None:
        return (), []
    if not any(record.asked for record in records):
        raise DataError(
            "quality control needs gold questions: a column gold with the known answers"
        )
    removed = tuple(
        record.judge
        for record in records
        if record.fails(options.gold_threshold, at_least=options.gold_minimum)
    )
    if len(removed) == len(records):
        raise DataError("quality control removes every worker; lower the threshold")
    named = f": {', '.join(removed)}" if removed else ""
    return removed, [f"Quality control removes {len(removed)} of {len(records)} workers{named}."]


def _tie_words(ties: Ties) -> str:
    return {"ok": "no error", "error": "errors", "skip": "nothing (plain measures skip them)"}[ties]


def _align(matrix: LabelMatrix, items: Sequence[str], judges: Sequence[str]) -> LabelMatrix:
    """The matrix with just these items, in this order; what it lacks is missing."""
    rows = {item: number for number, item in enumerate(matrix.items)}
    columns = [matrix.judges.index(judge) for judge in judges]
    codes = np.full((len(items), len(judges)), MISSING, dtype=np.int64)
    for number, item in enumerate(items):
        if item in rows:
            codes[number] = matrix.codes[rows[item], columns]
    return LabelMatrix(tuple(items), tuple(judges), matrix.labels, codes)
