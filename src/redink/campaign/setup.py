"""Create a campaign; invite, replace and revoke its judges; add items."""

from __future__ import annotations

import random
import secrets
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from redink.campaign.assignment import AssignmentPlan, assign_items, gold_per_judge
from redink.campaign.security import hash_token, new_token
from redink.campaign.store import CampaignJudge, CampaignStore
from redink.campaign.task_items import CampaignItem
from redink.campaign.tasks import TASKS
from redink.campaign.tasks.protocol import CampaignTask
from redink.campaign.tasks.task_files import find_task, make_task, with_instructions
from redink.campaign.translation import load_translation
from redink.errors import DataError, RedinkError, RedinkWarning

MAX_NAME = 60  # longest name of a judge who registers, or is invited on the dashboard


class FullError(RedinkError):
    """The maximum number of people have registered."""


def create_campaign(
    place: str | Path,
    *,
    task: str,
    items: Sequence[CampaignItem],
    title: str | None = None,
    texts: Mapping[str, Any] | None = None,
    plan: AssignmentPlan | None = None,
    gold_threshold: float | None = None,
    gold_minimum: int = 5,
    address: str | None = None,
    interface: str | None = None,
    completion: str | None = None,
    completion_failed: str | None = None,
    minimum_seconds: float | None = None,
    seed: int = 1,
) -> tuple[CampaignStore, str]:
    """Create a campaign from items; return it and the organizer's token."""
    chosen, definition = find_task(task)
    check_items(chosen, items)
    plan = plan or AssignmentPlan()
    if gold_threshold is not None:
        gold = sum(item.gold is not None for item in items)
        if not gold:
            raise DataError("a threshold for gold questions needs items with a gold answer")
        seen = gold_per_judge(len(items), gold, plan, gold_minimum)
        if seen < gold_minimum:
            warnings.warn(
                f"each judge sees {seen} gold questions, but an exclusion requires {gold_minimum}; "
                "add gold questions, or lower gold_minimum",
                RedinkWarning,
                stacklevel=2,
            )
    language = interface or str((definition or {}).get("language", "en"))
    token = new_token()
    settings = {
        "task": chosen.name,
        "definition": definition,
        "texts": texts,
        "interface": load_translation(language).language,
        "title": title or chosen.title,
        "plan": asdict(plan),
        "seed": seed,
        "paused": False,
        "organizer": hash_token(token),
        "secret": secrets.token_hex(32),
        "gold_threshold": gold_threshold,
        "gold_minimum": gold_minimum,
        "address": address,
        "completion": completion,
        "completion_failed": completion_failed,
        "minimum_seconds": minimum_seconds,
    }
    numbered = [replace(item, id=number) for number, item in enumerate(items, start=1)]
    return CampaignStore.create(place, settings, numbered), token


def check_items(task: CampaignTask, items: Sequence[CampaignItem]) -> None:
    """Raise a DataError for an item that the task cannot ask about."""
    for item in items:
        try:
            task.view(item, 0)
            task.check(item)
        except DataError as error:
            raise DataError(f"item {item.key!r}: {error}") from error
        except (LookupError, TypeError, AttributeError) as error:
            raise DataError(f"item {item.key!r} does not fit the task {task.name!r}") from error


def task_of(settings: Mapping[str, Any]) -> CampaignTask:
    """Return the task of a campaign: a built-in one, or that of a file."""
    name, definition = settings["task"], settings.get("definition")
    task = TASKS.load(name) if definition is None else make_task(name, definition)
    return with_instructions(task, settings.get("texts"))


def least_gold(settings: Mapping[str, Any]) -> int:
    """Return how many gold questions a judge must see before they can be excluded."""
    return 0 if settings["gold_threshold"] is None else settings["gold_minimum"]


