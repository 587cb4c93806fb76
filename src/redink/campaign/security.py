"""Request checks: tokens, forged forms (CSRF), sizes, rate limits."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from base64 import urlsafe_b64encode
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request

MAX_BODY = 64 * 1024
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BREAK = re.compile(r"\r\n?")


def new_token() -> str:
    """Return a random token of 192 bits for a link."""
    return secrets.token_urlsafe(24)


def hash_token(token: str) -> str:
    """Return the hash that is stored. Random tokens need no salt and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def form_token(secret: str, token: str) -> str:
    """Return the value that a form must contain, so that no other site can post it."""
    return hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()


def identity_token(sign_up: str, identity: str) -> str:
    """Return the token of a person whom another site sends: the same at every visit.

    It depends on the token of the sign-up link, of which the database has only a hash.
    """
    derived = hmac.digest(sign_up.encode(), identity.encode(), "sha256")
    return urlsafe_b64encode(derived).decode()[:32]


def same(one: str, other: str) -> bool:
    """Compare secrets in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


class RateLimit:
    """A limit for each key: ``burst`` requests at once, then ``per_second``."""

    def __init__(self, *, burst: float, per_second: float, keys: int = 10_000) -> None:
        self._burst = burst
        self._rate = per_second
        self._keys = keys
        self._buckets: dict[str, tuple[float, float]] = {}

    def check(self, key: str) -> None:
        """Count a request; raise status 429 if there are too many."""
        now = time.monotonic()
        left, last = self._buckets.pop(key, (self._burst, now))
        left = min(self._burst, left + (now - last) * self._rate)
        if left < 1:
            self._buckets[key] = (left, now)
            raise HTTPException(429, "Too many requests; please wait a moment.")
        self._buckets[key] = (left - 1, now)
        if len(self._buckets) > self._keys:  # remove the key that was idle longest
            self._buckets.pop(next(iter(self._buckets)))


async def read_form(request: Request, *, secret: str) -> dict[str, list[str]]:
    """Return the fields of a form that our own page sent, without control characters."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Only form data is accepted.")
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise HTTPException(403, "This form was not sent from this site.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise HTTPException(413, "The form is too large.")
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
    return {
        name: [_INVISIBLE.sub("", _BREAK.sub("\n", one).replace("\t", " ")) for one in values]
        for name, values in fields.items()
    }


def client_key(request: Request) -> str:
    """Return the network address of a client."""
    return request.client.host if request.client else "unknown"
