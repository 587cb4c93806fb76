"""Endpoints of language models: an OpenAI-compatible API, or a program that reads a prompt."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from redink.errors import MissingExtraError, OptionError, RedinkError
from redink.language_models.reply_store import ModelReply, Tokens

KEYS = ("REDINK_API_KEY", "OPENAI_API_KEY")
"""The environment variables that can contain the API key."""
_COMMAND = "command:"
_LONGEST = 10_000_000  # bytes of a reply
_SHORT = 8  # a shorter key is a placeholder of a local server, such as "none"
_UNSUPPORTED = ("response_format", "seed", "max_tokens")
"""Parameters that some endpoints reject."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class FailedError(Exception):
    """No reply, but another attempt may succeed."""

    def __init__(self, reason: str, *, wait: float | None = None, is_free: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait  # seconds that the endpoint asks to wait
        self.is_free = is_free  # the endpoint cannot have used any tokens


class UnreachableError(FailedError):
    """No connection to the endpoint."""


class RejectedError(Exception):
    """The endpoint rejects this request (HTTP 400); ``parameter`` is the reason, if known."""

    def __init__(self, reason: str, parameter: str | None) -> None:
        super().__init__(reason)
        self.parameter = parameter


class Endpoint(Protocol):
    """A place that answers requests."""

    def send(self, request: Mapping[str, Any]) -> tuple[ModelReply, Tokens | None]:
        """Return the reply, and its numbers of tokens if known.

        Raises:
            FailedError: another attempt may succeed.
            RejectedError: the same request will be rejected again.
            RedinkError: no request will succeed.
        """

    def close(self) -> None:
        """Close connections."""


def read_endpoint(text: str) -> str:
    """Return a valid endpoint; messages do not repeat it, because it may contain a key."""
    if text.startswith(_COMMAND):
        try:
            words = shlex.split(text.removeprefix(_COMMAND))
        except ValueError:
            words = []
        if not words:
            raise OptionError("the endpoint 'command:' must be followed by a program")
        return text
    try:
        parts = urlsplit(text)
        is_valid = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or not text.isascii() or not text.isprintable() or " " in text:
        raise OptionError(
            "invalid endpoint; expected a URL, such as http://127.0.0.1:8000/v1, or command:PROGRAM"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise OptionError(
            "an endpoint URL must not contain a password or a query string (?…); "
            f"set the API key with {KEYS[0]}"
        )
    return text


def open_endpoint(text: str, *, timeout: float, connections: int) -> Endpoint:
    """Open an endpoint: a URL, or ``command:PROGRAM ARGUMENTS``."""
    read_endpoint(text)
    if text.startswith(_COMMAND):
        return CommandEndpoint(text.removeprefix(_COMMAND), timeout)
    return HttpEndpoint(text, timeout, connections)


def _read_key() -> str:
    for name in KEYS:
        if key := os.environ.get(name, "").strip():
            if not key.isascii() or not key.isprintable():
                raise OptionError(f"{name} contains characters that an API key cannot have")
            return key
    return ""


def _clean(text: str, key: str) -> str:
    """Remove control characters, and the key if the endpoint repeats it."""
    if len(key) >= _SHORT:
        text = text.replace(key, "***")
    return _CONTROL.sub(" ", text.replace("\r\n", "\n"))


class HttpEndpoint:
    """An API like that of OpenAI: ``POST URL/chat/completions``."""

    def __init__(self, url: str, timeout: float, connections: int) -> None:
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError("httpx", "models-api") from error
        self._key = _read_key()
        self._host = urlsplit(url).netloc
        url = url.rstrip("/")
        self._url = url if url.endswith("/chat/completions") else f"{url}/chat/completions"
        self._timeout = timeout
        self._httpx = httpx
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=timeout,
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
        )

    def close(self) -> None:
        """Close connections."""
        self._client.close()

    def send(self, request: Mapping[str, Any]) -> tuple[ModelReply, Tokens | None]:
        """Send a request, and return the reply."""
        httpx = self._httpx
        try:
            status, headers, body = self._post(request)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise UnreachableError(f"{self._host} cannot be reached", is_free=True) from error
        except httpx.TimeoutException as error:
            raise FailedError(f"{self._host} did not reply in time") from error
        except httpx.HTTPError as error:
            raise FailedError(f"{self._host} closed the connection") from error
        if status == httpx.codes.OK:
            return self._read(body)
        reason = f"{self._host} answered HTTP {status}"
        if said := _clean(_error_in(body), self._key):
            reason += f": {said}"
        if status in {408, 409, 425, 429} or status >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise FailedError(reason, wait=_seconds_in(headers.get("retry-after")), is_free=True)
        if status in {400, 413, 422}:
            named = (name for name in _UNSUPPORTED if name in request and name in said)
            raise RejectedError(reason, next(named, None))
        hint = f"; set the API key with {KEYS[0]}" if status in {401, 403} and not self._key else ""
        raise RedinkError(reason + hint)

    def _post(self, request: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        until = time.monotonic() + self._timeout
        body = bytearray()
        with self._client.stream("POST", self._url, json=request) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > _LONGEST:
                    raise FailedError(f"{self._host} sent more than {_LONGEST} bytes")
                if time.monotonic() > until:
                    raise FailedError(f"{self._host} did not reply in time")
        return response.status_code, response.headers, bytes(body)

    def _read(self, body: bytes) -> tuple[ModelReply, Tokens | None]:
        try:
            found = json.loads(body)
            choice = found["choices"][0]
            message = choice["message"]
            content = message["content"]
            ending = choice.get("finish_reason") or ""
            if isinstance(content, list):
                content = "".join(part["text"] for part in content if "text" in part)
            if content is None:
                content, ending = message.get("refusal") or "", ending or "refusal"
                ending = "refusal" if content else ending
            parts = [_clean(part, self._key) for part in (content, ending, found.get("model", ""))]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            said = _clean(_error_in(body), self._key)
            reason = f"{self._host} sent a malformed reply"
            raise FailedError(f"{reason}: {said}" if said else reason) from None
        return ModelReply(*parts), _tokens_in(found)


def _tokens_in(found: Mapping[str, Any]) -> Tokens | None:
    usage = found.get("usage")
    if not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    if any(type(count) is not int or count < 0 for count in counts):
        return None
    return counts[0], counts[1]  # type: ignore[return-value]


def _error_in(body: bytes) -> str:
    """Return the message in the body of an error."""
    try:
        found = json.loads(body)
        error = found.get("error", found.get("message", found.get("detail", "")))
        said = error.get("message", "") if isinstance(error, dict) else error
    except (ValueError, AttributeError, RecursionError):
        return ""
    return said if isinstance(said, str) else json.dumps(said)


def _seconds_in(header: str | None) -> float | None:
    """Return the seconds in a Retry-After header: a number or a date."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (date.astimezone(UTC) - datetime.now(UTC)).total_seconds())


class CommandEndpoint:
    """A program that reads the prompt on stdin and prints the reply."""

    def __init__(self, command: str, timeout: float) -> None:
        self._words = shlex.split(command)
        self._timeout = timeout
        self._key = _read_key()

    def close(self) -> None:
        """Close nothing: every request starts the program."""

    def send(self, request: Mapping[str, Any]) -> tuple[ModelReply, Tokens | None]:
        """Run the program with the messages on stdin."""
        name = self._words[0]
        prompt = "\n\n".join(message["content"] for message in request["messages"])
        try:
            ran = subprocess.run(  # noqa: S603 (the user's own program, without a shell)
                self._words,
                input=prompt.encode(errors="replace"),
                capture_output=True,
                timeout=self._timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise FailedError(f"{name} did not reply in time") from error
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "invalid name"
            raise RedinkError(f"the program {name!r} cannot be run ({reason})") from error
        if ran.returncode:
            lines = _clean(ran.stderr.decode(errors="replace"), self._key).split("\n")
            said = next((line for line in reversed(lines) if line.strip()), "")
            raise FailedError(f"{name} ended with exit code {ran.returncode}: {said}")
        return ModelReply(_clean(ran.stdout.decode(errors="replace"), self._key).strip()), None
