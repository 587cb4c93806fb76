"""A crowd's judgments made ready: who counts, what is gold, what crowd and systems say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np

from redink.commands.decisions import Decisions, DecisionsLike, find_systems
from redink.errors import DataError, OptionError
from redink.inputs.judgment_loading import JudgmentsLike, load_judgments
from redink.judging.crowd import (
    GoldRecord,
    Ties,
    check_judges,
    crowd_agreement,
    error_shares,
    error_votes,
    find_gold,
    majority,
)
from redink.judging.dawid_skene import fit_dawid_skene
from redink.judging.labels import LabelMatrix, LabelOptions, how_many, require_fine, tabulate
from redink.options import Flag, Needs, Options, Positive, Share
from redink.statistics.ratings import make_ratings
from redink.statistics.resampling import BoolArray, FloatArray, IntArray

_TIES = {"ok": "no error", "error": "errors", "skip": "nothing (plain measures skip them)"}


@dataclass(frozen=True)
class CrowdOptions(Options):
    """How a crowd becomes the standard that systems are measured by.

    Attributes:
        experts: judges who are not of the crowd.
        gold_threshold: remove judges whose accuracy on gold questions is below this.
        gold_minimum: remove only judges who answered at least this many gold questions.
        keep_gold: evaluate systems on gold questions too.
        aggregate: how judgments become shares: votes, or Dawid and Skene's model.
        ties: what an even split is in plain measures.
    """

    experts: Sequence[str] = ()
    gold_threshold: Annotated[Share | None, Flag(value="SHARE")] = None
    gold_minimum: Annotated[Positive, Needs(gold_threshold=True)] = 1
    keep_gold: bool = False
    aggregate: Literal["majority", "dawid-skene"] = "majority"
    ties: Ties = "ok"

    def shares(self, votes: IntArray) -> FloatArray:
        """How likely each item is an error: the share of votes, or what the model believes."""
        shares = error_shares(votes)
        if self.aggregate == "majority":
            return shares
        believed = fit_dawid_skene(make_ratings(votes, categories=2)).probabilities[:, 1]
        return np.where(np.isnan(shares), np.nan, believed)

    def remove(self, records: Sequence[GoldRecord]) -> tuple[str, ...]:
        """The judges who fail quality control.

        Raises:
            DataError: there are no gold questions, or nobody would be left.
        """
        if self.gold_threshold is None:
            return ()
        if not any(record.asked for record in records):
            raise DataError(
                "quality control needs gold questions: a column gold with the known answers"
            )
        removed = tuple(
            record.judge
            for record in records
            if record.fails(self.gold_threshold, at_least=self.gold_minimum)
        )
        if len(removed) == len(records):
            raise DataError("quality control removes every judge; lower the threshold")
        return removed

    def signature(self) -> dict[str, Any]:
        """What decides about the standard."""
        return {
            "aggregate": self.aggregate,
            "ties": self.ties,
            "experts": list(self.experts) or None,
            "gold_threshold": self.gold_threshold,
            "gold_minimum": None if self.gold_threshold is None else self.gold_minimum,
            "keep_gold": self.keep_gold or None,
        }


@dataclass(frozen=True)
class CrowdData:
    """One data set: a crowd, perhaps experts and gold questions, and systems judged by it.

    Attributes:
        name: what the data set is called where there are several.
        matrix: the crowd's labels of the items that are evaluated, removed judges left out.
        everyone: the crowd's labels of all items, gold questions and removed judges included.
        experts: the experts' labels of the items that are evaluated.
        fine: the labels that mean "no error".
        records: how every judge did on gold questions.
        removed: the judges who did too badly.
        systems: what each system says.
        standard: how the crowd becomes the standard.
        notes: what was done.
        signature: which judgments they are.
    """

    name: str
    matrix: LabelMatrix
    everyone: LabelMatrix
    experts: LabelMatrix | None
    fine: tuple[str, ...]
    records: tuple[GoldRecord, ...]
    removed: tuple[str, ...]
    systems: tuple[Decisions, ...]
    standard: CrowdOptions
    notes: tuple[str, ...]
    signature: dict[str, Any]

    @property
    def votes(self) -> IntArray:
        """Items by judges: 1 error, 0 fine."""
        return error_votes(self.matrix, self.fine)

    @property
    def agreement(self) -> FloatArray:
        """The share of each item's judges who are with the majority, however shares are made."""
        return crowd_agreement(error_shares(self.votes))

    @cached_property
    def shares(self) -> FloatArray:
        """How likely each item is an error in the crowd's eyes."""
        return self.standard.shares(self.votes)

    @property
    def majority(self) -> FloatArray:
        """1 where the crowd sees an error, 0 where it sees none, NaN where it does not say."""
        return majority(self.shares, self.standard.ties)

    def flags(self, system: Decisions) -> tuple[BoolArray, FloatArray]:
        """What the system flags, and 1 where it says something (NaN where it says nothing)."""
        return system.flags(self.matrix.items, fine=self.fine, known=self.everyone.labels)

    def without(self, judges: Iterable[str]) -> CrowdData:
        """The same data with these judges removed (items nobody judged stay, as unknown)."""
        gone = set(judges)
        left = [judge for judge in self.matrix.judges if judge not in gone]
        return replace(self, matrix=self.matrix.only_judges(left))


