"""Rank systems by human judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.errors import OptionError
from redink.formats.judgment_tables import read_ratings
from redink.formats.metric_scores import read_lines_chosen
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import RankingsLike, is_ratings
from redink.judging.labels import how_many
from redink.judging.rankers import (
    METHODS,
    Method,
    Opponents,
    RankedSystem,
    RankingAccuracy,
    RaterAgreement,
    RatingMethod,
    ScoredSystems,
    cross_validate,
    intraclass_correlation,
    rank_systems,
    rater_agreements,
    score_by_ratings,
    score_systems,
)
from redink.judging.rankings import (
    MINIMUM_OVERLAP,
    Chance,
    FloatArray,
    IntArray,
    PairCounts,
    PairwiseJudgments,
    PreparedRankings,
    RankingAgreement,
    Resample,
    Selection,
    choose_systems,
    count_pairs,
    expand,
    head_to_head,
    judge_agreements,
    judges_of,
    mean_kappa,
    prepare_rankings,
    select_judges,
    systems_of,
)
from redink.model import Definition, Rating, Table, fingerprint, make_signature, table_of
from redink.options import Limits, Needs, Positive, Seed, command

Show = Literal["ranking", "pairs", "agreement", "head-to-head", "accuracy", "judges", "correlation"]
ALL, REST, MEAN = "all", "rest", "mean"
"""Stands for the judge's name in rows about several judges."""


