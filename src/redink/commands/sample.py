"""``redink sample``: draw cases to judge, estimate rates from judgments, simulate samples."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import CasesLike, JudgmentsLike, load_cases, load_judgments
from redink.inputs.sample_files import (
    Key,
    blind_records,
    check_blind_path,
    choose_marked,
    read_key,
    write_blind,
    write_key,
)
from redink.inputs.text_loading import name_inputs
from redink.judging.crowdsourcing import error_shares, error_votes, majority
from redink.judging.labels import (
    Counted,
    LabelOptions,
    by_question,
    how_many,
    require_fine,
    tabulate,
)
from redink.judging.sampling import (
    IntervalOptions,
    PlanningOptions,
    Quantity,
    SampleSize,
    Stratum,
    allocate,
    draw_parts,
    estimate_quantities,
    simulate_samples,
)
from redink.model import (
    Counts,
    Definition,
    Judgment,
    Shown,
    Table,
    fingerprint,
    make_signature,
    table_of,
)
from redink.options import (
    Beta,
    Confidence,
    Flag,
    Limits,
    Needs,
    NotNegative,
    Positive,
    Seed,
    command,
)
from redink.statistics.intervals import Interval
from redink.statistics.ratings import MISSING
from redink.statistics.resampling import IntArray, ResamplingOptions

Labels = Annotated[Sequence[str] | None, Flag(value="LABEL,...")]
Speed = Annotated[float, Limits(0.01, 100_000)]
Written = Annotated[str | Path, Flag(value="FILE", writes=True)]
CASES_PER_HOUR = 125.0
"""Tetreault and Chodorow's raters judged 500 prepositions in four hours."""
DEFAULT_SIZES = (100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000)
Ties = Literal["share", "error", "ok", "skip"]
# The question about each edit of an edit-validity campaign, and its answers.
EDIT, RIGHT = "edit", "right"
VERDICTS = {RIGHT, "wrong", "optional"}
ALL = "all"  # value of the column judge
_Sides = tuple[list[Stratum], list[Stratum]]
_Groups = dict[tuple[str | None, str | None], _Sides]
"""For each system and judge (None: the only system, all judges), the parts of both sub-corpora."""
FourCounts = Counts | tuple[NotNegative, NotNegative, NotNegative, NotNegative] | None


