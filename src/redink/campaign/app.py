"""The web application: ``create_app(desk)`` with its list of routes."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from redink.campaign.desk import MAX_COMMENT, Desk, NotStoredError, StaleError, worked_seconds
from redink.campaign.entrance import Step, judge_trial, next_step, take_step
from redink.campaign.guards import RateLimit, client_key, form_token, hash_token, read_form
from redink.campaign.live import Live
from redink.campaign.organiser import OrganiserPages
from redink.campaign.registration import RegistrationPages
from redink.campaign.site import Site, UnderPath
from redink.campaign.state import Workload
from redink.campaign.static_files import STATIC, KeptFiles, address_of
from redink.campaign.tasks.protocol import AnswerError, Field
from redink.campaign.wording import ENGLISH, Say, Words
from redink.errors import RedinkError
from redink.reports.html import open_templates
from redink.web.headers import SafeApplication


class _Place(Convertor[int]):
    """A position: so many digits that it cannot be too large to be a number."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("place", _Place())


def make_templates(site: Site) -> Environment:
    """The pages; everything put into them is escaped."""
    pages = open_templates("redink.campaign")
    pages.globals["root"] = site.path
    pages.globals["static"] = lambda name: f"{site.path}{address_of(name)}"
    pages.globals |= {"t": Words().say, "language": ENGLISH}
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

    remarks = pages.get_template("remarks.html")

    def write_remarks(filled: Mapping[str, Any], t: Say) -> Markup:
        return Markup(remarks.render(filled=filled, t=t, max_comment=MAX_COMMENT))  # noqa: S704

    write_no_remarks = lru_cache(maxsize=100)(lambda t: write_remarks({}, t))
    pages.globals["show_questions"] = show
    pages.globals["show_remarks"] = lambda filled, t: (
        write_remarks(filled, t)
        if any(name.startswith("remark-") for name in filled)
        else write_no_remarks(t)
    )
    return pages


@dataclass(frozen=True)
class Visit:
    """A request with a judge's link: whose it is, and in which campaign."""

    request: Request
    desk: Desk
    workload: Workload
    base: str
    """The path of the link."""

    @property
    def token(self) -> str:
        """What makes the link theirs."""
        token: str = self.request.path_params["token"]
        return token

    @property
    def wants_json(self) -> bool:
        """Whether the script asks, not the browser by itself."""
        return self.request.headers.get("accept") == "application/json"


