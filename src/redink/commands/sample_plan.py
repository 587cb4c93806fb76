"""Evaluating by sampling: which of a system's cases people judge."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from redink.errors import DataError, RedinkWarning
from redink.inputs.sample_files import (
    Key,
    blind_records,
    check_blind_path,
    choose_marked,
    write_blind,
    write_key,
)
from redink.inputs.system_labels import CasesLike, load_cases
from redink.judging.labels import require_fine
from redink.judging.sample_size import PlanningOptions, SampleSize
from redink.judging.sampling import draw_sample
from redink.model import Shown, Table, fingerprint, make_signature, table_of
from redink.options import Flag, Limits, Seed, use_case

Labels = Annotated[Sequence[str] | None, Flag(value="LABEL,...")]
Speed = Annotated[float, Limits(0.01, 100_000)]
Written = Annotated[str | Path, Flag(value="FILE", writes=True)]

CASES_PER_HOUR = 125.0
"""Tetreault and Chodorow's raters judged 500 prepositions in four hours."""


@use_case(draws="Draw how the intervals narrow with the number of cases.")
def plan_sample(
    cases: CasesLike,
    *,
    blind: Written,
    key: Written,
    size: SampleSize = SampleSize(),
    expectation: PlanningOptions = PlanningOptions(),
    ok: Labels = None,
    only: Annotated[Sequence[str], Flag(value="WORD,...")] = (),
    keep: Annotated[Sequence[str], Flag(value="COLUMN,...")] = (),
    cases_per_hour: Speed = CASES_PER_HOUR,
    seed: Seed = 1,
) -> Table:
    """Draw the cases that people judge.

    The cases are CSV, TSV or JSONL with the columns item and label (the system's decision) and
    perhaps text, start and end (the words to mark) and before (the sentence before); or flags for
    words (GED TSV). The judges' file holds just these, shuffled under new names; the key holds the
    rest.

    Args:
        cases: what the system says of every item: a file, labels by item, or values.
        blind: the file for the judges (.csv, .jsonl): shuffled, no decisions.
        key: the file that tells which is which, for sample estimate.
        size: how many cases to draw.
        expectation: what is expected.
        ok: the system's labels that mean: no error.
        only: only cases whose marked words are these, such as prepositions.
        keep: further columns that the judges may see.
        cases_per_hour: how many cases a judge takes an hour, for the cost.
        seed: the start of the random numbers: same seed, same sample.
    """
    check_blind_path(blind)
    given = choose_marked(load_cases(cases), only)
    for name, times in Counter(case.item for case in given).most_common(1):
        if times > 1:
            raise DataError(f"{times} cases are called {name!r}; names must differ")
    fine = require_fine(sorted({case.label for case in given}), ok)
    flagged = np.array([case.label not in fine for case in given])
    error_cases, ok_cases = int(flagged.sum()), int((~flagged).sum())
    errors, oks = size.decide(error_cases, ok_cases, expectation)
    chosen = draw_sample(flagged, errors=errors, oks=oks, rng=np.random.default_rng(seed))
    signature = make_signature(
        "sample plan",
        errors=errors,
        oks=oks,
        ok=list(fine),
        only=list(only) or None,
        seed=seed,
        data=fingerprint(f"{case.item}\t{case.label}" for case in given),
    )
    digits = len(str(len(chosen)))
    drawn = {f"c{number:0{digits}d}": given[at] for number, at in enumerate(chosen, start=1)}
    records = blind_records(drawn, keep)
    if not any("text" in record for record in records):
        warnings.warn(
            "the cases carry no text (a column text); the file for the judges names them only",
            RedinkWarning,
            stacklevel=3,
        )
    items = {name: case.item for name, case in drawn.items()}
    is_error = {name: case.label not in fine for name, case in drawn.items()}
    write_key(key, Key(error_cases, ok_cases, items, is_error, signature))
    write_blind(blind, records)
    rows = [
        _Part(name, of, n, n / of if of else None, n / cases_per_hour, of / cases_per_hour)
        for name, of, n in (
            ("Error", error_cases, errors),
            ("OK", ok_cases, oks),
            ("both", len(given), len(chosen)),
        )
    ]
    notes = [f"Hours at {cases_per_hour:g} cases an hour.", f"No error: {', '.join(fine)}."]
    extra: dict[str, Any] = {}
    if errors and oks:
        wide = expectation.widths(error_cases, ok_cases, errors, oks)
        note = f"precision {wide['precision']:.3f} (if it is {expectation.expect_precision:g})"
        if (misses := expectation.expect_misses) is not None:
            note += f", recall {wide['recall']:.3f} (if {misses:g} of the OK cases are errors)"
        notes.append(f"Expected width of the interval: {note}.")
        extra = _widths(rows, expectation)
    return table_of(
        rows,
        notes=notes,
        signature=signature,
        title="The sample to judge",
        plot_name="sample-widths",
        extra=extra,
    )


@dataclass(frozen=True)
class _Part:
    """A sub-corpus, what is drawn of it, and what that costs."""

    subcorpus: str
    cases: int
    drawn: int
    rate: float | None
    hours: Annotated[float, Shown("count")]
    hours_exhaustive: Annotated[float, Shown("count")]


def _widths(
    rows: Sequence[_Part], expectation: PlanningOptions, points: int = 60
) -> dict[str, Any]:
    """How the intervals would narrow with the size of the sample, at its share of Error cases."""
    errors, oks, both = rows
    sizes = np.unique(np.geomspace(20, both.cases, points).round().astype(np.int64))
    # Fractions of cases keep the curve free of the steps that rounding would draw.
    of_errors = np.clip(sizes * errors.drawn / both.drawn, 1, errors.cases)
    of_oks = np.clip(sizes - of_errors, 1, oks.cases)
    found = expectation.widths(errors.cases, oks.cases, of_errors, of_oks)
    widths = {"precision": found["precision"].tolist()}
    if expectation.expect_misses is not None:
        widths["recall"] = found["recall"].tolist()
    return {"sizes": sizes.tolist(), "widths": widths}
