"""Bryant et al. 2017: CoNLL-2014 systems scored by M2 and ERRANT, by operation and error type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Any

from redink.commands.reproduce.figures import (
    CORPUS,
    SOURCE,
    SYSTEMS,
    Figure,
    PaperData,
    Published,
    Reproduction,
    load_published,
)
from redink.model import Counts, Row

PAPER = "bryant-2017"
MEASURES = ("precision", "recall", "f")
_NOTHING = Counts(0, 0, 0)
OPERATIONS = {"M": "missing", "R": "replacement", "U": "unnecessary"}
CLEARLY = 0.5
"""Teams whose published scores are closer than this may swap ranks."""
_ANALYZER = "another analyzer extracts the edits; the paper used spaCy 1.7"
_TYPES = "another analyzer, and the rules of a later ERRANT, determine the types"
# Types that later versions of ERRANT give to other edits; redink has the later rules.
CHANGED_TYPES = frozenset({"ADJ", "ADV", "MORPH", "NOUN", "ORTH", "OTHER", "PART", "SPELL"})
_CHANGED = (
    "later versions of ERRANT (2.3.3) and redink give this type to other edits than in 2017; "
    "the sums over all types show that only types have changed"
)
_ONE_OR_TWO = "one or two edits decide whether the denominator is zero"
_CLEANED = (
    "the distributed outputs have fewer insertions of this team than the paper counts; their "
    "whitespace was cleaned later, which may be the reason"
)
# Teams whose published counts include insertions that are not in the files.
CLEANED_TEAMS = frozenset({"IPN", "POST", "RAC"})


def _table_4(data: PaperData, published: Published) -> Iterator[Figure]:
    for column, (metric, edits) in enumerate(product(("m2", "errant"), ("gold", "auto"))):
        ours = {row["system"]: 100 * row["f"] for row in data.scores(metric, edits)}
        theirs = {team: values[column] for team, values in _present(published, data)}
        exact = (metric, edits) == ("m2", "gold")
        tolerance, reason = (0.0, None) if exact else (1.0, _ANALYZER)
        quantity = f"{metric} F0.5, {edits} references"
        for team, value in theirs.items():
            yield Figure(team, quantity, value, ours[team], tolerance=tolerance, reason=reason)
        swapped = [
            (one, two)
            for one, two in permutations(theirs, 2)
            if theirs[one] - theirs[two] >= CLEARLY and ours[one] <= ours[two]
        ]
        yield Figure(
            f"teams at least {CLEARLY} apart",
            f"swapped by {quantity}",
            "none",
            ", ".join(" and ".join(pair) for pair in swapped) or "none",
            reason=_CLEANED,
            expected=all(CLEANED_TEAMS & {*pair} for pair in swapped),
        )


def _table_5(data: PaperData, published: Published) -> Iterator[Figure]:
    counts = load_published(PAPER)["table10"]
    for team, letter, place, ours in _operations(data, published):
        yield from _compare_rates(
            f"{team}, {OPERATIONS[letter]}",
            published[team][place],
            ours,
            points=2.0,
            theirs=Counts(*counts[team][place]),
            **_insertions(team, letter),
        )


def _table_6(data: PaperData, _published: Published) -> Iterator[Figure]:
    """Yield the rates that follow from the counts of table 11, as in the paper."""
    for kind, team, theirs, ours in _type_counts(data):
        if None in theirs:
            continue
        rates = _rates(Counts(*theirs)).values()
        yield from _compare_rates(
            f"{team}, {kind}",
            [None if rate is None else round(rate, 2) for rate in rates],
            ours,
            points=5.0,
            theirs=Counts(*theirs),
            reason=_why(team, kind),
            expected=all(_is_accounted(team, kind, theirs, ours)),
        )


def _table_7(data: PaperData, published: Published) -> Iterator[Figure]:
    ours = {
        key: counts
        for by in ("full", "type")
        for key, counts in _by_type(data.scores("errant", "auto", by=by)).items()
    }
    for team, kinds in _present(published, data):
        for kind, rates in kinds.items():
            counts = ours.get((team, kind), _NOTHING)
            yield from _compare_rates(f"{team}, {kind}", rates, counts, points=3.5, reason=_TYPES)


def _table_8(data: PaperData, published: Published) -> Iterator[Figure]:
    ours = {row["system"]: _counts(row) for row in data.scores("errant", "auto", only="multi")}
    for team, rates in _present(published, data):
        counts, why = ours.get(team, _NOTHING), _insertions(team)
        yield from _compare_rates(f"{team}, multi-token", rates, counts, points=2.5, **why)


def _table_10(data: PaperData, published: Published) -> Iterator[Figure]:
    for team, letter, place, ours in _operations(data, published):
        item, theirs = f"{team}, {OPERATIONS[letter]}", published[team][place]
        why = _insertions(team, letter)
        proposed, found = theirs[0] + theirs[1], ours.tp + ours.fp
        tolerance = max(1.0, 0.05 * proposed)
        yield Figure(item, "TP + FP", proposed, found, unit=1.0, tolerance=tolerance, **why)
        yield from _compare_counts(item, theirs, ours, [why["expected"]] * 3, 0.05, why["reason"])


def _table_11(data: PaperData, _published: Published) -> Iterator[Figure]:
    sums: dict[str, list[list[float]]] = {}
    for kind, team, theirs, ours in _type_counts(data):
        accounted = _is_accounted(team, kind, theirs, ours)
        yield from _compare_counts(
            f"{team}, {kind}", theirs, ours, accounted, 0.15, _why(team, kind)
        )
        if None not in theirs:
            sums.setdefault(team, []).append([*map(float, theirs), ours.tp, ours.fp, ours.fn])
    # The type of an edit can change between versions, but the sums must stay equal.
    for team, rows in sums.items():
        tp, fp, fn, own_tp, own_fp, own_fn = map(sum, zip(*rows, strict=True))
        cleaned = team in CLEANED_TEAMS
        for name, published, found in (
            ("TP + FP", tp + fp, own_tp + own_fp),
            ("TP + FN", tp + fn, own_tp + own_fn),
        ):
            share = 0.07 if cleaned and name == "TP + FP" else 0.03
            yield Figure(
                f"{team}, all types",
                name,
                published,
                found,
                unit=1.0,
                tolerance=max(2.0, share * published),
                reason=_CLEANED if cleaned else _ANALYZER,
            )


def _figure_1(data: PaperData, published: Published) -> Iterator[Figure]:
    """Yield the statements of the paper about its bars, which have no printed numbers."""
    found = {row["system"]: row["f"] for row in data.scores("errant", "auto")}
    detected = data.scores("errant", "auto", level="detection-span")
    seen = {row["system"]: row["f"] for row in detected}
    least_corrected = sorted(seen, key=lambda team: found[team] / seen[team])[:2]
    ours = {
        "best at detection": max(seen, key=lambda team: seen[team]),
        "best at correction": max(found, key=lambda team: found[team]),
        "detect most beyond what they correct": ", ".join(sorted(least_corrected)),
    }
    for quantity, theirs in published.items():
        yield Figure("all teams", quantity, theirs, ours[quantity])


# ---- shared by several tables


def _present(published: Published, data: PaperData) -> Iterator[tuple[str, Any]]:
    """Yield the paper's teams whose output is available."""
    teams = data.teams()
    return ((team, value) for team, value in published.items() if team in teams)


