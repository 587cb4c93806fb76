"""Agreement of metrics with human judgments on pairs of outputs of a sentence.

Rankings and ratings become a :class:`~redink.judging.rankers.JudgmentGrid`. A metric agrees with a
pair of columns in a row if it prefers the same output. There are several ways to count ties:

- *fair*: pairs that humans tie are ignored, and a tie of the metric counts half;
- *seeda*: as in the script published with SEEDA, a tie of the metric counts as a preference for
  the second system of the pair (by name);
- *with ties*: all pairs count, and both must prefer the same output or tie;
- *calibrated*: like *with ties*, but differences of the metric up to the best threshold are ties
  (Deutsch, Foster and Freitag 2023).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from redink.errors import DataError
from redink.judging.rankers import JudgmentGrid
from redink.judging.rankings import FloatArray, IntArray
from redink.model import RankedOutput, Ranking, SentenceScore, Shown
from redink.statistics.arrays import divide_or_nan
from redink.statistics.resampling import interval_of

ScoresBySentence = Mapping[str, Mapping[str, float]]
"""The score of each system, by sentence."""

_EQUAL = 1e-12
"""Accuracies that differ by at most this are equal."""


# ---- scores of sentences


def group_sentence_scores(
    scores: Iterable[SentenceScore],
) -> dict[str, dict[str, dict[str, float]]]:
    """Group the scores by metric, sentence and system."""
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


def rankings_from_scores(
    metric: str, scores: ScoresBySentence, *, tolerance: float = 0.0
) -> tuple[Ranking, ...]:
    """Rank all systems for each sentence, as if the metric were a judge.

    A score within ``tolerance`` of the next better one shares its rank.
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


def renumber(scores: ScoresBySentence, shift: int) -> dict[str, Mapping[str, float]]:
    """Add ``shift`` to all sentence numbers."""
    try:
        return {str(int(sentence) + shift): of for sentence, of in scores.items()}
    except ValueError as error:
        raise DataError("only sentences with numbers can be renumbered") from error


def find_shift(rankings: Sequence[Ranking], scores: ScoresBySentence) -> int:
    """Return the number to add to the scores' sentence numbers to match the judgments.

    Systems with the same output have the same score. If they often differ, and differ less with
    the next number, one file counts sentences from 0 and the other from 1.
    """
    here = unequal_share(rankings, scores)
    if not here:
        return 0
    found, least = 0, here / 2
    for shift in (-1, 1):
        try:
            shifted = unequal_share(rankings, renumber(scores, shift))
        except DataError:
            return 0  # names, not numbers
        if shifted is not None and shifted < least:
            found, least = shift, shifted
    return found


def unequal_share(rankings: Sequence[Ranking], scores: ScoresBySentence) -> float | None:
    """Return the share of outputs of several systems that have several scores."""
    shared = unequal = 0
    for ranking in rankings:
        of_sentence = scores.get(ranking.sentence, {})
        for output in ranking.outputs:
            values = [of_sentence[system] for system in output.systems if system in of_sentence]
            if len(values) > 1:
                shared += 1
                unequal += max(values) - min(values) > 1e-9
    return unequal / shared if shared else None


# ---- pairs of outputs


def grid_of_rankings(rankings: Iterable[Ranking], systems: Sequence[str]) -> JudgmentGrid:
    """Return one row per ranking; a better rank is a higher value."""
    names = tuple(sorted(systems))
    number = {name: at for at, name in enumerate(names)}
    sentences, rows = [], []
    for ranking in rankings:
        row = np.full(len(names), np.nan)
        for output in ranking.outputs:
            for system in output.systems:
                if system in number:
                    row[number[system]] = -output.rank
        sentences.append(ranking.sentence)
        rows.append(row)
    values = np.array(rows, dtype=np.float64).reshape(-1, len(names))
    return JudgmentGrid(names, tuple(sentences), values)


def align_scores(scores: ScoresBySentence, grid: JudgmentGrid) -> FloatArray:
    """Return a metric's scores in the shape of the grid; NaN if there is none."""
    values = np.full(grid.values.shape, np.nan)
    for at, sentence in enumerate(grid.sentences):
        of_sentence = scores.get(sentence, {})
        values[at] = [of_sentence.get(system, np.nan) for system in grid.systems]
    return values


