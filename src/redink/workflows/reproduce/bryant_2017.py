"""Bryant et al. 2017: the CoNLL-2014 systems by M2 and ERRANT, operation and error type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from redink.model import Counts
from redink.workflows.reproduce.figures import Figure, load_published
from redink.workflows.reproduce.study import CORPUS, SOURCE, SYSTEMS, Reproduction, Study

PAPER = "bryant-2017"
Row = dict[str, Any]
MEASURES = ("precision", "recall", "f")
OPERATIONS = {"M": "missing", "R": "replacement", "U": "unnecessary"}
CLEARLY = 0.5
"""Teams that the paper has closer than this may change places."""
_ANALYSER = "another analyser finds the edits; the paper used spaCy 1.7"
_TYPES = "another analyser, and the rules of a later ERRANT, give the types"
# Types to which ERRANT itself, since the paper, gives other edits; redink has its later rules.
CHANGED_TYPES = frozenset({"ADJ", "ADV", "MORPH", "NOUN", "ORTH", "OTHER", "PART", "SPELL"})
_CHANGED = (
    "the rules of a later ERRANT, which ERRANT 2.3.3 follows as we do, give this type to other "
    "edits than in 2017; the sums of all types show that only types have changed"
)
_ONE_OR_TWO = "an edit or two decide whether there is anything to be divided by"
_CLEANED = (
    "the outputs in circulation have fewer insertions of this team than the paper counts; their "
    "white space was cleaned since, which may be why"
)
# Teams whose published counts hold insertions that the files have not.
CLEANED_TEAMS = frozenset({"IPN", "POST", "RAC"})


def _published(name: str) -> dict[str, Any]:
    found: dict[str, Any] = load_published(PAPER)[name]
    return found


def _by_type(rows: Sequence[Row]) -> dict[tuple[str, str], Row]:
    return {(row["system"], row["type"]): row for row in rows if row["type"] is not None}


def _present(published: dict[str, Any], study: Study) -> Iterator[tuple[str, Any]]:
    """The paper's teams whose output is there."""
    teams = study.teams()
    return ((team, value) for team, value in published.items() if team in teams)


def _rates(counts: Counts) -> dict[str, float | None]:
    """Precision, recall and F0.5 in per cent, None where the team proposed nothing."""
    if counts.tp + counts.fp == 0:
        return dict.fromkeys(MEASURES)
    found = (counts.precision, counts.recall, counts.f(0.5))
    return {
        name: 100 * (measure.value or 0.0) for name, measure in zip(MEASURES, found, strict=True)
    }


def _counts(row: Row | None) -> Counts:
    return Counts(0, 0, 0) if row is None else Counts(row["tp"], row["fp"], row["fn"])


def _compare_rates(
    source: str,
    item: str,
    published: Sequence[float | None],
    counts: Counts,
    *,
    points: float,
    reason: str,
    accounted: bool = False,
    theirs: Counts | None = None,
) -> Iterator[Figure]:
    """Within so many points, or two edits where these weigh more.

    Args:
        source: the table.
        item: the team and what of it.
        published: precision, recall and F as printed.
        counts: ours.
        points: how far a rate may be off.
        reason: why it may be.
        accounted: whether the reason also holds beyond the tolerance.
        theirs: the published counts, where they are known.
    """
    some = [counts] if theirs is None else [counts, theirs]
    proposed, gold = (min(c.tp + wrong(c) for c in some) for wrong in (_fp, _fn))
    weights = (proposed, gold, min(proposed, gold))
    for (name, ours), rate, edits in zip(_rates(counts).items(), published, weights, strict=True):
        undefined = (ours is None) != (rate is None)
        few = theirs is not None and abs(theirs.tp + theirs.fp - counts.tp - counts.fp) <= 2
        yield Figure(
            source=source,
            item=item,
            quantity=name,
            published=rate,
            ours=ours,
            tolerance=max(points, 200 / edits) if edits else points,
            reason=_ONE_OR_TWO if undefined and few else reason,
            expected=accounted or (undefined and few),
        )


def _fp(counts: Counts) -> int:
    return int(counts.fp)


def _fn(counts: Counts) -> int:
    return int(counts.fn)


