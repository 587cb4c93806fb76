"""A language model as a judge: may it replace human judges, and how is it biased?

The alternative annotator test is that of Calderon, Reichart and Dror (ACL 2025). Every other
statistic is a mean over items or the difference of two such means, so its confidence interval comes
from resampling the items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from redink.model import Judgment
from redink.statistics.agreement_coefficients import Statistic
from redink.statistics.arrays import divide_or_nan
from redink.statistics.distributions import student_t_cdf
from redink.statistics.resampling import (
    FloatArray,
    IntArray,
    ResamplingOptions,
    draw_bootstrap_blocks,
    interval_of,
)

Score = Literal["accuracy", "rmse"]
Measure = Callable[[FloatArray], FloatArray]
"""A statistic as a function of the weights of the items (samples by items)."""


@dataclass(frozen=True)
class JudgeData:
    """The labels of people and of a model, as numbers; NaN where a label is missing.

    Attributes:
        items: IDs of the items that the model judged.
        people: names of the human judges.
        human: labels by people, items by people.
        model: labels by the model.
        judgments: all judgments by the model, with their further columns.
        code: the number of every label.
        numeric: whether the labels are numbers.
        score: how two judges are compared.
    """

    items: tuple[str, ...]
    people: tuple[str, ...]
    human: FloatArray
    model: FloatArray
    judgments: tuple[Judgment, ...]
    code: Mapping[str, float]
    numeric: bool
    score: Score
    numbers: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", {item: n for n, item in enumerate(self.items)})

    def closeness(self, labels: FloatArray, others: FloatArray) -> FloatArray:
        """Return how close a label of each item is to the labels of other judges.

        This is the share of equal labels, or minus the root mean squared difference.
        """
        known = ~np.isnan(others)
        sizes = known.sum(axis=1)
        if self.score == "accuracy":
            return divide_or_nan((known & (others == labels[:, None])).sum(axis=1), sizes)
        squares = np.where(known, (others - labels[:, None]) ** 2, 0).sum(axis=1)
        return -np.sqrt(divide_or_nan(squares, sizes))


# ---- the alternative annotator test


@dataclass(frozen=True)
class Replacement:
    """One person compared with the model on the items that another person judged too.

    Attributes:
        person: name of the person.
        items: number of items.
        model_at_least: share of the items on which the model is at least as close to the others.
        person_at_least: share on which the person is at least as close.
        difference: ``person_at_least`` minus ``model_at_least``.
        p: p-value of the one-sided t-test that the difference is below epsilon.
        rejected: whether the model has won against the person (Benjamini-Yekutieli).
    """

    person: str
    items: int
    model_at_least: float
    person_at_least: float
    difference: float
    p: float | None
    rejected: bool


@dataclass(frozen=True)
class AlternativeTest:
    """The result of the test; ``measure`` computes the advantage probability."""

    people: tuple[Replacement, ...]
    skipped: tuple[str, ...]
    measure: Measure | None

    @property
    def winning_rate(self) -> float | None:
        """The share of the tested people against whom the model wins."""
        return float(np.mean([p.rejected for p in self.people])) if self.people else None


def alternative_test(
    data: JudgeData, epsilon: float, *, min_items: int = 30, level: float = 0.05
) -> AlternativeTest:
    """Run the alternative annotator test; people with fewer than ``min_items`` items are skipped.

    If the difference of a person is epsilon on every item, the p-value is undefined and the model
    does not win, as in the program of the authors.
    """
    judged = (~np.isnan(data.human)).sum(axis=1) > 1
    rows: list[Replacement] = []
    skipped: list[str] = []
    points: list[FloatArray] = []
    for column, person in enumerate(data.people):
        own = data.human[:, column]
        used = judged & ~np.isnan(own)
        size = int(used.sum())
        if size < max(min_items, 2):
            skipped.append(person)
            continue
        others = np.delete(data.human, column, axis=1)[used]
        of_model = data.closeness(data.model[used], others)
        of_person = data.closeness(own[used], others)
        model, human = of_model >= of_person, of_person >= of_model
        point = np.full(len(used), np.nan)
        point[used] = model
        points.append(point)
        differences = human.astype(float) - model
        p = _p_below(differences, epsilon)
        means = float(model.mean()), float(human.mean())
        rows.append(Replacement(person, size, *means, float(differences.mean()), p, False))
    won = _benjamini_yekutieli([row.p for row in rows], level)
    rows = [replace(row, rejected=one) for row, one in zip(rows, won, strict=True)]
    if not points:
        return AlternativeTest((), tuple(skipped), None)
    wins = np.array(points)

    def advantage(weights: FloatArray) -> FloatArray:
        known = ~np.isnan(wins)
        shares = divide_or_nan(weights @ np.nan_to_num(wins).T, weights @ known.T.astype(float))
        return mean_of_defined(shares)

    return AlternativeTest(tuple(rows), tuple(skipped), advantage)


def _p_below(values: FloatArray, bound: float) -> float | None:
    """Return the p-value of the one-sample t-test that the mean is below the bound."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    distance = values.mean() - bound
    if error == 0:
        return None if distance == 0 else float(distance > 0)
    return student_t_cdf(len(values) - 1, float(distance / error))


