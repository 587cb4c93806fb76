"""A progress bar for long work: on a terminal only, and never with ``--quiet``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from redink.progress import Watcher


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[Watcher | None]:
    """Yield what must be told how far the work is, or None where nothing is shown.

    The bar appears when the work first tells something.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Remaining(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None, visible=False)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total, visible=True
        )
