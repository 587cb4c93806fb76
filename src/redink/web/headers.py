"""Security headers of every response."""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.types import Message, Receive, Scope, Send

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


class SafeApplication(Starlette):
    """An application whose responses all have the headers, also after a crash.

    A reverse proxy may remove ``prefix`` from the path of a request or not.
    """

    def __init__(self, *, prefix: str = "", **options: Any) -> None:
        super().__init__(**options)
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "http":
            path = scope["path"]
            if path == self._prefix or path.startswith(f"{self._prefix}/"):
                scope = {**scope, "path": path.removeprefix(self._prefix) or "/"}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await super().__call__(scope, receive, send_with_headers)
