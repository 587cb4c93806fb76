"""A progress bar for long work: on a terminal only, and never with ``--quiet``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """Told how much is done and, if that is learnt on the way, how much there is."""

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show it."""


@contextmanager
def show_progress(
    what: str, *, total: int | None = None, quiet: bool = False
) -> Iterator[Progress | None]:
    """Yield what must be told how much is done, or None where nothing is shown.

    Args:
        what: what is being counted, such as ``sentences``.
        total: how many there will be, where that is known.
        quiet: show nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, total=None: bar.update(task, completed=done, total=total)
