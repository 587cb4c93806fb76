"""Setting up a campaign."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from redink.campaign.planning import Plan
from redink.campaign.store import Item, Store
from redink.campaign.tasks import TASKS
from redink.campaign.tokens import hash_token, new_token
from redink.errors import DataError, OptionError


def create_campaign(
    place: str | Path,
    *,
    task: str,
    items: Sequence[Item],
    title: str | None = None,
    plan: Plan | None = None,
    gold_threshold: float | None = None,
    gold_minimum: int = 5,
    seed: int = 1,
) -> tuple[Store, str]:
    """A new campaign and the organiser's token, which is shown only now.

    Args:
        place: a new SQLite file, or the URL of an empty PostgreSQL database.
        task: the name of the task.
        items: what is to be judged.
        title: what the judges read above every page.
        plan: how items are dealt to judges.
        gold_threshold: judges who answer a smaller share of gold questions rightly are excluded.
        gold_minimum: how many gold questions a judge must have seen before that.
        seed: of the dealing.
    """
    if task not in TASKS:
        raise OptionError(f"there is no task {task!r}; there are: {', '.join(TASKS)}")
    if gold_threshold is not None:
        if not 0 < gold_threshold <= 1:
            raise OptionError("the threshold for gold questions lies between 0 and 1")
        if not any(item.gold is not None for item in items):
            raise DataError("a threshold for gold questions needs items with a gold answer")
    for item in items:
        if ("outputs" in item.payload) != (TASKS[task].kind == "rankings"):
            raise DataError(f"item {item.key!r} does not fit the task {task!r}")
    token = new_token()
    settings = {
        "task": task,
        "title": title or TASKS[task].title,
        "plan": asdict(plan or Plan()),
        "seed": seed,
        "paused": False,
        "organiser": hash_token(token),
        "secret": secrets.token_hex(32),
        "gold_threshold": gold_threshold,
        "gold_minimum": gold_minimum,
    }
    numbered = [replace(item, id=number) for number, item in enumerate(items, start=1)]
    return Store.create(place, settings, numbered), token
