"""The organiser's pages: progress, live results, invitations, pause, export."""

from __future__ import annotations

import asyncio
import io
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from redink.campaign.desk import Desk
from redink.campaign.guards import RateLimit, client_key, form_token, read_form
from redink.campaign.results import EXPORTS, choose_export, export_answers, make_live_tables
from redink.campaign.setup import invite
from redink.errors import RedinkError

MAX_NAME = 60


class OrganiserPages:
    """Everything behind the organiser's link."""

    def __init__(self, desk: Desk, templates: Environment) -> None:
        self._desk = desk
        self._templates = templates
        self._strangers = RateLimit(burst=30, per_second=3)
        self._live: tuple[int, list[Any]] = (-1, [])

    def routes(self) -> list[Route]:
        """The paths of the organiser's link."""
        return [
            Route("/o/{token}", self.dashboard),
            Route("/o/{token}/export.{suffix}", self.export),
            Route("/o/{token}/{action}", self.act, methods=["POST"]),
        ]

    def _admit(self, request: Request) -> str:
        token: str = request.path_params["token"]
        if not self._desk.is_organiser(token):
            self._strangers.check(client_key(request))
            raise HTTPException(404, "This link is not valid.")
        return token

    async def dashboard(self, request: Request) -> Response:
        """Progress per judge, live agreement and results."""
        return await self._show(self._admit(request))

    async def _show(self, token: str, *, link: str = "", error: str = "") -> Response:
        self._desk.refresh(at_once=True)
        html = self._templates.get_template("dashboard.html").render(
            base=f"/o/{token}",
            form=form_token(self._desk.settings["secret"], token),
            campaign=self._desk.settings["title"],
            title=self._desk.task.title,
            paused=self._desk.paused,
            judges=self._desk.statuses(),
            tables=await self._live_tables(),
            exports=[suffix[1:] for suffix in EXPORTS[self._desk.task.kind]],
            link=link,
            error=error,
        )
        return HTMLResponse(html, status_code=422 if error else 200)

    async def _live_tables(self) -> list[Markup]:
        # Results change only with answers, and computing them must not hold up the judges.
        count = sum(len(w.answered) for w in self._desk.workloads.values())
        if count != self._live[0]:
            tables = await asyncio.to_thread(make_live_tables, self._desk.store)
            self._live = (count, [Markup(table.to_html()) for table in tables])  # noqa: S704 (it escapes)
        return self._live[1]

    async def act(self, request: Request) -> Response:
        """Pause, go on, invite, revoke."""
        token = self._admit(request)
        fields = await read_form(request, secret=self._desk.settings["secret"])
        action = request.path_params["action"]
        name = fields.get("name", [""])[0].strip()
        if action in {"pause", "resume"}:
            self._desk.pause(paused=action == "pause")
        elif action == "invite":
            if not name or len(name) > MAX_NAME:
                return await self._show(token, error="A judge needs a name of up to 60 letters.")
            try:
                new = invite(self._desk.store, name)
            except RedinkError as error:
                return await self._show(token, error=str(error))
            self._desk.refresh(at_once=True)
            return await self._show(token, link=f"{request.base_url}j/{new}")
        elif action == "revoke":
            try:
                self._desk.revoke(name)
            except RedinkError as error:
                raise HTTPException(404, "There is no such judge.") from error
        else:
            raise HTTPException(404, "There is no such action.")
        return RedirectResponse(f"/o/{token}", status_code=303)

    async def export(self, request: Request) -> Response:
        """All answers so far, in a form that redink's other commands read."""
        self._admit(request)
        kind = self._desk.task.kind
        suffix = request.path_params["suffix"]
        if f".{suffix}" not in EXPORTS[kind]:
            raise HTTPException(404, "There is no such export.")
        write = choose_export(kind, None, f".{suffix}")
        text = await asyncio.to_thread(self._write, write)
        return Response(
            text,
            media_type="text/plain; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{kind}.{suffix}"'},
        )

    def _write(self, write: Any) -> str:
        stream = io.StringIO()
        try:
            write(export_answers(self._desk.store), stream)
        except RedinkError as error:
            raise HTTPException(409, str(error)) from error
        return stream.getvalue()
