"""So many judgments for every item: who gets which item next, while they work.

Each judge is dealt one item at a time, of those with the fewest judgments so far. An item counts
as taken while a judge has it before them; when they go away, are revoked or excluded, it is dealt
again. Gold questions come on top: every judge sees their share of them.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable

from redink.campaign.items import Item

RELEASE_SECONDS = 1800.0
"""An item that a judge has left open for so long is dealt to another."""


class ItemAssigner:
    """Which items are still to be judged, and by how many."""

    def __init__(
        self, items: Iterable[Item], *, wanted: int, seed: int, gold_share: float = 0.0
    ) -> None:
        self._wanted = wanted
        self._least_share = gold_share
        self._seed = seed
        self._gold: list[int] = []
        self._taken: dict[int, set[int]] = {}
        # The items with 0, 1, … judgments, each in an order of its own.
        self._levels: list[dict[int, None]] = [{} for _ in range(wanted)]
        self._known: set[int] = set()
        self.add(items)

    def add(self, items: Iterable[Item]) -> None:
        """Take in new items; those that are known are left alone."""
        new = [item for item in items if item.id not in self._known]
        random.Random(f"{self._seed}/{len(self._known)}").shuffle(new)
        for item in new:
            self._known.add(item.id)
            if item.gold is not None:
                self._gold.append(item.id)
            else:
                self._taken[item.id] = set()
                self._levels[0][item.id] = None

    def take(self, item: int, judge: int) -> None:
        """A judge has judged the item, or has it before them."""
        self._change(item, judge, add=True)

    def release(self, item: int, judge: int) -> None:
        """What a judge said of the item does not count, or they have gone away from it."""
        self._change(item, judge, add=False)

    def _change(self, item: int, judge: int, *, add: bool) -> None:
        judges = self._taken.get(item)
        if judges is None or (judge in judges) == add:
            return
        if len(judges) < self._wanted:
            del self._levels[len(judges)][item]
        judges.symmetric_difference_update({judge})
        if len(judges) < self._wanted:
            self._levels[len(judges)][item] = None

    def choose(self, judge: int, seen: Collection[int]) -> int | None:
        """The next item for a judge who has seen these; None if there is nothing for them."""
        gold = [item for item in self._gold if item not in seen]
        had = len(self._gold) - len(gold)
        share = max(self._least_share, len(self._gold) / max(1, len(self._known)))
        ordinary = next((i for level in self._levels for i in level if i not in seen), None)
        # Spread evenly, though not at a place that could be guessed.
        rng = random.Random(f"{self._seed}/{judge}/{had}")
        due = had < share * (len(seen) + 1) + rng.uniform(-0.5, 0.5)
        if gold and ordinary is not None and due:
            return rng.choice(gold)
        return ordinary

    @property
    def open(self) -> int:
        """How many judgments are still wanted, those under way not counted."""
        return sum((self._wanted - have) * len(items) for have, items in enumerate(self._levels))
