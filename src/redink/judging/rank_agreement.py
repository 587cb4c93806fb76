"""How far judges agree with each other, and with themselves, on unexpanded pairs.

Cohen's kappa with chance agreement from the pooled shares of ``<``, ``=`` and ``>`` among the
judgments compared (Bojar et al. 2013; Grundkiewicz et al. 2015, section 4.4). Pairs of outputs
are those the judges saw: after expansion the overlap of systems would raise agreement unfairly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product

from redink.judging.rankings import judges_of, output_pairs
from redink.model import Ranking

MINIMUM_OVERLAP = 50
"""Below so many comparisons the paper gives no kappa and leaves the judges out of the mean."""

_Pair = tuple[str, str, str]


@dataclass(frozen=True)
class JudgeAgreement:
    """The agreement of two judges, or of one with themselves (``judge == other``).

    Attributes:
        judge: the first judge.
        other: the second.
        comparisons: pairs of judgments of one pair of outputs.
        observed: the share of them that agree; None without comparisons.
        chance: the share expected by chance; None likewise.
        kappa: None without comparisons, or where chance agreement is complete.
    """

    judge: str
    other: str
    comparisons: int
    observed: float | None
    chance: float | None
    kappa: float | None

    @property
    def is_intra(self) -> bool:
        """Whether it is the agreement of a judge with themselves."""
        return self.judge == self.other


def judge_agreements(rankings: Sequence[Ranking]) -> tuple[JudgeAgreement, ...]:
    """The agreement of every pair of judges and of each judge with themselves."""
    said: dict[str, dict[_Pair, list[int]]] = {judge: {} for judge in judges_of(rankings)}
    for ranking in rankings:
        mine = said[ranking.judge]
        for one, other, outcome in output_pairs(ranking):
            mine.setdefault((ranking.sentence, one, other), []).append(outcome)
    return tuple(
        _agreement(judge, other, said) for judge, other in combinations_with_replacement(said, 2)
    )


def _agreement(judge: str, other: str, said: dict[str, dict[_Pair, list[int]]]) -> JudgeAgreement:
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
    if not comparisons:
        return JudgeAgreement(judge, other, 0, None, None, None)
    observed = agreed / comparisons
    total = pooled.total()
    chance = sum((count / total) ** 2 for count in pooled.values())
    kappa = None if chance == 1 else (observed - chance) / (1 - chance)
    return JudgeAgreement(judge, other, comparisons, observed, chance, kappa)


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
