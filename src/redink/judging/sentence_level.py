"""Metrics held against people sentence by sentence.

For every pair of outputs that a judge compared, a metric that scores single sentences says
which output is better, too. The pairs are the unexpanded ones: what the judge saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np

from redink.errors import DataError
from redink.judging.rankings import FloatArray
from redink.model import RankedOutput, Ranking, SentenceScore, Shown
from redink.statistics.arrays import divide_or_nan
from redink.statistics.resampling import interval_of

ScoresBySentence = Mapping[str, Mapping[str, float]]
"""For each sentence the score of each system."""


@dataclass(frozen=True)
class SentenceAgreement:
    """How one metric agrees with the judges on pairs of outputs.

    Attributes:
        metric: the metric.
        tau: (concordant - discordant) / (concordant + discordant + metric_ties), the measure of
            WMT since 2014; pairs that the judge tied are left out.
        tau_low: the lower end of tau's interval.
        tau_high: the upper end.
        accuracy: the share of concordant pairs among the same.
        accuracy_with_ties: the share of all pairs on which both say the same of three.
        pairs: all pairs judged for which the metric has scores.
        concordant: the judge and the metric prefer the same output.
        discordant: they prefer different ones.
        metric_ties: the judge prefers one, the metric none.
        human_ties: the metric prefers one, the judge none.
        both_ties: neither prefers one.
        missing: pairs judged without scores; they do not count in ``pairs``.
    """

    metric: str
    tau: Annotated[float | None, Shown(best="max")]
    tau_low: Annotated[float | None, Shown(title="low")]
    tau_high: Annotated[float | None, Shown(title="high")]
    accuracy: Annotated[float | None, Shown(best="max")]
    accuracy_with_ties: Annotated[float | None, Shown(best="max", title="with ties")]
    pairs: int
    concordant: int
    discordant: int
    metric_ties: Annotated[int, Shown(title="metric ties")]
    human_ties: Annotated[int, Shown(title="human ties")]
    both_ties: Annotated[int, Shown(title="both tie")]
    missing: int


def group_sentence_scores(
    scores: Iterable[SentenceScore],
) -> dict[str, dict[str, dict[str, float]]]:
    """The scores by metric, sentence and system.

    Raises:
        DataError: one output has two scores under one metric.
    """
    grouped: dict[str, dict[str, dict[str, float]]] = {}
    for score in scores:
        of_sentence = grouped.setdefault(score.metric, {}).setdefault(score.sentence, {})
        if score.system in of_sentence:
            raise DataError(
                f"sentence {score.sentence!r} of system {score.system!r} has two scores "
                f"under {score.metric!r}"
            )
        of_sentence[score.system] = score.score
    return grouped


def renumber(scores: ScoresBySentence, shift: int) -> dict[str, Mapping[str, float]]:
    """The same scores with sentence numbers moved by ``shift``.

    Raises:
        DataError: a sentence's name is not a number.
    """
    try:
        return {str(int(sentence) + shift): of for sentence, of in scores.items()}
    except ValueError as error:
        raise DataError("sentences that are not numbers cannot be renumbered") from error


def agree_on_sentences(
    rankings: Sequence[Ranking],
    metric: str,
    scores: ScoresBySentence,
    *,
    tolerance: float = 0.0,
    samples: int = 1000,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> SentenceAgreement:
    """Count how often the metric and the judges prefer the same output.

    Scores that differ by at most ``tolerance`` are a tie of the metric. The interval comes from
    drawing sentences again, with all the judgments about each.

    Raises:
        DataError: there is no pair of which both the judges and the metric know.
    """
    by_sentence: dict[str, list[int]] = {}
    missing = 0
    for ranking in rankings:
        known = [
            (output.rank, _score_of(output, scores.get(ranking.sentence, {})))
            for output in ranking.outputs
        ]
        counts = by_sentence.setdefault(ranking.sentence, [0] * 5)
        for (rank, score), (other_rank, other_score) in combinations(known, 2):
            if score is None or other_score is None:
                missing += 1
                continue
            human = (other_rank > rank) - (other_rank < rank)
            gap = score - other_score
            said = 0 if abs(gap) <= tolerance else (1 if gap > 0 else -1)
            counts[_kind(human, said)] += 1
    table = np.array(list(by_sentence.values()), dtype=np.float64).reshape(-1, 5)
    total = table.sum(axis=0)
    if not total.sum():
        raise DataError(
            f"no pair of outputs that was judged has scores under {metric!r}; "
            "do the sentence numbers begin at the same number in both files?"
        )
    even = np.full(len(table), 1 / len(table))
    drawn = rng.multinomial(len(table), even, size=samples).astype(np.float64) @ table
    low, high = interval_of(_tau(drawn), confidence=confidence)
    concordant, discordant, metric_ties, human_ties, both = (int(count) for count in total)
    decided = concordant + discordant + metric_ties
    pairs = decided + human_ties + both
    return SentenceAgreement(
        metric,
        tau=(concordant - discordant) / decided if decided else None,
        tau_low=low,
        tau_high=high,
        accuracy=concordant / decided if decided else None,
        accuracy_with_ties=(concordant + both) / pairs,
        pairs=pairs,
        concordant=concordant,
        discordant=discordant,
        metric_ties=metric_ties,
        human_ties=human_ties,
        both_ties=both,
        missing=missing,
    )


def _kind(human: int, said: int) -> int:
    if human and said:
        return 0 if human == said else 1
    if human:
        return 2
    return 3 if said else 4


def _tau(counts: FloatArray) -> FloatArray:
    return divide_or_nan(counts[:, 0] - counts[:, 1], counts[:, :3].sum(axis=1))


def _score_of(output: RankedOutput, scores: Mapping[str, float]) -> float | None:
    """The score of an output: that of any system behind it (their mean, should they differ)."""
    known = [scores[system] for system in output.systems if system in scores]
    return sum(known) / len(known) if known else None


def rankings_from_scores(
    metric: str, scores: ScoresBySentence, *, tolerance: float = 0.0
) -> tuple[Ranking, ...]:
    """A ranking of all systems for every sentence, as if the metric had been a judge.

    Any ranking method can then aggregate the metric's verdicts as it aggregates people's. A
    score within ``tolerance`` of the one just better shares its rank.
    """
    rankings = []
    for sentence, of_sentence in scores.items():
        ordered = sorted(of_sentence.items(), key=lambda item: (-item[1], item[0]))
        outputs: list[RankedOutput] = []
        previous = None
        for place, (system, score) in enumerate(ordered, start=1):
            tied = previous is not None and previous - score <= tolerance
            outputs.append(RankedOutput(outputs[-1].rank if tied else place, (system,)))
            previous = score
        rankings.append(Ranking(sentence, metric, tuple(outputs)))
    return tuple(rankings)


def find_shift(rankings: Sequence[Ranking], scores: ScoresBySentence) -> int:
    """What must be added to the scores' sentence numbers to make them the judgments'.

    Systems behind one output have one score. Where they differ for many outputs and one number
    further they do not, one file counts sentences from 0 and the other from 1.
    """
    here = unequal_share(rankings, scores)
    if not here:
        return 0
    found, least = 0, here / 2
    for shift in (-1, 1):
        try:
            there = unequal_share(rankings, renumber(scores, shift))
        except DataError:
            return 0  # names, not numbers
        if there is not None and there < least:
            found, least = shift, there
    return found


def unequal_share(rankings: Sequence[Ranking], scores: ScoresBySentence) -> float | None:
    """The share of outputs of several systems that have several scores; None without any."""
    shared = unequal = 0
    for ranking in rankings:
        of_sentence = scores.get(ranking.sentence, {})
        for output in ranking.outputs:
            values = [of_sentence[system] for system in output.systems if system in of_sentence]
            if len(values) > 1:
                shared += 1
                unequal += max(values) - min(values) > 1e-9
    return unequal / shared if shared else None
