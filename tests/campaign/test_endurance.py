"""What must not stop a campaign: half-open connections, and a database that hangs."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from campaign_driver import (
    Connection,
    Record,
    check_nothing_lost_or_doubled,
    free_port,
    kill_again_and_again,
    make_campaign,
    start_server,
    wait_until_up,
    work_all,
)
from starlette.testclient import TestClient

from redink.campaign import server as server_module
from redink.campaign.server import CampaignServer
from redink.campaign.store import CampaignStore
from redink.campaign.web_app import create_app
from redink.web.connections import LimitedProtocol

HALF = b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "


@pytest.fixture
def serving_with(tmp_path: Path) -> Iterator[Callable[[int], tuple[int, str, Path]]]:
    """Serve a small campaign in a process that may have so many files open."""
    if shutil.which("prlimit") is None:
        pytest.skip("no prlimit on this machine")
    with ExitStack() as stack:

        def start(files: int) -> tuple[int, str, Path]:
            tokens = make_campaign(tmp_path / "c.db", judges=1, items=3)
            port = free_port()
            log = tmp_path / "log"
            place = str(tmp_path / "c.db")
            command = [sys.executable, "-m", "redink", "campaign", "serve", place]
            server = subprocess.Popen(
                ["prlimit", f"--nofile={files}:{files}", *command, "--port", str(port)],
                stderr=stack.enter_context(log.open("wb")),
            )
            stack.callback(server.wait)
            stack.callback(server.terminate)
            wait_until_up(port, server)
            return port, tokens["judge000"], log

        yield start


def test_half_open_connections_keep_nobody_out(
    serving_with: Callable[[int], tuple[int, str, Path]],
) -> None:
    """Two thousand of them, four times what the process may have open: a judge still gets in."""
    port, token, log = serving_with(512)

    async def judge() -> int:
        connection = Connection(port)
        status, _ = await connection.request("GET", f"/j/{token}")
        connection.close()
        return status

    with ExitStack() as stack:
        for number in range(2000):
            stranger = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            stranger.sendall(HALF if number % 2 else b"G")
            if number % 500 == 499:
                assert asyncio.run(judge()) == 200
    assert log.stat().st_size < 10_000


WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HALF_BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"
SOON, LONG = 0.05, 3600.0


@pytest.mark.parametrize(
    ("head", "body", "sent"), [(SOON, LONG, HALF), (LONG, SOON, HALF_BODY), (LONG, LONG, WHOLE)]
)
def test_a_connection_has_only_so_long_for_a_request(head: float, body: float, sent: bytes) -> None:
    answer, asked = asyncio.run(_closed(head, body, sent))
    assert asked == (sent != HALF)
    assert answer.startswith(b"HTTP/1.1 200") == (sent == WHOLE)


def test_a_connection_whose_request_is_complete_is_not_closed() -> None:
    answer, asked = asyncio.run(_closed(LONG, SOON, WHOLE, work=4 * SOON))
    assert asked
    assert answer.startswith(b"HTTP/1.1 200")


async def _closed(head: float, body: float, sent: bytes, *, work: float = 0) -> tuple[bytes, bool]:
    """Return the reply to these bytes, and whether the application got a request."""
    import uvicorn

    asked = False

    class Limited(LimitedProtocol):
        head_seconds, body_seconds = head, body

    async def app(scope: object, receive: Any, send: Any) -> None:
        nonlocal asked
        asked = True
        Limited.head_seconds = SOON  # for the next request
        while (await receive()).get("more_body"):
            pass
        await asyncio.sleep(work)
        headers = [(b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    config = uvicorn.Config(
        app, http=Limited, lifespan="off", log_level="error", timeout_keep_alive=int(LONG)
    )
    config.load()
    state = uvicorn.server.ServerState()
    loop = asyncio.get_running_loop()
    make = lambda: config.http_protocol_class(config, state, {}, loop)  # noqa: E731
    async with await loop.create_server(make, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(sent)
        heard = b""
        with suppress(ConnectionError):  # it is aborted, not closed
            while part := await reader.read(1000):
                heard += part
        writer.close()
    return heard, asked


def test_a_hung_database_stops_only_what_needs_it(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    name = "hung"
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    place = f"{postgres}/{name}"
    token = make_campaign(place, judges=1, items=2)["judge000"]
    monkeypatch.setattr(server_module, "_STORE_SECONDS", 0.5)
    server = CampaignServer(CampaignStore.open(place))
    with (
        TestClient(create_app(server)) as client,
        psycopg.connect(place) as other,
        psycopg.connect(f"{postgres}/postgres", autocommit=True) as watcher,
    ):
        page = client.get(f"/j/{token}").text
        key = page.split('name="submission" value="')[1].split('"')[0]
        form = page.split('name="form" value="')[1].split('"')[0]
        data = {"form": form, "submission": key, "label": "ok"}
        other.execute("SET lock_timeout = '120s'")  # rather a failure than no end
        other.execute(
            "LOCK TABLE settings, judges, items, assignments, answers IN ACCESS EXCLUSIVE MODE"
        )
        while not watcher.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall():
            time.sleep(0.02)  # until the server waits for the database, which it asks for news
        assert client.get("/static/campaign.css").status_code == 200
        assert client.get(f"/j/{token}").status_code == 200
        accepts = {"Accept": "application/json"}
        refused = client.post(f"/j/{token}/0", data=data, headers=accepts)
        assert refused.status_code == 503
        monkeypatch.setattr(server_module, "_STORE_SECONDS", 250.0)
        other.rollback()
        assert client.post(f"/j/{token}/0", data=data, headers=accepts).status_code == 200
        assert len(server.store.answers()) == 1


JUDGES = [8, pytest.param(100, marks=pytest.mark.slow)]
KILLS = [
    ("crowd", 1),
    *(pytest.param(task, 4, marks=pytest.mark.slow) for task in ("crowd", "correct", "mark")),
]
"""The task, and how often the server is killed; ``benchmarks/campaign.py`` does it 50 times."""


@pytest.mark.parametrize("judges", JUDGES)
def test_many_judges_at_once(place: str, judges: int) -> None:
    tokens = make_campaign(place, judges=judges, items=5)
    port = free_port()
    server = start_server(place, port)
    record = Record()
    try:
        wait_until_up(port, server)
        asyncio.run(work_all(port, tokens, answers=5, record=record))
    finally:
        server.terminate()
        server.wait()
    assert record.errors == []
    assert len(record.acknowledged) == judges * 5
    check_nothing_lost_or_doubled(place, record)


@pytest.mark.parametrize(("task", "kills"), KILLS)
def test_a_killed_server_keeps_every_acknowledged_answer(place: str, task: str, kills: int) -> None:
    acknowledged = kill_again_and_again(place, judges=10, items=200, times=kills, task=task)
    assert acknowledged > kills
