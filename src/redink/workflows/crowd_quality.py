"""Tables about the crowd itself: its workers, what removing them changes, how many it takes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from redink.errors import DataError
from redink.judging.crowd import count_against, error_votes, majority
from redink.judging.crowd_size import SizePoint, crowd_size_curve, smallest_matching
from redink.judging.dawid_skene import fit_dawid_skene
from redink.judging.quality import worst_first
from redink.model import Column, Table
from redink.model.tables import make_table
from redink.statistics.agreement import (
    evaluate,
    interval_of,
    krippendorff_alpha,
    pair_agreement,
    pair_kappa,
)
from redink.statistics.intervals import wilson_interval
from redink.statistics.ratings import MISSING, Ratings, make_ratings
from redink.statistics.resampling import FloatArray
from redink.workflows.crowd_data import CrowdData


def worker_table(data: CrowdData, *, level: float, signature: dict[str, Any]) -> Table:
    """Every worker's record: on gold questions, against the others, and as Dawid-Skene sees it."""
    codes = data.everyone.codes
    ratings = data.everyone.ratings()
    believed = fit_dawid_skene(ratings).accuracies()
    rows = []
    for number, record in enumerate(data.records):
        said = codes[:, number]
        made = said != MISSING
        others = (ratings.sizes - 1)[made].sum()
        same = (ratings.counts[made, said[made]] - 1).sum()
        interval = wilson_interval(record.right, record.asked, level=level)
        rows.append(
            {
                "worker": record.judge,
                "judgments": record.judgments,
                "gold": record.asked,
                "accuracy": record.accuracy,
                "low": float(interval.low) if record.asked else None,
                "high": float(interval.high) if record.asked else None,
                "agreement": float(same / others) if others else None,
                "estimated_accuracy": float(believed[number]),
                "removed": record.judge in data.removed,
            }
        )
    notes = [
        *data.notes,
        (
            "accuracy: on gold questions, with Wilson's interval; agreement: with other workers; "
            "estimated_accuracy: by Dawid and Skene's model, which needs no gold."
        ),
    ]
    if not data.gold:
        notes.append("accuracy is undefined: there are no gold questions (a column gold).")
    columns = [
        Column("worker"),
        Column("judgments", "count"),
        Column("gold", "count"),
        Column("accuracy", "rate"),
        Column("low", "rate"),
        Column("high", "rate"),
        Column("agreement", "rate"),
        Column("estimated_accuracy", "rate"),
        Column("removed"),
    ]
    return make_table(columns, rows, notes=notes, signature=signature, title="The workers")


def removal_table(data: CrowdData, *, signature: dict[str, Any]) -> Table:
    """What changes when workers are removed one after the other, the worst on gold first.

    With a threshold those below it are removed; without one, all but the best two.
    """
    if not data.gold:
        raise DataError("removing workers needs gold questions: a column gold with known answers")
    order = worst_first(data.records)
    if data.options.gold_threshold is not None:
        order = [record for record in order if record.judge in data.removed]
    else:
        order = order[:-2]
    # Quality control has been applied to the data already; here it is applied step by step.
    items = set(data.matrix.items)
    whole = replace(data, matrix=data.everyone.only_items(items)).without(())
    before = majority(whole.shares, data.options.ties)
    rows = [*_removal_rows(whole, "(nobody)", None, before)]
    gone: list[str] = []
    for record in order:
        gone.append(record.judge)
        now = whole.without(gone)
        rows += _removal_rows(now, record.judge, record.accuracy, before)
        before = majority(now.shares, data.options.ties)
    columns = [
        Column("removed"),
        Column("accuracy", "rate"),
        Column("judgments", "count"),
        Column("changed", "count"),
        Column("alpha", "rate"),
    ]
    if data.experts is not None:
        columns += [Column("expert_agreement", "rate"), Column("expert_kappa", "rate")]
    if data.systems:
        columns += [Column("system")]
        columns += [
            Column(f"{measure}{kind}", "rate")
            for kind in ("", "_weighted")
            for measure in ("precision", "recall")
        ]
    notes = [
        *data.notes,
        (
            "Each row removes one more worker; judgments: those left; changed: items whose "
            "majority is another than in the row before; alpha: Krippendorff's, of those left."
        ),
    ]
    return make_table(
        columns,
        rows,
        notes=notes,
        signature=signature,
        groups="removed",
        title="What removing workers changes",
    )


