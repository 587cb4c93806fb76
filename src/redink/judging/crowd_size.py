"""How many of a crowd it takes to match an expert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from redink.errors import DataError, OptionError
from redink.judging.crowd import name_intervals
from redink.model import Shown
from redink.progress import tell_each
from redink.statistics.agreement import correct_for_chance
from redink.statistics.ratings import MISSING
from redink.statistics.resampling import FloatArray, IntArray


@dataclass(frozen=True)
class SizePoint:
    """How far the majority of so many judges agrees with the experts, over many draws.

    ``items`` have so many judges, and an expert; ``agreement`` is the share of them on which
    majority and expert agree, and ``kappa`` is Cohen's.
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
    """A point for every size of crowd from one judge to all of them.

    In each draw, every item gets that many of its own judges at random; their most frequent label
    (ties are broken at random) is compared with each expert's, and the experts are averaged.

    Args:
        crowd: items by judges, codes of labels.
        experts: the same items by experts.
        categories: how many labels there are.
        draws: how often the crowd is drawn.
        rng: where the draws come from.
        confidence: so much of the draws lies between the low and the high values.
    """
    if draws < 1:
        raise OptionError("a curve needs at least one draw")
    if not experts.shape[1]:
        raise DataError("no judge is an expert; say who is (--experts NAME,...)")
    if not crowd.shape[1]:
        raise DataError("all judges are experts; there is no crowd to compare them with")
    available = (crowd != MISSING).sum(axis=1)
    judged = (experts != MISSING).any(axis=1)
    largest = int(available[judged].max(initial=0))
    if not largest:
        raise DataError("no item was judged by both an expert and the crowd")
    agreement = np.full((largest, draws), np.nan)
    kappa = np.full((largest, draws), np.nan)
    identity = np.vstack([np.eye(categories), np.zeros(categories)])  # the last row is MISSING
    for draw in tell_each(range(draws), "drawing crowds", draws):
        # One random order of each item's judges serves every size: the first k are k judges.
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
        means = {name: _mean(values) for name, values in drawn.items()}
        yield SizePoint(size, items, **means, **name_intervals(drawn, confidence))


def _mean(values: FloatArray) -> float | None:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


def _compare(majority: IntArray, expert: IntArray, categories: int) -> tuple[float, float] | None:
    """Observed agreement and Cohen's kappa of two columns without gaps in the first."""
    both = expert != MISSING
    total = int(both.sum())
    if not total:
        return None
    a, b = majority[both], expert[both]
    observed = np.asarray((a == b).mean())
    shares = [np.bincount(x, minlength=categories) / total for x in (a, b)]
    return float(observed), float(correct_for_chance(observed, shares[0] @ shares[1]))


def smallest_matching(points: Iterable[SizePoint], target: float | None) -> int | str | None:
    """The smallest crowd whose mean agreement reaches the experts' own, or None."""
    for point in points:
        if target is not None and point.agreement is not None and point.agreement >= target:
            return point.size
    return None
