"""How far long work is: whoever does it tells, whoever wants to know watches.

Nobody passes a callback down: work deep inside says ``tell("annotating", done, total)``, and
nothing happens unless somebody watches::

    with watched_by(print):
        redink.score("gold.m2", {"mine": "mine.txt"})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Watcher = Callable[[str, int, int | None], None]
"""Told what is being done, how much of it is done, and how much there is (None: not known)."""

Item = TypeVar("Item")

_watcher: ContextVar[Watcher | None] = ContextVar("redink.progress", default=None)


@contextmanager
def watched_by(watcher: Watcher | None) -> Iterator[None]:
    """Let somebody watch the work inside this context."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


def tell(what: str, done: int, total: int | None = None) -> None:
    """Tell whoever watches."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, done, total)


def tell_each(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """The items, telling after each how many are done."""
    done = 0
    tell(what, done, total)
    for item in items:
        yield item
        done += 1
        tell(what, done, total)
