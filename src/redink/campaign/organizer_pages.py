"""The organizer's pages: progress, live results, items, invitations, pause, export, overview."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment
from markupsafe import Markup
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from redink.campaign import setup
from redink.campaign.pages import CampaignPages, Site
from redink.campaign.results import (
    EXPORTS,
    ItemView,
    choose_export,
    export_answers,
    list_history,
    view_items,
)
from redink.campaign.security import new_token, same
from redink.campaign.server import CampaignServer
from redink.campaign.store import CampaignStore
from redink.errors import RedinkError

_PAGE = 100  # items on one page of their list
_PAUSE = 4.0  # pause after a computation of live results, as a multiple of the time that it took
CHOICES: dict[str, tuple[str, Callable[[ItemView], object]]] = {
    "disputed": ("disputed", lambda view: len(view.labels) > 1),
    "remarks": ("skipped, flagged, or with a comment", lambda view: view.remarks.total()),
    "open": ("not judged yet", lambda view: not view.judged),
    "all": ("all", lambda _: True),
}
"""The lists of items: the title, and whether an item belongs to the list."""
CONFIRMED = {
    "again": {
        "button": "New link",
        "label": "New link for",
        "effect": "The present link stops working at once. The answers remain.",
    },
    "revoke": {
        "button": "Revoke",
        "label": "Revoke the link of",
        "effect": "The link stops working at once. The answers remain and count.",
    },
    "exclude": {
        "button": "Exclude",
        "label": "Exclude",
        "effect": "The judge cannot continue, and the answers no longer count. They remain stored.",
    },
}
"""The actions that need a confirmation: the button, its description, and the effect."""


def _exports(server: CampaignServer) -> list[tuple[str, str]]:
    """Return the title and the relative address of every export."""
    found = []
    judges = [w.judge for w in server.workloads.values() if len(w.answered)]
    for suffix in (suffix[1:] for suffix in EXPORTS[server.task.kind]):
        names = [judge.name for judge in judges if not judge.excluded]
        if suffix == "ged.tsv" and len(names) > 1:  # flags are those of one annotator
            found += [
                (f"{suffix} of {name}", f"{suffix}?{urlencode({'annotator': name})}")
                for name in names
            ]
        else:
            found.append((suffix, suffix))
    return found


class LiveResults:
    """Results so far, computed again when there are new answers, while somebody watches them.

    A process of its own (``python -m redink.campaign.live_results``) computes them: judges never
    wait for statistics.
    """

    def __init__(self, server: CampaignServer) -> None:
        self._server = server
        self._working: asyncio.Task[None] | None = None
        self._version = -1
        self._free_at = 0.0
        self.tables: tuple[Markup, ...] = ()
        self.made: str | None = None  # time of the computation
        self.number = 0

    def refresh(self) -> bool:
        """Return whether the latest results have all answers; if not, start to compute them."""
        is_current = self._version == self._server.version
        is_free = self._working is None or self._working.done()
        if not is_current and is_free and time.monotonic() >= self._free_at:
            self._working = asyncio.create_task(self._compute())
        return is_current

    async def _compute(self) -> None:
        start, version = time.monotonic(), self._server.version
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "redink.campaign.live_results"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            # Not as an argument, which all users of the machine can read: it may have a password.
            output, _ = await process.communicate(self._server.store.address.encode())
            with suppress(ValueError):  # the process was killed; the next request starts another
                self.tables = tuple(map(Markup, json.loads(output)))  # the tables escape
                self.made = datetime.now().astimezone().strftime("%H:%M:%S %Z")
                self._version, self.number = version, self.number + 1
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        now = time.monotonic()
        self._free_at = now + _PAUSE * (now - start)

    async def stop(self) -> None:
        """End the computation."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.wait([self._working])