def _benjamini_yekutieli(p_values: Sequence[float | None], level: float) -> list[bool]:
    size = len(p_values)
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    step = level / size / sum(1 / i for i in range(1, size + 1)) if size else 0.0
    last = max((rank for rank, (p, _) in enumerate(known, 1) if p <= rank * step), default=0)
    rejected = {place for _, place in known[:last]}
    return [place in rejected for place in range(size)]


def mean_of_defined(values: FloatArray) -> FloatArray:
    """Return the mean of each row without undefined values."""
    known = ~np.isnan(values)
    return divide_or_nan(np.nan_to_num(values).sum(axis=-1), known.sum(axis=-1))


# ---- biases


def sentences_of(data: JudgeData) -> IntArray:
    """Return the number of the sentence of every item, or of the item without such a column."""
    names = [
        name or f"item {item}"
        for name, item in zip(column(data, ["sentence"]), data.items, strict=True)
    ]
    numbers = {name: at for at, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names])


def estimate(
    measures: Mapping[str, Measure], groups: IntArray, resampling: ResamplingOptions
) -> list[Statistic]:
    """Return every statistic with its bootstrap confidence interval over groups of items."""
    size = len(groups)
    drawn: dict[str, list[FloatArray]] = {name: [] for name in measures}
    if resampling.bootstrap:
        rng = resampling.rng()
        for weights in draw_bootstrap_blocks(size, resampling.bootstrap, rng, groups=groups):
            for name, measure in measures.items():
                drawn[name].append(measure(weights))
    rows = []
    for name, measure in measures.items():
        value = float(measure(np.ones((1, size)))[0])
        if np.isnan(value):
            rows.append(Statistic(name, None))
            continue
        values = np.concatenate(drawn[name]) if drawn[name] else None
        low, high = (
            (None, None)
            if values is None
            else interval_of(values, confidence=resampling.confidence)
        )
        rows.append(Statistic(name, value, low, high))
    return rows


def share(above: FloatArray, below: FloatArray) -> Measure:
    """Return the statistic "sum of ``above`` over sum of ``below``"."""
    return lambda weights: divide_or_nan(weights @ above, weights @ below)


def mean(values: FloatArray) -> Measure:
    """Return the mean of the defined values."""
    return share(np.nan_to_num(values), (~np.isnan(values)).astype(float))


def minus(first: Measure, second: Measure) -> Measure:
    """Return the difference of two statistics."""
    return lambda weights: first(weights) - second(weights)


def chosen_more_often(data: JudgeData, options: Sequence[str]) -> FloatArray:
    """Return, for every item, whether the model chose an option minus the share of people who did.

    Items are undefined if the option is no label, or if a judge is missing.
    """
    codes = np.array([data.code.get(option, np.nan) for option in options])
    people = mean_of_defined(np.where(np.isnan(data.human), np.nan, data.human == codes[:, None]))
    return np.where(np.isnan(codes), np.nan, (data.model == codes) - people)


def leniency(data: JudgeData, positive: frozenset[str]) -> FloatArray | None:
    """Return how much higher the model's label of each item is than the mean of the people.

    Labels that are no numbers count 1 if they are positive, else 0.
    """
    if positive:
        codes = [data.code[label] for label in positive if label in data.code]
        model = np.where(np.isnan(data.model), np.nan, np.isin(data.model, codes))
        human = np.where(np.isnan(data.human), np.nan, np.isin(data.human, codes))
    elif data.numeric:
        model, human = data.model, data.human
    else:
        return None
    return model - mean_of_defined(human)


_LISTS = ("shown", "order")
_FIRST = frozenset({"first", "left", "a", "model_a"})
_SECOND = frozenset({"second", "right", "b", "model_b"})
_TIES = frozenset({"tie", "equal", "draw", "both", "neither", "same", "none"})


