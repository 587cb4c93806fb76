"""Crowd judgments of errors (Madnani et al. 2011): weighted measures, gold questions, crowd size.

redink counts a system's true positives, false positives and false negatives against the majority
of the crowd, or against the share of the crowd that sees an error.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import CasesLike, JudgmentsLike, load_cases, load_judgments
from redink.inputs.text_loading import name_inputs
from redink.judging.labels import (
    ERROR_WORDS,
    FINE_WORDS,
    LabelMatrix,
    LabelOptions,
    how_many,
    require_fine,
    tabulate,
)
from redink.model import Counts, Definition, Judgment, Shown
from redink.model.counts import Cells
from redink.options import Flag, Needs, Options, Positive, Share
from redink.progress import tell_each
from redink.statistics.agreement_coefficients import correct_for_chance
from redink.statistics.arrays import divide_or_nan, measure_counts
from redink.statistics.dawid_skene import fit_dawid_skene
from redink.statistics.ratings import MISSING, make_ratings
from redink.statistics.resampling import (
    BoolArray,
    FloatArray,
    IntArray,
    ResamplingOptions,
    draw_bootstrap_blocks,
    interval_of,
)

TESTED = ("precision", "recall", "f", "kappa")
"""The measures with confidence intervals and paired tests."""
Ties = Literal["ok", "error", "skip"]
Count = Annotated[float | None, Shown("count")]
IfKnown = Annotated[float | None, Shown(optional=True)]
DEFAULT_BINS = (0.5, 0.75, 0.9, 1.0)
"""The bins of Madnani et al.: contentious, fairly clear, clear."""


def error_votes(matrix: LabelMatrix, fine: Iterable[str]) -> IntArray:
    """Return items by judges: 1 for an error, 0 for no error, MISSING without a judgment."""
    ok = np.isin(np.array(matrix.labels), list(fine))
    votes = np.where(ok[matrix.codes], 0, 1)
    return np.where(matrix.codes == MISSING, MISSING, votes)


def error_shares(votes: IntArray) -> FloatArray:
    """Return the share of the crowd that sees an error in each item; NaN without a judgment."""
    said = (votes != MISSING).sum(axis=1)
    errors = (votes == 1).sum(axis=1)
    return divide_or_nan(errors, said)


def majority(shares: FloatArray, ties: Ties = "ok") -> FloatArray:
    """Return 1 if most judges see an error, 0 if most see none; ``skip`` makes a tie NaN."""
    tie = {"ok": 0.0, "error": 1.0, "skip": np.nan}[ties]
    decided = np.where(shares > 0.5, 1.0, np.where(shares < 0.5, 0.0, tie))
    return np.where(np.isnan(shares), np.nan, decided)


def crowd_agreement(shares: FloatArray) -> FloatArray:
    """Return the share of the crowd that agrees with its majority: from one half to one."""
    return np.maximum(shares, 1 - shares)


def count_against(flagged: BoolArray, truth: FloatArray) -> Counts:
    """Count a system's flags against the share of the crowd that sees an error.

    If all shares are 1 or 0, these are the usual counts. Items with the share NaN are excluded.
    """
    judged = ~np.isnan(truth)
    flags, share = flagged[judged].astype(np.float64), truth[judged]
    hits, misses = float(flags @ share), float((1 - flags) @ share)
    false, rest = float(flags @ (1 - share)), float((1 - flags) @ (1 - share))
    return Counts(hits, false, misses, rest)


def bootstrap_measures(
    flagged: BoolArray, truth: FloatArray, *, beta: float, samples: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Return the measures in bootstrap samples of the items; NaN if undefined."""
    # Excluded items are drawn too, so that the same seed draws the same items for every truth, and
    # differences between two truths are paired.
    flags = flagged.astype(np.float64)
    cells = (flags * truth, flags * (1 - truth), (1 - flags) * truth, (1 - flags) * (1 - truth))
    parts = np.column_stack(cells)
    blocks = draw_bootstrap_blocks(len(truth), samples, rng)
    counts = np.concatenate([weights @ np.nan_to_num(parts) for weights in blocks])
    sums = Cells(*counts.T, beta=beta)
    return {name: measure_counts(name, sums) for name in TESTED}


