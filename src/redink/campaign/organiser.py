"""The organiser's pages: progress, live results, invitations, pause, export."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from redink.campaign import setup
from redink.campaign.desk import Desk, in_thread
from redink.campaign.guards import RateLimit, client_key, form_token, read_form
from redink.campaign.results import EXPORTS, choose_export, export_answers, make_live_tables
from redink.campaign.site import Site
from redink.errors import RedinkError

MAX_NAME = 60


class OrganiserPages:
    """Everything behind the organiser's link."""

    def __init__(self, desks: Sequence[Desk], templates: Environment, site: Site) -> None:
        self._desks = desks
        self._templates = templates
        self._site = site
        self._strangers = RateLimit(burst=30, per_second=3)
        self._live: dict[Desk, tuple[int, list[Any]]] = {}

    def routes(self) -> list[Route]:
        """The paths of the organiser's link."""
        return [
            Route("/o/{token}", self.dashboard),
            Route("/o/{token}/export.{suffix}", self.export),
            Route("/o/{token}/{action}", self.act, methods=["POST"]),
        ]

    def _admit(self, request: Request) -> Desk:
        token: str = request.path_params["token"]
        for desk in self._desks:
            if desk.is_organiser(token):
                return desk
        self._strangers.check(client_key(request))
        raise HTTPException(404, "This link is not valid.")

    async def dashboard(self, request: Request) -> Response:
        """Progress per judge, live agreement and results."""
        return await self._show(request, self._admit(request))

    async def _show(
        self, request: Request, desk: Desk, *, link: str = "", error: str = ""
    ) -> Response:
        token = request.path_params["token"]
        html = self._templates.get_template("dashboard.html").render(
            base=f"{self._site.path}/o/{token}",
            form=form_token(desk.settings["secret"], token),
            campaign=desk.settings["title"],
            title=desk.task.title,
            paused=desk.paused,
            problem=desk.problem,
            judges=desk.statuses(),
            tables=await self._live_tables(desk),
            exports=[suffix[1:] for suffix in EXPORTS[desk.task.kind]],
            link=link,
            error=error,
        )
        return HTMLResponse(html, status_code=422 if error else 200)

    async def _live_tables(self, desk: Desk) -> list[Markup]:
        # Results change only with answers, and computing them must not hold up the judges.
        version, tables = self._live.get(desk, (-1, []))
        if version != desk.version:
            version = desk.version
            made = await asyncio.to_thread(make_live_tables, desk.store)
            tables = [Markup(table.to_html()) for table in made]  # noqa: S704 (it escapes)
            self._live[desk] = version, tables
        return tables

    async def act(self, request: Request) -> Response:
        """Pause, go on, invite, revoke."""
        desk = self._admit(request)
        fields = await read_form(request, secret=desk.settings["secret"])
        name = fields.get("name", [""])[0].strip()
        action = request.path_params["action"]
        try:
            if action in {"pause", "resume"}:
                await desk.do(lambda: desk.store.change_setting("paused", action == "pause"))
            elif action == "invite":
                if not name or len(name) > MAX_NAME:
                    text = f"A judge needs a name of up to {MAX_NAME} letters."
                    return await self._show(request, desk, error=text)
                token = await desk.do(lambda: setup.invite(desk.store, name))
                link = self._site.link(f"/j/{token}")
                return await self._show(request, desk, link=link)
            elif action == "revoke":
                await desk.do(lambda: setup.revoke(desk.store, name))
            else:
                raise HTTPException(404, "There is no such action.")
        except RedinkError as error:
            return await self._show(request, desk, error=str(error))
        home = f"{self._site.path}/o/{request.path_params['token']}"
        return RedirectResponse(home, status_code=303)

    async def export(self, request: Request) -> Response:
        """All answers so far, in a form that redink's other commands read."""
        desk = self._admit(request)
        kind = desk.task.kind
        suffix = request.path_params["suffix"]
        if f".{suffix}" not in EXPORTS[kind]:
            raise HTTPException(404, "There is no such export.")
        write = choose_export(kind, None, f".{suffix}")

        def write_all() -> str:
            stream = io.StringIO()
            write(export_answers(desk.store), stream)
            return stream.getvalue()

        try:
            text = await in_thread(write_all)
        except RedinkError as error:
            raise HTTPException(409, str(error)) from error
        return Response(
            text,
            media_type="text/plain; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{kind}.{suffix}"'},
        )
