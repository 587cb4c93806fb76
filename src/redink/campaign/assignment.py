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


def order_items(items: Sequence[CampaignItem], seed: str) -> list[int]:
    """Return the numbers (from 0) of items in a random order.

    The sentences of a document stay together and in order. The outputs of systems are arranged
    as in a Latin square: in every stretch, the systems and the sentences are spread evenly.
    """
    rng = random.Random(seed)
    order = list(range(len(items)))
    rng.shuffle(order)
    if not all(item.systems for item in items):
        return keep_documents(order, items)
    cells = {(item.sentence, name): n for n, item in enumerate(items) for name in item.systems}
    sentences = list(dict.fromkeys(items[number].sentence for number in order))
    systems = sorted({name for _, name in cells})
    rng.shuffle(systems)
    return list(
        dict.fromkeys(
            cells[cell]
            for turn in range(len(systems))
            for place, sentence in enumerate(sentences)
            if (cell := (sentence, systems[(place + turn) % len(systems)])) in cells
        )
    )


def keep_documents(order: Sequence[int], items: Sequence[CampaignItem]) -> list[int]:
    """Move the sentences of a document to where its first one is, in the order of the text."""
    names = {number: items[number].payload.get("document", number) for number in order}
    first: dict[object, int] = {}
    for place, number in enumerate(order):
        first.setdefault(names[number], place)
    return sorted(order, key=lambda number: (first[names[number]], number))


def assign_items(
    items: Sequence[CampaignItem],
    judge: int,
    plan: AssignmentPlan,
    seed: int,
    *,
    least_gold: int = 0,
) -> list[int]:
    """Return the sequence of items (numbers from 0) for the ``judge``-th judge.

    The items are put into an order (see :func:`order_items`). The first of them are the shared
    ones; each judge gets another part of the rest, beginning where the previous judge's ended and
    starting again at the end. All are shuffled, with the gold questions (at least ``least_gold``)
    spread evenly; documents stay together. Repeated items come in the second half, after their
    first showing.
    """
    order = order_items(items, f"{seed}/order")
    rng = random.Random(f"{seed}/{judge}")
    wanted = min(len(items), plan.per_judge or len(items))
    hidden = {number for number, item in enumerate(items) if item.gold is not None}
    tests = gold_per_judge(len(items), len(hidden), plan, least_gold)
    pools = ([i for i in order if i not in hidden], [i for i in order if i in hidden])
    plain, asked = (
        _draw(pool, judge, count, plan.shared)
        for pool, count in zip(pools, (wanted - tests, tests), strict=True)
    )
    rng.shuffle(plain)
    plain = keep_documents(plain[::-1], items)[::-1]  # the last one is the first to be seen
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
        given = list(items)
        shuffled = [given[number] for number in order_items(given, f"{seed}/0")]
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

    @property
    def required(self) -> int:
        """Return the number of judgments that all items require together."""
        return self._wanted * len(self._taken)
