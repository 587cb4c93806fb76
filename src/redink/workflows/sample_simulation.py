"""How well a sample of each size would have matched judging everything, on data that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redink.errors import DataError, OptionError
from redink.judging.sample_size import Simulated, simulate_samples
from redink.judging.sampling import Method, Target, default_target
from redink.model import Column, Counts, Table
from redink.model.signatures import fingerprint, make_signature
from redink.model.tables import make_table
from redink.statistics.agreement import interval_of
from redink.workflows.decisions import SystemLike, load_cases
from redink.workflows.judgment_input import require_fine

DEFAULT_SIZES = (100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000)
# A sample of Tetreault and Chodorow's: 250 Error cases beside 500 OK cases.
ERROR_SHARE = 1 / 3


def simulate_sample(
    cases: SystemLike | None = None,
    *,
    counts: Counts | None = None,
    sizes: Sequence[int] | None = None,
    error_share: float = ERROR_SHARE,
    quantities: Sequence[str] = ("precision", "recall"),
    repeats: int = 2000,
    interval: Method = "wilson",
    target: Target | None = None,
    level: float = 0.95,
    beta: float = 0.5,
    ok: Sequence[str] | None = None,
    seed: int = 1,
) -> Table:
    """Draw many samples of each size from known data, and compare estimates with the truth.

    Args:
        cases: item, label (the system's decision) and gold (the truth) of every case.
        counts: instead, true and false positives and negatives.
        sizes: sizes of the whole sample.
        error_share: the share of Error cases in the sample, as far as there are so many.
        quantities: which quantities to show.
        repeats: samples of each size.
        interval: ``wilson``, ``normal`` or ``bootstrap``.
        target: ``corpus`` or ``population``.
        level: of the intervals.
        beta: of F.
        ok: the labels that mean "no error".
        seed: of the draws.

    Returns:
        A table with, for each size and quantity, the ``truth``, the mean ``estimate``, where the
        middle ``level`` of the estimates lies (``low, high``), how often the interval
        ``covered`` the truth, and its mean ``width``.
    """
    if not 0 < error_share < 1:
        raise OptionError("the share of Error cases in a sample lies between 0 and 1")
    if repeats < 1:
        raise OptionError("a simulation needs at least one sample of each size")
    known, data = _known_counts(cases, ok) if counts is None else (counts, None)
    if counts is not None and cases is not None:
        raise OptionError("a simulation needs cases or counts, not both")
    if known.tn is None:
        raise DataError("a simulation needs all four counts")
    flagged, passed = int(known.tp + known.fp), int(known.fn + known.tn)
    if not flagged or not passed:
        raise DataError("a simulation needs both Error and OK cases")
    pairs = _split(sizes or DEFAULT_SIZES, error_share, flagged, passed)
    results = simulate_samples(
        known,
        pairs,
        repeats=repeats,
        rng=np.random.default_rng(seed),
        method=interval,
        target=target,
        level=level,
        beta=beta,
    )
    rows = [_row(result, level) for result in results if result.quantity in quantities]
    if not rows:
        raise OptionError(f"there is no quantity {', '.join(quantities)}")
    rows.sort(key=lambda row: (quantities.index(row["quantity"]), row["sample"]))
    notes = [
        f"{flagged} Error and {passed} OK cases, all known; {repeats} samples of each size.",
        (
            f"low, high: the middle {100 * level:g} % of the estimates; covered: how often the "
            f"{100 * level:g} % interval held the truth; width: its mean width."
        ),
    ]
    signature = make_signature(
        "sample simulate",
        interval=interval,
        target=target or default_target(interval),
        level=level,
        beta=beta,
        error_share=error_share,
        repeats=repeats,
        data=data,
        seed=seed,
        counts=None if counts is None else [counts.tp, counts.fp, counts.fn, counts.tn],
    )
    columns = [
        Column("quantity"),
        Column("sample", "count"),
        Column("errors", "count"),
        Column("oks", "count"),
        Column("truth", "rate"),
        Column("estimate", "rate"),
        Column("low", "rate"),
        Column("high", "rate"),
        Column("covered", "rate"),
        Column("width", "rate"),
    ]
    return make_table(
        columns,
        rows,
        notes=notes,
        signature=signature,
        groups="quantity",
        title="Sampled estimates against judging everything",
    )


def _known_counts(cases: SystemLike | None, ok: Sequence[str] | None) -> tuple[Counts, str]:
    if cases is None:
        raise OptionError("a simulation needs cases whose truth is known, or counts")
    given = load_cases(cases)
    unknown = sum(case.gold is None for case in given)
    if unknown:
        raise DataError(
            f"{unknown} of {len(given)} cases have no gold; a simulation needs to know them all"
        )
    fine = require_fine(sorted({c.label for c in given} | {str(c.gold) for c in given}), ok)
    cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for case in given:
        cells[case.label not in fine, case.gold not in fine] += 1
    counts = Counts(cells[True, True], cells[True, False], cells[False, True], cells[False, False])
    return counts, fingerprint(f"{c.item}\t{c.label}\t{c.gold}" for c in given)


def _split(
    sizes: Sequence[int], error_share: float, flagged: int, passed: int
) -> list[tuple[int, int]]:
    """Error and OK cases of each sample; sizes beyond the corpus are left out."""
    pairs = []
    for size in sizes:
        errors = min(flagged, max(1, round(size * error_share)))
        oks = size - errors
        if 1 <= oks <= passed:
            pairs.append((errors, oks))
    if not pairs:
        raise OptionError(
            f"no sample of {', '.join(map(str, sizes))} cases can be drawn from {flagged} Error "
            f"and {passed} OK cases"
        )
    return pairs


def _row(result: Simulated, level: float) -> dict[str, Any]:
    low, high = interval_of(result.estimates, level=level)
    defined = result.estimates[~np.isnan(result.estimates)]
    return {
        "quantity": result.quantity,
        "sample": result.errors + result.oks,
        "errors": result.errors,
        "oks": result.oks,
        "truth": None if np.isnan(result.truth) else result.truth,
        "estimate": float(defined.mean()) if len(defined) else None,
        "low": low,
        "high": high,
        "covered": result.covered,
        "width": result.width,
    }
