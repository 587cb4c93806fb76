"""A server for one application: it takes its port first, and stops quietly."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redink.errors import RedinkError

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

_WAITING = 2048
"""Connections that the system holds until they are accepted."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def listen(host: str, port: int) -> socket.socket:
    """Take the port, so that work done before serving is not in vain; 0 is any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family, socket.SOCK_STREAM)
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
    """The URL of what listens there."""
    host, port = place.getsockname()[:2]
    if host in {"0.0.0.0", "::"}:  # noqa: S104 (compared, not listened on)
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


@contextmanager
def port_taken(host: str, port: int) -> Iterator[socket.socket]:
    """The port, as :func:`listen` takes it; it is let go if what is done inside fails."""
    import uvicorn  # noqa: F401 (who finds the port taken should not wait for its server)

    place = listen(host, port)
    try:
        yield place
    except BaseException:
        place.close()
        raise


@dataclass(frozen=True)
class Server:
    """An application with its port; nothing is served until it runs.

    Attributes:
        app: the application.
        place: a socket that listens.
        greeting: what a person is told when it begins.
        shows: whether the page is to be opened in the browser.
    """

    app: ASGIApp
    place: socket.socket
    greeting: str
    shows: bool = False

    def run(self) -> None:
        """Serve until interrupted."""
        with self.place:
            _make_uvicorn(self.app).run(sockets=[self.place])

    def open_browser(self) -> None:
        """Show the page, where there is a screen to show it on."""
        has_screen = sys.platform in {"win32", "darwin"} or any(
            os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
        )
        if has_screen:
            webbrowser.open(address_of(self.place))


def _make_uvicorn(app: ASGIApp) -> uvicorn.Server:
    """A server for which being interrupted is the usual end, not an error."""
    import uvicorn

    from redink.web.connections import AT_ONCE, Crowd, most_connections, watched_by

    class Quiet(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            """Let more connections wait than are accepted at once."""
            await super().startup(sockets)
            for place in sockets or ():
                place.listen(_WAITING)

        def run(self, sockets: list[socket.socket] | None = None) -> None:
            """Shut down in order when interrupted, however early, and do not raise the signal."""
            if threading.current_thread() is not threading.main_thread():
                super().run(sockets)
                return
            before = {
                number: signal.signal(number, self.handle_exit)
                for number in (signal.SIGINT, signal.SIGTERM)
            }
            try:
                super().run(sockets)
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """They are captured since before there was a loop, which a signal might have torn."""
            yield

    # No access log: addresses can hold what people search for, or their tokens.
    return Quiet(
        uvicorn.Config(
            app,
            http=watched_by(Crowd(most=most_connections())),
            # What strangers send is no news: a log that they can fill is a danger by itself.
            log_level="error",
            ws="none",
            backlog=AT_ONCE,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=5,
        )
    )
