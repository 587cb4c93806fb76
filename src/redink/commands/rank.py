"""From human rankings to an order of systems, with its uncertainty."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.commands.rank_choice import choose_systems
from redink.commands.rate import rank_by_ratings
from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats.metric_scores import read_lines_chosen
from redink.inputs.checks import check_rankings, warn
from redink.inputs.document_ids import document_numbers
from redink.inputs.judgment_loading import RankingsLike, is_ratings, load_rankings
from redink.inputs.loading import PathLike
from redink.judging.metaeval import correlate_all
from redink.judging.rankers import (
    METHODS,
    Method,
    Opponents,
    RankedSystem,
    ScoredSystems,
    cross_validate,
    rank_systems,
    score_systems,
)
from redink.judging.rankings import (
    MINIMUM_OVERLAP,
    Chance,
    JudgeAgreement,
    PairCounts,
    PairwiseJudgments,
    Selection,
    count_pairs,
    expand,
    judge_agreements,
    judges_of,
    mean_kappa,
    select_judges,
    select_systems,
    systems_of,
)
from redink.judging.ratings import RatingMethod
from redink.judging.tallies import Resample, Tally, comparison_groups, head_to_head, tally
from redink.model import Ranking, Table, fingerprint, make_signature, table_of
from redink.options import Limits, Needs, Positive, Seed, use_case
from redink.statistics.correlation import COEFFICIENTS

Show = Literal["ranking", "pairs", "agreement", "head-to-head", "accuracy", "judges", "correlation"]
AnyMethod = Literal[Method, RatingMethod]
"""Of rankings, and of ratings."""
ALL, REST, MEAN = "all", "rest", "mean"
"""What stands in place of a judge's name where a row is about several."""


