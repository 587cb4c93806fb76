"""Crowds as the standard: weighted measures, bins of agreement, quality control, crowd size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from redink.errors import OptionError
from redink.formats.inputs import PathLike
from redink.judging.crowd import (
    DEFAULT_BINS,
    Ties,
    bin_by_agreement,
    bootstrap_counts,
    count_against,
    majority,
)
from redink.model import Column, Counts, Judgment, Table
from redink.model.signatures import make_signature
from redink.model.tables import make_table
from redink.statistics.agreement import interval_of
from redink.workflows.crowd_data import (
    Aggregate,
    CrowdData,
    CrowdOptions,
    Systems,
    load_crowd,
)
from redink.workflows.crowd_quality import removal_table, size_table, worker_table
from redink.workflows.judgment_input import Merges

Show = Literal["measures", "bins", "agreement", "workers", "removal", "size", "items"]
SHOWS: tuple[Show, ...] = get_args(Show)
HISTOGRAM_BINS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))

_COUNTS = tuple(Column(name, "count") for name in ("tp", "fp", "fn", "tn"))


def crowd(
    judgments: PathLike | Iterable[Judgment],
    systems: Systems = (),
    *,
    show: Show | None = None,
    on: Sequence[tuple[PathLike | Iterable[Judgment], Systems]] = (),
    merge: Merges | None = None,
    drop: Sequence[str] = (),
    missing: Sequence[str] = (),
    ok: Sequence[str] | None = None,
    experts: Sequence[str] = (),
    gold_threshold: float | None = None,
    gold_minimum: int = 1,
    keep_gold: bool = False,
    aggregate: Aggregate = "majority",
    ties: Ties = "ok",
    bins: Sequence[float] | None = None,
    draws: int = 100,
    all_labels: bool = False,
    bootstrap: int = 0,
    level: float = 0.95,
    beta: float = 0.5,
    seed: int = 1,
) -> Table:
    """Evaluate systems against a crowd, and the crowd against gold questions and experts.

    Args:
        judgments: item, judge, label and perhaps gold in long form; a path, or values.
        systems: what each system says of the items: by name, or as strings (a judge of the
            file, ``NAME=PATH`` or ``PATH``).
        show: ``measures`` (plain and weighted), ``bins`` (by agreement of the crowd),
            ``agreement`` (its histogram), ``workers`` (their quality), ``removal`` (what removing
            the worst changes), ``size`` (how many match an expert) or ``items``. By default
            ``measures``, or ``agreement`` where there are no systems.
        on: further data sets with their own systems, for comparison across data.
        merge: new label to the labels that count as it.
        drop: columns (or ``COLUMN=VALUE``) that flag items to be dropped.
        missing: labels that are no answer.
        ok: the labels that mean "no error"; by default those whose word says so.
        experts: judges who are not of the crowd.
        gold_threshold: remove workers whose accuracy on gold questions is below this.
        gold_minimum: but only if they answered so many.
        keep_gold: evaluate on gold questions too.
        aggregate: how judgments become shares: ``majority`` (votes) or ``dawid-skene``.
        ties: what an even split is: ``ok``, ``error`` or ``skip``.
        bins: limits of the bins of agreement.
        draws: how often crowds of each size are drawn.
        all_labels: compare crowds with experts label by label, not only error or no error.
        bootstrap: samples for intervals of the measures; 0 for none.
        level: of the intervals.
        beta: of F.
        seed: of everything random.

    Returns:
        A table with the columns ``system, weighting, precision, recall, f`` (for ``measures``).
    """
    options = CrowdOptions(
        merge, drop, missing, ok, experts, gold_threshold, gold_minimum, keep_gold, aggregate, ties
    )
    chosen: Show = show or ("measures" if systems else "agreement")
    if chosen not in SHOWS:
        raise OptionError(f"there is nothing {chosen!r} to show; there are: {', '.join(SHOWS)}")
    sets = _load([(judgments, systems), *on], options)
    if chosen in {"measures", "bins"} and not any(data.systems for data in sets):
        raise OptionError(f"--show {chosen} needs systems to measure")
    if chosen not in {"measures", "bins", "agreement"} and on:
        raise OptionError(f"several data sets cannot be shown together by --show {chosen}")
    signature = make_signature(
        "crowd",
        show=chosen,
        aggregate=aggregate,
        ties=ties,
        ok=list(sets[0].fine),
        experts=list(experts) or None,
        gold_threshold=gold_threshold,
        gold_minimum=gold_minimum if gold_threshold is not None else None,
        keep_gold=keep_gold or None,
        **sets[0].signature,
        also=[data.signature["data"] for data in sets[1:]] or None,
    )
    default = HISTOGRAM_BINS if chosen == "agreement" else DEFAULT_BINS
    edges = tuple(bins or default)
    random = {"level": level, "seed": seed}
    used: dict[Show, dict[str, Any]] = {
        "measures": {"beta": beta, **({"bootstrap": bootstrap, **random} if bootstrap else {})},
        "bins": {"bins": list(edges), "beta": beta},
        "agreement": {"bins": list(edges)},
        "size": {"draws": draws, "all_labels": all_labels, **random},
    }
    signature |= used.get(chosen, {})
    build: dict[Show, Callable[[], Table]] = {
        "measures": lambda: _measures(sets, bootstrap, level, beta, seed, signature),
        "bins": lambda: _bins(sets, edges, beta, signature),
        "agreement": lambda: _histogram(sets, edges, signature),
        "workers": lambda: worker_table(sets[0], level=level, signature=signature),
        "removal": lambda: removal_table(sets[0], signature=signature),
        "size": lambda: size_table(
            sets[0],
            draws=draws,
            level=level,
            all_labels=all_labels,
            rng=np.random.default_rng(seed),
            signature=signature,
        ),
        "items": lambda: _items(sets[0], signature),
    }
    return build[chosen]()


def _load(
    given: Sequence[tuple[PathLike | Iterable[Judgment], Systems]], options: CrowdOptions
) -> list[CrowdData]:
    """The data sets, each under a name of its own."""
    sets: list[CrowdData] = []
    for number, (judgments, systems) in enumerate(given, start=1):
        name = _name(judgments, f"data {number}")
        if name in {data.name for data in sets}:
            name = f"{name} ({number})"
        sets.append(load_crowd(judgments, systems, options, name=name))
    return sets


def _name(judgments: Any, otherwise: str) -> str:
    return Path(judgments).stem if isinstance(judgments, str | Path) else otherwise


def _notes(sets: Sequence[CrowdData]) -> list[str]:
    if len(sets) == 1:
        return list(sets[0].notes)
    return [f"{data.name}: {note}" for data in sets for note in data.notes]


def _with_data(columns: list[Column], sets: Sequence[CrowdData]) -> list[Column]:
    """A column that names the data set, where there are several."""
    return [*columns, Column("data")] if len(sets) > 1 else columns


def _undefined(measures: dict[str, Any], reasons: dict[str, set[str]]) -> dict[str, float | None]:
    """The values of measures; the reasons of those that have none are collected."""
    for name, measure in measures.items():
        if measure.value is None:
            reasons.setdefault(name, set()).add(measure.reason)
    return {name: measure.value for name, measure in measures.items()}


def _why(reasons: dict[str, set[str]]) -> list[str]:
    return [f"Undefined: {name}: {' or '.join(sorted(why))}." for name, why in reasons.items()]


def _cells(counts: Counts) -> dict[str, float | None]:
    return {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn, "tn": counts.tn}


def _measures(
    sets: Sequence[CrowdData],
    bootstrap: int,
    level: float,
    beta: float,
    seed: int,
    signature: dict[str, Any],
) -> Table:
    names = ("precision", "recall", "f")
    columns = [Column("system"), Column("weighting"), *(Column(n, "rate") for n in names)]
    columns = [*_with_data(columns, sets), *_COUNTS]
    if bootstrap:
        columns += [Column(f"{n}_{end}", "rate") for n in names for end in ("low", "high")]
    rows = []
    reasons: dict[str, set[str]] = {}
    for data in sets:
        for system in data.systems:
            flags, says = data.flags(system)
            for weighting, truth in data.truths().items():
                counts = count_against(flags, truth * says)
                values = {
                    "precision": counts.precision,
                    "recall": counts.recall,
                    "f": counts.f(beta),
                }
                row = {
                    "system": system.name,
                    "weighting": weighting,
                    "data": data.name,
                    **_undefined(values, reasons),
                    **_cells(counts),
                }
                if bootstrap:
                    drawn = bootstrap_counts(
                        flags, truth * says, samples=bootstrap, rng=np.random.default_rng(seed)
                    )
                    samples = (drawn.precision(), drawn.recall(), drawn.f(beta))
                    for name, sample in zip(names, samples, strict=True):
                        row[f"{name}_low"], row[f"{name}_high"] = interval_of(sample, level=level)
                rows.append(row)
    notes = [
        *_notes(sets),
        *_why(reasons),
        (
            "plain: against the crowd's majority; weighted: every item counts as an error to the "
            "degree that the crowd says so."
        ),
    ]
    return make_table(
        columns,
        rows,
        notes=notes,
        signature=signature,
        groups="system",
        title="Systems against the crowd",
    )


def _bins(
    sets: Sequence[CrowdData], edges: Sequence[float], beta: float, signature: dict[str, Any]
) -> Table:
    columns = [Column("system"), Column("bin")]
    columns = [
        *_with_data(columns, sets),
        Column("from", "rate"),
        Column("to", "rate"),
        Column("items", "count"),
        Column("error_share", "rate"),
        Column("precision", "rate"),
        Column("recall", "rate"),
        Column("f", "rate"),
        Column("kappa", "rate"),
        *_COUNTS,
    ]
    rows = []
    reasons: dict[str, set[str]] = {}
    outside = 0
    for data in sets:
        bins = bin_by_agreement(data.agreement, edges)
        outside += len(data.matrix.items) - sum(int(b.members.sum()) for b in bins)
        truth = majority(data.shares, data.options.ties)
        for system in data.systems:
            flags, says = data.flags(system)
            for part in bins:
                inside = np.where(part.members, truth * says, np.nan)
                counts = count_against(flags, inside)
                values = {
                    "precision": counts.precision,
                    "recall": counts.recall,
                    "f": counts.f(beta),
                    "kappa": counts.kappa,
                }
                rows.append(
                    {
                        "system": system.name,
                        "bin": part.name,
                        "data": data.name,
                        "from": part.low,
                        "to": part.high,
                        "items": int((~np.isnan(inside)).sum()),
                        "error_share": counts.prevalence.value,
                        **_undefined(values, reasons),
                        **_cells(counts),
                    }
                )
    notes = [
        *_notes(sets),
        *_why(reasons),
        (
            "Plain measures, by the share of the crowd that is with its majority; a bin includes "
            "its lower limit, the last one both."
        ),
    ]
    if outside:
        notes.append(f"{outside} items lie in no bin.")
    return make_table(
        columns,
        rows,
        notes=notes,
        signature=signature,
        groups="system",
        title="Systems by agreement of the crowd",
    )


def _histogram(
    sets: Sequence[CrowdData], edges: Sequence[float], signature: dict[str, Any]
) -> Table:
    rows = []
    for data in sets:
        total = len(data.matrix.items)
        for part in bin_by_agreement(data.agreement, edges):
            items = int(part.members.sum())
            rows.append(
                {
                    "bin": part.name,
                    "data": data.name,
                    "from": part.low,
                    "to": part.high,
                    "items": items,
                    "share": items / total,
                }
            )
    columns = [
        *_with_data([Column("bin")], sets),
        Column("from", "rate"),
        Column("to", "rate"),
        Column("items", "count"),
        Column("share", "rate"),
    ]
    notes = [*_notes(sets), "A bin includes its lower limit, the last one both."]
    return make_table(
        columns,
        rows,
        notes=notes,
        signature=signature,
        title="How many of the crowd are with its majority",
    )


def _items(data: CrowdData, signature: dict[str, Any]) -> Table:
    truth = majority(data.shares, data.options.ties)
    made = (data.votes >= 0).sum(axis=1)
    words = {1.0: "error", 0.0: "ok"}
    rows = [
        {
            "item": item,
            "judgments": int(n),
            "error_share": float(share),
            "agreement": float(a),
            "label": words.get(float(label)),
        }
        for item, n, share, a, label in zip(
            data.matrix.items, made, data.shares, data.agreement, truth, strict=True
        )
    ]
    columns = [
        Column("item"),
        Column("judgments", "count"),
        Column("error_share", "rate"),
        Column("agreement", "rate"),
        Column("label"),
    ]
    return make_table(
        columns,
        rows,
        notes=_notes([data]),
        signature=signature,
        title="What the crowd says of each item",
    )
