"""Rankings turned into pairwise judgments, plain and expanded.

A judge ranks *distinct outputs*; several systems may stand behind one output. Grundkiewicz et
al. (2015, section 4.3) count pairs in two ways:

- *unexpanded*: pairs of the outputs that the judge saw;
- *expanded*: pairs of systems. Systems behind one output tie with each other, and each of them
  meets every system behind the other outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from redink.errors import DataError
from redink.model import Ranking, Shown, annotator_order
from redink.options import Options

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


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
        judges: only these judges; by default all of them.
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
