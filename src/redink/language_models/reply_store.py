"""The file of all requests and replies of a language model, and the budget of that file.

A request is a line before it is sent, and its outcome is a line before it is used::

    {"key": "5f0c…", "request": {"model": …, "messages": […]}, "tokens": [412, 4096]}
    {"key": "5f0c…", "reply": {"text": "…", "ending": "stop", "model": "…"}, "tokens": [98, 12]}
    {"key": "77aa…", "failure": "HTTP 429", "tokens": [0, 0]}

The tokens of a request are upper bounds (input, output), which count until the outcome is known. A
request without an outcome was interrupted: it counts, and is sent again.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from redink.errors import FormatError, RedinkError

Tokens = tuple[int, int]
_MILLION = 1_000_000
REJECTED = "rejected"
"""The ending of a reply that is the message of an endpoint that rejected the request."""


class BudgetError(RedinkError):
    """The next request could exceed the budget."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A reply as stored: the text, why it ended (``stop``, ``length``), and who wrote it."""

    text: str
    ending: str = ""
    model: str = ""  # the name that the endpoint reports, such as a dated version


@dataclass(frozen=True, slots=True)
class Budget:
    """The largest numbers of requests and tokens, and the largest cost, of all runs together."""

    requests: int | None = None
    tokens: int | None = None
    cost: float | None = None
    price: tuple[float, ...] = (0.0, 0.0)

    def cost_of(self, tokens: Tokens) -> float:
        """Return the cost of input and output tokens."""
        return sum(n * price for n, price in zip(tokens, self.price, strict=True)) / _MILLION

    def find_exceeded(self, requests: int, tokens: Tokens) -> str | None:
        """Return the option whose limit these numbers exceed."""
        used = {"requests": requests, "tokens": sum(tokens), "cost": self.cost_of(tokens)}
        for name, number in used.items():
            limit = getattr(self, name)
            if limit is not None and number > limit:
                return f"--max-{name} {limit:g}"
        return None


class ReplyStore:
    """Requests and replies in a JSON lines file; in memory only, if there is no file."""

    def __init__(self, path: str | Path | None = None, budget: Budget = Budget()) -> None:
        self._path = None if path is None else Path(path)
        self._budget = budget
        self._stream: IO[bytes] | None = None
        self._replies: dict[str, ModelReply] = {}
        self._open: dict[str, Tokens] = {}  # requests whose outcome is not known
        self._spent: Tokens = (0, 0)
        self.requests = 0
        self._sending: set[str] = set()
        self._changed = threading.Condition()
        self._size = 0
        if self._path is not None and self._path.exists():
            self._load(self._path)

    def _load(self, path: Path) -> None:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FormatError(f"cannot be read ({error.strerror})", path=path) from error
        self._size = content.rfind(b"\n") + 1  # a killed process may leave an incomplete line
        for number, line in enumerate(content[: self._size].splitlines(), start=1):
            try:
                self._count(json.loads(line))
            except (ValueError, LookupError, TypeError, AttributeError):
                raise FormatError(
                    "is not a line of a replies file; expected requests and replies",
                    path=path,
                    line=number,
                ) from None

    def _count(self, record: Mapping[str, Any]) -> None:
        key, (given, made) = str(record["key"]), record["tokens"]
        tokens = int(given), int(made)
        before = self._open.pop(key, None)
        if "request" in record:
            if before is not None:  # an interrupted request that is sent again
                self._spent = _add(self._spent, before)
            self.requests += 1
            self._open[key] = tokens
            return
        self._spent = _add(self._spent, tokens)
        if "reply" in record:
            self._replies[key] = ModelReply(**record["reply"])

    def __contains__(self, key: str) -> bool:
        return key in self._replies

    def find(self, key: str) -> ModelReply | None:
        """Return the stored reply to a request."""
        return self._replies.get(key)

    @property
    def models(self) -> list[str]:
        """The names of models that the endpoint reported."""
        return sorted({reply.model for reply in self._replies.values()} - {""})

    @property
    def is_useful(self) -> bool:
        """Whether any reply is one of the model, and not the message of a rejection."""
        return any(reply.ending != REJECTED for reply in self._replies.values())

    def begin(self, key: str, request: Mapping[str, Any], bound: Tokens) -> None:
        """Store a request that will now be sent; wait while those in flight could use the budget.

        Raises:
            BudgetError: the request could exceed the budget.
        """
        with self._changed:
            while exceeded := self._find_exceeded(bound):
                if not self._sending or exceeded.startswith("--max-requests"):
                    raise BudgetError(
                        f"another request could exceed {exceeded}; the replies so far are stored, "
                        "and the same command with a larger budget continues"
                    )
                self._changed.wait()
            self._write({"key": key, "request": request, "tokens": bound})
            self._sending.add(key)

    def _find_exceeded(self, bound: Tokens) -> str | None:
        tokens = self._spent
        for one in (*self._open.values(), bound):
            tokens = _add(tokens, one)
        return self._budget.find_exceeded(self.requests + 1, tokens)

    def end(self, key: str, tokens: Tokens, outcome: ModelReply | str) -> None:
        """Store a reply, or the reason why there is none."""
        said = {"failure": outcome} if isinstance(outcome, str) else {"reply": asdict(outcome)}
        with self._changed:
            self._sending.discard(key)
            self._write({"key": key, **said, "tokens": tokens})
            self._changed.notify_all()

    def sync(self) -> None:
        """Make the system write all replies to the disk; the threads that use the store go on."""
        if self._stream is not None:
            os.fsync(self._stream.fileno())

    def _write(self, record: Mapping[str, Any]) -> None:
        if self._path is not None:
            try:
                stream = self._stream = self._stream or self._open_file(self._path)
                line = json.dumps(record, ensure_ascii=False)
                # half of a surrogate pair becomes an escape of JSON
                stream.write(f"{line}\n".encode(errors="backslashreplace"))
                stream.flush()
            except OSError as error:
                reason = error.strerror or str(error)
                raise RedinkError(f"{self._path}: cannot be written ({reason})") from error
        self._count(record)

    def _open_file(self, path: Path) -> IO[bytes]:
        stream = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        problem = None
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            problem = "is used by another process"
        stream.seek(self._size)
        if b"\n" in stream.read():
            problem = problem or "was changed by another process; run the command again"
        if problem is not None:
            stream.close()
            raise RedinkError(f"{path}: {problem}")
        stream.truncate(self._size)
        stream.seek(self._size)
        return stream

    def close(self) -> None:
        """Close the file, so that another process can use it."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def _add(first: Tokens, second: Tokens) -> Tokens:
    return first[0] + second[0], first[1] + second[1]
