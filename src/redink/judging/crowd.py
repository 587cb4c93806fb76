"""Crowds of judges on whether something is an error (Madnani et al. 2011).

A crowd does not say yes or no but how many say yes. A system's hits, misses and false positives
can be counted against the majority (plain) or against those shares (weighted), and its precision
and recall looked at apart where the crowd agrees and where it does not. Gold questions, whose
answers are known, tell how good a judge of the crowd is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from redink.errors import DataError, OptionError
from redink.judging.labels import LabelMatrix
from redink.model import Counts, Judgment, Shown
from redink.model.counts import Cells
from redink.statistics.arrays import divide_or_nan, measure_counts
from redink.statistics.ratings import MISSING
from redink.statistics.resampling import (
    BoolArray,
    FloatArray,
    IntArray,
    ResamplingOptions,
    draw_bootstrap_blocks,
    interval_of,
)

Ties = Literal["ok", "error", "skip"]
Count = Annotated[float | None, Shown("count")]
IfKnown = Annotated[float | None, Shown(optional=True)]
DEFAULT_BINS = (0.5, 0.75, 0.9, 1.0)
"""The bins of Madnani et al.: contentious, fairly clear, clear."""


def error_votes(matrix: LabelMatrix, fine: Iterable[str]) -> IntArray:
    """Items by judges: 1 for an error, 0 for fine, MISSING where nothing was said."""
    ok = np.isin(np.array(matrix.labels), list(fine))
    votes = np.where(ok[matrix.codes], 0, 1)
    return np.where(matrix.codes == MISSING, MISSING, votes)


def error_shares(votes: IntArray) -> FloatArray:
    """The share of the crowd that sees an error in each item; NaN where nobody judged it."""
    said = (votes != MISSING).sum(axis=1)
    errors = (votes == 1).sum(axis=1)
    return divide_or_nan(errors, said)


def majority(shares: FloatArray, ties: Ties = "ok") -> FloatArray:
    """1 where most see an error, 0 where most see none; what a tie is is the caller's choice.

    ``skip`` makes it NaN, and the item counts for nothing.
    """
    tie = {"ok": 0.0, "error": 1.0, "skip": np.nan}[ties]
    decided = np.where(shares > 0.5, 1.0, np.where(shares < 0.5, 0.0, tie))
    return np.where(np.isnan(shares), np.nan, decided)


def crowd_agreement(shares: FloatArray) -> FloatArray:
    """The share of the crowd that is with its majority: from one half to one."""
    return np.maximum(shares, 1 - shares)


def count_against(flagged: BoolArray, truth: FloatArray) -> Counts:
    """Hits, false positives, misses and the rest against shares, or against a majority.

    ``truth`` is the share of the crowd that sees an error; where it is 1 or 0 throughout these
    are the usual counts. Items whose truth is NaN count for nothing.
    """
    judged = ~np.isnan(truth)
    flags, share = flagged[judged].astype(np.float64), truth[judged]
    hits, misses = float(flags @ share), float((1 - flags) @ share)
    false, rest = float(flags @ (1 - share)), float((1 - flags) @ (1 - share))
    return Counts(hits, false, misses, rest)


def bootstrap_measures(
    flagged: BoolArray, truth: FloatArray, *, beta: float, samples: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Precision, recall and F in bootstrap samples of the items; NaN where one is undefined."""
    # Items that count for nothing are drawn too: the same seed then draws the same items
    # whatever the truth is, and differences between two truths are paired.
    flags = flagged.astype(np.float64)
    parts = np.column_stack([flags * truth, flags * (1 - truth), (1 - flags) * truth])
    blocks = draw_bootstrap_blocks(len(truth), samples, rng)
    counts = np.concatenate([weights @ np.nan_to_num(parts) for weights in blocks])
    cells = Cells(*counts.T, beta=beta)
    return {name: measure_counts(name, cells) for name in ("precision", "recall", "f")}


