"""Rank systems by human judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.errors import DataError, OptionError
from redink.formats import detect_format
from redink.formats.judgment_tables import read_ratings
from redink.formats.metric_scores import read_lines_chosen
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import RankingsLike, is_ratings, load_judgments
from redink.judging.labels import how_many
from redink.judging.rankers import (
    METHODS,
    RankedSystem,
    RankingOptions,
    RaterAgreement,
    ScoredSystems,
    cross_validate,
    intraclass_correlation,
    rank_systems,
    rater_agreements,
    score_by_ratings,
    unsure_ranges,
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
from redink.judging.trueskill import TrueSkillParameters
from redink.model import Definition, Judgment, Rating, Table, fingerprint, make_signature, table_of
from redink.options import Limits, Needs, Positive, command

Show = Literal["ranking", "pairs", "agreement", "head-to-head", "accuracy", "judges", "correlation"]
ALL, REST, MEAN = "all", "rest", "mean"
"""Stands for the judge's name in rows about several judges."""


@command(draws="Draw the ranking, or the head-to-head matrix.", shows=("ranking", "head-to-head"))
def rank(
    judgments: RankingsLike,
    *,
    show: Show = "ranking",
    options: RankingOptions = RankingOptions(),
    skill: TrueSkillParameters = TrueSkillParameters(),
    systems: Sequence[str] = (),
    without: Sequence[str] = (),
    lines: PathLike | None = None,
    documents: Annotated[PathLike | Sequence[str] | None, Needs(resample="documents")] = None,
    selection: Selection = Selection(),
    folds: Annotated[int, Limits(2), Needs(show="accuracy")] = 100,
    min_overlap: Annotated[Positive | None, Needs(show="agreement")] = None,
    chance: Annotated[Chance, Needs(show="agreement")] = "symmetric",
) -> Table:
    """Rank systems by human judgments.

    The judgments are rankings of outputs by judges, in Appraise XML or WMT CSV, or ratings (CSV
    with sentence, system, judge and rating, or with one column per system), or judgments of edits
    (export of the campaign task edit-validity). In a ranking, systems
    with the same output share a rank, and redink expands them into pairwise judgments. Each system
    gets a score, a rank, a range of ranks, and a cluster. Systems in different clusters are
    significantly different; systems in the same cluster may not be.

    Args:
        judgments: rankings by judges: a file, or values.
        show: the table to show: the ranking; pairs by judge; inter- and intra-annotator agreement;
            wins of each system against each other system; accuracy of the methods in predicting
            judgments; the ranking of each judge; the correlation of judges' rankings.
        options: aggregation of the judgments, and samples.
        skill: parameters of TrueSkill.
        systems: rank only these systems, from the judgments that compare them.
        without: rank all systems except these.
        lines: use only the sentences named in this file, one per line.
        documents: file with the document name of each sentence, one per line (with --resample
            documents); sentence IDs are then line numbers. Without it, documents are read from the
            IDs (DOCUMENT.PARAGRAPH.NUMBER).
        selection: judges to include.
        folds: number of folds of the cross-validation (with --show accuracy).
        min_overlap: minimum number of common comparisons for a kappa. By default 10; with --chance
            published 50, as in the paper.
        chance: chance agreement (with --show agreement): better and worse equally likely, or as
            published, where it depends on the alphabetical order of the system names.

    Returns:
        For ``ranking`` a table with the columns ``system, score, rank, rank_low, rank_high,
        cluster`` and more.
    """

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
    if options.method is not None and options.method not in METHODS:
        raise OptionError(
            f"--method {options.method} needs ratings; for rankings use {', '.join(METHODS)}"
        )
    judgments, notes = _read_validity(judgments)
    prepared = prepare_rankings(judgments, selection, systems=systems, without=without, lines=lines)
    prepared = replace(prepared, notes=(*prepared.notes, *notes))
    if options.resample == "documents":
        if show in {"accuracy", "judges"}:
            raise OptionError(f"--show {show} cannot be combined with --resample documents")
        groups = number([ranking.sentence for ranking in prepared.rankings])
        prepared = replace(prepared, judgments=prepared.judgments.regroup(groups))
    study = _Study(prepared, options, skill)
    if show == "accuracy":
        return _tabulate_accuracy(study, folds)
    if show == "agreement":
        return _tabulate_agreement(study, min_overlap, chance)
    return _TABLES[show](study)