def chosen_position(judgment: Judgment, *, by_label: bool) -> tuple[int, int] | None:
    """Return the position (from 0) of the chosen option, and the number of options shown.

    The position comes from a column ``shown`` with the options in the order shown (separated by
    ``|``, or by whitespace), or from the label itself: first and second, or A and B.
    """
    extra = {name.casefold(): value for name, value in judgment.extra}
    given = next((extra[name] for name in _LISTS if extra.get(name)), None)
    if given is not None:
        options = [o.strip() for o in (given.split("|") if "|" in given else given.split())]
        if judgment.label in options and len(options) > 1:
            return options.index(judgment.label), len(options)
        return None
    label = judgment.label.casefold()
    return (int(label in _SECOND), 2) if by_label and label in _FIRST | _SECOND else None


def position_bias(data: JudgeData, judgments: Sequence[Judgment]) -> Measure | None:
    """Return the share of choices of the first option minus the share expected by chance."""
    numbers, labels = data.numbers, {label.casefold() for label in data.code}
    above, below = np.zeros(len(numbers)), np.zeros(len(numbers))
    both = bool(labels & _FIRST) and bool(labels & _SECOND)  # "right" may also mean correct
    by_label = both and labels <= _FIRST | _SECOND | _TIES
    for judgment in judgments:
        place = chosen_position(judgment, by_label=by_label)
        if place is not None and judgment.item in numbers:
            above[numbers[judgment.item]] += (place[0] == 0) - 1 / place[1]
            below[numbers[judgment.item]] += 1
    return share(above, below) if below.any() else None


def self_consistency(data: JudgeData) -> Measure | None:
    """Return the share of equal labels among pairs of judgments of one item by the model."""
    answers: dict[str, list[str]] = {}
    for judgment in data.judgments:
        answers.setdefault(judgment.item, []).append(judgment.label)
    above, below = np.zeros(len(data.items)), np.zeros(len(data.items))
    for item, labels in answers.items():
        pairs = len(labels) * (len(labels) - 1)
        if pairs:
            same = sum(labels.count(label) - 1 for label in labels)
            above[data.numbers[item]], below[data.numbers[item]] = same / pairs, 1
    return share(above, below) if below.any() else None


def column(data: JudgeData, names: Sequence[str]) -> list[str | None]:
    """Return a further column of the model's judgments, for every item."""
    found: list[str | None] = [None] * len(data.items)
    for judgment in data.judgments:
        extra = {name.casefold(): value for name, value in judgment.extra}
        value = next((extra[name] for name in names if name in extra), None)
        found[data.numbers[judgment.item]] = value
    return found


_TEXTS = ("output", "hypothesis", "corrected", "text")


def length_bias(data: JudgeData, lenient: FloatArray | None) -> Measure | None:
    """Return how much the model prefers long texts, compared with people.

    With a column ``longer`` that names the longer option: how much more often the model chooses it
    than people. With ``length``, or a text: leniency for texts longer than the median, minus
    leniency for the others.
    """
    longer = column(data, ["longer"])
    if any(longer):
        return mean(chosen_more_often(data, [one or "" for one in longer]))
    lengths = np.array([_to_number(cell) for cell in column(data, ["length"])])
    if np.isnan(lengths).all():
        texts = column(data, _TEXTS)
        lengths = np.array([np.nan if text is None else len(text.split()) for text in texts])
    if lenient is None or np.isnan(lengths).all():
        return None
    middle = np.nanmedian(lengths)
    return minus(
        mean(np.where(lengths > middle, lenient, np.nan)),
        mean(np.where(lengths <= middle, lenient, np.nan)),
    )


def own_preference(
    data: JudgeData, own: frozenset[str], lenient: FloatArray | None
) -> Measure | None:
    """Return how much the model prefers outputs of its own, compared with people.

    With a column ``system``: leniency for its own outputs minus leniency for the others. If labels
    are names of systems: how much more often the model chooses its own than people.
    """
    chosen = [name for name in data.code if name in own]
    if chosen:
        return mean(
            np.sum([chosen_more_often(data, [n] * len(data.items)) for n in chosen], axis=0)
        )
    systems = column(data, ["system"])
    mine = np.array([name in own for name in systems])
    if lenient is None or not mine.any() or mine.all():
        return None
    return minus(
        mean(np.where(mine, lenient, np.nan)),
        mean(np.where(mine | [name is None for name in systems], np.nan, lenient)),
    )


