"""Security headers of every response."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # A link can contain a token: it must not reach other sites, nor stay in a shared cache.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Robots-Tag": "noindex",
}


class SecurityHeaders:
    """Add the headers to every response, errors included."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str] = HEADERS) -> None:
        self.app = app
        self._pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] += [pair for pair in self._pairs if pair[0] not in given]
            await send(message)

        await self.app(scope, receive, send_with_headers)


class SafeApplication(Starlette):
    """An application whose responses all have the headers, also after a crash."""

    def __init__(
        self, *, around: Callable[[ASGIApp], ASGIApp] = lambda app: app, **how: Any
    ) -> None:
        self._around = around
        super().__init__(**how)

    def build_middleware_stack(self) -> ASGIApp:
        """Add the headers last, also to the responses of Starlette itself."""
        return self._around(SecurityHeaders(super().build_middleware_stack()))
