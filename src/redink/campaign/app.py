"""The web application: ``create_app(server)`` with its list of routes."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from redink.campaign.live_results import LiveResults
from redink.campaign.onboarding import OnboardingStep, check_trial, next_step, take_step
from redink.campaign.organizer import OrganizerPages
from redink.campaign.registration import RegistrationPages
from redink.campaign.security import RateLimit, client_key, form_token, hash_token, read_form
from redink.campaign.server import (
    MAX_COMMENT,
    CampaignServer,
    NotStoredError,
    StaleError,
    worked_seconds,
)
from redink.campaign.site import PathPrefix, Site
from redink.campaign.state import Workload
from redink.campaign.static_files import STATIC, CachedFiles, address_of
from redink.campaign.tasks.protocol import AnswerError
from redink.campaign.translation import ENGLISH, Translation
from redink.errors import RedinkError
from redink.reports.html import open_templates
from redink.web.headers import SafeApplication


class _Position(Convertor[int]):
    """A position in a path, with so few digits that it is not too large a number."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("position", _Position())


def make_templates(site: Site) -> Environment:
    """Return the page templates, which escape all values."""
    pages = open_templates("redink.campaign")
    pages.globals |= {
        "root": site.path,
        "static": lambda name: f"{site.path}{address_of(name)}",
        "t": Translation().translate,
        "language": ENGLISH,
        "max_comment": MAX_COMMENT,
    }
    return pages


@dataclass(frozen=True)
class Visit:
    """A request with a judge's link."""

    request: Request
    server: CampaignServer
    workload: Workload
    base: str
    """The path of the link."""

    @property
    def wants_json(self) -> bool:
        """Whether the request comes from the page's script."""
        return self.request.headers.get("accept") == "application/json"

    async def form(self) -> dict[str, list[str]]:
        """Read the form that was sent."""
        return await read_form(self.request, secret=self.server.settings["secret"])