@command(draws="Draw the width of the confidence intervals by number of cases.")
def plan_sample(
    cases: CasesLike,
    *,
    blind: Written,
    key: Written,
    also: Annotated[Sequence[PathLike], Flag(value="[NAME=]FILE", repeat=True)] = (),
    size: SampleSize = SampleSize(),
    expectation: PlanningOptions = PlanningOptions(),
    ok: Labels = None,
    words: Annotated[Sequence[str], Flag(value="WORD,...")] = (),
    keep: Annotated[Sequence[str], Flag(value="COLUMN,...")] = (),
    cases_per_hour: Speed = CASES_PER_HOUR,
    seed: Seed = 1,
) -> Table:
    """Draw a sample of cases for people to judge.

    The cases are CSV, TSV or JSONL with the columns item and label (the decision of the system) and
    optionally text, start and end (the words to mark) and before (the sentence before); or flags
    for words (GED TSV). The file for the judges contains only the text, shuffled, under new names;
    the key contains everything else. One sample can serve several systems that decide about the
    same items (``--also``): Error cases are then the cases that at least one system labels Error.

    Args:
        cases: decisions of the system about every item: a file, labels by item, or values.
        blind: output file for the judges (.csv, .jsonl): shuffled, without decisions.
        key: output file that maps the new names to the cases, for redink sample estimate.
        also: decisions of another system about the same items.
        size: number of cases to draw.
        expectation: expected rates, for the width of the confidence intervals.
        ok: labels of the system that mean "no error".
        words: draw only cases whose marked words are in this list, such as prepositions.
        keep: further columns to show to the judges.
        cases_per_hour: number of cases that a judge judges per hour, for the cost.
        seed: random seed.
    """
    check_blind_path(blind)
    given = choose_marked(load_cases(cases), words)
    for name, times in Counter(case.item for case in given).most_common(1):
        if times > 1:
            raise DataError(f"{times} cases have the name {name!r}; names must be unique")
    others = _load_others(cases, also, given)
    labels = {case.label for case in given}.union(*(set(each.values()) for each in others.values()))
    fine = require_fine(sorted(labels), ok)
    decisions = ["-" if case.label in fine else "E" for case in given]
    for each in list(others.values())[1:]:
        decisions = [
            d + ("-" if each[case.item] in fine else "E")
            for d, case in zip(decisions, given, strict=True)
        ]
    parts = {part: decisions.count(part) for part in sorted(set(decisions), reverse=True)}
    error_cases = sum(n for part, n in parts.items() if "E" in part)
    ok_cases = len(given) - error_cases
    errors, oks = size.decide(error_cases, ok_cases, expectation)
    rng = np.random.default_rng(seed)
    drawn_of = _divide(parts, errors, oks)
    pools = [np.flatnonzero(np.array(decisions) == part) for part in drawn_of]
    chosen = draw_parts(pools, list(drawn_of.values()), rng)
    signature = make_signature(
        "sample plan",
        errors=errors,
        oks=oks,
        ok=list(fine),
        only=list(words) or None,
        seed=seed,
        systems=list(others) or None,
        data=fingerprint(
            f"{case.item}\t{case.label}" + (f"\t{each}" if others else "")
            for case, each in zip(given, decisions, strict=True)
        ),
    )
    digits = len(str(len(chosen)))
    drawn = {f"c{number:0{digits}d}": given[at] for number, at in enumerate(chosen, start=1)}
    records = blind_records(drawn, keep)
    if not any("text" in record for record in records):
        warnings.warn(
            "the cases have no column text; the file for the judges contains only their names",
            RedinkWarning,
            stacklevel=3,
        )
    items = {name: case.item for name, case in drawn.items()}
    of_names = {name: decisions[at] for name, at in zip(drawn, chosen, strict=True)}
    first = {name: decision[0] == "E" for name, decision in of_names.items()}
    number = sum(decision[0] == "E" for decision in decisions)
    pooled = (tuple(others), of_names, parts) if others else ((), {}, {})
    write_key(key, Key(number, len(given) - number, items, first, signature, *pooled))
    write_blind(blind, records)
    rows = [
        _SampledPart(name, of, n, n / of if of else None, n / cases_per_hour, of / cases_per_hour)
        for name, of, n in (
            *(
                (_name_part(p, list(others)), parts[p], n)
                for p, n in drawn_of.items()
                if len(p) > 1 and "E" in p
            ),
            ("Error", error_cases, errors),
            ("OK", ok_cases, oks),
            ("both", len(given), len(chosen)),
        )
    ]
    notes: list[str] = [
        Definition(f"Hours at {cases_per_hour:g} cases per hour."),
        Definition(f"No error: {', '.join(fine)}."),
    ]
    extra: dict[str, Any] = {}
    if errors and oks:
        wide = expectation.widths(error_cases, ok_cases, errors, oks)
        note = (
            f"precision {wide['precision']:.3f} (if precision is {expectation.expect_precision:g})"
        )
        if (misses := expectation.expect_misses) is not None:
            note += f", recall {wide['recall']:.3f} (if {misses:g} of the OK cases are errors)"
        notes.append(f"Expected width of the confidence interval: {note}.")
        extra = {} if others else _widths(rows, expectation)
    return table_of(
        rows,
        notes=notes,
        signature=signature,
        title="Sample to judge",
        plot_name="sample-widths",
        extra=extra,
    )


def _divide(parts: Mapping[str, int], errors: int, oks: int) -> dict[str, int]:
    """Return the number of cases to draw with each combination of decisions."""
    of_errors = {part: n for part, n in parts.items() if "E" in part}
    drawn = dict(zip(of_errors, allocate([*of_errors.values()], errors), strict=True))
    return drawn | {part: oks for part in parts if "E" not in part}


