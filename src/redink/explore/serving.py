"""From files to a page in the browser."""

from __future__ import annotations

import socket
from collections.abc import Callable

from redink.explore.app import create_app
from redink.web.serving import LOOPBACK, address_of, listen, open_browser, run
from redink.workflows.report import Reported

PORT = 8100


def take_port(host: str = "127.0.0.1", port: int = PORT) -> socket.socket:
    """Take the port, before anything is worked out."""
    return listen(host, port)


def serve(
    reported: Reported,
    place: socket.socket,
    *,
    shows: bool = False,
    tell: Callable[[str], None] | None = None,
) -> None:
    """Serve until interrupted.

    Args:
        reported: what ``make_report`` made.
        place: from :func:`take_port`.
        shows: open the browser.
        tell: told the address when everything is ready.
    """
    reported.page.sentences.warm_up()
    host = str(place.getsockname()[0])
    # listening on this machine only, it answers to the names of this machine only
    app = create_app(reported, hosts=(*LOOPBACK, "[::1]") if host in LOOPBACK else ("*",))
    address = address_of(place)
    if tell is not None:
        tell(address)
    if shows:
        open_browser(address)
    run(app, place)
