"""Inter-annotator agreement: published coefficients, for any number of judges and missing values.

Every coefficient is a function of :class:`Ratings` and of item weights (samples by items): how
often each item counts. Weights of one give the coefficient itself; bootstrap weights give its
values in all samples at once. An undefined value is NaN.

Missing values are treated as in Gwet (2014): an item with one rating contributes to the category
frequencies but not to the agreement; Krippendorff's alpha ignores such items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from redink.errors import OptionError
from redink.statistics.arrays import divide_or_nan
from redink.statistics.ratings import MISSING, Ratings, Scale, Weighting, agreement_weights
from redink.statistics.resampling import (
    FloatArray,
    IntArray,
    ResamplingOptions,
    draw_bootstrap_blocks,
    interval_of,
)

Coefficient = Callable[[Ratings, FloatArray], FloatArray]

# Maximum number of bootstrap weights in memory (32 MB).
_BLOCK = 1 << 22


def correct_for_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Return chance-corrected agreement, or NaN if the expected agreement is 1."""
    return divide_or_nan(observed - expected, 1 - expected)


def observed_agreement(
    ratings: Ratings, items: FloatArray, *, weighting: Weighting = "identity"
) -> FloatArray:
    """Return the share of pairs of judgments that agree: the mean over items with two or more."""
    counts, sizes = ratings.counts, ratings.sizes
    weights = agreement_weights(ratings.values, weighting)
    agreeing = (counts * (counts @ weights)).sum(axis=1) - sizes
    several = sizes > 1
    share = np.where(several, agreeing / np.maximum(sizes * (sizes - 1), 1), 0)
    return divide_or_nan(items @ share, items @ several.astype(np.float64))


def _category_shares(ratings: Ratings, items: FloatArray) -> FloatArray:
    """Return category frequencies, samples by categories; all rated items have equal weight."""
    rated = ratings.sizes > 0
    shares = ratings.counts / np.maximum(ratings.sizes, 1)[:, None]
    return divide_or_nan(items @ shares, (items @ rated.astype(np.float64))[:, None])


def fleiss_kappa(
    ratings: Ratings, items: FloatArray, *, weighting: Weighting = "identity"
) -> FloatArray:
    """Compute Fleiss' kappa: by chance, all judges draw from the overall category frequencies."""
    shares = _category_shares(ratings, items)
    weights = agreement_weights(ratings.values, weighting)
    expected: FloatArray = ((shares @ weights) * shares).sum(axis=1)
    return correct_for_chance(observed_agreement(ratings, items, weighting=weighting), expected)


def randolph_kappa(ratings: Ratings, items: FloatArray) -> FloatArray:
    """Compute Randolph's free-marginal kappa (Brennan-Prediger): by chance, draws are uniform."""
    observed = observed_agreement(ratings, items)
    return correct_for_chance(observed, np.full_like(observed, 1 / max(ratings.categories, 1)))


def gwet_ac(
    ratings: Ratings, items: FloatArray, *, weighting: Weighting = "identity"
) -> FloatArray:
    """Compute Gwet's AC1, or with weights AC2: by chance, judges guess on difficult items.

    Unlike kappa, it does not collapse if nearly all items belong to one category.
    """
    observed = observed_agreement(ratings, items, weighting=weighting)
    categories = ratings.categories
    if categories < 2:
        return np.full_like(observed, np.nan)
    shares = _category_shares(ratings, items)
    total = agreement_weights(ratings.values, weighting).sum()
    expected = total / (categories * (categories - 1)) * (shares * (1 - shares)).sum(axis=1)
    return correct_for_chance(observed, expected)


def _pair_kappas(
    ratings: Ratings,
    items: FloatArray,
    pairs: Sequence[tuple[int, int]],
    *,
    weighting: Weighting,
    pooled: bool,
) -> Iterator[FloatArray]:
    """Compute kappa (or pi) of every pair of judges on their common items, one value per sample.

    Crowd workers share few items, so the cost depends on the common judgments.
    """
    categories = ratings.categories
    weights = agreement_weights(ratings.values, weighting)
    seen = ratings.codes != MISSING
    by_item = items.T if seen.all() else np.ascontiguousarray(items.T)
    for first, second in pairs:
        common = np.flatnonzero(seen[:, first] & seen[:, second])
        chosen = by_item if len(common) == len(by_item) else by_item[common]
        a, b = ratings.codes[common, first], ratings.codes[common, second]
        # The number of items, the agreement, and both judges' categories.
        parts = np.zeros((2 + 2 * categories, len(common)))
        parts[0], parts[1] = 1, weights[a, b]
        parts[2 + a, np.arange(len(common))] = parts[2 + categories + b, np.arange(len(common))] = 1
        size, observed, *sums = parts @ chosen
        shares = divide_or_nan(np.array(sums), size)
        left, right = np.split(shares, 2)
        if pooled:
            left = right = (left + right) / 2
        expected = ((left if weighting == "identity" else weights @ left) * right).sum(axis=0)
        yield correct_for_chance(divide_or_nan(observed, size), expected)