def _load_others(
    cases: CasesLike, also: Sequence[PathLike], given: Sequence[Judgment]
) -> dict[str, dict[str, str]]:
    """Return the labels of all systems by item, if there are several."""
    if not also:
        return {}
    first = Path(cases).stem if isinstance(cases, str | Path) else "system"
    found = {first: {case.item: case.label for case in given}}
    for name, path in name_inputs(also):
        labels = {case.item: case.label for case in load_cases(path)}
        if missing := [case.item for case in given if case.item not in labels]:
            raise DataError(f"{path}: no label for {len(missing)} items, such as {missing[0]!r}")
        if name in found:
            raise DataError(f"two systems have the name {name!r}; write --also NAME=FILE")
        found[name] = labels
    return found


def _name_part(part: str, systems: Sequence[str]) -> str:
    return "Error: " + "+".join(n for n, d in zip(systems, part, strict=True) if d == "E")


@dataclass(frozen=True)
class _SampledPart:
    subcorpus: str
    cases: int
    drawn: int
    rate: float | None
    hours: Annotated[float, Shown("count")]
    hours_exhaustive: Annotated[float, Shown("count")]


def _widths(
    rows: Sequence[_SampledPart], expectation: PlanningOptions, points: int = 60
) -> dict[str, Any]:
    """Return the widths of the intervals by sample size, at this share of Error cases."""
    errors, oks, both = rows
    sizes = np.unique(np.geomspace(20, both.cases, points).round().astype(np.int64))
    # Fractions of cases, because rounding would make steps in the plot.
    of_errors = np.clip(sizes * errors.drawn / both.drawn, 1, errors.cases)
    of_oks = np.clip(sizes - of_errors, 1, oks.cases)
    found = expectation.widths(errors.cases, oks.cases, of_errors, of_oks)
    widths = {"precision": found["precision"].tolist()}
    if expectation.expect_misses is not None:
        widths["recall"] = found["recall"].tolist()
    return {"sizes": sizes.tolist(), "widths": widths}


@dataclass(frozen=True)
class _Estimate:
    quantity: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    judge: Annotated[str | None, Shown(optional=True)] = None
    system: Annotated[str | None, Shown(optional=True)] = None


def _estimate(
    quantity: str, interval: Interval, judge: str | None = None, system: str | None = None
) -> _Estimate:
    values = [interval.estimate, interval.low, interval.high]
    estimate, low, high = (None if np.isnan(value) else float(value) for value in values)
    return _Estimate(quantity, estimate, low, high, judge, system)