@dataclass(frozen=True)
class OutputPairs:
    """Every pair of outputs within a row that both humans and the metric compare.

    Attributes:
        human: 1 if humans prefer the first, -1 if the second, 0 for a tie.
        gap: the metric's score of the first minus that of the second.
        missing: the number of pairs that only humans judged.
    """

    row: IntArray
    human: IntArray
    gap: FloatArray
    missing: int

    def __len__(self) -> int:
        return len(self.row)


def pair_columns(human: FloatArray, metric: FloatArray) -> OutputPairs:
    """Return all pairs of columns, in the order of rows and then of columns."""
    first, second = np.triu_indices(human.shape[1], 1)
    preferences = human[:, first] - human[:, second]
    gaps = metric[:, first] - metric[:, second]
    judged = ~np.isnan(preferences)
    known = judged & ~np.isnan(gaps)
    signs = np.sign(preferences[known]).astype(np.int64)
    return OutputPairs(np.nonzero(known)[0], signs, gaps[known], int(judged.sum() - known.sum()))


@dataclass(frozen=True)
class PairAccuracy:
    """How often a metric agrees with humans on pairs; the module explains how ties are counted.

    ``kendall`` is concordant minus discordant pairs over the ``pairs`` that humans decide.
    """

    accuracy: float | None
    kendall: float | None
    seeda_accuracy: float | None
    seeda_kendall: float | None
    with_ties: float | None
    pairs: int


def measure_pairs(pairs: OutputPairs) -> PairAccuracy:
    """Compute the accuracy for all ways of counting ties except the calibrated one."""
    decided = pairs.human != 0
    human, preferred = pairs.human[decided], np.sign(pairs.gap[decided]).astype(np.int64)
    number, everything = len(human), len(pairs)
    right, tied = int((human == preferred).sum()), int((preferred == 0).sum())
    right_by_seeda = int((human == np.where(preferred > 0, 1, -1)).sum())
    same = int((pairs.human == np.sign(pairs.gap)).sum())
    return PairAccuracy(
        (right + tied / 2) / number if number else None,
        (2 * right + tied - number) / number if number else None,
        right_by_seeda / number if number else None,
        (2 * right_by_seeda - number) / number if number else None,
        same / everything if everything else None,
        number,
    )


def number_sentences(sentences: Iterable[str]) -> tuple[IntArray, int]:
    """Return a number for the sentence of each row, and how many sentences there are."""
    numbers: dict[str, int] = {}
    of_row = [numbers.setdefault(sentence, len(numbers)) for sentence in sentences]
    return np.array(of_row, dtype=np.int64), len(numbers)


def credit_by_sentence(grid: JudgmentGrid, pairs: OutputPairs) -> tuple[FloatArray, FloatArray]:
    """Return the credit for decided pairs of each sentence (1/2 for a tie) and their number."""
    of_row, size = number_sentences(grid.sentences)
    decided = pairs.human != 0
    preferred = np.sign(pairs.gap[decided])
    credit = (preferred == pairs.human[decided]) + (preferred == 0) / 2
    sentence = of_row[pairs.row[decided]]
    return (
        np.bincount(sentence, weights=credit, minlength=size).astype(np.float64),
        np.bincount(sentence, minlength=size).astype(np.float64),
    )


