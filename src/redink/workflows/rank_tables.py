"""The other tables of human rankings: pairs, agreement, head to head, and single judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np

from redink.judging.head_to_head import head_to_head
from redink.judging.rank_agreement import judge_agreements, mean_kappa
from redink.judging.rankers import ScoredSystems, rank_systems
from redink.judging.rankings import (
    FloatArray,
    PairwiseJudgments,
    count_pairs,
    expand,
    judges_of,
    select_judges,
    systems_of,
)
from redink.judging.tallies import Tally
from redink.model import Column, Ranking, Table, make_table
from redink.statistics.correlation import COEFFICIENTS, correlate

Score = Callable[[PairwiseJudgments], ScoredSystems]
Signature = Mapping[str, Any]
ALL, REST, MEAN = "all", "rest", "mean"
"""What stands in place of a judge's name where a row is about several."""


def pairs_table(rankings: Sequence[Ranking], notes: Sequence[str], signature: Signature) -> Table:
    """How much each judge did: rankings, unexpanded and expanded pairs and their ties."""
    rows = [asdict(counts) for counts in count_pairs(rankings)]
    total = {name: sum(row[name] for row in rows) for name in rows[0] if name != "judge"}
    columns = (
        Column("judge", "text"),
        Column("rankings", "count"),
        Column("unexpanded", "count"),
        Column("unexpanded_ties", "count", title="ties"),
        Column("expanded", "count"),
        Column("expanded_ties", "count", title="ties"),
    )
    explained = (
        "unexpanded: pairs of the distinct outputs that a judge saw; expanded: pairs of the "
        "systems behind them."
    )
    return make_table(
        columns,
        [*rows, {"judge": ALL, **total}],
        notes=[*notes, explained],
        signature=signature,
        title="Pairwise judgments",
    )


def agreement_table(
    rankings: Sequence[Ranking], min_overlap: int, notes: Sequence[str], signature: Signature
) -> Table:
    """Kappa over all judges, then for every pair of judges and each judge with himself."""
    found = judge_agreements(rankings)
    rows: list[dict[str, Any]] = []
    said = list(notes)
    for kind, intra in (("inter", False), ("intra", True)):
        kappa, comparisons = mean_kappa(found, intra=intra, minimum_overlap=min_overlap)
        rows.append(
            {
                "agreement": kind,
                "judge": ALL,
                "other": ALL,
                "kappa": kappa,
                "comparisons": comparisons,
            }
        )
        if kappa is None:
            of = "of a judge with himself" if intra else "between judges"
            said.append(
                f"Agreement {of} is undefined: nobody has {min_overlap} comparisons of pairs "
                "judged twice."
            )
    for agreement in found:
        enough = agreement.comparisons >= min_overlap
        rows.append(
            {
                "agreement": "intra" if agreement.is_intra else "inter",
                **asdict(agreement),
                "kappa": agreement.kappa if enough else None,
            }
        )
    said.append(
        "Cohen's kappa on unexpanded pairs, chance agreement from the pooled judgments; over "
        "all judges the mean weighted by comparisons."
    )
    said.append(f"No kappa for fewer than {min_overlap} comparisons in common.")
    columns = (
        Column("agreement", "text"),
        Column("judge", "text"),
        Column("other", "text"),
        Column("kappa", "rate"),
        Column("comparisons", "count"),
        Column("observed", "rate"),
        Column("chance", "rate"),
    )
    return make_table(
        columns, rows, notes=said, signature=signature, title="Agreement of judges on rankings"
    )


def head_to_head_table(
    whole: Tally, scored: ScoredSystems, notes: Sequence[str], signature: Signature
) -> Table:
    """Every encounter: a row for each system and opponent, best systems first."""
    placed = [scored.systems[at] for at in scored.order]
    order = [*placed, *(system for system in scored.systems if system not in placed)]
    by_names = {(e.system, e.opponent): e for e in head_to_head(whole)}
    rows = []
    for system in order:
        for opponent in order:
            if system != opponent:
                encounter = by_names[system, opponent]
                rows.append({**asdict(encounter), "stars": encounter.stars})
    columns = (
        Column("system", "text"),
        Column("opponent", "text"),
        Column("share", "rate"),
        Column("stars", "text"),
        Column("p", "p"),
        Column("wins", "count"),
        Column("losses", "count"),
        Column("ties", "count"),
    )
    return make_table(
        columns,
        rows,
        notes=[*notes, _share_note(), _stars_note()],
        signature=signature,
        title="Head to head",
        groups="system",
    )


def _share_note() -> str:
    return "share: wins among the judgments that are no ties."