@command
def estimate_sample(
    key: PathLike | None = None,
    answers: JudgmentsLike | None = None,
    *,
    from_counts: Annotated[FourCounts, Flag(parts=4, value="HITS FP MISSES REST")] = None,
    cases: Annotated[
        tuple[NotNegative, NotNegative] | None,
        Flag(parts=2, value="ERROR OK"),
        Needs(from_counts=True),
    ] = None,
    intervals: IntervalOptions = IntervalOptions(),
    resampling: ResamplingOptions = ResamplingOptions(bootstrap=10_000),
    beta: Beta = 0.5,
    counting: LabelOptions = LabelOptions(),
    ties: Annotated[Ties, Needs(answers=True)] = "share",
    by_judge: Annotated[bool, Flag(name="by-judge", off="no-by-judge")] = True,
    cases_per_hour: Speed = CASES_PER_HOUR,
) -> Table:
    """Estimate rates, precision and recall from the judges' answers.

    The key is the file from sample plan. The answers are judgments (item, judge, label) of the
    cases in the judges' file. The weight of a case as an error is the share of its judges who see
    one. Rates are shares of all cases of the corpus: true positives, false positives, false
    negatives, and all errors.

    Args:
        key: key file from redink sample plan.
        answers: judgments of the cases in the blind file: a file, or values.
        from_counts: use counts of the sample instead of files: true and false positives among the
            Error cases, false and true negatives among the OK cases.
        cases: numbers of Error and OK cases in the corpus (with --from-counts).
        intervals: method of the confidence intervals.
        resampling: resampling for the confidence intervals.
        bootstrap: number of bootstrap samples (with --interval bootstrap).
        beta: weight of recall in F.
        counting: answers to include.
        ties: count a case on which judges differ by the share who see an error; or let the majority
            decide, and count an even split as an error or as ok, or skip the case.
        by_judge: with several judges, also estimate from each judge. By default yes.
        cases_per_hour: number of cases that a judge judges per hour, if the answers have no times.

    Returns:
        A table with the columns ``quantity, estimate, low, high``, and with several judges
        ``judge`` (``all``, and each judge).
    """
    notes: list[str] = []
    parts: dict[str, Any] = {}
    if from_counts is not None:
        if cases is None or len(cases) != 2 or key is not None or answers is not None:
            raise OptionError("--from-counts needs --cases ERROR OK, and no files")
        hits, false, misses, rest = _four(from_counts)
        groups: _Groups = {
            (None, None): (
                [Stratum(cases[0], hits + false, hits)],
                [Stratum(cases[1], misses + rest, misses)],
            )
        }
        hours = (hits + false + misses + rest) / cases_per_hour
        parts = {"counts": [hits, false, misses, rest], "cases": list(cases)}
    else:
        if key is None or answers is None:
            raise OptionError("give a key and answers, or --from-counts")
        plan = read_key(key)
        counted = counting.count(load_judgments(answers))
        groups, more = _judged(plan, counted, counting.ok, ties, by_judge=by_judge)
        notes += [*counted.notes, *more]
        hours = _hours(counted, cases_per_hour)
        parts = counted.signature | {"ties": ties, "plan": plan.signature.get("data")}
    several = len({judge for _, judge in groups}) > 1
    rows = []
    for (system, judge), strata in groups.items():
        name = (judge or ALL) if several else None
        found = estimate_quantities(*strata, intervals=intervals, resampling=resampling, beta=beta)
        rows += [_estimate(q, i, name, system) for q, i in found.items()]
        about = ", ".join(filter(None, (system, name)))
        notes += [f"{about}: {note}" if about else note for note in _undefined(*strata)]
    together = ALL if several else None
    first_system = next(iter(groups))[0]
    costs = _cost(*groups[first_system, None], hours).items()
    rows += [_Estimate(name, cost, judge=together) for name, cost in costs]
    notes.append(intervals.describe(resampling.confidence))
    notes.append(
        Definition("Cases and hours: judged so far, and needed to judge the entire corpus.")
    )
    return table_of(
        rows,
        notes=notes,
        signature=_signature("estimate", intervals, resampling, beta=beta, **parts),
        title="Estimates from the sample",
    )


def _signature(
    command: str, intervals: IntervalOptions, resampling: ResamplingOptions, **parts: Any
) -> dict[str, Any]:
    random = {"bootstrap": resampling.bootstrap, "seed": resampling.seed}
    return make_signature(
        f"sample {command}",
        interval=intervals.interval,
        target=intervals.about,
        confidence=resampling.confidence,
        **(random if intervals.interval == "bootstrap" else {}),
        **parts,
    )


def _four(counts: Counts | Sequence[float]) -> tuple[float, float, float, float]:
    given = counts if isinstance(counts, Counts) else Counts(*counts)
    if given.tn is None:
        raise DataError("--from-counts needs all four counts")
    return given.tp, given.fp, given.fn, given.tn


def _undefined(flagged: Sequence[Stratum], passed: Sequence[Stratum]) -> Iterator[str]:
    if not any(part.sample for part in flagged):
        yield (
            "Undefined: hits, false positives, precision, recall, F, kappa (no Error case was "
            "judged)."
        )
    if not any(part.sample for part in passed):
        yield (
            "Undefined: misses, recall, F, error rate, kappa (verification method: no OK case was "
            "judged)."
        )
    elif not any(part.errors for part in (*flagged, *passed)):
        yield "Undefined: recall (no error was found)."