def resample_sentences(table: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """Return the sums of a table with one row per sentence in bootstrap samples of sentences."""
    drawn = rng.multinomial(len(table), np.full(len(table), 1 / len(table)), size=samples)
    sums: FloatArray = drawn.astype(np.float64) @ table
    return sums


def resample_accuracy(
    credit: FloatArray, number: FloatArray, samples: int, rng: np.random.Generator
) -> FloatArray:
    """Return the fair accuracy in bootstrap samples of the sentences."""
    return divide_or_nan(*resample_sentences(np.column_stack((credit, number)), samples, rng).T)


@dataclass(frozen=True)
class Calibrated:
    """The mean share of pairs on which both agree, if differences up to a threshold are ties.

    ``uncalibrated`` is the accuracy if only equal scores are ties.
    """

    accuracy: float
    threshold: float
    uncalibrated: float


def calibrate_ties(human: FloatArray, metric: FloatArray) -> Calibrated | None:
    """Compute pairwise accuracy with the best threshold for ties (Deutsch et al. 2023).

    Both arrays are rows by systems, NaN if missing. Every row (an item) has the same weight, as in
    mt-metrics-eval when it averages by item; pass one long row for the variant that does not. The
    smallest of equally good thresholds counts. The result is None if no row has a pair.
    """
    pairs = pair_columns(human, metric)
    if not len(pairs):
        return None
    sizes = np.bincount(pairs.row, minlength=len(human))
    weight = 1 / (sizes[pairs.row] * np.count_nonzero(sizes))
    agrees = np.sign(pairs.gap) == pairs.human
    start = float((weight * agrees).sum())
    # a pair that becomes a tie agrees if, and only if, humans tie it
    change = weight * ((pairs.human == 0).astype(np.float64) - agrees)
    distance = np.abs(pairs.gap)
    order = np.argsort(distance, kind="stable")
    ordered = distance[order]
    reached = start + np.cumsum(change[order])
    last = np.append(ordered[1:] != ordered[:-1], True)  # all pairs of one distance at once
    thresholds = np.concatenate([[0.0], ordered[last]])
    accuracies = np.concatenate([[start], reached[last]])
    best = int(np.flatnonzero(accuracies >= accuracies.max() - _EQUAL)[0])
    return Calibrated(float(accuracies[best]), float(thresholds[best]), start)


# ---- unexpanded pairs: distinct outputs, as the judges saw them


@dataclass(frozen=True)
class SentenceAgreement:
    """How one metric agrees with the judges on pairs of distinct outputs.

    Attributes:
        tau: (concordant - discordant) / (concordant + discordant + metric_ties), the measure of
            WMT since 2014; pairs that the judge tied do not count.
        accuracy: the share of concordant pairs among those that the judge decided.
        accuracy_with_ties: the share of all pairs on which both prefer the same output or tie.
        metric_ties: the judge prefers one output, the metric none; ``human_ties``: the reverse.
        missing: judged pairs without scores; they are not in ``pairs``.
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

    Scores that differ by at most ``tolerance`` are a tie of the metric. The confidence interval
    comes from resampling sentences, with all the judgments about each.
    """
    width = max((len(ranking.outputs) for ranking in rankings), default=0)
    human, scored = np.full((2, len(rankings), width), np.nan)
    for at, ranking in enumerate(rankings):
        of_sentence = scores.get(ranking.sentence, {})
        for place, output in enumerate(ranking.outputs):
            known = [of_sentence[system] for system in output.systems if system in of_sentence]
            human[at, place] = -output.rank
            scored[at, place] = sum(known) / len(known) if known else np.nan
    pairs = pair_columns(human, scored)
    if not len(pairs):
        raise DataError(
            f"no judged pair of outputs has scores under {metric!r}; "
            "check that sentence numbers start at the same number in both files"
        )
    preferred = np.where(np.abs(pairs.gap) <= tolerance, 0, np.sign(pairs.gap))
    product = pairs.human * preferred
    kind = np.select([product > 0, product < 0, pairs.human != 0, preferred != 0], range(4), 4)
    of_row, size = number_sentences(ranking.sentence for ranking in rankings)
    counts = np.bincount(of_row[pairs.row] * 5 + kind, minlength=size * 5)
    table = counts.reshape(size, 5).astype(np.float64)
    drawn = resample_sentences(table, samples, rng)
    taus = divide_or_nan(drawn[:, 0] - drawn[:, 1], drawn[:, :3].sum(axis=1))
    low, high = interval_of(taus, confidence=confidence)
    concordant, discordant, metric_ties, human_ties, both = (int(n) for n in table.sum(axis=0))
    decided = concordant + discordant + metric_ties
    return SentenceAgreement(
        metric,
        tau=(concordant - discordant) / decided if decided else None,
        tau_low=low,
        tau_high=high,
        accuracy=concordant / decided if decided else None,
        accuracy_with_ties=(concordant + both) / len(pairs),
        pairs=len(pairs),
        concordant=concordant,
        discordant=discordant,
        metric_ties=metric_ties,
        human_ties=human_ties,
        both_ties=both,
        missing=pairs.missing,
    )
