"""Rankings converted to pairwise judgments and counts of wins; agreement of judges on them.

A judge ranks *distinct outputs*, and several systems may have produced one output. Grundkiewicz et
al. (2015, section 4.3) count pairs in two ways: *unexpanded* pairs of the outputs that the judge
saw, and *expanded* pairs of systems, where systems with the same output tie with each other.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement, permutations, product
from math import comb
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats.metric_scores import read_lines_chosen
from redink.inputs.input_checks import check_rankings, warn
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import RankingsLike, load_rankings
from redink.model import Ranking, Shown, annotator_order, fingerprint
from redink.options import Options
from redink.statistics.distributions import sign_test

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Chance = Literal["symmetric", "published"]
MINIMUM_OVERLAP: Mapping[Chance, int] = {"symmetric": 10, "published": 50}
"""With fewer comparisons there is no kappa, and the mean excludes the judges; 50 in the paper."""
Resample = Literal["pairs", "rankings", "documents"]
_RANKINGS_AT_ONCE = 4096


@dataclass(frozen=True)
class Selection(Options):
    """Judges to include.

    Attributes:
        judges: include only these judges. By default all.
        without_judges: exclude these judges.
    """

    judges: Sequence[str] = ()
    without_judges: Sequence[str] = ()

    def choose(self, rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
        """Return the rankings by the included judges."""
        return select_judges(rankings, only=self.judges, without=self.without_judges)


# ---- choosing rankings


def judges_of(rankings: Iterable[Ranking]) -> tuple[str, ...]:
    """Return the judges, in natural order (2 before 10)."""
    return tuple(sorted({ranking.judge for ranking in rankings}, key=annotator_order))


def systems_of(rankings: Iterable[Ranking]) -> tuple[str, ...]:
    """Return all systems that occur in a ranking, sorted."""
    return tuple(sorted({s for r in rankings for output in r.outputs for s in output.systems}))


def select_judges(
    rankings: Sequence[Ranking], *, only: Iterable[str] = (), without: Iterable[str] = ()
) -> tuple[Ranking, ...]:
    """Return the rankings of some judges; an empty ``only`` means all of them."""
    only, without = set(only), set(without)
    present = judges_of(rankings)
    for judge in sorted((only | without) - set(present)):
        raise DataError(f"unknown judge {judge!r}; expected one of: {', '.join(present)}")
    return tuple(r for r in rankings if (not only or r.judge in only) and r.judge not in without)


def choose_systems(known: Iterable[str], only: Sequence[str], without: Sequence[str]) -> set[str]:
    """Return the chosen names among the known systems; an empty ``only`` means all of them."""
    names = set(known)
    for name in (*only, *without):
        if name not in names:
            raise OptionError(
                f"unknown system {name!r}; expected one of: {', '.join(sorted(names))}"
            )
    return (set(only) or names) - set(without)


def select_systems(rankings: Sequence[Ranking], systems: Container[str]) -> tuple[Ranking, ...]:
    """Return the rankings without the other systems, and without outputs of only those systems."""
    chosen = []
    for ranking in rankings:
        named = [(o, tuple(s for s in o.systems if s in systems)) for o in ranking.outputs]
        outputs = tuple(replace(output, systems=names) for output, names in named if names)
        chosen.append(replace(ranking, outputs=outputs))
    return tuple(chosen)


# ---- expanded pairs: wins and ties between systems


@dataclass(frozen=True)
class PairwiseJudgments:
    """Expanded judgments of pairs of systems, as arrays of equal length.

    Attributes:
        systems: the names, sorted; the arrays contain indices into them.
        outcome: 1 if ``first`` is better, -1 if ``second`` is better, 0 for a tie.
        ranking: the index of the ranking that each judgment comes from.
        rankings: the number of rankings, including rankings without any pair.
    """

    systems: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: IntArray
    ranking: IntArray
    rankings: int

    def __len__(self) -> int:
        return len(self.outcome)

    def regroup(self, groups: IntArray) -> PairwiseJudgments:
        """Treat all rankings of a group as one; ``groups`` contains the group of each ranking."""
        return replace(self, ranking=groups[self.ranking], rankings=int(groups.max()) + 1)

    @property
    def cells(self) -> IntArray:
        """Return one number for each kind of judgment: the pair and its outcome."""
        return (self.first * len(self.systems) + self.second) * 3 + (self.outcome + 1)


def expand(
    rankings: Sequence[Ranking], *, systems: Sequence[str] | None = None
) -> PairwiseJudgments:
    """Return every pair of systems in the rankings, with wins and ties.

    ``systems`` are the names to number the systems by, if they must match another data set; by
    default the systems in the rankings.
    """
    names = tuple(sorted(systems)) if systems is not None else systems_of(rankings)
    number = {name: index for index, name in enumerate(names)}
    parts: list[tuple[IntArray, IntArray, IntArray, IntArray]] = []
    for origin, ranking in enumerate(rankings):
        ranked = sorted(
            (number[name], output.rank) for output in ranking.outputs for name in output.systems
        )
        members = np.array([member for member, _ in ranked], dtype=np.int64)
        ranks = np.array([rank for _, rank in ranked], dtype=np.int64)
        if len(ranked) > 1 and not np.diff(members).all():
            twice = names[members[:-1][np.diff(members) == 0][0]]
            raise DataError(
                f"judge {ranking.judge!r} ranks system {twice!r} twice "
                f"for sentence {ranking.sentence!r}"
            )
        left, right = np.triu_indices(len(ranked), 1)
        outcome = np.sign(ranks[right] - ranks[left])  # a lower rank is better
        parts.append((members[left], members[right], outcome, np.full_like(left, origin)))
    empty = np.empty(0, dtype=np.int64)
    columns = (np.concatenate(column) for column in zip(*parts, strict=True)) if parts else ()
    first, second, outcome, origins = columns or (empty,) * 4
    return PairwiseJudgments(names, first, second, outcome, origins, len(rankings))


@dataclass(frozen=True)
class PairwiseTally:
    """How often each system beat (``wins[i, j]``: i beat j) and tied each other system.

    Both arrays end in two axes over the systems; axes before these are samples or folds.
    """

    systems: tuple[str, ...]
    wins: FloatArray
    ties: FloatArray

    @property
    def compared(self) -> FloatArray:
        """Return how often each pair was judged, with any outcome."""
        judged: FloatArray = self.wins + np.swapaxes(self.wins, -1, -2) + self.ties
        return judged

    @classmethod
    def of_cells(cls, counts: NDArray[np.generic], systems: Sequence[str]) -> PairwiseTally:
        """Make a tally from the counts of each :attr:`PairwiseJudgments.cells` number."""
        size = len(systems)
        cells = counts.astype(np.float64).reshape(*counts.shape[:-1], size, size, 3)
        second_wins, ties, first_wins = np.moveaxis(cells, -1, 0)
        return cls(
            tuple(systems),
            first_wins + np.swapaxes(second_wins, -1, -2),
            ties + np.swapaxes(ties, -1, -2),
        )


def tally(judgments: PairwiseJudgments) -> PairwiseTally:
    """Count the wins and ties of all judgments."""
    counts = np.bincount(judgments.cells, minlength=3 * len(judgments.systems) ** 2)
    return PairwiseTally.of_cells(counts, judgments.systems)


def resample_tallies(
    judgments: PairwiseJudgments,
    samples: int,
    rng: np.random.Generator,
    *,
    resample: Resample = "pairs",
) -> PairwiseTally:
    """Return the tallies of bootstrap samples of the judgments, along a new first axis.

    ``pairs`` draws single pairwise judgments, as Koehn (2012) and all campaigns since do.
    ``rankings`` draws rankings, because the pairs of one ranking are not independent; its rank
    ranges are wider. ``documents`` draws documents after :meth:`PairwiseJudgments.regroup`.
    """
    width = 3 * len(judgments.systems) ** 2
    counts = np.zeros((samples, width))
    if not len(judgments):
        return PairwiseTally.of_cells(counts, judgments.systems)
    if resample == "pairs":
        # Drawing judgments with replacement and counting them by kind is one multinomial draw.
        present, frequencies = np.unique(judgments.cells, return_counts=True)
        shares = frequencies / frequencies.sum()
        counts[:, present] = rng.multinomial(len(judgments), shares, size=samples)
    else:
        even = np.full(judgments.rankings, 1 / judgments.rankings)
        drawn = rng.multinomial(judgments.rankings, even, size=samples).astype(np.float64)
        order = np.argsort(judgments.ranking, kind="stable")
        ranking, cells = judgments.ranking[order], judgments.cells[order]
        for start in range(0, judgments.rankings, _RANKINGS_AT_ONCE):
            end = start + _RANKINGS_AT_ONCE
            part = slice(*np.searchsorted(ranking, (start, end)))
            by_ranking = np.zeros((min(end, judgments.rankings) - start, width))
            np.add.at(by_ranking, (ranking[part] - start, cells[part]), 1)
            counts += drawn[:, start:end] @ by_ranking
    return PairwiseTally.of_cells(counts, judgments.systems)


def fold_tallies(judgments: PairwiseJudgments, fold: IntArray, folds: int) -> PairwiseTally:
    """Return the tally of each fold, along a new first axis; ``fold`` numbers the folds."""
    width = 3 * len(judgments.systems) ** 2
    counts = np.bincount(fold * width + judgments.cells, minlength=folds * width)
    return PairwiseTally.of_cells(counts.reshape(folds, width), judgments.systems)


def resample_tally(whole: PairwiseTally, samples: int, rng: np.random.Generator) -> PairwiseTally:
    """Draw bootstrap samples (by pairs) of tallies, along a new axis before the systems."""
    size = len(whole.systems)
    left, right = np.triu_indices(size, 1)
    wins, ties = whole.wins, whole.ties
    kinds = np.concatenate(
        (wins[..., left, right], wins[..., right, left], ties[..., left, right]), axis=-1
    )
    totals = kinds.sum(axis=-1)
    shares = kinds / np.maximum(totals, 1)[..., None]
    draws = rng.multinomial(
        totals.astype(np.int64)[..., None], shares[..., None, :], size=(*totals.shape, samples)
    ).astype(np.float64)
    wins = np.zeros((*totals.shape, samples, size, size))
    ties = np.zeros_like(wins)
    first, second, tied = np.split(draws, 3, axis=-1)
    wins[..., left, right], wins[..., right, left] = first, second
    ties[..., left, right] = ties[..., right, left] = tied
    return PairwiseTally(whole.systems, wins, ties)


def comparison_groups(whole: PairwiseTally) -> tuple[tuple[str, ...], ...]:
    """Group the systems that were compared with each other, directly or through others."""
    met = (whole.compared > 0) | np.eye(len(whole.systems), dtype=np.bool_)
    for _ in whole.systems:
        met = met @ met
    names = np.array(whole.systems)
    return tuple(tuple(names[list(row)].tolist()) for row in dict.fromkeys(map(tuple, met)))


@dataclass(frozen=True)
class Encounter:
    """One system against one opponent.

    ``share`` is wins among wins and losses. ``p`` is the p-value of the two-sided sign test,
    without ties, and ``stars`` marks it as in the paper: at most .01, .05 or .10. None without wins
    and losses.
    """

    system: str
    opponent: str
    share: float | None
    stars: str
    p: Annotated[float | None, Shown("p")]
    wins: int
    losses: int
    ties: int


_STARS = ((0.01, "\N{DOUBLE DAGGER}"), (0.05, "\N{DAGGER}"), (0.10, "\N{BLACK STAR}"))


def head_to_head(whole: PairwiseTally) -> tuple[Encounter, ...]:
    """Return all encounters, in both directions, in the order of the names."""
    encounters = []
    for i, j in permutations(range(len(whole.systems)), 2):
        wins, losses = int(whole.wins[i, j]), int(whole.wins[j, i])
        share = p = None
        stars = ""
        if decided := wins + losses:
            share = wins / decided
            p = sign_test(wins, losses)
            stars = next((mark for limit, mark in _STARS if p <= limit), "")
        names, ties = (whole.systems[i], whole.systems[j]), int(whole.ties[i, j])
        encounters.append(Encounter(*names, share, stars, p, wins, losses, ties))
    return tuple(encounters)


# ---- preparation for the ranking methods and the tables


@dataclass(frozen=True)
class PreparedRankings:
    """Rankings by the chosen judges, as pairs and wins, with notes and a fingerprint."""

    rankings: tuple[Ranking, ...]
    judgments: PairwiseJudgments
    tally: PairwiseTally
    notes: tuple[str, ...]
    data: str


def prepare_rankings(
    judgments: RankingsLike,
    selection: Selection,
    *,
    systems: Sequence[str] = (),
    without: Sequence[str] = (),
    lines: PathLike | None = None,
) -> PreparedRankings:
    """Read rankings, choose judges, systems and sentences, expand pairs, and check the result.

    ``lines`` is a file that names the sentences to use.
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
            raise DataError("no ranking is about the sentences in --lines")
    if systems or without:
        known = systems_of(rankings)
        chosen = choose_systems(known, systems, without)
        rankings = select_systems(rankings, chosen)
        left = ", ".join(sorted(set(known) - chosen))
        notes.append(f"Excluded, with all judgments about them: {left}.")
    pairs = expand(rankings)
    if not len(pairs):
        raise DataError("the rankings do not compare any two systems")
    whole = tally(pairs)
    if skipped := sum(not ranking.outputs for ranking in rankings):
        notes.append(f"{skipped} of {len(rankings)} rankings were skipped by the judge (no ranks).")
    compared = whole.compared.sum(axis=1)
    if lonely := [s for s, n in zip(whole.systems, compared, strict=True) if not n]:
        notes.append(f"Never compared with another system: {', '.join(lonely)}.")
    groups = [group for group in comparison_groups(whole) if len(group) > 1]
    if len(groups) > 1:
        listed = "; ".join(", ".join(group) for group in groups)
        warnings.warn(
            f"the systems fall into {len(groups)} groups that were never compared with each "
            f"other ({listed}); ranks of systems in different groups cannot be compared",
            RedinkWarning,
            stacklevel=3,
        )
    if not whole.wins.any():
        notes.append("All judgments are ties: no system was ever preferred to another.")
    data = fingerprint(
        f"{r.sentence}\0{r.judge}\0"
        + "\0".join(f"{output.rank} {' '.join(output.systems)}" for output in r.outputs)
        for r in rankings
    )
    return PreparedRankings(rankings, pairs, whole, tuple(notes), data)


