"""The public address of a server, with which links begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from redink.errors import OptionError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

HOME = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Site:
    """A public address, without a slash at its end: ``https://example.org/judging``."""

    address: str = HOME

    @property
    def path(self) -> str:
        """The prefix of all paths, if a reverse proxy forwards a part of its paths."""
        return urlsplit(self.address).path

    def link(self, path: str) -> str:
        """Return a link to a path."""
        return f"{self.address}{path}"


def read_address(address: str) -> str:
    """Return an address without the slash at its end; raise an OptionError if it is not one."""
    try:
        parts = urlsplit(address)
        whole = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        whole = False
    if not whole or parts.query or parts.fragment or not address.isprintable() or " " in address:
        raise OptionError(
            f"{address!r} is not an address that links can begin with; give one like "
            "https://example.org or https://example.org/judging"
        )
    return address.rstrip("/")


class PathPrefix:
    """Serve an application with or without a prefix, which a proxy may remove or not."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self.app = app
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Remove the prefix of a request."""
        whole = scope.get("path", "")
        if self._path and (whole == self._path or whole.startswith(f"{self._path}/")):
            scope = {**scope, "path": whole[len(self._path) :] or "/"}
            scope.pop("raw_path", None)
        await self.app(scope, receive, send)
