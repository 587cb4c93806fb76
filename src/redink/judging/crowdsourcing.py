"""Crowd judgments of errors (Madnani et al. 2011): weighted measures, gold questions, crowd size.

redink counts a system's true positives, false positives and false negatives against the majority
of the crowd, or against the share of the crowd that sees an error.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from redink.errors import DataError, OptionError
from redink.judging.labels import LabelMatrix
from redink.model import Counts, Judgment, Shown
from redink.model.counts import Cells
from redink.progress import tell_each
from redink.statistics.agreement_coefficients import correct_for_chance
from redink.statistics.arrays import divide_or_nan, measure_counts
from redink.statistics.ratings import MISSING, Ratings
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
    """Return precision, recall and F in bootstrap samples of the items; NaN if undefined."""
    # Excluded items are drawn too, so that the same seed draws the same items for every truth, and
    # differences between two truths are paired.
    flags = flagged.astype(np.float64)
    parts = np.column_stack([flags * truth, flags * (1 - truth), (1 - flags) * truth])
    blocks = draw_bootstrap_blocks(len(truth), samples, rng)
    counts = np.concatenate([weights @ np.nan_to_num(parts) for weights in blocks])
    cells = Cells(*counts.T, beta=beta)
    return {name: measure_counts(name, cells) for name in ("precision", "recall", "f")}


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
    """Compute precision, recall, F and kappa of a system, with intervals if there are samples."""
    counts = count_against(flagged, truth)
    found = (counts.precision, counts.recall, counts.f(beta), counts.kappa)
    measures = dict(zip(("precision", "recall", "f", "kappa"), found, strict=True))
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
    return [f"Undefined: {name}: {' or '.join(sorted(r))}." for name, r in reasons.items() if r]


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


# ---- Dawid and Skene

# Every error has a probability above zero, because EM could never leave zero again.
_FLOOR = 1e-10


@dataclass(frozen=True)
class DawidSkene:
    """The fitted model of Dawid and Skene (1979).

    Attributes:
        probabilities: items by labels: the probability that the label is the true one.
        shares: the prior probability of each label.
        errors: judges by true label by given label: the probability of the given label.
        log_likelihood: log-likelihood of the judgments after each iteration; it never decreases.
    """

    probabilities: FloatArray
    shares: FloatArray
    errors: FloatArray
    iterations: int
    converged: bool
    log_likelihood: tuple[float, ...]

    def accuracies(self) -> FloatArray:
        """Return the probability that each judge gives the true label."""
        per_label = np.diagonal(self.errors, axis1=1, axis2=2)
        accuracies: FloatArray = per_label @ self.shares
        return accuracies


def fit_dawid_skene(
    ratings: Ratings, *, iterations: int = 200, tolerance: float = 1e-8
) -> DawidSkene:
    """Estimate true labels and each judge's errors by EM, starting from shares of votes.

    Items without judgments keep the overall shares. The fit stops when the mean log-likelihood
    of a judgment grows by less than ``tolerance``.
    """
    item, judge = np.nonzero(ratings.codes != MISSING)
    label = ratings.codes[item, judge]
    items, judges = ratings.codes.shape
    labels = ratings.categories

    def estimate_errors(probabilities: FloatArray) -> FloatArray:
        errors = np.empty((judges, labels, labels))
        for true in range(labels):
            said = np.bincount(
                judge * labels + label, probabilities[item, true], minlength=judges * labels
            )
            errors[:, true] = said.reshape(judges, labels)
        errors = np.maximum(errors, _FLOOR)
        normalized: FloatArray = errors / errors.sum(axis=2, keepdims=True)
        return normalized

    def estimate_labels(shares: FloatArray, errors: FloatArray) -> tuple[FloatArray, float]:
        logs = np.log(errors)
        joint = np.empty((items, labels))
        for true in range(labels):
            joint[:, true] = np.bincount(item, logs[judge, true, label], minlength=items)
        joint += np.log(np.maximum(shares, _FLOOR))
        top = joint.max(axis=1, keepdims=True)
        scaled = np.exp(joint - top)
        total = scaled.sum(axis=1, keepdims=True)
        return scaled / total, float((top + np.log(total)).sum())

    votes = ratings.counts / np.maximum(ratings.sizes, 1)[:, None]
    probabilities = np.where(ratings.sizes[:, None] > 0, votes, 1 / labels)
    history: list[float] = []
    converged = False
    judged = ratings.sizes > 0
    shares = probabilities[judged].mean(axis=0)
    errors = estimate_errors(probabilities)
    while len(history) < iterations and not converged:
        probabilities, likelihood = estimate_labels(shares, errors)
        shares = probabilities[judged].mean(axis=0)
        errors = estimate_errors(probabilities)
        converged = bool(history) and likelihood - history[-1] < tolerance * max(len(label), 1)
        history.append(likelihood)
    return DawidSkene(probabilities, shares, errors, len(history), converged, tuple(history))
