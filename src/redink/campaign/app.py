"""The web application: ``create_app(desk)`` with its list of routes."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from redink.campaign.desk import Desk, Workload
from redink.campaign.guards import RateLimit, client_key, form_token, hash_token, read_form
from redink.campaign.organiser import OrganiserPages
from redink.campaign.static_files import STATIC, KeptFiles, address_of
from redink.campaign.tasks.protocol import AnswerError, Field
from redink.campaign.wording import ENGLISH, Say, Words, load_words
from redink.reports.html import open_templates
from redink.web.headers import SecurityHeaders


def make_templates() -> Environment:
    """The pages; everything put into them is escaped."""
    pages = open_templates("redink.campaign")
    pages.globals |= {"t": Words().say, "language": ENGLISH, "static": address_of}
    template = pages.get_template("fields.html")

    def write(
        fields: tuple[Field, ...], filled: dict[str, Any], tokens: tuple[str, ...], t: Say
    ) -> Markup:
        html = template.render(fields=fields, filled=filled, tokens=tokens, t=t)
        return Markup(html)  # noqa: S704 (it escapes)

    # Questions without answers, the usual ones, are written only once.
    write_unanswered = lru_cache(maxsize=1000)(lambda *known: write(known[0], {}, *known[1:]))

    def show(
        fields: tuple[Field, ...], filled: dict[str, Any], tokens: tuple[str, ...], t: Say
    ) -> Markup:
        asked = tokens if any(field.kind == "span" for field in fields) else ()
        return write(fields, filled, asked, t) if filled else write_unanswered(fields, asked, t)

    pages.globals["show_questions"] = show
    return pages


class JudgePages:
    """What a judge sees: one item at a time, the instructions, and the end."""

    def __init__(self, desk: Desk, templates: Environment) -> None:
        self._desk = desk
        self._templates = templates
        # The same on every page of a campaign: rendered once.
        self._words = load_words(desk.settings.get("interface", ENGLISH))
        self._instructions = Markup(  # noqa: S704 (our own template, which escapes)
            templates.get_template("instructions.html").render(
                instructions=desk.task.instructions, t=self._words.say
            )
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
            Route("/j/{token}/{position:int}/step", self.step, methods=["POST"]),
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
            t=self._words.say,
            language=self._words.language,
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
            text_language=item.payload.get("language", ENGLISH),
            **self._desk.task.view(item, assignment.id),
        )

    async def step(self, request: Request) -> Response:
        """The same page after a step on the way to an answer; nothing is stored."""
        workload = self._workload(request)
        form = await read_form(request, secret=self._desk.settings["secret"])
        position = request.path_params["position"]
        if position > workload.next_position or position >= len(workload.sequence):
            raise HTTPException(404, "That item is not open yet.")
        form.pop("submission", None)
        assignment = workload.sequence[position]
        item = self._desk.items[assignment.item]
        try:
            # finding edits must not hold up the other judges
            fields = await asyncio.to_thread(self._desk.task.step, item, form, assignment.id)
        except AnswerError as error:
            text = error.say(self._words)
            fields = self._desk.task.restored(item, form)
            page = self._show(request, workload, position, error=text, fields=fields)
            page.status_code = 200  # nothing was to be stored
            return page
        return self._show(request, workload, position, fields=fields)

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
            text = error.say(self._words)
            if wants_json:
                return JSONResponse({"error": text}, status_code=422)
            item = self._desk.item_at(workload, position)
            filled = self._desk.task.restored(item, form)
            return self._show(request, workload, position, error=text, fields=filled)
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
            Mount("/static", KeptFiles(directory=STATIC)),
        ],
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers={HTTPException: refuse, 500: fail},
        lifespan=lifespan,
    )
