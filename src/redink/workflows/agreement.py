"""How far judges agree: with each other, with themselves, and what follows for a system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from redink.errors import OptionError
from redink.formats.inputs import PathLike
from redink.judging.labels import LabelMatrix, check_scale, find_fine, order_labels, tabulate
from redink.model import Column, Judgment, Table
from redink.model.signatures import make_signature
from redink.model.tables import make_table
from redink.statistics.agreement import (
    Coefficient,
    bootstrap_coefficients,
    coefficients_for,
    disagreement_rate,
    evaluate,
    fleiss_kappa,
    interval_of,
    observed_agreement,
    pair_agreement,
    pair_kappa,
)
from redink.statistics.ratings import SCALES, Ratings, Scale, confusion_matrix, make_ratings
from redink.workflows.decisions import SystemLike
from redink.workflows.gold_choice import compare_golds
from redink.workflows.judgment_input import Merges, Prepared, describe, prepare_judgments

Show = Literal["statistics", "pairs", "confusion", "judges", "repeated"]
SHOWS: tuple[Show, ...] = get_args(Show)
# With more judges their rates of disagreement would bury the rest; --show judges has them all.
_FEW_JUDGES = 3


def agreement(
    judgments: PathLike | Iterable[Judgment],
    *,
    show: Show = "statistics",
    scale: Scale = "nominal",
    labels: Sequence[str] | None = None,
    merge: Merges | None = None,
    drop: Sequence[str] = (),
    missing: Sequence[str] = (),
    judges: Sequence[str] | None = None,
    ok: Sequence[str] | None = None,
    by: str | None = None,
    as_gold: Mapping[str, SystemLike] | Sequence[str] | None = None,
    bootstrap: int = 1000,
    level: float = 0.95,
    beta: float = 0.5,
    seed: int = 1,
) -> Table:
    """Agreement between judges, with bootstrap intervals over items.

    Args:
        judgments: item, judge and label in long form; a path, or values.
        show: ``statistics`` (every coefficient), ``pairs`` of judges, ``confusion`` matrices,
            ``judges`` (each against the others) or ``repeated`` (each against their own repeats).
        scale: what the labels are: names, ranks or numbers.
        labels: all labels that could be given, lowest first; by default those that occur.
        merge: new label to the labels that count as it.
        drop: columns (or ``COLUMN=VALUE``) that flag items to be dropped.
        missing: labels that are no answer.
        judges: the judges who count; all by default.
        ok: the labels that mean "no error"; by default those whose word says so.
        by: a column of the file; every group of items gets statistics of its own.
        as_gold: systems; shows instead their precision and recall against each judge as gold.
        bootstrap: samples for the intervals; 0 for none.
        level: of the intervals.
        beta: of F, with ``as_gold``.
        seed: of the bootstrap.

    Returns:
        A table with the columns ``statistic, value, low, high`` (for ``statistics``).
    """
    if scale not in SCALES or show not in SHOWS:
        raise OptionError(f"there is no scale {scale!r} to show {show!r} on")
    if not 0 < level < 1:
        raise OptionError(f"the level of an interval lies between 0 and 1, not at {level}")
    if bootstrap < 0:
        raise OptionError("the number of bootstrap samples cannot be negative")
    prepared = prepare_judgments(judgments, merge=merge, drop=drop, missing=missing, judges=judges)
    options = {
        **prepared.signature,
        "bootstrap": bootstrap or None,
        "level": level if bootstrap else None,
        "seed": seed if bootstrap else None,
    }
    if as_gold is not None:
        return compare_golds(
            prepared,
            as_gold,
            ok=ok,
            merge=merge,
            bootstrap=bootstrap,
            level=level,
            beta=beta,
            seed=seed,
        )
    order = order_labels(set(prepared.labels), labels)
    check_scale(order, scale, ordered=labels is not None)
    fine = find_fine(order, ok)
    signature = make_signature(
        "agreement", show=show, scale=scale, ok=list(fine) or None, by=by, **options
    )
    frame = _Frame(scale, fine, bootstrap, level, seed)
    if by is not None:
        if show != "statistics":
            raise OptionError("groups of items (--by) go with --show statistics")
        return _by_group(prepared, by, order, frame, signature)
    matrix = tabulate(prepared.judgments, order=order)
    notes = [*prepared.notes, *describe(matrix)]
    build = {
        "statistics": _statistics,
        "pairs": _pairs,
        "confusion": _confusion,
        "judges": _judges,
        "repeated": _repeated,
    }[show]
    columns, rows, more = build(matrix, frame)
    title = {
        "statistics": "Agreement between judges",
        "pairs": "Agreement of each pair of judges",
        "confusion": "Confusion matrices",
        "judges": "Each judge against the others",
        "repeated": "Each judge with their own repeats",
    }[show]
    groups = "judges" if show == "confusion" else None
    return make_table(
        columns, rows, notes=[*notes, *more], signature=signature, title=title, groups=groups
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """What every table of this command needs to know."""

    scale: Scale
    fine: tuple[str, ...]
    bootstrap: int
    level: float
    seed: int

    def measure(self, coefficients: Mapping[str, Coefficient], ratings: Ratings) -> _Measured:
        """Each coefficient with its interval, as ``value, low, high``."""
        values = {
            name: evaluate(coefficient, ratings) for name, coefficient in coefficients.items()
        }
        intervals: dict[str, tuple[float | None, float | None]] = {}
        if self.bootstrap:
            drawn = bootstrap_coefficients(
                dict(coefficients),
                ratings,
                samples=self.bootstrap,
                rng=np.random.default_rng(self.seed),
            )
            intervals = {name: interval_of(v, level=self.level) for name, v in drawn.items()}
        measured = {}
        for name, value in values.items():
            low, high = intervals.get(name, (None, None)) if value is not None else (None, None)
            measured[name] = {"value": value, "low": low, "high": high}
        return measured

    def fine_codes(self, matrix: LabelMatrix) -> list[int]:
        return [code for code, label in enumerate(matrix.labels) if label in self.fine]


_Measured = dict[str, dict[str, float | None]]
_Built = tuple[list[Column], list[dict[str, Any]], list[str]]
_VALUES = (Column("value", "rate"), Column("low", "rate"), Column("high", "rate"))


def _why_undefined(matrix: LabelMatrix) -> str | None:
    """Why statistics of agreement are undefined for all of the matrix, if they are."""
    ratings = matrix.ratings()
    if len(matrix.judges) < 2:
        return f"there is only one judge ({matrix.judges[0]})"
    if not ratings.pairs:
        return "no item was judged by two judges"
    if len(ratings.used) < 2:
        label = matrix.labels[int(ratings.used[0])]
        return (
            f"all labels are {label!r}, so that agreement by chance is certain and "
            "statistics corrected for it are 0/0"
        )
    return None


def _disagreements(matrix: LabelMatrix, frame: _Frame) -> dict[str, Coefficient]:
    fine = frame.fine_codes(matrix)
    return {
        f"disagreement_rate[{judge}]": partial(disagreement_rate, judge=number, fine=fine)
        for number, judge in enumerate(matrix.judges)
    }


def _statistics(matrix: LabelMatrix, frame: _Frame) -> _Built:
    ratings = matrix.ratings(frame.scale)
    coefficients = coefficients_for(frame.scale)
    few = 2 <= len(matrix.judges) <= _FEW_JUDGES
    notes = []
    if few and frame.fine:
        coefficients |= _disagreements(matrix, frame)
        notes.append(
            "disagreement_rate[J]: the share of J's errors that another judge calls fine "
            f"({', '.join(frame.fine)})."
        )
    elif few:
        notes.append(
            "Rates of disagreement about errors need to know which label means that there is "
            "none: --ok LABEL."
        )
    measured = frame.measure(coefficients, ratings)
    reason = _why_undefined(matrix)
    undefined = [name for name, row in measured.items() if row["value"] is None]
    if reason is not None:
        notes.append(f"Undefined: {', '.join(undefined)}: {reason}.")
    elif undefined:
        notes.append(f"Undefined: {', '.join(undefined)}: nothing to count.")
    if len(ratings.pairs) > 1:
        notes.append("cohen_kappa and scott_pi are means over all pairs of judges.")
    rows: list[dict[str, Any]] = [{"statistic": name, **row} for name, row in measured.items()]
    again = _repetition_ratings(matrix)
    if again is not None:
        intra = frame.measure(
            {"intra_judge_agreement": observed_agreement, "intra_judge_kappa": fleiss_kappa}, again
        )
        rows += [{"statistic": name, **row} for name, row in intra.items()]
        if intra["intra_judge_kappa"]["value"] is None:
            notes.append("Undefined: intra_judge_kappa: all repeated labels are the same.")
    return [Column("statistic"), *_VALUES], rows, notes


def _by_group(
    prepared: Prepared,
    by: str,
    order: Sequence[str],
    frame: _Frame,
    signature: dict[str, Any],
) -> Table:
    groups: dict[str, list[Judgment]] = {}
    for judgment in prepared.judgments:
        value = dict(judgment.extra).get(by)
        if value is None:
            raise OptionError(f"a judgment of item {judgment.item!r} has no column {by!r}")
        groups.setdefault(value, []).append(judgment)
    rows = []
    notes = list(prepared.notes)
    columns = [Column("statistic"), *_VALUES]
    for name, members in [*groups.items(), ("all", list(prepared.judgments))]:
        matrix = tabulate(members, order=order)
        columns, built, more = _statistics(matrix, frame)
        rows += [{by: name, **row, "items": len(matrix.items)} for row in built]
        notes += [note for note in more if note not in notes]
    return make_table(
        [Column(by), *columns, Column("items", "count")],
        rows,
        notes=notes,
        signature=signature,
        title=f"Agreement between judges, by {by}",
        groups=by,
    )


def _pairs(matrix: LabelMatrix, frame: _Frame) -> _Built:
    ratings = matrix.ratings(frame.scale)
    columns = [
        Column("first"),
        Column("second"),
        Column("items", "count"),
        Column("agreement", "rate", "max"),
        Column("kappa", "rate", "max"),
        Column("low", "rate"),
        Column("high", "rate"),
        Column("pi", "rate"),
    ]
    weighted = frame.scale != "nominal"
    if weighted:
        columns += [Column("kappa_linear", "rate"), Column("kappa_quadratic", "rate")]
    rows = []
    undefined = 0
    for first, second in combinations(range(ratings.judges), 2):
        both = ((ratings.codes[:, [first, second]] >= 0).all(axis=1)).sum()
        pair = partial(pair_kappa, first=first, second=second)
        kappa = frame.measure({"kappa": pair}, ratings)["kappa"] if both else {}
        row = {
            "first": matrix.judges[first],
            "second": matrix.judges[second],
            "items": int(both),
            "agreement": evaluate(partial(pair_agreement, first=first, second=second), ratings),
            "kappa": kappa.get("value"),
            "low": kappa.get("low"),
            "high": kappa.get("high"),
            "pi": evaluate(partial(pair, pooled=True), ratings),
        }
        if weighted:
            row["kappa_linear"] = evaluate(partial(pair, weighting="linear"), ratings)
            row["kappa_quadratic"] = evaluate(partial(pair, weighting="quadratic"), ratings)
        undefined += row["kappa"] is None
        rows.append(row)
    notes = []
    if undefined:
        notes.append(f"Undefined for {undefined} pairs: no items in common, or a single label.")
    if len(matrix.judges) < 2:
        notes.append(f"There is only one judge ({matrix.judges[0]}), so there are no pairs.")
    return columns, rows, notes


def _confusion(matrix: LabelMatrix, frame: _Frame) -> _Built:  # noqa: ARG001 (one shape for all)
    columns = [Column("judges"), Column("label")]
    columns += [Column(f"to:{label}", "count", title=label) for label in matrix.labels]
    rows: list[dict[str, Any]] = []
    for first, second in combinations(range(len(matrix.judges)), 2):
        counts = confusion_matrix(
            matrix.codes[:, first], matrix.codes[:, second], len(matrix.labels)
        )
        pair = f"{matrix.judges[first]} / {matrix.judges[second]}"
        for label, line in zip(matrix.labels, counts, strict=True):
            cells = {f"to:{to}": int(n) for to, n in zip(matrix.labels, line, strict=True)}
            rows.append({"judges": pair, "label": label, **cells})
    notes = ["Rows are the first judge's labels, columns the second's."]
    if len(matrix.judges) < 2:
        notes = [f"There is only one judge ({matrix.judges[0]}), so there is nothing to confuse."]
    return columns, rows, notes


def _judges(matrix: LabelMatrix, frame: _Frame) -> _Built:
    ratings = matrix.ratings()
    codes, fine = matrix.codes, frame.fine_codes(matrix)
    columns = [Column("judge"), Column("judgments", "count"), Column("agreement", "rate", "max")]
    if frame.fine:
        columns += [
            Column("errors", "count"),
            Column("rejected", "count"),
            Column("disagreement_rate", "rate", "min"),
            Column("low", "rate"),
            Column("high", "rate"),
        ]
        rates = frame.measure(_disagreements(matrix, frame), ratings)
    rows = []
    for number, judge in enumerate(matrix.judges):
        said = codes[:, number]
        made = said >= 0
        others = (ratings.sizes - 1)[made]
        same = ratings.counts[made, said[made]] - 1
        row: dict[str, Any] = {
            "judge": judge,
            "judgments": int(made.sum()),
            "agreement": float(same.sum() / others.sum()) if others.sum() else None,
        }
        if frame.fine:
            errors = made & ~np.isin(said, fine)
            rate = rates[f"disagreement_rate[{judge}]"]
            row |= {
                "errors": int((errors * (ratings.sizes - 1)).sum()),
                "rejected": int(ratings.counts[errors][:, fine].sum()),
                "disagreement_rate": rate["value"],
                "low": rate["low"],
                "high": rate["high"],
            }
        rows.append(row)
    notes = ["agreement: the share of the other judges' judgments of the same items that agree."]
    if frame.fine:
        notes.append(
            "errors: how often the judge's errors met another judgment; rejected: how often that "
            f"was fine ({', '.join(frame.fine)})."
        )
    else:
        notes.append("Rates of disagreement about errors need --ok LABEL.")
    return columns, rows, notes


def _repetition_ratings(matrix: LabelMatrix, judge: int | None = None) -> Ratings | None:
    """Repeated judgments as if every time were another judge."""
    chosen = [r.codes for r in matrix.repetitions if judge is None or r.judge == judge]
    if not chosen:
        return None
    width = max(map(len, chosen))
    codes = [[*answers, *[-1] * (width - len(answers))] for answers in chosen]
    return make_ratings(codes, categories=len(matrix.labels))


def _repeated(matrix: LabelMatrix, frame: _Frame) -> _Built:
    columns = [
        Column("judge"),
        Column("items", "count"),
        Column("agreement", "rate", "max"),
        *_VALUES[1:],
        Column("kappa", "rate", "max"),
    ]
    rows = []
    who: list[tuple[str, int | None]] = [(j, n) for n, j in enumerate(matrix.judges)]
    for name, number in [*who, ("all", None)]:
        ratings = _repetition_ratings(matrix, number)
        if ratings is None:
            continue
        found = frame.measure({"agreement": observed_agreement, "kappa": fleiss_kappa}, ratings)
        same = found["agreement"]
        rows.append(
            {
                "judge": name,
                "items": len(ratings.codes),
                "agreement": same["value"],
                "low": same["low"],
                "high": same["high"],
                "kappa": found["kappa"]["value"],
            }
        )
    notes = [] if rows else ["No judge judged an item twice."]
    if any(row["kappa"] is None for row in rows):
        notes.append("kappa is undefined where a judge always gave one label.")
    return columns, rows, notes
