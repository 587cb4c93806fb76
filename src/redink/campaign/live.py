"""Results so far, worked out in a process of their own: judges never wait for statistics.

The server starts ``python -m redink.campaign.live`` when somebody first looks at the dashboard,
sends it a line for every question, and gets a line back. It ends with the server, however that
ends: its input is then closed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import warnings
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TextIO

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from redink.campaign.desk import Desk

_PAUSE = 4.0
"""The longer it takes, the rarer it is done: this many times as long is waited after it."""
_LEAST_PAUSE = 2.0
_LIMIT = 16 * 1024 * 1024


@dataclass(frozen=True)
class Results:
    """Tables, and of when they are; None as long as there are none."""

    tables: tuple[Markup, ...] = ()
    made: str | None = None
    number: int = 0


class Live:
    """The results of one campaign, made again when there is something new and time for it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._process: asyncio.subprocess.Process | None = None
        self._working: asyncio.Task[None] | None = None
        self._version = -1
        self._free_at = 0.0
        self.results = Results()

    @property
    def is_current(self) -> bool:
        """Whether nothing was answered since the results were made."""
        return self._version == self._desk.version

    def look(self) -> Results:
        """The latest results; newer ones are begun if there is something new."""
        is_free = self._working is None or self._working.done()
        if not self.is_current and is_free and time.monotonic() >= self._free_at:
            self._working = asyncio.create_task(self._work())
        return self.results

    async def _work(self) -> None:
        start = time.monotonic()
        version = self._desk.version
        try:
            tables = await self._ask()
        except (OSError, ValueError):  # it was killed; the next look starts another
            await self.stop()
        else:
            self._version = version
            made = datetime.now().astimezone().strftime("%H:%M:%S")
            self.results = Results(tables, made, self.results.number + 1)
        now = time.monotonic()
        self._free_at = now + max(_LEAST_PAUSE, _PAUSE * (now - start))

    async def _ask(self) -> tuple[Markup, ...]:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "redink.campaign.live",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LIMIT,
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(self._desk.store.address).encode() + b"\n")
        await stdin.drain()
        made = json.loads(await stdout.readline())
        return tuple(Markup(html) for html in made)  # noqa: S704 (tables escape what they show)

    async def stop(self) -> None:
        """End the process."""
        if self._working is not None and self._working is not asyncio.current_task():
            self._working.cancel()
            with suppress(asyncio.CancelledError):
                await self._working
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def answer_questions(questions: TextIO, answers: TextIO) -> None:
    """For every place that is asked about, the tables of its campaign as HTML."""
    from redink.campaign.results import make_live_tables
    from redink.campaign.store import Store
    from redink.errors import RedinkError

    for line in questions:
        tables: list[str] = []
        with suppress(RedinkError), closing(Store.open(json.loads(line))) as store:
            tables = [
                # of a table without rows, what it says of that
                str(table.to_html()) if table.rows else str(escape(" ".join(table.notes)))
                for table in make_live_tables(store)
            ]
        answers.write(f"{json.dumps(tables)}\n")
        answers.flush()


if __name__ == "__main__":
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    warnings.simplefilter("ignore")
    with suppress(AttributeError, OSError):
        os.nice(10)  # judges first
    answer_questions(sys.stdin, sys.stdout)