def _stars_note() -> str:
    return (
        "Sign test, two-sided: \N{BLACK STAR} p \N{LESS-THAN OR EQUAL TO} .10, "
        "\N{DAGGER} .05, \N{DOUBLE DAGGER} .01."
    )


def head_to_head_matrix(table: Table) -> Table:
    """The encounters as a matrix for people: a cell is the share of wins of its column."""
    order = list(dict.fromkeys(row["system"] for row in table.rows))
    cells = {(row["opponent"], row["system"]): row for row in table.rows}
    rows = []
    for across in order:
        row: dict[str, Any] = {"system": across}
        for down in order:
            cell = cells.get((across, down))
            row[down] = _cell(cell) if cell else "\N{EM DASH}"
        rows.append(row)
    columns = [Column("system", "text", title=""), *(Column(system, "text") for system in order)]
    notes = [note for note in table.notes if note != _share_note()]
    notes.append("A cell is the share of wins of the system above it over the system beside it.")
    return make_table(columns, rows, notes=notes, signature=table.signature, title=table.title)


def _cell(row: Mapping[str, Any]) -> str | None:
    if row["share"] is None:
        return None
    return f"{row['share']:.2f}".removeprefix("0") + str(row["stars"])


def judges_table(
    rankings: Sequence[Ranking],
    score: Score,
    p: float,
    notes: Sequence[str],
    signature: Signature,
) -> Table:
    """The ranking that each judge alone would give."""
    rows = []
    for judge in judges_of(rankings):
        judgments = expand(select_judges(rankings, only=[judge]))
        lines = rank_systems(score(judgments), p=p) if len(judgments) else ()
        rows += [{"judge": judge, **asdict(line)} for line in lines]
    columns = (
        Column("judge", "text"),
        Column("system", "text"),
        Column("score", "score", best="max"),
        Column("rank", "count"),
        Column("rank_low", "count", title="from"),
        Column("rank_high", "count", title="to"),
        Column("cluster", "count"),
        Column("low", "score"),
        Column("high", "score"),
    )
    return make_table(
        columns,
        rows,
        notes=notes,
        signature=signature,
        title="The rankings of single judges",
        groups="judge",
    )


def correlation_table(
    rankings: Sequence[Ranking], score: Score, notes: Sequence[str], signature: Signature
) -> Table:
    """How the rankings of single judges go together, and each with that of all others.

    The mean over judges is weighted by their expanded pairs; it is an upper bound for metrics.
    """
    judges = judges_of(rankings)
    systems = systems_of(rankings)
    said = list(notes)
    own = {
        judge: score(expand(select_judges(rankings, only=[judge]), systems=systems)).scores
        for judge in judges
    }
    rows: list[dict[str, Any]] = [
        {"judge": one, "other": other, **_correlations(own[one], own[other])}
        for one, other in combinations(judges, 2)
    ]
    weights = {counts.judge: counts.expanded for counts in count_pairs(rankings)}
    against_rest = {}
    if len(judges) > 1:
        for judge in judges:
            others = expand(select_judges(rankings, without=[judge]), systems=systems)
            against_rest[judge] = _correlations(own[judge], score(others).scores)
            rows.append({"judge": judge, "other": REST, **against_rest[judge]})
        rows.append({"judge": MEAN, "other": REST, **_weighted_mean(against_rest, weights)})
        said.append(
            "rest: the ranking by all other judges; its mean is weighted by expanded pairs and "
            "is how well a person does at predicting the others."
        )
    else:
        said.append("With one judge there is nobody to compare the ranking with.")
    columns = (
        Column("judge", "text"),
        Column("other", "text"),
        *(Column(name, "rate") for name in COEFFICIENTS),
    )
    return make_table(
        columns, rows, notes=said, signature=signature, title="Correlation of judges' rankings"
    )


def _correlations(one: FloatArray, other: FloatArray) -> dict[str, float | None]:
    defined = ~(np.isnan(one) | np.isnan(other))
    if defined.sum() < 2:
        return {str(name): None for name in COEFFICIENTS}
    values = {name: float(correlate(one[defined], other[defined], name)) for name in COEFFICIENTS}
    return {str(name): None if np.isnan(v) else v for name, v in values.items()}


def _weighted_mean(
    values: Mapping[str, Mapping[str, float | None]], weights: Mapping[str, int]
) -> dict[str, float | None]:
    means: dict[str, float | None] = {}
    for name in COEFFICIENTS:
        known = [(v[name], weights[judge]) for judge, v in values.items()]
        total = sum(weight for value, weight in known if value is not None)
        summed = sum(value * weight for value, weight in known if value is not None)
        means[name] = summed / total if total else None
    return means