@use_case(draws="Draw the ranking, or the head-to-head matrix.", shows=("ranking", "head-to-head"))
def rank(
    judgments: RankingsLike,
    *,
    method: AnyMethod | None = None,
    show: Show = "ranking",
    bootstrap: Positive | None = None,
    p: Annotated[float, Limits(0, 1, low_open=True, high_open=True)] = 0.05,
    systems: Sequence[str] = (),
    without: Sequence[str] = (),
    lines: PathLike | None = None,
    resample: Resample = "pairs",
    documents: Annotated[PathLike | Sequence[str] | None, Needs(resample="documents")] = None,
    opponents: Opponents = "all",
    selection: Selection = Selection(),
    folds: Annotated[int, Limits(2), Needs(show="accuracy")] = 100,
    min_overlap: Annotated[Positive, Needs(show="agreement")] = MINIMUM_OVERLAP,
    chance: Annotated[Chance, Needs(show="agreement")] = "symmetric",
    seed: Seed = 1,
) -> Table:
    """Rank systems by human judgments.

    The judgments are rankings of outputs by judges, in Appraise XML or WMT CSV, or ratings (CSV
    with sentence, system, judge and rating, or a column a system). In rankings, systems with the
    same output share a place in a ranking and are expanded into pairwise judgments. Every system
    gets a score, a rank, the range of ranks that the judgments allow, and a cluster: systems of
    different clusters differ, systems of one cluster may not.

    Args:
        judgments: rankings by judges: a file, or values.
        method: how judgments are aggregated; ratings by their mean, or by z-scores within each
            judge. By default expected-wins, of ratings mean; all with ``accuracy``.
        show: the ranking; how many pairs each judge judged; agreement of judges with each other
            and with themselves; each system against each other; how well the methods predict
            judgments; the ranking of each judge; the correlation of judges' rankings.
        bootstrap: samples (of TrueSkill: runs) behind ranges and clusters. By default 1000; 100
            for each fold of ``accuracy``.
        p: how likely chance alone may be, behind rank ranges and clusters.
        systems: rank these systems only, by the judgments that compare them.
        without: rank all systems but these.
        lines: only the sentences that this file names, one a line.
        resample: what a sample draws: pairwise judgments, as published; whole rankings, whose
            pairs hang together (wider ranges); or all rankings of a document, whose sentences hang
            together too. Of ratings, a sample draws sentences or documents.
        documents: with ``resample=documents``, the name of each sentence's document, a line a
            sentence; ids of sentences are then numbers of lines from 1. Without it ids name
            documents (DOCUMENT.PARAGRAPH.NUMBER).
        opponents: Expected Wins as the mean over all opponents, or over those beaten at least
            once, as in the published rankings of single judges.
        selection: whose rankings count.
        folds: how many parts the cross-validation has, with ``accuracy``.
        min_overlap: comparisons that two judges need for a kappa.
        chance: agreement by chance with ``agreement``: better and worse equally likely, or as
            published, where it depends on the alphabetical order of the systems' names.
        seed: the start of the random numbers: same seed, same output.

    Returns:
        For ``ranking`` a table with the columns ``system, score, rank, rank_low, rank_high,
        cluster`` and more.
    """
    number = partial(document_numbers, given=documents)
    if isinstance(judgments, str | Path) and is_ratings(judgments):
        return rank_by_ratings(
            judgments,
            method=_of_ratings(method),
            show=show,
            bootstrap=bootstrap or 1000,
            p=p,
            systems=systems,
            without=without,
            lines=lines,
            seed=seed,
            documents=number if resample == "documents" else None,
        )
    chosen = _of_rankings(method)
    prepared = prepare_rankings(judgments, selection, systems=systems, without=without, lines=lines)
    if resample == "documents":
        if show in {"accuracy", "judges"}:
            raise OptionError(f"--show {show} draws pairs or rankings, not documents")
        groups = number([ranking.sentence for ranking in prepared.rankings])
        prepared = replace(prepared, judgments=prepared.judgments.regroup(groups))
    default = 100 if show == "accuracy" else 1000
    how = _How(chosen or "expected-wins", bootstrap or default, p, resample, opponents, seed)
    if show == "accuracy":
        return _accuracy(prepared, how, METHODS if chosen is None else (chosen,), folds)
    if show == "agreement":
        return _agreement(prepared, min_overlap, chance)
    tables: dict[str, Callable[[RankingInput, _How], Table]] = {
        "ranking": _ranking,
        "pairs": _pairs,
        "head-to-head": _head_to_head,
        "judges": _judges,
        "correlation": _correlation,
    }
    return tables[show](prepared, how)


def _of_ratings(method: AnyMethod | None) -> RatingMethod:
    if method is None or method == "mean":
        return "mean"
    if method != "z-score":
        raise OptionError(f"ratings are not aggregated by {method}; method is mean or z-score")
    return method


def _of_rankings(method: AnyMethod | None) -> Method | None:
    if method is None:
        return None
    for known in METHODS:
        if method == known:
            return known
    raise OptionError(f"{method} is for ratings; of rankings method is {', '.join(METHODS)}")


@dataclass(frozen=True)
class RankingInput:
    """Rankings that can be ranked by: chosen judges, expanded pairs, and what to say of them."""

    rankings: tuple[Ranking, ...]
    judgments: PairwiseJudgments
    tally: Tally
    notes: tuple[str, ...]
    data: str


