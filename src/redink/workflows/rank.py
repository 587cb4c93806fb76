"""From human rankings to an order of systems, with its uncertainty."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.judging.cross_validation import cross_validate
from redink.judging.expected_wins import Opponents
from redink.judging.rank_agreement import MINIMUM_OVERLAP
from redink.judging.rankers import (
    METHODS,
    Method,
    ScoredSystems,
    check_method,
    rank_systems,
    score_systems,
)
from redink.judging.rankings import PairwiseJudgments, expand, judges_of, select_judges
from redink.judging.tallies import RESAMPLES, Resample, Tally, comparison_groups, tally
from redink.judging.trueskill import Progress
from redink.model import Column, Ranking, Table, fingerprint, make_signature, make_table
from redink.workflows.inputs import PathLike, load_rankings
from redink.workflows.rank_tables import (
    agreement_table,
    correlation_table,
    head_to_head_table,
    judges_table,
    pairs_table,
)

Show = Literal["ranking", "pairs", "agreement", "head-to-head", "accuracy", "judges", "correlation"]
SHOWS: tuple[Show, ...] = get_args(Show)

SAMPLES = 1000
FOLD_SAMPLES = 100
"""Bootstrap samples of a ranking, and of each fold of a cross-validation, as in the paper."""


@dataclass(frozen=True)
class RankingInput:
    """Rankings that can be ranked by: chosen judges, expanded pairs, and what to say of them."""

    rankings: tuple[Ranking, ...]
    judgments: PairwiseJudgments
    tally: Tally
    notes: tuple[str, ...]
    data: str


def rank(
    judgments: PathLike | Iterable[Ranking],
    *,
    method: str | None = None,
    show: Show = "ranking",
    bootstrap: int | None = None,
    p: float = 0.05,
    resample: Resample = "pairs",
    opponents: Opponents = "all",
    judges: Sequence[str] | None = None,
    without_judges: Sequence[str] | None = None,
    folds: int = 100,
    min_overlap: int = MINIMUM_OVERLAP,
    seed: int = 1,
    progress: Progress | None = None,
) -> Table:
    """Rank systems by human rankings of their outputs.

    Args:
        judgments: rankings (Appraise XML, WMT CSV); a path, or values.
        method: ``expected-wins`` (the default), ``trueskill`` or ``bradley-terry``; for
            ``accuracy`` all three by default.
        show: ``ranking``; ``pairs`` (how much each judge did); ``agreement`` between judges and
            with themselves; ``head-to-head`` with the sign test; cross-validated ``accuracy`` of
            the methods; the rankings of single ``judges``; their ``correlation``.
        bootstrap: samples (TrueSkill: runs); by default 1000, and 100 for each fold.
        p: of rank ranges and clusters.
        resample: whether a sample draws ``pairs``, as published, or whole ``rankings``.
        opponents: for Expected Wins, whether a mean is over ``all`` opponents or, as in the
            published rankings of single judges, over those ``beaten`` at least once.
        judges: the judges who count; all by default.
        without_judges: judges who do not count.
        folds: of the cross-validation.
        min_overlap: comparisons that two judges need for a kappa.
        seed: of everything random.
        progress: is told how far a long computation is.

    Returns:
        For ``ranking`` a table with the columns ``system, score, rank, rank_low, rank_high,
        cluster`` and more.
    """
    if show not in SHOWS:
        raise OptionError(f"there is nothing called {show!r} to show; there are: {SHOWS}")
    if resample not in RESAMPLES:
        raise OptionError(f"resampling is by {' or '.join(RESAMPLES)}, not by {resample!r}")
    chosen = check_method(method or "expected-wins")
    prepared = prepare_rankings(judgments, judges=judges, without_judges=without_judges)
    samples = bootstrap if bootstrap is not None else SAMPLES
    options = _Options(chosen, samples, p, resample, opponents, min_overlap, seed, progress)
    if show == "accuracy":
        methods: tuple[Method, ...] = METHODS if method is None else (chosen,)
        per_fold = bootstrap if bootstrap is not None else FOLD_SAMPLES
        return _accuracy_table(prepared, methods, folds, per_fold, options)
    if show == "ranking":
        return _ranking_table(prepared, options)
    return _other_table(prepared, show, options)


@dataclass(frozen=True)
class _Options:
    method: Method
    samples: int
    p: float
    resample: Resample
    opponents: Opponents
    min_overlap: int
    seed: int
    progress: Progress | None

    def score(self, prepared: PairwiseJudgments) -> ScoredSystems:
        """The systems scored by the method, always from the same seed."""
        return score_systems(
            prepared,
            method=self.method,
            samples=self.samples,
            resample=self.resample,
            opponents=self.opponents,
            rng=np.random.default_rng(self.seed),
            progress=self.progress,
        )

    def signature(self, show: str, data: str, *, sampled: bool = True) -> dict[str, Any]:
        random = {"bootstrap": self.samples, "resample": self.resample, "seed": self.seed}
        return make_signature(
            "rank",
            show=None if show == "ranking" else show,
            method=self.method,
            opponents=None if self.opponents == "all" else self.opponents,
            **({"p": self.p, **random} if sampled else {}),
            data=data,
        )


def prepare_rankings(
    judgments: PathLike | Iterable[Ranking],
    *,
    judges: Sequence[str] | None = None,
    without_judges: Sequence[str] | None = None,
) -> RankingInput:
    """Read, choose the judges, expand to pairs, and say what a reader should know.

    Raises:
        DataError: nothing in the rankings compares two systems.
    """
    everything = load_rankings(judgments)
    if not any(ranking.outputs for ranking in everything):
        raise DataError("there are no rankings: every item was skipped or the file is empty")
    rankings = select_judges(everything, only=judges or (), without=without_judges or ())
    skipped = sum(not ranking.outputs for ranking in rankings)
    pairs = expand(rankings)
    if not len(pairs):
        raise DataError("the rankings compare no two systems with each other")
    whole = tally(pairs)
    notes = []
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


def score_prepared(
    prepared: RankingInput,
    *,
    method: Method,
    samples: int,
    resample: Resample,
    seed: int,
    progress: Progress | None = None,
) -> ScoredSystems:
    """The systems of prepared rankings scored by a method, with bootstrap samples."""
    return score_systems(
        prepared.judgments,
        method=method,
        samples=samples,
        resample=resample,
        rng=np.random.default_rng(seed),
        progress=progress,
    )


RANKING_COLUMNS = (
    Column("system", "text"),
    Column("score", "score", best="max"),
    Column("rank", "count"),
    Column("rank_low", "count", title="from"),
    Column("rank_high", "count", title="to"),
    Column("cluster", "count"),
    Column("low", "score"),
    Column("high", "score"),
    Column("wins", "count"),
    Column("losses", "count"),
    Column("ties", "count"),
)
_TITLES: Mapping[Method, str] = {
    "expected-wins": "Human ranking by Expected Wins",
    "trueskill": "Human ranking by TrueSkill",
    "bradley-terry": "Human ranking by Bradley-Terry",
}


def _ranking_table(prepared: RankingInput, options: _Options) -> Table:
    scored = options.score(prepared.judgments)
    whole = prepared.tally
    rows = []
    for line in rank_systems(scored, p=options.p):
        at = whole.systems.index(line.system)
        rows.append(
            asdict(line)
            | {
                "wins": int(whole.wins[at].sum()),
                "losses": int(whole.wins[:, at].sum()),
                "ties": int(whole.ties[at].sum()),
            }
        )
    return make_table(
        RANKING_COLUMNS,
        rows,
        notes=[*prepared.notes, *_ranking_notes(prepared, options, scored)],
        signature=options.signature("ranking", prepared.data),
        title=_TITLES[options.method],
        groups="cluster",
    )


def _ranking_notes(
    prepared: RankingInput, options: _Options, scored: ScoredSystems
) -> Iterable[str]:
    pairs = prepared.judgments
    ties = int((pairs.outcome == 0).sum())
    judges = len(judges_of(prepared.rankings))
    yield (
        f"{pairs.rankings} rankings by {judges} judge{'s' if judges > 1 else ''} make "
        f"{len(pairs)} pairwise judgments of systems, {ties} of them ties"
        + (", which Expected Wins leaves out." if options.method == "expected-wins" else ".")
    )
    unit = "runs" if options.method == "trueskill" and options.resample == "pairs" else "samples"
    yield (
        f"Rank ranges, clusters and low-high: {options.samples} bootstrap {unit} "
        f"(drawing {options.resample}) at p = {options.p:g}."
    )
    without = [
        system
        for system, score, n in zip(
            scored.systems, scored.scores, prepared.tally.compared.sum(axis=1), strict=True
        )
        if n and np.isnan(score)
    ]
    if without:
        yield (
            f"Only ties, so that Expected Wins cannot place them: {', '.join(without)}."
            if len(without) < len(scored.systems)
            else "With ties alone Expected Wins places no system; Bradley-Terry and TrueSkill "
            "call them equal."
        )


def _accuracy_table(
    prepared: RankingInput,
    methods: Sequence[Method],
    folds: int,
    samples: int,
    options: _Options,
) -> Table:
    rows = []
    for method in methods:
        found = cross_validate(
            prepared.judgments,
            method,
            folds=folds,
            samples=samples,
            p=options.p,
            rng=np.random.default_rng(options.seed),
            progress=options.progress,
        )
        rows.append(asdict(found))
    columns = (
        Column("method", "text"),
        Column("non_ties", "rate", best="max", title="non-ties"),
        Column("clusters", "rate", best="max"),
        Column("folds", "count"),
        Column("samples", "count"),
    )
    notes = [
        *prepared.notes,
        "non-ties: the order of the scores predicts who wins; ties are left out.",
        f"clusters (p = {options.p:g}, {samples} samples) predict ties within and wins across.",
        f"Means over {folds} folds of the pairwise judgments, each held out in turn.",
    ]
    signature = make_signature(
        "rank",
        show="accuracy",
        method=list(methods),
        folds=folds,
        bootstrap=samples,
        p=options.p,
        seed=options.seed,
        data=prepared.data,
    )
    title = "Accuracy in predicting judgments"
    return make_table(columns, rows, notes=notes, signature=signature, title=title)


def _other_table(prepared: RankingInput, show: Show, options: _Options) -> Table:
    rankings, notes = prepared.rankings, prepared.notes
    if show == "pairs":
        signature = make_signature("rank", show=show, data=prepared.data)
        return pairs_table(rankings, notes, signature)
    if show == "agreement":
        signature = make_signature(
            "rank", show=show, min_overlap=options.min_overlap, data=prepared.data
        )
        return agreement_table(rankings, options.min_overlap, notes, signature)
    if show == "head-to-head":
        scored = options.score(prepared.judgments)
        signature = make_signature("rank", show=show, method=options.method, data=prepared.data)
        return head_to_head_table(prepared.tally, scored, notes, signature)
    signature = options.signature(show, prepared.data, sampled=show == "judges")
    if show == "judges":
        return judges_table(rankings, options.score, options.p, notes, signature)
    return correlation_table(rankings, options.score, notes, signature)