def _removal_rows(
    data: CrowdData, worker: str, accuracy: float | None, before: FloatArray
) -> list[dict[str, Any]]:
    truths = data.truths()
    now = truths["plain"]
    same = (now == before) | (np.isnan(now) & np.isnan(before))
    votes = make_ratings(data.votes, categories=2)
    row: dict[str, Any] = {
        "removed": worker,
        "accuracy": accuracy,
        "judgments": int(votes.sizes.sum()),
        "changed": int((~same).sum()),
        "alpha": evaluate(krippendorff_alpha, votes),
    }
    if data.experts is not None:
        row["expert_agreement"], row["expert_kappa"] = _against_experts(data, now)
    rows = []
    for system in data.systems:
        flags, says = data.flags(system)
        plain = count_against(flags, now * says)
        weighted = count_against(flags, truths["weighted"] * says)
        rows.append(
            {
                **row,
                "system": system.name,
                "precision": plain.precision.value,
                "recall": plain.recall.value,
                "precision_weighted": weighted.precision.value,
                "recall_weighted": weighted.recall.value,
            }
        )
    return rows or [row]


def _against_experts(data: CrowdData, truth: FloatArray) -> tuple[float | None, float | None]:
    """Mean agreement and kappa of the crowd's majority with each expert, on error or not."""
    assert data.experts is not None
    theirs = error_votes(data.experts, data.fine)
    ours = np.where(np.isnan(truth), MISSING, truth).astype(np.int64)
    ratings = make_ratings(np.column_stack([ours, theirs]), categories=2)
    return _mean_with_first(ratings)


def _mean_with_first(ratings: Ratings) -> tuple[float | None, float | None]:
    """Mean agreement and kappa of the first column with each of the others."""
    items = np.ones((1, len(ratings.codes)))
    pairs = [
        (
            float(pair_agreement(ratings, items, 0, other)[0]),
            float(pair_kappa(ratings, items, 0, other)[0]),
        )
        for other in range(1, ratings.judges)
    ]
    means = []
    for values in zip(*pairs, strict=True):
        defined = [value for value in values if not np.isnan(value)]
        means.append(float(np.mean(defined)) if defined else None)
    return means[0], means[1]


def size_table(
    data: CrowdData,
    *,
    draws: int,
    level: float,
    all_labels: bool,
    rng: np.random.Generator,
    signature: dict[str, Any],
) -> Table:
    """Agreement and kappa of crowds of every size with the experts, and of experts themselves."""
    if data.experts is None:
        raise DataError("to match experts there must be some; say who (--experts NAME,...)")
    if all_labels:
        crowd, experts = data.matrix.codes, data.experts.codes
        labels = len(data.matrix.labels)
    else:
        crowd, experts, labels = data.votes, error_votes(data.experts, data.fine), 2
    points = list(crowd_size_curve(crowd, experts, labels, draws=draws, rng=rng))
    rows = [_size_row(point, level) for point in points]
    notes = [
        *data.notes,
        (
            f"size: judges drawn at random for every item, {draws} times; their most frequent "
            f"label against each expert's. low, high: the middle {100 * level:g} % of the draws."
        ),
    ]
    between = _between_experts(make_ratings(experts, categories=labels))
    if between is not None:
        rows.append(
            {
                "size": "experts",
                "items": between[0],
                "agreement": between[1],
                "kappa": between[2],
                "agreement_low": None,
                "agreement_high": None,
                "kappa_low": None,
                "kappa_high": None,
            }
        )
        match = smallest_matching(points, between[1])
        notes.append(
            f"A crowd of {match} agrees with an expert as much as experts do with each other."
            if match
            else "No crowd here agrees with an expert as much as experts do with each other."
        )
    if any(row["kappa"] is None for row in rows):
        notes.append("Undefined: kappa: all labels are the same.")
    columns = [Column("size"), Column("items", "count")]
    for name in ("agreement", "kappa"):
        columns += [
            Column(name, "rate"),
            Column(f"{name}_low", "rate"),
            Column(f"{name}_high", "rate"),
        ]
    return make_table(
        columns,
        rows,
        notes=notes,
        signature=signature,
        title="How many of the crowd match an expert",
    )


def _size_row(point: SizePoint, level: float) -> dict[str, Any]:
    row: dict[str, Any] = {"size": point.size, "items": point.items}
    for name, values in (("agreement", point.agreement), ("kappa", point.kappa)):
        defined = values[~np.isnan(values)]
        row[name] = float(defined.mean()) if len(defined) else None
        row[f"{name}_low"], row[f"{name}_high"] = interval_of(values, level=level)
    return row


def _between_experts(ratings: Ratings) -> tuple[int, float, float | None] | None:
    """Items, mean agreement and mean kappa between experts, where there are two."""
    items = np.ones((1, len(ratings.codes)))
    found = [
        (pair_agreement(ratings, items, a, b)[0], pair_kappa(ratings, items, a, b)[0])
        for a, b in combinations(range(ratings.judges), 2)
    ]
    agreements = [float(a) for a, _ in found if not np.isnan(a)]
    kappas = [float(k) for _, k in found if not np.isnan(k)]
    if not agreements:
        return None
    shared = int((ratings.sizes > 1).sum())
    return shared, float(np.mean(agreements)), float(np.mean(kappas)) if kappas else None