def _to_number(cell: str | None) -> float:
    try:
        return float(cell or "nan")
    except ValueError:
        return np.nan


def gold_accuracy(judgments: Iterable[Judgment], numbers: Mapping[str, int]) -> Measure | None:
    """Return the share of correct answers to gold questions."""
    above, below = np.zeros(len(numbers)), np.zeros(len(numbers))
    for judgment in judgments:
        if judgment.gold is not None and judgment.item in numbers:
            above[numbers[judgment.item]] += judgment.label == judgment.gold
            below[numbers[judgment.item]] += 1
    return share(above, below) if below.any() else None


def drift(data: JudgeData, date: str) -> Measure | None:
    """Return the agreement with people from a date on, minus the agreement before it."""
    times = {judgment.item: judgment.time for judgment in data.judgments}
    given = [times[item] for item in data.items]
    same = data.human == data.model[:, None]
    equal = mean_of_defined(np.where(np.isnan(data.human), np.nan, same))
    later = np.array([time is not None and time >= date for time in given])
    unknown = np.array([time is None for time in given])
    if not later.any() or (later | unknown).all():
        return None
    return minus(
        mean(np.where(later, equal, np.nan)), mean(np.where(later | unknown, np.nan, equal))
    )


# ---- the value of one answer in people


def worth_in_people(
    data: JudgeData, rng: np.random.Generator, *, draws: int = 50, min_items: int = 10
) -> tuple[Measure, int] | None:
    """Return how many people one answer of the model is worth, and the largest number compared.

    Each item's label by one random person is predicted by the model, and by k of the other people:
    by their most frequent label (or, with ``rmse``, by their mean). The answer is the k at which
    the people are as close as the model, interpolated between two numbers of people; 0 people
    predict the most frequent label (the mean) of all items.
    """
    sizes = (~np.isnan(data.human)).sum(axis=1)
    largest = max(
        (k for k in range(1, sizes.max(initial=0)) if (sizes > k).sum() >= min_items), default=0
    )
    if not largest:
        return None
    gains = np.full((len(data.items), largest + 1), np.nan)
    known = data.human[~np.isnan(data.human)]
    values, counts = np.unique(known, return_counts=True)
    prior = known.mean() if data.score == "rmse" else values[counts.argmax()]
    for item in np.flatnonzero(sizes > 1):
        labels = data.human[item][~np.isnan(data.human[item])]
        drawn = rng.permuted(np.tile(labels, (draws, 1)), axis=1)[:, : largest + 1]
        target, rest = drawn[:, 0], drawn[:, 1:]
        model = _accuracy(np.full(draws, data.model[item]), target, data.score)
        gains[item, 0] = (_accuracy(np.full(draws, prior), target, data.score) - model).mean()
        for k in range(1, rest.shape[1] + 1):
            gains[item, k] = (_crowd_accuracy(rest[:, :k], target, data.score) - model).mean()
    measures = [mean(gains[:, k]) for k in range(largest + 1)]

    def worth(weights: FloatArray) -> FloatArray:
        return _crossing(np.array([measure(weights) for measure in measures]).T)

    return worth, largest


def _accuracy(guess: FloatArray, target: FloatArray, score: Score) -> FloatArray:
    if score == "rmse":
        return np.asarray(-((guess - target) ** 2))
    return np.asarray(guess == target, dtype=float)


def _crowd_accuracy(labels: FloatArray, target: FloatArray, score: Score) -> FloatArray:
    """Return the accuracy of the most frequent label (each of them, if there are several)."""
    if score == "rmse":
        return _accuracy(labels.mean(axis=1), target, score)
    votes = (labels[:, :, None] == labels[:, None, :]).sum(axis=2)
    top = votes == votes.max(axis=1, keepdims=True)
    # A label with n votes is counted n times, so each of its votes has the weight 1/n.
    weights = top / votes
    right = (weights * (labels == target[:, None])).sum(axis=1)
    return np.asarray(right / weights.sum(axis=1))


def _crossing(gains: FloatArray) -> FloatArray:
    """Return the first number of people, interpolated, at which the gain over the model is 0."""
    found = np.full(len(gains), np.nan)
    for row, gain in enumerate(gains):
        if np.isnan(gain).any():
            continue
        above = np.flatnonzero(gain >= 0)
        if not len(above):
            found[row] = len(gain) - 1
        elif above[0] == 0:
            found[row] = 0
        else:
            k = above[0]
            found[row] = k - gain[k] / (gain[k] - gain[k - 1])
    return found
