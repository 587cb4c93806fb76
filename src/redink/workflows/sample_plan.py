"""Evaluating by sampling: which of a system's cases a rater judges."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats.cases import CasesLike, load_cases
from redink.formats.sample_files import Key, blind_records, check_blind_path, write_blind, write_key
from redink.judging.labels import require_fine
from redink.judging.sample_size import Expectation, errors_for_precision, oks_for_recall
from redink.judging.sampling import draw_sample
from redink.model import Judgment, Shown, Table, fingerprint, make_signature, table_of
from redink.options import Flag, Limits, NotNegative, Seed, Share, use_case

Labels = Annotated[Sequence[str] | None, Flag(value="LABEL,...")]
Speed = Annotated[float, Limits(0, low_open=True)]
Width = Annotated[float, Limits(0, 1, low_open=True)]
Written = Annotated[str | Path, Flag(value="FILE", writes=True)]

CASES_PER_HOUR = 125.0
"""Tetreault and Chodorow's raters judged 500 prepositions in four hours."""


@use_case(draws="Draw how the intervals narrow with the number of cases.")
def plan_sample(
    cases: CasesLike,
    *,
    blind: Written,
    key: Written,
    error_rate: Share | None = None,
    errors: NotNegative | None = None,
    precision_width: Width | None = None,
    ok_rate: Share | None = None,
    oks: NotNegative | None = None,
    recall_width: Width | None = None,
    expectation: Expectation = Expectation(),
    ok: Labels = None,
    only: Annotated[Sequence[str], Flag(value="WORD,...")] = (),
    keep: Annotated[Sequence[str], Flag(value="COLUMN,...")] = (),
    cases_per_hour: Speed = CASES_PER_HOUR,
    seed: Seed = 1,
) -> Table:
    """Draw the cases that a rater judges.

    The cases are CSV, TSV or JSONL with the columns item and label (the system's decision) and
    perhaps text, start and end (the words to mark) and before (the sentence before); or flags for
    words (GED TSV). The rater's file holds just these, shuffled under new names; the key holds the
    rest.

    Args:
        cases: what the system says of every item: a file, labels by item, or values.
        blind: the file for the rater (.csv, .jsonl): shuffled, no decisions.
        key: the file that tells which is which, for sample estimate.
        error_rate: share of Error cases to draw.
        errors: number of Error cases to draw.
        precision_width: as many Error cases as give precision an interval of this width.
        ok_rate: share of OK cases to draw.
        oks: number of OK cases to draw.
        recall_width: as many OK cases as give recall an interval of this width.
        expectation: what is expected.
        ok: the system's labels that mean: no error.
        only: only cases whose marked words are these, such as prepositions.
        keep: further columns that the rater may see.
        cases_per_hour: how fast a rater is, for the cost.
        seed: of the draw: same seed, same sample.
    """
    check_blind_path(blind)
    if str(blind) == str(key):
        raise OptionError("the file for the rater and the key must be two files")
    given = _with_words(load_cases(cases), only)
    doubles = len(given) - len({case.item for case in given})
    if doubles:
        raise DataError(f"{doubles} cases have a name that another case has; names must differ")
    fine = require_fine(sorted({case.label for case in given}), ok)
    flagged = np.array([case.label not in fine for case in given])
    error_cases, ok_cases = int(flagged.sum()), int((~flagged).sum())
    drawn_errors = _size("Error", error_cases, error_rate, errors)
    if drawn_errors is None:
        needed = _given(precision_width, "Error", "--error-rate, --errors or --precision-width")
        drawn_errors = errors_for_precision(needed, error_cases, expectation)
    drawn_oks = _size("OK", ok_cases, ok_rate, oks)
    if drawn_oks is None:
        needed = _given(recall_width, "OK", "--ok-rate, --oks or --recall-width")
        drawn_oks = oks_for_recall(needed, error_cases, ok_cases, drawn_errors, expectation)
    if not drawn_errors + drawn_oks:
        raise OptionError("the sample is empty")
    chosen = draw_sample(
        flagged, errors=drawn_errors, oks=drawn_oks, rng=np.random.default_rng(seed)
    )
    signature = make_signature(
        "sample plan",
        errors=drawn_errors,
        oks=drawn_oks,
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
            "the cases carry no text (a column text); the file for the rater names them only",
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
            ("Error", error_cases, drawn_errors),
            ("OK", ok_cases, drawn_oks),
            ("both", len(given), len(chosen)),
        )
    ]
    notes = [f"Hours at {cases_per_hour:g} cases an hour.", f"No error: {', '.join(fine)}."]
    extra: dict[str, Any] = {}
    if drawn_errors and drawn_oks:
        wide = expectation.widths(error_cases, ok_cases, drawn_errors, drawn_oks)
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


def _with_words(cases: Sequence[Judgment], only: Sequence[str]) -> Sequence[Judgment]:
    """The cases whose marked words are among those asked for."""
    if not only:
        return cases
    wanted = {word.casefold() for word in only}
    found = []
    for case in cases:
        extra = dict(case.extra)
        try:
            start, end = int(extra["start"]), int(extra["end"])
            words = extra["text"].split()[start:end]
        except (KeyError, ValueError):
            raise DataError(
                f"case {case.item!r} marks no words (text, start, end) to choose by"
            ) from None
        if " ".join(words).casefold() in wanted:
            found.append(case)
    if not found:
        raise DataError(f"no case marks any of the words {', '.join(only)}")
    return found


def _given(width: float | None, name: str, options: str) -> float:
    if width is None:
        raise OptionError(f"say how many {name} cases to draw: {options}")
    return width


def _size(name: str, cases: int, rate: float | None, number: int | None) -> int | None:
    if rate is not None and number is not None:
        raise OptionError(f"give a rate or a number of {name} cases, not both")
    if rate is not None:
        return math.ceil(round(rate * cases, 9))
    if number is not None and number > cases:
        raise OptionError(f"{number} {name} cases cannot be drawn: there are {cases}")
    return number


def _widths(rows: Sequence[_Part], expectation: Expectation, points: int = 60) -> dict[str, Any]:
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
