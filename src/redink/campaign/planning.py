"""Who sees what, in which order: shared items, own items, and some again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from redink.errors import OptionError


@dataclass(frozen=True, slots=True)
class Plan:
    """How items are dealt to judges.

    Attributes:
        per_judge: how many different items a judge sees; None for all of them.
        shared: the share of these that every judge sees, for agreement between judges.
        repeated: the share of these that a judge sees a second time, for agreement with himself.
    """

    per_judge: int | None = None
    shared: float = 1.0
    repeated: float = 0.0

    def __post_init__(self) -> None:
        if self.per_judge is not None and self.per_judge < 1:
            raise OptionError("a judge needs at least one item")
        if not 0 <= self.shared <= 1 or not 0 <= self.repeated <= 1:
            raise OptionError("the shares of shared and repeated items lie between 0 and 1")


def deal_items(items: int, judge: int, plan: Plan, seed: int) -> list[int]:
    """The sequence of items (numbers from 0) for the ``judge``-th judge.

    The first items of the campaign are the shared ones; of the rest each judge gets his own run,
    beginning where the previous judge's ended and starting over when the items are used up. All
    are shuffled; repeated items come in the second half, so that their first showing is past.
    """
    rng = random.Random(f"{seed}/{judge}")
    wanted = min(items, plan.per_judge or items)
    common = round(wanted * plan.shared)
    rest = items - common
    own = [common + (judge * (wanted - common) + k) % rest for k in range(wanted - common)]
    sequence = [*range(common), *own]
    rng.shuffle(sequence)
    again = rng.sample(
        sequence[: max(1, wanted // 2)], min(round(wanted * plan.repeated), max(1, wanted // 2))
    )
    for item in again:
        place = rng.randint(max(sequence.index(item) + 1, wanted // 2), len(sequence))
        sequence.insert(place, item)
    return sequence
