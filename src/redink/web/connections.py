"""Connections that ask for nothing: they are closed in time, and never keep others out.

A connection has a few seconds to send the whole head of a request, and a little longer for its
body. When there are more connections than the system allows, the one that has been waiting longest
without a request makes room.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol

HEAD_SECONDS = 10.0
BODY_SECONDS = 30.0
_SWEEP_SECONDS = 1.0
AT_ONCE = 32
"""So many connections are accepted before any of them is looked at."""
_SPARE = 8 * AT_ONCE
"""Files that are not connections: the database, the pages, and those accepted at once."""
_MOST = 10_000


def most_connections() -> int:
    """How many connections may be open: as many files as the system lets us have, less a few."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST + _SPARE if hard == resource.RLIM_INFINITY else min(hard, _MOST + _SPARE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return max(10, (wanted if soft == resource.RLIM_INFINITY else min(soft, wanted)) - _SPARE)


class Crowd:
    """All connections of a server."""

    def __init__(
        self, *, most: int, head: float = HEAD_SECONDS, body: float = BODY_SECONDS
    ) -> None:
        self._most = most
        self._head = head
        self._body = body
        self._since: dict[Watched, float] = {}
        """When each began to wait for a request, or to send one; the longest waiting first."""
        self._sweeping = False

    def welcome(self, connection: Watched) -> None:
        """Let a connection in; another one goes if there are too many."""
        self.begin(connection)
        if len(self._since) > self._most:
            longest = next((one for one in self._since if one.is_waiting), connection)
            longest.transport.abort()
            self._since.pop(longest, None)
        if not self._sweeping:
            self._sweeping = True
            asyncio.get_running_loop().call_later(min(_SWEEP_SECONDS, self._head), self._sweep)

    def begin(self, connection: Watched) -> None:
        """From now on it is awaited that the connection sends something whole."""
        self._since.pop(connection, None)
        self._since[connection] = asyncio.get_running_loop().time()

    def leave(self, connection: Watched) -> None:
        """It is closed."""
        self._since.pop(connection, None)

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection, since in list(self._since.items()):
            patience = self._head if connection.is_waiting else self._body
            if now - since > patience and (connection.is_waiting or connection.is_sending):
                connection.transport.abort()
                self._since.pop(connection, None)
        self._sweeping = bool(self._since)
        if self._sweeping:
            loop.call_later(min(_SWEEP_SECONDS, self._head), self._sweep)


class Watched(Protocol):
    """An HTTP connection that belongs to a crowd."""

    crowd: Crowd

    @property
    def is_waiting(self) -> bool:
        """Whether no request has come, or the last one is answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_sending(self) -> bool:
        """Whether the head of a request has come, and its body not yet."""
        return not self.is_waiting and self.cycle.more_body

    def connection_made(self, transport: Any) -> None:
        """Join the crowd."""
        super().connection_made(transport)
        self.crowd.welcome(self)

    def data_received(self, data: bytes) -> None:
        """Note when a request has begun."""
        waiting = self.is_waiting
        super().data_received(data)
        if waiting and not self.is_waiting:
            self.crowd.begin(self)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        if not self.transport.is_closing():
            self.crowd.begin(self)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the crowd."""
        self.crowd.leave(self)
        super().connection_lost(exc)


def watched_by(crowd: Crowd) -> type[asyncio.Protocol]:
    """The protocol whose connections belong to this crowd."""
    return type("WatchedHere", (Watched,), {"crowd": crowd})