def prepare_rankings(
    judgments: RankingsLike,
    selection: Selection,
    *,
    systems: Sequence[str] = (),
    without: Sequence[str] = (),
    lines: PathLike | None = None,
) -> RankingInput:
    """Read, choose the judges, expand to pairs, and say what a reader should know.

    Args:
        judgments: rankings by judges.
        selection: whose count.
        systems: only these systems.
        without: all systems but these.
        lines: a file that names the sentences that count.

    Raises:
        DataError: nothing in the rankings compares two systems.
    """
    everything = load_rankings(judgments)
    if not any(ranking.outputs for ranking in everything):
        raise DataError("there are no rankings: every item was skipped or the file is empty")
    warn(check_rankings(everything))
    rankings = selection.choose(everything)
    notes = []
    if lines is not None:
        ids = set(read_lines_chosen(lines))
        rankings = tuple(ranking for ranking in rankings if ranking.sentence in ids)
        if not rankings:
            raise DataError("no ranking is about the sentences that were chosen")
    if systems or without:
        known = systems_of(rankings)
        chosen = choose_systems(known, systems, without)
        rankings = select_systems(rankings, chosen)
        left = ", ".join(sorted(set(known) - chosen))
        notes.append(f"Left out by choice, with all judgments about them: {left}.")
    skipped = sum(not ranking.outputs for ranking in rankings)
    pairs = expand(rankings)
    if not len(pairs):
        raise DataError("the rankings compare no two systems with each other")
    whole = tally(pairs)
    if skipped:
        notes.append(f"{skipped} of {len(rankings)} rankings were skipped by the judge (no ranks).")
    lonely = [s for s, n in zip(whole.systems, whole.compared.sum(axis=1), strict=True) if not n]
    if lonely:
        notes.append(f"Never compared with another system: {', '.join(lonely)}.")
    groups = [group for group in comparison_groups(whole) if len(group) > 1]
    if len(groups) > 1:
        listed = "; ".join(", ".join(group) for group in groups)
        warnings.warn(
            f"the systems fall into {len(groups)} groups that were never compared with each "
            f"other ({listed}); ranks across the groups mean nothing",
            RedinkWarning,
            stacklevel=3,
        )
    if not whole.wins.any():
        notes.append("Every judgment is a tie: no system was ever preferred to another.")
    data = fingerprint(
        f"{r.sentence}\0{r.judge}\0"
        + "\0".join(f"{output.rank} {' '.join(output.systems)}" for output in r.outputs)
        for r in rankings
    )
    return RankingInput(rankings, pairs, whole, tuple(notes), data)


@dataclass(frozen=True)
class _How:
    """How judgments become scores."""

    method: Method
    bootstrap: int
    p: float
    resample: Resample
    opponents: Opponents
    seed: int

    def score(self, judgments: PairwiseJudgments) -> ScoredSystems:
        """The systems scored by the method, always from the same seed."""
        return score_systems(
            judgments,
            method=self.method,
            samples=self.bootstrap,
            resample=self.resample,
            opponents=self.opponents,
            rng=np.random.default_rng(self.seed),
        )

    def signature(self, show: str | None, data: str, *, sampled: bool) -> dict[str, Any]:
        random = {"bootstrap": self.bootstrap, "resample": self.resample, "seed": self.seed}
        return make_signature(
            "rank",
            show=show,
            method=self.method,
            opponents=None if self.opponents == "all" else self.opponents,
            **({"p": self.p, **random} if sampled else {}),
            data=data,
        )


@dataclass(frozen=True)
class _Line(RankedSystem):
    """A line of the ranking, and the judgments behind it."""

    wins: int
    losses: int
    ties: int


def _ranking(prepared: RankingInput, how: _How) -> Table:
    scored = how.score(prepared.judgments)
    whole = prepared.tally
    lines = []
    for line in rank_systems(scored, p=how.p):
        at = whole.systems.index(line.system)
        wins, losses = int(whole.wins[at].sum()), int(whole.wins[:, at].sum())
        lines.append(_Line(**vars(line), wins=wins, losses=losses, ties=int(whole.ties[at].sum())))
    names = {"expected-wins": "Expected Wins", "trueskill": "TrueSkill"}
    return table_of(
        lines,
        notes=[*prepared.notes, *_ranking_notes(prepared, how, scored)],
        signature=how.signature(None, prepared.data, sampled=True),
        title=f"Human ranking by {names.get(how.method, 'Bradley-Terry')}",
        groups="cluster",
        view="ranking",
        plot_name="ranking",
    )


