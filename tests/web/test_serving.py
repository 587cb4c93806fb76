"""Taking a port, and giving it back."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from urllib.request import urlopen

import pytest

from redink.errors import RedinkError
from redink.web.serving import address_of, listen

EXAMPLES = Path(str(files("redink") / "examples"))


def test_a_port_that_is_taken_is_told_in_a_sentence() -> None:
    with listen("127.0.0.1", 0) as place:
        port = place.getsockname()[1]
        assert address_of(place) == f"http://127.0.0.1:{port}/"
        with pytest.raises(RedinkError, match=f"port {port} of 127.0.0.1 is taken; choose"):
            listen("127.0.0.1", port)


def test_replies_do_not_wait_for_the_acknowledgments_of_earlier_ones() -> None:
    """Connections have TCP_NODELAY; without it a reply in two parts takes 40 ms longer."""

    async def accept() -> int:
        loop = asyncio.get_running_loop()
        accepted: asyncio.Future[socket.socket] = loop.create_future()

        class Protocol(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                accepted.set_result(transport.get_extra_info("socket"))

        place = listen("127.0.0.1", 0)
        async with await loop.create_server(Protocol, sock=place):
            _, writer = await asyncio.open_connection(*place.getsockname())
            option = (await accepted).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()
        return option

    assert asyncio.run(accept())


def test_an_address_of_another_machine_is_told_in_a_sentence() -> None:
    with pytest.raises(RedinkError, match=r"cannot listen on 192.0.2.1 port"):
        listen("192.0.2.1", 0)
    with pytest.raises(RedinkError, match=r"cannot listen on no.such.host.invalid port"):
        listen("no.such.host.invalid", 0)


def test_explore_takes_its_port_before_it_works() -> None:
    """Exit 2 at once, whatever the files."""
    with listen("127.0.0.1", 0) as place:
        port = str(place.getsockname()[1])
        run = subprocess.run(
            [sys.executable, "-m", "redink", "explore", "gold.m2", "careful.txt", "--port", port],
            cwd=EXAMPLES,
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "is taken" in run.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_explore_ends_cleanly(number: signal.Signals) -> None:
    """Interrupted, it says so in a word and exits with 0."""
    command = "explore gold.m2 careful.txt --port 0 --no-open --bootstrap 0"
    with subprocess.Popen(
        [sys.executable, "-m", "redink", *command.split()],
        cwd=EXAMPLES,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[0]
        with urlopen(address) as answer:  # noqa: S310 (our own server)
            assert answer.status == 200
        process.send_signal(number)
        assert process.stderr.read() == "Stopped.\n"
        assert process.wait() == 0
