"""Items to judge: reading them from a file, and dealing them to judges."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from redink.errors import FormatError, OptionError
from redink.formats.delimited import Record, read_records
from redink.formats.inputs import PathLike, SystemsLike, TextLike
from redink.options import Options, Positive, Share

_NUMBER = re.compile(r"-?\d{1,15}")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to judge: what is shown (``payload``) and the known answer, if it is a gold one."""

    id: int
    key: str
    payload: dict[str, Any]
    gold: str | None = None


@dataclass(frozen=True)
class Material:
    """What the organiser gave; every task makes its items from what it needs of it.

    Attributes:
        source: the sentences as written.
        systems: what systems made of them.
        file: a file of items.
        count: how many items are wanted; None for all.
        seed: of what is drawn.
    """

    source: TextLike | None = None
    systems: SystemsLike = ()
    file: PathLike | None = None
    count: int | None = None
    seed: int = 1


def read_items(path: PathLike) -> list[Item]:
    """Items from CSV, TSV or JSONL with ``text`` and, as a task needs them, further columns.

    ``item`` names it (else its number does); ``start, end`` are the tokens marked; ``before`` is
    the previous sentence; ``note`` is shown below; ``choices`` are separated by ``|``; ``gold`` is
    the known answer of a hidden test question.
    """
    items: list[Item] = []
    seen: set[str] = set()
    for record in read_records(path):
        item = _read_item(len(items) + 1, record, path)
        if item.key in seen:
            raise FormatError(f"two items are called {item.key!r}", path=path, line=record.line)
        seen.add(item.key)
        items.append(item)
    if not items:
        raise FormatError("holds no items", path=path)
    return items


def _read_item(number: int, record: Record, path: PathLike) -> Item:
    row = {name: value for name, value in record.cells.items() if value != ""}
    line = record.line
    text = str(row.get("text") or "").strip()
    if not text:
        raise FormatError("an item needs a text", path=path, line=line)
    payload: dict[str, Any] = {"text": " ".join(text.split())}
    length = len(text.split())
    start = _whole_number(row.get("start", "0"), path, line)
    end = _whole_number(row.get("end", str(start + 1 if "start" in row else 0)), path, line)
    if not 0 <= start <= end <= length:
        raise FormatError(
            f"the span {start} {end} does not fit a text of {length} tokens", path=path, line=line
        )
    payload |= {"start": start, "end": end}
    for name in ("before", "note"):
        if row.get(name):
            payload[name] = str(row[name])
    choices = row.get("choices")
    if choices:
        given: Iterable[Any] = choices if isinstance(choices, list) else str(choices).split("|")
        payload["choices"] = [str(choice).strip() for choice in given]
    gold = row.get("gold")
    return Item(
        id=number,
        key=str(row.get("item") or number),
        payload=payload,
        gold=None if gold is None else str(gold),
    )


def _whole_number(value: Any, path: PathLike, line: int) -> int:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        raise FormatError("start and end are whole numbers", path=path, line=line)
    return int(value.strip())


@dataclass(frozen=True)
class Plan(Options):
    """How items are dealt to judges.

    Attributes:
        per_judge: different items for each judge. By default all.
        shared: the share of a judge's items that every judge sees.
        repeated: the share of a judge's items that they see a second time.
        judgments: how many judges shall judge each item. Items are then dealt one at a time, and
            those that a judge leaves are dealt again. By default every judge's are dealt at once.
    """

    per_judge: Positive | None = None
    shared: Share = 1.0
    repeated: Share = 0.0
    judgments: Positive | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.judgments is not None and (self.repeated or self.shared < 1):
            raise OptionError(
                "with judgments items are dealt as they are needed; none is shared or repeated"
            )


def gold_per_judge(items: int, gold: int, plan: Plan, least: int = 0) -> int:
    """How many gold questions a judge sees: their share of the items, or as many as are needed."""
    wanted = min(items, plan.per_judge or items)
    share = round(wanted * gold / items)
    return max(min(max(share, least), gold, wanted), wanted - (items - gold))


def deal_items(
    items: int,
    judge: int,
    plan: Plan,
    seed: int,
    *,
    gold: Collection[int] = (),
    least_gold: int = 0,
) -> list[int]:
    """The sequence of items (numbers from 0) for the ``judge``-th judge.

    The items are put into an order of the campaign's own. The first of them are the shared ones; of
    the rest each judge gets their own run, beginning where the previous judge's ended and starting
    over when the items are used up. All are shuffled, gold questions spread evenly among them;
    repeated items come in the second half, so that their first showing is past.

    Args:
        items: how many there are.
        judge: the number of the judge, from 0.
        plan: how they are dealt.
        seed: of the campaign.
        gold: the numbers of the gold questions.
        least_gold: so many of them a judge must see, if there are as many.
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
    places = {rng.randrange(k * wanted // tests, (k + 1) * wanted // tests) for k in range(tests)}
    sequence = [(asked if place in places else plain).pop() for place in range(wanted)]
    again = rng.sample(
        sequence[: max(1, wanted // 2)], min(round(wanted * plan.repeated), max(1, wanted // 2))
    )
    for item in again:
        place = rng.randint(max(sequence.index(item) + 1, wanted // 2), len(sequence))
        sequence.insert(place, item)
    return sequence


def _draw(pool: Sequence[int], judge: int, count: int, shared: float) -> list[int]:
    """So many of a pool for a judge: a share of them for all, the rest for them."""
    common = round(count * shared)
    rest = pool[common:]
    own = count - common
    return [*pool[:common], *(rest[(judge * own + k) % len(rest)] for k in range(own))]
