"""Many judges at once, from one process, against a campaign served on this machine."""

from __future__ import annotations

import asyncio
import atexit
import os
import random
import re
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from redink.campaign.assignment import AssignmentPlan
from redink.campaign.security import hash_token, new_token
from redink.campaign.setup import create_campaign, invite
from redink.campaign.store import CampaignStore
from redink.campaign.task_items import CampaignItem

HIDDEN = re.compile(rb'name="(form|submission)" value="([^"]+)"')
POSITION = re.compile(rb'action="/j/[^/"]+/(\d+)"')


SAYS = {
    "crowd": ("label", ("error", "ok")),
    "correct": ("text", ("I am good at this game .", "I am very good in it .")),
    "mark": ("correction", ("at", "on")),
}
"""What judges say in a task: the field that differs, and what they put there in turn."""


def form_for(task: str, said: str) -> dict[str, str]:
    """The fields of an answer."""
    return {SAYS[task][0]: said} | ({"word": "3"} if task == "mark" else {})


def said_in(task: str, answer: dict[str, Any]) -> str:
    """What a stored answer says."""
    return str(answer["edits"][0][2] if task == "mark" else answer[SAYS[task][0]])


@dataclass
class Record:
    """What the judges saw: time of every request, and every answer that was acknowledged."""

    seconds: list[float] = field(default_factory=list)
    acknowledged: list[tuple[str, int, str]] = field(default_factory=list)
    """Judge, position, what was said."""
    task: str = "crowd"
    errors: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """The time within which this share of the requests was answered."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def free_port() -> int:
    """A port that nobody listens on, and that nobody else is given until this process ends.

    A socket stays bound to it. It does not listen, so a server of ours (which reuses addresses, as
    servers do) can; for whoever asks the system for any free port it is taken.
    """
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    atexit.register(holder.close)
    port: int = holder.getsockname()[1]
    return port


def make_campaign(
    place: str | Path, *, judges: int, items: int, task: str = "crowd"
) -> dict[str, str]:
    """A campaign of one of the tasks in ``SAYS``; the answer is each judge's token."""
    texts = [f"I am good in game {n} ." for n in range(1, items + 1)]
    new = [
        CampaignItem(f"i{n}", {"text": text, "start": 3, "end": 4})
        for n, text in enumerate(texts, start=1)
    ]
    store, _ = create_campaign(place, task=task, items=new, plan=AssignmentPlan())
    tokens = {f"judge{n:03d}": invite(store, f"judge{n:03d}") for n in range(judges)}
    store.close()
    return tokens


def start_server(place: str | Path, port: int) -> subprocess.Popen[bytes]:
    """Serve a campaign with the real command."""
    return subprocess.Popen(
        [sys.executable, "-m", "redink", "campaign", "serve", str(place), "--port", str(port)],
        stderr=subprocess.DEVNULL,
        env={**os.environ},
    )


def wait_until_up(port: int, server: subprocess.Popen[bytes], *, tries: int = 2400) -> None:
    """Return when the server takes connections; only one that never does is waited for so long."""
    for _ in range(tries):
        if server.poll() is not None:
            raise RuntimeError("the server has stopped")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the server did not come up")


class Connection:
    """A plain keep-alive connection: a full client would cost more than the server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def request(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Send one request and read the whole reply."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        assert self._reader is not None
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        status = int(answer.split(b" ", 2)[1])
        size = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
        content = await self._reader.readexactly(int(size[1])) if size else b""
        return status, content

    def close(self) -> None:
        """Hang up."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


async def work(port: int, name: str, token: str, *, answers: int, record: Record) -> None:
    """One judge: reads each page, answers it, goes on until all is done.

    When the connection breaks, the judge sends the same answer again, as the page's script does.
    """
    connection = Connection(port)
    try:
        await _work(connection, name, token, answers=answers, record=record)
    finally:
        connection.close()


