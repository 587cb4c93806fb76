"""Assign items to judges: all at once when a judge is invited, or one at a time."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from redink.campaign.task_items import CampaignItem
from redink.errors import OptionError
from redink.options import Options, Positive, Share

RELEASE_SECONDS = 1800.0
"""An item that is open at an inactive judge is assigned to another after this time."""


@dataclass(frozen=True)
class AssignmentPlan(Options):
    """How items are assigned to judges.

    Attributes:
        per_judge: number of different items per judge. By default all.
        shared: the share of a judge's items that every judge sees.
        repeated: the share of a judge's items that they see a second time.
        judgments: number of judges per item. Items are then assigned one at a time, and abandoned
            items are assigned again. By default all items are assigned at once.
    """

    per_judge: Positive | None = None
    shared: Share = 1.0
    repeated: Share = 0.0
    judgments: Positive | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.judgments is not None and (self.repeated or self.shared < 1):
            raise OptionError(
                "--judgments assigns items one at a time; remove --shared and --repeated"
            )


def gold_per_judge(items: int, gold: int, plan: AssignmentPlan, least: int = 0) -> int:
    """Return how many gold questions a judge sees: their share of the items, at least ``least``."""
    wanted = min(items, plan.per_judge or items)
    share = round(wanted * gold / items)
    return max(min(max(share, least), gold, wanted), wanted - (items - gold))


def assign_items(
    items: int,
    judge: int,
    plan: AssignmentPlan,
    seed: int,
    *,
    gold: Collection[int] = (),
    least_gold: int = 0,
) -> list[int]:
    """Return the sequence of items (numbers from 0) for the ``judge``-th judge.

    The items are put into a random order. The first of them are the shared ones; each judge gets
    another part of the rest, beginning where the previous judge's ended and starting again at the
    end. All are shuffled, with the gold questions (at least ``least_gold``) spread evenly. Repeated
    items come in the second half, after their first showing.
    """
    order = list(range(items))
    random.Random(f"{seed}/order").shuffle(order)
    rng = random.Random(f"{seed}/{judge}")
    wanted = min(items, plan.per_judge or items)
    tests = gold_per_judge(items, len(gold), plan, least_gold)
    hidden = set(gold)
    pools = ([i for i in order if i not in hidden], [i for i in order if i in hidden])
    plain, asked = (
        _draw(pool, judge, count, plan.shared)
        for pool, count in zip(pools, (wanted - tests, tests), strict=True)
    )
    rng.shuffle(plain)
    rng.shuffle(asked)
    # One gold question somewhere in each of as many stretches of equal length.
    positions = {
        rng.randrange(k * wanted // tests, (k + 1) * wanted // tests) for k in range(tests)
    }
    sequence = [(asked if p in positions else plain).pop() for p in range(wanted)]
    again = rng.sample(
        sequence[: max(1, wanted // 2)], min(round(wanted * plan.repeated), max(1, wanted // 2))
    )
    for item in again:
        position = rng.randint(max(sequence.index(item) + 1, wanted // 2), len(sequence))
        sequence.insert(position, item)
    return sequence


def _draw(pool: Sequence[int], judge: int, count: int, shared: float) -> list[int]:
    """Return ``count`` items of a pool: a share for all judges, the rest for this one."""
    common = round(count * shared)
    rest = pool[common:]
    own = count - common
    return [*pool[:common], *(rest[(judge * own + k) % len(rest)] for k in range(own))]


class ItemAssigner:
    """Assigns items one at a time: first those with the fewest judgments.

    An item counts as taken while it is open at a judge. When the judge leaves, is revoked or
    excluded, it is assigned again. Every judge also sees their share of the gold questions.
    """

    def __init__(
        self, items: Iterable[CampaignItem], *, wanted: int, seed: int, gold_share: float = 0.0
    ) -> None:
        self._wanted = wanted
        self._least_share = gold_share
        self._seed = seed
        shuffled = list(items)
        random.Random(f"{seed}/0").shuffle(shuffled)
        self._gold = [item.id for item in shuffled if item.gold is not None]
        self._taken: dict[int, set[int]] = {i.id: set() for i in shuffled if i.gold is None}

    def take(self, item: int, judge: int) -> None:
        """Count a judge who has judged the item, or has it open."""
        self._taken.get(item, set()).add(judge)

    def release(self, item: int, judge: int) -> None:
        """Do not count a judge who skipped or left the item."""
        self._taken.get(item, set()).discard(judge)

    def choose(self, judge: int, seen: Collection[int]) -> int | None:
        """Return the next item for a judge who has seen these; None if there is none."""
        gold = [item for item in self._gold if item not in seen]
        had = len(self._gold) - len(gold)
        total = len(self._gold) + len(self._taken)
        share = max(self._least_share, len(self._gold) / max(1, total))
        lacking = (i for i, judges in self._taken.items() if len(judges) < self._wanted)
        unseen = (item for item in lacking if item not in seen)
        ordinary = min(unseen, key=lambda item: len(self._taken[item]), default=None)
        # Spread evenly, but not at positions that a judge could guess.
        rng = random.Random(f"{self._seed}/{judge}/{had}")
        due = had < share * (len(seen) + 1) + rng.uniform(-0.5, 0.5)
        if gold and ordinary is not None and due:
            return rng.choice(gold)
        return ordinary

    @property
    def open(self) -> int:
        """How many judgments are still required, without those in progress."""
        return sum(max(0, self._wanted - len(judges)) for judges in self._taken.values())