@command(draws="Draw the ranking, or the head-to-head matrix.", shows=("ranking", "head-to-head"))
def rank(
    judgments: RankingsLike,
    *,
    method: Literal[Method, RatingMethod] | None = None,
    show: Show = "ranking",
    bootstrap: Positive | None = None,
    alpha: Annotated[float, Limits(0, 1, low_open=True, high_open=True)] = 0.05,
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
    with sentence, system, judge and rating, or with one column per system). In a ranking, systems
    with the same output share a rank, and redink expands them into pairwise judgments. Each system
    gets a score, a rank, a range of ranks, and a cluster. Systems in different clusters are
    significantly different; systems in the same cluster may not be.

    Args:
        judgments: rankings by judges: a file, or values.
        method: aggregation of the judgments; for ratings mean or z-score (within each judge). By
            default expected-wins, for ratings mean, for --show accuracy all.
        show: the table to show: the ranking; pairs by judge; inter- and intra-annotator agreement;
            wins of each system against each other system; accuracy of the methods in predicting
            judgments; the ranking of each judge; the correlation of judges' rankings.
        bootstrap: number of bootstrap samples (TrueSkill: runs) for rank ranges and clusters. By
            default 1000, for --show accuracy 100 per fold.
        alpha: significance level of rank ranges and clusters.
        systems: rank only these systems, from the judgments that compare them.
        without: rank all systems except these.
        lines: use only the sentences named in this file, one per line.
        resample: unit of bootstrap sampling: pairwise judgments, as published; rankings; or
            documents. Judgments of one ranking or document are not independent, so rankings and
            documents give wider ranges. For ratings: sentences or documents.
        documents: file with the document name of each sentence, one per line (with --resample
            documents); sentence IDs are then line numbers. Without it, documents are read from the
            IDs (DOCUMENT.PARAGRAPH.NUMBER).
        opponents: compute Expected Wins as the mean over all opponents, or over opponents beaten at
            least once, as in the published rankings of single judges.
        selection: judges to include.
        folds: number of folds of the cross-validation (with --show accuracy).
        min_overlap: minimum number of common comparisons for a kappa of two judges.
        chance: chance agreement (with --show agreement): better and worse equally likely, or as
            published, where it depends on the alphabetical order of the system names.
        seed: random seed.

    Returns:
        For ``ranking`` a table with the columns ``system, score, rank, rank_low, rank_high,
        cluster`` and more.
    """
    options = RankingOptions(method, bootstrap, alpha, resample, opponents, seed)

    def number(sentences: Sequence[str]) -> IntArray:
        from redink.inputs.document_ids import document_numbers  # loads the alignment of raw text

        return document_numbers(sentences, given=documents)

    if isinstance(judgments, str | Path) and is_ratings(judgments):
        ratings = read_ratings(judgments)
        if lines is not None:
            ids = set(read_lines_chosen(lines))
            ratings = tuple(one for one in ratings if one.sentence in ids)
        chosen = choose_systems({one.system for one in ratings}, systems, without)
        ratings = tuple(one for one in ratings if one.system in chosen)
        return _rank_by_ratings(ratings, show, options, number)
    if method is not None and method not in METHODS:
        raise OptionError(f"--method {method} needs ratings; for rankings use {', '.join(METHODS)}")
    prepared = prepare_rankings(judgments, selection, systems=systems, without=without, lines=lines)
    if resample == "documents":
        if show in {"accuracy", "judges"}:
            raise OptionError(f"--show {show} cannot be combined with --resample documents")
        groups = number([ranking.sentence for ranking in prepared.rankings])
        prepared = replace(prepared, judgments=prepared.judgments.regroup(groups))
    if show == "accuracy":
        return _tabulate_accuracy(prepared, options, folds)
    if show == "agreement":
        return _tabulate_agreement(prepared, min_overlap, chance)
    return _TABLES[show](prepared, options)


@dataclass(frozen=True)
class RankingOptions:
    """How judgments become scores of systems; None for the defaults of ``method`` and samples."""

    given_method: Literal[Method, RatingMethod] | None
    given_bootstrap: int | None
    p: float
    resample: Resample
    opponents: Opponents
    seed: int

    @property
    def method(self) -> Method:
        """The method for rankings; by default Expected Wins."""
        return next((m for m in METHODS if m == self.given_method), "expected-wins")

    @property
    def bootstrap(self) -> int:
        """The number of samples; by default 1000."""
        return self.given_bootstrap or 1000

    def score(self, judgments: PairwiseJudgments) -> ScoredSystems:
        """Score the systems, always from the same seed."""
        return score_systems(
            judgments,
            method=self.method,
            samples=self.bootstrap,
            resample=self.resample,
            opponents=self.opponents,
            rng=np.random.default_rng(self.seed),
        )

    def signature(self, show: str | None, data: str, *, sampled: bool) -> dict[str, Any]:
        """Return the signature of a table of scores."""
        random = {"bootstrap": self.bootstrap, "resample": self.resample, "seed": self.seed}
        return make_signature(
            "rank",
            show=show,
            method=self.method,
            opponents=None if self.opponents == "all" else self.opponents,
            **({"p": self.p, **random} if sampled else {}),
            data=data,
        )


# ---- ratings


def _rank_by_ratings(
    ratings: Sequence[Rating],
    show: Show,
    options: RankingOptions,
    number: Callable[[Sequence[str]], IntArray],
) -> Table:
    """Rank systems by their mean rating or z-score, or measure how well the judges agree."""
    method = options.given_method or "mean"
    if method not in {"mean", "z-score"}:
        raise OptionError(f"ratings cannot be aggregated by {method}; use mean or z-score")
    data = fingerprint(f"{r.sentence}\0{r.system}\0{r.judge}\0{r.value!r}" for r in ratings)
    if show == "agreement":
        within = intraclass_correlation(ratings)
        about = (
            "Agreement is undefined with one rating per output."
            if within is None
            else f"Intraclass correlation (one-way, single ratings): {within:.4f}."
        )
        return table_of(
            rater_agreements(ratings),
            RaterAgreement,
            notes=[Definition("Each pair of judges, on the outputs that both rated."), about],
            signature=make_signature("rank", show="agreement", data=data),
            title="Inter-annotator agreement of ratings",
        )
    if show != "ranking":
        raise OptionError(f"--show {show} needs rankings; for ratings use ranking or agreement")
    by_document = options.resample == "documents"
    scored = score_by_ratings(
        ratings,
        method="z-score" if method == "z-score" else "mean",
        samples=options.bootstrap,
        rng=np.random.default_rng(options.seed),
        documents=number if by_document else None,
    )
    judges = len({one.judge for one in ratings})
    sentences = len({one.sentence for one in ratings})
    drawn = "documents" if by_document else "sentences"
    from_samples = f"from {options.bootstrap} bootstrap samples of the {drawn}"
    notes = [
        f"{len(ratings)} ratings of {sentences} sentences; judges: {judges}.",
        Definition("score: the mean over sentences, each sentence weighted equally."),
        Definition(f"Ranges and clusters at p = {options.p:g} {from_samples}."),
    ]
    return table_of(
        rank_systems(scored, p=options.p),
        RankedSystem,
        notes=notes,
        signature=make_signature(
            "rank",
            method=method,
            p=options.p,
            bootstrap=options.bootstrap,
            seed=options.seed,
            data=data,
            resample="documents" if by_document else None,
        ),
        title=f"Systems by {'z-scores of ratings' if method == 'z-score' else 'mean rating'}",
        groups="cluster",
        view="ranking",
        plot_name="ranking",
    )


# ---- rankings


@dataclass(frozen=True)
class RankingRow(RankedSystem):
    """One row of the ranking, with the judgments behind it."""

    wins: int
    losses: int
    ties: int


def _tabulate_ranking(prepared: PreparedRankings, options: RankingOptions) -> Table:
    scored = options.score(prepared.judgments)
    whole = prepared.tally
    rows = []
    for row in rank_systems(scored, p=options.p):
        at = whole.systems.index(row.system)
        wins, losses = int(whole.wins[at].sum()), int(whole.wins[:, at].sum())
        rows.append(
            RankingRow(**vars(row), wins=wins, losses=losses, ties=int(whole.ties[at].sum()))
        )
    names = {"expected-wins": "Expected Wins", "trueskill": "TrueSkill"}
    return table_of(
        rows,
        notes=[*prepared.notes, *_ranking_notes(prepared, options, scored)],
        signature=options.signature(None, prepared.data, sampled=True),
        title=f"Human ranking by {names.get(options.method, 'Bradley-Terry')}",
        groups="cluster",
        view="ranking",
        plot_name="ranking",
    )


def _ranking_notes(
    prepared: PreparedRankings, options: RankingOptions, scored: ScoredSystems
) -> Iterator[str]:
    pairs = prepared.judgments
    ties = int((pairs.outcome == 0).sum())
    judges = len(judges_of(prepared.rankings))
    yield (
        f"{len(prepared.rankings)} rankings by {how_many(judges, 'judge')}, "
        f"{len(pairs)} pairwise judgments, {ties} of them ties"
        + (" (ignored by Expected Wins)." if options.method == "expected-wins" else ".")
    )
    unit = "runs" if options.method == "trueskill" and options.resample == "pairs" else "samples"
    yield Definition(
        f"Rank ranges, clusters and low-high: {options.bootstrap} bootstrap {unit} "
        f"(drawing {options.resample}) at p = {options.p:g}."
    )
    compared = prepared.tally.compared.sum(axis=1)
    ranked = zip(scored.systems, scored.scores, compared, strict=True)
    without = [system for system, score, n in ranked if n and np.isnan(score)]
    if without:
        yield (
            f"Only ties, so Expected Wins cannot rank: {', '.join(without)}."
            if len(without) < len(scored.systems)
            else "With only ties, Expected Wins ranks no system; Bradley-Terry and TrueSkill "
            "rank all equal."
        )


def _tabulate_accuracy(prepared: PreparedRankings, options: RankingOptions, folds: int) -> Table:
    methods = METHODS if options.given_method is None else (options.method,)
    samples, p = options.given_bootstrap or 100, options.p

    def validate(method: Method) -> RankingAccuracy:
        rng = np.random.default_rng(options.seed)
        return cross_validate(
            prepared.judgments, method, folds=folds, samples=samples, p=p, rng=rng
        )

    notes = [
        *prepared.notes,
        Definition("non-ties: the order of the scores predicts the winner; ties are ignored."),
        Definition(f"clusters (p = {p:g}, {samples} samples) predict ties within and wins across."),
        Definition(f"Means over {folds} folds of the pairwise judgments, each held out in turn."),
    ]
    signature = make_signature(
        "rank",
        show="accuracy",
        method=list(methods),
        folds=folds,
        bootstrap=samples,
        p=p,
        seed=options.seed,
        data=prepared.data,
    )
    title = "Accuracy in predicting judgments"
    return table_of(map(validate, methods), notes=notes, signature=signature, title=title)


def _tabulate_pairs(prepared: PreparedRankings, _options: RankingOptions) -> Table:
    counts = count_pairs(prepared.rankings)
    columns = list(zip(*map(astuple, counts), strict=True))[1:]
    total = PairCounts(ALL, *map(sum, columns))
    explained = Definition(
        "unexpanded: pairs of the distinct outputs that a judge saw; expanded: pairs of the "
        "systems that produced them."
    )
    return table_of(
        [*counts, total],
        notes=[*prepared.notes, explained],
        signature=make_signature("rank", show="pairs", data=prepared.data),
        title="Pairwise judgments",
    )


_CHANCE: Mapping[Chance, str] = {
    "symmetric": "by chance, better and worse are equally likely",
    "published": "chance agreement from the pooled judgments in the order of systems' names",
}


def _tabulate_agreement(prepared: PreparedRankings, min_overlap: int, chance: Chance) -> Table:
    """Return kappa over all judges, then for each pair of judges and each single judge."""
    found = judge_agreements(prepared.rankings, chance=chance)
    rows = []
    notes = list(prepared.notes)
    for kind in ("inter", "intra"):
        kappa, comparisons = mean_kappa(found, intra=kind == "intra", minimum_overlap=min_overlap)
        rows.append(RankingAgreement(kind, ALL, ALL, kappa, comparisons))
        if kappa is None:
            of = "between judges" if kind == "inter" else "of a judge with themselves"
            notes.append(
                f"Agreement {of} is undefined: no judge has {min_overlap} comparisons of pairs "
                "judged twice."
            )
    rows += [one if one.comparisons >= min_overlap else replace(one, kappa=None) for one in found]
    averaged = "means over judges are weighted by comparisons"
    notes += [
        Definition(f"Cohen's kappa on unexpanded pairs, {_CHANCE[chance]}; {averaged}."),
        Definition(f"kappa needs at least {min_overlap} common comparisons."),
    ]
    return table_of(
        rows,
        notes=notes,
        signature=make_signature(
            "rank", show="agreement", chance=chance, min_overlap=min_overlap, data=prepared.data
        ),
        title="Inter- and intra-annotator agreement on rankings",
    )


def _tabulate_head_to_head(prepared: PreparedRankings, options: RankingOptions) -> Table:
    """Return one row per system and opponent, best systems first."""
    scored = options.score(prepared.judgments)
    ranked = [scored.systems[at] for at in scored.order]
    order = [*ranked, *(system for system in scored.systems if system not in ranked)]
    encounters = sorted(
        head_to_head(prepared.tally),
        key=lambda one: (order.index(one.system), order.index(one.opponent)),
    )
    notes = [
        *prepared.notes,
        Definition("share: wins among the judgments that are not ties."),
        "Sign test, two-sided: \N{BLACK STAR} p ≤ .10, \N{DAGGER} .05, \N{DOUBLE DAGGER} .01.",
    ]
    return table_of(
        encounters,
        notes=notes,
        signature=make_signature(
            "rank", show="head-to-head", method=options.method, data=prepared.data
        ),
        title="Head to head",
        groups="system",
        view="head-to-head",
        plot_name="head-to-head",
    )


@dataclass(frozen=True)
class _JudgeRankingRow(RankedSystem):
    judge: str


def _tabulate_judges(prepared: PreparedRankings, options: RankingOptions) -> Table:
    """Return the ranking by each single judge."""
    rows = []
    for judge in judges_of(prepared.rankings):
        judgments = expand(select_judges(prepared.rankings, only=[judge]))
        ranked = rank_systems(options.score(judgments), p=options.p) if len(judgments) else ()
        rows += [_JudgeRankingRow(**vars(row), judge=judge) for row in ranked]
    table = table_of(
        rows,
        _JudgeRankingRow,
        notes=prepared.notes,
        signature=options.signature("judges", prepared.data, sampled=True),
        title="Rankings of single judges",
        groups="judge",
        view="ranking",
    )
    return replace(table, columns=(table.columns[-1], *table.columns[:-1]))


@dataclass(frozen=True)
class _JudgeCorrelation:
    judge: str
    other: str
    spearman: float | None
    pearson: float | None
    kendall: float | None


def _tabulate_correlation(prepared: PreparedRankings, options: RankingOptions) -> Table:
    """Correlate the rankings of single judges, and each with that of all other judges.

    The mean over judges is weighted by their expanded pairs. It is an upper bound for metrics.
    """
    rankings = prepared.rankings
    judges, systems = judges_of(rankings), systems_of(rankings)
    notes = list(prepared.notes)

    def score(**chosen: Sequence[str]) -> FloatArray:
        return options.score(expand(select_judges(rankings, **chosen), systems=systems)).scores

    own = {judge: score(only=[judge]) for judge in judges}
    rows = [
        _JudgeCorrelation(one, other, **_correlate(own[one], own[other]))
        for one, other in combinations(judges, 2)
    ]
    if len(judges) > 1:
        rest = {judge: _correlate(own[judge], score(without=[judge])) for judge in judges}
        rows += [_JudgeCorrelation(judge, REST, **found) for judge, found in rest.items()]
        weights = {counts.judge: counts.expanded for counts in count_pairs(rankings)}
        rows.append(_JudgeCorrelation(MEAN, REST, **_weighted_means(rest, weights)))
        notes.append(
            Definition(
                "rest: the ranking by all other judges; its mean is weighted by expanded pairs and "
                "is human performance at predicting the other judges."
            )
        )
    else:
        notes.append("With only one judge, there is no other ranking to compare with.")
    return table_of(
        rows,
        _JudgeCorrelation,
        notes=notes,
        signature=options.signature("correlation", prepared.data, sampled=False),
        title="Correlation of judges' rankings",
    )


def _correlate(one: FloatArray, other: FloatArray) -> dict[str, float | None]:
    from redink.statistics.correlation import correlate_all

    defined = ~(np.isnan(one) | np.isnan(other))
    return correlate_all(one[defined], other[defined])


def _weighted_means(
    values: Mapping[str, Mapping[str, float | None]], weights: Mapping[str, int]
) -> dict[str, float | None]:
    means: dict[str, float | None] = {}
    for name in next(iter(values.values())):
        known = [
            (value, weights[judge])
            for judge, found in values.items()
            if (value := found[name]) is not None
        ]
        total = sum(weight for _, weight in known)
        means[name] = sum(value * weight for value, weight in known) / total if total else None
    return means


_TABLES: Mapping[str, Callable[[PreparedRankings, RankingOptions], Table]] = {
    "ranking": _tabulate_ranking,
    "pairs": _tabulate_pairs,
    "head-to-head": _tabulate_head_to_head,
    "judges": _tabulate_judges,
    "correlation": _tabulate_correlation,
}
