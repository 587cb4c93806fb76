"""The link for everybody: people register by themselves, as many as are wanted.

Sites that send people (Prolific, Mechanical Turk) put an id into the address. With it, the same
person comes back to their own work; without one, people choose a name.
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
from redink.campaign.desk import Desk
from redink.campaign.guards import RateLimit, client_key, form_token, hash_token, read_form, same
from redink.campaign.site import Site
from redink.errors import RedinkError

IDENTITIES = ("PROLIFIC_PID", "workerId", "id")
"""Under which names other sites send who somebody is."""
_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""What Mechanical Turk says of somebody who only looks."""


class RegistrationPages:
    """What somebody sees who opens the link for everybody."""

    def __init__(self, desks: Sequence[Desk], templates: Environment, site: Site) -> None:
        self._desks = desks
        self._templates = templates
        self._site = site
        self._visitors = RateLimit(burst=30, per_second=1)

    def routes(self) -> list[Route]:
        """The path of the link for everybody."""
        return [
            Route("/r/{token}", self.welcome),
            Route("/r/{token}", self.register, methods=["POST"]),
        ]

    def _admit(self, request: Request) -> Desk:
        token = request.path_params["token"]
        for desk in self._desks:
            opened = desk.settings.get("registration")
            if opened and same(hash_token(token), opened["token"]):
                return desk
        self._visitors.check(client_key(request))
        raise HTTPException(404, "This link is not valid. Please ask the organiser.")

    async def welcome(self, request: Request) -> Response:
        """Whether there is room, what is asked, and a button to begin."""
        desk = self._admit(request)
        identity = _identity(request.query_params)
        if identity and desk.find(token := setup.token_of(desk.settings, identity)):
            return self._send_to(token)
        return self._page(request, desk, identity)

    def _send_to(self, token: str) -> Response:
        return RedirectResponse(f"{self._site.path}/j/{token}", status_code=303)

    def _page(self, request: Request, desk: Desk, identity: str, error: str = "") -> Response:
        token = request.path_params["token"]
        html = self._templates.get_template("register.html").render(
            base=f"{self._site.path}/r/{token}",
            form=form_token(desk.settings["secret"], token),
            campaign=desk.settings["title"],
            instructions=desk.task.instructions,
            identity=identity,
            preview=request.query_params.get("assignmentId") == _PREVIEW,
            full=desk.registered >= desk.settings["registration"]["limit"],
            paused=desk.paused,
            error=error,
            t=desk.words.say,
            language=desk.words.language,
        )
        return HTMLResponse(html, status_code=422 if error else 200)

    async def register(self, request: Request) -> Response:
        """A new judge, sent on to their own link."""
        desk = self._admit(request)
        self._visitors.check(client_key(request))
        fields = await read_form(request, secret=desk.settings["secret"])
        sent = fields.get("identity", [""])[0].strip()
        name = sent or fields.get("name", [""])[0].strip()
        if not 0 < len(name) <= setup.MAX_NAME:
            text = "Please give a name or number of up to 60 letters."
            return self._page(request, desk, sent, text)
        token = setup.token_of(desk.settings, sent) if sent else None
        if token and desk.find(token):
            return self._send_to(token)
        if desk.paused:
            return self._page(request, desk, sent)
        try:
            new = await desk.do(lambda: setup.register(desk.store, name, token=token))
        except setup.FullError:
            return self._page(request, desk, sent)
        except RedinkError:
            text = "This name is taken. If it is yours, please use the link that you were given."
            return self._page(request, desk, sent, text)
        return self._send_to(new)


def _identity(query: Mapping[str, Any]) -> str:
    return next((query[name].strip() for name in IDENTITIES if query.get(name)), "")[
        : setup.MAX_NAME
    ]
