"""Crowd judgments with quality control, and the decisions of systems about the judged items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.errors import DataError, OptionError
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import CasesLike, JudgmentsLike, load_cases, load_judgments
from redink.inputs.text_loading import name_inputs
from redink.judging.crowdsourcing import (
    GoldRecord,
    Ties,
    check_judges,
    crowd_agreement,
    error_shares,
    error_votes,
    find_gold,
    fit_dawid_skene,
    majority,
)
from redink.judging.labels import (
    ERROR_WORDS,
    FINE_WORDS,
    LabelMatrix,
    LabelOptions,
    how_many,
    require_fine,
    tabulate,
)
from redink.model import Definition, Judgment
from redink.options import Flag, Needs, Options, Positive, Share
from redink.statistics.ratings import make_ratings
from redink.statistics.resampling import BoolArray, FloatArray, IntArray

DecisionsLike = Mapping[str, CasesLike] | Sequence[PathLike]
"""Systems by name, or each as the name of a judge in the file, ``NAME=PATH``, or ``PATH``."""

_WORD = re.compile(r"s0*(\d{1,15})t0*(\d{1,15})")


def _without_zeros(item: str) -> str:
    match = _WORD.fullmatch(item)
    return f"s{int(match[1])}t{int(match[2])}" if match else item


@dataclass(frozen=True)
class Decisions:
    """The labels of a system by item."""

    name: str
    labels: Mapping[str, str]

    def label(self, item: str) -> str | None:
        """Return the label of an item, or None; ``s07t03`` and ``s7t3`` are the same item."""
        found = self.labels.get(item)
        return self.labels.get(_without_zeros(item)) if found is None else found

    def flags(
        self, items: Sequence[str], *, fine: Collection[str], known: Collection[str]
    ) -> tuple[BoolArray, FloatArray]:
        """Return the flags of the items, and 1 for each item with a label (NaN without).

        ``fine`` are the labels that mean "no error"; ``known`` are the labels that judges use.
        """
        labels = [self.label(item) for item in items]
        flags = []
        for item, label in zip(items, labels, strict=True):
            word = (label or "").strip().casefold()
            if label is None or label in fine or (label not in known and word in FINE_WORDS):
                flags.append(False)
            elif label in known or word in ERROR_WORDS:
                flags.append(True)
            else:
                raise DataError(
                    f"unknown label {label!r} of system {self.name!r} for item {item!r}; "
                    f"the labels of the judges are: {', '.join(sorted(known))} (use --merge-labels)"
                )
        if set(labels) == {None}:
            raise DataError(
                f"system {self.name!r} has no label for any judged item; "
                f"judged items are {', '.join(items[:3])} …"
            )
        says = [np.nan if label is None else 1.0 for label in labels]
        return np.array(flags), np.array(says)


def load_decisions(
    system: CasesLike, *, name: str, merge: Mapping[str, str] | None = None
) -> Decisions:
    """Load the labels of a system; labels in ``merge`` are replaced."""
    cases = load_cases(system, name=name)
    judges = {case.judge for case in cases}
    if len(judges) > 1:
        if name not in judges:
            raise DataError(
                f"system {name!r} is a file with {len(judges)} judges; give a file with one judge, "
                "or use the name of one of the judges (NAME=PATH)"
            )
        cases = tuple(case for case in cases if case.judge == name)
    labels: dict[str, str] = {}
    for case in cases:
        if labels.setdefault(_without_zeros(case.item), case.label) != case.label:
            raise DataError(f"system {name!r} has two different labels for item {case.item!r}")
    new = merge or {}
    return Decisions(name, {item: new.get(label, label) for item, label in labels.items()})


def find_systems(
    systems: DecisionsLike,
    judgments: Iterable[Judgment],
    *,
    merge: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Decisions, ...]:
    """Load the labels of every system; labels from files are merged as those of judges."""
    new = {old: name for name, olds in (merge or {}).items() for old in olds}
    if isinstance(systems, Mapping):
        return tuple(load_decisions(s, name=name, merge=new) for name, s in systems.items())
    own: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        own.setdefault(judgment.judge, []).append(judgment)
    found: list[Decisions] = []
    for given in map(str, systems):
        if given in own:
            found.append(load_decisions(own[given], name=given))
            continue
        named = name_inputs([given])
        if named[0][1] == given and not Path(given).exists():
            raise OptionError(f"{given!r} is neither a judge in the judgments nor a file")
        found += [load_decisions(path, name=name, merge=new) for name, path in named]
    for name, times in Counter(decisions.name for decisions in found).items():
        if times > 1:
            raise DataError(f"two systems have the name {name!r}")
    return tuple(found)


_TIES = {"ok": "no error", "error": "errors", "skip": "nothing (plain measures skip them)"}


@dataclass(frozen=True)
class CrowdOptions(Options):
    """Derivation of the reference from the crowd.

    Attributes:
        experts: judges who do not belong to the crowd.
        gold_threshold: remove judges whose accuracy on gold questions is below this.
        gold_minimum: remove only judges who answered at least this number of gold questions.
        keep_gold: evaluate systems on gold questions too.
        aggregate: aggregation of the judgments: majority vote, or the model of Dawid and Skene.
        ties: treat an even split of the votes as no error, as an error, or skip the item (plain
            measures).
    """

    experts: Sequence[str] = ()
    gold_threshold: Annotated[Share | None, Flag(value="SHARE")] = None
    gold_minimum: Annotated[Positive, Needs(gold_threshold=True)] = 1
    keep_gold: bool = False
    aggregate: Literal["majority", "dawid-skene"] = "majority"
    ties: Ties = "ok"

    def shares(self, votes: IntArray) -> FloatArray:
        """Return the probability of an error for each item: vote shares, or from the model."""
        shares = error_shares(votes)
        if self.aggregate == "majority":
            return shares
        believed = fit_dawid_skene(make_ratings(votes, categories=2)).probabilities[:, 1]
        return np.where(np.isnan(shares), np.nan, believed)

    def remove(self, records: Sequence[GoldRecord]) -> tuple[str, ...]:
        """Return the judges who fail quality control."""
        if self.gold_threshold is None:
            return ()
        if not any(record.asked for record in records):
            raise DataError(
                "quality control needs gold questions: a column gold with the known answers"
            )
        limits = (self.gold_threshold, self.gold_minimum)
        removed = tuple(record.judge for record in records if record.fails(*limits))
        if len(removed) == len(records):
            raise DataError("quality control removes every judge; lower the threshold")
        return removed

    def signature(self) -> dict[str, Any]:
        """Return the part of the signature about the crowd."""
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
    """One data set: a crowd, optional experts and gold questions, and systems.

    Attributes:
        matrix: the crowd's labels of the evaluated items, without removed judges.
        everyone: the crowd's labels of all items, with gold questions and removed judges.
        experts: the experts' labels of the evaluated items.
        fine: the labels that mean "no error".
        records: the results of every judge on gold questions.
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
        """Return items by judges: 1 for an error, 0 for no error."""
        return error_votes(self.matrix, self.fine)

    @property
    def agreement(self) -> FloatArray:
        """Return the share of judges who agree with the majority, for each item."""
        return crowd_agreement(error_shares(self.votes))

    @cached_property
    def shares(self) -> FloatArray:
        """Return the probability of an error for each item, from the crowd."""
        return self.standard.shares(self.votes)

    @property
    def majority(self) -> FloatArray:
        """Return 1 if the crowd sees an error in the item, 0 if not, NaN if undecided."""
        return majority(self.shares, self.standard.ties)

    def flags(self, system: Decisions) -> tuple[BoolArray, FloatArray]:
        """Return the flags of the items, and 1 for each item with a label (NaN without)."""
        return system.flags(self.matrix.items, fine=self.fine, known=self.everyone.labels)

    def without(self, judges: Iterable[str]) -> CrowdData:
        """Return the data without these judges; items without judgments stay."""
        gone = set(judges)
        left = [judge for judge in self.matrix.judges if judge not in gone]
        return replace(self, matrix=self.matrix.only_judges(left))


