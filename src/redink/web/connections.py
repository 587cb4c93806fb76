"""HTTP connections with time limits for a request, and an upper limit on their number.

uvicorn has neither: connections that send half a request would use up the process's files, and
then nobody could connect.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol

_SPARE = 256
"""Open files that are not connections, and connections that are accepted at once."""
_MOST = 10_000


def max_connections() -> int:
    """Return how many connections may be open; raise the process's limit on files if possible."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST + _SPARE if hard == resource.RLIM_INFINITY else min(hard, _MOST + _SPARE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(10, wanted - _SPARE)


class LimitedProtocol(Protocol):
    """A connection that is closed if its request does not arrive in time.

    If there are too many connections, the one that has waited longest for a request is closed.
    """

    most: ClassVar[int] = _MOST
    head_seconds: ClassVar[float] = 10.0
    body_seconds: ClassVar[float] = 30.0
    waiting: ClassVar[dict[LimitedProtocol, None]] = {}
    """Connections without a complete request head, the longest waiting first."""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self.most:
            next(iter(self.waiting)).drop()

    def _wait(self) -> None:
        self.waiting[self] = None
        self._limit(self.head_seconds)

    def _limit(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        if self in self.waiting or self.cycle.more_body:
            self.drop()

    def drop(self) -> None:
        """Close the connection at once."""
        self.waiting.pop(self, None)
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Give a request whose head has arrived time for its body."""
        super().data_received(data)
        if self in self.waiting and self.cycle is not None and not self.cycle.response_complete:
            del self.waiting[self]
            self._limit(self.body_seconds)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        if not self.transport.is_closing():
            self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._timer is not None:
            self._timer.cancel()
        self.waiting.pop(self, None)
        super().connection_lost(exc)