class JudgePages:
    """The pages of a judge: one item at a time, the instructions, and the end."""

    def __init__(
        self, servers: Sequence[CampaignServer], templates: Environment, site: Site
    ) -> None:
        self._servers = servers
        self._templates = templates
        self._site = site
        template = templates.get_template("instructions.html")
        self._instructions = {  # rendered once: they are on every page
            server: Markup(  # noqa: S704 (the template escapes)
                template.render(instructions=server.task.instructions, t=server.translate)
            )
            for server in servers
        }
        self._prepared: dict[CampaignServer, asyncio.Task[None]] = {}
        self._per_judge = RateLimit(burst=60, per_second=20)
        self._strangers = RateLimit(burst=30, per_second=3)
        self._shown: dict[tuple[int, int], float] = {}

    def routes(self) -> list[Route]:
        """Return the routes of a judge's link."""
        return [
            Route("/j/{token}", self.current),
            Route("/j/{token}/help", self.help),
            Route("/j/{token}/begin", self.begin, methods=["POST"]),
            Route("/j/{token}/{position:position}", self.item),
            Route("/j/{token}/{position:position}", self.submit, methods=["POST"]),
            Route("/j/{token}/{position:position}/step", self.step, methods=["POST"]),
        ]

    async def _admit(self, request: Request) -> Visit:
        token = request.path_params["token"]
        found = [(server, work) for server in self._servers if (work := server.find(token))]
        if not found:
            # Requests with a valid link are not limited by their address.
            self._strangers.check(client_key(request))
            looked = [(server, await server.look_up(token)) for server in self._servers]
            found = [(server, work) for server, work in looked if work]
        if not found:
            raise HTTPException(404, "This link is not valid. Please ask the organiser.")
        self._per_judge.check(hash_token(token))
        return Visit(request, *found[0], base=f"{self._site.path}/j/{token}")

    def _page(self, name: str, visit: Visit, *, status: int = 200, **values: Any) -> HTMLResponse:
        server, workload = visit.server, visit.workload
        html = self._templates.get_template(name).render(
            base=visit.base,
            form=form_token(server.settings["secret"], visit.request.path_params["token"]),
            title=server.task.title,
            campaign=server.settings["title"],
            instructions=self._instructions[server],
            t=server.translate,
            language=server.translation.language,
            done=len(workload.answered),
            total=workload.total,
            **values,
        )
        return HTMLResponse(html, status_code=status)

    async def current(self, request: Request) -> Response:
        """Show the next item, or the end."""
        return await self._show(await self._admit(request), None)

    async def help(self, request: Request) -> Response:
        """Show the instructions on a separate page."""
        return self._page("help.html", await self._admit(request))

    async def item(self, request: Request) -> Response:
        """Show an item again, so that its answer can be changed."""
        return await self._show(await self._admit(request), request.path_params["position"])

    async def _show(self, visit: Visit, position: int | None) -> Response:
        """Show a position, or the next one; or why there is none."""
        server, workload = visit.server, visit.workload
        if workload.judge.excluded:
            return self._page("finished.html", visit, reason="")
        if server.paused:
            return self._page("paused.html", visit)
        if (step := next_step(server, workload)) is not None:
            return self._show_step(visit, step)
        try:
            following = await server.next_position(workload)
        except RedinkError as error:
            raise HTTPException(503, "There is no next item just now; please try again.") from error
        if position is None:
            position = following
        if position > following:
            raise HTTPException(404, "That item is not open yet.")
        if position == len(workload.sequence):
            return self._page(
                "finished.html",
                visit,
                reason="all" if workload.answered else "none",
                last=position - 1,
                completion=server.settings.get("completion"),
            )
        return self._ask(visit, position)

    def _show_step(
        self,
        visit: Visit,
        step: OnboardingStep,
        *,
        error: str = "",
        form: dict[str, list[str]] | None = None,
    ) -> Response:
        """Show a page that comes before the first item."""
        task = visit.server.task
        if step.trial is None:
            consent = Markup(task.onboarding.consent if task.onboarding else "")  # noqa: S704
            return self._page("begin.html", visit, kind=step.kind, at=step.number, body=consent)
        return self._page(
            task.template,
            visit,
            status=422 if error else 200,
            action=f"{visit.base}/begin",
            at=step.number,
            position=0,
            submission="",
            error=error,
            filled=task.restored(step.trial.item, form or {}),
            text_language=step.trial.item.payload.get("language", ENGLISH),
            **task.view(step.trial.item, 0),
        )

    async def begin(self, request: Request) -> Response:
        """Finish a step before the first item, or check an answer to a training item."""
        visit = await self._admit(request)
        server = visit.server
        form = await visit.form()
        step = next_step(server, visit.workload)
        if step is None or form.pop("at", [""])[0] != str(step.number):
            return RedirectResponse(visit.base, status_code=303)  # another window was faster
        if step.trial is None or "go_on" in form:
            await take_step(server, visit.workload, step)
            return RedirectResponse(visit.base, status_code=303)
        view = server.task.view(step.trial.item, 0)
        try:
            verdicts = check_trial(view["fields"], step.trial, form)
        except AnswerError as error:
            text = error.translated(server.translation)
            return self._show_step(visit, step, error=text, form=form)
        return self._page(
            "begin.html",
            visit,
            kind=step.kind,
            at=step.number,
            sentence="".join(part.text for part in view["parts"]),
            verdicts=verdicts,
            body=Markup(step.trial.feedback),  # noqa: S704 (its text was escaped)
        )

    def _ask(
        self,
        visit: Visit,
        position: int,
        *,
        error: str = "",
        fields: dict[str, Any] | None = None,
        status: int = 200,
    ) -> Response:
        """Show an item, with the answer that was given, or that was being given."""
        server, workload = visit.server, visit.workload
        assignment = workload.sequence[position]
        item = server.items[assignment.item]
        answered = workload.answered.get(position)
        if fields is None:
            fields = {}
            if answered:
                if not answered.skipped:
                    fields = dict(server.task.filled(item, answered.answer, assignment.id))
                fields |= {f"remark-{name}": said for name, said in (answered.remark or {}).items()}
        self._shown.setdefault((id(workload), position), time.monotonic())
        return self._page(
            server.task.template,
            visit,
            status=status,
            position=position,
            submission=f"{secrets.token_urlsafe(12)}.{workload.basis(position)}",
            error=error,
            filled=fields,
            text_language=item.payload.get("language", ENGLISH),
            **server.task.view(item, assignment.id),
        )

    async def _prepare(self, server: CampaignServer) -> None:
        """Wait, without delaying others, until the task has loaded its tools."""
        if server not in self._prepared:
            self._prepared[server] = asyncio.create_task(asyncio.to_thread(server.task.prepare))
        await asyncio.shield(self._prepared[server])

    async def _receive(self, visit: Visit) -> tuple[int, dict[str, list[str]]]:
        """Return the position and the form of an answer, if the item is open."""
        form = await visit.form()
        position = visit.request.path_params["position"]
        workload = visit.workload
        if position > workload.next_position or position >= len(workload.sequence):
            raise HTTPException(404, "That item is not open yet.")
        return position, form

    async def step(self, request: Request) -> Response:
        """Show the page after a step on the way to an answer; nothing is stored."""
        visit = await self._admit(request)
        position, form = await self._receive(visit)
        task, item = visit.server.task, visit.server.item_at(visit.workload, position)
        seed = visit.workload.sequence[position].id
        try:
            # finding edits must not delay the other judges
            fields = await asyncio.to_thread(task.step, item, form, seed)
        except AnswerError as error:
            text = error.translated(visit.server.translation)
            return self._ask(visit, position, error=text, fields=task.restored(item, form))
        return self._ask(visit, position, fields=fields)

    async def submit(self, request: Request) -> Response:
        """Take an answer; the response is sent when the answer is on disk."""
        visit = await self._admit(request)
        server, workload = visit.server, visit.workload
        await self._prepare(server)
        position, form = await self._receive(visit)
        if next_step(server, workload) is not None:
            raise HTTPException(409, "Please open the link again: something comes before this.")
        submission = form.pop("submission", [""])[0]
        said = form.pop("active", [""])[0]
        shown = self._shown.get((id(workload), position))
        seconds = worked_seconds(None if shown is None else time.monotonic() - shown, said)
        try:
            await server.submit(workload, position, form, submission=submission, seconds=seconds)
        except AnswerError as error:
            text = error.translated(server.translation)
            if isinstance(error, StaleError):
                if visit.wants_json:
                    text += f" {server.translate('Please reload the page.')}"
                    return JSONResponse({"error": text}, status_code=409)
                more = "Here is that answer; send the form again to change it."
                return self._ask(
                    visit, position, error=f"{text} {server.translate(more)}", status=409
                )
            status = 422
            if isinstance(error, NotStoredError):
                text += f" {server.translate('Please keep this page open and send it again.')}"
                status = 503
            if visit.wants_json:
                return JSONResponse({"error": text}, status_code=status)
            filled = server.task.restored(server.item_at(workload, position), form)
            return self._ask(visit, position, error=text, fields=filled, status=status)
        self._shown.pop((id(workload), position), None)
        if visit.wants_json:
            return JSONResponse({"next": visit.base})
        return RedirectResponse(visit.base, status_code=303)