def _read_validity(judgments: RankingsLike) -> tuple[RankingsLike, list[str]]:
    """Return rankings of outputs if these are judgments of edits; a note says how."""
    given: Any = judgments
    if isinstance(judgments, str | Path):
        if not Path(judgments).is_dir() and detect_format(judgments).kind != "judgments":
            return judgments, []
        given = load_judgments(judgments)
    given = tuple(given)
    if not given or not isinstance(given[0], Judgment):
        return given, []
    from redink.judging.edit_validity import rank_by_validity  # loads the metrics

    note = "Outputs with fewer problems (edits that are not right, errors left) rank higher."
    try:
        return rank_by_validity(given), [note]
    except DataError as error:
        where = judgments if isinstance(judgments, str | Path) else "the judgments"
        raise DataError(f"{where}: {error}") from None


# ---- ratings


def _rank_by_ratings(
    ratings: Sequence[Rating],
    show: Show,
    options: RankingOptions,
    number: Callable[[Sequence[str]], IntArray],
) -> Table:
    """Rank systems by their mean rating or z-score, or measure how well the judges agree."""
    method = options.method or "mean"
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
        samples=options.samples,
        rng=options.rng(),
        documents=number if by_document else None,
    )
    judges = len({one.judge for one in ratings})
    sentences = len({one.sentence for one in ratings})
    drawn = "documents" if by_document else "sentences"
    notes = [
        f"{len(ratings)} ratings of {sentences} sentences; judges: {judges}.",
        Definition("score: the mean over sentences, each sentence weighted equally."),
        Definition(
            f"Ranges and clusters at p = {options.alpha:g} from {options.samples} bootstrap "
            f"samples of the {drawn}."
        ),
    ]
    return _ranking_table(
        rank_systems(scored, p=options.alpha),
        notes,
        make_signature(
            "rank",
            method=method,
            p=options.alpha,
            bootstrap=options.samples,
            seed=options.seed,
            data=data,
            resample="documents" if by_document else None,
        ),
        f"Systems by {'z-scores of ratings' if method == 'z-score' else 'mean rating'}",
    )


def _ranking_table(
    rows: Sequence[RankedSystem], notes: Sequence[str], signature: dict[str, Any], title: str
) -> Table:
    return table_of(
        rows,
        notes=notes,
        signature=signature,
        title=title,
        groups="cluster",
        view="ranking",
        plot_name="ranking",
    )


# ---- rankings


@dataclass(frozen=True)
class _Study:
    """The rankings, and how they become scores."""

    prepared: PreparedRankings
    options: RankingOptions
    skill: TrueSkillParameters

    def score(self, judgments: PairwiseJudgments) -> ScoredSystems:
        """Score the systems, always from the same seed."""
        return self.options.score(judgments, self.skill)

    def signature(self, *, sampled: bool = False, **parts: Any) -> dict[str, Any]:
        """Return the signature; of scores (``sampled``) with everything that they depend on."""
        if sampled:
            parts |= self.options.signature() | self.skill.signature(self.options.ranker)
        return make_signature("rank", **parts, data=self.prepared.data)

    def table(self, rows: Iterable[Any], title: str, *, notes: Iterable[str], **more: Any) -> Table:
        return table_of(rows, notes=[*self.prepared.notes, *notes], title=title, **more)


@dataclass(frozen=True)
class RankingRow(RankedSystem):
    """One row of the ranking, with the judgments behind it."""

    wins: int
    losses: int
    ties: int


