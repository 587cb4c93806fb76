"""Evaluating by sampling: what a judged sample says of a system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from redink.errors import DataError, OptionError
from redink.formats.inputs import PathLike
from redink.formats.sample_files import Key, read_key
from redink.judging.crowd import error_shares, error_votes, majority
from redink.judging.labels import tabulate
from redink.judging.sampling import (
    Method,
    Stratum,
    Target,
    default_target,
    estimate_quantities,
)
from redink.model import Column, Counts, Judgment, Table
from redink.model.signatures import make_signature
from redink.model.tables import make_table
from redink.statistics.intervals import Interval
from redink.workflows.judgment_input import (
    Merges,
    Prepared,
    how_many,
    prepare_judgments,
    require_fine,
)
from redink.workflows.sample_plan import CASES_PER_HOUR

_ROWS = (
    Column("quantity"),
    Column("estimate", "rate"),
    Column("low", "rate"),
    Column("high", "rate"),
)


def estimate_sample(
    key: PathLike | None = None,
    answers: PathLike | Iterable[Judgment] | None = None,
    *,
    counts: Counts | None = None,
    cases: tuple[int, int] | None = None,
    interval: Method = "wilson",
    target: Target | None = None,
    level: float = 0.95,
    beta: float = 0.5,
    ok: Sequence[str] | None = None,
    merge: Merges | None = None,
    missing: Sequence[str] = (),
    by_judge: bool = False,
    cases_per_hour: float = CASES_PER_HOUR,
    bootstrap: int = 10_000,
    seed: int = 1,
) -> Table:
    """Hit, miss and false-positive rates, precision and recall from a judged sample.

    Args:
        key: the key that ``plan_sample`` wrote.
        answers: the raters' judgments of the blind file; a path, or values.
        counts: instead, what the sample holds: hits, false positives, misses and the rest.
        cases: with counts, how many Error and how many OK cases the corpus has.
        interval: ``wilson``, ``normal`` (the paper's) or ``bootstrap``.
        target: ``corpus`` (what annotating all of it would give) or ``population`` (text like
            it). By default the corpus; with the paper's interval the population.
        level: of the intervals.
        beta: of F.
        ok: the answers that mean "no error".
        merge: new label to the labels that count as it.
        missing: answers that are none.
        by_judge: estimates from each rater apart, beside those from their majority.
        cases_per_hour: how fast a rater is, where the answers do not tell.
        bootstrap: samples, with that interval.
        seed: of the bootstrap.

    Returns:
        A table with the columns ``quantity, estimate, low, high``.
    """
    about: Target = target or default_target(interval)
    notes: list[str] = []
    parts: dict[str, Any] = {}
    groups: list[tuple[str, Stratum, Stratum]] = []
    if counts is not None:
        if cases is None or key is not None or answers is not None:
            raise OptionError("counts need the numbers of Error and OK cases, and nothing else")
        if counts.tn is None:
            raise DataError("all four counts of the sample are needed")
        flagged = Stratum(cases[0], counts.tp + counts.fp, counts.tp)
        passed = Stratum(cases[1], counts.fn + counts.tn, counts.fn)
        groups.append(("all", flagged, passed))
        hours = _hours(groups[0], None, cases_per_hour)
        parts["counts"] = [counts.tp, counts.fp, counts.fn, counts.tn]
        parts["cases"] = list(cases)
    else:
        if key is None or answers is None:
            raise OptionError("an estimate needs a key and answers, or counts")
        plan = read_key(key)
        prepared = prepare_judgments(answers, merge=merge, missing=missing)
        notes += prepared.notes
        groups, more = _judged(plan, prepared, ok, by_judge=by_judge)
        notes += more
        hours = _hours(groups[0], prepared, cases_per_hour)
        parts |= prepared.signature | {"plan": plan.signature.get("data")}
    rows: list[dict[str, Any]] = []
    for name, flagged, passed in groups:
        found = estimate_quantities(
            flagged,
            passed,
            method=interval,
            target=about,
            level=level,
            beta=beta,
            samples=bootstrap,
            rng=np.random.default_rng(seed),
        )
        rows += [{"quantity": q, **_cells(i), "judge": name} for q, i in found.items()]
        notes += [
            f"{name}: {note}" if len(groups) > 1 else note for note in _reasons(flagged, passed)
        ]
    rows += [
        {"quantity": name, "estimate": value, "low": None, "high": None, "judge": "all"}
        for name, value in hours
    ]
    notes.append(_about(interval, about, level))
    notes.append("Cases and hours: what was judged, and what judging everything would take.")
    signature = make_signature(
        "sample estimate",
        interval=interval,
        target=about,
        level=level,
        beta=beta,
        bootstrap=bootstrap if interval == "bootstrap" else None,
        seed=seed if interval == "bootstrap" else None,
        **parts,
    )
    columns = [*_ROWS, Column("judge")] if len(groups) > 1 else list(_ROWS)
    return make_table(
        columns, rows, notes=notes, signature=signature, title="Estimates from the sample"
    )


def _about(interval: Method, target: Target, level: float) -> str:
    how = {
        "wilson": "Wilson's; for recall, F and the error rate by MOVER on Wilson's limits",
        "normal": "the normal approximation; for recall, F and the error rate by the delta method",
        "bootstrap": "percentiles of a bootstrap",
    }[interval]
    what = {
        "corpus": "what judging this whole corpus would give",
        "population": "text like this corpus",
    }[target]
    return f"{100 * level:g} % intervals ({how}) for {what}."


def _cells(interval: Interval) -> dict[str, float | None]:
    values = {"estimate": interval.estimate, "low": interval.low, "high": interval.high}
    return {name: None if np.isnan(v) else float(v) for name, v in values.items()}


def _reasons(flagged: Stratum, passed: Stratum) -> list[str]:
    """Why quantities are undefined, if some are."""
    reasons = []
    if not np.asarray(flagged.sample).any():
        reasons.append(
            "Undefined: hits, false positives, precision, recall, F: no Error case was judged."
        )
    if not np.asarray(passed.sample).any():
        reasons.append(
            "Undefined: misses, recall, F, error rate: no OK case was judged; this is "
            "the verification method, which knows precision alone."
        )
    elif not np.asarray(flagged.errors).any() and not np.asarray(passed.errors).any():
        reasons.append("Undefined: recall: no error was found.")
    return reasons


def _judged(
    plan: Key, prepared: Prepared, ok: Sequence[str] | None, *, by_judge: bool
) -> tuple[list[tuple[str, Stratum, Stratum]], list[str]]:
    """The two samples as all raters' majority sees them, and perhaps as each rater does."""
    known = [judgment for judgment in prepared.judgments if judgment.item in plan.flagged]
    strange = {j.item for j in prepared.judgments} - set(plan.flagged)
    if not known:
        raise DataError(
            "no answer is about an item of the key; do key and answers belong together?"
        )
    if strange:
        raise DataError(
            f"{len(strange)} answered items are not in the key, such as {min(strange)!r}; "
            "do key and answers belong together?"
        )
    matrix = tabulate(known)
    fine = require_fine(matrix.labels, ok)
    votes = error_votes(matrix, fine)
    flagged = np.array([plan.flagged[item] for item in matrix.items])
    notes = [f"No error: {', '.join(fine)}."]
    unanswered = len(plan.flagged) - len(matrix.items)
    if unanswered:
        notes.append(
            f"{unanswered} of {len(plan.flagged)} drawn cases have no answer; the "
            "estimates take them to be like the others."
        )
    everyone = majority(error_shares(votes), "skip")
    ties = int(np.isnan(everyone).sum())
    if ties:
        notes.append(f"{how_many(ties, 'tie')} between the raters counted as unanswered.")
    views = [("all", everyone)]
    if by_judge:
        views += [
            (judge, np.where(votes[:, n] < 0, np.nan, votes[:, n].astype(np.float64)))
            for n, judge in enumerate(matrix.judges)
        ]
    groups = []
    for name, truth in views:
        strata = []
        for inside, total in ((flagged, plan.error_cases), (~flagged, plan.ok_cases)):
            answered = inside & ~np.isnan(truth)
            strata.append(Stratum(total, int(answered.sum()), int(truth[answered].sum())))
        groups.append((name, strata[0], strata[1]))
    return groups, notes


def _hours(
    group: tuple[str, Stratum, Stratum], prepared: Prepared | None, cases_per_hour: float
) -> list[tuple[str, float | int]]:
    """The cost in cases and hours, of the sample and of everything."""
    if cases_per_hour <= 0:
        raise OptionError("a rater judges more than no cases an hour")
    _, flagged, passed = group
    judged = int(np.asarray(flagged.sample) + np.asarray(passed.sample))
    everything = int(np.asarray(flagged.cases) + np.asarray(passed.cases))
    hours = judged / cases_per_hour
    if prepared is not None:
        spent = [judgment.duration for judgment in prepared.judgments]
        known = [seconds for seconds in spent if seconds is not None]
        # Every rater's time counts, as if all had taken as long as those whose time is known.
        hours = (
            sum(known) / len(known) * len(spent) / 3600 if known else len(spent) / cases_per_hour
        )
    return [
        ("cases", judged),
        ("cases_exhaustive", everything),
        ("hours", hours),
        ("hours_exhaustive", hours / judged * everything if judged else 0.0),
    ]


def verify_sample(
    answers: PathLike | Iterable[Judgment],
    *,
    cases: int | None = None,
    interval: Method = "wilson",
    target: Target | None = None,
    level: float = 0.95,
    ok: Sequence[str] | None = None,
    merge: Merges | None = None,
    missing: Sequence[str] = (),
    bootstrap: int = 10_000,
    seed: int = 1,
) -> Table:
    """The verification method: precision from judgments of a system's Error cases alone.

    It cannot estimate recall, since nobody looks at what the system passed over.

    Args:
        answers: the raters' judgments of Error cases; a path, or values.
        cases: how many Error cases the system has in all, if these are a sample of them.
        interval: ``wilson``, ``normal`` or ``bootstrap``.
        target: ``corpus`` or ``population``; see :func:`estimate_sample`.
        level: of the interval.
        ok: the answers that mean "no error" (a false positive).
        merge: new label to the labels that count as it.
        missing: answers that are none.
        bootstrap: samples, with that interval.
        seed: of the bootstrap.
    """
    about: Target = target or ("population" if cases is None else default_target(interval))
    if about == "corpus" and cases is None:
        raise OptionError("an interval about the corpus needs the number of Error cases in it")
    prepared = prepare_judgments(answers, merge=merge, missing=missing)
    matrix = tabulate(prepared.judgments)
    fine = require_fine(matrix.labels, ok)
    truth = majority(error_shares(error_votes(matrix, fine)), "skip")
    answered = truth[~np.isnan(truth)]
    flagged = Stratum(cases or len(answered), len(answered), int(answered.sum()))
    # The sub-corpus of OK cases is unknown; precision does not depend on it.
    found = estimate_quantities(
        flagged,
        Stratum(0, 0, 0),
        method=interval,
        target=about,
        level=level,
        samples=bootstrap,
        rng=np.random.default_rng(seed),
    )
    rows: list[dict[str, Any]] = [
        {"quantity": "precision", **_cells(found["precision"])},
        {"quantity": "recall", "estimate": None, "low": None, "high": None},
    ]
    ties = int(np.isnan(truth).sum())
    notes = [
        *prepared.notes,
        (
            f"{len(answered)} Error cases judged, {int(answered.sum())} of them errors; "
            f"no error: {', '.join(fine)}."
        ),
        *([f"{how_many(ties, 'tie')} between the raters counted as unanswered."] if ties else []),
        "recall is undefined: the verification method looks only at what the system flags.",
        _about(interval, about, level),
    ]
    signature = make_signature(
        "sample verify",
        interval=interval,
        target=about,
        level=level,
        cases=cases,
        ok=list(fine),
        bootstrap=bootstrap if interval == "bootstrap" else None,
        seed=seed if interval == "bootstrap" else None,
        **prepared.signature,
    )
    return make_table(
        list(_ROWS), rows, notes=notes, signature=signature, title="Precision by verification"
    )