def _table_4(study: Study) -> Iterator[Figure]:
    source = f"{PAPER} table 4"
    columns = (("m2", "gold"), ("m2", "auto"), ("errant", "gold"), ("errant", "auto"))
    for place, (metric, edits) in enumerate(columns):
        ours = {row["system"]: 100 * row["f"] for row in study.scores(metric, edits)}
        theirs = {team: values[place] for team, values in _present(_published("table4"), study)}
        exact = (metric, edits) == ("m2", "gold")
        quantity = f"{metric} F0.5, {edits} references"
        for team, value in theirs.items():
            yield Figure(
                source=source,
                item=team,
                quantity=quantity,
                published=value,
                ours=ours[team],
                tolerance=0.0 if exact else 1.0,
                reason=None if exact else _ANALYSER,
            )
        swapped = [
            (one, two)
            for one, two in permutations(theirs, 2)
            if theirs[one] - theirs[two] >= CLEARLY and ours[one] <= ours[two]
        ]
        yield Figure(
            source=source,
            item=f"teams at least {CLEARLY} apart",
            quantity=f"swapped by {quantity}",
            published="none",
            ours=", ".join(" and ".join(pair) for pair in swapped) or "none",
            reason=_CLEANED,
            expected=all(CLEANED_TEAMS & {*pair} for pair in swapped),
        )


def _table_5(study: Study) -> Iterator[Figure]:
    ours = _by_type(study.scores("errant", "auto", by="operation"))
    counts = _published("table10")
    for team, operations in _present(_published("table5"), study):
        for place, ((letter, name), rates) in enumerate(
            zip(OPERATIONS.items(), operations, strict=True)
        ):
            cleaned = team in CLEANED_TEAMS and letter == "M"
            yield from _compare_rates(
                f"{PAPER} table 5",
                f"{team}, {name}",
                rates,
                _counts(ours.get((team, letter))),
                points=2.0,
                reason=_CLEANED if cleaned else _ANALYSER,
                accounted=cleaned,
                theirs=Counts(*counts[team][place]),
            )


def _table_6(study: Study) -> Iterator[Figure]:
    """The rates that follow from the counts of table 11, from which the paper made them."""
    for kind, team, theirs, ours in _type_counts(study):
        if None in theirs:
            continue
        yield from _compare_rates(
            f"{PAPER} table 6",
            f"{team}, {kind}",
            [None if v is None else round(v, 2) for v in _rates(Counts(*theirs)).values()],
            ours,
            points=5.0,
            reason=_why(team, kind),
            theirs=Counts(*theirs),
            accounted=all(_is_accounted(team, kind, theirs, ours)),
        )


def _table_7(study: Study) -> Iterator[Figure]:
    ours = _by_type(study.scores("errant", "auto", by="full")) | _by_type(
        study.scores("errant", "auto", by="type")
    )
    for team, kinds in _present(_published("table7"), study):
        for kind, rates in kinds.items():
            yield from _compare_rates(
                f"{PAPER} table 7",
                f"{team}, {kind}",
                rates,
                _counts(ours.get((team, kind))),
                points=3.5,
                reason=_TYPES,
            )


def _table_8(study: Study) -> Iterator[Figure]:
    ours = {row["system"]: row for row in study.scores("errant", "auto", only="multi")}
    for team, rates in _present(_published("table8"), study):
        yield from _compare_rates(
            f"{PAPER} table 8",
            f"{team}, multi-token",
            rates,
            _counts(ours.get(team)),
            points=2.5,
            reason=_CLEANED if team in CLEANED_TEAMS else _ANALYSER,
            accounted=team in CLEANED_TEAMS,
        )


def _table_10(study: Study) -> Iterator[Figure]:
    ours = _by_type(study.scores("errant", "auto", by="operation"))
    for team, operations in _present(_published("table10"), study):
        for (letter, name), theirs in zip(OPERATIONS.items(), operations, strict=True):
            counts = _counts(ours.get((team, letter)))
            cleaned = team in CLEANED_TEAMS and letter == "M"
            source, item = f"{PAPER} table 10", f"{team}, {name}"
            reason = _CLEANED if cleaned else _ANALYSER
            proposed = theirs[0] + theirs[1]
            yield Figure(
                source=source,
                item=item,
                quantity="TP + FP",
                published=proposed,
                ours=counts.tp + counts.fp,
                unit=1.0,
                tolerance=max(1.0, 0.05 * proposed),
                reason=reason,
                expected=cleaned,
            )
            yield from _compare_counts(
                source, item, theirs, counts, share=0.05, reason=reason, accounted=[cleaned] * 3
            )