@dataclass(frozen=True)
class Measured:
    """The measures of a system's flags against a truth.

    ``extra`` names the system and the truth; ``samples`` contains the measures in each bootstrap
    sample; ``undefined`` contains the reason why a measure has no value.
    """

    precision: float | None
    recall: float | None
    f: float | None
    kappa: IfKnown = None
    prevalence: Annotated[float | None, Shown(optional=True, title="prev.")] = None
    bias: IfKnown = None
    data: Annotated[str | None, Shown(optional=True)] = None
    tp: Count = None
    fp: Count = None
    fn: Count = None
    tn: Count = None
    precision_low: IfKnown = None
    precision_high: IfKnown = None
    recall_low: IfKnown = None
    recall_high: IfKnown = None
    f_low: IfKnown = None
    f_high: IfKnown = None
    kappa_low: IfKnown = None
    kappa_high: IfKnown = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    samples: Annotated[Mapping[str, FloatArray], Shown(hidden=True)] = field(default_factory=dict)
    undefined: Annotated[Mapping[str, str], Shown(hidden=True)] = field(default_factory=dict)


def measure_flags(
    flagged: BoolArray,
    truth: FloatArray,
    names: Mapping[str, Any],
    *,
    beta: float,
    resampling: ResamplingOptions = ResamplingOptions(bootstrap=0),
) -> Measured:
    """Compute the measures of a system, with intervals if there are samples."""
    counts = count_against(flagged, truth)
    of_all = counts.measures(beta=beta)
    measures = {name: of_all[name] for name in (*TESTED, "prevalence", "bias")}
    values: dict[str, Any] = {name: measure.value for name, measure in measures.items()}
    samples: dict[str, FloatArray] = {}
    if resampling.bootstrap:
        samples = bootstrap_measures(
            flagged, truth, beta=beta, samples=resampling.bootstrap, rng=resampling.rng()
        )
    return Measured(
        **values,
        **asdict(counts),
        **name_intervals(samples, resampling.confidence),
        extra=names,
        samples=samples,
        undefined={name: str(m.reason) for name, m in measures.items() if m.value is None},
    )


def explain_undefined(rows: Iterable[Measured], names: Iterable[str]) -> list[str]:
    """Return one note for each of these measures that is undefined in some row."""
    given = list(rows)
    reasons = {name: {r.undefined[name] for r in given if name in r.undefined} for name in names}
    return [f"Undefined: {name} ({' or '.join(sorted(r))})." for name, r in reasons.items() if r]


def name_intervals(samples: Mapping[str, FloatArray], confidence: float) -> dict[str, Any]:
    """Return the interval of each measure, such as ``precision_low``."""
    found = {}
    for name, values in samples.items():
        found[f"{name}_low"], found[f"{name}_high"] = interval_of(values, confidence=confidence)
    return found


@dataclass(frozen=True)
class Bin:
    """Items with an agreement from ``low`` to below ``high`` (inclusive in the last bin)."""

    low: float
    high: float
    members: BoolArray

    @property
    def name(self) -> str:
        """The range in percent."""
        return f"{100 * self.low:g}\N{EN DASH}{100 * self.high:g} %"


def bin_by_agreement(
    agreement: FloatArray, edges: Sequence[float] = DEFAULT_BINS
) -> tuple[Bin, ...]:
    """Group the items into bins of agreement."""
    if len(edges) < 2 or any(b <= a for a, b in itertools.pairwise(edges)):
        raise OptionError("--bins needs two or more increasing limits, such as 0.5,0.75,0.9,1")
    if edges[0] < 0 or edges[-1] > 1:
        raise OptionError("limits of --bins must be between 0 and 1, such as 0.5,0.75,0.9,1")
    bins = []
    for low, high in itertools.pairwise(edges):
        # Rounding must not move a share such as 18/20 out of the bin that begins at 0.9.
        above = agreement > low - 1e-9
        below = agreement < high - 1e-9 if high != edges[-1] else agreement < high + 1e-9
        bins.append(Bin(low, high, above & below))
    return tuple(bins)


