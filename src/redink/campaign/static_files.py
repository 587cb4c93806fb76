"""Style, scripts and icon, which the browser caches until they change."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).parent / "static"
_CACHED = "public, max-age=31536000, immutable"


@cache
def address_of(name: str) -> str:
    """Return the address of a file; it changes with the content."""
    version = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={version}"


class CachedFiles(StaticFiles):
    """Files that a browser may cache, if it requests the current version."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file, with its cache header."""
        response = await super().get_response(path, scope)
        asked: Any = scope.get("query_string", b"")
        if response.status_code == 200 and asked and address_of(path).endswith(asked.decode()):
            response.headers["Cache-Control"] = _CACHED
        return response
