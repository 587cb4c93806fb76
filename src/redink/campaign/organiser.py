"""The organiser's pages: progress, live results, items, invitations, pause, export, overview."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from redink.campaign import setup
from redink.campaign.desk import Desk, in_thread
from redink.campaign.guards import RateLimit, client_key, form_token, read_form, same
from redink.campaign.item_views import ItemView, history, say_item, view_items
from redink.campaign.live import Live
from redink.campaign.results import EXPORTS, choose_export, export_answers
from redink.campaign.site import Site
from redink.errors import RedinkError

_PAGE = 100
"""Items on one page of their list."""
CHOICES: dict[str, tuple[str, Callable[[ItemView], bool]]] = {
    "disputed": ("disputed", lambda view: view.disputed),
    "remarks": (
        "skipped, flagged or with comments",
        lambda v: v.skipped + v.flagged + v.comments > 0,
    ),
    "open": ("not judged yet", lambda view: not view.judged),
    "all": ("all", lambda _: True),
}
"""Which items are listed: what it is called, and whether an item is one."""


class OrganiserPages:
    """Everything behind the organiser's link, and the overview of all campaigns."""

    def __init__(
        self, desks: Sequence[Desk], templates: Environment, site: Site, live: dict[Desk, Live]
    ) -> None:
        self._desks = desks
        self._templates = templates
        self._site = site
        self._live = live
        self._strangers = RateLimit(burst=30, per_second=3)

    def routes(self) -> list[Route]:
        """The paths of the organiser's link."""
        return [
            Route("/all/{token}", self.overview),
            Route("/o/{token}", self.dashboard),
            Route("/o/{token}/live", self.live),
            Route("/o/{token}/items", self.items),
            Route("/o/{token}/items/{number:place}", self.item),
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

    def _base(self, request: Request) -> str:
        return f"{self._site.path}/o/{request.path_params['token']}"

    def _page(
        self, name: str, request: Request, desk: Desk, status: int = 200, **values: Any
    ) -> HTMLResponse:
        html = self._templates.get_template(name).render(
            base=self._base(request),
            form=form_token(desk.settings["secret"], request.path_params["token"]),
            campaign=desk.settings["title"],
            title=desk.task.title,
            **values,
        )
        return HTMLResponse(html, status_code=status)

    async def dashboard(self, request: Request) -> Response:
        """Progress per judge, live agreement and results."""
        return self._show(request, self._admit(request))

    def _show(
        self, request: Request, desk: Desk, *, link: str = "", whose: str = "", error: str = ""
    ) -> Response:
        return self._page(
            "dashboard.html",
            request,
            desk,
            422 if error else 200,
            link=link,
            whose=whose,
            error=error,
            exports=[suffix[1:] for suffix in EXPORTS[desk.task.kind]],
            **self._state(desk),
        )

    def _state(self, desk: Desk) -> dict[str, Any]:
        """What changes by itself while the page is open."""
        live = self._live[desk]
        judges = desk.statuses()
        return {
            "paused": desk.paused,
            "problem": desk.problem,
            "judges": judges,
            "done": sum(judge.done for judge in judges),
            "total": sum(judge.total for judge in judges),
            "wanted": desk.wanted,
            "results": live.look(),
            "current": live.is_current,
            "registration": self._registration(desk),
        }

    def _registration(self, desk: Desk) -> dict[str, Any] | None:
        if not desk.settings.get("registration"):
            return None
        limit = desk.settings["registration"].get("limit")
        return {"limit": limit, "registered": desk.registered}

    async def live(self, request: Request) -> Response:
        """The part of the dashboard that changes by itself, if it has changed."""
        desk = self._admit(request)
        state = self._state(desk)
        tag = f'"{desk.version}.{state["results"].number}.{desk.paused}.{hash(desk.problem)}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        page = self._page("live.html", request, desk, **state)
        page.headers["ETag"] = tag
        return page

    async def items(self, request: Request) -> Response:
        """The items, disputed ones first, with what was said of each."""
        desk = self._admit(request)
        wanted = request.query_params.get("show", "disputed")
        _, chosen = CHOICES.get(wanted, CHOICES["all"])
        number = request.query_params.get("page", "1")
        page = int(number) if number.isdecimal() and len(number) < 7 else 1
        views = await in_thread(lambda: view_items(desk))
        found = sorted(
            (v for v in views if chosen(v)), key=lambda view: (view.agreed, view.item.id)
        )
        pages = max(1, -(-len(found) // _PAGE))
        page = min(max(page, 1), pages)
        return self._page(
            "items.html",
            request,
            desk,
            views=found[(page - 1) * _PAGE : page * _PAGE],
            found=len(found),
            total=len(views),
            wanted=wanted,
            choices={name: words for name, (words, _) in CHOICES.items()},
            page=page,
            pages=pages,
        )

    async def item(self, request: Request) -> Response:
        """One item: what is shown of it, and everything that was ever said."""
        desk = self._admit(request)
        item = desk.items.get(request.path_params["number"])
        if item is None:
            raise HTTPException(404, "There is no such item.")
        try:
            said = await in_thread(lambda: history(desk, item))
        except RedinkError as error:
            raise HTTPException(503, str(error)) from error
        (view,) = await in_thread(lambda: view_items(desk, [item]))
        return self._page(
            "item.html", request, desk, view=view, text=say_item(item), said=said, item=item
        )

    async def act(self, request: Request) -> Response:
        """Pause, go on; invite, send a new link, revoke, and undo that."""
        desk = self._admit(request)
        fields = await read_form(request, secret=desk.settings["secret"])
        name = fields.get("name", [""])[0].strip()
        action = request.path_params["action"]
        store = desk.store
        changes: dict[str, Callable[[], Any]] = {
            "pause": lambda: store.change_setting("paused", True),
            "resume": lambda: store.change_setting("paused", False),
            "invite": lambda: setup.invite(store, name),
            "again": lambda: setup.reissue(store, name),
            "revoke": lambda: setup.revoke(store, name),
            "restore": lambda: setup.restore(store, name),
        }
        if action not in changes:
            raise HTTPException(404, "There is no such action.")
        if action == "invite" and not 0 < len(name) <= setup.MAX_NAME:
            text = f"A judge needs a name of up to {setup.MAX_NAME} letters."
            return self._show(request, desk, error=text)
        try:
            token = await desk.do(changes[action])
        except RedinkError as error:
            return self._show(request, desk, error=str(error))
        if action in {"invite", "again"}:
            link = self._site.link(f"/j/{token}")
            return self._show(request, desk, link=link, whose=name)
        return RedirectResponse(self._base(request), status_code=303)

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

    async def overview(self, request: Request) -> Response:
        """All campaigns of this server, for whoever runs it."""
        if not same(request.path_params["token"], setup.overview_token(self._settings())):
            self._strangers.check(client_key(request))
            raise HTTPException(404, "This link is not valid.")
        campaigns = []
        for desk in self._desks:
            judges = desk.statuses()
            token = setup.own_token(desk.settings)
            campaigns.append(
                {
                    "title": desk.settings["title"],
                    "place": desk.store.place,
                    "task": desk.task.name,
                    "link": f"{self._site.path}/o/{token}",
                    "judges": sum(judge.state == "active" for judge in judges),
                    "done": sum(judge.done for judge in judges),
                    "total": sum(judge.total for judge in judges),
                    "state": "paused" if desk.paused else desk.problem or "running",
                    "last": desk.last_given,
                }
            )
        html = self._templates.get_template("overview.html").render(campaigns=campaigns)
        return HTMLResponse(html)

    def _settings(self) -> list[dict[str, Any]]:
        return [desk.settings for desk in self._desks]
