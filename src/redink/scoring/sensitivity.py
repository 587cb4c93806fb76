"""Sensitivity of scores to the choice of annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from redink.errors import OptionError
from redink.model import Column, Definition, Row, Table, make_table
from redink.scoring.count_metric import CountedMetric
from redink.scoring.engine import ScoredSystem
from redink.scoring.selection import SELECTIONS, totals_in_orders
from redink.statistics.arrays import scorer_f

ORDERS = 100
"""Random orders of the sentences in which the running choice is made."""

_WAYS = Definition(
    "F for each way to choose the annotator of a sentence: best with the sentences before it "
    "(running), best for the sentence alone (sentence), best for the corpus (optimal). "
    "spread: largest difference. #: rank"
)
_ORDERS = Definition(f"order low, high: range of running in {ORDERS} random sentence orders")


def sensitivity_table(
    scored: Sequence[ScoredSystem],
    rng: np.random.Generator,
    *,
    notes: Sequence[str],
    signature: Mapping[str, Any],
) -> Table:
    """Compute F of every system for each way to choose, and the effect of sentence order."""
    counted = [each for each in scored if isinstance(each.metric, CountedMetric)]
    if not counted:
        raise OptionError("sensitivity needs errant or m2: other metrics do not choose annotators")
    rows = []
    for metric in dict.fromkeys(each.metric for each in counted):
        members = [_row(each, rng) for each in counted if each.metric is metric]
        for selection in SELECTIONS:
            values = [row[selection] for row in members]
            for row in members:
                row[f"rank_{selection}"] = 1 + sum(v > row[selection] for v in values)
        rows.extend(sorted(members, key=lambda row: -row["running"]))
    columns = [
        Column("system"),
        Column("metric"),
        *(Column(selection, "rate", best="max") for selection in SELECTIONS),
        Column("spread", "rate"),
        *(Column(f"order_{end}", "rate", title=f"order {end}") for end in ("low", "high")),
        *(Column(f"rank_{s}", "count", title=f"#{s}") for s in SELECTIONS),
    ]
    return make_table(
        columns, rows, notes=(*notes, _WAYS, _ORDERS), signature=dict(signature), groups="metric"
    )


def _row(each: ScoredSystem, rng: np.random.Generator) -> Row:
    metric = each.metric
    assert isinstance(metric, CountedMetric)
    metric = replace(metric, by=None)
    values: dict[str, float] = {
        selection: replace(metric, selection=selection).rows(each.statistics)[0]["f"]
        for selection in SELECTIONS
    }
    orders = np.array([rng.permutation(len(each.statistics)) for _ in range(ORDERS)])
    counts, present = each.statistics["counts"], each.statistics["present"]
    totals = totals_in_orders(
        counts, present, orders, preference=metric.preference, beta=metric.beta
    )
    in_orders: list[float] = scorer_f(totals, metric.beta).tolist()
    return {
        "system": each.system.name,
        "metric": each.label,
        **values,
        "spread": max(values.values()) - min(values.values()),
        "order_low": min(in_orders),
        "order_high": max(in_orders),
    }