def _translation_for(request: Request, servers: Sequence[CampaignServer]) -> Translation:
    """Return the language of an error page: that of the campaign, if it is known."""
    if request.scope["path"].startswith(("/o/", "/all/")):  # the organizer's pages are in English
        return Translation()
    token = request.path_params.get("token", "")
    found = [server for server in servers if hash_token(token) in server.workloads] or servers
    spoken = {server.translation for server in found}
    return spoken.pop() if len(spoken) == 1 else Translation()


def create_app(*servers: CampaignServer, site: Site | None = None) -> Starlette:
    """Return the application of one or several campaigns."""
    site = site or Site()
    templates = make_templates(site)
    live = {server: LiveResults(server) for server in servers}
    # The first dashboard of a large campaign should not delay the judges.
    templates.get_template("dashboard.html")
    for server in servers:
        server.statuses()

    def message(request: Request, heading: str, text: str, status: int = 200) -> Response:
        translation = _translation_for(request, servers)
        text = translation.translate(text)
        if request.headers.get("accept") == "application/json":
            return JSONResponse({"error": text}, status_code=status)
        html = templates.get_template("message.html").render(
            heading=translation.translate(heading), text=text, language=translation.language
        )
        return HTMLResponse(html, status_code=status)

    async def welcome(request: Request) -> Response:
        return message(request, "redink", "Please open the personal link that you were given.")

    async def refuse(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        text = "There is no such page." if error.detail == "Not Found" else error.detail
        return message(request, "Sorry", text, error.status_code)

    async def fail(request: Request, _error: Exception) -> Response:
        text = "Something went wrong here; your earlier answers are safe."
        return message(request, "Sorry", text, 500)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        for server in servers:
            await server.start()
            threading.Thread(target=server.task.prepare, daemon=True).start()
        yield
        for server in servers:
            await live[server].stop()
            with suppress(RedinkError):
                await server.stop()

    return SafeApplication(
        routes=[
            Route("/", welcome),
            *JudgePages(servers, templates, site).routes(),
            *RegistrationPages(servers, templates, site).routes(),
            *OrganizerPages(servers, templates, site, live).routes(),
            Mount("/static", CachedFiles(directory=STATIC)),
        ],
        exception_handlers={HTTPException: refuse, 500: fail},
        lifespan=lifespan,
        around=lambda app: PathPrefix(app, site.path),
    )
