"""A campaign under load, against an empty endpoint of the same framework on the same machine.

    python benchmarks/campaign.py [--postgres URL URL]

Prints throughput and latency of a hundred simultaneous judges, the ratio to the empty endpoint,
and how many of fifty ``kill -9`` under load lost an acknowledged answer (none may).
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from campaign_driver import (
    SAYS,
    Connection,
    Record,
    check_nothing_lost_or_doubled,
    free_port,
    kill_again_and_again,
    make_campaign,
    start_server,
    wait_until_up,
    watch,
    work_all,
)
from rows import record

EMPTY = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
async def empty(request): return Response()
app = Starlette(routes=[Route("/", empty, methods=["GET", "POST"])])
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)
"""


async def hammer(port: int, *, clients: int, requests: int) -> float:
    """Requests a second of the empty endpoint."""

    async def one() -> None:
        connection = Connection(port)
        for _ in range(requests):
            await connection.request("POST", "/", b"a=1")
        connection.close()

    start = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(clients)))
    return clients * requests / (time.perf_counter() - start)


def measure_empty() -> float:
    """Requests a second of an application that does nothing."""
    port = free_port()
    server = subprocess.Popen([sys.executable, "-c", EMPTY, str(port)])
    try:
        wait_until_up(port, server)
        return asyncio.run(hammer(port, clients=100, requests=50))
    finally:
        server.terminate()
        server.wait(10)


def measure_campaign(place: str, *, answers: int = 20) -> tuple[float, Record, Record]:
    """Requests a second of a hundred judges who read a page, answer, and read the next.

    All the while the dashboard is open; its requests are told apart.
    """
    tokens = make_campaign(place, judges=100, items=answers)
    port = free_port()
    server = start_server(place, port)
    seen, watched = Record(), Record()

    async def all_at_once() -> None:
        organizer = asyncio.create_task(watch(port, place, watched))
        await work_all(port, tokens, answers=answers, record=seen)
        organizer.cancel()

    try:
        wait_until_up(port, server)
        start = time.perf_counter()
        asyncio.run(all_at_once())
        took = time.perf_counter() - start
    finally:
        server.terminate()
        server.wait(20)
    check_nothing_lost_or_doubled(place, seen)
    return len(seen.seconds) / took, seen, watched


def measure_half_open(place: str, *, strangers: int = 2000) -> float:
    """The longest that a judge waits while so many connections send half a request."""
    token = make_campaign(place, judges=1, items=1)["judge000"]
    port = free_port()
    server = start_server(place, port)
    slowest = 0.0

    async def ask() -> float:
        connection = Connection(port)
        start = time.perf_counter()
        status, _ = await connection.request("GET", f"/j/{token}")
        connection.close()
        if status != 200:
            raise RuntimeError(f"a judge got {status}")
        return time.perf_counter() - start

    try:
        wait_until_up(port, server)
        with ExitStack() as stack:
            for number in range(strangers):
                one = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                one.sendall(b"GET / HTTP/1.1\r\nHost: ")
                if number % 100 == 99:
                    slowest = max(slowest, asyncio.run(ask()))
    finally:
        server.terminate()
        server.wait(20)
    return slowest


def main() -> None:
    """Run everything and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--postgres",
        nargs=2,
        metavar=("URL", "URL"),
        help="two empty PostgreSQL databases, to measure it too: one for load, one for kills",
    )
    parser.add_argument("--kills", type=int, default=50, help="how often the server is killed")
    parser.add_argument("--task", default="crowd", choices=list(SAYS), help="when killed")
    arguments = parser.parse_args()
    empty = measure_empty()
    print(f"{'empty endpoint':24} {empty:8.0f} requests/s")
    with tempfile.TemporaryDirectory() as folder:
        places = {"SQLite": str(Path(folder) / "load.db")}
        if arguments.postgres:
            places["PostgreSQL"] = arguments.postgres[0]
        for name, place in places.items():
            rate, record_of, watched = measure_campaign(place)
            what = f"{name}, 100 judges at once"
            peer = "an empty endpoint"
            record("campaign", what, rate, unit="requests/s", peer=peer, theirs=empty)
            slowest = 1000 * record_of.percentile(0.95)
            record("campaign", f"{name}, 95 % answered within", slowest, unit="ms")
            print(
                f"{name + ', 100 judges':24} {rate:8.0f} requests/s  {rate / empty:5.2f} of empty  "
                f"p50 {1000 * record_of.percentile(0.5):.0f} ms  "
                f"p95 {1000 * record_of.percentile(0.95):.0f} ms  "
                f"{len(record_of.acknowledged)} answers, {len(record_of.errors)} errors; "
                f"the dashboard at most {1000 * max(watched.seconds):.0f} ms, "
                f"{len(watched.errors)} errors"
            )
        slowest = 1000 * measure_half_open(str(Path(folder) / "half-open.db"))
        record("campaign", "2000 half-open connections, a judge waits", slowest, unit="ms")
        print(f"{'2000 half-open':24} {slowest:8.0f} ms at most for a judge")
        places = {"SQLite": str(Path(folder) / "kill.db")}
        if arguments.postgres:
            places["PostgreSQL"] = arguments.postgres[1]
        for name, place in places.items():
            if arguments.kills:
                kept = kill_again_and_again(
                    place, judges=20, items=400, times=arguments.kills, task=arguments.task
                )
                title = f"{name}, {arguments.kills} kill -9"
                print(f"{title:24} {kept:8d} answers kept, none lost or doubled")


if __name__ == "__main__":
    main()