@dataclass(frozen=True)
class Measured:
    """What a system's flags come to against a truth.

    ``extra`` says which system and which truth; ``samples`` are the measures in every bootstrap
    sample, and ``undefined`` says why a measure has no value.
    """

    precision: float | None
    recall: float | None
    f: float | None
    kappa: IfKnown = None
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
    """Precision, recall, F and kappa of a system, with intervals if they are asked for."""
    counts = count_against(flagged, truth)
    measures = {
        "precision": counts.precision,
        "recall": counts.recall,
        "f": counts.f(beta),
        "kappa": counts.kappa,
    }
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
    """A sentence for each of these measures that is undefined somewhere."""
    given = list(rows)
    reasons = {name: {r.undefined[name] for r in given if name in r.undefined} for name in names}
    return [f"Undefined: {name}: {' or '.join(sorted(r))}." for name, r in reasons.items() if r]


def name_intervals(samples: Mapping[str, FloatArray], confidence: float) -> dict[str, Any]:
    """The interval of every measure, as ``precision_low, precision_high`` ..."""
    found = {}
    for name, values in samples.items():
        found[f"{name}_low"], found[f"{name}_high"] = interval_of(values, confidence=confidence)
    return found


@dataclass(frozen=True)
class Bin:
    """Items whose crowd agrees to a degree from ``low`` up to (without) ``high``.

    The last bin includes its upper end, so that every item is in one bin.
    """

    low: float
    high: float
    members: BoolArray

    @property
    def name(self) -> str:
        """What a person reads beside it: from 75 to 90 %."""
        return f"{100 * self.low:g}\N{EN DASH}{100 * self.high:g} %"


def bin_by_agreement(
    agreement: FloatArray, edges: Sequence[float] = DEFAULT_BINS
) -> tuple[Bin, ...]:
    """The items in bins of agreement."""
    if len(edges) < 2 or any(b <= a for a, b in itertools.pairwise(edges)):
        raise OptionError("bins are given by two or more rising limits, such as 0.5,0.75,0.9,1")
    if edges[0] < 0 or edges[-1] > 1:
        raise OptionError("limits of bins are shares between 0 and 1, such as 0.5,0.75,0.9,1")
    bins = []
    for low, high in itertools.pairwise(edges):
        # A share such as 18/20 must not fall out of the bin that begins at 0.9 by rounding.
        above = agreement > low - 1e-9
        below = agreement < high - 1e-9 if high != edges[-1] else agreement < high + 1e-9
        bins.append(Bin(low, high, above & below))
    return tuple(bins)


@dataclass(frozen=True)
class GoldRecord:
    """How one judge answered the gold questions."""

    judge: str
    judgments: int
    asked: int
    right: int

    @property
    def accuracy(self) -> float | None:
        """The share of gold questions answered rightly; None if none was asked."""
        return self.right / self.asked if self.asked else None

    def fails(self, threshold: float, *, at_least: int = 1) -> bool:
        """Whether enough gold questions were asked and too few answered rightly."""
        accuracy = self.accuracy
        return accuracy is not None and self.asked >= at_least and accuracy < threshold


def find_gold(judgments: Iterable[Judgment]) -> dict[str, str]:
    """The known answers, by item.

    Raises:
        DataError: two answers are called right for one item.
    """
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
    """Every judge's record on the gold questions, in the order of the matrix."""
    numbers = {label: number for number, label in enumerate(matrix.labels)}
    # An answer that nobody gave has no number: everybody was wrong.
    answers = [
        numbers.get(gold[item], MISSING - 1) if item in gold else None for item in matrix.items
    ]
    records = []
    for column, judge in enumerate(matrix.judges):
        said = matrix.codes[:, column]
        given = [
            (int(code), answer)
            for code, answer in zip(said, answers, strict=True)
            if answer is not None and code != MISSING
        ]
        right = sum(code == answer for code, answer in given)
        records.append(GoldRecord(judge, int((said != MISSING).sum()), len(given), right))
    return tuple(records)


def worst_first(records: Iterable[GoldRecord]) -> list[GoldRecord]:
    """Judges by rising accuracy on gold; those who were asked nothing are left out."""
    asked = [record for record in records if record.asked]
    return sorted(asked, key=lambda record: (record.right / record.asked, record.judge))