# ---- unexpanded pairs: counts by judge, and agreement of the judges


@dataclass(frozen=True)
class PairCounts:
    """The number of judgments by one judge: a row of table 1 of the paper."""

    judge: str
    rankings: int
    unexpanded: int
    unexpanded_ties: Annotated[int, Shown(title="ties")]
    expanded: int
    expanded_ties: Annotated[int, Shown(title="ties")]


def count_pairs(rankings: Sequence[Ranking]) -> tuple[PairCounts, ...]:
    """Count the rankings and the unexpanded and expanded pairs, with their ties, of each judge."""
    counts = []
    for judge in judges_of(rankings):
        mine = [ranking for ranking in rankings if ranking.judge == judge]
        totals = np.array([_count_one(ranking) for ranking in mine]).sum(axis=0)
        counts.append(PairCounts(judge, len(mine), *totals.tolist()))
    return tuple(counts)


def _count_one(ranking: Ranking) -> list[int]:
    outputs = Counter(output.rank for output in ranking.outputs)
    systems = Counter(output.rank for output in ranking.outputs for _ in output.systems)
    counts = []
    for at_rank in (outputs, systems):
        counts += [comb(at_rank.total(), 2), sum(comb(n, 2) for n in at_rank.values())]
    return counts


def output_pairs(ranking: Ranking) -> Iterator[tuple[str, str, int]]:
    """Yield the unexpanded pairs: two outputs, named by their systems, and 1 if the first wins.

    The outputs of a pair are in the order of their names, so that judgments of two judges can be
    compared independently of the order on the screen.
    """
    named = sorted((" ".join(sorted(output.systems)), output.rank) for output in ranking.outputs)
    for (one, rank), (other, other_rank) in combinations(named, 2):
        yield one, other, (other_rank > rank) - (other_rank < rank)


