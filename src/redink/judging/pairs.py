"""What people and a metric say of the same pairs of outputs, sentence by sentence.

Rankings and ratings alike become a grid: a row for every ranking (or rated sentence), a column
for every system, and the higher value is the better. A metric is held against it in pairs of
columns within a row. Ties are treated in several ways:

- *fair*: pairs that people tie are left out, and a tie of the metric counts half;
- *seeda*: as the script published with SEEDA does, a tie of the metric counts as a preference for
  the second system of the pair (by name);
- *with ties*: all pairs count, and both must say the same of better, worse and equal;
- *calibrated*: the same, after the metric's differences up to the best threshold are made ties
  (Deutsch, Foster and Freitag 2023).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from redink.judging.rankings import FloatArray, IntArray
from redink.judging.sentence_level import ScoresBySentence
from redink.model import Ranking
from redink.statistics.arrays import divide_or_nan

_EQUAL = 1e-12
"""Accuracies that differ by no more are equal."""


@dataclass(frozen=True)
class Grid:
    """Values by row and system.

    Attributes:
        systems: the columns, sorted.
        sentences: the sentence of every row; several rows may be about one sentence.
        values: rows by systems, higher is better; NaN where nothing was said.
    """

    systems: tuple[str, ...]
    sentences: tuple[str, ...]
    values: FloatArray

    def only(self, systems: Sequence[str]) -> Grid:
        """The same rows for some of the systems."""
        kept = [at for at, system in enumerate(self.systems) if system in systems]
        names = tuple(self.systems[at] for at in kept)
        return Grid(names, self.sentences, self.values[:, kept])


def grid_of_rankings(rankings: Iterable[Ranking], systems: Sequence[str]) -> Grid:
    """A row for every ranking; a better rank is a higher value."""
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
    return Grid(names, tuple(sentences), values)


def align_scores(scores: ScoresBySentence, grid: Grid) -> FloatArray:
    """A metric's scores in the places of the grid; NaN where there is none."""
    values = np.full(grid.values.shape, np.nan)
    nothing: Mapping[str, float] = {}
    for at, sentence in enumerate(grid.sentences):
        of_sentence = scores.get(sentence, nothing)
        values[at] = [of_sentence.get(system, np.nan) for system in grid.systems]
    return values


@dataclass(frozen=True)
class Pairs:
    """Every pair of outputs within a row of which both people and the metric say something.

    Attributes:
        row: the row of the grid.
        human: 1 where people prefer the first, -1 the second, 0 neither.
        gap: the metric's score of the first minus that of the second.
        missing: pairs that people judged and the metric did not.
    """

    row: IntArray
    human: IntArray
    gap: FloatArray
    missing: int

    def __len__(self) -> int:
        return len(self.row)


def pair_columns(human: FloatArray, metric: FloatArray) -> Pairs:
    """All pairs of columns, in the order of rows and then of columns."""
    first, second = np.triu_indices(human.shape[1], 1)
    people = human[:, first] - human[:, second]
    gaps = metric[:, first] - metric[:, second]
    judged = ~np.isnan(people)
    known = judged & ~np.isnan(gaps)
    row = np.nonzero(known)[0]
    signs = np.sign(people[known]).astype(np.int64)
    return Pairs(row, signs, gaps[known], int(judged.sum() - known.sum()))


@dataclass(frozen=True)
class PairAccuracy:
    """How often a metric agrees with people on pairs; see the module for the ways of counting.

    Attributes:
        accuracy: fair.
        kendall: concordant minus discordant, over all pairs that people decide.
        seeda_accuracy: a tie of the metric is a preference for the second.
        seeda_kendall: likewise.
        with_ties: all pairs, three answers.
        pairs: that people decide.
        metric_ties: of these, how many the metric ties.
        human_ties: pairs that people tie.
        missing: pairs judged without scores.
    """

    accuracy: float | None
    kendall: float | None
    seeda_accuracy: float | None
    seeda_kendall: float | None
    with_ties: float | None
    pairs: int
    metric_ties: int
    human_ties: int
    missing: int


def measure_pairs(pairs: Pairs) -> PairAccuracy:
    """All ways of counting at once."""
    decided = pairs.human != 0
    human, said = pairs.human[decided], np.sign(pairs.gap[decided]).astype(np.int64)
    number, everything = len(human), len(pairs)
    right, tied = int((human == said).sum()), int((said == 0).sum())
    right_by_seeda = int((human == np.where(said > 0, 1, -1)).sum())
    same = int((pairs.human == np.sign(pairs.gap)).sum())
    return PairAccuracy(
        (right + tied / 2) / number if number else None,
        (2 * right + tied - number) / number if number else None,
        right_by_seeda / number if number else None,
        (2 * right_by_seeda - number) / number if number else None,
        same / everything if everything else None,
        number,
        tied,
        everything - number,
        pairs.missing,
    )


def credit_by_sentence(grid: Grid, pairs: Pairs) -> tuple[FloatArray, FloatArray]:
    """For every sentence the credit for its decided pairs (a tie is half), and their number."""
    numbers: dict[str, int] = {}
    of_row = np.array([numbers.setdefault(s, len(numbers)) for s in grid.sentences], dtype=np.int64)
    decided = pairs.human != 0
    said = np.sign(pairs.gap[decided])
    credit = (said == pairs.human[decided]) + (said == 0) / 2
    place = of_row[pairs.row[decided]]
    size = len(numbers)
    return (
        np.bincount(place, weights=credit, minlength=size).astype(np.float64),
        np.bincount(place, minlength=size).astype(np.float64),
    )


def resample_accuracy(
    credit: FloatArray, number: FloatArray, samples: int, rng: np.random.Generator
) -> FloatArray:
    """The fair accuracy in bootstrap samples of the sentences."""
    size = len(number)
    drawn = rng.multinomial(size, np.full(size, 1 / size), size=samples).astype(np.float64)
    return divide_or_nan(drawn @ credit, drawn @ number)


@dataclass(frozen=True)
class Calibrated:
    """Pairwise accuracy with tie calibration.

    Attributes:
        accuracy: the mean over rows of the share of pairs on which both say the same.
        threshold: the largest difference of the metric that counts as a tie.
        uncalibrated: the accuracy when only equal scores are ties.
    """

    accuracy: float
    threshold: float
    uncalibrated: float


def calibrate_ties(human: FloatArray, metric: FloatArray) -> Calibrated | None:
    """Pairwise accuracy with the threshold that makes it highest (Deutsch et al. 2023).

    Every row (an item) has the same weight, as in mt-metrics-eval when it averages by item; pass
    one long row for the variant that does not. Of equally good thresholds the smallest counts.

    Args:
        human: rows by systems, NaN where missing.
        metric: likewise.

    Returns:
        None where no row has a pair.
    """
    pairs = pair_columns(human, metric)
    if not len(pairs):
        return None
    sizes = np.bincount(pairs.row, minlength=len(human))
    weight = 1 / (sizes[pairs.row] * np.count_nonzero(sizes))
    agrees = np.sign(pairs.gap) == pairs.human
    start = float((weight * agrees).sum())
    # made a tie, a pair agrees where people tie, and nowhere else
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