_FEW = 8
"""So many judges are named where a name is wrong."""


def load_crowd(
    judgments: JudgmentsLike,
    systems: DecisionsLike,
    *,
    counting: LabelOptions,
    standard: CrowdOptions,
    name: str = "",
) -> CrowdData:
    """Read one data set and apply quality control to it."""
    counted = counting.count(load_judgments(judgments))
    found = find_systems(systems, counted.judgments, merge=counting.merges)
    names = {system.name for system in found}
    judged = [judgment for judgment in counted.judgments if judgment.judge not in names]
    whole = tabulate(judged)
    for expert in standard.experts:
        if expert not in whole.judges:
            some = ", ".join(whole.judges[:_FEW]) + (", ..." if len(whole.judges) > _FEW else "")
            raise OptionError(f"there is no judge {expert!r} to be an expert; there are: {some}")
    crowd = [judge for judge in whole.judges if judge not in standard.experts]
    if not crowd:
        raise DataError("there is no crowd: no judgments beside the experts' and the systems'")
    everyone = whole.only_judges(crowd).only_judged()
    fine = require_fine(whole.labels, counting.ok)
    gold = find_gold(judged)
    records = check_judges(everyone, gold)
    removed = standard.remove(records)
    kept = everyone.only_judges([judge for judge in everyone.judges if judge not in removed])
    others = set(everyone.items) - set(gold)
    left_out = len(gold) if others and not standard.keep_gold else 0
    if left_out:
        kept = kept.only_items(others)
    kept = kept.only_judged()
    if not kept.items:
        raise DataError("no item is left to evaluate: nobody who counts judged one")
    experts = whole.only_judges(standard.experts).only_items(set(kept.items))
    data = CrowdData(
        name,
        kept,
        everyone,
        experts if standard.experts else None,
        fine,
        records,
        removed,
        found,
        standard,
        counted.notes,
        counted.signature,
    )
    return replace(data, notes=(*counted.notes, *_notes(data, left_out)))


def _notes(data: CrowdData, gold: int) -> Iterator[str]:
    """What was done with judges, gold questions, ties and silent systems."""
    if data.standard.gold_threshold is not None:
        named = f": {', '.join(data.removed)}" if data.removed else ""
        yield f"Quality control removes {len(data.removed)} of {len(data.records)} judges{named}."
    if gold:
        yield f"{how_many(gold, 'gold question')} left out of the evaluation."
    yield from data.matrix.describe()
    yield f"No error: {', '.join(data.fine)}."
    ties = int((np.abs(data.shares - 0.5) < 1e-12).sum())
    if ties:
        yield f"{how_many(ties, 'tie')} of the crowd counted as {_TIES[data.standard.ties]}."
    for system in data.systems:
        silent = int(np.isnan(data.flags(system)[1]).sum())
        if silent:
            yield f"{system.name} says nothing of {how_many(silent, 'item')}, left out for it."
