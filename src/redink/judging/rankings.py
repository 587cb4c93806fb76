"""Rankings turned into pairwise judgments, plain and expanded, and judges' agreement on them.

A judge ranks *distinct outputs*; several systems may stand behind one output. Grundkiewicz et
al. (2015, section 4.3) count pairs in two ways:

- *unexpanded*: pairs of the outputs that the judge saw;
- *expanded*: pairs of systems. Systems behind one output tie with each other, and each of them
  meets every system behind the other outputs.

Agreement is Cohen's kappa on unexpanded pairs: after expansion the overlap of systems would raise
it unfairly. Which output of a pair is named first is arbitrary, so by default ``<`` and ``>`` are
equally likely by chance, and only the share of ``=`` is estimated from the judgments compared.
The published figures (Bojar et al. 2013; Grundkiewicz et al. 2015, section 4.4) take the pooled
shares of all three, with the outputs in the order of their systems' names: they change when a
system is renamed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from redink.errors import DataError
from redink.model import Ranking, Shown, annotator_order
from redink.options import Options

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
MINIMUM_OVERLAP = 50
"""Below so many comparisons the paper gives no kappa and leaves the judges out of the mean."""
Chance = Literal["symmetric", "published"]
"""Where chance agreement comes from: ties alone, or also from the order of systems' names."""
_Pair = tuple[str, str, str]


