"""Serve one application: bind the port before it starts, and stop without a traceback."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redink.errors import RedinkError

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def listen(host: str, port: int) -> socket.socket:
    """Listen on a port before any work is done; 0 is any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sets TCP_NODELAY; without it, clients wait 40 ms for replies.
    place = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((host, port))
        place.listen()
    except OSError as error:
        place.close()
        if error.errno == errno.EADDRINUSE:
            raise RedinkError(
                f"port {port} of {host} is taken; choose another with --port, or 0 for any"
            ) from error
        raise RedinkError(f"cannot listen on {host} port {port}: {error.strerror}") from error
    return place


def address_of(place: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = place.getsockname()[:2]
    if host in {"0.0.0.0", "::"}:  # noqa: S104 (compared, not listened on)
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


@contextmanager
def port_taken(host: str, port: int) -> Iterator[socket.socket]:
    """Listen on a port; close it if the block fails."""
    import uvicorn  # noqa: F401 (a missing extra is reported first)

    place = listen(host, port)
    try:
        yield place
    except BaseException:
        place.close()
        raise


@dataclass(frozen=True)
class Server:
    """An application with a listening socket; nothing is served until it runs."""

    app: ASGIApp
    place: socket.socket
    greeting: str
    """Message at the start."""
    shows: bool = False
    """Whether to open the page in the browser."""

    def run(self) -> None:
        """Serve until interrupted."""
        with self.place:
            _make_uvicorn(self.app).run(sockets=[self.place])

    def open_browser(self) -> None:
        """Open the page in a browser if there is a screen."""
        has_screen = sys.platform in {"win32", "darwin"} or any(
            os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
        )
        if has_screen:
            webbrowser.open(address_of(self.place))


def _make_uvicorn(app: ASGIApp) -> uvicorn.Server:
    import uvicorn

    from redink.web.connections import LimitedProtocol, max_connections

    class QuietServer(uvicorn.Server):
        """A server for which an interrupt is the usual end."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            """Accept few connections at once, before their number is checked; let many wait."""
            await super().startup(sockets)
            for place in sockets or ():
                place.listen(2048)

        def handle_exit(self, sig: int, _frame: object) -> None:
            """Stop when interrupted; uvicorn itself would raise the signal again at the end."""
            self.force_exit = self.should_exit and sig == signal.SIGINT
            self.should_exit = True

    LimitedProtocol.most = max_connections()
    return QuietServer(
        uvicorn.Config(
            app,
            http=LimitedProtocol,
            log_level="error",  # clients cannot fill the disk with a log of bad requests
            access_log=False,  # addresses contain tokens
            backlog=32,
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=5,
        )
    )
