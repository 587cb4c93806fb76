"""``redink crowd``: systems against crowd workers, quality control, and crowd size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from redink.error_detection.bootstrap import PairedTest, compare_pairs
from redink.errors import DataError, OptionError
from redink.inputs.judgment_loading import JudgmentsLike
from redink.judging.crowdsourcing import (
    DEFAULT_BINS,
    TESTED,
    CrowdData,
    CrowdOptions,
    DecisionsLike,
    IfKnown,
    SizePoint,
    bin_by_agreement,
    count_against,
    crowd_size_curve,
    error_votes,
    explain_undefined,
    load_crowd,
    measure_flags,
    smallest_matching,
    worst_first,
)
from redink.judging.labels import LabelOptions, how_many
from redink.model import Column, Definition, Shown, Table, make_signature, table_of
from redink.model.tables import Size
from redink.options import Beta, Flag, Limits, Needs, Positive, Share, check_plot_path, command
from redink.statistics.agreement_coefficients import (
    agreement_with_others,
    evaluate,
    krippendorff_alpha,
    mean_agreement,
)
from redink.statistics.dawid_skene import fit_dawid_skene
from redink.statistics.intervals import wilson_interval
from redink.statistics.ratings import MISSING, make_ratings
from redink.statistics.resampling import FloatArray, ResamplingOptions

Show = Literal["measures", "bins", "tests", "agreement", "judges", "removal", "size", "items"]
FEW_ITEMS = 30
"""Bins with fewer items are named in a note."""
HISTOGRAM_BINS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))


@command(
    draws="Draw the table of --show bins, agreement or size.", shows=("bins", "agreement", "size")
)
def crowd(
    judgments: JudgmentsLike,
    systems: DecisionsLike = (),
    *,
    show: Show | None = None,
    on: Annotated[
        Sequence[tuple[JudgmentsLike, DecisionsLike | str]],
        Flag(parts=2, repeat=True, value="JUDGMENTS SYSTEM"),
    ] = (),
    counting: LabelOptions = LabelOptions(),
    standard: CrowdOptions = CrowdOptions(),
    bins: Annotated[
        Sequence[Share] | None,
        Flag(value="LIMIT,..."),
        Needs(show=(None, "bins", "tests", "agreement")),
    ] = None,
    repetitions: Annotated[Positive, Needs(show="size")] = 100,
    all_labels: Annotated[bool, Needs(show="size")] = False,
    price: Annotated[float | None, Limits(0), Needs(show="size")] = None,
    resampling: ResamplingOptions = ResamplingOptions(bootstrap=0),
    beta: Annotated[Beta, Needs(show=(None, "measures", "bins", "tests"))] = 0.5,
    plot_kappa: Annotated[str | Path | None, Flag(writes=True), Needs(show="bins")] = None,
    plot_size: Size = "screen",
) -> Table:
    """Evaluate systems against crowd workers, and the workers themselves.

    The judgments are CSV, TSV or JSONL with the columns item, judge and label, and optionally gold
    with the known answers of hidden test questions. A system is NAME=PATH or PATH of a table with
    the columns item and label, or of flags for words (GED TSV; their items are s1t0, s1t1 ...), or
    the name of a judge in the file. Plain measures use the majority of the crowd as the reference.
    In weighted measures, the weight of an item as an error is the share of workers who see one.

    Args:
        judgments: labels of items by judges: a file, or values.
        systems: decisions of each system about the items.
        show: the table to show: measures, measures by bins of agreement, paired tests of systems, a
            histogram of agreement, the judges, the effect of removing the worst judges, the crowd
            size that matches an expert, or every item. By default measures, or agreement without
            systems.
        on: another system on another data set, for comparison across data sets (measures, bins).
        counting: judgments to include.
        standard: derivation of the reference from the crowd.
        bins: limits of the bins of agreement. By default 0.5,0.75,0.9,1; no bins for tests.
        repetitions: number of random crowds of each size.
        all_labels: compare crowds with experts label by label, not only error or no error.
        price: price per judgment, for the cost of each crowd size.
        resampling: confidence intervals.
        bootstrap: number of bootstrap samples for confidence intervals of the measures; 0 for none.
        beta: weight of recall in F.
        plot_kappa: draw kappa by agreement, for comparison across data (with --show bins).
        plot_size: size of the plot: one column of a paper, the width of its page, or the screen.

    Returns:
        A table with the columns ``system, weighting, precision, recall, f`` (for ``measures``).
    """
    chosen: Show = show or ("measures" if systems else "agreement")
    if plot_kappa is not None:
        check_plot_path(plot_kappa)
    if on and chosen not in {"measures", "bins", "agreement"}:
        raise OptionError(f"--show {chosen} cannot show several data sets")
    sets = _load([(judgments, systems), *on], counting, standard)
    if chosen == "tests" and not resampling.bootstrap:
        raise OptionError("--show tests needs --bootstrap N, such as --bootstrap 1000")
    if chosen == "tests" and len(sets[0].systems) < 2:
        raise OptionError("--show tests needs at least two systems")
    if chosen in {"measures", "bins"} and not any(data.systems for data in sets):
        raise OptionError(f"--show {chosen} needs at least one system")
    first, *others = sets
    build: dict[Show, Callable[[], Table]] = {
        "measures": lambda: _measures(sets, beta, resampling),
        "bins": lambda: _bins(sets, tuple(bins or DEFAULT_BINS), beta, resampling),
        "tests": lambda: _tests(first, bins, beta, resampling),
        "agreement": lambda: _histogram(sets, tuple(bins or HISTOGRAM_BINS)),
        "judges": lambda: _judges(first, resampling.confidence),
        "removal": lambda: _removal(first),
        "size": lambda: _sizes(first, repetitions, resampling, price, all_labels=all_labels),
        "items": lambda: _items(first),
    }
    table = build[chosen]()
    signature = make_signature(
        "crowd",
        show=chosen,
        ok=list(first.fine),
        **standard.signature(),
        **first.signature,
        also=[data.signature["data"] for data in others] or None,
        **table.signature,
    )
    table = replace(table, signature=signature)
    if plot_kappa is not None:
        table.plot(plot_kappa, name="kappa", size=plot_size)
    return table


def _load(
    given: Sequence[tuple[JudgmentsLike, DecisionsLike | str]],
    counting: LabelOptions,
    standard: CrowdOptions,
) -> list[CrowdData]:
    sets: list[CrowdData] = []
    for number, (judgments, systems) in enumerate(given, start=1):
        name = Path(judgments).stem if isinstance(judgments, str | Path) else f"data {number}"
        if name in {data.name for data in sets}:
            name = f"{name} ({number})"
        found = [systems] if isinstance(systems, str) else systems
        sets.append(load_crowd(judgments, found, counting=counting, standard=standard, name=name))
    return sets


_ABOUT_BINS = Definition("A bin includes its lower limit, the last one both.")


def _notes(sets: Sequence[CrowdData]) -> list[str]:
    if len(sets) == 1:
        return list(sets[0].notes)
    return [type(note)(f"{data.name}: {note}") for data in sets for note in data.notes]


def _named(data: CrowdData, sets: Sequence[CrowdData]) -> str | None:
    return data.name if len(sets) > 1 else None


def _measures(sets: Sequence[CrowdData], beta: float, resampling: ResamplingOptions) -> Table:
    rows = []
    for data in sets:
        for system in data.systems:
            flags, says = data.flags(system)
            for weighting, truth in (("plain", data.majority), ("weighted", data.shares)):
                against = {"system": system.name, "weighting": weighting}
                row = measure_flags(flags, truth * says, against, beta=beta, resampling=resampling)
                rows.append(replace(row, data=_named(data, sets)))
    explained = Definition(
        "plain: against the majority; weighted: by the share of workers who see an error."
    )
    return table_of(
        rows,
        notes=[*_notes(sets), *explain_undefined(rows, TESTED), explained],
        signature={"beta": beta, **resampling.signature()},
        groups="system",
        title="Systems against the crowd",
        extra_columns=[Column("system"), Column("weighting")],
    )


def _describe_few(sizes: Mapping[str, int]) -> list[str]:
    few = {name: items for name, items in sizes.items() if items < FEW_ITEMS}
    listed = ", ".join(f"{name}: {items}" for name, items in few.items())
    return [f"Bins with fewer than {FEW_ITEMS} items are unreliable ({listed})."] if few else []


def _bins(
    sets: Sequence[CrowdData], edges: Sequence[float], beta: float, resampling: ResamplingOptions
) -> Table:
    rows = []
    outside = 0
    for data in sets:
        bins = bin_by_agreement(data.agreement, edges)
        outside += len(data.matrix.items) - sum(int(part.members.sum()) for part in bins)
        for system in data.systems:
            flags, says = data.flags(system)
            for part in bins:
                inside = np.where(part.members, data.majority * says, np.nan)
                against = {
                    "system": system.name,
                    "bin": part.name,
                    "from": part.low,
                    "to": part.high,
                    "items": int((~np.isnan(inside)).sum()),
                    "error_share": count_against(flags, inside).prevalence.value,
                }
                row = measure_flags(flags, inside, against, beta=beta, resampling=resampling)
                rows.append(replace(row, data=_named(data, sets)))
    notes = [
        *_notes(sets),
        *explain_undefined(rows, TESTED),
        *_describe_few({row.extra["bin"]: row.extra["items"] for row in rows}),
        Definition("Plain measures by agreement of the crowd."),
        _ABOUT_BINS,
    ]
    if outside:
        notes.append(f"{outside} items are outside all bins.")
    return table_of(
        rows,
        notes=notes,
        signature={"bins": list(edges), "beta": beta, **resampling.signature()},
        groups="system",
        title="Systems by agreement of the crowd",
        plot_name="bins",
        extra_columns=[
            *map(Column, ("system", "bin")),
            *(Column(name, "rate") for name in ("from", "to")),
            Column("items", "count"),
            Column("error_share", "rate", title="error share"),
        ],
    )


def _tests(
    data: CrowdData, edges: Sequence[float] | None, beta: float, resampling: ResamplingOptions
) -> Table:
    """Compare all pairs of systems on the items that all of them label, also by bin."""
    flags, says = zip(*(data.flags(system) for system in data.systems), strict=True)
    common = np.prod(says, axis=0)  # NaN for items without a label
    names = [system.name for system in data.systems]
    references: list[tuple[dict[str, str | None], FloatArray]] = [
        ({"weighting": "plain", "bin": None}, data.majority * common),
        ({"weighting": "weighted", "bin": None}, data.shares * common),
    ]
    for part in bin_by_agreement(data.agreement, edges) if edges else ():
        inside = np.where(part.members, data.majority * common, np.nan)
        references.append(({"weighting": "plain", "bin": part.name}, inside))
    tests: list[PairedTest] = []
    sizes: dict[str, int] = {}
    for about, truth in references:
        measured = [
            measure_flags(each, truth, about, beta=beta, resampling=resampling) for each in flags
        ]
        found = ([vars(row) for row in measured], [row.samples for row in measured])
        tests += compare_pairs(names, *found, TESTED, resampling.confidence, about)
        if about["bin"]:
            sizes[about["bin"]] = int((~np.isnan(truth)).sum())
    absent = int(np.isnan(common).sum())
    left_out = [f"{how_many(absent, 'item')} without a label of every system excluded."]
    about_tests = Definition(
        f"Paired bootstrap tests: {resampling.bootstrap} samples of items, two-sided; p is also "
        "adjusted by Holm's method for the number of pairs."
    )
    extra = ["weighting", *(["bin"] if edges else [])]
    return table_of(
        tests,
        PairedTest,
        notes=[*data.notes, *(left_out if absent else []), *_describe_few(sizes), about_tests],
        signature={"bins": edges and list(edges), "beta": beta, **resampling.signature()},
        groups="measure",
        title="Paired tests of systems against the crowd",
        extra_columns=list(map(Column, extra)),
    )


@dataclass(frozen=True)
class _AgreementBin:
    bin: str
    data: Annotated[str | None, Shown(optional=True)]
    from_: float
    to: float
    items: int
    share: float


def _histogram(sets: Sequence[CrowdData], edges: Sequence[float]) -> Table:
    rows = []
    for data in sets:
        for part in bin_by_agreement(data.agreement, edges):
            items = int(part.members.sum())
            share = items / len(data.matrix.items)
            rows.append(
                _AgreementBin(part.name, _named(data, sets), part.low, part.high, items, share)
            )
    return table_of(
        rows,
        notes=[*_notes(sets), _ABOUT_BINS],
        signature={"bins": list(edges)},
        title="Share of the crowd that agrees with its majority",
        plot_name="agreement",
    )


@dataclass(frozen=True)
class _JudgedItem:
    item: str
    judgments: int
    error_share: float
    agreement: float
    label: str | None


def _items(data: CrowdData) -> Table:
    made = (data.votes != MISSING).sum(axis=1)
    words = {1.0: "error", 0.0: "ok"}
    rows = [
        _JudgedItem(item, int(n), float(share), float(agreement), words.get(float(label)))
        for item, n, share, agreement, label in zip(
            data.matrix.items, made, data.shares, data.agreement, data.majority, strict=True
        )
    ]
    return table_of(rows, notes=_notes([data]), title="Judgments of the crowd by item")


@dataclass(frozen=True)
class _CrowdJudge:
    judge: str
    judgments: int
    gold: int
    accuracy: float | None
    low: float | None
    high: float | None
    agreement: float | None
    estimated_accuracy: float
    removed: bool


def _judges(data: CrowdData, confidence: float) -> Table:
    ratings = data.everyone.ratings()
    believed = fit_dawid_skene(ratings).accuracies()
    rows = []
    for number, record in enumerate(data.records):
        interval = wilson_interval(record.right, record.asked, confidence=confidence)
        rows.append(
            _CrowdJudge(
                record.judge,
                record.judgments,
                record.asked,
                record.accuracy,
                float(interval.low) if record.asked else None,
                float(interval.high) if record.asked else None,
                agreement=evaluate(partial(agreement_with_others, judge=number), ratings),
                estimated_accuracy=float(believed[number]),
                removed=record.judge in data.removed,
            )
        )
    about = Definition(
        "accuracy: on gold questions, with Wilson's interval; agreement: with other judges; "
        "estimated_accuracy: by the model of Dawid and Skene, without gold questions."
    )
    notes = [*data.notes, about]
    if not any(record.asked for record in data.records):
        notes.append("accuracy is undefined without gold questions (column gold).")
    return table_of(rows, notes=notes, title="The judges")


@dataclass(frozen=True)
class _Removal:
    removed: str
    accuracy: float | None
    judgments: int
    changed: int
    alpha: float | None
    expert_agreement: IfKnown
    expert_kappa: IfKnown


@dataclass(frozen=True)
class _MeasuredRemoval(_Removal):
    system: str
    precision: float | None
    recall: float | None
    precision_weighted: float | None
    recall_weighted: float | None


def _removal(data: CrowdData) -> Table:
    """Remove judges one by one, the worst first: those below the threshold, or all but two."""
    order = worst_first(data.records)
    if not order:
        raise DataError(
            "--show removal needs gold questions; add a column 'gold' with the known answers"
        )
    order = (
        order[:-2]
        if data.standard.gold_threshold is None
        else [record for record in order if record.judge in data.removed]
    )
    # The data is already quality-controlled; here quality control is applied step by step.
    whole = replace(data, matrix=data.everyone.only_items(set(data.matrix.items)))
    before = whole.majority
    rows = [*_removal_rows(whole, "(nobody)", None, before)]
    for number, record in enumerate(order, start=1):
        now = whole.without(gone.judge for gone in order[:number])
        rows += _removal_rows(now, record.judge, record.accuracy, before)
        before = now.majority
    explained = Definition(
        "Each row removes one more judge. judgments: those left; changed: items whose majority "
        "changes; alpha: Krippendorff's alpha of the judgments left."
    )
    notes = [*data.notes, explained]
    return table_of(rows, notes=notes, groups="removed", title="Effect of removing judges")


def _removal_rows(
    data: CrowdData, judge: str, accuracy: float | None, before: FloatArray
) -> Iterator[_Removal]:
    now = data.majority
    votes = make_ratings(data.votes, categories=2)
    agreement = kappa = None
    if data.experts is not None:
        ours = np.where(np.isnan(now), MISSING, now).astype(np.int64)
        theirs = error_votes(data.experts, data.fine)
        together = make_ratings(np.column_stack([ours, theirs]), categories=2)
        pairs = [(0, other) for other in range(1, together.judges)]
        agreement, kappa = mean_agreement(together, pairs)
    row = _Removal(
        removed=judge,
        accuracy=accuracy,
        judgments=int(votes.sizes.sum()),
        changed=int((~np.isclose(now, before, equal_nan=True)).sum()),
        alpha=evaluate(krippendorff_alpha, votes),
        expert_agreement=agreement,
        expert_kappa=kappa,
    )
    if not data.systems:
        yield row
    for system in data.systems:
        flags, says = data.flags(system)
        plain, weighted = (count_against(flags, t * says) for t in (now, data.shares))
        yield _MeasuredRemoval(
            **vars(row),
            system=system.name,
            precision=plain.precision.value,
            recall=plain.recall.value,
            precision_weighted=weighted.precision.value,
            recall_weighted=weighted.recall.value,
        )


def _sizes(
    data: CrowdData,
    draws: int,
    resampling: ResamplingOptions,
    price: float | None,
    *,
    all_labels: bool,
) -> Table:
    if data.experts is None:
        raise DataError("--show size needs experts; name them with --experts NAME,...")
    crowd, experts, labels = data.votes, error_votes(data.experts, data.fine), 2
    if all_labels:
        crowd, experts, labels = data.matrix.codes, data.experts.codes, len(data.matrix.labels)
    confidence = resampling.confidence
    curve = crowd_size_curve(
        crowd, experts, labels, draws=draws, rng=resampling.rng(), confidence=confidence
    )
    items = len(data.matrix.items)
    rows = [
        point if price is None else replace(point, cost=float(price * items * int(point.size)))
        for point in curve
    ]
    about = Definition(
        f"size: number of random judges per item ({draws} repetitions); their majority label is "
        f"compared with each expert's. low, high: the middle {100 * confidence:g}%."
    )
    notes = [*data.notes, about]
    if price is not None:
        notes.append(f"Cost: {items} items, each judged by the crowd, at {price:g} per judgment.")
    among = make_ratings(experts, categories=labels)
    between, kappa = mean_agreement(among, list(combinations(range(among.judges), 2)))
    if between is not None:
        match = smallest_matching(rows, between)
        rows.append(SizePoint("experts", int((among.sizes > 1).sum()), between, kappa=kappa))
        notes.append(
            f"A crowd of {match} agrees with an expert as well as experts agree with each other."
            if match
            else "No crowd here agrees with an expert as well as experts agree with each other."
        )
    if any(row.kappa is None for row in rows):
        notes.append("Undefined: kappa (all labels are equal).")
    random = {"confidence": confidence, "seed": resampling.seed}
    return table_of(
        rows,
        notes=notes,
        signature={"draws": draws, "all_labels": all_labels, "price": price, **random},
        title="Crowd size that matches an expert",
        plot_name="size",
    )
