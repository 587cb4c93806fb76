"""Report the progress of long work.

Long-running code calls ``tell("annotating", done, total)``; a watcher receives these calls::

    with watched_by(print):
        redink.score("gold.m2", {"mine": "mine.txt"})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Watcher = Callable[[str, int, int | None], None]
"""Called with the kind of work, the number of finished items, and the total (None: unknown)."""

Item = TypeVar("Item")

_watcher: ContextVar[Watcher | None] = ContextVar("redink.progress", default=None)


@contextmanager
def watched_by(watcher: Watcher | None) -> Iterator[None]:
    """Report the progress of the work inside this context to a watcher."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


def tell(what: str, done: int, total: int | None = None) -> None:
    """Report progress to the watcher, if there is one."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, done, total)


def tell_each(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items, and report the number of finished items after each."""
    done = 0
    tell(what, done, total)
    for item in items:
        yield item
        done += 1
        tell(what, done, total)