def _judged(
    plan: Key, counted: Counted, ok: Sequence[str] | None, ties: Ties, *, by_judge: bool
) -> tuple[_Groups, list[str]]:
    """Return both samples by all judges together, and by each judge; and notes."""
    answered = {judgment.item for judgment in counted.judgments}
    if strange := answered - set(plan.flagged):
        problem = f"{len(strange)} answered items are not in the key, such as {min(strange)!r}"
        if strange == answered:
            problem = "no answer is about an item of the key"
        raise DataError(f"{problem}; check that key and answers belong together")
    matrix = tabulate(counted.judgments)
    fine = require_fine(matrix.labels, ok)
    votes = error_votes(matrix, fine)
    no_error = Definition(f"No error: {', '.join(fine)}.")
    notes = [*matrix.describe(), no_error, *_about_ties(votes, ties)]
    if unanswered := len(plan.flagged) - len(matrix.items):
        notes.append(
            f"{unanswered} of {len(plan.flagged)} drawn cases have no answer; the "
            "estimates assume that they are like the others."
        )
    given = plan.decisions or {item: "-E"[is_error] for item, is_error in plan.flagged.items()}
    parts = plan.parts or {"E": plan.error_cases, "-": plan.ok_cases}
    part_of = np.array([given[item] for item in matrix.items])
    absent = [part for part, size in parts.items() if size and not (part_of == part).any()]
    if plan.systems and absent:
        raise DataError(
            f"no answer about the {parts[absent[0]]} cases with the decisions "
            f"{absent[0]!r} of {', '.join(plan.systems)}; every part needs at least one answer"
        )
    groups: _Groups = {}
    for judge, some in _views(votes, matrix.judges, by_judge=by_judge).items():
        strata = {part: _stratum(some[part_of == part], n, ties) for part, n in parts.items()}
        for number, system in enumerate(plan.systems or (None,)):
            groups[system, judge] = tuple(  # type: ignore[assignment]
                [s for part, s in strata.items() if part[number] == decision] or [Stratum(0, 0, 0)]
                for decision in "E-"
            )
    return groups, notes


def _views(votes: IntArray, judges: Sequence[str], *, by_judge: bool) -> dict[str | None, IntArray]:
    """Return the votes of all judges together (None) and, with several judges, of each."""
    each = judges if by_judge and len(judges) > 1 else ()
    return {None: votes} | {judge: votes[:, [n]] for n, judge in enumerate(each)}


def _stratum(votes: IntArray, cases: int | None, ties: Ties) -> Stratum:
    """Return a sub-corpus with this number of cases, by default the judged ones."""
    shares = error_shares(votes)
    truth = shares if ties == "share" else majority(shares, ties)
    known = ~np.isnan(truth)
    judgments = int((votes[known] != MISSING).sum())
    return Stratum.of_shares(cases or int(known.sum()), truth[known], judgments)


def _about_ties(votes: IntArray, ties: Ties) -> list[str]:
    """Return notes about cases on which judges differ; warn if some are dropped."""
    shares = error_shares(votes)
    judged = how_many(int((~np.isnan(shares)).sum()), "case")
    even = int((shares == 0.5).sum())
    divided = int(((shares > 0) & (shares < 1)).sum())
    if ties == "share":
        told = f"Judges differ on {divided} of {judged}, counted by the share who see an error."
        return [told] if divided else []
    if not even:
        return []
    if ties != "skip":
        return [f"{how_many(even, 'tie')} between judges of {judged} counted as {ties}."]
    told = f"{how_many(even, 'tie')} between judges of {judged} dropped (--ties skip)"
    warnings.warn(
        f"{told}; only cases on which judges agree are left, so the estimates are biased",
        RedinkWarning,
        stacklevel=4,
    )
    return [f"{told}."]


def _hours(counted: Counted, cases_per_hour: float) -> float:
    """Return the hours of judging, from the mean of the known durations if there are any."""
    known = [j.duration for j in counted.judgments if j.duration is not None]
    number = len(counted.judgments)
    return sum(known) / len(known) * number / 3600 if known else number / cases_per_hour


def _cost(flagged: Sequence[Stratum], passed: Sequence[Stratum], hours: float) -> dict[str, float]:
    judged = int(np.sum([part.sample for part in (*flagged, *passed)]))
    everything = int(np.sum([part.cases for part in (*flagged, *passed)]))
    exhaustive = hours / judged * everything if judged else 0.0
    return {
        "cases": judged,
        "cases_exhaustive": everything,
        "hours": hours,
        "hours_exhaustive": exhaustive,
    }