def _tabulate_ranking(study: _Study) -> Table:
    scored = study.score(study.prepared.judgments)
    whole = study.prepared.tally
    rows = []
    for row in rank_systems(scored, p=study.options.alpha):
        at = whole.systems.index(row.system)
        wins, losses = int(whole.wins[at].sum()), int(whole.wins[:, at].sum())
        rows.append(
            RankingRow(**vars(row), wins=wins, losses=losses, ties=int(whole.ties[at].sum()))
        )
    names = {"expected-wins": "Expected Wins", "trueskill": "TrueSkill"}
    return _ranking_table(
        rows,
        [*study.prepared.notes, *_ranking_notes(study, scored)],
        study.signature(sampled=True),
        f"Human ranking by {names.get(study.options.ranker, 'Bradley-Terry')}",
    )


def _ranking_notes(study: _Study, scored: ScoredSystems) -> Iterator[str]:
    prepared, options = study.prepared, study.options
    pairs, wins_only = prepared.judgments, options.ranker == "expected-wins"
    yield (
        f"{len(prepared.rankings)} rankings by "
        f"{how_many(len(judges_of(prepared.rankings)), 'judge')}, "
        f"{len(pairs)} pairwise judgments, {int((pairs.outcome == 0).sum())} of them ties"
        + (" (ignored by Expected Wins)." if wins_only else ".")
    )
    unit = "runs" if options.ranker == "trueskill" and options.resample == "pairs" else "samples"
    yield Definition(
        f"Rank ranges, clusters and low-high: {options.samples} bootstrap {unit} "
        f"(drawing {options.resample}) at p = {options.alpha:g}."
    )
    placed = scored.order
    if len(placed) and (unsure := unsure_ranges(scored.samples[:, placed], options.alpha)):
        names = ", ".join(scored.systems[placed[at]] for at in unsure)
        yield f"Rank ranges that can change with --seed: {names}; more --bootstrap samples help."
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


def _tabulate_accuracy(study: _Study, folds: int) -> Table:
    options = study.options
    methods = METHODS if options.method is None else (options.ranker,)
    samples, p = options.bootstrap or 100, options.alpha
    rows = [
        cross_validate(
            study.prepared.judgments,
            method,
            folds=folds,
            samples=samples,
            p=p,
            rng=options.rng(),
            parameters=study.skill,
        )
        for method in methods
    ]
    notes = [
        Definition("non-ties: the order of the scores predicts the winner; ties are ignored."),
        Definition(f"clusters (p = {p:g}, {samples} samples) predict ties within and wins across."),
        Definition(
            "draw radius: a tie below a difference of r, which is tuned on the other folds."
        ),
        Definition(f"Means over {folds} folds of the pairwise judgments, each held out in turn."),
    ]
    signature = study.signature(
        show="accuracy",
        method=list(methods),
        folds=folds,
        bootstrap=samples,
        p=p,
        seed=options.seed,
        **study.skill.signature("trueskill"),
    )
    return study.table(rows, "Accuracy in predicting judgments", notes=notes, signature=signature)


def _tabulate_pairs(study: _Study) -> Table:
    counts = count_pairs(study.prepared.rankings)
    columns = list(zip(*map(astuple, counts), strict=True))[1:]
    total = PairCounts(ALL, *map(sum, columns))
    explained = Definition(
        "unexpanded: pairs of the distinct outputs that a judge saw; expanded: pairs of the "
        "systems that produced them."
    )
    return study.table(
        [*counts, total],
        "Pairwise judgments",
        notes=[explained],
        signature=study.signature(show="pairs"),
    )


_CHANCE: Mapping[Chance, str] = {
    "symmetric": "by chance, better and worse are equally likely",
    "published": "chance agreement from the pooled judgments in the order of systems' names",
}


def _tabulate_agreement(study: _Study, min_overlap: int | None, chance: Chance) -> Table:
    """Return kappa over all judges, then for each pair of judges and each single judge."""
    least = min_overlap or MINIMUM_OVERLAP[chance]
    found = judge_agreements(study.prepared.rankings, chance=chance)
    rows, notes = [], []
    for kind in ("inter", "intra"):
        kappa, comparisons = mean_kappa(found, intra=kind == "intra", minimum_overlap=least)
        rows.append(RankingAgreement(kind, ALL, ALL, kappa, comparisons))
        if kappa is None:
            of = "between judges" if kind == "inter" else "of a judge with themselves"
            notes.append(
                f"Agreement {of} is undefined: no judge has {least} comparisons of pairs "
                "judged twice."
            )
    rows += [one if one.comparisons >= least else replace(one, kappa=None) for one in found]
    averaged = "means over judges are weighted by comparisons"
    notes += [
        Definition(f"Cohen's kappa on unexpanded pairs, {_CHANCE[chance]}; {averaged}."),
        Definition(f"kappa needs at least {least} common comparisons."),
    ]
    return study.table(
        rows,
        "Inter- and intra-annotator agreement on rankings",
        notes=notes,
        signature=study.signature(show="agreement", chance=chance, min_overlap=least),
    )