@dataclass(frozen=True)
class PairwiseJudgments:
    """Expanded judgments of pairs of systems, as arrays of equal length.

    Attributes:
        systems: the names, sorted; the arrays hold positions in it.
        first: the system of the pair that comes first in ``systems``.
        second: the other.
        outcome: 1 where ``first`` is better, -1 where ``second`` is, 0 for a tie.
        ranking: the position of the ranking that each judgment comes from.
        rankings: how many rankings there are, those that yield no pair included.
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
        """The same with all rankings of a group as one; ``groups`` numbers that of each."""
        return replace(self, ranking=groups[self.ranking], rankings=int(groups.max()) + 1)

    def __getitem__(self, chosen: NDArray[np.bool_] | IntArray) -> PairwiseJudgments:
        """Some of the judgments, of the same systems."""
        return PairwiseJudgments(
            self.systems,
            self.first[chosen],
            self.second[chosen],
            self.outcome[chosen],
            self.ranking[chosen],
            self.rankings,
        )


@dataclass(frozen=True)
class PairCounts:
    """How much one judge did: a row of table 1."""

    judge: str
    rankings: int
    unexpanded: int
    unexpanded_ties: Annotated[int, Shown(title="ties")]
    expanded: int
    expanded_ties: Annotated[int, Shown(title="ties")]


def judges_of(rankings: Iterable[Ranking]) -> tuple[str, ...]:
    """The judges, in order (2 before 10)."""
    return tuple(sorted({ranking.judge for ranking in rankings}, key=annotator_order))


def systems_of(rankings: Iterable[Ranking]) -> tuple[str, ...]:
    """All systems that some ranking names, sorted."""
    return tuple(sorted({s for r in rankings for output in r.outputs for s in output.systems}))


@dataclass(frozen=True)
class Selection(Options):
    """Whose rankings count.

    Attributes:
        judges: only these judges. By default all.
        without_judges: all judges but these.
    """

    judges: Sequence[str] = ()
    without_judges: Sequence[str] = ()

    def choose(self, rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
        """The rankings that count."""
        return select_judges(rankings, only=self.judges, without=self.without_judges)


def select_judges(
    rankings: Sequence[Ranking], *, only: Iterable[str] = (), without: Iterable[str] = ()
) -> tuple[Ranking, ...]:
    """The rankings of some judges; ``only`` empty means all of them.

    Raises:
        DataError: a judge who is named has ranked nothing.
    """
    only, without = set(only), set(without)
    present = judges_of(rankings)
    for judge in sorted((only | without) - set(present)):
        raise DataError(f"there is no judge {judge!r}; there are: {', '.join(present)}")
    return tuple(r for r in rankings if (not only or r.judge in only) and r.judge not in without)


def select_systems(rankings: Sequence[Ranking], systems: Container[str]) -> tuple[Ranking, ...]:
    """The rankings without the other systems; an output that none is left behind is gone."""
    chosen = []
    for ranking in rankings:
        named = [(o, tuple(s for s in o.systems if s in systems)) for o in ranking.outputs]
        outputs = tuple(replace(output, systems=names) for output, names in named if names)
        chosen.append(replace(ranking, outputs=outputs))
    return tuple(chosen)


@cache
def _pairs_of(size: int) -> tuple[IntArray, IntArray]:
    first, second = np.triu_indices(size, 1)
    return first, second


def expand(
    rankings: Sequence[Ranking], *, systems: Sequence[str] | None = None
) -> PairwiseJudgments:
    """Every pair of systems that the rankings decide or tie.

    Args:
        rankings: what the judges said.
        systems: the names to number the systems by, where they must be those of another data
            set; by default the systems that the rankings name.

    Raises:
        DataError: one system stands at two places of one ranking.
    """
    names = tuple(sorted(systems)) if systems is not None else systems_of(rankings)
    number = {name: index for index, name in enumerate(names)}
    firsts, seconds, outcomes, origins = [], [], [], []
    for origin, ranking in enumerate(rankings):
        places = sorted(
            (number[name], output.rank) for output in ranking.outputs for name in output.systems
        )
        members = np.array([place[0] for place in places], dtype=np.int64)
        ranks = np.array([place[1] for place in places], dtype=np.int64)
        if len(places) > 1 and not np.diff(members).all():
            twice = names[members[:-1][np.diff(members) == 0][0]]
            raise DataError(
                f"judge {ranking.judge!r} ranks system {twice!r} twice "
                f"for sentence {ranking.sentence!r}"
            )
        left, right = _pairs_of(len(places))
        firsts.append(members[left])
        seconds.append(members[right])
        # A lower rank is better.
        outcomes.append(np.sign(ranks[right] - ranks[left]))
        origins.append(np.full(len(left), origin, dtype=np.int64))
    return PairwiseJudgments(
        names, _join(firsts), _join(seconds), _join(outcomes), _join(origins), len(rankings)
    )


def _join(parts: list[IntArray]) -> IntArray:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def output_pairs(ranking: Ranking) -> Iterator[tuple[str, str, int]]:
    """The unexpanded pairs: two outputs, each named by its systems, and how they compare.

    The outputs of a pair are in the order of their names, so that two judges' judgments of one
    pair can be held against each other whatever the order on the screen. 1: the first is better.
    """
    named = sorted((" ".join(sorted(output.systems)), output.rank) for output in ranking.outputs)
    for (one, rank), (other, other_rank) in combinations(named, 2):
        yield one, other, (other_rank > rank) - (other_rank < rank)


def count_pairs(rankings: Sequence[Ranking]) -> tuple[PairCounts, ...]:
    """Table 1: rankings, unexpanded and expanded pairs with their ties, for every judge."""
    counts = []
    for judge in judges_of(rankings):
        mine = [ranking for ranking in rankings if ranking.judge == judge]
        totals = np.array([_count_one(ranking) for ranking in mine]).sum(axis=0)
        counts.append(PairCounts(judge, len(mine), *(int(total) for total in totals)))
    return tuple(counts)


def _count_one(ranking: Ranking) -> tuple[int, int, int, int]:
    outputs: dict[int, int] = {}
    systems: dict[int, int] = {}
    for output in ranking.outputs:
        outputs[output.rank] = outputs.get(output.rank, 0) + 1
        systems[output.rank] = systems.get(output.rank, 0) + len(output.systems)
    return (
        comb(sum(outputs.values()), 2),
        sum(comb(size, 2) for size in outputs.values()),
        comb(sum(systems.values()), 2),
        sum(comb(size, 2) for size in systems.values()),
    )


@dataclass(frozen=True)
class JudgeAgreement:
    """The agreement of two judges, or of one with themselves.

    Attributes:
        agreement: ``inter`` (two judges) or ``intra`` (one with themselves).
        judge: the first judge.
        other: the second.
        kappa: None without comparisons, or where chance agreement is complete.
        comparisons: pairs of judgments of one pair of outputs.
        observed: the share of them that agree; None without comparisons.
        chance: the share expected by chance; None likewise.
    """

    agreement: str
    judge: str
    other: str
    kappa: float | None = None
    comparisons: int = 0
    observed: float | None = None
    chance: float | None = None

    @property
    def is_intra(self) -> bool:
        """Whether it is the agreement of a judge with themselves."""
        return self.agreement == "intra"


def judge_agreements(
    rankings: Sequence[Ranking], *, chance: Chance = "symmetric"
) -> tuple[JudgeAgreement, ...]:
    """The agreement of every pair of judges and of each judge with themselves."""
    said: dict[str, dict[_Pair, list[int]]] = {judge: {} for judge in judges_of(rankings)}
    for ranking in rankings:
        mine = said[ranking.judge]
        for one, other, outcome in output_pairs(ranking):
            mine.setdefault((ranking.sentence, one, other), []).append(outcome)
    return tuple(
        _agreement(judge, other, said, chance)
        for judge, other in combinations_with_replacement(said, 2)
    )


def _agreement(
    judge: str, other: str, said: dict[str, dict[_Pair, list[int]]], kind_of_chance: Chance
) -> JudgeAgreement:
    agreed = comparisons = 0
    pooled: Counter[int] = Counter()
    theirs = said[other]
    for pair, mine in said[judge].items():
        if pair not in theirs:
            continue
        if judge == other:
            couples = list(combinations(mine, 2))
            judgments = mine if couples else []
        else:
            couples = list(product(mine, theirs[pair]))
            judgments = mine + theirs[pair]
        agreed += sum(a == b for a, b in couples)
        comparisons += len(couples)
        pooled.update(judgments)
    kind = "intra" if judge == other else "inter"
    if not comparisons:
        return JudgeAgreement(kind, judge, other)
    observed = agreed / comparisons
    total = pooled.total()
    if kind_of_chance == "symmetric":
        tied = pooled[0] / total
        chance = tied**2 + (1 - tied) ** 2 / 2
    else:
        chance = sum((count / total) ** 2 for count in pooled.values())
    kappa = None if chance == 1 else (observed - chance) / (1 - chance)
    return JudgeAgreement(kind, judge, other, kappa, comparisons, observed, chance)


def mean_kappa(
    agreements: Sequence[JudgeAgreement],
    *,
    intra: bool,
    minimum_overlap: int = MINIMUM_OVERLAP,
) -> tuple[float | None, int]:
    """The mean kappa, weighted by comparisons, and how many comparisons are behind it.

    Judges with fewer than ``minimum_overlap`` comparisons in common are left out.
    """
    used = [
        (a.kappa, a.comparisons)
        for a in agreements
        if a.is_intra == intra and a.comparisons >= minimum_overlap and a.kappa is not None
    ]
    total = sum(weight for _, weight in used)
    if not total:
        return None, 0
    return sum(kappa * weight for kappa, weight in used) / total, total