def _counts(row: Row) -> Counts:
    return Counts(row["tp"], row["fp"], row["fn"])


def _by_type(rows: Sequence[Row]) -> dict[tuple[str, str], Counts]:
    return {(row["system"], row["type"]): _counts(row) for row in rows if row["type"] is not None}


def _operations(data: PaperData, published: Published) -> Iterator[tuple[str, str, int, Counts]]:
    """Yield every team and operation, its index in the paper's tables, and our counts."""
    ours = _by_type(data.scores("errant", "auto", by="operation"))
    for team, _ in _present(published, data):
        for place, letter in enumerate(OPERATIONS):
            yield team, letter, place, ours.get((team, letter), _NOTHING)


def _type_counts(data: PaperData) -> Iterator[tuple[str, str, list[int], Counts]]:
    """Yield every type and team, the counts of table 11, and ours."""
    ours = _by_type(data.scores("errant", "auto", by="type"))
    for kind, teams in load_published(PAPER)["table11"].items():
        for team, theirs in _present(teams, data):
            yield kind, team, theirs, ours.get((team, kind), _NOTHING)


def _insertions(team: str, letter: str = "M") -> dict[str, Any]:
    """Return why ours may differ: the analyzer, or insertions that the team's file has lost."""
    cleaned = team in CLEANED_TEAMS and letter == "M"
    return {"reason": _CLEANED if cleaned else _ANALYZER, "expected": cleaned}