@dataclass(frozen=True)
class GoldRecord:
    """The answers of one judge to the gold questions."""

    judge: str
    judgments: int
    asked: int
    right: int

    @property
    def accuracy(self) -> float | None:
        """The share of correct answers; None if the judge answered no gold question."""
        return self.right / self.asked if self.asked else None

    def fails(self, threshold: float, at_least: int = 1) -> bool:
        """Return whether the judge answered enough gold questions, and too few correctly."""
        accuracy = self.accuracy
        return accuracy is not None and self.asked >= at_least and accuracy < threshold


def find_gold(judgments: Iterable[Judgment]) -> dict[str, str]:
    """Return the known answers by item."""
    answers: dict[str, str] = {}
    for judgment in judgments:
        if judgment.gold is None:
            continue
        known = answers.setdefault(judgment.item, judgment.gold)
        if known != judgment.gold:
            raise DataError(
                f"item {judgment.item!r} has two gold answers: {known!r} and {judgment.gold!r}"
            )
    return answers


def check_judges(matrix: LabelMatrix, gold: Mapping[str, str]) -> tuple[GoldRecord, ...]:
    """Return each judge's record on the gold questions, in the order of the matrix."""
    numbers = {label: number for number, label in enumerate(matrix.labels)}
    # A gold answer that nobody gave has no code: all answers to it are incorrect.
    rows = [row for row, item in enumerate(matrix.items) if item in gold]
    answers = np.array([numbers.get(gold[matrix.items[row]], MISSING - 1) for row in rows])
    judgments = (matrix.codes != MISSING).sum(axis=0)
    asked = (matrix.codes[rows] != MISSING).sum(axis=0)
    right = (matrix.codes[rows] == answers[:, None]).sum(axis=0)
    counts = (column.tolist() for column in (judgments, asked, right))
    return tuple(GoldRecord(*record) for record in zip(matrix.judges, *counts, strict=True))


def worst_first(records: Iterable[GoldRecord]) -> list[GoldRecord]:
    """Sort judges by accuracy on gold questions, without judges who answered none."""
    asked = [record for record in records if record.asked]
    return sorted(asked, key=lambda record: (record.right / record.asked, record.judge))


# ---- number of judges that match an expert


@dataclass(frozen=True)
class SizePoint:
    """The agreement of the majority of ``size`` judges with the experts, over many repetitions.

    ``items`` is the number of items with at least ``size`` judges and an expert.
    """

    size: Annotated[int | str, Shown("text")]
    items: int
    agreement: float | None
    agreement_low: float | None = None
    agreement_high: float | None = None
    kappa: float | None = None
    kappa_low: float | None = None
    kappa_high: float | None = None
    cost: Annotated[float | None, Shown("count", optional=True)] = None