def _table_11(study: Study) -> Iterator[Figure]:
    source = f"{PAPER} table 11"
    sums: dict[str, list[list[float]]] = {}
    for kind, team, theirs, ours in _type_counts(study):
        yield from _compare_counts(
            source,
            f"{team}, {kind}",
            theirs,
            ours,
            share=0.15,
            reason=_why(team, kind),
            accounted=_is_accounted(team, kind, theirs, ours),
        )
        if None not in theirs:
            sums.setdefault(team, []).append([*map(float, theirs), ours.tp, ours.fp, ours.fn])
    # Edits go from type to type between versions; the sums must hold all the same.
    for team, rows in sums.items():
        tp, fp, fn, own_tp, own_fp, own_fn = map(sum, zip(*rows, strict=True))
        cleaned = team in CLEANED_TEAMS
        for name, published, found in (
            ("TP + FP", tp + fp, own_tp + own_fp),
            ("TP + FN", tp + fn, own_tp + own_fn),
        ):
            share = 0.07 if cleaned and name == "TP + FP" else 0.03
            yield Figure(
                source=source,
                item=f"{team}, all types",
                quantity=name,
                published=published,
                ours=found,
                unit=1.0,
                tolerance=max(2.0, share * published),
                reason=_CLEANED if cleaned else _ANALYSER,
            )


def _type_counts(study: Study) -> Iterator[tuple[str, str, list[int], Counts]]:
    ours = _by_type(study.scores("errant", "auto", by="type"))
    for kind, teams in _published("table11").items():
        for team, theirs in _present(teams, study):
            yield kind, team, theirs, _counts(ours.get((team, kind)))


def _why(team: str, kind: str) -> str:
    reasons = [_CHANGED if kind in CHANGED_TYPES else _TYPES]
    if team in CLEANED_TEAMS:
        reasons.append(_CLEANED)
    return "; ".join(reasons)


def _is_accounted(
    team: str, kind: str, published: Sequence[int | None], counts: Counts
) -> list[bool]:
    """Whether a known cause moves TP, FP and FN so far, and whether it is not absurdly far."""
    most = 30 if team in CLEANED_TEAMS else 20
    known = team in CLEANED_TEAMS or kind in CHANGED_TYPES
    found = (counts.tp, counts.fp, counts.fn)
    return [
        theirs is not None and known and abs(ours - theirs) <= max(most, 0.3 * theirs)
        for theirs, ours in zip(published, found, strict=True)
    ]


def _compare_counts(
    source: str,
    item: str,
    published: Sequence[int | None],
    counts: Counts,
    *,
    share: float,
    reason: str,
    accounted: Sequence[bool],
) -> Iterator[Figure]:
    """Within a share of the published count, or five edits where these are more."""
    found = (counts.tp, counts.fp, counts.fn)
    for name, theirs, ours, known in zip(
        ("TP", "FP", "FN"), published, found, accounted, strict=True
    ):
        if theirs is not None:
            yield Figure(
                source=source,
                item=item,
                quantity=name,
                published=theirs,
                ours=ours,
                unit=1.0,
                tolerance=max(5.0, share * theirs),
                reason=reason,
                expected=known,
            )


def _figure_1(study: Study) -> Iterator[Figure]:
    """What the paper says of its bars, which it does not print as numbers."""
    found = {row["system"]: row["f"] for row in study.scores("errant", "auto")}
    seen = {
        row["system"]: row["f"] for row in study.scores("errant", "auto", level="detection-span")
    }
    apart = sorted(seen, key=lambda team: found[team] / seen[team])
    ours = {
        "best at detection": max(seen, key=lambda team: seen[team]),
        "best at correction": max(found, key=lambda team: found[team]),
        "detect most beyond what they correct": ", ".join(sorted(apart[:2])),
    }
    for quantity, theirs in _published("figure1").items():
        yield Figure(
            source=f"{PAPER} figure 1",
            item="all teams",
            quantity=quantity,
            published=theirs,
            ours=ours[quantity],
        )


_NEEDS = (CORPUS, SOURCE, SYSTEMS)
REPRODUCTIONS = (
    Reproduction("table 4", _table_4, _NEEDS),
    Reproduction("table 5", _table_5, _NEEDS),
    Reproduction("table 6", _table_6, _NEEDS),
    Reproduction("table 7", _table_7, _NEEDS),
    Reproduction("table 8", _table_8, _NEEDS),
    Reproduction("table 10", _table_10, _NEEDS),
    Reproduction("table 11", _table_11, _NEEDS),
    Reproduction("figure 1", _figure_1, _NEEDS),
)