def load_crowd(
    judgments: JudgmentsLike,
    systems: DecisionsLike,
    *,
    counting: LabelOptions,
    standard: CrowdOptions,
    name: str = "",
) -> CrowdData:
    """Load one data set and apply quality control to it."""
    counted = counting.count(load_judgments(judgments))
    found = find_systems(systems, counted.judgments, merge=counting.merges)
    names = {system.name for system in found}
    judged = [judgment for judgment in counted.judgments if judgment.judge not in names]
    whole = tabulate(judged)
    for expert in standard.experts:
        if expert not in whole.judges:
            some = ", ".join([*whole.judges[:8], *(["..."] if len(whole.judges) > 8 else [])])
            raise OptionError(f"unknown expert {expert!r}; expected one of the judges: {some}")
    crowd = [judge for judge in whole.judges if judge not in standard.experts]
    if not crowd:
        raise DataError("there is no crowd: all judgments are by experts or systems")
    everyone = whole.only_judges(crowd).only_judged()
    fine = require_fine(whole.labels, counting.ok)
    gold = find_gold(judged)
    records = check_judges(everyone, gold)
    removed = standard.remove(records)
    kept = everyone.only_judges([judge for judge in everyone.judges if judge not in removed])
    others = set(everyone.items) - set(gold)
    left_out = len(gold) if others and not standard.keep_gold else 0
    kept = (kept.only_items(others) if left_out else kept).only_judged()
    if not kept.items:
        raise DataError("nothing to evaluate: no item has a judgment from an included judge")
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
    if data.standard.gold_threshold is not None:
        named = f": {', '.join(data.removed)}" if data.removed else ""
        yield f"Quality control removes {len(data.removed)} of {len(data.records)} judges{named}."
    if gold:
        yield f"Excluded {how_many(gold, 'gold question')} from the evaluation."
    if ties := int((np.abs(data.shares - 0.5) < 1e-12).sum()):
        yield f"{how_many(ties, 'tie')} of the crowd counted as {_TIES[data.standard.ties]}."
    for system in data.systems:
        if silent := int(np.isnan(data.flags(system)[1]).sum()):
            yield f"{system.name} has no label for {how_many(silent, 'item')} (excluded)."
    yield from data.matrix.describe()
    yield Definition(f"No error: {', '.join(data.fine)}.")