class OrganizerPages(CampaignPages):
    """The pages of the organizer's link, and the overview of all campaigns."""

    kind = "o"

    def __init__(
        self, servers: Sequence[CampaignServer], templates: Environment, site: Site, overview: str
    ) -> None:
        super().__init__(servers, templates, site)
        self._overview_token = overview
        self._live = {server: LiveResults(server) for server in servers}
        self._new_links: dict[str, tuple[str, str]] = {}  # judge and link, until they are shown

    async def stop(self) -> None:
        """End the computation of live results."""
        for live in self._live.values():
            await live.stop()

    def routes(self) -> list[Route]:
        """Return the routes of the organizer's link."""
        return [
            Route("/all/{token}", self._overview),
            Route("/o/{token}", self._dashboard),
            Route("/o/{token}/live", self._refresh),
            Route("/o/{token}/items", self._items),
            Route("/o/{token}/items/{number:position}", self._item),
            Route("/o/{token}/export.{suffix}", self._export),
            Route("/o/{token}/{action}", self._confirm),
            Route("/o/{token}/{action}", self._act, methods=["POST"]),
        ]

    def _admit(self, request: Request) -> CampaignServer:
        token: str = request.path_params["token"]
        for server in self._servers:
            if server.is_organizer(token):
                return server
        raise self._refuse(request)

    async def _dashboard(self, request: Request) -> Response:
        return self._show(request, self._admit(request))

    def _show(self, request: Request, server: CampaignServer, error: str = "") -> Response:
        whose, link = self._new_links.pop(request.query_params.get("new", ""), ("", ""))
        values = {"link": link, "whose": whose, "error": error, **self._state(server)}
        values["exports"] = _exports(server)
        return self._page("dashboard.html", request, server, 422 if error else 200, **values)

    def _state(self, server: CampaignServer) -> dict[str, Any]:
        """Return the values that change while the page is open."""
        live = self._live[server]
        judges = server.statuses()
        return {
            "paused": server.paused,
            "problem": server.problem,
            "judges": judges,
            "done": sum(judge.done for judge in judges),
            "total": sum(judge.total for judge in judges),
            "wanted": server.wanted,
            "required": server.required,
            "current": live.refresh(),
            "results": live,
            "registration": server.settings.get("registration"),
            "registered": server.registered,
            "confirmed": CONFIRMED,
        }

    async def _refresh(self, request: Request) -> Response:
        server = self._admit(request)
        state = self._state(server)
        tag = f'"{server.version}.{state["results"].number}.{server.paused}.{hash(server.problem)}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        page = self._page("live.html", request, server, **state)
        page.headers["ETag"] = tag
        return page

    async def _items(self, request: Request) -> Response:
        server = self._admit(request)
        wanted = request.query_params.get("show", "disputed")
        _, chosen = CHOICES.get(wanted, CHOICES["all"])
        number = request.query_params.get("page", "1")
        page = int(number) if number.isdecimal() and len(number) < 7 else 1
        views = await asyncio.to_thread(view_items, server)
        found = sorted(filter(chosen, views.values()), key=lambda view: (view.agreed, view.item.id))
        pages = max(1, -(-len(found) // _PAGE))
        page = min(max(page, 1), pages)
        return self._page(
            "items.html",
            request,
            server,
            views=found[(page - 1) * _PAGE : page * _PAGE],
            found=len(found),
            total=len(views),
            wanted=wanted,
            choices={name: words for name, (words, _) in CHOICES.items()},
            page=page,
            pages=pages,
        )

    async def _item(self, request: Request) -> Response:
        server = self._admit(request)
        item = server.items.get(request.path_params["number"])
        if item is None:
            raise HTTPException(404, "This item does not exist.")
        try:
            said = await asyncio.to_thread(list_history, server, item)
        except RedinkError as error:
            raise HTTPException(503, str(error)) from error
        views = await asyncio.to_thread(view_items, server, item)
        return self._page("item.html", request, server, view=views[item.id], said=said)

    async def _confirm(self, request: Request) -> Response:
        server = self._admit(request)
        action, judge = request.path_params["action"], request.query_params.get("name", "")
        if action not in CONFIRMED:
            raise HTTPException(404, "Unknown action.")
        if judge not in {workload.judge.name for workload in server.workloads.values()}:
            raise HTTPException(404, "This judge does not exist.")
        words = CONFIRMED[action]
        return self._page("confirm.html", request, server, action=action, judge=judge, words=words)

    async def _act(self, request: Request) -> Response:
        server = self._admit(request)
        fields = await self._form(request, server)
        name = fields.get("name", [""])[0].strip()
        action, base = request.path_params["action"], self._base(request)
        changes: dict[str, Callable[[CampaignStore, str], str | None]] = {
            "pause": lambda store, _: store.change_setting("paused", True),
            "resume": lambda store, _: store.change_setting("paused", False),
            "invite": setup.invite,
            "again": setup.reissue,
            "revoke": setup.revoke,
            "exclude": setup.exclude,
            "restore": setup.restore,
        }
        if action not in changes:
            raise HTTPException(404, "Unknown action.")
        if action == "invite" and not 0 < len(name) <= setup.MAX_NAME:
            text = f"Enter a name of at most {setup.MAX_NAME} characters."
            return self._show(request, server, text)
        try:
            token = await server.do(changes[action], server.store, name)
        except RedinkError as error:
            return self._show(request, server, str(error))
        server.log(action, judge=name)
        if token is not None:  # shown after a redirect: reloading that page changes nothing
            key = new_token()
            self._new_links[key] = name, self._site.link(f"/j/{token}")
            base += f"?new={key}"
        return RedirectResponse(base, status_code=303)

    async def _export(self, request: Request) -> Response:
        server = self._admit(request)
        kind = server.task.kind
        suffix = request.path_params["suffix"]
        if f".{suffix}" not in EXPORTS[kind]:
            raise HTTPException(404, "Unknown export format.")
        annotator = request.query_params.get("annotator")
        try:
            write = choose_export(kind, None, f".{suffix}", annotator)
        except RedinkError as error:
            raise HTTPException(404, str(error)) from error
        file = TemporaryFile("w+", encoding="utf-8", newline="")  # noqa: SIM115 (closed below)
        try:
            await asyncio.to_thread(lambda: write(export_answers(server), file))
        except RedinkError as error:
            file.close()
            raise HTTPException(409, str(error)) from error
        file.seek(0)
        headers = {"Content-Disposition": f'attachment; filename="{kind}.{suffix}"'}
        chunks = iter(lambda: file.read(1 << 16), "")
        closing = BackgroundTask(file.close)
        return StreamingResponse(
            chunks, media_type="text/plain", headers=headers, background=closing
        )

    async def _overview(self, request: Request) -> Response:
        if not same(request.path_params["token"], self._overview_token):
            raise self._refuse(request)
        campaigns = []
        for server in self._servers:
            judges = server.statuses()
            campaigns.append(
                {
                    "title": server.settings["title"],
                    "place": server.store.place,
                    "task": server.task.name,
                    "link": f"{self._site.path}/o/{server.overview_token}",
                    "judges": sum(judge.state == "active" for judge in judges),
                    "done": sum(judge.done for judge in judges),
                    "total": sum(judge.total for judge in judges),
                    "state": "paused" if server.paused else server.problem or "running",
                    "last": (await asyncio.to_thread(server.store.last_answer))[1],
                }
            )
        html = self._templates.get_template("overview.html").render(campaigns=campaigns)
        return HTMLResponse(html)
