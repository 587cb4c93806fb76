"""Inviting a judge: a token, and a sequence of items."""

from __future__ import annotations

from collections.abc import Sequence

from redink.campaign.planning import Plan, deal_items
from redink.campaign.store import Store
from redink.campaign.tokens import hash_token, new_token
from redink.errors import DataError


def check_names(names: Sequence[str]) -> None:
    """Refuse names that cannot be those of different judges.

    Raises:
        DataError: a name is no Unicode text, or is there twice.
    """
    for number, name in enumerate(names):
        try:
            name.encode()
        except UnicodeEncodeError:
            raise DataError(f"the name {name!r} is no Unicode text") from None
        if name in names[:number]:
            raise DataError(f"the name {name!r} is there twice")


def invite(store: Store, name: str) -> str:
    """Add a judge and deal the items; the answer is the token for the link, shown only once."""
    check_names([name])
    settings = store.settings()
    items = [item.id for item in store.items()]
    dealt = deal_items(len(items), len(store.judges()), Plan(**settings["plan"]), settings["seed"])
    token = new_token()
    store.add_judge(name, hash_token(token), [items[number] for number in dealt])
    return token


def revoke(store: Store, name: str) -> None:
    """Make a judge's link useless; what he has answered stays."""
    for judge in store.judges():
        if judge.name == name:
            store.change_judge(judge.id, revoked=True)
            return
    raise DataError(f"there is no judge called {name!r}")
