"""Show and clear the cache."""

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
    """Show the contents, the size and the path of the cache.

    Returns:
        One row per store.
    """
    return _show("cache info")


@command
def clear_cache() -> Table:
    """Clear the cache.

    Returns:
        One row per store, after clearing.
    """
    for store in STORES:
        store.clear()
    return _show("cache clear")


def _show(command: str) -> Table:
    rows = [
        Kept(each.name, each.about, each.count(), each.size(), each.limit, str(each.path or ""))
        for each in STORES
    ]
    notes = ("The cache is off: REDINK_CACHE=off.",) if cache_folder() is None else ()
    return table_of(rows, Kept, notes=notes, signature=make_signature(command))