def pair_kappa(
    ratings: Ratings,
    items: FloatArray,
    first: int,
    second: int,
    *,
    weighting: Weighting = "identity",
    pooled: bool = False,
) -> FloatArray:
    """Compute Cohen's kappa of two judges on common items; Scott's pi if chance is ``pooled``."""
    pair = [(first, second)]
    return next(_pair_kappas(ratings, items, pair, weighting=weighting, pooled=pooled))


def pair_agreement(ratings: Ratings, items: FloatArray, first: int, second: int) -> FloatArray:
    """Return the share of the items rated by both judges on which they agree."""
    a, b = ratings.codes[:, first], ratings.codes[:, second]
    both = (a != MISSING) & (b != MISSING)
    return divide_or_nan(
        items @ (both & (a == b)).astype(np.float64), items @ both.astype(np.float64)
    )


def _mean_over_pairs(
    ratings: Ratings,
    items: FloatArray,
    *,
    weighting: Weighting,
    pooled: bool,
    pairs: Sequence[tuple[int, int]] | None = None,
) -> FloatArray:
    total = np.zeros(len(items))
    defined = np.zeros(len(items))
    chosen = ratings.pairs if pairs is None else pairs
    for kappas in _pair_kappas(ratings, items, chosen, weighting=weighting, pooled=pooled):
        total += np.nan_to_num(kappas)
        defined += ~np.isnan(kappas)
    return divide_or_nan(total, defined)


def cohen_kappa(
    ratings: Ratings,
    items: FloatArray,
    *,
    weighting: Weighting = "identity",
    pairs: Sequence[tuple[int, int]] | None = None,
) -> FloatArray:
    """Compute Cohen's kappa of two judges, or its mean over (all) pairs (Light's kappa)."""
    return _mean_over_pairs(ratings, items, weighting=weighting, pooled=False, pairs=pairs)


def scott_pi(ratings: Ratings, items: FloatArray) -> FloatArray:
    """Compute Scott's pi of two judges, or its mean over all pairs."""
    return _mean_over_pairs(ratings, items, weighting="identity", pooled=True)


def krippendorff_alpha(
    ratings: Ratings, items: FloatArray, *, scale: Scale = "nominal"
) -> FloatArray:
    """Compute Krippendorff's alpha: 1 minus observed over expected disagreement on the scale."""
    counts = np.where(ratings.sizes[:, None] > 1, ratings.counts, 0)
    sizes = counts.sum(axis=1)
    others = np.maximum(sizes - 1, 1)
    marginals = items @ counts
    total = marginals.sum(axis=1)
    if scale == "nominal":
        observed = items @ ((sizes**2 - (counts**2).sum(axis=1)) / others)
        expected = total**2 - (marginals**2).sum(axis=1)
    else:
        # Distances are squared differences of positions, so that sums over pairs of ratings
        # become sums over ratings: half the sum of (x - y)² is n times Σx² minus (Σx)².
        positions = _positions(ratings, marginals, scale)
        spread = sizes[:, None] * (counts @ (positions**2).T) - (counts @ positions.T) ** 2
        observed = np.einsum("bi,ib->b", items, spread / others[:, None])
        expected = (
            total * (marginals * positions**2).sum(axis=1)
            - (marginals * positions).sum(axis=1) ** 2
        )
    return 1 - divide_or_nan(observed * (total - 1), expected)


def _positions(ratings: Ratings, marginals: FloatArray, scale: Scale) -> FloatArray:
    """Return the position of each category on the scale around the mean, samples by categories."""
    if scale == "ordinal":
        # Krippendorff's distance of two ranks is the number of ratings between them, with half of
        # those at both ends: a difference of midpoints, which differs between samples.
        positions = np.cumsum(marginals, axis=1) - marginals / 2
    else:
        positions = np.broadcast_to(ratings.values, marginals.shape)
    total = np.maximum(marginals.sum(axis=1), 1)
    mean = (marginals * positions).sum(axis=1) / total
    centred: FloatArray = positions - mean[:, None]
    return centred


