"""A language model: asks each request once, many at a time, within a budget."""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from math import ceil
from typing import Annotated, Any, Self, TypeVar

from redink.errors import OptionError, RedinkError
from redink.language_models.endpoints import (
    FailedError,
    RejectedError,
    UnreachableError,
    open_endpoint,
    read_endpoint,
)
from redink.language_models.prompts import ReplyError
from redink.language_models.reply_store import REJECTED, Budget, ModelReply, ReplyStore, Tokens
from redink.model import Table, table_of
from redink.options import Flag, Limits, Needs, NotNegative, Options, Positive, Seed
from redink.progress import tell

Item = TypeVar("Item")
Result = TypeVar("Result")
EndpointUrl = Annotated[str, Flag(value="URL|command:PROGRAM", parse=read_endpoint)]
ModelName = Annotated[str, Flag(value="NAME")]
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
_MOST_WAIT = 600.0  # an endpoint that asks to wait for longer ends the run
_PER_MESSAGE = 16  # upper bound of the tokens that endpoints add to each message
_CONTINUE = "; the replies so far are stored, and the same command continues"
_REJECTED = 10  # rejected requests, with no other reply, after which a run ends
_BYTES_PER_TOKEN = 4  # for estimates


@dataclass(frozen=True)
class ModelOptions(Options):
    """Requests to a language model, and their limits.

    Attributes:
        prompt: Jinja2 file with your own prompt.
        temperature: sampling temperature.
        seed: random seed; it is also sent to the endpoint.
        reply_tokens: maximum number of tokens of a reply.
        max_requests: maximum number of requests, in all runs with the same file of replies.
        max_tokens: maximum number of tokens of all prompts and replies.
        max_cost: maximum cost of all prompts and replies.
        price: price of a million input tokens and of a million output tokens.
        concurrency: number of requests at a time.
        timeout: seconds to wait for a reply.
        retries: attempts after a failed one (HTTP 429 or 5xx, dropped connection, no reply in
            time).
        dry_run: estimate the numbers of requests and tokens, and ask nothing.
    """

    prompt: Annotated[str | None, Flag(value="FILE", reads=True)] = None
    temperature: Annotated[float, Limits(0, 2)] = 0.0
    seed: Seed = 1
    reply_tokens: Positive = 4096
    max_requests: NotNegative | None = None
    max_tokens: NotNegative | None = None
    max_cost: Annotated[float | None, Limits(0), Needs(price=True)] = None
    price: Annotated[Sequence[float], Flag(value="INPUT OUTPUT", parts=2), Limits(0)] = ()
    concurrency: Annotated[int, Limits(1, 256)] = 8
    timeout: Annotated[float, Limits(0, 86_400, low_open=True)] = 120.0
    retries: Annotated[int, Limits(0, 100)] = 6
    dry_run: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.price) not in {0, 2}:
            raise OptionError("price needs two numbers: for input and for output tokens")
        if self.max_cost is not None and not self.price:
            raise OptionError("--max-cost needs --price")

    def budget(self) -> Budget:
        """Return the limits of all runs together."""
        price = tuple(self.price) or (0.0, 0.0)
        return Budget(self.max_requests, self.max_tokens, self.max_cost, price)


@dataclass(frozen=True)
class Request:
    """Messages to the model, the JSON schema of the reply, and the number of the repetition."""

    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Any] | None = None
    sample: int = 1

    @classmethod
    def of(cls, prompt: str, schema: Mapping[str, Any] | None = None, sample: int = 1) -> Request:
        """Make a request of one message."""
        return cls(({"role": "user", "content": prompt},), schema, sample)

    def repaired(self, reply: ModelReply, problem: str) -> Request:
        """Return the request that shows the model its reply, and the problem."""
        repeated = {"role": "assistant", "content": reply.text}
        again = {"role": "user", "content": f"{problem} Give the complete reply again."}
        return Request((*self.messages, repeated, again), self.schema, self.sample)


