"""``redink attribute``: the effect of every edit of a system on the score of its sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import combinations
from math import factorial
from typing import Annotated, Literal, Self

import numpy as np

from redink.evaluation import Evaluation, EvaluationOptions
from redink.inputs.input_options import ReferenceLike, SystemsLike
from redink.model import (
    Annotation,
    Definition,
    Hypotheses,
    Sentence,
    Shown,
    Table,
    apply_edits,
    table_of,
)
from redink.options import Limits, Seed, command
from redink.reports.table_formats import group_by
from redink.scoring.engine import sentence_scores
from redink.scoring.errant import Errant
from redink.scoring.metric import Metric, defined
from redink.scoring.specs import MetricDefaults, Metrics, make_metrics

Method = Literal["shapley", "add", "sub"]
Subset = frozenset[int]
_ORDERS = 100
_Effect = Annotated[float | None, Shown("score")]


@dataclass(frozen=True)
class Attribution:
    """The effect of an edit; ``difference`` is the score of the output minus that of the source."""

    metric: str
    system: str
    sentence: str | int
    start: int
    end: int
    source: str
    correction: str
    type: str
    effect: _Effect
    difference: _Effect


@dataclass(frozen=True)
class TypeAttribution:
    """The mean effect of the edits of a type, and how many raise and lower the score."""

    metric: str
    system: str
    type: str
    edits: int
    effect: _Effect
    raising: int
    lowering: int


@command
def attribute(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    metrics: Metrics = ("gleu",),
    metric_defaults: MetricDefaults = MetricDefaults(),
    method: Method = "shapley",
    by: Literal["edit", "type"] = "edit",
    exact: Annotated[int, Limits(0, 16)] = 10,
    seed: Seed = 1,
) -> Table:
    """Attribute the score of every sentence to its edits.

    The effects of the edits of a sentence add up to the score of the output minus the score of the
    source. The score is that of the single sentence.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: the systems by name, as for ``score``: text, or M2 with the edits to examine.
        evaluation_options: how references and systems are read, aligned and annotated.
        metrics: metrics, with options in parentheses; in Python also functions of a sentence.
        metric_defaults: options that apply to all metrics that have them.
        method: mean effect over all orders of the edits (shapley), effect of the edit alone (add),
            or effect of removing only this edit (sub). The effects of add and sub are scaled so
            that they add up to the difference.
        by: show every edit, or the mean effect of every error type.
        exact: maximum number of edits of a sentence for exact Shapley values. With more edits, the
            values are estimated from 100 random orders.
        seed: random seed.

    Returns:
        One row per edit (or error type) of every system under every metric.
    """
    given = make_metrics(metrics, metric_defaults)
    loaded = Evaluation.load(reference, systems, evaluation_options)
    notes = loaded.check()
    # the edits of the systems are needed even if no metric needs them
    ready = loaded.supply_edits([*given, Errant()])
    play = partial(_Game.make, method=method, exact=exact, rng=np.random.default_rng(seed))
    found = [row for system in ready.systems for row in _attribute(loaded, system, given, play)]
    order = [metric.label for metric in given]
    rows = sorted(found, key=lambda row: order.index(row.metric))
    return table_of(
        rows if by == "edit" else list(_by_type(rows)),
        Attribution if by == "edit" else TypeAttribution,
        notes=[*notes, *_notes(ready, exact if method == "shapley" else None)],
        signature=loaded.signature("attribute", given, method=method, exact=exact, seed=seed),
        groups="metric",
    )


def _attribute(
    loaded: Evaluation,
    system: Hypotheses,
    metrics: Sequence[Metric],
    play: Callable[[int], _Game],
) -> Iterator[Attribution]:
    """Score every sentence with subsets of its edits, all in one corpus, and compare the scores."""
    edits = [versions[0].edits if versions else () for versions in system.annotations or ()]
    games = {at: play(len(own)) for at, own in enumerate(edits) if own}
    variants = [(at, subset) for at, game in games.items() for subset in game.subsets]
    if not variants:
        return
    sources = loaded.references.sources
    parts = [tuple(e for n, e in enumerate(edits[at]) if n in subset) for at, subset in variants]
    texts = tuple(
        Sentence(apply_edits(sources[at].tokens, part))
        for (at, _), part in zip(variants, parts, strict=True)
    )
    versions = tuple((Annotation(system.name, part),) for part in parts)
    corpus = replace(
        loaded,
        references=loaded.references.take([at for at, _ in variants]),
        systems=(Hypotheses(system.name, texts, versions),),
        own={},
    )
    single = {_of_sentences(metric): metric.label for metric in metrics}
    for each in corpus.collect(tuple(single), fit=False)[0]:
        values = [np.nan if value is None else value for value in sentence_scores(each)]
        scores = dict(zip(variants, values, strict=True))
        for at, game in games.items():
            score = {subset: float(scores[at, subset]) for subset in game.subsets}
            number = at if loaded.kept is None else loaded.kept[at]
            for edit, effect in zip(edits[at], game.effects(score), strict=True):
                yield Attribution(
                    metric=single[each.metric],
                    system=system.name,
                    sentence=sources[at].id or number + 1,
                    start=edit.start,
                    end=edit.end,
                    source=" ".join(sources[at].tokens[edit.start : edit.end]),
                    correction=edit.correction,
                    type=edit.type,
                    effect=defined(effect),
                    difference=defined(score[game.everything] - score[frozenset()]),
                )


def _of_sentences(metric: Metric) -> Metric:
    """Return the metric whose scores of sentences do not depend on the other sentences."""
    names = {field.name for field in fields(metric)}
    return replace(metric, average="sentence") if "average" in names else metric


@dataclass(frozen=True)
class _Game:
    """The subsets of the edits of a sentence to score, and the effects of the edits."""

    size: int
    method: Method
    orders: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def make(cls, size: int, *, method: Method, exact: int, rng: np.random.Generator) -> Self:
        drawn = range(_ORDERS if method == "shapley" and size > exact else 0)
        return cls(size, method, tuple(tuple(rng.permutation(size).tolist()) for _ in drawn))

    @property
    def everything(self) -> Subset:
        return frozenset(range(self.size))

    def without(self, edit: int) -> Subset:
        return self.everything - {edit}

    @cached_property
    def subsets(self) -> tuple[Subset, ...]:
        each = range(self.size)
        some: Iterator[Subset]
        if self.method != "shapley":
            alone = (frozenset({n}) for n in each)
            some = alone if self.method == "add" else map(self.without, each)
        elif self.orders:
            some = (frozenset(order[:k]) for order in self.orders for k in each)
        else:
            some = (frozenset(one) for k in each for one in combinations(each, k))
        return tuple(dict.fromkeys((frozenset[int](), *some, self.everything)))

    def effects(self, score: Mapping[Subset, float]) -> list[float]:
        """Return the effect of every edit."""
        nothing, everything, each = score[frozenset()], score[self.everything], range(self.size)
        if self.method == "add":
            return _scale([score[frozenset({n})] - nothing for n in each], everything - nothing)
        if self.method == "sub":
            return _scale([everything - score[self.without(n)] for n in each], everything - nothing)
        effects = [0.0] * self.size
        for order in self.orders:
            for place, n in enumerate(order):
                before = frozenset(order[:place])
                effects[n] += (score[before | {n}] - score[before]) / len(self.orders)
        for before in () if self.orders else self.subsets[:-1]:
            ways = factorial(len(before)) * factorial(self.size - len(before) - 1)
            for n in self.everything - before:
                gain = score[before | {n}] - score[before]
                effects[n] += ways / factorial(self.size) * gain
        return effects


def _scale(effects: Sequence[float], total: float) -> list[float]:
    """Scale effects so that they sum to the total; all are 0 if their sum is 0."""
    whole = sum(effects)
    return [one * total / whole if whole else 0.0 for one in effects]


def _by_type(rows: Sequence[Attribution]) -> Iterator[TypeAttribution]:
    groups = group_by(rows, lambda row: (row.metric, row.system, row.type))
    places = {(row.metric, row.system): place for place, row in enumerate(reversed(rows))}
    order = sorted(groups, key=lambda key: (-places[key[:2]], -len(groups[key])))
    for metric, system, kind in order:
        members = groups[metric, system, kind]
        known = [row.effect for row in members if row.effect is not None]
        raising, lowering = (sum(sign * one > 0 for one in known) for sign in (1, -1))
        mean = float(np.mean(known)) if known else None
        yield TypeAttribution(metric, system, kind, len(members), mean, raising, lowering)


def _notes(ready: Evaluation, exact: int | None) -> Iterator[str]:
    several = [v for system in ready.systems for v in system.annotations or () if v]
    if exact is None:
        yield (
            "Effects are scaled to the difference: they are large or have the other sign if the "
            "effects of the single edits nearly cancel out."
        )
    elif large := sum(len(versions[0].edits) > exact for versions in several):
        yield f"{large} sentences with more than {exact} edits: Shapley values of {_ORDERS} orders"
    yield Definition("effect: share of the difference between the scores of output and source")
