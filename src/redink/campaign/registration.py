"""The sign-up link, with which people register themselves.

Prolific and Mechanical Turk put an ID into the address. With it, the same person comes back to
their own work; without one, people choose a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from redink.campaign import setup
from redink.campaign.security import RateLimit, client_key, form_token, hash_token, read_form, same
from redink.campaign.server import CampaignServer
from redink.campaign.site import Site
from redink.errors import RedinkError

IDENTITIES = ("PROLIFIC_PID", "workerId", "id")
"""The names under which other sites send the ID of a person."""
_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""The assignment of a preview in Mechanical Turk."""


class RegistrationPages:
    """The pages of the sign-up link."""

    def __init__(
        self, servers: Sequence[CampaignServer], templates: Environment, site: Site
    ) -> None:
        self._servers = servers
        self._templates = templates
        self._site = site
        self._visitors = RateLimit(burst=30, per_second=1)

    def routes(self) -> list[Route]:
        """Return the routes of the sign-up link."""
        return [
            Route("/r/{token}", self.welcome),
            Route("/r/{token}", self.register, methods=["POST"]),
        ]

    def _admit(self, request: Request) -> CampaignServer:
        token = request.path_params["token"]
        for server in self._servers:
            opened = server.settings.get("registration")
            if opened and same(hash_token(token), opened["token"]):
                return server
        self._visitors.check(client_key(request))
        raise HTTPException(404, "This link is not valid. Please ask the organiser.")

    async def welcome(self, request: Request) -> Response:
        """Show the task, and a button to begin if more people can register."""
        server = self._admit(request)
        identity = _identity(request.query_params)
        if identity and server.find(token := setup.token_of(server.settings, identity)):
            return self._send_to(token)
        return self._page(request, server, identity)

    def _send_to(self, token: str) -> Response:
        return RedirectResponse(f"{self._site.path}/j/{token}", status_code=303)

    def _page(
        self, request: Request, server: CampaignServer, identity: str, error: str = ""
    ) -> Response:
        token = request.path_params["token"]
        html = self._templates.get_template("register.html").render(
            base=f"{self._site.path}/r/{token}",
            form=form_token(server.settings["secret"], token),
            campaign=server.settings["title"],
            instructions=server.task.instructions,
            identity=identity,
            preview=request.query_params.get("assignmentId") == _PREVIEW,
            full=server.registered >= server.settings["registration"]["limit"],
            paused=server.paused,
            error=error,
            t=server.translate,
            language=server.translation.language,
        )
        return HTMLResponse(html, status_code=422 if error else 200)

    async def register(self, request: Request) -> Response:
        """Add a judge, and redirect to the judge's own link."""
        server = self._admit(request)
        self._visitors.check(client_key(request))
        fields = await read_form(request, secret=server.settings["secret"])
        sent = fields.get("identity", [""])[0].strip()
        name = sent or fields.get("name", [""])[0].strip()
        if not 0 < len(name) <= setup.MAX_NAME:
            text = "Please give a name or number of up to 60 letters."
            return self._page(request, server, sent, text)
        token = setup.token_of(server.settings, sent) if sent else None
        if token and server.find(token):
            return self._send_to(token)
        if server.paused:
            return self._page(request, server, sent)
        try:
            new = await server.do(lambda: setup.register(server.store, name, token=token))
        except setup.FullError:
            return self._page(request, server, sent)
        except RedinkError:
            text = "This name is taken. If it is yours, please use the link that you were given."
            return self._page(request, server, sent, text)
        return self._send_to(new)


def _identity(query: Mapping[str, Any]) -> str:
    found = next((query[name].strip() for name in IDENTITIES if query.get(name)), "")
    return found[: setup.MAX_NAME]