@dataclass(frozen=True)
class _Approach:
    """The cost and the precision of an approach to evaluation (table 7 of the paper)."""

    approach: str
    judges: int
    judgments: int
    hours: Annotated[float, Shown("count")]
    cost: Annotated[float | None, Shown("count", optional=True)]
    precision_width: Annotated[float | None, Shown(title="width of P")]
    recall_width: Annotated[float | None, Shown(title="width of R")]
    judgments_next: Annotated[int, Shown("count", title="another system")]


@command
def compare_approaches(
    cases: CasesLike | None = None,
    *,
    from_counts: Annotated[
        tuple[NotNegative, NotNegative] | None, Flag(parts=2, value="ERROR OK")
    ] = None,
    size: SampleSize = SampleSize(),
    expectation: PlanningOptions = PlanningOptions(),
    judges: Positive = 2,
    price: Annotated[float | None, Limits(0)] = None,
    ok: Labels = None,
    cases_per_hour: Speed = CASES_PER_HOUR,
) -> Table:
    """Compare the costs of full annotation, sampling and verification for a corpus.

    In full (standard) annotation, one judge or several judges label every case. In sampling, they
    label some Error and some OK cases. In verification, they label only the Error cases of the
    sample, so recall cannot be estimated. The last column is the number of judgments for another
    system: none after full annotation; a sample that was planned for several systems
    (``sample plan --also``) serves all of them. After table 7 of Tetreault and Chodorow (2008).

    Args:
        cases: decisions of the system about every item: a file, labels by item, or values.
        from_counts: use the numbers of Error and OK cases instead of a file.
        size: number of cases to judge with sampling and verification.
        expectation: expected rates, for the width of the confidence intervals.
        judges: number of judges per case.
        price: price per judgment.
        ok: labels of the system that mean "no error".
        cases_per_hour: number of cases that a judge judges per hour.
    """
    if (cases is None) == (from_counts is None):
        raise OptionError("give either cases or --from-counts ERROR OK")
    if from_counts is None:
        labels = Counter(case.label for case in load_cases(cases or ()))
        fine = require_fine(sorted(labels), ok)
        from_counts = (sum(n for x, n in labels.items() if x not in fine), 0)
        from_counts = (from_counts[0], sum(labels.values()) - from_counts[0])
    flagged, passed = (int(number) for number in from_counts)
    errors, oks = size.decide(flagged, passed, expectation)
    measured = ("precision", "recall") if expectation.expect_misses is not None else ("precision",)

    def find_widths(errors: int, oks: int) -> dict[str, float]:
        found: Mapping[Any, Any] = expectation.widths(flagged, passed, errors, oks)
        return {name: float(found[name]) for name in measured}

    def row(
        name: str, judged: int, people: int, found: Mapping[str, float], more: int
    ) -> _Approach:
        judgments = judged * people
        cost, hours = (
            None if price is None else float(price * judgments),
            judgments / cases_per_hour,
        )
        precise, recalled = found.get("precision"), found.get("recall")
        return _Approach(name, people, judgments, hours, cost, precise, recalled, more * people)

    widths, whole = find_widths(errors, oks), find_widths(flagged, passed)
    everything = flagged + passed
    crowds = sorted({1, judges})
    rows = [
        *(row("standard", everything, people, whole, 0) for people in crowds),
        *(row("sampling", errors + oks, people, widths, errors + oks) for people in crowds),
        row("verification", errors, judges, {"precision": widths["precision"]}, errors),
    ]
    notes: list[str] = [
        Definition(f"Hours at {cases_per_hour:g} cases per hour."),
        Definition("Widths of confidence intervals: sampling error only, not that of the judges."),
    ]
    if expectation.expect_misses is None:
        notes.append("Width of R: needs --expect-misses, the share of errors among OK cases.")
    return table_of(
        rows,
        notes=notes,
        signature=make_signature(
            "sample methods", cases=[flagged, passed], errors=errors, oks=oks, judges=judges
        ),
        title="Approaches to evaluation",
    )