def check_names(names: Sequence[str]) -> None:
    """Raise a DataError for a name that is not Unicode text, or that is given twice."""
    for number, name in enumerate(names):
        # half of a surrogate pair, a control character, a line separator
        if any(unicodedata.category(letter) in {"Cs", "Cc", "Zl", "Zp"} for letter in name):
            raise DataError(f"the name {name!r} is not Unicode text of one line")
        if name in names[:number]:
            raise DataError(f"duplicate name {name!r}")


def invite(
    store: CampaignStore, name: str, *, token: str | None = None, registered: bool = False
) -> str:
    """Add a judge and assign items; return the token of the link, which is shown only once."""
    check_names([name])
    settings = store.settings()
    plan = AssignmentPlan(**settings["plan"])
    token = token or new_token()
    assigned: list[int] = []
    if plan.judgments is None:
        items = store.items()
        order = assign_items(
            items, len(store.judges()), plan, settings["seed"], least_gold=least_gold(settings)
        )
        assigned = [items[number].id for number in order]
    store.add_judge(name, hash_token(token), assigned, registered=registered)
    return token


def open_registration(store: CampaignStore, limit: int) -> str:
    """Create a sign-up link for up to ``limit`` people; return its token."""
    token = new_token()
    store.change_setting("registration", {"token": hash_token(token), "limit": limit})
    return token


def register(store: CampaignStore, name: str, *, token: str | None = None) -> str:
    """Add a judge who came with the sign-up link; raise a FullError if its limit is reached."""
    limit = store.settings()["registration"]["limit"]
    if sum(judge.registered for judge in store.judges()) >= limit:
        raise FullError("All places are taken.")
    return invite(store, name, token=token, registered=True)


def add_items(store: CampaignStore, items: Sequence[CampaignItem]) -> tuple[int, int]:
    """Add items to a campaign; return how many are new, and how many were there already.

    Judges who see all items get the new ones at the end, in a random order. If judges see only
    some items, judges who are invited later get the new ones; if items are assigned one at a time,
    everybody.
    """
    settings = store.settings()
    plan = AssignmentPlan(**settings["plan"])
    check_items(task_of(settings), items)
    present = store.items()
    known = {item.key: item for item in present}
    new: list[CampaignItem] = []
    for item in items:
        if item.key not in known:
            new.append(replace(item, id=len(present) + len(new) + 1))
        elif (known[item.key].payload, known[item.key].gold) != (item.payload, item.gold):
            raise DataError(f"a different item named {item.key!r} already exists")
    assigned: dict[int, list[int]] = {}
    if plan.judgments is None and plan.per_judge is None:
        for judge in store.judges():
            mine = [item.id for item in new]
            random.Random(f"{settings['seed']}/{judge.id}/{len(present)}").shuffle(mine)
            assigned[judge.id] = mine
    if new:
        store.add_items(new, assigned)
    return len(new), len(items) - len(new)


def find_judge(store: CampaignStore, name: str) -> CampaignJudge:
    """Return the judge of this name, or raise a DataError."""
    for judge in store.judges():
        if judge.name == name:
            return judge
    raise DataError(f"unknown judge {name!r}")


def revoke(store: CampaignStore, name: str) -> None:
    """Disable a judge's link; the answers remain."""
    store.change_judge(find_judge(store, name).id, revoked=True)


def exclude(store: CampaignStore, name: str) -> None:
    """Stop a judge; the answers remain and no longer count."""
    store.change_judge(find_judge(store, name).id, excluded=True, kept=False)


def restore(store: CampaignStore, name: str) -> None:
    """Readmit a revoked or excluded judge, even if the judge fails the gold questions."""
    judge = find_judge(store, name)
    kept = judge.kept or judge.excluded
    store.change_judge(judge.id, revoked=False, excluded=False, kept=kept)


def reissue(store: CampaignStore, name: str) -> str:
    """Replace a judge's link; return the new token."""
    token = new_token()
    store.change_judge(find_judge(store, name).id, token_hash=hash_token(token))
    return token
