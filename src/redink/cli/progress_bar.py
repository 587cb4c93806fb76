"""A progress bar for long work: on a terminal only, and never with ``--quiet``."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from redink.progress import Watcher

if TYPE_CHECKING:
    from rich.progress import Progress

WARNED: set[str] = set()
"""The warnings that were shown: each is shown once."""

_shown: list[Progress] = []
"""The bar that is on the screen, if one is."""


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[Watcher | None]:
    """Yield what must be told how far the work is, or None where nothing is shown.

    The bar appears when the work first tells something; where it tells how much there is, the bar
    shows the share that is done.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None, visible=False)
        stage: list[int | None] = [None]

        def watch(what: str, done: int, total: int | None) -> None:
            if total != stage[0] or done == 0:  # other work: its speed is its own
                stage[0] = total
                bar.reset(task)
                bar.tasks[0].total = total
            bar.update(task, description=what, completed=done, visible=True)

        _shown.append(bar)
        try:
            yield watch
        finally:
            _shown.pop()


def say(text: str) -> None:
    """A sentence on stderr; on a terminal above the bar, where there is one, and folded."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size((100, 24)).columns
        text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
    if _shown:
        from rich.text import Text

        _shown[-1].console.print(Text(text), soft_wrap=True)
    else:
        click.echo(text, err=True)
