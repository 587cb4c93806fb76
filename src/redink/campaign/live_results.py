"""Results so far, computed in a process of their own: judges never wait for statistics.

The server runs ``python -m redink.campaign.live_results`` while somebody watches the dashboard.
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
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from redink.campaign.server import CampaignServer

_PAUSE = 4.0
"""Pause after a computation, as a multiple of the time that it took."""


@dataclass(frozen=True)
class LiveTables:
    """Tables as HTML, and when they were made; None before the first ones."""

    tables: tuple[Markup, ...] = ()
    made: str | None = None
    number: int = 0


class LiveResults:
    """The results of one campaign, computed again when there are new answers."""

    def __init__(self, server: CampaignServer) -> None:
        self._server = server
        self._working: asyncio.Task[None] | None = None
        self._version = -1
        self._free_at = 0.0
        self.latest = LiveTables()

    @property
    def is_current(self) -> bool:
        """Whether nothing was answered since the results were computed."""
        return self._version == self._server.version

    def look(self) -> LiveTables:
        """Return the latest results; start to compute newer ones if there are new answers."""
        is_free = self._working is None or self._working.done()
        if not self.is_current and is_free and time.monotonic() >= self._free_at:
            self._working = asyncio.create_task(self._compute())
        return self.latest

    async def _compute(self) -> None:
        start, version = time.monotonic(), self._server.version
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "redink.campaign.live_results",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            # Not as an argument, which all users of the machine can read: it may have a password.
            output, _ = await process.communicate(self._server.store.address.encode())
            tables = tuple(Markup(html) for html in json.loads(output))  # noqa: S704 (tables escape)
        except ValueError:  # the process was killed; the next look starts another
            pass
        else:
            self._version = version
            made = datetime.now().astimezone().strftime("%H:%M:%S")
            self.latest = LiveTables(tables, made, self.latest.number + 1)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        now = time.monotonic()
        self._free_at = now + _PAUSE * (now - start)

    async def stop(self) -> None:
        """End the computation."""
        if self._working is not None:
            self._working.cancel()
            with suppress(asyncio.CancelledError):
                await self._working


def render_tables(address: str) -> list[str]:
    """Return the tables of a campaign as HTML; an empty table as its notes."""
    from redink.campaign.results import make_live_tables
    from redink.campaign.store import CampaignStore
    from redink.errors import RedinkError

    with suppress(RedinkError), closing(CampaignStore.open(address)) as store:
        return [
            str(table.to_html()) if table.rows else str(escape(" ".join(table.notes)))
            for table in make_live_tables(store)
        ]
    return []


if __name__ == "__main__":
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    warnings.simplefilter("ignore")
    with suppress(AttributeError, OSError):
        os.nice(10)  # judges first
    json.dump(render_tables(sys.stdin.read()), sys.stdout)
