"""A published figure beside ours, and what to make of the difference."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

Value = float | int | str | None
Verdict = Literal["same", "within tolerance", "differs", "other data"]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure of a paper and ours.

    Attributes:
        source: the paper and its table or figure.
        item: what the figure is of: a team, a judge, an error type.
        quantity: what is measured.
        published: as printed.
        ours: in the same unit, with all its digits.
        unit: the last printed place; what rounds to the same is the same.
        tolerance: how far ours may be from it.
        reason: why ours is not quite the same, where that is known.
        expected: whether the reason also accounts for a difference beyond the tolerance.
        comparable: False where ours is of other data than the published figure.
    """

    source: str
    item: str
    quantity: str
    published: Value
    ours: Value
    unit: float = 0.01
    tolerance: float = 0.0
    reason: str | None = None
    expected: bool = False
    comparable: bool = True

    @property
    def difference(self) -> float | None:
        """Ours less the published one, where both are numbers."""
        if isinstance(self.ours, int | float) and isinstance(self.published, int | float):
            return self.ours - self.published
        return None

    @property
    def verdict(self) -> Verdict:
        """Same (as far as it is printed), within tolerance, or not."""
        if not self.comparable:
            return "other data"
        if self.difference is None:
            return "same" if self.ours == self.published else "differs"
        # Half a place, and a little for halves that computers cannot hold.
        if abs(self.difference) <= self.unit / 2 + 1e-9:
            return "same"
        return "within tolerance" if abs(self.difference) <= self.tolerance + 1e-9 else "differs"

    @property
    def unexplained(self) -> bool:
        """Whether ours is outside the tolerance and the reason does not account for that."""
        return self.verdict == "differs" and not self.expected

    def to_row(self) -> dict[str, Any]:
        """A row of the table; a reason only where there is something to explain."""
        return {
            "source": self.source,
            "item": self.item,
            "quantity": self.quantity,
            "published": self.published,
            "ours": self.ours,
            "difference": self.difference,
            "tolerance": self.tolerance,
            "verdict": self.verdict,
            "reason": None if self.verdict == "same" else self.reason,
            "accounted": not self.unexplained if self.verdict == "differs" else None,
        }


def load_published(paper: str) -> dict[str, Any]:
    """The figures that a paper prints; ``paper`` as in ``bryant-2017``."""
    folder = resources.files("redink.workflows.reproduce") / "published"
    text = (folder / f"{paper.replace('-', '_')}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