@dataclass(frozen=True)
class Estimate:
    """The requests that are still to be sent."""

    requests: int
    stored: int
    input_tokens: int
    output_tokens: int
    cost: float | None


class LanguageModel:
    """A model at an endpoint, with stored replies. Its methods can be called by several threads."""

    def __init__(self, endpoint: str, name: str, options: ModelOptions, store: ReplyStore) -> None:
        self.name = name
        self.store = store
        self._options = options
        self._endpoint = open_endpoint(
            endpoint, timeout=options.timeout, connections=options.concurrency
        )
        self._unsupported: frozenset[str] = frozenset()
        self._locks: dict[str, threading.Lock] = {}
        self._slots = threading.Semaphore(options.concurrency)
        self._stop = threading.Event()
        self._not_before = 0.0
        self._has_answered = False
        self._rejected: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._endpoint.close()
        self.store.close()

    def _parameters(self, request: Request) -> dict[str, Any]:
        """Return the request as it is sent if the endpoint supports every parameter."""
        options = self._options
        found: dict[str, Any] = {
            "model": self.name,
            "messages": list(request.messages),
            "temperature": options.temperature,
            "max_tokens": options.reply_tokens,
            "seed": options.seed + request.sample - 1,
        }
        if request.schema is not None:
            schema = {"name": "reply", "strict": True, "schema": request.schema}
            found["response_format"] = {"type": "json_schema", "json_schema": schema}
        return found

    def _key(self, request: Request) -> str:
        said = json.dumps([self._parameters(request), request.sample], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()

    def _bound(self, request: Request) -> Tokens:
        """Return upper bounds of the numbers of tokens: a token has at least one byte."""
        texts = [*(message["content"] for message in request.messages), json.dumps(request.schema)]
        size = sum(len(text.encode(errors="replace")) + _PER_MESSAGE for text in texts)
        return size, self._options.reply_tokens

    def estimate(self, requests: Iterable[Request]) -> Table:
        """Return a table with the numbers of requests and tokens that are still to be sent."""
        by_key = {self._key(request): request for request in requests}
        left = [request for key, request in by_key.items() if key not in self.store]
        sizes = [self._bound(request)[0] for request in left]
        tokens = (
            sum(ceil(size / _BYTES_PER_TOKEN) for size in sizes),
            len(left) * self._options.reply_tokens,
        )
        cost = self._options.budget().cost_of(tokens) if self._options.price else None
        row = Estimate(len(left), len(by_key) - len(left), *tokens, cost)
        note = f"One input token per {_BYTES_PER_TOKEN} bytes; longest replies (--reply-tokens)."
        return table_of([row], notes=[note], title="Estimate without repeated attempts")

    def ask(self, request: Request) -> ModelReply:
        """Return the reply to a request: the stored one, or a new one, which is stored.

        Raises:
            BudgetError: the request could exceed the budget.
            RedinkError: the endpoint does not reply.
        """
        key = self._key(request)
        with self._locks.setdefault(key, threading.Lock()):  # equal requests are sent once
            known = self.store.find(key)
            if known is None or (known.ending == REJECTED and not self._is_working):
                known = self._send(key, request)
        return known

    @property
    def _is_working(self) -> bool:
        """Whether the endpoint has answered any request; otherwise its settings may be wrong."""
        return self._has_answered or self.store.is_useful

    def ask_for(self, request: Request, parse: Callable[[str], Result]) -> Result:
        """Return the parsed reply; if it is invalid, the model can repair it once.

        Raises:
            ReplyError: both replies are invalid.
        """
        reply = self.ask(request)
        try:
            return _parse(reply, parse)
        except ReplyError as error:
            if reply.ending == REJECTED:
                raise
            return _parse(self.ask(request.repaired(reply, str(error))), parse)

    def each(
        self, work: Callable[[Item], Result], items: Sequence[Item], what: str
    ) -> list[Result]:
        """Return ``work(item)`` for each item, in order; several are in progress at a time."""
        # Twice as many threads: a reply that is written to disk does not delay the next request.
        with ThreadPoolExecutor(2 * self._options.concurrency) as pool:
            futures = [pool.submit(work, item) for item in items]
            try:
                tell(what, 0, len(items))
                for done, future in enumerate(as_completed(futures), start=1):
                    future.result()
                    tell(what, done, len(items))
            except BaseException:
                self._stop.set()  # requests in flight are paid for: their replies are stored
                pool.shutdown(cancel_futures=True)
                raise
        if self._rejected and not self._is_working:
            raise RedinkError(self._rejected[-1])
        return [future.result() for future in futures]

    def _send(self, key: str, request: Request) -> ModelReply:
        wanted, bound = self._parameters(request), self._bound(request)
        dropped, failures = self._unsupported, 0
        while True:
            sent = _without(wanted, dropped)
            with self._slots:
                self._wait_for_turn()
                self.store.begin(key, sent, bound)
                outcome = self._exchange(key, sent, bound)
            if isinstance(outcome, ModelReply):
                self.store.sync()
                self._has_answered, self._unsupported = True, self._unsupported | dropped
                return outcome
            if isinstance(outcome, RejectedError):
                parameter = outcome.parameter or "response_format"
                if parameter not in sent:
                    return self._reject(key, str(outcome))
                dropped |= {parameter}
                continue
            failures += 1
            is_lost = isinstance(outcome, UnreachableError) and not self._is_working
            if failures > self._options.retries or is_lost:
                raise RedinkError(f"{outcome}{_CONTINUE}") from outcome
            self._delay(outcome, failures)

    def _exchange(
        self, key: str, sent: Mapping[str, Any], bound: Tokens
    ) -> ModelReply | FailedError | RejectedError:
        """Send a request, and store the outcome."""
        try:
            reply, tokens = self._endpoint.send(sent)
        except (FailedError, RejectedError) as error:
            is_free = isinstance(error, RejectedError) or error.is_free
            self.store.end(key, (0, 0) if is_free else bound, str(error))
            return error
        except BaseException:
            self.store.end(key, (0, 0), "failed")
            raise
        self.store.end(key, tokens or bound, reply)
        return reply

    def _reject(self, key: str, reason: str) -> ModelReply:
        """Store a rejection as the reply, since the same request would be rejected again."""
        reply = ModelReply(reason, REJECTED)
        self.store.end(key, (0, 0), reply)
        self._rejected.append(reason)
        if len(self._rejected) >= _REJECTED and not self._is_working:
            raise RedinkError(reason)
        return reply

    def _wait_for_turn(self) -> None:
        self._stop.wait(max(0.0, self._not_before - time.monotonic()))
        if self._stop.is_set():
            raise RedinkError("interrupted")

    def _delay(self, error: FailedError, failures: int) -> None:
        """Wait before another attempt; all requests wait if the endpoint asks for it."""
        if (error.wait or 0) > _MOST_WAIT:
            raise RedinkError(f"{error}; it asks to wait {error.wait:.0f} seconds{_CONTINUE}")
        if error.wait is not None:
            self._not_before = max(self._not_before, time.monotonic() + error.wait)
        wait = min(_FIRST_WAIT * 2 ** (failures - 1), _LONGEST_WAIT)
        self._stop.wait(wait * random.uniform(0.5, 1))


def _without(wanted: Mapping[str, Any], dropped: frozenset[str]) -> dict[str, Any]:
    """Return the parameters that an endpoint supports; max_tokens has a newer name."""
    sent = {name: value for name, value in wanted.items() if name not in dropped}
    if "max_tokens" in dropped:
        sent["max_completion_tokens"] = wanted["max_tokens"]
    return sent


def _parse(reply: ModelReply, parse: Callable[[str], Result]) -> Result:
    if reply.ending == REJECTED:
        raise ReplyError(reply.text)
    return parse(reply.text)
