"""TrueSkill as Sakaguchi, Post and Van Durme (2014) adapted it to ranking systems.

Every system has an ability with a mean and a variance. One run plays one match per judgment (and
one more, as the published script does). In each match, the system with the largest variance meets
an opponent drawn with probability proportional to ``exp(-|difference of means|)``. The outcome is
a random judgment of that pair, and both systems are updated by the rules of Herbrich et al.
(2007). Because judgments are drawn, every run is a bootstrap sample.

All runs are played in parallel, with one match of each run per step. An opponent is proposed
uniformly and accepted with probability ``exp(-|difference|)``. A run whose proposal is rejected
plays no match in that step. This gives the published distribution without weighting every
opponent. If most proposals are rejected because abilities differ widely, opponents are weighted.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from redink.judging.rankings import FloatArray, IntArray, PairwiseTally
from redink.options import Limits, Needs, Options, Positive
from redink.progress import tell
from redink.statistics.distributions import normal_cdf, normal_density, normal_quantile

# Runs played in parallel (so that the arrays of a step fit the cache), and steps whose random
# numbers are drawn at once.
_RUNS_AT_ONCE = 4000
_STEPS_AT_ONCE = 64
# Below this share of accepted proposals, opponents are weighted instead of proposed.
_FEW_ACCEPTED = 0.5


_SKILL = Needs(method="trueskill", show="accuracy")


@dataclass(frozen=True)
class TrueSkillParameters(Options):
    """The parameters of TrueSkill, with the published values.

    Attributes:
        deviation: standard deviation of every ability before the first match (TrueSkill).
        draw_probability: probability of a tie between equal systems (TrueSkill).
        matches: matches of one run of TrueSkill. By default the number of judgments plus one.
        noise: deviation of a performance from the ability (TrueSkill's beta), in multiples of
            deviation x matches / 40.
    """

    deviation: Annotated[float, Limits(0, low_open=True), _SKILL] = 0.5
    draw_probability: Annotated[float, Limits(0, 1, low_open=True, high_open=True), _SKILL] = 0.25
    matches: Annotated[Positive | None, _SKILL] = None
    noise: Annotated[float, Limits(0, low_open=True), _SKILL] = 1.0

    def signature(self, method: str) -> dict[str, Any]:
        """Return the entries of a signature: the parameters, if this method uses them."""
        return asdict(self) if method == "trueskill" else {}


def draw_margin(draw_probability: float, beta: FloatArray | float) -> FloatArray:
    """Return the maximum difference of two performances that counts as a tie."""
    margin: FloatArray = np.asarray(normal_quantile((draw_probability + 1) / 2) * np.sqrt(2) * beta)
    return margin


def rate_matches(
    gap: FloatArray, variance: FloatArray, margin: FloatArray, outcome: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the factors by which the means and variances change after a match.

    A system's mean changes by its variance times ``shift`` (the second's by the negative), and its
    variance v becomes ``v * (1 - v * shrink)``.

    Args:
        gap: the mean of the first system minus that of the second.
        variance: the variance of the difference of performances (both variances plus 2 beta²).
        margin: the draw margin.
        outcome: 1 where the first won, -1 where the second did, 0 for a tie.
    """
    deviation = np.sqrt(variance)
    gap = gap / deviation
    margin = margin / deviation
    tied = np.flatnonzero(outcome == 0)
    won = gap * outcome - margin
    size, ties = len(won), len(tied)
    # One call each for the density and the distribution, because these calls are most of the cost.
    points = np.concatenate((won, margin[tied] - gap[tied], -margin[tied] - gap[tied]))
    density = normal_density(points)
    below = normal_cdf(points, density)

    shift = density[:size] / below[:size]
    shrink = (shift + won) * shift
    shift *= outcome
    upper, lower = slice(size, size + ties), slice(size + ties, None)
    inside = below[upper] - below[lower]
    tie_shift = (density[lower] - density[upper]) / inside
    shift[tied] = tie_shift
    shrink[tied] = (
        tie_shift**2 + (points[upper] * density[upper] - points[lower] * density[lower]) / inside
    )
    shift /= deviation
    shrink /= variance
    return shift, shrink


def trueskill(
    whole: PairwiseTally,
    runs: int,
    rng: np.random.Generator,
    *,
    parameters: TrueSkillParameters = TrueSkillParameters(),
) -> FloatArray:
    """Return the mean abilities after each run, in the shape ``(..., runs, systems)``.

    The axes of the tally before the systems (samples or folds) come first. The value is NaN for a
    system that was never compared.
    """
    size = len(whole.systems)
    shape = whole.wins.shape[:-2]
    schedule = _Schedule.of(whole, parameters)
    group = np.repeat(np.arange(len(schedule.matches)), runs)
    results = np.empty((len(group), size))
    for start in range(0, len(group), _RUNS_AT_ONCE):
        block = slice(start, start + _RUNS_AT_ONCE)
        results[block] = _play(schedule, group[block], parameters, rng, start, len(group))
    tell("TrueSkill", len(group), len(group))
    never = whole.compared.reshape(-1, size, size).sum(axis=-1) == 0
    results[never[group]] = np.nan
    return results.reshape(*shape, runs, size)


@dataclass(frozen=True)
class _Schedule:
    """Possible opponents and outcomes for each tally, in flat tables.

    Systems are in reverse order of their names: among equal variances, the published script takes
    the last name, and ``argmax`` takes the first position.
    """

    size: int
    matches: IntArray
    win: FloatArray
    win_or_tie: FloatArray
    opponents: IntArray
    opponent_count: FloatArray
    may_meet: NDArray[np.bool_]

    @classmethod
    def of(cls, whole: PairwiseTally, parameters: TrueSkillParameters) -> _Schedule:
        size = len(whole.systems)
        wins = whole.wins.reshape(-1, size, size)[:, ::-1, ::-1]
        ties = whole.ties.reshape(-1, size, size)[:, ::-1, ::-1]
        compared = wins + wins.transpose(0, 2, 1) + ties
        judgments = (compared.sum(axis=(1, 2)) / 2).astype(np.int64)
        matches = np.where(judgments > 0, parameters.matches or judgments + 1, 0)
        safe = np.maximum(compared, 1)
        # The opponents of each system come first; the others are never proposed.
        opponents = np.argsort(compared == 0, axis=-1, kind="stable")
        return cls(
            size,
            matches,
            (wins / safe).ravel(),
            ((wins + ties) / safe).ravel(),
            opponents.ravel(),
            (compared > 0).sum(axis=-1).astype(np.float64).ravel(),
            (compared > 0).reshape(-1, size),
        )


def _play(
    schedule: _Schedule,
    group: IntArray,
    parameters: TrueSkillParameters,
    rng: np.random.Generator,
    before: int,
    total: int,
) -> FloatArray:
    """Play all matches of some runs.

    ``group`` contains the tally of each run; ``before`` of the ``total`` runs have been played.
    """
    size, runs = schedule.size, len(group)
    means = np.zeros((runs, size))
    variances = np.full((runs, size), float(parameters.deviation) ** 2)
    first_row = group * size
    # A system without opponents must never have the largest variance.
    variances[schedule.opponent_count.reshape(-1, size)[group] == 0] = 0.0
    flat_means, flat_variances = means.reshape(-1), variances.reshape(-1)
    offset = np.arange(runs) * size

    matches = schedule.matches[group]
    beta = parameters.noise * parameters.deviation * matches / 40
    performance = np.maximum(2 * beta**2, np.finfo(float).tiny)
    margin = draw_margin(parameters.draw_probability, beta)
    left = matches.copy()
    longest = max(int(matches.max(initial=0)), 1)
    weigh = False
    while left.any():
        played = 1 - int(left.max()) / longest
        tell("TrueSkill", before + round(runs * played), total)
        steps = min(_STEPS_AT_ONCE, int(left.max()))
        before = int(np.minimum(left, steps).sum())
        left_before = int(left.sum())
        may_end = int(left.min()) <= steps
        for proposal, chance in rng.random((steps, 2, runs)):
            first = variances.argmax(axis=1)
            row = first + first_row
            if weigh:
                second = _weigh_opponents(means, first, row, proposal, schedule)
            else:
                at = row * size + (proposal * schedule.opponent_count.take(row)).astype(np.intp)
                second = schedule.opponents.take(at)
            pair = row * size + second
            first += offset
            second += offset
            gap = flat_means.take(first) - flat_means.take(second)
            if not weigh:
                # Accepted with probability exp(-|gap|); then it is again uniform below one.
                chance *= np.exp(np.abs(gap))  # noqa: PLW2901 (ours to overwrite)
            plays = chance < 1
            if may_end:
                plays &= left > 0
            left -= plays
            own, other = flat_variances.take(first), flat_variances.take(second)
            shift, shrink = rate_matches(
                gap, own + other + performance, margin, _outcome(chance, pair, schedule)
            )
            shift *= plays
            shrink *= plays
            flat_means[first] += own * shift
            flat_means[second] -= other * shift
            flat_variances[first] = own * (1 - own * shrink)
            flat_variances[second] = other * (1 - other * shrink)
        weigh = weigh or (left_before - int(left.sum())) < _FEW_ACCEPTED * before
    result: FloatArray = means[:, ::-1]
    return result


def _weigh_opponents(
    means: FloatArray,
    first: NDArray[np.intp],
    row: IntArray,
    proposal: FloatArray,
    schedule: _Schedule,
) -> NDArray[np.intp]:
    """Draw opponents with probability proportional to ``exp(-|difference of means|)``."""
    own = np.take_along_axis(means, first[:, None], axis=1)
    # Relative to the nearest opponent, because all weights could underflow.
    distance = np.where(schedule.may_meet[row], np.abs(means - own), np.inf)
    distance -= np.minimum(distance.min(axis=1, keepdims=True), np.finfo(float).max)
    reach = np.exp(-distance).cumsum(axis=1)
    second: NDArray[np.intp] = (reach <= proposal[:, None] * reach[:, -1:]).sum(axis=1)
    # A run without opponents plays nothing, but needs a valid number.
    second[second == means.shape[1]] = 0
    return second


def _outcome(chance: FloatArray, pair: NDArray[np.intp], schedule: _Schedule) -> FloatArray:
    """Return 1 below the share of wins, 0 below that of wins and ties, else -1."""
    wins = chance < schedule.win.take(pair)
    outcome: FloatArray = np.add(wins, chance < schedule.win_or_tie.take(pair), dtype=np.float64)
    outcome -= 1
    return outcome
