"""Results so far as an organiser reads them: in words, without the names that scripts use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from redink.model import Judgment, Ranking, Shown, Table, table_of
from redink.statistics.resampling import Resampling
from redink.workflows.agreement import agreement
from redink.workflows.rank import ALL, rank

_SAMPLES = 200
"""Enough bootstrap samples for a live view; the final analysis takes more."""
_WORDS = {
    "observed_agreement": "two judges of one item say the same",
    "cohen_kappa": "beyond chance, pair by pair (Cohen's kappa)",
    "scott_pi": "the same with common habits (Scott's pi)",
    "fleiss_kappa": "beyond chance, all judges together (Fleiss' kappa)",
    "randolph_kappa": "beyond blind guessing (Randolph's kappa)",
    "krippendorff_alpha": "beyond chance, with gaps (Krippendorff's alpha)",
    "gwet_ac1": "beyond chance, also when one label is rare (Gwet's AC1)",
    "intra_judge_agreement": "a judge says the same when asked again",
    "intra_judge_kappa": "the same, beyond chance (kappa)",
}
_RATE = re.compile(r"disagreement_rate\[(.*)\]", re.DOTALL)
_DEGREES = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))


def in_words(statistic: str) -> str:
    """What a statistic says; its own name, if nothing better is known."""
    if found := _RATE.fullmatch(statistic):
        return f"{found[1]} sees an error where another judge sees none"
    return _WORDS.get(statistic, statistic.replace("_", " "))


def degree(kappa: float) -> str:
    """A word for an agreement beyond chance (Landis and Koch 1977)."""
    if kappa <= 0:
        return "none"
    return next((word for limit, word in _DEGREES if kappa <= limit), "almost perfect")


@dataclass(frozen=True)
class Measured:
    """A measure in words, with the interval that it lies in."""

    measure: Annotated[str, Shown(title="How often, or how much")]
    value: float | None
    low: Annotated[float | None, Shown(title="at least")]
    high: Annotated[float | None, Shown(title="at most")]


def agreement_so_far(judgments: Sequence[Judgment]) -> Table:
    """How far judges agree on labels."""
    table = agreement(judgments, resampling=Resampling(_SAMPLES))
    rows = [
        Measured(in_words(row["statistic"]), row["value"], row["low"], row["high"])
        for row in table.rows
    ]
    found = {row["statistic"]: row["value"] for row in table.rows}
    notes = []
    same, kappa = found.get("observed_agreement"), found.get("cohen_kappa")
    if same is not None:
        beyond = f"; beyond chance that is {degree(kappa)}" if kappa is not None else ""
        notes.append(f"Two judges of one item say the same in {same:.0%} of cases{beyond}.")
    else:
        notes.append("Nothing can be said before two judges have judged the same items.")
    return table_of(rows, Measured, notes=notes, title="Agreement between judges")


@dataclass(frozen=True)
class Placed:
    """A system, and where it may stand."""

    system: str
    score: Annotated[float | None, Shown("score")]
    place: str
    cluster: Annotated[int | None, Shown("count", title="group")]


def ranking_so_far(rankings: Sequence[Ranking]) -> Table:
    """The systems, best first."""
    rows = []
    for row in rank(rankings, method="expected-wins", bootstrap=_SAMPLES).rows:
        low, high = row["rank_low"], row["rank_high"]
        place = f"{low}" if low == high else f"{low} to {high}"
        rows.append(Placed(row["system"], row["score"], place, row["cluster"]))
    note = (
        "The score is how often a system is preferred to another. Systems of one group may be "
        "equally good; the place is where further judgments may still put them."
    )
    return table_of(rows, Placed, notes=[note], title="Ranking of the systems")


@dataclass(frozen=True)
class Compared:
    """Two judges, or one asked again."""

    judges: str
    kappa: Annotated[float | None, Shown(title="beyond chance (kappa)")]
    same: Annotated[float | None, Shown(title="said the same")]
    comparisons: Annotated[int, Shown("count", title="pairs that both ranked")]


def ranking_agreement_so_far(rankings: Sequence[Ranking]) -> Table:
    """How far judges agree on which of two corrections is better."""
    table = rank(rankings, show="agreement", min_overlap=10)
    rows = []
    for row in table.rows:
        intra = row["agreement"] == "intra"
        if row["judge"] == ALL:
            who = "every judge, asked again" if intra else "all pairs of judges"
        else:
            who = f"{row['judge']}, asked again" if intra else f"{row['judge']} and {row['other']}"
        if row["comparisons"]:
            rows.append(Compared(who, row["kappa"], row["observed"], row["comparisons"]))
    notes = ["Agreement beyond chance is shown from 10 pairs on."]
    return table_of(rows, Compared, notes=notes, title="Agreement between judges")