def disagreement_rate(
    ratings: Ratings, items: FloatArray, judge: int, fine: Iterable[int]
) -> FloatArray:
    """Return the share of one judge's errors that another judge considers fine.

    All other judges of an item count; ``fine`` contains the categories that are not errors.
    """
    acceptable = np.isin(np.arange(ratings.categories), list(fine))
    said = ratings.codes[:, judge]
    errors = (said != MISSING) & ~acceptable[said]
    others = ratings.sizes - 1
    calling_fine = ratings.counts @ acceptable.astype(np.float64)
    return divide_or_nan(items @ (errors * calling_fine), items @ (errors * others))


def agreement_with_others(ratings: Ratings, items: FloatArray, judge: int) -> FloatArray:
    """Return the share of other judges' judgments of the same items that equal this judge's."""
    said = ratings.codes[:, judge]
    made = said != MISSING
    same = ratings.counts[np.arange(len(said)), said] - 1
    return divide_or_nan(items @ (made * same), items @ (made * (ratings.sizes - 1)))


def coefficients_for(scale: Scale) -> dict[str, Coefficient]:
    """Return the coefficients that are defined on a scale, by name, in display order."""
    found: dict[str, Coefficient] = {
        "observed_agreement": observed_agreement,
        "cohen_kappa": cohen_kappa,
    }
    if scale != "nominal":
        found |= {
            "cohen_kappa_linear": lambda r, w: cohen_kappa(r, w, weighting="linear"),
            "cohen_kappa_quadratic": lambda r, w: cohen_kappa(r, w, weighting="quadratic"),
        }
    found |= {
        "scott_pi": scott_pi,
        "fleiss_kappa": fleiss_kappa,
        "randolph_kappa": randolph_kappa,
        "krippendorff_alpha": lambda r, w: krippendorff_alpha(r, w, scale=scale),
        "gwet_ac1": gwet_ac,
    }
    if scale != "nominal":
        found["gwet_ac2"] = lambda r, w: gwet_ac(r, w, weighting="quadratic")
    return found


def evaluate(coefficient: Coefficient, ratings: Ratings) -> float | None:
    """Return the coefficient of all ratings, or None if it is undefined."""
    value = float(coefficient(ratings, np.ones((1, len(ratings.codes))))[0])
    return None if np.isnan(value) else value


def bootstrap_coefficients(
    coefficients: Mapping[str, Coefficient],
    ratings: Ratings,
    *,
    samples: int,
    rng: np.random.Generator,
    groups: IntArray | None = None,
) -> dict[str, FloatArray]:
    """Return each coefficient in each bootstrap sample of the items, or of groups of them."""
    if samples < 1:
        raise OptionError("the number of bootstrap samples must be at least 1")
    values: dict[str, list[FloatArray]] = {name: [] for name in coefficients}
    size = len(ratings.codes)
    for items in draw_bootstrap_blocks(size, samples, rng, cells=_BLOCK, groups=groups):
        for name, coefficient in coefficients.items():
            values[name].append(coefficient(ratings, items))
    return {name: np.concatenate(parts) for name, parts in values.items()}


def mean_agreement(
    ratings: Ratings, pairs: Iterable[tuple[int, int]]
) -> tuple[float | None, float | None]:
    """Return mean agreement and kappa of pairs of judges, ignoring undefined values."""
    given = list(pairs)
    means = []
    for coefficient in (pair_agreement, pair_kappa):
        each = [evaluate(partial(coefficient, first=a, second=b), ratings) for a, b in given]
        defined = [value for value in each if value is not None]
        means.append(float(np.mean(defined)) if defined else None)
    return means[0], means[1]


@dataclass(frozen=True)
class Statistic:
    """A coefficient of agreement and its confidence interval; None if undefined."""

    statistic: str
    value: float | None
    low: float | None = None
    high: float | None = None


def measure(
    coefficients: Mapping[str, Coefficient],
    ratings: Ratings,
    resampling: ResamplingOptions,
    groups: IntArray | None = None,
) -> dict[str, Statistic]:
    """Return each coefficient of the ratings, with a confidence interval if requested.

    With ``groups`` (a number from 0 for every item), whole groups are resampled.
    """
    found = {name: Statistic(name, evaluate(each, ratings)) for name, each in coefficients.items()}
    if not (found and resampling.bootstrap):
        return found
    drawn = bootstrap_coefficients(
        coefficients, ratings, samples=resampling.bootstrap, rng=resampling.rng(), groups=groups
    )
    return {
        name: one
        if one.value is None
        else Statistic(name, one.value, *interval_of(drawn[name], confidence=resampling.confidence))
        for name, one in found.items()
    }
