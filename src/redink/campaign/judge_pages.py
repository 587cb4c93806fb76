"""The judges' pages: sign-up, consent, instructions and training, one item at a time, the end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from jinja2 import Environment
from markupsafe import Markup
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from redink.campaign import setup
from redink.campaign.pages import CampaignPages, Site
from redink.campaign.security import RateLimit, client_key, hash_token, identity_token, same
from redink.campaign.server import (
    CampaignServer,
    NotStoredError,
    StaleError,
    Workload,
    basis_of,
    worked_seconds,
)
from redink.campaign.task_items import CampaignItem
from redink.campaign.tasks.protocol import AnswerError, Field, Onboarding, Trial
from redink.campaign.tasks.questions import read_fields
from redink.campaign.translation import ENGLISH
from redink.errors import RedinkError

IDENTITIES = ("PROLIFIC_PID", "workerId", "id")
"""The names under which other sites send the ID of a person."""
_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"  # the assignment of a preview in Mechanical Turk


class _Position(IntegerConvertor):
    """A position in a path, with so few digits that it is not too large a number."""

    regex = "[0-9]{1,9}"


register_url_convertor("position", _Position())


# -- pages before the first item -----------------------------------------------------------------


@dataclass(frozen=True)
class OnboardingStep:
    """One page before the first item; ``number`` counts from 0."""

    kind: Literal["consent", "background", "instructions", "training"]
    trial: Trial | None = None
    number: int = 0


def next_step(server: CampaignServer, workload: Workload) -> OnboardingStep | None:
    """Return the next page before the first item; None if the judge may begin."""
    onboarding = server.task.onboarding
    if onboarding is None or workload.answered:
        return None
    number = server.settings.get(f"begun:{workload.judge.id}", {}).get("step", 0)
    steps = [OnboardingStep("consent")] if onboarding.consent else []
    steps += [OnboardingStep("background")] if onboarding.background else []
    steps.append(OnboardingStep("instructions"))
    steps += [OnboardingStep("training", trial) for trial in onboarding.training]
    return replace(steps[number], number=number) if number < len(steps) else None


def check_trial(
    fields: Sequence[Field], trial: Trial, form: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    """Return question, whether it was answered right, and the right answer, for each question."""
    words = trial.item.payload["text"].split()
    given = read_fields(fields, form, len(words))
    verdicts = []
    for field in fields:
        if field.name not in trial.right:
            continue
        right, said = trial.right[field.name], given.get(field.name, "")
        if field.kind == "span":
            is_right, answer = said == right, " ".join(words[int(place)] for place in right)
        else:
            rights = [right] if isinstance(right, str) else right
            texts = {option.value: option.text for option in field.options}
            is_right = _folded(said) == _folded(right)
            answer = ", ".join(texts.get(one, one) for one in rights)
        verdicts.append({"question": field.question, "right": is_right, "answer": answer})
    return verdicts


def _folded(value: Any) -> Any:
    return value.casefold().strip() if isinstance(value, str) else value


# -- the pages of a judge ------------------------------------------------------------------------


@dataclass(frozen=True)
class Visit:
    """A request with a judge's link."""

    request: Request
    server: CampaignServer
    workload: Workload
    base: str  # the path of the link

    def go_on(self) -> Response:
        """Return a redirection to the judge's next page."""
        return RedirectResponse(self.base, status_code=303)


