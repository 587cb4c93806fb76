"""``redink judge``: may a language model replace human judges, and how is it biased?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from redink.errors import DataError, MissingExtraError, OptionError, unknown_name
from redink.inputs.judgment_loading import JudgmentsLike, load_judgments
from redink.judging import model_judge
from redink.judging.labels import LabelOptions, find_fine, how_many, tabulate
from redink.judging.model_judge import AlternativeTest, JudgeData, Measure, Score
from redink.model import Definition, Judgment, Shown, Table, make_signature, table_of
from redink.options import Flag, Limits, Positive, command
from redink.statistics.agreement_coefficients import (
    Statistic,
    agreement_with_others,
    cohen_kappa,
    evaluate,
    measure,
    observed_agreement,
    pair_agreement,
    pair_kappa,
)
from redink.statistics.correlation import correlate_all
from redink.statistics.rate_correction import Calibration, correct_rate
from redink.statistics.ratings import MISSING, Ratings, make_ratings
from redink.statistics.resampling import FloatArray, ResamplingOptions

_SQLITE = b"SQLite format 3\0"
_POSITIVE = frozenset({"valid", "yes", "1", "true"})


@command
def judge(
    judgments: JudgmentsLike,
    *,
    model: str,
    epsilon: Annotated[float, Limits(0, 1)] = 0.2,
    score: Score = "accuracy",
    show: Literal["statistics", "people"] = "statistics",
    min_items: Positive = 30,
    positive: Annotated[Sequence[str], Flag(value="LABEL,...")] = (),
    own: Annotated[Sequence[str], Flag(value="SYSTEM,...")] = (),
    drift_at: Annotated[str | None, Flag(value="DATE")] = None,
    counting: LabelOptions = LabelOptions(),
    resampling: ResamplingOptions = ResamplingOptions(),
) -> Table:
    """Test whether a model may replace human judges, and measure its biases.

    The judgments have the form that ``agreement`` reads: the columns judge, item and label, or one
    column per judge; a campaign's database works too. One of the judges is the model; all others
    count as people. The first rows are
    the alternative annotator test (Calderon et al. 2025): winning_rate is the share of the people
    whom the model may replace (at least 0.5 passes), and advantage_probability the probability that
    the model is at least as close to the other people as a person is. Further rows show agreement
    with people, biases, accuracy on gold questions, and the rate of a label corrected for the
    model's errors.

    Args:
        judgments: labels of items by people and by the model: a file, or values.
        model: the judge that is a model.
        epsilon: advantage that the model gets because it costs less than a person: 0.2 if the
            people are experts, 0.15 if they are skilled, 0.1 for crowd workers.
        score: measure of closeness between judges: share of equal labels, or minus the root mean
            squared difference of numbers.
        show: the table to show: all statistics, or the test for every person.
        min_items: minimum number of items of a person to be tested.
        positive: labels whose rate is estimated. By default labels such as ok, valid or yes.
        own: names of systems that are the model itself, to measure preference for its own outputs.
        drift_at: date (ISO 8601); compare the agreement with people before this date and since.
        counting: judgments to include.
        resampling: confidence intervals.
        bootstrap: number of bootstrap samples of the items; 0 for no confidence intervals.

    Returns:
        A table with the columns ``statistic, value, low, high`` (for ``statistics``).
    """
    counted = counting.count(_load(judgments), repeated=True)
    data = _prepare(counted.judgments, model, score)
    test = model_judge.alternative_test(data, epsilon, min_items=min_items)
    chosen = _find_positive(counted.labels, positive, counting.ok)
    people, items = how_many(len(data.people), "human judge"), how_many(len(data.items), "item")
    notes = [f"{model} and {people} on {items}.", *counted.notes]
    if test.skipped:
        names = ", ".join(test.skipped[:5]) + (", …" if test.skipped[5:] else "")
        notes.append(f"Not tested, fewer than {min_items} items (--min-items): {names}.")
    signature = make_signature(
        "judge",
        model=model,
        epsilon=epsilon,
        score=score,
        min_items=min_items,
        positive=sorted(chosen) or None,
        own=list(own) or None,
        drift_at=drift_at,
        **counted.signature,
        **resampling.signature(),
    )
    if show == "people":
        return replace(_people(data, test), notes=tuple(notes), signature=signature)
    rows = [Statistic("winning_rate", test.winning_rate)]
    rows += model_judge.estimate(
        _measures(data, counted.judgments, test, chosen, own, drift_at, resampling, notes),
        model_judge.sentences_of(data),
        resampling,
    )
    rows[2:2] = _agreement(data, resampling)
    rows += _corrected_rates(data, counted.judgments, chosen, resampling.confidence, notes)
    undefined = [row.statistic for row in rows if row.value is None]
    if undefined:
        notes.append(f"Undefined (no such judgments): {', '.join(undefined)}.")
    about = "Alternative annotator test with epsilon {:g}; a winning rate of 0.5 or more passes."
    notes += [Definition(about.format(epsilon)), *map(Definition, _ABOUT)]
    return table_of(rows, notes=notes, signature=signature, title=f"Judge card of {model}")


_ABOUT = (
    "position_bias: share of choices of the option shown first minus the share by chance.",
    "self_consistency: share of equal labels among repeated judgments of an item by the model.",
    "leniency, length_bias, own_preference: differences between the model and people.",
    "worth_in_people: the number of people whose majority predicts another person as well.",
    "rate: uncorrected share of positive labels; the rows below are corrected by human labels.",
)


def _load(judgments: JudgmentsLike) -> tuple[Judgment, ...]:
    """Return the judgments of a file, or of a campaign, which is in a higher layer."""
    if isinstance(judgments, str | Path) and Path(judgments).is_file():
        with Path(judgments).open("rb") as stream:
            is_database = stream.read(len(_SQLITE)) == _SQLITE
        if is_database:
            try:
                results = import_module("redink.campaign.results")
            except ImportError as error:
                raise MissingExtraError(error.name or "sqlalchemy", "campaign") from error
            found: tuple[Judgment, ...] = results.read_judgments_of(judgments)
            return found
    return load_judgments(judgments)


def _prepare(judgments: Sequence[Judgment], model: str, score: Score) -> JudgeData:
    """Return the labels on the items that the model judged, as numbers."""
    judges = tuple(dict.fromkeys(judgment.judge for judgment in judgments))
    if model not in judges:
        raise unknown_name("judge", model, judges)
    if len(judges) == 1:
        raise DataError(f"there are no judges except {model!r}")
    matrix = tabulate(judgments)
    try:
        values = np.array([float(label) for label in matrix.labels])
        numeric = bool(np.isfinite(values).all())
    except ValueError:
        numeric = False
    if not numeric:
        if score == "rmse":
            raise OptionError("--score rmse needs labels that are numbers")
        values = np.arange(len(matrix.labels), dtype=float)
    labels = np.where(matrix.codes == MISSING, np.nan, values[matrix.codes])
    at = matrix.judges.index(model)
    used = ~np.isnan(labels[:, at])
    items = tuple(item for item, kept in zip(matrix.items, used, strict=True) if kept)
    return JudgeData(
        items=items,
        people=tuple(name for name in judges if name != model),
        human=np.delete(labels, at, axis=1)[used],
        model=labels[used, at],
        judgments=tuple(judgment for judgment in judgments if judgment.judge == model),
        code=dict(zip(matrix.labels, values.tolist(), strict=True)),
        numeric=numeric,
        score=score,
    )


def _find_positive(
    labels: Sequence[str], given: Sequence[str], ok: Sequence[str] | None
) -> frozenset[str]:
    """Return the labels whose rate is estimated; empty if unknown."""
    for label in given:
        if label not in labels:
            raise unknown_name("label", label, labels)
    if given:
        return frozenset(given)
    found = frozenset(find_fine(labels, ok))
    if not found and len(labels) == 2:
        found = frozenset(label for label in labels if label.casefold() in _POSITIVE)
    return found if len(found) < len(labels) else frozenset()


def _measures(
    data: JudgeData,
    judgments: Sequence[Judgment],
    test: AlternativeTest,
    positive: frozenset[str],
    own: Sequence[str],
    drift_at: str | None,
    resampling: ResamplingOptions,
    notes: list[str],
) -> dict[str, Measure]:
    """Return all statistics that are resampled; undefined ones are NaN."""
    people = [judgment for judgment in judgments if judgment.judge in set(data.people)]
    lenient = model_judge.leniency(data, positive)
    found: dict[str, Measure | None] = {
        "advantage_probability": test.measure,
        "position_bias": model_judge.position_bias(data, data.judgments),
        "position_bias_of_people": model_judge.position_bias(data, people),
        "self_consistency": model_judge.self_consistency(data),
        "length_bias": model_judge.length_bias(data, lenient),
        "leniency": None if lenient is None else model_judge.mean(lenient),
    }
    if own:
        found["own_preference"] = model_judge.own_preference(data, frozenset(own), lenient)
    if any(judgment.gold is not None for judgment in judgments):
        for name, given in (("", data.judgments), ("_of_people", people)):
            found[f"gold_accuracy{name}"] = model_judge.gold_accuracy(given, data.numbers)
    if drift_at is not None:
        found["drift"] = model_judge.drift(data, drift_at)
    worth = model_judge.worth_in_people(data, resampling.rng())
    found["worth_in_people"] = worth[0] if worth else None
    if worth and worth[0](np.ones((1, len(data.items))))[0] == worth[1]:
        notes.append(f"worth_in_people is {worth[1]} or more: items have no more human judges.")
    return {name: one or _undefined for name, one in found.items()}


def _undefined(weights: FloatArray) -> FloatArray:
    return np.full(len(weights), np.nan)


# ---- agreement with people, next to that of people with each other


def _ratings(data: JudgeData) -> Ratings:
    """Return the ratings of people and, in the last column, of the model."""
    values = np.array(sorted(set(data.code.values())))
    labels = np.column_stack([data.human, data.model])
    codes = np.where(np.isnan(labels), MISSING, np.searchsorted(values, labels))
    if data.numeric:
        return make_ratings(codes, values=values.tolist())
    return make_ratings(codes, categories=len(values))


def _agreement(data: JudgeData, resampling: ResamplingOptions) -> list[Statistic]:
    """Return agreement and kappa of the model with people, and of people with each other."""
    everybody = _ratings(data)
    last = everybody.judges - 1
    graded = data.numeric and everybody.categories > 2
    people = make_ratings(everybody.codes[:, :-1], values=everybody.values.tolist())
    rows: list[Statistic] = []
    for name, ratings, same in (
        ("with_people", everybody, partial(agreement_with_others, judge=last)),
        ("between_people", people, observed_agreement),
    ):
        pairs = [pair for pair in ratings.pairs if last in pair or ratings is people]
        kappa = partial(cohen_kappa, pairs=pairs)
        coefficients = {f"agreement_{name}": same, f"kappa_{name}": kappa}
        if graded:
            quadratic = partial(kappa, weighting="quadratic")
            coefficients[f"kappa_quadratic_{name}"] = quadratic
        rows += measure(coefficients, ratings, resampling).values()
        if graded:
            labels = np.column_stack([data.human, data.model])
            found = [_correlate(labels[:, a], labels[:, b])["spearman"] for a, b in pairs]
            known = [value for value in found if value is not None]
            rows.append(Statistic(f"spearman_{name}", float(np.mean(known)) if known else None))
    return rows


def _correlate(first: FloatArray, second: FloatArray) -> dict[str, float | None]:
    both = ~np.isnan(first) & ~np.isnan(second)
    return correlate_all(first[both], second[both])


@dataclass(frozen=True)
class _Person:
    judge: str
    items: int
    model_at_least: float | None
    person_at_least: float | None
    difference: float | None
    p: Annotated[float | None, Shown("p")]
    replaced: str | None
    common: int
    agreement: float | None
    kappa: float | None
    spearman: float | None
    pearson: float | None
    kendall: float | None


def _people(data: JudgeData, test: AlternativeTest) -> Table:
    """Return the test against every person, and the agreement of the model with that person."""
    ratings = _ratings(data)
    tested = {row.person: row for row in test.people}
    rows = []
    for number, name in enumerate(data.people):
        pair = (number, ratings.judges - 1)
        row, own = tested.get(name), data.human[:, number]
        empty: dict[str, float | None] = {"spearman": None, "pearson": None, "kendall": None}
        rows.append(
            _Person(
                judge=name,
                items=row.items if row else 0,
                model_at_least=row.model_at_least if row else None,
                person_at_least=row.person_at_least if row else None,
                difference=row.difference if row else None,
                p=row.p if row else None,
                replaced=("yes" if row.rejected else "no") if row else None,
                common=int((~np.isnan(own)).sum()),
                agreement=evaluate(partial(pair_agreement, first=pair[0], second=pair[1]), ratings),
                kappa=evaluate(partial(pair_kappa, first=pair[0], second=pair[1]), ratings),
                **(_correlate(own, data.model) if data.numeric else empty),
            )
        )
    return table_of(rows, _Person, title="The model and every human judge")


# ---- the corrected rate


def _corrected_rates(
    data: JudgeData,
    judgments: Sequence[Judgment],
    positive: frozenset[str],
    confidence: float,
    notes: list[str],
) -> list[Statistic]:
    """Return the rate of positive labels, corrected with the items that have human labels.

    The human label of an item is that of most people (none at a tie), otherwise the gold answer.
    The test set are the items without a human label; if there are none, all items.
    """
    if not positive:
        return []
    truth = _human_verdicts(data, judgments, positive)
    codes = [data.code[label] for label in positive]
    good = np.isin(data.model, codes)
    known = np.array([item in truth for item in data.items])
    human = np.array([truth.get(item, False) for item in data.items])
    if not known.any():
        return []
    tested = ~known if not known.all() else known
    counts = Calibration(
        good_as_good=int((known & human & good).sum()),
        good_as_bad=int((known & human & ~good).sum()),
        bad_as_good=int((known & ~human & good).sum()),
        bad_as_bad=int((known & ~human & ~good).sum()),
        size=int(tested.sum()),
        judged_good=int((tested & good).sum()),
    )
    named = "|".join(sorted(positive))
    notes.append(
        f"Rate of {named}: {how_many(int(known.sum()), 'item')} with human labels, "
        f"{int((~known).sum())} without."
    )
    if not counts.is_informative:
        notes.append(
            "No Rogan-Gladen estimate: sensitivity + specificity is not above 1, so the model's "
            "labels are no better than chance."
        )
    rows = {"sensitivity": counts.sensitivity, "specificity": counts.specificity}
    rows["rate"] = counts.rate
    statistics = [Statistic(n, None if np.isnan(v) else float(v)) for n, v in rows.items()]
    for name, one in correct_rate(counts, confidence).items():
        statistics.append(Statistic(name, one.estimate, one.low, one.high))
    return statistics


def _human_verdicts(
    data: JudgeData, judgments: Sequence[Judgment], positive: frozenset[str]
) -> dict[str, bool]:
    votes: dict[str, Counter[bool]] = {}
    people = set(data.people)
    for judgment in judgments:
        if judgment.judge in people:
            votes.setdefault(judgment.item, Counter())[judgment.label in positive] += 1
    gold = {j.item: j.gold in positive for j in judgments if j.gold is not None}
    majority = {i: v[True] > v[False] for i, v in votes.items() if v[True] != v[False]}
    return gold | majority