def crowd_size_curve(
    crowd: IntArray,
    experts: IntArray,
    categories: int,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Iterator[SizePoint]:
    """Yield one point per size of the crowd, from one judge to all of them.

    In each repetition, ``size`` random judges of each item are drawn. Their most frequent label
    (ties are broken at random) is compared with the label of each expert, and the agreement is
    averaged over experts. ``crowd`` and ``experts`` are items by judges.
    """
    if not experts.shape[1]:
        raise DataError("no judge is an expert; name the experts with --experts NAME,...")
    if not crowd.shape[1]:
        raise DataError("all judges are experts; there is no crowd to compare them with")
    available = (crowd != MISSING).sum(axis=1)
    judged = (experts != MISSING).any(axis=1)
    largest = int(available[judged].max(initial=0))
    if not largest:
        raise DataError("no item has judgments by both an expert and the crowd")
    agreement = np.full((largest, draws), np.nan)
    kappa = np.full((largest, draws), np.nan)
    identity = np.vstack([np.eye(categories), np.zeros(categories)])  # the last row is MISSING
    for draw in tell_each(range(draws), "drawing crowds", draws):
        # One random order of each item's judges is used for every size: the first k are k judges.
        keys = np.where(crowd == MISSING, np.inf, rng.random(crowd.shape))
        order = np.argsort(keys, axis=1)[:, :largest]
        votes = identity[np.take_along_axis(crowd, order, axis=1)].cumsum(axis=1)
        noise = rng.random((len(crowd), 1, categories)) / 2
        winners = (votes + noise).argmax(axis=2)
        for size in range(1, largest + 1):
            enough = judged & (available >= size)
            pairs = [
                _compare(winners[enough, size - 1], experts[enough, e], categories)
                for e in range(experts.shape[1])
            ]
            defined = [pair for pair in pairs if pair is not None]
            agreement[size - 1, draw] = np.mean([a for a, _ in defined]) if defined else np.nan
            kappas = [k for _, k in defined if not np.isnan(k)]
            kappa[size - 1, draw] = np.mean(kappas) if kappas else np.nan
    for size in range(1, largest + 1):
        items = int((judged & (available >= size)).sum())
        drawn = {"agreement": agreement[size - 1], "kappa": kappa[size - 1]}
        known = {name: values[~np.isnan(values)] for name, values in drawn.items()}
        means = {name: float(v.mean()) if len(v) else None for name, v in known.items()}
        yield SizePoint(size, items, **means, **name_intervals(drawn, confidence))


def _compare(majority: IntArray, expert: IntArray, categories: int) -> tuple[float, float] | None:
    """Return observed agreement and Cohen's kappa; only ``expert`` may have missing values."""
    both = expert != MISSING
    total = int(both.sum())
    if not total:
        return None
    a, b = majority[both], expert[both]
    observed = np.asarray((a == b).mean())
    shares = [np.bincount(x, minlength=categories) / total for x in (a, b)]
    return float(observed), float(correct_for_chance(observed, shares[0] @ shares[1]))


def smallest_matching(points: Iterable[SizePoint], target: float | None) -> int | str | None:
    """Return the smallest crowd whose mean agreement reaches that of the experts, or None."""
    if target is None:
        return None
    known = ((point.size, point.agreement) for point in points if point.agreement is not None)
    return next((size for size, agreement in known if agreement >= target), None)


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
        merge_duplicates: count items with the same text and the same marked words as one item.
    """

    experts: Sequence[str] = ()
    gold_threshold: Annotated[Share | None, Flag(value="SHARE")] = None
    gold_minimum: Annotated[Positive, Needs(gold_threshold=True)] = 1
    keep_gold: bool = False
    aggregate: Literal["majority", "dawid-skene"] = "majority"
    ties: Ties = "ok"
    merge_duplicates: bool = False

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
                "quality control needs gold questions; add a column 'gold' with the known answers"
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
            "merge_duplicates": self.merge_duplicates or None,
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


def find_duplicates(judgments: Iterable[Judgment]) -> dict[str, str]:
    """Map items to the first item with the same text, marked words and gold answer."""
    first: dict[tuple[str | None, ...], str] = {}
    found = {}
    for judgment in judgments:
        extra = dict(judgment.extra)
        if extra.get("text"):
            key = (*(extra.get(name) for name in ("text", "start", "end", "before")), judgment.gold)
            if (item := first.setdefault(key, judgment.item)) != judgment.item:
                found[judgment.item] = item
    return found


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
    if duplicates := find_duplicates(counted.judgments):
        some = next(f"{copy!r} and {item!r}" for copy, item in duplicates.items())
        told = (
            f"{how_many(len(duplicates), 'item')} with the text of an earlier item, such as {some}"
        )
        if standard.merge_duplicates:
            merged = (replace(j, item=duplicates.get(j.item, j.item)) for j in counted.judgments)
            note = f"Merged {told}; the first label of a judge counts."
            counted = replace(counted, judgments=tuple(merged), notes=(*counted.notes, note))
        else:
            text = f"{told}; --merge-duplicates counts them as one item"
            warnings.warn(text, RedinkWarning, stacklevel=4)
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
