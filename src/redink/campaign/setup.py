"""Setting up: a new campaign, and its judges."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from redink.campaign.guards import hash_token, new_token
from redink.campaign.items import Item, Plan, deal_items, gold_per_judge
from redink.campaign.store import Store
from redink.campaign.tasks.definition import find_task
from redink.campaign.wording import load_words
from redink.errors import DataError, RedinkWarning


def create_campaign(
    place: str | Path,
    *,
    task: str,
    items: Sequence[Item],
    title: str | None = None,
    plan: Plan | None = None,
    gold_threshold: float | None = None,
    gold_minimum: int = 5,
    address: str | None = None,
    interface: str | None = None,
    seed: int = 1,
) -> tuple[Store, str]:
    """A new campaign and the organiser's token, which is shown only now.

    The options are those of :func:`redink.campaign.commands.create`, with the items at hand.
    """
    chosen, definition = find_task(task)
    if gold_threshold is not None and not any(item.gold is not None for item in items):
        raise DataError("a threshold for gold questions needs items with a gold answer")
    for item in items:
        try:
            chosen.view(item, 0)
            chosen.check(item)
        except DataError as error:
            raise DataError(f"item {item.key!r}: {error}") from error
        except (LookupError, TypeError, AttributeError) as error:
            raise DataError(f"item {item.key!r} does not fit the task {task!r}") from error
    plan = plan or Plan()
    gold = sum(item.gold is not None for item in items)
    seen = gold_per_judge(len(items), gold, plan, gold_minimum) if items else 0
    if gold_threshold is not None and seen < gold_minimum:
        warnings.warn(
            f"a judge sees {seen} gold questions, but only after {gold_minimum} can one be "
            "excluded: nobody will be; add gold questions, or lower gold_minimum",
            RedinkWarning,
            stacklevel=2,
        )
    token = new_token()
    settings = {
        "task": chosen.name,
        "definition": definition,
        "interface": load_words(
            interface or str((definition or {}).get("language", "en"))
        ).language,
        "title": title or chosen.title,
        "plan": asdict(plan),
        "seed": seed,
        "paused": False,
        "organiser": hash_token(token),
        "secret": secrets.token_hex(32),
        "gold_threshold": gold_threshold,
        "gold_minimum": gold_minimum,
        "address": address,
    }
    numbered = [replace(item, id=number) for number, item in enumerate(items, start=1)]
    return Store.create(place, settings, numbered), token


def least_gold(settings: Mapping[str, Any]) -> int:
    """How many gold questions a judge must see before they can be excluded."""
    return 0 if settings["gold_threshold"] is None else settings["gold_minimum"]


def check_names(names: Sequence[str]) -> None:
    """Refuse names that cannot be those of different judges.

    Raises:
        DataError: a name is not Unicode text, or is there twice.
    """
    for number, name in enumerate(names):
        try:
            name.encode()
        except UnicodeEncodeError:
            raise DataError(f"the name {name!r} is not Unicode text") from None
        if name in names[:number]:
            raise DataError(f"the name {name!r} is there twice")


def invite(store: Store, name: str) -> str:
    """Add a judge and deal the items; the answer is the token for the link, shown only once."""
    check_names([name])
    settings = store.settings()
    plan = Plan(**settings["plan"])
    token = new_token()
    dealt: list[int] = []
    if plan.judgments is None:
        items = store.items()
        order = deal_items(
            len(items),
            len(store.judges()),
            plan,
            settings["seed"],
            gold=[number for number, item in enumerate(items) if item.gold is not None],
            least_gold=least_gold(settings),
        )
        dealt = [items[number].id for number in order]
    store.add_judge(name, hash_token(token), dealt)
    return token


def revoke(store: Store, name: str) -> None:
    """Make a judge's link useless; what they have answered stays."""
    for judge in store.judges():
        if judge.name == name:
            store.change_judge(judge.id, revoked=True)
            return
    raise DataError(f"there is no judge called {name!r}")