async def _work(
    connection: Connection, name: str, token: str, *, answers: int, record: Record
) -> None:
    given = 0
    while given < answers:
        try:
            start = time.perf_counter()
            status, page = await connection.request("GET", f"/j/{token}")
            record.seconds.append(time.perf_counter() - start)
            if status == 429:
                await asyncio.sleep(0.2)
                continue
            place = POSITION.search(page)
            if place is None:
                break  # the thank-you page
            position = int(place[1])
            label = SAYS[record.task][1][(position + len(name)) % 2]
            fields = {k.decode(): v.decode() for k, v in HIDDEN.findall(page)}
            fields |= form_for(record.task, label)
        except (OSError, asyncio.IncompleteReadError):
            connection.close()
            await asyncio.sleep(0.05)
            continue
        body = urlencode(fields).encode()
        while True:
            try:
                start = time.perf_counter()
                status, reply = await connection.request("POST", f"/j/{token}/{position}", body)
                record.seconds.append(time.perf_counter() - start)
                if status == 200:
                    record.acknowledged.append((name, position, label))
                    given += 1
                    break
                if status not in {429, 503}:  # the page tries again then, and so do we
                    record.errors.append(f"{status} {reply[:80]!r}")
                    return
                await asyncio.sleep(0.2)
            except (OSError, asyncio.IncompleteReadError):
                connection.close()
                await asyncio.sleep(0.05)


async def work_all(port: int, tokens: dict[str, str], *, answers: int, record: Record) -> None:
    """All judges at once."""
    await asyncio.gather(
        *(work(port, n, t, answers=answers, record=record) for n, t in tokens.items())
    )


async def watch(port: int, place: str | Path, record: Record, *, every: float = 3.0) -> None:
    """An organizer whose dashboard is open: the page, and then what it asks for by itself."""
    store = CampaignStore.open(place)
    token = new_token()
    store.change_setting("organizer", hash_token(token))
    store.close()
    await asyncio.sleep(1)  # until the server has read it
    base = f"/o/{token}"
    path = base
    while True:
        connection = Connection(port)
        start = time.perf_counter()
        status, _ = await connection.request("GET", path)
        record.seconds.append(time.perf_counter() - start)
        connection.close()
        if status != 200:
            record.errors.append(f"dashboard {status}")
        path = f"{base}/live"
        await asyncio.sleep(every)


def check_nothing_lost_or_doubled(place: str | Path, record: Record) -> None:
    """Every acknowledged answer is in the database exactly once, and says what was sent."""
    store = CampaignStore.open(place)
    names = {judge.id: judge.name for judge in store.judges()}
    where = {a.id: (names[a.judge], a.position) for a in store.assignments()}
    stored: dict[tuple[str, int], list[str]] = {}
    for answer in store.answers():
        said = said_in(record.task, answer.answer)
        stored.setdefault(where[answer.assignment], []).append(said)
    store.close()
    for name, position, label in record.acknowledged:
        found = stored.get((name, position), [])
        if found != [label]:
            raise AssertionError(f"{name} at {position}: sent {label!r}, stored {found}")


def kill_again_and_again(
    place: str | Path, *, judges: int, items: int, times: int, task: str = "crowd"
) -> int:
    """Kill the server under load, at random moments, and start it again.

    Returns:
        How many answers were acknowledged.

    Raises:
        AssertionError: one of them was lost or doubled, or a judge met an error.
    """
    tokens = make_campaign(place, judges=judges, items=items, task=task)
    rng = random.Random(1)
    seen = Record(task=task)
    port = free_port()
    for _ in range(times):
        server = start_server(place, port)
        wait_until_up(port, server)

        async def load(server: subprocess.Popen[bytes] = server) -> None:
            goal = len(seen.acknowledged) + rng.randrange(2, 60)
            busy = [
                asyncio.create_task(work(port, n, t, answers=50, record=seen))
                for n, t in tokens.items()
            ]
            while len(seen.acknowledged) < goal and not all(j.done() for j in busy):
                if server.poll() is not None:
                    raise RuntimeError("the server has stopped")
                await asyncio.sleep(0.001)
            server.kill()
            for judge in busy:
                judge.cancel()
            await asyncio.gather(*busy, return_exceptions=True)

        asyncio.run(load())
        server.wait()
        check_nothing_lost_or_doubled(place, seen)
    if seen.errors:
        raise AssertionError(seen.errors[:3])
    return len(seen.acknowledged)
