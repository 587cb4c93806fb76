"""Shared parts of the web pages: the public address, static files, templates, links."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from redink.campaign.security import RateLimit, client_key, form_token, read_form
from redink.errors import OptionError

if TYPE_CHECKING:
    from redink.campaign.server import CampaignServer

HOME = "http://127.0.0.1:8000"
STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Site:
    """The public address of a server, with which links begin, without a slash at its end."""

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
            f"{address!r} is not a valid public address; expected one such as "
            "https://example.org or https://example.org/judging"
        )
    return address.rstrip("/")


@cache
def static_address(name: str) -> str:
    """Return the address of a static file; it changes with the content."""
    version = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={version}"


class CachedFiles(StaticFiles):
    """Files that a browser may cache, if it requests the current version."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file, with its cache header."""
        response = await super().get_response(path, scope)
        asked: bytes = scope.get("query_string", b"")
        if response.status_code == 200 and asked and static_address(path).endswith(asked.decode()):
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


class CampaignPages:
    """The pages of one kind of link, ``/KIND/TOKEN``, to any campaign of a server."""

    kind: str
    burst, per_second = 30, 3  # limit of requests with a wrong link from one address

    def __init__(
        self, servers: Sequence[CampaignServer], templates: Environment, site: Site
    ) -> None:
        self._servers = servers
        self._templates = templates
        self._site = site
        self._strangers = RateLimit(burst=self.burst, per_second=self.per_second)

    def _refuse(self, request: Request, text: str = "This link is not valid.") -> HTTPException:
        self._strangers.check(client_key(request))
        return HTTPException(404, text)

    def _base(self, request: Request) -> str:
        """Return the path of the link of a request."""
        return f"{self._site.path}/{self.kind}/{request.path_params['token']}"

    async def _form(self, request: Request, server: CampaignServer) -> dict[str, list[str]]:
        return await read_form(request, secret=server.settings["secret"])

    def _page(
        self, name: str, request: Request, server: CampaignServer, status: int = 200, **values: Any
    ) -> HTMLResponse:
        html = self._templates.get_template(name).render(
            base=self._base(request),
            form=form_token(server.settings["secret"], request.path_params["token"]),
            campaign=server.settings["title"],
            title=server.task.title,
            **values,
        )
        return HTMLResponse(html, status_code=status)