def _why(team: str, kind: str) -> str:
    reason = _CHANGED if kind in CHANGED_TYPES else _TYPES
    return f"{reason}; {_CLEANED}" if team in CLEANED_TEAMS else reason


def _is_accounted(
    team: str, kind: str, published: Sequence[int | None], counts: Counts
) -> list[bool]:
    """Return whether a known cause explains the differences of TP, FP and FN, within limits."""
    most = 30 if team in CLEANED_TEAMS else 20
    known = team in CLEANED_TEAMS or kind in CHANGED_TYPES
    return [
        theirs is not None and known and abs(ours - theirs) <= max(most, 0.3 * theirs)
        for theirs, ours in zip(published, (counts.tp, counts.fp, counts.fn), strict=True)
    ]


def _rates(counts: Counts) -> dict[str, float | None]:
    """Return precision, recall and F0.5 in percent, None if the team proposed nothing."""
    if counts.tp + counts.fp == 0:
        return dict.fromkeys(MEASURES)
    found = (counts.precision, counts.recall, counts.f(0.5))
    return {name: 100 * (one.value or 0.0) for name, one in zip(MEASURES, found, strict=True)}


def _compare_rates(
    item: str,
    published: Sequence[float | None],
    counts: Counts,
    *,
    points: float,
    reason: str,
    expected: bool = False,
    theirs: Counts | None = None,
) -> Iterator[Figure]:
    """Compare rates within a tolerance in points, or two edits if these weigh more.

    ``theirs`` are the published counts, if the paper prints them.
    """
    some = [counts] if theirs is None else [counts, theirs]
    proposed, gold = min(c.tp + c.fp for c in some), min(c.tp + c.fn for c in some)
    weights = (proposed, gold, min(proposed, gold))
    few = theirs is not None and abs(theirs.tp + theirs.fp - counts.tp - counts.fp) <= 2
    for (name, ours), rate, edits in zip(_rates(counts).items(), published, weights, strict=True):
        undefined = few and (ours is None) != (rate is None)
        yield Figure(
            item,
            name,
            rate,
            ours,
            tolerance=max(points, 200 / edits) if edits else points,
            reason=_ONE_OR_TWO if undefined else reason,
            expected=expected or undefined,
        )


def _compare_counts(
    item: str,
    published: Sequence[int | None],
    counts: Counts,
    expected: Sequence[bool],
    share: float,
    reason: str,
) -> Iterator[Figure]:
    """Compare counts within a share of the published count, or five edits if that is more."""
    found = {"TP": counts.tp, "FP": counts.fp, "FN": counts.fn}
    for (name, ours), theirs, known in zip(found.items(), published, expected, strict=True):
        if theirs is not None:
            more: dict[str, Any] = {"tolerance": max(5.0, share * theirs), "reason": reason}
            yield Figure(item, name, theirs, ours, unit=1.0, expected=known, **more)


_TABLES = (_table_4, _table_5, _table_6, _table_7, _table_8, _table_10, _table_11, _figure_1)
REPRODUCTIONS = tuple(
    Reproduction(make.__name__.strip("_").replace("_", " "), make, (CORPUS, SOURCE, SYSTEMS))
    for make in _TABLES
)
