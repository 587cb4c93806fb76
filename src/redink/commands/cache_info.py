"""Cache: what is kept of earlier work, and forgetting it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from redink.cache import STORES, cache_folder
from redink.model import Shown, Table, make_signature, table_of
from redink.options import command


@dataclass(frozen=True)
class Kept:
    """A store of the cache."""

    store: str
    holds: str
    entries: int
    bytes: int
    limit: Annotated[int, Shown(title="at most")]
    path: str


@command
def cache_info() -> Table:
    """Show what is kept of earlier work, how much it is, and where.

    Returns:
        A row for every store.
    """
    return _show("cache info")


@command
def clear_cache() -> Table:
    """Forget all that is kept of earlier work.

    Returns:
        A row for every store, as it is now.
    """
    for store in STORES:
        store.clear()
    return _show("cache clear")


def _show(command: str) -> Table:
    rows = [
        Kept(
            store.name,
            store.about,
            store.count(),
            store.size(),
            store.limit,
            "" if store.path is None else str(store.path),
        )
        for store in STORES
    ]
    notes = ("nothing is kept: REDINK_CACHE=off",) if cache_folder() is None else ()
    return table_of(rows, Kept, notes=notes, signature=make_signature(command))