@command
def verify_sample(
    answers: JudgmentsLike,
    *,
    cases: Positive | None = None,
    intervals: IntervalOptions = IntervalOptions(),
    resampling: ResamplingOptions = ResamplingOptions(bootstrap=10_000),
    counting: LabelOptions = LabelOptions(),
    ties: Ties = "share",
    by_judge: Annotated[bool, Flag(name="by-judge", off="no-by-judge")] = True,
) -> Table:
    """Estimate only precision, from judgments of a system's Error cases.

    The verification method judges only cases that the system flags, so it cannot estimate recall.
    In the export of an edit-validity campaign, an edit that is judged right is a true positive.

    Args:
        answers: judgments of Error cases: a file, or values.
        cases: number of Error cases of the system, if the judged cases are a sample.
        intervals: method of the confidence intervals.
        resampling: resampling for the confidence intervals.
        bootstrap: number of bootstrap samples (with --interval bootstrap).
        counting: answers to include.
        ties: count a case on which judges differ by the share who see an error; or let the majority
            decide, and count an even split as an error or as ok, or skip the case.
        by_judge: with several judges, also estimate from each judge. By default yes.

    Returns:
        A table with the columns ``quantity, estimate, low, high``, and with several judges
        ``judge`` (``all``, and each judge).
    """
    about = intervals.target or ("population" if cases is None else intervals.about)
    if about == "corpus" and cases is None:
        raise OptionError("intervals for the corpus need the number of Error cases: --cases N")
    intervals = IntervalOptions(intervals.interval, about)
    given = load_judgments(answers)
    labels = {judgment.label for judgment in by_question(given).get(EDIT, ())}
    # judgments of an edit-validity campaign are about edits
    about_edits = bool(labels) and labels <= VERDICTS and counting.question in {None, EDIT}
    if about_edits:
        counting = replace(counting, question=EDIT)
    counted = counting.count(given)
    matrix = tabulate(counted.judgments)
    fine = _fine_of_flags(matrix.labels, counting, about_edits=about_edits)
    votes = error_votes(matrix, fine)
    views = _views(votes, matrix.judges, by_judge=by_judge)
    rows = []
    for judge, some in views.items():
        # The sub-corpus of OK cases is unknown; precision does not depend on it.
        strata = (_stratum(some, cases, ties), Stratum(0, 0, 0))
        found = estimate_quantities(*strata, intervals=intervals, resampling=resampling)
        name = (judge or ALL) if len(views) > 1 else None
        rows.append(_estimate("precision", found["precision"], name))
    judged = _stratum(votes, cases, ties)
    number, errors = np.asarray(judged.sample), np.asarray(judged.errors)
    rows.append(_Estimate("recall", judge=rows[0].judge))
    notes = [
        *counted.notes,
        *matrix.describe(),
        (f"{number} Error cases judged, {errors:g} of them errors; no error: {', '.join(fine)}."),
        *_about_ties(votes, ties),
        "Recall is undefined: the verification method judges only flagged cases.",
        intervals.describe(resampling.confidence),
    ]
    parts = {"cases": cases, "ok": list(fine), "ties": ties, **counted.signature}
    signature = _signature("verify", intervals, resampling, **parts)
    return table_of(rows, notes=notes, signature=signature, title="Precision by verification")


def _fine_of_flags(
    labels: Sequence[str], counting: LabelOptions, *, about_edits: bool
) -> tuple[str, ...]:
    """Return the labels that mean that the system flags a case without an error."""
    if about_edits and not counting.ok:
        hit = next((new for new, old in counting.merges.items() if RIGHT in old), RIGHT)
        return tuple(label for label in labels if label != hit)
    fine = require_fine(labels, counting.ok)
    unclear = [label for label in fine if label.strip().casefold() in {RIGHT, "good"}]
    if unclear and not counting.ok:
        raise OptionError(
            f"{unclear[0]!r} can mean that the text is right or that the system is right; name the "
            "labels that mean no error with --ok LABEL"
        )
    return fine