def _tabulate_head_to_head(study: _Study) -> Table:
    """Return one row per system and opponent, best systems first."""
    scored = study.score(study.prepared.judgments)
    ranked = [scored.systems[at] for at in scored.order]
    order = [*ranked, *(system for system in scored.systems if system not in ranked)]
    encounters = sorted(
        head_to_head(study.prepared.tally),
        key=lambda one: (order.index(one.system), order.index(one.opponent)),
    )
    notes = [
        Definition("share: wins among the judgments that are not ties."),
        "Sign test, two-sided: \N{BLACK STAR} p ≤ .10, \N{DAGGER} .05, \N{DOUBLE DAGGER} .01.",
    ]
    return study.table(
        encounters,
        "Head to head",
        notes=notes,
        signature=study.signature(show="head-to-head", method=study.options.ranker),
        groups="system",
        view="head-to-head",
        plot_name="head-to-head",
    )


@dataclass(frozen=True)
class _JudgeRankingRow(RankedSystem):
    judge: str


def _tabulate_judges(study: _Study) -> Table:
    """Return the ranking by each single judge."""
    rankings = study.prepared.rankings
    rows = []
    for judge in judges_of(rankings):
        judgments = expand(select_judges(rankings, only=[judge]))
        p = study.options.alpha
        ranked = rank_systems(study.score(judgments), p=p) if len(judgments) else ()
        rows += [_JudgeRankingRow(**vars(row), judge=judge) for row in ranked]
    table = study.table(
        rows,
        "Rankings of single judges",
        kind=_JudgeRankingRow,
        notes=(),
        signature=study.signature(show="judges", sampled=True),
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


def _tabulate_correlation(study: _Study) -> Table:
    """Correlate the rankings of single judges, and each with that of all other judges.

    The mean over judges is weighted by their expanded pairs. It is an upper bound for metrics.
    """
    rankings = study.prepared.rankings
    judges, systems = judges_of(rankings), systems_of(rankings)

    def score(**chosen: Sequence[str]) -> FloatArray:
        return study.score(expand(select_judges(rankings, **chosen), systems=systems)).scores

    own = {judge: score(only=[judge]) for judge in judges}
    rows = [
        _JudgeCorrelation(one, other, **_correlate(own[one], own[other]))
        for one, other in combinations(judges, 2)
    ]
    note = "With only one judge, there is no other ranking to compare with."
    if len(judges) > 1:
        rest = {judge: _correlate(own[judge], score(without=[judge])) for judge in judges}
        rows += [_JudgeCorrelation(judge, REST, **found) for judge, found in rest.items()]
        weights = {counts.judge: counts.expanded for counts in count_pairs(rankings)}
        rows.append(_JudgeCorrelation(MEAN, REST, **_weighted_means(rest, weights)))
        note = Definition(
            "rest: the ranking by all other judges; its mean is weighted by expanded pairs and "
            "is human performance at predicting the other judges."
        )
    return study.table(
        rows,
        "Correlation of judges' rankings",
        kind=_JudgeCorrelation,
        notes=[note],
        signature=study.signature(
            show="correlation",
            method=study.options.ranker,
            opponents=study.options.shown_opponents,
        ),
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


_TABLES: Mapping[str, Callable[[_Study], Table]] = {
    "ranking": _tabulate_ranking,
    "pairs": _tabulate_pairs,
    "head-to-head": _tabulate_head_to_head,
    "judges": _tabulate_judges,
    "correlation": _tabulate_correlation,
}
