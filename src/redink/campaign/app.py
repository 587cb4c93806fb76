"""The web application: ``create_app(desk)`` with its list of routes."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from redink.campaign.desk import Desk, Workload
from redink.campaign.guards import RateLimit, client_key, form_token, hash_token, read_form
from redink.campaign.organiser import OrganiserPages
from redink.campaign.tasks.protocol import AnswerError, Field
from redink.reports.html import open_templates
from redink.web.headers import SecurityHeaders

HERE = Path(__file__).parent


def make_templates() -> Environment:
    """The pages; everything put into them is escaped."""
    pages = open_templates("redink.campaign")
    template = pages.get_template("fields.html")

    def write(fields: tuple[Field, ...], filled: dict[str, Any]) -> Markup:
        return Markup(template.render(fields=fields, filled=filled))  # noqa: S704 (it escapes)

    # Questions without answers, the usual ones, are written only once.
    write_unanswered = lru_cache(maxsize=1000)(lambda fields: write(fields, {}))
    pages.globals["show_questions"] = lambda fields, filled: (
        write(fields, filled) if filled else write_unanswered(fields)
    )
    return pages


class JudgePages:
    """What a judge sees: one item at a time, the instructions, and the end."""

    def __init__(self, desk: Desk, templates: Environment) -> None:
        self._desk = desk
        self._templates = templates
        # The same on every page of a campaign: rendered once.
        self._instructions = Markup(  # noqa: S704 (our own template, which escapes)
            templates.get_template("instructions.html").render(instructions=desk.task.instructions)
        )
        self._per_judge = RateLimit(burst=60, per_second=20)
        self._strangers = RateLimit(burst=30, per_second=3)
        self._shown: dict[tuple[int, int], float] = {}

    def routes(self) -> list[Route]:
        """The paths of a judge's link."""
        return [
            Route("/j/{token}", self.current),
            Route("/j/{token}/help", self.help),
            Route("/j/{token}/{position:int}", self.item),
            Route("/j/{token}/{position:int}", self.submit, methods=["POST"]),
        ]

    def _workload(self, request: Request) -> Workload:
        token = request.path_params["token"]
        workload = self._desk.find(token)
        if workload is None:
            # Only those without a valid link are slowed down by their address.
            self._strangers.check(client_key(request))
            raise HTTPException(404, "This link is not valid. Please ask the organiser.")
        self._per_judge.check(hash_token(token))
        return workload

    def _page(self, name: str, request: Request, workload: Workload, **values: Any) -> HTMLResponse:
        token = request.path_params["token"]
        status = values.pop("status", 200)
        html = self._templates.get_template(name).render(
            base=f"/j/{token}",
            form=form_token(self._desk.settings["secret"], token),
            title=self._desk.task.title,
            campaign=self._desk.settings["title"],
            instructions=self._instructions,
            done=len(workload.answered),
            total=len(workload.sequence),
            **values,
        )
        return HTMLResponse(html, status_code=status)

    async def current(self, request: Request) -> Response:
        """The next item, or the end."""
        workload = self._workload(request)
        return self._show(request, workload, workload.next_position)

    async def help(self, request: Request) -> Response:
        """The instructions on a page of their own."""
        return self._page("help.html", request, self._workload(request))

    async def item(self, request: Request) -> Response:
        """An item again, to look at or change its answer."""
        workload = self._workload(request)
        return self._show(request, workload, request.path_params["position"])

    def _show(
        self,
        request: Request,
        workload: Workload,
        position: int,
        *,
        error: str = "",
        fields: dict[str, Any] | None = None,
    ) -> Response:
        if workload.judge.excluded:
            return self._page("finished.html", request, workload, reason="")
        if self._desk.paused:
            return self._page("paused.html", request, workload)
        if position > workload.next_position:
            raise HTTPException(404, "That item is not open yet.")
        if position == len(workload.sequence):
            return self._page("finished.html", request, workload, reason="all")
        assignment = workload.sequence[position]
        item = self._desk.items[assignment.item]
        answered = workload.answered.get(position)
        if fields is None:
            fields = (
                self._desk.task.filled(item, answered.answer, assignment.id) if answered else {}
            )
        self._shown.setdefault((workload.judge.id, position), time.monotonic())
        return self._page(
            self._desk.task.template,
            request,
            workload,
            status=422 if error else 200,
            position=position,
            submission=secrets.token_urlsafe(12),
            error=error,
            filled=fields,
            **self._desk.task.view(item, assignment.id),
        )

    async def submit(self, request: Request) -> Response:
        """Take an answer; the reply goes out when it is on disk."""
        workload = self._workload(request)
        form = await read_form(request, secret=self._desk.settings["secret"])
        position = request.path_params["position"]
        base = f"/j/{request.path_params['token']}"
        wants_json = request.headers.get("accept") == "application/json"
        if workload.judge.excluded or self._desk.paused:
            return _moved(base, wants_json=wants_json)
        if position > workload.next_position or position >= len(workload.sequence):
            raise HTTPException(404, "That item is not open yet.")
        submission = form.pop("submission", [""])[0]
        shown = self._shown.pop((workload.judge.id, position), None)
        seconds = None if shown is None else time.monotonic() - shown
        try:
            await self._desk.submit(
                workload, position, form, submission=submission, seconds=seconds
            )
        except AnswerError as error:
            if shown is not None:
                self._shown[workload.judge.id, position] = shown
            if wants_json:
                return JSONResponse({"error": str(error)}, status_code=422)
            filled = {name: v[0] if len(v) == 1 else v for name, v in form.items()}
            return self._show(request, workload, position, error=str(error), fields=filled)
        return _moved(base, wants_json=wants_json)


def _moved(address: str, *, wants_json: bool) -> Response:
    if wants_json:
        return JSONResponse({"next": address})
    return RedirectResponse(address, status_code=303)


def create_app(desk: Desk) -> Starlette:
    """The application of one campaign."""
    templates = make_templates()

    def say(heading: str, text: str, status: int = 200) -> Response:
        html = templates.get_template("message.html").render(heading=heading, text=text)
        return HTMLResponse(html, status_code=status)

    async def welcome(_request: Request) -> Response:
        return say("redink", "Please open the personal link that you were given.")

    async def refuse(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if request.headers.get("accept") == "application/json":
            return JSONResponse({"error": error.detail}, status_code=error.status_code)
        return say("Sorry", error.detail, error.status_code)

    async def fail(_request: Request, _error: Exception) -> Response:
        return say("Sorry", "Something went wrong here; your earlier answers are safe.", 500)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        desk.close()

    return Starlette(
        routes=[
            Route("/", welcome),
            *JudgePages(desk, templates).routes(),
            *OrganiserPages(desk, templates).routes(),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ],
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers={HTTPException: refuse, 500: fail},
        lifespan=lifespan,
    )