def _ranking_notes(prepared: RankingInput, how: _How, scored: ScoredSystems) -> Iterator[str]:
    pairs = prepared.judgments
    ties = int((pairs.outcome == 0).sum())
    judges = len(judges_of(prepared.rankings))
    yield (
        f"{len(prepared.rankings)} rankings by {judges} judge{'s' if judges > 1 else ''} make "
        f"{len(pairs)} pairwise judgments of systems, {ties} of them ties"
        + (", which Expected Wins leaves out." if how.method == "expected-wins" else ".")
    )
    unit = "runs" if how.method == "trueskill" and how.resample == "pairs" else "samples"
    yield (
        f"Rank ranges, clusters and low-high: {how.bootstrap} bootstrap {unit} "
        f"(drawing {how.resample}) at p = {how.p:g}."
    )
    compared = prepared.tally.compared.sum(axis=1)
    placed = zip(scored.systems, scored.scores, compared, strict=True)
    without = [system for system, score, n in placed if n and np.isnan(score)]
    if without:
        yield (
            f"Only ties, so that Expected Wins cannot place them: {', '.join(without)}."
            if len(without) < len(scored.systems)
            else "With ties alone Expected Wins places no system; Bradley-Terry and TrueSkill "
            "call them equal."
        )


def _accuracy(prepared: RankingInput, how: _How, methods: tuple[Method, ...], folds: int) -> Table:
    found = [
        cross_validate(
            prepared.judgments,
            method,
            folds=folds,
            samples=how.bootstrap,
            p=how.p,
            rng=np.random.default_rng(how.seed),
        )
        for method in methods
    ]
    notes = [
        *prepared.notes,
        "non-ties: the order of the scores predicts who wins; ties are left out.",
        f"clusters (p = {how.p:g}, {how.bootstrap} samples) predict ties within and wins across.",
        f"Means over {folds} folds of the pairwise judgments, each held out in turn.",
    ]
    signature = make_signature(
        "rank",
        show="accuracy",
        method=list(methods),
        folds=folds,
        bootstrap=how.bootstrap,
        p=how.p,
        seed=how.seed,
        data=prepared.data,
    )
    return table_of(
        found, notes=notes, signature=signature, title="Accuracy in predicting judgments"
    )


def _pairs(prepared: RankingInput, _how: _How) -> Table:
    """How much each judge did: rankings, unexpanded and expanded pairs and their ties."""
    counts = count_pairs(prepared.rankings)
    columns = list(zip(*(astuple(count) for count in counts), strict=True))[1:]
    total = PairCounts(ALL, *map(sum, columns))
    explained = (
        "unexpanded: pairs of the distinct outputs that a judge saw; expanded: pairs of the "
        "systems behind them."
    )
    return table_of(
        [*counts, total],
        notes=[*prepared.notes, explained],
        signature=make_signature("rank", show="pairs", data=prepared.data),
        title="Pairwise judgments",
    )


_CHANCE: Mapping[Chance, str] = {
    "symmetric": "by chance better and worse are equally likely",
    "published": "chance agreement from the pooled judgments in the order of systems' names",
}


def _agreement(prepared: RankingInput, min_overlap: int, chance: Chance) -> Table:
    """Kappa over all judges, then for every pair of judges and each judge with themselves."""
    found = judge_agreements(prepared.rankings, chance=chance)
    rows = []
    notes = list(prepared.notes)
    for kind in ("inter", "intra"):
        kappa, comparisons = mean_kappa(found, intra=kind == "intra", minimum_overlap=min_overlap)
        rows.append(JudgeAgreement(kind, ALL, ALL, kappa, comparisons))
        if kappa is None:
            of = "between judges" if kind == "inter" else "of a judge with themselves"
            notes.append(
                f"Agreement {of} is undefined: nobody has {min_overlap} comparisons of pairs "
                "judged twice."
            )
    rows += [one if one.comparisons >= min_overlap else replace(one, kappa=None) for one in found]
    notes += [
        (
            f"Cohen's kappa on unexpanded pairs, {_CHANCE[chance]}; over all judges the mean "
            "weighted by comparisons."
        ),
        f"No kappa for fewer than {min_overlap} comparisons in common.",
    ]
    return table_of(
        rows,
        notes=notes,
        signature=make_signature(
            "rank", show="agreement", chance=chance, min_overlap=min_overlap, data=prepared.data
        ),
        title="Agreement of judges on rankings",
    )


