"""What a system's precision and recall become when one judge or another is the gold standard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from redink.errors import DataError
from redink.judging.crowd import BoolArray, bootstrap_counts, count_against, error_votes
from redink.judging.labels import tabulate
from redink.model import Column, Table
from redink.model.signatures import make_signature
from redink.model.tables import make_table
from redink.statistics.agreement import interval_of
from redink.statistics.ratings import MISSING
from redink.statistics.resampling import FloatArray
from redink.workflows.decisions import Decisions, SystemLike, find_systems
from redink.workflows.judgment_input import Merges, Prepared, describe, how_many, require_fine

_MEASURES = ("precision", "recall", "f")


@dataclass(frozen=True)
class _Against:
    """A system against one judge: the row of the table, and its bootstrap samples."""

    row: dict[str, Any]
    samples: dict[str, FloatArray]


def compare_golds(
    prepared: Prepared,
    systems: Mapping[str, SystemLike] | Sequence[str],
    *,
    ok: Sequence[str] | None,
    merge: Merges | None,
    bootstrap: int,
    level: float,
    beta: float,
    seed: int,
) -> Table:
    """Precision and recall of systems against each judge, and how they differ between judges."""
    found = find_systems(systems, prepared.judgments, merge=merge)
    names = {system.name for system in found}
    judged = [judgment for judgment in prepared.judgments if judgment.judge not in names]
    if not judged:
        raise DataError("no judge is left to be the gold standard")
    matrix = tabulate(judged)
    fine = require_fine(matrix.labels, ok)
    votes = error_votes(matrix, fine)
    rows: list[dict[str, Any]] = []
    notes = [*prepared.notes, *describe(matrix), f"No error: {', '.join(fine)}."]
    for system in found:
        flags, silent = _flags(system, matrix.items, fine, prepared.labels)
        if silent.any():
            left_out = how_many(int(silent.sum()), "item")
            notes.append(f"{system.name} says nothing of {left_out}, left out for it.")
        results: dict[str, _Against] = {}
        for column, judge in enumerate(matrix.judges):
            truth = np.where(votes[:, column] == MISSING, np.nan, votes[:, column])
            truth = np.where(silent, np.nan, truth)
            results[judge] = _against(
                system.name,
                judge,
                flags,
                truth,
                bootstrap=bootstrap,
                level=level,
                beta=beta,
                seed=seed,
            )
        rows += [result.row for result in results.values()]
        differences = [
            _difference(system.name, results[a], results[b], level)
            for a, b in combinations(results, 2)
        ]
        rows += differences
        if differences:
            notes.append(_largest_difference(system.name, differences))
    columns = [Column("system"), Column("gold")]
    columns += [Column(measure, "rate") for measure in (*_MEASURES, "kappa")]
    columns += [Column(cell, "count") for cell in ("tp", "fp", "fn", "tn")]
    if bootstrap:
        columns += [
            Column(f"{measure}_{end}", "rate") for measure in _MEASURES for end in ("low", "high")
        ]
    if any(row[measure] is None for row in rows for measure in _MEASURES):
        notes.append("Undefined: precision where nothing is flagged, recall without an error.")
    signature = make_signature(
        "agreement",
        as_gold=sorted(names),
        ok=list(fine),
        beta=beta,
        **prepared.signature,
        bootstrap=bootstrap or None,
        level=level if bootstrap else None,
        seed=seed if bootstrap else None,
    )
    return make_table(
        columns,
        rows,
        notes=notes,
        signature=signature,
        groups="system",
        title="The same system against each judge as gold standard",
    )


def _flags(
    system: Decisions, items: Sequence[str], fine: Sequence[str], known: Sequence[str]
) -> tuple[BoolArray, BoolArray]:
    """What the system flags, and of which items it says nothing."""
    flags = system.flags(items, fine=fine, known=known)
    silent = np.array([flag is None for flag in flags])
    if silent.all():
        raise DataError(
            f"system {system.name!r} says nothing of any judged item; "
            f"the items are called {', '.join(items[:3])} …"
        )
    return np.array([bool(flag) for flag in flags]), silent


def _against(
    system: str,
    judge: str,
    flags: BoolArray,
    truth: FloatArray,
    *,
    bootstrap: int,
    level: float,
    beta: float,
    seed: int,
) -> _Against:
    counts = count_against(flags, truth)
    row: dict[str, Any] = {
        "system": system,
        "gold": judge,
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "tn": counts.tn,
    }
    row |= {
        "precision": counts.precision.value,
        "recall": counts.recall.value,
        "f": counts.f(beta).value,
        "kappa": counts.kappa.value,
    }
    samples: dict[str, FloatArray] = {}
    if bootstrap:
        # The same seed draws the same items for every judge, so that differences are paired.
        drawn = bootstrap_counts(flags, truth, samples=bootstrap, rng=np.random.default_rng(seed))
        samples = {"precision": drawn.precision(), "recall": drawn.recall(), "f": drawn.f(beta)}
        for measure, values in samples.items():
            row[f"{measure}_low"], row[f"{measure}_high"] = interval_of(values, level=level)
    return _Against(row, samples)


def _difference(system: str, first: _Against, second: _Against, level: float) -> dict[str, Any]:
    row: dict[str, Any] = {
        "system": system,
        "gold": f"{first.row['gold']} \N{MINUS SIGN} {second.row['gold']}",
        # Counts of two judges are not to be subtracted; only measures are.
        **dict.fromkeys(first.row.keys() - {"system", "gold"}),
    }
    for measure in (*_MEASURES, "kappa"):
        a, b = first.row[measure], second.row[measure]
        row[measure] = None if a is None or b is None else a - b
        if measure in first.samples and row[measure] is not None:
            change = first.samples[measure] - second.samples[measure]
            row[f"{measure}_low"], row[f"{measure}_high"] = interval_of(change, level=level)
    return row


def _largest_difference(system: str, differences: Sequence[Mapping[str, Any]]) -> str:
    parts = []
    for measure in ("precision", "recall"):
        known = [abs(row[measure]) for row in differences if row[measure] is not None]
        if known:
            parts.append(f"{measure} by up to {max(known):.2f}")
    return f"{system}: the choice of judge changes {' and '.join(parts) or 'nothing'}."
