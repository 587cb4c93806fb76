"""The web application: ``create_app(reported)`` with its list of routes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from redink.commands.report import Reported
from redink.formats.m2 import write_m2
from redink.reports.page.rendering import ASSETS, read_asset, render_served_page
from redink.reports.page.sentences import VERDICTS, Filter, Numbers
from redink.web.headers import SafeApplication

MAX_SIZE = 100  # sentences on one page
LONGEST = 1000  # letters of the words to look for
_BATCH = 500


class Explorer:
    """Answers questions about the sentences of one evaluation."""

    def __init__(self, reported: Reported) -> None:
        self._reported = reported
        self._index = reported.page.sentences
        self._find = lru_cache(maxsize=64)(self._index.find)  # turning pages repeats the search

    def routes(self) -> list[Route]:
        """Return the routes."""
        page = render_served_page(
            self._reported.page,
            address="sentences",
            downloads={"JSONL": "sentences.jsonl", "M2": "sentences.m2"},
        )
        tables = {section.id: section.table for section in self._reported.page.sections}

        def table(request: Request) -> Response:
            name = request.path_params["name"]
            if name not in tables:
                raise HTTPException(
                    404, f"Unknown table {name}; expected one of: {', '.join(tables)}"
                )
            return Response(tables[name].to_json(), media_type="application/json")

        return [
            _constant("/", page, "text/html"),
            *(_constant(f"/{name}", read_asset(name), kind) for name, kind in ASSETS.items()),
            Route("/sentences", self.sentences),
            Route("/sentences.jsonl", self.as_jsonl),
            Route("/sentences.m2", self.as_m2),
            Route("/documents/{place:int}", self.document),
            Route("/tables/{name}.json", table),
        ]

    def sentences(self, request: Request) -> Response:
        """Return one page of the sentences that pass the filter."""
        found = self._found(request)
        size = min(max(_whole(request, "size", 10), 1), MAX_SIZE)
        last = max(0, -(-len(found) // size) - 1)
        page = min(max(_whole(request, "page", 0), 0), last)
        numbers = found[page * size : (page + 1) * size].tolist()
        shown = [[number, self._index.sentence(number)] for number in numbers]
        return JSONResponse({"found": len(found), "page": page, "sentences": shown})

    def document(self, request: Request) -> Response:
        """Return a document: its text, the positions of its sentences, and all edits."""
        place, known = request.path_params["place"], self._reported.page.documents
        if place >= len(known):
            raise HTTPException(404, f"Unknown document {place}; there are {len(known)} documents.")
        one = known[place]
        edits = [self._index.sentence(number) for number, _ in one.sentences]
        return JSONResponse([one.text, one.sentences, edits])

    def as_jsonl(self, request: Request) -> Response:
        """Return all sentences that pass, with all edits, one per line."""
        lines = (self._line(number) for number in self._found(request).tolist())
        return _download(lines, "sentences.jsonl", "application/jsonl")

    def as_m2(self, request: Request) -> Response:
        """Return the references of all sentences that pass."""
        found = self._found(request).tolist()
        sentences = self._reported.corpus.sentences

        def parts() -> Iterator[str]:
            for at in range(0, len(found), _BATCH):
                stream = io.StringIO()
                write_m2([sentences[number] for number in found[at : at + _BATCH]], stream)
                yield stream.getvalue()

        return _download(parts(), "sentences.m2", "text/plain")

    def _line(self, number: int) -> str:
        source, references, systems = self._index.sentence(number)
        types = self._index.types

        def name(edit: Sequence[Any]) -> dict[str, Any]:
            start, end, correction, kind, *verdict = edit
            named = {"start": start, "end": end, "correction": correction, "type": types[kind]}
            return named | ({"verdict": VERDICTS[verdict[0]]} if verdict else {})

        content = {
            "number": number + 1,
            "source": source,
            "references": {
                self._index.annotators[int(who)]: [name(edit) for edit in edits]
                for who, edits in references.items()
            },
            "systems": {
                system: [name(edit) for edit in edits]
                for system, edits in zip(self._index.systems, systems, strict=True)
            },
        }
        return json.dumps(content, ensure_ascii=False) + "\n"

    def _found(self, request: Request) -> Numbers:
        given = request.query_params
        words = given.get("words", "")
        if len(words) > LONGEST:
            raise HTTPException(400, "Too many search words.")
        names = ("system", "type", "verdict", "other", "which")
        return self._find(Filter(words, *(given.get(name, "") for name in names)))


def _whole(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, str(default))
    try:
        return int(text)
    except ValueError as error:
        raise HTTPException(400, f"{name} must be a whole number.") from error


def _constant(path: str, text: str, kind: str) -> Route:
    return Route(path, lambda _request: Response(text, media_type=kind))


def _download(parts: Iterator[str], name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, media_type=kind, headers=headers)


def create_app(reported: Reported, *, hosts: Sequence[str] = ("*",)) -> Starlette:
    """Return the application of one evaluation.

    Requests must use one of the names in ``hosts``: another site cannot read this page by pointing
    a name of its own at this machine (DNS rebinding).
    """

    def refuse(_request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return PlainTextResponse(error.detail, status_code=error.status_code)

    return SafeApplication(
        routes=Explorer(reported).routes(),
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
        ],
        exception_handlers={HTTPException: refuse},
    )