@dataclass(frozen=True)
class RankingAgreement:
    """Cohen's kappa of two judges (inter), or of one with themselves (intra), on unexpanded pairs.

    Expanded pairs would raise agreement, because systems often have the same output. A comparison
    consists of two judgments of one pair of outputs; ``observed`` and ``chance`` are shares of
    them. Kappa is None without comparisons, or if chance agreement is 1.
    """

    agreement: str
    judge: str
    other: str
    kappa: float | None = None
    comparisons: int = 0
    observed: float | None = None
    chance: float | None = None


_Outcomes = dict[tuple[str, str, str], list[int]]
"""The judgments of one judge by sentence and pair of outputs."""


def judge_agreements(
    rankings: Sequence[Ranking], *, chance: Chance = "symmetric"
) -> tuple[RankingAgreement, ...]:
    """Return the agreement of every pair of judges and of each judge with themselves.

    Which output of a pair comes first is arbitrary, so by default ``<`` and ``>`` are equally
    likely by chance, and only the share of ties is estimated. The ``published`` values (Bojar et
    al. 2013; Grundkiewicz et al. 2015, section 4.4) use the shares of all three outcomes, with the
    outputs in the order of the systems' names. These values change when a system is renamed.
    """
    by_judge: dict[str, _Outcomes] = {judge: {} for judge in judges_of(rankings)}
    for ranking in rankings:
        mine = by_judge[ranking.judge]
        for one, other, outcome in output_pairs(ranking):
            mine.setdefault((ranking.sentence, one, other), []).append(outcome)
    return tuple(
        _agreement(judge, other, by_judge, chance)
        for judge, other in combinations_with_replacement(by_judge, 2)
    )