class JudgePages(CampaignPages):
    """The pages of a judge: one item at a time, the instructions, and the end."""

    kind = "j"

    def __init__(
        self, servers: Sequence[CampaignServer], templates: Environment, site: Site
    ) -> None:
        super().__init__(servers, templates, site)
        self._per_judge = RateLimit(burst=60, per_second=20)
        self._shown: dict[tuple[int, int], float] = {}

    def routes(self) -> list[Route]:
        """Return the routes of a judge's link."""
        return [
            Route("/j/{token}", self._item),
            Route("/j/{token}/help", self._help),
            Route("/j/{token}/begin", self._begin, methods=["POST"]),
            Route("/j/{token}/{position:position}", self._item),
            Route("/j/{token}/{position:position}", self._submit, methods=["POST"]),
            Route("/j/{token}/{position:position}/step", self._step, methods=["POST"]),
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
            raise HTTPException(404, "This link is not valid. Please ask the organizer.")
        self._per_judge.check(hash_token(token))
        return Visit(request, *found[0], base=self._base(request))

    def _show(self, name: str, visit: Visit, *, status: int = 200, **values: Any) -> HTMLResponse:
        server, workload = visit.server, visit.workload
        return self._page(
            name,
            visit.request,
            server,
            status,
            instructions=server.task.instructions,
            t=server.translation.translate,
            language=server.translation.language,
            done=len(workload.answered),
            total=workload.total,
            **values,
        )

    async def _help(self, request: Request) -> Response:
        return self._show("help.html", await self._admit(request))

    async def _item(self, request: Request) -> Response:
        """Show a position, or the next one; or why there is none."""
        visit = await self._admit(request)
        server, workload = visit.server, visit.workload
        if workload.judge.excluded:
            code = server.settings.get("completion_failed")
            return self._show("finished.html", visit, reason="", completion=code)
        if server.paused:
            return self._show("paused.html", visit)
        if (step := next_step(server, workload)) is not None:
            return self._show_step(visit, step)
        try:
            following = await server.next_position(workload)
        except RedinkError as error:
            raise HTTPException(
                503, "There is no next item at the moment; please try again."
            ) from error
        position = request.path_params.get("position", following)
        if position > following:
            raise HTTPException(404, "This item is not available yet.")
        if position < len(workload.sequence):
            return await self._ask(visit, position)
        return self._show(
            "finished.html",
            visit,
            reason="all" if workload.answered else "none",
            last=position - 1,
            completion=server.settings.get("completion"),
        )

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
            onboarding = task.onboarding or Onboarding()
            return self._show(
                "begin.html",
                visit,
                status=422 if error else 200,
                kind=step.kind,
                at=step.number,
                body=Markup(onboarding.consent),  # noqa: S704 (its text was escaped)
                fields=onboarding.background,
                filled={name: values[0] for name, values in (form or {}).items() if values},
                error=error,
            )
        return self._show_task(
            visit,
            step.trial.item,
            0,
            status=422 if error else 200,
            action=f"{visit.base}/begin",
            at=step.number,
            position=0,
            submission="",
            error=error,
            filled=task.restored(step.trial.item, form or {}),
        )

    def _show_task(
        self, visit: Visit, item: CampaignItem, seed: int, **values: Any
    ) -> HTMLResponse:
        task, language = visit.server.task, item.payload.get("language", ENGLISH)
        values |= {"text_language": language, **task.view(item, seed)}
        return self._show(task.template, visit, **values)

    async def _begin(self, request: Request) -> Response:
        visit = await self._admit(request)
        server, judge = visit.server, visit.workload.judge
        form = await self._form(request, server)
        step = next_step(server, visit.workload)
        if step is None or form.pop("at", [""])[0] != str(step.number):
            return visit.go_on()  # another window was faster
        if step.trial is None or "go_on" in form:
            key = f"begun:{judge.id}"
            reached = {**server.settings.get(key, {}), "step": step.number + 1}
            if step.kind == "background" and server.task.onboarding is not None:
                try:
                    reached["background"] = read_fields(server.task.onboarding.background, form, 0)
                except AnswerError as error:
                    text = error.translated(server.translation)
                    return self._show_step(visit, step, error=text, form=form)
            if step.kind == "consent":
                reached["consent"] = datetime.now(UTC).isoformat(timespec="seconds")
            await server.do(server.store.change_setting, key, reached)
            return visit.go_on()
        view = server.task.view(step.trial.item, 0)
        try:
            verdicts = check_trial(view["fields"], step.trial, form)
        except AnswerError as error:
            text = error.translated(server.translation)
            return self._show_step(visit, step, error=text, form=form)
        return self._show(
            "begin.html",
            visit,
            kind=step.kind,
            at=step.number,
            sentence="".join(part.text for part in view["parts"]),
            verdicts=verdicts,
            body=Markup(step.trial.feedback),  # noqa: S704 (its text was escaped)
        )

    async def _ask(
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
        try:
            given = await server.answers_at(workload, position)
        except RedinkError as problem:
            raise HTTPException(
                503, "There is no next item at the moment; please try again."
            ) from problem
        answered = given[-1] if given else None
        if fields is None:
            fields = {}
            if answered is not None:
                if not answered.skipped:
                    fields = dict(server.task.filled(item, answered.answer, assignment.id))
                fields |= {f"remark-{name}": said for name, said in (answered.remark or {}).items()}
        self._shown.setdefault((id(workload), position), time.monotonic())
        return self._show_task(
            visit,
            item,
            assignment.id,
            status=status,
            position=position,
            submission=f"{secrets.token_urlsafe(12)}.{basis_of(answered)}",
            error=error,
            filled=fields,
        )

    async def _receive(self, visit: Visit) -> tuple[int, dict[str, list[str]]]:
        """Return the position and the form of an answer, if the item is open."""
        form = await self._form(visit.request, visit.server)
        position, workload = visit.request.path_params["position"], visit.workload
        if position > workload.next_position or position >= len(workload.sequence):
            raise HTTPException(404, "This item is not available yet.")
        return position, form

    async def _step(self, request: Request) -> Response:
        visit = await self._admit(request)
        position, form = await self._receive(visit)
        task, item = visit.server.task, visit.server.item_at(visit.workload, position)
        seed = visit.workload.sequence[position].id
        try:
            async with visit.workload.stepping:  # one judge cannot fill the queue
                fields = await visit.server.previews.step(task, item, form, seed)
        except AnswerError as error:
            text = error.translated(visit.server.translation)
            fields = task.restored(item, form)
            return await self._ask(visit, position, error=text, fields=fields)
        return await self._ask(visit, position, fields=fields)

    async def _submit(self, request: Request) -> Response:
        visit = await self._admit(request)
        server, workload = visit.server, visit.workload
        position, form = await self._receive(visit)
        if next_step(server, workload) is not None:
            raise HTTPException(
                409, "Please open your link again; a previous step is not complete."
            )
        submission = form.pop("submission", [""])[0]
        measured = form.pop("active", [""])[0]
        shown = self._shown.get((id(workload), position))
        stayed = None if shown is None else time.monotonic() - shown
        least = server.settings.get("minimum_seconds")
        if least and stayed is not None and stayed < least and position not in workload.answered:
            hurry = AnswerError("Please take more time for this item, then submit again.")
            return await self._explain(visit, position, form, hurry)
        seconds = worked_seconds(stayed, measured)
        try:
            await server.submit(workload, position, form, submission=submission, seconds=seconds)
        except AnswerError as error:
            return await self._explain(visit, position, form, error)
        self._shown.pop((id(workload), position), None)
        if request.headers.get("accept") == "application/json":
            return JSONResponse({"next": visit.base})
        return visit.go_on()

    async def _explain(
        self, visit: Visit, position: int, form: dict[str, list[str]], error: AnswerError
    ) -> Response:
        """Say why an answer was not stored; keep the entries on the page."""
        server = visit.server
        wants_json = visit.request.headers.get("accept") == "application/json"
        status, advice = 422, ""
        if isinstance(error, NotStoredError):
            status, advice = 503, "Please keep this page open and submit it again."
        elif isinstance(error, StaleError):
            status, advice = (
                409,
                "The page now shows that answer; to change it, submit the form again.",
            )
            if wants_json:
                advice = "Please reload the page."
        text = error.translated(server.translation)
        if advice:
            text += f" {server.translation.translate(advice)}"
        if wants_json:
            return JSONResponse({"error": text}, status_code=status)
        item = server.item_at(visit.workload, position)
        fields = None if status == 409 else server.task.restored(item, form)
        return await self._ask(visit, position, error=text, fields=fields, status=status)


# -- the sign-up link ----------------------------------------------------------------------------


class RegistrationPages(CampaignPages):
    """The pages of the sign-up link, with which people register themselves.

    Prolific and Mechanical Turk put an ID into the address. With it, the same person comes back to
    their own work; without one, people choose a name.
    """

    kind = "r"
    per_second = 1

    def routes(self) -> list[Route]:
        """Return the routes of the sign-up link."""
        return [
            Route("/r/{token}", self._welcome),
            Route("/r/{token}", self._register, methods=["POST"]),
        ]

    def _admit(self, request: Request) -> CampaignServer:
        token = hash_token(request.path_params["token"])
        for server in self._servers:
            opened = server.settings.get("registration")
            if opened and same(token, opened["token"]):
                return server
        raise self._refuse(request, "This link is not valid. Please ask the organizer.")

    def _send_to(self, token: str) -> Response:
        return RedirectResponse(f"{self._site.path}/j/{token}", status_code=303)

    async def _welcome(self, request: Request) -> Response:
        server, query = self._admit(request), request.query_params
        identity = next((query[name].strip() for name in IDENTITIES if query.get(name)), "")
        identity = identity[: setup.MAX_NAME]
        if identity:
            token = identity_token(request.path_params["token"], identity)
            if server.find(token):
                return self._send_to(token)
        return self._show(request, server, identity)

    def _show(
        self, request: Request, server: CampaignServer, identity: str, error: str = ""
    ) -> Response:
        return self._page(
            "register.html",
            request,
            server,
            422 if error else 200,
            instructions=server.task.instructions,
            identity=identity,
            preview=request.query_params.get("assignmentId") == _PREVIEW,
            full=server.registered >= server.settings["registration"]["limit"],
            paused=server.paused,
            error=error,
            t=server.translation.translate,
            language=server.translation.language,
        )

    async def _register(self, request: Request) -> Response:
        server = self._admit(request)
        self._strangers.check(client_key(request))
        fields = await self._form(request, server)
        sent = fields.get("identity", [""])[0].strip()
        name = sent or fields.get("name", [""])[0].strip()
        if not 0 < len(name) <= setup.MAX_NAME:
            text = "Please enter a name or number of at most 60 characters."
            return self._show(request, server, sent, text)
        token = identity_token(request.path_params["token"], sent) if sent else None
        if token and server.find(token):
            return self._send_to(token)
        if server.paused:
            return self._show(request, server, sent)
        try:
            new = await server.do(setup.register, server.store, name, token=token)
        except setup.FullError:
            return self._show(request, server, sent)
        except RedinkError:
            text = "This name is taken. If it is yours, please use your personal link."
            return self._show(request, server, sent, text)
        return self._send_to(new)