class JudgePages:
    """What a judge sees: one item at a time, the instructions, and the end."""

    def __init__(self, desks: Sequence[Desk], templates: Environment, site: Site) -> None:
        self._desks = desks
        self._templates = templates
        self._site = site
        # The same on every page of a campaign: rendered once.
        instructions = templates.get_template("instructions.html")
        self._instructions = {
            desk: Markup(  # noqa: S704 (it escapes)
                instructions.render(instructions=desk.task.instructions, t=desk.words.say)
            )
            for desk in desks
        }
        self._prepared: dict[Desk, asyncio.Task[None]] = {}
        self._per_judge = RateLimit(burst=60, per_second=20)
        self._strangers = RateLimit(burst=30, per_second=3)
        self._shown: dict[tuple[int, int], float] = {}

    def routes(self) -> list[Route]:
        """The paths of a judge's link."""
        return [
            Route("/j/{token}", self.current),
            Route("/j/{token}/help", self.help),
            Route("/j/{token}/begin", self.begin, methods=["POST"]),
            Route("/j/{token}/{position:place}", self.item),
            Route("/j/{token}/{position:place}", self.submit, methods=["POST"]),
            Route("/j/{token}/{position:place}/step", self.step, methods=["POST"]),
        ]

    async def _admit(self, request: Request) -> Visit:
        token = request.path_params["token"]
        found = [(desk, work) for desk in self._desks if (work := desk.find(token))]
        if not found:
            # Only those without a valid link are slowed down by their address.
            self._strangers.check(client_key(request))
            looked = [(desk, await desk.look(token)) for desk in self._desks]
            found = [(desk, work) for desk, work in looked if work]
        if not found:
            raise HTTPException(404, "This link is not valid. Please ask the organiser.")
        self._per_judge.check(hash_token(token))
        return Visit(request, *found[0], base=f"{self._site.path}/j/{token}")

    def _page(self, name: str, visit: Visit, *, status: int = 200, **values: Any) -> HTMLResponse:
        desk, workload = visit.desk, visit.workload
        html = self._templates.get_template(name).render(
            base=visit.base,
            form=form_token(desk.settings["secret"], visit.token),
            title=desk.task.title,
            campaign=desk.settings["title"],
            instructions=self._instructions[desk],
            t=desk.words.say,
            language=desk.words.language,
            done=len(workload.answered),
            total=workload.total,
            **values,
        )
        return HTMLResponse(html, status_code=status)

    async def current(self, request: Request) -> Response:
        """The next item, or the end."""
        visit = await self._admit(request)
        return await self._show(visit, None)

    async def help(self, request: Request) -> Response:
        """The instructions on a page of their own."""
        return self._page("help.html", await self._admit(request))

    async def item(self, request: Request) -> Response:
        """An item again, to look at or change its answer."""
        return await self._show(await self._admit(request), request.path_params["position"])

    async def _show(self, visit: Visit, position: int | None) -> Response:
        """The page of a position, or of the next one; or why there is none."""
        desk, workload = visit.desk, visit.workload
        if workload.judge.excluded:
            return self._page("finished.html", visit, reason="")
        if desk.paused:
            return self._page("paused.html", visit)
        if (step := next_step(desk, workload)) is not None:
            return self._enter(visit, step)
        try:
            following = await desk.next_position(workload)
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
                completion=desk.settings.get("completion"),
            )
        return self._ask(visit, position)

    def _enter(
        self, visit: Visit, step: Step, *, error: str = "", form: dict[str, list[str]] | None = None
    ) -> Response:
        """A page before the first item."""
        task = visit.desk.task
        if step.trial is None:
            consent = task.entrance.consent if task.entrance else ""
            return self._page(
                "begin.html",
                visit,
                kind=step.kind,
                at=step.number,
                body=Markup(consent),  # noqa: S704 (made of text that was escaped)
            )
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
        """A step before the first item is done, or an answer to the training is to be judged."""
        visit = await self._admit(request)
        desk = visit.desk
        form = await read_form(request, secret=desk.settings["secret"])
        step = next_step(desk, visit.workload)
        if step is None or form.pop("at", [""])[0] != str(step.number):
            return RedirectResponse(visit.base, status_code=303)  # another window was faster
        if step.trial is None or "go_on" in form:
            await take_step(desk, visit.workload, step)
            return RedirectResponse(visit.base, status_code=303)
        view = desk.task.view(step.trial.item, 0)
        try:
            verdicts = judge_trial(view["fields"], step.trial, form)
        except AnswerError as error:
            return self._enter(visit, step, error=error.say(desk.words), form=form)
        return self._page(
            "begin.html",
            visit,
            kind=step.kind,
            at=step.number,
            sentence="".join(part.text for part in view["parts"]),
            verdicts=verdicts,
            body=Markup(step.trial.feedback),  # noqa: S704 (made of text that was escaped)
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
        """The page of an item, with the answer that was given, or that was being given."""
        desk, workload = visit.desk, visit.workload
        assignment = workload.sequence[position]
        item = desk.items[assignment.item]
        answered = workload.answered.get(position)
        if fields is None:
            fields = {}
            if answered:
                fields = {} if answered.skipped else self._filled(desk, position, workload)
                for name, value in (answered.remark or {}).items():
                    fields[f"remark-{name}"] = value
        self._shown.setdefault((id(workload), position), time.monotonic())
        return self._page(
            desk.task.template,
            visit,
            status=status,
            position=position,
            submission=f"{secrets.token_urlsafe(12)}.{workload.basis(position)}",
            error=error,
            filled=fields,
            text_language=item.payload.get("language", ENGLISH),
            **desk.task.view(item, assignment.id),
        )

    def _filled(self, desk: Desk, position: int, workload: Workload) -> dict[str, Any]:
        assignment = workload.sequence[position]
        answer = workload.answered[position].answer
        return dict(desk.task.filled(desk.items[assignment.item], answer, assignment.id))

    async def _prepare(self, desk: Desk) -> None:
        """Wait, without holding up others, until what the task needs is loaded."""
        if desk not in self._prepared:
            self._prepared[desk] = asyncio.create_task(asyncio.to_thread(desk.task.prepare))
        await asyncio.shield(self._prepared[desk])

    async def step(self, request: Request) -> Response:
        """The same page after a step on the way to an answer; nothing is stored."""
        visit = await self._admit(request)
        desk, workload = visit.desk, visit.workload
        form = await read_form(request, secret=desk.settings["secret"])
        position = request.path_params["position"]
        if position > workload.next_position or position >= len(workload.sequence):
            raise HTTPException(404, "That item is not open yet.")
        assignment = workload.sequence[position]
        item = desk.items[assignment.item]
        try:
            # finding edits must not hold up the other judges
            fields = await asyncio.to_thread(desk.task.step, item, form, assignment.id)
        except AnswerError as error:
            fields, text = desk.task.restored(item, form), error.say(desk.words)
            return self._ask(visit, position, error=text, fields=fields)
        return self._ask(visit, position, fields=fields)

    async def submit(self, request: Request) -> Response:
        """Take an answer; the reply goes out when it is on disk."""
        visit = await self._admit(request)
        desk, workload = visit.desk, visit.workload
        await self._prepare(desk)
        form = await read_form(request, secret=desk.settings["secret"])
        position = request.path_params["position"]
        if position > workload.next_position or position >= len(workload.sequence):
            raise HTTPException(404, "That item is not open yet.")
        if next_step(desk, workload) is not None:
            raise HTTPException(409, "Please open the link again: something comes before this.")
        submission = form.pop("submission", [""])[0]
        said = form.pop("active", [""])[0]
        shown = self._shown.get((id(workload), position))
        seconds = worked_seconds(None if shown is None else time.monotonic() - shown, said)
        try:
            await desk.submit(workload, position, form, submission=submission, seconds=seconds)
        except StaleError as error:
            text = error.say(desk.words)
            if visit.wants_json:
                text = f"{text} {desk.words.say('Please reload the page.')}"
                return JSONResponse({"error": text}, status_code=409)
            text = (
                f"{text} {desk.words.say('Here is that answer; send the form again to change it.')}"
            )
            return self._ask(visit, position, error=text, status=409)
        except NotStoredError as error:
            text = desk.words.say("Please keep this page open and send it again.")
            return self._refuse(visit, position, form, f"{error.say(desk.words)} {text}", 503)
        except AnswerError as error:
            return self._refuse(visit, position, form, error.say(desk.words), 422)
        self._shown.pop((id(workload), position), None)
        if visit.wants_json:
            return JSONResponse({"next": visit.base})
        return RedirectResponse(visit.base, status_code=303)

    def _refuse(
        self, visit: Visit, position: int, form: dict[str, list[str]], text: str, status: int
    ) -> Response:
        """Say why the answer is not taken, and keep what was entered."""
        if visit.wants_json:
            return JSONResponse({"error": text}, status_code=status)
        item = visit.desk.item_at(visit.workload, position)
        filled = visit.desk.task.restored(item, form)
        return self._ask(visit, position, error=text, fields=filled, status=status)


def _words_for(request: Request, desks: Sequence[Desk]) -> Words:
    """What is said to somebody whose page cannot be shown: in the language of their campaign."""
    if request.scope["path"].startswith(("/o/", "/all/")):  # the organisers' pages are in English
        return Words()
    token = request.path_params.get("token", "")
    found = [desk for desk in desks if hash_token(token) in desk.workloads] or desks
    spoken = {desk.words for desk in found}
    return spoken.pop() if len(spoken) == 1 else Words()


def create_app(*desks: Desk, site: Site | None = None) -> Starlette:
    """The application of one campaign, or of several."""
    site = site or Site()
    templates = make_templates(site)
    live = {desk: Live(desk) for desk in desks}
    # Whoever first opens the dashboard of a large campaign should not hold up the judges.
    templates.get_template("dashboard.html")
    for desk in desks:
        desk.statuses()

    def say(request: Request, heading: str, text: str, status: int = 200) -> Response:
        words = _words_for(request, desks)
        if request.headers.get("accept") == "application/json":
            return JSONResponse({"error": words.say(text)}, status_code=status)
        html = templates.get_template("message.html").render(
            heading=words.say(heading), text=words.say(text), language=words.language
        )
        return HTMLResponse(html, status_code=status)

    async def welcome(request: Request) -> Response:
        return say(request, "redink", "Please open the personal link that you were given.")

    async def refuse(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        text = "There is no such page." if error.detail == "Not Found" else error.detail
        return say(request, "Sorry", text, error.status_code)

    async def fail(request: Request, _error: Exception) -> Response:
        text = "Something went wrong here; your earlier answers are safe."
        return say(request, "Sorry", text, 500)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        for desk in desks:
            await desk.start()
            threading.Thread(target=desk.task.prepare, daemon=True).start()
        yield
        for desk in desks:
            await live[desk].stop()
            with suppress(RedinkError):
                await desk.stop()

    return SafeApplication(
        routes=[
            Route("/", welcome),
            *JudgePages(desks, templates, site).routes(),
            *RegistrationPages(desks, templates, site).routes(),
            *OrganiserPages(desks, templates, site, live).routes(),
            Mount("/static", KeptFiles(directory=STATIC)),
        ],
        exception_handlers={HTTPException: refuse, 500: fail},
        lifespan=lifespan,
        around=lambda app: UnderPath(app, site.path),
    )
