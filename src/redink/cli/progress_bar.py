"""Messages and a progress bar on stderr."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from redink.progress import watched_by

if TYPE_CHECKING:
    from rich.progress import Progress

WARNED: set[str] = set()
"""The warnings that were printed: each is printed once."""

_shown: list[Progress] = []
"""The bar that is on the screen, if there is one."""


@contextmanager
def show_progress() -> Iterator[None]:
    """Show a progress bar on stderr while the work inside reports its progress.

    The bar shows the share that is done if the total is known.
    """
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
            if total != stage[0] or done == 0:  # other work has another speed
                stage[0] = total
                bar.reset(task)
                bar.tasks[0].total = total
            bar.update(task, description=what, completed=done, visible=True)

        _shown.append(bar)
        try:
            with watched_by(watch):
                yield
        finally:
            _shown.pop()


def say(text: str) -> None:
    """Print a sentence on stderr; on a terminal it is folded, and above the bar."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size((100, 24)).columns
        text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
    if _shown:
        from rich.text import Text

        _shown[-1].console.print(Text(text), soft_wrap=True)
    else:
        click.echo(text, err=True)