def _agreement(
    judge: str, other: str, by_judge: dict[str, _Outcomes], kind_of_chance: Chance
) -> RankingAgreement:
    kind = "intra" if judge == other else "inter"
    couples: list[tuple[int, int]] = []
    pooled: Counter[int] = Counter()
    for pair, mine in by_judge[judge].items():
        theirs = by_judge[other].get(pair, [])
        if kind == "inter":
            couples += product(mine, theirs)
            pooled.update(mine + theirs if theirs else [])
        elif len(mine) > 1:
            couples += combinations(mine, 2)
            pooled.update(mine)
    if not couples:
        return RankingAgreement(kind, judge, other)
    observed = sum(a == b for a, b in couples) / len(couples)
    shares = {outcome: number / pooled.total() for outcome, number in pooled.items()}
    if kind_of_chance == "symmetric":
        tied = shares.get(0, 0.0)
        chance = tied**2 + (1 - tied) ** 2 / 2
    else:
        chance = sum(share**2 for share in shares.values())
    kappa = None if chance == 1 else (observed - chance) / (1 - chance)
    return RankingAgreement(kind, judge, other, kappa, len(couples), observed, chance)


def mean_kappa(
    agreements: Sequence[RankingAgreement], *, intra: bool, minimum_overlap: int
) -> tuple[float | None, int]:
    """Return the mean kappa, weighted by comparisons, and the number of comparisons.

    Judges with fewer than ``minimum_overlap`` comparisons in common are excluded.
    """
    kind = "intra" if intra else "inter"
    used = [
        (a.kappa, a.comparisons)
        for a in agreements
        if a.agreement == kind and a.comparisons >= minimum_overlap and a.kappa is not None
    ]
    total = sum(weight for _, weight in used)
    return sum(kappa * weight for kappa, weight in used) / total if total else None, total
