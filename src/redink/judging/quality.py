"""Quality control of a crowd by gold questions, and what removing a worker changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from redink.errors import DataError
from redink.judging.labels import LabelMatrix
from redink.model import Judgment
from redink.statistics.ratings import MISSING


@dataclass(frozen=True)
class GoldRecord:
    """How one worker answered the gold questions."""

    judge: str
    judgments: int
    asked: int
    right: int

    @property
    def accuracy(self) -> float | None:
        """The share of gold questions answered rightly; None if none was asked."""
        return self.right / self.asked if self.asked else None

    def fails(self, threshold: float, *, at_least: int = 1) -> bool:
        """Whether enough gold questions were asked and too few answered rightly."""
        accuracy = self.accuracy
        return accuracy is not None and self.asked >= at_least and accuracy < threshold


def find_gold(judgments: Iterable[Judgment]) -> dict[str, str]:
    """The known answers, by item.

    Raises:
        DataError: two answers are called right for one item.
    """
    answers: dict[str, str] = {}
    for judgment in judgments:
        if judgment.gold is None:
            continue
        known = answers.setdefault(judgment.item, judgment.gold)
        if known != judgment.gold:
            raise DataError(
                f"item {judgment.item!r} has two gold answers: {known!r} and {judgment.gold!r}"
            )
    return answers


def check_workers(matrix: LabelMatrix, gold: Mapping[str, str]) -> tuple[GoldRecord, ...]:
    """Every worker's record on the gold questions, in the order of the matrix."""
    numbers = {label: number for number, label in enumerate(matrix.labels)}
    # An answer that nobody gave has no number: everybody was wrong.
    answers = [
        numbers.get(gold[item], MISSING - 1) if item in gold else None for item in matrix.items
    ]
    records = []
    for column, judge in enumerate(matrix.judges):
        said = matrix.codes[:, column]
        given = [
            (int(code), answer)
            for code, answer in zip(said, answers, strict=True)
            if answer is not None and code != MISSING
        ]
        right = sum(code == answer for code, answer in given)
        records.append(GoldRecord(judge, int((said != MISSING).sum()), len(given), right))
    return tuple(records)


def worst_first(records: Iterable[GoldRecord]) -> list[GoldRecord]:
    """Workers by rising accuracy on gold; those who were asked nothing are left out."""
    asked = [record for record in records if record.asked]
    return sorted(asked, key=lambda record: (record.right / record.asked, record.judge))
