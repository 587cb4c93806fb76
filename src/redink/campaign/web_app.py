"""The web application of one or several campaigns: ``create_app(server)`` with its routes."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route

from redink.campaign.judge_pages import JudgePages, RegistrationPages
from redink.campaign.organizer_pages import OrganizerPages
from redink.campaign.pages import STATIC, CachedFiles, Site, static_address
from redink.campaign.security import hash_token, new_token
from redink.campaign.server import MAX_COMMENT, CampaignServer
from redink.campaign.translation import ENGLISH, Translation, direction_of
from redink.errors import RedinkError
from redink.reports.html import open_templates
from redink.web.headers import SafeApplication


def _translation_for(request: Request, servers: Sequence[CampaignServer]) -> Translation:
    """Return the language of an error page: that of the campaign, if it is known."""
    if request.scope["path"].startswith(("/o/", "/all/")):  # the organizer's pages are in English
        return Translation()
    token = request.path_params.get("token", "")
    found = [server for server in servers if hash_token(token) in server.workloads] or servers
    spoken = {server.translation for server in found}
    return spoken.pop() if len(spoken) == 1 else Translation()


def _health_page(servers: Sequence[CampaignServer]) -> Route:
    async def health(_request: Request) -> Response:
        failing = sum(bool(server.problem) for server in servers)
        state = {"status": "failing" if failing else "ok", "campaigns": len(servers)}
        return JSONResponse(state | {"failing": failing}, status_code=503 if failing else 200)

    return Route("/health", health)


def create_app(
    *servers: CampaignServer, site: Site | None = None, overview: str | None = None
) -> Starlette:
    """Return the application of campaigns; ``overview`` is the token of the page with all."""
    site = site or Site()
    templates = open_templates("redink.campaign")
    templates.globals |= {
        "root": site.path,
        "static": lambda name: f"{site.path}{static_address(name)}",
        "t": Translation().translate,
        "language": ENGLISH,
        "direction": direction_of,
        "max_comment": MAX_COMMENT,
    }
    organizer = OrganizerPages(servers, templates, site, overview or new_token())
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
        return message(request, "redink", "Please open your personal link.")

    async def refuse(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        text = "This page does not exist." if error.detail == "Not Found" else error.detail
        return message(request, "Sorry", text, error.status_code)

    async def fail(request: Request, _error: Exception) -> Response:
        text = "An error occurred on the server. Your earlier answers are saved."
        return message(request, "Sorry", text, 500)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        for server in servers:
            await server.start()
            threading.Thread(target=server.task.prepare, daemon=True).start()
        yield
        await organizer.stop()
        for server in servers:
            with suppress(RedinkError):
                await server.stop()

    return SafeApplication(
        routes=[
            Route("/", welcome),
            _health_page(servers),
            *JudgePages(servers, templates, site).routes(),
            *RegistrationPages(servers, templates, site).routes(),
            *organizer.routes(),
            Mount("/static", CachedFiles(directory=STATIC)),
        ],
        exception_handlers={HTTPException: refuse, 500: fail},
        lifespan=lifespan,
        prefix=site.path,
    )