@command(draws="Draw the estimates by sample size.")
def simulate_sample(
    cases: CasesLike | None = None,
    *,
    from_counts: Annotated[FourCounts, Flag(parts=4, value="TP FP FN TN")] = None,
    sizes: Sequence[Positive] | None = None,
    error_share: Annotated[float, Limits(0, 1, low_open=True, high_open=True)] = 1 / 3,
    quantities: Annotated[Sequence[Quantity], Flag(value="NAME,...")] = ("precision", "recall"),
    repetitions: Positive = 2000,
    intervals: IntervalOptions = IntervalOptions(),
    confidence: Confidence = 0.95,
    beta: Beta = 0.5,
    ok: Labels = None,
    seed: Seed = 1,
) -> Table:
    """Simulate how well samples of known data estimate the true values.

    The cases have the columns item, label (the decision of the system) and gold (the correct
    decision). redink draws many samples of each size. The table shows the spread of their estimates
    and how often the confidence interval contains the true value.

    Args:
        cases: decisions of the system about every item, with the correct decisions.
        from_counts: use the counts of a corpus instead of a file.
        sizes: sample sizes. By default 100 to 5000.
        error_share: share of Error cases in the sample, if the corpus has enough of them.
        quantities: quantities to estimate, by the names in sample estimate.
        repetitions: number of samples of each size.
        intervals: methods of confidence intervals to try.
        confidence: confidence level of the intervals.
        beta: weight of recall in F.
        ok: labels that mean "no error".
        seed: random seed.
    """
    if (cases is None) == (from_counts is None):
        raise OptionError("give either cases with the column gold, or --from-counts")
    known, data = (from_counts, None) if from_counts else _known_counts(cases or (), ok)
    tp, fp, fn, tn = _four(known)
    flagged, passed = int(tp + fp), int(fn + tn)
    if not flagged or not passed:
        raise DataError("the corpus needs both Error and OK cases")
    results = simulate_samples(
        Counts(tp, fp, fn, tn),
        _split(sizes or DEFAULT_SIZES, error_share, flagged, passed),
        repeats=repetitions,
        rng=np.random.default_rng(seed),
        intervals=intervals,
        confidence=confidence,
        beta=beta,
    )
    rows = [row for name in quantities for row in results if row.quantity == name]
    percent = f"{100 * confidence:g}%"
    about = Definition(
        f"low, high: the middle {percent} of the estimates. covered: share of {percent} intervals "
        "that contain the true value. width: mean width."
    )
    size = f"{flagged} Error and {passed} OK cases, all known; {repetitions} samples of each size."
    signature = make_signature(
        "sample simulate",
        interval=intervals.interval,
        target=intervals.about,
        confidence=confidence,
        beta=beta,
        error_share=error_share,
        repeats=repetitions,
        data=data,
        seed=seed,
        counts=None if from_counts is None else [tp, fp, fn, tn],
    )
    return table_of(
        rows,
        notes=[size, about],
        signature=signature,
        groups="quantity",
        title="Estimates from samples compared with the full corpus",
        plot_name="simulated",
    )


def _known_counts(cases: CasesLike, ok: Sequence[str] | None) -> tuple[Counts, str]:
    given = load_cases(cases)
    if unknown := sum(case.gold is None for case in given):
        raise DataError(f"{unknown} of {len(given)} cases have no value in the column gold")
    fine = require_fine(sorted({c.label for c in given} | {str(c.gold) for c in given}), ok)
    cells = [(case.label not in fine, case.gold not in fine) for case in given]
    kinds = ((True, True), (True, False), (False, True), (False, False))
    data = fingerprint(f"{c.item}\t{c.label}\t{c.gold}" for c in given)
    return Counts(*map(cells.count, kinds)), data


def _split(
    sizes: Sequence[int], error_share: float, flagged: int, passed: int
) -> list[tuple[int, int]]:
    """Return the Error and OK cases of each sample size that the corpus allows."""
    parts = [(min(flagged, max(1, round(size * error_share))), size) for size in sizes]
    pairs = [(errors, size - errors) for errors, size in parts if 1 <= size - errors <= passed]
    if not pairs:
        raise OptionError(
            f"cannot draw samples of {', '.join(map(str, sizes))} cases from {flagged} Error "
            f"and {passed} OK cases"
        )
    return pairs