def _head_to_head(prepared: RankingInput, how: _How) -> Table:
    """Every encounter: a row for each system and opponent, best systems first."""
    scored = how.score(prepared.judgments)
    placed = [scored.systems[at] for at in scored.order]
    order = [*placed, *(system for system in scored.systems if system not in placed)]
    encounters = sorted(
        head_to_head(prepared.tally),
        key=lambda one: (order.index(one.system), order.index(one.opponent)),
    )
    notes = [
        "share: wins among the judgments that are not ties.",
        (
            "Sign test, two-sided: \N{BLACK STAR} p \N{LESS-THAN OR EQUAL TO} .10, "
            "\N{DAGGER} .05, \N{DOUBLE DAGGER} .01."
        ),
    ]
    return table_of(
        encounters,
        notes=[*prepared.notes, *notes],
        signature=make_signature(
            "rank", show="head-to-head", method=how.method, data=prepared.data
        ),
        title="Head to head",
        groups="system",
        view="head-to-head",
        plot_name="head-to-head",
    )


@dataclass(frozen=True)
class _OwnLine(RankedSystem):
    """A line of the ranking of one judge."""

    judge: str


def _judges(prepared: RankingInput, how: _How) -> Table:
    """The ranking that each judge alone would give."""
    lines = []
    for judge in judges_of(prepared.rankings):
        judgments = expand(select_judges(prepared.rankings, only=[judge]))
        ranked = rank_systems(how.score(judgments), p=how.p) if len(judgments) else ()
        lines += [_OwnLine(**vars(line), judge=judge) for line in ranked]
    table = table_of(
        lines,
        _OwnLine,
        notes=prepared.notes,
        signature=how.signature("judges", prepared.data, sampled=True),
        title="The rankings of single judges",
        groups="judge",
        view="ranking",
    )
    return replace(table, columns=(table.columns[-1], *table.columns[:-1]))


def _correlation(prepared: RankingInput, how: _How) -> Table:
    """How the rankings of single judges go together, and each with that of all others.

    The mean over judges is weighted by their expanded pairs; it is an upper bound for metrics.
    """
    rankings = prepared.rankings
    judges, systems = judges_of(rankings), systems_of(rankings)
    notes = list(prepared.notes)
    own = {
        judge: how.score(expand(select_judges(rankings, only=[judge]), systems=systems)).scores
        for judge in judges
    }
    rows = [
        _Correlation(one, other, **_correlate(own[one], own[other]))
        for one, other in combinations(judges, 2)
    ]
    if len(judges) > 1:
        weights = {counts.judge: counts.expanded for counts in count_pairs(rankings)}
        against_rest = {}
        for judge in judges:
            others = expand(select_judges(rankings, without=[judge]), systems=systems)
            against_rest[judge] = _correlate(own[judge], how.score(others).scores)
            rows.append(_Correlation(judge, REST, **against_rest[judge]))
        rows.append(_Correlation(MEAN, REST, **_weighted_mean(against_rest, weights)))
        notes.append(
            "rest: the ranking by all other judges; its mean is weighted by expanded pairs and "
            "is how well a person does at predicting the others."
        )
    else:
        notes.append("With one judge there is nobody to compare the ranking with.")
    return table_of(
        rows,
        _Correlation,
        notes=notes,
        signature=how.signature("correlation", prepared.data, sampled=False),
        title="Correlation of judges' rankings",
    )


@dataclass(frozen=True)
class _Correlation:
    """How two judges' rankings go together."""

    judge: str
    other: str
    spearman: float | None
    pearson: float | None
    kendall: float | None


def _correlate(one: Any, other: Any) -> dict[str, float | None]:
    defined = ~(np.isnan(one) | np.isnan(other))
    return correlate_all(one[defined], other[defined])


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
