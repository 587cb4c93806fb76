"""Items to judge: reading them from a file, and dealing them to judges."""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import placed
from redink.formats.delimited import read_records, tell_layout
from redink.formats.inputs import PathLike, SystemsLike, TextLike
from redink.formats.json_lines import read_head, read_objects, write_object
from redink.options import Options, Positive, Share

_NUMBER = re.compile(r"-?\d{1,15}")
NOTHING = "(nothing)"
"""What is stored and shown where the answer is that no word belongs there."""


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
        file: a file of items, or of sentences with edits or flags.
        count: how many items are wanted; None for all.
        replacement: whether a sentence can be drawn again, with other outputs (ranking).
        seed: of what is drawn.
        tokenise: whether the sentences are raw text.
        language: of the sentences.
    """

    source: TextLike | None = None
    systems: SystemsLike = ()
    file: PathLike | None = None
    count: int | None = None
    seed: int = 1
    replacement: bool = False
    tokenise: bool = False
    language: str = "en"

    def item_file(self, *columns: str) -> PathLike | None:
        """The file, if it is a table with a column ``text``, or with those that are named.

        Raises:
            OptionError: there is more beside it, which nobody would look at.
        """
        if self.file is None or Path(self.file).is_dir():
            return None
        if tell_layout(read_head(self.file), columns or ("text",)) is None:
            return None
        if self.source is not None or self.systems:
            raise OptionError(f"{self.file}: holds items; --source and systems do not go with it")
        return self.file

    def draw(self, items: list[Item]) -> list[Item]:
        """As many items as are wanted, drawn at random, in their order.

        Raises:
            OptionError: they would be drawn with replacement, which only ranking can.
        """
        if self.replacement:
            raise OptionError(
                "--with-replacement goes with --task ranking, --source and the outputs of systems"
            )
        if self.count is None or self.count >= len(items):
            self.warn_if_fewer(len(items))
            return items
        import numpy as np

        rng = np.random.default_rng(self.seed)
        return [items[at] for at in sorted(rng.choice(len(items), self.count, replace=False))]

    def warn_if_fewer(self, there_are: int, hint: str = "") -> None:
        """Warn where more items are wanted than there are."""
        if self.count is not None and self.count > there_are:
            warnings.warn(
                f"--items {self.count}: there are only {there_are}, and these are taken{hint}",
                RedinkWarning,
                stacklevel=4,
            )


COLUMNS = ("item", "text", "start", "end", "before", "after", "note", "choices", "gold")
"""What a file of items may say to any task."""
EXPORTED = frozenset({"judge", "label", "confidence", "duration", "time", "excluded", "question"})
"""Columns that the export writes itself."""


def write_items(items: Iterable[Item], stream: TextIO) -> None:
    """Items as JSON lines, to look at, to change, and to set a campaign up from."""
    for item in items:
        about = {name: value for name, value in item.payload.items() if name != "extra"}
        about |= item.payload.get("extra", {})
        gold = {} if item.gold is None else {"gold": item.gold}
        write_object({"item": item.key, **about, **gold}, stream)


def read_written(path: PathLike, check: Callable[[Item], None]) -> list[Item]:
    """Items as :func:`write_items` wrote them, of a task whose items are more than a row."""
    items: list[Item] = []
    for line, about in read_objects(path):
        key, gold = about.pop("item", line), about.pop("gold", None)
        item = Item(len(items) + 1, str(key), about, None if gold is None else str(gold))
        with placed(path, line):
            if any(item.key == other.key for other in items):
                raise DataError(f"two items are called {item.key!r}")
            try:
                check(item)
            except (LookupError, TypeError, ValueError, AttributeError):
                raise DataError("this is not an item as redink campaign items writes it") from None
        items.append(item)
    return items


def read_items(
    path: PathLike,
    *,
    own: Collection[str] = (),
    taken: Collection[str] = (),
    check: Callable[[Item], None] | None = None,
) -> list[Item]:
    """Items from CSV, TSV or JSONL with ``text`` and, as a task needs them, further columns.

    ``item`` names it (else its number does); ``start, end`` are the tokens marked; ``before`` and
    ``after`` are the sentences around it; ``note`` is shown below; ``choices`` are separated by
    ``|``; ``gold`` is the known answer of a hidden test question. Any other column is kept, and
    comes out again beside the answers.

    Args:
        path: the file.
        own: columns that only this task knows.
        taken: columns that its answers will have.
        check: refuses items that the task cannot ask about.
    """
    items: list[Item] = []
    seen: set[str] = set()
    for record in read_records(path):
        with placed(path, record.line):
            item = _read_item(len(items) + 1, record.cells, own, EXPORTED.union(taken))
            if item.key in seen:
                raise DataError(f"two items are called {item.key!r}")
            if check is not None:
                check(item)
        seen.add(item.key)
        items.append(item)
    if not items:
        raise FormatError("holds no items", path=path)
    return items


def _read_item(
    number: int, cells: Mapping[str, Any], own: Collection[str], taken: Collection[str]
) -> Item:
    row = {name: value for name, value in cells.items() if value is not None and value != ""}
    text = str(row.get("text") or "").split()
    if not text:
        raise DataError("an item needs a text")
    payload: dict[str, Any] = {"text": " ".join(text)}
    if "start" in row or "end" in row:
        if "start" not in row:
            raise DataError("an item with an end needs a start")
        start = _whole_number(row["start"])
        end = _whole_number(row.get("end", str(start + 1)))
        if not 0 <= start <= end <= len(text):
            raise DataError(f"the span {start} {end} does not fit a text of {len(text)} tokens")
        payload |= {"start": start, "end": end}
    payload |= {name: str(row[name]) for name in ("before", "after", "note") if row.get(name)}
    if "choices" in row:
        payload["choices"] = _read_choices(row["choices"])
    payload |= {name: row[name] for name in own if name in row}
    extra = {name: row[name] for name in row if name not in COLUMNS and name not in own}
    for name in extra:
        if name in taken:
            raise DataError(
                f"the column {name!r} is one that the answers have; give it another name"
            )
    if extra:
        payload["extra"] = {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in extra.items()
        }
    gold = row.get("gold")
    return Item(
        id=number,
        key=str(row.get("item") or number),
        payload=payload,
        gold=None if gold is None else str(gold).strip(),
    )


def _read_choices(given: Any) -> list[str]:
    choices: Iterable[Any] = given if isinstance(given, list) else str(given).split("|")
    return [str(choice).strip() or NOTHING for choice in choices]


def _whole_number(value: Any) -> int:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        raise DataError("start and end are whole numbers")
    return int(value.strip())


@dataclass(frozen=True)
class Plan(Options):
    """How items are dealt to judges.

    Attributes:
        per_judge: different items for each judge. By default all.
        shared: the share of a judge's items that every judge sees.
        repeated: the share of a judge's items that they see a second time.
        judgments: how many judges should judge each item. Items are then dealt one at a time, and
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


def assign_items(
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
