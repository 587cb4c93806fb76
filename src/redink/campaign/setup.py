"""Setting up: a new campaign, and its judges."""

from __future__ import annotations

import hmac
import random
import secrets
import unicodedata
import warnings
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from redink.campaign.assignment import Plan, assign_items, gold_per_judge
from redink.campaign.items import Item
from redink.campaign.security import hash_token, new_token
from redink.campaign.store import CampaignStore, Judge
from redink.campaign.tasks.definition import find_task, load_task
from redink.campaign.tasks.protocol import CampaignTask
from redink.campaign.translation import load_translation
from redink.errors import DataError, RedinkError, RedinkWarning

MAX_NAME = 60
"""So many letters has the name of a judge who registers, or is invited on the dashboard."""


class FullError(RedinkError):
    """As many people have registered as were wanted."""


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
    completion: str | None = None,
    seed: int = 1,
) -> tuple[CampaignStore, str]:
    """A new campaign and the organiser's token, which is shown only now.

    The options are those of :func:`redink.campaign.commands.create`, with the items at hand.
    """
    chosen, definition = find_task(task)
    if gold_threshold is not None and not any(item.gold is not None for item in items):
        raise DataError("a threshold for gold questions needs items with a gold answer")
    check_items(chosen, items)
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
        "interface": load_translation(
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
        "completion": completion,
    }
    numbered = [replace(item, id=number) for number, item in enumerate(items, start=1)]
    return CampaignStore.create(place, settings, numbered), token


def check_items(task: CampaignTask, items: Sequence[Item]) -> None:
    """Refuse items that are not of this task.

    Raises:
        DataError: one is not.
    """
    for item in items:
        try:
            task.view(item, 0)
            task.check(item)
        except DataError as error:
            raise DataError(f"item {item.key!r}: {error}") from error
        except (LookupError, TypeError, AttributeError) as error:
            raise DataError(f"item {item.key!r} does not fit the task {task.name!r}") from error


def task_of(settings: Mapping[str, Any]) -> CampaignTask:
    """The task of a campaign."""
    return load_task(settings["task"], settings.get("definition"))


def least_gold(settings: Mapping[str, Any]) -> int:
    """How many gold questions a judge must see before they can be excluded."""
    return 0 if settings["gold_threshold"] is None else settings["gold_minimum"]


def check_names(names: Sequence[str]) -> None:
    """Refuse names that cannot be those of different judges.

    Raises:
        DataError: a name is not Unicode text, or is there twice.
    """
    for number, name in enumerate(names):
        # half of a surrogate pair, a control character, a line separator
        if any(unicodedata.category(letter) in {"Cs", "Cc", "Zl", "Zp"} for letter in name):
            raise DataError(f"the name {name!r} is not Unicode text of one line")
        if name in names[:number]:
            raise DataError(f"the name {name!r} is there twice")


def invite(
    store: CampaignStore, name: str, *, token: str | None = None, registered: bool = False
) -> str:
    """Add a judge and deal the items; the answer is the token for the link, shown only once."""
    check_names([name])
    settings = store.settings()
    plan = Plan(**settings["plan"])
    token = token or new_token()
    dealt: list[int] = []
    if plan.judgments is None:
        items = store.items()
        order = assign_items(
            len(items),
            len(store.judges()),
            plan,
            settings["seed"],
            gold=[number for number, item in enumerate(items) if item.gold is not None],
            least_gold=least_gold(settings),
        )
        dealt = [items[number].id for number in order]
    store.add_judge(name, hash_token(token), dealt, registered=registered)
    return token


def open_registration(store: CampaignStore, limit: int) -> str:
    """Let so many people register by themselves; the answer is the token of the link for all."""
    token = new_token()
    store.change_setting("registration", {"token": hash_token(token), "limit": limit})
    return token


def register(store: CampaignStore, name: str, *, token: str | None = None) -> str:
    """Add a judge who came by themselves, if there is still room.

    Raises:
        FullError: there is not.
        DataError: the name is taken.
    """
    judges = store.judges()
    limit = store.settings()["registration"]["limit"]
    if sum(judge.registered for judge in judges) >= limit:
        raise FullError("All places are taken.")
    return invite(store, name, token=token, registered=True)


def token_of(settings: Mapping[str, Any], identity: str) -> str:
    """The token of somebody whom another site sends: they can come back with the same link."""
    return _derive(settings["secret"], f"identity/{identity}")


def add_items(store: CampaignStore, items: Sequence[Item]) -> tuple[int, int]:
    """More items for a campaign; those that it has already are left alone.

    Judges who see all items get the new ones at the end of their sequence, in an order of their
    own. Where a judge sees only some, they go to judges who are invited later; where items are
    dealt one at a time, to everybody.

    Returns:
        How many are new, and how many were there.

    Raises:
        DataError: an item has the name of another one.
    """
    settings = store.settings()
    plan = Plan(**settings["plan"])
    check_items(task_of(settings), items)
    present = store.items()
    known = {item.key: item for item in present}
    new: list[Item] = []
    for item in items:
        if item.key not in known:
            number = len(present) + len(new) + 1
            new.append(replace(item, id=number))
        elif (known[item.key].payload, known[item.key].gold) != (item.payload, item.gold):
            raise DataError(f"there is another item called {item.key!r} already")
    dealt: dict[int, list[int]] = {}
    if plan.judgments is None and plan.per_judge is None:
        for judge in store.judges():
            mine = [item.id for item in new]
            random.Random(f"{settings['seed']}/{judge.id}/{len(present)}").shuffle(mine)
            dealt[judge.id] = mine
    if new:
        store.add_items(new, dealt)
    return len(new), len(items) - len(new)


def find_judge(store: CampaignStore, name: str) -> Judge:
    """The judge of this name.

    Raises:
        DataError: there is none.
    """
    for judge in store.judges():
        if judge.name == name:
            return judge
    raise DataError(f"there is no judge called {name!r}")


def revoke(store: CampaignStore, name: str) -> None:
    """Make a judge's link useless; what they have answered stays."""
    store.change_judge(find_judge(store, name).id, revoked=True)


def restore(store: CampaignStore, name: str) -> None:
    """Let a judge whose link was revoked, or who was excluded, work again, and count again.

    Gold questions no longer exclude them: the organiser has decided.
    """
    judge = find_judge(store, name)
    kept = judge.kept or judge.excluded
    store.change_judge(judge.id, revoked=False, excluded=False, kept=kept)


def reissue(store: CampaignStore, name: str) -> str:
    """A new link for a judge who lost theirs; the old one stops working."""
    token = new_token()
    store.change_judge(find_judge(store, name).id, token_hash=hash_token(token))
    return token


def reissue_organizer(store: CampaignStore) -> str:
    """A new link for the organiser; the old one stops working."""
    token = new_token()
    store.change_setting("organiser", hash_token(token))
    return token


def own_token(settings: Mapping[str, Any]) -> str:
    """An organiser's token that the server itself can make, for its overview of campaigns."""
    return _derive(settings["secret"], f"overview/{settings['organiser']}")


def overview_token(settings: Sequence[Mapping[str, Any]]) -> str:
    """What opens the overview of these campaigns: whoever runs the server is told it."""
    return _derive("".join(one["secret"] for one in settings), "all campaigns")


def _derive(secret: str, text: str) -> str:
    return urlsafe_b64encode(hmac.digest(secret.encode(), text.encode(), "sha256")).decode()[:32]
