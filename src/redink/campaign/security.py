"""What stands between the network and the pages: tokens, forged forms, sizes, rates."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request

MAX_BODY = 64 * 1024
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BREAK = re.compile(r"\r\n?")


def new_token() -> str:
    """A random token for a link: 192 bits, nobody can guess it."""
    return secrets.token_urlsafe(24)


def hash_token(token: str) -> str:
    """What the database keeps. Random tokens need no salt and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def form_token(secret: str, token: str) -> str:
    """What every form of this token's owner must carry, so that no other site can post it."""
    return hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare secrets without telling by the time taken how much of them agrees."""
    return hmac.compare_digest(one.encode(), other.encode())


class RateLimit:
    """A bucket for each key: so many requests at once, and so many a second after that."""

    def __init__(self, *, burst: float, per_second: float, keys: int = 10_000) -> None:
        self._burst = burst
        self._rate = per_second
        self._keys = keys
        self._buckets: dict[str, tuple[float, float]] = {}

    def check(self, key: str) -> None:
        """Let the request pass, or refuse it with 429."""
        now = time.monotonic()
        left, last = self._buckets.pop(key, (self._burst, now))
        left = min(self._burst, left + (now - last) * self._rate)
        if left < 1:
            self._buckets[key] = (left, now)
            raise HTTPException(429, "Too many requests; please wait a moment.")
        self._buckets[key] = (left - 1, now)
        if len(self._buckets) > self._keys:  # forget the key that was idle longest
            self._buckets.pop(next(iter(self._buckets)))


async def read_form(request: Request, *, secret: str) -> dict[str, list[str]]:
    """The fields of a form that our own page sent, of bounded size, without control characters.

    The token in the path and the form's own token belong together; another site knows neither.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Only forms are taken here.")
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise HTTPException(403, "This form was not sent from this site.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise HTTPException(413, "That is too much at once.")
    try:
        fields = parse_qs(
            body.decode("utf-8"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            max_num_fields=100,
            errors="strict",
        )
    except (UnicodeDecodeError, ValueError) as error:
        raise HTTPException(400, "The form could not be read.") from error
    expected = form_token(secret, request.path_params["token"])
    given = fields.pop("form", [""])
    if len(given) != 1 or not same(given[0], expected):
        raise HTTPException(403, "The form has expired; please reload the page.")
    return {name: [clean_text(value) for value in values] for name, values in fields.items()}


def clean_text(text: str) -> str:
    """What was typed or pasted, as any database and any table can hold it.

    Control characters, which nobody sees, are dropped; a tab is a space, a line ends by LF.
    """
    return _INVISIBLE.sub("", _BREAK.sub("\n", text).replace("\t", " "))


def client_key(request: Request) -> str:
    """Who asks, as far as the network tells."""
    client: Any = request.client
    return client.host if client else "unknown"
