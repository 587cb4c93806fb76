"""Evaluating by sampling: which of a system's cases a rater shall judge."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats.inputs import PathLike
from redink.formats.sample_files import (
    Key,
    blind_records,
    check_blind_path,
    write_blind,
    write_key,
)
from redink.judging.sample_size import (
    Expectation,
    errors_for_precision,
    expected_widths,
    oks_for_recall,
)
from redink.judging.sampling import Target, draw_sample
from redink.model import Column, Judgment, Table
from redink.model.signatures import fingerprint, make_signature
from redink.model.tables import make_table
from redink.workflows.decisions import SystemLike, load_cases
from redink.workflows.judgment_input import require_fine

CASES_PER_HOUR = 125.0
"""Tetreault and Chodorow's raters judged 500 prepositions in four hours."""


def plan_sample(
    cases: SystemLike,
    *,
    blind: PathLike,
    key: PathLike,
    error_rate: float | None = None,
    ok_rate: float | None = None,
    errors: int | None = None,
    oks: int | None = None,
    precision_width: float | None = None,
    recall_width: float | None = None,
    expect_precision: float = 0.5,
    expect_misses: float | None = None,
    ok: Sequence[str] | None = None,
    only: Sequence[str] = (),
    keep: Sequence[str] = (),
    target: Target = "corpus",
    level: float = 0.95,
    cases_per_hour: float = CASES_PER_HOUR,
    seed: int = 1,
) -> Table:
    """Draw the cases that a rater shall judge, from a system's Error and OK cases.

    Two files are written: the one for the rater is shuffled and does not tell which case is
    which; the key does, and is needed by ``estimate_sample``.

    Args:
        cases: item and label (the system's decision) and perhaps text, start, end; a path,
            values, or flags for words (GED TSV).
        blind: the file for the rater, .csv or .jsonl.
        key: the file that tells which is which, JSON.
        error_rate: the share of Error cases to draw; or
        errors: how many of them; or
        precision_width: as many as give precision an interval of this width.
        ok_rate: the share of OK cases to draw; or
        oks: how many of them; or
        recall_width: as many as give recall an interval of this width.
        expect_precision: the precision to plan for; one half is the hardest case.
        expect_misses: the share of OK cases expected to be errors, to plan for recall.
        ok: the system's labels that mean "no error".
        only: the marked words that are cases at all, such as prepositions; all by default.
        keep: further columns that the rater may see.
        target: what the intervals will be about; see ``estimate_sample``.
        level: of the intervals.
        cases_per_hour: how fast a rater is, for the cost.
        seed: of the draw.
    """
    check_blind_path(blind)
    if str(blind) == str(key):
        raise OptionError("the file for the rater and the key must be two files")
    given = _with_words(load_cases(cases), only)
    doubles = len(given) - len({case.item for case in given})
    if doubles:
        raise DataError(f"{doubles} cases have a name that another case has; names must differ")
    labels = sorted({case.label for case in given})
    fine = require_fine(labels, ok)
    flagged = np.array([case.label not in fine for case in given])
    error_cases, ok_cases = int(flagged.sum()), int((~flagged).sum())
    expectation = Expectation(expect_precision, expect_misses)
    drawn_errors = _size("Error", error_cases, rate=error_rate, number=errors)
    if drawn_errors is None:
        if precision_width is None:
            raise OptionError(
                "say how many Error cases to draw: --error-rate, --errors or --precision-width"
            )
        drawn_errors = errors_for_precision(
            precision_width, error_cases, expectation, target=target, level=level
        )
    drawn_oks = _size("OK", ok_cases, rate=ok_rate, number=oks)
    if drawn_oks is None:
        if recall_width is None:
            raise OptionError("say how many OK cases to draw: --ok-rate, --oks or --recall-width")
        drawn_oks = oks_for_recall(
            recall_width,
            error_cases,
            ok_cases,
            drawn_errors,
            expectation,
            target=target,
            level=level,
        )
    if not drawn_errors + drawn_oks:
        raise OptionError("the sample is empty")
    chosen = draw_sample(
        flagged, errors=drawn_errors, oks=drawn_oks, rng=np.random.default_rng(seed)
    )
    digits = len(str(len(chosen)))
    names = [f"c{number:0{digits}d}" for number in range(1, len(chosen) + 1)]
    picked = [given[number] for number in chosen]
    records = blind_records(picked, names, keep)
    if not any("text" in record for record in records):
        warnings.warn(
            "the cases carry no text (a column text); the file for the rater names them only",
            RedinkWarning,
            stacklevel=2,
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
    write_key(
        key,
        Key(
            error_cases,
            ok_cases,
            {name: case.item for name, case in zip(names, picked, strict=True)},
            {name: bool(flagged[n]) for name, n in zip(names, chosen, strict=True)},
            signature,
        ),
    )
    write_blind(blind, records)
    rows = [
        {
            "subcorpus": name,
            "cases": of,
            "drawn": n,
            "rate": n / of if of else None,
            "hours": n / cases_per_hour,
            "hours_exhaustive": of / cases_per_hour,
        }
        for name, of, n in (
            ("Error", error_cases, drawn_errors),
            ("OK", ok_cases, drawn_oks),
            ("both", len(given), len(chosen)),
        )
    ]
    notes = [f"Hours at {cases_per_hour:g} cases an hour.", f"No error: {', '.join(fine)}."]
    if drawn_errors and drawn_oks:
        widths = expected_widths(
            error_cases,
            ok_cases,
            np.array([float(drawn_errors)]),
            np.array([float(drawn_oks)]),
            expectation,
            target=target,
            level=level,
        )
        notes.append(
            f"Expected width of the interval: precision {widths['precision'][0]:.3f} "
            f"(if it is {expect_precision:g})"
            + (
                f", recall {widths['recall'][0]:.3f} (if {expect_misses:g} of the OK cases are "
                "errors)."
                if expect_misses is not None
                else "."
            )
        )
    columns = [
        Column("subcorpus"),
        Column("cases", "count"),
        Column("drawn", "count"),
        Column("rate", "rate"),
        Column("hours", "count"),
        Column("hours_exhaustive", "count"),
    ]
    return make_table(columns, rows, notes=notes, signature=signature, title="The sample to judge")


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


def _size(name: str, cases: int, *, rate: float | None, number: int | None) -> int | None:
    if rate is not None and number is not None:
        raise OptionError(f"give a rate or a number of {name} cases, not both")
    if rate is not None:
        if not 0 <= rate <= 1:
            raise OptionError(f"a rate lies between 0 and 1, not at {rate}")
        return math.ceil(round(rate * cases, 9))
    if number is not None and number > cases:
        raise OptionError(f"{number} {name} cases cannot be drawn: there are {cases}")
    return number


def plan_widths(
    table: Table,
    *,
    expect_precision: float = 0.5,
    expect_misses: float | None = None,
    target: Target = "corpus",
    level: float = 0.95,
    points: int = 60,
) -> tuple[list[int], dict[str, list[float]]]:
    """How the intervals of a plan would narrow with its size, at its share of Error cases.

    Returns:
        Sizes of samples; and the widths for precision, and for recall if misses are expected.
    """
    rows = {row["subcorpus"]: row for row in table.rows}
    share = rows["Error"]["drawn"] / rows["both"]["drawn"]
    if not 0 < share < 1:
        raise OptionError("a plot of widths needs a plan with both Error and OK cases")
    sizes = np.unique(np.geomspace(20, rows["both"]["cases"], points).round().astype(np.int64))
    # Fractions of cases keep the curve free of the steps that rounding would draw.
    errors = np.clip(sizes * share, 1, rows["Error"]["cases"])
    oks = np.clip(sizes - errors, 1, rows["OK"]["cases"])
    found = expected_widths(
        rows["Error"]["cases"],
        rows["OK"]["cases"],
        errors,
        oks,
        Expectation(expect_precision, expect_misses),
        target=target,
        level=level,
    )
    shown = ["precision"] if expect_misses is None else ["precision", "recall"]
    widths = {name: [float(width) for width in found[name]] for name in shown}
    return [int(size) for size in sizes], widths
